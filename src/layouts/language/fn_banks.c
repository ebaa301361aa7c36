/* language: functions about bank conflicts and coalescing. */
#include <stdlib.h>
#include <string.h>

#include "banks/access.h"
#include "base/wide.h"
#include "language/accesses.h"
#include "language/fn_banks.h"
#include "language/functions.h"
#include "layout/iter_lists.h"

static void add_conflicts(tmap_structure *s, const tmap_conflicts *conflicts) {
    tmap_structure_int(s, "instructions", (int64_t)conflicts->instructions);
    tmap_structure_int(s, "phases", (int64_t)conflicts->phases);
    tmap_structure_int(s, "passes", (int64_t)conflicts->passes);
    tmap_structure_int(s, "conflicts", (int64_t)(conflicts->passes - conflicts->phases));
    tmap_structure_int(s, "worst", conflicts->worst);
}

static bool give_histogram(tmap_eval *eval, const tmap_conflicts *conflicts, tmap_value *result) {
    size_t n = 0;
    for (int i = 1; i <= TMAP_LANES; i++) n += conflicts->histogram[i] > 0;
    tmap_value *items = tmap_give_list(eval, result, n);
    n = 0;
    for (int i = 1; items && i <= TMAP_LANES; i++) {
        TMAP_STRUCTURE(s);
        if (conflicts->histogram[i] == 0) continue;
        tmap_structure_int(&s, "passes", i);
        tmap_structure_int(&s, "phases", (int64_t)conflicts->histogram[i]);
        tmap_structure_give(eval, &s, &items[n++]);
    }
    return items != NULL;
}

bool tmap_structure_add_conflicts(tmap_eval *eval, tmap_structure *s, const tmap_conflicts *conflicts) {
    add_conflicts(s, conflicts);
    return give_histogram(eval, conflicts, tmap_structure_add(s, "histogram"));
}

/* Notes the refusal of an operation on a layout and its accesses; operand 1 is argument 2, the accesses. */
static bool accesses_went(const tmap_call *call, tmap_status status) {
    if (status != TMAP_OK && call->eval->error->operand == 1) call->eval->error->operand = 2;
    return tmap_call_succeeded(call, status);
}

bool tmap_fn_conflicts(tmap_call *call, tmap_value *result) {
    tmap_given_accesses given;
    tmap_conflicts conflicts;
    TMAP_STRUCTURE(s);
    if (!tmap_take_accesses(call, 1, &given)) return false;
    tmap_accesses accesses = {tmap_get_access, &given};
    tmap_status status = tmap_conflicts_of(given.layout, &accesses, &conflicts, call->eval->error);
    return accesses_went(call, status) && tmap_structure_add_access(call, &s, &given) &&
           tmap_structure_add_conflicts(call->eval, &s, &conflicts) && tmap_structure_give(call->eval, &s, result);
}

static bool give_phase(tmap_eval *eval, uint64_t access, int number, const tmap_phase *phase, tmap_value *result) {
    TMAP_STRUCTURE(s);
    tmap_structure_int(&s, "access", (int64_t)access);
    tmap_structure_int(&s, "phase", number);
    tmap_structure_int(&s, "lanes", phase->lanes);
    tmap_structure_int(&s, "words", phase->words);
    tmap_structure_int(&s, "passes", phase->passes);
    tmap_structure_int(&s, "bank", phase->bank);
    return tmap_structure_give(eval, &s, result);
}

/* A table of all phases of all accesses. */
bool tmap_fn_phases(tmap_call *call, tmap_value *result) {
    tmap_given_accesses given;
    tmap_conflicts total = {0};
    tmap_access access;
    uint64_t rows = 0;
    if (!tmap_take_accesses(call, 2, &given)) return false;
    tmap_value *items = tmap_give_list(call->eval, result, (size_t)given.n * TMAP_PHASES_MAX);
    for (uint64_t i = 0; items && tmap_get_access(&given, i, &access); i++) {
        tmap_phase phases[TMAP_PHASES_MAX];
        int phases_n;
        tmap_status status = tmap_conflicts_add(&total, given.layout, &access, phases, &phases_n, call->eval->error);
        if (!accesses_went(call, status)) return false;
        for (int p = 0; p < phases_n; p++)
            if (phases[p].lanes > 0 && !give_phase(call->eval, i, p, &phases[p], &items[rows++])) return false;
    }
    result->as.list.n = rows;
    return items != NULL;
}

static bool give_lanes(tmap_call *call, const tmap_access *access, tmap_value *row) {
    tmap_value *items = tmap_give_list(call->eval, row, TMAP_LANES);
    for (int lane = 0; items && lane < TMAP_LANES; lane++)
        (void)(access->lanes[lane] < 0 ? tmap_give_none(&items[lane])
                                       : tmap_give_int(&items[lane], access->lanes[lane]));
    return items != NULL;
}

bool tmap_fn_lanes(tmap_call *call, tmap_value *result) {
    tmap_given_accesses given;
    tmap_access access;
    TMAP_STRUCTURE(s);
    if (!tmap_take_accesses(call, 1, &given) || !tmap_structure_add_access(call, &s, &given)) return false;
    tmap_value *rows = tmap_give_list(call->eval, tmap_structure_add(&s, "accesses"), (size_t)given.n);
    for (uint64_t i = 0; rows && tmap_get_access(&given, i, &access); i++)
        if (!give_lanes(call, &access, &rows[i])) return false;
    return rows && tmap_structure_give(call->eval, &s, result);
}

/* The accesses of a search, which reads all of them again for every swizzle if few phases are equal. Each reading
 * spends steps; without steps left there are no more accesses. */
typedef struct paid_accesses {
    const tmap_given_accesses *given;
    tmap_eval *eval;
    bool *paid;
} paid_accesses;

static bool get_paid(const void *context, uint64_t number, tmap_access *access) {
    const paid_accesses *p = context;
    if (!tmap_get_access(p->given, number, access) || !*p->paid) return false;
    *p->paid = tmap_eval_spend(p->eval, TMAP_LANES * (uint64_t)p->given->width);
    return *p->paid;
}

bool tmap_fn_conflict_free(tmap_call *call, tmap_value *result) {
    tmap_given_accesses given;
    tmap_swizzle_search found;
    TMAP_STRUCTURE(s);
    if (!tmap_take_accesses(call, 0, &given)) return false;
    bool paid = true;
    tmap_accesses accesses = {get_paid, &(paid_accesses){&given, call->eval, &paid}};
    tmap_status status = tmap_conflicts_remove(given.layout, &accesses, &found, call->eval->error);
    if (!paid || !accesses_went(call, status)) return false;
    *tmap_structure_add(&s, "swizzle") = (tmap_value){.kind = TMAP_VALUE_SWIZZLE, .as.swizzle = found.swizzle};
    int mode = tmap_xor_mode(&found.swizzle, given.bits);
    if (mode >= 0)
        tmap_structure_text(&s, "mode", tmap_swizzle_get(mode)->name);
    else
        tmap_give_none(tmap_structure_add(&s, "mode"));
    if (!tmap_structure_add_access(call, &s, &given)) return false;
    add_conflicts(&s, &found.with);
    tmap_structure_int(&s, "tried", (int64_t)found.tried);
    tmap_structure_text(&s, "map_mode", tmap_swizzle_get((int)found.map_mode)->name);
    tmap_structure_int(&s, "map_conflicts", (int64_t)(found.map.passes - found.map.phases));
    return tmap_structure_give(call->eval, &s, result);
}

/* ---- Global memory ---------------------------------------------------------------------------------------------- */

static bool coalesce(tmap_call *call, const tmap_layout *layout, const tmap_given_accesses *given,
                     tmap_coalescing *total) {
    tmap_accesses accesses = {tmap_get_access, given};
    return accesses_went(call, tmap_coalescing_of(layout, &accesses, total, call->eval->error));
}

/* The largest number of neighbours, from the first element of every lane on, that one instruction of up to 16 bytes can
 * move: adjacent in memory, aligned, and of the same lane. */
static int widest(const tmap_given_accesses *given) {
    int width = given->width;
    for (int wider = 2 * width; wider * given->bits <= 128; width = wider, wider *= 2)
        for (int64_t x = 0; x < tmap_layout_size(given->layout); x += wider) {
            int64_t address;
            tmap_access vector = {.bits = given->bits, .width = wider, .lanes = {x}};
            bool one_lane = given->by_pattern ? given->columns % wider == 0 : tmap_one_thread(given, x, wider);
            if (!one_lane || tmap_lane_address(given->layout, &vector, 0, &address, NULL) != TMAP_OK) return width;
        }
    return width;
}

/* The different sectors of all accesses together: the sectors that L2 holds, as sectors_n of tmap/unstable/stats.h. */
static bool different_sectors(tmap_call *call, const tmap_given_accesses *given, int64_t *different) {
    tmap_access access;
    uint64_t n = 0;
    int64_t *sectors = tmap_eval_take(call->eval, (size_t)given->n * TMAP_LANES + 1, sizeof *sectors);
    if (!sectors) return false;
    for (uint64_t i = 0; tmap_get_access(given, i, &access); i++)
        for (int lane = 0; lane < TMAP_LANES; lane++) {
            int64_t address;
            if (access.lanes[lane] == -1 || tmap_lane_address(given->layout, &access, lane, &address, NULL) != TMAP_OK)
                continue;
            sectors[n++] = (int64_t)((tmap_i128)address * access.bits / 8 / TMAP_SECTOR_B);
        }
    *different = (int64_t)tmap_different_numbers(sectors, (size_t)n);
    return true;
}

/* Sorts the iters by stride, the longest first. Returns false if they have that order already. */
static bool sort_iters(tmap_layout *layout, int64_t *order) {
    int n = layout->shard.n;
    bool moved = false;
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && layout->shard.at[k].stride > layout->shard.at[k - 1].stride; k--) {
            tmap_iter iter = layout->shard.at[k];
            int64_t number = order[k];
            layout->shard.at[k] = layout->shard.at[k - 1], order[k] = order[k - 1];
            layout->shard.at[k - 1] = iter, order[k - 1] = number;
            moved = true;
        }
    return moved;
}

/* Suggests the order of the strides as the order of the dimensions, if the same threads touch fewer sectors with it. */
static bool give_order(tmap_call *call, const tmap_given_accesses *given, uint64_t sectors, tmap_structure *s) {
    tmap_layout sorted = *given->layout;
    tmap_coalescing total;
    int64_t order[TMAP_ITERS_MAX];
    tmap_value *value = tmap_structure_add(s, "better_order");
    tmap_give_none(value);
    if (given->by_pattern || given->width > 1 || !sort_iters(&sorted, order)) return true;
    if (!coalesce(call, &sorted, given, &total)) return false;
    if (total.sectors >= sectors) return true;
    tmap_structure_int(s, "better_sectors", (int64_t)total.sectors);
    return tmap_give_ints(call->eval, value, order, (size_t)sorted.shard.n);
}

bool tmap_fn_coalescing(tmap_call *call, tmap_value *result) {
    tmap_given_accesses given;
    tmap_coalescing total;
    int64_t l2_sectors;
    TMAP_STRUCTURE(s);
    if (!tmap_take_accesses(call, 8, &given)) return false;
    if (!coalesce(call, given.layout, &given, &total) || !different_sectors(call, &given, &l2_sectors)) return false;
    if (!tmap_structure_add_access(call, &s, &given)) return false;
    tmap_structure_int(&s, "widest", widest(&given));
    tmap_structure_int(&s, "requests", (int64_t)total.requests);
    tmap_structure_int(&s, "sectors", (int64_t)total.sectors);
    tmap_structure_int(&s, "least", (int64_t)total.least);
    tmap_structure_int(&s, "l2_sectors", l2_sectors);
    tmap_structure_int(&s, "worst", (int64_t)total.worst);
    tmap_structure_int(&s, "used_bytes", (int64_t)total.used_B);
    return give_order(call, &given, total.sectors, &s) && tmap_structure_give(call->eval, &s, result);
}
