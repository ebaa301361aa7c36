/* Rows of memory whose bytes are made as they are read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The low `bits` bits of value, value + 1, … in `size` bytes, one behind the other; up to 16 bytes more may be written.
 */
void tmap_index_row(uint8_t *to, uint64_t value, unsigned bits, size_t size);

/* Writes words first, first + 1, … of a random fill with seed 0, as many of words_n as vectors hold; returns how many:
 * 0 where the machine has no such vectors. */
size_t tmap_random_words(uint8_t *to, uint64_t first, size_t words_n);
