/* Building the nested tuples of CuTe layouts, and reading their leaves. */
#pragma once

#include "tmap/unstable/cute.h"

#include "layout/iter_lists.h"

/* A layout under construction. An overflow is stored, and tmap_cute_built refuses it. */
typedef struct tmap_cute_build {
    tmap_cute layout;
    bool too_many, too_large;
} tmap_cute_build;

int tmap_cute_open(tmap_cute_build *build);
/* Begins a tuple, or, if not `tuple`, one node alone. */
int tmap_cute_begin_node(tmap_cute_build *build, bool tuple);
/* Ends the tuple or the node that the call which returned `open` began. */
void tmap_cute_close(tmap_cute_build *build, int open);
void tmap_cute_leaf(tmap_cute_build *build, uint64_t shape, tmap_i128 stride);
bool tmap_cute_stride_fits(tmap_i128 stride);
/* Appends the subtree at `node` of another layout; tmap_cute_append_children only the children of a tuple. */
void tmap_cute_append(tmap_cute_build *build, const tmap_cute *from, int node);
void tmap_cute_append_children(tmap_cute_build *build, const tmap_cute *from, int node);
/* Makes the strides compact, from the left (CuTe's LayoutLeft). */
void tmap_cute_fill_strides(tmap_cute_build *build);
/* Writes the layout, with the swizzle and offset of `like` (NULL: none), if it is within the limits. */
tmap_status tmap_cute_built(const tmap_cute_build *build, const tmap_cute *like, tmap_operation operation,
                            tmap_cute *result, tmap_diag *error);

/* The children of a tuple: for (i = first; i < end; i = next). A leaf is its own only child. */
int tmap_cute_first(const tmap_cute *layout, int node);
int tmap_cute_end(const tmap_cute *layout, int node);
int tmap_cute_next(const tmap_cute *layout, int node);

/* Leaves of sizes above 1 as iters of S/R/O, but from the left: the first is the fastest. A layout has at most 62. */
void tmap_cute_leaves_add(tmap_iters *leaves, uint64_t shape, int64_t stride);
/* The leaves below a node. */
void tmap_cute_leaves_of(const tmap_cute *layout, int node, tmap_iters *leaves);
/* Merges neighbours; `merged` may be `leaves`. A layout of one element has the leaf 1:0. */
void tmap_cute_leaves_coalesce(const tmap_iters *leaves, tmap_iters *merged);
/* Appends the coalesced leaves: one leaf, or a tuple. */
void tmap_cute_append_leaves(tmap_cute_build *build, const tmap_iters *leaves);

/* The layout of the coalesced leaves, without swizzle and offset. */
tmap_status tmap_cute_of_leaves(const tmap_iters *leaves, tmap_operation operation, tmap_cute *result,
                                tmap_diag *error);

tmap_status tmap_cute_refuse_swizzle(const tmap_cute *layout, tmap_operation operation, tmap_diag *error);
