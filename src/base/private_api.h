/*
 * TMAP_PRIVATE_API marks the internal functions that libtmap-device calls in libtmap. libtmap exports them, no
 * installed header declares them, and they may change in every build: both libraries must come from the same one.
 */
#pragma once

#include "tmap/base.h"

#define TMAP_PRIVATE_API TMAP_API
