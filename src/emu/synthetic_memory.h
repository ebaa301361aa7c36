/* Rows of memory whose bytes are generated on reading. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the low `bits` bits of value, value + 1, ... to `size` consecutive bytes. May write up to 16 bytes more. */
void tmap_index_row(uint8_t *to, uint64_t value, unsigned bits, size_t size);

/* Writes words first, first + 1, ... of a random fill with seed 0: the largest multiple of a vector's words that is at
 * most words_n. Returns the number of words; 0 on a machine without such vectors. */
size_t tmap_random_words(uint8_t *to, uint64_t first, size_t words_n);
