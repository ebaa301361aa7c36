/* Rows of calls with NULL: the function, the parameter, and the arguments. tests/house/check_null.py reads them. */
#ifndef TEST_NULL_ROWS_H
#define TEST_NULL_ROWS_H

#include "cmocka_all.h"

/* The call with NULL for `parameter` must return `expected`. */
#define NULL_IN(function, parameter, expected, ...)                                                                    \
    do {                                                                                                               \
        int answer = (int)function(__VA_ARGS__);                                                                       \
        if (answer != (expected)) fail_msg(#function ": NULL for " #parameter " returns %d", answer);                  \
    } while (0)
/* The call with NULL for `parameter` must not crash; it returns no number to compare. */
#define NULL_CALL(function, parameter, ...) function(__VA_ARGS__)
#define BAD                                 TMAP_BAD_ARGUMENT

#endif
