/*
 * Writes a recording of copies: the copies as a spec, then their results. Results include bytes while the file has
 * space; copies that do not fit even without bytes are omitted. A file that the reader would refuse is not written.
 */
#include <inttypes.h>
#include <string.h>

#include "capture/recording.h"
#include "capture/yaml_parts.h"
#include "rule/field_words.h"
#include "spec/node.h"
#include "spec/write.h"
#include "text/print.h"
#include "text/quote.h"
#include "tmap/unstable/emit.h"

#define REST_MAX_B (CAPTURE_MAX_B + 256) /* of the results and the end */

/* ---- The spec ------------------------------------------------------------------------------------------------- */

/* Indents every line of `text` by two columns. */
static void put_indented(tmap_sink *sink, const tmap_text *text) {
    for (const char *line = text->data; line && *line != '\0';) {
        size_t size = strcspn(line, "\n");
        tmap_puts(sink, "  ");
        tmap_write(sink, line, size);
        tmap_puts(sink, "\n");
        line += size + (line[size] == '\n');
    }
}

/* The tensors are written at their first copies. */
static void put_tensors(tmap_sink *spec, const tmap_recording *recording) {
    tmap_arena arena = {.allocator = recording->allocator};
    tmap_table written = {.arena = &arena};
    for (size_t i = 0; i < recording->copies.n; i++) {
        const recorded_copy *c = recording->copies.items[i];
        size_t size = strlen(c->tensor), before = written.count;
        if (!tmap_table_put(&written, c->tensor, size, tmap_hash(c->tensor, size))) spec->failed = true;
        if (written.count > before) tmap_spec_write_tensor(spec, c->tensor, &c->map);
    }
    tmap_arena_free(&arena);
}

static void put_spec(tmap_sink *sink, const tmap_recording *recording) {
    tmap_text text = {.allocator = recording->allocator};
    tmap_sink spec = tmap_text_sink(&text);
    tmap_puts(&spec, "tmap: 1\ntensors:\n");
    put_tensors(&spec, recording);
    tmap_puts(&spec, "copies:\n");
    for (size_t i = 0; i < recording->copies.n; i++) {
        const recorded_copy *c = recording->copies.items[i];
        tmap_spec_write_copy(&spec, c->name, c->tensor, &c->copy);
    }
    if (spec.failed) sink->failed = true;
    tmap_puts(sink, "spec:\n");
    put_indented(sink, &text);
    tmap_text_free(&text);
}

/* ---- Results -------------------------------------------------------------------------------------------------- */

static void put_input(tmap_sink *sink, const recorded_copy *c) {
    switch (c->input.kind) {
    case TMAP_INPUT_RANDOM: tmap_printf(sink, ", seed: %" PRIu64, c->seed); break;
    case TMAP_INPUT_INDEX: tmap_printf(sink, ", index: %" PRIu64, c->input.base); break;
    case TMAP_INPUT_BYTES:
        tmap_puts(sink, ", input: ");
        tmap_emit_hex(sink, c->input.bytes, c->input.size_B);
        break;
    }
}

static void put_end(tmap_sink *sink, const recorded_copy *c) {
    tmap_puts(sink, ", end: ");
    if (c->end == TMAP_JOB_FAULT)
        tmap_put_result(sink, c->error);
    else
        tmap_puts(sink, tmap_job_end_name(c->end));
}

static void put_tx(tmap_sink *sink, const recorded_copy *c) {
    tmap_puts(sink, ", tx: [");
    for (size_t i = 0; i < c->tx_n; i++) {
        tmap_puts(sink, i > 0 ? ", " : "");
        if (c->tx_B[i] == TMAP_ARRIVED_UNKNOWN)
            tmap_puts(sink, "null");
        else
            tmap_printf(sink, "%" PRIu64, c->tx_B[i]);
    }
    tmap_puts(sink, "]");
}

static void put_runs(tmap_sink *sink, const recorded_copy *c) {
    tmap_puts(sink, ", bytes: [");
    for (const recorded_run *r = c->runs; r; r = r->next) {
        tmap_printf(sink, "%s{", r != c->runs ? ", " : "");
        if (r->run.cta != 0) tmap_printf(sink, "cta: %" PRIu32 ", ", r->run.cta);
        tmap_printf(sink, "at: %" PRId64 ", hex: \"", r->run.offset_B);
        tmap_emit_hex(sink, r->run.bytes, r->run.size_B);
        tmap_puts(sink, "\"");
        if (r->run.torn) {
            tmap_puts(sink, ", or: \"");
            tmap_emit_hex(sink, r->run.others, r->run.size_B);
            tmap_puts(sink, "\"");
        }
        tmap_puts(sink, "}");
    }
    tmap_puts(sink, "]");
}

static void put_result(tmap_sink *sink, const recorded_copy *c, bool bytes) {
    tmap_puts(sink, "  - {copy: ");
    tmap_put_as(sink, TMAP_SYNTAX_YAML, c->name);
    put_input(sink, c);
    if (c->parts & RECORDED_END) put_end(sink, c);
    if (c->parts & RECORDED_TX) put_tx(sink, c);
    if (c->parts & RECORDED_DIGEST) tmap_printf(sink, ", digest: %s", c->digest);
    if (bytes && c->parts & RECORDED_BYTES) put_runs(sink, c);
    tmap_puts(sink, "}\n");
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

static void put_names(tmap_sink *sink, const char *key, uint32_t bits, const tmap_words *words) {
    if (bits == 0) return;
    tmap_printf(sink, "  %s: [", key);
    tmap_put_words(sink, words, bits);
    tmap_puts(sink, "]\n");
}

static void put_blocks(tmap_sink *sink, const tmap_recording *recording) {
    const tmap_fuzz *fuzz = &recording->fuzz;
    tmap_printf(sink, "random:\n  seed: %" PRIu64 "\n", fuzz->seed);
    put_names(sink, "modes", fuzz->modes, tmap_field_words(TMAP_FIELD_MODE));
    put_names(sink, "ops", fuzz->ops, tmap_field_words(TMAP_FIELD_OP));
    if (fuzz->breaks_one_in != 0) tmap_printf(sink, "  nearly: %" PRIu32 "\n", fuzz->breaks_one_in);
    if (fuzz->without_faults) tmap_puts(sink, "  no_faults: true\n");
    tmap_puts(sink, recording->blocks.n > 0 ? "  blocks:\n" : "  blocks: []\n");
    for (size_t i = 0; i < recording->blocks.n; i++) {
        const tmap_fuzz_block *b = recording->blocks.items[i];
        tmap_printf(sink, "    - {n: %" PRIu64 ", differ: %" PRIu32 ", inputs: %s, outputs: %s", b->number,
                    b->differing_n, b->inputs, b->outputs);
        if (b->uncounted_n > 0) tmap_printf(sink, ", uncounted: %" PRIu32, b->uncounted_n);
        tmap_puts(sink, "}\n");
    }
}

/* ---- The file ------------------------------------------------------------------------------------------------- */

/* A name; a list of names if there are several architectures. */
static void put_target(tmap_sink *sink, tmap_archs target) {
    bool several = (target & (target - 1)) != 0;
    const char *before = several ? "target: [" : "target: ";
    for (int arch = 0; tmap_arch_get(arch); arch++) {
        if (!(target & (tmap_archs)1 << arch)) continue;
        tmap_printf(sink, "%s%s", before, tmap_arch_get(arch)->name);
        before = ", ";
    }
    if (target != 0) tmap_puts(sink, several ? "]\n" : "\n");
}

static void put_head(tmap_sink *sink, const tmap_recording *recording) {
    tmap_puts(sink, recording->header.source[0] != '\0'
                        ? "# Measurements of tensor copies by others.\n"
                        : "# Results of tensor copies on a device: a recording by tmap.\n");
    tmap_printf(sink, "tmap_capture: %d\nkind: copies\n", CAPTURE_VERSION);
    tmap_put_provenance(sink, &recording->header);
    put_target(sink, recording->target);
    if (recording->copies.n > 0) put_spec(sink, recording);
    if (recording->has_fuzz) put_blocks(sink, recording);
    tmap_puts(sink, "results:\n");
}

/* Writes bytes while a quarter of CAPTURE_MAX_B is free. After that, writes copies without bytes until it is full. */
static tmap_status put_fitting(tmap_sink *sink, const tmap_recording *recording, const recorded_copy *c, size_t *size_B,
                               uint64_t *left_out) {
    for (int bytes = 1; bytes >= 0; bytes--) {
        tmap_text line = {.allocator = recording->allocator};
        tmap_sink text = tmap_text_sink(&line);
        put_result(&text, c, bytes == 1);
        bool fits = *size_B + line.size <= CAPTURE_MAX_B - (bytes == 1 ? CAPTURE_MAX_B / 4 : 0);
        if (fits && !text.failed) tmap_write(sink, line.data, line.size);
        if (fits) *size_B += line.size;
        tmap_text_free(&line);
        if (text.failed) return TMAP_NO_MEMORY;
        if (fits) return TMAP_OK;
    }
    ++*left_out;
    return TMAP_OK;
}

tmap_status tmap_recording_write(const tmap_recording *recording, tmap_sink *sink) {
    tmap_text head = {.allocator = recording->allocator};
    tmap_sink text = tmap_text_sink(&head);
    uint64_t left_out = recording->left_out;
    tmap_recording_order(recording);
    put_head(&text, recording);
    tmap_status status = text.failed                                 ? TMAP_NO_MEMORY
                         : head.size > TMAP_FILE_MOST_B - REST_MAX_B ? TMAP_REFUSED
                                                                     : TMAP_OK;
    size_t size_B = 0;
    if (status == TMAP_OK) tmap_write(sink, head.data, head.size);
    tmap_text_free(&head);
    for (size_t i = 0; i < recording->copies.n && status == TMAP_OK; i++)
        status = put_fitting(sink, recording, recording->copies.items[i], &size_B, &left_out);
    if (status != TMAP_OK) return status;
    if (recording->copies.n == 0) tmap_puts(sink, "  []\n");
    tmap_printf(sink, "left_out: %" PRIu64 "\n", left_out);
    return sink->failed ? TMAP_IO : TMAP_OK;
}
