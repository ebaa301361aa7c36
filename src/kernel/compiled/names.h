/* compiled, reader: the names of a text and the blocks in which they hold. */
#pragma once

#include <stdint.h>

#include "tmap/base.h"

typedef enum ptx_name_kind {
    PTX_NAMES_REGISTER,
    PTX_NAMES_REGISTERS, /* the prefix of a range: %r of .reg .b32 %r<66> */
    PTX_NAMES_LABEL,
    PTX_NAMES_VARIABLE,
    PTX_NAMES_PARAMETER,
} ptx_name_kind;

typedef struct ptx_name {
    const char *text;
    uint32_t size;
    uint32_t block;
    ptx_name_kind kind;
    int32_t index;  /* of the register, instruction, variable or parameter; of a range: its type */
    uint64_t count; /* of a range; 0 */
} ptx_name;

/* A hash table, and the tree of blocks. Block 0 is the module. Zeroed with `allocator` set at the start. */
typedef struct ptx_names {
    const tmap_allocator *allocator;
    ptx_name *slots;
    size_t slots_n, used_n;
    uint32_t *parents; /* of each block */
    uint32_t blocks_n;
} ptx_names;

/* Opens a block in another one; UINT32_MAX if there is no memory. */
uint32_t ptx_names_open(ptx_names *names, uint32_t parent);
/* Adds a name or replaces the same name of the block. Returns false if there is no memory. */
bool ptx_names_add(ptx_names *names, const ptx_name *name);
/* Finds a name in a block or those around it; NULL: not declared. */
const ptx_name *ptx_names_find(const ptx_names *names, const char *text, uint32_t size, uint32_t block);
void ptx_names_free(ptx_names *names);
