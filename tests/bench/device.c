/* Copies per second on a device, compared with the cost of the prediction alone. */
#include "bench.h"

#include <tmap/unstable/fuzz.h>

#define COPIES TMAP_FUZZ_BLOCK

typedef struct device_bench {
    tmap_device *device;
    tmap_fuzz fuzz;
    uint64_t next; /* block of random copies */
    tmap_probe *probes;
    tmap_probe_report *reports;
    tmap_diag refusal;
} device_bench;

static void fuzz_run(void *context) {
    device_bench *b = context;
    tmap_probe_options options = {.without_faults = true};
    tmap_fuzz_block block;
    must(tmap_fuzz_run(b->device, &b->fuzz, b->next++, &options, NULL, NULL, &block, &b->refusal) == TMAP_OK,
         "a block of random copies");
}

static void fuzz_predict(void *context) {
    device_bench *b = context;
    tmap_fuzz_block block;
    must(tmap_fuzz_predict(&b->fuzz, b->next, NULL, &block) == TMAP_OK, "the prediction of random copies");
}

/* Loads of 64 rows of 128 B at different rows of a tensor, as tmap verify runs them. */
static void plan_loads(device_bench *b) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    params.dims_el[0] = params.dims_el[1] = 128;
    params.box_el[0] = params.box_el[1] = 64;
    params.swizzle = TMAP_SWIZZLE_128B;
    must(tmap_map_params_dense(&params), "the strides");
    for (size_t i = 0; i < COPIES; i++) {
        tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at = {64, (int64_t)(i % 64)}, .at_n = 2, .shared = 1024};
        must(tmap_probe_plan(&b->probes[i], &params, &copy, i, NULL, NULL) == TMAP_OK, "a load");
    }
}

static void verify_run(void *context) {
    device_bench *b = context;
    tmap_probe_options options = {.without_faults = true};
    must(tmap_probes_run(b->device, &options, b->probes, COPIES, b->reports) == TMAP_OK, "the loads");
}

static void verify_predict(void *context) {
    device_bench *b = context;
    char digest[65];
    for (size_t i = 0; i < COPIES; i++) must(tmap_probe_digest(&b->probes[i], NULL, digest) == TMAP_OK, "a digest");
}

static void bench_opened(device_bench *b) {
    b->fuzz = (tmap_fuzz){.seed = 1, .archs = tmap_device_target(b->device), .without_faults = true};
    b->probes = calloc(COPIES, sizeof *b->probes);
    b->reports = calloc(COPIES, sizeof *b->reports);
    must(b->probes && b->reports, "memory");
    plan_loads(b);
    bench_case rows[] = {
        {.name = "verify: a load of 64x64 f16, 128B swizzle", .run = verify_run, .reference = verify_predict},
        {.name = "fuzz: a random copy", .run = fuzz_run, .reference = fuzz_predict},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i].yardstick = "the prediction alone", rows[i].context = b;
        rows[i].repeats = 1, rows[i].rounds = 5, rows[i].copies = COPIES;
        bench_print(&rows[i]);
    }
    free(b->probes), free(b->reports);
}

void bench_device(const char *name) {
    static device_bench b;
    if (tmap_device_open(name, true, &b.device, &b.refusal) != TMAP_OK) {
        printf("%-48s not measured: %s\n", "copies on the device", b.refusal.message);
        return;
    }
    bench_opened(&b);
    tmap_device_close(b.device);
}
