/* Pictures of layouts: the text and colour of each cell against the layout's places; shapes, legends, refusals. */
#include "layout_fixture.h"

#include <stdlib.h>

#include "text/print.h"
#include "text_fixture.h"
#include "tmap/unstable/layout_swizzle.h"
#include "tmap/unstable/picture.h"

/* The caller frees the result. */
static char *drawn(bool svg, const char *text, const tmap_picture *picture) {
    tmap_layout layout = layout_of(text);
    tmap_text out = {0};
    tmap_sink sink = tmap_text_sink(&out);
    tmap_diag error;
    tmap_status status = (svg ? tmap_picture_svg : tmap_picture_text)(&sink, &layout, picture, &error);
    if (status != TMAP_OK) fail_msg("%s: %s", text, error.message);
    return out.data;
}

static void expect_drawn(const char *text, const tmap_picture *picture, const char *expected) {
    char *out = drawn(false, text, picture);
    assert_string_equal(out, expected);
    free(out);
}

/* ---- Text ---- */

TEST(cells_show_the_places_of_elements) {
    expect_drawn("S[(2,2):(2@laneid,1)]", &(tmap_picture){.title = "two lanes"},
                 "two lanes\na cell shows laneid: m\n\n"
                 "      0     1\n"
                 "0  0: 0  0: 1\n"
                 "1  2: 0  2: 1\n");
    expect_drawn("S[(2,2):(2@laneid,1)]", &(tmap_picture){.rank = 2, .shape = {1, 4}},
                 "a cell shows laneid: m\n\n"
                 "      0     1     2     3\n"
                 "0  0: 0  0: 1  2: 0  2: 1\n");
    expect_drawn("S[(2,2):(1@TLane,1@TCol)]", &(tmap_picture){.rank = 2, .shape = {2, 2}},
                 "a cell shows TLane,TCol\n\n"
                 "     0    1\n"
                 "0  0,0  0,1\n"
                 "1  1,0  1,1\n");
}

/* ---- Ways ---- */

static void expect_way(const char *text, const int64_t *index, const tmap_picture *picture, const char *expected) {
    tmap_result *result;
    tmap_diag error;
    tmap_text out = {0};
    tmap_sink sink = tmap_text_sink(&out);
    assert_int_equal(tmap_evaluate(text, strlen(text), NULL, NULL, &result, &error), TMAP_OK);
    assert_int_equal(tmap_picture_way(&sink, tmap_result_value(result), picture, index, &error), TMAP_OK);
    assert_string_equal(out.data, expected);
    tmap_text_free(&out);
    tmap_result_free(result);
}

/*
 * TIRx, "Tensor Layout": element (3, 5) of the tile is in lane 14, register 1, of warps 5 and 9. The 128B swizzle of
 * f16: elements 8 to 15 of row 3 are stored where elements 16 to 23 would be without a swizzle.
 */
TEST(every_step_is_printed) {
    expect_way("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid", (int64_t[]){3, 5},
               &(tmap_picture){.rank = 2, .shape = {8, 16}},
               "element 3, 5\n"
               "  iters    53 = (3, 0, 2, 1) of (8, 2, 4, 2)\n"
               "  terms    3 x 4@laneid, 0 x 1@warpid, 2 x 1@laneid, 1 x 1@m\n"
               "  offset   warpid 5\n"
               "  copies   2: 0 to 1 x 4@warpid\n"
               "  place    laneid 14, warpid 5, m 1\n"
               "  place    laneid 14, warpid 9, m 1\n");
    expect_way("swizzle(f16,128B) o S[(8,64):(64,1)]", (int64_t[]){3, 9}, &(tmap_picture){.bits = 16},
               "element 3, 9\n"
               "  iters    201 = (3, 9) of (8, 64)\n"
               "  terms    3 x 64@m, 9 x 1@m\n"
               "  before   m 201\n"
               "  XOR      24: bits 5 4 3 ^= 8 7 6\n"
               "  place    m 209\n"
               "  memory   byte 418 with elements of 16 bits: line 3, bank 8, byte 34 of the line\n");
    expect_way("spatial(2,3,4)", (int64_t[]){1, 2, 3}, &(tmap_picture){.rank = 0},
               "element 1, 2, 3\n"
               "  modes    [1, 2, 3] of [2, 3, 4]\n"
               "  spatial  modes [0, 1, 2]: [1, 2, 3] of [2, 3, 4]\n"
               "  thread   (1 x 3 + 2) x 4 + 3 = 23\n"
               "  local    none\n"
               "  register 0\n");
}

TEST(steps_of_missing_elements_are_refused) {
    static const char *const texts[] = {"S[(4,4):(4,1)]", "spatial(4,4)", "5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tmap_result *result;
        tmap_text out = {0};
        tmap_sink sink = tmap_text_sink(&out);
        assert_int_equal(tmap_evaluate(texts[i], strlen(texts[i]), NULL, NULL, &result, NULL), TMAP_OK);
        assert_int_equal(
            tmap_picture_way(&sink, tmap_result_value(result), &(tmap_picture){.bits = 16}, (int64_t[]){1, 4}, NULL),
            TMAP_REFUSED);
        assert_int_equal(out.size, 0);
        tmap_text_free(&out);
        tmap_result_free(result);
    }
}

TEST(copies_are_listed_or_counted) {
    expect_drawn("S[2:1@tx] + R[3:4@tx]", &(tmap_picture){.rank = 0},
                 "a cell shows tx; 3 copies\n\n"
                 "           0          1\n"
                 "0  [0, 4, 8]  [1, 5, 9]\n");
    expect_drawn("S[2:1@tx] + R[5:4@tx]", &(tmap_picture){.rank = 0},
                 "a cell shows tx; 5 copies\n\n"
                 "      0     1\n"
                 "0  0 x5  1 x5\n");
}

TEST(outer_dimensions_are_tables) {
    expect_drawn("S[12:1]", &(tmap_picture){.rank = 4, .shape = {2, 3, 1, 2}},
                 "a cell shows m\n"
                 "\n0,0,*,*:\n    0   1\n0   0   1\n"
                 "\n0,1,*,*:\n    0   1\n0   2   3\n"
                 "\n0,2,*,*:\n    0   1\n0   4   5\n"
                 "\n1,0,*,*:\n    0   1\n0   6   7\n"
                 "\n1,1,*,*:\n    0   1\n0   8   9\n"
                 "\n1,2,*,*:\n    0   1\n0  10  11\n");
}

TEST(shapes_are_chosen) {
    static const struct {
        const char *layout;
        int rows;
    } rows[] = {{"S[(8,64):(64,1)]", 8}, {"S[512:1]", 8}, {"S[(8,2,4,2):(16,8,2,1)]", 8}, {"S[1:1]", 1},
                {"S[(2,96):(96,1)]", 4}, {"S[97:1]", 97}, {"S[(8,4,2):(8,2,1)]", 8},      {"S[(2,16):(16,1)]", 2},
                {"S[(3,64):(64,1)]", 3}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = drawn(false, rows[i].layout, &(tmap_picture){.rows_n = 97});
        assert_int_equal(occurrences(text, "\n"), rows[i].rows + 3);
        free(text);
    }
}

/* ---- Colours ---- */

/* The first eight hues are Paul Tol's "light"; hues of owners are compared only with each other. */
static const uint8_t hues[] = {110, 216, 222, 218, 153, 115, 149, 179};

/* Finds the next cell after the legend, in the order of the text: element 0, 1, … */
static const char *next_color(const char *at, int *hue) {
    at = strstr(at, "\033[48;5;");
    assert_non_null(at);
    int color = atoi(at + 7);
    for (*hue = 0; *hue < 8 && hues[*hue] != color; ++*hue) continue;
    assert_true(*hue < 8);
    return at + 1;
}

static void expect_hues(const char *layout, const tmap_picture *picture, int n, int (*expected)(int element)) {
    tmap_picture colored = *picture;
    colored.color = true;
    colored.rows_n = 16384;
    char *text = drawn(false, layout, &colored);
    const char *at = strstr(text, "\n\n");
    for (int e = 0; e < n; e++) {
        int hue;
        at = next_color(at, &hue);
        if (hue != expected(e)) fail_msg("%s: element %d has colour %d", layout, e, hue);
    }
    assert_null(strstr(at, "\033[48;5;"));
    free(text);
}

static int by_lane(int e) {
    return e / 2 % 32 / 4;
}
/* f16 rows of 64 elements, 128 bytes: unit j / 8 of row i is XORed with i. */
static int by_bank(int e) {
    return e % 64 / 8 ^ e / 64;
}
static int by_line(int e) {
    return e / 64;
}
TEST(colors_are) {
    static const char swizzled[] = "swizzle(3,3,3) o S[(8,64):(64,1)]";
    expect_hues("S[(64,2):(1@tx,1)]", &(tmap_picture){.color_by = TMAP_PICTURE_LANE}, 128, by_lane);
    expect_hues(swizzled, &(tmap_picture){.bits = 16}, 512, by_bank);
    expect_hues(swizzled, &(tmap_picture){.bits = 16, .color_by = TMAP_PICTURE_LINE}, 512, by_line);
}

enum { CELLS_MAX = 1024 };

/* Reads the colour of each element from a text picture; returns the number of elements. */
static int colors_of(const char *layout, const tmap_picture *picture, int colors[CELLS_MAX]) {
    tmap_picture colored = *picture;
    colored.color = true;
    colored.rows_n = 16384;
    char *text = drawn(false, layout, &colored);
    int n = 0;
    for (const char *at = strstr(text, "\n\n"); (at = strstr(at, "\033[48;5;")) != NULL && n < CELLS_MAX; n++)
        colors[n] = atoi(at += 7);
    free(text);
    return n;
}

/* Owners of element `e`, by hand. */
static int pairs(int e) {
    return e / 2;
}
static int partition(int e) {
    return e / 4;
}
static int element(int e) {
    return e;
}
/* laneid 4 i + j / 2 % 4, then warpid. */
static int lane_and_warp(int e) {
    return (4 * (e / 16) + e / 2 % 4) * 2 + e / 8 % 2;
}

TEST(owners_have_different_colors) {
    static const struct {
        const char *layout;
        tmap_picture picture;
        int columns;
        int (*owner)(int element);
        bool all; /* no more owners than hues: each owner has its own hue */
    } rows[] = {
        {"S[8:4@laneid]", {.rank = 2, .shape = {2, 4}}, 4, element, true},
        {"S[(2,4):(1@P,1@F)]", {.rank = 2, .shape = {2, 4}}, 4, partition, true},
        {"S[(2,4):(-3@P,1@F)]", {.rank = 2, .shape = {2, 4}}, 4, partition, true},
        {"S[(8,4,2):(4@laneid,1@laneid,1)]", {.rank = 2, .shape = {8, 8}}, 8, pairs, true},
        {"S[(32,2):(8@tx,1)]", {.rank = 2, .shape = {4, 16}}, 16, pairs, true},
        {"S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid",
         {.rank = 2, .shape = {8, 16}},
         16,
         lane_and_warp,
         false},
        {"S[(32,32):(32@tx,1@tx)]", {.rank = 2, .shape = {32, 32}}, 32, element, false},
        {"S[(33,2):(1@tx,1)]", {.rank = 2, .shape = {1, 66}}, 66, pairs, false},
        {"S[(16,64):(64@tx,1@tx)]", {.rank = 2, .shape = {16, 64}}, 64, element, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int colors[CELLS_MAX], n = colors_of(rows[i].layout, &rows[i].picture, colors);
        assert_int_equal(n, rows[i].picture.shape[0] * rows[i].picture.shape[1]);
        for (int a = 0; a < n; a++)
            for (int b = a + 1; b < n; b++) {
                bool beside = b == a + rows[i].columns || (b == a + 1 && b % rows[i].columns != 0);
                bool same = rows[i].owner(a) == rows[i].owner(b), alike = colors[a] == colors[b];
                if (same && !alike) fail_msg("%s: %d and %d have one owner, two colours", rows[i].layout, a, b);
                if (!same && alike && (beside || rows[i].all))
                    fail_msg("%s: %d and %d have two owners, one colour", rows[i].layout, a, b);
            }
    }
}

TEST(owners_are_named_next_to_their_color) {
    char *svg = drawn(true, "S[8:4@laneid]", &(tmap_picture){.rank = 0});
    assert_int_equal(occurrences(svg, ">28</text>"), 2); /* in its cell, in the legend */
    assert_non_null(strstr(svg, ">colour: laneid</text>"));
    assert_int_equal(occurrences(svg, ".h8{"), 0);
    free(svg);
    svg = drawn(true, "S[33:1@laneid]", &(tmap_picture){.rank = 0});
    assert_non_null(strstr(svg, ">colour: laneid; 33 of them share 32 colours</text>"));
    assert_int_equal(occurrences(svg, ">28</text>"), 2); /* in its cell, above its column */
    assert_int_equal(occurrences(svg, ".h31{fill:#"), 1);
    free(svg);
}

/* ---- Memory ---- */

/* The swizzle puts unit (c / 8) ^ r of the row into unit c / 8 of line r. */
TEST(lines_show_their_contents) {
    tmap_text expected = {0};
    tmap_sink sink = tmap_text_sink(&expected);
    tmap_puts(&sink, "a cell shows the index of its element of 16 bits; rows are 128-byte lines, columns banks\n\n ");
    for (int c = 0; c < 64; c++) tmap_printf(&sink, "  %4d", c / 2);
    tmap_puts(&sink, "\n");
    for (int r = 0; r < 8; r++) {
        tmap_printf(&sink, "%d", r);
        for (int c = 0; c < 64; c++) {
            char index[16];
            snprintf(index, sizeof index, "%d,%d", r, ((c / 8) ^ r) * 8 + c % 8);
            tmap_printf(&sink, "  %4s", index);
        }
        tmap_puts(&sink, "\n");
    }
    expect_drawn("swizzle(3,3,3) o S[(8,64):(64,1)]", &(tmap_picture){.bits = 16, .memory = true}, expected.data);
    tmap_text_free(&expected);
}

TEST(gaps_are_shown) {
    char *text = drawn(false, "S[(2,3):(32,8)]", &(tmap_picture){.memory = true, .rank = 2, .shape = {2, 3}});
    assert_int_equal(occurrences(text, " --"), 2 * 29);
    assert_int_equal(occurrences(text, "1,2"), 1);
    free(text);
    text = drawn(true, "S[(2,3):(32,8)]", &(tmap_picture){.memory = true, .rank = 2, .shape = {2, 3}});
    assert_int_equal(occurrences(text, "class=\"none\""), 2 * 29);
    free(text);
}

/* ---- Folds ---- */

/* PTX ISA, figure of the wgmma fragment D: warp w has rows 16 w to 16 w + 15, in the same order. */
TEST(rows_that_repeat_are_folded) {
    static const char d[] =
        "S[(4,2,8,4,4,2):(32@tx,2,4@tx,4,1@tx,1)]"; /* m64n32: row 16 w + 8 h + i, column 8 j + 2 t + b */
    tmap_picture picture = {.rank = 2, .shape = {64, 32}};
    char *text = drawn(false, d, &picture), *svg = drawn(true, d, &picture);
    expect_in(text, "\n15  ");
    expect_in(text, "\n... rows 16-47: 2 x the 16 rows above, with tx + 32 each time\n48  ");
    expect_in(svg, ">rows 16-47: 2 x the 16 rows above, with tx + 32 each time</text>");
    assert_int_equal(occurrences(text, "\n"), 3 + 32 + 1);
    assert_int_equal(occurrences(svg, "height=\"26\"/>"), 32 * 32);
    free(text), free(svg);
    picture.first_row = 20, picture.rows_n = 2;
    text = drawn(false, d, &picture);
    expect_in(text, "\n20  ");
    assert_int_equal(occurrences(text, "\n"), 3 + 2);
    free(text);
}

/* The number of copies is between the owner and the address; listed copies have one number each. The colours of banks
 * repeat after eight rows of 8 elements of 16 bits. */
TEST(folds_are_named_and_have_equal_colors) {
    static const char *const rows[][2] = {
        {"S[(64,8):(8,1)] + R[8:1@laneid]", "x the 4 rows above, with m + 32 each time"},
        {"S[(64,8):(8,1)] + R[2:1@laneid]", "x the 4 rows above, with m + 32 each time"},
        {"S[(64,8):(2@tx,1)] + R[2:1@tx]", "x the 4 rows above, with tx + 8 each time"},
        {"S[(64,8):(-8,1)] + R[2:64@wgid]", "x the 4 rows above, with m - 32 each time"},
        {"S[(64,8):(8,1)]", "... rows 8-55: 6 x the 8 rows above, with m + 64 each time"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = drawn(false, rows[i][0], &(tmap_picture){.bits = 16, .rank = 2, .shape = {64, 8}});
        expect_in(text, rows[i][1]);
        free(text);
    }
}

/* ---- SVG ---- */

TEST(svg_has_a_cell_for_every_element) {
    char *svg = drawn(true, "S[(8,4,2):(4@laneid,1@laneid,1)]",
                      &(tmap_picture){.title = "a<b>", .rank = 2, .shape = {8, 8}, .color_by = TMAP_PICTURE_LANE});
    assert_int_equal(occurrences(svg, "height=\"26\"/>"), 64);
    assert_int_equal(occurrences(svg, "class=\"cell\""), 64 + 8);
    assert_int_equal(occurrences(svg, "<rect class=\"h0\""), 8 + 1);
    assert_int_equal(occurrences(svg, ">31: 1</text>"), 1);
    assert_int_equal(occurrences(svg, ">28-31</text>"), 1);
    assert_non_null(strstr(svg, "<title>a&lt;b&gt;</title>"));
    assert_non_null(strstr(svg, "colour: lanes of the warp"));
    assert_string_equal(svg + strlen(svg) - 7, "</svg>\n");
    free(svg);
}

/* ---- Refusals ---- */

TEST(values_that_cannot_be_drawn_are_refused) {
    static const struct {
        const char *layout;
        tmap_picture picture;
        const char *says;
    } rows[] = {
        {"S[16385:1]", {.rank = 0}, "at most 16384 are drawn"},
        {"S[12:1]", {.rank = 2, .shape = {3, 5}}, "the shape has 15 elements, the layout 12"},
        {"S[12:1]", {.rank = 2, .shape = {0, 12}}, "does not have the layout's 12 elements"},
        {"S[12:1]", {.rank = 17}, "at most 16 dimensions"},
        {"S[12:1]", {.color_by = TMAP_PICTURE_LANE}, "no axis of threads"},
        {"S[12:1]", {.color_by = TMAP_PICTURE_THREAD}, "no axis of threads"},
        {"S[12:1@laneid]", {.color_by = TMAP_PICTURE_BANK}, "no addresses"},
        {"S[12:1@laneid]", {.memory = true}, "one address of 0 or more"},
        {"S[12:1] + R[2:16]", {.memory = true}, "one address of 0 or more"},
        {"S[12:1]", {.memory = true, .bits = 24}, "do not divide a line"},
        {"S[2:16384]", {.memory = true}, "addresses up to 16384"},
        {"S[12:1]", {.first_row = 1}, "rows 0 to 0"},
        {"S[12:-1]", {.color_by = TMAP_PICTURE_LINE}, "no addresses"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_layout layout = layout_of(rows[i].layout);
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_diag error;
        assert_int_equal(tmap_picture_text(&sink, &layout, &rows[i].picture, &error), TMAP_REFUSED);
        if (!strstr(error.message, rows[i].says)) fail_msg("%s", error.message);
        assert_int_equal(tmap_picture_svg(&sink, &layout, &rows[i].picture, NULL), TMAP_REFUSED);
        assert_null(text.data);
    }
}
