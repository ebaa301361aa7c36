/*
 * The arithmetic of every reduction against the oracle's. Each row of the table is tested with random operands and
 * operands near its limits. f16 and bf16 are tested with all 65536 elements and about 300 operands, or about 50 if
 * there are at most FEW_CASES random ones; the long run (TMAP_LONG) tests all 65536 x 65536 pairs. Each kind of vector
 * instructions of the machine combines rows of elements, in every rounding mode of the host, which must not change.
 *
 *   prop_arithmetic [cases [seed]]
 */
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/arithmetic.h"
#include "oracle/bridge.h"
#include "prop/prop.h"
#include "tmap/emu.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/tables.h"

/* With at most FEW_CASES random operands, the sample of pairs has the step FEW_STEP. */
enum { HALVES = 1 << 16, SAMPLE_STEP = 257, FEW_STEP = 4111, FEW_CASES = 10000 };

typedef struct oracle_pair {
    oracle_reduction reduction;
    oracle_number number;
    uint32_t bits;
} oracle_pair;

static oracle_pair pair_of(const tmap_reduction_info *r) {
    tmap_map_params map = tmap_map_params_tiled(r->type, 1);
    tmap_copy_params copy = {.op = r->op};
    oracle_map m = oracle_map_of(&map);
    map.mode = TMAP_MODE_LINEAR;
    bool linear = (r->by & TMAP_REDUCES_TENSOR) == 0;
    oracle_number number = linear ? oracle_linear_of(&map, &copy).number : m.number;
    return (oracle_pair){oracle_copy_of(&copy).reduction, number, m.bits};
}

static bool agrees(const tmap_reduction_info *r, const oracle_pair *pair, uint64_t old, uint64_t x) {
    uint64_t is = tmap_reduce_value(r, old, x),
             should = oracle_reduce(pair->reduction, pair->number, pair->bits, old, x);
    if (is == should) return true;
    fprintf(stderr,
            "%s of %s: element 0x%" PRIx64 ", operand 0x%" PRIx64 ": emulator 0x%" PRIx64 ", oracle 0x%" PRIx64 "\n",
            tmap_op_get((int)r->op)->name, tmap_type_get((int)r->type)->name, old, x, is, should);
    return false;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

enum { ROW_B = HALVES * 2, GUARD_B = 64, GAP_B = 5 };

static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static uint64_t element_of(const uint8_t *row, size_t i, size_t size) {
    uint64_t value = 0;
    memcpy(&value, row + i * size, size);
    return value;
}

/* Combines `n` elements as three rows with gaps; returns false if a gap changes. */
static bool reduce_apart(tmap_reduce *reduce, uint8_t *to, const uint8_t *x, size_t n, size_t size) {
    static uint8_t apart[ROW_B + 3 * GAP_B];
    const uint32_t rows_n = 3;
    size_t row_B = n / rows_n * size, step = row_B + GAP_B;
    bool kept = true;
    memset(apart, 0x5A, sizeof apart);
    for (uint32_t i = 0; i < rows_n; i++) memcpy(apart + i * step, to + i * row_B, row_B);
    reduce(&(tmap_reduced){.to = apart,
                           .from = x,
                           .to_step = (ptrdiff_t)step,
                           .from_step = (ptrdiff_t)row_B,
                           .size = row_B,
                           .rows_n = rows_n});
    for (uint32_t i = 0; i < rows_n; i++) {
        memcpy(to + i * row_B, apart + i * step, row_B);
        for (size_t k = row_B; k < step; k++) kept &= apart[i * step + k] == 0x5A;
    }
    return kept;
}

/* Combines rows of one line with operands in swizzled lines: byte i of a line is at i ^ mask. The masks are those of
 * the 128-byte swizzle, which has code of its own, or any others. */
static void reduce_lines(tmap_reduce *reduce, uint64_t allowed, uint8_t *to, const uint8_t *x, size_t lines_n) {
    static uint8_t lines[ROW_B];
    const uint64_t masks = (lines_n % 2 ? 0x5838684870201008 : 0x7060504030201000) & allowed;
    for (size_t i = 0; i < lines_n * TMAP_LINE_B; i++) {
        size_t mask = masks >> i / TMAP_LINE_B % 8 * 8 & 0xff;
        lines[i ^ mask] = x[i];
    }
    reduce(&(tmap_reduced){.to = to,
                           .from = lines,
                           .to_step = TMAP_LINE_B,
                           .from_step = TMAP_LINE_B,
                           .size = TMAP_LINE_B,
                           .rows_n = (uint32_t)lines_n,
                           .masks = masks});
}

/* Checks a row of `n` elements at an odd address, between guards that must not change. */
static bool row_agrees_by(const tmap_reduction_info *r, const uint8_t *old, const uint8_t *x, const uint8_t *should,
                          size_t n, size_t size, int kind) {
    static uint8_t bytes[ROW_B + GUARD_B + GUARD_B + 1];
    const tmap_reductions *reductions = tmap_reductions_get((tmap_vectors)kind);
    if (!reductions) return true;
    uint8_t *to = bytes + GUARD_B + 1;
    int mode = modes[(n + (size_t)kind) % 4];
    memset(bytes, 0xA5, n * size + GUARD_B + GUARD_B + 1);
    memcpy(to, old, n * size);
    fesetround(mode);
    uint64_t before = tmap_float_begin();
    tmap_reduce *reduce = reductions->functions[r->op][r->arithmetic];
    bool kept = true;
    if (reductions->lines && n * size % TMAP_LINE_B == 0)
        reduce_lines(reduce, reductions->lines, to, x, n * size / TMAP_LINE_B);
    else if (n % 3 == 0)
        kept = reduce_apart(reduce, to, x, n, size);
    else
        reduce(&(tmap_reduced){.to = to, .from = x, .size = n * size, .rows_n = 1});
    tmap_float_end(before);
    kept &= fegetround() == mode;
    fesetround(FE_TONEAREST);
    for (int i = 0; i < GUARD_B; i++) kept &= to[-1 - i] == 0xA5 && to[n * size + (size_t)i] == 0xA5;
    if (kept && memcmp(to, should, n * size) == 0) return true;
    size_t i = 0;
    while (i + 1 < n && element_of(to, i, size) == element_of(should, i, size)) i++;
    fprintf(stderr,
            "%s of %s, vectors %d, row of %zu%s: element %zu is 0x%" PRIx64 ", operand 0x%" PRIx64 ": 0x%" PRIx64
            ", oracle 0x%" PRIx64 "\n",
            tmap_op_get((int)r->op)->name, tmap_type_get((int)r->type)->name, kind, n,
            kept ? "" : ", guards or mode changed", i, element_of(old, i, size), element_of(x, i, size),
            element_of(to, i, size), element_of(should, i, size));
    return false;
}

static bool row_agrees(const tmap_reduction_info *r, const oracle_pair *pair, const uint8_t *old, const uint8_t *x,
                       size_t n) {
    static uint8_t should[ROW_B];
    size_t size = pair->bits / 8;
    for (size_t i = 0; i < n; i++) {
        uint64_t value =
            oracle_reduce(pair->reduction, pair->number, pair->bits, element_of(old, i, size), element_of(x, i, size));
        memcpy(should + i * size, &value, size);
    }
    for (int kind = 0; kind < TMAP_VECTORS_COUNT; kind++)
        if (!row_agrees_by(r, old, x, should, n, size, kind)) return false;
    return true;
}

/* ---- Limits and random operands ------------------------------------------------------------------------------- */

/* Around zero, the signs, and the limits of the float formats: infinities, the largest and the smallest numbers. */
static const uint64_t limits[] = {
    0x0,
    0x1,
    0x2,
    0x7F7FFFFF,
    0x7F800000,
    0x7F800001,
    0x7FC00000,
    0x7FFFFFFF,
    0x80000000,
    0x80000001,
    0x807FFFFF,
    0x80800000,
    0x007FFFFF,
    0x00800000,
    0x00800001,
    0x00FFFFFF,
    0xFF7FFFFF,
    0xFF800000,
    0xFF800001,
    0xFFC00000,
    0xFFFFFFFE,
    0xFFFFFFFF,
    0x3F800000,
    0xBF800000,
    0x33800000,
    0x33800001,
    0x34000000,
    0x4B800000,
    0x4B000001,
    0x73000000,
    0x8000000000000000,
    0x7FFFFFFFFFFFFFFF,
    UINT64_MAX,
    0x8000000000000001,
};

enum { LIMITS_N = sizeof limits / sizeof *limits };

static uint64_t cut(uint64_t value, uint32_t bits) {
    return bits == 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

/*
 * Two of three operands are near the element, so that the sum of floats rounds in the last bits and integers are
 * sometimes equal.
 */
static uint64_t some_operand(tmap_random *random, uint64_t old) {
    uint64_t x = tmap_random_next(random);
    switch (tmap_random_between(random, 0, 5)) {
    case 0: return old;
    case 1: return old ^ (x & 0x80000003);
    case 2: return old ^ (x & 0x83FFFFFF);
    case 3: return old ^ (x & 0x8FFFFFFF);
    default: return x;
    }
}

static bool check_pair(const tmap_reduction_info *r, const prop_options *options) {
    oracle_pair pair = pair_of(r);
    tmap_random random = prop_random(options, r->op * TMAP_TYPE_COUNT + r->type);
    for (int i = 0; i < LIMITS_N * LIMITS_N; i++)
        if (!agrees(r, &pair, cut(limits[i % LIMITS_N], pair.bits), cut(limits[i / LIMITS_N], pair.bits))) return false;
    for (uint64_t i = 0; i < options->cases; i++) {
        uint64_t old = cut(tmap_random_next(&random), pair.bits);
        if (!agrees(r, &pair, old, cut(some_operand(&random, old), pair.bits))) return false;
    }
    return true;
}

/* Checks rows of every length up to a few vectors. */
static bool check_rows(const tmap_reduction_info *r, const prop_options *options) {
    static uint8_t old[ROW_B], operands[ROW_B];
    oracle_pair pair = pair_of(r);
    tmap_random random = prop_random(options, (uint64_t)UINT32_MAX + (uint64_t)r->op * TMAP_TYPE_COUNT + r->type);
    for (size_t n = 1; n <= 200; n++) {
        for (size_t i = 0; i < n; i++) {
            bool limit = tmap_random_between(&random, 0, 3) == 0;
            uint64_t element =
                limit ? limits[tmap_random_between(&random, 0, LIMITS_N - 1)] : tmap_random_next(&random);
            if (limit && pair.bits == 16) element >>= 16;
            uint64_t x = some_operand(&random, element);
            memcpy(old + i * pair.bits / 8, &element, pair.bits / 8);
            memcpy(operands + i * pair.bits / 8, &x, pair.bits / 8);
        }
        if (!row_agrees(r, &pair, old, operands, n)) return false;
    }
    return true;
}

/* ---- Rounding to tf32 -------------------------------------------------------------------------------------------- */

static bool check_tf32(const prop_options *options) {
    static uint32_t x[200], is[200];
    tmap_random random = prop_random(options, UINT64_MAX);
    for (size_t i = 0; i < 200; i++)
        x[i] = (uint32_t)(i < LIMITS_N ? limits[i] : tmap_random_next(&random) & (i % 2 ? UINT32_MAX : 0xFFFFF000));
    for (int kind = 0; kind < TMAP_VECTORS_COUNT; kind++) {
        const tmap_reductions *reductions = tmap_reductions_get((tmap_vectors)kind);
        if (!reductions) continue;
        reductions->round_tf32((uint8_t *)is, (const uint8_t *)x, sizeof is - 4);
        for (size_t i = 0; i < 199; i++) {
            if (is[i] == oracle_tf32(x[i])) continue;
            fprintf(stderr, "tf32 of 0x%" PRIx32 ", vectors %d: 0x%" PRIx32 ", oracle 0x%" PRIx32 "\n", x[i], kind,
                    is[i], oracle_tf32(x[i]));
            return false;
        }
    }
    return true;
}

/* ---- The square of a 16-bit type ------------------------------------------------------------------------------ */

/*
 * A step that is coprime to the size reaches every exponent with many fractions. Both halves of the limits are added.
 */
static uint64_t check_square(const tmap_reduction_info *r, uint32_t step) {
    static uint16_t all[HALVES], operands[HALVES];
    oracle_pair pair = pair_of(r);
    uint64_t pairs = 0;
    for (uint32_t old = 0; old < HALVES; old++) all[old] = (uint16_t)old;
    for (uint32_t x = 0; x < HALVES; x++) {
        bool limit = false;
        for (int i = 0; i < LIMITS_N; i++) limit |= cut(limits[i] >> 16, 16) == x || cut(limits[i], 16) == x;
        if (!limit && x % step != 0) continue;
        for (uint32_t old = 0; old < HALVES; old++) operands[old] = (uint16_t)x;
        if (!row_agrees(r, &pair, (const uint8_t *)all, (const uint8_t *)operands, HALVES)) return 0;
        pairs += HALVES;
    }
    return pairs;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 100000);
    const char *length = getenv("TMAP_LONG");
    bool whole = length && *length != '\0';
    const tmap_reduction_info *r;
    uint64_t reductions_n = 0, pairs = 0;
    if (!check_tf32(&options)) return EXIT_FAILURE;
    for (int i = 0; (r = tmap_reduction_get(i)) != NULL; i++, reductions_n++) {
        if (!check_pair(r, &options) || !check_rows(r, &options)) return EXIT_FAILURE;
        if (tmap_type_get((int)r->type)->bits != 16) continue;
        uint64_t square = check_square(r, whole ? 1 : options.cases <= FEW_CASES ? FEW_STEP : SAMPLE_STEP);
        if (square == 0) return EXIT_FAILURE;
        pairs += square;
    }
    printf("arithmetic: seed %" PRIu64 ", %" PRIu64 " reductions, %" PRIu64
           " random operands each; of the 16-bit types %" PRIu64 " pairs, %s\n",
           options.seed, reductions_n, options.cases, pairs, whole ? "all pairs" : "a sample of all pairs");
    return EXIT_SUCCESS;
}
