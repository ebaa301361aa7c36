/* The published dumps of tests/data/import: tmap reads whole dumps, and reports cut and garbled ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "tmap/unstable/import.h"

#define DUMPS_MAX 8

typedef struct imported_file {
    char *text;
    tmap_imported dumps[DUMPS_MAX];
    size_t n, whole_n;
    tmap_diag items[16];
    tmap_diags diags;
} imported_file;

static imported_file import(const char *name) {
    imported_file f = {.n = 0};
    char path[512];
    snprintf(path, sizeof path, TMAP_SOURCE_DIR "/tests/data/import/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    f.text = calloc(1, 65536);
    tmap_import import = {.text = f.text, .size = fread(f.text, 1, 65536, file), .path = name};
    fclose(file);
    f.diags = (tmap_diags){.items = f.items, .capacity = 16, .fixed = true};
    while (f.n < DUMPS_MAX && tmap_import_next(&import, &f.diags, &f.dumps[f.n])) f.whole_n += f.dumps[f.n++].whole;
    f.diags.items = NULL; /* copies are compared by value */
    return f;
}

TEST(reads_cutlass) {
    imported_file f = import("cutlass_947.log");
    const tmap_imported *whole = &f.dumps[1];
    const tmap_map_params *p = &whole->params;
    assert_int_equal(f.n, 3);
    assert_int_equal(f.whole_n, 1);
    assert_false(f.dumps[0].whole || f.dumps[0].usable); /* its beginning is missing */
    assert_string_equal(whole->origin, "CUTLASS");
    assert_int_equal(whole->line, 7);
    assert_true(whole->has_result && whole->result == 1);
    assert_int_equal(p->type, TMAP_TYPE_F16);
    assert_int_equal(p->rank, 3);
    assert_true(p->has_address && p->address == 0);
    assert_true(p->dims_el[0] == 1024 && p->dims_el[1] == 1024 && p->dims_el[2] == 1);
    assert_true(p->strides_B[0] == 2048 && p->strides_B[1] == 2097152);
    assert_true(p->box_el[0] == 64 && p->box_el[1] == 128 && p->box_el[2] == 1);
    assert_int_equal(p->swizzle, TMAP_SWIZZLE_128B);
    assert_false(f.dumps[2].whole); /* the end after the box is missing; the rest can be judged */
    assert_true(f.dumps[2].usable && f.dumps[2].marks[TMAP_FIELD_BOX].line > 0);
    assert_int_equal(f.dumps[2].marks[TMAP_FIELD_SWIZZLE].line, 0);
    assert_int_equal(f.dumps[2].line, 20);
    assert_string_equal(f.items[0].rule, "import-format");
    assert_non_null(strstr(f.items[0].message, "globalDim"));
    assert_non_null(strstr(f.items[1].message, "elementStrides"));
    free(f.text);
}

TEST(reads_both_forms_of_tilelang) {
    imported_file old = import("tilelang.log"), new = import("tilelang_new.log");
    const tmap_map_params *p = &old.dumps[0].params;
    assert_int_equal(old.whole_n, 1);
    assert_int_equal(new.whole_n, 1);
    assert_string_equal(old.dumps[0].origin, "tilelang");
    assert_true(p->dims_el[0] == 512 && p->dims_el[1] == 1024 && p->strides_B[0] == 1024);
    assert_true(p->box_el[0] == 32 && p->box_el[1] == 128 && p->address == 0x7f3a40000000);
    assert_int_equal(p->swizzle, TMAP_SWIZZLE_64B);
    assert_int_equal(p->l2_promotion, TMAP_L2_PROMOTION_128B);
    assert_memory_equal(p, &new.dumps[0].params, sizeof *p);
    assert_int_equal(old.dumps[0].result, 1);
    free(old.text);
    free(new.text);
}

/* Lines of several processes are mixed; tmap does not guess which belong together. */
TEST(garbled_dumps_are_refused) {
    imported_file f = import("recsys_86.log");
    assert_true(f.n >= 1);
    assert_int_equal(f.whole_n, 0);
    assert_true(f.diags.by_severity[TMAP_ERROR] >= 1);
    free(f.text);
}

/* Every prefix of a dump, and a dump without each of its lines: no crash, and never a complete dump. */
TEST(cut_dumps_are_refused) {
    imported_file f = import("tilelang.log");
    const char *last = strstr(f.text, "oobFill        0");
    for (size_t size = 0; size < (size_t)(last - f.text) + 15; size++) {
        tmap_import cursor = {.text = f.text, .size = size, .path = "cut"};
        tmap_imported dump;
        while (tmap_import_next(&cursor, NULL, &dump)) assert_false(dump.whole);
    }
    free(f.text);
}

/* Every message of a library is found in a log, and names a rule that exists. */
TEST(refusals_name_rules) {
    static const char *const texts[][2] = {
#define REFUSAL(origin, text, rule, ...) {text, rule},
#define REMEDY(rule, fix)
#include "import/refusals.def"
#undef REFUSAL
#undef REMEDY
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s\nat cute::SM90_TMA_LOAD", texts[i][0]); /* compute-sanitizer: the function */
        for (char *number = text; (number = strchr(number, '#')) != NULL;) *number = '3';
        tmap_import cursor = {.text = text, .size = strlen(text), .path = "refusal"};
        tmap_imported found;
        assert_true(tmap_import_next(&cursor, NULL, &found));
        assert_string_equal(found.rule, texts[i][1]);
        assert_true(tmap_rule_find(found.rule) >= 0);
        if (found.fix[0] == '\0') fail_msg("%s has no fix", found.rule);
        assert_false(tmap_import_next(&cursor, NULL, &found));
    }
}
