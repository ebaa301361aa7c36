/* The planned cases of a recording: base, one factor at a time, unused entries, sizes, replace, acceptance. */
#pragma once

#include "capture/case.h"

size_t tmap_capture_sweep_size(void);
/* Case `i` below the size: identity and arguments, no answer yet. Host memory has still to be allocated. */
void tmap_capture_sweep_get(size_t i, capture_case *out);
/* Zeros behind the ends of the arrays. */
void tmap_capture_clear_tails(tmap_map_params *params);
