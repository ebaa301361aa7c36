/*
 * CuTe layouts: the examples of CuTe's public documentation ("CuTe Layouts", "CuTe Layout Algebra"). test_cute_laws.c
 * tests the definitions of the algebra on random layouts, test_cute_limits.c the limits and the errors.
 */
#include "cute_fixture.h"

#include "tmap/hw.h"

#define BY(tiler_) (&(tmap_cute_tiler){.layout = (tiler_)})

/* ---- Notation and function ---- */

TEST(prints) {
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
        {"_5 o 4:1", "Sw<0,0,0> o 5 o 4:1"},
        {"\t8\r\n:\t1 \n", "8:1"},
        {"4611686018427387904:0", "4611686018427387904:0"}, /* the largest size and the largest values */
        {"2:4611686018427387904", "2:4611686018427387904"},
        {"(4611686018427387904,1)", "(4611686018427387904,1):(1,4611686018427387904)"},
        {"2:-4611686018427387904", "2:-4611686018427387904"},
        {"1:-4611686018427387904", "1:-4611686018427387904"},
        {"((((((((((((((((8))))))))))))))))", "((((((((((((((((8)))))))))))))))):((((((((((((((((1))))))))))))))))"},
        {"Sw<20,22,-20> o 8:1", "Sw<20,22,-20> o 0 o 8:1"}, /* the limits of B, M and S */
        {"Sw<31,0,31> o 8:1", "Sw<31,0,31> o 0 o 8:1"},
        {"Sw<0,62,0> o 1 o 8:1", "Sw<0,62,0> o 1 o 8:1"},
        {"Sw<0,0,62> o 1 o 8:1", "Sw<0,0,62> o 1 o 8:1"},
        {"ptr[1b](0) o 8:1", "8:1"}, /* a swizzle of bytes becomes a swizzle of elements */
        {"gmem_ptr[128b](0x7f00) o 8:1", "8:1"},
        {"Sw<3,1,3>_ptr[16b](unset) o 8:1", "Sw<3,0,3> o 0 o 8:1"},
        {"Sw<3,4,3>_smem_ptr[128b](unset) o 8:1", "Sw<3,0,3> o 0 o 8:1"},
        {"Sw<1,4,3>_smem_ptr[1b](unset) o 8:1", "Sw<1,7,3> o 0 o 8:1"},
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

TEST(values_are_the_documents) {
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

TEST(compatibility) {
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

/* Each layout differs from the others in one part: a shape, a stride, the nesting, the offset or the swizzle. */
TEST(equality_is_of_every_part) {
    static const char *const rows[] = {"8:1",
                                       "9:1",
                                       "8:2",
                                       "(8):(1)",
                                       "(2,4)",
                                       "(2,4):(4,1)",
                                       "((2),2):((1),2)",
                                       "((2,2)):((1,2))",
                                       "2 o 8:1",
                                       "3 o 8:1",
                                       "Sw<1,4,3> o 8:1",
                                       "Sw<1,5,3> o 8:1",
                                       "Sw<1,4,4> o 8:1",
                                       "Sw<2,4,3> o 8:1"};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t k = 0; k < COUNT(rows); k++) {
            tmap_cute a = cute(rows[i]), b = cute(rows[k]);
            assert_int_equal(tmap_cute_equal(&a, &b), i == k);
        }
    tmap_cute none = cute("2 o 8:1"), of_no_bits = cute("Sw<0,4,3> o 2 o 8:1");
    of_no_bits.nodes[1].shape = 9; /* after the last node */
    assert_true(tmap_cute_equal(&none, &of_no_bits));
}

/* The hardware's swizzles on byte addresses, from the table of room hw. */
TEST(swizzles) {
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

static void expect_unary(unary f, const char *a, const char *expected) {
    tmap_cute layout = cute(a), result;
    assert_int_equal(f(&layout, &result, NULL), TMAP_OK);
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

TEST(coalesced) {
    expect_unary(tmap_cute_coalesce, "(2,(1,6)):(1,(6,2))", "12:1");
    expect_unary(tmap_cute_coalesce_modes, "(2,(1,6)):(1,(6,2))", "(2,6):(1,2)");
    expect_unary(tmap_cute_coalesce, "(1,1):(7,9)", "1:0");
    expect_unary(tmap_cute_coalesce, "(3,4):(4,1)", "(3,4):(4,1)");
}

TEST(composed) {
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

TEST(a_swizzle_stays_outside) {
    expect_binary(tmap_cute_compose, "Sw<3,3,3> o 0 o (8,64):(64,1)", "(8,8):(1,8)", "Sw<3,3,3> o 0 o (8,8):(64,1)");
}

TEST(compositions_that_are_refused) {
    static const char *const rows[][2] = {
        {"(4,6):(6,1)", "6:3"},             /* neither 3 nor 4 divides the other */
        {"(2,2):(1,10)", "(2,2):(1,1)"},    /* 1 + 1 carries into the leaf of stride 10 */
        {"(4,2):(1,100)", "(2,2):(3,2)"},   /* 3 + 2 carries, too, from two injective modes */
        {"(4,6):(6,1)", "4:-1"},            /* negative coordinates */
        {"(4,6):(6,1)", "Sw<1,1,1> o 4:1"}, /* a swizzle computes the coordinates */
        {"(6,2):(8,2)", "(9):(1)"},         /* 6 does not divide 9 */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cute a = cute(rows[i][0]), b = cute(rows[i][1]), r;
        tmap_diag error = {0};
        assert_int_equal(tmap_cute_compose(&a, &b, &r, &error), TMAP_REFUSED);
    }
}

TEST(complements) {
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

TEST(divided) {
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
TEST(tilers_in_tilers) {
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

TEST(tilers_that_do_not_fit) {
    tmap_cute a = cute("(4,6):(1,4)"), swizzled = cute("Sw<1,0,3> o 0 o (4,6):(1,4)"), r;
    tmap_diag error = {0};
    tilers t;
    tilers_of((const char *[]){"2", "2", "2"}, 3, &t);
    assert_int_equal(tmap_cute_divide(TMAP_CUTE_ZIPPED, &a, &t.all, &r, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "logical_divide: 3 tilers; the layout's rank is 2");
    assert_int_equal(tmap_cute_product(TMAP_CUTE_LOGICAL, &a, &t.all, &r, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "logical_product: 3 tilers; the layout's rank is 2");
    tmap_cute backwards = cute("4:-1");
    assert_int_equal(tmap_cute_product(TMAP_CUTE_LOGICAL, &a, BY(&backwards), &r, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "composition: stride -1 on the right");
    t.all.modes_n = 0;
    assert_int_equal(tmap_cute_compose_by(&a, &t.all, &r, &error), TMAP_REFUSED);
    t.all.modes_n = 2;
    assert_int_equal(tmap_cute_raked_product(&swizzled, &t.all, &r, &error), TMAP_REFUSED);
    tmap_cute_tiler deep[10];
    for (int i = 0; i < 9; i++) deep[i] = (tmap_cute_tiler){.modes = &deep[i + 1], .modes_n = 1};
    deep[9] = t.modes[0];
    assert_int_equal(tmap_cute_divide(TMAP_CUTE_LOGICAL, &a, &deep[0], &r, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "logical_divide: tilers nested deeper than 8");
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

TEST(products) {
    tmap_cute a = cute("(2,2):(4,1)"), b = cute("6:1"), r;
    assert_int_equal(tmap_cute_product(TMAP_CUTE_LOGICAL, &a, BY(&b), &r, NULL), TMAP_OK);
    expect_print(&r, "((2,2),(2,3)):((4,1),(2,8))");
    expect_binary(zipped_product, "(2,2):(4,1)", "(4,2):(2,1)", "((2,2),(4,2)):((4,1),(8,2))");
    /* A 2x5 row-major block in a 3x4 column-major arrangement, and the same raked. */
    expect_binary(blocked_product, "(2,5):(5,1)", "(3,4):(1,3)", "(6,(5,4)):(5,(1,30))");
    expect_binary(raked_product, "(2,5):(5,1)", "(3,4):(1,3)", "((3,2),(4,5)):((10,5),(30,1))");
    expect_binary(blocked_product, "4:1", "3:1", "(12):(1)"); /* one mode is still a tuple of modes */
    /* The same arrangement by mode; its tiler depends on the block's strides. */
    static const char *const texts[] = {"3:5", "4:6"};
    expect_by(logical_product_by, "(2,5):(5,1)", texts, 2, "((2,3),(5,4)):((5,10),(1,30))");
    expect_by(zipped_product_by, "(2,5):(5,1)", texts, 2, "((2,5),(3,4)):((5,1),(10,30))");
    expect_by(tmap_cute_blocked_product, "(2,5):(5,1)", texts, 2, "(6,(5,4)):(5,(1,30))");
    expect_by(tmap_cute_raked_product, "(2,5):(5,1)", texts, 2, "((3,2),(4,5)):((10,5),(30,1))");
}

TEST(inverses) {
    expect_unary(tmap_cute_right_inverse, "(4,8):(8,1)", "(8,4):(4,1)");
    expect_unary(tmap_cute_right_inverse, "(4,8):(1,5)", "4:1");
    expect_unary(tmap_cute_left_inverse, "(4,8):(8,1)", "(8,4):(4,1)");
    expect_unary(tmap_cute_left_inverse, "1:0", "1:0");
}

TEST(runs_in_common) {
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
