/* One copy carried out by the emulator: from what memory, with what result. */
#pragma once

#include "copies/global_memory.h"
#include "specs/evidence.h"

/* Where a copy's memory comes from. */
typedef struct copy_sources {
    const char *global_path, *shared_path; /* NULL: made */
    memory_fill fill;
    uint8_t poison;
    bool keep_global; /* all of global memory is wanted afterwards */
} copy_sources;

typedef struct copy_outcome {
    const char *name, *tensor;
    const char *const *axes;
    tmap_copy copy;
    tmap_copy_result result;
    tmap_footprint footprint;
    data_blob global_file;
    global_memory global;
    uint8_t *shared; /* the image from the copy's shared address on, shared_B bytes of room */
    size_t shared_B;
    char digest[65];
    const char *digest_of;
    ground_list grounds;
} copy_outcome;

/*
 * Carries out the frozen copy in outcome->copy; name, tensor and axes are filled in already. Answers an exit code, what
 * is wrong having been said. Ends with outcome_end in any case.
 */
int outcome_run(copy_outcome *outcome, const copy_sources *sources, tmap_archs archs);
void outcome_end(copy_outcome *outcome);
