/* The extent of a copy in a memory that does not start at the tensor's address. */
#pragma once

#include "base/private_api.h"
#include "tmap/unstable/walk.h"

/* As tmap_copy_extent, with offsets relative to `origin_B` bytes after the tensor's address, modulo 2^64. */
TMAP_PRIVATE_API tmap_extent tmap_copy_extent_from(const tmap_copy *copy, uint64_t origin_B);
