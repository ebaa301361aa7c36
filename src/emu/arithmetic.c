/*
 * What a reduction makes of an element: a function a row, so that the compiler sees one loop over one expression.
 * Integers: PTX ISA 9.1, red (.inc and .dec count up to and down from the operand, and wrap).
 */
#include "emu/arithmetic.h"

#include <string.h>

#include "emu/float.h"
#include "tmap/emu.h"
#include "tmap/unstable/counts.h"

/* `expression` is of the element `old` and the operand `x`. */
#define ROW(name, type, expression)                                                                                    \
    static void name(uint8_t *to, const uint8_t *from, size_t count) {                                                 \
        for (size_t i = 0; i < count; i++) {                                                                           \
            type old, x, result;                                                                                       \
            memcpy(&old, to + i * sizeof old, sizeof old);                                                             \
            memcpy(&x, from + i * sizeof x, sizeof x);                                                                 \
            result = (type)(expression);                                                                               \
            memcpy(to + i * sizeof result, &result, sizeof result);                                                    \
        }                                                                                                              \
    }

ROW(add_32, uint32_t, old + x)
ROW(add_64, uint64_t, old + x)
ROW(min_u32, uint32_t, x < old ? x : old)
ROW(min_s32, int32_t, x < old ? x : old)
ROW(min_u64, uint64_t, x < old ? x : old)
ROW(min_s64, int64_t, x < old ? x : old)
ROW(max_u32, uint32_t, x > old ? x : old)
ROW(max_s32, int32_t, x > old ? x : old)
ROW(max_u64, uint64_t, x > old ? x : old)
ROW(max_s64, int64_t, x > old ? x : old)
ROW(inc_u32, uint32_t, old >= x ? 0 : old + 1)
ROW(dec_u32, uint32_t, old == 0 || old > x ? x : old - 1)
ROW(and_32, uint32_t, old &x)
ROW(and_64, uint64_t, old &x)
ROW(or_32, uint32_t, old | x)
ROW(or_64, uint64_t, old | x)
ROW(xor_32, uint32_t, old ^ x)
ROW(xor_64, uint64_t, old ^ x)
ROW(add_f16, uint16_t, tmap_float_add(TMAP_FORMAT_F16, old, x))
ROW(add_bf16, uint16_t, tmap_float_add(TMAP_FORMAT_BF16, old, x))
ROW(add_f32, uint32_t, tmap_float_add(TMAP_FORMAT_F32, old, x))
ROW(add_f32_ftz, uint32_t,
    tmap_float_flush(TMAP_FORMAT_F32, tmap_float_add(TMAP_FORMAT_F32, tmap_float_flush(TMAP_FORMAT_F32, old),
                                                     tmap_float_flush(TMAP_FORMAT_F32, x))))
ROW(min_f16, uint16_t, tmap_float_min(TMAP_FORMAT_F16, old, x))
ROW(min_bf16, uint16_t, tmap_float_min(TMAP_FORMAT_BF16, old, x))
ROW(max_f16, uint16_t, tmap_float_max(TMAP_FORMAT_F16, old, x))
ROW(max_bf16, uint16_t, tmap_float_max(TMAP_FORMAT_BF16, old, x))

#define OP(id) TMAP_OP_REDUCE_##id

/* A row for every number that a row of reductions.def gives the operation. */
static tmap_reduce_row *const rows[TMAP_OP_COUNT][TMAP_ARITHMETIC_F32_FTZ + 1] = {
    [OP(ADD)] = {[TMAP_ARITHMETIC_U32] = add_32,
                 [TMAP_ARITHMETIC_S32] = add_32,
                 [TMAP_ARITHMETIC_U64] = add_64,
                 [TMAP_ARITHMETIC_F16] = add_f16,
                 [TMAP_ARITHMETIC_BF16] = add_bf16,
                 [TMAP_ARITHMETIC_F32] = add_f32,
                 [TMAP_ARITHMETIC_F32_FTZ] = add_f32_ftz},
    [OP(MIN)] = {[TMAP_ARITHMETIC_U32] = min_u32,
                 [TMAP_ARITHMETIC_S32] = min_s32,
                 [TMAP_ARITHMETIC_U64] = min_u64,
                 [TMAP_ARITHMETIC_S64] = min_s64,
                 [TMAP_ARITHMETIC_F16] = min_f16,
                 [TMAP_ARITHMETIC_BF16] = min_bf16},
    [OP(MAX)] = {[TMAP_ARITHMETIC_U32] = max_u32,
                 [TMAP_ARITHMETIC_S32] = max_s32,
                 [TMAP_ARITHMETIC_U64] = max_u64,
                 [TMAP_ARITHMETIC_S64] = max_s64,
                 [TMAP_ARITHMETIC_F16] = max_f16,
                 [TMAP_ARITHMETIC_BF16] = max_bf16},
    [OP(INC)] = {[TMAP_ARITHMETIC_U32] = inc_u32},
    [OP(DEC)] = {[TMAP_ARITHMETIC_U32] = dec_u32},
    [OP(AND)] = {[TMAP_ARITHMETIC_U32] = and_32, and_32, and_64, and_64},
    [OP(OR)] = {[TMAP_ARITHMETIC_U32] = or_32, or_32, or_64, or_64},
    [OP(XOR)] = {[TMAP_ARITHMETIC_U32] = xor_32, xor_32, xor_64, xor_64},
};

tmap_reduce_row *tmap_reduce_row_of(const tmap_reduction_info *reduction) {
    return rows[reduction->op][reduction->arithmetic];
}

uint64_t tmap_reduce_value(const tmap_reduction_info *reduction, uint64_t old, uint64_t operand) {
    size_t size = tmap_type_get((int)reduction->type)->unit_global_B;
    uint8_t to[sizeof old], from[sizeof operand];
    uint64_t result = 0;
    memcpy(to, &old, sizeof to);
    memcpy(from, &operand, sizeof from);
    tmap_reduce_row_of(reduction)(to, from, 1);
    memcpy(&result, to, size);
    return result;
}
