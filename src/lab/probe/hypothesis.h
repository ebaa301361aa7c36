/* Hypotheses about a difference: the copy with one mistake, whose prediction is compared with the observation. */
#pragma once

#include <string.h>

#include "diag/refuse.h"
#include "probe/probe.h"

typedef struct hypothesis {
    const tmap_observation *seen;
    tmap_probe probe;            /* with the mistake */
    const tmap_copy *right;      /* the copy without the mistake */
    uint32_t variant;            /* of the cause: 0 .. variants_n - 1 */
    bool skip;                   /* the copy did not run */
    uint8_t *images[2], *global; /* memory after the copy with the mistake; the images by poison */
    uint8_t *image, *other;      /* the image of the present poison, and room for a second one */
    uint8_t *predicted[2];       /* of a load: the images after the copy without the mistake, by poison */
    size_t image_B, global_B;
    uint32_t region[3]; /* of a part that was not written: dimension, first and last index */
    char words[TMAP_CAUSE_SIZE];
} hypothesis;

/*
 * A common mistake. `suppose` changes the probe of the hypothesis, and writes the words unless `words` has them; it
 * returns false if the mistake cannot explain this copy, or changes nothing. `alter` changes the image of a load, and
 * returns false if it cannot. A `weak` cause accepts any bytes in some places: it is tried only if no other cause fits.
 */
typedef struct tmap_cause {
    bool (*suppose)(hypothesis *h);
    bool (*alter)(hypothesis *h, int poison); /* or NULL */
    const char *words;
    uint32_t variants_n; /* 0: one */
    bool weak;
} tmap_cause;

/* Mistakes in replacements, in the parameters of copies, and in images. Each table ends with an empty row. */
extern const tmap_cause tmap_replacement_causes[], tmap_parameter_causes[], tmap_image_causes[];

/* Freezes changed parameters. Returns false if the rules refuse them. */
bool tmap_refreeze(hypothesis *h, const tmap_map_params *map, const tmap_copy_params *copy);

/* The words for the swizzle with the number of the variant. Returns false for the swizzle of the right copy. */
bool tmap_suppose_swizzle(hypothesis *h);

/* Runs the copy of the hypothesis from global memory to `box`, a part of an image. */
tmap_status tmap_hypothesis_run(hypothesis *h, uint8_t *box);

/* The index in an image of byte `byte` of a unit. A unit is inside one line, whose swizzle is one XOR. */
static inline uint64_t tmap_image_byte(const tmap_probe *probe, const tmap_place *place, uint32_t byte) {
    uint64_t straight = probe->copy.shared + place->box_B;
    return (straight + byte) ^ straight ^ place->shared;
}

/* Appends to a text that is an array. */
#define TMAP_APPEND(text, ...) tmap_say((text) + strlen(text), sizeof(text) - strlen(text), __VA_ARGS__)

/* Whole bytes of one element; 0 for a packed value. */
static inline uint32_t tmap_element_B(const tmap_copy *copy) {
    return copy->unit.shared_value_bits / 8;
}

static inline bool tmap_changes_image(hypothesis *h) {
    return h->probe.frozen.op->to_shared;
}
