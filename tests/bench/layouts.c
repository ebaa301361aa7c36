/* Layouts: their places compared with memset, their algebra and plans with a copy of a layout. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <tmap/unstable/tmap.h>

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
static void bench_places(void) {
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

static void matrix_run(void *context) {
    algebra_bench *b = context;
    tmap_matrix_descriptor d;
    must(tmap_matrix_describe(TMAP_WGMMA, &b->request.shared, &b->request.tile, tmap_type_get(TMAP_TYPE_BF16), 0, &d,
                              NULL) == TMAP_OK,
         "matrix descriptor");
    keep(&d);
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
        {"its matrix descriptor", matrix_run, 1},
        {"plan of a 3 x 3 convolution", conv_run, 2000},
        {"its proof on tiles at the borders", prove_conv_run, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bench_print(&(bench_case){rows[i].name, "memcpy of a layout", rows[i].run, layout_memcpy, &b,
                                  .repeats = rows[i].repeats});
}

/* ---- Registers -------------------------------------------------------------------------------------------------- */

typedef struct register_bench {
    tmap_register_layout layout;
    tmap_layout sro;
} register_bench;

static void register_run(void *context) {
    const register_bench *b = context;
    for (uint64_t e = 0; e < 2048; e++) {
        uint64_t index[2] = {e / 32, e % 32};
        uint64_t numbers[2] = {tmap_register_thread(&b->layout, index, 0), tmap_register_local(&b->layout, index)};
        keep(numbers);
    }
}

static void register_places(void *context) {
    const register_bench *b = context;
    for (int64_t e = 0; e < 2048; e++) {
        tmap_axis_values place;
        tmap_layout_place(&b->sro, e, 0, &place);
        keep(&place);
    }
}

static void bench_register(void) {
    static const char text[] = "spatial(4,2).local(2,2).spatial(8,4).local(1,2)";
    tmap_result *result;
    register_bench b;
    must(tmap_evaluate(text, strlen(text), NULL, NULL, &result, NULL) == TMAP_OK, text);
    b.layout = *(const tmap_register_layout *)tmap_result_value(result)->as.data;
    tmap_result_free(result);
    must(tmap_register_to_layout(&b.layout, tmap_axis_get(TMAP_AXIS_ID_TX), &b.sro, NULL) == TMAP_OK, "S/R/O");
    bench_print(&(bench_case){"thread and register of 2048 elements", "their places in S/R/O", register_run,
                              register_places, &b, .bound = 1.2, .repeats = 10});
}

/* ---- Bank conflicts --------------------------------------------------------------------------------------------- */

static void stats_run(void *context) {
    tmap_recommendation advice;
    must(tmap_recommend_swizzle(context, 2, NULL, &advice) == TMAP_OK, "advice");
    keep(&advice);
}

static void stats_memcpy(void *context) {
    static char from[8192], to[8192];
    (void)context;
    keep(from);
    memcpy(to, from, sizeof to);
    keep(to);
}

static void bench_stats(void) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    tmap_copy_params at = {.op = TMAP_OP_LOAD, .at_n = 2};
    tmap_map map;
    tmap_copy copy;
    params.dims_el[0] = 4096, params.dims_el[1] = 1024, params.box_el[0] = 64, params.box_el[1] = 128;
    params.swizzle = TMAP_SWIZZLE_128B;
    must(tmap_map_params_dense(&params) && tmap_map_init(&map, &params, NULL, NULL) == TMAP_OK, "the map");
    must(tmap_copy_init(&copy, &map, &at, NULL, NULL) == TMAP_OK, "the copy");
    bench_print(&(bench_case){"bank conflicts with each swizzle, 64x128 f16", "memcpy of 8 KiB", stats_run,
                              stats_memcpy, &copy, .repeats = 20});
}

void bench_layouts(void) {
    bench_places();
    bench_register();
    bench_algebra();
    bench_stats();
}
