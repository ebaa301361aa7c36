/*
 * Random valid maps and copies: walk = closed form = oracle for every element, emulated bytes = the oracle's, and a
 * round trip restores the original bytes. Prints the seed and the counts; a difference is shrunk and printed as a spec.
 *
 *   prop_copies [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "prop/checks.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"

#define SHRINK_TRIES 20000

typedef struct copy_tally {
    uint64_t by_op[TMAP_OP_COUNT], by_mode[TMAP_MODE_COUNT], packed, interleaved;
    uint64_t filling, clipped, round_trips, wrapping, whole_units, batch_by_one, halos_grouped, flushed, rounded;
} copy_tally;

/*
 * Makes the store with the box of a load. Returns false if the rules refuse the store, and for six-bit values, which a
 * store reads from another layout.
 */
static bool counterpart(const tmap_copy *load, tmap_copy *store) {
    tmap_map_params map_params = load->map.params;
    tmap_copy_params params = load->params;
    tmap_map map;
    tmap_judge same = {.assume = {[TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT] = 1}}; /* only elements of the tensor */
    if (map_params.type == TMAP_TYPE_B6X16_P32) return false;
    for (int i = TMAP_ALTERNATIVE_STORE_PARTIAL_UNIT + 1; i < TMAP_ALTERNATIVE_COUNT; i++)
        same.assume[i] = load->readings[i] ? 2 : 1;
    map_params.ops = 0;
    params.op = params.op == TMAP_OP_GATHER4 ? TMAP_OP_SCATTER4 : TMAP_OP_STORE;
    params.dst = TMAP_DST_CTA;
    params.cta_group = params.cta_mask = 0;
    return tmap_map_init(&map, &map_params, NULL, NULL) == TMAP_OK &&
           tmap_copy_init(store, &map, &params, &same, NULL) == TMAP_OK;
}

/* Whether a store continues to the end of a unit: its last elements are outside the tensor and have no place. */
static bool stores_past_the_tensor(const check_case *c) {
    bool store = c->copy.op->to_global && !c->copy.op->reduces && c->map.slice_B == 0;
    return store && c->oracle.whole_units && c->map.size[0] * c->map.bits % 128 != 0;
}

static void count(copy_tally *tally, const check_case *c, bool round_trip) {
    tally->by_op[c->copy.params.op]++;
    tally->by_mode[c->copy.map.params.mode]++;
    tally->packed += c->map.bits < 8;
    tally->interleaved += c->map.slice_B != 0;
    tally->whole_units += stores_past_the_tensor(c) && c->data_B > 0;
    tally->batch_by_one += c->oracle.batch_by_one && c->map.mode != ORACLE_TILED && c->map.step[c->map.rank - 1] > 1;
    tally->halos_grouped += c->oracle.halos_grouped && c->map.mode == ORACLE_IM2COL_W128 && c->oracle.w_halo > 1;
    tally->flushed += c->copy.readings[TMAP_ALTERNATIVE_REDUCE_F32_SUBNORMALS] && c->data_B > 0;
    tally->wrapping += c->data_B > 0 && c->copy.map.derived.span_B == UINT64_MAX;
    bool partly = c->data_B * 8 != c->elements_n * oracle_element_bits(&c->map);
    if (partly && c->copy.op->to_shared) tally->filling++;
    tally->rounded += partly && c->copy.op->to_shared && c->map.kind == ORACLE_TF32 && c->map.slice_B && c->data_B > 0;
    if (partly && c->copy.op->to_global) tally->clipped++;
    if (round_trip) tally->round_trips++;
}

static bool check_all(const check_case *c, copy_tally *tally, prop_failure *failure) {
    const tmap_op_info *op = c->copy.op;
    tmap_copy back;
    bool load = op->to_shared, round_trip = load && counterpart(&c->copy, &back), moves = load || op->to_global;
    count(tally, c, round_trip);
    return (stores_past_the_tensor(c) || (check_geometry(c, failure) && check_inverse(c, failure))) &&
           check_footprint(c, failure) && (!moves || (load ? check_load(c, failure) : check_store(c, failure))) &&
           (!round_trip || check_round_trip(c, &back, failure));
}

static bool check(const tmap_copy *copy, copy_tally *tally, prop_failure *failure) {
    check_case c = check_case_of(copy);
    bool good = c.elements ? check_all(&c, tally, failure) : prop_fail(failure, "out of memory");
    check_case_end(&c);
    return good;
}

/* The assumptions of the current case, also while it shrinks. */
static tmap_judge judge;

static tmap_status freeze(const tmap_map_params *map_params, const tmap_copy_params *params, tmap_copy *copy) {
    tmap_map map;
    tmap_status status = tmap_map_init(&map, map_params, &judge, NULL);
    return status == TMAP_OK ? tmap_copy_init(copy, &map, params, &judge, NULL) : status;
}

/* For shrinking: a case that the rules refuse does not fail. Keeps the failure of the smaller case. */
static bool fails(void *context, const tmap_map_params *map, const tmap_copy_params *params) {
    prop_failure why = {{0}};
    tmap_copy copy;
    copy_tally ignored = {{0}};
    if (freeze(map, params, &copy) != TMAP_OK || check(&copy, &ignored, &why)) return false;
    *(prop_failure *)context = why;
    return true;
}

/*
 * Moves the box to offset 2^64 of its tensor or a little before it, so that its rows, or the bytes of a row, are on
 * both sides: dimension `far` has 2^a entries of 2^(64 - a) B, dimension `near` 2^b entries of 2^(64 - a - b) B, and
 * the box begins at the last entry of both or up to three before it.
 */
static void move_to_end(tmap_random *random, uint64_t far, uint64_t near, tmap_map_params *map,
                        tmap_copy_params *params) {
    uint64_t a = tmap_random_between(random, 25, 29), b = tmap_random_between(random, 64 - a - 11, 64 - a - 5);
    if (b > 30) b = 30;
    map->dims_el[far - 1] = map->dims_el[near - 1] = UINT64_C(1) << 31;
    map->strides_B[far - 2] = UINT64_C(1) << (64 - a);
    map->strides_B[near - 2] = UINT64_C(1) << (64 - a - b);
    params->at[far - 1] = (INT64_C(1) << a) - 1;
    params->at[near - 1] = (INT64_C(1) << b) - 1 - (int64_t)tmap_random_between(random, 0, 3);
}

/* A tiled map with far strides, and a copy anywhere in it. */
static void move_far(tmap_random *random, tmap_map_params *map, tmap_copy_params *params) {
    for (uint64_t i = 1; i < map->rank; i++) {
        map->dims_el[i] = UINT64_C(1) << tmap_random_between(random, 20, 32);
        map->strides_B[i - 1] = tmap_random_between(random, 1, (UINT64_C(1) << 35) - 1) * 32;
        params->at[i] = (int64_t)tmap_random_between(random, 0, map->dims_el[i] / 2 - 1);
        for (int row = 0; row < 4 && i == 1; row++)
            params->rows[row] = (int64_t)tmap_random_between(random, 0, map->dims_el[i] / 2 - 1);
    }
}

static void wrap(tmap_random *random, tmap_map_params *map, tmap_copy_params *params) {
    uint64_t far = tmap_random_between(random, 2, map->rank), near = 2 + (far - 1) % (map->rank - 1);
    if (far != near && tmap_random_between(random, 0, 1) == 0)
        move_to_end(random, far, near, map, params);
    else
        move_far(random, map, params);
}

/*
 * One in eight maps is a tile of slices, which are rare in the generator. Half of them are TF32, which a load changes:
 * any type can have any slices. Interleave 32B accepts two swizzles.
 */
static void random_map(tmap_random *random, bool small, tmap_map_params *map) {
    bool slices = tmap_random_between(random, 0, 7) == 0, tf32 = slices && tmap_random_between(random, 0, 1) == 0;
    do tmap_random_map(random, small, map);
    while (slices && (map->mode != TMAP_MODE_TILED || map->interleave == TMAP_INTERLEAVE_NONE));
    if (slices) map->box_el[0] = (map->box_el[0] - 1) % 8 + 1; /* so that all of a row is often inside */
    if (tf32) map->type = TMAP_TYPE_TF32;
    if (tf32 && map->interleave == TMAP_INTERLEAVE_32B) map->swizzle = TMAP_SWIZZLE_128B_ATOM_32B;
}

/* One in eight maps is not restricted to small numbers. In one of eight tiled maps, the offsets wrap at 2^64. */
static tmap_status generate(tmap_random *random, tmap_map_params *map, tmap_copy_params *params, tmap_copy *copy) {
    bool anything = tmap_random_between(random, 0, 7) == 0, wraps = tmap_random_between(random, 0, 7) == 0;
    for (int i = 0; i < TMAP_ALTERNATIVE_COUNT; i++) judge.assume[i] = (uint8_t)tmap_random_between(random, 0, 2);
    random_map(random, !anything, map);
    tmap_random_copy(random, map, params);
    if (wraps && map->mode == TMAP_MODE_TILED && map->rank > 1) wrap(random, map, params);
    return freeze(map, params, copy);
}

static bool run_case(const prop_options *options, uint64_t number, copy_tally *tally) {
    tmap_random random = prop_random(options, number);
    tmap_map_params map;
    tmap_copy_params params;
    tmap_copy copy;
    prop_failure failure = {{0}};
    tmap_status status = generate(&random, &map, &params, &copy);
    if (status != TMAP_OK) {
        prop_fail_refused(&failure, "a generated case", &map, &params);
        prop_print_case(options, number, &failure, &map, &params);
        return false;
    }
    if (check(&copy, tally, &failure)) return true;
    tmap_shrink(&map, &params, fails, &failure, SHRINK_TRIES);
    prop_print_case(options, number, &failure, &map, &params);
    return false;
}

static void print_tally(const prop_options *options, const copy_tally *t) {
    printf("copies: seed %" PRIu64 ", %" PRIu64 " cases:", options->seed, options->cases);
    for (int op = 0; op < TMAP_OP_COUNT; op++)
        if (t->by_op[op] != 0) printf(" %" PRIu64 " %s,", t->by_op[op], tmap_op_get(op)->name);
    for (int mode = 0; mode < TMAP_MODE_COUNT; mode++)
        printf(" %" PRIu64 " %s,", t->by_mode[mode], tmap_mode_get(mode)->name);
    printf(" %" PRIu64 " packed, %" PRIu64 " interleaved,", t->packed, t->interleaved);
    printf(" %" PRIu64 " with fill, %" PRIu64 " clipped, %" PRIu64 " round trips, %" PRIu64 " wrapping,", t->filling,
           t->clipped, t->round_trips, t->wrapping);
    printf(" %" PRIu64 " to the end of a unit, %" PRIu64 " to the next image, %" PRIu64 " with halos together, %" PRIu64
           " sums flushed, %" PRIu64 " slices rounded beside fill\n",
           t->whole_units, t->batch_by_one, t->halos_grouped, t->flushed, t->rounded);
}

/* A run of the usual number of cases must include each of these kinds. */
static bool is_broad(const prop_options *options, const copy_tally *t) {
    if (options->cases < 6000) return true;
    for (int op = 0; op < TMAP_OP_COUNT; op++)
        if (tmap_op_get(op)->emulated && t->by_op[op] == 0) return false;
    for (int mode = 0; mode < TMAP_MODE_LINEAR; mode++) /* unit.linear tests mode linear */
        if (t->by_mode[mode] == 0) return false;
    if (t->packed == 0 || t->interleaved == 0 || t->rounded == 0) return false;
    if (t->whole_units == 0 || t->batch_by_one == 0 || t->halos_grouped == 0 || t->flushed == 0) return false;
    return t->filling != 0 && t->clipped != 0 && t->round_trips != 0 && t->wrapping != 0;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 6000);
    copy_tally tally = {{0}};
    for (uint64_t i = 0; i < options.cases; i++)
        if (!run_case(&options, i, &tally)) return EXIT_FAILURE;
    print_tally(&options, &tally);
    if (is_broad(&options, &tally)) return EXIT_SUCCESS;
    fputs("copies: the generator made no case of some kind\n", stderr);
    return EXIT_FAILURE;
}
