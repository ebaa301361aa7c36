/* The part of a run for one of several processes: from --shard, or from the launcher of the processes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/device_options.h"

typedef struct shard {
    uint64_t rank, size; /* size 0: not given */
} shard;

bool take_shard(void *at, const char *value); /* at: a shard */

#define SHARD_OPTION(type, member)                                                                                     \
    {                                                                                                                  \
        "--shard", "I/N", "only part I of N; default: the rank from Slurm or an MPI launcher", offsetof(type, member), \
            take_shard                                                                                                 \
    }

/* Texts that a shard of a launcher makes from a path and a device. They live as long as the run. */
typedef struct shard_names {
    char path[4096], device[64];
} shard_names;

/*
 * If --shard was not given: uses the rank from a launcher that started more than one process. Appends the rank to *path
 * (except NULL and "-"). If no device was named, the process uses the device of its place on the machine (`device`
 * NULL: the run needs none). Reports these choices on stderr. Returns an exit code.
 */
int shard_settle(shard *own, shard_names *names, const char **path, device_options *device);

static inline bool shard_has(const shard *own, uint64_t number) {
    return number % own->size == own->rank;
}
