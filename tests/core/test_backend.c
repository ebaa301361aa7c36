/*
 * The choice between the native encoder and the driver, and the descriptors that the chosen one builds. The driver is
 * the stand-in's encoder, which shares no code with src/.
 */
#include <pthread.h>

#include "assert_bytes.h"
#include "hw/archs.h"
#include "runtime_fixture.h"
#include "standin/encode.h"

/* The planted fault of the driver below. */
static struct {
    int flips_bit;         /* of every descriptor; 0: none */
    uint64_t flips_dim;    /* only of maps with this size of dimension 0; 0: of all */
    uint32_t refuses_rank; /* 0: none */
    int answers;           /* the CUresult of every call; 0: no fault */
    int class_answers;     /* the same, of cuTensorMapSetAllocationClass only */
    bool accepts_all;
    bool has_no_class; /* the allocation class has no effect on this device */
} fault;

static int reset_faults(void **state) {
    (void)state;
    memset(&fault, 0, sizeof fault);
    return 0;
}

static int some_driver(void *out, int type, uint32_t rank, void *address, const uint64_t *dims, const uint64_t *strides,
                       const uint32_t *box, const uint32_t *element_strides, int interleave, int swizzle, int promotion,
                       int fill) {
    const standin_map map = {type,       rank,    (uintptr_t)address, dims, strides, box, element_strides,
                             interleave, swizzle, promotion,          fill};
    if (fault.answers) return fault.answers;
    if ((uintptr_t)out % 128 != 0 || rank == fault.refuses_rank) return 1;
    if (!fault.accepts_all && !standin_valid(&map, 100)) return 1;
    standin_encode(&map, out);
    if (fault.flips_bit && (!fault.flips_dim || dims[0] == fault.flips_dim))
        ((uint8_t *)out)[fault.flips_bit / 8] ^= (uint8_t)(1u << fault.flips_bit % 8);
    return 0;
}

static int some_set_class(void *map, int allocation_class, int *out) {
    if (out) *out = 1;
    if (fault.class_answers) return fault.class_answers;
    if ((uintptr_t)map % 128 != 0 || allocation_class < 0 || allocation_class > 2) return 1;
    if (fault.has_no_class) return 0;
    bool is_large = allocation_class == 2 || (allocation_class == 0 && standin_auto_is_large(map));
    standin_put(map, 85, 1, is_large);
    if (out) *out = is_large ? 2 : 1;
    return 0;
}

static tmap_backend backend_of(const tmap_map_params *maps, size_t maps_n) {
    tmap_backend backend;
    tmap_backend_options options = {.driver = some_driver, .driver_version = 13000, .maps = maps, .maps_n = maps_n};
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_OK);
    return backend;
}

TEST(null_pointers_are_named) {
    tmap_diag refusal;
    tmap_map_params p = gemm();
    tmap_descriptor d;
    tmap_backend backend = {0};
    REFUSES_NULL("backend", tmap_backend_build(NULL, &p, &d, &refusal));
    for (int driver = 0; driver < 2; driver++) {
        backend.uses_driver = driver == 1;
        REFUSES_NULL("params", tmap_backend_build(&backend, NULL, &d, &refusal));
        REFUSES_NULL("descriptor", tmap_backend_build(&backend, &p, NULL, &refusal));
    }
    tmap_backend_options options = {.maps_n = 1};
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_backend_init(NULL, &options), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_backend_init(&backend, NULL), TMAP_BAD_ARGUMENT);
    /* Whatever `backend` contained before, it is then native and gives the reason. */
    for (int i = 0; i < 2; i++) {
        memset(&backend, 0xff, sizeof backend);
        assert_int_equal(tmap_backend_init(&backend, i == 0 ? NULL : &options), TMAP_BAD_ARGUMENT);
        assert_false(backend.uses_driver);
        assert_null(backend.driver);
        assert_non_null(strstr(backend.why.message, i == 0 ? "options is null" : "maps is null"));
    }
}

TEST(without_a_driver_it_is_native) {
    tmap_backend backend;
    tmap_backend_options options = {.archs = TMAP_ARCHS_90};
    tmap_map_params p = gemm();
    tmap_descriptor d, native = built(&p);
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_OK);
    assert_string_equal(backend.why.message, "native: no driver was given");
    assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL), TMAP_OK);
    assert_bytes_equal(d.bytes, native.bytes, sizeof d.bytes);
    p.swizzle = TMAP_SWIZZLE_128B_ATOM_64B;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL), TMAP_REFUSED); /* not on sm_90 */
}

TEST(native_is_chosen_if_both_agree) {
    tmap_map_params p = gemm();
    tmap_descriptor d, native = built(&p);
    tmap_backend backend = backend_of(&p, 1);
    assert_false(backend.uses_driver);
    assert_int_equal(backend.compared_n, 513);
    assert_int_equal(backend.differing_n, 0);
    assert_string_equal(backend.why.message, "native: the driver of CUDA 13.0 agrees on 513 maps");
    fault.answers = 201; /* the caller wants no diagnostic */
    assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL), TMAP_OK);
    assert_bytes_equal(d.bytes, native.bytes, sizeof d.bytes);
}

TEST(the_driver_builds_where_they_differ) {
    tmap_map_params p = gemm();
    tmap_descriptor d, native = built(&p);
    fault.flips_bit = 65; /* version 0, on which no copy depends */
    tmap_backend backend = backend_of(NULL, 0);
    assert_false(backend.uses_driver);
    fault.flips_bit = 66; /* version 3 */
    backend = backend_of(NULL, 0);
    assert_true(backend.uses_driver);
    assert_int_equal(backend.compared_n, 512);
    assert_int_equal(backend.differing_n, 512);
    assert_int_equal(backend.result, 0);
    assert_int_equal(backend.difference.field, TMAP_DESC_VERSION);
    assert_int_equal(backend.difference.a, 0); /* the key of version 1 */
    assert_int_equal(backend.difference.b, 3);
    expect_in(backend.why.message, "driver: the driver of CUDA 13.0 differs on 512 of 512 maps; in a ");
    expect_in(backend.why.message, "version is 3, natively 0");
    assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL), TMAP_OK);
    standin_put(native.bytes, 65, 3, 3);
    assert_bytes_equal(d.bytes, native.bytes, sizeof d.bytes);
    p.box_el[0] = 128;
    tmap_diag refusal;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, &refusal), TMAP_REFUSED);
    expect_in(line_of(&refusal), "[box-inner-span]");
}

TEST(a_map_of_the_caller_may_reveal_a_difference) {
    tmap_map_params maps[] = {gemm(), gemm()};
    maps[1].dims_el[0] = 3459;
    fault.flips_bit = 685; /* a bit outside all fields */
    fault.flips_dim = 3459;
    tmap_backend backend = backend_of(maps, 1);
    assert_false(backend.uses_driver);
    backend = backend_of(maps, 2);
    assert_true(backend.uses_driver);
    assert_int_equal(backend.differing_n, 1);
    assert_int_equal(backend.differs.dims_el[0], 3459);
    expect_in(backend.why.message, "differs on 1 of 514 maps; in a f16 map of rank 2 bits from 685 on are 0x1");
}

TEST(maps_of_the_caller_keep_the_rules) {
    tmap_map_params maps[] = {gemm(), gemm()};
    tmap_backend backend;
    tmap_backend_options options = {.driver = some_driver, .maps = maps, .maps_n = 2};
    maps[1].box_el[1] = 300;
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_REFUSED);
    expect_in(backend.why.message, "native: maps[1] cannot be compared: box_el[1] is 300");
    assert_int_equal(tmap_backend_build(&backend, &maps[0], &(tmap_descriptor){{0}}, NULL), TMAP_OK);
    maps[1] = gemm(); /* the driver has no number for 96B */
    maps[1].box_el[0] = 48;
    maps[1].swizzle = TMAP_SWIZZLE_96B;
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_OK);
    assert_int_equal(backend.compared_n, 513);
}

TEST(maps_that_the_driver_refuses) {
    tmap_diag refusal;
    tmap_descriptor d, before;
    fault.refuses_rank = 5;
    tmap_backend backend = backend_of(NULL, 0);
    assert_true(backend.uses_driver);
    assert_int_equal(backend.differs.rank, 5);
    assert_int_equal(backend.result, 1);
    expect_in(backend.why.message, "map of rank 5 that the rules allow (CUresult 1)");
    memset(&d, 0x5a, sizeof d);
    before = d;
    assert_int_equal(tmap_backend_build(&backend, &backend.differs, &d, &refusal), TMAP_REFUSED);
    expect_in(line_of(&refusal), "[encode-status]");
    fault.answers = 201;
    assert_int_equal(tmap_backend_build(&backend, &backend.differs, &d, &refusal), TMAP_UNAVAILABLE);
    expect_in(line_of(&refusal), "CUresult 201; fix: make a CUDA context current in this thread [current-context]");
    fault.answers = 719;
    assert_int_equal(tmap_backend_build(&backend, &backend.differs, &d, &refusal), TMAP_UNAVAILABLE);
    expect_in(line_of(&refusal), "CUresult 719 [encode-status]");
    assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    tmap_map_params p = gemm();
    p.box_el[0] = 48;
    p.swizzle = TMAP_SWIZZLE_96B;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, &refusal), TMAP_UNAVAILABLE);
    expect_in(line_of(&refusal), "96B");
}

TEST(a_driver_whose_calls_fail) {
    static const int results[] = {3, 4, 201, 700, 801, 999, -1};
    for (size_t i = 0; i < COUNT(results); i++) {
        tmap_backend backend;
        tmap_backend_options options = {.driver = some_driver};
        tmap_map_params p = gemm();
        tmap_descriptor d;
        char said[64];
        fault.answers = results[i];
        assert_int_equal(tmap_backend_init(&backend, &options), TMAP_UNAVAILABLE);
        assert_false(backend.uses_driver);
        snprintf(said, sizeof said, "cuTensorMapEncodeTiled returned CUresult %d", results[i]);
        expect_in(backend.why.message, said);
        assert_int_equal(tmap_backend_build(&backend, &p, &d, NULL), TMAP_OK); /* natively */
    }
}

TEST(the_driver_may_judge) {
    tmap_diag refusal;
    tmap_backend backend;
    tmap_backend_options options = {.driver = some_driver, .skip_rules_for_driver = true};
    tmap_descriptor d;
    fault.flips_bit = 685;
    assert_int_equal(tmap_backend_init(&backend, &options), TMAP_OK);
    tmap_map_params p = gemm();
    p.box_el[0] = 128;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, &refusal), TMAP_REFUSED);
    expect_in(line_of(&refusal), "[box-inner-span]"); /* the driver refused, and the rules give the reason */
    fault.accepts_all = true;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, &refusal), TMAP_OK);
    assert_int_equal(d.bytes[55], 127);
    static const uint64_t ranks[] = {6, 1000,
                                     UINT64_MAX}; /* maps that the driver's arguments cannot express are refused, too */
    for (size_t i = 0; i < COUNT(ranks); i++) {
        p = gemm();
        p.rank = ranks[i];
        assert_int_equal(tmap_backend_build(&backend, &p, &d, &refusal), TMAP_REFUSED);
        expect_in(line_of(&refusal), "[rank-range]");
    }
    p = gemm();
    p.box_el[1] = (UINT64_C(1) << 32) + 8;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, &refusal), TMAP_REFUSED);
    expect_in(line_of(&refusal), "[box-extent]");
    p = gemm();
    p.type = (tmap_type)77, p.interleave = (tmap_interleave)-1, p.swizzle = (tmap_swizzle)99;
    fault.accepts_all = false;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, &refusal), TMAP_REFUSED);
    expect_in(line_of(&refusal), "[type-code]");
}

/* The driver chooses the class, except where a driver older than the fix sets bit 85 wrongly. */
TEST(bit_85_of_the_driver_is_settled) {
    tmap_map_params maps[] = {small_with_gaps(), gemm()};
    tmap_descriptor d;
    fault.flips_bit = 85;
    tmap_backend backend = backend_of(maps, 2);
    assert_false(backend.uses_driver); /* another choice is not a disagreement */
    backend.uses_driver = true;
    assert_int_equal(tmap_backend_build(&backend, &maps[0], &d, NULL), TMAP_OK);
    assert_false(bit_85(&d));
    assert_int_equal(tmap_backend_build(&backend, &maps[1], &d, NULL), TMAP_OK);
    assert_false(bit_85(&d));      /* the driver chose SMALL */
    maps[0].allocation_B = 131072; /* a large allocation around a small tensor */
    assert_int_equal(tmap_backend_build(&backend, &maps[0], &d, NULL), TMAP_OK);
    assert_true(bit_85(&d));
}

TEST(the_requested_class_is_built) {
    tmap_diag refusal;
    for (int way = 0; way < 3; way++) { /* native, an older driver, one with cuTensorMapSetAllocationClass */
        tmap_map_params p = gemm();
        tmap_descriptor d;
        tmap_allocation_class out = TMAP_ALLOCATION_AUTO;
        tmap_backend backend = backend_of(NULL, 0);
        backend.uses_driver = way > 0;
        backend.driver_set_class = way > 1 ? some_set_class : NULL;
        p.allocation_class = TMAP_ALLOCATION_SMALL;
        assert_int_equal(tmap_backend_build(&backend, &p, &d, &refusal), TMAP_OK);
        assert_false(bit_85(&d));
        assert_int_equal(tmap_backend_set_allocation_class(&backend, &d, TMAP_ALLOCATION_AUTO, &out, NULL), TMAP_OK);
        assert_true(bit_85(&d));
        assert_int_equal(out, TMAP_ALLOCATION_LARGE);
        p = small_with_gaps();
        p.allocation_class = TMAP_ALLOCATION_LARGE;
        assert_int_equal(tmap_backend_build(&backend, &p, &d, &refusal), TMAP_OK);
        assert_true(bit_85(&d));
        tmap_descriptor before = d;
        assert_int_equal(tmap_backend_set_allocation_class(&backend, &d, (tmap_allocation_class)7, &out, &refusal),
                         TMAP_REFUSED);
        assert_int_equal(out, TMAP_ALLOCATION_SMALL);
        assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
        REFUSES_NULL("backend", tmap_backend_set_allocation_class(NULL, &d, TMAP_ALLOCATION_AUTO, NULL, &refusal));
        REFUSES_NULL("descriptor",
                     tmap_backend_set_allocation_class(&backend, NULL, TMAP_ALLOCATION_AUTO, NULL, &refusal));
    }
}

TEST(the_driver_chooses_the_class) {
    tmap_diag refusal;
    tmap_map_params p = gemm();
    tmap_descriptor d = built(&p), before = d;
    tmap_allocation_class out = TMAP_ALLOCATION_LARGE;
    tmap_backend backend = backend_of(NULL, 0);
    backend.uses_driver = true;
    backend.driver_set_class = some_set_class;
    fault.has_no_class = true;
    assert_int_equal(tmap_backend_set_allocation_class(&backend, &d, TMAP_ALLOCATION_LARGE, &out, NULL), TMAP_OK);
    assert_int_equal(out, TMAP_ALLOCATION_SMALL);
    assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
    fault.class_answers = 201;
    assert_int_equal(tmap_backend_set_allocation_class(&backend, &d, TMAP_ALLOCATION_LARGE, &out, &refusal),
                     TMAP_UNAVAILABLE);
    expect_in(line_of(&refusal),
              "cuTensorMapSetAllocationClass returned CUresult 201; fix: make a CUDA context current");
    p.allocation_class = TMAP_ALLOCATION_LARGE;
    memset(&d, 0x5a, sizeof d);
    before = d;
    assert_int_equal(tmap_backend_build(&backend, &p, &d, &refusal), TMAP_UNAVAILABLE);
    assert_bytes_equal(d.bytes, before.bytes, sizeof d.bytes);
}

#define THREADS 4

typedef struct backend_thread {
    const tmap_backend *backend;
    uint64_t first;
    bool right;
} backend_thread;

/* Every third map is refused. */
static bool build_one(const tmap_backend *backend, uint64_t i) {
    tmap_map_params p = gemm();
    tmap_descriptor d, wanted;
    tmap_diag refusal;
    p.address += i * 16;
    if (i % 3 == 0) {
        p.box_el[1] = 257 + i;
        return tmap_backend_build(backend, &p, &d, &refusal) == TMAP_REFUSED && strstr(refusal.rule, "box-extent");
    }
    const standin_map map = {.type = 6,
                             .rank = 2,
                             .address = p.address,
                             .dims = p.dims_el,
                             .strides = p.strides_B,
                             .box = (const uint32_t[]){64, 128},
                             .element_strides = (const uint32_t[]){1, 1},
                             .swizzle = 3};
    standin_encode(&map, wanted.bytes);
    standin_put(wanted.bytes, 685, 1, backend->uses_driver);
    return tmap_backend_build(backend, &p, &d, &refusal) == TMAP_OK &&
           memcmp(d.bytes, wanted.bytes, sizeof d.bytes) == 0;
}

static void *build_many(void *context) {
    backend_thread *w = context;
    w->right = true;
    for (uint64_t i = w->first; i < w->first + 2000 && w->right; i++) w->right = build_one(w->backend, i);
    return NULL;
}

TEST(threads_share_a_backend) {
    for (int flips = 0; flips < 2; flips++) {
        fault.flips_bit = flips ? 685 : 0;
        const tmap_backend backend = backend_of(NULL, 0);
        const tmap_backend before = backend;
        pthread_t threads[THREADS];
        backend_thread workers[THREADS];
        assert_int_equal(backend.uses_driver, flips);
        for (size_t i = 0; i < THREADS; i++) {
            workers[i] = (backend_thread){&backend, i * 2000, false};
            assert_int_equal(pthread_create(&threads[i], NULL, build_many, &workers[i]), 0);
        }
        for (size_t i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            assert_true(workers[i].right);
        }
        assert_memory_equal(&backend, &before, sizeof backend);
    }
}

BEFORE_EACH(reset_faults)
