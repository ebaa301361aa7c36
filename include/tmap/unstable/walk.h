/*
 * walk: the traversal of a copy: which bytes belong together and where they lie. Executors (load, store, statistics,
 * pictures) only act on what it yields. Pulled cursors of fixed size: no allocation, no callbacks.
 *
 *   tmap_walk w;  tmap_run run;
 *   for (tmap_walk_begin(&w, &copy); tmap_walk_next(&w, &run);) …
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_WALK_H
#define TMAP_WALK_H

#include "tmap/map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tmap_run_kind {
    TMAP_RUN_DATA, /* inside the tensor */
    TMAP_RUN_FILL, /* outside: loads fill, stores skip */
} tmap_run_kind;

/*
 * A run is logical: `units_n` neighbouring units along dimension 0 of the box, in each of `rows_n` rows along dimension
 * 1 whose addresses advance by constant steps. The unit is the copy's (tmap_copy.unit): one element, a container of
 * packed values, one slice of an interleaved map. Of im2col boxes dimension 0 is the channels and dimension 1 the
 * pixels; rows of a run are pixels that follow each other along w. Offsets in the box are before the swizzle. Runs of a
 * copy are disjoint and cover its box.
 */
typedef struct tmap_run {
    tmap_run_kind kind;
    int64_t at[TMAP_RANK_MAX];     /* tensor coordinates of the first unit, innermost first */
    uint32_t index[TMAP_RANK_MAX]; /* the same in the box */
    uint32_t units_n, rows_n;
    uint64_t global_B;      /* data: offset of the first unit from the tensor's address, modulo 2^64 */
    uint64_t global_step_B; /* data: from row to row */
    uint32_t box_B;         /* offset in the box of the first unit */
    uint32_t box_step_B;    /* from row to row */
} tmap_run;

typedef struct tmap_walk {
    const tmap_copy *copy;
    uint32_t index[TMAP_RANK_MAX];     /* of the first row of the plane: rows along dimension 1 that lie a step apart */
    uint32_t rows_n;                   /* of the plane */
    uint32_t inside_first, inside_end; /* of these, the ones inside the tensor; both 0 when none is */
    int piece;                         /* of the plane, the next one */
    uint32_t column;                   /* of the piece, the next one where columns are runs of their own */
    bool done;
    int64_t at[TMAP_RANK_MAX]; /* im2col: tensor coordinates of the plane */
} tmap_walk;

TMAP_API void tmap_walk_begin(tmap_walk *walk, const tmap_copy *copy) TMAP_NONNULL(1, 2);
TMAP_API bool tmap_walk_next(tmap_walk *walk, tmap_run *run) TMAP_NONNULL(1, 2);

/*
 * A line is physical: the part of a row of a run that lies in one 128-byte line of shared memory. Byte i of it, for
 * first_B <= i < first_B + size_B, is at line_address + (i ^ mask): the mask is constant in a line, because every
 * swizzle reads address bits from 7 up and writes bits below 7.
 */
typedef struct tmap_line {
    uint64_t line_address; /* shared address, a multiple of 128 */
    uint32_t first_B, size_B;
    uint32_t mask;
    uint32_t row;   /* of the run */
    uint32_t row_B; /* where the line begins in the row: offset in its shared bytes, container padding included */
} tmap_line;

typedef struct tmap_lines {
    const tmap_copy *copy;
    const tmap_run *run;
    uint32_t row, row_B, row_size_B;
} tmap_lines;

TMAP_API void tmap_lines_begin(tmap_lines *lines, const tmap_copy *copy, const tmap_run *run) TMAP_NONNULL(1, 2, 3);
TMAP_API bool tmap_lines_next(tmap_lines *lines, tmap_line *line) TMAP_NONNULL(1, 2);

/*
 * The global bytes that a copy touches, in closed form: offsets from the tensor's address, modulo 2^64. A copy that
 * touches the last byte of these, just below the tensor's address, has end_B = UINT64_MAX.
 */
typedef struct tmap_extent {
    uint64_t first_B, end_B; /* equal when it touches none */
    uint64_t data_B;         /* bytes of the box inside the tensor, as they lie in global memory */
} tmap_extent;

TMAP_API tmap_extent tmap_copy_extent(const tmap_copy *copy) TMAP_NONNULL(1);

/* ---- What a byte holds: the inverse of tmap_copy_locate ---- */

typedef enum tmap_byte_kind {
    TMAP_BYTE_OUTSIDE, /* not of the box (shared memory) or not of the tensor (global memory) */
    TMAP_BYTE_GAP,     /* between elements: padding of a row or of a container */
    TMAP_BYTE_ELEMENT, /* of an element of the box */
    TMAP_BYTE_TENSOR,  /* global memory: of an element of the tensor that the box does not have */
    TMAP_BYTE_UNKNOWN, /* global memory: the strides of the tensor overlap, and the search ended without an answer */
} tmap_byte_kind;

/* An element with bits in the byte: bits byte_bit .. byte_bit + bits_n - 1 of the byte are bits element_bit and later
 * of the element. Bit 0 is the lowest of the first byte. */
typedef struct tmap_byte_part {
    uint32_t index[TMAP_RANK_MAX]; /* in the box; TMAP_BYTE_TENSOR: 0 */
    int64_t at[TMAP_RANK_MAX];     /* coordinates in the tensor, or outside of it */
    uint32_t byte_bit, bits_n, element_bit;
} tmap_byte_part;

/* Elements have 4 bits or more. */
enum { TMAP_BYTE_PARTS_MAX = 2 };
typedef struct tmap_byte {
    tmap_byte_kind kind;
    uint32_t parts_n;
    tmap_byte_part parts[TMAP_BYTE_PARTS_MAX]; /* from bit 0 on */
    bool
        more; /* global memory: other elements of the box have the byte, too; `parts` is the first that a walk visits */
} tmap_byte;

/* The byte at a shared address. A box element outside the tensor is an element: loads fill it. */
TMAP_API tmap_byte tmap_copy_shared_byte(const tmap_copy *copy, uint64_t address) TMAP_NONNULL(1);
/* The byte at an offset from the tensor's address, modulo 2^64. TMAP_BYTE_TENSOR takes the tensor's bytes below 2^64.
 */
TMAP_API tmap_byte tmap_copy_global_byte(const tmap_copy *copy, uint64_t offset_B) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
