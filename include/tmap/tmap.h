/*
 * tmap: tensor maps of NVIDIA's Tensor Memory Accelerator: checked, encoded, emulated.
 *
 * The rooms from base to runtime are tmap::core, which depends on nothing but the C library; TMAP_CORE_ONLY leaves the
 * others of tmap::tmap out. The headers of tmap::device (device, probe, fuzz, capture, recording) are not included
 * here. Each header can be included alone.
 */
#ifndef TMAP_TMAP_H
#define TMAP_TMAP_H

#include "tmap/base.h"
#include "tmap/codec.h"
#include "tmap/cute.h"
#include "tmap/diag.h"
#include "tmap/emu.h"
#include "tmap/gen.h"
#include "tmap/hw.h"
#include "tmap/layout.h"
#include "tmap/layout_algebra.h"
#include "tmap/layout_banks.h"
#include "tmap/layout_expression.h"
#include "tmap/layout_permute.h"
#include "tmap/layout_swizzle.h"
#include "tmap/map.h"
#include "tmap/named_layout.h"
#include "tmap/params.h"
#include "tmap/plan.h"
#include "tmap/plan_conv.h"
#include "tmap/register_layout.h"
#include "tmap/rule.h"
#include "tmap/runtime.h"
#include "tmap/shared_layout.h"
#include "tmap/stats.h"
#include "tmap/sweep.h"
#include "tmap/walk.h"

#ifndef TMAP_CORE_ONLY
#include "tmap/driver.h"
#include "tmap/emit.h"
#include "tmap/generate.h"
#include "tmap/import.h"
#include "tmap/page.h"
#include "tmap/picture.h"
#include "tmap/spec.h"
#include "tmap/view.h"
#endif

#endif
