/* Random maps: generates them, makes digests of parameters and results, and compares a summary with this build. */
#include "capture/random_maps.h"

#include <string.h>

#include "capture/planned_maps.h"
#include "hash/sha256.h"
#include "tmap/unstable/tables.h"

#define ATTEMPTS_MAX 1000

void tmap_random_maps_begin(random_maps *maps, uint64_t seed, const tmap_judge *judge) {
    maps->random = (tmap_random){seed};
    maps->judge = judge;
    tmap_sha256_begin(&maps->inputs);
    for (int i = 0; i < TMAP_DESC_COUNT; i++) tmap_sha256_begin(&maps->fields[i]);
}

static void add_params(tmap_sha256 *hash, const tmap_map_params *map) {
    const uint64_t ones[] = {map->mode,
                             map->type,
                             map->rank,
                             map->address,
                             map->interleave,
                             map->swizzle,
                             map->l2_promotion,
                             map->oob_fill,
                             map->has_address,
                             map->channels_per_pixel,
                             map->pixels_per_column};
    tmap_sha256_add_numbers(hash, ones, sizeof ones / sizeof ones[0]);
    tmap_sha256_add_numbers(hash, map->dims_el, TMAP_RANK_MAX);
    tmap_sha256_add_numbers(hash, map->strides_B, TMAP_RANK_MAX - 1);
    tmap_sha256_add_numbers(hash, map->box_el, TMAP_RANK_MAX);
    tmap_sha256_add_numbers(hash, map->element_strides, TMAP_RANK_MAX);
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) {
        tmap_sha256_add_number(hash, (uint64_t)map->lower_corner[i]);
        tmap_sha256_add_number(hash, (uint64_t)map->upper_corner[i]);
    }
}

bool tmap_random_maps_next(random_maps *maps, tmap_map_params *params, tmap_map *map) {
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
        tmap_random_map(&maps->random, false, params);
        tmap_capture_clear_tails(params);
        if (params->mode != TMAP_MODE_TILED && tmap_descriptor_unknown_mode(params->mode)) continue;
        if (params->swizzle == TMAP_SWIZZLE_96B) continue; /* the driver has no number for it */
        if (tmap_map_init(map, params, maps->judge, NULL) != TMAP_OK) continue;
        add_params(&maps->inputs, params);
        return true;
    }
    return false;
}

void tmap_random_maps_add(random_maps *maps, const tmap_descriptor *descriptor) {
    for (int i = 0; i < TMAP_DESC_COUNT; i++)
        if (tmap_descriptor_has_field(descriptor, i))
            tmap_sha256_add_number(&maps->fields[i], tmap_descriptor_peek(descriptor, (tmap_descriptor_field)i));
}

void tmap_random_maps_end(random_maps *maps, capture_random *digests) {
    tmap_sha256_end(&maps->inputs, digests->inputs);
    for (int i = 0; i < TMAP_DESC_COUNT; i++) tmap_sha256_end(&maps->fields[i], digests->fields[i].digest);
}

/* ---- Comparison ------------------------------------------------------------------------------------------------- */

static bool moves_data(const tmap_descriptor *driver, const tmap_descriptor *native, int field) {
    const tmap_field_diff diff = {.field = field};
    return tmap_field_diff_moves_data(driver, native, &diff);
}

static bool count_unknown(capture_random *random, const tmap_descriptor *driver) {
    tmap_descriptor bits;
    uint8_t any = 0;
    tmap_descriptor_unexplained(driver, &bits);
    for (size_t i = 0; i < sizeof bits.bytes; i++) {
        any |= bits.bytes[i];
        random->unknown.bytes[i] |= bits.bytes[i];
    }
    return any != 0 && ++random->unknown_n <= CAPTURE_DIFFER_N;
}

bool tmap_random_maps_count(capture_random *random, const tmap_descriptor *driver, const tmap_descriptor *native) {
    bool kept = count_unknown(random, driver);
    for (int i = 0; i < TMAP_DESC_COUNT; i++) {
        capture_random_field *field = &random->fields[i];
        uint64_t number = tmap_descriptor_peek(driver, (tmap_descriptor_field)i);
        if (!tmap_descriptor_has_field(native, i)) continue;
        field->cases_n++;
        field->not_zero_n += number != 0;
        if (number == tmap_descriptor_peek(native, (tmap_descriptor_field)i)) continue;
        field->moving_n += moves_data(driver, native, i);
        kept |= ++field->differ_n <= CAPTURE_DIFFER_N;
    }
    return kept;
}

bool tmap_random_maps_count_rejected(capture_random *random) {
    if (random->rejected_n < CAPTURE_REJECTED_MAX) random->rejected[random->rejected_n] = random->count;
    return ++random->rejected_n <= CAPTURE_DIFFER_N;
}

/* ---- Replays ---------------------------------------------------------------------------------------------------- */

static bool is_rejected(const capture_random *random, uint64_t number) {
    for (uint64_t i = 0; i < random->rejected_n; i++)
        if (random->rejected[i] == number) return true;
    return false;
}

static tmap_status generate_again(const capture_random *recorded, const tmap_judge *judge, capture_random *again) {
    random_maps maps;
    tmap_random_maps_begin(&maps, recorded->seed, judge);
    for (uint64_t i = 0; i < recorded->count; i++) {
        tmap_map_params params;
        tmap_map map;
        tmap_descriptor native;
        if (!tmap_random_maps_next(&maps, &params, &map)) return TMAP_INTERNAL;
        if (is_rejected(recorded, i)) continue;
        (void)tmap_descriptor_encode_as(&map, TMAP_ENCODER_DRIVER, &native);
        tmap_random_maps_add(&maps, &native);
    }
    tmap_random_maps_end(&maps, again);
    return TMAP_OK;
}

tmap_status tmap_capture_replay_random(capture_tally *tally, capture_random *recorded) {
    capture_random again;
    bool comparable = recorded->by_field && recorded->rejected_n <= CAPTURE_REJECTED_MAX;
    tmap_status status = comparable ? generate_again(recorded, &tally->judge, &again) : TMAP_OK;
    if (status != TMAP_OK) return status;
    if (!comparable || strcmp(again.inputs, recorded->inputs) != 0) {
        tally->random = *recorded;
        tally->random_state = RANDOM_OTHER_GENERATOR;
        return TMAP_OK;
    }
    for (int i = 0; i < TMAP_DESC_COUNT; i++)
        if (strcmp(again.fields[i].digest, recorded->fields[i].digest) == 0)
            recorded->fields[i].differ_n = recorded->fields[i].moving_n = 0;
    tmap_capture_tally_random(tally, recorded);
    return TMAP_OK;
}

bool tmap_random_maps_agree(const capture_random *random) {
    uint64_t moving_n = random->unknown_n;
    for (int i = 0; i < TMAP_DESC_COUNT; i++) moving_n += random->fields[i].moving_n;
    return moving_n == 0;
}

/* The driver chooses the allocation class, which is counted apart. Returns whether copies move the same data though the
 * numbers differ. */
static bool add_field(tally_field *into, int i, const capture_random_field *field) {
    uint64_t idle_n = i == TMAP_DESC_ALLOCATION_CLASS ? 0 : field->differ_n - field->moving_n;
    into->agree_n += field->cases_n - field->differ_n;
    into->not_zero_n += field->differ_n == 0 ? field->not_zero_n : 0;
    into->differ_n += field->moving_n;
    into->idle_n += idle_n;
    return idle_n > 0;
}

void tmap_capture_tally_random(capture_tally *tally, const capture_random *random) {
    bool idle = false, agrees = tmap_random_maps_agree(random);
    tally->random = *random;
    tally->random_state = RANDOM_COMPARED;
    for (int i = 0; i < TMAP_DESC_COUNT; i++) idle |= add_field(&tally->fields[i], i, &random->fields[i]);
    tally->summary.cases++;
    *(agrees ? &tally->summary.bytes_agree : &tally->summary.bytes_differ) += 1;
    tally->summary.idle_differ += agrees && idle;
    tally->summary.classes_differ += random->fields[TMAP_DESC_ALLOCATION_CLASS].differ_n > 0;
}
