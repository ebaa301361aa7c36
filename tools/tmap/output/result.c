/* A result has a sink for text and one for JSON. One of them is marked as failed, and so drops everything. */
#include "output/result.h"

#include <inttypes.h>

#include "output/messages.h"
#include "tmap/unstable/counts.h"

tmap_json json_result_begin(tmap_sink *sink) {
    tmap_json json = tmap_json_begin(sink);
    tmap_json_object(&json, false);
    json_field_uint(&json, "version", JSON_VERSION);
    return json;
}

void json_result_end(tmap_json *json) {
    tmap_json_close(json, '}');
    tmap_json_end(json);
}

void result_begin_on(result_sink *out, tmap_sink kept, bool as_json) {
    const tmap_sink dropped = {.failed = true};
    *out = (result_sink){.text = as_json ? dropped : kept, .json_sink = as_json ? kept : dropped, .label_width = 15};
    out->json = json_result_begin(&out->json_sink);
}

void result_begin(result_sink *out, FILE *file, bool as_json) {
    result_begin_on(out, sink_to(file), as_json);
}

void result_end(result_sink *out) {
    json_result_end(&out->json);
    flush_stderr();
}

tmap_sink result_mute(result_sink *out) {
    tmap_sink text = out->text;
    out->text = (tmap_sink){.failed = true};
    return text;
}

void result_number(result_sink *out, const char *key, const char *label, uint64_t value, const char *unit) {
    if (key) json_field_saturated(&out->json, key, value);
    tmap_printf(&out->text, "  %-*s ", out->label_width, label);
    if (value == UINT64_MAX)
        tmap_puts(&out->text, "more than 64 bits can hold\n");
    else
        tmap_printf(&out->text, "%" PRIu64 "%s%s\n", value, unit[0] != '\0' ? " " : "", unit);
}

saturated_word saturated_text(uint64_t value) {
    saturated_word word = {"at least 2^64 - 1"};
    if (value != UINT64_MAX) snprintf(word.text, sizeof word.text, "%" PRIu64, value);
    return word;
}

void json_list(tmap_json *json, const char *key, bool flat) {
    tmap_json_key(json, key);
    tmap_json_array(json, flat);
}

void json_object(tmap_json *json, const char *key, bool flat) {
    tmap_json_key(json, key);
    tmap_json_object(json, flat);
}

void json_field_string(tmap_json *json, const char *key, const char *value) {
    tmap_json_key(json, key);
    tmap_json_string(json, value);
}

void json_field_uint(tmap_json *json, const char *key, uint64_t value) {
    tmap_json_key(json, key);
    tmap_json_uint(json, value);
}

void json_field_saturated(tmap_json *json, const char *key, uint64_t value) {
    tmap_json_key(json, key);
    if (value == UINT64_MAX)
        tmap_json_null(json);
    else
        tmap_json_uint(json, value);
}

void json_fields(tmap_json *json, const json_number *numbers, size_t n) {
    for (size_t i = 0; i < n; i++) json_field_uint(json, numbers[i].key, numbers[i].value);
}

void json_field_percent(tmap_json *json, const char *key, double percent) {
    tmap_json_key(json, key);
    tmap_json_hundredths(json, (uint64_t)(percent * 100 + 0.5));
}

void json_field_bool(tmap_json *json, const char *key, bool value) {
    tmap_json_key(json, key);
    tmap_json_bool(json, value);
}

void json_field_archs(tmap_json *json, const char *key, tmap_archs archs) {
    json_list(json, key, true);
    for (int i = 0; i < TMAP_ARCH_COUNT; i++) {
        if ((archs >> i & 1) != 0) tmap_json_string(json, tmap_arch_get(i)->name);
    }
    tmap_json_close(json, ']');
}

void json_field_uints(tmap_json *json, const char *key, const uint64_t *values, size_t n) {
    json_list(json, key, true);
    for (size_t i = 0; i < n; i++) tmap_json_uint(json, values[i]);
    tmap_json_close(json, ']');
}

void json_field_ints(tmap_json *json, const char *key, const int64_t *values, size_t n) {
    json_list(json, key, true);
    for (size_t i = 0; i < n; i++) tmap_json_int(json, values[i]);
    tmap_json_close(json, ']');
}

void json_field_strings(tmap_json *json, const char *key, const char *const *values, size_t n) {
    json_list(json, key, true);
    for (size_t i = 0; i < n; i++) tmap_json_string(json, values[i]);
    tmap_json_close(json, ']');
}

void json_field_text(tmap_json *json, const char *key, tmap_text *value) {
    json_field_string(json, key, value->data);
    tmap_text_free(value);
}

void json_field_diags(tmap_json *json, const tmap_diags *diags) {
    json_list(json, "diagnostics", false);
    for (size_t i = 0; i < diags->count; i++)
        tmap_emit_diag_json(tmap_json_value(json), &diags->items[i], tmap_json_value_depth(json));
    tmap_json_close(json, ']');
}
