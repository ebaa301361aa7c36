/*
 * Bank conflicts and permutations. Expected numbers are the documents' ("Why swizzle", "Worked example",
 * "permute_layout") or counted here by brute force.
 */
#include "cmocka_all.h"
#include "tmap/unstable/banks.h"
#include "tmap/unstable/banks_permute.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/language.h"

#include <stdlib.h>

static tmap_layout layout_of(const char *text) {
    tmap_layout layout;
    tmap_diag error;
    if (tmap_layout_parse(text, strlen(text), &layout, &error) != TMAP_OK) fail_msg("%s: %s", text, error.message);
    return layout;
}

/* ---- Conflicts -------------------------------------------------------------------------------------------------- */

typedef struct pattern_source {
    tmap_pattern pattern;
    int64_t rows, columns;
    int bits, width;
} pattern_source;

static bool get_pattern(const void *context, uint64_t number, tmap_access *access) {
    const pattern_source *source = context;
    access->bits = source->bits, access->width = source->width;
    return tmap_pattern_access(source->pattern, source->rows, source->columns, source->width, number, access->lanes);
}

typedef struct conflict_row {
    const char *layout;
    pattern_source source;
    uint64_t instructions, phases, passes;
} conflict_row;

static void patterns(void **state) {
    (void)state;
    static const conflict_row rows[] = {
        /* A column of the (8, 64) f16 tile is in one bank: 8 rows give 8 passes. */
        {"S[(8,64):(64,1)]", {TMAP_PATTERN_COLUMN, 8, 64, 16, 1}, 64, 64, 512},
        {"swizzle(3,3,3) o S[(8,64):(64,1)]", {TMAP_PATTERN_COLUMN, 8, 64, 16, 1}, 64, 64, 64},
        {"S[(8,64):(64,1)]", {TMAP_PATTERN_LDMATRIX, 8, 64, 16, 8}, 8, 8, 64},
        {"swizzle(3,3,3) o S[(8,64):(64,1)]", {TMAP_PATTERN_LDMATRIX, 8, 64, 16, 8}, 8, 8, 8},
        /* Rows never conflict; two f16 share a word. */
        {"S[(8,64):(64,1)]", {TMAP_PATTERN_ROW, 8, 64, 16, 1}, 16, 16, 16},
        /* 8 bytes per lane: two phases of 16 lanes. 16 bytes per lane: four phases of 8 lanes. */
        {"S[(32,32):(32,1)]", {TMAP_PATTERN_ROW, 32, 32, 32, 2}, 32, 32, 32},
        {"S[(4,128):(128,1)]", {TMAP_PATTERN_ROW, 4, 128, 32, 4}, 4, 16, 16},
        /* The transposed f32 tile of 32 x 32: 32 rows in one bank; no conflicts if padded by one. */
        {"S[(32,32):(32,1)]", {TMAP_PATTERN_COLUMN, 32, 32, 32, 1}, 32, 32, 1024},
        {"S[(32,32):(33,1)]", {TMAP_PATTERN_COLUMN, 32, 32, 32, 1}, 32, 32, 32},
        /* Rows of 64 bytes: 8 rows of 4 lanes have 2-way conflicts. */
        {"S[(8,32):(32,1)]", {TMAP_PATTERN_FRAGMENT, 8, 32, 16, 2}, 4, 4, 16},
        {"swizzle(3,2,3) o S[(8,32):(32,1)]", {TMAP_PATTERN_FRAGMENT, 8, 32, 16, 2}, 4, 4, 4},
        /* Stride 0: all lanes read one word. */
        {"S[(1,32):(0,0)]", {TMAP_PATTERN_ROW, 1, 32, 32, 1}, 1, 1, 1},
        /* Lanes outside the matrix do nothing. */
        {"S[(3,5):(5,1)]", {TMAP_PATTERN_SQUARE, 3, 5, 32, 1}, 1, 1, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_layout layout = layout_of(rows[i].layout);
        tmap_accesses accesses = {get_pattern, &rows[i].source};
        tmap_conflicts total;
        tmap_diag error;
        if (tmap_conflicts_of(&layout, &accesses, &total, &error) != TMAP_OK)
            fail_msg("%s: %s", rows[i].layout, error.message);
        if (total.instructions != rows[i].instructions || total.phases != rows[i].phases ||
            total.passes != rows[i].passes)
            fail_msg("row %zu, %s: %d instructions, %d phases, %d passes", i, rows[i].layout, (int)total.instructions,
                     (int)total.phases, (int)total.passes);
        uint64_t phases = 0, passes = 0;
        for (int n = 1; n <= TMAP_LANES; n++) phases += total.histogram[n], passes += (uint64_t)n * total.histogram[n];
        assert_int_equal(phases, total.phases);
        assert_int_equal(passes, total.passes);
    }
}

/* "With swizzle, a read of any 8x16B column is conflict-free, under any format (32B / 64B / 128B)." */
static void columns_of_16_bytes(void **state) {
    (void)state;
    static const tmap_swizzle modes[] = {TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B};
    static const int sizes[] = {4, 8, 16, 32, 64};
    for (size_t m = 0; m < COUNT(modes); m++) {
        for (size_t s = 0; s < COUNT(sizes); s++) {
            tmap_layout atom;
            tmap_conflicts total;
            int64_t columns = (int64_t)tmap_swizzle_get((int)modes[m])->span_B * 8 / sizes[s];
            pattern_source source = {TMAP_PATTERN_LDMATRIX, 8, columns, sizes[s], 128 / sizes[s]};
            tmap_accesses accesses = {get_pattern, &source};
            assert_int_equal(tmap_layout_atom(sizes[s], modes[m], &atom, NULL), TMAP_OK);
            assert_int_equal(tmap_conflicts_of(&atom, &accesses, &total, NULL), TMAP_OK);
            assert_int_equal(total.phases, columns * sizes[s] / 128);
            assert_int_equal(total.passes, total.phases);
        }
    }
}

static void swizzles_that_remove_conflicts(void **state) {
    (void)state;
    static const struct {
        const char *layout;
        pattern_source source;
        const char *mode; /* NULL: not a swizzle of the hardware */
    } rows[] = {
        {"S[(8,64):(64,1)]", {TMAP_PATTERN_LDMATRIX, 8, 64, 16, 8}, "128B"},
        {"S[(64,32):(32,1)]", {TMAP_PATTERN_LDMATRIX, 64, 32, 16, 8}, "64B"},
        {"S[(64,16):(16,1)]", {TMAP_PATTERN_LDMATRIX, 64, 16, 16, 8}, "32B"},
        {"S[(64,8):(8,1)]", {TMAP_PATTERN_LDMATRIX, 64, 8, 16, 8}, "none"},
        {"S[(32,32):(32,1)]", {TMAP_PATTERN_COLUMN, 32, 32, 32, 1}, NULL},
        /* Rows wider than a line: the row number's bits select the banks. */
        {"S[(32,128):(128,1)]", {TMAP_PATTERN_COLUMN, 32, 128, 32, 1}, NULL},
        {"S[(8,1024):(1024,1)]", {TMAP_PATTERN_LDMATRIX, 8, 1024, 16, 8}, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_layout layout = layout_of(rows[i].layout);
        tmap_accesses accesses = {get_pattern, &rows[i].source};
        tmap_swizzle_search found;
        tmap_conflicts again;
        assert_int_equal(tmap_conflicts_remove(&layout, &accesses, &found, NULL), TMAP_OK);
        int mode = tmap_xor_mode(&found.swizzle, rows[i].source.bits);
        assert_int_equal(found.with.passes, found.with.phases);
        if (!rows[i].mode)
            assert_int_equal(mode, -1);
        else
            assert_string_equal(tmap_swizzle_get(mode)->name, rows[i].mode);
        assert_int_equal(tmap_layout_compose(&found.swizzle, &layout, &layout, NULL), TMAP_OK);
        assert_int_equal(tmap_conflicts_of(&layout, &accesses, &again, NULL), TMAP_OK);
        assert_int_equal(again.passes, found.with.passes);
    }
}

/* The passes of some lanes by brute force: the largest number of different words in one bank. */
static int count_passes(const int64_t *bytes, int lanes, int size) {
    int worst = 0;
    for (int bank = 0; bank < 32; bank++) {
        int64_t seen[128];
        int n = 0;
        for (int lane = 0; lane < lanes; lane++) {
            for (int64_t byte = bytes[lane]; byte < bytes[lane] + size; byte++) {
                int k = 0;
                if (byte / 4 % 32 != bank) continue;
                while (k < n && seen[k] != byte / 4) k++;
                if (k == n) seen[n++] = byte / 4;
            }
        }
        if (n > worst) worst = n;
    }
    return worst;
}

/*
 * All passes of a pattern with a swizzle of the addresses by brute force; -1 if the swizzle separates the elements of a
 * lane.
 */
static int64_t count_swizzled(const tmap_layout *layout, const pattern_source *source, int m, int b, int s,
                              bool outer) {
    int size = source->bits * source->width / 8, lanes = size <= 4 ? 32 : 128 / size;
    int64_t passes = 0, ones = ((int64_t)1 << b) - 1;
    tmap_access access;
    for (uint64_t number = 0; get_pattern(source, number, &access); number++) {
        for (int first = 0; first < 32; first += lanes) {
            int64_t bytes[32];
            int n = 0;
            for (int lane = first; lane < first + lanes; lane++) {
                if (access.lanes[lane] < 0) continue;
                for (int k = 0; k < source->width; k++) {
                    tmap_axis_values place;
                    tmap_layout_place(layout, access.lanes[lane] + k, 0, &place);
                    int64_t a = place.at[0].value, moved = a;
                    moved ^= outer ? (a >> m & ones) << (m + s) : (a >> (m + s) & ones) << m;
                    if (k == 0) bytes[n] = moved * source->bits / 8;
                    if (moved * source->bits / 8 != bytes[n] + k * source->bits / 8) return -1;
                }
                n++;
            }
            passes += count_passes(bytes, n, size);
        }
    }
    return passes;
}

/* Access n reads column 0 of some of the rows 0 to 9 of a tile: those of the bits of 2 n + 1. */
static bool get_rows(const void *context, uint64_t number, tmap_access *access) {
    (void)context;
    access->bits = 32, access->width = 1;
    for (int lane = 0; lane < TMAP_LANES; lane++)
        access->lanes[lane] = lane < 10 && ((2 * number + 1) >> lane & 1) ? 32 * lane : -1;
    return number < 512;
}

/*
 * 512 sets of rows, none of which is another set shifted by an XOR. Mode 128B moves the columns of rows 0 to 7 to
 * different banks; rows 8 and 9 then share banks with rows 0 and 1. A swizzle of 4 bits separates all ten.
 */
static void more_kinds_of_phases_than_are_listed(void **state) {
    (void)state;
    tmap_layout layout = layout_of("S[(32,32):(32,1)]");
    tmap_accesses accesses = {get_rows, NULL};
    tmap_swizzle_search found;
    uint64_t with_mode = 0;
    for (unsigned n = 0, set = 1; n < 512; n++, set += 2) with_mode += (set & (set >> 8)) != 0 ? 2 : 1;
    assert_int_equal(tmap_conflicts_remove(&layout, &accesses, &found, NULL), TMAP_OK);
    assert_int_equal(found.with.passes, 512);
    assert_int_equal(found.map_mode, TMAP_SWIZZLE_128B);
    assert_int_equal(found.map.passes, with_mode);
}

/* The fewest passes over the whole family of swizzles, counted one by one. */
static void no_swizzle_has_fewer_conflicts(void **state) {
    (void)state;
    static const struct {
        const char *layout;
        pattern_source source;
    } rows[] = {
        {"S[(32,64):(64,1)]", {TMAP_PATTERN_COLUMN, 32, 64, 32, 1}},
        {"S[(8,256):(256,1)]", {TMAP_PATTERN_LDMATRIX, 8, 256, 16, 8}},
        {"S[(12,40):(40,1)]", {TMAP_PATTERN_COLUMN, 12, 40, 32, 1}},
        {"S[(16,24):(32,1)]", {TMAP_PATTERN_FRAGMENT, 16, 24, 16, 2}},
        {"S[(40,6):(1,40)] + 3", {TMAP_PATTERN_SQUARE, 40, 6, 64, 1}},
        {"S[(64,16):(16,1)]", {TMAP_PATTERN_COLUMN, 64, 16, 8, 4}},
        {"S[(33,32):(96,1)]", {TMAP_PATTERN_COLUMN, 33, 32, 32, 1}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_layout layout = layout_of(rows[i].layout);
        tmap_accesses accesses = {get_pattern, &rows[i].source};
        tmap_swizzle_search found;
        int64_t fewest = INT64_MAX, of_found;
        for (int m = 0; m < 12; m++)
            for (int b = 0; b <= 6; b++)
                for (int s = b; m + b + s <= 13; s++)
                    for (int outer = 0; outer < 2; outer++) {
                        int64_t passes = count_swizzled(&layout, &rows[i].source, m, b, s, outer == 1);
                        if (passes >= 0 && passes < fewest) fewest = passes;
                    }
        assert_int_equal(tmap_conflicts_remove(&layout, &accesses, &found, NULL), TMAP_OK);
        of_found = count_swizzled(&layout, &rows[i].source, found.swizzle.m, found.swizzle.b, found.swizzle.s,
                                  found.swizzle.outer);
        if ((int64_t)found.with.passes != fewest || of_found != fewest)
            fail_msg("%s: %d passes, %d counted, %d are the fewest", rows[i].layout, (int)found.with.passes,
                     (int)of_found, (int)fewest);
    }
}

static void random_accesses(void **state) {
    (void)state;
    tmap_layout layout = layout_of("S[4096:1]");
    tmap_random random = {.state = 7};
    for (int round = 0; round < 2000; round++) {
        static const int widths[] = {1, 2, 4, 8, 16};
        int size = widths[round % 5], lanes = size <= 4 ? 32 : 128 / size, n;
        tmap_access access = {.bits = 8, .width = size};
        int64_t bytes[32];
        uint64_t range = round % 3 == 0 ? 16 : 4096;
        for (int lane = 0; lane < 32; lane++)
            access.lanes[lane] = bytes[lane] =
                (int64_t)(tmap_random_between(&random, 0, range / (uint64_t)size - 1)) * size;
        tmap_conflicts total = {0};
        tmap_phase phases[TMAP_PHASES_MAX];
        assert_int_equal(tmap_conflicts_add(&total, &layout, &access, phases, &n, NULL), TMAP_OK);
        assert_int_equal(n, 32 / lanes);
        for (int p = 0; p < n; p++) assert_int_equal(phases[p].passes, count_passes(&bytes[p * lanes], lanes, size));
    }
}

static void refused_accesses(void **state) {
    (void)state;
    static const struct {
        const char *layout;
        int bits, width;
        int64_t element;
        const char *message;
    } rows[] = {
        {"S[(8,64):(64,1)]", 16, 8, 4, "not a multiple of 16"},
        {"S[(8,64):(1,8)]", 16, 8, 0, "are not adjacent"},
        {"swizzle(1,3,3) o S[(8,64):(64,1)]", 16, 8, 16, "are not adjacent"},
        {"S[64]", 16, 8, 60, "of 64 elements"},
        {"S[64]", 16, 3, 0, "a lane touches 48 bits (width=3, elements of 16 bits)"},
        {"S[64:1@laneid]", 32, 1, 0, "axes other than m"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_layout layout = layout_of(rows[i].layout);
        tmap_access access = {.bits = rows[i].bits, .width = rows[i].width};
        tmap_conflicts total = {0};
        tmap_diag error;
        for (int lane = 0; lane < TMAP_LANES; lane++) access.lanes[lane] = lane == 3 ? rows[i].element : -1;
        assert_int_equal(tmap_conflicts_add(&total, &layout, &access, NULL, NULL, &error), TMAP_REFUSED);
        if (!strstr(error.message, rows[i].message)) fail_msg("row %zu: %s", i, error.message);
    }
}

/* ---- Permutations ----------------------------------------------------------------------------------------------- */

static tmap_permute_side side_of(const tmap_layout *layout, int bits) {
    tmap_permute_side side = {.layout = layout, .bits = bits};
    side.shape.rank = side.begin.rank = side.end.rank = layout->shard.n;
    for (int i = 0; i < layout->shard.n; i++) side.shape.at[i] = side.end.at[i] = layout->shard.at[i].extent;
    return side;
}

/* The demonstration program: two stages of 4 x 32, the box of stage s. "here shift = 3, mask = 3", P = 4. */
static void demonstration(void **state) {
    (void)state;
    tmap_layout pre = layout_of("S[(2,1,4,32):(128,128,32,1)]"), post = layout_of("S[(2,1,4,32):(128,128,1,4)]");
    for (int64_t s = 0; s < 2; s++) {
        tmap_permute_side source = side_of(&pre, 32), destination = side_of(&post, 32);
        tmap_permute plan;
        source.begin.at[0] = destination.begin.at[0] = s;
        source.end.at[0] = destination.end.at[0] = s + 1;
        assert_int_equal(tmap_permute_plan(&source, &destination, TMAP_LANES, &plan, NULL), TMAP_OK);
        assert_int_equal(plan.slots, 4);
        assert_int_equal(plan.shift, 3);
        assert_int_equal(plan.mask, 3);
        /* The generated IR: A[s*128 + (r ^ ((tx >> 3) & 3)) % 4 * 32 + tx], B[s*128 + tx*4 + (r ^ …) % 4]. */
        for (int tx = 0; tx < 32; tx++) {
            for (int r = 0; r < 4; r++) {
                int64_t j = (r ^ ((tx >> 3) & 3)) % 4;
                assert_int_equal(tmap_permute_address(&plan, false, tx, r), s * 128 + j * 32 + tx);
                assert_int_equal(tmap_permute_address(&plan, true, tx, r), s * 128 + tx * 4 + j);
            }
        }
        assert_int_equal(plan.reads.passes, 4);
        assert_int_equal(plan.writes.passes, 4);
    }
}

typedef struct plan_row {
    const char *source, *destination;
    int bits, k; /* -1: refused, with this message */
    const char *message;
} plan_row;

static const plan_row plan_rows[] = {
    {"S[(4,32):(32,1)]", "S[(4,32):(1,4)]", 32, 2, NULL},
    {"S[(32,32):(32,1)]", "S[(32,32):(1,32)]", 32, 5, NULL},
    {"S[(8,32):(32,1)]", "S[(8,32):(1,8)]", 32, 3, NULL},
    {"S[(4,32):(32,1)]", "S[(4,32):(32,1)]", 32, 0, NULL},
    {"S[128]", "S[(4,32):(1,4)]", 32, 2, NULL},              /* split along the other dimension */
    {"S[(32,32):(32,1)]", "S[(32,32):(32,1)]", 8, 5, NULL},  /* four neighbours in a word, which 32 slots separate */
    {"S[(4,32):(32,1)]", "S[(4,32):(32,1)]", 8, 2, NULL},    /* word lane / 4 + 8 (r ^ lane % 4) */
    {"S[(2,32):(32,1)]", "S[(2,32):(32,1)]", 8, -1, "no k"}, /* 2 slots do not separate them */
    {"S[(32,4):(1,32)]", "S[(32,4):(1,32)]", 64, 0, NULL},   /* with the dimensions exchanged */
    {"S[(16,16):(16,1)]", "S[(16,16):(1,16)]", 32, 3, NULL}, /* lanes 2 apart in another order: shift 1 */
    {"S[(8,8):(8,1)]", "S[(8,8):(1,8)]", 64, -1, "no k"},    /* two slots for four lanes of a bank */
    {"S[(4,32):(32,1)]", "S[(4,32):(1,4)]", 64, 2, NULL},    /* 16 lanes at a time */
    {"S[(4,32):(32,1)]", "S[(4,32):(1,4)]", 128, 2, NULL},   /* 8 lanes at a time */
    {"S[(4,32):(32,1)]", "S[(4,32):(32,1)]", 128, 0, NULL},
    {"S[(4,32):(64,1)]", "S[(4,32):(1,8)]", 32, -1, "all have conflicts in the writes"},
    {"S[(6,32):(32,1)]", "S[(6,32):(1,6)]", 32, -1, "192 elements for 32 lanes"},
    {"S[(64,32):(32,1)]", "S[(64,32):(1,64)]", 32, -1, "2048 elements for 32 lanes"},
    {"S[(4,4):(4,1)]", "S[(4,4):(1,4)]", 32, -1, "16 elements for 32 lanes"},
    {"swizzle(2,3,3) o S[(4,32):(32,1)]", "S[(4,32):(1,4)]", 32, -1, "has a swizzle"},
    {"S[(4,32):(32,1)]", "S[(4,32):(1,4)] + R[2:128]", 32, -1, "has copies"},
    {"S[(4,32):(32,1@laneid)]", "S[(4,32):(1,4)]", 32, -1, "other than m: laneid"},
    {"S[(4,32):(32,1)]", "S[(4,32):(0,1)]", 32, -1, "two elements of the box have one place"},
    {"S[(4,32):(32,1)]", "S[(4,16):(1,4)]", 32, -1, "dimension 1 of the box is 32 and 16"},
    {"S[(4,32):(32,1)]", "S[(2,2,32):(2,1,4)]", 32, -1, "boxes of rank 2 and 3"},
    {"S[(4,32):(32,1)]", "S[(4,32):(1,4)]", 4, -1, "elements of 4 bits"},
    {"S[(3,64):(64,1)]", "S[(3,64):(1,3)]", 32, -1, "192 elements"},
};

static void plans(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(plan_rows); i++) {
        const plan_row *row = &plan_rows[i];
        tmap_layout from = layout_of(row->source), to = layout_of(row->destination);
        tmap_permute_side source = side_of(&from, row->bits), destination = side_of(&to, row->bits);
        if (from.shard.n == 1 && to.shard.n == 2)
            source.shape = destination.shape, source.end = destination.end, source.begin = destination.begin;
        tmap_permute plan;
        tmap_diag error = {.operand = -1};
        tmap_status status = tmap_permute_plan(&source, &destination, TMAP_LANES, &plan, &error);
        if ((status == TMAP_OK) != (row->k >= 0)) fail_msg("row %zu: %s", i, error.message);
        if (status == TMAP_OK)
            assert_int_equal(plan.k, row->k);
        else if (!strstr(error.message, row->message))
            fail_msg("row %zu: %s", i, error.message);
    }
    tmap_layout layout = layout_of("S[(4,32):(32,1)]");
    tmap_permute_side side = side_of(&layout, 32), other = side_of(&layout, 16);
    tmap_permute plan;
    tmap_diag error;
    assert_int_equal(tmap_permute_plan(&side, &side, 48, &plan, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "48 threads");
    assert_int_equal(tmap_permute_plan(&side, &other, TMAP_LANES, &plan, &error), TMAP_REFUSED);
    assert_string_equal(error.message, "the source has elements of 32 bits, the destination elements of 16 bits");
}

/* The 32 words of a slot, of 4 bytes each, in 32 banks. */
static void expect_banks(const tmap_permute *plan, bool destination) {
    for (int r = 0; r < plan->slots; r++) {
        uint32_t banks = 0;
        for (int lane = 0; lane < 32; lane++)
            banks |= (uint32_t)1 << tmap_permute_address(plan, destination, lane, r) % 32;
        assert_int_equal(banks, UINT32_MAX);
    }
}

/* TIRx: "4-byte dtypes always admit a valid k". */
static void transposes_of_words(void **state) {
    (void)state;
    int n = 0;
    for (int rows = 2; rows <= 32; rows *= 2) {
        for (int columns = 2; columns <= 64; columns *= 2) {
            if (rows * columns < 32 || rows * columns > 1024) continue;
            char text[2][64];
            snprintf(text[0], sizeof *text, "S[(%d,%d):(%d,1)]", rows, columns, columns);
            snprintf(text[1], sizeof *text, "S[(%d,%d):(1,%d)]", rows, columns, rows);
            tmap_layout from = layout_of(text[0]), to = layout_of(text[1]);
            tmap_permute_side source = side_of(&from, 32), destination = side_of(&to, 32);
            tmap_permute plan;
            tmap_diag error;
            if (tmap_permute_plan(&source, &destination, TMAP_LANES, &plan, &error) != TMAP_OK)
                fail_msg("%s: %s", text[0], error.message);
            expect_banks(&plan, false), expect_banks(&plan, true);
            n++;
        }
    }
    assert_int_equal(n, 23);
}

/* Executes the threads in the order of the schedule, all reads before all writes, also in place. */
static void execute(const plan_row *row, int threads) {
    static int64_t memory[4096], registers[128][32];
    tmap_layout from = layout_of(row->source), to = layout_of(row->destination);
    tmap_permute_side source = side_of(&from, row->bits), destination = side_of(&to, row->bits);
    tmap_permute plan;
    assert_int_equal(tmap_permute_plan(&source, &destination, threads, &plan, NULL), TMAP_OK);
    assert_int_equal(plan.warps, threads / 32);
    assert_int_equal(plan.reads.passes, plan.reads.phases);
    assert_int_equal(plan.writes.passes, plan.writes.phases);
    assert_int_equal(plan.reads.instructions, plan.slots * plan.warps);
    for (int64_t x = 0; x < tmap_layout_size(&from); x++) {
        tmap_axis_values place;
        tmap_layout_place(&from, x, 0, &place);
        memory[place.at[0].value] = x;
    }
    for (int thread = 0; thread < threads; thread++)
        for (int r = 0; r < plan.slots; r++)
            registers[thread][r] = memory[tmap_permute_address(&plan, false, thread, r)];
    for (int thread = 0; thread < threads; thread++)
        for (int r = 0; r < plan.slots; r++)
            memory[tmap_permute_address(&plan, true, thread, r)] = registers[thread][r];
    for (int64_t x = 0; x < tmap_layout_size(&from); x++) {
        tmap_axis_values place;
        tmap_layout_place(&to, x, 0, &place);
        assert_int_equal(memory[place.at[0].value], x);
    }
}

static void schedule(void **state) {
    (void)state;
    static const plan_row of_blocks = {"S[(64,64):(64,1)]", "S[(64,64):(1,64)]", 32, 0, NULL};
    for (size_t i = 0; i < COUNT(plan_rows); i++)
        if (plan_rows[i].k >= 0 && strchr(plan_rows[i].source, '(')) execute(&plan_rows[i], 32);
    execute(&of_blocks, 128);
}

/* A falling stage stride: the last of three stages has the lowest addresses, from `offset` - 256 on. */
static void the_lowest_stage_is_not_below_0(void **state) {
    (void)state;
    static const struct {
        const char *layout;
        const char *message;
    } rows[] = {
        {"S[(3,4,32):(-128,32,1)] + 256", NULL},
        {"S[(3,4,32):(-128,32,1)] + 255", "an element of the box is at -1"},
        {"S[(3,4,32):(-128,-32,1)] + 352", NULL},
        {"S[(3,4,32):(-128,-32,1)] + 351", "an element of the box is at -1"},
        {"S[(3,4,32):(128,-32,1)] + 95", "an element of the box is at -1"},
        {"S[(3,4,32):(128,32,1)]", NULL},
    };
    tmap_layout to = layout_of("S[(3,4,32):(128,1,4)]");
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int turned = 0; turned < 2; turned++) {
            tmap_layout from = layout_of(rows[i].layout);
            tmap_permute_side source = side_of(&from, 32), destination = side_of(&to, 32);
            source.has_stage = destination.has_stage = true;
            tmap_permute plan;
            tmap_diag error = {.operand = -2};
            tmap_status status = tmap_permute_plan(turned ? &destination : &source, turned ? &source : &destination,
                                                   TMAP_LANES, &plan, &error);
            assert_int_equal(status, rows[i].message ? TMAP_REFUSED : TMAP_OK);
            if (rows[i].message) {
                assert_string_equal(error.message, rows[i].message);
                assert_int_equal(error.operand, turned);
            } else {
                assert_int_equal(plan.stages, 3);
            }
        }
    }
}

static bool has_long_number(const char *text) {
    for (const char *at = text + 1; (at = strstr(at, "ll")) != NULL; at++)
        if (at[-1] >= '0' && at[-1] <= '9') return true;
    return false;
}

/* The code has 64-bit indices if and only if the largest index of a side exceeds 2^31 - 1. */
static void wide_indices(void **state) {
    (void)state;
    static const struct {
        const char *layout;
        bool wide;
    } rows[] = {
        {"S[(3,4,32):(1073741760,32,1)]", false}, /* 2 x 1073741760 + 127 = 2^31 - 1 */
        {"S[(3,4,32):(1073741760,32,1)] + 1", true}, {"S[(3,4,32):(-1073741760,32,1)] + 2147483648", true},
        {"S[(1,4,32):(1,715827872,1)]", false}, /* 3 x 715827872 + 31 = 2^31 - 1 */
        {"S[(1,4,32):(1,715827873,1)]", true},       {"S[(1,4,32):(1,32,1)] + 2147483520", false},
        {"S[(1,4,32):(1,32,1)] + 2147483521", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (int turned = 0; turned < 2; turned++) {
            tmap_layout from = layout_of(rows[i].layout),
                        to = layout_of(i < 3 ? "S[(3,4,32):(128,1,4)]" : "S[(1,4,32):(1,32,1)]");
            tmap_permute_side a = side_of(&from, 32), b = side_of(&to, 32);
            a.has_stage = b.has_stage = true;
            tmap_permute plan;
            tmap_text text = {0};
            tmap_sink sink = tmap_text_sink(&text);
            assert_int_equal(tmap_permute_plan(turned ? &b : &a, turned ? &a : &b, TMAP_LANES, &plan, NULL), TMAP_OK);
            tmap_permute_cuda(&sink, "permute", &plan);
            if (has_long_number(text.data) != rows[i].wide) fail_msg("%s:\n%s", rows[i].layout, text.data);
            tmap_text_free(&text);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),
        cmocka_unit_test(columns_of_16_bytes),
        cmocka_unit_test(swizzles_that_remove_conflicts),
        cmocka_unit_test(more_kinds_of_phases_than_are_listed),
        cmocka_unit_test(no_swizzle_has_fewer_conflicts),
        cmocka_unit_test(random_accesses),
        cmocka_unit_test(refused_accesses),
        cmocka_unit_test(demonstration),
        cmocka_unit_test(plans),
        cmocka_unit_test(transposes_of_words),
        cmocka_unit_test(schedule),
        cmocka_unit_test(the_lowest_stage_is_not_below_0),
        cmocka_unit_test(wide_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
