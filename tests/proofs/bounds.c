/*
 * Point: 4
 * Proves: tmap_steps_below: step k from `from` is below `end` if and only if k is less than the result, for all k
 *     below `most`; the result is at most `most`. Copies use this function to compute the part of a box that is
 *     inside the tensor. The program tries all cases.
 * Bounds: `from` is -100 to 100, or such a number minus 2^32; `end` is 0 to 100, or such a number plus 2^32; steps
 *     are 1 to 8; `most` is up to 60.
 * Tool: run
 */
#include <stdbool.h>
#include <stdio.h>

#include "base/wide.h"

static bool holds(int64_t end, int64_t from, int64_t step, uint64_t most) {
    uint64_t n = tmap_steps_below(end, from, step, most);
    bool right = n <= most;
    for (uint64_t k = 0; k < most; k++) right &= (k < n) == (from + (int64_t)k * step < end);
    if (!right) printf("DISPROVED: end %lld from %lld step %lld\n", (long long)end, (long long)from, (long long)step);
    return right;
}

static bool holds_for(int64_t end, int64_t from) {
    const int64_t far = (int64_t)1 << 32;
    for (int64_t step = 1; step <= 8; step++)
        for (uint64_t most = 0; most <= 60; most += 4)
            if (!holds(end, from, step, most) || !holds(end, from - far, step, most) ||
                !holds(end + far, from, step, most) || !holds(end + far, from + far, step, most))
                return false;
    return true;
}

int main(void) {
    for (int64_t end = 0; end <= 100; end++)
        for (int64_t from = -100; from <= 100; from++)
            if (!holds_for(end, from)) return 1;
    printf("PROVED: all numbers\n");
    return 0;
}
