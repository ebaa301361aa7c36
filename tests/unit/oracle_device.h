/* The oracle as a device, for tests. */
#ifndef TMAP_TESTS_ORACLE_DEVICE_H
#define TMAP_TESTS_ORACLE_DEVICE_H

#include <stdio.h>

#include "cmocka_all.h"
#include "tmap/unstable/device.h"

/* Opens the oracle with the planted fault `fault` ("": no fault), in a separate process if `isolated`. */
static inline tmap_device *open_oracle_in(const char *fault, bool isolated) {
    char name[1024];
    tmap_diag refusal;
    tmap_device *device = NULL;
    snprintf(name, sizeof name, ORACLE_DEVICE "%s%s", fault[0] ? ",fault=" : "", fault);
    if (tmap_device_open(name, isolated, &device, &refusal) != TMAP_OK) fail_msg("%s", refusal.message);
    return device;
}

static inline tmap_device *open_oracle(const char *fault) {
    return open_oracle_in(fault, false);
}

#endif
