/*
 * Room page: questions and answers as text (offsets against the tables printed in PTX ISA 5.5.7), mistakes in
 * questions, and the form of the page. tests/page/check_page.py opens pages in a browser.
 */
#include "cmocka_all.h"

#include <stdlib.h>

#include "page/query.h"
#include "text_fixture.h"
#include "tmap/unstable/page.h"

static char *answer_to(const char *query) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_page_answer(&sink, query);
    assert_false(sink.failed);
    return text.data;
}

static void expect_answer(const char *query, const char *part) {
    char *answer = answer_to(query);
    expect_in(answer, part);
    free(answer);
}

/* ---- Queries ---------------------------------------------------------------------------------------------------- */

TEST(values_are_decoded) {
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

TEST(long_values_are_cut) {
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

/* As printed in PTX ISA 5.5.7: a row is a 128-byte line, a digit is the number of the 16-byte cell stored there. */
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

/* A box with rows of 128 bytes has one row per line; boxes of narrower swizzles have 128 / span rows per line. */
TEST(units_are_as_printed) {
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
                snprintf(element, sizeof element, "[%d, %d, %d, %d, %d, 0, %d, 0, 0, %d]", byte % span, byte / span,
                         line, unit, unit * 4, byte, cell);
                expect_in(answer, element);
            }
        free(answer);
    }
}

TEST(places_outside_are_reported) {
    expect_answer("type=f32&dims=20,12&box=16,8&at=8,8", "[20, 8, 0, 3, 12, 0, -1, 1, 0, 3]");
    expect_answer("type=f32&dims=20,12&box=16,8&at=8,8", "filled with zero");
    expect_answer("type=f16&dims=64,8&at=0,0&oob_fill=nan", "\"ok\": true");
}

/* PTX ISA 5.5.5.3, figures 18 and 19: 128 pixels from (n 7, h 2, w 3) of images 9 wide and 7 high, and a halo of 2.
 * Pixel 128 is the sixth of image 21; of im2col::w::128 row 129 is pixel 64, the fifth of image 14. */
TEST(pixels_are_placed_as_in_the_figures) {
#define COLUMN "type=f16&dims=128,9,7,64&channels_per_pixel=64&pixels_per_column=128&swizzle=128B&at=0,3,2,7&w_halo=2"
    static const char *const halo = COLUMN "&map_mode=im2col_w", *const halos = COLUMN "&map_mode=im2col_w128";
#undef COLUMN
    char element[96];
    expect_answer(halo, "\"counts\": [64, 130]");
    snprintf(element, sizeof element, "[0, 5, 2, 21, 128, 0, 0, 0, %d, 0, 1, 0]", 2 * ((21 * 7 + 2) * 9 + 5) * 128);
    expect_answer(halo, element);
    snprintf(element, sizeof element, "[0, 4, 2, 14, 129, 1, 4, 0, %d, 0, 1, 0]", 2 * ((14 * 7 + 2) * 9 + 4) * 128);
    expect_answer(halos, element);
    expect_answer(halos, "\"box_axes\": [\"d0\", \"pixel\"], \"inner\": 0, \"image\": [1, 2, 3]");
}

/*
 * PTX ISA 5.5.4.1: with corners of -1 a column starts one row above and one pixel left of an image, where the load
 * reads zeros.
 */
TEST(padding_has_its_reason) {
    const char *query = "map_mode=im2col&type=f16&axes=c,w,h,n&dims=64,14,9,64&lower_corner=-1,-1&upper_corner=-1,-1&"
                        "channels_per_pixel=64&pixels_per_column=32&at=0,-1,-1,0&element=8,0";
    expect_answer(query, "[0, -1, -1, 0, 0, 0, 0, 0, -1, 6, 0, 0]");
    expect_answer(query, "outside the tensor, filled with zero: h -1 is below 0, w -1 is below 0");
}

/*
 * PTX ISA 5.5.6 and the 32B swizzle that slices of 32 bytes require: pixel 4 is at the start of line 1, with its halves
 * exchanged. Its number among the 14 x 14 pixels and 32 channels is (14 + 2) x 14 + 8.
 */
TEST(halves_of_slices_are_exchanged) {
    expect_answer("type=u8&interleave=32B&swizzle=32B&dims=14,14,2,8&box=8,4,1,1&at=4,2,1,0",
                  "[8, 2, 1, 0, 1, 1, 4, 0, 7424, 0, 0, 0, 0]");
    expect_answer("type=u8&interleave=32B&swizzle=32B&dims=14,14,2,8&box=8,4,1,1&at=4,2,1,0&element=4,0,0,0&only=way",
                  "units 1 and 0, banks 4-7 and 0-3");
}

/* PTX ISA 5.5.1.1.2: value 5 of a container is in bits 30 to 35, and 4 of the 16 bytes are not written. */
TEST(packed_values_share_bytes) {
    const char *query = "type=b6x16_p32&dims=512,40&box=128,16&element=5,0";
    expect_answer(query, "\"element_bits\": 6");
    expect_answer(query, "the first 12 B of a cell are 16 values of 6 bits, the other 4 B are not touched");
    expect_answer(query, "unit 0, banks 0-1, byte 3 of the line, 6 bits from bit 6");
}

TEST(steps_can_be_printed_alone) {
    char *answer = answer_to("type=f16&dims=4096,8192&box=64,8&element=8,3&only=way");
    expect_in(answer, "element d1 3, d0 8");
    assert_null(strstr(answer, "\"elements\""));
    free(answer);
}

TEST(steps_are_printed) {
    expect_answer("type=f16&axes=k,m&dims=4096,8192&box=64,8&swizzle=128B&element=8,3", "element m 3, k 8");
    expect_answer("type=f16&axes=k,m&dims=4096,8192&box=64,8&swizzle=128B&element=8,3", "shared   0x01a0");
}

TEST(large_boxes_are_cut) {
    expect_answer("type=u8&dims=256,256&box=256,256", "\"left_out\": true");
    expect_answer("type=u8&dims=256,64&box=256,64", "\"left_out\": false");
}

/* ---- Wrong questions -------------------------------------------------------------------------------------------- */

TEST(mistakes_are_findings) {
    static const char *const rows[][2] = {
        {"dims=64,8&type=f17", "unknown type 'f17'; did you mean 'f16'?"},
        {"dims=64,8&swizle=128B", "unknown key 'swizle'"},
        {"dims=64,8&box=64", "box is '1 values'; required: 2"},
        {"dims=64,x", "dims is 'x'; required: whole numbers"},
        {"dims=64,-8", "dims is '-8'; required: numbers of 0 or more"},
        {"dims=1,2,3,4,5,6", "dims is '6 values'; required: at most 5"},
        {"dims=64,99999999999999999999", "dims is '99999999999999999999'"},
        {"dims=64,8&at=9223372036854775808,0", "numbers of 64 bits"},
        {"dims=18446744073709551615,8", "more than 64 bits can address"},
        {"", "required: 1 to 5 numbers"},
        {"dims=64,8&op=gather4&rows=1,2,3", "rows is '3 values'; required: 4"},
        {"dims=64,8&lower_corner=-1", "lower_corner is not a key of mode tiled with op load"},
        {"dims=64,8&op=gather4&at=0,0", "at is not a key of mode tiled with op gather4"},
        {"dims=64,9,7,8&map_mode=im2col&box=1,2,3,4", "box is not a key of mode im2col with op load"},
        {"dims=64,9,7,8&map_mode=im2col_w&lower_corner=0,0", "lower_corner is '2 values'; required: 1"},
        {"dims=64,9,7,8&map_mode=im2col&offsets=1", "offsets is '1 values'; required: 2"},
        {"dims=64,8&op=prefech", "unknown op 'prefech'\""},
        {"dims=64,8&op=prefetch", "op is 'prefetch'; required: an op that moves a box of shared memory"},
        {"dims=64,8&arch=sm_90&type=b4x16", "packed-arch"},
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
TEST(layouts_have_their_places) {
    const char *tile =
        "mode=layout&shape=8,16&expr=S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)]+%2B+R[2:4@warpid]+%2B+5@warpid";
    expect_answer(tile, "\"ok\": true");
    expect_answer(tile, "\"kind\": \"layout\"");
    expect_answer(tile, "\"size\": 128, \"copies\": 2");
    expect_answer(tile, "\"elements\": [[[0, 5, 0], [0, 9, 0]], [[0, 5, 1], [0, 9, 1]], [[1, 5, 0], [1, 9, 0]]");
    expect_answer("mode=layout&expr=swizzle(f16,128B)+o+S[(8,64):(64,1)]", "\"shape\": [8, 64]");
    /* Row 1 starts in unit 1 of line 1: byte 16, bank 4. */
    expect_answer("mode=layout&expr=swizzle(f16,128B)+o+S[(8,64):(64,1)].slice((8,64),(1:2,0:8))",
                  "\"banks\": [[1, 4, 16], [1, 4, 18]");
    expect_answer("mode=layout&expr=local(2,2).spatial(4,8)", "\"elements\": [[[0, 0]]");
    expect_answer("mode=layout&expr=S[4]+%3D%3D+S[(2,2):(2,1)]", "\"text\": \"true\"");
    expect_answer("mode=layout&expr=S[65536]", "\"left_out\": true");
}

/* The control of TIRx's page: the swizzle of 128 bytes puts unit u of row r into unit u ^ r. */
TEST(a_swizzle_is_applied_to_a_layout) {
    expect_answer("mode=layout&expr=S[(8,64):(64,1)]&swizzle=128B", "\"text\": \"swizzle(3,3,3) o S[(8,64):(64,1)]\"");
    expect_answer("mode=layout&expr=S[(8,32):(32,1)]&swizzle=128B&type=f32",
                  "\"text\": \"swizzle(2,3,3) o S[(8,32):(32,1)]\"");
    expect_answer("mode=layout&expr=S[(8,64):(64,1)]&swizzle=off", "\"text\": \"S[(8,64):(64,1)]\"");
    expect_answer("mode=layout&expr=spatial(4,8)&swizzle=128B", "\"error\": {\"field\": \"swizzle\", \"at\": 0,");
    expect_answer("mode=layout&expr=spatial(4,8)&swizzle=128B", "\"fix\": \"swizzle: off\"");
    expect_answer("mode=layout&expr=S[(8,4):(4,&swizzle=128B", "\"error\": {\"field\": \"expr\", \"at\": 11,");
}

/* A mesh of 2 x 2 devices: every quarter of the table is one owner's. */
TEST(owners_have_hues) {
    expect_answer("mode=layout&expr=S[(2,2,2,2):(1@pid,2@m,2@pid,1@m)]&shape=4,4",
                  "\"owners\": 4, \"hues\": [0, 0, 2, 2, 0, 0, 2, 2, 1, 1, 3, 3, 1, 1, 3, 3]");
    expect_answer("mode=layout&expr=S[8:4@laneid]", "\"owners\": 8, \"hues\": [0, 1, 2, 3, 4, 5, 6, 7]");
}

TEST(files_are_returned) {
#define BOX "type=f16&axes=k,on&dims=4096,8192&box=64,8&swizzle=128B&at=64,8&shared=1024&arch=sm_90&name=tensor"
    expect_answer(BOX "&only=yaml", "{\"mode\": \"copy\", \"findings\": [], \"fields\": [");
    expect_answer(
        BOX "&only=yaml",
        "\"yaml\": \"tmap: 1\\ntensors:\\n  source:\\n    type: f16\\n    dims: [4096, 8192]\\n    box: [64, 8]\\n"
        "    swizzle: 128B\\n    axes: [k, \\\"on\\\"]\\ncopies:\\n  tensor:\\n    tensor: source\\n    op: load\\n"
        "    at: [64, 8]\\n    shared: 0x400\\narch: sm_90\\n\"");
    expect_answer(BOX "&only=c", "alignas(128) static const uint64_t tensor[16] = {");
    expect_answer(BOX "&only=svg", "\"svg\": \"<svg xmlns=");
#undef BOX
    expect_answer("mode=layout&expr=atom(f16,128B)&only=yaml",
                  "\"yaml\": \"tmap: 1\\nlayouts:\\n  layout: \\\"swizzle(3,3,3) o S[(8,64):(64,1)]\\\"\\n\"");
    /* 8 rows of 64 elements: swizzle(3,3,3) XORs bits 6 to 8 of the address into bits 3 to 5. */
    expect_answer("mode=layout&expr=atom(f16,128B)&only=c",
                  "    place[0] = 0 + element / 64 * 64 + element % 64; /* m */\\n"
                  "    place[0] ^= (place[0] >> 6 & 7) << 3;\\n}\\n");
    expect_answer("mode=layout&expr=S[(4,2,8):(-2@m,1@warpid,4@laneid)]%2BR[3:5@warpid]%2B7@laneid&only=c",
                  "    place[0] = 0 + element / 16 * -2; /* m */\\n"
                  "    place[1] = 0 + element / 8 % 2 + copy * 5; /* warpid */\\n"
                  "    place[2] = 7 + element % 8 * 4; /* laneid */\\n}\\n");
    expect_answer("mode=layout&expr=atom(f16,128B)&only=svg", "a cell shows m<");
    expect_answer("mode=layout&expr=atom(f16,128B)&only=svg&view=places", "rows are 128-byte lines, columns banks");
}

TEST(wrong_expressions_have_a_place) {
    expect_answer("mode=layout&expr=S[(8,4):(4,", "\"error\": {\"field\": \"expr\", \"at\": 11,");
    expect_answer("mode=layout&expr=S[8]&shape=3", "\"error\"");
    expect_answer("mode=layout&expr=S[8]&shape=x", "shape is 'x'");
    expect_answer("mode=layout", "\"ok\": false");
}

/* The mapping process of Tilus's document (8.3.5.1): thread (i // 2) * 3 + j // 2, local (j % 2) * 2 + i % 2. */
TEST(steps_of_registers_are_printed) {
    const char *query = "mode=layout&expr=register_layout([4,6],[2,2,3,2],[0,2],[3,1])&element=3,4&only=way";
    expect_answer(query, "modes    [1, 1, 2, 0] of [2, 2, 3, 2]");
    expect_answer(query, "spatial  modes [0, 2]: [1, 2] of [2, 3]\\n  thread   1 x 3 + 2 = 5");
    expect_answer(query, "local    modes [3, 1]: [0, 1] of [2, 2]\\n  register 0 x 2 + 1 = 1");
    /* 8.3.4: threads 2, 6 and 10 hold element 2. */
    expect_answer("mode=layout&expr=reduce(spatial(3,4),dims=[0])&element=2", "thread   r x 4 + 2 = 2, 6, 10");
}

/*
 * 8.3.2: in local(3, 4).spatial(2, 3) element (3, 5) is element (1, 1) of the first factor and element (1, 2) of the
 * second.
 */
TEST(products_know_their_factors) {
    char *answer = answer_to("mode=layout&expr=local(3,4)&times=spatial(2,3)");
    const char *from = strstr(answer, "\"from\": [");
    assert_non_null(from);
    from += strlen("\"from\": [");
    for (int i = 0; i < 3 * 12 + 5; i++) from = strchr(from + 1, '[');
    assert_memory_equal(from, "[5, 5]", 6);
    expect_in(answer, "\"left\": {\"axes\": [{\"name\": \"m\", \"kind\": \"memory\"}], \"shape\": [3, 4]");
    free(answer);
    expect_answer("mode=layout&expr=local(3,4)&times=spatial(2,", "\"error\": {\"field\": \"times\", \"at\": 10");
    expect_answer("mode=layout&expr=local(3,4)&times=S[4]", "\"error\": {\"field\": \"times\"");
}

TEST(unknown_modes_have_no_answer) {
    char *answer = answer_to("mode=weather");
    assert_string_equal(answer, "{}\n");
    free(answer);
}

/* ---- Pages ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *group, *query;
} presets[] = {
#define PRESET(group, name, query) {group, query},
#include "page/presets.def"
#undef PRESET
};

TEST(presets_are_accepted) {
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) expect_answer(presets[i].query, "\"ok\": true");
}

/* The number of presets is that of the documents' own pages: TIRx 12; Tilus 9, 9, 4 and 4 in its groups. */
TEST(presets_are_complete) {
    static const struct {
        const char *group;
        int n;
    } groups[] = {{"Layouts of TIRx", 12},
                  {"Layouts of Tilus: basics", 9},
                  {"Layouts of Tilus: mma.sync", 9},
                  {"Layouts of Tilus: wgmma", 4},
                  {"Layouts of Tilus: tcgen05", 4}};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        int n = 0;
        for (size_t k = 0; k < sizeof presets / sizeof *presets; k++)
            n += strcmp(presets[k].group, groups[i].group) == 0;
        assert_int_equal(n, groups[i].n);
    }
}

TEST(copies_become_queries) {
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
    tmap_page_query_of_copy(&sink, &copy, &view, 0);
    assert_string_equal(text.data, "mode=copy&type=f16&axes=k%20%26%20l,m&dims=4096,8192&strides=8448&box=64,8&"
                                   "element_strides=1,1&swizzle=128B&at=-8,256&shared=1024&name=gemm_a&element=8,3");
    expect_answer(text.data, "element m 259, k & l 0");
    tmap_text_free(&text);
}

TEST(pages_are_complete) {
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
