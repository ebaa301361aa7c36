/* Copies against memcpy: one box of every mode, reductions, and a whole tensor. */
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tmap/unstable/tmap.h>

/* ---- One box ---------------------------------------------------------------------------------------------------- */

typedef struct box_bench {
    tmap_copy copy;
    tmap_memory memory;
    uint8_t *global, *shared, *contiguous;
    tmap_copy_result result;
} box_bench;

#define PITCH_B 8320

static void box_of_copy(box_bench *b, const tmap_map_params *params, const tmap_copy_params *copy) {
    tmap_map map;
    must(tmap_map_init(&map, params, NULL, NULL) == TMAP_OK, "the map");
    must(tmap_copy_init(&b->copy, &map, copy, NULL, NULL) == TMAP_OK, "the copy");
    size_t size = (size_t)map.derived.span_B, image = b->copy.footprint_B;
    b->global = aligned_alloc(1024, (size + 1023) / 1024 * 1024),
    b->shared = aligned_alloc(1024, (image + 1023) / 1024 * 1024),
    b->contiguous = aligned_alloc(1024, (image + 1023) / 1024 * 1024);
    must(b->global && b->shared && b->contiguous, "memory");
    memset(b->shared, 0, image), memset(b->contiguous, 0, image);
    memset(b->global, 0, size);
    b->memory = (tmap_memory){.size_B = size, .bytes = b->global};
}

/* A box of 64 rows of 128 B, or four rows, in a tensor with pitch 8320 B. */
static void box_begin(box_bench *b, tmap_type type, tmap_swizzle swizzle, tmap_op op, int64_t row) {
    tmap_map_params params = tmap_map_params_tiled(type, 2);
    uint64_t element_B = tmap_type_get((int)type)->unit_global_B;
    params.dims_el[0] = 8192 / element_B, params.dims_el[1] = 256;
    params.strides_B[0] = PITCH_B;
    params.box_el[0] = 128 / element_B, params.box_el[1] = tmap_op_get((int)op)->four_rows ? 1 : 64;
    params.swizzle = swizzle;
    tmap_copy_params copy = {.op = op, .at = {64, row}, .at_n = 2, .shared = 1024};
    copy.column = 64, copy.rows[0] = 9, copy.rows[1] = 2, copy.rows[2] = 100, copy.rows[3] = row;
    box_of_copy(b, &params, &copy);
}

static void box_end(box_bench *b) {
    free(b->global), free(b->shared), free(b->contiguous);
}

static void box_run(void *context) {
    box_bench *b = context;
    must(tmap_emulate(&b->copy, b->shared, b->copy.footprint_B, &b->memory, &b->result) == TMAP_OK, "emulating");
    keep(b->shared);
}

static void box_memcpy(void *context) {
    box_bench *b = context;
    memcpy(b->shared, b->contiguous, b->copy.payload_B);
    keep(b->shared);
}

static void box_memset(void *context) {
    box_bench *b = context;
    memset(b->shared, 0, b->copy.payload_B);
    keep(b->shared);
}

typedef struct box_case {
    const char *name;
    tmap_swizzle swizzle;
    tmap_op op;
    int64_t row;
    double bound;
} box_case;

static void bench_boxes(void) {
    static const box_case cases[] = {
        {"load 64x64 f16, no swizzle", TMAP_SWIZZLE_NONE, TMAP_OP_LOAD, 8, 0.5},
        {"load 64x64 f16, 128B swizzle", TMAP_SWIZZLE_128B, TMAP_OP_LOAD, 8, 0.4},
        {"load 64x64 f16, 128B_atom32B swizzle", TMAP_SWIZZLE_128B_ATOM_32B, TMAP_OP_LOAD, 8, 0},
        {"load 64x64 f16, 128B_atom32B_flip8B swizzle", TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, TMAP_OP_LOAD, 8, 0},
        {"load 64x64 f16, 128B swizzle, hanging over", TMAP_SWIZZLE_128B, TMAP_OP_LOAD, 224, 0},
        {"load 64x64 f16, 128B swizzle, fully outside", TMAP_SWIZZLE_128B, TMAP_OP_LOAD, 256, 0.4},
        {"store 64x64 f16, 128B swizzle", TMAP_SWIZZLE_128B, TMAP_OP_STORE, 8, 0},
        {"gather4 4x64 f16, 128B swizzle", TMAP_SWIZZLE_128B, TMAP_OP_GATHER4, 8, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        box_bench b;
        box_begin(&b, TMAP_TYPE_F16, cases[i].swizzle, cases[i].op, cases[i].row);
        bool outside = cases[i].row >= 256;
        bench_print(&(bench_case){.name = cases[i].name,
                                  .yardstick = outside ? "memset of the payload" : "memcpy of the payload",
                                  .run = box_run,
                                  .reference = outside ? box_memset : box_memcpy,
                                  .context = &b,
                                  .bound = cases[i].bound,
                                  .speed = 1,
                                  .repeats = 2000});
        box_end(&b);
    }
}

static void bench_mode(const char *name, const tmap_map_params *params, const tmap_copy_params *copy, double bound) {
    box_bench b;
    box_of_copy(&b, params, copy);
    bench_print(&(bench_case){.name = name,
                              .yardstick = "memcpy of the payload",
                              .run = box_run,
                              .reference = box_memcpy,
                              .context = &b,
                              .bound = bound,
                              .speed = 1,
                              .repeats = 1000});
    box_end(&b);
}

/*
 * The filter of 3 x 3 over an image of 58 x 58; 128 pixels of 64 channels that wrap twice. Pixels with a power of two
 * as their pitch share few cache sets; a separate row measures this cost.
 */
static void bench_pixels(void) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 4);
    params.mode = TMAP_MODE_IM2COL;
    params.dims_el[0] = PITCH_B / 2, params.dims_el[1] = params.dims_el[2] = 58, params.dims_el[3] = 1;
    must(tmap_map_params_dense(&params), "the strides");
    params.lower_corner[0] = params.lower_corner[1] = params.upper_corner[0] = params.upper_corner[1] = -1;
    params.channels_per_pixel = 64, params.pixels_per_column = 128;
    tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at = {64, 4, 7, 0}, .at_n = 4, .shared = 1024, .offsets = {1, 2}};
    bench_mode("im2col 128 pixels x 64 channels f16", &params, &copy, 0.25);
    params.swizzle = TMAP_SWIZZLE_128B;
    bench_mode("the same, 128B swizzle", &params, &copy, 0.25);
    params.dims_el[0] = 128;
    must(tmap_map_params_dense(&params), "the strides");
    bench_mode("the same, pixels 256 B apart", &params, &copy, 0);
}

/* 64 rows of 128 values. */
static void bench_packed(void) {
    static const struct {
        const char *name;
        tmap_type type;
    } cases[] = {{"load 128x64 b4x16", TMAP_TYPE_B4X16},
                 {"load 128x64 b4x16_p64", TMAP_TYPE_B4X16_P64},
                 {"load 128x64 b6x16_p32", TMAP_TYPE_B6X16_P32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tmap_map_params params = tmap_map_params_tiled(cases[i].type, 2);
        params.dims_el[0] = 8192, params.dims_el[1] = 256, params.strides_B[0] = 8320;
        params.box_el[0] = 128, params.box_el[1] = 64;
        tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at = {128, 8}, .at_n = 2, .shared = 1024};
        bench_mode(cases[i].name, &params, &copy, 0.1);
    }
}

/* ---- Reductions ------------------------------------------------------------------------------------------------- */

/* Operands and elements of all sizes: exponents that are near each other and far apart. */
static void box_fill_randomly(box_bench *b) {
    tmap_random_fill fill;
    tmap_memory random = tmap_memory_random(&fill, 1, b->memory.size_B);
    random.read(random.context, 0, b->global, (size_t)b->memory.size_B);
    random.read(random.context, 1, b->shared, b->copy.footprint_B);
}

static void bench_reductions(void) {
    static const struct {
        const char *name;
        tmap_type type;
        tmap_op op;
    } cases[] = {
        {"reduce_add 32x64 u32, 128B swizzle", TMAP_TYPE_U32, TMAP_OP_REDUCE_ADD},
        {"reduce_add 32x64 f32, 128B swizzle", TMAP_TYPE_F32, TMAP_OP_REDUCE_ADD},
        {"reduce_add 64x64 f16, 128B swizzle", TMAP_TYPE_F16, TMAP_OP_REDUCE_ADD},
        {"reduce_add 64x64 bf16, 128B swizzle", TMAP_TYPE_BF16, TMAP_OP_REDUCE_ADD},
        {"reduce_max 64x64 f16, 128B swizzle", TMAP_TYPE_F16, TMAP_OP_REDUCE_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        box_bench b;
        box_begin(&b, cases[i].type, TMAP_SWIZZLE_128B, cases[i].op, 8);
        box_fill_randomly(&b);
        bench_print(&(bench_case){.name = cases[i].name,
                                  .yardstick = "memcpy of the payload",
                                  .run = box_run,
                                  .reference = box_memcpy,
                                  .context = &b,
                                  .repeats = 200});
        box_end(&b);
    }
}

/* ---- A whole tensor --------------------------------------------------------------------------------------------- */

#define SWEEP_B     ((size_t)64 << 20)
#define PIECE_B     ((size_t)512 << 10)
#define THREADS_MAX 2

typedef struct sweep_bench {
    tmap_sweep sweep, back;
    bool stores;
    tmap_memory memory;
    uint8_t *global;
    unsigned threads;
    uint8_t *pieces[THREADS_MAX];
} sweep_bench;

typedef struct sweep_part {
    const sweep_bench *b;
    unsigned number;
} sweep_part;

/* Every second piece of two threads. */
static void *sweep_thread(void *context) {
    const sweep_part *part = context;
    const sweep_bench *b = part->b;
    uint64_t tiles_n = b->sweep.grid.tiles_n, n = PIECE_B / b->sweep.copy.footprint_B;
    tmap_sweep_result result = {0};
    for (uint64_t first = part->number * n; first < tiles_n; first += n * b->threads) {
        uint8_t *piece = b->pieces[part->number];
        tmap_memory memory = b->memory;
        tmap_status status = b->stores ? tmap_sweep_store(&b->back, first, n, piece, PIECE_B, &memory, &result)
                                       : tmap_sweep_load(&b->sweep, first, n, &memory, piece, PIECE_B, &result);
        must(status == TMAP_OK, "the sweep");
    }
    keep(b->pieces[part->number]);
    return NULL;
}

static void sweep_run(void *context) {
    sweep_bench *b = context;
    sweep_part parts[THREADS_MAX] = {{b, 0}, {b, 1}};
    pthread_t other;
    if (b->threads > 1) must(pthread_create(&other, NULL, sweep_thread, &parts[1]) == 0, "a thread");
    sweep_thread(&parts[0]);
    if (b->threads > 1) pthread_join(other, NULL);
}

/* Copies pieces of the tensor to a buffer, or back, like a sweep without a layout. */
static void sweep_memcpy(void *context) {
    sweep_bench *b = context;
    for (size_t done = 0; done < SWEEP_B; done += PIECE_B) {
        memcpy(b->stores ? b->global + done : b->pieces[0], b->stores ? b->pieces[0] : b->global + done, PIECE_B);
        keep(b->pieces[0]);
    }
}

static void bench_sweep(void) {
    sweep_bench b = {.global = calloc(SWEEP_B, 1), .pieces = {malloc(PIECE_B), malloc(PIECE_B)}};
    tmap_map map;
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    params.dims_el[0] = 4096, params.dims_el[1] = SWEEP_B / 8192;
    params.box_el[0] = params.box_el[1] = 64;
    params.swizzle = TMAP_SWIZZLE_128B;
    must(b.global && b.pieces[0] && b.pieces[1], "memory");
    memset(b.global, 1, SWEEP_B);
    must(tmap_map_params_dense(&params) && tmap_map_init(&map, &params, NULL, NULL) == TMAP_OK, "the map");
    must(tmap_sweep_init(&b.sweep, &map, &(tmap_copy_params){.op = TMAP_OP_LOAD}, NULL, NULL) == TMAP_OK, "the sweep");
    must(tmap_sweep_init(&b.back, &map, &(tmap_copy_params){.op = TMAP_OP_STORE}, NULL, NULL) == TMAP_OK,
         "the way back");
    b.memory = (tmap_memory){.size_B = SWEEP_B, .bytes = b.global};
    static const char *const names[2][THREADS_MAX] = {
        {"sweep 64 MiB, 64x64 f16, 128B swizzle, 1 thread", "the same, 2 threads"},
        {"sweep stored, 64 MiB, 64x64 f16, 128B, 1 thread", "the same, 2 threads"}};
    for (unsigned row = 0; row < 2 * THREADS_MAX; row++) {
        b.stores = row >= THREADS_MAX;
        b.threads = row % THREADS_MAX + 1;
        bench_print(&(bench_case){.name = names[b.stores][b.threads - 1],
                                  .yardstick = "memcpy, 1 thread",
                                  .run = sweep_run,
                                  .reference = sweep_memcpy,
                                  .context = &b,
                                  .speed = 1,
                                  .rounds = 20,
                                  .repeats = 1});
    }
    free(b.global), free(b.pieces[0]), free(b.pieces[1]);
}

/* ---- Making copies ---------------------------------------------------------------------------------------------- */

enum { STARTS_N = 64 };

static void freeze_run(void *context) {
    const box_bench *b = context;
    tmap_copy copy;
    must(tmap_copy_init(&copy, &b->copy.map, &b->copy.params, NULL, NULL) == TMAP_OK, "the copy");
    keep(&copy);
}

/* One box at 64 coordinates in one call, all stores from one image. */
static void batch_run(void *context) {
    box_bench *b = context;
    int64_t starts[STARTS_N][2];
    tmap_copies_result result;
    const tmap_images images = {b->shared, 0, b->copy.footprint_B};
    for (int64_t i = 0; i < STARTS_N; i++) starts[i][0] = 64, starts[i][1] = i;
    must(tmap_copies_run(&b->copy, starts[0], STARTS_N, &images, &b->memory, NULL, &result, NULL) == TMAP_OK,
         "the batch");
    keep(b->global);
}

static void batch_memcpy(void *context) {
    for (int i = 0; i < STARTS_N; i++) box_memcpy(context);
}

static void bench_making(void) {
    box_bench b;
    box_begin(&b, TMAP_TYPE_F16, TMAP_SWIZZLE_128B, TMAP_OP_STORE, 8);
    bench_print(&(bench_case){.name = "tmap_copy_init, store 64x64 f16",
                              .yardstick = "memcpy of the payload",
                              .run = freeze_run,
                              .reference = box_memcpy,
                              .context = &b,
                              .repeats = 5000});
    bench_print(&(bench_case){.name = "64 such stores by tmap_copies_run",
                              .yardstick = "64 memcpy of the payload",
                              .run = batch_run,
                              .reference = batch_memcpy,
                              .context = &b,
                              .speed = 1,
                              .repeats = 100});
    box_end(&b);
}

void bench_copies(void) {
    bench_boxes();
    bench_making();
    bench_pixels();
    bench_packed();
    bench_sweep();
    bench_reductions();
}
