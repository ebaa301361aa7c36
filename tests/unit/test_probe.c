/* Probes on the oracle as a device: what agrees, and that every planted fault is found where it is. */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "oracle_device.h"
#include "tmap/gen.h"
#include "tmap/probe.h"

enum { CASES = 60 };

/* Small enough to lie in memory whole. */
static void draw(tmap_random *random, tmap_probe *probe, uint64_t number) {
    for (;;) {
        tmap_map_params map;
        tmap_copy_params copy;
        tmap_random_map(random, true, &map);
        tmap_random_copy(random, &map, &copy);
        if (tmap_derive(&map, false).span_B > 1 << 20) continue;
        assert_int_equal(tmap_probe_plan(probe, &map, &copy, number, NULL, NULL), TMAP_OK);
        return;
    }
}

static size_t count_differing(const char *fault, tmap_probe_report reports[CASES]) {
    tmap_device *device = open_oracle(fault);
    tmap_probe *probes = calloc(CASES, sizeof *probes);
    tmap_random random = {7};
    size_t differing = 0;
    for (uint64_t i = 0; i < CASES; i++) draw(&random, &probes[i], i);
    assert_int_equal(tmap_probes_run(device, NULL, probes, CASES, reports), TMAP_OK);
    for (size_t i = 0; i < CASES; i++) {
        assert_int_not_equal(reports[i].verdict, TMAP_PROBE_NOT_RUN);
        differing += reports[i].verdict == TMAP_PROBE_DIFFERS;
    }
    free(probes);
    tmap_device_close(device);
    return differing;
}

static void agrees_with_the_sound_oracle(void **state) {
    (void)state;
    tmap_probe_report reports[CASES];
    assert_int_equal(count_differing("", reports), 0);
}

static void finds_every_fault(void **state) {
    (void)state;
    static const char *const faults[] = {"phase", "fill", "clip", "stray", "tx", "trap", "hang", "pitch"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        tmap_probe_report reports[CASES];
        if (count_differing(faults[i], reports) == 0) fail_msg("fault %s was not found", faults[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_sound_oracle),
        cmocka_unit_test(finds_every_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
