/* Copies of spec files on a device: the common part of `tmap verify` and `tmap capture copies`. */
#pragma once

#include "device/device_options.h"
#include "device/shards.h"
#include "options/judging_options.h"

typedef struct verify_options {
    judging_options judging;
    device_options device;
    optional_number seed;
    shard shard;
    const char *copy, *record_path, *date;
    bool json, no_faults;
} verify_options;

/* Runs the copies of the files and prints their results (to stderr when the recording goes to stdout). With
 * record_path, writes the recording during the run. Returns an exit code. */
int verify_files(verify_options *options, char **paths, size_t paths_n);
