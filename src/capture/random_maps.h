/* The random maps of a recording, generated from a seed, so that a replay generates the same maps. */
#pragma once

#include "capture/tally.h"
#include "tmap/unstable/gen.h"
#include "util/sha256.h"

typedef struct random_maps {
    tmap_random random;
    const tmap_judge *judge;
    tmap_sha256 inputs, outputs, but_class;
} random_maps;

void tmap_random_maps_begin(random_maps *maps, uint64_t seed, const tmap_judge *judge);
/* Generates the next map that the rules allow on the judge's architectures, with unused entries zero, and freezes it.
 * Returns false when the rules refuse a thousand maps in a row. */
bool tmap_random_maps_next(random_maps *maps, tmap_map_params *params, tmap_map *map);
/* Adds the answer to the last generated map. */
void tmap_random_maps_answer(random_maps *maps, int result, const tmap_descriptor *descriptor);
/* Finishes the digests: inputs, outputs, outputs_but_class. */
void tmap_random_maps_end(random_maps *maps, capture_random *digests);

/* Generates the maps of a summary again, encodes them natively, and counts the summary as one case. */
tmap_status tmap_capture_tally_random(capture_tally *tally, const capture_random *recorded);
