/* Makes a difference smaller on the device that shows it. */
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/fuzz.h"
#include "tmap/unstable/gen.h"

typedef struct shrink_run {
    tmap_device *device;
    const tmap_probe_options *options;
    tmap_judge judge;
    uint64_t seed;
    tmap_probe_report report; /* of the smallest so far */
    tmap_status status;       /* of the device */
} shrink_run;

static tmap_status run_alone(shrink_run *run, const tmap_probe *probe, tmap_probe_report *report) {
    tmap_probe_options options = run->options ? *run->options : (tmap_probe_options){.on_result = NULL};
    options.on_result = NULL;
    options.go_on = NULL; /* checked before */
    return tmap_probes_run(run->device, &options, probe, 1, report);
}

/* Plans map and copy from the given parameters: planning moved the box in its image. */
static bool still_differs(void *context, const tmap_map_params *map, const tmap_copy_params *copy) {
    shrink_run *run = context;
    tmap_probe probe;
    tmap_probe_report report;
    const tmap_probe_options *o = run->options;
    bool continues = !o || !o->go_on || o->go_on(o->context);
    if (run->status != TMAP_OK || !continues) return false;
    tmap_status planned = tmap_probe_plan(&probe, map, copy, run->seed, &run->judge, NULL);
    if (planned != TMAP_OK) return false;
    run->status = run_alone(run, &probe, &report);
    if (run->status != TMAP_OK || report.verdict != TMAP_PROBE_DIFFERS) return false;
    run->report = report;
    return true;
}

tmap_status tmap_fuzz_shrink(tmap_device *device, const tmap_probe_options *options, tmap_archs archs, size_t tries,
                             tmap_probe *probe, tmap_probe_report *report) {
    shrink_run run = {.device = device,
                      .options = options,
                      .judge = {.archs = archs, .toolkit = tmap_device_about(device)->driver},
                      .seed = probe->seed,
                      .report = *report};
    tmap_map_params map = probe->map;
    tmap_copy_params copy = probe->copy;
    for (int i = 0; i < TMAP_ALTERNATIVE_COUNT; i++) run.judge.assume[i] = probe->frozen.readings[i] ? 2 : 0;
    if (probe->rule) return TMAP_OK; /* a copy that breaks a rule by one number is already small */
    tmap_shrink(&map, &copy, still_differs, &run, tries);
    if (run.status != TMAP_OK) return run.status;
    *report = run.report;
    return tmap_probe_plan(probe, &map, &copy, run.seed, &run.judge, NULL);
}
