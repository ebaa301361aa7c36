/* What the files of this room share. */
#pragma once

#include "map/coordinate.h"
#include "tmap/codec.h"
#include "tmap/unstable/probe.h"

/* Behind the box and behind the tensor; before them are at least as many. */
#define PROBE_GUARD_B 256

/* What one probe may take where nobody says otherwise. */
#define PROBE_MEMORY_B ((uint64_t)1 << 30)

/* Where offsets of its destination count from: the tensor in global memory, the box in an image, or the beginning of
 * the image, where a replacement leaves the descriptor. */
uint64_t tmap_probe_origin(const tmap_probe *probe);

/* Bytes of global memory, which copies that write it have over each poison; saturates. */
uint64_t tmap_probe_globals_B(const tmap_probe *probe);

/* Bytes of both memories over both poisons; saturates. */
uint64_t tmap_probe_needs_B(const tmap_probe *probe);

/* Both memories as the copy leaves them, by poison: the image of a CTA that it writes, and global memory. */
typedef struct tmap_prediction {
    uint8_t *images[2], *globals[2];
} tmap_prediction;

/* TMAP_NO_MEMORY; the prediction is then empty. */
tmap_status tmap_prediction_make(const tmap_probe *probe, const tmap_allocator *allocator, tmap_prediction *prediction);
void tmap_prediction_free(const tmap_probe *probe, const tmap_allocator *allocator, tmap_prediction *prediction);

/* Bytes 8k .. 8k+7 of the destination before the copy, over the first poison; over the second it is the complement. */
uint64_t tmap_probe_before(const tmap_probe *probe, uint64_t k);

static inline bool tmap_probe_to_global(const tmap_probe *probe) {
    return tmap_op_get((int)probe->copy.op)->to_global;
}

/* Whether a copy that the rules refuse ended as its rule says. A symptom is the name of a CUDA error, or wrong data
 * behind a copy that completes, or a barrier that never does. */
bool tmap_probe_shows(const char *symptom, const tmap_observation *seen);

/* A usual mistake that explains what was seen: words for the report, or NULL. TMAP_NO_MEMORY. */
tmap_status tmap_probe_cause(const tmap_probe *probe, const tmap_observation *seen, const tmap_allocator *allocator,
                             const char **words);
