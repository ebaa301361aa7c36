/* Reads a recording of copies: the spec with the spec reader, the rest by tables of keys. */
#include <stdio.h>
#include <string.h>

#include "capture/key_tables.h"
#include "capture/recording.h"
#include "capture/recording_read.h"
#include "capture/yaml_parts.h"
#include "runtime/cuda_errors.h"
#include "spec/read.h"
#include "text/number.h"
#include "text/words.h"

typedef struct result_record {
    char copy[CAPTURE_ID_MAX];
    uint64_t seed, index, tx[TMAP_JOB_CTAS_MAX];
    const tmap_node *input, *end, *bytes;
    char digest[65];
} result_record;

enum { RESULT_COPY, RESULT_SEED, RESULT_INDEX, RESULT_INPUT, RESULT_END, RESULT_TX, RESULT_DIGEST, RESULT_BYTES };

static const table_key result_keys[] = {
    [RESULT_COPY] = {"copy", KEY_TEXT, IN(result_record, copy)},
    [RESULT_SEED] = {"seed", KEY_NUMBER, IN(result_record, seed), .most = UINT64_MAX, .optional = true},
    [RESULT_INDEX] = {"index", KEY_NUMBER, IN(result_record, index), .most = UINT64_MAX, .optional = true},
    [RESULT_INPUT] = {"input", KEY_NODE, IN(result_record, input), .optional = true},
    [RESULT_END] = {"end", KEY_NODE, IN(result_record, end), .optional = true},
    [RESULT_TX] = {"tx", KEY_COUNTS, ARRAY(result_record, tx), .optional = true},
    [RESULT_DIGEST] = {"digest", KEY_DIGEST, IN(result_record, digest), .optional = true},
    [RESULT_BYTES] = {"bytes", KEY_NODE, IN(result_record, bytes), .optional = true},
};

typedef struct run_record {
    uint32_t cta;
    const tmap_node *at, *hex, *other;
} run_record;

static const table_key run_keys[] = {
    {"cta", KEY_NUMBER, IN(run_record, cta), .most = TMAP_JOB_CTAS_MAX - 1, .optional = true},
    {"at", KEY_NODE, IN(run_record, at)},
    {"hex", KEY_NODE, IN(run_record, hex)},
    {"or", KEY_NODE, IN(run_record, other), .optional = true},
};

typedef struct random_record {
    uint64_t seed;
    uint32_t nearly;
    bool no_faults;
    const tmap_node *modes, *ops, *blocks;
} random_record;

static const table_key random_keys[] = {
    {"seed", KEY_NUMBER, IN(random_record, seed), .most = UINT64_MAX},
    {"modes", KEY_NODE, IN(random_record, modes), .optional = true},
    {"ops", KEY_NODE, IN(random_record, ops), .optional = true},
    {"nearly", KEY_NUMBER, IN(random_record, nearly), .most = UINT32_MAX, .optional = true},
    {"no_faults", KEY_WORD, IN(random_record, no_faults), .word = "true", .optional = true},
    {"blocks", KEY_NODE, IN(random_record, blocks)},
};

static const table_key block_keys[] = {
    {"n", KEY_NUMBER, IN(tmap_fuzz_block, number), .most = UINT64_MAX / TMAP_FUZZ_BLOCK - 1},
    {"differ", KEY_NUMBER, IN(tmap_fuzz_block, differing_n), .most = TMAP_FUZZ_BLOCK},
    {"inputs", KEY_DIGEST, IN(tmap_fuzz_block, inputs)},
    {"outputs", KEY_DIGEST, IN(tmap_fuzz_block, outputs)},
    {"uncounted", KEY_NUMBER, IN(tmap_fuzz_block, uncounted_n), .most = TMAP_FUZZ_BLOCK, .optional = true},
};

/* ---- Values --------------------------------------------------------------------------------------------------- */

typedef struct copies_reader {
    tmap_recording *recording;
    tmap_report *report;
    tmap_spec *spec;
} copies_reader;

static void refuse(const copies_reader *r, const tmap_node *node, const char *what) {
    char given[TMAP_QUOTED_MAX];
    tmap_report_add(r->report, CAPTURE_FORMAT_RULE, node->mark, "%s is not %s", tmap_node_describe(node, given), what);
}

/* Converts hexadecimal digits to bytes in the recording's memory. Reports an error and returns NULL. */
static const uint8_t *read_hex(const copies_reader *r, const tmap_node *node, uint64_t *size_B) {
    node = tmap_node_value(node);
    bool hex =
        node->kind == TMAP_NODE_SCALAR && node->size % 2 == 0 && strspn(node->text, "0123456789abcdef") == node->size;
    uint8_t *bytes = hex ? tmap_arena_take(&r->recording->arena, node->size / 2) : NULL;
    if (!hex) refuse(r, node, "pairs of hexadecimal digits");
    if (hex && !bytes) r->report->no_memory = true;
    for (size_t i = 0; bytes && i < node->size / 2; i++)
        bytes[i] = (uint8_t)(digit_of(node->text[2 * i]) << 4 | digit_of(node->text[2 * i + 1]));
    *size_B = node->size / 2;
    return bytes;
}

static bool read_signed(const copies_reader *r, const tmap_node *node, int64_t *value) {
    node = tmap_node_value(node);
    if (node->kind == TMAP_NODE_SCALAR && tmap_number_parse_signed(node->text, node->size, value) == TMAP_NUMBER_OK)
        return true;
    refuse(r, node, "an offset");
    return false;
}

static uint32_t read_names(const copies_reader *r, const tmap_node *list, int (*find)(const char *)) {
    uint32_t bits = 0;
    if (!list) return 0;
    list = tmap_node_value(list);
    if (list->kind != TMAP_NODE_LIST) refuse(r, list, "a list of names");
    for (const tmap_node *item = list->kind == TMAP_NODE_LIST ? tmap_node_first(list) : NULL; item; item = item->next) {
        const tmap_node *name = tmap_node_value(item);
        int found = name->kind == TMAP_NODE_SCALAR ? find(name->text) : -1;
        if (found < 0) refuse(r, name, "a known name");
        if (found >= 0) bits |= (uint32_t)1 << found;
    }
    return bits;
}

/* "done", "timeout", or the CUresult of a fault. */
static void read_end(const copies_reader *r, const tmap_node *node, recorded_copy *copy) {
    node = tmap_node_value(node);
    const char *text = node->kind == TMAP_NODE_SCALAR ? node->text : "";
    tmap_integer number;
    copy->parts |= RECORDED_END;
    copy->end = TMAP_JOB_FAULT;
    if (strcmp(text, tmap_job_end_name(TMAP_JOB_DONE)) == 0)
        copy->end = TMAP_JOB_DONE;
    else if (strcmp(text, tmap_job_end_name(TMAP_JOB_TIMEOUT)) == 0)
        copy->end = TMAP_JOB_TIMEOUT;
    else if (tmap_number_parse(text, strlen(text), &number) == TMAP_NUMBER_OK && !number.negative &&
             number.magnitude <= INT32_MAX)
        copy->error = (int)number.magnitude;
    else if (!tmap_cuda_error_find(text, &copy->error))
        refuse(r, node, "an end of a copy: done, timeout, or a CUresult");
}

/* ---- Results -------------------------------------------------------------------------------------------------- */

static recorded_run **read_run(const copies_reader *r, const tmap_node *node, recorded_run **end) {
    run_record record = {0};
    tmap_written_run run = {0};
    size_t errors = r->report->errors;
    uint64_t other_B = 0;
    (void)tmap_record_read(r->report, node, "a run of bytes", KEYS(run_keys), &record);
    if (r->report->errors != errors || !read_signed(r, record.at, &run.offset_B)) return end;
    run.cta = record.cta;
    run.bytes = read_hex(r, record.hex, &run.size_B);
    run.torn = record.other != NULL;
    run.others = run.torn ? read_hex(r, record.other, &other_B) : NULL;
    if (!run.bytes || (run.torn && !run.others)) return end;
    if (run.torn && (run.size_B == 0 || other_B != run.size_B)) {
        refuse(r, record.other, "digits for the same number of bytes as hex, at least one");
        return end;
    }
    recorded_run **next = tmap_recording_keep_run(r->recording, end, &run);
    if (!next) r->report->no_memory = true;
    return next ? next : end;
}

static void read_runs(const copies_reader *r, const tmap_node *list, recorded_copy *copy) {
    recorded_run **end = &copy->runs;
    list = tmap_node_value(list);
    if (list->kind != TMAP_NODE_LIST) {
        refuse(r, list, "a list of runs of bytes");
        return;
    }
    copy->parts |= RECORDED_BYTES;
    for (const tmap_node *item = tmap_node_first(list); item && !r->report->no_memory; item = item->next)
        end = read_run(r, item, end);
}

static void read_input(const copies_reader *r, const result_record *record, uint32_t seen, recorded_copy *copy) {
    copy->seed = record->seed;
    if (seen & (uint32_t)1 << RESULT_INDEX) {
        copy->input = (tmap_input){.kind = TMAP_INPUT_INDEX, .base = record->index};
    } else if (record->input) {
        copy->input.kind = TMAP_INPUT_BYTES;
        copy->input.bytes = read_hex(r, record->input, &copy->input.size_B);
    }
}

static void read_outcome(const copies_reader *r, const result_record *record, uint32_t seen, recorded_copy *copy) {
    if (record->end) read_end(r, record->end, copy);
    if (seen & (uint32_t)1 << RESULT_TX) {
        copy->parts |= RECORDED_TX;
        memcpy(copy->tx_B, record->tx, sizeof copy->tx_B);
    }
    if (seen & (uint32_t)1 << RESULT_DIGEST) {
        copy->parts |= RECORDED_DIGEST;
        memcpy(copy->digest, record->digest, sizeof copy->digest);
    }
    if (record->bytes) read_runs(r, record->bytes, copy);
}

/* The recorded copy for a name. Returns NULL after reporting that the spec has no such copy, or a second result. */
static recorded_copy *named_copy(const copies_reader *r, const tmap_node *node, const char *name) {
    size_t index = r->spec ? tmap_spec_copy_find(r->spec, name) : SIZE_MAX;
    if (index == SIZE_MAX || !tmap_spec_copy_get(r->spec, index).readable) {
        tmap_report_add(r->report, CAPTURE_FORMAT_RULE, node->mark, "the spec of the recording has no copy '%s'", name);
        return NULL;
    }
    if (tmap_recording_find(r->recording, name)) {
        tmap_report_add(r->report, CAPTURE_FORMAT_RULE, node->mark, "the copy '%s' has two results", name);
        return NULL;
    }
    recorded_copy *copy = tmap_arena_take(&r->recording->arena, sizeof *copy);
    if (!copy) {
        r->report->no_memory = true;
        return NULL;
    }
    tmap_spec_copy given = tmap_spec_copy_get(r->spec, index);
    tmap_spec_tensor tensor = tmap_spec_tensor_get(r->spec, given.tensor);
    *copy = (recorded_copy){.map = *tensor.params, .copy = *given.params};
    copy->name = tmap_arena_text(&r->recording->arena, given.name, strlen(given.name));
    copy->tensor = tmap_arena_text(&r->recording->arena, tensor.name, strlen(tensor.name));
    if (!copy->name || !copy->tensor) r->report->no_memory = true;
    return r->report->no_memory ? NULL : copy;
}

static void read_result(const copies_reader *r, const tmap_node *node) {
    result_record record = {{0}};
    size_t errors = r->report->errors;
    uint32_t seen = tmap_record_read(r->report, node, "a result", KEYS(result_keys), &record);
    recorded_copy *copy = r->report->errors == errors ? named_copy(r, node, record.copy) : NULL;
    if (!copy) return;
    read_input(r, &record, seen, copy);
    read_outcome(r, &record, seen, copy);
    copy->tx_n = tmap_list_length(node, "tx");
    if (r->report->errors == errors && !tmap_recorded_put_copy(&r->recording->copies, copy))
        r->report->no_memory = true;
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */

static void read_block(const copies_reader *r, const tmap_node *node) {
    tmap_fuzz_block block = {0};
    size_t errors = r->report->errors;
    (void)tmap_record_read(r->report, node, "a block", KEYS(block_keys), &block);
    if (r->report->errors != errors) return;
    tmap_status status = tmap_recording_add_block(r->recording, &block);
    if (status == TMAP_NO_MEMORY) r->report->no_memory = true;
    if (status == TMAP_BAD_ARGUMENT)
        tmap_report_add(r->report, CAPTURE_FORMAT_RULE, node->mark, "block %llu appears twice",
                        (unsigned long long)block.number);
}

static void read_random(const copies_reader *r, const tmap_node *node) {
    random_record record = {0};
    size_t errors = r->report->errors;
    (void)tmap_record_read(r->report, node, "random", KEYS(random_keys), &record);
    if (r->report->errors != errors) return;
    tmap_fuzz fuzz = {
        .seed = record.seed,
        .modes = read_names(r, record.modes, tmap_mode_find),
        .ops = read_names(r, record.ops, tmap_op_find),
        .archs = r->recording->target,
        .toolkit = r->recording->header.driver_version,
        .breaks_one_in = record.nearly,
        .without_faults = record.no_faults,
    };
    (void)tmap_recording_set_fuzz(r->recording, &fuzz);
    const tmap_node *blocks = tmap_node_value(record.blocks);
    if (blocks->kind != TMAP_NODE_LIST) refuse(r, blocks, "a list of blocks");
    for (const tmap_node *b = blocks->kind == TMAP_NODE_LIST ? tmap_node_first(blocks) : NULL; b; b = b->next)
        read_block(r, b);
}

/* ---- The file ------------------------------------------------------------------------------------------------- */

/* One architecture, or a list of architectures. */
static void read_target(const copies_reader *r, const tmap_node *node) {
    bool list = node->kind == TMAP_NODE_LIST;
    for (const tmap_node *n = list ? tmap_node_first(node) : node; n; n = list ? n->next : NULL) {
        const tmap_node *name = tmap_node_value(n);
        int arch = name->kind == TMAP_NODE_SCALAR ? tmap_arch_find(name->text) : -1;
        if (arch >= 0) r->recording->target |= (tmap_archs)1 << arch;
        if (arch < 0) refuse(r, name, "a target");
    }
}

static void read_results(const copies_reader *r, const tmap_node *results) {
    for (const tmap_node *node = tmap_node_first(results); node && !r->report->no_memory; node = node->next)
        read_result(r, node);
}

static void read_sections(copies_reader *r, const tmap_node *root) {
    capture_sections file = {0};
    if (!tmap_read_sections(r->report, root, true, &file, &r->recording->header)) return;
    if (file.target) read_target(r, file.target);
    if (file.spec) r->spec = tmap_spec_of_node(file.spec, r->recording->allocator, r->report);
    if (file.spec && !r->spec) r->report->no_memory = true;
    if (r->report->errors == 0 && !r->report->no_memory) read_results(r, file.list);
    if (file.random && r->report->errors == 0) read_random(r, file.random);
    r->recording->left_out = file.left_out;
}

const tmap_node *tmap_recording_kind(const tmap_node *root) {
    const tmap_node *kind = root ? tmap_node_find(root, "kind") : NULL;
    return kind ? tmap_node_value(kind) : NULL;
}

bool tmap_recording_build(tmap_tree *tree, const char *text, size_t size, tmap_report *report) {
    static const char fix[] = "a recording of tmap capture, fuzz or verify";
    tmap_tree_build(tree, text, size, report);
    if (report->stopped && tmap_diag_is(&report->stop, "file-empty")) TMAP_SAY(report->stop.fix.words, "%s", fix);
    if (report->errors > 0 || report->no_memory) return false;
    if (tree->root && tmap_node_find(tree->root, "tmap_capture")) return true;
    tmap_diag *diag = tmap_report_add(report, CAPTURE_FORMAT_RULE, tree->root ? tree->root->mark : (tmap_mark){1, 1, 1},
                                      "the file is not a recording: it has no key 'tmap_capture'");
    TMAP_SAY(diag->fix.words, "%s", fix);
    return false;
}

void tmap_refuse_recording_kind(const tmap_node *kind, tmap_report *report) {
    char given[TMAP_QUOTED_MAX];
    tmap_report_add(report, CAPTURE_FORMAT_RULE, kind->mark,
                    "a recording of kind %s; tmap reads the kinds 'descriptors' and 'copies'",
                    tmap_node_describe(kind, given));
}

bool tmap_recording_is(const tmap_node *root) {
    const tmap_node *kind = tmap_recording_kind(root);
    return kind && tmap_node_is(kind, "copies");
}

tmap_recording *tmap_recording_of_node(const tmap_node *root, const tmap_allocator *allocator, tmap_report *report) {
    copies_reader r = {.recording = tmap_recording_make(allocator), .report = report};
    if (!r.recording) {
        report->no_memory = true;
        return NULL;
    }
    read_sections(&r, root);
    tmap_spec_free(r.spec);
    return r.recording;
}

tmap_status tmap_recording_read(const char *text, size_t size, const char *path, const tmap_allocator *allocator,
                                tmap_diags *diags, tmap_recording **out) {
    if (!out || !path || (!text && size > 0)) return TMAP_BAD_ARGUMENT;
    tmap_arena arena = {.allocator = allocator};
    tmap_report report = {.found = {.allocator = allocator}, .path = path};
    tmap_tree tree = {.arena = &arena};
    tmap_recording *recording = NULL;
    bool built = tmap_recording_build(&tree, text, size, &report), copies = built && tmap_recording_is(tree.root);
    const tmap_node *kind = built ? tmap_recording_kind(tree.root) : NULL;
    if (kind && tmap_node_is(kind, "descriptors"))
        tmap_report_add(&report, CAPTURE_FORMAT_RULE, kind->mark, "a recording of descriptors, not of copies");
    else if (kind && !copies)
        tmap_refuse_recording_kind(kind, &report);
    else if (built && !copies)
        tmap_report_add(&report, CAPTURE_FORMAT_RULE, tree.root->mark, "the recording has no key 'kind'");
    if (copies) recording = tmap_recording_of_node(tree.root, allocator, &report);
    tmap_status status = tmap_report_deliver(&report, diags);
    tmap_arena_free(&arena);
    if (status == TMAP_OK)
        *out = recording;
    else
        tmap_recording_free(recording);
    return status;
}
