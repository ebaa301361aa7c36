/*
 * Register layouts: random chains against the oracle that walks them, and the laws of the operations. Multi-functions
 * and shared layouts over the modes of these chains, element by element. A counterexample is shrunk before it is
 * printed: steps are removed and dimensions reduced while it still fails.
 *
 *   prop_register [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/register.h"
#include "prop/prop.h"
#include "register/modes.h"
#include "register/multi.h"
#include "tmap/unstable/layout_algebra.h"
#include "tmap/unstable/register_shared.h"

enum { CHAINS = 3, INDEX_MAX = TMAP_MODE_RANK_MAX };

typedef struct law_case {
    oracle_chain chains[CHAINS];
    uint64_t salt; /* seed of the choices of a law */
} law_case;

/* ---- Building ---- */

static void require(tmap_status status) {
    if (status != TMAP_OK) abort();
}

static void build_step(const oracle_chain *chain, const oracle_step *step, tmap_register_layout *layout) {
    bool local = step->kind == ORACLE_LOCAL || step->kind == ORACLE_COLUMN_LOCAL;
    tmap_register_kind kind = local ? TMAP_REGISTER_LOCAL : TMAP_REGISTER_SPATIAL;
    if (step->kind == ORACLE_REPLICATED)
        require(tmap_register_replicated(step->dims, chain->rank, step->replicas, layout, NULL));
    else if (step->kind == ORACLE_COLUMN_LOCAL || step->kind == ORACLE_COLUMN_SPATIAL)
        require(tmap_register_column(kind, step->dims, chain->rank, layout, NULL));
    else
        require(tmap_register_fresh(kind, step->dims, chain->rank, NULL, layout, NULL));
}

static tmap_register_layout build(const oracle_chain *chain) {
    static const uint64_t ones[ORACLE_RANK] = {1, 1, 1};
    tmap_register_layout layout, step;
    require(tmap_register_fresh(TMAP_REGISTER_LOCAL, ones, chain->rank, NULL, &layout, NULL));
    for (int s = 0; s < chain->steps_n; s++) {
        build_step(chain, &chain->steps[s], &step);
        require(tmap_register_compose(&layout, &step, &layout, NULL));
    }
    return layout;
}

static oracle_chain random_chain(tmap_random *random, int rank) {
    static const uint64_t sizes[] = {1, 1, 2, 2, 3, 4, 6};
    oracle_chain chain = {.rank = rank, .steps_n = (int)tmap_random_between(random, 1, ORACLE_STEPS)};
    uint64_t elements = 1, replicas = 1;
    for (int s = 0; s < chain.steps_n; s++) {
        oracle_step *step = &chain.steps[s];
        step->kind = (oracle_kind)tmap_random_between(random, ORACLE_LOCAL, ORACLE_REPLICATED);
        step->replicas = 1;
        for (int d = 0; d < ORACLE_RANK; d++) step->dims[d] = 1;
        if (step->kind == ORACLE_REPLICATED && replicas < 12)
            replicas *= step->replicas = tmap_random_between(random, 1, 6);
        for (int d = 0; d < rank && step->kind != ORACLE_REPLICATED; d++) {
            uint64_t size = sizes[tmap_random_next(random) % (sizeof sizes / sizeof sizes[0])];
            if (elements * size > 300) continue;
            step->dims[d] = size;
            elements *= size;
        }
    }
    return chain;
}

static law_case random_case(tmap_random *random) {
    law_case t;
    int rank = (int)tmap_random_between(random, 1, ORACLE_RANK);
    for (int i = 0; i < CHAINS; i++) t.chains[i] = random_chain(random, rank);
    t.salt = tmap_random_next(random);
    return t;
}

static void unravel(const tmap_modes *modes, uint64_t element, uint64_t *index) {
    for (int d = modes->rank - 1; d >= 0; d--) {
        index[d] = element % modes->shape[d];
        element /= modes->shape[d];
    }
}

/* Returns whether each element, counted row-major, has the same places in both layouts. */
static bool same_places(const tmap_register_layout *a, const tmap_register_layout *b) {
    uint64_t replicas = tmap_register_replicas_n(a);
    if (replicas != tmap_register_replicas_n(b)) return false;
    for (uint64_t e = 0; e < tmap_modes_elements_n(&a->modes); e++) {
        uint64_t in_a[INDEX_MAX], in_b[INDEX_MAX];
        unravel(&a->modes, e, in_a);
        unravel(&b->modes, e, in_b);
        if (tmap_register_local(a, in_a) != tmap_register_local(b, in_b)) return false;
        for (uint64_t r = 0; r < replicas; r++)
            if (tmap_register_thread(a, in_a, r) != tmap_register_thread(b, in_b, r)) return false;
    }
    return true;
}

/* ---- Laws: each function returns whether the law holds. ---- */

static bool places_are_the_oracles(const law_case *t) {
    const oracle_chain *chain = &t->chains[0];
    tmap_register_layout layout = build(chain);
    if (tmap_register_threads_n(&layout) != oracle_threads(chain)) return false;
    if (tmap_register_locals_n(&layout) != oracle_locals(chain)) return false;
    for (uint64_t e = 0; e < oracle_chain_elements(chain); e++) {
        uint64_t index[INDEX_MAX];
        unravel(&layout.modes, e, index);
        for (uint64_t r = 0; r < oracle_replicas(chain); r++) {
            oracle_place place = oracle_at(chain, index, r);
            if (tmap_register_thread(&layout, index, r) != place.thread) return false;
            if (tmap_register_local(&layout, index) != place.local) return false;
        }
    }
    return true;
}

static bool threads_have_their_elements(const law_case *t) {
    tmap_register_layout layout = build(&t->chains[0]);
    for (uint64_t thread = 0; thread < tmap_register_threads_n(&layout); thread++) {
        for (uint64_t local = 0; local < tmap_register_locals_n(&layout); local++) {
            uint64_t index[INDEX_MAX], found = 0;
            tmap_register_index(&layout, thread, local, index);
            if (tmap_register_local(&layout, index) != local) return false;
            for (uint64_t r = 0; r < tmap_register_replicas_n(&layout); r++)
                found += tmap_register_thread(&layout, index, r) == thread;
            if (found != 1) return false;
        }
    }
    return true;
}

static bool composition_is_associative(const law_case *t) {
    tmap_register_layout a = build(&t->chains[0]), b = build(&t->chains[1]), c = build(&t->chains[2]), left, right;
    require(tmap_register_compose(&a, &b, &left, NULL));
    require(tmap_register_compose(&left, &c, &left, NULL));
    require(tmap_register_compose(&b, &c, &right, NULL));
    require(tmap_register_compose(&a, &right, &right, NULL));
    return tmap_register_same(&left, &right);
}

static bool division_undoes_composition(const law_case *t) {
    tmap_register_layout a = build(&t->chains[0]), b = build(&t->chains[1]), both, q;
    require(tmap_register_compose(&a, &b, &both, NULL));
    if (tmap_register_divide(&both, &b, &q, NULL) != TMAP_OK || !tmap_register_same(&q, &a)) return false;
    return tmap_register_left_divide(&both, &a, &q, NULL) == TMAP_OK && tmap_register_same(&q, &b);
}

/* For layouts that need not divide each other: if there is a quotient, it composes back. */
static bool quotients_compose_back(const law_case *t) {
    tmap_register_layout a = build(&t->chains[0]), b = build(&t->chains[1]), q, back;
    if (tmap_register_divide(&a, &b, &q, NULL) == TMAP_OK) {
        require(tmap_register_compose(&q, &b, &back, NULL));
        if (!tmap_register_same(&back, &a)) return false;
    }
    if (tmap_register_left_divide(&a, &b, &q, NULL) != TMAP_OK) return true;
    require(tmap_register_compose(&b, &q, &back, NULL));
    return tmap_register_same(&back, &a);
}

/* A split of the elements into up to three dimensions. */
static int random_shape(tmap_random *random, uint64_t elements, uint64_t *shape) {
    int rank = (int)tmap_random_between(random, 1, 3);
    for (int d = 0; d + 1 < rank; d++) {
        do shape[d] = tmap_random_between(random, 1, elements);
        while (elements % shape[d] != 0);
        elements /= shape[d];
    }
    shape[rank - 1] = elements;
    return rank;
}

static bool reshapes_come_back(const law_case *t) {
    tmap_random random = {.state = t->salt};
    tmap_register_layout a = build(&t->chains[0]), reshaped, back;
    uint64_t shape[3];
    int rank = random_shape(&random, tmap_modes_elements_n(&a.modes), shape);
    if (tmap_register_reshape(&a, shape, rank, &reshaped, NULL) != TMAP_OK) return true;
    if (!same_places(&a, &reshaped)) return false;
    if (tmap_register_reshape(&reshaped, a.modes.shape, a.modes.rank, &back, NULL) != TMAP_OK) return false;
    return tmap_register_same(&back, &a);
}

static bool flattening_keeps_places(const law_case *t) {
    tmap_register_layout a = build(&t->chains[0]), flat;
    return tmap_register_flatten(&a, 0, -1, &flat, NULL) == TMAP_OK && flat.modes.rank == 1 && same_places(&a, &flat);
}

static bool permutations_come_back(const law_case *t) {
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    tmap_register_layout a = build(&t->chains[0]), turned, back;
    if (a.modes.rank != 3) return true;
    const int *order = orders[t->salt % 6];
    int undo[3];
    for (int d = 0; d < 3; d++) undo[order[d]] = d;
    if (tmap_register_permute(&a, order, 3, &turned, NULL) != TMAP_OK) return false;
    for (int d = 0; d < 3; d++)
        if (turned.modes.shape[d] != a.modes.shape[order[d]]) return false;
    return tmap_register_permute(&turned, undo, 3, &back, NULL) == TMAP_OK && tmap_register_same(&back, &a);
}

static bool has_thread(const tmap_register_layout *layout, const uint64_t *index, uint64_t thread) {
    for (uint64_t r = 0; r < tmap_register_replicas_n(layout); r++)
        if (tmap_register_thread(layout, index, r) == thread) return true;
    return false;
}

/* The threads of an element of the reduction are the threads of all elements that were reduced to this element. */
static bool reductions_gather_threads(const law_case *t) {
    tmap_register_layout a = build(&t->chains[0]), reduced;
    int dim = (int)(t->salt % (uint64_t)a.modes.rank);
    if (tmap_register_reduce(&a, &dim, 1, true, &reduced, NULL) != TMAP_OK) return false;
    for (uint64_t e = 0; e < tmap_modes_elements_n(&a.modes); e++) {
        uint64_t index[INDEX_MAX], into[INDEX_MAX];
        unravel(&a.modes, e, index);
        memcpy(into, index, sizeof into);
        into[dim] = 0;
        for (uint64_t r = 0; r < tmap_register_replicas_n(&a); r++)
            if (!has_thread(&reduced, into, tmap_register_thread(&a, index, r))) return false;
    }
    return tmap_register_threads_n(&reduced) == tmap_register_threads_n(&a);
}

static bool concatenation_counts_both(const law_case *t) {
    tmap_register_layout a = build(&t->chains[0]), b = build(&t->chains[1]), both;
    uint64_t threads = tmap_register_threads_n(&b), locals = tmap_register_locals_n(&b), at[INDEX_MAX] = {0};
    if (tmap_register_concat(&a, &b, &both, NULL) != TMAP_OK) return false;
    uint64_t of_a = t->salt % tmap_modes_elements_n(&a.modes), of_b = (t->salt >> 32) % tmap_modes_elements_n(&b.modes);
    unravel(&a.modes, of_a, at);
    unravel(&b.modes, of_b, at + a.modes.rank);
    return tmap_register_thread(&both, at, 0) ==
               tmap_register_thread(&a, at, 0) * threads + tmap_register_thread(&b, at + a.modes.rank, 0) &&
           tmap_register_local(&both, at) ==
               tmap_register_local(&a, at) * locals + tmap_register_local(&b, at + a.modes.rank);
}

/*
 * Two layouts have the same form if and only if they are the same map. Tests layouts composed in two ways, and
 * unrelated layouts.
 */
static bool forms_are_maps(const law_case *t) {
    tmap_register_layout a = build(&t->chains[0]), b = build(&t->chains[1]);
    if (tmap_modes_elements_n(&a.modes) != tmap_modes_elements_n(&b.modes) ||
        memcmp(a.modes.shape, b.modes.shape, sizeof a.modes.shape[0] * (size_t)a.modes.rank) != 0 ||
        tmap_register_threads_n(&a) != tmap_register_threads_n(&b))
        return true;
    return tmap_register_same(&a, &b) == same_places(&a, &b);
}

/* ---- Laws of multi-functions ---- */

/* Numbers of an index, as a set; the numbers of these functions are below 4096. */
typedef struct numbers {
    bool has[4096];
} numbers;

static numbers numbers_of(const tmap_multi_function *f, const uint64_t *index) {
    numbers set = {0};
    for (uint64_t r = 0; r < tmap_multi_replicas_n(f); r++) set.has[tmap_multi_number(f, index, r) % 4096] = true;
    return set;
}

/* A function over the modes: some of them in a random order, between replications. */
static bool random_function(tmap_random *random, const tmap_modes *modes, tmap_multi_function *function) {
    tmap_multi_function parts = {.modes = *modes};
    uint64_t size = 1;
    int order[TMAP_MODES_MAX];
    for (int k = 0; k < modes->n; k++) order[k] = k;
    for (int left = modes->n; left > 0; left--) {
        int at = (int)tmap_random_between(random, 0, (uint64_t)left - 1), mode = order[at];
        order[at] = order[left - 1];
        if (tmap_random_next(random) % 3 == 0) {
            int64_t replicas = (int64_t)tmap_random_between(random, 2, 6);
            parts.list.at[parts.list.n++] = -replicas;
            size *= (uint64_t)replicas;
        }
        if (tmap_random_next(random) % 4 == 0) continue;
        parts.list.at[parts.list.n++] = mode;
        size *= modes->size[mode];
    }
    return size <= 4096 && tmap_multi_make(&parts, function, NULL) == TMAP_OK;
}

/* The function with some modes of its list as replications, of which some are joined, split or larger. */
static bool wider_function(tmap_random *random, const tmap_multi_function *f, tmap_multi_function *function) {
    tmap_multi_function parts = {.modes = f->modes};
    for (int i = 0; i < f->list.n; i++) {
        int64_t entry = f->list.at[i];
        int64_t size = entry < 0 ? -entry : (int64_t)f->modes.size[entry];
        bool replica = entry < 0 || tmap_random_next(random) % 2 == 0;
        if (replica && size % 2 == 0 && tmap_random_next(random) % 3 == 0) {
            parts.list.at[parts.list.n++] = -2;
            size /= 2;
        }
        if (replica && i == 0 && tmap_random_next(random) % 3 == 0) size += (int64_t)tmap_random_between(random, 0, 2);
        parts.list.at[parts.list.n++] = replica ? -size : entry;
    }
    return tmap_list_size(&parts.modes, &parts.list) <= 4096 && tmap_multi_make(&parts, function, NULL) == TMAP_OK;
}

static bool includes(const tmap_multi_function *f, const tmap_multi_function *g) {
    for (uint64_t e = 0; e < tmap_modes_elements_n(&f->modes); e++) {
        uint64_t index[INDEX_MAX];
        unravel(&f->modes, e, index);
        numbers a = numbers_of(f, index), b = numbers_of(g, index);
        for (int n = 0; n < 4096; n++)
            if (b.has[n] && !a.has[n]) return false;
    }
    return true;
}

static bool covering_is_inclusion(const law_case *t) {
    tmap_random random = {.state = t->salt};
    tmap_register_layout a = build(&t->chains[0]);
    tmap_multi_function f, g;
    if (tmap_modes_elements_n(&a.modes) > 100 || !random_function(&random, &a.modes, &f)) return true;
    if (t->salt % 4 == 0 ? !random_function(&random, &a.modes, &g) : !wider_function(&random, &f, &g)) return true;
    return tmap_multi_covers(&f, &g) == includes(&f, &g) && tmap_multi_covers(&g, &f) == includes(&g, &f) &&
           tmap_multi_covers(&f, &f);
}

/* The numbers of f are the elements of the second function, counted row-major. */
static bool functions_follow(const law_case *t) {
    tmap_random random = {.state = t->salt};
    tmap_register_layout a = build(&t->chains[0]);
    tmap_multi_function f, g, both;
    tmap_modes modes = {.rank = 1};
    if (tmap_modes_elements_n(&a.modes) > 100 || !random_function(&random, &a.modes, &f)) return true;
    uint64_t left = tmap_list_size(&f.modes, &f.list);
    modes.shape[0] = left;
    for (uint64_t size = 2; left > 1; size++)
        for (; left % size == 0; left /= size) modes.size[modes.n++] = size;
    if (!random_function(&random, &modes, &g) || tmap_multi_then(&f, &g, &both, NULL) != TMAP_OK) return true;
    for (uint64_t e = 0; e < tmap_modes_elements_n(&f.modes); e++) {
        uint64_t index[INDEX_MAX];
        unravel(&f.modes, e, index);
        numbers first = numbers_of(&f, index), expected = {0}, found = numbers_of(&both, index);
        for (uint64_t n = 0; n < 4096; n++) {
            numbers second;
            if (!first.has[n]) continue;
            second = numbers_of(&g, &n);
            for (int m = 0; m < 4096; m++) expected.has[m] = expected.has[m] || second.has[m];
        }
        if (memcmp(&expected, &found, sizeof found) != 0) return false;
    }
    return true;
}

/* ---- Laws of shared layouts ---- */

/* The modes of a chain with the strides of a random order, some of them padded. */
static tmap_shared_layout random_shared(tmap_random *random, const tmap_modes *modes, bool swizzled) {
    tmap_shared_layout parts = {.modes = *modes};
    int order[TMAP_MODES_MAX];
    uint64_t stride = 1;
    for (int k = 0; k < modes->n; k++) order[k] = k;
    for (int left = modes->n; left > 0; left--) {
        int at = tmap_random_next(random) % 3 == 0 ? (int)tmap_random_between(random, 0, (uint64_t)left - 1) : left - 1;
        parts.strides[order[at]] = stride;
        stride *= modes->size[order[at]];
        if (tmap_random_next(random) % 4 == 0) stride += tmap_random_between(random, 1, 8);
        order[at] = order[left - 1];
    }
    if (swizzled) {
        parts.swizzle.b = (int)tmap_random_between(random, 1, 2);
        parts.swizzle.m = (int)tmap_random_between(random, 0, 2);
        parts.swizzle.s = (int)tmap_random_between(random, (uint64_t)parts.swizzle.b, 3);
    }
    require(tmap_shared_make(&parts, &parts, NULL));
    return parts;
}

static uint64_t swizzled(const tmap_xor *x, uint64_t offset) {
    uint64_t ones = ((uint64_t)1 << x->b) - 1;
    return offset ^ (offset >> (x->m + x->s) & ones) << x->m;
}

/* The offset from the modes and strides before tmap_shared_make. */
static uint64_t plain_offset(const tmap_modes *modes, const uint64_t *strides, uint64_t element) {
    uint64_t offset = 0;
    for (int k = modes->n - 1; k >= 0; k--) {
        offset += element % modes->size[k] * strides[k];
        element /= modes->size[k];
    }
    return offset;
}

static bool shared_offsets(const law_case *t) {
    tmap_random random = {.state = t->salt};
    tmap_register_layout a = build(&t->chains[0]);
    tmap_shared_layout layout = random_shared(&random, &a.modes, t->salt % 2 == 0), back, reshaped, stages;
    tmap_layout sro;
    uint64_t shape[3], n = tmap_modes_elements_n(&a.modes), most = 0;
    int rank = random_shape(&random, n, shape);
    bool fits = tmap_shared_reshape(&layout, shape, rank, &reshaped, NULL) == TMAP_OK;
    require(tmap_shared_to_layout(&layout, &sro, NULL));
    require(tmap_shared_of_layout(&sro, layout.modes.shape, layout.modes.rank, &back, NULL));
    require(tmap_shared_prepend(&layout, 3, &stages, NULL));
    if (memcmp(&back.modes, &layout.modes, sizeof back.modes) != 0 ||
        memcmp(back.strides, layout.strides, sizeof back.strides) != 0)
        return false;
    for (uint64_t e = 0; e < n; e++) {
        uint64_t index[INDEX_MAX], in_reshaped[INDEX_MAX], in_stages[INDEX_MAX];
        uint64_t plain = plain_offset(&layout.modes, layout.strides, e), offset = swizzled(&layout.swizzle, plain);
        unravel(&layout.modes, e, index);
        if (plain > most) most = plain;
        if (tmap_shared_offset(&layout, index) != offset) return false;
        if (fits) unravel(&reshaped.modes, e, in_reshaped);
        if (fits && tmap_shared_offset(&reshaped, in_reshaped) != offset) return false;
        for (uint64_t stage = 0; stage < 3; stage++) {
            unravel(&stages.modes, stage * n + e, in_stages);
            uint64_t expected = swizzled(&layout.swizzle, plain + stage * tmap_shared_span(&layout));
            if (tmap_shared_offset(&stages, in_stages) != expected) return false;
        }
    }
    return tmap_shared_span(&layout) == most + 1;
}

static bool shared_composition(const law_case *t) {
    tmap_random random = {.state = t->salt};
    tmap_register_layout a = build(&t->chains[0]), b = build(&t->chains[1]);
    tmap_shared_layout outer = random_shared(&random, &a.modes, false), inner = random_shared(&random, &b.modes, false);
    tmap_shared_layout both;
    require(tmap_shared_compose(&outer, &inner, &both, NULL));
    for (int i = 0; i < 20; i++) {
        uint64_t in_outer[INDEX_MAX], in_inner[INDEX_MAX], at[INDEX_MAX];
        unravel(&outer.modes, tmap_random_next(&random) % tmap_modes_elements_n(&outer.modes), in_outer);
        unravel(&inner.modes, tmap_random_next(&random) % tmap_modes_elements_n(&inner.modes), in_inner);
        for (int d = 0; d < both.modes.rank; d++) at[d] = in_outer[d] * inner.modes.shape[d] + in_inner[d];
        uint64_t expected =
            tmap_shared_offset(&outer, in_outer) * tmap_shared_span(&inner) + tmap_shared_offset(&inner, in_inner);
        if (tmap_shared_offset(&both, at) != expected) return false;
    }
    return true;
}

/* ---- Conversions ---- */

static bool conversions_come_back(const law_case *t) {
    tmap_register_layout a = build(&t->chains[0]), back;
    tmap_layout sro;
    if (tmap_register_threads_n(&a) > 4096 || a.modes.n > 20) return true;
    require(tmap_register_to_layout(&a, tmap_axis_find("tx"), &sro, NULL));
    if (tmap_register_of_layout(&sro, a.modes.shape, a.modes.rank, &back, NULL) != TMAP_OK) return false;
    if (!tmap_register_same(&a, &back)) return false;
    for (uint64_t e = 0; e < tmap_modes_elements_n(&a.modes); e++) {
        uint64_t index[INDEX_MAX];
        tmap_axis_values place;
        unravel(&a.modes, e, index);
        tmap_layout_place(&sro, (int64_t)e, 0, &place);
        for (int i = 0; i < place.n; i++) {
            bool thread = place.at[i].axis->kind == TMAP_AXIS_THREAD;
            uint64_t expected = thread ? tmap_register_thread(&a, index, 0) : tmap_register_local(&a, index);
            if ((uint64_t)place.at[i].value != expected) return false;
        }
    }
    return true;
}

typedef struct law {
    const char *name;
    bool (*holds)(const law_case *t);
} law;

static const law laws[] = {
    {"places are those of the oracle", places_are_the_oracles},
    {"a thread has the elements at its places", threads_have_their_elements},
    {"composition is associative", composition_is_associative},
    {"division undoes composition", division_undoes_composition},
    {"a quotient composes back", quotients_compose_back},
    {"reshaping keeps places and comes back", reshapes_come_back},
    {"flattening keeps places", flattening_keeps_places},
    {"a permutation comes back", permutations_come_back},
    {"a reduction has the threads of all reduced elements", reductions_gather_threads},
    {"concatenation counts both layouts", concatenation_counts_both},
    {"two forms are equal if and only if the maps are", forms_are_maps},
    {"a function covers another if and only if it includes the other", covering_is_inclusion},
    {"a function follows another", functions_follow},
    {"offsets of shared layouts", shared_offsets},
    {"a shared layout replaces every element", shared_composition},
    {"conversions come back", conversions_come_back},
};

/* ---- Shrinking and printing ---- */

static bool try_smaller(law_case *t, const law_case *smaller, const law *broken) {
    if (broken->holds(smaller)) return false;
    *t = *smaller;
    return true;
}

static bool shrink_step(law_case *t, int c, int s, const law *broken) {
    law_case without = *t;
    oracle_chain *chain = &without.chains[c];
    memmove(&chain->steps[s], &chain->steps[s + 1], sizeof chain->steps[0] * (size_t)(chain->steps_n - s - 1));
    chain->steps_n--;
    if (chain->steps_n > 0 && try_smaller(t, &without, broken)) return true;
    for (int d = 0; d < t->chains[c].rank; d++) {
        for (uint64_t size = 1; size < t->chains[c].steps[s].dims[d]; size++) {
            law_case smaller = *t;
            smaller.chains[c].steps[s].dims[d] = size;
            if (try_smaller(t, &smaller, broken)) return true;
        }
    }
    law_case fewer = *t;
    fewer.chains[c].steps[s].replicas = 1;
    return t->chains[c].steps[s].replicas > 1 && try_smaller(t, &fewer, broken);
}

static bool shrink_once(law_case *t, const law *broken) {
    for (int c = 0; c < CHAINS; c++)
        for (int s = 0; s < t->chains[c].steps_n; s++)
            if (shrink_step(t, c, s, broken)) return true;
    return false;
}

static void print_chain(const oracle_chain *chain) {
    static const char *const names[] = {"local", "spatial", "column_local", "column_spatial", "replicated"};
    for (int s = 0; s < chain->steps_n; s++) {
        const oracle_step *step = &chain->steps[s];
        fprintf(stderr, "%s%s(", s > 0 ? " * " : "  ", names[step->kind]);
        for (int d = 0; d < chain->rank; d++) fprintf(stderr, "%s%" PRIu64, d > 0 ? ", " : "", step->dims[d]);
        if (step->kind == ORACLE_REPLICATED) fprintf(stderr, ", num_workers=%" PRIu64, step->replicas);
        fprintf(stderr, ")");
    }
    fprintf(stderr, "\n");
}

static int report(law_case *t, const law *broken, const prop_options *options, uint64_t number) {
    while (shrink_once(t, broken)) continue;
    fprintf(stderr, "does not hold: %s (salt %" PRIu64 ")\n", broken->name, t->salt);
    for (int c = 0; c < CHAINS; c++) print_chain(&t->chains[c]);
    fprintf(stderr, "case %" PRIu64 " of seed %" PRIu64 "\n", number, options->seed);
    return EXIT_FAILURE;
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 20000);
    for (uint64_t i = 0; i < options.cases; i++) {
        tmap_random random = prop_random(&options, i);
        law_case t = random_case(&random);
        for (size_t l = 0; l < sizeof laws / sizeof laws[0]; l++)
            if (!laws[l].holds(&t)) return report(&t, &laws[l], &options, i);
    }
    printf("register layouts: seed %" PRIu64 ", %" PRIu64 " cases of %zu laws\n", options.seed, options.cases,
           sizeof laws / sizeof laws[0]);
    return EXIT_SUCCESS;
}
