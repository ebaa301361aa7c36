/* The planned cases of a recording: base, one factor at a time, unused entries, sizes, replace, acceptance. */
#pragma once

#include "capture/case.h"

size_t tmap_capture_sweep_size(void);
/* Case `i` below the size: its identity and arguments, without an answer. The caller allocates host memory. */
void tmap_capture_sweep_get(size_t i, capture_case *out);
/* Writes zeros after the ends of the arrays. */
void tmap_capture_clear_tails(tmap_map_params *params);
