/* compiled: the maps of a program, and those that a kernel makes with tensormap.replace. */
#pragma once

#include "compiled/copies.h"

/* The map at an address, which is added if it is new; -1: there is no memory, which `compiled` remembers, or
 * no room. `instruction` UINT32_MAX: none uses the map yet. */
int32_t ptx_map_at(tmap_compiled *compiled, int32_t kernel, const ptx_value *address, uint32_t instruction);
/* The map at an address; -1: no map is there. */
int32_t ptx_map_find(const tmap_compiled *compiled, int32_t kernel, const ptx_value *address);
/* Takes an operation on a map: a replacement changes the parameters of the map at its address; a publication gives the
 * map at its destination the parameters of its source. Returns false if there is no memory. */
bool ptx_make_map(tmap_compiled *compiled, int32_t kernel, uint32_t instruction, const tmap_instruction *form);
/* The type with this number in tensormap.replace, or in the driver; -1: none. */
int ptx_type_of_code(uint64_t code, bool of_driver);
/* Sets the parameters that are not `known` to values that no rule rejects. */
void ptx_fill_map(tmap_map_params *params, uint64_t known);
