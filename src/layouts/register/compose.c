/* Composition of register layouts, and its inverses. */
#include "register/modes.h"
#include "register/shaped.h"

#include <inttypes.h>

/* ---- Compose and concatenate ---- */

static tmap_status check_product(uint64_t a, uint64_t b, const char *what, tmap_operation operation, tmap_diag *error) {
    if (a <= TMAP_MODE_SIZE_MAX / b) return TMAP_OK;
    return tmap_refuse_operation(error, operation, "use smaller layouts", "more than 2^62 %s", what);
}

static tmap_status compose(const tmap_register_layout *outer, const tmap_shaped *a, const tmap_register_layout *inner,
                           const tmap_shaped *b, tmap_operation operation, tmap_register_layout *layout,
                           tmap_diag *error) {
    tmap_shaped both;
    tmap_status status = check_product(tmap_modes_elements_n(&outer->modes), tmap_modes_elements_n(&inner->modes),
                                       "elements", operation, error);
    if (status == TMAP_OK)
        status =
            check_product(tmap_register_threads_n(outer), tmap_register_threads_n(inner), "threads", operation, error);
    if (status == TMAP_OK) status = tmap_shaped_compose(a, b, &both, error);
    return status == TMAP_OK ? tmap_register_of_shaped(&both, layout, error) : status;
}

tmap_status tmap_register_compose(const tmap_register_layout *outer, const tmap_register_layout *inner,
                                  tmap_register_layout *layout, tmap_diag *error) {
    tmap_shaped a = tmap_shaped_of_register(outer), b = tmap_shaped_of_register(inner);
    return compose(outer, &a, inner, &b, TMAP_OPERATION("compose"), layout, error);
}

/* The composition of `left` with further dimensions of 1, and `right`. */
tmap_status tmap_register_concat(const tmap_register_layout *left, const tmap_register_layout *right,
                                 tmap_register_layout *layout, tmap_diag *error) {
    int rank = left->modes.rank + right->modes.rank;
    if (tmap_modes_rank_check(rank, TMAP_OPERATION("concat"), error) != TMAP_OK) return TMAP_REFUSED;
    tmap_shaped a = tmap_shaped_of_register(left), b = tmap_shaped_of_register(right);
    while (a.shape.rank < rank) a.shape.at[a.shape.rank++] = 1;
    return compose(left, &a, right, &b, TMAP_OPERATION("concat"), layout, error);
}

/* ---- Divide ---- */

/* Replications in sequence are one replication: either side of a composition may be a part of it. */
static tmap_shaped merged(const tmap_register_layout *layout) {
    tmap_shaped shaped = tmap_shaped_of_register(layout);
    tmap_layout_normal(&shaped.layout, &shaped.layout);
    return shaped;
}

static tmap_status divide(const tmap_register_layout *whole, const tmap_register_layout *part, bool part_is_inner,
                          tmap_operation operation, tmap_register_layout *quotient, tmap_diag *error) {
    tmap_shaped a = merged(whole), b = merged(part), q = {.shape.rank = 0};
    tmap_register_layout made, again;
    bool found = false;
    if (a.shape.rank < b.shape.rank)
        return tmap_refuse_operation(error, operation, "unsqueeze the layout", "the divisor has rank %d, the layout %d",
                                     b.shape.rank, a.shape.rank);
    tmap_shape_pad(&b.shape, a.shape.rank);
    int64_t size;
    tmap_status status = tmap_shape_divide(&a.shape, &b.shape, 1, &q.shape, &size, error);
    if (status == TMAP_OK)
        status =
            tmap_layout_find_factor(&b.layout, part_is_inner, &a.layout, &a.shape, &b.shape, &q.layout, &found, error);
    if (status != TMAP_OK) return status;
    if (!found || tmap_register_of_shaped(&q, &made, NULL) != TMAP_OK ||
        tmap_register_compose(part_is_inner ? &made : part, part_is_inner ? part : &made, &again, NULL) != TMAP_OK ||
        !tmap_register_same(&again, whole))
        return tmap_refuse_operation(error, operation, "divide by a factor of the layout",
                                     "the divisor's threads and registers are not the %s of the layout, in the same "
                                     "order",
                                     part_is_inner ? "fastest" : "slowest");
    *quotient = made;
    return TMAP_OK;
}

tmap_status tmap_register_divide(const tmap_register_layout *whole, const tmap_register_layout *inner,
                                 tmap_register_layout *quotient, tmap_diag *error) {
    return divide(whole, inner, true, TMAP_FITTED("divide"), quotient, error);
}

tmap_status tmap_register_left_divide(const tmap_register_layout *whole, const tmap_register_layout *outer,
                                      tmap_register_layout *quotient, tmap_diag *error) {
    return divide(whole, outer, false, TMAP_FITTED("left_divide"), quotient, error);
}
