/*
 * Register layouts as their document defines them: a chain of local, spatial and replicated layouts, in which the next
 * layout replaces each element. A walk along the chain finds the place of an element. The code has no modes and shares
 * no code with src/.
 */
#ifndef TMAP_TESTS_ORACLE_REGISTER_H
#define TMAP_TESTS_ORACLE_REGISTER_H

#include <stdbool.h>
#include <stdint.h>

enum { ORACLE_RANK = 3, ORACLE_STEPS = 4 };

typedef enum oracle_kind {
    ORACLE_LOCAL,
    ORACLE_SPATIAL,
    ORACLE_COLUMN_LOCAL,
    ORACLE_COLUMN_SPATIAL,
    ORACLE_REPLICATED, /* shape of ones; `replicas` threads */
} oracle_kind;

typedef struct oracle_step {
    oracle_kind kind;
    uint64_t dims[ORACLE_RANK];
    uint64_t replicas;
} oracle_step;

typedef struct oracle_chain {
    int rank, steps_n;
    oracle_step steps[ORACLE_STEPS];
} oracle_chain;

typedef struct oracle_place {
    uint64_t thread, local;
} oracle_place;

uint64_t oracle_dim(const oracle_chain *chain, int d);
uint64_t oracle_chain_elements(const oracle_chain *chain);
uint64_t oracle_threads(const oracle_chain *chain);
uint64_t oracle_locals(const oracle_chain *chain);
uint64_t oracle_replicas(const oracle_chain *chain);
/* Returns the place of replica number `replica` of an element; the outermost replication changes slowest. */
oracle_place oracle_at(const oracle_chain *chain, const uint64_t *index, uint64_t replica);

#endif
