/* A device in a separate process: the same results, and the handling of faults, dead processes and timeouts. */
#include <stdlib.h>
#include <string.h>

#include "oracle_device.h"
#include "tmap/unstable/probe.h"

enum { CUDA_ERROR_ILLEGAL_INSTRUCTION = 715, CUDA_ERROR_LAUNCH_TIMEOUT = 702, CUDA_ERROR_UNKNOWN = 999 };

/* A dense load of 16-bit values. The oracle's faults trap, hang, die and stuck affect only rank 3. */
static tmap_probe load_of_rank(uint64_t rank) {
    tmap_map_params map = tmap_map_params_tiled(TMAP_TYPE_U16, rank);
    tmap_copy_params copy = {.op = TMAP_OP_LOAD, .at_n = (int)rank};
    tmap_probe probe;
    for (uint64_t i = 0; i < rank; i++) map.dims_el[i] = map.box_el[i] = 8;
    assert_true(tmap_map_params_dense(&map));
    assert_int_equal(tmap_probe_plan(&probe, &map, &copy, rank, NULL, NULL), TMAP_OK);
    return probe;
}

static void run(tmap_device *device, const tmap_probe probes[3], tmap_probe_report reports[3]) {
    const tmap_probe_options options = {.timeout_ms = 4};
    tmap_status status = tmap_probes_run(device, &options, probes, 3, reports);
    if (status != TMAP_OK) fail_msg("status %d: %s", status, tmap_device_refusal(device)->message);
}

TEST(results_are_returned) {
    tmap_device *device = open_oracle_in("", true);
    const tmap_probe probes[3] = {load_of_rank(1), load_of_rank(2), load_of_rank(3)};
    tmap_probe_report reports[3];
    assert_string_equal(tmap_device_about(device)->name, "oracle");
    for (int round = 0; round < 3; round++) {
        run(device, probes, reports);
        for (int i = 0; i < 3; i++) assert_int_equal(reports[i].verdict, TMAP_PROBE_AGREES);
    }
    tmap_device_close(device);
}

/* The copy that causes the fault reports it; the other copies agree, in new processes. */
static void check_fault(const char *fault, int error) {
    tmap_device *device = open_oracle_in(fault, true);
    const tmap_probe probes[3] = {load_of_rank(2), load_of_rank(3), load_of_rank(1)};
    tmap_probe_report reports[3];
    run(device, probes, reports);
    assert_int_equal(reports[0].verdict, TMAP_PROBE_AGREES);
    assert_int_equal(reports[2].verdict, TMAP_PROBE_AGREES);
    assert_int_equal(reports[1].verdict, TMAP_PROBE_DIFFERS);
    assert_int_equal(reports[1].end, TMAP_JOB_FAULT);
    assert_int_equal(reports[1].error, error);
    tmap_device_close(device);
}

TEST(a_fault_is_the_faulting_copys) {
    check_fault("trap", CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

TEST(a_run_survives_a_dead_process) {
    check_fault("die", CUDA_ERROR_UNKNOWN);
}

TEST(silence_is_ended) {
    check_fault("stuck", CUDA_ERROR_LAUNCH_TIMEOUT);
}

/* The time of the batch is a multiple of 2^32 ms. */
TEST(a_time_limit_of_months_is_not_zero) {
    const tmap_probe_options options = {.timeout_ms = (uint32_t)1 << 31};
    const tmap_probe probe = load_of_rank(2);
    tmap_device *device = open_oracle_in("", true);
    tmap_probe_report report;
    assert_int_equal(tmap_probes_run(device, &options, &probe, 1, &report), TMAP_OK);
    assert_int_equal(report.verdict, TMAP_PROBE_AGREES);
    tmap_device_close(device);
}

TEST(a_timeout_is_not_a_fault) {
    tmap_device *device = open_oracle_in("hang", true);
    const tmap_probe probes[3] = {load_of_rank(2), load_of_rank(3), load_of_rank(1)};
    tmap_probe_report reports[3];
    run(device, probes, reports);
    assert_int_equal(reports[0].verdict, TMAP_PROBE_AGREES);
    assert_int_equal(reports[1].end, TMAP_JOB_TIMEOUT);
    assert_int_equal(reports[1].verdict, TMAP_PROBE_DIFFERS);
    tmap_device_close(device);
}

TEST(a_failed_open_has_a_reason) {
    tmap_diag refusal;
    tmap_device *device = NULL;
    assert_int_equal(tmap_device_open(ORACLE_DEVICE ",fault=nonsense", true, &device, &refusal), TMAP_BAD_ARGUMENT);
    assert_non_null(strstr(refusal.message, "fault=nonsense"));
    assert_int_equal(tmap_device_open("/does/not/exist.so", true, &device, &refusal), TMAP_UNAVAILABLE);
    assert_non_null(strstr(refusal.message, "/does/not/exist.so"));
    assert_int_equal(tmap_device_open("gpu", true, &device, &refusal), TMAP_BAD_ARGUMENT);
    assert_non_null(strstr(refusal.message, "unknown device"));
}
