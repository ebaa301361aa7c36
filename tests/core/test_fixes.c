/*
 * Fixes: applies the fix that a finding prints, for every spec that breaks a rule (tests/data/bad/ and the bad examples
 * of `tmap explain`), and tests the grammar of tmap/unstable/fixes.h. tests/core/prop_rules.c tests random maps.
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

/* ---- The grammar ---------------------------------------------------------------------------------------------- */

static size_t edits_of(const char *fix, tmap_edit edits[TMAP_EDITS_MAX]) {
    tmap_diag diag = {.severity = TMAP_ERROR};
    snprintf(diag.fix, sizeof diag.fix, "%s", fix);
    return tmap_fix_edits(&diag, edits);
}

TEST(edits_are_read) {
    static const struct {
        const char *fix, *edits;
    } rows[] = {
        {"box[0]: 64", "0 box[0]=64; "},
        {"box[0] (k): 8 or 16, padded", "0 box[0]=8; 1 box[0]=16; "},
        {"box[0] (k: 8", ""},
        {"box[0]: 8 or 16", "0 box[0]=8; 1 box[0]=16; "},
        {"box[0]: 64, or swizzle: none", "0 box[0]=64; 1 swizzle=none; "},
        {"type: u8 and dims[0]: 2048 and box[0]: 64, as bytes", "0 type=u8; 0 dims[0]=2048; 0 box[0]=64; "},
        {"strides: [8192, 524288], padded", "0 strides=[8192, 524288]; "},
        {"globalStrides[0]: 8192", "0 strides[0]=8192; "},
        {"leave cta_mask out, with one load in each CTA", "0 cta_mask=; "},
        {"dst: cta and leave cta_mask out", "0 dst=cta; 0 cta_mask=; "},
        {"strides[1]: 16, or any multiple of 16: no effect", "0 strides[1]=16; "},
        {"dims[0]: 64 and nothing else", "0 dims[0]=64; "},
        {"dims[0]: 4094 or 4096, or fewer", "0 dims[0]=4094; 1 dims[0]=4096; "},
        {"at[1]: -3", "0 at[1]=-3; "},
        {"encode no map and skip the launch", ""},
        {"a map of type f32 from the host", ""},
        {"dims", ""},
        {"dims:", ""},
        {"dims: ", ""},
        {"strides: [1, 2", ""},
        {"leave it out", ""},
        {"leave dims", ""},
        {"leave cta_mask outside", "0 cta_mask=; "},
        {"box[x]: 1", ""},
        {"box[/]: 1", ""},
        {"box[:]: 1", ""},
        {"box[9]: 1", "0 box[9]=1; "},
        {"box[10]: 1", ""},
        {"box[0: 1", ""},
        {"box[0]: 8 or ", "0 box[0]=8; "},
        {"box[0]: 8 or 16 or 32", "0 box[0]=8; 1 box[0]=16; "},
        {"box[0]: 8 and box[1]: 4 or 2", "0 box[0]=8; 0 box[1]=4; 1 box[1]=2; "},
        {"box[0]: 8, or leave dim out, or dims[0]: 4 and swizzle: none",
         "0 box[0]=8; 1 dim=; 2 dims[0]=4; 2 swizzle=none; "},
        {"cache_hint: {primary: evict_last}, or more", "0 cache_hint={primary: evict_last}; "},
        {"qualifiers: [a, b], or more", "0 qualifiers=[a, b]; "},
        {"qualifiers: [a, b}", ""},
        {"at[0]: 1;2", "0 at[0]=1; "},
        {"_at: 1", ""},
        {"atx: 1", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tmap_edit edits[TMAP_EDITS_MAX];
        char text[512] = "";
        size_t used = 0, n = edits_of(rows[i].fix, edits);
        for (size_t e = 0; e < n; e++) {
            char dim[16] = "";
            if (edits[e].dim >= 0) snprintf(dim, sizeof dim, "[%d]", edits[e].dim);
            used += (size_t)snprintf(text + used, sizeof text - used, "%d %s%s=%s; ", edits[e].alternative,
                                     tmap_field_get(edits[e].field)->name, dim, edits[e].value);
            const char *written = rows[i].fix + edits[e].begin, *end = rows[i].fix + edits[e].end;
            const char *last = edits[e].value[0] ? edits[e].value : "out";
            assert_true(written + strlen(last) <= end && strncmp(end - strlen(last), last, strlen(last)) == 0);
            assert_true(edits[e].dim >= -1);
            assert_true(e == 0 || edits[e].begin >= edits[e - 1].end);
            assert_true(strncmp(written, "box[0]: 64", 10) != 0 || end == written + 10);
        }
        assert_string_equal(text, rows[i].edits);
    }
}

/* A value is shorter than its space, and the list holds TMAP_EDITS_MAX edits. */
TEST(long_fixes_are_cut) {
    tmap_edit edits[TMAP_EDITS_MAX];
    char fix[sizeof((tmap_diag *)0)->fix];
    for (size_t size = sizeof edits[0].value - 2; size < sizeof edits[0].value + 2; size++) {
        snprintf(fix, sizeof fix, "swizzle: %0*d", (int)size, 1);
        size_t n = edits_of(fix, edits);
        assert_int_equal(n, size < sizeof edits[0].value);
        if (n) assert_int_equal(strlen(edits[0].value), size);
    }
    static const char *const joins[] = {" and ", ", or "};
    for (size_t i = 0; i < 2; i++) {
        fix[0] = '\0';
        for (int n = 0; n < TMAP_EDITS_MAX + 2; n++)
            snprintf(fix + strlen(fix), sizeof fix - strlen(fix), "%sdim: %d", n ? joins[i] : "", n % 10);
        assert_int_equal(edits_of(fix, edits), TMAP_EDITS_MAX);
        assert_int_equal(edits[TMAP_EDITS_MAX - 1].alternative, i == 0 ? 0 : TMAP_EDITS_MAX - 1);
    }
    fix[0] = '\0';
    for (int n = 0; n < TMAP_EDITS_MAX; n++)
        snprintf(fix + strlen(fix), sizeof fix - strlen(fix), "%sdim: %d", n ? " and " : "", n % 10);
    snprintf(fix + strlen(fix), sizeof fix - strlen(fix), " or 5");
    assert_int_equal(edits_of(fix, edits), TMAP_EDITS_MAX);
}
