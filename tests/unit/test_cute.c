/*
 * CuTe layouts: the examples of CuTe's public documentation ("CuTe Layouts", "CuTe Layout Algebra"), and positions of
 * errors. test_cute_laws.c tests the definitions of the algebra on random layouts.
 */
#include "cmocka_all.h"

#include "tmap/hw.h"
#include "tmap/unstable/cute.h"

#define BY(tiler_) (&(tmap_cute_tiler){.layout = (tiler_)})

static tmap_cute cute(const char *text) {
    tmap_cute layout;
    tmap_diag error = {0};
    if (tmap_cute_parse(text, strlen(text), &layout, &error) != TMAP_OK) fail_msg("%s: %s", text, error.message);
    return layout;
}

static void expect_print(const tmap_cute *layout, const char *expected) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_cute_print(&sink, layout);
    assert_string_equal(text.data, expected);
    tmap_text_free(&text);
}

/* ---- Notation and function ---- */

static void prints(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"_8:_1", "8:1"},
        {"8", "8:1"},
        {"(2,4)", "(2,4):(1,2)"},
        {"( _2 , 4 ) : ( _12 , _1 )", "(2,4):(12,1)"},
        {"(2,(2,2))", "(2,(2,2)):(1,(2,4))"},
        {"((4,2)):((2,1))", "((4,2)):((2,1))"},
        {"Sw<3,4,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)"},
        {"Swizzle<2,3,-3> o (8,64):(64,1)", "Sw<2,3,-3> o 0 o (8,64):(64,1)"},
        {"Sw<1,4,3> o 5 o 4:-1", "Sw<1,4,3> o 5 o 4:-1"},
        {"7 o 4:1", "Sw<0,0,0> o 7 o 4:1"},
        {"2305843009213693952 o 4:1", "Sw<0,0,0> o 2305843009213693952 o 4:1"},
        {"-2305843009213693952 o 4:1", "Sw<0,0,0> o -2305843009213693952 o 4:1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cute layout = cute(rows[i][0]);
        expect_print(&layout, rows[i][1]);
    }
}

typedef struct printed_1d {
    const char *layout;
    int64_t values[8];
} printed_1d;

static void values_are_the_documents(void **state) {
    (void)state;
    static const printed_1d rows[] = {
        {"(2,4):(1,2)", {0, 1, 2, 3, 4, 5, 6, 7}},
        {"(2,4):(12,1)", {0, 12, 1, 13, 2, 14, 3, 15}},
        {"(2,(2,2)):(1,(2,4))", {0, 1, 2, 3, 4, 5, 6, 7}},
        {"(2,(2,2)):(4,(2,1))", {0, 4, 2, 6, 1, 5, 3, 7}},
        {"8:2", {0, 2, 4, 6, 8, 10, 12, 14}},
        {"((4,2)):((2,1))", {0, 2, 4, 6, 1, 3, 5, 7}},
        {"((4,2)):((1,4))", {0, 1, 2, 3, 4, 5, 6, 7}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cute layout = cute(rows[i].layout);
        for (uint64_t c = 0; c < 8; c++) assert_int_equal(tmap_cute_at(&layout, c), rows[i].values[c]);
    }
    tmap_cute matrix = cute("((2,2),2):((4,1),2)");
    static const int64_t rows_of_matrix[4][2] = {{0, 2}, {4, 6}, {1, 3}, {5, 7}};
    for (uint64_t i = 0; i < 4; i++)
        for (uint64_t j = 0; j < 2; j++)
            assert_int_equal(tmap_cute_at_modes(&matrix, (uint64_t[]){i, j}), rows_of_matrix[i][j]);
    assert_int_equal(tmap_cute_rank(&matrix), 2);
    assert_int_equal(tmap_cute_size(&matrix), 8);
    assert_int_equal(tmap_cute_cosize(&matrix), 8);
}

static void compatibility(void **state) {
    (void)state;
    static const char *const yes[][2] = {
        {"24", "(4,6)"},         {"(4,6)", "((2,2),6)"}, {"((2,2),6)", "((2,2),(3,2))"},
        {"24", "((2,2),(3,2))"}, {"24", "((2,3),4)"},    {"(4,6)", "(4,6)"}};
    static const char *const no[][2] = {{"24", "32"},          {"((2,3),4)", "((2,2),(3,2))"}, {"((2,2),6)", "(4,6)"},
                                        {"(4,6)", "24"},       {"(4,6)", "(4,6,1)"},           {"(4,6,1)", "(4,6)"},
                                        {"(6,4)", "((2,2),6)"}};
    for (size_t i = 0; i < COUNT(yes); i++) {
        tmap_cute a = cute(yes[i][0]), b = cute(yes[i][1]);
        assert_true(tmap_cute_compatible(&a, &b));
    }
    for (size_t i = 0; i < COUNT(no); i++) {
        tmap_cute a = cute(no[i][0]), b = cute(no[i][1]);
        assert_false(tmap_cute_compatible(&a, &b));
    }
}

/* The hardware's swizzles on byte addresses, from the table of room hw. */
static void swizzles(void **state) {
    (void)state;
    static const struct {
        const char *layout;
        tmap_swizzle swizzle;
    } rows[] = {{"Sw<3,4,3> o 2048:1", TMAP_SWIZZLE_128B},
                {"Sw<2,4,3> o 2048:1", TMAP_SWIZZLE_64B},
                {"Sw<1,4,3> o 2048:1", TMAP_SWIZZLE_32B}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cute layout = cute(rows[i].layout);
        for (uint64_t a = 0; a < 2048; a++)
            assert_int_equal(tmap_cute_at(&layout, a),
                             a ^ tmap_swizzle_mask(tmap_swizzle_get((int)rows[i].swizzle), a));
    }
    tmap_cute up = cute("Sw<2,1,-3> o 64:1");
    for (int64_t a = 0; a < 64; a++) assert_int_equal(tmap_cute_at(&up, (uint64_t)a), a ^ (a & 6) << 3);
}

/* ---- The algebra's examples ---- */

typedef tmap_status (*unary)(const tmap_cute *layout, tmap_cute *result, tmap_diag *error);
typedef tmap_status (*binary)(const tmap_cute *a, const tmap_cute *b, tmap_cute *result, tmap_diag *error);

static void expect_unary(unary f, const char *a, const char *expected) {
    tmap_cute layout = cute(a), result;
    assert_int_equal(f(&layout, &result, NULL), TMAP_OK);
    expect_print(&result, expected);
}

static void expect_binary(binary f, const char *a, const char *b, const char *expected) {
    tmap_cute left = cute(a), right = cute(b), result;
    tmap_diag error = {0};
    if (f(&left, &right, &result, &error) != TMAP_OK) fail_msg("%s, %s: %s", a, b, error.message);
    expect_print(&result, expected);
}

/* A tiler with these layouts as its modes. */
typedef struct tilers {
    tmap_cute layouts[4];
    tmap_cute_tiler modes[4], all;
} tilers;

static void tilers_of(const char *const *texts, int n, tilers *t) {
    for (int i = 0; i < n; i++) {
        t->layouts[i] = cute(texts[i]);
        t->modes[i] = (tmap_cute_tiler){.layout = &t->layouts[i]};
    }
    t->all = (tmap_cute_tiler){.modes = t->modes, .modes_n = n};
}

typedef tmap_status (*by_mode)(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result, tmap_diag *error);

static void expect_by(by_mode f, const char *a, const char *const *texts, int n, const char *expected) {
    tilers t;
    tmap_cute layout = cute(a), result;
    tmap_diag error = {0};
    tilers_of(texts, n, &t);
    if (f(&layout, &t.all, &result, &error) != TMAP_OK) fail_msg("%s: %s", a, error.message);
    expect_print(&result, expected);
}

static void coalesced(void **state) {
    (void)state;
    expect_unary(tmap_cute_coalesce, "(2,(1,6)):(1,(6,2))", "12:1");
    expect_unary(tmap_cute_coalesce_modes, "(2,(1,6)):(1,(6,2))", "(2,6):(1,2)");
    expect_unary(tmap_cute_coalesce, "(1,1):(7,9)", "1:0");
    expect_unary(tmap_cute_coalesce, "(3,4):(4,1)", "(3,4):(4,1)");
}

static void composed(void **state) {
    (void)state;
    expect_binary(tmap_cute_compose, "(6,2):(8,2)", "(4,3):(3,1)", "((2,2),3):((24,2),8)");
    expect_binary(tmap_cute_compose, "20:2", "(5,4):(4,1)", "(5,4):(8,2)");
    expect_binary(tmap_cute_compose, "(4,2):(1,100)", "2:4", "2:100"); /* 4 is (0,1) */
    expect_binary(tmap_cute_compose, "(10,2):(1,100)", "3:4", "3:4");  /* 0, 4, 8: all in the first mode */
    expect_binary(tmap_cute_compose, "(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))");
    expect_binary(tmap_cute_compose, "(3,6,2,8):(1000,100,10,1)", "16:9", "(2,2,4):(300,10,1)");
    expect_by(tmap_cute_compose_by, "(12,(4,8)):(59,(13,1))", (const char *[]){"3:4", "8:2"}, 2,
              "(3,(2,4)):(236,(26,1))");
    expect_by(tmap_cute_compose_by, "(12,(4,8)):(59,(13,1))", (const char *[]){"3", "8"}, 2, "(3,(4,2)):(59,(13,1))");
    expect_by(tmap_cute_compose_by, "(12,(4,8)):(59,(13,1))", (const char *[]){"3:4"}, 1, "(3,(4,8)):(236,(13,1))");
    expect_by(tmap_cute_compose_by, "Sw<1,2,3> o 5 o (8,8):(8,1)", (const char *[]){"4", "2:4"}, 2,
              "Sw<1,2,3> o 5 o (4,2):(8,4)");
}

static void a_swizzle_stays_outside(void **state) {
    (void)state;
    expect_binary(tmap_cute_compose, "Sw<3,3,3> o 0 o (8,64):(64,1)", "(8,8):(1,8)", "Sw<3,3,3> o 0 o (8,8):(64,1)");
}

static void compositions_that_are_refused(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"(4,6):(6,1)", "6:3"},             /* neither 3 nor 4 divides the other */
        {"(2,2):(1,10)", "(2,2):(1,1)"},    /* 1 + 1 carries into the leaf of stride 10 */
        {"(4,2):(1,100)", "(2,2):(3,2)"},   /* 3 + 2 carries, too, from two injective modes */
        {"(4,6):(6,1)", "4:-1"},            /* negative coordinates */
        {"(4,6):(6,1)", "Sw<1,1,1> o 4:1"}, /* coordinates out of a swizzle */
        {"(6,2):(8,2)", "(9):(1)"},         /* 6 does not divide 9 */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cute a = cute(rows[i][0]), b = cute(rows[i][1]), r;
        tmap_diag error = {0};
        assert_int_equal(tmap_cute_compose(&a, &b, &r, &error), TMAP_REFUSED);
    }
}

static void complements(void **state) {
    (void)state;
    static const char *const rows[][2] = {{"4:1", "6:4"},         {"6:4", "4:1"},
                                          {"(4,6):(1,4)", "1:0"}, {"4:2", "(2,3):(1,8)"},
                                          {"(2,4):(1,6)", "3:2"}, {"(2,2):(1,6)", "(3,2):(2,12)"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cute a = cute(rows[i][0]), r;
        assert_int_equal(tmap_cute_complement(&a, 24, &r, NULL), TMAP_OK);
        expect_print(&r, rows[i][1]);
    }
    tmap_cute twice = cute("(2,2):(1,1)"), r;
    assert_int_equal(tmap_cute_complement(&twice, 24, &r, NULL), TMAP_REFUSED);
}

static void divided(void **state) {
    (void)state;
    tmap_cute a = cute("(4,2,3):(2,1,8)"), tiler = cute("4:2"), r;
    assert_int_equal(tmap_cute_divide(TMAP_CUTE_LOGICAL, &a, BY(&tiler), &r, NULL), TMAP_OK);
    expect_print(&r, "((2,2),(2,3)):((4,1),(2,8))");
    assert_int_equal(tmap_cute_divide(TMAP_CUTE_FLAT, &a, BY(&tiler), &r, NULL), TMAP_OK);
    expect_print(&r, "(2,2,2,3):(4,1,2,8)");
    tmap_cute matrix = cute("(9,(4,8)):(59,(13,1))");
    tilers t;
    tilers_of((const char *[]){"3:3", "(2,4):(1,8)"}, 2, &t);
    static const char *const forms[] = {
        "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))",
        "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))",
        "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))",
        "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))",
    };
    for (int form = TMAP_CUTE_LOGICAL; form <= TMAP_CUTE_FLAT; form++) {
        assert_int_equal(tmap_cute_divide((tmap_cute_nesting)form, &matrix, &t.all, &r, NULL), TMAP_OK);
        expect_print(&r, forms[form]);
    }
}

/* A tiler of two modes for the first of three modes, and no tiler for the last mode. */
static void tilers_in_tilers(void **state) {
    (void)state;
    static const char *const forms[] = {
        "(((2,2),(2,3)),(2,4),5):(((1,2),(4,8)),(24,48),192)",
        "(((2,2),2),((2,3),4,5)):(((1,4),24),((2,8),48,192))",
        "(((2,2),2),(2,3),4,5):(((1,4),24),(2,8),48,192)",
        "((2,2),2,(2,3),4,5):((1,4),24,(2,8),48,192)",
    };
    tmap_cute a = cute("((4,6),8,5):((1,4),24,192)"), r;
    tilers inner, outer;
    tilers_of((const char *[]){"2", "2"}, 2, &inner);
    tilers_of((const char *[]){"1", "2"}, 2, &outer);
    outer.modes[0] = inner.all;
    for (int form = TMAP_CUTE_LOGICAL; form <= TMAP_CUTE_FLAT; form++) {
        assert_int_equal(tmap_cute_divide((tmap_cute_nesting)form, &a, &outer.all, &r, NULL), TMAP_OK);
        expect_print(&r, forms[form]);
    }
    assert_int_equal(tmap_cute_compose_by(&a, &outer.all, &r, NULL), TMAP_OK);
    expect_print(&r, "((2,2),2,5):((1,4),24,192)");
}

static void tilers_that_do_not_fit(void **state) {
    (void)state;
    tmap_cute a = cute("(4,6):(1,4)"), swizzled = cute("Sw<1,0,3> o 0 o (4,6):(1,4)"), r;
    tmap_diag error = {0};
    tilers t;
    tilers_of((const char *[]){"2", "2", "2"}, 3, &t);
    assert_int_equal(tmap_cute_divide(TMAP_CUTE_ZIPPED, &a, &t.all, &r, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "divide: 3 tilers; the layout's rank is 2");
    assert_int_equal(tmap_cute_product(TMAP_CUTE_LOGICAL, &a, &t.all, &r, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "product: 3 tilers; the layout's rank is 2");
    t.all.modes_n = 0;
    assert_int_equal(tmap_cute_compose_by(&a, &t.all, &r, &error), TMAP_REFUSED);
    t.all.modes_n = 2;
    assert_int_equal(tmap_cute_raked_product(&swizzled, &t.all, &r, &error), TMAP_REFUSED);
    tmap_cute_tiler deep[10];
    for (int i = 0; i < 9; i++) deep[i] = (tmap_cute_tiler){.modes = &deep[i + 1], .modes_n = 1};
    deep[9] = t.modes[0];
    assert_int_equal(tmap_cute_divide(TMAP_CUTE_LOGICAL, &a, &deep[0], &r, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "divide: tilers nested deeper than 8");
    assert_int_equal(tmap_cute_divide(TMAP_CUTE_LOGICAL, &a, &deep[2], &r, &error), TMAP_OK);
}

static tmap_status zipped_product(const tmap_cute *a, const tmap_cute *b, tmap_cute *r, tmap_diag *error) {
    return tmap_cute_product(TMAP_CUTE_ZIPPED, a, BY(b), r, error);
}

static tmap_status logical_product_by(const tmap_cute *a, const tmap_cute_tiler *b, tmap_cute *r, tmap_diag *error) {
    return tmap_cute_product(TMAP_CUTE_LOGICAL, a, b, r, error);
}

static tmap_status zipped_product_by(const tmap_cute *a, const tmap_cute_tiler *b, tmap_cute *r, tmap_diag *error) {
    return tmap_cute_product(TMAP_CUTE_ZIPPED, a, b, r, error);
}

static tmap_status blocked_product(const tmap_cute *a, const tmap_cute *b, tmap_cute *r, tmap_diag *error) {
    return tmap_cute_blocked_product(a, BY(b), r, error);
}

static tmap_status raked_product(const tmap_cute *a, const tmap_cute *b, tmap_cute *r, tmap_diag *error) {
    return tmap_cute_raked_product(a, BY(b), r, error);
}

static void products(void **state) {
    (void)state;
    tmap_cute a = cute("(2,2):(4,1)"), b = cute("6:1"), r;
    assert_int_equal(tmap_cute_product(TMAP_CUTE_LOGICAL, &a, BY(&b), &r, NULL), TMAP_OK);
    expect_print(&r, "((2,2),(2,3)):((4,1),(2,8))");
    expect_binary(zipped_product, "(2,2):(4,1)", "(4,2):(2,1)", "((2,2),(4,2)):((4,1),(8,2))");
    /* A 2x5 row-major block in a 3x4 column-major arrangement, and the same raked. */
    expect_binary(blocked_product, "(2,5):(5,1)", "(3,4):(1,3)", "(6,(5,4)):(5,(1,30))");
    expect_binary(raked_product, "(2,5):(5,1)", "(3,4):(1,3)", "((3,2),(4,5)):((10,5),(30,1))");
    /* The same arrangement by mode; its tiler depends on the block's strides. */
    static const char *const texts[] = {"3:5", "4:6"};
    expect_by(logical_product_by, "(2,5):(5,1)", texts, 2, "((2,3),(5,4)):((5,10),(1,30))");
    expect_by(zipped_product_by, "(2,5):(5,1)", texts, 2, "((2,5),(3,4)):((5,1),(10,30))");
    expect_by(tmap_cute_blocked_product, "(2,5):(5,1)", texts, 2, "(6,(5,4)):(5,(1,30))");
    expect_by(tmap_cute_raked_product, "(2,5):(5,1)", texts, 2, "((3,2),(4,5)):((10,5),(30,1))");
}

static void inverses(void **state) {
    (void)state;
    expect_unary(tmap_cute_right_inverse, "(4,8):(8,1)", "(8,4):(4,1)");
    expect_unary(tmap_cute_right_inverse, "(4,8):(1,5)", "4:1");
    expect_unary(tmap_cute_left_inverse, "(4,8):(8,1)", "(8,4):(4,1)");
}

static void runs_in_common(void **state) {
    (void)state;
    static const char *const rows[][3] = {
        {"(8,4):(1,8)", "(8,4):(1,8)", "32:1"},
        {"(8,4):(1,16)", "(8,4):(1,8)", "8:1"},
        {"(8,4):(4,1)", "(8,4):(1,8)", "1:0"},
        {"(8,4):(4,1)", "(8,4):(8,1)", "4:8"},
        {"(6,3):(1,100)", "18:1", "6:1"},
        {"(4,8):(4,1)", "(2,2,8):(8,32,1)", "8:4"},
        {"(4,8):(4,1)", "(2,2,8):(16,8,1)", "(8,2):(4,2)"},
        {"(4,8):(8,1)", "(2,2,8):(8,16,1)", "(8,4):(4,1)"},
        {"(2,4):(0,1)", "8:1", "1:0"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) expect_binary(tmap_cute_common, rows[i][0], rows[i][1], rows[i][2]);
}

/* ---- Errors ---- */

static void errors_have_places(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *says;
    } rows[] = {
        {"", 1, "an integer was expected"},
        {"(2,4):(1,)", 10, "an integer was expected"},
        {"(2,4):(1,2", 11, "the text ends where ')'"},
        {"(2,4):(1)", 9, "','"},
        {"(2,4):1", 7, "'('"},
        {"(2,4):((1,2),3)", 8, "a single stride was expected: the shape is 2"},
        {"(2,0):(1,2)", 4, "a shape of 0"},
        {"(2,-4)", 4, "a shape of -4"},
        {"8:1 x", 5, "the layout ends before this"},
        {"99999999999999999999", 1, "above 2^62"},
        {"Sw<3,4,2> o 8:1", 1, "is not a swizzle"},
        {"Sw<3,4> o 8:1", 7, "','"},
        {"Sw<3,4,3> 8:1", 11, "'o'"},
        {"ptr[b](0) o 8:1", 5, "an integer was expected"},
        {"ptr[24b](0) o 8:1", 4, "elements of 24 bits"},
        {"ptr[256b](0) o 8:1", 4, "elements of 256 bits"},
        {"2305843009213693953 o 8:1", 1, "an offset above 2^61"},
        {"-2305843009213693953 o 8:1", 1, "an offset above 2^61"},
        {"((((((((((((((((((8))))))))))))))))))", 17, "16 parentheses"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cute layout;
        tmap_diag error = {0};
        assert_int_equal(tmap_cute_parse(rows[i].text, strlen(rows[i].text), &layout, &error), TMAP_REFUSED);
        if (!strstr(error.message, rows[i].says)) fail_msg("%s: %s", rows[i].text, error.message);
        if ((int)error.at + 1 != rows[i].column) fail_msg("%s: column %d", rows[i].text, (int)error.at + 1);
    }
}

static void sizes_have_a_limit(void **state) {
    (void)state;
    tmap_cute layout, big = cute("4294967296:1073741824"), r;
    assert_int_equal(tmap_cute_parse("(4294967296,2147483648)", 23, &layout, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_cute_parse("3:4611686018427387904", 21, &layout, NULL), TMAP_REFUSED);
    tmap_cute scaled = cute("4:4294967296");
    assert_int_equal(tmap_cute_compose(&big, &scaled, &r, NULL), TMAP_REFUSED);
    tmap_cute far = cute("2:8589934592"); /* a stride of 2^63 */
    assert_int_equal(tmap_cute_compose(&big, &far, &r, NULL), TMAP_REFUSED);
    assert_int_equal(tmap_cute_product(TMAP_CUTE_LOGICAL, &big, BY(&big), &r, NULL), TMAP_REFUSED);
    /* 128 nodes are the most; the composition has (2,2) for 4. */
    char text[3 + 2 * 126 + 1] = "(4";
    for (int i = 0; i < 126; i++) memcpy(text + 2 + 2 * i, ",1", 2);
    memcpy(text + 2 + 2 * 126, ")", 2);
    tmap_cute pair = cute("(2,2):(1,10)"), most = cute(text);
    assert_int_equal(tmap_cute_compose(&pair, &most, &r, NULL), TMAP_REFUSED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints),
        cmocka_unit_test(values_are_the_documents),
        cmocka_unit_test(compatibility),
        cmocka_unit_test(swizzles),
        cmocka_unit_test(coalesced),
        cmocka_unit_test(composed),
        cmocka_unit_test(a_swizzle_stays_outside),
        cmocka_unit_test(compositions_that_are_refused),
        cmocka_unit_test(complements),
        cmocka_unit_test(divided),
        cmocka_unit_test(tilers_in_tilers),
        cmocka_unit_test(tilers_that_do_not_fit),
        cmocka_unit_test(products),
        cmocka_unit_test(runs_in_common),
        cmocka_unit_test(inverses),
        cmocka_unit_test(errors_have_places),
        cmocka_unit_test(sizes_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
