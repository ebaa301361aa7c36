/* hw: the alignment of a CUtensorMap. */
#pragma once

#define TMAP_MAP_ALIGN_B         64    /* the driver requires it: CUDA driver API, tensorMap */
#define TMAP_MAP_ALIGN_TYPE_B    128   /* alignas of the type in cuda.h, from this release on: */
#define TMAP_MAP_ALIGN_TYPE_CUDA 13000 /* earlier releases have alignas(64) */
