/* Copies of spec files on a device: what `tmap verify` and `tmap capture copies` share. */
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

/* Runs the copies of the files, prints what came of them (to stderr when the recording goes to stdout), and writes the
 * recording where record_path is given, while the run goes on. An exit code. */
int verify_files(verify_options *options, char **paths, size_t paths_n);
