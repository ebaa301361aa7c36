/* What a device is inside: a table of calls and what they work on. Plug-ins, CUDA and the isolating process are alike.
 */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include "tmap/device.h"

/* The GPU behind the CUDA driver; options "device=N". */
extern const tmap_plugin tmap_cuda_calls;
/* A process that has a device in it; its options are that device's whole name. */
extern const tmap_plugin tmap_worker_calls;

/* Whether the jobs, images and sizes of a batch fit together; devices may rely on it. */
bool tmap_batch_is_sound(const tmap_batch *batch);

#endif
