/* -D NAME=VALUE: values for the sizes of specs, the same for every command that reads one. */
#pragma once

#include "options/options.h"
#include "tmap/unstable/size.h"

/* The values of -D: sizes of a spec, or parameters of a kernel. */
#define GIVEN_SIZES_MAX 64
typedef struct given_sizes {
    tmap_size_value values[GIVEN_SIZES_MAX];
    size_t n;
} given_sizes;

const given_sizes *sizes_given(void);

bool take_size(void *at, const char *value); /* `at` is not used */

#define SIZE_OPTION                                                                                                    \
    { "-D", "NAME=VALUE", "set a size, a name in an expression or a parameter of a kernel; repeatable", 0, take_size }
