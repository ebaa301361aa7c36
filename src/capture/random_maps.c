/* Random maps: generates them, makes digests of parameters and results, and compares a summary with this build. */
#include "capture/random_maps.h"

#include <string.h>

#include "capture/planned_maps.h"
#include "util/sha256.h"

#define ATTEMPTS_MAX 1000

void tmap_random_maps_begin(random_maps *maps, uint64_t seed, const tmap_judge *judge) {
    *maps = (random_maps){.random = {seed}, .judge = judge};
    tmap_sha256_begin(&maps->inputs);
    tmap_sha256_begin(&maps->outputs);
    tmap_sha256_begin(&maps->but_class);
}

static void add_params(tmap_sha256 *hash, const tmap_map_params *map) {
    const uint64_t ones[] = {map->type,    map->rank,         map->address,  map->interleave,
                             map->swizzle, map->l2_promotion, map->oob_fill, map->has_address};
    tmap_sha256_add_numbers(hash, ones, sizeof ones / sizeof ones[0]);
    tmap_sha256_add_numbers(hash, map->dims_el, TMAP_RANK_MAX);
    tmap_sha256_add_numbers(hash, map->strides_B, TMAP_RANK_MAX - 1);
    tmap_sha256_add_numbers(hash, map->box_el, TMAP_RANK_MAX);
    tmap_sha256_add_numbers(hash, map->element_strides, TMAP_RANK_MAX);
}

bool tmap_random_maps_next(random_maps *maps, tmap_map_params *params, tmap_map *map) {
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
        tmap_random_map(&maps->random, false, params);
        tmap_capture_clear_tails(params);
        if (params->mode != TMAP_MODE_TILED)
            continue; /* unexpected results about im2col must be visible outside the digest */
        if (params->swizzle == TMAP_SWIZZLE_96B) continue; /* the driver has no number for it */
        if (tmap_map_init(map, params, maps->judge, NULL) != TMAP_OK) continue;
        add_params(&maps->inputs, params);
        return true;
    }
    return false;
}

void tmap_random_maps_answer(random_maps *maps, int result, const tmap_descriptor *descriptor) {
    tmap_sha256_add_number(&maps->outputs, (uint32_t)result);
    tmap_sha256_add_number(&maps->but_class, (uint32_t)result);
    if (result != 0) return;
    tmap_descriptor but_class = *descriptor;
    tmap_descriptor_poke(&but_class, TMAP_DESC_ALLOCATION_CLASS, 0);
    tmap_sha256_add(&maps->outputs, descriptor->bytes, sizeof descriptor->bytes);
    tmap_sha256_add(&maps->but_class, but_class.bytes, sizeof but_class.bytes);
}

void tmap_random_maps_end(random_maps *maps, capture_random *digests) {
    tmap_sha256_end(&maps->inputs, digests->inputs);
    tmap_sha256_end(&maps->outputs, digests->outputs);
    tmap_sha256_end(&maps->but_class, digests->outputs_but_class);
}

static tmap_status generate_again(const capture_random *recorded, const tmap_judge *judge,
                                  tally_field fields[TMAP_DESC_COUNT], capture_random *again) {
    random_maps maps;
    tmap_random_maps_begin(&maps, recorded->seed, judge);
    for (uint64_t i = 0; i < recorded->count; i++) {
        tmap_map_params params;
        tmap_map map;
        tmap_descriptor native;
        if (!tmap_random_maps_next(&maps, &params, &map)) return TMAP_INTERNAL;
        tmap_descriptor_encode(&map, &native);
        tmap_random_maps_answer(&maps, 0, &native);
        tmap_capture_tally_agreeing(fields, &native);
    }
    tmap_random_maps_end(&maps, again);
    return TMAP_OK;
}

static void count_agreement(capture_tally *tally, const tally_field fields[TMAP_DESC_COUNT]) {
    for (size_t i = 0; i < TMAP_DESC_COUNT; i++) {
        tally->fields[i].agree_n += fields[i].agree_n;
        tally->fields[i].not_zero_n += fields[i].not_zero_n;
    }
    tally->summary.bytes_agree++;
}

/* Compares all answers, or all but the allocation class, which the driver chooses. */
static tally_random_state compare(const capture_random *recorded, const capture_random *again) {
    if (strcmp(again->inputs, recorded->inputs) != 0) return RANDOM_OTHER_GENERATOR;
    if (strcmp(again->outputs, recorded->outputs) == 0) return RANDOM_AGREES;
    bool but_class = strcmp(again->outputs_but_class, recorded->outputs_but_class) == 0;
    return but_class ? RANDOM_DIFFERS_IN_CLASS : RANDOM_DIFFERS;
}

tmap_status tmap_capture_tally_random(capture_tally *tally, const capture_random *recorded) {
    tally_field fields[TMAP_DESC_COUNT] = {{0}};
    capture_random again;
    tally->random = *recorded;
    tmap_status status = generate_again(recorded, &tally->judge, fields, &again);
    if (status != TMAP_OK) return status;
    tally->random_state = compare(recorded, &again);
    if (tally->random_state == RANDOM_OTHER_GENERATOR) return TMAP_OK;
    tally->summary.cases++;
    tally->summary.classes_differ += tally->random_state == RANDOM_DIFFERS_IN_CLASS;
    if (tally->random_state == RANDOM_DIFFERS)
        tally->summary.bytes_differ++;
    else
        count_agreement(tally, fields);
    return TMAP_OK;
}
