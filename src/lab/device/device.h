/* The parts of a device: a table of calls and their context. Plug-ins, CUDA and the isolating process all have this
 * form. */
#pragma once

#include "tmap/unstable/device.h"

/* The CUresults for a device that does not answer, and for a device whose process died. */
#define CUDA_ERROR_LAUNCH_TIMEOUT_CODE 702
#define CUDA_ERROR_UNKNOWN_CODE        999

/* The GPU of the CUDA driver; options "device=N". */
extern const tmap_plugin tmap_cuda_calls;
/* A process with a device in it. The options are the whole name of that device. */
extern const tmap_plugin tmap_worker_calls;

/* The time limit for the copies of a batch on a working device. The copies of a GPU run in waves, each with its own
 * limit. */
static inline uint64_t tmap_batch_patience_ms(const tmap_batch *batch) {
    uint64_t one_ms = batch->timeout_ms ? batch->timeout_ms : TMAP_TIMEOUT_DEFAULT_MS;
    return one_ms * (10 + batch->jobs_n / 64);
}

/* Whether the jobs, images and sizes of a batch are consistent. Devices may rely on this. */
bool tmap_batch_is_sound(const tmap_batch *batch);

/*
 * As tmap_device_run. The device may set `global` and `images` of the batch to memory of its own, instead of writing
 * the caller's; it keeps this memory until the next call but one.
 */
tmap_status tmap_device_run_lent(tmap_device *device, tmap_batch *batch);
/* As tmap_device_run_lent, for a device of tmap_worker_calls. */
tmap_status tmap_worker_run_lent(void *self, tmap_batch *batch, tmap_diag *refusal);
