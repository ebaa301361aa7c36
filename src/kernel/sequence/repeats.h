/* sequence: whether the states of an execution repeat with the rounds of its loops. */
#pragma once

#include "sequence/order.h"

/* The states at the first step of each period of the first thread that has a loop. */
typedef struct tmap_repeats {
    uint64_t hash;    /* of the last state */
    uint32_t period;  /* number of its period */
    int equal_n;      /* states in succession that are equal, with the last one; 0: no state yet */
    bool found;       /* three states were equal */
    uint32_t *phases; /* by barrier: number of complete phases at the last state */
} tmap_repeats;

/* Call before each event of the execution. If the states repeat, adds the phases of the periods that are not written to
 * the barriers. */
void tmap_repeats_note(tmap_repeats *repeats, tmap_machine *machine, const tmap_order *order);
