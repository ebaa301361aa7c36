/*
 * walk: the traversal of a copy: runs of contiguous bytes and their addresses. Executors (load, store, statistics,
 * pictures) process the runs. Cursors have a fixed size; nothing is allocated, and there are no callbacks.
 *
 *   tmap_walk w;  tmap_run run;
 *   for (tmap_walk_begin(&w, &copy); tmap_walk_next(&w, &run);) …
 * Unstable: these declarations may change or disappear in any release (base.h).
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
 * A run is logical: `units_n` consecutive units along dimension 0 of the box, in each of `rows_n` rows along dimension
 * 1 whose addresses advance by constant steps. The unit is the copy's (tmap_copy.unit): one element, a container of
 * packed values, or one slice of an interleaved map. In im2col boxes dimension 0 is the channels and dimension 1 the
 * pixels; rows of a run are consecutive pixels along w. Offsets in the box are before the swizzle. The runs of a copy
 * are disjoint and cover its box.
 */
typedef struct tmap_run {
    tmap_run_kind kind;
    int64_t at[TMAP_RANK_MAX];     /* tensor coordinates of the first unit, innermost first */
    uint32_t index[TMAP_RANK_MAX]; /* box index of the first unit */
    uint32_t units_n, rows_n;
    uint64_t global_B;      /* data: offset of the first unit from the tensor's address, modulo 2^64 */
    uint64_t global_step_B; /* data: distance of rows */
    uint32_t box_B;         /* offset of the first unit in the box */
    uint32_t box_step_B;    /* distance of rows */
} tmap_run;

/*
 * A cursor over the runs of a copy; its members are private. A plane is the rows along dimension 1 at constant steps.
 */
typedef struct tmap_walk {
    const tmap_copy *copy;
    uint32_t index[TMAP_RANK_MAX];     /* of the first row of the plane */
    uint32_t rows_n;                   /* of the plane */
    uint32_t inside_first, inside_end; /* rows of the plane inside the tensor; both 0 if no row is inside */
    int piece;                         /* the next piece of the plane */
    uint32_t column;                   /* the next column of the piece, if columns are separate runs */
    bool done;
    int64_t at[TMAP_RANK_MAX]; /* im2col: tensor coordinates of the plane */
} tmap_walk;

TMAP_API void tmap_walk_begin(tmap_walk *walk, const tmap_copy *copy) TMAP_NONNULL(1, 2);
TMAP_API bool tmap_walk_next(tmap_walk *walk, tmap_run *run) TMAP_NONNULL(1, 2);

/*
 * A line is physical: the part of a row of a run that is in one 128-byte line of shared memory. Byte i of the line, for
 * first_B <= i < first_B + size_B, is at line_address + (i ^ mask). The mask is constant in a line, because every
 * swizzle reads address bits from 7 up and writes bits below 7.
 */
typedef struct tmap_line {
    uint64_t line_address; /* shared address, a multiple of 128 */
    uint32_t first_B, size_B;
    uint32_t mask;
    uint32_t row;   /* row of the run */
    uint32_t row_B; /* offset of the line's first byte in the row's shared bytes, container padding included */
} tmap_line;

typedef struct tmap_lines {
    const tmap_copy *copy;
    const tmap_run *run;
    uint32_t row, row_B, row_size_B;
} tmap_lines;

TMAP_API void tmap_lines_begin(tmap_lines *lines, const tmap_copy *copy, const tmap_run *run) TMAP_NONNULL(1, 2, 3);
TMAP_API bool tmap_lines_next(tmap_lines *lines, tmap_line *line) TMAP_NONNULL(1, 2);

/*
 * The global bytes that a copy accesses, in closed form: offsets from the tensor's address, modulo 2^64. If the copy
 * accesses the byte at offset 2^64 - 1, just below the tensor's address, end_B is UINT64_MAX.
 */
typedef struct tmap_extent {
    uint64_t first_B, end_B; /* equal if the copy accesses no byte */
    uint64_t data_B;         /* bytes of global memory for the part of the box inside the tensor */
} tmap_extent;

TMAP_API tmap_extent tmap_copy_extent(const tmap_copy *copy) TMAP_NONNULL(1);

/* ---- The elements of a byte: the inverse of tmap_copy_locate ---- */

typedef enum tmap_byte_kind {
    TMAP_BYTE_OUTSIDE, /* not in the box (shared memory), or not in the tensor (global memory) */
    TMAP_BYTE_GAP,     /* between elements: padding of a row or of a container */
    TMAP_BYTE_ELEMENT, /* part of an element of the box */
    TMAP_BYTE_TENSOR,  /* global memory: part of an element of the tensor that is not in the box */
    TMAP_BYTE_UNKNOWN, /* global memory: the strides of the tensor overlap, and the search reached its bound */
} tmap_byte_kind;

/*
 * An element with bits in the byte: bits byte_bit .. byte_bit + bits_n - 1 of the byte are the element's bits from
 * element_bit on. Bit 0 is the lowest bit of the first byte.
 */
typedef struct tmap_byte_part {
    uint32_t index[TMAP_RANK_MAX]; /* index in the box; TMAP_BYTE_TENSOR: 0 */
    int64_t at[TMAP_RANK_MAX];     /* tensor coordinates, possibly outside the tensor */
    uint32_t byte_bit, bits_n, element_bit;
} tmap_byte_part;

/* Elements have 4 bits or more. */
enum { TMAP_BYTE_PARTS_MAX = 2 };
typedef struct tmap_byte {
    tmap_byte_kind kind;
    uint32_t parts_n;
    tmap_byte_part parts[TMAP_BYTE_PARTS_MAX]; /* from bit 0 on */
    bool more; /* global memory: other elements of the box have the byte, too; `parts`: the first in the walk */
} tmap_byte;

/*
 * Returns the elements of the byte at a shared address. A box element outside the tensor is an element: loads fill it.
 */
TMAP_API tmap_byte tmap_copy_shared_byte(const tmap_copy *copy, uint64_t address) TMAP_NONNULL(1);
/*
 * Returns the elements of the byte at an offset from the tensor's address, modulo 2^64. TMAP_BYTE_TENSOR is returned
 * only for bytes of the tensor below 2^64.
 */
TMAP_API tmap_byte tmap_copy_global_byte(const tmap_copy *copy, uint64_t offset_B) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
