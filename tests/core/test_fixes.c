/*
 * Fixes: makes the edits of the fix of every spec that breaks a rule (tests/data/bad/ and the bad examples of `tmap
 * explain`), and tests their texts. tests/core/prop_rules.c tests random maps.
 */
#include "cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prop/fixes.h"
#include "tmap/unstable/spec.h"

/* ---- Specs that break rules ----------------------------------------------------------------------------------- */

static void make_fixes(const judged_case *judged, const char *path, uint64_t *made_n) {
    prop_failure failure = {{0}};
    if (!fixes_work(judged, made_n, &failure)) fail_msg("%s: %s", path, failure.text);
}

static void make_fixes_of(const char *text, size_t size, const char *path, uint64_t *made_n) {
    tmap_spec *spec = NULL;
    tmap_spec_read(text, size, path, NULL, NULL, &spec);
    assert_non_null(spec);
    judged_case judged = {.strict = true,
                          .judge = {.archs = tmap_spec_archs(spec), .toolkit = tmap_spec_toolkit(spec)}};
    for (size_t i = 0; i < tmap_spec_tensors_n(spec); i++) {
        tmap_spec_tensor tensor = tmap_spec_tensor_get(spec, i);
        judged.map = *tensor.params;
        if (tensor.readable) make_fixes(&judged, path, made_n);
    }
    judged.has_copy = true;
    for (size_t i = 0; i < tmap_spec_copies_n(spec); i++) {
        tmap_spec_copy copy = tmap_spec_copy_get(spec, i);
        if (!copy.readable) continue;
        judged.map = *tmap_spec_tensor_get(spec, copy.tensor).params;
        judged.copy = *copy.params;
        make_fixes(&judged, path, made_n);
    }
    tmap_spec_free(spec);
}

static char *read_text(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(1 << 20);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

TEST(fixes_of_bad_files_work) {
    uint64_t made_n = 0;
    static const char folder[] = TMAP_SOURCE_DIR "/tests/data/bad";
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (struct dirent *file; (file = readdir(files)) != NULL;) {
        char path[512];
        size_t size;
        if (!strstr(file->d_name, ".yaml")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        char *text = read_text(path, &size);
        make_fixes_of(text, size, path, &made_n);
        free(text);
    }
    closedir(files);
    assert_in_range(made_n, 100, 10000);
}

TEST(fixes_of_examples_work) {
    uint64_t made_n = 0;
    const tmap_rule_info *rule;
    for (int i = 0; (rule = tmap_rule_get(i)) != NULL; i++)
        if (rule->bad) make_fixes_of(rule->bad, strlen(rule->bad), rule->slug, &made_n);
    assert_in_range(made_n, 60, 10000);
}

/* ---- Texts ---------------------------------------------------------------------------------------------------- */

#define EDIT(id, at, number)                                                                                           \
    { .field = TMAP_FIELD_##id, .dim = (at), .value = (uint64_t)(number) }
#define LIST(id, at, number)                                                                                           \
    { .field = TMAP_FIELD_##id, .dim = (at), .value = (uint64_t)(number), .list = true }
#define OR(id, at, number)                                                                                             \
    { .alternative = 1, .field = TMAP_FIELD_##id, .dim = (at), .value = (uint64_t)(number) }
#define OUT(id)                                                                                                        \
    { .field = TMAP_FIELD_##id, .dim = -1, .leave_out = true }

/* Edits, the words after them, and the text of the fix with the names of specs, of the driver (NULL: as in a spec), of
 * C. */
static const struct {
    tmap_edit edits[TMAP_EDITS_MAX];
    int n;
    const char *words, *spec, *driver, *c;
} rows[] = {
    {{EDIT(BOX, 0, 64)}, 1, "", "box[0]: 64", "boxDim[0]: 64", "box_el[0] = 64"},
    {{EDIT(BOX, 0, 64)}, 1, "padded", "box[0]: 64, padded", "boxDim[0]: 64, padded", "box_el[0] = 64, padded"},
    {{EDIT(AT, 1, 4)}, 1, " at most", "at[1]: 4 at most", NULL, "at[1] = 4 at most"},
    {{EDIT(AT, 1, 4)}, 1, "; as bytes", "at[1]: 4; as bytes", NULL, "at[1] = 4; as bytes"},
    {{EDIT(BOX, 0, 8), OR(BOX, 0, 16)}, 2, "", "box[0]: 8 or 16", "boxDim[0]: 8 or 16", "box_el[0] = 8 or 16"},
    {{EDIT(BOX, 0, 8), OR(BOX, 1, 16)},
     2,
     "",
     "box[0]: 8, or box[1]: 16",
     "boxDim[0]: 8, or boxDim[1]: 16",
     "box_el[0] = 8, or box_el[1] = 16"},
    {{EDIT(BOX, 0, 64), OR(SWIZZLE, -1, TMAP_SWIZZLE_128B_ATOM_32B)},
     2,
     "",
     "box[0]: 64, or swizzle: 128B_atom32B",
     "boxDim[0]: 64, or swizzle: 128B_atom32B",
     "box_el[0] = 64, or swizzle = TMAP_SWIZZLE_128B_ATOM_32B"},
    {{EDIT(TYPE, -1, TMAP_TYPE_U8), EDIT(DIMS, 0, 2048)},
     2,
     "",
     "type: u8 and dims[0]: 2048",
     "tensorDataType: u8 and globalDim[0]: 2048",
     "type = TMAP_TYPE_U8 and dims_el[0] = 2048"},
    {{EDIT(BOX, 0, 8), OR(BOX, 0, 16), OR(BOX, 1, 2)},
     3,
     "",
     "box[0]: 8, or box[0]: 16 and box[1]: 2",
     "boxDim[0]: 8, or boxDim[0]: 16 and boxDim[1]: 2",
     "box_el[0] = 8, or box_el[0] = 16 and box_el[1] = 2"},
    {{LIST(STRIDES, 0, 8192), LIST(STRIDES, 1, 65536)},
     2,
     "",
     "strides: [8192, 65536]",
     "globalStrides: [8192, 65536]",
     "strides_B = {8192, 65536}"},
    {{LIST(STRIDES, 0, 8192)}, 1, "", "strides: [8192]", "globalStrides: [8192]", "strides_B = {8192}"},
    {{EDIT(MODE, -1, TMAP_MODE_IM2COL), LIST(LOWER_CORNER, 0, -1), LIST(LOWER_CORNER, 1, 0), LIST(UPPER_CORNER, 0, 1),
      LIST(UPPER_CORNER, 1, 0)},
     5,
     "",
     "mode: im2col, lower_corner: [-1, 0] and upper_corner: [1, 0]",
     "mode: im2col, pixelBoxLowerCorner: [-1, 0] and pixelBoxUpperCorner: [1, 0]",
     "mode = TMAP_MODE_IM2COL, lower_corner = {-1, 0} and upper_corner = {1, 0}"},
    {{EDIT(DST, -1, TMAP_DST_CTA), OUT(CTA_MASK)},
     2,
     "",
     "dst: cta and leave cta_mask out",
     NULL,
     "dst = 0 and cta_mask = 0"},
    {{EDIT(ADDRESS, -1, 0x7f0000001000)},
     1,
     "",
     "address: 0x7f0000001000",
     "globalAddress: 0x7f0000001000",
     "address = 0x7f0000001000"},
    {{EDIT(SHARED, -1, 1024)}, 1, "", "shared: 0x400", NULL, "shared = 0x400"},
    {{EDIT(ALLOCATION, -1, 131072)}, 1, "", "allocation: 131072", NULL, "allocation_B = 131072"},
    {{EDIT(OPS, -1, TMAP_OP_BIT(LOAD) | TMAP_OP_BIT(STORE))}, 1, "", "ops: [load, store]", NULL, "ops = 3"},
    {{LIST(OPS, -1, TMAP_OP_STORE)}, 1, "", "ops: store", NULL, NULL},
    {{EDIT(CACHE_HINT, -1, UINT64_C(0x14f0000000000000))}, 1, "", "cache_hint: evict_last", NULL, NULL},
    {{EDIT(CACHE_HINT, -1, UINT64_C(0x1470000000000000))}, 1, "", "cache_hint: 0x1470000000000000", NULL, NULL},
    {{{.field = TMAP_FIELD_VALUE, .dim = -1, .word = TMAP_REPLACEABLE_TYPE + 1}}, 1, "", "value: u8", NULL, NULL},
    {{{.field = TMAP_FIELD_TYPE, .dim = -1, .value = TMAP_TYPE_U8, .word = 1}}, 1, "", "type: s8", NULL, NULL},
    {{EDIT(VALUE, -1, 3)}, 1, "", "value: 3", NULL, NULL},
    {{{.field = TMAP_EDIT_ARCHS, .dim = -1, .value = TMAP_ARCH_BIT(SM_90A)}}, 1, "", "arch: sm_90a", NULL, NULL},
    {{{.field = TMAP_EDIT_ARCHS, .dim = -1, .value = TMAP_ARCH_BIT(SM_90A) | TMAP_ARCH_BIT(SM_100A)}},
     1,
     "",
     "arch: [sm_90a, sm_100a]",
     NULL,
     NULL},
    {{{0}}, 0, "several maps", "several maps", "several maps", "several maps"},
    {{{0}}, 0, "", "", "", ""},
};

static tmap_diag record_of(size_t row, tmap_naming names) {
    tmap_diag diag = {.severity = TMAP_ERROR, .fix = {.edits_n = rows[row].n}};
    memcpy(diag.fix.edits, rows[row].edits, sizeof diag.fix.edits);
    for (int i = 0; i < rows[row].n; i++) diag.fix.edits[i].names = (uint8_t)names;
    snprintf(diag.fix.words, sizeof diag.fix.words, "%s", rows[row].words);
    return diag;
}

TEST(fixes_are_printed) {
    char text[TMAP_FIX_TEXT_MAX];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *wanted[] = {rows[i].spec, rows[i].driver, rows[i].c};
        for (int names = TMAP_NAMES_SPEC; names <= TMAP_NAMES_C; names++) {
            tmap_diag diag = record_of(i, (tmap_naming)names);
            if (wanted[names]) assert_string_equal(tmap_fix_text(&diag, text, sizeof text), wanted[names]);
        }
    }
}

/* In a file whose lists are outermost first, lists are reversed, and an index is followed by the name of its axis. */
TEST(fixes_have_the_order_of_the_file) {
    static const char *const axes[] = {"k", "m"};
    static const struct {
        tmap_edit edits[2];
        int n;
        const char *spec, *driver;
    } cases[] = {
        {{EDIT(BOX, 1, 64)}, 1, "box[1] (m): 64", "boxDim[1]: 64"},
        {{EDIT(STRIDES, 0, 64)}, 1, "strides[0] (m): 64", "globalStrides[0]: 64"},
        {{EDIT(DIMS, 2, 64)}, 1, "dims[2]: 64", "globalDim[2]: 64"},
        {{EDIT(ROWS, 0, 64)}, 1, "rows[0]: 64", "rows[0]: 64"},
        {{LIST(STRIDES, 0, 8), LIST(STRIDES, 1, 64)}, 2, "strides: [64, 8]", "globalStrides: [8, 64]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TMAP_FIX_TEXT_MAX];
        tmap_diag diag = {.axes = axes, .axes_n = 2, .outer_first = true, .fix = {.edits_n = cases[i].n}};
        memcpy(diag.fix.edits, cases[i].edits, sizeof cases[i].edits);
        assert_string_equal(tmap_fix_text(&diag, text, sizeof text), cases[i].spec);
        for (int e = 0; e < cases[i].n; e++) diag.fix.edits[e].names = TMAP_NAMES_DRIVER;
        assert_string_equal(tmap_fix_text(&diag, text, sizeof text), cases[i].driver);
    }
}

/* A text that does not fit is cut and terminated; size 0 writes nothing. */
TEST(long_texts_are_cut) {
    tmap_diag diag = record_of(1, TMAP_NAMES_SPEC);
    const char *whole = rows[1].spec;
    for (size_t size = 0; size <= strlen(whole) + 1; size++) {
        char text[64];
        memset(text, 'x', sizeof text);
        tmap_fix_text(&diag, text, size);
        assert_int_equal(text[size], 'x');
        if (size == 0) continue;
        assert_int_equal(strlen(text), size - 1);
        assert_memory_equal(text, whole, size - 1);
    }
}
