/* CuTe layouts: the errors of the notation with their positions, and the limits of every function. */
#include "cute_fixture.h"

#define BY(tiler_) (&(tmap_cute_tiler){.layout = (tiler_)})

TEST(errors_have_places) {
    static const struct {
        const char *text;
        int column;
        const char *says;
    } rows[] = {
        {"", 1, "expected an integer"},
        {"(2,4):(1,)", 10, "expected an integer"},
        {"(2,4):(1,2", 11, "expected ')' after the last stride (one for each shape), found the end of the text"},
        {"(2,4):(1)", 9, "','"},
        {"(2,4):1", 7, "'('"},
        {"(2,4):((1,2),3)", 8, "expected one stride, because the shape is the single number 2"},
        {"(2,0):(1,2)", 4, "the shape has a 0, which is less than 1"},
        {"(2,-4)", 4, "the shape has a -4, which is less than 1"},
        {"8:1 x", 5, "the layout ends before this"},
        {"99999999999999999999", 1, "a number above 2^63 - 1"},
        {"8:-9223372036854775808", 4, "a number above 2^63 - 1"},
        {"Sw<9223372036854775807,0,9223372036854775807> o 8:1", 1, "is not a swizzle"},
        {"(2", 3, "expected ')' after a shape, found the end of the text"},
        {"(2;", 3, "expected ')' after a shape"},
        {"(2,4):(1,2;", 11, "expected ')' after the last stride (one for each shape)"},
        {"8: -", 5, "expected an integer"},
        {"Sw", 3, "expected '<' after the swizzle's name, found the end of the text"},
        {"Sw<3", 5, "expected ',' after the bits, found the end of the text"},
        {"Sw<3,4", 7, "expected ',' after the base, found the end of the text"},
        {"Sw<3,4,3", 9, "expected '>' after the shift, found the end of the text"},
        {"Sw<,", 4, "expected an integer"},
        {"Sw<3,,", 6, "expected an integer"},
        {"Sw<3,4,>", 8, "expected an integer"},
        {"Sw<3,4> o 8:1", 7, "','"},
        {"Sw<3,4,3> 8:1", 11, "'o'"},
        {" Sw<3,4,2> o 8:1", 2, "Sw<3,4,2> is not a swizzle"},
        {"Sw<-1,4,3> o 8:1", 1, "Sw<-1,4,3> is not a swizzle"},
        {"Sw<3,-1,3> o 8:1", 1, "Sw<3,-1,3> is not a swizzle"},
        {"Sw<0,63,0> o 8:1", 1, "Sw<0,63,0> is not a swizzle"},
        {"Sw<20,23,-20> o 8:1", 1, "Sw<20,23,-20> is not a swizzle"},
        {"Sw<20,22,21> o 8:1", 1, "Sw<20,22,21> is not a swizzle"},
        {"Sw<4611686018427387904,4611686018427387904,-4611686018427387904> o 8:1", 1, "is not a swizzle"},
        {"ptr", 4, "expected '[' after a pointer, found the end of the text"},
        {"ptr(", 4, "expected '[' after a pointer"},
        {"ptr[16", 7, "expected 'b' after the bits, found the end of the text"},
        {"ptr[16b", 8, "expected ']' after the bits, found the end of the text"},
        {"ptr[16b]", 9, "expected '(' after a pointer, found the end of the text"},
        {"ptr[16b](x", 11, "expected ')' after an address, found the end of the text"},
        {"ptr[16b](x)", 12, "expected 'o' after a pointer, found the end of the text"},
        {"ptr[b](0) o 8:1", 5, "expected an integer"},
        {"ptr[0b](0) o 8:1", 4, "the pointer's elements have 0 bits"},
        {"ptr[24b](0) o 8:1", 4, "the pointer's elements have 24 bits"},
        {"ptr[256b](0) o 8:1", 4, "the pointer's elements have 256 bits"},
        {"Sw<3,0,3>_ptr[16b](0) o 8:1", 14, "the swizzle splits elements of 16 bits"},
        {"2305843009213693953 o 8:1", 1, "an offset above 2^61"},
        {"-2305843009213693953 o 8:1", 1, "an offset above 2^61"},
        {"((((((((((((((((((8))))))))))))))))))", 17, "16 parentheses"},
        {"(((((((((((((((( (8", 18, "16 parentheses"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cute layout;
        tmap_diag error = {0};
        assert_int_equal(tmap_cute_parse(rows[i].text, strlen(rows[i].text), &layout, &error), TMAP_REFUSED);
        if (!strstr(error.message, rows[i].says)) fail_msg("%s: %s", rows[i].text, error.message);
        if ((int)error.at + 1 != rows[i].column) fail_msg("%s: column %d", rows[i].text, (int)error.at + 1);
        assert_int_equal(error.length, 1);
    }
}

/* The text ends at its size: what follows is not read, and no position is after the end. */
TEST(texts_end_at_their_size) {
    static const char *const rows[] = {"Sw<3,4,3>_smem_ptr[16b](unset) o -5 o ((2,4),_8):((1,2), 8)",
                                       "Swizzle<2,3,-3> o 12 o ( 8 , 64 ) : ( 64 , 1 )", "((2,2),(12))", "120 : 17"};
    static const char *const tails[] = {"", "7", " 7", ")", "  )", ",9)", "o 1", "w<1", "]("};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t size = 0; size <= strlen(rows[i]); size++) {
            tmap_cute layouts[2] = {{.nodes_n = 0}, {.nodes_n = 0}};
            tmap_diag errors[2] = {0};
            tmap_status status = TMAP_OK;
            for (size_t k = 0; k <= COUNT(tails); k++) {
                char text[150];
                const char *tail = k < COUNT(tails) ? tails[k] : rows[i] + size;
                assert_true((size_t)snprintf(text, sizeof text, "%.*s%s", (int)size, rows[i], tail) < sizeof text);
                tmap_status one = tmap_cute_parse(text, size, &layouts[k > 0], &errors[k > 0]);
                if (k == 0) status = one;
                assert_int_equal(one, status);
                assert_true(tmap_cute_equal(&layouts[0], &layouts[k > 0]));
                assert_int_equal(errors[k > 0].at, errors[0].at);
                assert_true(errors[0].at <= size);
                assert_string_equal(errors[k > 0].message, errors[0].message);
            }
        }
}

TEST(sizes_have_a_limit) {
    tmap_cute layout, big = cute("4294967296:1073741824"), r;
    assert_int_equal(tmap_cute_parse("(4294967296,2147483648)", 23, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_cute_parse("3:4611686018427387904", 21, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_cute_parse("(4294967296,2147483648):(0,0)", 29, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_cute_parse("4611686018427387905:0", 21, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_cute_parse("1:-9223372036854775807", 22, &layout, NULL), TMAP_REFUSED);
    tmap_cute scaled = cute("4:4294967296");
    assert_int_equal(tmap_cute_compose(&big, &scaled, &r, NULL), TMAP_REFUSED);
    tmap_cute far = cute("2:8589934592"); /* a stride of 2^63 */
    assert_int_equal(tmap_cute_compose(&big, &far, &r, NULL), TMAP_REFUSED);
    far = cute("2:17179869184"); /* of 2^64 */
    assert_int_equal(tmap_cute_compose(&big, &far, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_cute_product(TMAP_CUTE_LOGICAL, &big, BY(&big), &r, NULL), TMAP_REFUSED);
    expect_binary(tmap_cute_compose, "4294967296:1073741824", "2:4294967296", "2:4611686018427387904");
    expect_binary(tmap_cute_compose, "4294967296:-1073741824", "2:4294967296", "2:-4611686018427387904");
    static const int64_t most = (int64_t)TMAP_CUTE_REACH_MAX;
    const struct {
        int64_t stride;
        tmap_status status;
    } strides[] = {{most, TMAP_OK}, {most + 1, TMAP_REFUSED}, {-most, TMAP_OK}, {-most - 1, TMAP_REFUSED}};
    for (size_t i = 0; i < COUNT(strides); i++)
        assert_int_equal(cute_flat((uint64_t[]){1}, &strides[i].stride, 1, &r), strides[i].status);
    static const uint64_t shapes[] = {0, TMAP_CUTE_REACH_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < COUNT(shapes); i++)
        assert_int_equal(cute_flat(&shapes[i], (int64_t[]){0}, 1, &r), TMAP_REFUSED);
    tmap_cute one = cute("4:1");
    assert_int_equal(tmap_cute_complement(&one, TMAP_CUTE_REACH_MAX, &r, NULL), TMAP_OK);
    expect_print(&r, "1152921504606846976:4");
    assert_int_equal(tmap_cute_complement(&one, TMAP_CUTE_REACH_MAX + 1, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_cute_complement(&one, 0, &r, NULL), TMAP_REFUSED);
    one = cute("2:2305843009213693952"); /* reaches 2^62 */
    assert_int_equal(tmap_cute_complement(&one, 1, &r, NULL), TMAP_OK);
    expect_print(&r, "2305843009213693952:1");
    one = cute("2:2305843009213693953");
    assert_int_equal(tmap_cute_complement(&one, 1, &r, NULL), TMAP_REFUSED);
}

TEST(nesting_has_a_limit) {
    tmap_cute layout = cute("(((((((((((((((8)))))))))))))))"), r;
    assert_int_equal(tmap_cute_concat(&layout, 1, &r, NULL), TMAP_OK);
    expect_print(&r, "((((((((((((((((8)))))))))))))))):((((((((((((((((1))))))))))))))))");
    tmap_diag error;
    assert_int_equal(tmap_cute_concat(&r, 1, &layout, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "concat: tuples nested deeper than 16");
    assert_int_equal(tmap_cute_concat(NULL, 0, &layout, NULL), TMAP_REFUSED);
    tmap_cute parts[2] = {cute("(1,(1))"), cute("((1),1)")}; /* side by side, not inside each other */
    for (int depth = 3; depth <= 16; depth++) {
        assert_int_equal(tmap_cute_concat(parts, 2, &parts[0], NULL), TMAP_OK);
        parts[1] = cute("((1),1)");
    }
    assert_int_equal(tmap_cute_concat(parts, 2, &r, NULL), TMAP_REFUSED);
}

/* A tuple of n leaves: the first `twos` of shape 2, the others of shape 1. */
static tmap_cute many(int n, int twos) {
    char text[20 + 2 * TMAP_CUTE_NODES_MAX] = "Sw<1,2,3> o ", *shape = text + strlen(text);
    for (int i = 0; i < n; i++) memcpy(shape + 2 * i, i == 0 ? "(2" : ",2", 2);
    for (int i = twos; i < n; i++) shape[2 * i + 1] = '1';
    memcpy(shape + 2 * n, ")", 2);
    tmap_cute layout = cute(text);
    assert_int_equal(layout.swizzle.m, 2); /* the strides do not write past the last node */
    return cute(shape);
}

/* Layouts of the most nodes, 128, go through every function. */
TEST(layouts_may_be_full) {
    enum { LEAVES = TMAP_CUTE_NODES_MAX - 1 };
    tmap_cute full = many(LEAVES, 62), r, again, parts[2];
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_cute_print(&sink, &full);
    assert_int_equal(tmap_cute_parse(text.data, text.size, &again, NULL), TMAP_OK);
    assert_true(tmap_cute_equal(&full, &again));
    tmap_text_free(&text);
    assert_true(tmap_cute_compatible(&full, &again));
    assert_int_equal(tmap_cute_size(&full), TMAP_CUTE_REACH_MAX);
    assert_int_equal(tmap_cute_cosize(&full), TMAP_CUTE_REACH_MAX);
    assert_int_equal(tmap_cute_rank(&full), LEAVES);
    assert_int_equal(tmap_cute_at(&full, 0x123456789abcdef), 0x123456789abcdef);
    uint64_t at[LEAVES];
    for (int i = 0; i < LEAVES; i++) at[i] = i < 62 && i % 3 == 0;
    assert_int_equal(tmap_cute_at_modes(&full, at), 0x1249249249249249);
    assert_int_equal(tmap_cute_coalesce(&full, &r, NULL), TMAP_OK);
    expect_print(&r, "4611686018427387904:1");
    assert_int_equal(tmap_cute_coalesce_modes(&full, &again, NULL), TMAP_OK);
    assert_int_equal(tmap_cute_compose(&r, &full, &again, NULL), TMAP_OK);
    for (int i = 0; i <= LEAVES; i++) full.nodes[i].stride = full.nodes[i].shape == 2 ? full.nodes[i].stride : 0;
    assert_true(tmap_cute_equal(&full, &again));
    assert_int_equal(tmap_cute_coalesce_modes(&full, &again, NULL), TMAP_OK);
    assert_true(tmap_cute_equal(&full, &again));
    assert_int_equal(tmap_cute_compose(&full, &r, &again, NULL), TMAP_OK);
    assert_true(tmap_cute_equal(&again, &r));
    assert_int_equal(tmap_cute_right_inverse(&full, &again, NULL), TMAP_OK);
    assert_true(tmap_cute_equal(&again, &r));
    assert_int_equal(tmap_cute_common(&full, &full, &again, NULL), TMAP_OK);
    assert_true(tmap_cute_equal(&again, &r));
    assert_int_equal(tmap_cute_complement(&full, 7, &again, NULL), TMAP_OK);
    expect_print(&again, "1:0");
    assert_int_equal(tmap_cute_mode(&full, LEAVES - 1, &again, NULL), TMAP_OK);
    expect_print(&again, "1:0");
    assert_int_equal(tmap_cute_mode(&full, 61, &again, NULL), TMAP_OK);
    expect_print(&again, "2:2305843009213693952");
    assert_int_equal(tmap_cute_mode(&full, LEAVES, &again, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_cute_mode(&full, -1, &again, NULL), TMAP_REFUSED);
    /* One node more is refused, wherever it comes from. */
    tmap_diag error;
    parts[0] = full, parts[1] = cute("1:0");
    assert_int_equal(tmap_cute_concat(parts, 1, &again, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "concat: more than 128 parts and parentheses");
    assert_int_equal(tmap_cute_left_inverse(&full, &again, NULL), TMAP_REFUSED);
    parts[0] = many(LEAVES - 2, 0);
    assert_int_equal(tmap_cute_concat(parts, 2, &again, NULL), TMAP_OK);
    assert_int_equal(again.nodes_n, TMAP_CUTE_NODES_MAX);
    parts[0] = many(LEAVES - 1, 0);
    assert_int_equal(tmap_cute_concat(parts, 2, &again, NULL), TMAP_REFUSED);
    uint64_t shape[LEAVES + 1];
    int64_t strides[LEAVES + 1] = {0};
    for (int i = 0; i <= LEAVES; i++) shape[i] = 1;
    assert_int_equal(cute_flat(shape, strides, LEAVES, &again), TMAP_OK);
    assert_int_equal(cute_flat(shape, strides, LEAVES + 1, &again), TMAP_REFUSED);
    tmap_cute pair = cute("(2,2):(1,10)"), four = many(LEAVES, 0);
    four.nodes[1].shape = 4; /* the composition has (2,2) in place of 4 */
    assert_int_equal(tmap_cute_compose(&pair, &four, &again, NULL), TMAP_REFUSED);
    char longer[3 + 2 * TMAP_CUTE_NODES_MAX] = "(1";
    for (int i = 1; i <= LEAVES; i++) memcpy(longer + 2 * i, ",1", 2);
    assert_int_equal(tmap_cute_parse(longer, sizeof longer - 1, &again, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "more than 128 parts and parentheses");
    assert_int_equal(error.at, 2 * LEAVES + 1);
    assert_int_equal(error.length, 1);
}

/* S/R/O has at most 64 iters; elements of one value have none. */
TEST(conversions_have_a_limit) {
    tmap_cute most = many(TMAP_ITERS_MAX, 62), more = many(TMAP_ITERS_MAX + 1, 62);
    tmap_layout layout;
    assert_int_equal(tmap_cute_to_layout(&most, &layout, NULL), TMAP_OK);
    assert_int_equal(tmap_layout_size(&layout), TMAP_CUTE_REACH_MAX);
    assert_int_equal(tmap_cute_to_layout(&more, &layout, NULL), TMAP_REFUSED);
}
