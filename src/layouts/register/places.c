/* The place of an element of a register layout, and the element at a place. */
#include "register/modes.h"
#include "register/shaped.h"

uint64_t tmap_register_threads_n(const tmap_register_layout *layout) {
    return tmap_list_size(&layout->modes, &layout->spatial);
}

uint64_t tmap_register_locals_n(const tmap_register_layout *layout) {
    return tmap_list_size(&layout->modes, &layout->local);
}

uint64_t tmap_list_replicas_n(const tmap_mode_list *list) {
    uint64_t replicas = 1;
    for (int i = 0; i < list->n; i++)
        if (list->at[i] < 0) replicas *= (uint64_t)-list->at[i];
    return replicas;
}

uint64_t tmap_register_replicas_n(const tmap_register_layout *layout) {
    return tmap_list_replicas_n(&layout->spatial);
}

uint64_t tmap_list_number(const tmap_modes *modes, const tmap_mode_list *list, const uint64_t *of_mode,
                          uint64_t replica) {
    uint64_t number = 0, weight = 1;
    for (int i = list->n - 1; i >= 0; i--) {
        int64_t entry = list->at[i];
        uint64_t size = tmap_entry_size(modes, entry);
        number += (entry < 0 ? replica % size : of_mode[entry]) * weight;
        if (entry < 0) replica /= size;
        weight *= size;
    }
    return number;
}

uint64_t tmap_register_thread(const tmap_register_layout *layout, const uint64_t *index, uint64_t replica) {
    uint64_t of_mode[TMAP_MODES_MAX];
    tmap_modes_split_index(&layout->modes, index, of_mode);
    return tmap_list_number(&layout->modes, &layout->spatial, of_mode, replica);
}

uint64_t tmap_register_local(const tmap_register_layout *layout, const uint64_t *index) {
    uint64_t of_mode[TMAP_MODES_MAX];
    tmap_modes_split_index(&layout->modes, index, of_mode);
    return tmap_list_number(&layout->modes, &layout->local, of_mode, 0);
}

/* The digits of `number` as indices of the modes of `list`. Ignores the digits of replications. */
static void take_digits(const tmap_modes *modes, const tmap_mode_list *list, uint64_t number, uint64_t *of_mode) {
    for (int i = list->n - 1; i >= 0; i--) {
        uint64_t size = tmap_entry_size(modes, list->at[i]);
        if (list->at[i] >= 0) of_mode[list->at[i]] = number % size;
        number /= size;
    }
}

void tmap_register_index(const tmap_register_layout *layout, uint64_t thread, uint64_t local, uint64_t *index) {
    uint64_t of_mode[TMAP_MODES_MAX] = {0};
    int begin[TMAP_MODE_RANK_MAX + 1];
    take_digits(&layout->modes, &layout->spatial, thread, of_mode);
    take_digits(&layout->modes, &layout->local, local, of_mode);
    tmap_modes_ranges(&layout->modes, begin);
    for (int d = 0; d < layout->modes.rank; d++) {
        index[d] = 0;
        for (int k = begin[d]; k < begin[d + 1]; k++) index[d] = index[d] * layout->modes.size[k] + of_mode[k];
    }
}

bool tmap_register_same(const tmap_register_layout *a, const tmap_register_layout *b) {
    tmap_shaped one = tmap_shaped_of_register(a), other = tmap_shaped_of_register(b);
    tmap_layout_normal(&one.layout, &one.layout); /* merges replications in sequence */
    tmap_layout_normal(&other.layout, &other.layout);
    return tmap_modes_equal(&a->modes, &b->modes) && tmap_layout_identical(&one.layout, &other.layout);
}
