/* What a device is inside: a table of calls and what they work on. Plug-ins, CUDA and the isolating process are alike.
 */
#pragma once

#include "tmap/unstable/device.h"

/* CUresults by which this room itself names a device that is silent, and one whose process died. */
#define CUDA_ERROR_LAUNCH_TIMEOUT_CODE 702
#define CUDA_ERROR_UNKNOWN_CODE        999

/* The GPU behind the CUDA driver; options "device=N". */
extern const tmap_plugin tmap_cuda_calls;
/* A process that has a device in it; its options are that device's whole name. */
extern const tmap_plugin tmap_worker_calls;

/* How long the copies of a batch may take on a device that is well: those of a GPU run in waves, each with its limit.
 */
static inline uint64_t tmap_batch_patience_ms(const tmap_batch *batch) {
    uint64_t one_ms = batch->timeout_ms ? batch->timeout_ms : TMAP_TIMEOUT_DEFAULT_MS;
    return one_ms * (10 + batch->jobs_n / 64);
}

/* Whether the jobs, images and sizes of a batch fit together; devices may rely on it. */
bool tmap_batch_is_sound(const tmap_batch *batch);
