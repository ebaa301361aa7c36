/*
 * TMAP_PRIVATE_API marks the internal functions of libtmap that libtmap-device calls. libtmap exports these functions,
 * no installed header declares them, and they may change in every build: both libraries must come from the same build.
 */
#pragma once

#include "tmap/base.h"

#define TMAP_PRIVATE_API TMAP_API
