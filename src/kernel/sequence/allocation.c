/* sequence: whether tensor memory is allocated while it is used. */
#include "sequence/allocation.h"

static tmap_step_kind kind_of(const tmap_order *order, const tmap_event_access *access) {
    return order->program->steps[access->step].kind;
}

static bool allocates(const tmap_order *order, const tmap_event_access *access) {
    return tmap_step_allocates(&order->program->steps[access->step]);
}

static bool overlap(const tmap_order *order, const tmap_event_access *one, const tmap_event_access *two) {
    return tmap_program_overlap(order->program, one->region, two->region) != APART;
}

/* The last step before an access that allocates or deallocates its columns; NULL: none. */
static const tmap_event_access *last_before(const tmap_order *order, size_t access) {
    for (size_t i = access; i-- > 0;)
        if (allocates(order, &order->accesses[i]) && overlap(order, &order->accesses[i], &order->accesses[access]))
            return &order->accesses[i];
    return NULL;
}

static bool is_managed(const tmap_order *order, int region) {
    for (size_t i = 0; i < order->program->sequence->steps_n; i++) {
        const tmap_step *step = &order->program->steps[i];
        if (step->kind == TMAP_STEP_ALLOC && tmap_program_overlap(order->program, step->writes[0], region) != APART)
            return true;
    }
    return false;
}

tmap_allocation_fault tmap_allocation_judge(const tmap_order *order, size_t access) {
    const tmap_event_access *at = &order->accesses[access];
    if (at->proxy != PROXY_TENSOR) return ALLOCATION_GOOD;
    const tmap_event_access *last = last_before(order, access);
    bool allocated = last && kind_of(order, last) == TMAP_STEP_ALLOC;
    if (kind_of(order, at) == TMAP_STEP_ALLOC) return allocated ? ALLOCATION_TWICE : ALLOCATION_GOOD;
    bool needed = kind_of(order, at) == TMAP_STEP_DEALLOC || is_managed(order, at->region);
    return needed && !allocated ? ALLOCATION_MISSING : ALLOCATION_GOOD;
}

tmap_allocation_fault tmap_allocation_end(const tmap_order *order, size_t access) {
    const tmap_event_access *at = &order->accesses[access];
    if (kind_of(order, at) != TMAP_STEP_ALLOC) return ALLOCATION_GOOD;
    for (size_t i = access + 1; i < order->accesses_n; i++)
        if (allocates(order, &order->accesses[i]) && overlap(order, &order->accesses[i], at)) return ALLOCATION_GOOD;
    return ALLOCATION_KEPT;
}
