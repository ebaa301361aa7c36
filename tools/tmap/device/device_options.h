/* Devices that run copies: the option --device, and further options of a run. */
#pragma once

#include "options/options.h"
#include "tmap/unstable/capture.h"
#include "tmap/unstable/probe.h"

typedef struct device_options {
    const char *name; /* NULL: "cuda" */
    tmap_probe_encoder encoder;
    optional_number timeout_ms, memory_B;
} device_options;

bool take_encoder(void *at, const char *value); /* at: a tmap_probe_encoder */
bool take_timeout(void *at, const char *value); /* at: an optional_number */

/* Rows for the option table of a command. Its struct `type` has the device_options `member`. */
#define DEVICE_OPTIONS(type, member)                                                                                   \
    {"--device", "NAME", "cuda (default), cuda,device=N, or the path of a plug-in", offsetof(type, member.name),       \
     NULL},                                                                                                            \
        {"--backend", "BACKEND", "descriptors by native (default) or driver", offsetof(type, member.encoder),          \
         take_encoder},                                                                                                \
        {"--timeout", "MS", "time limit of one copy (200), or of one call of the driver (10000)",                      \
         offsetof(type, member.timeout_ms), take_timeout},                                                             \
    {                                                                                                                  \
        "--memory", "BYTES", "limit of memory for the tensor of one copy on the device (1 GiB)",                       \
            offsetof(type, member.memory_B), take_number                                                               \
    }

#define NO_FAULTS_OPTION(type, member)                                                                                 \
    { "--no-faults", NULL, "skip copies that break a rule: they stop the GPU's context", offsetof(type, member), NULL }

/* Opens the device in a separate process. Reports errors and returns an exit code. */
int device_open(const device_options *options, tmap_device **device);
/* Options of a run. A fault that no copy causes when it runs alone is reported and counted as a finding. */
tmap_probe_options device_probe_options(const device_options *options);
size_t device_lost_faults(void);

/* Opens the CUDA driver in a separate process, for calls of the driver only. Reports errors and returns an exit
 * code. */
int driver_open(const device_options *options, tmap_capture_source **source);
