/*
 * Recommends a swizzle: freezes the copy with every swizzle that the rules allow for the map and the copy, counts the
 * conflicts, and compares the counts: first those of columns, then those of rows, then the memory. If a row fills an
 * atom, the result is the rule of thumb of the layout documents, "the largest atom that the tile's rows fill". There is
 * also a result if no row fills an atom.
 */
#include "tmap/unstable/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diag/refuse.h"

typedef struct question {
    const tmap_copy *copy;
    const tmap_judge *judge;
    uint32_t width_B;
} question;

/* The elements of a row; for im2col the channels of a pixel. */
static uint64_t *row_el_of(tmap_map_params *params) {
    return params->mode == TMAP_MODE_TILED ? &params->box_el[0] : &params->channels_per_pixel;
}

/* Freezes the copy with this swizzle and number of elements in a row. Returns false if the rules refuse the copy. */
static bool freeze(const question *q, tmap_swizzle swizzle, uint64_t row_el, tmap_copy *copy) {
    tmap_map_params params = q->copy->map.params;
    tmap_map map;
    params.swizzle = swizzle;
    *row_el_of(&params) = row_el;
    return tmap_map_init(&map, &params, q->judge, NULL) == TMAP_OK &&
           tmap_copy_init(copy, &map, &q->copy->params, q->judge, NULL) == TMAP_OK;
}

static bool count(const question *q, tmap_swizzle swizzle, uint64_t row_el, tmap_candidate *candidate) {
    tmap_copy copy;
    if (!freeze(q, swizzle, row_el, &copy)) return false;
    *candidate = (tmap_candidate){.swizzle = swizzle, .footprint_B = copy.footprint_B};
    for (int reader = 0; reader < TMAP_READER_COUNT; reader++)
        if (tmap_count_conflicts(&copy, (tmap_reader)reader, q->width_B, &candidate->readers[reader]) != TMAP_OK)
            return false;
    return true;
}

/* Whether one of the judged architectures does not have the swizzle. */
static bool is_limited(const question *q, const tmap_candidate *c) {
    tmap_archs archs = q->judge && q->judge->archs ? q->judge->archs : TMAP_ARCHS_ALL;
    return (tmap_swizzle_get((int)c->swizzle)->archs & archs) != archs;
}

static bool better(const question *q, const tmap_candidate *a, const tmap_candidate *b) {
    const tmap_reading *x = a->readers, *y = b->readers;
    if (x[TMAP_READER_COLUMN].passes_n != y[TMAP_READER_COLUMN].passes_n)
        return x[TMAP_READER_COLUMN].passes_n < y[TMAP_READER_COLUMN].passes_n;
    if (x[TMAP_READER_ROW].passes_n != y[TMAP_READER_ROW].passes_n)
        return x[TMAP_READER_ROW].passes_n < y[TMAP_READER_ROW].passes_n;
    if (is_limited(q, a) != is_limited(q, b)) return is_limited(q, b);
    return a->footprint_B < b->footprint_B;
}

static void count_all(const question *q, tmap_recommendation *r) {
    tmap_map_params own = q->copy->map.params;
    const tmap_map_params *params = &own;
    for (int swizzle = 0; swizzle < TMAP_SWIZZLE_COUNT; swizzle++) {
        if (!count(q, (tmap_swizzle)swizzle, *row_el_of(&own), &r->candidates[r->candidates_n])) continue;
        if ((int)params->swizzle == swizzle) r->given = r->candidates_n;
        r->candidates_n++;
    }
    r->best = r->given;
    for (int i = 0; i < r->candidates_n; i++)
        if (better(q, &r->candidates[i], &r->candidates[r->best])) r->best = i;
}

/* Counts boxes whose rows are as wide as the span of a swizzle, so that several boxes replace the given box. Skips
 * interleaved maps, whose rows are pixels: a swizzle allows any number of pixels. */
static void count_narrow(const question *q, tmap_recommendation *r) {
    uint32_t row_B = q->copy->inner_B;
    tmap_map_params own = q->copy->map.params;
    uint64_t row_el = *row_el_of(&own);
    if (own.interleave != TMAP_INTERLEAVE_NONE) return;
    for (int swizzle = 0; swizzle < TMAP_SWIZZLE_COUNT; swizzle++) {
        uint32_t span_B = tmap_swizzle_get(swizzle)->span_B;
        tmap_candidate candidate;
        if (span_B == 0 || row_B <= span_B || row_B % span_B != 0) continue;
        uint64_t narrow_el = row_el / (row_B / span_B);
        if (!count(q, (tmap_swizzle)swizzle, narrow_el, &candidate)) continue;
        bool ends = candidate.readers[TMAP_READER_COLUMN].worst_n == 1;
        if (!ends || (r->narrow_el > narrow_el || (r->narrow_el == narrow_el && !better(q, &candidate, &r->narrow))))
            continue;
        r->narrow = candidate;
        r->narrow_el = narrow_el;
    }
}

/* ---- The reason ----------------------------------------------------------------------------------------------- */

typedef struct way_text {
    char text[24];
} way_text;

static way_text way_of(const tmap_candidate *c) {
    way_text way;
    uint32_t worst_n = c->readers[TMAP_READER_COLUMN].worst_n;
    if (worst_n == 1)
        snprintf(way.text, sizeof way.text, "free");
    else
        snprintf(way.text, sizeof way.text, "%" PRIu32 "-way", worst_n);
    return way;
}

static const char *name_of(const tmap_candidate *c) {
    return c->swizzle == TMAP_SWIZZLE_NONE ? "no swizzle" : tmap_swizzle_get((int)c->swizzle)->name;
}

/* The swizzle with which the reason starts: no swizzle, or if the rules require a swizzle, the given swizzle. */
static const tmap_candidate *plain(const tmap_recommendation *r) {
    return r->candidates[0].swizzle == TMAP_SWIZZLE_NONE ? &r->candidates[0] : &r->candidates[r->given];
}

static void say_why(tmap_recommendation *r, uint32_t row_B, bool tiled) {
    const tmap_candidate *from = plain(r), *best = &r->candidates[r->best], *given = &r->candidates[r->given];
    char *text = r->why.message;
    size_t room = sizeof r->why.message;
    r->why = tmap_refusal_of(NULL);
    r->why.severity = TMAP_ADVICE;
    if (from->readers[TMAP_READER_COLUMN].worst_n == best->readers[TMAP_READER_COLUMN].worst_n)
        tmap_say(text, room, "%s: reads of a column are %s", name_of(best), way_of(best).text);
    else
        tmap_say(text, room, "%s: reads of a column are %s, not %s", name_of(best), way_of(best).text,
                 way_of(from).text);
    char *end = text + strlen(text);
    size_t left = room - strlen(text);
    if (r->narrow_el)
        tmap_say(end, left,
                 "; rows of %" PRIu32 " B are wider than the span of a swizzle: several %s with %s = %" PRIu64
                 " and swizzle %s are %s",
                 row_B, tiled ? "boxes" : "columns", tiled ? "box[0]" : "channels_per_pixel", r->narrow_el,
                 name_of(&r->narrow), way_of(&r->narrow).text);
    else if (best->footprint_B > from->footprint_B)
        tmap_say(end, left, "; it requires %" PRIu32 " B more shared memory", best->footprint_B - from->footprint_B);
    else if (best->footprint_B < given->footprint_B)
        tmap_say(end, left, "; it requires %" PRIu32 " B of shared memory, not %" PRIu32, best->footprint_B,
                 given->footprint_B);
}

tmap_status tmap_recommend_swizzle(const tmap_copy *copy, uint32_t width_B, const tmap_judge *judge,
                                   tmap_recommendation *recommendation) {
    tmap_reading unused;
    tmap_status status = tmap_count_conflicts(copy, TMAP_READER_ROW, width_B, &unused);
    if (status != TMAP_OK) return status;
    question q = {copy, judge, width_B};
    tmap_recommendation r = {0};
    count_all(&q, &r);
    if (r.candidates_n == 0) return TMAP_REFUSED;
    if (r.candidates[r.best].readers[TMAP_READER_COLUMN].worst_n > 1) count_narrow(&q, &r);
    say_why(&r, copy->inner_B, copy->map.params.mode == TMAP_MODE_TILED);
    *recommendation = r;
    return TMAP_OK;
}
