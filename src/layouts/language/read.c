/* language: reads the arguments of a call, each as the kind of its parameter. */
#include "language/layout_argument.h"

#include <inttypes.h>
#include <string.h>

#include "text/words.h"
#include "tmap/hw.h"

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

static bool read_integer(tmap_call *call, int arg, tmap_read_value *out) {
    const tmap_param *param = &call->function->params[arg];
    out->integer = call->args[arg]->as.integer;
    return param->low == param->high || /* any integer */
           tmap_call_succeeded(
               call, tmap_check_range(call->eval->error, arg, param->name, out->integer, param->low, param->high));
}

static bool read_truth(tmap_call *call, int arg, tmap_read_value *out) {
    out->integer = call->args[arg]->as.truth;
    return true;
}

static bool read_shape(tmap_call *call, int arg, tmap_read_value *out) {
    out->data = &out->as.shape;
    return tmap_value_shape(call, arg, call->args[arg], &out->as.shape);
}

static bool read_numbers(tmap_call *call, int arg, tmap_read_value *out) {
    tmap_shape numbers;
    bool sizes = call->function->params[arg].kind == TMAP_PARAMETER_SIZES;
    if (!tmap_arg_numbers(call, arg, sizes ? "1 or more" : "0 or more", &numbers)) return false;
    for (out->n = 0; out->n < numbers.rank; out->n++) out->as.numbers[out->n] = (uint64_t)numbers.at[out->n];
    return true;
}

static bool read_dims(tmap_call *call, int arg, tmap_read_value *out) {
    tmap_shape dims;
    if (!tmap_arg_numbers(call, arg, "0 or more", &dims)) return false;
    for (out->n = 0; out->n < dims.rank; out->n++) {
        int64_t dim = dims.at[out->n];
        out->as.dims[out->n] = dim < INT32_MIN ? INT32_MIN : dim > INT32_MAX ? INT32_MAX : (int)dim;
    }
    return true;
}

/* One number for each dimension, inside the dimension. An omitted argument is the index of rank 0. */
static bool read_index(tmap_call *call, int arg, tmap_read_value *out) {
    const tmap_modes *modes = call->args[0]->as.data;
    if (call->args[arg] && !read_numbers(call, arg, out)) return false;
    if (!tmap_call_count(call, arg, out->n, "coordinate", modes->rank, "dimension")) return false;
    for (int d = 0; d < modes->rank; d++)
        if (out->as.numbers[d] >= modes->shape[d])
            return tmap_call_refuse_with(call, arg, "0 to the size - 1",
                                         "coordinate %" PRIu64 " of dimension %d, whose size is %" PRIu64,
                                         out->as.numbers[d], d, modes->shape[d]);
    return true;
}

static bool read_box(tmap_call *call, int arg, tmap_read_value *out) {
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

static bool read_data(tmap_call *call, int arg, tmap_read_value *out) {
    out->data = call->args[arg]->as.data;
    return true;
}

static bool read_layout(tmap_call *call, int arg, tmap_read_value *out) {
    out->data = call->args[arg]->as.layout;
    return true;
}

static bool read_swizzle(tmap_call *call, int arg, tmap_read_value *out) {
    const tmap_value *value = call->args[arg];
    const tmap_layout *layout = value->kind == TMAP_VALUE_LAYOUT ? value->as.layout : NULL;
    out->data = !layout ? &value->as.swizzle : layout->has_swizzle ? &layout->swizzle : NULL;
    return true;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static bool read_name(tmap_call *call, int arg, tmap_read_value *out) {
    out->data = call->args[arg]->as.text;
    return true;
}

static bool read_axis(tmap_call *call, int arg, tmap_read_value *out) {
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
static bool read_type(tmap_call *call, int arg, tmap_read_value *out) {
    const tmap_value *value = call->args[arg];
    if (value->kind == TMAP_VALUE_INT) {
        int64_t bits = out->integer = value->as.integer;
        if (bits < 1 || bits > 128)
            return tmap_call_refuse_with(call, arg, "1, 2, 4, 8, 16, 32, 64 or 128 bits, or the name of a type",
                                         "%s is %" PRId64 "; it must be 1 to 128", call->function->params[arg].name,
                                         bits);
        return (bits & (bits - 1)) == 0 ||
               tmap_call_refuse_with(call, arg, "1, 2, 4, 8, 16, 32, 64 or 128",
                                     "the elements have %d bits, which is not a power of two", (int)bits);
    }
    int type = tmap_type_find(value->as.text);
    out->integer = type >= 0 ? tmap_type_get(type)->bits : framework_bits(value->as.text);
    return out->integer > 0 || tmap_call_refuse_with(call, arg, "a type of `tmap list types`, or a number of bits",
                                                     "type %s does not exist", value->as.text);
}

static bool read_mode(tmap_call *call, int arg, tmap_read_value *out) {
    const tmap_value *value = call->args[arg];
    out->integer = value->kind == TMAP_VALUE_NONE ? TMAP_SWIZZLE_NONE : tmap_swizzle_find(value->as.text);
    return out->integer >= 0 ||
           tmap_call_refuse_with(call, arg, "none, 32B, 64B, 128B", "swizzle %s does not exist", value->as.text);
}

static bool read_style(tmap_call *call, int arg, tmap_read_value *out) {
    const char *name = call->args[arg]->as.text;
    char fix[160] = "";
    out->integer = tmap_table_style_find(name);
    if (out->integer >= 0) return true;
    for (int i = 0; tmap_table_style_name(i); i++)
        tmap_append(fix, sizeof fix, "%s%s", i > 0 ? ", " : "", tmap_table_style_name(i));
    return tmap_call_refuse_with(call, arg, fix, "style %s does not exist", name);
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

const tmap_parameter tmap_parameters[] = {
#define PARAMETER(id, takes, read) [TMAP_PARAMETER_##id] = {takes, read},
#include "language/parameters.def"
#undef PARAMETER
};

bool tmap_call_read(tmap_call *call) {
    const tmap_param *param = call->function->params;
    for (int i = 0; param->name; i++, param++) {
        const tmap_parameter *kind = &tmap_parameters[param->kind];
        if (call->args[i] && call->args[i]->kind == TMAP_VALUE_NONE && param->optional) call->args[i] = NULL;
        call->read[i].data = NULL;
        call->read[i].integer = param->otherwise;
        call->read[i].n = 0;
        bool read = kind->read && (call->args[i] || param->kind == TMAP_PARAMETER_INDEX);
        if (read && !kind->read(call, i, &call->read[i])) return false;
    }
    return true;
}
