/* STANDIN_CHANGE: a driver that differs in one verdict or one bit from the text of the API, for some maps. */
#ifndef STANDIN_CHANGE_H
#define STANDIN_CHANGE_H

#include "encode.h"

typedef struct standin_change {
    bool refuses;       /* the map is refused */
    int flips;          /* bit of the descriptor that is wrong; -1: none */
    standin_map judged; /* the map of which the verdict is given; points into this struct */
    uint64_t dims[5], strides[5];
    uint32_t box[5], element_strides[5];
    int lower[3], upper[3];
} standin_change;

/* What the setting changes for this map. Ends the process if the setting cannot be read. */
void standin_change_of(const standin_map *map, standin_change *change);

#endif
