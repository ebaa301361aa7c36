/* The bench table: what the library's hot paths cost against a yardstick measured in the same run. */
#include "bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tmap/tmap.h>
#include <yaml.h>

/* ---- One box ---------------------------------------------------------------------------------------------------- */

typedef struct box_bench {
    tmap_copy copy;
    tmap_memory memory;
    uint8_t *global, *shared, *contiguous;
    tmap_copy_result result;
} box_bench;

#define PITCH_B 8320

static void must(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "bench: %s failed\n", what);
    exit(1);
}

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

/* A box of 64 rows of 128 B, or four rows of it, out of a tensor of pitch 8320 B. */
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

static void keep(void *bytes) {
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

static void box_run(void *context) {
    box_bench *b = context;
    (void)tmap_emulate(&b->copy, b->shared, b->copy.footprint_B, &b->memory, &b->result);
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

/* The filter of 3 x 3 over an image of 58 x 58; 128 pixels of 64 channels that wrap twice. Pixels of a pitch that is a
 * power of two share few sets of the cache: what that costs is a row of its own. */
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

/* Pieces of the tensor to a buffer, or the reverse, as a sweep without a layout would. */
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

/* ---- One descriptor --------------------------------------------------------------------------------------------- */

typedef struct encode_bench {
    tmap_map_params params;
    tmap_map map;
    tmap_descriptor descriptor, from;
} encode_bench;

static void encode_run(void *context) {
    encode_bench *b = context;
    tmap_descriptor_encode(&b->map, &b->descriptor);
    keep(&b->descriptor);
}

static void check_and_encode_run(void *context) {
    encode_bench *b = context;
    if (tmap_map_init(&b->map, &b->params, NULL, NULL) == TMAP_OK) tmap_descriptor_encode(&b->map, &b->descriptor);
    keep(&b->descriptor);
}

static void encode_memcpy(void *context) {
    encode_bench *b = context;
    keep(&b->from);
    memcpy(&b->descriptor, &b->from, sizeof b->descriptor);
    keep(&b->descriptor);
}

static void bench_encode(void) {
    encode_bench b = {.params = tmap_map_params_tiled(TMAP_TYPE_BF16, 5)};
    for (int i = 0; i < 5; i++) b.params.dims_el[i] = 128, b.params.box_el[i] = i < 2 ? 64 : 1;
    b.params.swizzle = TMAP_SWIZZLE_128B;
    must(tmap_map_params_dense(&b.params), "the strides");
    must(tmap_map_init(&b.map, &b.params, NULL, NULL) == TMAP_OK, "the map");
    bench_case c = {"encode a 5-D map", "memcpy of 128 bytes", encode_run, encode_memcpy, &b, 20, 0, 20000};
    bench_print(&c);
    bench_case checked = {
        "check and encode a 5-D map", "memcpy of 128 bytes", check_and_encode_run, encode_memcpy, &b, 0, 0, 5000};
    bench_print(&checked);
}

/* ---- What a runtime calls --------------------------------------------------------------------------------------- */

#define RUNTIME_ARCHS TMAP_ARCH_BIT(SM_90A)

typedef struct runtime_bench {
    tmap_map_params params;
    tmap_dl_tensor tensor;
    int64_t shape[2], strides[2], box[2];
    tmap_descriptor descriptor, from, to;
    tmap_driver *driver;
    uint64_t address;
} runtime_bench;

static void build_run(void *context) {
    runtime_bench *b = context;
    must(tmap_build(&b->params, RUNTIME_ARCHS, &b->descriptor, NULL, 0) == TMAP_OK, "building");
    keep(&b->descriptor);
}

static void dlpack_run(void *context) {
    runtime_bench *b = context;
    tmap_map_params params;
    must(tmap_params_from_dlpack(&b->tensor, b->box, &params, NULL, 0) == TMAP_OK, "the DLTensor");
    params.swizzle = TMAP_SWIZZLE_128B;
    must(tmap_build(&params, RUNTIME_ARCHS, &b->descriptor, NULL, 0) == TMAP_OK, "building");
    keep(&b->descriptor);
}

static void replace_address_run(void *context) {
    runtime_bench *b = context;
    b->address ^= 0x10000;
    must(tmap_replace_address(&b->descriptor, b->address, RUNTIME_ARCHS, NULL, 0) == TMAP_OK, "replacing");
    keep(&b->descriptor);
}

static void replace_tensor_run(void *context) {
    runtime_bench *b = context;
    b->params.dims_el[1] ^= 1;
    must(tmap_replace_tensor(&b->descriptor, (int)b->params.rank, b->params.dims_el, b->params.strides_B, RUNTIME_ARCHS,
                             NULL, 0) == TMAP_OK,
         "replacing");
    keep(&b->descriptor);
}

static void driver_run(void *context) {
    runtime_bench *b = context;
    int result = 0;
    must(tmap_driver_encode(b->driver, &b->params, 0, &b->descriptor, &result) == TMAP_OK, "the driver");
    keep(&b->descriptor);
}

static void runtime_memcpy(void *context) {
    runtime_bench *b = context;
    keep(&b->from);
    memcpy(&b->to, &b->from, sizeof b->to);
    keep(&b->to);
}

static void bench_descriptor(const char *name, void (*run)(void *), runtime_bench *b) {
    bench_print(&(bench_case){.name = name,
                              .yardstick = "memcpy of 128 bytes",
                              .run = run,
                              .reference = runtime_memcpy,
                              .context = b,
                              .repeats = 5000});
}

static void bench_driver(runtime_bench *b) {
    char reason[256];
    if (tmap_driver_open(NULL, 0, &b->driver, reason, sizeof reason) != TMAP_OK) {
        printf("%-48s not measured: %s\n", "cuTensorMapEncodeTiled, 2-D", reason);
        return;
    }
    bench_descriptor("cuTensorMapEncodeTiled, 2-D", driver_run, b);
    tmap_driver_close(b->driver);
}

static void bench_runtime(void) {
    runtime_bench b = {.shape = {8192, 4096}, .strides = {4096, 1}, .box = {128, 64}, .address = 0x7f0000100000};
    b.tensor =
        (tmap_dl_tensor){.data = (void *)(uintptr_t)b.address, .ndim = 2, .shape = b.shape, .strides = b.strides};
    b.tensor.device.device_type = 2;
    b.tensor.dtype.code = 2, b.tensor.dtype.bits = 16, b.tensor.dtype.lanes = 1;
    must(tmap_params_from_dlpack(&b.tensor, b.box, &b.params, NULL, 0) == TMAP_OK, "the DLTensor");
    b.params.swizzle = TMAP_SWIZZLE_128B;
    bench_descriptor("tmap_build, 2-D", build_run, &b);
    bench_descriptor("the same from a DLTensor", dlpack_run, &b);
    bench_descriptor("tmap_replace_address, 2-D", replace_address_run, &b);
    bench_descriptor("tmap_replace_tensor, 2-D", replace_tensor_run, &b);
    bench_driver(&b);
}

/* ---- One large spec --------------------------------------------------------------------------------------------- */

#define TENSORS 10000

static void spec_run(void *context) {
    tmap_text *text = context;
    tmap_diags diags = {0};
    tmap_spec *spec = NULL;
    must(tmap_spec_read(text->data, text->size, "bench.yaml", NULL, &diags, &spec) == TMAP_OK, "reading");
    must(tmap_spec_check(spec, NULL, &diags) == TMAP_OK, "checking");
    tmap_spec_free(spec);
    tmap_diags_free(&diags);
}

static void spec_libyaml(void *context) {
    tmap_text *text = context;
    yaml_parser_t parser;
    yaml_event_t event;
    must(yaml_parser_initialize(&parser) == 1, "libyaml");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text->data, text->size);
    for (bool done = false; !done; yaml_event_delete(&event)) {
        must(yaml_parser_parse(&parser, &event) == 1, "libyaml");
        done = event.type == YAML_STREAM_END_EVENT;
    }
    yaml_parser_delete(&parser);
}

static void bench_spec(void) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_puts(&sink, "tmap: 1\ntensors:\n");
    for (int i = 0; i < TENSORS; i++)
        tmap_printf(&sink,
                    "  tensor_%d:\n    type: f16\n    axes: [k, m]\n    dims: [4096, %d]\n    strides: [8192]\n"
                    "    box: [64, 128]\n    swizzle: 128B\n    l2_promotion: 128B\n",
                    i, 128 + i);
    must(!sink.failed, "memory");
    bench_case c = {"read and check 10,000 tensors", "libyaml's events alone", spec_run, spec_libyaml, &text, 3, 0, 1};
    bench_print(&c);
    tmap_text_free(&text);
}

/* ---- A layout's places ------------------------------------------------------------------------------------------ */

#define PLACES ((size_t)16 << 20)

typedef struct layout_bench {
    tmap_layout layout;
    int64_t *offsets;
} layout_bench;

static void layout_run(void *context) {
    layout_bench *b = context;
    tmap_layout_offsets(&b->layout, tmap_axis_get(TMAP_AXIS_ID_M), 0, PLACES, b->offsets);
    keep(b->offsets);
}

static void layout_memset(void *context) {
    layout_bench *b = context;
    memset(b->offsets, 1, PLACES * sizeof *b->offsets);
    keep(b->offsets);
}

/* Four iters that do not continue each other, of 16 Mi elements: a transposed tile of tiles, and one with small ends.
 */
static void bench_layout(void) {
    static const char *const texts[][2] = {
        {"places of 16 Mi elements, 4 iters", "S[(256,64,16,64):(1024,262144,64,1)]"},
        {"places of 16 Mi elements, uneven extents", "S[(11,7,3,72629):(1,799000,5593000,11)]"},
        {"places of 16 Mi elements, 4 small inner iters", "S[(524288,8,2,2):(1,524288,8388608,4194304)]"},
    };
    layout_bench b = {.offsets = aligned_alloc(4096, PLACES * sizeof(int64_t))};
    must(b.offsets != NULL, "memory");
    memset(b.offsets, 0, PLACES * sizeof *b.offsets);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        must(tmap_layout_parse(texts[i][1], strlen(texts[i][1]), &b.layout, NULL) == TMAP_OK, "the layout");
        bench_print(&(bench_case){texts[i][0], "memset of the places", layout_run, layout_memset, &b, .bound = 3,
                                  .repeats = 1});
    }
    free(b.offsets);
}

/* ---- The algebra of layouts, and plans -------------------------------------------------------------------------- */

typedef struct algebra_bench {
    tmap_layout layout, tile, out;
    tmap_shape whole, part;
    tmap_xor swizzle;
    tmap_plan_request request;
    tmap_plan plan;
    tmap_conv_request conv;
    tmap_conv_plan conv_plan;
} algebra_bench;

static void canonical_run(void *context) {
    algebra_bench *b = context;
    tmap_layout_canonical(&b->layout, &b->out);
    keep(&b->out);
}

static void tile_run(void *context) {
    algebra_bench *b = context;
    must(tmap_layout_tile(&b->tile, &b->layout, &b->whole, &b->part, &b->out, NULL) == TMAP_OK, "tile");
    keep(&b->out);
}

static void compose_run(void *context) {
    algebra_bench *b = context;
    must(tmap_layout_compose(&b->swizzle, &b->tile, &b->out, NULL) == TMAP_OK, "compose");
    keep(&b->out);
}

static void plan_run(void *context) {
    algebra_bench *b = context;
    must(tmap_plan_make(&b->request, &b->plan, NULL) == TMAP_OK, "plan");
    keep(&b->plan);
}

static void prove_run(void *context) {
    algebra_bench *b = context;
    must(tmap_plan_prove(&b->plan, &b->request, NULL, NULL) == TMAP_OK, "proof");
}

static tmap_layout parsed_layout(const char *text) {
    tmap_layout layout;
    must(tmap_layout_parse(text, strlen(text), &layout, NULL) == TMAP_OK, text);
    return layout;
}

static void conv_run(void *context) {
    algebra_bench *b = context;
    must(tmap_conv_plan_make(&b->conv, &b->conv_plan, NULL) == TMAP_OK, "plan of a convolution");
    keep(&b->conv_plan);
}

static void prove_conv_run(void *context) {
    algebra_bench *b = context;
    must(tmap_conv_plan_prove(&b->conv_plan, &b->conv, NULL, NULL, NULL) == TMAP_OK, "proof of a convolution");
}

/* 3 x 3, padding 1, over 32 images of 56 x 56 with 64 channels: tiles of 128 pixels. */
static tmap_conv_request conv_request(void) {
    tmap_conv_request r = {.conv = tmap_conv_plain(2), .type = TMAP_TYPE_F16, .tile = {2, {128, 64}}};
    r.conv.batch = 32, r.conv.channels = r.conv.filters = 64;
    for (int i = 0; i < 2; i++) {
        r.conv.size[i] = 56, r.conv.filter[i] = 3;
        r.conv.pad_lower[i] = r.conv.pad_upper[i] = 1;
    }
    r.shared = parsed_layout("swizzle(f16,128B) o S[(128,64):(64,1)]");
    return r;
}

static void layout_memcpy(void *context) {
    algebra_bench *b = context;
    memcpy(&b->out, &b->layout, sizeof b->out);
    keep(&b->out);
}

/* A K-major operand of 128 x 128 in blocks of 64 columns. */
static void bench_algebra(void) {
    algebra_bench b = {.layout = parsed_layout("S[(4,2,4,2):(16,8,2,1)]"),
                       .tile = parsed_layout("S[(8,64):(64,1)]"),
                       .whole = {2, {8, 8}},
                       .part = {2, {8, 64}},
                       .swizzle = {3, 3, 3, false}};
    b.request = (tmap_plan_request){.type = TMAP_TYPE_BF16,
                                    .op = TMAP_OP_LOAD,
                                    .shape = {2, {8192, 4096}},
                                    .begin = {2, {256, 128}},
                                    .tile = {2, {128, 128}},
                                    .strides_el = {4096, 1}};
    b.conv = conv_request();
    b.request.shared = parsed_layout("swizzle(bf16,128B) o S[(128,2,64):(64,8192,1)]");
    static const struct {
        const char *name;
        void (*run)(void *);
        unsigned repeats;
    } rows[] = {
        {"canonical form of 4 iters", canonical_run, 20000},
        {"tile of 4 by 2 iters", tile_run, 20000},
        {"compose with a swizzle", compose_run, 20000},
        {"plan of a 128 x 128 operand", plan_run, 2000},
        {"its proof", prove_run, 1},
        {"plan of a 3 x 3 convolution", conv_run, 2000},
        {"its proof on tiles at the borders", prove_conv_run, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_print(&(bench_case){rows[i].name, "memcpy of a layout", rows[i].run, layout_memcpy, &b,
                                  .repeats = rows[i].repeats});
}

int main(void) {
    printf("%-48s %12s %12s  %-22s %8s\n", "case", "ns", "yardstick ns", "yardstick", "ratio");
    bench_boxes();
    bench_pixels();
    bench_packed();
    bench_sweep();
    bench_reductions();
    bench_encode();
    bench_runtime();
    bench_spec();
    bench_layout();
    bench_algebra();
    return 0;
}
