/* Converts the library's parameters to the oracle's. Only this header and bridge.c depend on both. */
#ifndef TMAP_TESTS_ORACLE_BRIDGE_H
#define TMAP_TESTS_ORACLE_BRIDGE_H

#include "oracle/linear.h"
#include "tmap/params.h"

oracle_map oracle_map_of(const tmap_map_params *params);
oracle_copy oracle_copy_of(const tmap_copy_params *params);
/* Converts a copy without a tensor map. */
oracle_linear oracle_linear_of(const tmap_map_params *map, const tmap_copy_params *copy);
/* Executes tensormap.replace on 128 bytes. */
void oracle_replace_by(const tmap_copy_params *params, uint8_t descriptor[128]);

#endif
