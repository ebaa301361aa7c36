/* Maps near the limits of the rules. */
#pragma once

#include "capture/case.h"
#include "tmap/unstable/gen.h"

/* A random valid map with one number moved to, or just across, a limit; its identity says which. */
void tmap_capture_near(tmap_random *random, uint64_t number, capture_case *out);
