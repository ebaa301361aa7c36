/* Division and product of CuTe layouts. Source: CuTe's "Layout Algebra" chapter. */
#include "cute/tuples.h"

/* Tilers nested deeper than this are refused. */
enum { TILER_DEPTH_MAX = 8 };

static int mode_node(const tmap_cute *layout, int mode) {
    int node = tmap_cute_first(layout, 0);
    for (; mode > 0; mode--) node = tmap_cute_next(layout, node);
    return node;
}

/* Appends the modes after the last tiler. */
static void append_untouched(tmap_cute_build *build, const tmap_cute *layout, int mode) {
    for (int i = mode_node(layout, mode); i < layout->nodes_n; i = tmap_cute_next(layout, i))
        tmap_cute_append(build, layout, i);
}

/* (tile, rest) of unchanged layouts. `tiled` unpacks the rest, `flat` also the tile. */
static tmap_status put_two(tmap_cute_nesting nesting, const tmap_cute *tile, const tmap_cute *rest,
                           const tmap_cute *like, tmap_operation operation, tmap_cute *result, tmap_diag *error) {
    tmap_cute_build build = {.too_many = false};
    int open = tmap_cute_open(&build);
    if (nesting == TMAP_CUTE_FLAT)
        tmap_cute_append_children(&build, tile, 0);
    else
        tmap_cute_append(&build, tile, 0);
    if (nesting == TMAP_CUTE_FLAT || nesting == TMAP_CUTE_TILED)
        tmap_cute_append_children(&build, rest, 0);
    else
        tmap_cute_append(&build, rest, 0);
    tmap_cute_close(&build, open);
    return tmap_cute_built(&build, like, operation, result, error);
}

/* ---- Division and product --------------------------- */

typedef struct tile_modes {
    tmap_operation operation;
    tmap_status (*split)(const tmap_cute *a, const tmap_cute *tiler, tmap_cute *tile, tmap_cute *rest,
                         tmap_diag *error);
} tile_modes;

/* Division: a o (b, complement of b up to the size of a). */
static tmap_status divide_pair(const tmap_cute *a, const tmap_cute *tiler, tmap_cute *tile, tmap_cute *rest,
                               tmap_diag *error) {
    tmap_cute parts[2] = {*tiler}, both, divided;
    tmap_status status = tmap_cute_complement(tiler, tmap_cute_size(a), &parts[1], error);
    if (status == TMAP_OK) status = tmap_cute_concat(parts, 2, &both, error);
    if (status == TMAP_OK) status = tmap_cute_compose(a, &both, &divided, error);
    if (status == TMAP_OK) status = tmap_cute_mode(&divided, 0, tile, error);
    return status == TMAP_OK ? tmap_cute_mode(&divided, 1, rest, error) : status;
}

static tmap_status repetitions(const tmap_cute *a, const tmap_cute *tiler, tmap_cute *result, tmap_diag *error) {
    int64_t cosize = tmap_cute_cosize(tiler);
    uint64_t target = cosize < 1 ? 1 : tmap_mul_saturate(tmap_cute_size(a), (uint64_t)cosize);
    tmap_cute rest;
    tmap_status status = tmap_cute_complement(a, target, &rest, error);
    return status == TMAP_OK ? tmap_cute_compose(&rest, tiler, result, error) : status;
}

/* Product: (a, complement of a o b). */
static tmap_status product_pair(const tmap_cute *a, const tmap_cute *tiler, tmap_cute *tile, tmap_cute *rest,
                                tmap_diag *error) {
    tmap_status status = repetitions(a, tiler, rest, error);
    if (status == TMAP_OK) *tile = *a;
    return status;
}

static const tile_modes division = {{"logical_divide", 1}, divide_pair},
                        repetition = {{"logical_product", 1}, product_pair};

/*
 * ---- By mode ----
 *
 * A tuple of tilers applies to the modes one by one, each tiler to its mode. A tiler may be a tuple again. Modes after
 * the last tiler are unchanged.
 */
typedef tmap_status (*of_mode)(const void *context, const tmap_cute *mode, const tmap_cute_tiler *tiler, int depth,
                               tmap_cute *result, tmap_diag *error);

static tmap_status check_tuple(const tmap_cute *a, const tmap_cute_tiler *tiler, int depth, tmap_operation operation,
                               tmap_diag *error) {
    int rank = tmap_cute_rank(a);
    if (depth < TILER_DEPTH_MAX && tiler->modes_n >= 1 && tiler->modes_n <= rank) return TMAP_OK;
    if (depth >= TILER_DEPTH_MAX)
        return tmap_refuse_operation(error, operation, "give a layout for the inner modes",
                                     "tilers nested deeper than %d", TILER_DEPTH_MAX);
    return tmap_refuse_operation(error, operation, "give a tiler for every mode, or for the first of them",
                                 "%d tiler%s; the layout's rank is %d", tiler->modes_n, TMAP_PLURAL(tiler->modes_n),
                                 rank);
}

/* (of(mode 0), of(mode 1), ..., modes after the last tiler). */
static tmap_status map_modes(of_mode of, const void *context, const tmap_cute *a, const tmap_cute_tiler *tiler,
                             int depth, tmap_operation operation, tmap_cute *result, tmap_diag *error) {
    tmap_status status = check_tuple(a, tiler, depth, operation, error);
    tmap_cute_build build = {.too_many = false};
    int open = tmap_cute_open(&build);
    for (int i = 0; status == TMAP_OK && i < tiler->modes_n; i++) {
        tmap_cute mode;
        status = tmap_cute_mode(a, i, &mode, error);
        if (status == TMAP_OK) status = of(context, &mode, &tiler->modes[i], depth + 1, &mode, error);
        if (status == TMAP_OK) tmap_cute_append(&build, &mode, 0);
    }
    if (status != TMAP_OK) return status;
    append_untouched(&build, a, tiler->modes_n);
    tmap_cute_close(&build, open);
    return tmap_cute_built(&build, a, operation, result, error);
}

static tmap_status compose_node(const void *context, const tmap_cute *a, const tmap_cute_tiler *tiler, int depth,
                                tmap_cute *result, tmap_diag *error) {
    if (tiler->layout) return tmap_cute_compose(a, tiler->layout, result, error);
    return map_modes(compose_node, context, a, tiler, depth, TMAP_FITTED("composition"), result, error);
}

tmap_status tmap_cute_compose_by(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                 tmap_diag *error) {
    return compose_node(NULL, a, tiler, 0, result, error);
}

/* Replaces every mode by (Tile, Rest). */
static tmap_status tile_in_place(const void *context, const tmap_cute *a, const tmap_cute_tiler *tiler, int depth,
                                 tmap_cute *result, tmap_diag *error) {
    const tile_modes *t = (const tile_modes *)context;
    tmap_cute tile, rest;
    if (!tiler->layout) return map_modes(tile_in_place, t, a, tiler, depth, t->operation, result, error);
    tmap_status status = t->split(a, tiler->layout, &tile, &rest, error);
    return status == TMAP_OK ? put_two(TMAP_CUTE_LOGICAL, &tile, &rest, a, t->operation, result, error) : status;
}

/* All tiles, then all rests and the modes after the last tiler. */
static tmap_status tile_apart(const tile_modes *t, const tmap_cute *a, const tmap_cute_tiler *tiler, int depth,
                              tmap_cute *tile, tmap_cute *rest, tmap_diag *error) {
    if (tiler->layout) return t->split(a, tiler->layout, tile, rest, error);
    tmap_status status = check_tuple(a, tiler, depth, t->operation, error);
    tmap_cute_build tiles = {.too_many = false}, rests = {.too_many = false};
    int open_tiles = tmap_cute_open(&tiles), open_rests = tmap_cute_open(&rests);
    for (int i = 0; status == TMAP_OK && i < tiler->modes_n; i++) {
        tmap_cute mode;
        status = tmap_cute_mode(a, i, &mode, error);
        if (status == TMAP_OK) status = tile_apart(t, &mode, &tiler->modes[i], depth + 1, tile, rest, error);
        if (status != TMAP_OK) break;
        tmap_cute_append(&tiles, tile, 0);
        tmap_cute_append(&rests, rest, 0);
    }
    if (status != TMAP_OK) return status;
    append_untouched(&rests, a, tiler->modes_n);
    tmap_cute_close(&tiles, open_tiles);
    tmap_cute_close(&rests, open_rests);
    status = tmap_cute_built(&tiles, NULL, t->operation, tile, error);
    return status == TMAP_OK ? tmap_cute_built(&rests, NULL, t->operation, rest, error) : status;
}

static tmap_status tile_by(const tile_modes *t, tmap_cute_nesting nesting, const tmap_cute *a,
                           const tmap_cute_tiler *tiler, tmap_cute *result, tmap_diag *error) {
    tmap_cute tile, rest;
    if (nesting == TMAP_CUTE_LOGICAL) return tile_in_place(t, a, tiler, 0, result, error);
    tmap_status status = tile_apart(t, a, tiler, 0, &tile, &rest, error);
    return status == TMAP_OK ? put_two(nesting, &tile, &rest, a, t->operation, result, error) : status;
}

tmap_status tmap_cute_divide(tmap_cute_nesting nesting, const tmap_cute *a, const tmap_cute_tiler *tiler,
                             tmap_cute *result, tmap_diag *error) {
    return tile_by(&division, nesting, a, tiler, result, error);
}

tmap_status tmap_cute_product(tmap_cute_nesting nesting, const tmap_cute *a, const tmap_cute_tiler *tiler,
                              tmap_cute *result, tmap_diag *error) {
    tmap_status status = tmap_cute_refuse_swizzle(a, TMAP_FITTED("logical_product"), error);
    return status == TMAP_OK ? tile_by(&repetition, nesting, a, tiler, result, error) : status;
}

/* ---- Products by rank: mode with mode ---- */

/* Mode i of a layout; nothing if the layout has fewer modes. */
static void append_mode(tmap_cute_build *build, const tmap_cute *layout, int mode) {
    if (mode < tmap_cute_rank(layout)) tmap_cute_append(build, layout, mode_node(layout, mode));
}

static tmap_status product_by_rank(const tmap_cute *a, const tmap_cute *tiler, bool raked, tmap_cute *result,
                                   tmap_diag *error) {
    tmap_cute rest, both;
    tmap_status status = repetitions(a, tiler, &rest, error);
    if (status != TMAP_OK) return status;
    /* an integer that was composed into several leaves is still one mode */
    bool one_mode = !tiler->nodes[0].tuple && rest.nodes[0].tuple;
    tmap_cute_build wrapped = {.too_many = false};
    if (one_mode) {
        int open = tmap_cute_open(&wrapped);
        tmap_cute_append(&wrapped, &rest, 0);
        tmap_cute_close(&wrapped, open);
        status = tmap_cute_built(&wrapped, NULL, TMAP_FITTED("logical_product"), &rest, error);
        if (status != TMAP_OK) return status;
    }
    tmap_cute_build build = {.too_many = false};
    int rank_a = tmap_cute_rank(a), rank_b = tmap_cute_rank(&rest), open = tmap_cute_open(&build);
    for (int i = 0; i < rank_a || i < rank_b; i++) {
        int pair = tmap_cute_open(&build);
        append_mode(&build, raked ? &rest : a, i);
        append_mode(&build, raked ? a : &rest, i);
        tmap_cute_close(&build, pair);
    }
    tmap_cute_close(&build, open);
    status = tmap_cute_built(&build, NULL, TMAP_FITTED("logical_product"), &both, error);
    return status == TMAP_OK ? tmap_cute_coalesce_modes(&both, result, error) : status;
}

static tmap_status product_node(const void *context, const tmap_cute *a, const tmap_cute_tiler *tiler, int depth,
                                tmap_cute *result, tmap_diag *error) {
    const bool *raked = (const bool *)context;
    if (!tiler->layout)
        return map_modes(product_node, raked, a, tiler, depth, TMAP_FITTED("logical_product"), result, error);
    tmap_cute made;
    tmap_status status = product_by_rank(a, tiler->layout, *raked, &made, error);
    if (status != TMAP_OK) return status;
    /* the product of a mode is again one mode */
    if (depth > 0 && tmap_cute_rank(&made) == 1) return tmap_cute_mode(&made, 0, result, error);
    *result = made;
    return TMAP_OK;
}

static tmap_status ranked_product(bool raked, const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                  tmap_diag *error) {
    tmap_status status = tmap_cute_refuse_swizzle(a, TMAP_FITTED("logical_product"), error);
    return status == TMAP_OK ? product_node(&raked, a, tiler, 0, result, error) : status;
}

tmap_status tmap_cute_blocked_product(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                      tmap_diag *error) {
    return ranked_product(false, a, tiler, result, error);
}

tmap_status tmap_cute_raked_product(const tmap_cute *a, const tmap_cute_tiler *tiler, tmap_cute *result,
                                    tmap_diag *error) {
    return ranked_product(true, a, tiler, result, error);
}
