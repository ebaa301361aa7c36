/* util: the mixing function of all seeds. */
#ifndef TMAP_UTIL_SPLITMIX_H
#define TMAP_UTIL_SPLITMIX_H

#include <stdint.h>

/* splitmix64's output for state `x` (Steele, Lea, Flood 2014; Vigna's constants). */
uint64_t tmap_splitmix64(uint64_t x);

#endif
