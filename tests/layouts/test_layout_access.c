/*
 * Bank conflicts. Expected numbers are the documents' ("Why swizzle", "Worked example") or counted here by brute force.
 */
#include "layout_fixture.h"
#include "tmap/unstable/banks.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/language.h"

#include <stdlib.h>

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

TEST(patterns) {
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

/* Elements of 16 bytes: the byte address of element 2^59 - 1 fits 63 bits, the next one does not. */
TEST(the_last_address) {
    for (int64_t more = 0; more < 2; more++) {
        tmap_layout layout = layout_of("S[32:0] + (2^59 - 1)");
        tmap_access access = {128, 1, {0}};
        tmap_conflicts total = {0};
        tmap_diag error;
        layout.offset.at[0].value += more;
        tmap_status status = tmap_conflicts_add(&total, &layout, &access, NULL, NULL, &error);
        assert_int_equal(status, more ? TMAP_REFUSED : TMAP_OK);
        if (more) assert_string_equal(error.message, "element 0 is at 576460752303423488");
    }
}

/* "With swizzle, a read of any 8x16B column is conflict-free, under any format (32B / 64B / 128B)." */
TEST(columns_of_16_bytes) {
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

TEST(swizzles_that_remove_conflicts) {
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
    int64_t seen[32][128];
    int n[32] = {0}, worst = 0;
    for (int lane = 0; lane < lanes; lane++)
        for (int64_t byte = bytes[lane]; byte < bytes[lane] + size; byte++) {
            int64_t word = byte / 4, bank = word % 32;
            int k = 0;
            while (k < n[bank] && seen[bank][k] != word) k++;
            if (k == n[bank]) seen[bank][n[bank]++] = word;
            if (n[bank] > worst) worst = n[bank];
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
TEST(more_kinds_of_phases_than_are_listed) {
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
TEST(no_swizzle_has_fewer_conflicts) {
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

/* ---- Random searches -------------------------------------------------------------------------------------------- */

enum { ACCESSES_MAX = 6 };

typedef struct few_accesses {
    int n;
    tmap_access at[ACCESSES_MAX];
} few_accesses;

static bool get_few(const void *context, uint64_t number, tmap_access *access) {
    const few_accesses *few = context;
    if (number < (uint64_t)few->n) *access = few->at[number];
    return number < (uint64_t)few->n;
}

/* Some lanes of a warp with random aligned elements, of which several may be equal. */
static few_accesses random_few(tmap_random *random, int64_t elements) {
    static const int bits[] = {8, 16, 32, 64, 128}, widths[] = {1, 2, 4, 8, 16};
    few_accesses few = {.n = (int)tmap_random_between(random, 1, ACCESSES_MAX)};
    int size = bits[tmap_random_next(random) % COUNT(bits)], width;
    do width = widths[tmap_random_next(random) % COUNT(widths)];
    while (size * width > 128);
    uint64_t lanes = tmap_random_between(random, 2, 12);
    int64_t step = (int64_t)1 << tmap_random_between(random, 2, 6);
    for (int i = 0; i < few.n; i++) {
        few.at[i] = (tmap_access){.bits = size, .width = width};
        for (int lane = 0; lane < TMAP_LANES; lane++) few.at[i].lanes[lane] = -1;
        for (uint64_t k = 0; k < lanes; k++) {
            int64_t x = (int64_t)tmap_random_between(random, 0, (uint64_t)elements / (uint64_t)width - 1);
            if (x * step < elements / width) x *= step;
            few.at[i].lanes[tmap_random_next(random) % TMAP_LANES] = x * width;
        }
    }
    return few;
}

/* The passes with a swizzle of the addresses, which are the elements' numbers; -1 if it separates a lane's elements. */
static int64_t passes_of_few(const few_accesses *few, int m, int b, int s, bool outer) {
    int width = few->at[0].width, size = few->at[0].bits * width / 8, lanes = size <= 4 ? 32 : 128 / size;
    int64_t passes = 0, ones = ((int64_t)1 << b) - 1;
    if (b > 0 && width > 1 << m) return -1;
    for (int i = 0; i < few->n; i++)
        for (int first = 0; first < 32; first += lanes) {
            int64_t bytes[32];
            int n = 0;
            for (int lane = first; lane < first + lanes; lane++) {
                int64_t a = few->at[i].lanes[lane];
                if (a >= 0)
                    bytes[n++] =
                        (a ^ (outer ? (a >> m & ones) << (m + s) : (a >> (m + s) & ones) << m)) * few->at[i].bits / 8;
            }
            passes += count_passes(bytes, n, size);
        }
    return passes;
}

/*
 * The fewest passes of all swizzles and of the hardware's modes, and the number of swizzles that were tried: the modes
 * for this type; if none is without conflicts, the swizzles that change a bit of a line of 128 bytes and reach no bit
 * above the last element's.
 */
TEST(random_searches) {
    static const struct {
        tmap_swizzle mode;
        int m, b, s; /* in bytes; the CUDA documentation of the modes, as XORs of address bits */
    } modes[] = {{TMAP_SWIZZLE_NONE, 0, 0, 0},
                 {TMAP_SWIZZLE_32B, 4, 1, 3},
                 {TMAP_SWIZZLE_64B, 4, 2, 3},
                 {TMAP_SWIZZLE_128B, 4, 3, 3},
                 {TMAP_SWIZZLE_128B_ATOM_32B, 5, 2, 2}};
    tmap_random random = {.state = 5};
    int searched = 0;
    for (int round = 0; round < 250; round++) {
        int top = (int)tmap_random_between(&random, 5, 11);
        int64_t elements = ((int64_t)1 << top) - (int64_t)tmap_random_between(&random, 0, ((uint64_t)1 << top) / 2 - 1);
        few_accesses few = random_few(&random, elements);
        int line = 0, shift = 0;
        while (8 << shift < few.at[0].bits) shift++;
        line = 7 - shift;
        tmap_layout layout = {.shard = {.n = 1, .at = {{elements, 1, tmap_axis_find("m")}}}};
        tmap_swizzle_search found;
        tmap_accesses accesses = {get_few, &few};
        assert_int_equal(tmap_conflicts_remove(&layout, &accesses, &found, NULL), TMAP_OK);
        int64_t of_modes = INT64_MAX, fewest, all = 0;
        for (size_t i = 0; i < COUNT(modes); i++) {
            int64_t passes = passes_of_few(&few, modes[i].m - (modes[i].b ? shift : 0), modes[i].b, modes[i].s, false);
            if (passes >= 0 && passes < of_modes) of_modes = passes;
        }
        fewest = of_modes;
        for (int b = 1; b <= 12; b++)
            for (int m = 0; m <= 12; m++)
                for (int s = b; m + b + s <= 13; s++)
                    for (int outer = 0; outer < 2; outer++) {
                        int64_t passes = passes_of_few(&few, m, b, s, outer == 1);
                        if (passes < 0) continue;
                        if (passes < fewest) fewest = passes;
                        all += m + b <= line && m + b + s <= top && (outer == 0 || m + s < line);
                    }
        if ((int64_t)found.with.passes != fewest || (int64_t)found.map.passes > of_modes)
            fail_msg("round %d: %d and %d passes, not %d and %d", round, (int)found.with.passes, (int)found.map.passes,
                     (int)fewest, (int)of_modes);
        assert_int_equal(passes_of_few(&few, found.swizzle.m, found.swizzle.b, found.swizzle.s, found.swizzle.outer),
                         fewest);
        bool all_tried = found.map.passes > found.map.phases;
        assert_int_equal(found.with.phases, found.map.phases);
        assert_true(all_tried ? found.tried > (uint64_t)all && found.tried <= (uint64_t)all + 9
                              : found.tried >= 1 && found.tried <= 9);
        searched += all_tried;
    }
    assert_true(searched > 50);
}

TEST(random_accesses) {
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

TEST(refused_accesses) {
    static const struct {
        const char *layout;
        int bits, width;
        int64_t element;
        const char *message;
    } rows[] = {
        {"S[(8,64):(64,1)]", 16, 8, 4, "not a multiple of 16"},
        {"S[(8,64):(1,8)]", 16, 2, 0, "elements 0 and 1, which are not adjacent"},
        {"swizzle(1,3,3) o S[(8,64):(64,1)]", 16, 8, 16, "are not adjacent"},
        {"S[64]", 16, 8, 60, "of 64 elements"},
        {"S[64]", 16, 3, 0, "a lane touches 48 bits (width=3, elements of 16 bits)"},
        {"S[64:1@laneid]", 32, 1, 0, "an axis other than m"},
        {"S[(8,8):(1@laneid,1)]", 32, 1, 0, "an axis other than m"},
        {"S[64] - 1", 32, 1, 0, "element 0 is at -1"},
        {"S[64]", 24, 1, 0, "a lane touches 24 bits"},
        {"S[64]", 4, 1, 0, "a lane touches 4 bits"},
        {"S[64]", 128, 2, 0, "a lane touches 256 bits"},
        {"S[64]", 4, 2, 1, "lane 3 touches 1 bytes at 0, which is not a multiple of 1"},
        {"S[64]", 16, 8, 57, "lane 3 touches element 57 and the next 7, of 64 elements"},
        {"S[64]", 16, 1, -2, "lane 3 touches element -2"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_layout layout = layout_of(rows[i].layout);
        tmap_access access = {.bits = rows[i].bits, .width = rows[i].width};
        tmap_conflicts total = {0};
        tmap_diag error = {.operand = -7};
        for (int lane = 0; lane < TMAP_LANES; lane++) access.lanes[lane] = lane == 3 ? rows[i].element : -1;
        assert_int_equal(tmap_conflicts_add(&total, &layout, &access, NULL, NULL, &error), TMAP_REFUSED);
        if (!strstr(error.message, rows[i].message)) fail_msg("row %zu: %s", i, error.message);
        bool of_layout = strstr(error.message, "axis") || strstr(error.message, "is at");
        assert_int_equal(error.operand, of_layout ? 0 : strstr(error.message, " bits") ? -1 : 1);
        assert_true(error.fix.words[0] != '\0');
    }
    assert_int_equal(tmap_pattern_find("diagonal"), -1);
}
