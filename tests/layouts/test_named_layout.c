/*
 * Named layouts: every fragment against the document's formula for the row and column of element i of a lane, written
 * out here; tensor memory, scale factors and shared operands against the documents' coordinates; and the table itself.
 */
#include "cmocka_all.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/language_named.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/register.h"

static tmap_result *evaluate(const char *name, const int64_t *numbers, int n) {
    const tmap_named_layout *named = tmap_named_layout_find(name);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_diag error;
    tmap_result *result = NULL;
    if (!named) fail_msg("no %s", name);
    if (tmap_named_layout_write(&sink, named, numbers, n, &error) != TMAP_OK ||
        tmap_evaluate(text.data, text.size, NULL, NULL, &result, &error) != TMAP_OK)
        fail_msg("%s: %s", name, error.message);
    tmap_text_free(&text);
    return result;
}

/* ---- Fragments ---- */

typedef struct at {
    uint64_t row, column;
} at;

/* l: lane or thread; i: element of its fragment; g and t as the PTX document's groupID and threadID_in_group. */
typedef at (*formula)(uint64_t l, uint64_t i);

#define FORMULA(name, row_, column_)                                                                                   \
    static at name(uint64_t l, uint64_t i) {                                                                           \
        uint64_t g = l % 32 / 4, t = l % 4;                                                                            \
        (void)i, (void)g, (void)t;                                                                                     \
        return (at){row_, column_};                                                                                    \
    }

/* Accumulators. */
FORMULA(c_m8n8, g, t * 2 + i)
FORMULA(c_m16n8, i < 2 ? g : g + 8, t * 2 + (i & 1))
/* f64, tf32: one element a register. */
FORMULA(a_m8n8k4, g, t)
FORMULA(b_m8n8k4, t, g)
FORMULA(a_m16n8k4, i == 0 ? g : g + 8, t)
FORMULA(a_m16n8k8, i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4)
FORMULA(b_m16n8k8, i == 0 ? t : t + 4, g)
FORMULA(a_m16n8k16_f64, i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t)
FORMULA(b_m16n8k16_f64, t + 4 * i, g)
/* 16 bits. */
FORMULA(a_m16n8k8_f16, i < 2 ? g : g + 8, t * 2 + (i & 1))
FORMULA(b_m16n8k8_f16, t * 2 + i, g)
FORMULA(a_m16n8k16_f16, i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0))
FORMULA(b_m16n8k16_f16, t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g)
/* 8 bits. */
FORMULA(a_m8n8k16_s8, g, t * 4 + i)
FORMULA(b_m8n8k16_s8, t * 4 + i, g)
FORMULA(a_m16n8k16_s8, i < 4 ? g : g + 8, t * 4 + (i & 3))
FORMULA(a_m16n8k32_s8, i < 4 || (i >= 8 && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i >= 8 ? 16 : 0))
FORMULA(b_m16n8k32_s8, t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g)
/* 4 bits. */
FORMULA(a_m8n8k32_s4, g, t * 8 + i)
FORMULA(b_m8n8k32_s4, t * 8 + i, g)
FORMULA(a_m16n8k32_s4, i < 8 ? g : g + 8, t * 8 + (i & 7))
FORMULA(a_m16n8k64_s4, i < 8 || (i >= 16 && i < 24) ? g : g + 8, t * 8 + (i & 7) + (i >= 16 ? 32 : 0))
FORMULA(b_m16n8k64_s4, t * 8 + (i & 7) + (i >= 8 ? 32 : 0), g)
/* Single bits. */
FORMULA(a_m8n8k128_b1, g, t * 32 + i)
FORMULA(b_m8n8k128_b1, t * 32 + i, g)
FORMULA(a_m16n8k128_b1, i < 32 ? g : g + 8, t * 32 + (i & 31))
FORMULA(a_m16n8k256_b1, i < 32 || (i >= 64 && i < 96) ? g : g + 8, t * 32 + (i & 31) + (i >= 64 ? 128 : 0))
FORMULA(b_m16n8k256_b1, t * 32 + (i & 31) + (i >= 32 ? 128 : 0), g)
/* ldmatrix: register r is row l / 4 of matrix r, elements 2 * (l % 4) and the next; .trans: of its transpose. */
FORMULA(ldmatrix, i / 2 * 8 + l / 4, l % 4 * 2 + i % 2)
FORMULA(ldmatrix_trans, i / 2 * 8 + l % 4 * 2 + i % 2, l / 4)
/*
 * m8n8k4 .f16: the document's row and column of computation l % 16 / 4, whose matrix is l % 16 / 4 x 8 rows further
 * down.
 */
#define COMPUTATION (l % 16 / 4)
#define HIGH        (l < 16 ? 0 : 4)
FORMULA(volta_a_row, 8 * COMPUTATION + l % 4 + HIGH, i)
FORMULA(volta_a_col, 8 * COMPUTATION + i % 4 + HIGH, l % 4)
FORMULA(volta_b_row, 4 * COMPUTATION + l % 4, i + HIGH)
FORMULA(volta_b_col, 4 * COMPUTATION + i, l % 4 + HIGH)
FORMULA(volta_c_f16, 8 * COMPUTATION + l % 4 + HIGH, i)
FORMULA(volta_c_f32, 8 * COMPUTATION + (l & 1) + (i & 2) + HIGH, (i & 4) + (l & 2) + (i & 1))
/*
 * Matrices of bytes: a register holds 4 elements. ldmatrix .m8n16 is like .m8n8.b16, with rows of the same length.
 * .m16n16.trans: register r of a matrix has four neighbours of column 8 r + l / 4, as B of m16n8k32 requires. stmatrix
 * .m16n8.trans: c0 to c3 of an accumulator of m16n8, whose transpose is in memory.
 */
FORMULA(ldmatrix_m8n16, i / 4 * 8 + l / 4, l % 4 * 4 + i % 4)
FORMULA(ldmatrix_m16n16, i / 8 * 16 + b_m8n8k16_s8(l, i % 4).row, i / 4 % 2 * 8 + b_m8n8k16_s8(l, i % 4).column)
FORMULA(stmatrix_m16n8, i / 4 * 8 + c_m16n8(l, i % 4).column, c_m16n8(l, i % 4).row)
/* wgmma: warp w has rows 16 w to 16 w + 15. */
FORMULA(wgmma_d, l / 32 * 16 + g + i / 2 % 2 * 8, i / 4 * 8 + t * 2 + i % 2)
FORMULA(wgmma_a_tf32, l / 32 * 16 + g + i % 2 * 8, t + i / 2 * 4)
FORMULA(wgmma_a_f16, l / 32 * 16 + a_m16n8k16_f16(l % 32, i).row, a_m16n8k16_f16(l % 32, i).column)
FORMULA(wgmma_a_8bit, l / 32 * 16 + a_m16n8k32_s8(l % 32, i).row, a_m16n8k32_s8(l % 32, i).column)
FORMULA(wgmma_a_b1, l / 32 * 16 + a_m16n8k256_b1(l % 32, i).row, a_m16n8k256_b1(l % 32, i).column)
/* tcgen05.ld: the closed forms of TVM's table of native images. */
FORMULA(ld_32x32b, l, i)
FORMULA(ld_16x32bx2, l % 16, l / 16 * 8 + i) /* .x8 */
FORMULA(ld_16x64b, l / 4 + 8 * (l % 2), l / 2 % 2 + 2 * i)
FORMULA(ld_16x128b, l / 4 + 8 * (i % 2), l % 4 + 4 * (i / 2))
FORMULA(ld_16x256b, l / 4 + 8 * (i / 2 % 2), i % 2 + 2 * (l % 4) + 8 * (i / 4))
FORMULA(wg_16x64b, l / 32 * 16 + ld_16x64b(l % 32, i).row, ld_16x64b(l % 32, i).column)
FORMULA(wg_16x128b, l / 32 * 16 + ld_16x128b(l % 32, i).row, ld_16x128b(l % 32, i).column)
FORMULA(wg_16x256b, l / 32 * 16 + ld_16x256b(l % 32, i).row, ld_16x256b(l % 32, i).column)
/* 128 rows, .x4: the low half's registers, then the high half's. */
FORMULA(wg128_16x64b, l / 32 * 32 + i / 4 * 16 + ld_16x64b(l % 32, i % 4).row, ld_16x64b(l % 32, i % 4).column)
FORMULA(wg128_16x128b, l / 32 * 32 + i / 8 * 16 + ld_16x128b(l % 32, i % 8).row, ld_16x128b(l % 32, i % 8).column)
FORMULA(wg128_16x256b, l / 32 * 32 + i / 16 * 16 + ld_16x256b(l % 32, i % 16).row, ld_16x256b(l % 32, i % 16).column)

typedef struct fragment {
    const char *name;
    int64_t number; /* the argument of the name; 0: the name has no argument */
    uint64_t rows, columns, threads;
    formula of;
} fragment;

static const fragment fragments[] = {
    {"mma_m8n8_c", 0, 8, 8, 32, c_m8n8},
    {"mma_m16n8_c", 0, 16, 8, 32, c_m16n8},
    {"mma_m8n8k4_f64_a", 0, 8, 4, 32, a_m8n8k4},
    {"mma_m8n8k4_f64_b", 0, 4, 8, 32, b_m8n8k4},
    {"mma_m16n8k4_f64_a", 0, 16, 4, 32, a_m16n8k4},
    {"mma_m16n8k4_f64_b", 0, 4, 8, 32, b_m8n8k4},
    {"mma_m16n8k8_f64_a", 0, 16, 8, 32, a_m16n8k8},
    {"mma_m16n8k8_f64_b", 0, 8, 8, 32, b_m16n8k8},
    {"mma_m16n8k16_f64_a", 0, 16, 16, 32, a_m16n8k16_f64},
    {"mma_m16n8k16_f64_b", 0, 16, 8, 32, b_m16n8k16_f64},
    {"mma_m16n8k4_tf32_a", 0, 16, 4, 32, a_m16n8k4},
    {"mma_m16n8k4_tf32_b", 0, 4, 8, 32, b_m8n8k4},
    {"mma_m16n8k8_tf32_a", 0, 16, 8, 32, a_m16n8k8},
    {"mma_m16n8k8_tf32_b", 0, 8, 8, 32, b_m16n8k8},
    {"mma_m16n8k8_f16_a", 0, 16, 8, 32, a_m16n8k8_f16},
    {"mma_m16n8k8_f16_b", 0, 8, 8, 32, b_m16n8k8_f16},
    {"mma_m16n8k16_f16_a", 0, 16, 16, 32, a_m16n8k16_f16},
    {"mma_m16n8k16_f16_b", 0, 16, 8, 32, b_m16n8k16_f16},
    {"mma_m8n8k16_s8_a", 0, 8, 16, 32, a_m8n8k16_s8},
    {"mma_m8n8k16_s8_b", 0, 16, 8, 32, b_m8n8k16_s8},
    {"mma_m16n8k16_s8_a", 0, 16, 16, 32, a_m16n8k16_s8},
    {"mma_m16n8k16_s8_b", 0, 16, 8, 32, b_m8n8k16_s8},
    {"mma_m16n8k32_s8_a", 0, 16, 32, 32, a_m16n8k32_s8},
    {"mma_m16n8k32_s8_b", 0, 32, 8, 32, b_m16n8k32_s8},
    {"mma_m8n8k32_s4_a", 0, 8, 32, 32, a_m8n8k32_s4},
    {"mma_m8n8k32_s4_b", 0, 32, 8, 32, b_m8n8k32_s4},
    {"mma_m16n8k32_s4_a", 0, 16, 32, 32, a_m16n8k32_s4},
    {"mma_m16n8k32_s4_b", 0, 32, 8, 32, b_m8n8k32_s4},
    {"mma_m16n8k64_s4_a", 0, 16, 64, 32, a_m16n8k64_s4},
    {"mma_m16n8k64_s4_b", 0, 64, 8, 32, b_m16n8k64_s4},
    {"mma_m8n8k128_b1_a", 0, 8, 128, 32, a_m8n8k128_b1},
    {"mma_m8n8k128_b1_b", 0, 128, 8, 32, b_m8n8k128_b1},
    {"mma_m16n8k128_b1_a", 0, 16, 128, 32, a_m16n8k128_b1},
    {"mma_m16n8k128_b1_b", 0, 128, 8, 32, b_m8n8k128_b1},
    {"mma_m16n8k256_b1_a", 0, 16, 256, 32, a_m16n8k256_b1},
    {"mma_m16n8k256_b1_b", 0, 256, 8, 32, b_m16n8k256_b1},
    {"mma_m8n8k4_f16_a_row", 0, 32, 4, 32, volta_a_row},
    {"mma_m8n8k4_f16_a_col", 0, 32, 4, 32, volta_a_col},
    {"mma_m8n8k4_f16_b_row", 0, 16, 8, 32, volta_b_row},
    {"mma_m8n8k4_f16_b_col", 0, 16, 8, 32, volta_b_col},
    {"mma_m8n8k4_f16_c", 0, 32, 8, 32, volta_c_f16},
    {"mma_m8n8k4_f32_c", 0, 32, 8, 32, volta_c_f32},
    {"ldmatrix_m8n16", 1, 8, 16, 32, ldmatrix_m8n16},
    {"ldmatrix_m8n16", 4, 32, 16, 32, ldmatrix_m8n16},
    {"ldmatrix_m16n16_trans", 1, 16, 16, 32, ldmatrix_m16n16},
    {"ldmatrix_m16n16_trans", 2, 32, 16, 32, ldmatrix_m16n16},
    {"stmatrix_m16n8_trans", 1, 8, 16, 32, stmatrix_m16n8},
    {"stmatrix_m16n8_trans", 4, 32, 16, 32, stmatrix_m16n8},
    {"ldmatrix", 4, 32, 8, 32, ldmatrix},
    {"ldmatrix", 1, 8, 8, 32, ldmatrix},
    {"ldmatrix_trans", 2, 16, 8, 32, ldmatrix_trans},
    {"wgmma_d", 8, 64, 8, 128, wgmma_d},
    {"wgmma_d", 256, 64, 256, 128, wgmma_d},
    {"wgmma_a_tf32", 0, 64, 8, 128, wgmma_a_tf32},
    {"wgmma_a_f16", 0, 64, 16, 128, wgmma_a_f16},
    {"wgmma_a_8bit", 0, 64, 32, 128, wgmma_a_8bit},
    {"wgmma_a_b1", 0, 64, 256, 128, wgmma_a_b1},
    {"tcgen05_32x32b", 128, 32, 128, 32, ld_32x32b},
    {"tcgen05_16x32bx2", 8, 16, 16, 32, ld_16x32bx2},
    {"tcgen05_16x64b", 16, 16, 32, 32, ld_16x64b},
    {"tcgen05_16x128b", 8, 16, 32, 32, ld_16x128b},
    {"tcgen05_16x256b", 32, 16, 256, 32, ld_16x256b},
    {"tcgen05_32x32b_wg", 4, 128, 4, 128, ld_32x32b},
    {"tcgen05_16x64b_wg", 4, 64, 8, 128, wg_16x64b},
    {"tcgen05_16x128b_wg", 2, 64, 8, 128, wg_16x128b},
    {"tcgen05_16x256b_wg", 2, 64, 16, 128, wg_16x256b},
    {"tcgen05_16x64b_wg128", 4, 128, 8, 128, wg128_16x64b},
    {"tcgen05_16x128b_wg128", 4, 128, 16, 128, wg128_16x128b},
    {"tcgen05_16x256b_wg128", 4, 128, 32, 128, wg128_16x256b},
};

static void expect_fragment(const fragment *f) {
    tmap_result *result = evaluate(f->name, &f->number, f->number > 0);
    assert_int_equal(tmap_result_value(result)->kind, TMAP_VALUE_REGISTER);
    const tmap_register_layout *layout = tmap_result_value(result)->as.data;
    uint64_t locals = f->rows * f->columns / f->threads;
    assert_int_equal(layout->modes.rank, 2);
    if (layout->modes.shape[0] != f->rows || layout->modes.shape[1] != f->columns ||
        tmap_register_threads_n(layout) != f->threads || tmap_register_locals_n(layout) != locals)
        fail_msg("%s: its shape", f->name);
    for (uint64_t l = 0; l < f->threads; l++) {
        for (uint64_t i = 0; i < locals; i++) {
            at expected = f->of(l, i);
            uint64_t index[2];
            tmap_register_index(layout, l, i, index);
            if (index[0] != expected.row || index[1] != expected.column)
                fail_msg("%s: lane %d, element %d", f->name, (int)l, (int)i);
        }
    }
    tmap_result_free(result);
}

TEST(fragments_are_the_documents) {
    for (size_t i = 0; i < COUNT(fragments); i++) expect_fragment(&fragments[i]);
}

/* Every layout of the groups above has a formula. */
TEST(every_fragment_is_held_to_a_formula) {
    static const char *const others[] = {"tmem", "scale", "shared"};
    const tmap_named_layout *row;
    for (int i = 0; (row = tmap_named_layout_get(i)) != NULL; i++) {
        bool found = false;
        for (size_t k = 0; k < COUNT(others); k++) found |= strcmp(row->group, others[k]) == 0;
        for (size_t k = 0; k < COUNT(fragments); k++) found |= strcmp(row->name, fragments[k].name) == 0;
        if (!found) fail_msg("%s", row->name);
    }
}

/* ---- Tensor memory and scale factors ---- */

static int64_t on_axis(const tmap_layout *layout, int64_t element, int64_t copy, const char *axis) {
    tmap_axis_values place;
    tmap_layout_place(layout, element, copy, &place);
    for (int i = 0; i < place.n; i++)
        if (strcmp(place.at[i].axis->name, axis) == 0) return place.at[i].value;
    return 0;
}

typedef struct datapath {
    const char *name;
    int64_t upper; /* -1: the layout has none */
    int64_t rows, columns;
} datapath;

TEST(data_paths) {
    static const datapath paths[] = {{"tmem_a", -1, 128, 8}, {"tmem_b", -1, 64, 8},  {"tmem_c", 0, 64, 8},
                                     {"tmem_c", 1, 64, 8},   {"tmem_d", -1, 128, 8}, {"tmem_e", -1, 64, 8},
                                     {"tmem_f", 1, 64, 8},   {"tmem_g", -1, 32, 8}};
    for (size_t p = 0; p < COUNT(paths); p++) {
        const datapath *path = &paths[p];
        int64_t numbers[] = {path->columns, path->upper};
        tmap_result *result = evaluate(path->name, numbers, path->upper < 0 ? 1 : 2);
        const tmap_layout *layout = tmap_result_value(result)->as.layout;
        assert_int_equal(tmap_layout_size(layout), path->rows * path->columns);
        for (int64_t e = 0; e < path->rows * path->columns; e++) {
            int64_t i = e / path->columns, j = e % path->columns, lane = i, column = j;
            if (strchr("be", path->name[5])) lane = i + 64 * (j / 4), column = j % 4;
            if (strchr("cf", path->name[5])) lane = i / 16 * 32 + i % 16 + 16 * path->upper;
            if (path->name[5] == 'g') lane = i + 32 * (j / 2), column = j % 2;
            assert_int_equal(on_axis(layout, e, 0, "TLane"), lane);
            assert_int_equal(on_axis(layout, e, 0, "TCol"), column);
        }
        tmap_result_free(result);
    }
}

/* Row i of 4 at lane i % 32, columns from i / 32 * 4 on, in four copies 32 lanes apart. */
TEST(scale_factors) {
    tmap_result *tmem = evaluate("scale_tmem", (int64_t[]){128}, 1),
                *shared = evaluate("scale_shared", (int64_t[]){256}, 1);
    const tmap_layout *layout = tmap_result_value(tmem)->as.layout;
    assert_int_equal(tmap_layout_copies(layout), 4);
    for (int64_t e = 0; e < 512; e++) {
        for (int64_t copy = 0; copy < 4; copy++) {
            assert_int_equal(on_axis(layout, e, copy, "TLane"), e / 4 % 32 + 32 * copy);
            assert_int_equal(on_axis(layout, e, copy, "TCol"), e / 4 / 32 * 4 + e % 4);
        }
    }
    layout = tmap_result_value(shared)->as.layout;
    for (int64_t e = 0; e < 1024; e++) {
        int64_t row = e / 4;
        assert_int_equal(on_axis(layout, e, 0, "m"), row / 128 * 512 + row % 32 * 16 + row % 128 / 32 * 4 + e % 4);
    }
    tmap_result_free(tmem);
    tmap_result_free(shared);
    tmap_result *atom = evaluate("scale_tmem_atom", (int64_t[]){4}, 1);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_layout_print(&sink, tmap_result_value(atom)->as.layout);
    assert_string_equal(text.data, "S[(32,4):(1@TLane,1@TCol)] + R[4:32@TLane]");
    tmap_text_free(&text);
    tmap_result_free(atom);
}

/* ---- Operands in shared memory ---- */

static void expect_operand(const char *name, int64_t bits, int64_t rows, int64_t columns, const char *expected) {
    tmap_result *result = evaluate(name, (int64_t[]){bits, rows, columns}, 3);
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_value_print(&sink, tmap_result_value(result));
    assert_string_equal(text.data, expected);
    tmap_text_free(&text);
    tmap_result_free(result);
}

TEST(shared_operands) {
    expect_operand("mma_shared_128B", 16, 64, 256, "swizzle(3,3,3) o S[(64,4,64):(64,4096,1)]");
    expect_operand("mma_shared_64B", 16, 64, 96, "swizzle(3,2,3) o S[(64,3,32):(32,2048,1)]");
    expect_operand("mma_shared_32B", 8, 8, 64, "swizzle(4,1,3) o S[(8,2,32):(32,256,1)]");
    expect_operand("mma_shared_none", 16, 64, 32, "S[(64,4,8):(8,512,1)]");
}

/*
 * The canonical MN-major layouts of the PTX ISA, of 16-byte rows of T elements: ((T,n,m),(8,k)) with strides
 * ((1,T,LBO),(nT,SBO)), n 2, 4 and 8 rows in an atom, and without a swizzle ((T,1,m),(8,k)):((1,T,SBO),(T,LBO)); here
 * blocks of rows are k columns apart. The swizzle XORs byte addresses: bits from 7 on into those from 4 on.
 */
typedef struct mn_operand {
    const char *name;
    uint64_t chunks, bits;    /* n, and the bits that are swizzled */
    uint64_t group, from, to; /* columns that repeat; for bytes: the bits that the swizzle moves */
} mn_operand;

static uint64_t mn_place(const mn_operand *o, uint64_t element_bits, uint64_t columns, uint64_t i, uint64_t j) {
    uint64_t t = 128 / element_bits, row = o->chunks * t, block = columns * row, bytes = element_bits / 8;
    uint64_t element =
        i % t + i / t % o->chunks * t + i / row * block + j % o->group * row + j / o->group * (o->group * row);
    uint64_t address = element * bytes;
    return (address ^ ((address >> o->from & ((1U << o->bits) - 1)) << o->to)) / bytes;
}

static void expect_mn(const mn_operand *o, const int64_t *numbers, int n, uint64_t element_bits) {
    uint64_t rows = (uint64_t)numbers[n - 2], columns = (uint64_t)numbers[n - 1];
    tmap_result *result = evaluate(o->name, numbers, n);
    const tmap_layout *layout = tmap_result_value(result)->as.layout;
    assert_int_equal(tmap_layout_size(layout), rows * columns);
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < columns; j++)
            assert_int_equal(on_axis(layout, (int64_t)(i * columns + j), 0, "m"),
                             mn_place(o, element_bits, columns, i, j));
    tmap_result_free(result);
}

TEST(mn_major_operands) {
    static const mn_operand operands[] = {{"mma_shared_mn_none", 1, 0, 8, 7, 4},
                                          {"mma_shared_mn_32B", 2, 1, 8, 7, 4},
                                          {"mma_shared_mn_64B", 4, 2, 8, 7, 4},
                                          {"mma_shared_mn_128B", 8, 3, 8, 7, 4}};
    for (size_t i = 0; i < COUNT(operands); i++)
        for (int64_t bits = 8; bits <= 32; bits *= 2)
            expect_mn(&operands[i], (int64_t[]){bits, 256, 24}, 3, (uint64_t)bits);
    /* tf32 in 32-byte atoms: four columns repeat, bits 7 and 8 are XORed into 5 and 6. */
    expect_mn(&(mn_operand){"mma_shared_mn_128B_atom32B", 8, 2, 4, 7, 5}, (int64_t[]){64, 12}, 2, 32);
    /* The contiguous operand is the transpose, K-major. */
    expect_operand("mma_shared_mn_128B", 16, 128, 64, "swizzle(3,3,3) o S[(2,64,64):(4096,1,64)]");
}

/* ---- The table ---- */

TEST(names_are_unique_words) {
    const tmap_named_layout *row;
    for (int i = 0; (row = tmap_named_layout_get(i)) != NULL; i++) {
        assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz0123456789_B"), strlen(row->name));
        assert_ptr_equal(tmap_named_layout_find(row->name), row);
        assert_true(row->group && row->text && row->about && row->source);
    }
    assert_null(tmap_named_layout_find("nothing"));
}

TEST(wrong_numbers_are_refused) {
    static const struct {
        const char *name;
        int64_t numbers[3];
        int n, operand;
    } rows[] = {{"wgmma_d", {12}, 1, 0},
                {"wgmma_d", {264}, 1, 0},
                {"ldmatrix", {3}, 1, 0},
                {"wgmma_d", {0}, 0, -1},
                {"tmem_c", {8, 2}, 2, 1},
                {"tmem_g", {6}, 1, 0},
                {"mma_m16n8_c", {1}, 1, -1},
                {"ldmatrix_m16n16_trans", {4}, 1, 0},
                {"mma_shared_128B", {16, 64, 100}, 3, 2},
                {"mma_shared_mn_64B", {16, 48, 64}, 3, 1},
                {"mma_shared_mn_64B", {16, 64, 20}, 3, 2},
                {"mma_shared_mn_64B", {-16, 64, 20}, 3, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        tmap_diag error;
        const tmap_named_layout *named = tmap_named_layout_find(rows[i].name);
        assert_int_equal(tmap_named_layout_write(&sink, named, rows[i].numbers, rows[i].n, &error), TMAP_REFUSED);
        assert_int_equal(error.operand, rows[i].operand);
        assert_null(text.data);
    }
}
