/* The part of a run that one of several processes takes: by --shard, or as the launcher of the processes numbers them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/device_options.h"

typedef struct shard {
    uint64_t rank, size; /* size 0: not said */
} shard;

bool take_shard(void *at, const char *value); /* at: a shard */

#define SHARD_OPTION(type, member)                                                                                     \
    {                                                                                                                  \
        "--shard", "I/N", "only part I of N; by default the rank that Slurm or an MPI launcher gives",                 \
            offsetof(type, member), take_shard                                                                         \
    }

/* Text that a shard of a launcher makes of a path and of a device; kept as long as the run. */
typedef struct shard_names {
    char path[4096], device[64];
} shard_names;

/*
 * Where --shard was not given: the rank that a launcher gives, when it started more than one process. *path then gets
 * the rank behind it (but NULL and "-"), and where no device was named the process takes that of its place on the
 * machine (`device` NULL: the run needs none). What was taken is said on stderr. An exit code.
 */
int shard_settle(shard *own, shard_names *names, const char **path, device_options *device);

static inline bool shard_has(const shard *own, uint64_t number) {
    return number % own->size == own->rank;
}
