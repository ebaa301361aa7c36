/*
 * triton: the text of a type with its encoding, and of a LinearLayout.
 *
 *   type   = ["!ttg." | "!tt."] ("tensor" | "memdesc") "<" sizes ">" | "!tt.tensordesc<" (sizes | type) ">"
 *   sizes  = NUMBER {"x" NUMBER} ["x" TYPE] "," encoding {"," …}
 *   linear = {"-" NAME ("is a size 1 dimension" | NUMBER "=" … )} ["where out dims are: [" … "]"]
 */
#include <inttypes.h>
#include <string.h>

#include "triton/lex.h"

/* ---- Types ------------------------------------------------------------------------------------------------------ */

typedef enum type_word { NO_TYPE, TENSOR, MEMDESC, TENSORDESC } type_word;

/* Reads the word and the '<' of a type. */
static type_word read_type_word(tmap_triton_reader *r) {
    static const struct {
        const char *text;
        type_word word;
    } words[] = {{"tensor<", TENSOR},
                 {"memdesc<", MEMDESC},
                 {"!ttg.memdesc<", MEMDESC},
                 {"!tt.memdesc<", MEMDESC},
                 {"!triton_gpu.memdesc<", MEMDESC},
                 {"!tt.tensordesc<", TENSORDESC}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tmap_cursor_take(&r->c, words[i].text)) return words[i].word;
    return NO_TYPE;
}

/* Reads the element type up to the comma; for a pointer with its brackets. */
static bool read_element(tmap_triton_reader *r, char type[TMAP_LINEAR_TYPE_MAX]) {
    size_t begin = r->c.at, n = 0;
    int open = 0;
    for (; r->c.at < r->c.size && (open > 0 || !strchr(",>", r->c.text[r->c.at])); r->c.at++, n++) {
        char c = tmap_cursor_next(&r->c);
        if (open == 0 && c == '#')
            return tmap_refuse_at(r->error, r->c.at, 1, "put ',' before the encoding",
                                  "the type has no ',' before '#'");
        open += (c == '<') - (c == '>');
        if (n + 1 == TMAP_LINEAR_TYPE_MAX || c < ' ')
            return tmap_refuse_at(r->error, begin, n, "f16, bf16, f32, i8, …",
                                  "the name of an element's type is too long");
        type[n] = c;
    }
    type[n] = '\0';
    return n > 0 || tmap_refuse_at(r->error, begin, 1, "f16, bf16, f32, i8, …", "expected the type of an element");
}

/* 64x32xf16: sizes, then the type if a letter follows the last x. */
static bool read_sizes(tmap_triton_reader *r, uint64_t *shape, int *rank, char type[TMAP_LINEAR_TYPE_MAX]) {
    type[0] = '\0';
    for (*rank = 0;;) {
        int64_t size;
        if (!tmap_triton_number(r, &size)) return false;
        if (*rank == TMAP_LINEAR_RANK_MAX)
            return tmap_refuse_at(r->error, r->c.at, 1, "fewer dimensions", "more than %d dimensions",
                                  TMAP_LINEAR_RANK_MAX);
        shape[(*rank)++] = (uint64_t)size;
        if (tmap_cursor_next(&r->c) != 'x') return true;
        r->c.at++;
        if (r->c.at < r->c.size && !is_digit(tmap_cursor_next(&r->c))) return read_element(r, type);
    }
}

/* Reads the text after an encoding in a type. Skips the memory space and `mutable`. The shape of an allocation must end
 * with the tensor's shape. */
static bool read_rest(tmap_triton_reader *r, const uint64_t *shape, int rank) {
    while (tmap_cursor_take(&r->c, ",")) {
        const char *name;
        tmap_cursor_skip_space(&r->c);
        size_t at = r->c.at;
        bool digit = is_digit(tmap_cursor_next(&r->c));
        if (!digit && tmap_triton_name(r, &name) == 0)
            return tmap_refuse_at(r->error, at, 1, "#smem, mutable or 2x64x64", "expected the rest of a type");
        if (!digit) continue;
        uint64_t sizes[TMAP_LINEAR_RANK_MAX];
        char type[TMAP_LINEAR_TYPE_MAX];
        int n;
        if (!read_sizes(r, sizes, &n, type)) return false;
        bool same = n >= rank && type[0] == '\0';
        for (int d = 1; same && d <= rank; d++) same = sizes[n - d] == shape[rank - d];
        if (!same)
            return tmap_refuse_at(r->error, at, r->c.at - at, "the type of the whole buffer",
                                  "the tensor is a part of a larger allocation");
    }
    return tmap_triton_expect(r, ">", "after a type");
}

/* The block of a tensordesc is in shared memory; before Triton 3.8 the block is a tensor in further brackets. */
static bool read_type(tmap_triton_reader *r, type_word word, tmap_linear *linear) {
    bool shared = word != TENSOR, nested = word == TENSORDESC && tmap_cursor_take(&r->c, "tensor<");
    uint64_t shape[TMAP_LINEAR_RANK_MAX];
    char type[TMAP_LINEAR_TYPE_MAX];
    tmap_encoding encoding;
    int rank;
    tmap_cursor_skip_space(&r->c);
    size_t at = r->c.at;
    if (!read_sizes(r, shape, &rank, type)) return false;
    size_t end = r->c.at;
    if (!tmap_cursor_take(&r->c, ","))
        return tmap_refuse_at(r->error, r->c.at, 1,
                              tmap_cursor_next(&r->c) == '#' ? "put ',' before the encoding"
                                                             : "tensor<64x32xf16, #ttg.blocked<{…}>>",
                              "the type has no encoding");
    tmap_cursor_skip_space(&r->c);
    size_t encoded = r->c.at;
    if (!tmap_triton_encoding(r, &encoding)) return false;
    if (tmap_encoding_shared(&encoding) != shared)
        return tmap_refuse_at(r->error, encoded, r->c.at - encoded, shared ? "tensor<…>" : "!ttg.memdesc<…>",
                              "%s is an encoding of %s", tmap_encoding_get((int)encoding.parts[0].kind)->name,
                              shared ? "registers" : "shared memory");
    if (tmap_encoding_linear(&encoding, shape, rank, linear, r->error) != TMAP_OK) {
        bool of_shape = r->error && r->error->operand == 1;
        if (r->error) r->error->operand = -1;
        return tmap_refuse_place(r->error, of_shape ? at : encoded, of_shape ? end - at : r->c.at - encoded);
    }
    memcpy(linear->type, type, sizeof linear->type);
    return read_rest(r, shape, rank) && (!nested || tmap_triton_expect(r, ">", "after a type"));
}

/* ---- LinearLayout ----------------------------------------------------------------------------------------------- */

/* The coordinates of every basis, until the sizes are known. */
typedef struct linear_reader {
    tmap_linear *linear;
    int rank; /* 0: not known */
    uint64_t at[TMAP_LINEAR_IN_COUNT][TMAP_LINEAR_BITS_MAX][TMAP_LINEAR_RANK_MAX];
    uint64_t all[TMAP_LINEAR_RANK_MAX];
} linear_reader;

static bool read_coordinates(tmap_triton_reader *r, linear_reader *l, uint64_t *coordinates) {
    int n = 0;
    tmap_cursor_skip_space(&r->c);
    size_t at = r->c.at;
    if (!tmap_triton_expect(r, "(", "before a basis")) return false;
    do {
        int64_t number;
        if (!tmap_triton_number(r, &number)) return false;
        if (n == TMAP_LINEAR_RANK_MAX)
            return tmap_refuse_at(r->error, at, 1, "fewer dimensions", "more than %d dimensions", TMAP_LINEAR_RANK_MAX);
        l->all[n] |= (uint64_t)number;
        coordinates[n++] = (uint64_t)number;
    } while (tmap_cursor_take(&r->c, ","));
    if (l->rank > 0 && n != l->rank)
        return tmap_refuse_at(r->error, at, r->c.at - at, "a number for every dimension",
                              "a basis has %d number%s, the basis before it %d", n, TMAP_PLURAL(n), l->rank);
    l->rank = n;
    return tmap_triton_expect(r, ")", "after a basis");
}

/* NAME "=" 2^i "->" "(" ... ")", for the input dimension of the line with '-'. */
static bool read_basis(tmap_triton_reader *r, linear_reader *l, int in) {
    int64_t number;
    int n = l->linear->bases_n[in];
    tmap_cursor_skip_space(&r->c);
    size_t at = r->c.at;
    if (!tmap_triton_number(r, &number)) return false;
    if (n == TMAP_LINEAR_BITS_MAX || number != (int64_t)1 << n)
        return tmap_refuse_at(r->error, at, r->c.at - at, "1, 2, 4, 8, …", "expected %s=%" PRId64 ", found %s=%" PRId64,
                              tmap_linear_in_name(in), (int64_t)1 << n, tmap_linear_in_name(in), number);
    l->linear->bases_n[in]++;
    return tmap_triton_expect(r, "->", "after the bit of a basis") && read_coordinates(r, l, l->at[in][n]);
}

static int read_in(tmap_triton_reader *r) {
    const char *name;
    size_t begin = r->c.at, size = tmap_triton_name(r, &name);
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++)
        if (text_is(name, size, tmap_linear_in_name(in))) return in;
    r->c.at = begin;
    return -1;
}

static bool read_dimension(tmap_triton_reader *r, linear_reader *l) {
    tmap_cursor_skip_space(&r->c);
    size_t at = r->c.at;
    int in = read_in(r);
    if (in < 0)
        return tmap_refuse_at(r->error, at, 1, "register, lane, warp, block, offset, row or col",
                              "expected the name of an input dimension");
    if (l->linear->has[in])
        return tmap_refuse_at(r->error, at, 1, "one list of bases", "%s appears twice", tmap_linear_in_name(in));
    l->linear->has[in] = true;
    if (tmap_cursor_take(&r->c, "is a size 1 dimension")) return true;
    for (;;) {
        if (!tmap_triton_expect(r, "=", "after an input dimension") || !read_basis(r, l, in)) return false;
        tmap_cursor_skip_space(&r->c);
        size_t next = r->c.at;
        if (read_in(r) == in) continue;
        r->c.at = next;
        return true;
    }
}

/* Reads "where out dims are: [dim0 (size 64), dim1 (size 32)]". If this text is missing, the sizes are those that the
 * bases reach. */
static bool read_outs(tmap_triton_reader *r, linear_reader *l, uint64_t *shape) {
    int n = 0;
    for (int d = 0; d < l->rank; d++)
        for (shape[d] = 1; l->all[d] >= shape[d];) shape[d] *= 2;
    if (!tmap_cursor_take(&r->c, "where out dims are:")) return true;
    if (!tmap_triton_expect(r, "[", "before the output dimensions")) return false;
    do {
        const char *name;
        int64_t size;
        (void)tmap_triton_name(r, &name);
        if (!tmap_triton_expect(r, "(size", "after an output dimension") || !tmap_triton_number(r, &size)) return false;
        if (n == TMAP_LINEAR_RANK_MAX || (l->rank > 0 && n == l->rank) || (l->rank > 0 && (uint64_t)size < shape[n]))
            return tmap_refuse_at(r->error, r->c.at, 1, "the output dimensions of the bases",
                                  "output dimension %d of size %" PRId64 " does not fit the bases", n, size);
        shape[n++] = (uint64_t)size;
    } while (tmap_triton_expect(r, ")", "after a size") && tmap_cursor_take(&r->c, ","));
    if (l->rank > 0 && n != l->rank)
        return tmap_refuse_at(r->error, r->c.at, 1, "a size for every dimension",
                              "%d output dimensions for bases of %d", n, l->rank);
    l->rank = n;
    return tmap_triton_expect(r, "]", "after the output dimensions");
}

static bool read_bases(tmap_triton_reader *r, linear_reader *l) {
    uint64_t shape[TMAP_LINEAR_RANK_MAX] = {0};
    tmap_linear *linear = l->linear;
    int bits = 0;
    tmap_cursor_skip_space(&r->c);
    size_t begin = r->c.at;
    while (tmap_cursor_take(&r->c, "- "))
        if (!read_dimension(r, l)) return false;
    if (!read_outs(r, l, shape)) return false;
    linear->rank = l->rank;
    for (int d = 0; d < linear->rank; d++) {
        linear->size_log2[d] = tmap_log2_of(shape[d]);
        if (linear->size_log2[d] < 0 || (bits += linear->size_log2[d]) > TMAP_LINEAR_BITS_MAX)
            return tmap_refuse_at(r->error, begin, r->c.at - begin, "sizes 1, 2, 4, 8, …",
                                  "output dimension %d has size %" PRIu64, d, shape[d]);
    }
    for (int in = 0; in < TMAP_LINEAR_IN_COUNT; in++)
        for (int i = 0; i < linear->bases_n[in]; i++)
            for (int d = 0; d < linear->rank; d++) linear->bases[in][i] |= tmap_linear_part(linear, d, l->at[in][i][d]);
    if (linear->rank > 0 && tmap_linear_reaches(linear, r->error) != TMAP_OK)
        return tmap_refuse_place(r->error, begin, r->c.at - begin);
    if (linear->rank > 0 && !(linear->has[TMAP_LINEAR_OFFSET] && linear->has[TMAP_LINEAR_REGISTER])) return true;
    return tmap_refuse_at(r->error, begin, r->c.at - begin, "one of the two",
                          "the layout has both registers and offsets, or no dimension");
}

bool tmap_linear_is_text(const char *text, size_t size) {
    tmap_triton_reader r = {.c = {.text = text, .size = size}};
    if (read_type_word(&r)) return true;
    if (!tmap_cursor_take(&r.c, "- ")) return false;
    tmap_cursor_skip_space(&r.c);
    return read_in(&r) >= 0 && (tmap_cursor_take(&r.c, "is a size 1 dimension") ||
                                (tmap_cursor_take(&r.c, "=1") && tmap_cursor_take(&r.c, "->")));
}

tmap_status tmap_linear_read(const char *text, size_t size, const tmap_encoding_aliases *aliases, tmap_linear *linear,
                             size_t *used, tmap_diag *error) {
    tmap_triton_reader r = {.c = {.text = text, .size = size}, .aliases = aliases, .error = error};
    tmap_linear made = {0};
    linear_reader l = {.linear = &made};
    type_word word = read_type_word(&r);
    bool ok = word ? read_type(&r, word, &made)
              : tmap_linear_is_text(text, size)
                  ? read_bases(&r, &l)
                  : tmap_refuse_at(r.error, 0, 1,
                                   "tensor<64x32xf16, #ttg.blocked<{…}>>, !ttg.memdesc<…> or the "
                                   "bases of a LinearLayout",
                                   "expected a type of Triton");
    tmap_status status = tmap_triton_end(&r, ok, used);
    if (status == TMAP_OK) *linear = made;
    return status;
}
