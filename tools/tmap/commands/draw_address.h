/* The element at an address: the options --address and --global-address of tmap draw, and JSON of elements. */
#pragma once

#include "output/result.h"
#include "tmap/unstable/view.h"

typedef struct found_byte {
    bool asked, global;
    uint64_t address, offset_B; /* offset_B: in global memory, from the tensor's address */
    char label[80];             /* "shared address 0x5a0" */
    tmap_byte holds;
} found_byte;

found_byte find_shared_byte(const tmap_copy *copy, uint64_t address);
/* For a tensor without an address, `address` is the offset. */
found_byte find_global_byte(const tmap_copy *copy, uint64_t address);
/* Marks the byte's first element, if it has one. */
void mark_byte(tmap_view *view, const found_byte *byte);

/* Key "byte". */
void byte_json(tmap_json *json, const tmap_copy *copy, const found_byte *byte);
/* The members of an element of the box, without braces. */
void element_json(tmap_json *json, const tmap_copy *copy, const uint32_t index[TMAP_RANK_MAX]);
