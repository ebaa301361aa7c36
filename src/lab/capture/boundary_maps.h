/* Maps near the limits of the rules. */
#pragma once

#include "capture/case.h"
#include "tmap/unstable/gen.h"

/* A random valid map with one number changed to, or just across, a limit. Its identity names the limit. */
void tmap_capture_near(tmap_random *random, uint64_t number, capture_case *out);
