/* The functions that a runtime calls for a descriptor, compared with a copy of its 128 bytes. */
#include "bench.h"

#include <string.h>
#include <tmap/unstable/tmap.h>

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

/* ---- The builder ------------------------------------------------------------------------------------------------ */

#define RUNTIME_ARCHS TMAP_ARCH_BIT(SM_90A)

typedef struct runtime_bench {
    tmap_map_params params;
    tmap_dl_tensor tensor;
    int64_t shape[2], strides[2], box[2];
    tmap_descriptor descriptor, from, to;
    tmap_prepared prepared;
    tmap_driver *driver;
    uint64_t address;
} runtime_bench;

static void build_run(void *context) {
    runtime_bench *b = context;
    must(tmap_build(&b->params, RUNTIME_ARCHS, &b->descriptor, NULL) == TMAP_OK, "building");
    keep(&b->descriptor);
}

static void dlpack_run(void *context) {
    runtime_bench *b = context;
    tmap_map_params params;
    must(tmap_params_from_dlpack(&b->tensor, b->box, &params, NULL) == TMAP_OK, "the DLTensor");
    params.swizzle = TMAP_SWIZZLE_128B;
    must(tmap_build(&params, RUNTIME_ARCHS, &b->descriptor, NULL) == TMAP_OK, "building");
    keep(&b->descriptor);
}

static void prepared_run(void *context) {
    runtime_bench *b = context;
    b->address ^= 0x10000;
    must(tmap_prepared_at(&b->prepared, b->address, &b->descriptor, NULL) == TMAP_OK, "moving");
    keep(&b->descriptor);
}

static void replace_address_run(void *context) {
    runtime_bench *b = context;
    b->address ^= 0x10000;
    must(tmap_replace_address(&b->descriptor, b->address, RUNTIME_ARCHS, NULL) == TMAP_OK, "replacing");
    keep(&b->descriptor);
}

static void replace_tensor_run(void *context) {
    runtime_bench *b = context;
    b->params.dims_el[1] ^= 1;
    must(tmap_replace_tensor(&b->descriptor, b->params.rank, b->params.dims_el, b->params.strides_B, RUNTIME_ARCHS,
                             NULL) == TMAP_OK,
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
    tmap_diag refusal;
    if (tmap_driver_open(NULL, 0, &b->driver, &refusal) != TMAP_OK) {
        printf("%-48s not measured: %s\n", "cuTensorMapEncodeTiled, 2-D", refusal.message);
        return;
    }
    bench_print(&(bench_case){.name = "cuTensorMapEncodeTiled, 2-D",
                              .yardstick = "tmap_build",
                              .run = driver_run,
                              .reference = build_run,
                              .context = b,
                              .repeats = 5000});
    tmap_driver_close(b->driver);
}

static void bench_builder(void) {
    runtime_bench b = {.shape = {8192, 4096}, .strides = {4096, 1}, .box = {128, 64}, .address = 0x7f0000100000};
    b.tensor =
        (tmap_dl_tensor){.data = (void *)(uintptr_t)b.address, .ndim = 2, .shape = b.shape, .strides = b.strides};
    b.tensor.device.device_type = 2;
    b.tensor.dtype.code = 2, b.tensor.dtype.bits = 16, b.tensor.dtype.lanes = 1;
    must(tmap_params_from_dlpack(&b.tensor, b.box, &b.params, NULL) == TMAP_OK, "the DLTensor");
    b.params.swizzle = TMAP_SWIZZLE_128B;
    build_run(&b);
    bench_descriptor("tmap_build, 2-D", build_run, &b);
    bench_descriptor("the same from a DLTensor", dlpack_run, &b);
    must(tmap_prepare(&b.params, RUNTIME_ARCHS, &b.prepared, NULL) == TMAP_OK, "preparing");
    bench_descriptor("tmap_prepared_at, 2-D", prepared_run, &b);
    bench_descriptor("tmap_replace_address, 2-D", replace_address_run, &b);
    bench_descriptor("tmap_replace_tensor, 2-D", replace_tensor_run, &b);
    bench_driver(&b);
}

void bench_runtime(void) {
    bench_encode();
    bench_builder();
}
