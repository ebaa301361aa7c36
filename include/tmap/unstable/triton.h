/*
 * triton: the layouts of Triton: its encodings as the compiler prints them, and the linear layouts that they describe.
 *
 * A linear layout maps places to elements. A place has numbers: a register, a lane, a warp, a block; or an offset in
 * shared memory. Each bit of a place has a basis: the bit's contribution to the coordinates of the tensor. The element
 * of a place is the XOR of the bases of its set bits. Sizes of dimensions are powers of two.
 *
 * A function that returns TMAP_REFUSED writes the reason to *error (may be NULL), with the position in a text that it
 * reads, and does not change its outputs. No function allocates. Dimensions are outermost first, offsets count
 * elements. Source: LinearLayout.h, LinearLayoutConversions.cpp and Dialect.cpp of Triton.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_TRITON_H
#define TMAP_TRITON_H

#include "tmap/unstable/banks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Linear layouts ---- */

typedef enum tmap_linear_in {
    TMAP_LINEAR_OFFSET,
    TMAP_LINEAR_REGISTER,
    TMAP_LINEAR_LANE,
    TMAP_LINEAR_WARP,
    TMAP_LINEAR_BLOCK,
    TMAP_LINEAR_ROW, /* of tensor memory */
    TMAP_LINEAR_COL,
    TMAP_LINEAR_IN_COUNT
} tmap_linear_in;

#define TMAP_LINEAR_RANK_MAX     8
#define TMAP_LINEAR_BITS_MAX     62 /* bits of an element's number, and of a place along one input dimension */
#define TMAP_LINEAR_PADDINGS_MAX 8
#define TMAP_LINEAR_TYPE_MAX     24

/* After every `interval` offsets, a power of two, there are `padding` unused offsets. */
typedef struct tmap_linear_padding {
    uint64_t interval, padding;
} tmap_linear_padding;

typedef struct tmap_linear {
    int rank;
    int size_log2[TMAP_LINEAR_RANK_MAX]; /* the sum is at most TMAP_LINEAR_BITS_MAX */
    bool has[TMAP_LINEAR_IN_COUNT];      /* the input dimension exists; without bases its size is 1 */
    int bases_n[TMAP_LINEAR_IN_COUNT];
    uint64_t bases[TMAP_LINEAR_IN_COUNT][TMAP_LINEAR_BITS_MAX]; /* row-major numbers of elements */
    int paddings_n;
    tmap_linear_padding paddings[TMAP_LINEAR_PADDINGS_MAX]; /* of the offsets */
    char type[TMAP_LINEAR_TYPE_MAX];                        /* element type in Triton's notation; "": not known */
} tmap_linear;

/* Returns "offset", "register", …; NULL after the last. */
TMAP_API const char *tmap_linear_in_name(int in);
/* Returns an offset plus the padding before it. */
TMAP_API uint64_t tmap_linear_padded(const tmap_linear *linear, uint64_t offset) TMAP_NONNULL(1);
/* Returns the bits of the element's type; 0: the type is not known. */
TMAP_API int tmap_linear_type_bits(const tmap_linear *linear) TMAP_NONNULL(1);
/* Returns whether both have the same shape, bases and paddings. Their element types may differ. */
TMAP_API bool tmap_linear_same(const tmap_linear *a, const tmap_linear *b) TMAP_NONNULL(1, 2);

/*
 * Writes the text of Triton's LinearLayout::toString: a line for each basis, then the output dimensions. Ends with a
 * newline.
 */
TMAP_API void tmap_linear_print_bases(tmap_sink *sink, const tmap_linear *linear) TMAP_NONNULL(1, 2);
/* Writes #ttg.linear<{…}>, #ttg.shared_linear<{…}, alignment = 16> or #ttg.padded_shared<[…] {…}>. */
TMAP_API void tmap_linear_print_encoding(tmap_sink *sink, const tmap_linear *linear) TMAP_NONNULL(1, 2);
/* Writes tensor<64x32xf16, #ttg.linear<{…}>>, or memdesc<…>; without a type tensor<64x32, …>, which only tmap reads. */
TMAP_API void tmap_linear_print(tmap_sink *sink, const tmap_linear *linear) TMAP_NONNULL(1, 2);

/* ---- Encodings ---- */

typedef enum tmap_encoding_kind {
#define TMAP_ENCODING(id, ...) TMAP_ENCODING_##id,
#include "tmap/unstable/triton_kinds.def"
#undef TMAP_ENCODING
    TMAP_ENCODING_COUNT
} tmap_encoding_kind;

typedef enum tmap_encoding_key {
#define TMAP_ENCODING_KEY(id, ...) TMAP_ENCODING_KEY_##id,
#include "tmap/unstable/triton_keys.def"
#undef TMAP_ENCODING_KEY
    TMAP_ENCODING_KEY_COUNT
} tmap_encoding_key;

#define TMAP_ENCODING_PARTS_MAX   4 /* an encoding, its parent, … */
#define TMAP_ENCODING_NUMBERS_MAX 1024

/* A value: rows of `width` numbers from numbers[at] on. A list is one row; a number is one row of width 1. */
typedef struct tmap_encoding_value {
    bool given;
    int at, rows, width;
} tmap_encoding_value;

typedef struct tmap_encoding_part {
    tmap_encoding_kind kind;
    tmap_encoding_value values[TMAP_ENCODING_KEY_COUNT];
} tmap_encoding_part;

/* parts[i + 1] is the parent of parts[i]. */
typedef struct tmap_encoding {
    int parts_n, numbers_n;
    tmap_encoding_part parts[TMAP_ENCODING_PARTS_MAX];
    int64_t numbers[TMAP_ENCODING_NUMBERS_MAX];
} tmap_encoding;

/* The encodings of MLIR's aliases: `#blocked` has the name "#blocked". `find` returns NULL for other names. */
typedef struct tmap_encoding_aliases {
    const tmap_encoding *(*find)(const void *context, const char *name, size_t size);
    const void *context;
} tmap_encoding_aliases;

/*
 * Reads `#ttg.blocked<{…}>`, similar encodings, or an alias from the beginning of the text. *used (may be NULL) is the
 * number of bytes read; if `used` is NULL, only blanks may follow. `aliases` may be NULL.
 */
TMAP_API tmap_status tmap_encoding_read(const char *text, size_t size, const tmap_encoding_aliases *aliases,
                                        tmap_encoding *encoding, size_t *used, tmap_diag *error)
    TMAP_NONNULL(4) TMAP_MUST_USE;
/* Writes an encoding with the keys in Triton's order. Reading the text gives the same encoding. */
TMAP_API void tmap_encoding_print(tmap_sink *sink, const tmap_encoding *encoding) TMAP_NONNULL(1, 2);
TMAP_API bool tmap_encoding_shared(const tmap_encoding *encoding) TMAP_NONNULL(1);
TMAP_API bool tmap_encoding_same(const tmap_encoding *a, const tmap_encoding *b) TMAP_NONNULL(1, 2);

/* Writes the linear layout of a tensor with that shape, distributed over all its thread blocks. */
TMAP_API tmap_status tmap_encoding_linear(const tmap_encoding *encoding, const uint64_t *shape, int rank,
                                          tmap_linear *linear, tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/*
 * Reads a type from the beginning of the text, `tensor<64x32xf16, #ttg.blocked<{…}>>` or `!ttg.memdesc<…>`, or the text
 * of a LinearLayout. `aliases` and `used` may be NULL, as in tmap_encoding_read.
 */
TMAP_API tmap_status tmap_linear_read(const char *text, size_t size, const tmap_encoding_aliases *aliases,
                                      tmap_linear *linear, size_t *used, tmap_diag *error)
    TMAP_NONNULL(4) TMAP_MUST_USE;
/* Returns whether a text begins like a text that tmap_linear_read reads. */
TMAP_API bool tmap_linear_is_text(const char *text, size_t size);

/* ---- As S/R/O, and back ---- */

/*
 * Writes the same map as a layout: registers and offsets are on m, lanes on laneid, warps on warpid, blocks on cbx,
 * rows and columns on TLane and TCol. Returns TMAP_REFUSED if S/R/O cannot express the function.
 */
TMAP_API tmap_status tmap_linear_to_layout(const tmap_linear *linear, tmap_layout *layout, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/*
 * Converts a layout of a tensor with that shape. Threads on tx or tid_in_wg become lanes and warps. Returns
 * TMAP_REFUSED for a layout that is not linear, and for more than 2^20 elements.
 */
TMAP_API tmap_status tmap_linear_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank,
                                           tmap_linear *linear, tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- Bank conflicts ---- */

/*
 * Counts the bank conflicts of writing a register layout to shared memory, or reading it, with st.shared and ld.shared.
 * Elements that are neighbours both in registers and in memory are moved together, up to 16 bytes. Triton's
 * bank_conflicts is total->worst - 1. *width (may be NULL) is the number of elements that a lane moves at once.
 */
TMAP_API tmap_status tmap_linear_conflicts(const tmap_linear *shared, const tmap_linear *registers, int bits,
                                           tmap_conflicts *total, int *width, tmap_diag *error)
    TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
