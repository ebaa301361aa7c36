/*
 * plan: from a wanted layout in shared memory to the tensor map and the copies that fill it, or the rule that stands in
 * the way; the proof, by emulating the copies; and what a matrix instruction must be told to read the tile.
 *
 * Shapes, strides and coordinates stand outermost first here, as layouts write them; those of a tensor map stay
 * innermost first.
 * Unstable: what is declared here may change or go in any release (base.h).
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
 * Where a copy puts its box: a layout over the box (dimensions outermost first; of the im2col modes pixels, halos
 * among them, and channels), in elements from shared address 0 on.
 * TMAP_REFUSED, with the reason, for swizzles that are no single XOR, and for types whose values are not spaced evenly.
 */
TMAP_API tmap_status tmap_layout_of_copy(const tmap_copy *copy, tmap_layout *out, tmap_diag *error)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * The layout for a tile that is read by columns, too (ldmatrix, wgmma, tcgen05): blocks of columns as wide as the
 * widest swizzle that divides a row of the tile, all rows of a block after each other. Of the last dimension and the
 * nearest before it that is not 1; outer ones are stages, dense. A layout is over elements in their order, so that the
 * tile (seq, heads, d) whose rows are those of both is (seq x heads, d) here. The rule of thumb of "Data Layout and Its
 * Notation": the largest atom that the row fills.
 */
TMAP_API tmap_status tmap_layout_for_columns(const tmap_type_info *type, const tmap_shape *tile, tmap_layout *out,
                                             tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/*
 * The same in blocks of one swizzle's span; a row narrower than the span lies at the span's pitch. Refused where a row
 * is wider and not whole blocks.
 */
TMAP_API tmap_status tmap_layout_in_blocks(const tmap_type_info *type, const tmap_shape *tile, tmap_swizzle swizzle,
                                           tmap_layout *out, tmap_diag *error) TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;

/* ---- Planning ------------------------------------------------------------------------------------------------- */

#define TMAP_PLAN_LOOPS_MAX TMAP_ITERS_MAX

typedef struct tmap_plan_request {
    tmap_type type;
    tmap_shape shape;                   /* of the tensor in global memory */
    int64_t strides_el[TMAP_ITERS_MAX]; /* a dimension, in elements */
    tmap_shape begin, tile;             /* the part to copy: first coordinates and sizes */
    tmap_layout shared;                 /* over the tile, on the axis m, in elements */
    uint64_t shared_address;            /* where that layout's 0 is */
    uint64_t address;                   /* of the tensor; for has_address */
    bool has_address;
    tmap_op op; /* load or store */
    tmap_archs archs;
} tmap_plan_request;

/* A loop around the copy, from the slowest to the fastest: each step moves both ends. */
typedef struct tmap_plan_loop {
    int64_t extent;
    int64_t at_step[TMAP_RANK_MAX]; /* of the coordinates, innermost first */
    int64_t shared_step_B;
} tmap_plan_loop;

typedef struct tmap_plan {
    tmap_map_params map;
    tmap_copy_params first; /* of the copies */
    int loops_n;
    tmap_plan_loop loops[TMAP_PLAN_LOOPS_MAX];
    uint64_t copies_n; /* the product of the loops */
    uint64_t tx_B;     /* transaction bytes of each copy */
} tmap_plan;

/*
 * Looks for the fewest instructions. TMAP_REFUSED: *refusal (may be NULL) says which rule stands in the way;
 * TMAP_BAD_ARGUMENT: the request itself makes no sense, and it says so, too.
 */
TMAP_API tmap_status tmap_plan_make(const tmap_plan_request *request, tmap_plan *plan, tmap_diag *refusal)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * Of a request that tmap_plan_make refused: the layout over the same tile, nearest to the wanted one, that a tensor map
 * can fill. False when there is none, or when the request makes no sense.
 */
TMAP_API bool tmap_plan_nearest(const tmap_plan_request *request, tmap_layout *nearest) TMAP_NONNULL(1, 2);

/*
 * What the tile takes of shared memory, up to where the same layout may begin again: the distance of the stages of a
 * pipeline, each a request with another `begin` and `shared_address`. 0: more than any shared memory, or `shared` is
 * NULL.
 */
TMAP_API uint64_t tmap_plan_stage_B(const tmap_layout *shared, tmap_type type);

/* Copy `i` of a plan, below copies_n. */
TMAP_API tmap_copy_params tmap_plan_copy(const tmap_plan *plan, uint64_t i) TMAP_NONNULL(1);

/*
 * Emulates all copies of a plan and compares every byte of the tile with the wanted layout. TMAP_REFUSED: the plan
 * does something else, and *refusal says where. Allocates what the tile takes in shared memory.
 */
TMAP_API tmap_status tmap_plan_prove(const tmap_plan *plan, const tmap_plan_request *request,
                                     const tmap_allocator *allocator, tmap_diag *refusal)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/* ---- The consumer's side -------------------------------------------------------------------------------------- */

typedef enum tmap_matrix_consumer { TMAP_WGMMA, TMAP_TCGEN05 } tmap_matrix_consumer;

/* The shared-memory descriptor of a matrix operand (PTX ISA: wgmma matrix-descriptor, tcgen05 shared memory
 * descriptor). */
typedef struct tmap_matrix_descriptor {
    bool mn_major; /* the operand's major-ness: rows (M or N) are contiguous, not columns (K) */
    tmap_swizzle swizzle;
    uint64_t start_address; /* bytes */
    uint64_t leading_B, stride_B;
    bool leading_is_used; /* not by swizzled K-major operands: the field is 1 */
    unsigned base_offset;
    uint64_t bits;
} tmap_matrix_descriptor;

/* The architectures whose instruction it is. */
TMAP_API tmap_archs tmap_matrix_archs(tmap_matrix_consumer consumer);

/*
 * Of a layout over (rows of M or N, columns of K) in elements of `type`, its 0 at `shared_address`. TMAP_REFUSED, with
 * the reason, where the instruction has no descriptor for it.
 */
TMAP_API tmap_status tmap_matrix_describe(tmap_matrix_consumer consumer, const tmap_layout *layout,
                                          const tmap_shape *shape, const tmap_type_info *type, uint64_t shared_address,
                                          tmap_matrix_descriptor *out, tmap_diag *error)
    TMAP_NONNULL(2, 3, 4, 6) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
