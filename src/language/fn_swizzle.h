/* language: arguments that are types and swizzle modes. */
#ifndef TMAP_LANGUAGE_FN_SWIZZLE_H
#define TMAP_LANGUAGE_FN_SWIZZLE_H

#include "language/eval.h"
#include "tmap/hw.h"

/* Kinds that a type can be: its name, or a number of bits. */
#define TMAP_TAKES_TYPE (TMAP_KIND(WORD) | TMAP_KIND(TEXT) | TMAP_KIND(INT))
#define TMAP_TAKES_MODE (TMAP_KIND(WORD) | TMAP_KIND(TEXT) | TMAP_KIND(NONE))

bool tmap_arg_bits(const tmap_call *call, int arg, int *bits);
/* Byte, bank and line of an address in elements, as a structure. */
bool tmap_give_bank(tmap_call *call, int64_t address, int bits, tmap_value *result);

#endif
