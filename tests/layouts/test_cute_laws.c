/*
 * The definitions of CuTe's algebra of layouts ("CuTe Layout Algebra": the post-conditions of its operations), on
 * random layouts.
 */
#include "cmocka_all.h"

#include "cute_fixture.h"
#include "hash/splitmix.h"
#include "sanitized.h"

/* With sanitizers, which are ten times as slow, a tenth of the layouts. */
#define TIMES(n) (SANITIZED ? (n) / 10 : (n))

#define BY(tiler_) (&(tmap_cute_tiler){.layout = (tiler_)})

/* ---- The definitions, on random layouts ---- */

/* Up to four leaves of small shapes; strides are often multiples of each other. */
static tmap_cute random_layout(uint64_t *seed, bool compact) {
    uint64_t shape[4], place[4];
    int64_t strides[4];
    int n = 1 + (int)(tmap_splitmix64((*seed)++) % 4);
    for (int i = 0; i < n; i++) {
        shape[i] = 1 + tmap_splitmix64((*seed)++) % 4;
        place[i] = tmap_splitmix64((*seed)++);
        strides[i] = (int64_t)(tmap_splitmix64((*seed)++) % 13);
    }
    for (int i = 0; compact && i < n; i++) {
        strides[i] = 1;
        for (int j = 0; j < n; j++)
            if (place[j] < place[i]) strides[i] *= (int64_t)shape[j];
    }
    tmap_cute layout;
    assert_int_equal(cute_flat(shape, strides, n, &layout), TMAP_OK);
    return layout;
}

TEST(composition_is_the_function) {
    int composed_n = 0;
    for (uint64_t seed = 1, i = 0; i < TIMES(10000); i++) {
        tmap_cute a = random_layout(&seed, false), b = random_layout(&seed, i % 2), r;
        if (tmap_cute_compose(&a, &b, &r, NULL) != TMAP_OK) continue;
        composed_n++;
        assert_true(tmap_cute_compatible(&b, &r));
        assert_int_equal(tmap_cute_coalesce(&a, &a, NULL),
                         TMAP_OK); /* beyond its size, `a` continues along its last leaf */
        for (uint64_t c = 0; c < tmap_cute_size(&b); c++)
            assert_int_equal(tmap_cute_at(&r, c), tmap_cute_at(&a, (uint64_t)tmap_cute_at(&b, c)));
    }
    assert_true(composed_n > TIMES(2000));
}

static bool has_value(const tmap_cute *layout, int64_t value) {
    for (uint64_t c = 0; c < tmap_cute_size(layout); c++)
        if (tmap_cute_at(layout, c) == value) return true;
    return false;
}

TEST(complements_are_disjoint_and_ordered) {
    for (uint64_t seed = 7, i = 0; i < 600; i++) {
        tmap_cute a = random_layout(&seed, i % 2), r;
        uint64_t target = 1 + tmap_splitmix64(seed++) % 100;
        if (tmap_cute_complement(&a, target, &r, NULL) != TMAP_OK) continue;
        for (uint64_t c = 1; c < tmap_cute_size(&r); c++) {
            assert_true(tmap_cute_at(&r, c - 1) < tmap_cute_at(&r, c));
            assert_false(has_value(&a, tmap_cute_at(&r, c)));
        }
        tmap_cute parts[] = {a, r}, both;
        assert_int_equal(tmap_cute_concat(parts, 2, &both, NULL), TMAP_OK);
        if (i % 2 == 1)
            assert_true(tmap_cute_cosize(&both) >= (int64_t)target); /* no offset is missing, so `a` was compact */
    }
}

TEST(inverses_are_inverse) {
    for (uint64_t seed = 3, i = 0; i < 600; i++) {
        tmap_cute a = random_layout(&seed, true), right, left;
        assert_int_equal(tmap_cute_right_inverse(&a, &right, NULL), TMAP_OK);
        assert_int_equal(tmap_cute_left_inverse(&a, &left, NULL), TMAP_OK);
        for (uint64_t c = 0; c < tmap_cute_size(&a); c++) {
            assert_int_equal(tmap_cute_at(&a, (uint64_t)tmap_cute_at(&right, c)), c);
            assert_int_equal(tmap_cute_at(&left, (uint64_t)tmap_cute_at(&a, c)), c);
        }
    }
}

TEST(coalescing_keeps_the_function) {
    for (uint64_t seed = 5, i = 0; i < 600; i++) {
        tmap_cute a = random_layout(&seed, i % 2), r;
        assert_int_equal(tmap_cute_coalesce(&a, &r, NULL), TMAP_OK);
        assert_int_equal(tmap_cute_size(&r), tmap_cute_size(&a));
        for (uint64_t c = 0; c < tmap_cute_size(&a); c++) assert_int_equal(tmap_cute_at(&r, c), tmap_cute_at(&a, c));
    }
}

/* ---- Laws of tiling by mode ---- */

/* A matrix of two random modes, and a tiler for each mode. */
typedef struct tiling {
    tmap_cute modes[2], a, tilers[2];
    tmap_cute_tiler nodes[2], all;
} tiling;

static void random_tiling(uint64_t *seed, bool of_product, tiling *x) {
    for (int i = 0; i < 2; i++) {
        x->modes[i] = random_layout(seed, true);
        x->tilers[i] = random_layout(seed, of_product || tmap_splitmix64((*seed)++) % 4);
        x->nodes[i] = (tmap_cute_tiler){.layout = &x->tilers[i]};
    }
    assert_int_equal(tmap_cute_concat(x->modes, 2, &x->a, NULL), TMAP_OK);
    x->all = (tmap_cute_tiler){.modes = x->nodes, .modes_n = 2};
}

/* The offset of a layout of two modes at the coordinates numbered i and j. */
static int64_t at2(const tmap_cute *layout, uint64_t i, uint64_t j) {
    return tmap_cute_at_modes(layout, (uint64_t[]){i, j});
}

/* The tile contains the elements that the tilers select, and the rest contains none of them. */
TEST(division_by_mode_is_composition) {
    int n = 0;
    for (uint64_t seed = 11, i = 0; i < 4000; i++) {
        tiling x;
        tmap_cute zipped, composed_by, tile, logical, mode, divided;
        random_tiling(&seed, false, &x);
        if (tmap_cute_divide(TMAP_CUTE_ZIPPED, &x.a, &x.all, &zipped, NULL) != TMAP_OK) continue;
        n++;
        assert_int_equal(tmap_cute_compose_by(&x.a, &x.all, &composed_by, NULL), TMAP_OK);
        assert_int_equal(tmap_cute_mode(&zipped, 0, &tile, NULL), TMAP_OK);
        assert_true(tmap_cute_equal(&tile, &composed_by));
        for (uint64_t c = 0; c < tmap_cute_size(&tile); c++) {
            uint64_t rows = tmap_cute_size(&x.tilers[0]);
            uint64_t row = (uint64_t)tmap_cute_at(&x.tilers[0], c % rows);
            uint64_t column = (uint64_t)tmap_cute_at(&x.tilers[1], c / rows);
            if (row >= tmap_cute_size(&x.modes[0]) || column >= tmap_cute_size(&x.modes[1])) continue;
            assert_int_equal(at2(&zipped, c, 0), at2(&x.a, row, column));
        }
        assert_int_equal(tmap_cute_divide(TMAP_CUTE_LOGICAL, &x.a, &x.all, &logical, NULL), TMAP_OK);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(tmap_cute_mode(&logical, k, &mode, NULL), TMAP_OK);
            assert_int_equal(tmap_cute_divide(TMAP_CUTE_LOGICAL, &x.modes[k], BY(&x.tilers[k]), &divided, NULL),
                             TMAP_OK);
            assert_true(tmap_cute_equal(&mode, &divided));
        }
    }
    assert_true(n > 600);
}

/* The forms differ only in their brackets: zipped, tiled and flat are the same function. */
TEST(divisions_differ_only_in_brackets) {
    for (uint64_t seed = 13, i = 0; i < 1000; i++) {
        tiling x;
        tmap_cute zipped, other;
        random_tiling(&seed, i % 2, &x);
        if (tmap_cute_divide(TMAP_CUTE_ZIPPED, &x.a, &x.all, &zipped, NULL) != TMAP_OK) continue;
        for (int form = TMAP_CUTE_TILED; form <= TMAP_CUTE_FLAT; form++) {
            assert_int_equal(tmap_cute_divide((tmap_cute_nesting)form, &x.a, &x.all, &other, NULL), TMAP_OK);
            for (uint64_t c = 0; c < tmap_cute_size(&zipped); c++)
                assert_int_equal(tmap_cute_at(&other, c), tmap_cute_at(&zipped, c));
        }
    }
}

/* Returns whether the values are all numbers below the size, each once. */
static bool is_permutation(const tmap_cute *layout) {
    static bool seen[1 << 16];
    uint64_t size = tmap_cute_size(layout);
    assert_true(size <= sizeof seen);
    memset(seen, 0, sizeof seen);
    for (uint64_t c = 0; c < size; c++) {
        int64_t value = tmap_cute_at(layout, c);
        if (value < 0 || (uint64_t)value >= size || seen[value]) return false;
        seen[value] = true;
    }
    return true;
}

/* Element i of repetition j is element i of a, moved by the offset of repetition j; all offsets are different. */
TEST(products_repeat) {
    for (uint64_t seed = 17, i = 0; i < 600; i++) {
        tmap_cute a = random_layout(&seed, true), b = random_layout(&seed, true), r, blocked, rest;
        if (tmap_cute_product(TMAP_CUTE_LOGICAL, &a, BY(&b), &r, NULL) != TMAP_OK) continue;
        assert_int_equal(tmap_cute_mode(&r, 0, &rest, NULL), TMAP_OK);
        assert_true(tmap_cute_compatible(&a, &rest));
        assert_int_equal(tmap_cute_mode(&r, 1, &rest, NULL), TMAP_OK);
        assert_true(tmap_cute_compatible(&b, &rest));
        int64_t size = (int64_t)tmap_cute_size(&a);
        for (uint64_t c = 0; c < tmap_cute_size(&a); c++)
            for (uint64_t k = 0; k < tmap_cute_size(&b); k++)
                assert_int_equal(at2(&r, c, k), tmap_cute_at(&a, c) + size * tmap_cute_at(&b, k));
        assert_int_equal(tmap_cute_blocked_product(&a, BY(&b), &blocked, NULL), TMAP_OK);
        assert_int_equal(tmap_cute_size(&blocked), tmap_cute_size(&a) * tmap_cute_size(&b));
        assert_true(is_permutation(&blocked));
    }
}

/* By mode, logical_product is the product of each mode; blocked_product is the same with pairs merged. */
TEST(products_by_mode_are_of_modes) {
    for (uint64_t seed = 19, i = 0; i < 1000; i++) {
        tiling x;
        tmap_cute logical, blocked, raked, product;
        random_tiling(&seed, true, &x);
        /* The same as leaves of one mode: a blocked product splits nested modes. */
        for (int k = 0; k < 2; k++) {
            assert_int_equal(cute_flat((uint64_t[]){1 + i % 4}, (int64_t[]){1}, 1, &x.modes[k]), TMAP_OK);
            assert_int_equal(tmap_cute_coalesce(&x.tilers[k], &x.tilers[k], NULL), TMAP_OK);
            if (x.tilers[k].nodes[0].tuple)
                assert_int_equal(cute_flat((uint64_t[]){3}, (int64_t[]){2}, 1, &x.tilers[k]), TMAP_OK);
        }
        assert_int_equal(tmap_cute_concat(x.modes, 2, &x.a, NULL), TMAP_OK);
        assert_int_equal(tmap_cute_product(TMAP_CUTE_LOGICAL, &x.a, &x.all, &logical, NULL), TMAP_OK);
        assert_int_equal(tmap_cute_blocked_product(&x.a, &x.all, &blocked, NULL), TMAP_OK);
        assert_int_equal(tmap_cute_raked_product(&x.a, &x.all, &raked, NULL), TMAP_OK);
        for (int k = 0; k < 2; k++) {
            tmap_cute mode, of_raked;
            uint64_t size = tmap_cute_size(&x.modes[k]), times = tmap_cute_size(&x.tilers[k]);
            assert_int_equal(tmap_cute_product(TMAP_CUTE_LOGICAL, &x.modes[k], BY(&x.tilers[k]), &product, NULL),
                             TMAP_OK);
            assert_int_equal(tmap_cute_mode(&logical, k, &mode, NULL), TMAP_OK);
            assert_true(tmap_cute_equal(&mode, &product));
            assert_int_equal(tmap_cute_mode(&blocked, k, &mode, NULL), TMAP_OK);
            assert_int_equal(tmap_cute_mode(&raked, k, &of_raked, NULL), TMAP_OK);
            for (uint64_t c = 0; c < size * times; c++) {
                assert_int_equal(tmap_cute_at(&mode, c), at2(&product, c % size, c / size));
                assert_int_equal(tmap_cute_at(&of_raked, c), at2(&product, c / times, c % times));
            }
        }
    }
}

/* Both layouts are contiguous along the run, and the run cannot be one element longer. */
TEST(runs_in_common_are_the_longest) {
    for (uint64_t seed = 23, i = 0; i < 4000; i++) {
        tmap_cute a = random_layout(&seed, true), b = i % 2 ? a : random_layout(&seed, true), r, inverse;
        assert_int_equal(tmap_cute_common(&a, &b, &r, NULL), TMAP_OK);
        assert_int_equal(tmap_cute_right_inverse(&b, &inverse, NULL), TMAP_OK);
        uint64_t n = tmap_cute_size(&r), last = tmap_cute_size(&inverse);
        for (uint64_t c = 0; c < n; c++) {
            uint64_t at = (uint64_t)tmap_cute_at(&r, c);
            assert_int_equal(tmap_cute_at(&a, at), c);
            assert_int_equal(tmap_cute_at(&b, at), c);
        }
        if (n == last || n >= tmap_cute_size(&a)) continue;
        uint64_t next = (uint64_t)tmap_cute_at(&inverse, n);
        assert_true(next >= tmap_cute_size(&a) || tmap_cute_at(&a, next) != (int64_t)n);
    }
}

/* ---- Threads and values ---- */

/* Random modes in up to three dimensions, dealt to threads and values in random order; one replication. */
static tmap_register_layout random_register(uint64_t *seed) {
    tmap_register_layout parts = {.modes.rank = 1 + (int)(tmap_splitmix64((*seed)++) % 3)};
    int64_t order[16];
    for (int d = 0; d < parts.modes.rank; d++) {
        parts.modes.shape[d] = 1;
        for (uint64_t n = tmap_splitmix64((*seed)++) % 3; n > 0; n--) {
            uint64_t size = 2 + tmap_splitmix64((*seed)++) % 3;
            parts.modes.shape[d] *= size;
            order[parts.modes.n] = parts.modes.n;
            parts.modes.size[parts.modes.n++] = size;
        }
    }
    int n = parts.modes.n;
    if (tmap_splitmix64((*seed)++) % 2) order[n++] = -2 - (int64_t)(tmap_splitmix64((*seed)++) % 2);
    for (int i = n - 1; i > 0; i--) {
        int k = (int)(tmap_splitmix64((*seed)++) % (uint64_t)(i + 1));
        int64_t t = order[i];
        order[i] = order[k], order[k] = t;
    }
    for (int i = 0; i < n; i++) {
        bool local = order[i] >= 0 && tmap_splitmix64((*seed)++) % 2;
        tmap_mode_list *list = local ? &parts.local : &parts.spatial;
        list->at[list->n++] = order[i];
    }
    return parts;
}

/* The thread-value layout maps (thread, value) to the element that the thread holds in this register; elements are
 * numbered with the first dimension fastest. The conversion back gives the same register layout. */
TEST(threads_and_values_are_the_elements) {
    for (uint64_t seed = 29, i = 0; i < 1000; i++) {
        tmap_register_layout parts = random_register(&seed), layout, back;
        tmap_cute tv;
        assert_int_equal(tmap_register_make(&parts, &layout, NULL), TMAP_OK);
        assert_int_equal(tmap_register_to_cute(&layout, &tv, NULL), TMAP_OK);
        assert_int_equal(tmap_cute_rank(&tv), 2);
        for (uint64_t t = 0; t < tmap_register_threads_n(&layout); t++)
            for (uint64_t v = 0; v < tmap_register_locals_n(&layout); v++) {
                uint64_t index[TMAP_MODE_RANK_MAX], element = 0;
                tmap_register_index(&layout, t, v, index);
                for (int d = layout.modes.rank - 1; d >= 0; d--) element = element * layout.modes.shape[d] + index[d];
                assert_int_equal(at2(&tv, t, v), element);
            }
        assert_int_equal(tmap_register_of_cute(&tv, layout.modes.shape, layout.modes.rank, &back, NULL), TMAP_OK);
        assert_true(tmap_register_same(&layout, &back));
    }
}

/* The shape has only two dimensions of 4: the third 4 in the array is outside the shape and must not be read. */
TEST(leaves_end_in_the_shape) {
    static const uint64_t shape[] = {4, 4, 4};
    static const struct {
        const char *layout, *says;
    } rows[] = {
        {"((4,1),(4,1)):((1,0),(4,0))", NULL}, /* leaves of one element are ignored */
        {"((4,1),(4,1)):((1,-1),(4,99))", NULL},
        {"(4,8):(1,4)", "as_register: 8:4 exceeds the shape"},
        {"(4,(4,4)):(1,(4,16))", "as_register: 4:16 exceeds the shape"},
        {"(4,4):(1,-4)", "as_register: 4:-4 has a negative stride"},
        {"(4,4):(1,3)", "as_register: 4:3 counts elements that another leaf counts"},
        {"(4,4):(1,6)", "as_register: no leaf has the stride 4"},
        {"(4,(4,4)):(1,(4,0))", "as_register: 4:0 has several values of one thread at the same element"},
        {"(8,2):(2,1)", NULL}, /* 2:2 in the first dimension, 4:1 in the second */
        {"(6,2):(1,8)", "as_register: no leaf has the stride 6"},
        {"(4,2):(1,4)", "as_register: no leaf has the stride 8"},
        {"(4,2):(1,8)", "as_register: no leaf has the stride 4"},
        {"(4,(2,4)):(1,(8,4))", "as_register: 2:8 counts elements that another leaf counts"},
        {"16", "as_register: the layout has 1 mode"},
        {"2 o (4,4)", "as_register: the layout has a swizzle or an offset"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tmap_cute layout;
        tmap_register_layout made;
        tmap_diag error;
        assert_int_equal(tmap_cute_parse(rows[i].layout, strlen(rows[i].layout), &layout, NULL), TMAP_OK);
        tmap_status status = tmap_register_of_cute(&layout, shape, 2, &made, &error);
        assert_int_equal(status, rows[i].says ? TMAP_REFUSED : TMAP_OK);
        if (rows[i].says) assert_string_equal(error.message, rows[i].says);
        if (!rows[i].says) assert_int_equal(tmap_modes_elements_n(&made.modes), 16);
    }
    /* The most dimensions. */
    uint64_t ones[TMAP_MODE_RANK_MAX];
    for (int d = 0; d < TMAP_MODE_RANK_MAX; d++) ones[d] = d == 3 || d == 15 ? 2 : 1;
    tmap_register_layout spatial, back;
    tmap_cute tv;
    assert_int_equal(tmap_register_fresh(TMAP_REGISTER_SPATIAL, ones, TMAP_MODE_RANK_MAX, NULL, &spatial, NULL),
                     TMAP_OK);
    assert_int_equal(tmap_register_to_cute(&spatial, &tv, NULL), TMAP_OK);
    assert_int_equal(tmap_register_of_cute(&tv, ones, TMAP_MODE_RANK_MAX, &back, NULL), TMAP_OK);
    assert_true(tmap_register_same(&spatial, &back));
}

/* ---- S/R/O ---- */

/* S/R/O numbers the elements row-major: the last mode is the fastest. */
TEST(conversions_keep_the_function) {
    static const tmap_xor swizzles[] = {{0}, {1, 2, 3, false}, {1, 2, 3, true}};
    for (uint64_t seed = 31, i = 0; i < 600; i++) {
        tmap_cute parts[2] = {random_layout(&seed, i % 2), random_layout(&seed, i % 2)}, a, back;
        tmap_layout layout;
        assert_int_equal(tmap_cute_concat(parts, 2, &a, NULL), TMAP_OK);
        a.swizzle = swizzles[i % 3];
        a.offset = (int64_t)(i % 5);
        assert_int_equal(tmap_cute_to_layout(&a, &layout, NULL), TMAP_OK);
        uint64_t rows = tmap_cute_size(&parts[0]), columns = tmap_cute_size(&parts[1]);
        assert_int_equal(tmap_cute_of_layout(&layout, (uint64_t[]){rows, columns}, 2, &back, NULL), TMAP_OK);
        for (uint64_t r = 0; r < rows; r++)
            for (uint64_t c = 0; c < columns; c++) {
                int64_t at;
                tmap_layout_offsets(&layout, tmap_axis_get(TMAP_AXIS_ID_M), (int64_t)(r * columns + c), 1, &at);
                assert_int_equal(at, at2(&a, r, c));
                assert_int_equal(at, at2(&back, r, c));
            }
    }
}
