/* The driver's verdicts on maps near every limit. */
#pragma once

#include "device/shards.h"

/* Asks the driver, in a process of its own, about `cases` nearly valid maps of `seed`, those of the shard, and prints
 * where it and the rules disagree. An exit code. */
int verdicts_run(const device_options *device, const shard *own, uint64_t seed, uint64_t cases, bool json);
