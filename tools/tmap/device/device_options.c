/* Devices that run copies: opening one by --device, and what a run on it needs. */
#include "device/device_options.h"

#include <limits.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "options/command.h"
#include "output/messages.h"

bool take_encoder(void *at, const char *value) {
    static const char *const names[] = {"native", "driver"};
    int chosen = choose_among("back end", value, names, 2);
    if (chosen >= 0) *(tmap_probe_encoder *)at = chosen == 1 ? TMAP_ENCODE_DRIVER : TMAP_ENCODE_NATIVE;
    return chosen >= 0;
}

#define TIMEOUT_MAX_MS 3600000

bool take_timeout(void *at, const char *value) {
    const optional_number *number = at;
    if (take_number(at, value) && number->value >= 1 && number->value <= TIMEOUT_MAX_MS) return true;
    return wrong_usage("--timeout is a number of milliseconds from 1 to %d (one hour), not '%s'", TIMEOUT_MAX_MS,
                       value);
}

/* Keeps freed memory: each batch allocates its memory again, and allocation by the system would take a fifth of the
 * time. */
static void keep_freed_memory(void) {
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

int device_open(const device_options *options, tmap_device **device) {
    tmap_diag refusal;
    keep_freed_memory();
    tmap_status status = tmap_device_open(options->name ? options->name : "cuda", true, device, &refusal);
    if (status == TMAP_OK) return EXIT_CLEAN;
    if (refusal.message[0] == '\0') return complain_status(status, "the device");
    return complain_refusal(status == TMAP_BAD_ARGUMENT ? EXIT_USAGE : code_of(status), NULL, &refusal);
}

static uint32_t timeout_of(const device_options *options) {
    return options->timeout_ms.given ? (uint32_t)options->timeout_ms.value : 0;
}

static size_t lost_faults_n;

static void say_lost_fault(void *context, int error, size_t probes_n) {
    (void)context;
    lost_faults_n++;
    complain(EXIT_FINDINGS, "a batch of %zu copies stopped the device with %s, but no smaller batch did", probes_n,
             tmap_cuda_error_name(error));
}

size_t device_lost_faults(void) {
    return lost_faults_n;
}

tmap_probe_options device_probe_options(const device_options *options) {
    return (tmap_probe_options){
        .on_lost_fault = say_lost_fault,
        .encoder = options->encoder,
        .timeout_ms = timeout_of(options),
        .memory_B = options->memory_B.given ? options->memory_B.value : 0,
    };
}

static bool read_ordinal(const char *name, int *ordinal) {
    static const char key[] = "cuda,device=";
    uint64_t number = 0;
    bool given = strncmp(name, key, strlen(key)) == 0 && parse_number(name + strlen(key), &number);
    *ordinal = (int)number;
    return strcmp(name, "cuda") == 0 || (given && number <= INT_MAX);
}

int driver_open(const device_options *options, tmap_capture_source **source) {
    tmap_diag refusal;
    int ordinal;
    const char *name = options->name ? options->name : "cuda";
    if (!read_ordinal(name, &ordinal))
        return complain(EXIT_USAGE, "descriptors require the device cuda or cuda,device=N, not '%s'", name);
    tmap_status status = tmap_capture_source_open(NULL, ordinal, true, timeout_of(options), source, &refusal);
    return status == TMAP_OK ? EXIT_CLEAN : complain_refusal(code_of(status), NULL, &refusal);
}
