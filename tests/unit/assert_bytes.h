/*
 * Assertion that two byte strings are equal; a failure prints the first byte that differs and the 16 bytes around it.
 */
#ifndef TMAP_TESTS_ASSERT_BYTES_H
#define TMAP_TESTS_ASSERT_BYTES_H

#include <string.h>

#include "cmocka_all.h"

static inline size_t first_difference(const uint8_t *a, const uint8_t *b, size_t size) {
    size_t i = memcmp(a, b, size) == 0 ? size : 0;
    while (i < size && a[i] == b[i]) i++;
    return i;
}

static inline void print_window(const char *name, const uint8_t *bytes, size_t from, size_t end) {
    print_error("  %-8s", name);
    for (size_t i = from; i < end; i++) print_error(" %02x", bytes[i]);
    print_error("\n");
}

static inline void assert_bytes_at(const uint8_t *actual, const uint8_t *expected, size_t size, const char *file,
                                   int line) {
    size_t at = first_difference(actual, expected, size);
    if (at == size) return;
    size_t from = at / 16 * 16, end = from + 16 < size ? from + 16 : size;
    print_error("byte %zu of %zu differs; from byte %zu on:\n", at, size, from);
    print_window("is", actual, from, end);
    print_window("expected", expected, from, end);
    _fail(file, line);
}

#define assert_bytes_equal(actual, expected, size)                                                                     \
    assert_bytes_at((const uint8_t *)(actual), (const uint8_t *)(expected), size, __FILE__, __LINE__)

#endif
