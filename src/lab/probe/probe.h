/* Declarations that the files of this room share. */
#pragma once

#include "map/coordinate.h"
#include "tmap/codec.h"
#include "tmap/unstable/probe.h"

/* The guard after the box and after the tensor. There are at least as many bytes before them. */
#define PROBE_GUARD_B 256

/* The default limit for the memory of one probe. */
#define PROBE_MEMORY_B ((uint64_t)1 << 30)

/* The origin of offsets in the destination: the tensor in global memory, the box in an image, or for a replacement the
 * start of the image, which then contains the descriptor. */
uint64_t tmap_probe_origin(const tmap_probe *probe);

/* Bytes of global memory; a copy that writes global memory has one for each poison. Saturates. */
uint64_t tmap_probe_globals_B(const tmap_probe *probe);

/* Bytes of both memories over both poisons. Saturates. */
uint64_t tmap_probe_needs_B(const tmap_probe *probe);

/* Both memories after the copy, by poison: the image of a CTA that the copy writes, and global memory. */
typedef struct tmap_prediction {
    uint8_t *images[2], *globals[2];
} tmap_prediction;

/* TMAP_NO_MEMORY: the prediction is then empty. */
tmap_status tmap_prediction_make(const tmap_probe *probe, const tmap_allocator *allocator, tmap_prediction *prediction);
void tmap_prediction_free(const tmap_probe *probe, const tmap_allocator *allocator, tmap_prediction *prediction);

/* Values that a test of arithmetic must contain: 64 / bits of them fill a word. */
typedef struct tmap_turning_values {
    int bits;
    uint64_t values[16];
} tmap_turning_values;

/* The contents of the destination before the copy, over the first poison. Over the second poison they are inverted. */
typedef struct tmap_old_words {
    bool reduced;
    uint64_t poison, seed;
    tmap_turning_values turning;
} tmap_old_words;

tmap_old_words tmap_probe_old(const tmap_probe *probe);
/* Bytes 8k .. 8k+7. */
uint64_t tmap_old_word(const tmap_old_words *old, uint64_t k);

static inline bool tmap_probe_to_global(const tmap_probe *probe) {
    return tmap_op_get((int)probe->copy.op)->to_global;
}

/* Whether a copy that the rules refuse ended with the symptom of its rule: the name of a CUDA error, or wrong data
 * after a copy that completes, or a barrier that never completes. */
bool tmap_probe_shows(const char *symptom, const tmap_observation *seen);

/* Finds a common mistake that explains the observation: words for the report, or "". May return TMAP_NO_MEMORY. */
tmap_status tmap_probe_cause(const tmap_probe *probe, const tmap_observation *seen, const tmap_allocator *allocator,
                             char words[TMAP_CAUSE_SIZE]);
