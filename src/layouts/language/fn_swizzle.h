/* language: arguments that are types and swizzle modes. */
#pragma once

#include "language/eval.h"
#include "tmap/hw.h"

/* The kinds that a type argument can have: its name, or a number of bits. */
#define TMAP_TAKES_TYPE (TMAP_KIND(WORD) | TMAP_KIND(TEXT) | TMAP_KIND(INT))
#define TMAP_TAKES_MODE (TMAP_KIND(WORD) | TMAP_KIND(TEXT) | TMAP_KIND(NONE))

bool tmap_arg_bits(const tmap_call *call, int arg, int *bits);
/* Returns byte, bank and line of an address (in elements) as a structure. */
bool tmap_give_bank(tmap_call *call, int64_t address, int bits, tmap_value *result);
