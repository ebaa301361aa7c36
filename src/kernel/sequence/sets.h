/* sequence: the sets of events of an order. */
#pragma once

#include "sequence/order.h"

static inline uint64_t *set_of(const tmap_order *order, uint64_t *sets, size_t i) {
    return sets + i * order->words;
}

static inline bool has(const uint64_t *set, uint32_t event) {
    return set[event / 64] >> event % 64 & 1;
}

/* The parts of a set: what an order assumes. IN_TIME: the order of execution, which orders no memory accesses. */
typedef enum assumption { AS_IT_IS, IF_RELEASED, IF_REACHED, IN_TIME } assumption;

static inline bool has_scopes(const tmap_order *order) {
    return order->words > 2 * order->part;
}

static inline size_t part_of(const tmap_order *order, assumption assumed) {
    return assumed == IN_TIME ? order->words - order->part : has_scopes(order) ? (size_t)assumed * order->part : 0;
}

static inline bool has_if(const tmap_order *order, assumption assumed, const uint64_t *set, uint32_t event) {
    return has(set + part_of(order, assumed), event);
}

/* Whether the event is in the part of the set that assumes that every scope reaches every thread. */
static inline bool has_wide(const tmap_order *order, const uint64_t *set, uint32_t event) {
    return has_if(order, IF_REACHED, set, event);
}

static inline void add(const tmap_order *order, uint64_t *set, uint32_t event) {
    for (size_t part = 0; part < order->words; part += order->part) set[part + event / 64] |= 1ULL << event % 64;
}

/* Adds the events of `other` to `set`, in the part of an assumption and in the parts that assume more. */
static inline void join_if(const tmap_order *order, assumption assumed, uint64_t *set, const uint64_t *other) {
    if ((assumed == IF_RELEASED || assumed == IF_REACHED) && !has_scopes(order)) assumed = IN_TIME;
    for (size_t i = part_of(order, assumed); i < order->words; i++) set[i] |= other[i];
}

static inline void join(const tmap_order *order, uint64_t *set, const uint64_t *other) {
    join_if(order, AS_IT_IS, set, other);
}
