/* hash: splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014; constants as published
 * by Vigna. The mixing function of all seeds. */
#pragma once

#include <stdint.h>

/* The output for state `x`: adds the golden ratio to the state, then mixes. */
static inline uint64_t tmap_splitmix64(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
