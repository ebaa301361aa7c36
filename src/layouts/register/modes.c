/* Shapes split into modes, and lists of modes. */
#include "register/modes.h"

#include <inttypes.h>
#include <string.h>

/* ---- Checks ---- */

tmap_status tmap_modes_rank_check(int rank, tmap_operation operation, tmap_diag *error) {
    if (rank >= 0 && rank <= TMAP_MODE_RANK_MAX) return TMAP_OK;
    return tmap_refuse_operation(error, operation, "merge dimensions with flatten or reshape",
                                 "the shape has %d dimensions; the limit is %d", rank, TMAP_MODE_RANK_MAX);
}

tmap_status tmap_modes_shape_check(const uint64_t *shape, int rank, tmap_operation operation, tmap_diag *error) {
    if (tmap_modes_rank_check(rank, operation, error) != TMAP_OK) return TMAP_REFUSED;
    uint64_t elements = 1;
    for (int d = 0; d < rank; d++) {
        if (shape[d] == 0)
            return tmap_refuse_operation(error, operation, "make every dimension 1 or more", "dimension %d is 0", d);
        if (shape[d] > TMAP_MODE_SIZE_MAX / elements)
            return tmap_refuse_operation(error, operation, "make the shape smaller",
                                         "with dimension %d, %" PRIu64 ", there are more than 2^62 elements", d,
                                         shape[d]);
        elements *= shape[d];
    }
    return TMAP_OK;
}

/* Assigns mode k to dimension *d, or to the next dimension if the modes so far fill *d. `left` is the part of dimension
 * *d that no mode fills yet. */
static tmap_status take_mode(const tmap_modes *modes, int k, int *d, uint64_t *left, tmap_operation operation,
                             tmap_diag *error) {
    uint64_t size = modes->size[k];
    if (size == 0) return tmap_refuse_operation(error, operation, "make every mode 1 or more", "mode %d is 0", k);
    if (size == 1) return TMAP_OK;
    while (*left == 1 && ++*d < modes->rank) *left = modes->shape[*d];
    if (*d >= modes->rank)
        return tmap_refuse_operation(error, operation, "leave the mode out",
                                     "mode %d, of size %" PRIu64 ", is after the last dimension", k, size);
    if (*left % size != 0)
        return tmap_refuse_operation(error, operation, "use modes whose product is the dimension, for every dimension",
                                     "mode %d, of size %" PRIu64
                                     ", does not divide the remaining part of dimension %d: %" PRIu64,
                                     k, size, *d, *left);
    *left /= size;
    return TMAP_OK;
}

tmap_status tmap_modes_check(const tmap_modes *modes, tmap_operation operation, tmap_diag *error) {
    tmap_status status = tmap_modes_shape_check(modes->shape, modes->rank, operation, error);
    if (status != TMAP_OK) return status;
    if (modes->n < 0 || modes->n > TMAP_MODES_MAX)
        return tmap_refuse_operation(error, operation, "leave out modes of size 1",
                                     "the layout has %d modes; the limit is %d", modes->n, TMAP_MODES_MAX);
    int d = 0;
    uint64_t left = modes->rank > 0 ? modes->shape[0] : 1;
    for (int k = 0; k < modes->n; k++) {
        status = take_mode(modes, k, &d, &left, operation, error);
        if (status != TMAP_OK) return status;
    }
    while (left == 1 && ++d < modes->rank) left = modes->shape[d];
    if (d < modes->rank)
        return tmap_refuse_operation(error, operation, "use modes whose product is the dimension, for every dimension",
                                     "no mode covers a factor of %" PRIu64 " of dimension %d", left, d);
    return TMAP_OK;
}

tmap_status tmap_dims_check(const int *dims, int dims_n, int rank, tmap_operation operation, tmap_diag *error) {
    uint64_t seen = 0;
    for (int i = 0; i < dims_n; i++) {
        if (dims[i] < 0 || dims[i] >= rank)
            return tmap_refuse_operation(error, operation, "number dimensions from 0, the outermost",
                                         "dimension %d does not exist: the shape has %d", dims[i], rank);
        if (seen >> dims[i] & 1)
            return tmap_refuse_operation(error, operation, "name no dimension twice", "dimension %d is named twice",
                                         dims[i]);
        seen |= (uint64_t)1 << dims[i];
    }
    return TMAP_OK;
}

/* ---- Reading ---- */

void tmap_modes_ranges(const tmap_modes *modes, int begin[TMAP_MODE_RANK_MAX + 1]) {
    int k = 0;
    for (int d = 0; d < modes->rank; d++) {
        begin[d] = k;
        for (uint64_t left = modes->shape[d]; left > 1 && k < modes->n; k++) left /= modes->size[k];
    }
    begin[modes->rank] = k;
}

uint64_t tmap_modes_elements_n(const tmap_modes *modes) {
    uint64_t elements = 1;
    for (int d = 0; d < modes->rank; d++) elements *= modes->shape[d];
    return elements;
}

uint64_t tmap_entry_size(const tmap_modes *modes, int64_t entry) {
    return entry < 0 ? (uint64_t)-entry : modes->size[entry];
}

uint64_t tmap_list_size(const tmap_modes *modes, const tmap_mode_list *list) {
    uint64_t size = 1;
    for (int i = 0; i < list->n; i++) {
        uint64_t of_entry = tmap_entry_size(modes, list->at[i]);
        if (of_entry == 0 || of_entry > TMAP_MODE_SIZE_MAX / size) return 0;
        size *= of_entry;
    }
    return size;
}

bool tmap_modes_equal(const tmap_modes *a, const tmap_modes *b) {
    return a->rank == b->rank && a->n == b->n &&
           memcmp(a->shape, b->shape, sizeof a->shape[0] * (size_t)a->rank) == 0 &&
           memcmp(a->size, b->size, sizeof a->size[0] * (size_t)a->n) == 0;
}

/* The modes split the row-major number of the element. */
void tmap_modes_split_index(const tmap_modes *modes, const uint64_t *index, uint64_t *of_mode) {
    uint64_t element = 0;
    for (int d = 0; d < modes->rank; d++) element = element * modes->shape[d] + index[d];
    for (int k = modes->n - 1; k >= 0; k--) {
        of_mode[k] = element % modes->size[k];
        element /= modes->size[k];
    }
}

void tmap_modes_unravel(const tmap_modes *modes, uint64_t element, uint64_t *index) {
    for (int d = modes->rank - 1; d >= 0; d--) {
        index[d] = element % modes->shape[d];
        element /= modes->shape[d];
    }
}
