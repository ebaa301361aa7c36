/*
 * sequence: a model of all orders of asynchronous steps, which finds what each step may read. A step without a race
 * commutes with all others and runs as soon as it can; only racing steps are tried in every order. A state is visited
 * once.
 */
#pragma once

#include "sequence/machine.h"

enum { CONTENTS_MAX = 2 };

/* The regions that a step reads: those of `reads`, then the map of a copy. */
static inline int tmap_all_reads_n(const tmap_step *step) {
    bool map = step->kind == TMAP_STEP_ASYNC && step->map >= 0 && step->reads_n < TMAP_SEQUENCE_READS_MAX;
    return step->reads_n + map;
}

static inline int tmap_read_region(const tmap_step *step, int i) {
    return i < step->reads_n ? step->reads[i] : step->map;
}

/* The contents of one region that a step reads: the writers, as step + 1; 0 for the contents before the sequence. */
typedef struct tmap_contents {
    uint64_t tags[CONTENTS_MAX]; /* a tag: the number of the last writer; above 32 bits, a hash of what it read */
    int tags_n;                  /* also CONTENTS_MAX if there are more */
    uint64_t more;
} tmap_contents;

typedef struct tmap_exploration {
    const bool *races;       /* by step */
    tmap_contents *contents; /* TMAP_SEQUENCE_READS_MAX for each step, by region that it reads */
    uint64_t states_n;
    bool all;
} tmap_exploration;

/*
 * Adds to each finding sequence-order from `first` on, whose `at` is an index in `contents` and whose `length` is not
 * 0, a note with the results of the read. Sets `at` and `length` to 0.
 */
void tmap_add_results(const tmap_sequence *sequence, const tmap_exploration *exploration, tmap_diags *diags,
                      size_t first);
/* Returns false when an allocation fails. */
bool tmap_explore(tmap_exploration *exploration, const tmap_program *program, tmap_arena *arena);
