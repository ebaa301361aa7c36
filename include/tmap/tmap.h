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
#include "tmap/diag.h"
#include "tmap/emu.h"
#include "tmap/hw.h"
#include "tmap/map.h"
#include "tmap/params.h"
#include "tmap/rule.h"
#include "tmap/runtime.h"
#include "tmap/unstable/banks.h"
#include "tmap/unstable/banks_permute.h"
#include "tmap/unstable/cute.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/language_named.h"
#include "tmap/unstable/layout.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/layout_swizzle.h"
#include "tmap/unstable/plan.h"
#include "tmap/unstable/plan_conv.h"
#include "tmap/unstable/register.h"
#include "tmap/unstable/register_shared.h"
#include "tmap/unstable/stats.h"
#include "tmap/unstable/sweep.h"
#include "tmap/walk.h"

#ifndef TMAP_CORE_ONLY
#include "tmap/unstable/driver.h"
#include "tmap/unstable/emit.h"
#include "tmap/unstable/generate.h"
#include "tmap/unstable/import.h"
#include "tmap/unstable/page.h"
#include "tmap/unstable/picture.h"
#include "tmap/unstable/spec.h"
#include "tmap/unstable/view.h"
#endif

#endif
