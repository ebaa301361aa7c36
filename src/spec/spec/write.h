/* spec: writes the entries of the sections tensors and copies, for files that contain a spec and other data. */
#pragma once

#include "base/private_api.h"
#include "tmap/unstable/spec.h"

TMAP_PRIVATE_API void tmap_spec_write_tensor(tmap_sink *sink, const char *name, const tmap_map_params *params);
TMAP_PRIVATE_API void tmap_spec_write_copy(tmap_sink *sink, const char *name, const char *tensor,
                                           const tmap_copy_params *copy);
