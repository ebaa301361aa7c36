/* One copy on the emulator: its memories and its result. */
#pragma once

#include "copies/global_memory.h"
#include "specs/used_facts.h"

/* The sources of a copy's memory. */
typedef struct copy_sources {
    const char *global_path, *shared_path; /* NULL: generated */
    memory_fill fill;
    uint8_t poison;
    bool keep_global; /* the caller needs all of global memory after the copy */
} copy_sources;

typedef struct copy_outcome {
    const char *name, *tensor;
    const char *const *axes;
    tmap_copy copy;
    tmap_copy_result result;
    tmap_footprint footprint;
    data_blob global_file;
    global_memory global;
    uint8_t *shared; /* the image from the copy's shared address on, of shared_B bytes */
    size_t shared_B;
    char digest[65];
    const char *digest_of;
    used_facts facts;
} copy_outcome;

/*
 * Runs the frozen copy in outcome->copy. Requires name, tensor and axes. Reports errors and returns an exit code. Call
 * outcome_end in any case.
 */
int outcome_run(copy_outcome *outcome, const copy_sources *sources, tmap_archs archs);
void outcome_end(copy_outcome *outcome);

/* Writes "x=0 y=8". */
void coordinates_write(tmap_sink *sink, const tmap_copy *copy, const char *const *axes, const int64_t *at);
/* Writes the coordinates of the copy, or the column and the rows. */
void place_write(tmap_sink *sink, const tmap_copy *copy, const char *const *axes);
