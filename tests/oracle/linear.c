/* Copies without a tensor map: see linear.h. */
#include "oracle/linear.h"

/* The table of cp.reduce.async.bulk. To .shared::cluster: .add of u32, s32 and u64; .min and .max of u32 and s32; .inc
 * and .dec of u32; .and, .or and .xor of b32. To global memory also .min and .max of u64, s64, f16 and bf16; .add of
 * f16, bf16, f32 and f64; .and, .or and .xor of b64. */
static bool reduces(const oracle_linear *c) {
    bool integer = c->number == ORACLE_UNSIGNED || c->number == ORACLE_SIGNED;
    bool is_signed = c->number == ORACLE_SIGNED, half = c->number == ORACLE_HALF || c->number == ORACLE_BRAIN;
    bool word = integer && c->bits == 32, wide = integer && c->bits == 64;
    switch (c->reduction) {
    case ORACLE_ADD: return word || (wide && !is_signed) || (!integer && !c->remote);
    case ORACLE_MIN:
    case ORACLE_MAX: return word || ((wide || half) && !c->remote);
    case ORACLE_INC:
    case ORACLE_DEC: return word && !is_signed;
    case ORACLE_AND:
    case ORACLE_OR:
    case ORACLE_XOR: return word || (wide && !c->remote);
    }
    return false;
}

int oracle_linear_error(const oracle_linear *c) {
    bool uses_shared = c->direction != ORACLE_NOWHERE;
    if (c->there % 16 != 0 || (uses_shared && c->shared % 16 != 0)) return ORACLE_MISALIGNED_ADDRESS;
    return c->direction == ORACLE_REDUCE_FROM_SHARED && !reduces(c) ? ORACLE_ILLEGAL_INSTRUCTION : 0;
}

static bool is_moved(const oracle_linear *c, uint64_t i) {
    if (i < c->ignore_left || i >= c->size - c->ignore_right) return false;
    return c->byte_mask == 0 || (c->byte_mask >> i % 16 & 1) != 0;
}

static void move_bytes(const oracle_linear *c, oracle_memory there, oracle_memory shared, oracle_result *result) {
    for (uint64_t i = 0; i < c->size; i++) {
        if (!is_moved(c, i)) continue;
        uint8_t *outside = there.byte(there.context, c->there + i);
        uint8_t *inside = shared.byte(shared.context, c->shared + i);
        if (!outside || !inside) {
            result->stray_B++;
            continue;
        }
        if (c->direction == ORACLE_TO_SHARED)
            *inside = *outside;
        else
            *outside = *inside;
        result->written_B++;
    }
}

static uint64_t value_at(oracle_memory memory, uint64_t address, uint32_t bits) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < bits / 8; i++) {
        const uint8_t *byte = memory.byte(memory.context, address + i);
        if (byte) value |= (uint64_t)*byte << 8 * i;
    }
    return value;
}

static void reduce_elements(const oracle_linear *c, oracle_memory there, oracle_memory shared, oracle_result *result) {
    for (uint64_t i = 0; i < c->size; i += c->bits / 8) {
        uint64_t value = oracle_reduce(c->reduction, c->number, c->bits, value_at(there, c->there + i, c->bits),
                                       value_at(shared, c->shared + i, c->bits));
        for (uint32_t k = 0; k < c->bits / 8; k++) {
            uint8_t *byte = there.byte(there.context, c->there + i + k);
            if (byte) *byte = (uint8_t)(value >> 8 * k);
            result->stray_B += !byte;
            result->written_B += byte != NULL;
        }
    }
}

bool oracle_linear_hangs(const oracle_linear *copy) {
    return copy->remote && copy->size % 16 != 0;
}

oracle_result oracle_linear_run(const oracle_linear *c, oracle_memory there, oracle_memory shared) {
    oracle_result result = {0};
    if (c->direction == ORACLE_NOWHERE) return result;
    result.payload_B = c->size;
    if (c->direction == ORACLE_REDUCE_FROM_SHARED)
        reduce_elements(c, there, shared, &result);
    else
        move_bytes(c, there, shared, &result);
    return result;
}
