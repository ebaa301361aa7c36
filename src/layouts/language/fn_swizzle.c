/* language: functions about swizzles and banks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "language/fn_swizzle.h"
#include "language/functions.h"
#include "tmap/unstable/layout_swizzle.h"

static bool give_swizzle(tmap_value *result, tmap_xor swizzle) {
    *result = (tmap_value){.kind = TMAP_VALUE_SWIZZLE, .as.swizzle = swizzle};
    return true;
}

/* The bits of float16, bfloat16, uint8, float8_e4m3fn: the number after the word. */
static bool framework_bits(const char *word, int *bits) {
    static const char *const kinds[] = {"float", "bfloat", "int", "uint"};
    static const int widths[] = {4, 8, 16, 32, 64};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t length = strlen(kinds[k]);
        for (size_t w = 0; strncmp(word, kinds[k], length) == 0 && w < sizeof widths / sizeof *widths; w++) {
            char digits[4];
            size_t size = (size_t)snprintf(digits, sizeof digits, "%d", widths[w]);
            if (strncmp(word + length, digits, size) != 0) continue;
            char next = word[length + size];
            if (next != '\0' && next != '_') continue;
            *bits = widths[w];
            return true;
        }
    }
    return false;
}

bool tmap_arg_bits(const tmap_call *call, int arg, int *bits) {
    const tmap_value *value = call->args[arg];
    if (!value) return true;
    if (value->kind == TMAP_VALUE_INT) {
        int64_t number = 0;
        if (!tmap_arg_int(call, arg, 1, 128, &number)) {
            tmap_say_fix(call->eval->error, "1, 2, 4, 8, 16, 32, 64 or 128 bits, or the name of a type");
            return false;
        }
        *bits = (int)number;
        if ((number & (number - 1)) == 0) return true;
        return tmap_call_refuse_with(call, arg, "1, 2, 4, 8, 16, 32, 64 or 128",
                                     "the elements have %d bits, which is not a power of two", *bits);
    }
    int type = tmap_type_find(value->as.text);
    if (type >= 0) *bits = tmap_type_get(type)->bits;
    if (type >= 0 || framework_bits(value->as.text, bits)) return true;
    tmap_call_refuse(call, arg, "type %s does not exist", value->as.text);
    tmap_say_fix(call->eval->error, "a type of `tmap list types`, or a number of bits");
    return false;
}

static bool arg_mode(const tmap_call *call, int arg, tmap_swizzle *mode) {
    const tmap_value *value = call->args[arg];
    if (!value) return true;
    int found = value->kind == TMAP_VALUE_NONE ? TMAP_SWIZZLE_NONE : tmap_swizzle_find(value->as.text);
    *mode = (tmap_swizzle)found;
    if (found >= 0) return true;
    tmap_call_refuse(call, arg, "swizzle %s does not exist", value->as.text);
    tmap_say_fix(call->eval->error, "none, 32B, 64B, 128B");
    return false;
}

/* M, B and S in the arguments 0 to 2. */
static bool arg_swizzle(tmap_call *call, bool outer, tmap_xor *swizzle) {
    int64_t numbers[3] = {0};
    for (int i = 0; i < 3; i++)
        if (!tmap_arg_int(call, i, 0, 62, &numbers[i])) return false;
    tmap_status status =
        tmap_xor_of_cute((int)numbers[1], (int)numbers[0], (int)numbers[2], swizzle, call->eval->error);
    swizzle->outer = outer;
    return tmap_call_succeeded(call, status);
}

/* swizzle(M, B, S), with `outer` as an optional further argument. */
bool tmap_fn_swizzle(tmap_call *call, tmap_value *result) {
    const char *outer = tmap_arg_name(call, 3);
    tmap_xor swizzle;
    if (outer && strcmp(outer, "outer") != 0)
        return tmap_call_refuse_with(call, 3, "swizzle(M, B, S, outer)",
                                     "%s is in a position where only outer is allowed", outer);
    return arg_swizzle(call, outer != NULL, &swizzle) && give_swizzle(result, swizzle);
}

/* ---- TIRx's spelling ---- */

static bool is_outer(const tmap_call *call, int arg) {
    return call->args[arg] && !call->args[arg]->as.truth;
}

bool tmap_fn_tile_layout(tmap_call *call, tmap_value *result) {
    return tmap_give_layout(call, result, call->args[0]->as.layout);
}

bool tmap_fn_swizzle_layout(tmap_call *call, tmap_value *result) {
    tmap_xor swizzle;
    return arg_swizzle(call, is_outer(call, 3), &swizzle) && give_swizzle(result, swizzle);
}

static bool compose(tmap_call *call, const tmap_xor *swizzle, int arg, tmap_value *result) {
    tmap_layout made;
    tmap_status status = tmap_layout_compose(swizzle, call->args[arg]->as.layout, &made, call->eval->error);
    return tmap_call_succeeded(call, status) && tmap_give_layout(call, result, &made);
}

bool tmap_fn_compose_layout(tmap_call *call, tmap_value *result) {
    tmap_xor swizzle;
    return arg_swizzle(call, is_outer(call, 4), &swizzle) && compose(call, &swizzle, 3, result);
}

bool tmap_fn_as_tirx(tmap_call *call, tmap_value *result) {
    tmap_text text = {.allocator = call->eval->arena.allocator};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_layout_print_tirx(&sink, call->args[0]->as.layout);
    if (sink.failed) call->eval->no_memory = true;
    bool ok = !sink.failed && tmap_give_text(call, result, text.data);
    tmap_text_free(&text);
    return ok;
}

bool tmap_fn_swizzle_mode(tmap_call *call, tmap_value *result) {
    int bits = 0;
    tmap_swizzle mode = TMAP_SWIZZLE_NONE;
    tmap_xor swizzle;
    return tmap_arg_bits(call, 0, &bits) && arg_mode(call, 1, &mode) &&
           tmap_call_succeeded(call, tmap_xor_of_mode(bits, mode, &swizzle, call->eval->error)) &&
           give_swizzle(result, swizzle);
}

bool tmap_fn_cute_swizzle(tmap_call *call, tmap_value *result) {
    int64_t numbers[3] = {0};
    tmap_xor swizzle;
    for (int i = 0; i < 3; i++)
        if (!tmap_arg_int(call, i, i < 2 ? 0 : -62, 62, &numbers[i])) return false;
    tmap_status status =
        tmap_xor_of_cute((int)numbers[0], (int)numbers[1], (int)numbers[2], &swizzle, call->eval->error);
    return tmap_call_succeeded(call, status) && give_swizzle(result, swizzle);
}

static const tmap_xor *swizzle_of(const tmap_call *call, int arg) {
    const tmap_value *value = call->args[arg];
    if (value->kind == TMAP_VALUE_SWIZZLE) return &value->as.swizzle;
    return value->as.layout->has_swizzle ? &value->as.layout->swizzle : NULL;
}

bool tmap_fn_as_cute(tmap_call *call, tmap_value *result) {
    const tmap_xor *swizzle = swizzle_of(call, 0);
    char text[64];
    int b = 0, m = 4, s = 3;
    if (swizzle) tmap_xor_cute(swizzle, &b, &m, &s);
    snprintf(text, sizeof text, "Swizzle<%d,%d,%d>", b, m, s);
    return tmap_give_text(call, result, text);
}

bool tmap_fn_mode_of(tmap_call *call, tmap_value *result) {
    const tmap_xor *swizzle = swizzle_of(call, 0);
    int bits = 0;
    if (!tmap_arg_bits(call, 1, &bits)) return false;
    int mode = swizzle ? tmap_xor_mode(swizzle, bits) : TMAP_SWIZZLE_NONE;
    return mode < 0 ? tmap_give_none(result) : tmap_give_text(call, result, tmap_swizzle_get(mode)->name);
}

bool tmap_fn_period(tmap_call *call, tmap_value *result) {
    const tmap_xor *swizzle = swizzle_of(call, 0);
    return tmap_give_int(result, swizzle && swizzle->b > 0 ? tmap_xor_period(swizzle) : 1);
}

bool tmap_fn_fitting_mode(tmap_call *call, tmap_value *result) {
    int bits = 0;
    int64_t columns = 0;
    return tmap_arg_bits(call, 0, &bits) && tmap_arg_int(call, 1, 1, INT64_MAX, &columns) &&
           tmap_give_text(call, result, tmap_swizzle_get((int)tmap_swizzle_fitting(bits, columns))->name);
}

bool tmap_fn_compose(tmap_call *call, tmap_value *result) {
    return compose(call, &call->args[0]->as.swizzle, 1, result);
}

bool tmap_fn_atom(tmap_call *call, tmap_value *result) {
    int bits = 0;
    tmap_swizzle mode = TMAP_SWIZZLE_NONE;
    tmap_layout made;
    return tmap_arg_bits(call, 0, &bits) && arg_mode(call, 1, &mode) &&
           tmap_call_succeeded(call, tmap_layout_atom(bits, mode, &made, call->eval->error)) &&
           tmap_give_layout(call, result, &made);
}

bool tmap_give_bank(tmap_call *call, int64_t address, int bits, tmap_value *result) {
    tmap_structure_maker maker;
    tmap_bank bank = tmap_bank_of(address, bits);
    if (!tmap_structure_begin(call->eval, &maker, 3)) return false;
    tmap_structure_int(&maker, "byte", bank.byte);
    tmap_structure_int(&maker, "bank", bank.bank);
    tmap_structure_int(&maker, "line", bank.line);
    return tmap_structure_end(&maker, result);
}

bool tmap_fn_bank(tmap_call *call, tmap_value *result) {
    int64_t address = 0;
    int bits = 0;
    return tmap_arg_int(call, 0, 0, INT64_MAX, &address) && tmap_arg_bits(call, 1, &bits) &&
           tmap_give_bank(call, address, bits, result);
}

bool tmap_fn_swizzled(tmap_call *call, tmap_value *result) {
    int64_t address = 0;
    return tmap_arg_int(call, 1, 0, INT64_MAX, &address) &&
           tmap_give_int(result, tmap_xor_apply(&call->args[0]->as.swizzle, address));
}

/* ---- From one layout to another ---- */

/* For each bit that changes: "bit 3 is the XOR of bits 3 and 6". */
static bool give_bits(tmap_call *call, const tmap_bit_map *map, tmap_value *result) {
    size_t n = 0;
    tmap_value *rows = tmap_give_list(call->eval, result, (size_t)map->bits_n);
    for (int bit = 0; rows && bit < map->bits_n; bit++) {
        int64_t of[62];
        size_t of_n = 0;
        tmap_structure_maker maker;
        if (map->of[bit] == (uint64_t)1 << bit) continue;
        for (int i = 0; i < map->bits_n; i++)
            if (map->of[bit] >> i & 1) of[of_n++] = i;
        if (!tmap_structure_begin(call->eval, &maker, 2)) return false;
        tmap_structure_int(&maker, "bit", bit);
        if (!tmap_give_ints(call, tmap_structure_add(&maker, "xor_of"), of, of_n)) return false;
        tmap_structure_end(&maker, &rows[n++]);
    }
    if (rows) result->as.list.n = n;
    return rows != NULL;
}

/* The steps of a search for two swizzles in a row. */
#define PAIRS_STEPS ((uint64_t)1 << 23)

bool tmap_fn_swizzle_between(tmap_call *call, tmap_value *result) {
    const tmap_layout *a, *b;
    tmap_shape shape;
    tmap_bit_map map;
    tmap_structure_maker maker;
    if (!tmap_arg_layout(call, 0, &a, &shape) || !tmap_arg_layout(call, 1, &b, &shape)) return false;
    if (!tmap_eval_spend(call->eval, (uint64_t)tmap_layout_size(a) + PAIRS_STEPS)) return false;
    if (!tmap_call_succeeded(call, tmap_xor_between(a, b, &map, call->eval->error))) return false;
    if (!tmap_structure_begin(call->eval, &maker, 4)) return false;
    tmap_value *swizzle = tmap_structure_add(&maker, "swizzle");
    tmap_give_none(swizzle);
    if (map.is_swizzle) give_swizzle(swizzle, map.swizzle);
    if (map.is_two) {
        give_swizzle(tmap_structure_add(&maker, "first"), map.swizzle);
        give_swizzle(tmap_structure_add(&maker, "second"), map.second);
    }
    return give_bits(call, &map, tmap_structure_add(&maker, "bits")) && tmap_structure_end(&maker, result);
}
