/*
 * plan: computes the tensor map and the copies that fill a wanted layout in shared memory, or names the rule that
 * forbids them; proves the plan by emulating the copies; and computes the descriptor with which a matrix instruction
 * reads the tile.
 *
 * Shapes, strides and coordinates are outermost first here, as in layouts; those of a tensor map stay innermost first.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_PLAN_H
#define TMAP_PLAN_H

#include "tmap/emu.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/layout_swizzle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Layouts of boxes ----------------------------------------------------------------------------------------- */

/*
 * Writes the layout of a copy's box in shared memory: a layout over the box (dimensions outermost first; for the im2col
 * modes pixels, including halos, and channels), in elements from shared address 0 on. Returns TMAP_REFUSED, with the
 * reason, for swizzles that are not one XOR, and for types whose values are not evenly spaced.
 */
TMAP_API tmap_status tmap_layout_of_copy(const tmap_copy *copy, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * Writes the layout for a tile that is also read by columns (ldmatrix, wgmma, tcgen05): blocks of columns as wide as
 * the widest swizzle span that divides a row of the tile, with all rows of a block one after another. The last
 * dimension is the columns; the nearest dimension before it whose size is not 1 is the rows; outer dimensions are
 * stages, dense. If both outer dimensions of a tile (seq, heads, d) are rows, pass the tile as (seq x heads, d): the
 * order of its elements is the same. Source: the rule of thumb of "Data Layout and Its Notation": the largest atom that
 * the row fills.
 */
TMAP_API tmap_status tmap_layout_for_columns(const tmap_type_info *type, const tmap_shape *tile, tmap_layout *out,
                                             tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/*
 * As tmap_layout_for_columns, in blocks of the span of `swizzle`; a row narrower than the span has the span as its
 * pitch. Returns TMAP_REFUSED if a row is wider and not a multiple of the span.
 */
TMAP_API tmap_status tmap_layout_in_blocks(const tmap_type_info *type, const tmap_shape *tile, tmap_swizzle swizzle,
                                           tmap_layout *out, tmap_diag *error) TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;

/* ---- Planning ------------------------------------------------------------------------------------------------- */

#define TMAP_PLAN_LOOPS_MAX TMAP_ITERS_MAX

/* A copy to plan. */
typedef struct tmap_plan_request {
    tmap_type type;
    tmap_shape shape;                   /* shape of the tensor in global memory */
    int64_t strides_el[TMAP_ITERS_MAX]; /* stride of each dimension, in elements */
    tmap_shape begin, tile;             /* the part to copy: first coordinates and sizes */
    tmap_layout shared;                 /* layout over the tile, on the axis m, in elements */
    uint64_t shared_address;            /* shared address of position 0 of that layout */
    uint64_t address;                   /* of the tensor; used if has_address */
    bool has_address;
    tmap_op op; /* load or store */
    tmap_archs archs;
} tmap_plan_request;

/*
 * A loop around the copies; loops are ordered from the slowest to the fastest. Each step moves both the coordinates and
 * the shared address.
 */
typedef struct tmap_plan_loop {
    int64_t extent;
    int64_t at_step[TMAP_RANK_MAX]; /* step of the coordinates, innermost first */
    int64_t shared_step_B;
} tmap_plan_loop;

/* A plan. */
typedef struct tmap_plan {
    tmap_map_params map;
    tmap_copy_params first; /* the first copy */
    int loops_n;
    tmap_plan_loop loops[TMAP_PLAN_LOOPS_MAX];
    uint64_t copies_n; /* product of the loops' extents */
    uint64_t tx_B;     /* transaction bytes of each copy */
} tmap_plan;

/*
 * Searches for the plan with the fewest instructions. Returns TMAP_REFUSED if a rule forbids all plans: *refusal (may
 * be NULL) names the rule; TMAP_BAD_ARGUMENT if the request itself is not valid: *refusal has the reason, too.
 */
TMAP_API tmap_status tmap_plan_make(const tmap_plan_request *request, tmap_plan *plan, tmap_diag *refusal)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * For a request that tmap_plan_make refused: writes the layout over the same tile, nearest to the wanted one, that a
 * tensor map can fill. Returns false if no such layout exists, or if the request is not valid.
 */
TMAP_API bool tmap_plan_nearest(const tmap_plan_request *request, tmap_layout *nearest) TMAP_NONNULL(1, 2);

/*
 * Returns the bytes of shared memory from the tile's start to the first address where the same layout may begin again:
 * the distance of a pipeline's stages, where each stage is a request with another `begin` and `shared_address`. Returns
 * 0 if the distance is larger than any shared memory, or if `shared` is NULL.
 */
TMAP_API uint64_t tmap_plan_stage_B(const tmap_layout *shared, tmap_type type);

/* Returns copy `i` of a plan; i must be less than copies_n. */
TMAP_API tmap_copy_params tmap_plan_copy(const tmap_plan *plan, uint64_t i) TMAP_NONNULL(1);

/*
 * Emulates all copies of a plan and compares every byte of the tile with the wanted layout. Returns TMAP_REFUSED if a
 * byte differs: *refusal has the position. Allocates as much memory as the tile needs in shared memory.
 */
TMAP_API tmap_status tmap_plan_prove(const tmap_plan *plan, const tmap_plan_request *request,
                                     const tmap_allocator *allocator, tmap_diag *refusal)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/* ---- The consumer's side -------------------------------------------------------------------------------------- */

typedef enum tmap_matrix_consumer { TMAP_WGMMA, TMAP_TCGEN05 } tmap_matrix_consumer;

/*
 * The shared-memory descriptor of a matrix operand (PTX ISA: wgmma matrix-descriptor, tcgen05 shared memory
 * descriptor).
 */
typedef struct tmap_matrix_descriptor {
    bool mn_major; /* rows (M or N) are contiguous; false: columns (K) */
    tmap_swizzle swizzle;
    uint64_t start_address; /* bytes */
    uint64_t leading_B, stride_B;
    bool leading_is_used; /* false for swizzled K-major operands: the field is 1 */
    unsigned base_offset;
    uint64_t bits;
} tmap_matrix_descriptor;

/* Returns the architectures that have the instruction. */
TMAP_API tmap_archs tmap_matrix_archs(tmap_matrix_consumer consumer);

/*
 * Computes the descriptor for a layout over (rows of M or N, columns of K) in elements of `type`, whose position 0 is
 * at `shared_address`. Returns TMAP_REFUSED, with the reason, if the instruction has no descriptor for the layout.
 */
TMAP_API tmap_status tmap_matrix_describe(tmap_matrix_consumer consumer, const tmap_layout *layout,
                                          const tmap_shape *shape, const tmap_type_info *type, uint64_t shared_address,
                                          tmap_matrix_descriptor *out, tmap_diag *error)
    TMAP_NONNULL(2, 3, 4, 6) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
