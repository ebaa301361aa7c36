/* Reading specs: values, orders, places of findings, and inputs that must not crash. */
#include "hash/splitmix.h"
#include "params/fields.h"
#include "sanitized.h"
#include "spec_fixture.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/parts.h"

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static const char inner_text[] = "tmap: 1\n"
                                 "tensors:\n"
                                 "  a:\n"
                                 "    type: e4m3\n"
                                 "    axes: [k, m, b]\n"
                                 "    dims: [0x40, 2^5, 4Ki]\n"
                                 "    strides: [1_024, 65536]\n"
                                 "    box: {b: 1, k: 64, m: 8}\n"
                                 "    element_strides: [1, 2, 1]\n"
                                 "    swizzle: 64B\n"
                                 "    l2_promotion: 256B\n"
                                 "    address: 0x7f0000001000\n"
                                 "copies:\n"
                                 "  c: {tensor: a, op: load, at: [16, -4, 2], shared: 0x400}\n";

static const char outer_text[] = "tmap: 1\n"
                                 "tensors:\n"
                                 "  a:\n"
                                 "    order: outer_first\n"
                                 "    type: CU_TENSOR_MAP_DATA_TYPE_UINT8\n"
                                 "    axes: [b, m, k]\n"
                                 "    dims: [4096, 32, 64]\n"
                                 "    strides: [65536, 1024]\n"
                                 "    boxDim: [64, 8, 1]\n" /* the driver's name: innermost first */
                                 "    element_strides: [1, 2, 1]\n"
                                 "    swizzle: CU_TENSOR_MAP_SWIZZLE_64B\n"
                                 "    l2Promotion: L2_256B\n"
                                 "    globalAddress: 139637976731648\n"
                                 "copies:\n"
                                 "  c: {tensor: a, op: load, at: {k: 16, m: -4, b: 2}, shared: 1Ki}\n";

static tmap_map_params expected_params(void) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_U8, 3);
    static const uint64_t dims[] = {64, 32, 4096}, box[] = {64, 8, 1}, element_strides[] = {1, 2, 1};
    memcpy(params.dims_el, dims, sizeof dims);
    memcpy(params.box_el, box, sizeof box);
    memcpy(params.element_strides, element_strides, sizeof element_strides);
    params.strides_B[0] = 1024, params.strides_B[1] = 65536;
    params.swizzle = TMAP_SWIZZLE_64B;
    params.l2_promotion = TMAP_L2_PROMOTION_256B;
    params.has_address = true, params.address = 0x7f0000001000;
    return params;
}

static void assert_params(const tmap_map_params *found, const tmap_map_params *expected) {
    assert_int_equal(found->type, expected->type);
    assert_int_equal(found->rank, expected->rank);
    assert_int_equal(found->has_address, expected->has_address);
    assert_true(found->address == expected->address);
    assert_memory_equal(found->dims_el, expected->dims_el, expected->rank * sizeof *found->dims_el);
    assert_memory_equal(found->box_el, expected->box_el, expected->rank * sizeof *found->box_el);
    assert_memory_equal(found->strides_B, expected->strides_B, (expected->rank - 1) * sizeof *found->strides_B);
    assert_memory_equal(found->element_strides, expected->element_strides,
                        expected->rank * sizeof *found->element_strides);
    assert_int_equal(found->swizzle, expected->swizzle);
    assert_int_equal(found->interleave, expected->interleave);
    assert_int_equal(found->l2_promotion, expected->l2_promotion);
    assert_int_equal(found->oob_fill, expected->oob_fill);
}

TEST(both_orders_mean_the_same) {
    static const char *const texts[] = {inner_text, outer_text};
    tmap_map_params expected = expected_params();
    for (size_t i = 0; i < COUNT(texts); i++) {
        reading r = read_text(texts[i], strlen(texts[i]));
        assert_int_equal(r.status, TMAP_OK);
        assert_int_equal(r.diags.count, 0);
        tmap_spec_tensor tensor = tmap_spec_tensor_get(r.spec, 0);
        assert_params(tensor.params, &expected);
        assert_string_equal(tensor.axes[0], "k");
        assert_string_equal(tensor.axes[2], "b");
        tmap_spec_copy copy = tmap_spec_copy_get(r.spec, 0);
        assert_int_equal(copy.tensor, 0);
        assert_int_equal(copy.params->at_n, 3);
        assert_int_equal(copy.params->at[0], 16);
        assert_int_equal(copy.params->at[1], -4);
        assert_int_equal(copy.params->at[2], 2);
        assert_int_equal(copy.params->shared, 1024);
        end_reading(&r);
    }
}

TEST(omitted_keys_have_defaults) {
    static const char text[] = "tmap: 1\ntensors:\n  a: {type: f32, dims: [6, 5, 4], box: [4, 1, 1]}\n";
    reading r = read_text(text, strlen(text));
    const tmap_map_params *params = tmap_spec_tensor_get(r.spec, 0).params;
    assert_int_equal(r.status, TMAP_OK);
    assert_int_equal(params->strides_B[0], 24); /* 6 x 4 B */
    assert_int_equal(params->strides_B[1], 120);
    assert_int_equal(params->element_strides[2], 1);
    assert_int_equal(params->swizzle, TMAP_SWIZZLE_NONE);
    assert_false(params->has_address);
    assert_string_equal(tmap_spec_tensor_get(r.spec, 0).axes[0], "x");
    assert_int_equal(tmap_spec_archs(r.spec), 0);
    assert_true(tmap_spec_tensor_find(r.spec, "b") == SIZE_MAX);
    end_reading(&r);
}

#define TENSOR "  a: {type: f16, dims: [64], box: [64]}\n"

/* A coordinate is a signed number of 64 bits (tmap_copy_params). */
TEST(the_least_coordinate) {
    static const char text[] =
        "tmap: 1\ntensors:\n" TENSOR "copies:\n  c: {tensor: a, op: load, at: [-9223372036854775808], shared: 0}\n";
    reading r = read_text(text, strlen(text));
    assert_int_equal(r.status, TMAP_OK);
    assert_true(tmap_spec_copy_get(r.spec, 0).params->at[0] == INT64_MIN);
    end_reading(&r);
}

TEST(rows_and_expectations) {
    static const char text[] =
        "tmap: 1\narch: sm_100a\ntensors:\n  a: {type: f16, dims: [64, 9], box: [64, 1]}\ncopies:\n"
        "  g:\n    tensor: a\n    op: gather4\n    column: 8\n    rows: [2, -1, 3, 2]\n"
        "    shared: 128\n    dst: cluster\n    cta_mask: 0x3\n"
        "    expect: {tx_bytes: 512, filled_bytes: 128, bytes: {0x80: 00fF, 0x90: '7f'}}\n";
    reading r = read_text(text, strlen(text));
    assert_int_equal(r.status, TMAP_OK);
    tmap_spec_copy copy = tmap_spec_copy_get(r.spec, 0);
    static const int64_t rows[] = {2, -1, 3, 2};
    assert_int_equal(copy.params->op, TMAP_OP_GATHER4);
    assert_int_equal(copy.params->column, 8);
    assert_memory_equal(copy.params->rows, rows, sizeof rows);
    assert_int_equal(copy.params->dst, TMAP_DST_CLUSTER);
    assert_int_equal(copy.params->cta_mask, 3);
    assert_true(copy.expect->has_tx_B && copy.expect->has_filled_B && !copy.expect->has_written_B);
    assert_int_equal(copy.expect->filled_B, 128);
    assert_int_equal(copy.expect->bytes_n, 2);
    assert_int_equal(copy.expect->bytes[0].address, 0x80);
    assert_memory_equal(copy.expect->bytes[0].bytes, "\x00\xff", 2);
    assert_int_equal(tmap_spec_archs(r.spec), TMAP_ARCH_BIT(SM_100A));
    end_reading(&r);
}

TEST(every_operation_and_expectation) {
    static const char digest[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for (int op = 0; op < TMAP_OP_COUNT; op++) {
        char text[600];
        bool rows = tmap_op_get(op)->four_rows;
        snprintf(text, sizeof text,
                 "tmap: 1\ntensors:\n  a: {type: u32, dims: [64, 9], box: [8, 1]}\ncopies:\n  c: {tensor: a, op: %s, "
                 "%s, %sexpect: {written_bytes: 7, digest: 'sha256:%s'}}\n",
                 tmap_op_get(op)->name, rows ? "column: 4, rows: [0, 1, 2, 3]" : "at: [4, 1]",
                 tmap_op_moves(tmap_op_get(op)) ? "shared: 0, " : "", digest);
        reading r = read_text(text, strlen(text));
        if (tmap_op_get(op)->on_map) { /* the operation accepts no coordinates */
            end_reading(&r);
            continue;
        }
        if (r.status != TMAP_OK) fail_msg("%s: %s", tmap_op_get(op)->name, r.diags.items[0].message);
        tmap_spec_copy copy = tmap_spec_copy_get(r.spec, 0);
        assert_int_equal(copy.params->op, op);
        assert_int_equal(rows ? copy.params->column : copy.params->at[0], 4);
        assert_int_equal(copy.expect->written_B, 7);
        assert_string_equal(copy.expect->digest, digest);
        assert_null(copy.expect->rule);
        end_reading(&r);
    }
}

/* A copy that is expected to break a rule: the finding is dropped; if the rule does not fire, this is a finding. */
TEST(expected_refusals) {
    static const struct {
        const char *at;
        tmap_status status;
    } cases[] = {{"[4, 0]", TMAP_OK}, {"[8, 0]", TMAP_REFUSED}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "tmap: 1\ntensors:\n  a: {type: f16, dims: [64, 9], box: [8, 1]}\ncopies:\n"
                 "  c: {tensor: a, op: load, at: %s, shared: 0, expect: {rule: copy-inner-align}}\n",
                 cases[i].at);
        reading r = read_text(text, strlen(text));
        assert_int_equal(tmap_spec_check(r.spec, NULL, &r.diags), cases[i].status);
        assert_int_equal(r.diags.count, cases[i].status != TMAP_OK);
        if (r.diags.count) assert_string_equal(r.diags.items[0].rule, "expect-failed");
        end_reading(&r);
    }
}

/* ---- Findings and their places ----------------------------------------------------------------------------------- */

/* Lines and columns counted by hand, columns in code points. */
static const struct {
    const char *text, *rule;
    int line, column;
} findings[] = {
    {NULL, "file-empty", 1, 1},
    {"", "file-empty", 1, 1},
    {"# nothing\n", "file-empty", 1, 1},
    {"tmap: 2\n", "format-version", 1, 7},
    {"tensors:\n" TENSOR, "key-missing", 1, 1},
    {"tmap: 1\ntensors:\n  a: [\n", "yaml-syntax", 4, 1},
    {"tmap: 1\ntensors:\n\ta: 1\n", "yaml-syntax", 3, 1},
    {"tmap: 1\nx: \xff\n", "yaml-utf8", 2, 4},
    {"tmap: 1\n# \xc3\xa9\xc3\xa9\nx: \"\xc3\xa9\" \xff\n", "yaml-utf8", 3, 8},
    {"tmap: 1\ntensor: {}\n", "key-unknown", 2, 1},
    {"tmap: 1\ntensors:\n  \xc3\xa9: {typ: f16, dims: [64], box: [64]}\n", "key-unknown", 3, 7},
    {"tmap: 1\ntensors:\n" TENSOR TENSOR, "key-duplicate", 4, 3},
    {"tmap: 1\ntensors:\n" TENSOR "copies:\n  a: {tensor: a, op: load, at: [0], shared: 0}\n", "name-duplicate", 5, 3},
    {"tmap: 1\ntensors:\n  a: {type: f16, type: f16, dims: [64], box: [64]}\n", "key-duplicate", 3, 18},
    {"tmap: 1\ntensors:\n  a: {type: f17, dims: [64], box: [64]}\n", "value-name", 3, 13},
    {"tmap: 1\ntensors:\n  a: {type: f16, dims: 64, box: [64]}\n", "value-kind", 3, 24},
    {"tmap: 1\ntensors:\n  a: {type: f16, dims: [\"64\"], box: [64]}\n", "value-kind", 3, 25},
    {"tmap: 1\ntensors:\n  a: {type: f16, dims: [2^80], box: [64]}\n", "value-range", 3, 25},
    {"tmap: 1\ntensors:\n  a: {type: f16, dims: [-1], box: [64]}\n", "value-range", 3, 25},
    {"tmap: 1\ntensors:\n" TENSOR "copies:\n  c: {tensor: a, op: load, at: [-9223372036854775809], shared: 0}\n",
     "value-range", 5, 33},
    {"tmap: 1\ntensors:\n  a: {type: f16, dims: [64], box: [64, 1]}\n", "value-count", 3, 35},
    {"tmap: 1\ntensors:\n  a: {type: f16, dims: [64], globalDim: [64], box: [64]}\n", "key-conflict", 3, 30},
    {"tmap: 1\ntensors:\n  a: {type: f16, dims: [64]}\n", "key-missing", 3, 3},
    {"tmap: 1\ntensors:\n  a: {type: f16, dims: &x [*x], box: [64]}\n", "yaml-alias", 3, 28},
    {"tmap: 1\ntensors:\n  a: {type: f16, <<: {swizzle: 64B}, dims: [64], box: [64]}\n", "yaml-merge-key", 3, 18},
    {"tmap: 1\ntensors:\n" TENSOR "copies:\n  c: {tensor: b, op: load, at: [0], shared: 0}\n", "name-unknown", 5, 15},
};

TEST(findings_have_their_places) {
    for (size_t i = 0; i < COUNT(findings); i++) {
        reading r = read_text(findings[i].text, findings[i].text ? strlen(findings[i].text) : 0);
        bool found = false;
        for (size_t d = 0; d < r.diags.count; d++) {
            const tmap_diag *diag = &r.diags.items[d];
            found |= strcmp(diag->rule, findings[i].rule) == 0 && diag->mark.line == findings[i].line &&
                     diag->mark.column == findings[i].column;
        }
        if (!found)
            fail_msg("row %zu: no %s at %d:%d; first: %s at %d:%d", i, findings[i].rule, findings[i].line,
                     findings[i].column, r.diags.count ? r.diags.items[0].rule : "nothing",
                     r.diags.count ? r.diags.items[0].mark.line : 0, r.diags.count ? r.diags.items[0].mark.column : 0);
        if (r.diags.count != 1) fail_msg("row %zu: %zu findings, one mistake", i, r.diags.count);
        assert_int_equal(r.status, TMAP_REFUSED);
        end_reading(&r);
    }
}

/* The rows of the table of operations in docs/spec.md. */
static const struct {
    const char *operation, *key, *others;
} operations[] = {
    {"init: bar", "init", ""},
    {"arrive: bar", "arrive", "stage block expect_tx count scope sem"},
    {"wait: bar", "wait", "stage parity scope sem"},
    {"copy: load_a", "copy", "stage offset at rows column barrier block"},
    {"read: buf", "read", "stage block"},
    {"write: buf", "write", "stage block"},
    {"wgmma: buf", "wgmma", "stage block into"}, /* another finding rejects `into` */
    {"tcgen05_mma: buf", "tcgen05_mma", "stage block cta_group into"},
    {"commit: tcgen05", "commit", "barrier stage block cta_mask"},
    {"wait_group: bulk", "wait_group", "pending"},
    {"fence: acq_rel", "fence", "scope map"}, /* another finding rejects `map` */
    {"replace: a", "replace", ""},
    {"publish: a", "publish", "scope"},
    {"sync: all", "sync", "sem"},
    {"repeat: {k: 1}", "repeat", "steps"},
};

static bool has_word(const char *words, const char *word) {
    size_t size = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += size)
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0')) return true;
    return false;
}

/* Whether a finding reports that the operation has no such key. */
static bool is_refused(const char *operation, const char *key, const char *value) {
    char text[640];
    tmap_spec *spec = NULL;
    tmap_diags diags = {0};
    bool refused = false;
    snprintf(text, sizeof text,
             "tmap: 1\ntensors:\n  a: {type: f16, dims: [512, 512], box: [64, 64]}\nshared:\n"
             "  buf: {size: 8Ki, align: 1024}\n  bar: {arrivals: 1}\n"
             "copies:\n  load_a: {tensor: a, op: load, at: [0, 0], buffer: buf, barrier: bar}\n"
             "sequence:\n  one:\n    - {%s, %s: %s}\n",
             operation, key, value);
    assert_int_equal(tmap_spec_read(text, strlen(text), "p", NULL, NULL, &spec), TMAP_OK);
    (void)!tmap_spec_check(spec, NULL, &diags);
    for (size_t i = 0; i < diags.count; i++)
        refused |= strcmp(diags.items[i].rule, "key-conflict") == 0 && diags.items[i].key &&
                   strcmp(diags.items[i].key, key) == 0 && strstr(diags.items[i].message, "of the operation");
    tmap_diags_free(&diags);
    tmap_spec_free(spec);
    return refused;
}

TEST(steps_have_the_keys_of_their_operation) {
    static const char *const keys[][2] = {
        {"stage", "0"},   {"offset", "0"},          {"block", "0"},  {"cta_group", "1"}, {"cta_mask", "1"},
        {"scope", "cta"}, {"sem", "relaxed"},       {"parity", "0"}, {"expect_tx", "0"}, {"count", "1"},
        {"at", "[0, 0]"}, {"rows", "[0, 0, 0, 0]"}, {"column", "0"}, {"barrier", "bar"}, {"pending", "0"},
        {"map", "a"},     {"into", "buf"},          {"steps", "[]"}, {"elect", "true"},
    };
    if (!tmap_part_get(TMAP_PART_KERNEL)->built) skip();
    for (size_t i = 0; i < COUNT(operations); i++)
        for (size_t k = 0; k < COUNT(keys); k++) {
            bool known = has_word(operations[i].others, keys[k][0]) || strcmp(keys[k][0], "elect") == 0;
            if (is_refused(operations[i].operation, keys[k][0], keys[k][1]) == known)
                fail_msg("%s with %s is %s", operations[i].key, keys[k][0], known ? "refused" : "not refused");
        }
}

TEST(findings_before_a_syntax_error_are_kept) {
    static const char text[] =
        "tmap: 1\ntensors:\n  a: {typ: f16, dims: [64], box: [64]}\n  b: {type: f16, dims: [64\n";
    reading r = read_text(text, strlen(text));
    assert_true(r.diags.count >= 2);
    assert_string_equal(r.diags.items[0].rule, "key-unknown");
    assert_string_equal(r.diags.items[r.diags.count - 1].rule, "yaml-syntax");
    end_reading(&r);
}

TEST(suggestions_are_made) {
    static const char text[] = "tmap: 1\ntensors:\n  a: {type: f16, dims: [64], box: [64], swizle: 128B}\n";
    reading r = read_text(text, strlen(text));
    assert_int_equal(r.diags.count, 1);
    assert_non_null(strstr(r.diags.items[0].message, "did you mean 'swizzle'?"));
    end_reading(&r);
}

TEST(rules_point_into_the_file) {
    static const char text[] = "tmap: 1\ntensors:\n  a:\n    type: f16\n    dims: [4096, 64]\n    box: [128, 8]\n"
                               "    swizzle: 128B\n";
    reading r = read_text(text, strlen(text));
    assert_int_equal(tmap_spec_check(r.spec, NULL, &r.diags), TMAP_REFUSED);
    assert_int_equal(r.diags.count, 1);
    const tmap_diag *diag = &r.diags.items[0];
    assert_string_equal(diag->rule, "box-inner-span");
    assert_string_equal(diag->path, "test.yaml");
    assert_string_equal(diag->subject, "a");
    assert_int_equal(diag->mark.line, 6);
    assert_int_equal(diag->mark.column, 11);
    assert_int_equal(diag->mark.length, 3);
    assert_int_equal(diag->notes[0].mark.line, 7);
    assert_int_equal(diag->notes[0].mark.column, 14);
    end_reading(&r);
}

/* A copy through a tensor that cannot be read is not judged: one mistake, one finding. */
TEST(copies_of_an_unread_tensor_are_not_judged) {
    static const char text[] = "tmap: 1\ntensors:\n  a: {type: f17, dims: [64], box: [64]}\ncopies:\n"
                               "  c: {tensor: a, op: load, at: [1, 2, 3], shared: 5}\n";
    reading r = read_text(text, strlen(text));
    tmap_spec_check(r.spec, NULL, &r.diags);
    assert_int_equal(r.diags.count, 1);
    assert_string_equal(r.diags.items[0].rule, "value-name");
    end_reading(&r);
}

/* ---- Inputs that must not crash the reader ----------------------------------------------------------------------- */

static void assert_refused_by(const char *text, size_t size, const char *rule) {
    reading r = read_text(text, size);
    assert_int_equal(r.status, TMAP_REFUSED);
    assert_true(r.diags.count > 0);
    assert_string_equal(r.diags.items[r.diags.count - 1].rule, rule);
    end_reading(&r);
}

TEST(bombs_are_bounded) {
    size_t size = 200000;
    char *brackets = malloc(size);
    assert_non_null(brackets);
    memset(brackets, '[', size);
    assert_refused_by(brackets, size, "yaml-depth");
    free(brackets);
    tmap_text laughs = {0};
    tmap_sink sink = tmap_text_sink(&laughs);
    tmap_puts(&sink, "tmap: 1\nlayouts:\n  l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 30; i++) {
        tmap_printf(&sink, "  l%d: &l%d [", i, i);
        for (int j = 0; j < 10; j++) tmap_printf(&sink, "%s*l%d", j ? ", " : "", i - 1);
        tmap_puts(&sink, "]\n");
    }
    assert_refused_by(laughs.data, laughs.size, "yaml-alias");
    tmap_text_free(&laughs);
    assert_refused_by("tm\0ap: 1\n", 9, "file-binary");
    size_t too_large = ((size_t)64 << 20) + 1;
    char *zeros = calloc(too_large, 1);
    assert_non_null(zeros);
    assert_refused_by(zeros, too_large, "file-too-large");
    free(zeros);
}

TEST(ten_thousand_tensors) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_puts(&sink, "tmap: 1\ntensors:\n");
    for (int i = 0; i < 10000; i++) tmap_printf(&sink, "  t%d: {type: u8, dims: [%d], box: [16]}\n", i, i + 1);
    reading r = read_text(text.data, text.size);
    assert_int_equal(r.status, TMAP_OK);
    assert_int_equal(tmap_spec_tensors_n(r.spec), 10000);
    assert_int_equal(tmap_spec_tensor_find(r.spec, "t9999"), 9999);
    assert_int_equal(tmap_spec_tensor_get(r.spec, 4711).params->dims_el[0], 4712);
    end_reading(&r);
    tmap_text_free(&text);
}

TEST(many_buffers) {
    for (int n = 1024; n <= 1025; n++) {
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_puts(&sink, "tmap: 1\nshared:\n");
        /* The stages of all buffers alternate, and no two have a byte in common. */
        for (int i = 0; i < n; i++)
            tmap_printf(&sink, "  b%d: {size: 1, align: 1, at: %d, stages: %d, pitch: 2Ki}\n", i, 1024 + i,
                        SANITIZED ? 16 : 256);
        if (n > 1024) {
            assert_refused_by(text.data, text.size, "value-range");
        } else {
            reading r = read_text(text.data, text.size);
            assert_int_equal(r.status, TMAP_OK);
            assert_int_equal(tmap_spec_check(r.spec, NULL, &r.diags), TMAP_OK);
            end_reading(&r);
        }
        tmap_text_free(&text);
    }
}

/* Sizes, addresses, stages and pitches of two buffers: whether two stages have a byte in common, by brute force. */
static bool bytes_in_common(uint64_t numbers[2][4]) {
    bool taken[256] = {false}, common = false;
    for (int b = 0; b < 2; b++)
        for (uint64_t stage = 0; stage < numbers[b][2]; stage++)
            for (uint64_t byte = 0; byte < numbers[b][0]; byte++) {
                bool *at = &taken[numbers[b][1] + stage * numbers[b][3] + byte];
                common |= b == 1 && *at;
                *at |= b == 0;
            }
    return common;
}

TEST(overlaps_are_found) {
    uint64_t seed = 1;
    int common_n = 0;
    for (int round = 0; round < 3000; round++) {
        uint64_t numbers[2][4];
        char text[256];
        for (int b = 0; b < 2; b++) {
            uint64_t random = tmap_splitmix64(seed++), size = 1 + random % 6;
            numbers[b][0] = size, numbers[b][1] = random >> 8 & 63, numbers[b][2] = 1 + (random >> 16) % 6;
            numbers[b][3] = size + (random >> 24) % 12;
        }
        int size = snprintf(text, sizeof text, "tmap: 1\nshared:\n");
        for (int b = 0; b < 2; b++)
            size += snprintf(text + size, sizeof text - (size_t)size,
                             "  b%d: {align: 1, size: %d, at: %d, stages: %d, pitch: %d}\n", b, (int)numbers[b][0],
                             1024 + (int)numbers[b][1], (int)numbers[b][2], (int)numbers[b][3]);
        reading r = read_text(text, (size_t)size);
        assert_int_equal(r.status, TMAP_OK);
        tmap_status status = tmap_spec_check(r.spec, NULL, &r.diags);
        bool common = bytes_in_common(numbers);
        if ((status == TMAP_REFUSED) != common) fail_msg("%s", text);
        if (common) assert_string_equal(r.diags.items[0].rule, "shared-overlap");
        common_n += common;
        end_reading(&r);
    }
    assert_in_range(common_n, 500, 2500);
}

/* Reads and checks with more and more memory until both succeed. */
static void with_scarce_memory(const char *text) {
    bool enough = false;
    long n = 0;
    for (; !enough; n++) {
        scarce memory;
        scarce_begin(&memory, n);
        tmap_diags diags = {.allocator = &memory.allocator};
        tmap_spec *spec = NULL;
        tmap_status status = tmap_spec_read(text, strlen(text), "t.yaml", &memory.allocator, &diags, &spec);
        if (status != TMAP_NO_MEMORY) status = tmap_spec_check(spec, NULL, &diags);
        enough = memory.left >= 0;
        if (enough) assert_int_not_equal(status, TMAP_NO_MEMORY);
        tmap_spec_free(spec);
        tmap_diags_free(&diags);
        assert_int_equal(memory.blocks, 0);
        assert_true(n < 2000);
    }
    assert_true(n > 1);
}

TEST(memory_may_run_out_anywhere) {
    with_scarce_memory(outer_text);
    with_scarce_memory("tmap: 1\ncolour: 1\ntensors:\n  a: &a {type: f16, type: f16, dims: [64], box: [300]}\n  b: *a\n"
                       "  d: {type: f16, dims: [64, 9], box: [8, 1]}\ncopies:\n"
                       "  c: {tensor: d, op: load, at: [8, 0], shared: 0, expect: {bytes: {0: 00ff, 0x10: 01}}}\n"
                       "  e: {tensor: d, op: load, at: [4, 0], shared: 7}\n");
    with_scarce_memory("tmap: 1\ntensors: [\n");
}

TEST(mutations_never_crash) {
    size_t size;
    char *text = file_text(TMAP_SOURCE_DIR "/specs/quickstart.yaml", &size), *mutant = malloc(size);
    assert_non_null(mutant);
    uint64_t seed = 1, readable = 0;
    for (int i = 0; i < (SANITIZED ? 5000 : 20000); i++) {
        memcpy(mutant, text, size);
        for (int j = 0; j < 1 + i % 5; j++) {
            uint64_t x = tmap_splitmix64(seed++);
            mutant[x % size] = x >> 60 ? "[]{}:,&*\n \"'#-09<|>!\t"[(x >> 32) % 22] : (char)(x >> 40);
        }
        reading r = read_text(mutant, size - (i % 7 == 0 ? tmap_splitmix64(seed++) % size : 0));
        if (r.spec) tmap_spec_check(r.spec, NULL, &r.diags);
        readable += r.status == TMAP_OK;
        end_reading(&r);
    }
    assert_true(readable > 0);
    free(mutant);
    free(text);
}

static const tmap_spec_key *find_key(const char *section, const char *name) {
    const tmap_spec_key *key;
    for (int i = 0; (key = tmap_spec_key_get(i)) != NULL; i++)
        if (strcmp(key->section, section) == 0 && strcmp(key->name, name) == 0) return key;
    return NULL;
}

/* Every field is a key of tensors or copies under its own name. The driver's name is its alias, if it differs. */
TEST(fields_are_keys) {
    const tmap_field_info *field;
    for (int i = 0; (field = tmap_field_get(i)) != NULL; i++) {
        bool of_copy = tmap_field_is_of_copy((tmap_field)i);
        const tmap_spec_key *key = find_key(of_copy ? "copy" : "tensor", field->name);
        const char *alias = field->cu_name && strcmp(field->cu_name, field->name) != 0 ? field->cu_name : NULL;
        assert_non_null(key);
        assert_true(alias ? key->alias && strcmp(key->alias, alias) == 0 : !key->alias);
    }
}
