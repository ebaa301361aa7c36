/*
 * Random valid maps and copies: walk = closed form = oracle for every element, emulated bytes = the oracle's, and a
 * round trip brings back what was there. Prints the seed and the counts; a difference is shrunk and printed as a spec.
 *
 *   test_copies [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "prop/checks.h"
#include "tmap/unstable/counts.h"

#define SHRINK_TRIES 20000

typedef struct copy_tally {
    uint64_t by_op[TMAP_OP_COUNT], by_mode[TMAP_MODE_COUNT], packed, interleaved;
    uint64_t filling, clipped, round_trips, out_of_reach;
} copy_tally;

/* Sums of coordinates and strides that need more than 60 bits are no addresses. */
static bool within_reach(const tmap_copy *copy) {
    const tmap_map_params *map = &copy->map.params;
    double end_B = (double)map->dims_el[0] * 8;
    for (uint64_t i = 1; i < map->rank; i++) end_B += (double)map->dims_el[i] * (double)map->strides_B[i - 1];
    return end_B < 1152921504606846976.0;
}

/* The store that goes through the box of a load; false where the rules do not have one, and for six-bit values, which a
 * store reads from another layout. */
static bool counterpart(const tmap_copy *load, tmap_copy *store) {
    tmap_map_params map_params = load->map.params;
    tmap_copy_params params = load->params;
    tmap_map map;
    if (map_params.type == TMAP_TYPE_B6X16_P32) return false;
    map_params.ops = 0;
    params.op = params.op == TMAP_OP_GATHER4 ? TMAP_OP_SCATTER4 : TMAP_OP_STORE;
    params.dst = TMAP_DST_CTA;
    params.cta_group = params.cta_mask = 0;
    return tmap_map_init(&map, &map_params, NULL, NULL) == TMAP_OK &&
           tmap_copy_init(store, &map, &params, NULL, NULL) == TMAP_OK;
}

static void count(copy_tally *tally, const check_case *c, bool round_trip) {
    tally->by_op[c->copy.params.op]++;
    tally->by_mode[c->copy.map.params.mode]++;
    tally->packed += c->map.bits < 8;
    tally->interleaved += c->map.slice_B != 0;
    bool partly = c->data_B * 8 != c->elements_n * oracle_element_bits(&c->map);
    if (partly && c->copy.op->to_shared) tally->filling++;
    if (partly && c->copy.op->to_global) tally->clipped++;
    if (round_trip) tally->round_trips++;
}

static bool check(const tmap_copy *copy, copy_tally *tally, prop_failure *failure) {
    if (!within_reach(copy)) {
        tally->out_of_reach++;
        return true;
    }
    check_case c = check_case_of(copy);
    tmap_copy back;
    bool load = copy->op->to_shared, round_trip = load && counterpart(copy, &back);
    count(tally, &c, round_trip);
    bool moves = load || copy->op->to_global;
    return check_geometry(&c, failure) && check_footprint(&c, failure) &&
           (!moves || (load ? check_load(&c, failure) : check_store(&c, failure))) &&
           (!round_trip || check_round_trip(&c, &back, failure));
}

static tmap_status freeze(const tmap_map_params *map_params, const tmap_copy_params *params, tmap_copy *copy) {
    tmap_map map;
    tmap_status status = tmap_map_init(&map, map_params, NULL, NULL);
    return status == TMAP_OK ? tmap_copy_init(copy, &map, params, NULL, NULL) : status;
}

/* For shrinking: a case that the rules refuse does not fail. The failure becomes that of the smaller case. */
static bool fails(void *context, const tmap_map_params *map, const tmap_copy_params *params) {
    prop_failure why = {{0}};
    tmap_copy copy;
    copy_tally ignored = {{0}};
    if (freeze(map, params, &copy) != TMAP_OK || check(&copy, &ignored, &why)) return false;
    *(prop_failure *)context = why;
    return true;
}

/* One in eight maps is drawn from all limits. */
static tmap_status draw(tmap_random *random, tmap_map_params *map, tmap_copy_params *params, tmap_copy *copy) {
    bool anything = tmap_random_between(random, 0, 7) == 0;
    tmap_random_map(random, !anything, map);
    tmap_random_copy(random, map, params);
    return freeze(map, params, copy);
}

static bool run_case(const prop_options *options, uint64_t number, copy_tally *tally) {
    tmap_random random = prop_random(options, number);
    tmap_map_params map;
    tmap_copy_params params;
    tmap_copy copy;
    prop_failure failure = {{0}};
    tmap_status status = draw(&random, &map, &params, &copy);
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
    printf(" %" PRIu64 " with fill, %" PRIu64 " clipped, %" PRIu64 " round trips, %" PRIu64 " beyond all addresses\n",
           t->filling, t->clipped, t->round_trips, t->out_of_reach);
}

/* A thousand cases that miss something have not tested it. */
static bool is_broad(const prop_options *options, const copy_tally *t) {
    if (options->cases < 1000) return true;
    for (int op = 0; op < TMAP_OP_COUNT; op++)
        if (tmap_op_get(op)->emulated && t->by_op[op] == 0) return false;
    for (int mode = 0; mode < TMAP_MODE_COUNT; mode++)
        if (t->by_mode[mode] == 0) return false;
    if (t->packed == 0 || t->interleaved == 0) return false;
    return t->filling != 0 && t->clipped != 0 && t->round_trips != 0;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 20000);
    copy_tally tally = {{0}};
    for (uint64_t i = 0; i < options.cases; i++)
        if (!run_case(&options, i, &tally)) return EXIT_FAILURE;
    print_tally(&options, &tally);
    if (is_broad(&options, &tally)) return EXIT_SUCCESS;
    fputs("copies: the generator leaves something out\n", stderr);
    return EXIT_FAILURE;
}
