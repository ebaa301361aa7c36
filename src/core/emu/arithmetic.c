/* Reductions: the choice of the machine's vectors, and the portable functions. */
#include "emu/arithmetic.h"

#include <string.h>

#include "emu/float.h"
#include "emu/permute.h"
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

uint64_t tmap_reduce_value(const tmap_reduction_info *reduction, uint64_t old, uint64_t operand) {
    uint64_t before = tmap_float_begin();
    uint8_t to[sizeof old], from[sizeof operand];
    memcpy(to, &old, sizeof to);
    memcpy(from, &operand, sizeof from);
    size_t size = tmap_type_get((int)reduction->type)->unit_global_B;
    tmap_reductions_best()->functions[reduction->op][reduction->arithmetic](
        &(tmap_reduced){.to = to, .from = from, .size = size, .rows_n = 1});
    tmap_float_end(before);
    uint64_t result = 0;
    memcpy(&result, to, size);
    return result;
}
