/*
 * The arithmetic of every reduction against the oracle's. Each row of the table gets random operands and those near its
 * limits; f16 and bf16 get all 65536 elements with each of some 300 operands, and with each of all 65536, the whole
 * square, in the long run (TMAP_LONG).
 *
 *   test_arithmetic [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "oracle/bridge.h"
#include "prop/prop.h"
#include "tmap/emu.h"
#include "tmap/unstable/counts.h"

enum { HALVES = 1 << 16, SAMPLE_STEP = 257 };

typedef struct oracle_pair {
    oracle_reduction reduction;
    oracle_number number;
    uint32_t bits;
} oracle_pair;

static oracle_pair pair_of(const tmap_reduction_info *r) {
    tmap_map_params map = tmap_map_params_tiled(r->type, 1);
    tmap_copy_params copy = {.op = r->op};
    oracle_map m = oracle_map_of(&map);
    return (oracle_pair){oracle_copy_of(&copy).reduction, m.number, m.bits};
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

/* Two in three operands are near the element, so that floats meet in their last bits and integers meet at all. */
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

/* ---- The square of a 16-bit type ------------------------------------------------------------------------------ */

/* A step that is prime to the size meets every exponent with many fractions; the limits come in by their high halves.
 */
static uint64_t check_square(const tmap_reduction_info *r, bool whole) {
    oracle_pair pair = pair_of(r);
    uint64_t pairs = 0;
    for (uint32_t x = 0; x < HALVES; x++) {
        bool limit = false;
        for (int i = 0; i < LIMITS_N; i++) limit |= cut(limits[i] >> 16, 16) == x || cut(limits[i], 16) == x;
        if (!whole && !limit && x % SAMPLE_STEP != 0) continue;
        for (uint32_t old = 0; old < HALVES; old++, pairs++)
            if (!agrees(r, &pair, old, x)) return 0;
    }
    return pairs;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 100000);
    const char *length = getenv("TMAP_LONG");
    bool whole = length != NULL && *length != '\0';
    const tmap_reduction_info *r;
    uint64_t reductions_n = 0, pairs = 0;
    for (int i = 0; (r = tmap_reduction_get(i)) != NULL; i++, reductions_n++) {
        if (!check_pair(r, &options)) return EXIT_FAILURE;
        if (tmap_type_get((int)r->type)->bits != 16) continue;
        uint64_t square = check_square(r, whole);
        if (square == 0) return EXIT_FAILURE;
        pairs += square;
    }
    printf("arithmetic: seed %" PRIu64 ", %" PRIu64 " reductions, %" PRIu64
           " random operands each; of the 16-bit types %" PRIu64 " pairs, %s\n",
           options.seed, reductions_n, options.cases, pairs, whole ? "all there are" : "a sample of their squares");
    return EXIT_SUCCESS;
}
