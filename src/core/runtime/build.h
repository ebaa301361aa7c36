/* runtime: functions that both encoders, the driver and the native one, use. */
#pragma once

#include "diag/refuse.h"
#include "tmap/map.h"

/* Checks and freezes. Considers only rules of severity error. */
tmap_status tmap_freeze(const tmap_map_params *params, tmap_archs archs, tmap_map *map, tmap_diag *refusal);

/*
 * Sets the allocation class to SMALL (clears bit 85) where drivers before the fix of nvbug 5736804 wrongly choose
 * LARGE: in a descriptor of a tensor that is not dense and, as far as is known, in an allocation below 128 KiB. Accepts
 * any parameters.
 */
void tmap_settle_allocation_class(tmap_descriptor *descriptor, const tmap_map_params *params);
