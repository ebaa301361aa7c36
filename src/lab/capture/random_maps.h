/* The random maps of a recording, generated from a seed, so that a replay generates the same maps. */
#pragma once

#include "capture/tally.h"
#include "hash/sha256.h"
#include "tmap/unstable/gen.h"

typedef struct random_maps {
    tmap_random random;
    const tmap_judge *judge;
    tmap_sha256 inputs, fields[TMAP_DESC_COUNT];
} random_maps;

void tmap_random_maps_begin(random_maps *maps, uint64_t seed, const tmap_judge *judge);
/* Generates the next map that the rules allow on the judge's architectures and that a descriptor can hold, with unused
 * entries zero, and freezes it. Returns false when the rules refuse a thousand maps in a row. */
bool tmap_random_maps_next(random_maps *maps, tmap_map_params *params, tmap_map *map);
/* Adds the descriptor of the last generated map to the digests. */
void tmap_random_maps_add(random_maps *maps, const tmap_descriptor *descriptor);
/* Finishes the digests of the inputs and of the fields. */
void tmap_random_maps_end(random_maps *maps, capture_random *digests);

/*
 * Counts the driver's descriptor of map number random->count, and compares it with tmap's. Returns whether the map is
 * one of the first CAPTURE_DIFFER_N that differ in a field, or outside the fields.
 */
bool tmap_random_maps_count(capture_random *random, const tmap_descriptor *driver, const tmap_descriptor *native);
/* Counts a rejection by the driver, with the same result. */
bool tmap_random_maps_count_rejected(capture_random *random);

/* Whether copies through all maps of the summary move what tmap predicts. */
bool tmap_random_maps_agree(const capture_random *random);
/* Generates the maps of a summary again, and takes back the differences of all fields whose digests agree with this
 * build. */
tmap_status tmap_capture_replay_random(capture_tally *tally, capture_random *recorded);
/* Counts the summary as one case. */
void tmap_capture_tally_random(capture_tally *tally, const capture_random *random);
