/*
 * triton: the layouts of Triton: its encodings as the compiler prints them, and the linear layouts that they are.
 *
 * A linear layout maps places to elements: the bits of a place (a register, a lane, a warp, a block; or an offset in
 * shared memory) each have a basis, how far the bit moves the coordinates of the tensor, and the element of a place is
 * the XOR of the bases of its set bits. Sizes of dimensions are powers of two.
 *
 * A call that answers TMAP_REFUSED says why in *error (may be NULL), with the place in the text where it reads one;
 * outputs then stay as they were. Nothing is allocated. Dimensions are outermost first, offsets count elements.
 * Source: LinearLayout.h, LinearLayoutConversions.cpp and Dialect.cpp of Triton.
 * Unstable: what is declared here may change or go in any release (base.h).
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
#define TMAP_LINEAR_BITS_MAX     62 /* of the number of an element, and of a place along one input dimension */
#define TMAP_LINEAR_PADDINGS_MAX 8
#define TMAP_LINEAR_TYPE_MAX     24

/* After every `interval` offsets, a power of two, follow `padding` unused ones. */
typedef struct tmap_linear_padding {
    uint64_t interval, padding;
} tmap_linear_padding;

typedef struct tmap_linear {
    int rank;
    int size_log2[TMAP_LINEAR_RANK_MAX]; /* together at most TMAP_LINEAR_BITS_MAX */
    bool has[TMAP_LINEAR_IN_COUNT];      /* the input dimension exists; without bases its size is 1 */
    int bases_n[TMAP_LINEAR_IN_COUNT];
    uint64_t bases[TMAP_LINEAR_IN_COUNT][TMAP_LINEAR_BITS_MAX]; /* row-major numbers of elements */
    int paddings_n;
    tmap_linear_padding paddings[TMAP_LINEAR_PADDINGS_MAX]; /* of the offsets */
    char type[TMAP_LINEAR_TYPE_MAX];                        /* of an element, as Triton writes it; "": not known */
} tmap_linear;

/* "offset", "register", …; NULL past the last. */
TMAP_API const char *tmap_linear_in_name(int in);
/* The row-major number of the element at a place, which has a number for every input dimension; high bits that have no
 * basis do not count. */
TMAP_API uint64_t tmap_linear_at(const tmap_linear *linear, const uint64_t place[TMAP_LINEAR_IN_COUNT])
    TMAP_NONNULL(1, 2);
/* An offset with the padding before it. */
TMAP_API uint64_t tmap_linear_padded(const tmap_linear *linear, uint64_t offset) TMAP_NONNULL(1);
/* Bits of the element's type; 0: the type is not known. */
TMAP_API int tmap_linear_type_bits(const tmap_linear *linear) TMAP_NONNULL(1);
/* Whether the two have the same shape, bases and paddings. Their element types may differ. */
TMAP_API bool tmap_linear_same(const tmap_linear *a, const tmap_linear *b) TMAP_NONNULL(1, 2);

/* As Triton's LinearLayout::toString: a line a basis, then the output dimensions. Ends with a newline. */
TMAP_API void tmap_linear_print_bases(tmap_sink *sink, const tmap_linear *linear) TMAP_NONNULL(1, 2);
/* #ttg.linear<{…}>, #ttg.shared_linear<{…}, alignment = 16> or #ttg.padded_shared<[…] {…}>. */
TMAP_API void tmap_linear_print_encoding(tmap_sink *sink, const tmap_linear *linear) TMAP_NONNULL(1, 2);
/* tensor<64x32xf16, #ttg.linear<{…}>>, or memdesc<…>; without a type tensor<64x32, …>, which tmap alone reads. */
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

/* A value: rows of `width` numbers from numbers[at] on; of a list one row, of a number one of width 1. */
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

/* The encodings that MLIR's aliases are: `#blocked` has the name "#blocked". `find` returns NULL for other names. */
typedef struct tmap_encoding_aliases {
    const tmap_encoding *(*find)(const void *context, const char *name, size_t size);
    const void *context;
} tmap_encoding_aliases;

/*
 * Reads `#ttg.blocked<{…}>` and its kin from the begin of the text, or an alias. *used (may be NULL) is how many bytes
 * that was; where it is NULL, nothing but blanks may follow. `aliases` may be NULL.
 */
TMAP_API tmap_status tmap_encoding_read(const char *text, size_t size, const tmap_encoding_aliases *aliases,
                                        tmap_encoding *encoding, size_t *used, tmap_diag *error)
    TMAP_NONNULL(4) TMAP_MUST_USE;
/* With the keys in Triton's order; reads back as the same encoding. */
TMAP_API void tmap_encoding_print(tmap_sink *sink, const tmap_encoding *encoding) TMAP_NONNULL(1, 2);
TMAP_API bool tmap_encoding_shared(const tmap_encoding *encoding) TMAP_NONNULL(1);
TMAP_API bool tmap_encoding_same(const tmap_encoding *a, const tmap_encoding *b) TMAP_NONNULL(1, 2);

/* The linear layout of a tensor of that shape: the sum of its thread blocks. */
TMAP_API tmap_status tmap_encoding_linear(const tmap_encoding *encoding, const uint64_t *shape, int rank,
                                          tmap_linear *linear, tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/*
 * Reads from the begin of the text, as tmap_encoding_read, a type, `tensor<64x32xf16, #ttg.blocked<{…}>>` or
 * `!ttg.memdesc<…>`, or the text of a LinearLayout.
 */
TMAP_API tmap_status tmap_linear_read(const char *text, size_t size, const tmap_encoding_aliases *aliases,
                                      tmap_linear *linear, size_t *used, tmap_diag *error)
    TMAP_NONNULL(4) TMAP_MUST_USE;
/* Whether a text begins as one that tmap_linear_read reads. */
TMAP_API bool tmap_linear_is_text(const char *text, size_t size);

/* ---- As S/R/O, and back ---- */

/*
 * The same places of the same elements: registers and offsets are on m, lanes on laneid, warps on warpid, blocks on
 * cbx, rows and columns on TLane and TCol. Refused where S/R/O does not have the function.
 */
TMAP_API tmap_status tmap_linear_to_layout(const tmap_linear *linear, tmap_layout *layout, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* Of a tensor of that shape. Threads on tx or tid_in_wg are lanes and warps. Refused for a layout that is not linear,
 * and for one of more than 2^20 elements. */
TMAP_API tmap_status tmap_linear_of_layout(const tmap_layout *layout, const uint64_t *shape, int rank,
                                           tmap_linear *linear, tmap_diag *error) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* ---- Bank conflicts ---- */

/*
 * What it costs to write a register layout to shared memory, or to read it, with st.shared and ld.shared: elements
 * that are neighbours in registers and in memory go together, up to 16 bytes. Triton's bank_conflicts is
 * total->worst - 1. *width (may be NULL) is how many elements a lane moves at once.
 */
TMAP_API tmap_status tmap_linear_conflicts(const tmap_linear *shared, const tmap_linear *registers, int bits,
                                           tmap_conflicts *total, int *width, tmap_diag *error)
    TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
