/*
 * The notation of CuTe:
 *
 *   layout  = [("Sw" | "S" | "Swizzle") "<" int "," int "," int ">" "o" [int "o"]] tuple [":" tuple]
 *   tuple   = int | "(" tuple {"," tuple} ")"
 *   int     = ["-"] ["_"] digit {digit}
 *
 * "S" is the form of the CuTe DSL, which also prints tensors: "tensor<ptr<f16, smem, align<1024>> o" layout ">".
 */
#include "cute/tuples.h"

#include "layout/xor_maps.h"
#include "text/cursor.h"
#include "text/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct notation_reader {
    tmap_cursor c;
    const char *form; /* of the part that is read: the fix of an error */
    tmap_cute_build build;
    tmap_diag *error;
} notation_reader;

/* ---- Tokens ---- */

/* The next character that is not a space, or 0 at the end. */
static char peek(notation_reader *r) {
    tmap_cursor_skip_space(&r->c);
    return tmap_cursor_next(&r->c);
}

static bool take(notation_reader *r, const char *text) {
    return tmap_cursor_take(&r->c, text);
}

static bool expect(notation_reader *r, const char *sign, const char *where) {
    if (take(r, sign)) return true;
    bool end = r->c.at == r->c.size;
    return tmap_refuse_at(r->error, r->c.at, 1, end ? "complete the layout" : r->form, "expected '%s' %s%s", sign,
                          where, end ? ", found the end of the text" : "");
}

static bool read_digits(notation_reader *r, int64_t *number) {
    size_t begin = r->c.at;
    tmap_number_result result = tmap_cursor_digits(&r->c, number);
    if (result == TMAP_NUMBER_OK) return true;
    if (result == TMAP_NUMBER_TOO_LARGE) return tmap_refuse_number(r->error, begin, 1, result);
    if (tmap_cursor_next(&r->c) == '?')
        return tmap_refuse_at(r->error, begin, 1, "write the number instead of '?'",
                              "'?' is a number that CuTe has only at run time");
    return tmap_refuse_at(r->error, begin, 1, "write an integer, as in 8:1", "expected an integer");
}

static bool read_integer(notation_reader *r, int64_t *number) {
    bool negative = take(r, "-");
    (void)take(r, "_");
    if (!read_digits(r, number)) return false;
    if (negative) *number = -*number;
    return true;
}

/* ---- Shape and stride ---- */

static bool read_shape_leaf(notation_reader *r) {
    int64_t shape;
    size_t at = r->c.at;
    if (!read_integer(r, &shape)) return false;
    if (shape < 1)
        return tmap_refuse_at(r->error, at, 1, "make every shape 1 or more",
                              "the shape has a %" PRId64 ", which is less than 1", shape);
    tmap_cute_leaf(&r->build, (uint64_t)shape, 0);
    return true;
}

static bool read_shape(notation_reader *r, int depth) {
    tmap_cursor_skip_space(&r->c);
    size_t at = r->c.at;
    if (r->build.layout.nodes_n == TMAP_CUTE_NODES_MAX)
        return tmap_refuse_at(r->error, at, 1, "coalesce the layout", "more than %d parts and parentheses",
                              TMAP_CUTE_NODES_MAX);
    if (!take(r, "(")) return read_shape_leaf(r);
    if (depth == TMAP_CUTE_DEPTH_MAX)
        return tmap_refuse_at(r->error, at, 1, "nest less", "more than %d parentheses deep", TMAP_CUTE_DEPTH_MAX);
    int open = tmap_cute_open(&r->build);
    do {
        if (!read_shape(r, depth + 1)) return false;
    } while (take(r, ","));
    if (!expect(r, ")", "after a shape")) return false;
    tmap_cute_close(&r->build, open);
    return true;
}

static bool read_stride_leaf(notation_reader *r, tmap_cute_node *node) {
    if (peek(r) == '(')
        return tmap_refuse_at(r->error, r->c.at, 1, "nest shape and stride alike",
                              "expected one stride, because the shape is the single number %" PRIu64, node->shape);
    return read_integer(r, &node->stride);
}

/* Reads the strides for a shape that was already read. The depth of the shape bounds the recursion. */
static bool read_strides(notation_reader *r, int node) {
    tmap_cute *layout = &r->build.layout;
    if (!layout->nodes[node].tuple) return read_stride_leaf(r, &layout->nodes[node]);
    if (!expect(r, "(", "before the strides of a nested shape")) return false;
    int end = tmap_cute_end(layout, node);
    for (int i = node + 1; i < end; i = tmap_cute_next(layout, i)) {
        if (i > node + 1 && !expect(r, ",", "between strides (one for each shape)")) return false;
        if (!read_strides(r, i)) return false;
    }
    return expect(r, ")", "after the last stride (one for each shape)");
}

/* ---- Swizzle ---- */

/* The swizzle of byte addresses as one of elements. */
static bool of_elements(notation_reader *r, size_t at, int64_t bits, tmap_xor *swizzle) {
    int log2 = bits <= 128 ? tmap_log2_of((uint64_t)bits) : -1;
    bool swizzled = swizzle->b > 0;
    if (log2 < 0)
        return tmap_refuse_at(r->error, at, 1, "elements of 1 to 128 bits, a power of two",
                              "the pointer's elements have %" PRId64 " bits", bits);
    if (swizzled && swizzle->m + 3 - log2 < 0)
        return tmap_refuse_at(r->error, at, 1, "a swizzle with a larger base, or smaller elements",
                              "the swizzle splits elements of %" PRId64 " bits", bits);
    if (swizzled) swizzle->m += 3 - log2;
    return true;
}

/* smem_ptr[16b](unset) o: CuTe prints this for a layout whose swizzle is on byte addresses. For elements of 16 bits
 * the swizzle starts one bit lower. The parentheses contain an address, which a layout does not have. */
static bool read_pointer(notation_reader *r, tmap_xor *swizzle, bool *found) {
    int64_t bits;
    *found = take(r, "smem_ptr") || take(r, "gmem_ptr") || take(r, "ptr");
    if (!*found) return true;
    r->form = "write gmem_ptr[32b](address) o Shape:Stride";
    size_t at = r->c.at;
    if (!expect(r, "[", "after a pointer") || !read_digits(r, &bits)) return false;
    if (!expect(r, "b", "after the bits") || !expect(r, "]", "after the bits") || !expect(r, "(", "after a pointer"))
        return false;
    while (r->c.at < r->c.size && r->c.text[r->c.at] != ')') r->c.at++;
    if (!expect(r, ")", "after an address") || !expect(r, "o", "after a pointer")) return false;
    return of_elements(r, at, bits, swizzle);
}

/* "<3,4,3>" after the name at `at`. */
static bool read_swizzle_numbers(notation_reader *r, size_t at, tmap_xor *swizzle) {
    int64_t bits, base, shift;
    if (!expect(r, "<", "after the swizzle's name") || !read_integer(r, &bits) || !expect(r, ",", "after the bits") ||
        !read_integer(r, &base) || !expect(r, ",", "after the base") || !read_integer(r, &shift) ||
        !expect(r, ">", "after the shift"))
        return false;
    if (!tmap_xor_exists(base, bits, llabs(shift)))
        return tmap_refuse_at(r->error, at, 1, "use Sw<B,M,S> with B, M >= 0, |S| >= B and B+M+|S| <= 62",
                              "Sw<%" PRId64 ",%" PRId64 ",%" PRId64 "> is not a swizzle", bits, base, shift);
    return tmap_xor_of_cute((int)bits, (int)base, (int)shift, swizzle, NULL) == TMAP_OK;
}

/* "tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o" of the CuTe DSL: a swizzle in the pointer is of byte addresses. */
static bool read_tensor(notation_reader *r) {
    tmap_xor *swizzle = &r->build.layout.swizzle;
    int64_t bits;
    size_t at = r->c.at;
    r->form = "write tensor<ptr<f16, smem, align<16>> o Shape:Stride>";
    while (r->c.at < r->c.size && !is_digit(r->c.text[r->c.at]) && r->c.text[r->c.at] != ',') r->c.at++;
    if (!read_digits(r, &bits)) return false;
    for (int open = 1; open > 0;) {
        if (peek(r) == '\0') return expect(r, ">", "after a pointer");
        size_t name = r->c.at;
        if (take(r, "S<")) {
            r->c.at = name + 1;
            if (!read_swizzle_numbers(r, name, swizzle)) return false;
            continue;
        }
        char sign = r->c.text[r->c.at++];
        open += (sign == '<') - (sign == '>');
    }
    return expect(r, "o", "after a pointer") && of_elements(r, at, bits, swizzle);
}

static bool read_swizzle(notation_reader *r) {
    tmap_xor *swizzle = &r->build.layout.swizzle;
    bool pointer;
    tmap_cursor_skip_space(&r->c);
    size_t at = r->c.at;
    r->form = "write Sw<B,M,S>, as in Sw<3,4,3> o 0 o (8,64):(64,1)";
    if (!take(r, "Swizzle") && !take(r, "Sw") && !take(r, "S")) return read_pointer(r, swizzle, &pointer);
    if (!read_swizzle_numbers(r, at, swizzle)) return false;
    bool composed = take(r, "o"); /* a tensor prints Sw<3,4,3>_smem_ptr */
    if (!composed) take(r, "_");
    return read_pointer(r, swizzle, &pointer) &&
           (pointer || composed ||
            tmap_refuse_at(r->error, r->c.at, 1, "Sw<3,4,3> o 0 o (8,64):(64,1)", "expected 'o' after a swizzle"));
}

static bool read_offset(notation_reader *r) {
    size_t begin = r->c.at;
    char first = peek(r);
    int64_t offset;
    if (!is_digit(first) && first != '-' && first != '_') return true;
    if (!read_integer(r, &offset)) return false;
    if (!take(r, "o")) {
        r->c.at = begin; /* the text was a shape */
        return true;
    }
    if (offset > (int64_t)(TMAP_CUTE_REACH_MAX / 2) || offset < -(int64_t)(TMAP_CUTE_REACH_MAX / 2))
        return tmap_refuse_at(r->error, begin, 1, "use a smaller offset", "an offset above 2^61");
    r->build.layout.offset = offset;
    return true;
}

/* ---- Whole layouts ---- */

static bool read_layout(notation_reader *r) {
    bool tensor = take(r, "tensor<ptr<");
    if ((tensor && !read_tensor(r)) || !read_swizzle(r)) return false;
    r->form = "write Shape:Stride, as in (4,(2,2)):(2,(1,8))";
    if (!read_offset(r) || !read_shape(r, 0)) return false;
    if (!take(r, ":"))
        tmap_cute_fill_strides(&r->build);
    else if (!read_strides(r, 0))
        return false;
    return !tensor || expect(r, ">", "after a tensor");
}

tmap_status tmap_cute_parse(const char *text, size_t size, tmap_cute *layout, tmap_diag *error) {
    notation_reader r = {.c = {.text = text, .size = size}, .error = error};
    if (!read_layout(&r)) return TMAP_REFUSED;
    tmap_cursor_skip_space(&r.c);
    if (r.c.at < r.c.size) {
        tmap_refuse_at(error, r.c.at, 1, "remove this text, or put its shape and stride in brackets, as in (4,8):(8,1)",
                       "the layout ends before this");
        return TMAP_REFUSED;
    }
    tmap_cute like = {.swizzle = r.build.layout.swizzle, .offset = r.build.layout.offset};
    return tmap_cute_built(&r.build, &like, TMAP_OPERATION("layout"), layout, error);
}

/* ---- Printing ---- */

static void print_tuple(tmap_sink *sink, const tmap_cute *layout, int node, bool strides) {
    const tmap_cute_node *leaf = &layout->nodes[node];
    if (!leaf->tuple && strides) tmap_printf(sink, "%" PRId64, leaf->stride);
    if (!leaf->tuple && !strides) tmap_printf(sink, "%" PRIu64, leaf->shape);
    if (!leaf->tuple) return;
    const char *before = "(";
    for (int i = node + 1; i < tmap_cute_end(layout, node); i = tmap_cute_next(layout, i)) {
        tmap_puts(sink, before);
        print_tuple(sink, layout, i, strides);
        before = ",";
    }
    tmap_puts(sink, ")");
}

void tmap_cute_print(tmap_sink *sink, const tmap_cute *layout) {
    const tmap_xor *x = &layout->swizzle;
    if (x->b > 0 || layout->offset != 0)
        tmap_printf(sink, "Sw<%d,%d,%d> o %" PRId64 " o ", x->b, x->m, x->outer ? -x->s : x->s, layout->offset);
    print_tuple(sink, layout, 0, false);
    tmap_puts(sink, ":");
    print_tuple(sink, layout, 0, true);
}
