/* runtime: comparing the native encoder with the driver once, and building by whoever that leaves. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/reason.h"
#include "tmap/gen.h"
#include "tmap/runtime.h"

#define RANDOM_MAPS 256
#define RANDOM_SEED 1
#define ATTEMPTS    4096 /* random maps that are drawn at most: some are not for the given architectures */

/* CUtensorMap is aligned to 64 or 128 bytes. */
typedef struct driver_map {
    _Alignas(128) uint8_t bytes[TMAP_DESCRIPTOR_B];
} driver_map;

/* A checked map fits in the driver's argument types. */
static int ask_driver(tmap_encode_tiled *driver, const tmap_map_params *params, driver_map *out) {
    uint32_t box[TMAP_RANK_MAX], element_strides[TMAP_RANK_MAX];
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        box[i] = (uint32_t)params->box_el[i];
        element_strides[i] = (uint32_t)params->element_strides[i];
    }
    return driver(out->bytes, tmap_type_get((int)params->type)->cu, (uint32_t)params->rank,
                  (void *)(uintptr_t)(params->has_address ? params->address : 0), params->dims_el, params->strides_B,
                  box, element_strides, (int)params->interleave, tmap_swizzle_get((int)params->swizzle)->cu,
                  (int)params->l2_promotion, (int)params->oob_fill);
}

/* Maps that the rules refuse say nothing about the encoders. */
static bool comparable(const tmap_backend *backend, const tmap_map_params *params, tmap_map *map) {
    tmap_judge judge = {.archs = backend->archs};
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)params->swizzle);
    return params->mode == TMAP_MODE_TILED && swizzle != NULL && swizzle->cu >= 0 &&
           tmap_map_init(map, params, &judge, NULL) == TMAP_OK;
}

static void compare(tmap_backend *backend, const tmap_map_params *params, const tmap_map *map) {
    driver_map theirs;
    tmap_descriptor ours;
    memset(theirs.bytes, 0, sizeof theirs.bytes);
    backend->compared_n++;
    int result = ask_driver(backend->driver, &map->params, &theirs);
    tmap_descriptor_encode(map, &ours);
    if (result == 0 && memcmp(ours.bytes, theirs.bytes, sizeof ours.bytes) == 0) return;
    if (backend->uses_driver) return; /* the first one is kept */
    backend->uses_driver = true;
    backend->differs = *params;
    if (result != 0)
        (void)snprintf(backend->reason, sizeof backend->reason,
                       "the driver builds: it refuses map %" PRIu32 ", which the rules allow, with CUresult %d",
                       backend->compared_n, result);
    else
        (void)snprintf(backend->reason, sizeof backend->reason,
                       "the driver builds: it encodes map %" PRIu32 " otherwise", backend->compared_n);
}

static void compare_random(tmap_backend *backend) {
    tmap_random random = {RANDOM_SEED};
    for (int attempt = 0; attempt < ATTEMPTS && backend->compared_n < RANDOM_MAPS; attempt++) {
        tmap_map_params params;
        tmap_map map;
        tmap_random_map(&random, false, &params);
        if (comparable(backend, &params, &map)) compare(backend, &params, &map);
    }
}

void tmap_backend_init(tmap_backend *backend, tmap_encode_tiled *driver, tmap_archs archs, const tmap_map_params *maps,
                       size_t maps_n) {
    memset(backend, 0, sizeof *backend);
    backend->driver = driver;
    backend->archs = archs;
    (void)snprintf(backend->reason, sizeof backend->reason, "the native encoder builds: there is no driver");
    if (driver == NULL) return;
    compare_random(backend);
    for (size_t i = 0; i < maps_n; i++) {
        tmap_map map;
        if (comparable(backend, &maps[i], &map)) compare(backend, &maps[i], &map);
    }
    if (!backend->uses_driver)
        (void)snprintf(backend->reason, sizeof backend->reason,
                       "the native encoder builds: it agrees with the driver on %" PRIu32 " maps", backend->compared_n);
}

tmap_status tmap_backend_build(const tmap_backend *backend, const tmap_map_params *params, tmap_descriptor *descriptor,
                               char *text, size_t size) {
    driver_map theirs;
    if (backend == NULL || params == NULL || descriptor == NULL) return TMAP_BAD_ARGUMENT;
    if (!backend->uses_driver) return tmap_build(params, backend->archs, descriptor, text, size);
    tmap_status status = tmap_build_check(params, backend->archs, text, size);
    if (status != TMAP_OK) return status;
    memset(theirs.bytes, 0, sizeof theirs.bytes);
    int result = ask_driver(backend->driver, params, &theirs);
    if (result != 0) {
        tmap_give_reason((tmap_reason){text, size}, "cuTensorMapEncodeTiled answered CUresult %d", result);
        return TMAP_UNAVAILABLE;
    }
    memcpy(descriptor->bytes, theirs.bytes, sizeof descriptor->bytes);
    return TMAP_OK;
}
