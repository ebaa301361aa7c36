/*
 * Conditions of sizes against every single value: random specs of up to three sizes are judged for all values at once,
 * and then for each value alone, with the numbers from an evaluation of the expressions that shares no code with the
 * library. If a rule fires for a single value, a condition must be broken for this value. If a condition is broken for
 * a value, its rule must fire, unless another error keeps the rule from judging. Large ranges are compared at their
 * bounds and at random values.
 *
 *   prop_size [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "prop/prop.h"
#include "sanitized.h"
#include "tmap/unstable/spec.h"

__extension__ typedef __int128 wide;

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

#define NODES_MAX 64
#define SIZES_MAX 3

typedef enum node_kind { NUMBER, SIZE, SUM, DIFFERENCE, PRODUCT, DOWN, UP } node_kind;

typedef struct node {
    node_kind kind;
    int64_t number; /* also the size, or the divisor */
    const struct node *left, *right;
} node;

typedef struct range {
    uint64_t min, max, multiple;
} range;

/* A spec under test, with its numbers as trees. */
typedef struct size_case {
    tmap_random random;
    range sizes[SIZES_MAX];
    int sizes_n;
    bool large;
    node nodes[NODES_MAX];
    int nodes_n;
    int rank;
    const node *dims[TMAP_RANK_MAX], *strides[TMAP_RANK_MAX], *box[TMAP_RANK_MAX], *address;
    const node *at[TMAP_RANK_MAX], *rows[4], *column;
    bool has_copy, four_rows;
    tmap_text text;
} size_case;

static uint64_t pick(size_case *t, uint64_t n) {
    return tmap_random_between(&t->random, 0, n - 1);
}

static const node *new_node(size_case *t, node made) {
    node *at = &t->nodes[t->nodes_n < NODES_MAX - 1 ? t->nodes_n++ : NODES_MAX - 1];
    *at = made;
    return at;
}

static const node *number(size_case *t, int64_t value) {
    return new_node(t, (node){.kind = NUMBER, .number = value});
}

static const node *size_of(size_case *t) {
    return new_node(t, (node){.kind = SIZE, .number = (int64_t)pick(t, (uint64_t)t->sizes_n)});
}

static const node *binary(size_case *t, node_kind kind, const node *left, const node *right) {
    return new_node(t, (node){kind, 0, left, right});
}

static const node *divided(size_case *t, node_kind kind, const node *left) {
    static const int64_t divisors[] = {2, 3, 4, 7, 8, 16, 64, 128};
    return new_node(t, (node){kind, divisors[pick(t, 8)], left, NULL});
}

/* An expression over sizes. */
static const node *expression(size_case *t) {
    static const int64_t factors[] = {2, 3, 4, 8, 16, 64, 128};
    const node *n = size_of(t);
    switch ((int)pick(t, 9)) {
    case 0: return n;
    case 1: return binary(t, SUM, n, number(t, (int64_t)pick(t, 300)));
    case 2: return binary(t, DIFFERENCE, n, number(t, (int64_t)pick(t, 40)));
    case 3: return divided(t, UP, n);
    case 4: return divided(t, DOWN, binary(t, SUM, n, number(t, (int64_t)pick(t, 9))));
    case 5: return binary(t, PRODUCT, n, size_of(t));
    case 6: return binary(t, DIFFERENCE, number(t, 4096), n);
    case 7: return binary(t, PRODUCT, number(t, factors[pick(t, 7)]), divided(t, UP, n));
    default: return binary(t, PRODUCT, number(t, factors[pick(t, 7)]), n);
    }
}

static const node *maybe(size_case *t, unsigned percent, int64_t otherwise) {
    return pick(t, 100) < percent ? expression(t) : number(t, otherwise);
}

static wide value_of(const node *n, const uint64_t *values) {
    wide left = n->left ? value_of(n->left, values) : 0, right = n->right ? value_of(n->right, values) : 0;
    switch (n->kind) {
    case NUMBER: return n->number;
    case SIZE: return (wide)values[n->number];
    case SUM: return left + right;
    case DIFFERENCE: return left - right;
    case PRODUCT: return left * right;
    case DOWN: return (left - ((left % n->number) + n->number) % n->number) / n->number;
    case UP: break;
    }
    return (left + ((-left % n->number) + n->number) % n->number) / n->number;
}

static void print(tmap_sink *sink, const node *n) {
    static const char *const names[] = {"N", "M", "K"};
    static const char *const signs[] = {[SUM] = " + ", [DIFFERENCE] = " - ", [PRODUCT] = "*"};
    if (n->kind == NUMBER) {
        tmap_printf(sink, "%" PRId64, n->number);
    } else if (n->kind == SIZE) {
        tmap_puts(sink, names[n->number]);
    } else if (n->kind == DOWN || n->kind == UP) {
        tmap_puts(sink, n->kind == UP ? "ceil((" : "floor((");
        print(sink, n->left);
        tmap_printf(sink, ")/%" PRId64 ")", n->number);
    } else {
        tmap_puts(sink, "(");
        print(sink, n->left);
        tmap_puts(sink, signs[n->kind]);
        print(sink, n->right);
        tmap_puts(sink, ")");
    }
}

/* ---- Random specs ----------------------------------------------------------------------------------------------- */

/* Near the bounds of the rules. */
static void generate_sizes(size_case *t) {
    static const uint64_t starts[] = {0, 1, 1, 1, 8, 60, 120, 250, 4000, 65530, 131060, 2147483640, 4294967290};
    uint64_t room = t->large ? 3000000 : 120;
    t->sizes_n = 1 + (int)pick(t, SIZES_MAX);
    for (int i = 0; i < t->sizes_n; i++) {
        range *r = &t->sizes[i];
        uint64_t n = 2 + pick(t, room);
        r->multiple = pick(t, 3) ? 1 : (uint64_t)1 << pick(t, 6);
        r->min = (starts[pick(t, 13)] + r->multiple - 1) / r->multiple * r->multiple;
        r->max = r->min + n * r->multiple;
        if (!t->large) room = room / n + 1;
    }
}

static void generate_map(size_case *t) {
    t->rank = 1 + (int)pick(t, 3);
    t->four_rows = t->rank == 2 && pick(t, 4) == 0;
    t->has_copy = pick(t, 3) > 0;
    for (int i = 0; i < t->rank; i++) {
        t->dims[i] = maybe(t, i < 2 ? 60 : 30, (int64_t)(1 + pick(t, 5000)));
        t->box[i] = maybe(t, 12, t->four_rows && i == 1 ? 1 : (int64_t)(8 * (1 + pick(t, 16))));
        t->strides[i] = NULL;
    }
    for (int i = 0; i + 1 < t->rank && pick(t, 3) == 0; i++)
        for (int j = 0; j + 1 < t->rank; j++) t->strides[j] = maybe(t, 70, (int64_t)(16 * (1 + pick(t, 4000))));
    t->address = pick(t, 3) ? NULL : maybe(t, 60, 4096);
}

static void generate_copy(size_case *t) {
    for (int i = 0; i < t->rank; i++) t->at[i] = maybe(t, 50, (int64_t)(8 * pick(t, 40)) - 64);
    for (int i = 0; i < 4; i++) t->rows[i] = maybe(t, 40, (int64_t)pick(t, 200) - 4);
    t->column = maybe(t, 50, 64);
}

static void print_list(tmap_sink *sink, const char *key, const node *const *list, int n) {
    tmap_printf(sink, ", %s: [", key);
    for (int i = 0; i < n; i++) {
        if (i > 0) tmap_puts(sink, ", ");
        print(sink, list[i]);
    }
    tmap_puts(sink, "]");
}

static void print_map(size_case *t, tmap_sink *sink) {
    static const char *const types[] = {"u8", "f16", "f16", "f32", "b4x16", "b4x16_p64", "f64"};
    static const char *const swizzles[] = {"none", "none", "32B", "64B", "128B"};
    bool sliced = t->rank == 3 && pick(t, 6) == 0;
    int type = (int)pick(t, 7);
    tmap_printf(sink, "tensors:\n  a: {type: %s, swizzle: %s", types[type], swizzles[pick(t, 5)]);
    if (sliced) tmap_puts(sink, ", interleave: 16B");
    print_list(sink, "dims", t->dims, t->rank);
    print_list(sink, "box", t->box, t->rank);
    if (t->strides[0]) print_list(sink, "strides", t->strides, t->rank - 1);
    if (pick(t, 5) == 0)
        tmap_printf(sink, ", element_strides: [1%s]", t->rank == 3 ? ", 3, 2" : t->rank == 2 ? ", 3" : "");
    if (t->address) {
        tmap_puts(sink, ", address: ");
        print(sink, t->address);
    }
    if (pick(t, 4) == 0) {
        int allocation = 1 << (10 + 4 * (int)pick(t, 5));
        tmap_printf(sink, ", allocation: %d", allocation + allocation / 2);
        if (pick(t, 2)) tmap_printf(sink, ", allocation_offset: %d", allocation / 16 * (int)pick(t, 24));
    }
    if (pick(t, 6) == 0) tmap_puts(sink, pick(t, 2) ? ", allocation_class: small" : ", allocation_class: large");
    if (pick(t, 3) == 0) tmap_puts(sink, pick(t, 2) ? ", ops: [load, gather4]" : ", ops: [store]");
    tmap_puts(sink, "}\n");
}

static void print_copy(size_case *t, tmap_sink *sink) {
    static const char *const ops[] = {"load", "store", "prefetch", "reduce_add"};
    static const char *const row_ops[] = {"gather4", "scatter4"};
    tmap_printf(sink, "copies:\n  c: {tensor: a, shared: %d, op: %s", 1024 * (int)pick(t, 3),
                t->four_rows ? row_ops[pick(t, 2)] : ops[pick(t, 4)]);
    if (t->four_rows) {
        tmap_puts(sink, ", column: ");
        print(sink, t->column);
        print_list(sink, "rows", t->rows, 4);
    } else {
        print_list(sink, "at", t->at, t->rank);
    }
    tmap_puts(sink, "}\n");
}

static void generate(size_case *t) {
    static const char *const names[] = {"N", "M", "K"};
    tmap_sink sink = tmap_text_sink(&t->text);
    generate_sizes(t);
    generate_map(t);
    generate_copy(t);
    tmap_puts(&sink, "tmap: 1\n");
    if (pick(t, 2)) tmap_puts(&sink, pick(t, 2) ? "arch: sm_90a\n" : "arch: sm_100a\n");
    tmap_puts(&sink, "sizes: {");
    for (int i = 0; i < t->sizes_n; i++)
        tmap_printf(&sink, "%s%s: {min: %" PRIu64 ", max: %" PRIu64 ", multiple_of: %" PRIu64 "}", i > 0 ? ", " : "",
                    names[i], t->sizes[i].min, t->sizes[i].max, t->sizes[i].multiple);
    tmap_puts(&sink, "}\n");
    print_map(t, &sink);
    if (t->has_copy) print_copy(t, &sink);
}

/* ---- One value alone -------------------------------------------------------------------------------------------- */

/* The findings for one assignment of the sizes. */
typedef struct alone {
    tmap_diags map, copy;
    bool readable;      /* every number of the map fits its parameter */
    bool copy_readable; /* every number of the copy */
} alone;

static bool put(const node *n, const uint64_t *values, uint64_t *out) {
    if (!n) return true;
    wide value = value_of(n, values);
    *out = (uint64_t)value;
    return value >= 0 && value <= (wide)UINT64_MAX;
}

static bool put_signed(const node *n, const uint64_t *values, int64_t *out) {
    wide value = value_of(n, values);
    *out = (int64_t)value;
    return value >= INT64_MIN && value <= INT64_MAX;
}

static void judge_alone(const size_case *t, const tmap_spec *spec, const uint64_t *values, alone *found) {
    tmap_map_params map = *tmap_spec_tensor_get(spec, 0).params;
    tmap_judge judge = {.archs = tmap_spec_archs(spec)};
    bool good = true;
    for (int i = 0; i < t->rank; i++) {
        good &= put(t->dims[i], values, &map.dims_el[i]) && put(t->box[i], values, &map.box_el[i]);
        if (i + 1 < t->rank && t->strides[0]) good &= put(t->strides[i], values, &map.strides_B[i]);
    }
    good &= put(t->address, values, &map.address);
    if (good && !t->strides[0]) good = tmap_map_params_dense(&map);
    tmap_diags_free(&found->map);
    tmap_diags_free(&found->copy);
    found->readable = found->copy_readable = good;
    if (!good) return;
    tmap_check_map(&map, &judge, &found->map);
    if (!t->has_copy || found->map.by_severity[TMAP_ERROR]) return;
    tmap_copy_params copy = *tmap_spec_copy_get(spec, 0).params;
    for (int i = 0; i < t->rank && !t->four_rows; i++) good &= put_signed(t->at[i], values, &copy.at[i]);
    for (int i = 0; i < 4 && t->four_rows; i++) good &= put_signed(t->rows[i], values, &copy.rows[i]);
    if (t->four_rows) good &= put_signed(t->column, values, &copy.column);
    found->copy_readable = good;
    if (!good) return;
    tmap_check_copy(&map, &copy, &judge, &found->copy);
}

static bool is_about(const tmap_condition *c, const tmap_diag *diag) {
    const tmap_field_info *field = tmap_field_get(diag->field);
    int dim = diag->dim + (field && field->per == TMAP_PER_OUTER_DIM);
    return strcmp(c->rule, diag->rule) == 0 && (c->dim < 0 || c->dim == dim);
}

static bool fires(const tmap_diags *found, const tmap_condition *c) {
    for (size_t i = 0; i < found->count; i++)
        if (is_about(c, &found->items[i])) return true;
    return false;
}

/* ---- All values at once ----------------------------------------------------------------------------------------- */

/* What all values, from the least on, show of a condition. */
typedef struct seen {
    uint64_t kept_n, broken_n, legal[SIZES_MAX], broken[SIZES_MAX];
    bool fires; /* at the least broken values */
} seen;

typedef struct answers {
    seen *seen; /* of each condition; NULL: not all values are compared */
    tmap_spec *spec;
    tmap_diags diags;
    tmap_spec_conditions *conditions;
    double ms;
} answers;

static bool is_reported(const answers *a, const char *subject, const tmap_diag *diag, const uint64_t *values) {
    for (size_t i = 0; i < tmap_spec_conditions_n(a->conditions); i++) {
        const tmap_condition *c = tmap_spec_condition_get(a->conditions, i);
        if (strcmp(c->subject, subject) != 0 || !is_about(c, diag)) continue;
        return c->kept == TMAP_KEPT_UNDECIDED || !tmap_condition_keeps(c, values);
    }
    for (size_t i = 0; i < a->diags.count; i++)
        if (strcmp(a->diags.items[i].rule, diag->rule) == 0 && a->diags.items[i].dim == diag->dim) return true;
    return false;
}

static bool compare_found(const answers *a, const char *subject, const tmap_diags *found, const uint64_t *values,
                          prop_failure *failure) {
    for (size_t i = 0; i < found->count; i++)
        if (!is_reported(a, subject, &found->items[i], values))
            return prop_fail(failure, "N, M, K = %" PRIu64 ", %" PRIu64 ", %" PRIu64 ": no condition reports: %s [%s]",
                             values[0], values[1], values[2], found->items[i].message, found->items[i].rule);
    return true;
}

/* A broken condition may not fire only if the same subject has another error. */
static bool compare_condition(const tmap_condition *c, const alone *found, const uint64_t *values,
                              prop_failure *failure) {
    const tmap_diags *of = strcmp(c->subject, "a") == 0 ? &found->map : &found->copy;
    bool keeps = c->kept == TMAP_KEPT_UNDECIDED || tmap_condition_keeps(c, values);
    keeps |= strcmp(c->rule, "value-range") == 0; /* compare_range, and copies whose numbers do not fit */
    if (keeps || fires(of, c) || of->by_severity[TMAP_ERROR] > 0) return true;
    if (of == &found->copy && (found->map.by_severity[TMAP_ERROR] > 0 || !found->copy_readable)) return true;
    return prop_fail(failure, "N, M, K = %" PRIu64 ", %" PRIu64 ", %" PRIu64 ": broken, but does not fire: %s of %s",
                     values[0], values[1], values[2], c->rule, c->subject);
}

static bool compare_range(const answers *a, bool readable, prop_failure *failure, const uint64_t *values) {
    bool fits = true;
    for (size_t i = 0; i < tmap_spec_conditions_n(a->conditions); i++) {
        const tmap_condition *c = tmap_spec_condition_get(a->conditions, i);
        if (strcmp(c->subject, "a") != 0 || strcmp(c->rule, "value-range") != 0) continue;
        if (c->kept == TMAP_KEPT_UNDECIDED) return true;
        fits = fits && tmap_condition_keeps(c, values);
    }
    return fits == readable ? true : prop_fail(failure, "N = %" PRIu64 ": value-range differs", values[0]);
}

static void note_values(const tmap_condition *c, const tmap_diags *found, const uint64_t *values, seen *of) {
    bool keeps = tmap_condition_keeps(c, values);
    if ((keeps ? of->kept_n : of->broken_n) == 0) {
        memcpy(keeps ? of->legal : of->broken, values, sizeof of->legal);
        if (!keeps) of->fires = fires(found, c);
    }
    ++*(keeps ? &of->kept_n : &of->broken_n);
}

/* By the sizes of the condition; the first size counts most. */
static bool is_less(const tmap_condition *c, const uint64_t *one, const uint64_t *two) {
    for (int i = 0; i < SIZES_MAX; i++)
        if ((c->sizes >> i & 1) && one[i] != two[i]) return one[i] < two[i];
    return false;
}

/* The number of values that keep a condition, and the least values that keep or break it. A finding is reported for
 * greater values if another error hides it at the least ones. */
static bool compare_counts(const tmap_condition *c, const seen *of, prop_failure *failure) {
    uint64_t all = of->kept_n + of->broken_n, repeated = all / c->values_n;
    if (c->kept == TMAP_KEPT_UNDECIDED || c->sizes == 0) return true;
    bool good = all % c->values_n == 0 && (c->kept == TMAP_KEPT_BY_SOME) == (of->kept_n > 0) && of->broken_n > 0;
    good = good && (c->kept_n == UINT64_MAX || c->kept_n * repeated == of->kept_n);
    if (of->kept_n > 0) good = good && !is_less(c, of->legal, c->legal) && tmap_condition_keeps(c, c->legal);
    if (of->fires) good = good && !is_less(c, of->broken, c->broken);
    return good && !tmap_condition_keeps(c, c->broken)
               ? true
               : prop_fail(failure, "%s of %s: %" PRIu64 " values, least %" PRIu64 " and %" PRIu64, c->rule, c->subject,
                           c->kept_n, c->legal[0], c->broken[0]);
}

static bool compare_at(const size_case *t, const answers *a, const uint64_t *values, prop_failure *failure) {
    alone found = {.readable = true};
    judge_alone(t, a->spec, values, &found);
    bool good = compare_range(a, found.readable, failure, values);
    if (found.readable) {
        good = good && compare_found(a, "a", &found.map, values, failure);
        good = good && compare_found(a, "c", &found.copy, values, failure);
        for (size_t i = 0; good && i < tmap_spec_conditions_n(a->conditions); i++)
            good = compare_condition(tmap_spec_condition_get(a->conditions, i), &found, values, failure);
    }
    for (size_t i = 0; good && i < tmap_spec_conditions_n(a->conditions); i++) {
        const tmap_condition *c = tmap_spec_condition_get(a->conditions, i);
        if (a->seen) note_values(c, strcmp(c->subject, "a") == 0 ? &found.map : &found.copy, values, &a->seen[i]);
        if (c->kept == TMAP_KEPT_BY_SOME && tmap_condition_keeps(c, values) && is_less(c, values, c->legal))
            good = prop_fail(failure, "%s: less than the least legal values", c->rule);
    }
    tmap_diags_free(&found.map);
    tmap_diags_free(&found.copy);
    return good;
}

static bool compare_each(const size_case *t, const answers *a, int size, uint64_t *values, prop_failure *failure,
                         uint64_t *compared) {
    if (size == t->sizes_n || size == SIZES_MAX) {
        ++*compared;
        return compare_at(t, a, values, failure);
    }
    const range *r = &t->sizes[size];
    for (values[size] = r->min; values[size] <= r->max; values[size] += r->multiple)
        if (!compare_each(t, a, size + 1, values, failure, compared)) return false;
    return true;
}

static bool compare_all(size_case *t, answers *a, prop_failure *failure, uint64_t *compared) {
    size_t conditions_n = tmap_spec_conditions_n(a->conditions);
    uint64_t values[TMAP_SIZES_MAX] = {0};
    a->seen = calloc(conditions_n + 1, sizeof *a->seen);
    bool good = a->seen && compare_each(t, a, 0, values, failure, compared);
    for (size_t i = 0; good && i < conditions_n; i++)
        good = compare_counts(tmap_spec_condition_get(a->conditions, i), &a->seen[i], failure);
    free(a->seen);
    return good;
}

#define SAMPLES 200

/* Compares random values, and the values at and next to the bounds of the conditions. */
static bool compare_samples(size_case *t, answers *a, prop_failure *failure, uint64_t *compared) {
    size_t conditions_n = tmap_spec_conditions_n(a->conditions);
    for (int sample = 0; sample < SAMPLES; sample++) {
        uint64_t values[TMAP_SIZES_MAX] = {0};
        const tmap_condition *c =
            conditions_n && sample % 2 ? tmap_spec_condition_get(a->conditions, pick(t, conditions_n)) : NULL;
        for (int i = 0; i < t->sizes_n; i++) {
            const range *r = &t->sizes[i];
            values[i] = r->min + r->multiple * pick(t, (r->max - r->min) / r->multiple + 1);
            if (!c || !(c->sizes >> i & 1)) continue;
            values[i] = (pick(t, 2) ? c->broken[i] : c->legal[i]) + r->multiple * pick(t, 3);
            values[i] -= values[i] >= r->min + r->multiple ? r->multiple : 0;
            if (values[i] < r->min || values[i] > r->max) values[i] = r->min;
        }
        ++*compared;
        if (!compare_at(t, a, values, failure)) return false;
    }
    return true;
}

/* ---- Cases ------------------------------------------------------------------------------------------------------ */

/* CPU time, so that other programs do not count. */
static double now_ms(void) {
    return 1e3 * (double)clock() / CLOCKS_PER_SEC;
}

typedef struct tally {
    uint64_t compared, conditions, undecided, undecided_specs, unread;
    double slowest_ms;
} tally;

static void count_conditions(const answers *a, tally *all) {
    uint64_t before = all->undecided;
    for (size_t i = 0; i < tmap_spec_conditions_n(a->conditions); i++) {
        const tmap_condition *condition = tmap_spec_condition_get(a->conditions, i);
        const tmap_rule_info *rule = tmap_rule_get(tmap_rule_find(condition->rule));
        all->conditions++;
        all->undecided += condition->kept == TMAP_KEPT_UNDECIDED && (!rule || rule->severity != TMAP_ADVICE);
    }
    all->undecided_specs += all->undecided > before;
    if (a->ms > all->slowest_ms) all->slowest_ms = a->ms;
}

/* A search that grows without limit takes longer. The limit is for an optimised build without sanitizers. */
#define MOST_MS 3000.0
#if defined(__OPTIMIZE__) && !SANITIZED
#define MEASURES true
#else
#define MEASURES false
#endif

static tmap_status check_sizes(answers *a) {
    double start = now_ms();
    tmap_status status = tmap_spec_check_sizes(a->spec, NULL, &a->diags, &a->conditions);
    a->ms = now_ms() - start;
    return status;
}

static bool run_case(size_case *t, tally *all, prop_failure *failure) {
    answers a = {0};
    bool good = true;
    generate(t);
    tmap_status status = tmap_spec_read(t->text.data, t->text.size, "case", NULL, &a.diags, &a.spec);
    if (status == TMAP_REFUSED) {
        all->unread++; /* dense strides beyond 64 bits for the least values */
    } else {
        status = check_sizes(&a);
        if (MEASURES && a.ms > MOST_MS) good = prop_fail(failure, "a check takes %.1f ms", a.ms);
        if (status != TMAP_OK && status != TMAP_REFUSED) good = prop_fail(failure, "%s", tmap_status_name(status));
        if (good) count_conditions(&a, all);
        if (good) good = (t->large ? compare_samples : compare_all)(t, &a, failure, &all->compared);
    }
    tmap_spec_conditions_free(a.conditions);
    tmap_diags_free(&a.diags);
    tmap_spec_free(a.spec);
    return good;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 10000);
    tally all = {0};
    for (uint64_t i = 0; i < options.cases; i++) {
        static size_case t;
        prop_failure failure = {{0}};
        t = (size_case){.random = prop_random(&options, i), .large = i % 4 == 3};
        bool good = run_case(&t, &all, &failure);
        if (!good)
            fprintf(stderr, "%s\n%s\ncase %" PRIu64 " of seed %" PRIu64 "\n", t.text.data, failure.text, i,
                    options.seed);
        tmap_text_free(&t.text);
        if (!good) return EXIT_FAILURE;
    }
    printf("%" PRIu64 " specs, %" PRIu64 " values, %" PRIu64 " conditions, %" PRIu64 " undecided in %" PRIu64
           " specs, %" PRIu64 " not read; slowest %.1f ms\n",
           options.cases, all.compared, all.conditions, all.undecided, all.undecided_specs, all.unread, all.slowest_ms);
    /* docs/spec.md states 4 in 100,000; this limit has room for other seeds. Only sizes with ranges of millions require
     * more work than the bound allows. A quarter of the specs have such sizes. */
    if (2500 * all.undecided_specs > 2500 + options.cases) {
        fprintf(stderr, "more than 1 in 2500 specs has an undecided rule\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
