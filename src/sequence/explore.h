/*
 * sequence: all orders in which asynchronous steps may happen, as a model: what each step may read. Steps that race
 * with nothing commute with all others, so that they happen as soon as they can; only racing ones are tried in every
 * order. States that were seen are not visited again.
 */
#pragma once

#include "sequence/machine.h"

enum { EXPLORE_STATES_MAX = 20000, CONTENTS_MAX = 2, SEQUENCE_READS_MAX = 4 };

/* What a step reads of one region: the writers, as step + 1, 0 for what was there before the sequence. */
typedef struct tmap_contents {
    uint64_t tags[CONTENTS_MAX]; /* a tag: the last writer's number, and above 32 bits what it made it from */
    int tags_n;                  /* CONTENTS_MAX also where there are more */
    uint64_t more;
} tmap_contents;

typedef struct tmap_exploration {
    const bool *races;       /* by step */
    tmap_contents *contents; /* by step and read region: SEQUENCE_READS_MAX a step */
    uint64_t states_n;
    bool all;
} tmap_exploration;

/* False when there is no memory. */
bool tmap_explore(tmap_exploration *exploration, const tmap_program *program, tmap_arena *arena);
