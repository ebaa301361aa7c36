/*
 * Reads STANDIN_CHANGE: CONDITION[ && CONDITION...]: ACTION[, ACTION...], for example
 *   box[1] > 128: refuse                      a stricter limit
 *   box[1] == 257: judge box[1] = 256         a limit that is not enforced: the verdict is that of the other number
 *   rank == 4 && dims[1] % 97 == 13: flip 456 a wrong bit in rare maps
 * A condition is NUMBER OP VALUE with ==, !=, <, > or % MODULUS == VALUE. Numbers that the map does not have are not
 * equal to, below or above any value.
 */
#include "change.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct number_ref {
    int64_t *wide; /* one of these, or none: the map has no such number */
    uint32_t *narrow;
    int *small;
} number_ref;

static void stop(const char *text) {
    fprintf(stderr, "STANDIN_CHANGE cannot be read at: %s\n", text);
    abort();
}

static void copy_map(const standin_map *map, standin_change *c) {
    uint32_t rank = map->rank > 5 ? 5 : map->rank;
    memset(c, 0, sizeof *c);
    c->flips = -1;
    c->judged = *map;
    memcpy(c->dims, map->dims, rank * sizeof *c->dims);
    c->judged.dims = c->dims;
    if (map->strides && rank > 1) memcpy(c->strides, map->strides, (rank - 1) * sizeof *c->strides);
    if (map->strides) c->judged.strides = c->strides;
    if (map->box) memcpy(c->box, map->box, rank * sizeof *c->box);
    if (map->box) c->judged.box = c->box;
    memcpy(c->element_strides, map->element_strides, rank * sizeof *c->element_strides);
    c->judged.element_strides = c->element_strides;
    uint32_t corners = map->wide ? 1 : rank > 2 ? rank - 2 : 0;
    if (map->box) return;
    memcpy(c->lower, map->lower, corners * sizeof *c->lower);
    memcpy(c->upper, map->upper, corners * sizeof *c->upper);
    c->judged.lower = c->lower;
    c->judged.upper = c->upper;
}

/* Skips `word` and blanks after it; returns whether it was there. */
static bool skip(const char **at, const char *word) {
    size_t size = strlen(word);
    if (strncmp(*at, word, size) != 0) return false;
    for (*at += size; **at == ' ';) ++*at;
    return true;
}

static uint64_t read_value(const char **at) {
    char *end;
    uint64_t value = (*at)[0] == '-' ? (uint64_t)strtoll(*at, &end, 0) : strtoull(*at, &end, 0);
    if (end == *at) stop(*at);
    *at = end;
    skip(at, "");
    return value;
}

static uint32_t read_index(const char **at) {
    if (!skip(at, "[")) stop(*at);
    uint32_t index = (uint32_t)read_value(at);
    if (!skip(at, "]")) stop(*at);
    return index;
}

static number_ref read_number(const char **at, standin_change *c) {
    standin_map *map = &c->judged;
    uint32_t rank = map->rank > 5 ? 5 : map->rank, corners = map->box ? 0 : map->wide ? 1 : rank > 2 ? rank - 2 : 0;
    struct {
        const char *name;
        int *number;
    } single[] = {{"type", &map->type},         {"interleave", &map->interleave},
                  {"swizzle", &map->swizzle},   {"l2_promotion", &map->l2_promotion},
                  {"oob_fill", &map->oob_fill}, {"wide", &map->wide}};
    struct {
        const char *name;
        uint32_t *first;
        uint32_t n;
    } lists[] = {{"box", c->box, map->box ? rank : 0},
                 {"element_strides", c->element_strides, rank},
                 {"lower", (uint32_t *)c->lower, corners},
                 {"upper", (uint32_t *)c->upper, corners}};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (skip(at, single[i].name)) return (number_ref){.small = single[i].number};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (skip(at, lists[i].name)) {
            uint32_t index = read_index(at);
            return (number_ref){.narrow = index < lists[i].n ? &lists[i].first[index] : NULL};
        }
    if (skip(at, "rank")) return (number_ref){.narrow = &map->rank};
    if (skip(at, "address")) return (number_ref){.wide = (int64_t *)&map->address};
    if (skip(at, "channels")) return (number_ref){.narrow = map->box ? NULL : &map->channels};
    if (skip(at, "pixels")) return (number_ref){.narrow = map->box ? NULL : &map->pixels};
    bool dims = skip(at, "dims");
    if (!dims && !skip(at, "strides")) stop(*at);
    uint32_t index = read_index(at);
    if (dims) return (number_ref){.wide = index < rank ? (int64_t *)&c->dims[index] : NULL};
    return (number_ref){.wide = index + 1 < rank && map->strides ? (int64_t *)&c->strides[index] : NULL};
}

/* Corners and choices are signed, and all others are below 2^63 in the conditions of tests. */
static bool get(const number_ref *ref, int64_t *value) {
    if (ref->wide) *value = *ref->wide;
    if (ref->narrow) *value = (int32_t)*ref->narrow;
    if (ref->small) *value = *ref->small;
    return ref->wide || ref->narrow || ref->small;
}

static void set(const number_ref *ref, int64_t value) {
    if (ref->wide) *ref->wide = value;
    if (ref->narrow) *ref->narrow = (uint32_t)value;
    if (ref->small) *ref->small = (int)value;
}

static bool read_condition(const char **at, standin_change *c) {
    number_ref ref = read_number(at, c);
    int64_t value = 0, modulus = 0;
    bool exists = get(&ref, &value);
    if (skip(at, "%")) modulus = (int64_t)read_value(at);
    if (modulus > 0) value = (int64_t)((uint64_t)value % (uint64_t)modulus);
    if (skip(at, "==")) return (value == (int64_t)read_value(at)) && exists;
    if (skip(at, "!=")) return (value != (int64_t)read_value(at)) && exists;
    if (skip(at, "<")) return (value < (int64_t)read_value(at)) && exists;
    if (skip(at, ">")) return (value > (int64_t)read_value(at)) && exists;
    stop(*at);
    return false;
}

static void read_action(const char **at, standin_change *c) {
    if (skip(at, "refuse")) {
        c->refuses = true;
    } else if (skip(at, "flip ")) {
        c->flips = (int)read_value(at);
    } else if (skip(at, "judge ")) {
        number_ref ref = read_number(at, c);
        if (!skip(at, "=")) stop(*at);
        set(&ref, (int64_t)read_value(at));
    } else {
        stop(*at);
    }
}

void standin_change_of(const standin_map *map, standin_change *change) {
    const char *at = getenv("STANDIN_CHANGE");
    copy_map(map, change);
    if (!at || *at == '\0') return;
    bool holds = read_condition(&at, change);
    while (skip(&at, "&&")) holds &= read_condition(&at, change);
    if (!skip(&at, ":")) stop(at);
    if (!holds) return;
    do read_action(&at, change);
    while (skip(&at, ","));
    if (*at != '\0') stop(at);
}
