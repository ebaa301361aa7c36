/*
 * Point: 4
 * Proves: a tiled walk at any plane returns runs of this plane, and each element of the plane is in exactly one of
 *     these runs. The run is data if and only if tmap_map_locate finds an element of the tensor. The run and
 *     tmap_map_locate return the same coordinates, offset in the tensor and offset in the box for the element. After
 *     the runs of a plane the walk is at the next plane, or at its end after the last plane. By induction over the
 *     planes, the runs of the walk are disjoint and cover the box. In walk.c no unsigned or signed number wraps except
 *     the offset in the tensor, which is modulo 2^64.
 * Assumes: a load of u32 without interleave. Offsets are linear in the strides and in the pitch, so one set of
 *     strides is sufficient. The bounds of a box inside the tensor are those of `bounds`.
 * Bounds: rank 1 and 2 (`walk` has the other ranks): any dims to 2^32, coordinates of 32 bits, boxes of up to 256 in
 *     each dimension, element stride 1.
 * Cases: RANK=1,2 STEP=1
 * Tool: symbolic
 * Compiler: clang
 * Sources: src/core/params/derive.c src/core/map/pixels.c src/core/hw/tables.c src/core/hw/swizzle.c
 * Options: -fsanitize=unsigned-integer-overflow,signed-integer-overflow,integer-divide-by-zero,shift,bounds
 *     -fsanitize-trap=all
 */
#include "plane.h"

#pragma clang attribute push(__attribute__((no_sanitize("all"))), apply_to = function)

static void make_dim(int dim) {
    static const uint32_t most[] = {256, 256, 16, 4, 4};
    ANY(int32_t, at);
    bool used = dim < RANK;
    map->params.dims_el[dim] = used ? any_between(1, (uint64_t)1 << 32) : 1;
    map->params.element_strides[dim] = used && dim > 0 ? STEP : 1;
    if (dim > 0) map->params.strides_B[dim - 1] = used ? ((uint64_t)1 << (8 * dim + 8)) + 16 : 0;
    copy.params.at[dim] = used ? at : 0;
    map->derived.counts[dim] = copy.counts[dim] = used ? (uint32_t)any_between(1, most[dim]) : 1;
    element[dim] = used ? (uint32_t)any_between(0, 255) : 0;
    ASSUME(element[dim] < copy.counts[dim]);
    copy.inside_first[dim] = used ? (uint32_t)any_between(0, 256) : 0;
    copy.inside_end[dim] = used ? (uint32_t)any_between(0, 256) : 1;
    ASSUME((copy.inside_first[dim] <= copy.inside_end[dim]) & (copy.inside_end[dim] <= copy.counts[dim]));
    assume_bounds(dim, element[dim]);
    assume_bounds(dim, copy.inside_first[dim]);
}

static bool is_in_plane(const uint32_t *index) {
    bool same = true;
    for (int i = 2; i < TMAP_RANK_MAX; i++) same &= index[i] == element[i];
    return same;
}

/* Whether `index` is the first of the next plane. */
static bool is_next(const uint32_t *index) {
    bool next = true, carry = true;
    for (int i = 2; i < TMAP_RANK_MAX; i++) {
        bool last = element[i] + 1 == copy.counts[i];
        uint32_t raised = last ? 0 : element[i] + 1;
        next &= index[i] == (carry ? raised : element[i]);
        carry &= last;
    }
    return next & !carry;
}

int main(void) {
    tmap_run run;
    bool more;
    begin_copy();
    copy.rank = RANK;
    for (int i = 0; i < TMAP_RANK_MAX; i++) make_dim(i);
    tmap_map_locate(map, copy.params.at, 0, element, &place);
    walk.copy = &copy;
    for (int i = 2; i < TMAP_RANK_MAX; i++) walk.index[i] = element[i];
    begin_plane(&walk);
    while ((more = tmap_walk_next(&walk, &run)) && is_in_plane(run.index))
        compare(&run, map->params.element_strides[1]);
    PROVE(runs_n == 1);
    bool last = true;
    for (int i = 2; i < TMAP_RANK_MAX; i++) last &= element[i] + 1 == copy.counts[i];
    PROVE(more ? is_next(run.index) : last);
    return 0;
}

#pragma clang attribute pop
