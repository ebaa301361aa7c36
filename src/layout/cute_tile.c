/* Division and product of CuTe layouts. Source: CuTe's "Layout Algebra" chapter. */
#include "layout/cute_build.h"

#include "layout/register_modes.h"

/* More modes by mode than these are not taken. */
enum { TILERS_MAX = 8 };

/* ---- Forms ----
 *
 * A division, or product, mode by mode leaves pairs (Tile, Rest) and, past the tilers, modes that were not touched.
 */
typedef struct pairs {
    tmap_cute tile[TILERS_MAX], rest[TILERS_MAX];
    int n;
    const tmap_cute *untouched; /* its modes from n on */
} pairs;

static int mode_node(const tmap_cute *layout, int mode) {
    int node = tmap_cute_first(layout, 0);
    for (; mode > 0; mode--) node = tmap_cute_next(layout, node);
    return node;
}

static void append_untouched(tmap_cute_build *build, const pairs *p) {
    if (!p->untouched) return;
    for (int i = mode_node(p->untouched, p->n); i < p->untouched->nodes_n; i = tmap_cute_next(p->untouched, i))
        tmap_cute_append(build, p->untouched, i);
}

static void append_logical(tmap_cute_build *build, const pairs *p) {
    for (int i = 0; i < p->n; i++) {
        int open = tmap_cute_open(build);
        tmap_cute_append(build, &p->tile[i], 0);
        tmap_cute_append(build, &p->rest[i], 0);
        tmap_cute_close(build, open);
    }
    append_untouched(build, p);
}

static void append_tiles(tmap_cute_build *build, const pairs *p, bool grouped) {
    int open = grouped ? tmap_cute_open(build) : -1;
    for (int i = 0; i < p->n; i++) tmap_cute_append(build, &p->tile[i], 0);
    if (open >= 0) tmap_cute_close(build, open);
}

static void append_rests(tmap_cute_build *build, const pairs *p, bool grouped) {
    int open = grouped ? tmap_cute_open(build) : -1;
    for (int i = 0; i < p->n; i++) tmap_cute_append(build, &p->rest[i], 0);
    append_untouched(build, p);
    if (open >= 0) tmap_cute_close(build, open);
}

static tmap_status put_pairs(tmap_cute_form form, const pairs *p, const tmap_cute *like, const char *operation,
                             tmap_cute *result, tmap_layout_error *error) {
    tmap_cute_build build = {0};
    int open = tmap_cute_open(&build);
    if (form == TMAP_CUTE_LOGICAL) {
        append_logical(&build, p);
    } else {
        append_tiles(&build, p, form != TMAP_CUTE_FLAT);
        append_rests(&build, p, form == TMAP_CUTE_ZIPPED);
    }
    tmap_cute_close(&build, open);
    return tmap_cute_built(&build, like, operation, result, error);
}

/* (tile, rest) of layouts as they are: tiled unpacks the rest, flat the tile too. */
static tmap_status put_two(tmap_cute_form form, const tmap_cute *tile, const tmap_cute *rest, const tmap_cute *like,
                           const char *operation, tmap_cute *result, tmap_layout_error *error) {
    tmap_cute_build build = {0};
    int open = tmap_cute_open(&build);
    if (form == TMAP_CUTE_FLAT)
        tmap_cute_append_children(&build, tile, 0);
    else
        tmap_cute_append(&build, tile, 0);
    if (form == TMAP_CUTE_FLAT || form == TMAP_CUTE_TILED)
        tmap_cute_append_children(&build, rest, 0);
    else
        tmap_cute_append(&build, rest, 0);
    tmap_cute_close(&build, open);
    return tmap_cute_built(&build, like, operation, result, error);
}

/* ---- Division: a o (b, complement of b up to the size of a) ---- */

static tmap_status divide_pair(const tmap_cute *a, const tmap_cute *tiler, tmap_cute *tile, tmap_cute *rest,
                               tmap_layout_error *error) {
    tmap_cute parts[2] = {*tiler}, both, divided;
    tmap_status status = tmap_cute_complement(tiler, tmap_cute_size(a), &parts[1], error);
    if (status == TMAP_OK) status = tmap_cute_concat(parts, 2, &both, error);
    if (status == TMAP_OK) status = tmap_cute_compose(a, &both, &divided, error);
    if (status == TMAP_OK) status = tmap_cute_mode(&divided, 0, tile, error);
    return status == TMAP_OK ? tmap_cute_mode(&divided, 1, rest, error) : status;
}

tmap_status tmap_cute_divide(tmap_cute_form form, const tmap_cute *a, const tmap_cute *tiler, tmap_cute *result,
                             tmap_layout_error *error) {
    tmap_cute tile, rest;
    tmap_status status = divide_pair(a, tiler, &tile, &rest, error);
    return status == TMAP_OK ? put_two(form, &tile, &rest, a, "divide", result, error) : status;
}

static tmap_status check_tilers(const tmap_cute *a, int tilers_n, const char *operation, tmap_layout_error *error) {
    int rank = tmap_cute_rank(a), most = rank < TILERS_MAX ? rank : TILERS_MAX;
    if (tilers_n >= 1 && tilers_n <= most) return TMAP_OK;
    return tmap_modes_refuse(error, operation, "give at most a tiler for every mode", "%d tilers; at most %d are taken",
                             tilers_n, most);
}

tmap_status tmap_cute_divide_modes(tmap_cute_form form, const tmap_cute *a, const tmap_cute *tilers, int tilers_n,
                                   tmap_cute *result, tmap_layout_error *error) {
    tmap_status status = check_tilers(a, tilers_n, "divide", error);
    tmap_cute plain = *a;
    pairs p = {.n = tilers_n, .untouched = &plain};
    for (int i = 0; status == TMAP_OK && i < tilers_n; i++) {
        tmap_cute mode;
        status = tmap_cute_mode(&plain, i, &mode, error);
        if (status == TMAP_OK) status = divide_pair(&mode, &tilers[i], &p.tile[i], &p.rest[i], error);
    }
    return status == TMAP_OK ? put_pairs(form, &p, a, "divide", result, error) : status;
}

tmap_status tmap_cute_compose_modes(const tmap_cute *a, const tmap_cute *tilers, int tilers_n, tmap_cute *result,
                                    tmap_layout_error *error) {
    tmap_status status = check_tilers(a, tilers_n, "composition", error);
    tmap_cute_build build = {0};
    int open = tmap_cute_open(&build);
    for (int i = 0; status == TMAP_OK && i < tilers_n; i++) {
        tmap_cute mode;
        status = tmap_cute_mode(a, i, &mode, error);
        if (status == TMAP_OK) status = tmap_cute_compose(&mode, &tilers[i], &mode, error);
        if (status == TMAP_OK) tmap_cute_append(&build, &mode, 0);
    }
    if (status != TMAP_OK) return status;
    pairs p = {.n = tilers_n, .untouched = a};
    append_untouched(&build, &p);
    tmap_cute_close(&build, open);
    return tmap_cute_built(&build, a, "composition", result, error);
}

/* ---- Product: (a, complement of a o b) ---- */

static tmap_status repetitions(const tmap_cute *a, const tmap_cute *tiler, tmap_cute *result,
                               tmap_layout_error *error) {
    int64_t cosize = tmap_cute_cosize(tiler);
    uint64_t target = cosize < 1 ? 0 : tmap_mul_saturate(tmap_cute_size(a), (uint64_t)cosize);
    tmap_cute rest;
    tmap_status status = tmap_cute_complement(a, target, &rest, error);
    return status == TMAP_OK ? tmap_cute_compose(&rest, tiler, result, error) : status;
}

tmap_status tmap_cute_product(tmap_cute_form form, const tmap_cute *a, const tmap_cute *tiler, tmap_cute *result,
                              tmap_layout_error *error) {
    tmap_cute rest;
    tmap_status status = repetitions(a, tiler, &rest, error);
    return status == TMAP_OK ? put_two(form, a, &rest, NULL, "product", result, error) : status;
}

/* Mode i of a layout, or 1:0 where it has fewer. */
static void append_mode(tmap_cute_build *build, const tmap_cute *layout, int mode) {
    if (mode < tmap_cute_rank(layout))
        tmap_cute_append(build, layout, mode_node(layout, mode));
    else
        tmap_cute_leaf(build, 1, 0);
}

static tmap_status product_by_rank(const tmap_cute *a, const tmap_cute *tiler, bool raked, tmap_cute *result,
                                   tmap_layout_error *error) {
    tmap_cute rest, both;
    tmap_status status = repetitions(a, tiler, &rest, error);
    if (status != TMAP_OK) return status;
    /* An integer that was composed into several leaves is still one mode. */
    bool one_mode = !tiler->nodes[0].tuple && rest.nodes[0].tuple;
    tmap_cute_build wrapped = {0};
    if (one_mode) {
        int open = tmap_cute_open(&wrapped);
        tmap_cute_append(&wrapped, &rest, 0);
        tmap_cute_close(&wrapped, open);
        status = tmap_cute_built(&wrapped, NULL, "product", &rest, error);
        if (status != TMAP_OK) return status;
    }
    tmap_cute_build build = {0};
    int rank_a = tmap_cute_rank(a), rank_b = tmap_cute_rank(&rest), open = tmap_cute_open(&build);
    for (int i = 0; i < rank_a || i < rank_b; i++) {
        int pair = tmap_cute_open(&build);
        append_mode(&build, raked ? &rest : a, i);
        append_mode(&build, raked ? a : &rest, i);
        tmap_cute_close(&build, pair);
    }
    tmap_cute_close(&build, open);
    status = tmap_cute_built(&build, NULL, "product", &both, error);
    return status == TMAP_OK ? tmap_cute_coalesce_modes(&both, result, error) : status;
}

tmap_status tmap_cute_blocked_product(const tmap_cute *a, const tmap_cute *tiler, tmap_cute *result,
                                      tmap_layout_error *error) {
    return product_by_rank(a, tiler, false, result, error);
}

tmap_status tmap_cute_raked_product(const tmap_cute *a, const tmap_cute *tiler, tmap_cute *result,
                                    tmap_layout_error *error) {
    return product_by_rank(a, tiler, true, result, error);
}
