/*
 * Register layouts: random chains against the oracle that walks them, and the laws of the operations. A counterexample
 * is shrunk before it is printed: steps are removed and dimensions reduced while it still fails.
 *
 *   test_register [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/register.h"
#include "prop/prop.h"
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

static bool threads_have_what_lies_there(const law_case *t) {
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
    return tmap_register_equal(&left, &right);
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
    return tmap_register_equal(&back, &a);
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
    return tmap_register_permute(&turned, undo, 3, &back, NULL) == TMAP_OK && tmap_register_equal(&back, &a);
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

typedef struct law {
    const char *name;
    bool (*holds)(const law_case *t);
} law;

static const law laws[] = {
    {"places are those of the oracle", places_are_the_oracles},
    {"a thread has what lies there", threads_have_what_lies_there},
    {"composition is associative", composition_is_associative},
    {"division undoes composition", division_undoes_composition},
    {"a quotient composes back", quotients_compose_back},
    {"reshaping keeps places and comes back", reshapes_come_back},
    {"flattening keeps places", flattening_keeps_places},
    {"a permutation comes back", permutations_come_back},
    {"a reduction has the threads of all", reductions_gather_threads},
    {"concatenation counts both", concatenation_counts_both},
    {"two forms are the same exactly if the maps are", forms_are_maps},
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
    fprintf(stderr, "again: 1 case, seed %" PRIu64 "\n", options->seed + number);
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
