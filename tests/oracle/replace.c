/* The bits of each field of a descriptor and the values stored there, measured with ptxas 12.8.93 to 13.5.37. */
#include "oracle/replace.h"

#include <string.h>

static void put(uint8_t *bytes, unsigned lo, unsigned width, uint64_t value) {
    for (unsigned i = 0; i < width; i++) {
        unsigned bit = lo + i;
        uint8_t one = (uint8_t)(1u << bit % 8);
        bytes[bit / 8] = (uint8_t)((value >> i & 1) != 0 ? bytes[bit / 8] | one : bytes[bit / 8] & ~one);
    }
}

/* By .elemtype: the stored code; 16 is the bit that rounds to tf32, which other types keep. */
static const uint8_t codes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 7 + 16, 8 + 16, 11, 12, 13};

void oracle_replace(uint8_t d[128], const char *field, uint64_t ordinal, uint64_t operand, int cuda) {
    unsigned n = (unsigned)ordinal;
    if (strcmp(field, "global_address") == 0) {
        put(d, 0, 64, operand);
        if (cuda >= 13050) put(d, 85, 1, 0);
    }
    if (strcmp(field, "rank") == 0) put(d, 68, 3, operand);
    if (strcmp(field, "elemtype") == 0) {
        put(d, 71, 4, codes[operand % sizeof codes] % 16);
        if (codes[operand % sizeof codes] >= 16) put(d, 80, 1, 1);
    }
    if (strcmp(field, "interleave_layout") == 0) put(d, 75, 2, operand);
    if (strcmp(field, "swizzle_mode") == 0) {
        put(d, 77, 2, operand % 4);
        put(d, 86, 1, operand / 4);
    }
    if (strcmp(field, "fill_mode") == 0) put(d, 79, 1, operand);
    if (strcmp(field, "swizzle_atomicity") == 0) put(d, 83, cuda >= 13040 ? 2 : 3, operand);
    if (strcmp(field, "global_stride") == 0) { /* for n = 4 both parts are at the high bits of the other strides */
        put(d, 96 + 32 * n, 32, operand / 16);
        put(d, 224 + 4 * n, 4, operand / 16 >> 32);
    }
    if (strcmp(field, "global_dim") == 0) put(d, 256 + 32 * n, 32, operand - 1);
    if (strcmp(field, "element_stride") == 0) put(d, 416 + 3 * n, 3, operand - 1);
    if (strcmp(field, "box_dim") == 0) put(d, 440 + 8 * n, 8, operand - 1);
}
