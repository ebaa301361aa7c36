/* language: functions about swizzles and banks. */
#include <string.h>

#include "language/functions.h"
#include "tmap/unstable/layout_swizzle.h"

/* swizzle(M, B, S), with `outer` as an optional further argument. */
tmap_status tmap_fn_swizzle(int m, int b, int s, const char *outer, tmap_xor *made, tmap_diag *error) {
    if (outer && strcmp(outer, "outer") != 0)
        return tmap_refuse_with(error, 3, "swizzle(M, B, S, outer)", "%s is in a position where only outer is allowed",
                                outer);
    return tmap_fn_swizzle_layout(m, b, s, !outer, made, error);
}

tmap_status tmap_fn_swizzle_layout(int m, int b, int s, bool inner, tmap_xor *made, tmap_diag *error) {
    tmap_status status = tmap_xor_of_cute(b, m, s, made, error);
    made->outer = !inner;
    return status;
}

tmap_status tmap_fn_compose_layout(int m, int b, int s, const tmap_layout *layout, bool inner, tmap_layout *made,
                                   tmap_diag *error) {
    tmap_xor swizzle;
    tmap_status status = tmap_fn_swizzle_layout(m, b, s, inner, &swizzle, error);
    return status == TMAP_OK ? tmap_layout_compose(&swizzle, layout, made, error) : status;
}

void tmap_fn_as_cute(tmap_sink *sink, const tmap_xor *swizzle) {
    int b = 0, m = 4, s = 3;
    if (swizzle) tmap_xor_cute(swizzle, &b, &m, &s);
    tmap_printf(sink, "Swizzle<%d,%d,%d>", b, m, s);
}

bool tmap_fn_mode_of(tmap_call *call, const tmap_xor *swizzle, int bits, tmap_value *result) {
    int mode = swizzle ? tmap_xor_mode(swizzle, bits) : TMAP_SWIZZLE_NONE;
    return mode < 0 ? tmap_give_none(result) : tmap_give_text(call->eval, result, tmap_swizzle_get(mode)->name);
}

int64_t tmap_fn_period(const tmap_xor *swizzle) {
    return swizzle && swizzle->b > 0 ? tmap_xor_period(swizzle) : 1;
}

void tmap_fn_fitting_mode(tmap_sink *sink, int bits, int64_t columns) {
    tmap_puts(sink, tmap_swizzle_get((int)tmap_swizzle_fitting(bits, columns))->name);
}

bool tmap_fn_bank(tmap_call *call, int64_t address, int bits, tmap_value *result) {
    TMAP_STRUCTURE(s);
    tmap_bank bank = tmap_bank_of(address, bits);
    tmap_structure_int(&s, "byte", bank.byte);
    tmap_structure_int(&s, "bank", bank.bank);
    tmap_structure_int(&s, "line", bank.line);
    return tmap_structure_give(call->eval, &s, result);
}

/* ---- From one layout to another ---- */

/* For each bit that changes: "bit 3 is the XOR of bits 3 and 6". */
static bool give_bits(tmap_call *call, const tmap_bit_map *map, tmap_value *result) {
    size_t n = 0;
    tmap_value *rows = tmap_give_list(call->eval, result, (size_t)map->bits_n);
    for (int bit = 0; rows && bit < map->bits_n; bit++) {
        int64_t of[62];
        size_t of_n = 0;
        TMAP_STRUCTURE(s);
        if (map->of[bit] == (uint64_t)1 << bit) continue;
        for (int i = 0; i < map->bits_n; i++)
            if (map->of[bit] >> i & 1) of[of_n++] = i;
        tmap_structure_int(&s, "bit", bit);
        if (!tmap_give_ints(call->eval, tmap_structure_add(&s, "xor_of"), of, of_n)) return false;
        tmap_structure_give(call->eval, &s, &rows[n++]);
    }
    if (rows) result->as.list.n = n;
    return rows != NULL;
}

/* The steps of a search for two swizzles in a row. */
#define PAIRS_STEPS ((uint64_t)1 << 23)

bool tmap_fn_swizzle_between(tmap_call *call, const tmap_layout *a, const tmap_shape *a_shape, const tmap_layout *b,
                             const tmap_shape *b_shape, tmap_value *result) {
    tmap_bit_map map;
    TMAP_STRUCTURE(s);
    (void)a_shape, (void)b_shape;
    if (!tmap_eval_spend(call->eval, (uint64_t)tmap_layout_size(a) + PAIRS_STEPS)) return false;
    if (!tmap_call_succeeded(call, tmap_xor_between(a, b, &map, call->eval->error))) return false;
    tmap_value *swizzle = tmap_structure_add(&s, "swizzle");
    tmap_give_none(swizzle);
    if (map.is_swizzle) tmap_give_swizzle(swizzle, map.swizzle);
    if (map.is_two) {
        tmap_give_swizzle(tmap_structure_add(&s, "first"), map.swizzle);
        tmap_give_swizzle(tmap_structure_add(&s, "second"), map.second);
    }
    return give_bits(call, &map, tmap_structure_add(&s, "bits")) && tmap_structure_give(call->eval, &s, result);
}
