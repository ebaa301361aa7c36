/* language: refusals and arguments of the functions of the language. */
#include "language/layout_argument.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text/words.h"
#include "tmap/hw.h"

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

static bool place(const tmap_call *call, int arg) {
    const tmap_value *value = arg >= 0 ? call->args[arg] : NULL;
    return tmap_refuse_place(call->eval->error, value ? value->at : call->at, value ? value->length : call->length);
}

bool tmap_call_refuse(const tmap_call *call, int arg, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tmap_refuse_v(call->eval->error, arg, NULL, format, args);
    va_end(args);
    return place(call, arg);
}

bool tmap_call_refuse_with(const tmap_call *call, int arg, const char *fix, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tmap_refuse_v(call->eval->error, arg, fix, format, args);
    va_end(args);
    return place(call, arg);
}

bool tmap_call_succeeded(const tmap_call *call, tmap_status status) {
    if (status == TMAP_OK) return true;
    if (status == TMAP_NO_MEMORY)
        call->eval->no_memory = true;
    else
        place(call, call->eval->error->operand);
    return false;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

tmap_status tmap_check_range(tmap_diag *error, int operand, const char *name, int64_t number, int64_t low,
                             int64_t high) {
    if (number >= low && number <= high) return TMAP_OK;
    return tmap_refuse_with(error, operand, "a number in that range",
                            "%s is %" PRId64 ", outside %" PRId64 "..%" PRId64, name, number, low, high);
}

static bool read_integer(tmap_call *call, int arg, tmap_operand *out) {
    const tmap_param *param = &call->function->params[arg];
    out->integer = call->args[arg]->as.integer;
    return param->low == param->high || /* any integer */
           tmap_call_succeeded(
               call, tmap_check_range(call->eval->error, arg, param->name, out->integer, param->low, param->high));
}

static bool read_truth(tmap_call *call, int arg, tmap_operand *out) {
    out->integer = call->args[arg]->as.truth;
    return true;
}

bool tmap_value_shape(const tmap_call *call, int arg, const tmap_value *value, tmap_shape *out) {
    bool one = value->kind == TMAP_VALUE_INT;
    size_t n = one ? 1 : value->as.list.n;
    out->rank = 0;
    if (n > TMAP_ITERS_MAX)
        return tmap_call_refuse_with(call, arg, "fewer numbers", "a list of %zu numbers, of at most %d", n,
                                     TMAP_ITERS_MAX);
    for (size_t i = 0; i < n; i++) {
        const tmap_value *item = one ? value : &value->as.list.items[i];
        if (item->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(call->eval, item);
        if (item->kind != TMAP_VALUE_INT) {
            tmap_call_refuse_with(call, arg, "an integer in this place", "%s has a %s where an integer is required",
                                  call->function->params[arg].name, tmap_value_kind_name(item->kind));
            return tmap_refuse_place(call->eval->error, item->at, item->length);
        }
        out->at[out->rank++] = item->as.integer;
    }
    return true;
}

const tmap_value *tmap_list_in(const tmap_value *list) {
    const tmap_value *first = list->kind == TMAP_VALUE_LIST && list->as.list.n == 1 ? list->as.list.items : NULL;
    return first && first->kind == TMAP_VALUE_LIST ? first : list;
}

static bool read_shape(tmap_call *call, int arg, tmap_operand *out) {
    out->data = &out->as.shape;
    return tmap_value_shape(call, arg, call->args[arg], &out->as.shape);
}

/* Numbers of 0 or more; those of an order are checked by its function. */
static bool take_numbers(const tmap_call *call, int arg, tmap_shape *numbers) {
    const tmap_param *param = &call->function->params[arg];
    if (!tmap_value_shape(call, arg, tmap_list_in(call->args[arg]), numbers)) return false;
    for (int i = 0; i < numbers->rank && param->kind != TMAP_PARAMETER_ORDER; i++)
        if (numbers->at[i] < 0)
            return tmap_call_refuse_with(call, arg, strstr(param->name, "shape") ? "1 or more" : "0 or more",
                                         "%s has %" PRId64 ", below 0", param->name, numbers->at[i]);
    return true;
}

bool tmap_arg_numbers(tmap_call *call, int arg, tmap_operand *out) {
    tmap_shape numbers;
    if (!take_numbers(call, arg, &numbers)) return false;
    for (out->n = 0; out->n < numbers.rank; out->n++) out->as.numbers[out->n] = (uint64_t)numbers.at[out->n];
    return true;
}

static bool read_dims(tmap_call *call, int arg, tmap_operand *out) {
    tmap_shape dims;
    if (!take_numbers(call, arg, &dims)) return false;
    for (out->n = 0; out->n < dims.rank; out->n++) {
        int64_t dim = dims.at[out->n];
        out->as.dims[out->n] = dim < INT32_MIN ? INT32_MIN : dim > INT32_MAX ? INT32_MAX : (int)dim;
    }
    return true;
}

/* One number for each dimension, inside the dimension. An omitted argument is the index of rank 0. */
static bool read_index(tmap_call *call, int arg, tmap_operand *out) {
    const tmap_modes *modes = call->args[0]->as.data;
    if (call->args[arg] && !tmap_arg_numbers(call, arg, out)) return false;
    if (out->n != modes->rank)
        return tmap_call_refuse_with(call, arg, "one coordinate for each dimension",
                                     "%d coordinate%s for %d dimension%s", out->n, TMAP_PLURAL(out->n), modes->rank,
                                     TMAP_PLURAL(modes->rank));
    for (int d = 0; d < modes->rank; d++)
        if (out->as.numbers[d] >= modes->shape[d])
            return tmap_call_refuse_with(call, arg, "0 to the size - 1",
                                         "coordinate %" PRIu64 " of dimension %d, whose size is %" PRIu64,
                                         out->as.numbers[d], d, modes->shape[d]);
    return true;
}

bool tmap_value_range(const tmap_call *call, int arg, const tmap_value *value, int64_t *begin, int64_t *end) {
    const tmap_value *from = value, *to = value;
    bool pair = value->kind == TMAP_VALUE_PAIR || (value->kind == TMAP_VALUE_LIST && value->as.list.n == 2);
    if (pair) from = &value->as.list.items[0], to = &value->as.list.items[1];
    if (from->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(call->eval, from);
    if (to->kind == TMAP_VALUE_WORD) return tmap_eval_refuse_unset(call->eval, to);
    if (from->kind != TMAP_VALUE_INT || to->kind != TMAP_VALUE_INT)
        return tmap_call_refuse_with(call, arg, "(0:8, 16:32), or (3, 16:32)",
                                     "a box has ranges begin:end or single numbers");
    *begin = from->as.integer;
    *end = to->as.integer;
    if (value->kind == TMAP_VALUE_INT && *end < INT64_MAX) ++*end;
    return true;
}

static bool read_box(tmap_call *call, int arg, tmap_operand *out) {
    const tmap_value *box = call->args[arg], *ranges = box->kind == TMAP_VALUE_LIST ? box->as.list.items : box;
    size_t n = box->kind == TMAP_VALUE_LIST ? box->as.list.n : 1;
    tmap_shape *begin = &out->as.box[0], *end = &out->as.box[1];
    for (begin->rank = end->rank = 0; (size_t)begin->rank < n; begin->rank++, end->rank++) {
        if (begin->rank == TMAP_ITERS_MAX)
            return tmap_call_refuse_with(call, arg, "fewer dimensions", "more than %d ranges", TMAP_ITERS_MAX);
        if (!tmap_value_range(call, arg, &ranges[begin->rank], &begin->at[begin->rank], &end->at[end->rank]))
            return false;
    }
    return true;
}

/* ---- Objects ---------------------------------------------------------------------------------------------------- */

static bool read_data(tmap_call *call, int arg, tmap_operand *out) {
    out->data = call->args[arg]->as.data;
    return true;
}

static bool read_layout(tmap_call *call, int arg, tmap_operand *out) {
    out->data = call->args[arg]->as.layout;
    return true;
}

static bool read_swizzle(tmap_call *call, int arg, tmap_operand *out) {
    const tmap_value *value = call->args[arg];
    const tmap_layout *layout = value->kind == TMAP_VALUE_LAYOUT ? value->as.layout : NULL;
    out->data = !layout ? &value->as.swizzle : layout->has_swizzle ? &layout->swizzle : NULL;
    return true;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static bool read_name(tmap_call *call, int arg, tmap_operand *out) {
    out->data = call->args[arg]->as.text;
    return true;
}

static bool read_axis(tmap_call *call, int arg, tmap_operand *out) {
    const tmap_value *value = call->args[arg];
    out->data = tmap_eval_axis(call->eval, value->as.text, value->at, value->length);
    return out->data != NULL;
}

/* The bits of float16, bfloat16, uint8, float8_e4m3fn: the number after the word; 0 for other words. */
static int framework_bits(const char *word) {
    static const char *const kinds[] = {"float", "bfloat", "int", "uint"}, *const widths[] = {"4", "8", "16", "32",
                                                                                              "64"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t kind = strlen(kinds[k]), width = strcspn(word, "_");
        for (int w = 0; w < 5 && strncmp(word, kinds[k], kind) == 0; w++)
            if (text_is(word + kind, width - kind, widths[w])) return 4 << w;
    }
    return 0;
}

/* The bits of an element of the type. */
static bool read_type(tmap_call *call, int arg, tmap_operand *out) {
    const tmap_value *value = call->args[arg];
    if (value->kind == TMAP_VALUE_INT) {
        int64_t bits = out->integer = value->as.integer;
        if (bits < 1 || bits > 128)
            return tmap_call_refuse_with(call, arg, "1, 2, 4, 8, 16, 32, 64 or 128 bits, or the name of a type",
                                         "%s is %" PRId64 ", outside 1..128", call->function->params[arg].name, bits);
        return (bits & (bits - 1)) == 0 ||
               tmap_call_refuse_with(call, arg, "1, 2, 4, 8, 16, 32, 64 or 128",
                                     "the elements have %d bits, which is not a power of two", (int)bits);
    }
    int type = tmap_type_find(value->as.text);
    out->integer = type >= 0 ? tmap_type_get(type)->bits : framework_bits(value->as.text);
    return out->integer > 0 || tmap_call_refuse_with(call, arg, "a type of `tmap list types`, or a number of bits",
                                                     "type %s does not exist", value->as.text);
}

static bool read_mode(tmap_call *call, int arg, tmap_operand *out) {
    const tmap_value *value = call->args[arg];
    out->integer = value->kind == TMAP_VALUE_NONE ? TMAP_SWIZZLE_NONE : tmap_swizzle_find(value->as.text);
    return out->integer >= 0 ||
           tmap_call_refuse_with(call, arg, "none, 32B, 64B, 128B", "swizzle %s does not exist", value->as.text);
}

static bool read_style(tmap_call *call, int arg, tmap_operand *out) {
    const char *name = call->args[arg]->as.text;
    char fix[160] = "";
    out->integer = tmap_table_style_find(name);
    if (out->integer >= 0) return true;
    for (int i = 0; tmap_table_style_name(i); i++) {
        if (i > 0) strncat(fix, ", ", sizeof fix - strlen(fix) - 1);
        strncat(fix, tmap_table_style_name(i), sizeof fix - strlen(fix) - 1);
    }
    return tmap_call_refuse_with(call, arg, fix, "style %s does not exist", name);
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static const struct {
    uint32_t takes;
    bool (*read)(tmap_call *call, int arg, tmap_operand *out);
} kinds[] = {
#define PARAMETER(id, takes, read) [TMAP_PARAMETER_##id] = {takes, read},
#include "language/parameters.def"
#undef PARAMETER
};

uint32_t tmap_param_takes(const tmap_param *param) {
    return param->takes ? param->takes : kinds[param->kind].takes;
}

bool tmap_call_read(tmap_call *call) {
    for (int i = 0; call->function->params[i].name; i++) {
        const tmap_param *param = &call->function->params[i];
        if (call->args[i] && call->args[i]->kind == TMAP_VALUE_NONE && param->optional) call->args[i] = NULL;
        bool read = kinds[param->kind].read && (call->args[i] || param->kind == TMAP_PARAMETER_INDEX);
        call->read[i].data = NULL;
        call->read[i].integer = param->otherwise;
        call->read[i].n = 0;
        if (read && !kinds[param->kind].read(call, i, &call->read[i])) return false;
    }
    return true;
}
