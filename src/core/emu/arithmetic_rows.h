/*
 * Reductions of elements, for one kind of vectors, which the including file defines by
 *   TARGET     the function attribute
 *   VECTOR_B   bytes of a vector
 *   NAME(x)    a name of its own
 *   NATIVE     whether the machine's own floats are used, set as tmap_float_begin does; otherwise floats are added in
 *              integer arithmetic
 *   IN_ORDER(x, mask), HALF_IN_ORDER(x, mask)   optional: the 8-byte parts of a vector, and of half a vector, in the
 *              order that they have in a line with this swizzle mask
 *   LINES      optional, without IN_ORDER: in each byte the bits of a swizzle mask that exchange whole vectors
 *   ROUND_TF32(x)       optional: f32 numbers rounded to TF32
 *   SUM_F16(a, b)       optional: the sums of a vector of f16 numbers, with the canonical NaN
 * If NATIVE and without SUM_F16, the file also defines two functions of TARGET:
 *   NAME(widen)(halves)    f16 numbers of half a vector as a vector of floats
 *   NAME(narrow)(floats)   the reverse, to the nearest, ties to even
 * Integers: PTX ISA 9.1, red (.inc and .dec count up to and down from the operand, and wrap).
 *
 * Sums of 16-bit numbers are added as f32 and rounded once more: f32 has 24 bits, at least twice those of f16 and bf16
 * (11 and 8) and 2 more, so that the first rounding creates no tie for the second (Figueroa, When is double
 * rounding innocuous, 1995); the sum of two subnormal numbers is exact.
 */

#ifdef IN_ORDER
#define LINES UINT64_MAX
#else
#ifndef LINES
#define LINES 0
#endif
#define IN_ORDER(x, mask)      ((void)(mask), (x))
#define HALF_IN_ORDER(x, mask) ((void)(mask), (x))
#endif
#define AS_IT_IS(x, mask) (x)

#define VECTOR(type, name)                                                                                             \
    typedef type NAME(name) __attribute__((vector_size(VECTOR_B)));                                                    \
    TARGET static inline NAME(name) NAME(name##_in_order)(NAME(name) x, uint32_t mask) {                               \
        return (NAME(name))IN_ORDER(x, mask);                                                                          \
    }
VECTOR(uint16_t, u16)
VECTOR(int16_t, s16)
VECTOR(uint32_t, u32)
VECTOR(int32_t, s32)
VECTOR(uint64_t, u64)
VECTOR(int64_t, s64)

/* Vectors of elements, the last perhaps in part. `expression` uses elements `old` and operands `x`. `lines`: the
 * operands are in swizzled lines, and rows consist of vectors. For usual rows, row_B is a constant, too.
 * `all_masks`: tmap_have_all_masks; the masks are then constants. */
#define ROW_BY(name, vector, in_order, expression)                                                                     \
    TARGET TMAP_APART static void NAME(name##_of_part)(uint8_t * row, const uint8_t *operands, size_t size) {          \
        vector old = {0}, x = {0}, result;                                                                             \
        memcpy(&old, row, size);                                                                                       \
        memcpy(&x, operands, size);                                                                                    \
        result = (vector)(expression);                                                                                 \
        memcpy(row, &result, size);                                                                                    \
    }                                                                                                                  \
    TARGET TMAP_ALWAYS_INLINE void NAME(name##_of_row)(uint8_t * row, const uint8_t *operands, size_t at,              \
                                                       size_t row_B, bool lines, uint32_t mask) {                      \
        size_t high = mask & ~(sizeof(vector) - 1);                                                                    \
        vector old, x, result;                                                                                         \
        for (size_t done = 0; done < row_B / sizeof(vector) * sizeof(vector); done += sizeof old) {                    \
            memcpy(&old, row + done, sizeof old);                                                                      \
            memcpy(&x, operands + (ptrdiff_t)((at + done) ^ high), sizeof x);                                          \
            if (lines) x = in_order(x, mask);                                                                          \
            result = (vector)(expression);                                                                             \
            memcpy(row + done, &result, sizeof result);                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    TARGET TMAP_ALWAYS_INLINE void NAME(name##_of_rows)(const tmap_reduced *rows, size_t row_B, bool lines,            \
                                                        bool all_masks) {                                              \
        uint8_t *row = rows->to;                                                                                       \
        const uint8_t *operands = rows->from;                                                                          \
        ptrdiff_t to_step = rows->to_step, from_step = rows->from_step;                                                \
        uint64_t masks = rows->masks;                                                                                  \
        size_t at = rows->at, whole_B = row_B / sizeof(vector) * sizeof(vector);                                       \
        uint32_t left = rows->rows_n;                                                                                  \
        for (; all_masks && left >= TMAP_MASKS; left -= TMAP_MASKS, at += (size_t)TMAP_MASKS * TMAP_LINE_B)            \
            _Pragma("GCC unroll 8") for (uint32_t k = 0; k < TMAP_MASKS; k++, row += to_step)                          \
                NAME(name##_of_row)(row, operands, at + (size_t)k * TMAP_LINE_B, row_B, true, k * TMAP_UNIT_B);        \
        for (; left > 0; left--, row += to_step, at += (size_t)from_step) {                                            \
            uint32_t mask = lines ? tmap_mask_in(masks, at / TMAP_LINE_B) : 0;                                         \
            NAME(name##_of_row)(row, operands, at, row_B, lines, mask);                                                \
            if (!lines && whole_B < row_B)                                                                             \
                NAME(name##_of_part)(row + whole_B, operands + (ptrdiff_t)(at + whole_B), row_B - whole_B);            \
        }                                                                                                              \
    }                                                                                                                  \
    TARGET TMAP_APART static void NAME(name##_of_all_masks)(const tmap_reduced *rows) {                                \
        NAME(name##_of_rows)(rows, TMAP_LINE_B, true, true);                                                           \
    }                                                                                                                  \
    TARGET TMAP_APART static void NAME(name##_of_any)(const tmap_reduced *rows) {                                      \
        NAME(name##_of_rows)(rows, rows->size, false, false);                                                          \
    }                                                                                                                  \
    TARGET static void NAME(name)(const tmap_reduced *rows) {                                                          \
        bool lines = LINES != 0 && rows->masks != 0;                                                                   \
        if (lines && VECTOR_B == 64 && tmap_have_all_masks(rows))                                                      \
            NAME(name##_of_all_masks)(rows);                                                                           \
        else if (lines && VECTOR_B > 16 && rows->size == TMAP_LINE_B)                                                  \
            NAME(name##_of_rows)(rows, TMAP_LINE_B, true, false);                                                      \
        else if (lines)                                                                                                \
            NAME(name##_of_rows)(rows, rows->size, true, false);                                                       \
        else if (rows->size == sizeof(vector))                                                                         \
            NAME(name##_of_rows)(rows, sizeof(vector), false, false);                                                  \
        else                                                                                                           \
            NAME(name##_of_any)(rows);                                                                                 \
    }
#define ROW(name, elements, expression) ROW_BY(name, NAME(elements), NAME(elements##_in_order), expression)

/* `value` uses old[i] and x[i]; compilers vectorize a choice in this loop better than bits of masks. */
#define EACH(name, elements, value)                                                                                    \
    TARGET static inline NAME(elements) NAME(name##_of)(NAME(elements) old, NAME(elements) x) {                        \
        for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) old[i] = value;                                            \
        return old;                                                                                                    \
    }                                                                                                                  \
    ROW(name, elements, NAME(name##_of)(old, x))
#define SMALLER x[i] < old[i] ? x[i] : old[i]
#define GREATER x[i] > old[i] ? x[i] : old[i]

ROW(add_32, u32, old + x)
ROW(add_64, u64, old + x)
EACH(min_u32, u32, SMALLER)
EACH(min_s32, s32, SMALLER)
EACH(min_u64, u64, SMALLER)
EACH(min_s64, s64, SMALLER)
EACH(max_u32, u32, GREATER)
EACH(max_s32, s32, GREATER)
EACH(max_u64, u64, GREATER)
EACH(max_s64, s64, GREATER)
EACH(inc_u32, u32, old[i] < x[i] ? old[i] + 1 : 0)
ROW(dec_u32, u32, NAME(min_u32_of)(old - 1, x)) /* old - 1 is at least x if old is 0 or above x */
ROW(and_all, u64, old &x)
ROW(or_all, u64, old | x)
ROW(xor_all, u64, old ^ x)

/* As tmap_tf32_round. The same sum keeps an infinity. */
#ifndef ROUND_TF32
#define ROUND_TF32(x) NAME(rounded)(x)
TARGET static inline NAME(u32) NAME(rounded)(NAME(u32) x) {
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++)
        x[i] = (x[i] & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : (x[i] + 0x0fff + (x[i] >> 13 & 1)) & 0xffffe000;
    return x;
}
#endif
TARGET TMAP_APART static void NAME(round_part)(uint8_t *to, const uint8_t *from, size_t size) {
    NAME(u32) x = {0};
    memcpy(&x, from, size);
    x = (NAME(u32))ROUND_TF32(x);
    memcpy(to, &x, size);
}
TARGET static void NAME(round_tf32)(uint8_t *to, const uint8_t *from, size_t size) {
    NAME(u32) x;
    for (; size >= sizeof x; size -= sizeof x, to += sizeof x, from += sizeof x) {
        memcpy(&x, from, sizeof x);
        x = (NAME(u32))ROUND_TF32(x);
        memcpy(to, &x, sizeof x);
    }
    if (size > 0) NAME(round_part)(to, from, size);
}

/* ---- Minima and maxima of 16-bit floats -------------------------------------------------------------------------- */

#define NAN_16 0x7fff /* the canonical NaN of NVIDIA's arithmetic: no sign, all other bits 1 */

/*
 * Maps floats to signed integers with the order of the numbers, -0 below +0. NaNs have more magnitude than infinity, so
 * they are at both ends: `beyond` of them at each. Adding `shift` wraps one end to the other: all NaNs are then below
 * all numbers (shift = beyond, for max) or above them (shift = -beyond, for min). So a NaN never replaces a number, and
 * only two NaNs give a NaN.
 */
TARGET static inline NAME(s16) NAME(order)(NAME(u16) bits, int16_t shift) {
    return (NAME(s16))((bits ^ ((NAME(u16))((NAME(s16))bits >> 15) & 0x7fff)) + (uint16_t)shift);
}

/* The reverse of order(), with NAN_16 where `nan` is set. */
TARGET static inline NAME(u16) NAME(out_of_order)(NAME(s16) order, int16_t shift, NAME(s16) nan) {
    NAME(u16) bits = (NAME(u16))order - (uint16_t)shift;
    bits ^= (NAME(u16))((NAME(s16))bits >> 15) & 0x7fff;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) bits[i] = nan[i] ? NAN_16 : bits[i];
    return bits;
}

TARGET static inline NAME(u16) NAME(min_16)(NAME(u16) old, NAME(u16) x, uint16_t infinity) {
    int16_t beyond = (int16_t)(0x7fff - infinity), last = (int16_t)(infinity - beyond);
    NAME(s16) a = NAME(order)(old, (int16_t)-beyond), b = NAME(order)(x, (int16_t)-beyond);
    for (size_t i = 0; i < sizeof a / sizeof a[0]; i++) a[i] = b[i] < a[i] ? b[i] : a[i];
    return NAME(out_of_order)(a, (int16_t)-beyond, a > last);
}

TARGET static inline NAME(u16) NAME(max_16)(NAME(u16) old, NAME(u16) x, uint16_t infinity) {
    int16_t beyond = (int16_t)(0x7fff - infinity), first = (int16_t)(beyond - 1 - infinity);
    NAME(s16) a = NAME(order)(old, beyond), b = NAME(order)(x, beyond);
    for (size_t i = 0; i < sizeof a / sizeof a[0]; i++) a[i] = b[i] > a[i] ? b[i] : a[i];
    return NAME(out_of_order)(a, beyond, a < first);
}

ROW(min_f16, u16, NAME(min_16)(old, x, 0x7c00))
ROW(min_bf16, u16, NAME(min_16)(old, x, 0x7f80))
ROW(max_f16, u16, NAME(max_16)(old, x, 0x7c00))
ROW(max_bf16, u16, NAME(max_16)(old, x, 0x7f80))

/* ---- Sums of floats ---------------------------------------------------------------------------------------------- */

#if NATIVE

/* Every NaN becomes the canonical NaN. gcc makes scalar code of such a loop if it unrolls it first. */
TARGET static inline NAME(u32) NAME(sum)(NAME(u32) a, NAME(u32) b) {
    NAME(floats) sum = (NAME(floats))a + (NAME(floats))b;
    NAME(u32) bits = (NAME(u32))sum;
#pragma GCC unroll 1
    for (size_t i = 0; i < sizeof sum / sizeof sum[0]; i++) bits[i] = sum[i] != sum[i] ? INT32_MAX : bits[i];
    return bits;
}

/* A subnormal number becomes zero with its sign. */
TARGET static inline NAME(u32) NAME(flushed)(NAME(u32) bits) {
    NAME(u32) signs = bits & 0x80000000;
#pragma GCC unroll 1
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) bits[i] = bits[i] & 0x7f800000 ? bits[i] : signs[i];
    return bits;
}

#ifdef SUM_F16
ROW(add_f16, u16, SUM_F16(old, x))
#else
/* The NaN of f32 becomes that of f16. */
TARGET static inline NAME(halves) NAME(sum_f16)(NAME(halves) a, NAME(halves) b) {
    return NAME(narrow)((NAME(floats))NAME(sum)((NAME(u32))NAME(widen)(a), (NAME(u32))NAME(widen)(b)));
}

TARGET static inline NAME(halves) NAME(halves_in_order)(NAME(halves) x, uint32_t mask) {
    return (NAME(halves))HALF_IN_ORDER(x, mask);
}

ROW(add_f16, halves, NAME(sum_f16)(old, x))
#endif

/* The high half of an f32 number is a bf16 number. A carry of the rounding increments the exponent, up to infinity. The
 * low half of the operands is 0, so that of a NaN is 0 as well, and the rounding does not change the NaN. */
TARGET static inline NAME(u32) NAME(sum_high)(NAME(u32) a, NAME(u32) b) {
    NAME(u32) sum = (NAME(u32))((NAME(floats))a + (NAME(floats))b);
    return sum + 0x7fff + (sum >> 16 & 1);
}

/* Each of two neighbours in turn becomes a high half, so that no element changes its place. */
TARGET static inline NAME(u32) NAME(sum_bf16)(NAME(u32) a, NAME(u32) b) {
    NAME(u32) high = NAME(sum_high)(a & 0xffff0000, b & 0xffff0000), low = NAME(sum_high)(a << 16, b << 16);
    NAME(u16) sum = (NAME(u16))((high & 0xffff0000) | low >> 16);
    for (size_t i = 0; i < sizeof sum / sizeof sum[0]; i++) sum[i] = (sum[i] & 0x7fff) > 0x7f80 ? NAN_16 : sum[i];
    return (NAME(u32))sum;
}

/* As NAME(sum). */
TARGET static inline NAME(u64) NAME(sum_f64)(NAME(u64) a, NAME(u64) b) {
    NAME(doubles) sum = (NAME(doubles))a + (NAME(doubles))b;
    NAME(u64) bits = (NAME(u64))sum;
    for (size_t i = 0; i < sizeof sum / sizeof sum[0]; i++) bits[i] = sum[i] != sum[i] ? INT64_MAX : bits[i];
    return bits;
}

ROW(add_f64, u64, NAME(sum_f64)(old, x))
ROW(add_f32, u32, NAME(sum)(old, x))
ROW(add_f32_ftz, u32, NAME(flushed)(NAME(sum)(NAME(flushed)(old), NAME(flushed)(x))))
ROW(add_bf16, u32, NAME(sum_bf16)(old, x))

#else

ROW_BY(add_f64, uint64_t, AS_IT_IS, tmap_float_add(TMAP_FORMAT_F64, old, x))
ROW_BY(add_f32, uint32_t, AS_IT_IS, tmap_float_add(TMAP_FORMAT_F32, old, x))
ROW_BY(add_f32_ftz, uint32_t, AS_IT_IS,
       tmap_float_flush(TMAP_FORMAT_F32, tmap_float_add(TMAP_FORMAT_F32, tmap_float_flush(TMAP_FORMAT_F32, old),
                                                        tmap_float_flush(TMAP_FORMAT_F32, x))))
ROW_BY(add_f16, uint16_t, AS_IT_IS, tmap_float_add(TMAP_FORMAT_F16, old, x))
ROW_BY(add_bf16, uint16_t, AS_IT_IS, tmap_float_add(TMAP_FORMAT_BF16, old, x))

#endif

#define OP(id) TMAP_OP_REDUCE_##id
#define OF(id) TMAP_ARITHMETIC_##id
#define BITS(x)                                                                                                        \
    { [OF(U32)] = NAME(x), [OF(S32)] = NAME(x), [OF(U64)] = NAME(x), [OF(S64)] = NAME(x) }
static const tmap_reductions NAME(reductions) = {.lines = LINES,
                                                 .round_tf32 = NAME(round_tf32),
                                                 .functions = {
                                                     [OP(ADD)] = {[OF(U32)] = NAME(add_32),
                                                                  [OF(S32)] = NAME(add_32),
                                                                  [OF(U64)] = NAME(add_64),
                                                                  [OF(F16)] = NAME(add_f16),
                                                                  [OF(BF16)] = NAME(add_bf16),
                                                                  [OF(F32)] = NAME(add_f32),
                                                                  [OF(F32_FTZ)] = NAME(add_f32_ftz),
                                                                  [OF(F64)] = NAME(add_f64)},
                                                     [OP(MIN)] = {[OF(U32)] = NAME(min_u32),
                                                                  [OF(S32)] = NAME(min_s32),
                                                                  [OF(U64)] = NAME(min_u64),
                                                                  [OF(S64)] = NAME(min_s64),
                                                                  [OF(F16)] = NAME(min_f16),
                                                                  [OF(BF16)] = NAME(min_bf16)},
                                                     [OP(MAX)] = {[OF(U32)] = NAME(max_u32),
                                                                  [OF(S32)] = NAME(max_s32),
                                                                  [OF(U64)] = NAME(max_u64),
                                                                  [OF(S64)] = NAME(max_s64),
                                                                  [OF(F16)] = NAME(max_f16),
                                                                  [OF(BF16)] = NAME(max_bf16)},
                                                     [OP(INC)] = {[OF(U32)] = NAME(inc_u32)},
                                                     [OP(DEC)] = {[OF(U32)] = NAME(dec_u32)},
                                                     [OP(AND)] = BITS(and_all),
                                                     [OP(OR)] = BITS(or_all),
                                                     [OP(XOR)] = BITS(xor_all),
                                                 }};

#undef LINES
#undef IN_ORDER
#undef HALF_IN_ORDER
#undef AS_IT_IS
#undef ROUND_TF32
#undef SUM_F16
#undef VECTOR
#undef ROW_BY
#undef ROW
#undef EACH
#undef SMALLER
#undef GREATER
#undef NAN_16
#undef OP
#undef OF
#undef BITS
#undef TARGET
#undef VECTOR_B
#undef NAME
#undef NATIVE
