/*
 * tmap, all of libtmap: the stable tier and the unstable headers of libtmap-core and libtmap. The unstable headers of
 * libtmap-device (device, probe, fuzz, capture, recording) are not included here.
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_UNSTABLE_TMAP_H
#define TMAP_UNSTABLE_TMAP_H

#include "tmap/tmap.h"
#include "tmap/unstable/banks.h"
#include "tmap/unstable/banks_permute.h"
#include "tmap/unstable/changes.h"
#include "tmap/unstable/compiled.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/cute.h"
#include "tmap/unstable/driver.h"
#include "tmap/unstable/emit.h"
#include "tmap/unstable/emu_batch.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/execution.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/gen.h"
#include "tmap/unstable/generate.h"
#include "tmap/unstable/import.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/language_named.h"
#include "tmap/unstable/layout.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/layout_swizzle.h"
#include "tmap/unstable/names.h"
#include "tmap/unstable/page.h"
#include "tmap/unstable/params_count.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/parts.h"
#include "tmap/unstable/picture.h"
#include "tmap/unstable/plan.h"
#include "tmap/unstable/plan_conv.h"
#include "tmap/unstable/register.h"
#include "tmap/unstable/register_shared.h"
#include "tmap/unstable/spec.h"
#include "tmap/unstable/stats.h"
#include "tmap/unstable/sweep.h"
#include "tmap/unstable/tables.h"
#include "tmap/unstable/triton.h"
#include "tmap/unstable/view.h"
#include "tmap/unstable/walk.h"

#endif
