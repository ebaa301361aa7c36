/* Files that are not recordings, recordings that are cut, wrong or too large, and a replay that runs out of memory. */
#define _XOPEN_SOURCE 700 /* setenv */

#include <stdio.h>

#include "capture/case.h"
#include "capture_fixture.h"
#include "sanitized.h"

/* ---- Files that are not valid recordings ------------------------------------------------------------------------ */

static const char head[] = "tmap_capture: 1\nkind: descriptors\nprovenance: {gpu: g, compute_capability: \"9.0\", "
                           "driver_version: 13000, library: l, date: d, generator: t, seed: 1}\n";
#define CASE_ARRAYS "dims: [16, 2], strides: [32], box: [16, 2], element_strides: [1, 1]"
#define CASE_REST   "interleave: none, swizzle: none, l2_promotion: none, oob_fill: zero"

typedef struct bad_file {
    bool headed; /* `head` comes first */
    const char *text;
    int line, column;
    const char *message;
    const char *rule; /* if the rule is not capture-format but a rule of YAML */
} bad_file;

#define REFUSED_CASE(middle)                                                                                           \
    "cases:\n  - {id: a, type: f16, " middle ", result: CUDA_ERROR_INVALID_VALUE}\nleft_out: 0\n"

static const bad_file bad_files[] = {
    {false, "", 1, 1, "the file is empty", "file-empty"},
    {false, "tmap: 1\ntensors: {}\n", 1, 1, "the file is not a recording: it has no key 'tmap_capture'"},
    {false, "- 1\n", 1, 1, "not a recording"},
    {false, "tmap_capture: 2\nkind: descriptors\nprovenance: {}\ncases: []\nleft_out: 0\n", 1, 1, "version 2"},
    {false, "tmap_capture: 1\nkind: songs\nprovenance: {}\ncases: []\nleft_out: 0\n", 2, 7, "kind 'songs'"},
    {false, "tmap_capture: one\nkind: descriptors\nprovenance: {}\ncases: []\nleft_out: 0\n", 1, 15,
     "tmap_capture is 'one', which is not a number"},
    {true, "cases: []\n", 1, 1, "the file lacks left_out: the file is truncated"},
    {true, "cases: {}\nleft_out: 0\n", 4, 8, "cases must be a list"},
    {true, "cases: [1]\nleft_out: 0\n", 4, 9, "a case must be a mapping"},
    {true, "cases: []\nleft_out: 0\ncolour: red\n", 6, 1, "a recording does not have key 'colour' at this place"},
    {true, "cases: []\nleft_out: 0\nleft_out: 0\n", 6, 1, "left_out", "key-duplicate"},
    {true, REFUSED_CASE("rank: 2, " CASE_ARRAYS), 5, 5, "a case lacks interleave"},
    {true, REFUSED_CASE("rank: two, " CASE_ARRAYS ", " CASE_REST), 5, 30, "rank is 'two', which is not a number"},
    {true, REFUSED_CASE("rank: 3, " CASE_ARRAYS ", " CASE_REST), 5, 5, "dims has 2 numbers; rank 3 requires 3"},
    {true,
     REFUSED_CASE(
         "rank: 2, dims: [1, 2, 3, 4, 5, 6], strides: [32], box: [16, 2], element_strides: [1, 1], " CASE_REST),
     5, 39, "dims is a list"},
    {true, REFUSED_CASE("rank: 2, bytes: 00, " CASE_ARRAYS ", " CASE_REST), 5, 40, "descriptor of 256"},
    {true,
     "cases:\n  - {id: a, type: f16, rank: 2, " CASE_ARRAYS ", " CASE_REST ", result: CUDA_SUCCESS}\nleft_out: 0\n", 5,
     5, "a successful case must have bytes"},
    {true, "cases:\n  - {id: a, type: f16, rank: 2, " CASE_ARRAYS ", " CASE_REST ", result: GOOD}\nleft_out: 0\n", 5,
     179, "result is 'GOOD', which is not a CUresult"},
    {true, "cases: [\n", 0, 0, "", "yaml-syntax"},
};

TEST(a_bad_file_is_a_finding_with_its_place) {
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        const bad_file *row = &bad_files[i];
        char text[2048];
        tmap_diags diags = {0};
        (void)snprintf(text, sizeof text, "%s%s", row->headed ? head : "", row->text);
        tmap_status status = tmap_capture_replay(text, strlen(text), "bad.yaml", NULL, NULL, &diags, NULL, NULL);
        if (status != TMAP_REFUSED || diags.count == 0) fail_msg("row %zu: status %d", i, (int)status);
        if (!strstr(diags.items[0].message, row->message))
            fail_msg("row %zu: '%s' does not contain '%s'", i, diags.items[0].message, row->message);
        assert_string_equal(diags.items[0].path, "bad.yaml");
        if (row->line != 0 && (diags.items[0].mark.line != row->line || diags.items[0].mark.column != row->column))
            fail_msg("row %zu: %d:%d, not %d:%d", i, diags.items[0].mark.line, diags.items[0].mark.column, row->line,
                     row->column);
        assert_string_equal(diags.items[0].rule, row->rule ? row->rule : "capture-format");
        tmap_diags_free(&diags);
    }
}

TEST(a_truncated_file_is_refused) {
    run *r = capture(1, 0);
    size_t whole = r->file.size, each_nth = SANITIZED ? 3 : 1;
    /* After the last line's colon, only white space or the number may be cut off. */
    for (size_t size = 0; size < whole - strlen(" 0\n"); size += each_nth * (size < 2000 ? 37 : 5077)) {
        r->file.size = size;
        assert_int_equal(replay(r), TMAP_REFUSED);
    }
}

/*
 * A recording of one case: a changed letter may give another valid recording, but never a crash or a refusal without a
 * finding.
 */
TEST(wrong_letters_never_crash) {
    run *r = capture(1, 5);
    char *first_case = strstr(r->file.data, "\n  - {");
    size_t small = (size_t)(strstr(first_case + 1, "\n  - {") - r->file.data) + 1;
    char tail[] = "left_out: 0\n";
    memcpy(r->file.data + small, tail, sizeof tail - 1);
    r->file.size = small + sizeof tail - 1;
    for (size_t at = 0; at < r->file.size; at++) {
        static const char letters[] = {'\0', '"', '{', ']', '9', '-', ':', '\n', (char)0xff, '*'};
        char right = r->file.data[at];
        r->file.data[at] = letters[at % sizeof letters];
        tmap_diags diags = {0};
        tmap_status status =
            tmap_capture_replay(r->file.data, r->file.size, "wrong.yaml", NULL, NULL, &diags, NULL, NULL);
        assert_true(status == TMAP_OK || (status == TMAP_REFUSED && diags.count > 0));
        tmap_diags_free(&diags);
        r->file.data[at] = right;
    }
}

#define FILE_MAX_B ((size_t)64 << 20) /* docs/capture.md */

TEST(a_file_too_large_is_refused) {
    tmap_diags diags = {0};
    char *text = malloc(FILE_MAX_B + 1);
    assert_non_null(text);
    memset(text, '#', FILE_MAX_B + 1);
    assert_int_equal(tmap_capture_replay(text, FILE_MAX_B + 1, "large.yaml", NULL, NULL, &diags, NULL, NULL),
                     TMAP_REFUSED);
    expect_in(diags.items[0].message, "the file is too large");
    tmap_diags_free(&diags);
    free(text);
}

/* ---- Memory ---- */

typedef struct counted {
    size_t left; /* allocations before one fails */
} counted;

static void *resize_some(void *context, void *block, size_t old_size, size_t new_size) {
    counted *c = context;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return c->left > 0 && c->left-- ? realloc(block, new_size) : NULL;
}

TEST(memory_may_end_at_any_time_in_a_replay) {
    run *r = capture(1, 0);
    tmap_status status = TMAP_NO_MEMORY;
    for (size_t left = 0; status == TMAP_NO_MEMORY && left < 5000; left += left < 20 ? 1 : 50) {
        counted c = {left};
        tmap_allocator allocator = {resize_some, &c};
        status = tmap_capture_replay(r->file.data, r->file.size, "r.yaml", &allocator, 0, NULL, NULL, NULL);
        if (left == 0) assert_int_equal(status, TMAP_NO_MEMORY);
    }
    assert_int_equal(status, TMAP_OK);
}

BEFORE_EACH(reset)
