/*
 * banks: the swizzle with the fewest conflicts, found by trying all swizzles.
 *
 * A swizzle is linear over XOR: apply(a ^ c) = apply(a) ^ apply(c). XOR of all words of a phase with one number renames
 * words and banks one to one. So phases whose addresses differ by such a number need the same passes under every
 * swizzle. Each kind of phase is therefore counted once, times the number of its occurrences.
 */
#include "banks/access.h"
#include "layout/iter_lists.h"
#include "layout/xor_maps.h"

#include <stdlib.h>
#include <string.h>

/* A phase as the addresses of its lanes, XORed with the first address, ascending, without repetitions. */
typedef struct phase_kind {
    int64_t addresses[TMAP_LANES];
    int n;
    uint64_t count;
} phase_kind;

enum { KINDS_MAX = 256 };

typedef struct swizzle_search {
    const tmap_layout *layout; /* without a swizzle */
    const tmap_accesses *accesses;
    tmap_access first; /* bits and width of all accesses */
    phase_kind kinds[KINDS_MAX];
    int kinds_n;
    bool too_many;   /* `kinds` does not contain all kinds */
    uint64_t fewest; /* passes */
    tmap_swizzle_search *found;
} swizzle_search;

/* ---- Kinds of phases -------------------------------------------------------------------------------------------- */

static void normalize(phase_kind *kind) {
    for (int i = kind->n - 1; i >= 0; i--) kind->addresses[i] ^= kind->addresses[0];
    kind->n = (int)tmap_different_numbers(kind->addresses, (size_t)kind->n);
}

static void add_kind(swizzle_search *s, const phase_kind *kind) {
    for (int i = 0; i < s->kinds_n; i++) {
        phase_kind *known = &s->kinds[i];
        if (known->n != kind->n) continue;
        if (memcmp(known->addresses, kind->addresses, sizeof *kind->addresses * (size_t)kind->n) != 0) continue;
        known->count++;
        return;
    }
    s->too_many = s->kinds_n == KINDS_MAX;
    if (!s->too_many) s->kinds[s->kinds_n++] = *kind;
}

static tmap_status add_phases(swizzle_search *s, const tmap_access *access, tmap_diag *error) {
    int lanes = tmap_phase_lanes(access->bits * access->width / 8);
    for (int first = 0; first < TMAP_LANES; first += lanes) {
        phase_kind kind = {.count = 1};
        for (int lane = first; lane < first + lanes; lane++) {
            if (access->lanes[lane] == -1) continue;
            if (tmap_lane_address(s->layout, access, lane, &kind.addresses[kind.n++], error) != TMAP_OK)
                return TMAP_REFUSED;
        }
        if (kind.n == 0) continue;
        normalize(&kind);
        add_kind(s, &kind);
    }
    return TMAP_OK;
}

static tmap_status list_kinds(swizzle_search *s, tmap_diag *error) {
    tmap_access access;
    for (uint64_t i = 0; !s->too_many && s->accesses->get(s->accesses->context, i, &access); i++)
        if (add_phases(s, &access, error) != TMAP_OK) return TMAP_REFUSED;
    return TMAP_OK;
}

/* ---- Trying ----------------------------------------------------------------------------------------------------- */

static uint64_t passes_of_kind(const swizzle_search *s, const phase_kind *kind, const tmap_xor *swizzle) {
    tmap_bank_words words;
    tmap_bank_words_begin(&words);
    for (int i = 0; i < kind->n; i++)
        tmap_bank_words_add_lane(&words, &s->first, tmap_xor_apply(swizzle, kind->addresses[i]));
    return kind->count * (uint64_t)words.most;
}

static tmap_status count(const swizzle_search *s, const tmap_xor *swizzle, tmap_conflicts *with, tmap_diag *error) {
    tmap_layout layout = *s->layout;
    layout.has_swizzle = true;
    layout.swizzle = *swizzle;
    return tmap_conflicts_of(&layout, s->accesses, with, error);
}

static uint64_t passes_with(const swizzle_search *s, const tmap_xor *swizzle) {
    uint64_t passes = 0;
    tmap_conflicts with;
    if (s->too_many) return count(s, swizzle, &with, NULL) == TMAP_OK ? with.passes : UINT64_MAX;
    for (int i = 0; i < s->kinds_n; i++) passes += passes_of_kind(s, &s->kinds[i], swizzle);
    return passes;
}

/* Whether the bytes of a lane stay together. Bits below the lane's width do not change and do not matter. */
static bool keeps_lanes(const swizzle_search *s, const tmap_xor *swizzle) {
    return swizzle->b == 0 || s->first.width <= 1 << swizzle->m;
}

static uint64_t try_swizzle(swizzle_search *s, const tmap_xor *swizzle) {
    if (!keeps_lanes(s, swizzle)) return UINT64_MAX;
    uint64_t passes = passes_with(s, swizzle);
    s->found->tried++;
    if (passes >= s->fewest) return passes;
    s->fewest = passes;
    s->found->swizzle = *swizzle;
    return passes;
}

/* Tries the modes of tensor maps. Writes the swizzle of the best of them to *best. */
static void try_modes(swizzle_search *s, tmap_xor *best) {
    uint64_t fewest = UINT64_MAX;
    for (int mode = 0; tmap_swizzle_get(mode); mode++) {
        tmap_xor swizzle;
        if (tmap_xor_of_mode(s->first.bits, (tmap_swizzle)mode, &swizzle, NULL) != TMAP_OK) continue;
        uint64_t passes = try_swizzle(s, &swizzle);
        if (passes >= fewest) continue;
        fewest = passes;
        s->found->map_mode = (tmap_swizzle)mode;
        *best = swizzle;
    }
}

/*
 * Tries all other relevant swizzles. A swizzle that changes only bits above those of a line changes no bank, and bits
 * above the last address are 0. Of several swizzles that change the same bits of a line, the one with the fewest bits
 * comes first.
 */
static void try_all(swizzle_search *s) {
    int top = tmap_highest_bit((uint64_t)tmap_layout_span(s->layout, tmap_axis_get(TMAP_AXIS_ID_M)) - 1) + 1;
    int line = tmap_highest_bit((uint64_t)(TMAP_LINE_B * 8 / s->first.bits) - 1) + 1;
    for (int b = 1; b <= line; b++)
        for (int m = 0; m + b <= line; m++)
            for (int shift = b; m + b + shift <= top; shift++) {
                (void)try_swizzle(s, &(tmap_xor){.m = m, .b = b, .s = shift});
                if (m + shift < line) (void)try_swizzle(s, &(tmap_xor){.m = m, .b = b, .s = shift, .outer = true});
            }
}

tmap_status tmap_conflicts_remove(const tmap_layout *layout, const tmap_accesses *accesses, tmap_swizzle_search *found,
                                  tmap_diag *error) {
    tmap_layout plain = *layout;
    swizzle_search s = {.layout = &plain, .accesses = accesses, .fewest = UINT64_MAX, .found = found};
    plain.has_swizzle = false;
    *found = (tmap_swizzle_search){.swizzle = {.m = 4, .s = 3}, .map_mode = TMAP_SWIZZLE_NONE};
    if (count(&s, &found->swizzle, &found->with, error) != TMAP_OK) return TMAP_REFUSED;
    found->map = found->with;
    if (!accesses->get(accesses->context, 0, &s.first)) return TMAP_OK;
    if (list_kinds(&s, error) != TMAP_OK) return TMAP_REFUSED;
    tmap_xor of_map = found->swizzle;
    try_modes(&s, &of_map);
    if (s.fewest > found->with.phases) try_all(&s);
    if (count(&s, &of_map, &found->map, error) != TMAP_OK) return TMAP_REFUSED;
    return count(&s, &found->swizzle, &found->with, error);
}
