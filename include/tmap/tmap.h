/*
 * tmap: tensor maps of NVIDIA's Tensor Memory Accelerator: checked, encoded, emulated.
 *
 * This header includes the stable tier, which libtmap-core contains; base.h states its promises. The headers in
 * tmap/unstable/ make no promise; tmap/unstable/tmap.h includes those of libtmap-core and libtmap. The C++ header is
 * tmap/tmap.hpp. Each header can be included alone.
 */
#ifndef TMAP_TMAP_H
#define TMAP_TMAP_H

#include "tmap/base.h"
#include "tmap/codec.h"
#include "tmap/descriptor.h"
#include "tmap/diag.h"
#include "tmap/emu.h"
#include "tmap/hw.h"
#include "tmap/map.h"
#include "tmap/params.h"
#include "tmap/rule.h"
#include "tmap/runtime.h"

#endif
