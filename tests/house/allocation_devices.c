/* Memory that runs out around devices and the driver: probes, fuzzing, captures and recordings. */
#define _XOPEN_SOURCE 700 /* setenv */

#include <stdlib.h>
#include <string.h>

#include "allocation.h"
#include "allocation_inputs.h"
#include "tmap/unstable/recording.h"

/* The arguments of the calls, made once while memory is plentiful. */
static struct world {
    tmap_device *oracle, *faulty, *cuda;
    tmap_capture_source *source;
    tmap_probe load, store; /* of the copies of spec_text */
    tmap_text capture;      /* a recording of descriptors */
} world;

/* Small copies: each call computes a whole block of them. */
static const tmap_fuzz fuzz = {.seed = 5, .ops = TMAP_OP_BIT(GATHER4) | TMAP_OP_BIT(REPLACE), .breaks_one_in = 64};

/* ---- driver and device ------------------------------------------------------------------------------------------ */

static tmap_device *device_of(const char *name) {
    tmap_diag refusal;
    tmap_device *device = NULL;
    if (tmap_device_open(name, false, &device, &refusal) != TMAP_OK) fail_msg("%s", refusal.message);
    return device;
}

static tmap_status open_driver(void) {
    tmap_status answer;
    tmap_diag refusal;
    tmap_driver *driver = NULL;
    (void)SCARCE(tmap_driver_open(STANDIN, 0, &driver, &refusal));
    assert_true((answer == TMAP_OK) == (driver != NULL));
    tmap_driver_close(driver);
    return answer;
}

static tmap_status open_device(const char *name, bool isolated) {
    tmap_status answer;
    tmap_diag refusal;
    tmap_device *device = NULL;
    (void)SCARCE(tmap_device_open(name, isolated, &device, &refusal));
    assert_true((answer == TMAP_OK) == (device != NULL));
    tmap_device_close(device);
    return answer;
}

static tmap_status open_oracle(void) {
    return open_device(ORACLE_DEVICE, false);
}

static tmap_status open_isolated(void) {
    return open_device(ORACLE_DEVICE, true);
}

static tmap_status open_cuda(void) {
    return open_device("cuda", false);
}

static tmap_status reserve(void) {
    tmap_status answer;
    uint64_t address = 7;
    (void)SCARCE(tmap_device_reserve(world.cuda, 4096, &address));
    assert_true(answer == TMAP_OK || address == 7);
    return answer;
}

/* Runs a batch of one job. The job is done, or unchanged if memory ran out. */
static tmap_status run_batch(void) {
    static uint8_t global[4096], image[4096];
    tmap_status answer;
    tmap_device *device = device_of("cuda"); /* a new one has no kernels yet */
    tmap_job job = {.map = world.load.map, .driver_encodes = true, .copy = world.load.copy, .expect_B = 32};
    tmap_batch batch = {.global = global, .global_B = sizeof global, .images = image, .images_B = sizeof image};
    batch.jobs = &job;
    batch.jobs_n = 1;
    job.image_B = world.load.image_B;
    job.ctas_n = 1;
    job.map.has_address = true;
    assert_int_equal(tmap_device_reserve(device, sizeof global, &job.map.address), TMAP_OK);
    (void)SCARCE(tmap_device_run(device, &batch));
    tmap_device_close(device);
    assert_int_equal(job.end, answer == TMAP_OK ? TMAP_JOB_DONE : TMAP_JOB_NOT_RUN);
    return answer;
}

/* ---- probe ------------------------------------------------------------------------------------------------------ */

/* The memory after a device that does nothing: the poison values. */
typedef struct nothing_seen {
    uint8_t images[2][4096], globals[2][4096];
    tmap_observation seen;
} nothing_seen;

static const tmap_observation *see_nothing(const tmap_probe *probe, nothing_seen *nothing) {
    assert_true(probe->image_B <= 4096 && probe->global_B <= 4096);
    nothing->seen = (tmap_observation){.end = TMAP_JOB_DONE, .arrived_B = {probe->frozen.payload_B}};
    for (int poison = 0; poison < 2; poison++) {
        tmap_probe_image(probe, poison, nothing->images[poison]);
        tmap_probe_global(probe, poison, nothing->globals[poison]);
        nothing->seen.images[poison] = nothing->images[poison];
        nothing->seen.globals[poison] = probe->frozen.op->to_global ? nothing->globals[poison] : NULL;
    }
    return &nothing->seen;
}

static tmap_status digest_probe(const tmap_probe *probe) {
    tmap_status answer;
    char hex[65] = "as it was";
    (void)SCARCE(tmap_probe_digest(probe, attempt.allocator, hex));
    assert_true(answer == TMAP_OK || strcmp(hex, "as it was") == 0);
    return answer;
}

static tmap_status digest_load(void) {
    return digest_probe(&world.load);
}

static tmap_status digest_store(void) {
    return digest_probe(&world.store);
}

static tmap_status compare_probe(void) {
    tmap_status answer;
    nothing_seen nothing;
    tmap_probe_report report;
    const tmap_observation *seen = see_nothing(&world.load, &nothing);
    (void)SCARCE(tmap_probe_compare(&world.load, seen, attempt.allocator, &report));
    if (answer == TMAP_OK) assert_int_equal(report.verdict, TMAP_PROBE_DIFFERS);
    return answer;
}

static tmap_status draw_probe(void) {
    tmap_status answer;
    nothing_seen nothing;
    tmap_sink sink = open_sink();
    const tmap_observation *seen = see_nothing(&world.store, &nothing);
    return SCARCE(tmap_probe_draw(&world.store, seen, attempt.allocator, &sink));
}

static tmap_status run_probes(void) {
    tmap_status answer;
    tmap_probe_report reports[2];
    const tmap_probe probes[2] = {world.load, world.store};
    const tmap_probe_options options = {.allocator = attempt.allocator};
    (void)SCARCE(tmap_probes_run(world.faulty, &options, probes, 2, reports));
    if (answer == TMAP_OK) assert_int_equal(reports[0].verdict, TMAP_PROBE_DIFFERS);
    return answer;
}

/* ---- fuzz ------------------------------------------------------------------------------------------------------- */

static tmap_status predict_block(void) {
    tmap_status answer;
    tmap_fuzz_block block = {.number = 77};
    (void)SCARCE(tmap_fuzz_predict(&fuzz, 3, attempt.allocator, &block));
    assert_int_equal(block.number, answer == TMAP_OK ? 3 : 77);
    return answer;
}

static tmap_status run_block(void) {
    tmap_status answer;
    tmap_diag refusal;
    tmap_fuzz_block block = {.number = 77};
    const tmap_probe_options options = {.allocator = attempt.allocator};
    (void)SCARCE(tmap_fuzz_run(world.oracle, &fuzz, 3, &options, NULL, NULL, &block, &refusal));
    assert_int_equal(block.number, answer == TMAP_OK ? 3 : 77);
    return answer;
}

static tmap_status shrink_probe(void) {
    tmap_status answer;
    tmap_probe probe = world.load;
    tmap_probe_report report;
    const tmap_probe_options options = {.allocator = attempt.allocator};
    assert_int_equal(tmap_probes_run(world.faulty, NULL, &probe, 1, &report), TMAP_OK);
    return SCARCE(tmap_fuzz_shrink(world.faulty, &options, 0, 3, &probe, &report));
}

/* ---- capture ---------------------------------------------------------------------------------------------------- */

static tmap_status capture_descriptors(void) {
    tmap_status answer;
    tmap_spec *spec = read_spec(attempt.allocator);
    tmap_sink sink = open_sink(), report = open_sink();
    const tmap_capture_job job = {
        .source = world.source, .specs = &spec, .specs_n = 1, .seed = 1, .maps_n = 3, .date = "2025"};
    (void)SCARCE(tmap_capture_descriptors(&job, &sink, &report, NULL));
    tmap_spec_free(spec);
    return answer;
}

static tmap_status open_source(void) {
    tmap_status answer;
    tmap_diag refusal;
    tmap_capture_source *source = NULL;
    (void)SCARCE(tmap_capture_source_open(STANDIN, 0, false, 0, &source, &refusal));
    assert_true((answer == TMAP_OK) == (source != NULL));
    tmap_capture_source_close(source);
    return answer;
}

static tmap_status merge_captures(void) {
    tmap_status answer;
    tmap_diag refusal;
    size_t merged_n = 0;
    tmap_sink sink = open_sink();
    const tmap_capture_file file = {world.capture.data, "p", world.capture.size};
    const tmap_capture_file files[] = {file, file};
    (void)SCARCE(tmap_capture_merge(files, 2, NULL, &sink, &merged_n, &refusal));
    if (answer == TMAP_OK) assert_int_equal(merged_n, 2);
    return answer;
}

static tmap_status capture_verdicts(void) {
    tmap_status answer;
    tmap_sink report = open_sink();
    tmap_capture_summary summary = {.cases = 77};
    const tmap_capture_job job = {.source = world.source, .seed = 1, .maps_n = 3};
    (void)SCARCE(tmap_capture_verdicts(&job, &report, &summary));
    assert_int_equal(summary.cases, answer == TMAP_OK ? 3 : 77);
    return answer;
}

static tmap_status replay_text(const tmap_text *text) {
    tmap_status answer;
    tmap_sink report = open_sink();
    tmap_diags diags = {.allocator = attempt.allocator};
    tmap_capture_summary summary = {.cases = 77};
    (void)SCARCE(tmap_capture_replay(text->data, text->size, "p", attempt.allocator, NULL, &diags, &report, &summary));
    tmap_diags_free(&diags);
    return answer;
}

static tmap_status replay_capture(void) {
    return replay_text(&world.capture);
}

/* ---- recording -------------------------------------------------------------------------------------------------- */

/* Block `number` with fixed digests. */
static tmap_fuzz_block block_of(uint64_t number) {
    tmap_fuzz_block block = {.number = number};
    memset(block.inputs, 'a', 64);
    memset(block.outputs, 'b', 64);
    return block;
}

static void add_seen(tmap_recording *recording, const char *name, const tmap_probe *probe) {
    nothing_seen nothing;
    assert_int_equal(tmap_recording_add(recording, name, "a", probe, see_nothing(probe, &nothing)), TMAP_OK);
}

/* A recording with copy `name` and block `number`. */
static tmap_recording *make_recording(const char *name, uint64_t number) {
    tmap_recording *recording = NULL;
    const tmap_fuzz_block block = block_of(number);
    assert_int_equal(tmap_recording_new(world.oracle, "2025", attempt.allocator, &recording), TMAP_OK);
    add_seen(recording, name, strcmp(name, "in") == 0 ? &world.load : &world.store);
    assert_int_equal(tmap_recording_set_fuzz(recording, &fuzz), TMAP_OK);
    assert_int_equal(tmap_recording_add_block(recording, &block), TMAP_OK);
    return recording;
}

static tmap_text text_of(const tmap_recording *recording) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    assert_int_equal(tmap_recording_write(recording, &sink), TMAP_OK);
    return text;
}

static tmap_status new_recording(void) {
    tmap_status answer;
    tmap_recording *recording = NULL;
    (void)SCARCE(tmap_recording_new(world.oracle, "2025", attempt.allocator, &recording));
    assert_true((answer == TMAP_OK) == (recording != NULL));
    tmap_recording_free(recording);
    return answer;
}

/* Frees both arguments. Unless the status is TMAP_OK, the recording must be unchanged. */
static tmap_status end_recording(tmap_recording *recording, tmap_text *before, tmap_status status) {
    tmap_text after = text_of(recording);
    assert_true((status == TMAP_OK) == (strcmp(before->data, after.data) != 0));
    tmap_text_free(&after);
    tmap_text_free(before);
    tmap_recording_free(recording);
    return status;
}

static tmap_status add_to_recording(void) {
    static char name[40000]; /* longer than a chunk of the recording's memory */
    tmap_status answer;
    nothing_seen nothing;
    tmap_recording *recording = make_recording("in", 1);
    tmap_text before = text_of(recording);
    const tmap_observation *seen = see_nothing(&world.store, &nothing);
    memset(name, 'n', sizeof name - 1);
    (void)SCARCE(tmap_recording_add(recording, name, "a", &world.store, seen));
    return end_recording(recording, &before, answer);
}

static tmap_status add_blocks(void) {
    tmap_status answer = TMAP_OK;
    tmap_recording *recording = make_recording("in", 1);
    scarce_arm(attempt.left, attempt.again);
    uint64_t number = 2;
    for (; number < 1000 && answer == TMAP_OK; number++) {
        const tmap_fuzz_block block = block_of(number);
        answer = tmap_recording_add_block(recording, &block);
    }
    scarce_disarm();
    assert_int_equal(tmap_recording_has_block(recording, number - 1), answer == TMAP_OK);
    assert_int_equal(tmap_recording_count(recording).blocks_n, answer == TMAP_OK ? 999 : number - 2);
    tmap_recording_free(recording);
    return answer;
}

static tmap_status read_recording(void) {
    tmap_status answer;
    tmap_recording *recording = make_recording("in", 1), *again = NULL;
    tmap_text text = text_of(recording);
    tmap_diags diags = {.allocator = attempt.allocator};
    (void)SCARCE(tmap_recording_read(text.data, text.size, "p", attempt.allocator, &diags, &again));
    assert_true((answer == TMAP_OK) == (again != NULL));
    tmap_diags_free(&diags);
    tmap_text_free(&text);
    tmap_recording_free(recording);
    tmap_recording_free(again);
    return answer;
}

static tmap_status write_recording(void) {
    tmap_status answer;
    tmap_sink sink = open_sink();
    tmap_recording *recording = make_recording("in", 1);
    (void)SCARCE(tmap_recording_write(recording, &sink));
    tmap_recording_free(recording);
    return answer;
}

static tmap_status merge_recordings(void) {
    tmap_status answer;
    tmap_diag refusal;
    tmap_recording *into = make_recording("in", 1), *from = make_recording("out", 3);
    const tmap_fuzz_block block = block_of(2);
    char name[16];
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "copy_%d", i);
        add_seen(from, name, &world.store);
    }
    assert_int_equal(tmap_recording_add_block(from, &block), TMAP_OK);
    tmap_text before = text_of(into);
    (void)SCARCE(tmap_recording_merge(into, from, &refusal));
    tmap_recording_free(from);
    return end_recording(into, &before, answer);
}

static tmap_status replay_recording(void) {
    tmap_status answer;
    tmap_sink report = open_sink();
    tmap_capture_summary summary;
    tmap_recording *recording = make_recording("in", 1);
    add_seen(recording, "out", &world.store);
    (void)SCARCE(tmap_recording_replay(recording, 0, &report, &summary));
    if (answer == TMAP_OK) assert_int_equal(summary.bytes_differ, 2);
    tmap_recording_free(recording);
    return answer;
}

static tmap_status replay_recorded_text(void) {
    tmap_recording *recording = make_recording("in", 1);
    tmap_text text = text_of(recording);
    tmap_recording_free(recording);
    tmap_status status = replay_text(&text);
    tmap_text_free(&text);
    return status;
}

/* ---- The table -------------------------------------------------------------------------------------------------- */

static const allocation_case cases[] = {
    {"tmap_driver_open", open_driver},
    {"tmap_device_open", open_oracle},
    {"tmap_device_open", open_isolated},
    {"tmap_device_open", open_cuda},
    {"tmap_device_reserve", reserve, .never_in = true},
    {"tmap_device_run", run_batch},
    {"tmap_probe_digest", digest_load, .hook = true},
    {"tmap_probe_digest", digest_store, .hook = true},
    {"tmap_probe_compare", compare_probe, .hook = true},
    {"tmap_probe_draw", draw_probe, .hook = true},
    {"tmap_probes_run", run_probes, .hook = true},
    {"tmap_fuzz_predict", predict_block, .hook = true, .many = true},
    {"tmap_fuzz_run", run_block, .hook = true, .many = true},
    {"tmap_fuzz_shrink", shrink_probe, .hook = true},
    {"tmap_capture_source_open", open_source},
    {"tmap_capture_descriptors", capture_descriptors, .many = true},
    {"tmap_capture_merge", merge_captures, .many = true},
    {"tmap_capture_verdicts", capture_verdicts},
    {"tmap_capture_replay", replay_capture, .hook = true, .many = true},
    {"tmap_capture_replay", replay_recorded_text, .hook = true, .many = true},
    {"tmap_recording_new", new_recording, .hook = true},
    {"tmap_recording_add", add_to_recording, .hook = true},
    {"tmap_recording_add_block", add_blocks, .hook = true},
    {"tmap_recording_read", read_recording, .hook = true},
    {"tmap_recording_write", write_recording, .hook = true},
    {"tmap_recording_merge", merge_recordings, .hook = true},
    {"tmap_recording_replay", replay_recording, .hook = true, .many = true},
};

/* ---- The world -------------------------------------------------------------------------------------------------- */

static int make_world(void **state) {
    (void)state;
    tmap_diag refusal;
    setenv("TMAP_LIBCUDA", STANDIN, 1);
    world.oracle = device_of(ORACLE_DEVICE);
    world.faulty = device_of(ORACLE_DEVICE ",fault=fill");
    world.cuda = device_of("cuda");
    assert_int_equal(tmap_capture_source_open(STANDIN, 0, false, 0, &world.source, &refusal), TMAP_OK);
    fill_probe(&world.load, 0);
    fill_probe(&world.store, 1);
    tmap_sink sink = tmap_text_sink(&world.capture);
    const tmap_capture_job job = {.source = world.source, .seed = 1, .maps_n = 3, .date = "2025"};
    assert_int_equal(tmap_capture_descriptors(&job, &sink, NULL, NULL), TMAP_OK);
    return 0;
}

static int end_world(void **state) {
    (void)state;
    tmap_device_close(world.oracle);
    tmap_device_close(world.faulty);
    tmap_device_close(world.cuda);
    tmap_capture_source_close(world.source);
    tmap_text_free(&world.capture);
    return 0;
}

const allocation_group allocation_devices = {
    .name = "devices", .cases = cases, .cases_n = COUNT(cases), .begin = make_world, .end = end_world};
