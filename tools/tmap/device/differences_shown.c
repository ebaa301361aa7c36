/* The differences of a device: elements with both values, and the case as a spec. */
#include "device/differences_shown.h"

#include <inttypes.h>

#include "output/result.h"
#include "text/print.h"
#include "tmap/unstable/spec.h"

#define TENSOR_NAME "tensor"
#define SHOWN_MAX   8 /* differences in text */

/* The value as a number with the width of its type, most significant digit first. The bytes are little-endian. */
static void write_value(result_sink *out, const char *key, const uint8_t bytes[8], uint32_t size_B, bool written) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (written) tmap_puts(&sink, "0x");
    for (uint32_t i = size_B; written && i > 0; i--) tmap_printf(&sink, "%02x", bytes[i - 1]);
    tmap_printf(&out->text, "%s %s", key, text.data ? text.data : "not written");
    json_field_text(&out->json, key, &text);
}

static void put_place(tmap_sink *sink, const tmap_probe *probe, const tmap_difference *d, const char *const *axes) {
    bool replaces = tmap_op_get((int)probe->copy.op)->on_map;
    const char *where = d->global ? "tensor" : replaces ? "descriptor" : "box";
    if (d->element) {
        tmap_puts(sink, "element");
        for (int i = 0; i < (int)probe->map.rank; i++) {
            tmap_puts(sink, i > 0 ? ", " : " ");
            if (axes) tmap_printf(sink, "%s ", axes[i]);
            tmap_printf(sink, "%" PRId64, d->at[i]);
        }
    } else {
        tmap_puts(sink, replaces ? "a byte" : "a byte that belongs to no element");
    }
    tmap_printf(sink, " (%s%s%" PRId64 " B", where, d->offset_B < 0 ? " - " : " + ",
                d->offset_B < 0 ? -d->offset_B : d->offset_B);
    if (!d->global && probe->ctas_n > 1) tmap_printf(sink, " of CTA %" PRIu32, d->cta);
    tmap_puts(sink, ")");
}

static void write_difference(result_sink *out, const tmap_probe *probe, const tmap_difference *d,
                             const char *const *axes) {
    tmap_json *json = &out->json;
    tmap_json_object(json, true);
    json_field_string(json, "in", d->global ? "global" : "shared");
    if (!d->global) json_field_uint(json, "cta", d->cta);
    tmap_json_key(json, "offset");
    tmap_json_int(json, d->offset_B);
    if (d->element)
        json_field_ints(json, "at", d->at, (size_t)probe->map.rank);
    else
        json_field_string(json, "at", NULL);
    tmap_puts(&out->text, "    ");
    put_place(&out->text, probe, d, axes);
    tmap_puts(&out->text, ": ");
    write_value(out, "predicted", d->predicted, d->size_B, d->predicted_written);
    tmap_puts(&out->text, ", ");
    write_value(out, "seen", d->seen, d->size_B, d->seen_written);
    tmap_puts(&out->text, "\n");
    tmap_json_close(json, '}');
}

void finding_write(result_sink *out, const tmap_probe *probe, const tmap_probe_report *report,
                   const char *const *axes) {
    tmap_json *json = &out->json;
    tmap_sink text = out->text;
    int shown = report->differences_n < SHOWN_MAX ? report->differences_n : SHOWN_MAX;
    uint64_t more = report->differing_elements_n + report->stray_bytes_n - (uint64_t)shown;
    json_field_uint(json, "differing_elements", report->differing_elements_n);
    json_field_uint(json, "stray_bytes", report->stray_bytes_n);
    json_field_string(json, "cause", report->cause[0] != '\0' ? report->cause : NULL);
    json_list(json, "differences", false);
    for (int i = 0; i < report->differences_n; i++) {
        if (i == shown) (void)result_mute(out);
        write_difference(out, probe, &report->differences[i], axes);
    }
    out->text = text;
    tmap_json_close(json, ']');
    if (more > 0) tmap_printf(&out->text, "    and %" PRIu64 " more\n", more);
    if (report->cause[0] != '\0') tmap_printf(&out->text, "    as if %s\n", report->cause);
}

void finding_print_spec(tmap_sink *sink, const tmap_probe *probe, const char *name) {
    const char *names[] = {name};
    tmap_spec_write(sink, TENSOR_NAME, &probe->map);
    tmap_spec_write_copies(sink, TENSOR_NAME, &probe->copy, names, 1);
}
