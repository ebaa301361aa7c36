/* A GPU of the CUDA driver as a device: opening, memory. Kernels are in gpu_kernels.c, batches in gpu_batch.c. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"
#include "device/gpu.h"
#include "device/ptx_module.h"
#include "runtime/cuda_errors.h"
#include "text/number.h"
#include "tmap/unstable/tables.h"

#define GRANULE_B (2 << 20)

tmap_status tmap_gpu_tell_call(tmap_diag *why, const char *call, int result) {
    return tmap_fail(TMAP_UNAVAILABLE, why, "%s returned %s (%d)", call, tmap_cuda_error_name(result), result);
}

int tmap_gpu_note_result(gpu *g, int result) {
    bool lost = tmap_cuda_error_sticky(result) || result == CUDA_ERROR_UNKNOWN_CODE;
    if (lost && g->fault == CUDA_SUCCESS_CODE) g->fault = result;
    return result;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static bool read_options(const char *options, int *ordinal) {
    static const char key[] = "device=";
    uint64_t number = 0;
    bool given = strncmp(options, key, strlen(key)) == 0 &&
                 tmap_parse_number(options + strlen(key), strlen(options) - strlen(key), &number);
    *ordinal = (int)number;
    return options[0] == '\0' || (given && number <= INT_MAX);
}

static void close_gpu(void *self) {
    gpu *g = self;
    gpu_memory *const memories[] = {&g->global, &g->images, &g->jobs};
    tmap_gpu_unload(g);
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        if (memories[i]->size_B != 0) (void)g->call.memory_free(memories[i]->address);
    if (g->outcomes.size_B != 0) (void)g->call.host_free(g->outcomes.bytes);
    tmap_driver_close(g->driver);
    (void)tmap_resize(NULL, g, sizeof *g, 0);
}

/* Chooses the target with all instructions of the chip. */
static void choose_target(gpu *g, int chip) {
    for (int arch = 0; tmap_arch_get(arch); arch++) {
        const tmap_arch_info *info = tmap_arch_get(arch);
        if (info->chip != chip || info->variant != 'a') continue;
        g->target = (tmap_archs)1 << arch;
        g->target_name = info->name;
    }
}

static tmap_status look_up_calls(gpu *g, tmap_diag *why) {
#define CUDA_CALL(id, symbol, arguments)                                                                               \
    if (!tmap_driver_symbol(g->driver, symbol, &g->call.id))                                                           \
        return tmap_fail(TMAP_UNAVAILABLE, why, "the driver has no " symbol ": install it again");
#include "driver/gpu_calls.def"
#undef CUDA_CALL
    return TMAP_OK;
}

static tmap_status inspect(gpu *g, tmap_diag *why) {
    const tmap_driver_info *about = tmap_driver_about(g->driver);
    int shared_B = 0;
    choose_target(g, about->chip);
    g->ptx_version = tmap_ptx_version_of_cuda(about->version);
    if (g->target == 0)
        return tmap_fail(TMAP_UNAVAILABLE, why,
                         "%s has compute capability %d.%d, for which this version of tmap has "
                         "no target",
                         about->device, about->chip / 10, about->chip % 10);
    int result = g->driver->device_attribute(&shared_B, CUDA_ATTRIBUTE_SHARED_OPTIN, g->driver->device);
    if (result != CUDA_SUCCESS_CODE) return tmap_gpu_tell_call(why, "cuDeviceGetAttribute", result);
    if (shared_B < 4 * TMAP_IMAGE_ALIGN_B)
        return tmap_fail(TMAP_UNAVAILABLE, why, "the device offers only %d B of shared memory", shared_B);
    g->shared_B = (uint32_t)shared_B - KERNEL_SHARED_B;
    g->shared_B -= g->shared_B % TMAP_LINE_B;
    return TMAP_OK;
}

static tmap_status open_gpu(const char *options, void **self, tmap_diag *why) {
    int ordinal = 0;
    if (!read_options(options, &ordinal))
        return tmap_fail(TMAP_BAD_ARGUMENT, why, "the device cuda has no option '%s'; its option is device=N", options);
    gpu *g = tmap_resize(NULL, NULL, 0, sizeof *g);
    if (!g) return TMAP_NO_MEMORY;
    memset(g, 0, sizeof *g);
    *self = g;
    tmap_status status = tmap_driver_open(NULL, ordinal, &g->driver, why);
    if (status == TMAP_OK) status = look_up_calls(g, why);
    return status == TMAP_OK ? inspect(g, why) : status;
}

static void about_gpu(void *self, tmap_device_info *info) {
    const gpu *g = self;
    const tmap_driver_info *about = tmap_driver_about(g->driver);
    *info = (tmap_device_info){
        .name = "cuda",
        .chip = about->chip,
        .driver = about->version,
        .shared_B = g->shared_B,
        .large_tensor_min_B = about->large_tensor_min_B,
        .hardware = strncmp(about->device, "NVIDIA ", 7) == 0,
    };
    (void)snprintf(info->gpu, sizeof info->gpu, "%s", about->device);
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

tmap_status tmap_gpu_grow(gpu *g, gpu_memory *memory, uint64_t size_B, tmap_diag *why) {
    if (size_B <= memory->size_B) return TMAP_OK;
    if (memory->size_B != 0) (void)tmap_gpu_note_result(g, g->call.memory_free(memory->address));
    *memory = (gpu_memory){0, 0};
    uint64_t granules_B = tmap_round_up(size_B, GRANULE_B);
    int result = tmap_gpu_note_result(g, g->call.memory_alloc(&memory->address, (size_t)granules_B));
    if (result != CUDA_SUCCESS_CODE) {
        (void)tmap_fail(TMAP_UNAVAILABLE, why, "cuMemAlloc of %" PRIu64 " MiB returned %s (%d)", granules_B >> 20,
                        tmap_cuda_error_name(result), result);
        return TMAP_NO_MEMORY;
    }
    memory->size_B = granules_B;
    return TMAP_OK;
}

tmap_status tmap_gpu_grow_host(gpu *g, gpu_host_memory *memory, uint64_t size_B, tmap_diag *why) {
    if (size_B <= memory->size_B) return TMAP_OK;
    if (memory->size_B != 0) (void)tmap_gpu_note_result(g, g->call.host_free(memory->bytes));
    *memory = (gpu_host_memory){NULL, 0, 0};
    uint64_t granules_B = tmap_round_up(size_B, GRANULE_B);
    const char *call = "cuMemHostAlloc";
    int result = g->call.host_alloc(&memory->bytes, (size_t)granules_B, CUDA_HOST_MEMORY_MAPPED);
    if (result == CUDA_SUCCESS_CODE) {
        memory->size_B = granules_B;
        call = "cuMemHostGetDevicePointer";
        result = g->call.host_address(&memory->address, memory->bytes, 0);
    }
    if (tmap_gpu_note_result(g, result) == CUDA_SUCCESS_CODE) return TMAP_OK;
    if (memory->size_B != 0) (void)g->call.host_free(memory->bytes);
    *memory = (gpu_host_memory){NULL, 0, 0};
    (void)tmap_gpu_tell_call(why, call, result);
    return TMAP_NO_MEMORY;
}

static tmap_status refuse_lost(const gpu *g, tmap_diag *why) {
    return tmap_fail(TMAP_UNAVAILABLE, why, "this process lost the device after %s (%d)",
                     tmap_cuda_error_name(g->fault), g->fault);
}

static tmap_status reserve_gpu(void *self, uint64_t size_B, uint64_t *address, tmap_diag *why) {
    gpu *g = self;
    if (g->fault != CUDA_SUCCESS_CODE) return refuse_lost(g, why);
    tmap_status status = tmap_gpu_grow(g, &g->global, size_B > 0 ? size_B : 1, why);
    *address = g->global.address;
    return status;
}

static tmap_status run_gpu(void *self, tmap_batch *batch, tmap_diag *why) {
    gpu *g = self;
    if (g->fault != CUDA_SUCCESS_CODE) return refuse_lost(g, why);
    if (batch->global_B > g->global.size_B)
        return tmap_fail(TMAP_BAD_ARGUMENT, why, "less global memory is reserved than the batch requires");
    return tmap_gpu_run(g, batch, why);
}

const tmap_plugin tmap_cuda_calls = {
    .abi = TMAP_PLUGIN_ABI,
    .open = open_gpu,
    .close = close_gpu,
    .about = about_gpu,
    .reserve = reserve_gpu,
    .run = run_gpu,
};
