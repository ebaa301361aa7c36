/* The GPU of the CUDA driver: declarations that its files share. */
#pragma once

#include "device/device.h"
#include "diag/refuse.h"
#include "driver/driver.h"
#include "text/print.h"

/* Memory of the device that can grow. */
typedef struct gpu_memory {
    uint64_t address, size_B;
} gpu_memory;

/* Memory of this process that kernels write. It is readable even after the context is lost. */
typedef struct gpu_host_memory {
    void *bytes;
    uint64_t address, size_B; /* `address` is the device's */
} gpu_host_memory;

typedef struct gpu_calls {
#define CUDA_CALL(id, symbol, arguments) cuda_##id *id;
#include "driver/gpu_calls.def"
#undef CUDA_CALL
} gpu_calls;

/* A loaded kernel for one form, operation and rank. */
typedef struct gpu_module {
    const tmap_form_info *form;
    uint64_t rank;
    tmap_type type; /* of a reduction without a tensor map, else u8 */
    tmap_copy_params
        copy; /* the copy for which it was made: its operation, and the parts of a replacement that are in the code */
    cuda_module handle;
} gpu_module;

typedef struct gpu {
    tmap_driver *driver;
    gpu_calls call;
    tmap_archs target;
    const char *target_name;
    uint32_t shared_B;
    int ptx_version; /* the highest that the driver accepts */
    gpu_memory global, images, jobs;
    gpu_host_memory outcomes;
    gpu_module *modules;
    size_t modules_n, modules_room;
    int fault; /* the CUresult after which no call works in this process any more; 0: none */
} gpu;

tmap_status tmap_gpu_tell_call(tmap_diag *why, const char *call, int result);

/*
 * Every result of the driver goes through this function: after a CUresult that loses the context, the GPU has a
 * `fault`. Kernels run asynchronously, so any later call may return the fault of a kernel. Returns `result`.
 */
int tmap_gpu_note_result(gpu *g, int result);

/* Allocates at least size_B bytes. Growing loses the contents. */
tmap_status tmap_gpu_grow(gpu *g, gpu_memory *memory, uint64_t size_B, tmap_diag *why);

tmap_status tmap_gpu_grow_host(gpu *g, gpu_host_memory *memory, uint64_t size_B, tmap_diag *why);

/* The form with which this GPU runs the job; NULL: none. */
const tmap_form_info *tmap_gpu_form_of(const gpu *g, const tmap_job *job);
/* The number of dimensions of the job's kernel. */
uint64_t tmap_gpu_rank_of(const tmap_job *job);
/* The type in the job's instruction: the type of a reduction without a tensor map, else u8. */
tmap_type tmap_gpu_type_of(const tmap_job *job);
/* Whether two copies of one form and type have the same code. */
bool tmap_gpu_same_code(const tmap_copy_params *a, const tmap_copy_params *b);

/* Whether the driver is new enough for the job's kernel. If not, *why names the required driver. */
bool tmap_gpu_accepts_kernel(const gpu *g, const tmap_form_info *form, const tmap_job *job, tmap_diag *why);

/* The function of a kernel, compiled on first use. `result` is the CUresult of the call that failed, or 0. */
tmap_status tmap_gpu_function(gpu *g, const tmap_form_info *form, const tmap_job *like, cuda_function *function,
                              int *result, tmap_diag *why);
void tmap_gpu_unload(gpu *g);

/* As tmap_device_run. */
tmap_status tmap_gpu_run(gpu *g, tmap_batch *batch, tmap_diag *why);
