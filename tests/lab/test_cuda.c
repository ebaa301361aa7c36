/* The GPU device on the stand-in driver: the same copies, every call that can fail, faults and timeouts. */
#define _XOPEN_SOURCE 700 /* setenv */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "tmap/unstable/fuzz.h"

static int reset(void **state) {
    (void)state;
    static const char *const variables[] = {"STANDIN_FAIL", "STANDIN_LAG", "STANDIN_STATE",    "STANDIN_LESS",
                                            "STANDIN_CC",   "STANDIN_LOG", "STANDIN_UNCOUNTED"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
    return setenv("TMAP_LIBCUDA", STANDIN, 1);
}

static tmap_device *open_cuda(bool isolated) {
    tmap_diag refusal;
    tmap_device *device = NULL;
    if (tmap_device_open("cuda", isolated, &device, &refusal) != TMAP_OK) fail_msg("%s", refusal.message);
    return device;
}

static tmap_probe load_of_rank(uint64_t rank) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_F16, rank);
    tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at_n = (int)rank};
    tmap_probe probe;
    for (uint64_t i = 0; i < rank; i++) map.dims_el[i] = map.box_el[i] = 8;
    assert_true(tmap_map_params_dense(&map));
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, rank, NULL, NULL), TMAP_OK);
    return probe;
}

static tmap_probe_report run_one(tmap_device *device, const tmap_probe *probe) {
    tmap_probe_report report;
    tmap_status status = tmap_probes_run(device, NULL, probe, 1, &report);
    if (status != TMAP_OK) fail_msg("status %d: %s", status, tmap_device_refusal(device)->message);
    return report;
}

/*
 * A block of random copies, including multicast and both destinations, agrees with the prediction, descriptors
 * included.
 */
static void check_block(const char *chip, tmap_probe_encoder encoder, bool isolated) {
    setenv("STANDIN_CC", chip, 1);
    tmap_diag refusal;
    tmap_device *device = open_cuda(isolated);
    const tmap_fuzz fuzz = {
        .seed = 11, .archs = tmap_device_target(device), .toolkit = tmap_device_about(device)->driver};
    const tmap_probe_options options = {.encoder = encoder};
    tmap_fuzz_block seen, predicted;
    tmap_status status = tmap_fuzz_run(device, &fuzz, 2, &options, NULL, NULL, &seen, &refusal);
    if (status != TMAP_OK) fail_msg("status %d: %s", status, refusal.message);
    assert_int_equal(tmap_fuzz_predict(&fuzz, 2, NULL, &predicted), TMAP_OK);
    assert_int_equal(seen.differing_n, 0);
    assert_string_equal(seen.outputs, predicted.outputs);
    assert_true(seen.by_op[TMAP_OP_LOAD] > 0 && seen.by_op[TMAP_OP_STORE] > 0);
    assert_int_equal(seen.by_op[TMAP_OP_GATHER4] > 0, strcmp(chip, "90") != 0);
    tmap_device_close(device);
}

TEST(native_descriptors) {
    check_block("90", TMAP_ENCODE_NATIVE, false);
}

TEST(the_drivers_descriptors) {
    check_block("90", TMAP_ENCODE_DRIVER, true);
}

TEST(four_rows_on_blackwell) {
    check_block("100", TMAP_ENCODE_NATIVE, true);
}

/* If an error code loses the context, the batch fails on every call; otherwise the code is only a reason. */
TEST(names_the_call_that_fails) {
    static const char *const names[] = {
#define CUDA_CALL(id, symbol, arguments) symbol,
#include "driver/gpu_calls.def"
#undef CUDA_CALL
    };
    static const int codes[] = {1, 719};
    const tmap_probe probe = load_of_rank(2);
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        const char *name = names[i / 2];
        int code = codes[i % 2];
        char fail[64];
        tmap_probe_report report;
        bool at_the_end = strstr(name, "Free") || strcmp(name, "cuModuleUnload") == 0;
        if (at_the_end) continue;
        reset(state);
        tmap_device *device = open_cuda(true);
        snprintf(fail, sizeof fail, "%s=%d", name, code);
        tmap_device_close(device);
        setenv("STANDIN_FAIL", fail, 1);
        device = open_cuda(true);
        (void)tmap_probes_run(device, NULL, &probe, 1, &report);
        if (code == 719 && strcmp(name, "cuMemAlloc_v2") != 0) {
            assert_int_equal(report.end, TMAP_JOB_FAULT);
            assert_int_equal(report.error, 719);
        } else {
            char shown[64];
            snprintf(shown, sizeof shown, "%s", name);
            if (strstr(shown, "_v2")) *strstr(shown, "_v2") = 0;
            assert_int_equal(report.end, TMAP_JOB_NOT_RUN);
            if (!strstr(report.why.message, shown)) fail_msg("%s: \"%s\"", name, report.why.message);
            assert_non_null(strstr(report.why.message, tmap_cuda_error_name(code)));
        }
        tmap_device_close(device);
    }
}

TEST(the_compilers_log_is_reported) {
    const tmap_probe probe = load_of_rank(1);
    tmap_device *device = open_cuda(false);
    setenv("STANDIN_FAIL", "cuModuleLoadDataEx=218", 1);
    tmap_probe_report report = run_one(device, &probe);
    assert_int_equal(report.end, TMAP_JOB_NOT_RUN);
    assert_non_null(strstr(report.why.message, "the stand-in's error log"));
    tmap_device_close(device);
}

TEST(a_fault_loses_only_its_process) {
    const tmap_probe fine = load_of_rank(2), trapping = load_of_rank(3);
    tmap_device *device = open_cuda(true);
    setenv("STANDIN_FAIL", "job=715@rank3", 1);
    tmap_device_close(device);
    device = open_cuda(true);
    assert_int_equal(run_one(device, &trapping).error, 715);
    assert_int_equal(run_one(device, &fine).verdict, TMAP_PROBE_AGREES);
    tmap_device_close(device);
}

static tmap_job job_of(const tmap_probe *probe, uint64_t address, uint64_t images_at) {
    tmap_job job = {.map = probe->map, .driver_encodes = true, .copy = probe->copy, .ctas_n = 1};
    job.map.has_address = true;
    job.map.address = address;
    job.expect_B = tmap_derive_copy(&probe->map, &probe->copy).payload_B;
    job.images_at = images_at;
    job.image_B = probe->image_B;
    return job;
}

/* Only jobs that were to run end in the fault (tmap/unstable/device.h). */
TEST(a_fault_keeps_the_reasons_of_refused_copies) {
    static uint8_t global[1 << 16], images[1 << 16];
    const tmap_probe refused = load_of_rank(2), trapping = load_of_rank(3);
    uint64_t address;
    setenv("STANDIN_FAIL", "cuLaunchKernelEx=701@rank2,job=715@rank3", 1);
    tmap_device *device = open_cuda(true);
    assert_int_equal(tmap_device_reserve(device, sizeof global, &address), TMAP_OK);
    tmap_job jobs[] = {job_of(&refused, address, 0), job_of(&trapping, address, 1 << 15)};
    tmap_batch batch = {.global = global,
                        .global_B = sizeof global,
                        .images = images,
                        .images_B = sizeof images,
                        .jobs = jobs,
                        .jobs_n = 2};
    assert_int_equal(tmap_device_run(device, &batch), TMAP_OK);
    assert_int_equal(jobs[0].error, 701);
    assert_int_equal(jobs[0].end, TMAP_JOB_NOT_RUN);
    assert_int_equal(jobs[1].end, TMAP_JOB_FAULT);
    assert_int_equal(jobs[1].error, 715);
    tmap_device_close(device);
}

/* The kernel of a load reports the timeout; the kernel of a store traps, and its outcome has the reason. */
TEST(a_copy_that_never_completes_is_a_timeout) {
    tmap_probe store = load_of_rank(3);
    const tmap_probe load = load_of_rank(3);
    const tmap_copy_params copy = {.op = TMAP_OP_STORE, .at_n = 3};
    assert_int_equal(tmap_probe_plan(&store, &load.map, &copy, 3, NULL, NULL), TMAP_OK);
    setenv("STANDIN_FAIL", "job=timeout@rank3", 1);
    tmap_device *device = open_cuda(true);
    tmap_probe_report report = run_one(device, &load);
    assert_int_equal(report.end, TMAP_JOB_TIMEOUT);
    assert_int_equal(report.error, 0);
    report = run_one(device, &store);
    assert_int_equal(report.end, TMAP_JOB_TIMEOUT);
    assert_int_equal(report.error, 719);
    assert_int_equal(report.verdict, TMAP_PROBE_DIFFERS);
    assert_int_equal(report.bytes, TMAP_PROBE_NOT_RUN);
    tmap_device_close(device);
}

/* A kernel that never ends fails only its own copy. */
TEST(a_kernel_that_never_ends_is_found) {
    const tmap_probe probes[4] = {load_of_rank(1), load_of_rank(2), load_of_rank(3), load_of_rank(4)};
    const tmap_probe_options options = {.timeout_ms = 4};
    tmap_probe_report reports[4];
    setenv("STANDIN_FAIL", "job=never@rank3", 1);
    tmap_device *device = open_cuda(true);
    assert_int_equal(tmap_probes_run(device, &options, probes, 4, reports), TMAP_OK);
    for (int i = 0; i < 4; i++) assert_int_equal(reports[i].verdict, i == 2 ? TMAP_PROBE_DIFFERS : TMAP_PROBE_AGREES);
    assert_int_equal(reports[2].error, 702);
    tmap_device_close(device);
}

TEST(bytes_are_counted) {
    const tmap_probe probe = load_of_rank(2);
    setenv("STANDIN_LESS", "16", 1);
    tmap_device *device = open_cuda(false);
    tmap_probe_report report = run_one(device, &probe);
    assert_int_equal(report.verdict, TMAP_PROBE_DIFFERS);
    assert_int_equal(report.end, TMAP_JOB_TIMEOUT);
    assert_int_equal(report.arrived_B[0], 8 * 8 * 2 - 16);
    assert_int_equal(report.differing_elements_n, 0);
    tmap_device_close(device);
}

TEST(options_are_read) {
    tmap_diag refusal;
    tmap_device *device = NULL;
    assert_int_equal(tmap_device_open("cuda,device=x", false, &device, &refusal), TMAP_BAD_ARGUMENT);
    assert_non_null(strstr(refusal.message, "device=x"));
    assert_int_equal(tmap_device_open("cuda,device=7", false, &device, &refusal), TMAP_UNAVAILABLE);
    assert_non_null(strstr(refusal.message, "cuDeviceGet"));
    setenv("TMAP_LIBCUDA", "/nonexistent/libcuda.so", 1);
    assert_int_equal(tmap_device_open("cuda", true, &device, &refusal), TMAP_UNAVAILABLE);
    assert_non_null(strstr(refusal.message, "/nonexistent/libcuda.so"));
}

BEFORE_EACH(reset)
