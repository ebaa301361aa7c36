/*
 * Room page: questions and answers as text (places against the tables printed in PTX ISA 5.5.7), what is wrong with a
 * question, and the form of the page. tests/check_page.py opens pages in a browser.
 */
#include "cmocka_all.h"

#include <stdlib.h>

#include "page/query.h"
#include "tmap/page.h"

static char *answer_to(const char *query) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_page_answer(&sink, query);
    assert_false(sink.failed);
    return text.data;
}

static void expect_in(const char *text, const char *part) {
    if (strstr(text, part)) return;
    print_error("not found: \"%s\" in\n%.2000s\n", part, text);
    fail();
}

static void expect_answer(const char *query, const char *part) {
    char *answer = answer_to(query);
    expect_in(answer, part);
    free(answer);
}

/* ---- Queries ---------------------------------------------------------------------------------------------------- */

static void values_are_decoded(void **state) {
    (void)state;
    const char *at = "a=1%2C2&&b=x+y%zz%4&c&=d&e=%00f";
    static const char *const wanted[][2] = {{"a", "1,2"}, {"b", "x y%zz%4"}, {"c", ""}, {"", "d"}, {"e", "f"}};
    tmap_query_pair pair;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_true(tmap_query_next(&at, &pair));
        assert_string_equal(pair.key, wanted[i][0]);
        assert_string_equal(pair.value, wanted[i][1]);
        assert_int_equal(pair.cut, i == 4);
    }
    assert_false(tmap_query_next(&at, &pair));
}

static void long_values_are_cut(void **state) {
    (void)state;
    char query[TMAP_QUERY_VALUE + 64] = "dims=";
    memset(query + 5, '1', TMAP_QUERY_VALUE + 10);
    const char *at = query;
    tmap_query_pair pair;
    assert_true(tmap_query_next(&at, &pair));
    assert_true(pair.cut);
    assert_int_equal(strlen(pair.value), TMAP_QUERY_VALUE - 1);
    expect_answer(query, "too long a value for 'dims'");
}

/* ---- Places ----------------------------------------------------------------------------------------------------- */

/* As printed in PTX ISA 5.5.7: a row a 128-byte line, a digit the number of the 16-byte cell that lies there. */
static const struct {
    const char *swizzle, *rows[8];
} printed[] = {
    {"none", {"01234567"}},
    {"32B", {"01234567", "10325476"}},
    {"64B", {"01234567", "10325476", "23016745", "32107654"}},
    {"128B", {"01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"}},
    {"128B_atom32B", {"01234567", "23016745", "45670123", "67452301"}},
    {"128B_atom64B", {"01234567", "45670123"}},
};

/* A box of lines of 128 bytes is one row a line; those of narrower swizzles have 128 / span rows a line. */
static void units_lie_as_printed(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        int span = strncmp(printed[i].swizzle, "32B", 3) == 0   ? 32
                   : strncmp(printed[i].swizzle, "64B", 3) == 0 ? 64
                                                                : 128;
        char query[128];
        snprintf(query, sizeof query, "type=u8&dims=%d,64&swizzle=%s", span, printed[i].swizzle);
        char *answer = answer_to(query);
        for (int line = 0; line < 8 && printed[i].rows[line]; line++)
            for (int unit = 0; unit < 8; unit++) {
                int cell = printed[i].rows[line][unit] - '0', byte = line * 128 + cell * 16;
                char element[96];
                snprintf(element, sizeof element, "[%d, %d, %d, %d, %d, 0, %d]", byte % span, byte / span, line, unit,
                         unit * 4, byte);
                expect_in(answer, element);
            }
        free(answer);
    }
}

static void outside_is_said(void **state) {
    (void)state;
    expect_answer("type=f32&dims=20,12&box=16,8&at=8,8", "[20, 8, 0, 3, 12, 0, -1]");
    expect_answer("type=f32&dims=20,12&box=16,8&at=8,8", "filled with zero");
    expect_answer("type=f16&dims=64,8&at=0,0&oob_fill=nan", "\"ok\": true");
}

static void ways_are_told(void **state) {
    (void)state;
    expect_answer("type=f16&axes=k,m&dims=4096,8192&box=64,8&swizzle=128B&element=8,3", "element m 3, k 8");
    expect_answer("type=f16&axes=k,m&dims=4096,8192&box=64,8&swizzle=128B&element=8,3", "shared   0x01a0");
}

static void large_boxes_are_cut(void **state) {
    (void)state;
    expect_answer("type=u8&dims=256,256&box=256,256", "\"left_out\": true");
    expect_answer("type=u8&dims=256,64&box=256,64", "\"left_out\": false");
}

/* ---- What is wrong ---------------------------------------------------------------------------------------------- */

static void mistakes_are_findings(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"dims=64,8&type=f17", "unknown type 'f17'; did you mean 'f16'?"},
        {"dims=64,8&swizle=128B", "unknown key 'swizle'"},
        {"dims=64,8&box=64", "box is '1 values'; it takes 2"},
        {"dims=64,x", "dims is 'x'; it takes whole numbers"},
        {"dims=64,-8", "dims is '-8'; it takes numbers from 0 on"},
        {"dims=1,2,3,4,5,6", "dims is '6 values'; it takes at most 5"},
        {"dims=64,99999999999999999999", "dims is '99999999999999999999'"},
        {"dims=64,8&at=9223372036854775808,0", "numbers of 64 bits"},
        {"dims=18446744073709551615,8", "more than 64 bits can address"},
        {"", "it takes 1 to 5 numbers"},
        {"dims=64,8&op=gather4&rows=1,2,3", "rows is '3 values'; it takes 4"},
        {"type=f16&dims=128,8&swizzle=128B", "box-inner-span"},
        {"type=f16&dims=64,8&at=3,0", "copy-inner-align"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        expect_answer(rows[i][0], rows[i][1]);
        expect_answer(rows[i][0], "\"ok\": false");
    }
}

/* ---- Layouts ---------------------------------------------------------------------------------------------------- */

/* The tensor-core tile of TIRx, "Tensor Layout": element (0, 2) is in lane 1, register 0, of warps 5 and 9. */
static void layouts_have_their_places(void **state) {
    (void)state;
    const char *tile =
        "mode=layout&shape=8,16&expr=S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)]+%2B+R[2:4@warpid]+%2B+5@warpid";
    expect_answer(tile, "\"ok\": true");
    expect_answer(tile, "\"kind\": \"layout\"");
    expect_answer(tile, "\"size\": 128, \"copies\": 2");
    expect_answer(tile, "\"elements\": [[[0, 5, 0], [0, 9, 0]], [[0, 5, 1], [0, 9, 1]], [[1, 5, 0], [1, 9, 0]]");
    expect_answer("mode=layout&expr=swizzle(f16,128B)+o+S[(8,64):(64,1)]", "\"shape\": [8, 64]");
    /* Row 1 begins in unit 1 of line 1: byte 16, bank 4. */
    expect_answer("mode=layout&expr=swizzle(f16,128B)+o+S[(8,64):(64,1)].slice((8,64),(1:2,0:8))",
                  "\"banks\": [[1, 4, 16], [1, 4, 18]");
    expect_answer("mode=layout&expr=local(2,2).spatial(4,8)", "\"elements\": [[[0, 0]]");
    expect_answer("mode=layout&expr=S[4]+%3D%3D+S[(2,2):(2,1)]", "\"text\": \"true\"");
    expect_answer("mode=layout&expr=S[65536]", "\"left_out\": true");
}

static void wrong_expressions_have_a_place(void **state) {
    (void)state;
    expect_answer("mode=layout&expr=S[(8,4):(4,", "\"error\": {\"at\": 11,");
    expect_answer("mode=layout&expr=S[8]&shape=3", "\"error\"");
    expect_answer("mode=layout&expr=S[8]&shape=x", "shape is 'x'");
    expect_answer("mode=layout", "\"ok\": false");
}

static void unknown_modes_have_no_answer(void **state) {
    (void)state;
    char *answer = answer_to("mode=weather");
    assert_string_equal(answer, "{}\n");
    free(answer);
}

/* ---- Pages ------------------------------------------------------------------------------------------------------ */

static void presets_are_accepted(void **state) {
    (void)state;
    const tmap_page_preset *preset;
    int n = 0;
    for (; (preset = tmap_page_preset_get(n)) != NULL; n++) expect_answer(preset->query, "\"ok\": true");
    assert_true(n > 10);
}

static void copies_become_their_question(void **state) {
    (void)state;
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    params.dims_el[0] = 4096, params.dims_el[1] = 8192, params.strides_B[0] = 8448;
    params.box_el[0] = 64, params.box_el[1] = 8;
    params.swizzle = TMAP_SWIZZLE_128B;
    tmap_copy_params at = {.op = TMAP_OP_LOAD, .at = {-8, 256}, .at_n = 2, .shared = 0x400};
    static const char *const axes[] = {"k & l", "m"};
    tmap_view view = {.title = "gemm_a", .axes = axes, .has_element = true, .element = {8, 3}};
    tmap_map map;
    tmap_copy copy;
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_copy_init(&copy, &map, &at, NULL, NULL), TMAP_OK);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_page_query_of_copy(&sink, &copy, &view);
    assert_string_equal(text.data, "mode=copy&type=f16&axes=k%20%26%20l,m&dims=4096,8192&strides=8448&box=64,8&"
                                   "element_strides=1,1&swizzle=128B&at=-8,256&shared=1024&name=gemm_a&element=8,3");
    expect_answer(text.data, "element m 259, k & l 0");
    tmap_text_free(&text);
}

static size_t occurrences(const char *text, const char *part) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

static void pages_are_whole(void **state) {
    (void)state;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_page_write(&sink, "type=f16&axes=%3C/script%3E,m&dims=64,8&swizzle=128B");
    assert_false(sink.failed);
    assert_null(strstr(text.data, "{{"));
    assert_int_equal(occurrences(text.data, "<script"), 4);
    assert_int_equal(occurrences(text.data, "</script>"), 4);
    assert_int_equal(occurrences(text.data, "http://") - occurrences(text.data, "http://www.w3.org/2000/svg"), 0);
    assert_null(strstr(text.data, "https://"));
    assert_string_equal(text.data + text.size - 8, "</html>\n");
    tmap_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_decoded),
        cmocka_unit_test(long_values_are_cut),
        cmocka_unit_test(units_lie_as_printed),
        cmocka_unit_test(outside_is_said),
        cmocka_unit_test(ways_are_told),
        cmocka_unit_test(large_boxes_are_cut),
        cmocka_unit_test(mistakes_are_findings),
        cmocka_unit_test(layouts_have_their_places),
        cmocka_unit_test(wrong_expressions_have_a_place),
        cmocka_unit_test(unknown_modes_have_no_answer),
        cmocka_unit_test(presets_are_accepted),
        cmocka_unit_test(copies_become_their_question),
        cmocka_unit_test(pages_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
