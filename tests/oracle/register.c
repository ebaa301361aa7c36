/* Register layouts as their document defines them. */
#include "oracle/register.h"

static bool is_local(const oracle_step *step) {
    return step->kind == ORACLE_LOCAL || step->kind == ORACLE_COLUMN_LOCAL;
}

static bool is_spatial(const oracle_step *step) {
    return step->kind == ORACLE_SPATIAL || step->kind == ORACLE_COLUMN_SPATIAL;
}

static uint64_t elements_of(const oracle_chain *chain, const oracle_step *step) {
    uint64_t n = 1;
    for (int d = 0; d < chain->rank; d++) n *= step->dims[d];
    return n;
}

static uint64_t threads_of(const oracle_chain *chain, const oracle_step *step) {
    if (step->kind == ORACLE_REPLICATED) return step->replicas;
    return is_spatial(step) ? elements_of(chain, step) : 1;
}

static uint64_t locals_of(const oracle_chain *chain, const oracle_step *step) {
    return is_local(step) ? elements_of(chain, step) : 1;
}

uint64_t oracle_dim(const oracle_chain *chain, int d) {
    uint64_t n = 1;
    for (int s = 0; s < chain->steps_n; s++) n *= chain->steps[s].dims[d];
    return n;
}

uint64_t oracle_chain_elements(const oracle_chain *chain) {
    uint64_t n = 1;
    for (int s = 0; s < chain->steps_n; s++) n *= elements_of(chain, &chain->steps[s]);
    return n;
}

uint64_t oracle_threads(const oracle_chain *chain) {
    uint64_t n = 1;
    for (int s = 0; s < chain->steps_n; s++) n *= threads_of(chain, &chain->steps[s]);
    return n;
}

uint64_t oracle_locals(const oracle_chain *chain) {
    uint64_t n = 1;
    for (int s = 0; s < chain->steps_n; s++) n *= locals_of(chain, &chain->steps[s]);
    return n;
}

uint64_t oracle_replicas(const oracle_chain *chain) {
    uint64_t n = 1;
    for (int s = 0; s < chain->steps_n; s++)
        if (chain->steps[s].kind == ORACLE_REPLICATED) n *= chain->steps[s].replicas;
    return n;
}

/* The number of an element inside one step: row by row, or column by column. */
static uint64_t number_in(const oracle_chain *chain, const oracle_step *step, const uint64_t *at) {
    bool column = step->kind == ORACLE_COLUMN_LOCAL || step->kind == ORACLE_COLUMN_SPATIAL;
    uint64_t number = 0;
    for (int i = 0; i < chain->rank; i++) {
        int d = column ? chain->rank - 1 - i : i;
        number = number * step->dims[d] + at[d];
    }
    return number;
}

oracle_place oracle_at(const oracle_chain *chain, const uint64_t *index, uint64_t replica) {
    oracle_place place = {0, 0};
    uint64_t rest[ORACLE_RANK], inside[ORACLE_RANK], copies = oracle_replicas(chain);
    for (int d = 0; d < chain->rank; d++) {
        rest[d] = index[d];
        inside[d] = oracle_dim(chain, d);
    }
    for (int s = 0; s < chain->steps_n; s++) {
        const oracle_step *step = &chain->steps[s];
        uint64_t at[ORACLE_RANK], copy = 0;
        for (int d = 0; d < chain->rank; d++) {
            inside[d] /= step->dims[d]; /* the size of the layout that replaces each element */
            at[d] = rest[d] / inside[d];
            rest[d] %= inside[d];
        }
        if (step->kind == ORACLE_REPLICATED) {
            copies /= step->replicas;
            copy = replica / copies;
            replica %= copies;
        }
        place.thread = place.thread * threads_of(chain, step) + (is_spatial(step) ? number_in(chain, step, at) : copy);
        place.local = place.local * locals_of(chain, step) + (is_local(step) ? number_in(chain, step, at) : 0);
    }
    return place;
}
