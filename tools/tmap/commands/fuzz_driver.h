/* The driver's verdicts on maps near every limit. */
#pragma once

#include "device/shards.h"

/* Calls the driver, in a separate process, with `cases` nearly valid maps of `seed`, those of the shard. Prints where
 * the driver and the rules disagree. Returns an exit code. */
int verdicts_run(const device_options *device, const shard *own, uint64_t seed, uint64_t cases, bool json);
