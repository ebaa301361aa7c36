/* Composition of register layouts, and its inverses. */
#include "register/modes.h"

#include <inttypes.h>

/* ---- Compose and concatenate ---- */

static void pad(tmap_register_layout *a, tmap_register_layout *b) {
    tmap_modes_pad(&a->modes, b->modes.rank);
    tmap_modes_pad(&b->modes, a->modes.rank);
}

/* Appends the modes of `from` in [begin, end) and stores their new numbers. */
static void append_modes(tmap_modes *modes, const tmap_modes *from, int begin, int end, int *number) {
    for (int k = begin; k < end; k++) {
        number[k] = modes->n;
        modes->size[modes->n++] = from->size[k];
    }
}

static tmap_status check_product(uint64_t a, uint64_t b, const char *what, tmap_operation operation, tmap_diag *error) {
    if (a <= TMAP_MODE_SIZE_MAX / b) return TMAP_OK;
    return tmap_refuse_operation(error, operation, "use smaller layouts", "more than 2^62 %s", what);
}

static tmap_status check_sizes(const tmap_register_layout *a, const tmap_register_layout *b, tmap_operation operation,
                               tmap_diag *error) {
    tmap_status status =
        check_product(tmap_modes_elements_n(&a->modes), tmap_modes_elements_n(&b->modes), "elements", operation, error);
    return status != TMAP_OK
               ? status
               : check_product(tmap_register_threads_n(a), tmap_register_threads_n(b), "threads", operation, error);
}

static tmap_register_layout with_lists(const tmap_modes *modes, const tmap_register_layout *first, const int *of_first,
                                       const tmap_register_layout *second, const int *of_second) {
    tmap_register_layout layout = {.modes = *modes};
    tmap_mode_list *const lists[] = {&layout.spatial, &layout.local};
    tmap_list_append(&layout.spatial, &first->spatial, of_first);
    tmap_list_append(&layout.spatial, &second->spatial, of_second);
    tmap_list_append(&layout.local, &first->local, of_first);
    tmap_list_append(&layout.local, &second->local, of_second);
    tmap_modes_canonical(&layout.modes, lists, 2);
    return layout;
}

tmap_status tmap_register_compose(const tmap_register_layout *outer, const tmap_register_layout *inner,
                                  tmap_register_layout *layout, tmap_diag *error) {
    tmap_status status = check_sizes(outer, inner, TMAP_OPERATION("compose"), error);
    if (status != TMAP_OK) return status;
    tmap_register_layout a = *outer, b = *inner;
    int of_a[TMAP_MODES_MAX], of_b[TMAP_MODES_MAX];
    int begin_a[TMAP_MODE_RANK_MAX + 1], begin_b[TMAP_MODE_RANK_MAX + 1];
    pad(&a, &b);
    tmap_modes_ranges(&a.modes, begin_a);
    tmap_modes_ranges(&b.modes, begin_b);
    tmap_modes modes = {.rank = a.modes.rank};
    for (int d = 0; d < modes.rank; d++) {
        modes.shape[d] = a.modes.shape[d] * b.modes.shape[d];
        append_modes(&modes, &a.modes, begin_a[d], begin_a[d + 1], of_a);
        append_modes(&modes, &b.modes, begin_b[d], begin_b[d + 1], of_b);
    }
    *layout = with_lists(&modes, &a, of_a, &b, of_b);
    return TMAP_OK;
}

tmap_status tmap_register_concat(const tmap_register_layout *left, const tmap_register_layout *right,
                                 tmap_register_layout *layout, tmap_diag *error) {
    tmap_status status = check_sizes(left, right, TMAP_OPERATION("concat"), error);
    if (status != TMAP_OK) return status;
    int rank = left->modes.rank + right->modes.rank;
    if (rank > TMAP_MODE_RANK_MAX)
        return tmap_refuse_operation(error, TMAP_OPERATION("concat"), "merge dimensions with flatten",
                                     "the result has %d dimensions; the limit is %d", rank, TMAP_MODE_RANK_MAX);
    int of_left[TMAP_MODES_MAX], of_right[TMAP_MODES_MAX];
    tmap_modes modes = {.rank = rank};
    for (int d = 0; d < rank; d++)
        modes.shape[d] = d < left->modes.rank ? left->modes.shape[d] : right->modes.shape[d - left->modes.rank];
    append_modes(&modes, &left->modes, 0, left->modes.n, of_left);
    append_modes(&modes, &right->modes, 0, right->modes.n, of_right);
    *layout = with_lists(&modes, left, of_left, right, of_right);
    return TMAP_OK;
}

/*
 * ---- Divide ----
 *
 * compose(q, b) appends the modes of b to those of q in every dimension, and b's lists to q's lists. So b divides a if,
 * after splitting modes of both where one ends inside the other, b's modes are the last modes of every dimension of a
 * and b's lists are the ends of a's lists. Either side may need a split, because compose merges neighbours at the seam.
 * For the same reason a first entry of b's list that is a replication may be part of a longer replication of a.
 */
typedef struct division {
    tmap_register_layout a, b;
    int of_b[TMAP_MODES_MAX]; /* for each mode of b, the equal mode of a */
    tmap_diag *error;
    tmap_operation operation;
} division;

static void split_in(tmap_register_layout *layout, int k, uint64_t inner) {
    tmap_mode_list *const lists[] = {&layout->spatial, &layout->local};
    tmap_modes_split(&layout->modes, lists, 2, k, inner);
}

static tmap_status refuse_modes(const division *div, int d, uint64_t p, uint64_t q) {
    return tmap_refuse_operation(div->error, div->operation,
                                 "the divisor's shape must divide the layout's, mode by mode",
                                 "dimension %d: a mode of size %" PRIu64 " of the layout and one of size %" PRIu64
                                 " of the divisor do not divide each other",
                                 d, p, q);
}

/* Splits modes of both sides until the last modes of a in dimension d have the sizes of b's modes. */
static tmap_status match_dimension(division *div, int d) {
    int begin_a[TMAP_MODE_RANK_MAX + 1], begin_b[TMAP_MODE_RANK_MAX + 1];
    tmap_modes_ranges(&div->a.modes, begin_a);
    tmap_modes_ranges(&div->b.modes, begin_b);
    int i = begin_a[d + 1] - 1, j = begin_b[d + 1] - 1;
    while (j >= begin_b[d]) {
        uint64_t p = i >= begin_a[d] ? div->a.modes.size[i] : 1, q = div->b.modes.size[j];
        if (p == q) {
            i--;
            j--;
        } else if (q > 0 && p > q && p % q == 0) {
            split_in(&div->a, i, q);
            j--;
        } else if (p > 1 && q % p == 0) {
            split_in(&div->b, j, p);
            i--;
        } else {
            return refuse_modes(div, d, p, q);
        }
    }
    return TMAP_OK;
}

static void number_modes(division *div) {
    int begin_a[TMAP_MODE_RANK_MAX + 1], begin_b[TMAP_MODE_RANK_MAX + 1];
    tmap_modes_ranges(&div->a.modes, begin_a);
    tmap_modes_ranges(&div->b.modes, begin_b);
    for (int d = 0; d < div->b.modes.rank; d++)
        for (int j = begin_b[d]; j < begin_b[d + 1]; j++) div->of_b[j] = begin_a[d + 1] - begin_b[d + 1] + j;
}

/* Removes entry `theirs` of b from the end of a's list. */
static bool take_entry(tmap_mode_list *list, int64_t theirs, bool first) {
    if (list->n == 0) return false;
    int64_t *last = &list->at[list->n - 1];
    if (*last == theirs) {
        list->n--;
        return true;
    }
    bool part = first && theirs < 0 && *last < 0 && *last % theirs == 0;
    if (part) *last /= -theirs;
    return part;
}

static tmap_status take_list(const division *div, tmap_mode_list *list, const tmap_mode_list *end, const char *name) {
    for (int i = end->n - 1; i >= 0; i--) {
        int64_t theirs = end->at[i] < 0 ? end->at[i] : div->of_b[end->at[i]];
        if (!take_entry(list, theirs, i == 0))
            return tmap_refuse_operation(div->error, div->operation, "divide by a factor of the layout",
                                         "the divisor's %s are not the %s ones of the layout, in the same order", name,
                                         div->operation.name[0] == 'd' ? "fastest" : "slowest");
    }
    return TMAP_OK;
}

/* The rest of a without b's modes, which no list contains any more. */
static tmap_register_layout remainder_of(const division *div) {
    const tmap_register_layout *a = &div->a, *b = &div->b;
    tmap_register_layout rest = {.modes.rank = a->modes.rank};
    int begin_a[TMAP_MODE_RANK_MAX + 1], begin_b[TMAP_MODE_RANK_MAX + 1], number[TMAP_MODES_MAX];
    tmap_modes_ranges(&a->modes, begin_a);
    tmap_modes_ranges(&b->modes, begin_b);
    for (int d = 0; d < a->modes.rank; d++) {
        int taken = begin_b[d + 1] - begin_b[d];
        rest.modes.shape[d] = a->modes.shape[d] / b->modes.shape[d];
        append_modes(&rest.modes, &a->modes, begin_a[d], begin_a[d + 1] - taken, number);
    }
    tmap_list_append(&rest.spatial, &a->spatial, number);
    tmap_list_append(&rest.local, &a->local, number);
    tmap_mode_list *const lists[] = {&rest.spatial, &rest.local};
    tmap_modes_canonical(&rest.modes, lists, 2);
    return rest;
}

/* The quotient of div->a by div->b, which have equal ranks. */
static tmap_status divide(division *div, tmap_register_layout *quotient) {
    tmap_list_merge_replicas(&div->a.spatial);
    tmap_list_merge_replicas(&div->b.spatial);
    for (int d = 0; d < div->a.modes.rank; d++) {
        tmap_status status = match_dimension(div, d);
        if (status != TMAP_OK) return status;
    }
    number_modes(div);
    tmap_status status = take_list(div, &div->a.spatial, &div->b.spatial, "threads");
    if (status == TMAP_OK) status = take_list(div, &div->a.local, &div->b.local, "registers");
    if (status == TMAP_OK) *quotient = remainder_of(div);
    return status;
}

static tmap_status begin_division(division *div, const tmap_register_layout *whole, const tmap_register_layout *part) {
    if (whole->modes.rank < part->modes.rank)
        return tmap_refuse_operation(div->error, div->operation, "unsqueeze the layout",
                                     "the divisor has %d dimensions, the layout %d", part->modes.rank,
                                     whole->modes.rank);
    div->a = *whole;
    div->b = *part;
    pad(&div->a, &div->b);
    return TMAP_OK;
}

tmap_status tmap_register_divide(const tmap_register_layout *whole, const tmap_register_layout *inner,
                                 tmap_register_layout *quotient, tmap_diag *error) {
    division div = {.error = error, .operation = TMAP_FITTED("divide")};
    tmap_status status = begin_division(&div, whole, inner);
    return status == TMAP_OK ? divide(&div, quotient) : status;
}

static void reverse(uint64_t *items, int n) {
    for (int i = 0; i < n / 2; i++) {
        uint64_t item = items[i];
        items[i] = items[n - 1 - i];
        items[n - 1 - i] = item;
    }
}

static tmap_mode_list mirrored_list(const tmap_mode_list *list, int modes_n) {
    tmap_mode_list mirrored = {.n = list->n};
    for (int i = 0; i < list->n; i++) {
        int64_t entry = list->at[list->n - 1 - i];
        mirrored.at[i] = entry < 0 ? entry : modes_n - 1 - entry;
    }
    return mirrored;
}

/* Reverses every order. mirror(compose(x, y)) is compose(mirror(y), mirror(x)), so a left division is a division of
 * mirrors. */
static void mirror(tmap_register_layout *layout) {
    reverse(layout->modes.shape, layout->modes.rank);
    reverse(layout->modes.size, layout->modes.n);
    layout->spatial = mirrored_list(&layout->spatial, layout->modes.n);
    layout->local = mirrored_list(&layout->local, layout->modes.n);
}

tmap_status tmap_register_left_divide(const tmap_register_layout *whole, const tmap_register_layout *outer,
                                      tmap_register_layout *quotient, tmap_diag *error) {
    division div = {.error = error, .operation = TMAP_FITTED("left_divide")};
    tmap_status status = begin_division(&div, whole, outer);
    if (status != TMAP_OK) return status;
    mirror(&div.a);
    mirror(&div.b);
    tmap_register_layout mirrored;
    status = divide(&div, &mirrored);
    if (status != TMAP_OK) return status;
    mirror(&mirrored);
    *quotient = mirrored;
    return TMAP_OK;
}
