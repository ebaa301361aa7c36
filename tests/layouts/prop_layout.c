/*
 * The laws of the layout algebra on random layouts, against the evaluation of layout_points.h. A case that breaks a law
 * is shrunk while it still breaks the law, and printed as expressions.
 *
 *   prop_layout [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prop/layout_points.h"
#include "prop/prop.h"
#include "text/print.h"
#include "tmap/unstable/language.h"
#include "tmap/unstable/layout_swizzle.h"

#define SIZE 600

/* {a + s b}: the sum of two sets; the second set is scaled by one span per axis. */
static int add_sets(const point *a, int a_n, const point *b, int b_n, const int64_t spans[AXES], point *sum) {
    int n = 0, distinct = 0;
    for (int i = 0; i < a_n; i++) {
        for (int k = 0; k < b_n; k++, n++) {
            for (int d = 0; d < AXES; d++) sum[n].at[d] = a[i].at[d] + spans[d] * b[k].at[d];
        }
    }
    qsort(sum, (size_t)n, sizeof *sum, compare_points);
    for (int i = 0; i < n; i++)
        if (i == 0 || compare_points(&sum[i], &sum[distinct - 1]) != 0) sum[distinct++] = sum[i];
    return distinct;
}

/* ---- Cases ------------------------------------------------------------------------------------------------------ */

typedef struct law_case {
    tmap_layout a, b, c;
    uint64_t seed; /* seed of the random numbers of a law */
} law_case;

static int64_t between(tmap_random *random, int64_t low, int64_t high) {
    return low + (int64_t)tmap_random_between(random, 0, (uint64_t)(high - low));
}

static const tmap_axis *random_axis(tmap_random *random) {
    return tmap_axis_get((int)axis_ids[between(random, 0, 2) == 0 ? between(random, 0, AXES - 1) : 0]);
}

static int64_t random_stride(tmap_random *random, int64_t dense) {
    switch (between(random, 0, 5)) {
    case 0: return 0;
    case 1: return between(random, -12, 12);
    case 2: return dense * between(random, 1, 3);
    default: return dense;
    }
}

static void random_iters(tmap_random *random, int most, int64_t size, tmap_iters *iters) {
    static const int64_t extents[] = {1, 2, 2, 2, 3, 4, 4, 5, 6, 8};
    int64_t dense = 1;
    iters->n = (int)between(random, 0, most);
    for (int i = iters->n - 1; i >= 0; i--) {
        int64_t extent = extents[between(random, 0, 9)];
        if (extent > size) extent = 1;
        iters->at[i] = (tmap_iter){extent, random_stride(random, dense), random_axis(random)};
        dense *= extent;
        size /= extent;
        if (size < 1) size = 1;
    }
}

static tmap_layout random_layout(tmap_random *random, int most, int64_t size) {
    tmap_layout layout = {0};
    random_iters(random, most, size, &layout.shard);
    if (layout.shard.n == 0) layout.shard = (tmap_iters){.n = 1, .at = {{1, 1, tmap_axis_get(TMAP_AXIS_ID_M)}}};
    if (between(random, 0, 2) == 0) random_iters(random, 2, 8, &layout.replica);
    if (between(random, 0, 2) == 0)
        layout.offset = (tmap_axis_values){1, {{random_axis(random), between(random, 1, 9)}}};
    return layout;
}

static law_case random_case(tmap_random *random) {
    law_case c = {random_layout(random, 4, 96), random_layout(random, 3, 6), random_layout(random, 2, 4), 0};
    c.seed = tmap_random_next(random);
    if (c.seed % 16 == 0) /* products with b and c fit 64 bits */
        c.a.shard.at[0].stride = between(random, -3, 3) * ((int64_t)1 << 48);
    return c;
}

/* The layout on the axis m, with addresses from 0 on, and a swizzle. */
static void swizzle(tmap_random *random, tmap_layout *layout) {
    for (int list = 0; list < 2; list++) {
        tmap_iters *iters = list == 0 ? &layout->shard : &layout->replica;
        for (int i = 0; i < iters->n; i++) {
            iters->at[i].axis = tmap_axis_get(TMAP_AXIS_ID_M);
            if (iters->at[i].stride < 0) iters->at[i].stride *= -1;
        }
    }
    if (layout->offset.n > 0) layout->offset.at[0].axis = tmap_axis_get(TMAP_AXIS_ID_M);
    layout->has_swizzle = true;
    layout->swizzle = (tmap_xor){.m = (int)between(random, 0, 2), .b = (int)between(random, 0, 2)};
    layout->swizzle.s = layout->swizzle.b + (int)between(random, 0, 1);
    layout->swizzle.outer = between(random, 0, 1) == 1;
}

/* A shape by which the layout can be grouped: its extents, some of them split, some neighbours joined. */
static tmap_shape random_shape(tmap_random *random, const tmap_layout *layout) {
    tmap_shape shape = {.rank = 0};
    int64_t held = 1;
    for (int i = 0; i < layout->shard.n; i++) {
        int64_t extent = layout->shard.at[i].extent;
        if (extent % 2 == 0 && between(random, 0, 3) == 0) {
            shape.at[shape.rank++] = held * 2;
            held = extent / 2;
        } else {
            held *= extent;
        }
        if (between(random, 0, 1) == 0) {
            shape.at[shape.rank++] = held;
            held = 1;
        }
    }
    if (held > 1 || shape.rank == 0) shape.at[shape.rank++] = held;
    return shape;
}

/* ---- Laws ------------------------------------------------------------------------------------------------------- */

/* Returns whether both layouts are the same function by the evaluation of layout_points.h. */
static bool same(prop_failure *failure, const char *what, const tmap_layout *a, const tmap_layout *b) {
    point x[COPIES], y[COPIES];
    if (product(&a->shard) != product(&b->shard)) return prop_fail(failure, "%s: another size", what);
    for (int64_t i = 0; i < product(&a->shard); i++) {
        int n = places(a, i, x), m = places(b, i, y);
        if (n != m || memcmp(x, y, (size_t)n * sizeof *x) != 0)
            return prop_fail(failure, "%s: element %" PRId64 " is elsewhere", what, i);
    }
    return true;
}

/* Evaluates many places at once, more than the library evaluates together. */
static bool check_many(const law_case *c, prop_failure *failure) {
    tmap_random random = {.state = c->seed};
    tmap_layout large = {0};
    static int64_t offsets[5000];
    large.offset = c->a.offset;
    for (int i = 0; i < 3; i++)
        large.shard.at[large.shard.n++] =
            (tmap_iter){between(&random, 2, 40), between(&random, -5000, 5000), random_axis(&random)};
    static const int64_t uneven[] = {1, 1, 4099, 2047, 683, 1021};
    large.shard.at[large.shard.n++] =
        (tmap_iter){uneven[between(&random, 0, 5)], between(&random, -99, 99), random_axis(&random)};
    for (int i = 0; i < c->a.shard.n; i++) large.shard.at[large.shard.n++] = c->a.shard.at[i];
    int64_t size = product(&large.shard), first = between(&random, 0, size - 1);
    int64_t n = size - first < 5000 ? size - first : 5000;
    int d = (int)between(&random, 0, AXES - 1);
    tmap_layout_offsets(&large, tmap_axis_get((int)axis_ids[d]), first, (size_t)n, offsets);
    for (int64_t i = 0; i < n; i++)
        if (offsets[i] != add(digits(&large.shard, first + i), offset_of(&large)).at[d])
            return prop_fail(failure, "many offsets: element %" PRId64 " of %" PRId64, first + i, size);
    return true;
}

static bool law_forward(const law_case *c, prop_failure *failure) {
    if (c->seed % 8 == 0 && !check_many(c, failure)) return false;
    int64_t size = product(&c->a.shard);
    for (int d = 0; d < AXES; d++) {
        int64_t offsets[SIZE];
        tmap_layout_offsets(&c->a, tmap_axis_get((int)axis_ids[d]), size / 3, (size_t)(size - size / 3), offsets);
        for (int64_t x = size / 3; x < size; x++) {
            point p = place_of(&c->a, x, 0);
            if (offsets[x - size / 3] != p.at[d]) return prop_fail(failure, "offsets: element %" PRId64, x);
        }
    }
    for (int64_t x = 0; x < size; x++) {
        for (int64_t r = 0; r < product(&c->a.replica); r++) {
            tmap_axis_values place;
            point p = place_of(&c->a, x, r);
            tmap_layout_place(&c->a, x, r, &place);
            for (int i = 0; i < place.n; i++)
                if (place.at[i].value != p.at[axis_number(place.at[i].axis)])
                    return prop_fail(failure, "place: element %" PRId64 ", copy %" PRId64, x, r);
        }
    }
    return true;
}

static bool law_forms(const law_case *c, prop_failure *failure) {
    tmap_layout form, again;
    tmap_layout_canonical(&c->a, &form);
    tmap_layout_canonical(&form, &again);
    if (!tmap_layout_identical(&form, &again)) return prop_fail(failure, "canonical is not idempotent");
    if (!same(failure, "canonical", &c->a, &form)) return false;
    for (int notation = 0; notation < 2; notation++) {
        tmap_text text = {0};
        tmap_sink sink = tmap_text_sink(&text);
        (notation == 0 ? tmap_layout_print : tmap_layout_print_tirx)(&sink, &c->a);
        tmap_status status = tmap_layout_parse(text.data, text.size, &again, NULL);
        bool equal = status == TMAP_OK && tmap_layout_identical(&c->a, &again);
        if (!equal) prop_fail(failure, "printed and read again: %s", text.data);
        tmap_text_free(&text);
        if (!equal) return false;
    }
    return true;
}

static bool law_group(const law_case *c, prop_failure *failure) {
    tmap_random random = {.state = c->seed};
    tmap_shape shapes[2] = {random_shape(&random, &c->a), random_shape(&random, &c->a)};
    tmap_layout grouped;
    tmap_diag error;
    int starts[2][TMAP_ITERS_MAX + 1];
    if (tmap_layout_group(&c->a, &shapes[0], &grouped, starts[0], &error) != TMAP_OK)
        return prop_fail(failure, "group: %s", error.message);
    if (!same(failure, "group", &c->a, &grouped)) return false;
    for (int i = 0; i < 2; i++) {
        if (i == 1 && tmap_layout_group_many(&c->a, shapes, 2, &grouped, starts, NULL) != TMAP_OK) return true;
        for (int d = 0; d < shapes[0].rank; d++) {
            int64_t n = 1;
            for (int k = starts[0][d]; k < starts[0][d + 1]; k++) n *= grouped.shard.at[k].extent;
            if (n != shapes[0].at[d]) return prop_fail(failure, "group: run %d is %" PRId64, d, n);
        }
    }
    return same(failure, "group_many", &c->a, &grouped);
}

/* For fast in slow with one-dimensional shapes, element q + size p is at fast(q) + spans slow(p). */
static bool check_product(const tmap_layout *fast, const tmap_layout *slow, const tmap_layout *whole, bool scaled,
                          prop_failure *failure) {
    static point x[COPIES], y[COPIES], sum[COPIES * COPIES], z[COPIES * COPIES];
    int64_t spans[AXES], fast_n = product(&fast->shard);
    for (int d = 0; d < AXES; d++) spans[d] = scaled ? tmap_layout_span(fast, tmap_axis_get((int)axis_ids[d])) : 1;
    for (int64_t i = 0; i < fast_n * product(&slow->shard); i++) {
        int n = add_sets(x, places(fast, i % fast_n, x), y, places(slow, i / fast_n, y), spans, sum);
        int m = places(whole, i, z);
        if (n != m || memcmp(sum, z, (size_t)n * sizeof *sum) != 0)
            return prop_fail(failure, "%s: element %" PRId64, scaled ? "tile" : "direct_sum", i);
    }
    return true;
}

static tmap_shape line(const tmap_layout *layout) {
    return (tmap_shape){.rank = 1, .at = {product(&layout->shard)}};
}

static bool undo(const law_case *c, const tmap_layout *whole, bool scaled, prop_failure *failure) {
    tmap_shape all = line(whole), fast = line(&c->a), slow = line(&c->b);
    tmap_layout other, again;
    bool found;
    tmap_status status = scaled ? tmap_layout_tile_outer_of(&c->a, whole, &all, &fast, &other, &found, NULL)
                                : tmap_layout_sum_left_of(&c->a, whole, &all, &fast, &other, &found, NULL);
    if (status != TMAP_OK || !found) return prop_fail(failure, "the outer factor is not found");
    status = scaled ? tmap_layout_tile(&c->a, &other, &slow, &fast, &again, NULL)
                    : tmap_layout_direct_sum(&c->a, &other, &slow, &fast, &again, NULL);
    if (status != TMAP_OK || !same(failure, "the outer factor's product", whole, &again)) return false;
    status = scaled ? tmap_layout_tile_inner_of(&c->b, whole, &all, &slow, &other, &found, NULL)
                    : tmap_layout_sum_right_of(&c->b, whole, &all, &slow, &other, &found, NULL);
    if (status != TMAP_OK) return prop_fail(failure, "the inner factor is refused");
    if (!found) return scaled || prop_fail(failure, "the right addend is not found");
    status = scaled ? tmap_layout_tile(&other, &c->b, &slow, &fast, &again, NULL)
                    : tmap_layout_direct_sum(&other, &c->b, &slow, &fast, &again, NULL);
    return status == TMAP_OK && same(failure, "the inner factor's product", whole, &again);
}

static bool law_products(const law_case *c, prop_failure *failure) {
    tmap_shape a = line(&c->a), b = line(&c->b);
    tmap_layout tiled, sum;
    if (tmap_layout_tile(&c->a, &c->b, &b, &a, &tiled, NULL) != TMAP_OK ||
        tmap_layout_direct_sum(&c->a, &c->b, &b, &a, &sum, NULL) != TMAP_OK)
        return prop_fail(failure, "a product is refused");
    return check_product(&c->a, &c->b, &tiled, true, failure) && check_product(&c->a, &c->b, &sum, false, failure) &&
           undo(c, &tiled, true, failure) && undo(c, &sum, false, failure);
}

/* If no coordinate is negative, spans multiply and tiling is associative. */
static bool law_associative(const law_case *c, prop_failure *failure) {
    tmap_shape a = line(&c->a), b = line(&c->b), d = line(&c->c);
    tmap_layout ab, bc, left, right;
    const tmap_layout *all[3] = {&c->a, &c->b, &c->c};
    bool positive = true;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < all[i]->shard.n + all[i]->replica.n; k++)
            positive =
                positive &&
                (k < all[i]->shard.n ? all[i]->shard.at[k] : all[i]->replica.at[k - all[i]->shard.n]).stride >= 0;
    tmap_shape s_ab = {1, {a.at[0] * b.at[0]}}, s_bc = {1, {b.at[0] * d.at[0]}};
    if (tmap_layout_tile(&c->a, &c->b, &b, &a, &ab, NULL) != TMAP_OK ||
        tmap_layout_tile(&ab, &c->c, &d, &s_ab, &left, NULL) != TMAP_OK ||
        tmap_layout_tile(&c->b, &c->c, &d, &b, &bc, NULL) != TMAP_OK ||
        tmap_layout_tile(&c->a, &bc, &s_bc, &a, &right, NULL) != TMAP_OK)
        return prop_fail(failure, "a product is refused");
    bool equal;
    if (positive && (tmap_layout_equal(&left, &right, &equal, NULL) != TMAP_OK || !equal))
        return prop_fail(failure, "tile is not associative");
    if (tmap_layout_direct_sum(&c->a, &c->b, &b, &a, &ab, NULL) != TMAP_OK ||
        tmap_layout_direct_sum(&ab, &c->c, &d, &s_ab, &left, NULL) != TMAP_OK ||
        tmap_layout_direct_sum(&c->b, &c->c, &d, &b, &bc, NULL) != TMAP_OK ||
        tmap_layout_direct_sum(&c->a, &bc, &s_bc, &a, &right, NULL) != TMAP_OK)
        return prop_fail(failure, "a sum is refused");
    return (tmap_layout_equal(&left, &right, &equal, NULL) == TMAP_OK && equal) ||
           prop_fail(failure, "direct_sum is not associative");
}

static bool law_slice(const law_case *c, prop_failure *failure) {
    tmap_random random = {.state = c->seed};
    tmap_shape shape = random_shape(&random, &c->a), begin = {.rank = shape.rank}, end = {.rank = shape.rank};
    tmap_layout box;
    bool found;
    if (between(&random, 0, 2) == 0) shape = begin = end = (tmap_shape){1, {product(&c->a.shard)}};
    for (int d = 0; d < shape.rank; d++) {
        begin.at[d] = between(&random, 0, shape.at[d] - 1);
        end.at[d] = between(&random, begin.at[d] + 1, shape.at[d]);
    }
    if (tmap_layout_slice(&c->a, &shape, &begin, &end, &box, &found, NULL) != TMAP_OK)
        return prop_fail(failure, "a slice is refused");
    for (int64_t i = 0; found && i < product(&box.shard); i++) {
        int64_t rest = i, index = 0, weight = 1;
        point x[COPIES], y[COPIES];
        for (int d = shape.rank - 1; d >= 0; d--) {
            index += weight * (begin.at[d] + rest % (end.at[d] - begin.at[d]));
            rest /= end.at[d] - begin.at[d];
            weight *= shape.at[d];
        }
        int n = places(&box, i, x), m = places(&c->a, index, y);
        if (n != m || memcmp(x, y, (size_t)n * sizeof *x) != 0)
            return prop_fail(failure, "slice: element %" PRId64 " of the box", i);
    }
    return true;
}

/* Compares the owners of a place with a search of all elements, for a place of an element and for a place nearby. */
static bool law_owners(const law_case *c, prop_failure *failure) {
    tmap_random random = {.state = c->seed};
    int64_t size = product(&c->a.shard), indices[SIZE];
    for (int round = 0; round < 4; round++) {
        tmap_axis_values place;
        point set[COPIES];
        uint64_t found, wanted = 0;
        tmap_layout_place(&c->a, between(&random, 0, size - 1), 0, &place);
        if (place.n > 0 && round > 1) place.at[0].value += between(&random, -1, 1);
        if (place.n > 1 && round % 2 == 1) place.n--;
        if (tmap_layout_owners(&c->a, &place, 0, indices, SIZE, &found, NULL) != TMAP_OK)
            return prop_fail(failure, "owners are refused");
        for (int64_t x = 0; x < size; x++) {
            bool here = false;
            int n = places(&c->a, x, set);
            for (int k = 0; k < n; k++) {
                bool equal = true;
                for (int i = 0; i < place.n; i++)
                    equal = equal && set[k].at[axis_number(place.at[i].axis)] == place.at[i].value;
                here = here || equal;
            }
            if (here && (wanted >= found || indices[wanted] != x)) return prop_fail(failure, "owners: %" PRId64, x);
            wanted += here;
        }
        if (found != wanted) return prop_fail(failure, "owners: %" PRIu64 " for %" PRIu64, found, wanted);
    }
    return true;
}

/* A dense layout over shuffled iters, and its inverse: L'(L(x)) = x. */
static bool law_inverse(const law_case *c, prop_failure *failure) {
    tmap_random random = {.state = c->seed};
    tmap_layout dense = {.shard = c->a.shard}, back;
    const tmap_axis *axes[1] = {tmap_axis_get(TMAP_AXIS_ID_M)};
    int order[TMAP_ITERS_MAX];
    int64_t stride = 1;
    for (int i = 0; i < dense.shard.n; i++) order[i] = i;
    for (int i = dense.shard.n - 1; i > 0; i--) {
        int k = (int)between(&random, 0, i), t = order[i];
        order[i] = order[k], order[k] = t;
    }
    for (int i = 0; i < dense.shard.n; i++) {
        dense.shard.at[order[i]].stride = stride;
        dense.shard.at[order[i]].axis = axes[0];
        stride *= dense.shard.at[order[i]].extent;
    }
    if (tmap_layout_inverse(&dense, axes, 1, &back, NULL) != TMAP_OK) return prop_fail(failure, "no inverse");
    for (int64_t x = 0; x < stride; x++)
        if (digits(&back.shard, digits(&dense.shard, x).at[0]).at[0] != x)
            return prop_fail(failure, "inverse: element %" PRId64, x);
    tmap_coverage coverage;
    return (tmap_layout_coverage(&dense, &coverage, NULL) == TMAP_OK && coverage.compact) ||
           prop_fail(failure, "a dense layout is not compact");
}

/* The places of all elements: the sum of the numbers of each element's places, the number of different places, and
 * whether copies of an element share a place. */
typedef struct place_count {
    int total, distinct;
    bool repeated;
    int64_t low, high; /* of axis d */
} place_count;

static place_count count_places(const tmap_layout *layout, int d) {
    static point all[SIZE * 8];
    place_count count = {0};
    for (int64_t x = 0; x < product(&layout->shard); x++) {
        int n = places(layout, x, all + count.total);
        count.repeated = count.repeated || n < product(&layout->replica);
        count.total += n;
    }
    qsort(all, (size_t)count.total, sizeof *all, compare_points);
    for (int i = 0; i < count.total; i++) {
        int64_t at = all[i].at[d];
        count.distinct += i == 0 || compare_points(&all[i], &all[i - 1]) != 0;
        if (i == 0 || at < count.low) count.low = at;
        if (i == 0 || at > count.high) count.high = at;
    }
    return count;
}

static void keep_axis(tmap_iters *iters, int d) {
    tmap_iters kept = {0};
    for (int i = 0; i < iters->n; i++)
        if (axis_number(iters->at[i].axis) == d) kept.at[kept.n++] = iters->at[i];
    *iters = kept;
}

/* Counts the places of the layout, and the coordinates of its part on each axis. */
static bool law_coverage(const law_case *c, prop_failure *failure) {
    const tmap_layout *layout = &c->b;
    tmap_coverage coverage;
    place_count all = count_places(layout, 0);
    if (tmap_layout_coverage(layout, &coverage, NULL) != TMAP_OK) return prop_fail(failure, "coverage is refused");
    bool injective = all.total == all.distinct, dense = true;
    for (int i = 0; i < coverage.axes_n; i++) {
        const tmap_cover *cover = &coverage.axes[i];
        int d = axis_number(cover->axis);
        tmap_layout part = *layout;
        keep_axis(&part.shard, d);
        keep_axis(&part.replica, d);
        place_count one = count_places(&part, d);
        dense = dense && one.high - one.low + 1 == one.distinct;
        if (cover->low != one.low || cover->high != one.high || cover->distinct != one.distinct)
            return prop_fail(failure, "%s: %d coordinates in %" PRId64 "..%" PRId64, cover->axis->name, one.distinct,
                             one.low, one.high);
        if (cover->shared != (one.total != one.distinct) || cover->self_repeated != one.repeated)
            return prop_fail(failure, "%s: shared is %d, self_repeated %d", cover->axis->name, cover->shared,
                             cover->self_repeated);
    }
    if (coverage.compact != (injective && dense)) return prop_fail(failure, "compact is %d", coverage.compact);
    return coverage.injective == injective || prop_fail(failure, "injective is %d", coverage.injective);
}

static bool is_equal(const tmap_layout *a, const tmap_layout *b, prop_failure *failure) {
    prop_failure difference;
    bool equal, found = same(&difference, "", a, b);
    if (tmap_layout_equal(a, b, &equal, NULL) != TMAP_OK) /* two swizzles with replicas are not compared */
        return (a->has_swizzle && a->replica.n + b->replica.n > 0) || prop_fail(failure, "equality is refused");
    return equal == found || prop_fail(failure, "equal is %d", equal);
}

/* Other layouts, the layout in another form, and with one change. */
static bool law_equal(const law_case *c, prop_failure *failure) {
    tmap_random random = {.state = c->seed};
    tmap_shape shape = random_shape(&random, &c->a);
    tmap_layout other;
    int starts[TMAP_ITERS_MAX + 1];
    if (!is_equal(&c->b, &c->c, failure)) return false;
    if (tmap_layout_group(&c->a, &shape, &other, starts, NULL) != TMAP_OK || !is_equal(&c->a, &other, failure))
        return prop_fail(failure, "grouped: another layout");
    if (between(&random, 0, 1) == 0 && c->a.replica.n > 0) {
        int i = (int)between(&random, 0, c->a.replica.n - 1);
        other.replica.at[i] = other.replica.at[0];
        other.replica.at[0] = c->a.replica.at[i];
        if (!is_equal(&c->a, &other, failure)) return false;
        other.replica.at[i].stride += between(&random, 0, 1);
    } else if (other.offset.n > 0 && between(&random, 0, 1) == 0) {
        other.offset.at[0].value++;
    } else {
        other.shard.at[between(&random, 0, other.shard.n - 1)].stride++;
    }
    return is_equal(&c->a, &other, failure);
}

static bool law_views(const law_case *c, prop_failure *failure) {
    tmap_random random = {.state = c->seed};
    tmap_layout smaller, again;
    int64_t n = between(&random, 1, 4);
    const tmap_axis *m = tmap_axis_get(TMAP_AXIS_ID_M);
    if (c->a.has_swizzle && n == 3) n = 8;
    if (tmap_layout_unpack(&c->a, n, m, &smaller, NULL) != TMAP_OK) return prop_fail(failure, "unpack is refused");
    for (int64_t x = 0; x < product(&smaller.shard); x++) {
        point p = place_of(&smaller, x, 0), q = place_of(&c->a, x / n, 0);
        q.at[0] = q.at[0] * n + x % n;
        if (compare_points(&p, &q) != 0) return prop_fail(failure, "unpack: element %" PRId64, x);
    }
    if (tmap_layout_pack(&smaller, n, &again, NULL) != TMAP_OK) return prop_fail(failure, "pack is refused");
    if (!same(failure, "pack after unpack", &c->a, &again)) return false;
    int order[TMAP_ITERS_MAX], back[TMAP_ITERS_MAX];
    for (int i = 0; i < c->a.shard.n; i++) order[i] = (i + 1) % c->a.shard.n, back[order[i]] = i;
    if (tmap_layout_permute(&c->a, order, c->a.shard.n, &smaller, NULL) != TMAP_OK ||
        tmap_layout_permute(&smaller, back, c->a.shard.n, &again, NULL) != TMAP_OK)
        return prop_fail(failure, "permute is refused");
    return tmap_layout_identical(&c->a, &again) || prop_fail(failure, "permute and its inverse give another layout");
}

typedef bool law(const law_case *c, prop_failure *failure);

static const struct {
    const char *name;
    law *check;
    bool swizzled; /* also of layouts with a swizzle */
} laws[] = {{"forward", law_forward, true},
            {"forms", law_forms, true},
            {"group", law_group, true},
            {"products", law_products, false},
            {"associative", law_associative, false},
            {"slice", law_slice, true},
            {"owners", law_owners, true},
            {"inverse", law_inverse, false},
            {"coverage", law_coverage, true},
            {"equal", law_equal, true},
            {"views", law_views, true}};

/* ---- Smaller cases ---------------------------------------------------------------------------------------------- */

static bool shrink_iters(tmap_iters *iters, int step, int least) {
    int i = step / 4;
    if (i >= iters->n) return false;
    tmap_iter *iter = &iters->at[i];
    switch (step % 4) {
    case 0:
        if (iters->n > least) {
            memmove(iter, iter + 1, (size_t)(iters->n - i - 1) * sizeof *iter);
            iters->n--;
        }
        break;
    case 1: iter->extent = iter->extent > 2 ? 2 : 1; break;
    case 2: iter->stride = iter->stride > 1 ? iter->stride / 2 : iter->stride < 0 ? -iter->stride : 0; break;
    default: iter->axis = tmap_axis_get(TMAP_AXIS_ID_M); break;
    }
    return true;
}

/* Makes change number `step`, which shrinks the layout; returns false after the last step. */
static bool shrink_layout(tmap_layout *layout, int step) {
    if (step == 0) layout->offset.n = 0;
    if (step == 0) return true;
    if (shrink_iters(&layout->shard, step - 1, 1)) return true;
    return shrink_iters(&layout->replica, step - 1 - 4 * layout->shard.n, 0);
}

static void shrink(law_case *c, law *check, prop_failure *failure) {
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (int which = 0; which < 3 && !smaller; which++) {
            for (int step = 0; !smaller; step++) {
                law_case next = *c;
                prop_failure other = {{0}};
                tmap_layout *layout = which == 0 ? &next.a : which == 1 ? &next.b : &next.c;
                const tmap_layout *before = which == 0 ? &c->a : which == 1 ? &c->b : &c->c;
                if (!shrink_layout(layout, step)) break;
                if (tmap_layout_identical(layout, before) || check(&next, &other)) continue;
                *c = next, *failure = other;
                smaller = true;
            }
        }
    }
}

static void print_failure(const prop_options *options, uint64_t number, const char *name, const law_case *c,
                          const prop_failure *failure) {
    const tmap_layout *all[3] = {&c->a, &c->b, &c->c};
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    for (int i = 0; i < 3; i++) {
        tmap_printf(&sink, "%c = ", 'a' + i);
        tmap_layout_print(&sink, all[i]);
        tmap_puts(&sink, "\n");
    }
    fprintf(stderr, "law of %s: %s\n%scase %" PRIu64 " of seed %" PRIu64 "\n", name, failure->text, text.data, number,
            options->seed);
    tmap_text_free(&text);
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 20000);
    for (uint64_t i = 0; i < options.cases; i++) {
        tmap_random random = prop_random(&options, i);
        law_case plain = random_case(&random), swizzled = plain;
        swizzle(&random, &swizzled.a);
        swizzle(&random, &swizzled.b);
        swizzle(&random, &swizzled.c);
        for (size_t l = 0; l < sizeof laws / sizeof laws[0]; l++) {
            prop_failure failure = {{0}};
            law_case c = laws[l].swizzled && i % 4 == 0 ? swizzled : plain;
            if (laws[l].check(&c, &failure)) continue;
            shrink(&c, laws[l].check, &failure);
            print_failure(&options, i, laws[l].name, &c, &failure);
            return EXIT_FAILURE;
        }
    }
    printf("%" PRIu64 " cases, %zu laws\n", options.cases, sizeof laws / sizeof laws[0]);
    return EXIT_SUCCESS;
}
