/* Maps that were found somewhere (a log, a running program), written as one spec file. */
#pragma once

#include "tmap/unstable/emit.h"
#include "tmap/unstable/spec.h"

/* Whether a spec can say the map: its enums have names, and its rank is one of a map. */
bool found_map_has_spec(const tmap_map_params *params);

/* What to do about a CUresult that is not about the map, in one line; NULL for success, and where the map is the cause.
 */
const char *found_map_hint(int result);

/* The head of the file; then, under lines of comment that the caller writes, one map after the other. */
void found_maps_begin(tmap_sink *sink);
void found_map_write(tmap_sink *sink, const char *name, const tmap_map_params *params);
/* The parameters of a map that no spec can say, as lines of comment. */
void found_map_comment(tmap_sink *sink, const char *name, const tmap_map_params *params);
