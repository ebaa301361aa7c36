/* Reductions: the choice of the machine's vectors, and the portable functions. */
#include "emu/arithmetic.h"

#include <string.h>

#include "emu/float.h"
#include "tmap/emu.h"

#define TARGET
#define VECTOR_B 16
#define NAME(x)  portable_##x
#define NATIVE   0
#include "emu/arithmetic_rows.h"

const tmap_reductions *tmap_reductions_get(tmap_vectors vectors) {
    return vectors == TMAP_VECTORS_PORTABLE ? &portable_reductions : tmap_reductions_native(vectors);
}

const tmap_reductions *tmap_reductions_best(void) {
    const tmap_reductions *reductions = NULL;
    for (int vectors = 0; !reductions; vectors++) reductions = tmap_reductions_get((tmap_vectors)vectors);
    return reductions;
}

tmap_reduce *tmap_reduce_of(const tmap_reduction_info *reduction) {
    return tmap_reductions_best()->functions[reduction->op][reduction->arithmetic];
}

/* The vectors before TMAP_VECTORS_PORTABLE have 64, 32 and 16 bytes. Sums of f16 convert half a vector at once. */
tmap_reduce *tmap_reduce_rows(const tmap_reduction_info *reduction, size_t size) {
    size_t step = reduction->op == TMAP_OP_REDUCE_ADD && reduction->arithmetic == TMAP_ARITHMETIC_F16 ? 32 : 64;
    for (int vectors = 0; vectors < TMAP_VECTORS_PORTABLE; vectors++, step /= 2) {
        const tmap_reductions *reductions = tmap_reductions_get((tmap_vectors)vectors);
        if (reductions && size % step == 0) return reductions->functions[reduction->op][reduction->arithmetic];
    }
    return tmap_reduce_of(reduction);
}

uint64_t tmap_reduce_value(const tmap_reduction_info *reduction, uint64_t old, uint64_t operand) {
    uint64_t before = tmap_float_begin();
    uint8_t to[sizeof old], from[sizeof operand];
    memcpy(to, &old, sizeof to);
    memcpy(from, &operand, sizeof from);
    size_t size = tmap_type_get((int)reduction->type)->unit_global_B;
    tmap_reduce_of(reduction)(&(tmap_reduced){.to = to, .from = from, .size = size, .rows_n = 1});
    tmap_float_end(before);
    uint64_t result = 0;
    memcpy(&result, to, size);
    return result;
}
