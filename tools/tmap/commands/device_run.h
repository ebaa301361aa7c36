/* tmap device run: compares tmap with the device in a limited time. */
#pragma once

#include "options/options.h"

typedef struct device_run_options {
    const char *device, *only, *specs, *bench;
    optional_number seed, limit_s, jobs, sample;
    bool no_faults, list;
} device_run_options;

/* Runs the parts and writes their results to the folder `out` (NULL with `list`). Returns an exit code. */
int device_run(const device_run_options *options, const char *out);
