/* Maps from a log or a running program, written as one spec file. */
#pragma once

#include "tmap/unstable/emit.h"
#include "tmap/unstable/spec.h"

/* Whether a spec can express the map: its enums have names, and its rank is valid. */
bool found_map_has_spec(const tmap_map_params *params);

/* The fix for a CUresult that does not concern the map, in one line. NULL for success, and if the map is the cause. */
const char *found_map_hint(int result);

/* Writes the head of the file. After it, the caller writes one map after the other, each below lines of comment. */
void found_maps_begin(tmap_sink *sink);
void found_map_write(tmap_sink *sink, const char *name, const tmap_map_params *params, bool outer_first);
/* Writes the parameters of a map that no spec can express, as lines of comment. */
void found_map_comment(tmap_sink *sink, const char *name, const tmap_map_params *params);
