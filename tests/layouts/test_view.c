/*
 * Room view: cells against the tables printed in PTX ISA 5.5.7, whole pictures against files in tests/data/view (cells
 * derived from those tables apart from the code; each file's map is in `pictures` below), and the form of SVG, dumps
 * and elements.
 */
#include "cmocka_all.h"

#include <stdlib.h>

#include "copy_fixture.h"
#include "text_fixture.h"
#include "tmap/unstable/view.h"

static const char *const axes[] = {"k", "m", "h", "n", "g"};

typedef void draw(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view);

static char *drawn(draw *with, const tmap_copy *copy, const tmap_view *view) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    with(&sink, copy, view);
    assert_false(sink.failed);
    return text.data;
}

/* ---- Cells ---- */

/* As printed: a row is a 128-byte line, a digit is the number of the 16-byte cell stored there. */
static const struct {
    tmap_swizzle swizzle;
    const char *rows[8];
} printed[] = {
    {TMAP_SWIZZLE_NONE, {"01234567"}},
    {TMAP_SWIZZLE_32B, {"01234567", "10325476"}},
    {TMAP_SWIZZLE_64B, {"01234567", "10325476", "23016745", "32107654"}},
    {TMAP_SWIZZLE_128B,
     {"01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"}},
    {TMAP_SWIZZLE_128B_ATOM_32B, {"01234567", "23016745", "45670123", "67452301"}},
    {TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, {"01234567", "23016745", "45670123", "67452301"}},
    {TMAP_SWIZZLE_128B_ATOM_64B, {"01234567", "45670123"}},
};

/* The text of cell `unit` in the picture's line of `address`. */
static void read_cell(const char *picture, unsigned address, unsigned unit, char cell[32]) {
    char head[16];
    snprintf(head, sizeof head, "\n0x%04x", address);
    const char *at = strstr(picture, head);
    assert_non_null(at);
    at += strlen(head);
    for (unsigned i = 0, used = 0; i <= unit; i++, at += used) {
        int taken = 0;
        assert_int_equal(sscanf(at, "%31s%n", cell, &taken), 1);
        used = (unsigned)taken;
    }
}

/*
 * Bytes r, c of a u8 box whose rows are as wide as the swizzle's span (128 without one) are at r x span + c, so the
 * cell with number n in line l of the table starts with byte l x 128 + n x 16. "A flip of adjacent 8-bytes within the
 * 16-byte data at every alternate shared memory line" makes the cell start 8 bytes later in odd lines.
 */
TEST(cells_are_at_the_printed_places) {
    for (size_t i = 0; i < COUNT(printed); i++) {
        uint32_t span = tmap_swizzle_get((int)printed[i].swizzle)->span_B;
        span = span ? span : 128;
        unsigned rows_n = 1;
        while (rows_n < 8 && printed[i].rows[rows_n]) rows_n++;
        tmap_map_params map = tiled(TMAP_TYPE_U8, 2, DIMS(256, 256), DIMS(span, 8 * 128 / span));
        map.swizzle = printed[i].swizzle;
        tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0x800);
        char *picture = drawn(tmap_view_text, &copy, &(tmap_view){.title = "t"});
        for (unsigned cell = 0; cell < 64; cell++) {
            unsigned line = cell / 8, number = (unsigned)(printed[i].rows[line % rows_n][cell % 8] - '0');
            unsigned flip = printed[i].swizzle == TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B && line % 2 ? 8 : 0;
            unsigned byte = line * 128 + number * 16 + flip;
            char expected[32], actual[32];
            snprintf(expected, sizeof expected, "%u,%u", byte / span, byte % span);
            read_cell(picture, 0x800 + line * 128, cell % 8, actual);
            assert_string_equal(actual, expected);
        }
        free(picture);
    }
}

/* PTX ISA 5.5.7: at 0x480 the base offset of a 128B swizzle is (0x480 / 128) % 8 = 1, the second row of its table. */
TEST(cells_follow_the_base_offset) {
    tmap_map_params map = tiled(TMAP_TYPE_F16, 2, DIMS(64, 64), DIMS(64, 2));
    map.swizzle = TMAP_SWIZZLE_128B;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0x480);
    char *picture = drawn(tmap_view_text, &copy, &(tmap_view){.title = "t"});
    expect_in(picture, "0x0480    0,8    0,0   0,24   0,16   0,40   0,32   0,56   0,48\n");
    expect_in(picture, "0x0500   1,16   1,24    1,0    1,8   1,48   1,56   1,32   1,40\n");
    free(picture);
}

/* ---- Pictures ---- */

static tmap_copy gemm(void) {
    tmap_map_params map = tiled(TMAP_TYPE_F16, 2, DIMS(4096, 8192), DIMS(64, 16));
    map.swizzle = TMAP_SWIZZLE_128B;
    return box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0x400);
}

/* Rows of 24 bytes, 32 apart: the last 8 of the box are outside. */
static tmap_copy rows_of_32B(void) {
    tmap_map_params map = tiled(TMAP_TYPE_U8, 2, DIMS(24, 8), DIMS(32, 8));
    map.swizzle = TMAP_SWIZZLE_32B;
    map.strides_B[0] = 32;
    return box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0x100);
}

/* Rows -3 .. 4 of plane 9, the last plane, and of a plane outside the tensor. */
static tmap_copy hanging_over(void) {
    tmap_map_params map = tiled(TMAP_TYPE_F16, 3, DIMS(4096, 8192, 10), DIMS(64, 8, 2));
    map.swizzle = TMAP_SWIZZLE_128B;
    map.oob_fill = TMAP_OOB_FILL_NAN;
    return box_copy(TMAP_OP_LOAD, &map, AT(0, -3, 9), 0x400);
}

/* 96 of the 128 bytes of each row, with 8-byte halves exchanged in odd lines. */
static tmap_copy flipped(void) {
    tmap_map_params map = tiled(TMAP_TYPE_F32, 2, DIMS(4096, 14), DIMS(24, 8));
    map.swizzle = TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B;
    return box_copy(TMAP_OP_LOAD, &map, AT(0, 8), 0x400);
}

static tmap_copy gathered(void) {
    tmap_map_params map = tiled(TMAP_TYPE_BF16, 2, DIMS(4096, 8192), DIMS(64, 1));
    map.swizzle = TMAP_SWIZZLE_128B;
    return rows_copy(TMAP_OP_GATHER4, &map, 64, (const int64_t[]){2, 0, 9000, 1});
}

/* Rows whose numbers are too long for cells, one row per line. */
static tmap_copy far_out(void) {
    tmap_map_params map = tiled(TMAP_TYPE_F16, 2, DIMS(64, 3000000000), DIMS(64, 4));
    map.swizzle = TMAP_SWIZZLE_128B;
    return box_copy(TMAP_OP_LOAD, &map, AT(0, 2000000000), 0x38400);
}

/* Rows whose numbers are too long for cells, several rows per line. */
static tmap_copy far_out_and_narrow(void) {
    tmap_map_params map = tiled(TMAP_TYPE_F16, 2, DIMS(16, 2000000004), DIMS(16, 8));
    return box_copy(TMAP_OP_STORE, &map, AT(0, 2000000000), 0x400);
}

static tmap_copy vector(void) {
    tmap_map_params map = tiled(TMAP_TYPE_U8, 1, DIMS(200), DIMS(256));
    return box_copy(TMAP_OP_LOAD, &map, AT(0), 0);
}

static const struct {
    const char *name;
    tmap_copy (*copy)(void);
    tmap_view view;
} pictures[] = {
    {"gemm", gemm, {.title = "gemm_a", .axes = axes, .has_element = true, .element = {20, 3}}},
    {"gemm_last_unit", gemm, {.has_element = true, .element = {0, 7}, .first_line = 6, .lines_n = 3}},
    {"rows_of_32B", rows_of_32B, {.axes = axes}},
    {"hanging_over", hanging_over, {.title = "x", .axes = axes}},
    {"flipped", flipped, {.axes = axes, .first_line = 4}},
    {"gathered", gathered, {.title = "kv", .axes = axes}},
    {"far_out", far_out, {.axes = axes}},
    {"far_out_and_narrow", far_out_and_narrow, {.axes = axes}},
    {"vector", vector, {.axes = axes, .has_element = true, .element = {17}}},
};

static char *read_file(const char *name) {
    char path[512];
    snprintf(path, sizeof path, TMAP_SOURCE_DIR "/tests/data/view/%s.txt", name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    static char text[16384];
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    return text;
}

TEST(pictures_are_as_expected) {
    for (size_t i = 0; i < COUNT(pictures); i++) {
        tmap_copy copy = pictures[i].copy();
        char *picture = drawn(tmap_view_text, &copy, &pictures[i].view);
        const char *expected = read_file(pictures[i].name);
        if (strcmp(picture, expected) != 0)
            fail_msg("%s.txt is\n%s\nbut the picture is\n%s", pictures[i].name, expected, picture);
        free(picture);
    }
}

TEST(plain_lines_fit_80_columns_and_end_clean) {
    for (size_t i = 0; i < COUNT(pictures); i++) {
        tmap_copy copy = pictures[i].copy();
        char *picture = drawn(tmap_view_text, &copy, &pictures[i].view);
        for (const char *line = picture, *end; (end = strchr(line, '\n')); line = end + 1) {
            assert_true(end - line <= 80);
            assert_true(end == line || end[-1] != ' ');
        }
        free(picture);
    }
}

TEST(colors_move_with_the_swizzle) {
    tmap_copy copy = gemm();
    char *picture = drawn(tmap_view_text, &copy, &(tmap_view){.color = true, .has_element = true});
    /* In the second line the first two cells and their colours are exchanged. */
    const char *first = strstr(picture, "\033[48;5;"), *second = strstr(first + 1, "\033[48;5;");
    const char *line = strstr(picture, "\n0x0480"), *swapped = strstr(line, "\033[48;5;");
    assert_int_equal(strncmp(second, swapped, strlen("\033[48;5;216m")), 0);
    assert_int_equal(strncmp(first, strstr(swapped + 1, "\033[48;5;"), strlen("\033[48;5;110m")), 0);
    assert_int_not_equal(strncmp(first, second, strlen("\033[48;5;110m")), 0);
    assert_int_equal(occurrences(picture, "\033[1;7m"), 1); /* the marked one */
    assert_int_equal(occurrences(picture, "\033[48;5;"), 16 * 8);
    free(picture);
}

/* ---- One element ---- */

/*
 * Box element m 3, k 20: byte 3 x 128 + 20 x 2 = 0x1a8 of the box, 0x5a8 of shared memory; line 3 of the 128B table has
 * cell 2 (bytes 32..47 of the row) in place 1, so 0x598; its bank is 0x18 / 4 = 6. In global memory 3 x 8192 + 40.
 */
TEST(the_steps_of_an_element_are_complete) {
    tmap_copy copy = gemm();
    copy.map.params.has_address = true;
    copy.map.params.address = 0x7f0000001000;
    char *text = drawn(tmap_view_element, &copy, &pictures[0].view);
    assert_string_equal(text, "element m 3, k 20\n"
                              "  in box   m 3, k 20\n"
                              "  global   offset 0x6028 (24616), address 0x7f0000007028\n"
                              "  packed   offset 0x1a8 (424) in the box: row 3, byte 40\n"
                              "  before   0x05a8   0000 0101 1010 1000   0x400 + 0x1a8\n"
                              "  XOR      0x0030   0000 0000 0011 0000   128B: bits 6 5 4 ^= 9 8 7\n"
                              "  shared   0x0598   0000 0101 1001 1000\n"
                              "  place    line 0x0580 (3 of the box), unit 1, bank 6, byte 24 of the line\n");
    free(text);
}

TEST(element_outside_has_no_global_address) {
    tmap_copy copy = hanging_over();
    char *text = drawn(tmap_view_element, &copy, &(tmap_view){.has_element = true, .element = {8, 1, 0}});
    expect_in(text, "element d2 9, d1 -2, d0 8\n  in box   d2 0, d1 1, d0 8\n");
    expect_in(text, "  global   none: outside the tensor, filled with NaN: d1 -2 is below 0\n");
    free(text);
}

TEST(element_without_swizzle_and_of_two_banks) {
    tmap_map_params map = tiled(TMAP_TYPE_F64, 1, DIMS(64), DIMS(32));
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0), 0x80);
    char *text = drawn(tmap_view_element, &copy, &(tmap_view){.has_element = true, .element = {19}});
    assert_null(strstr(text, "XOR"));
    expect_in(text, "  shared   0x0118 ");
    expect_in(text, "line 0x0100 (1 of the box), unit 1, banks 6-7, byte 24 of the line\n");
    free(text);
}

TEST(an_element_outside_the_box_is_refused) {
    tmap_copy copy = gemm();
    tmap_view view = {.has_element = true, .element = {64, 0}};
    assert_null(drawn(tmap_view_element, &copy, &view));
    char *picture = drawn(tmap_view_text, &copy, &view);
    assert_null(strchr(picture, '['));
    free(picture);
}

/* ---- Dump ---- */

TEST(dump_names_every_unit) {
    tmap_copy copy = rows_of_32B();
    uint8_t shared[260];
    for (size_t i = 0; i < sizeof shared; i++) shared[i] = (uint8_t)i;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_view_dump(&sink, &copy, shared, sizeof shared, &(tmap_view){.axes = axes});
    expect_in(text.data, "0x00100  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  0,0\n");
    expect_in(text.data, "0x00110  10 11 12 13 14 15 16 17  18 19 1a 1b 1c 1d 1e 1f  0,16~\n");
    expect_in(text.data, "0x00180  80 81 82 83 84 85 86 87  88 89 8a 8b 8c 8d 8e 8f  4,16~\n");
    expect_in(text.data, "0x00200  00 01 02 03                                       --\n");
    assert_int_equal(occurrences(text.data, "\n0x"), 17);
    tmap_text_free(&text);
}

/* ---- SVG ---- */

TEST(svg_has_a_cell_for_every_unit) {
    tmap_copy copy = flipped();
    char *svg = drawn(tmap_view_svg, &copy, &(tmap_view){.title = "a<b>&\x01\xff", .has_element = true});
    expect_in(svg, "<title>a&lt;b&gt;&amp;\xef\xbf\xbd\xef\xbf\xbd: f32 box d1 8, d0 24</title>");
    assert_int_equal(occurrences(svg, "height=\"26\"/>"), 8 * 8);
    assert_int_equal(occurrences(svg, "class=\"cell gap\""), 8 * 2); /* 32 of 128 bytes of each row */
    assert_int_equal(occurrences(svg, "class=\"cell out\""), 2 * 6); /* rows 14 and 15 are not drawn */
    assert_int_equal(occurrences(svg, ">(14,") + occurrences(svg, ">(15,"), 2 * 6);
    assert_int_equal(occurrences(svg, "class=\"cell marked\""), 1);
    expect_in(svg, ">8,20</text>");
    expect_in(svg, ">9,10</text>");
    assert_string_equal(svg + strlen(svg) - 7, "</svg>\n");
    free(svg);
}

/* PTX ISA 5.5.5.3, figure 19: row 129 of the box is pixel 64, the fifth of image 14; a halo follows the pixels. */
TEST(pixels_are_listed_next_to_their_lines) {
    static const char *const names[] = {"c", "w", "h", "n"};
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 4);
    static const uint64_t dims[] = {128, 9, 7, 64};
    memcpy(params.dims_el, dims, sizeof dims);
    assert_true(tmap_map_params_dense(&params));
    params.mode = TMAP_MODE_IM2COL_W128;
    params.channels_per_pixel = 64, params.pixels_per_column = 128, params.swizzle = TMAP_SWIZZLE_128B;
    tmap_copy_params at = {.op = TMAP_OP_LOAD, .at = {0, 3, 2, 7}, .at_n = 4, .w_halo = 2};
    tmap_map map;
    tmap_copy copy;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_copy_init(&copy, &map, &at, NULL, NULL), TMAP_OK);
    char *text = drawn(tmap_view_text, &copy, &(tmap_view){.axes = names, .first_line = 127, .lines_n = 3});
    expect_in(text, "banks   pixel: n,h,w    0-3");
    expect_in(text, "0x3f80   127: 21,2,4     56     48     40     32     24     16      8      0\n");
    expect_in(text, "0x4080   129: 14,2,4     8+     0+    24+    16+    40+    32+    56+    48+\n");
    free(text);
    char *svg = drawn(tmap_view_svg, &copy, &(tmap_view){.axes = names, .first_line = 127, .lines_n = 3});
    expect_in(svg, ">129: 14,2,4</text>");
    expect_in(svg, ">a pixel of the halo</text>");
    free(svg);
}

/* PTX ISA 5.5.1.1.2: 12 of every 16 bytes hold values, so values fill three quarters of a cell's width. */
TEST(containers_are_drawn_with_their_gaps) {
    tmap_map_params map = tiled(TMAP_TYPE_B6X16_P32, 2, DIMS(512, 40), DIMS(128, 4));
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0), 0);
    char *svg = drawn(tmap_view_svg, &copy, &(tmap_view){.title = "sixes"});
    assert_int_equal(occurrences(svg, "width=\"60\" height=\"26\"/>"), 4 * 8);
    assert_int_equal(occurrences(svg, "<rect class=\"none\""), 4 * 8);
    expect_in(svg, ">the first 12 B of a cell are 16 values of 6 bits, the other 4 B are not touched</text>");
    free(svg);
}

TEST(svg_is_bounded_and_reports_it) {
    tmap_map_params map = tiled(TMAP_TYPE_F16, 3, DIMS(64, 256, 4), DIMS(64, 256, 4));
    map.swizzle = TMAP_SWIZZLE_128B;
    tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, AT(0, 0, 0), 0);
    char *svg = drawn(tmap_view_svg, &copy, &(tmap_view){.first_line = 10, .lines_n = 2000});
    assert_int_equal(occurrences(svg, "height=\"26\"/>"), 256 * 8);
    expect_in(svg, "lines 10-265 of 0-1023 are drawn");
    free(svg);
}

/* ---- Folds ---- */

/* Compares the lines that a note leaves out with the whole picture: row m is higher by the shift, or the text is the
 * same. Returns their number. */
static unsigned expect_repeated(const char *whole, const char *note) {
    unsigned first, last, times, period;
    int shift = 0, row, column;
    assert_true(sscanf(note, "... lines %u-%u: %u x the %u lines above, with m + %d", &first, &last, &times, &period,
                       &shift) >= 4);
    assert_int_equal(last - first + 1, times * period);
    for (unsigned cell = first * 8; cell < (last + 1) * 8; cell++) {
        char earlier[32], later[32];
        read_cell(whole, (cell / 8 - period) * 128, cell % 8, earlier);
        read_cell(whole, cell / 8 * 128, cell % 8, later);
        if (sscanf(earlier, "%d,%d", &row, &column) == 2)
            snprintf(earlier, sizeof earlier, "%d,%d", row + shift, column);
        assert_string_equal(later, earlier);
    }
    return times * period;
}

/* The patterns of PTX ISA 5.5.7 repeat after 2, 4 or 8 lines; 5 lines have 8 rows of 80 bytes. */
static const struct {
    tmap_swizzle swizzle;
    uint64_t box[3];
    int64_t at[3];
    uint32_t marked; /* row */
    const char *notes[4];
} folded[] = {
    {TMAP_SWIZZLE_128B, {64, 128, 1}, {0}, 0, {"lines 8-119: 14 x the 8 lines above, with m + 8 each time"}},
    {TMAP_SWIZZLE_128B, {64, 31, 1}, {0}, 0, {NULL}}, /* less than 16 lines */
    {TMAP_SWIZZLE_128B, {64, 32, 1}, {0}, 0, {"lines 8-23: 2 x the 8 lines above, with m + 8 each time"}},
    {TMAP_SWIZZLE_64B, {32, 128, 1}, {0}, 0, {"lines 4-59: 14 x the 4 lines above, with m + 8 each time"}},
    {TMAP_SWIZZLE_NONE, {40, 128, 1}, {0}, 0, {"lines 5-74: 14 x the 5 lines above, with m + 8 each time"}},
    {TMAP_SWIZZLE_128B, {64, 128, 1}, {0}, 77, {"lines 8-71: 8 x the 8 lines", "lines 80-119: 5 x the 8 lines"}},
    {TMAP_SWIZZLE_128B, {64, 64, 3}, {0}, 0, {"lines 8-55: 6 x", "1 x the 64 lines above, with h + 1", "136-183: 6 x"}},
    {TMAP_SWIZZLE_128B, {64, 128, 1}, {-8, -3}, 0, {"lines 11-114: 13 x the 8 lines above, with m + 8 each time"}},
    {TMAP_SWIZZLE_128B, {64, 128, 1}, {0, 192}, 0, {"lines 8-55: 6 x the 8 lines", "lines 72-119: 6 x the 8 lines"}},
};

TEST(lines_that_repeat_are_folded) {
    for (size_t i = 0; i < COUNT(folded); i++) {
        tmap_map_params map = tiled(TMAP_TYPE_F16, 3, DIMS(256, 256, 8), folded[i].box);
        map.swizzle = folded[i].swizzle;
        tmap_copy copy = box_copy(TMAP_OP_LOAD, &map, folded[i].at, 0);
        tmap_view view = {.axes = axes, .has_element = folded[i].marked > 0, .element = {0, folded[i].marked}};
        char *text = drawn(tmap_view_text, &copy, &view), *svg = drawn(tmap_view_svg, &copy, &view);
        view.has_element = false, view.lines_n = 2000;
        char *whole = drawn(tmap_view_text, &copy, &view);
        int notes = 0;
        unsigned left_out = 0;
        for (const char *at = text; (at = strstr(at, "... ")); at++, notes++) {
            if (!folded[i].notes[notes]) fail_msg("case %zu: %.80s", i, at);
            expect_in(at, folded[i].notes[notes]);
            expect_in(svg, folded[i].notes[notes]);
            left_out += expect_repeated(whole, at);
        }
        assert_null(folded[i].notes[notes]);
        assert_int_equal((unsigned)occurrences(text, "\n0x") + left_out, copy.footprint_B / 128);
        assert_int_equal(occurrences(svg, "class=\"address\"") - 2, occurrences(text, "\n0x"));
        free(text), free(svg), free(whole);
    }
}

/* ---- Failing sinks ---- */

static bool refuse(void *context, const char *text, size_t size) {
    (void)text;
    (void)size;
    ++*(int *)context;
    return false;
}

TEST(a_failing_sink_is_called_once) {
    tmap_copy copy = gemm();
    draw *const all[] = {tmap_view_text, tmap_view_svg, tmap_view_element};
    for (size_t i = 0; i < COUNT(all); i++) {
        int asked = 0;
        tmap_sink sink = {.write = refuse, .context = &asked};
        all[i](&sink, &copy, &pictures[0].view);
        assert_true(sink.failed);
        assert_int_equal(asked, 1);
    }
}
