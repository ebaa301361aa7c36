/*
 * Memory that runs out: a case for every public function that allocates (tests/check_allocation.py holds this list to
 * the library). For n = 0, 1, 2, … allocation n fails, alone or with all later ones, until the function succeeds;
 * until then it says TMAP_NO_MEMORY, leaves what it answers as it was, and nothing stays allocated.
 */
#define _XOPEN_SOURCE 700 /* setenv */

#include <stdlib.h>
#include <string.h>

#include "allocation_inputs.h"
#include "scarce_memory.h"
#include "tmap/generate.h"
#include "tmap/layout_expression.h"
#include "tmap/page.h"
#include "tmap/plan.h"
#include "tmap/plan_conv.h"
#include "tmap/recording.h"
#include "tmap/stats.h"

/* What the calls are made with: made once, while memory is plentiful. */
static struct world {
    tmap_device *oracle, *faulty, *cuda;
    tmap_driver *driver;
    tmap_probe load, store; /* of the copies of spec_text */
    tmap_text capture;      /* a recording of descriptors */
} world;

static const tmap_fuzz drawn = {.seed = 5, .nearly = 64};

/* How a case is run now. */
static struct trial {
    const tmap_allocator *allocator; /* NULL: the C library's fails */
    long left;
    bool again;
} trial;

/* The one call whose allocations fail. */
#define SCARCE(call) (scarce_arm(trial.left, trial.again), answer = (call), scarce_disarm(), answer)

/* ---- base and diag ---------------------------------------------------------------------------------------------- */

static tmap_status append_text(void) {
    tmap_text text = {.allocator = trial.allocator};
    tmap_sink sink = tmap_text_sink(&text);
    scarce_arm(trial.left, trial.again);
    for (int i = 0; i < 400 && !sink.failed; i++) tmap_puts(&sink, "0123456789");
    scarce_disarm();
    bool failed = sink.failed;
    if (text.size > 0) assert_int_equal(strlen(text.data), text.size);
    tmap_text_free(&text);
    return failed ? TMAP_NO_MEMORY : TMAP_OK;
}

static tmap_status print_long(void) {
    tmap_sink sink = open_sink();
    scarce_arm(trial.left, trial.again);
    tmap_printf(&sink, "%2000d", 1);
    scarce_disarm();
    return sink.failed ? TMAP_NO_MEMORY : TMAP_OK;
}

static tmap_status add_findings(void) {
    tmap_diags diags = {.allocator = trial.allocator};
    const tmap_diag diag = {.severity = TMAP_ERROR};
    scarce_arm(trial.left, trial.again);
    for (int i = 0; i < 100 && diags.dropped == 0; i++) assert_true(tmap_diags_add(&diags, &diag) || diags.dropped);
    scarce_disarm();
    bool dropped = diags.dropped > 0;
    assert_int_equal(diags.by_severity[TMAP_ERROR], diags.count + diags.dropped);
    tmap_diags_free(&diags);
    return dropped ? TMAP_NO_MEMORY : TMAP_OK;
}

/* ---- layout and plan -------------------------------------------------------------------------------------------- */

static tmap_layout layout_of(const char *text) {
    tmap_layout layout;
    assert_int_equal(tmap_layout_parse(text, strlen(text), &layout, NULL), TMAP_OK);
    return layout;
}

static tmap_status parse_layout(void) {
    static const char text[] = "swizzle(f16,128B) o S[(8,64):(64,1)].tile(S[2], (2,1), (8,64))";
    tmap_status answer;
    tmap_layout layout;
    return SCARCE(tmap_layout_parse(text, strlen(text), &layout, NULL));
}

/* Replicas that overlap are enumerated. */
static tmap_status compare_layouts(void) {
    tmap_status answer;
    tmap_layout a = layout_of("S[8:4] + R[4:1]"), b = layout_of("S[8:4] + R[(2,3):(1,1)]");
    bool equal = false;
    (void)SCARCE(tmap_layout_equal(&a, &b, &equal, NULL));
    if (answer == TMAP_OK) assert_true(equal);
    return answer;
}

static tmap_status cover_layout(void) {
    tmap_status answer;
    tmap_layout layout = layout_of("S[(8,4):(4,3)] + R[(3,5):(2,3)]");
    tmap_coverage coverage;
    return SCARCE(tmap_layout_coverage(&layout, &coverage, NULL));
}

/* The other operand of S[(2,4):(4,1)] = S[2] tiled, or summed, with S[4]; the replica is written in another way. */
typedef tmap_status other_operand(const tmap_layout *one, const tmap_layout *whole, const tmap_shape *whole_shape,
                                  const tmap_shape *one_shape, tmap_layout *other, bool *found,
                                  tmap_layout_error *error);

static tmap_status take_apart(other_operand *function, const char *one_text, int64_t size, const char *whole_text) {
    tmap_status answer;
    tmap_layout one = layout_of(one_text), whole = layout_of(whole_text), other;
    const tmap_shape whole_shape = {1, {8}}, one_shape = {1, {size}};
    bool found = false;
    return SCARCE(function(&one, &whole, &whole_shape, &one_shape, &other, &found, NULL));
}

static tmap_status find_tile_outer(void) {
    return take_apart(tmap_layout_tile_outer_of, "S[4:1] + R[4:16]", 4, "S[8:1] + R[(2,2):(32,16)]");
}

static tmap_status find_tile_inner(void) {
    return take_apart(tmap_layout_tile_inner_of, "S[2:1]", 2, "S[8:1] + R[(2,2):(32,16)]");
}

static tmap_status find_sum_left(void) {
    return take_apart(tmap_layout_sum_left_of, "S[4:1] + R[4:16]", 4, "S[8:1] + R[(2,2):(32,16)]");
}

static tmap_status find_sum_right(void) {
    return take_apart(tmap_layout_sum_right_of, "S[2:4] + R[4:16]", 2, "S[8:1] + R[(2,2):(32,16)]");
}

static tmap_status evaluate(void) {
    static const char text[] = "coverage(S[(8,4):(4,1)])";
    tmap_status answer;
    tmap_result *result = NULL;
    (void)SCARCE(tmap_evaluate(text, strlen(text), NULL, trial.allocator, &result, NULL));
    tmap_result_free(result);
    return answer;
}

static tmap_status result_as_data(void) {
    static const char text[] = "[S[(8,4):(4,1)], swizzle(3,3,3)]";
    tmap_result *result = NULL;
    assert_int_equal(tmap_evaluate(text, strlen(text), NULL, trial.allocator, &result, NULL), TMAP_OK);
    scarce_arm(trial.left, trial.again);
    const tmap_value *data = tmap_result_data(result);
    scarce_disarm();
    tmap_result_free(result);
    return data != NULL ? TMAP_OK : TMAP_NO_MEMORY;
}

static tmap_status prove_plan(void) {
    tmap_plan_request request = {.type = TMAP_TYPE_F16,
                                 .op = TMAP_OP_LOAD,
                                 .shape = {2, {64, 64}},
                                 .begin = {2, {0}},
                                 .tile = {2, {8, 64}},
                                 .strides_el = {64, 1}};
    tmap_status answer;
    tmap_plan plan;
    request.shared = layout_of("swizzle(f16,128B) o S[(8,64):(64,1)]");
    assert_int_equal(tmap_plan_make(&request, &plan, NULL), TMAP_OK);
    return SCARCE(tmap_plan_prove(&plan, &request, trial.allocator, NULL));
}

static tmap_status prove_conv_plan(void) {
    tmap_conv_request request = {.conv = tmap_conv_plain(2), .type = TMAP_TYPE_F16, .tile = {2, {8, 64}}};
    tmap_status answer;
    tmap_conv_plan plan;
    request.conv.channels = 64;
    request.shared = layout_of("swizzle(f16,128B) o S[(8,64):(64,1)]");
    assert_int_equal(tmap_conv_plan_make(&request, &plan, NULL), TMAP_OK);
    return SCARCE(tmap_conv_plan_prove(&plan, &request, trial.allocator, NULL, NULL));
}

/* The answer itself says that there is no memory. */
typedef struct page_answer {
    char text[1 << 14];
    size_t size;
} page_answer;

static bool keep_answer(void *context, const char *text, size_t size) {
    page_answer *answer = context;
    if (size >= sizeof answer->text - answer->size) return false;
    memcpy(answer->text + answer->size, text, size);
    answer->size += size;
    answer->text[answer->size] = '\0';
    return true;
}

static tmap_status ask_page(void) {
    page_answer answer = {.size = 0};
    tmap_sink sink = {.write = keep_answer, .context = &answer};
    scarce_arm(trial.left, trial.again);
    tmap_page_answer(&sink, "mode=layout&expr=local(2,2).spatial(4,8)");
    scarce_disarm();
    assert_false(sink.failed);
    return strstr(answer.text, "there is no memory for it") ? TMAP_NO_MEMORY : TMAP_OK;
}

/* How much of the message has gone by. */
static bool hear_of_memory(void *context, const char *text, size_t size) {
    static const char said[] = "is no memory for it";
    size_t *heard = context;
    for (size_t i = 0; i < size && said[*heard] != '\0'; i++)
        *heard = text[i] == said[*heard] ? *heard + 1 : text[i] == said[0];
    return true;
}

static tmap_status write_page(void) {
    size_t heard = 0;
    tmap_sink sink = {.write = hear_of_memory, .context = &heard};
    scarce_arm(trial.left, trial.again);
    tmap_page_write(&sink, "mode=layout&expr=S[4]");
    scarce_disarm();
    assert_false(sink.failed);
    return heard == strlen("is no memory for it") ? TMAP_NO_MEMORY : TMAP_OK;
}

/* ---- emu and stats ---------------------------------------------------------------------------------------------- */

/* Rows that lie across each other have to be sorted. */
static void overlapping_copy(tmap_copy *copy) {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_U8, 3);
    tmap_map map;
    for (int i = 0; i < 3; i++) params.dims_el[i] = 64, params.box_el[i] = 16;
    params.strides_B[0] = 4096, params.strides_B[1] = 32;
    tmap_copy_params at = {.op = TMAP_OP_LOAD, .at_n = 3};
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_int_equal(tmap_copy_init(copy, &map, &at, NULL, NULL), TMAP_OK);
}

static tmap_status count_footprint(void) {
    tmap_status answer;
    tmap_copy copy;
    tmap_footprint footprint;
    overlapping_copy(&copy);
    return SCARCE(tmap_copy_footprint(&copy, trial.allocator, &footprint));
}

/* ---- spec ------------------------------------------------------------------------------------------------------- */

static tmap_spec *read_spec(void) {
    tmap_spec *spec = NULL;
    assert_int_equal(tmap_spec_read(spec_text, strlen(spec_text), "p", trial.allocator, NULL, &spec), TMAP_OK);
    return spec;
}

static tmap_status read_spec_text(const char *text) {
    tmap_status answer;
    tmap_spec *spec = NULL;
    tmap_diags diags = {.allocator = trial.allocator};
    (void)SCARCE(tmap_spec_read(text, strlen(text), "p", trial.allocator, &diags, &spec));
    assert_true(answer == TMAP_NO_MEMORY || spec != NULL);
    tmap_spec_free(spec);
    tmap_diags_free(&diags);
    return answer;
}

static tmap_status read_good_spec(void) {
    return read_spec_text(spec_text);
}

static tmap_status read_wrong_spec(void) {
    tmap_status status = read_spec_text(wrong_text);
    return status == TMAP_REFUSED ? TMAP_OK : status;
}

static tmap_status check_spec(void) {
    tmap_status answer;
    tmap_spec *spec = read_spec();
    (void)SCARCE(tmap_spec_check(spec, NULL, NULL));
    tmap_spec_free(spec);
    return answer;
}

static tmap_status check_copy(void) {
    tmap_status answer;
    tmap_spec *spec = read_spec();
    (void)SCARCE(tmap_spec_check_copy(spec, tmap_spec_copy_find(spec, "wrong"), NULL, NULL));
    tmap_spec_free(spec);
    return answer;
}

static tmap_status format_text(const char *text) {
    tmap_status answer;
    tmap_sink sink = open_sink();
    tmap_diags diags = {.allocator = trial.allocator};
    (void)SCARCE(tmap_spec_format(text, strlen(text), "p", &diags, &sink));
    tmap_diags_free(&diags);
    return answer;
}

static tmap_status format_spec(void) {
    return format_text(spec_text);
}

static tmap_status format_wrong_spec(void) {
    tmap_status status = format_text(wrong_text);
    return status == TMAP_REFUSED ? TMAP_OK : status;
}

/* ---- stats ------------------------------------------------------------------------------------------------------ */

static tmap_status count_traffic(void) {
    tmap_traffic traffic = {.sectors_n = 7};
    tmap_status answer;
    tmap_copy copy;
    overlapping_copy(&copy);
    (void)SCARCE(tmap_copy_traffic(&copy, trial.allocator, &traffic));
    if (answer != TMAP_OK) assert_int_equal(traffic.sectors_n, 7);
    return answer;
}

/* ---- generate --------------------------------------------------------------------------------------------------- */

static tmap_status generate(void) {
    static const char *const axes[] = {"x", "y"};
    tmap_status answer;
    const tmap_generate_tensor tensor = {"a", axes, &world.load.map};
    const tmap_generate_copy copies[] = {{"in", &tensor, &world.load.copy}, {"in", &tensor, &world.store.copy}};
    const tmap_generate_input input = {
        .tensors = &tensor, .tensors_n = 1, .copies = copies, .copies_n = 2, .allocator = trial.allocator};
    tmap_sink sink = open_sink();
    return SCARCE(tmap_generate(&sink, &input));
}

/* ---- driver and device --------------------------------------------------------------------------------------------
 */

static tmap_device *device_of(const char *name) {
    char reason[256];
    tmap_device *device = NULL;
    if (tmap_device_open(name, false, &device, reason, sizeof reason) != TMAP_OK) fail_msg("%s", reason);
    return device;
}

static tmap_status open_driver(void) {
    tmap_status answer;
    char reason[256];
    tmap_driver *driver = NULL;
    (void)SCARCE(tmap_driver_open(STANDIN, 0, &driver, reason, sizeof reason));
    assert_true((answer == TMAP_OK) == (driver != NULL));
    tmap_driver_close(driver);
    return answer;
}

static tmap_status open_device(const char *name, bool isolated) {
    tmap_status answer;
    char reason[256];
    tmap_device *device = NULL;
    (void)SCARCE(tmap_device_open(name, isolated, &device, reason, sizeof reason));
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

/* A batch of one job, which is done or, where there was no memory, as it was. */
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

static tmap_status digest_probe(const tmap_probe *probe) {
    tmap_status answer;
    char hex[65] = "as it was";
    (void)SCARCE(tmap_probe_digest(probe, trial.allocator, hex));
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
    (void)SCARCE(tmap_probe_compare(&world.load, seen, trial.allocator, &report));
    if (answer == TMAP_OK) assert_int_equal(report.verdict, TMAP_PROBE_DIFFERS);
    return answer;
}

static tmap_status draw_probe(void) {
    tmap_status answer;
    nothing_seen nothing;
    tmap_sink sink = open_sink();
    const tmap_observation *seen = see_nothing(&world.store, &nothing);
    return SCARCE(tmap_probe_draw(&world.store, seen, trial.allocator, &sink));
}

static tmap_status run_probes(void) {
    tmap_status answer;
    tmap_probe_report reports[2];
    const tmap_probe probes[2] = {world.load, world.store};
    const tmap_probe_options options = {.allocator = trial.allocator};
    (void)SCARCE(tmap_probes_run(world.faulty, &options, probes, 2, reports));
    if (answer == TMAP_OK) assert_int_equal(reports[0].verdict, TMAP_PROBE_DIFFERS);
    return answer;
}

/* ---- fuzz ------------------------------------------------------------------------------------------------------- */

static tmap_status predict_block(void) {
    tmap_status answer;
    tmap_fuzz_block block = {.number = 77};
    (void)SCARCE(tmap_fuzz_predict(&drawn, 3, trial.allocator, &block));
    assert_int_equal(block.number, answer == TMAP_OK ? 3 : 77);
    return answer;
}

static tmap_status run_block(void) {
    tmap_status answer;
    char reason[256];
    tmap_fuzz_block block = {.number = 77};
    const tmap_probe_options options = {.allocator = trial.allocator};
    (void)SCARCE(tmap_fuzz_run(world.oracle, &drawn, 3, &options, NULL, NULL, &block, reason, sizeof reason));
    assert_int_equal(block.number, answer == TMAP_OK ? 3 : 77);
    return answer;
}

static tmap_status shrink_probe(void) {
    tmap_status answer;
    tmap_probe probe = world.load;
    tmap_probe_report report;
    const tmap_probe_options options = {.allocator = trial.allocator};
    assert_int_equal(tmap_probes_run(world.faulty, NULL, &probe, 1, &report), TMAP_OK);
    return SCARCE(tmap_fuzz_shrink(world.faulty, &options, 0, 3, &probe, &report));
}

/* ---- capture ---------------------------------------------------------------------------------------------------- */

static tmap_status capture_descriptors(void) {
    tmap_status answer;
    tmap_spec *spec = read_spec();
    tmap_sink sink = open_sink(), report = open_sink();
    (void)SCARCE(tmap_capture_descriptors(world.driver, &spec, 1, 1, 3, "2025", &sink, &report, NULL));
    tmap_spec_free(spec);
    return answer;
}

static tmap_status capture_verdicts(void) {
    tmap_status answer;
    tmap_sink report = open_sink();
    tmap_capture_summary summary = {.cases = 77};
    (void)SCARCE(tmap_capture_verdicts(world.driver, 1, 3, &report, &summary));
    assert_int_equal(summary.cases, answer == TMAP_OK ? 3 : 77);
    return answer;
}

static tmap_status replay_text(const tmap_text *text) {
    tmap_status answer;
    tmap_sink report = open_sink();
    tmap_diags diags = {.allocator = trial.allocator};
    tmap_capture_summary summary = {.cases = 77};
    (void)SCARCE(tmap_capture_replay(text->data, text->size, "p", trial.allocator, 0, &diags, &report, &summary));
    tmap_diags_free(&diags);
    return answer;
}

static tmap_status replay_capture(void) {
    return replay_text(&world.capture);
}

/* ---- recording -------------------------------------------------------------------------------------------------- */

static void add_seen(tmap_recording *recording, const char *name, const tmap_probe *probe) {
    nothing_seen nothing;
    assert_int_equal(tmap_recording_add(recording, name, "a", probe, see_nothing(probe, &nothing)), TMAP_OK);
}

/* A copy of that name and a block of that number. */
static tmap_recording *make_recording(const char *name, uint64_t number) {
    tmap_recording *recording = NULL;
    const tmap_fuzz_block block = block_of(number);
    assert_int_equal(tmap_recording_new(world.oracle, "2025", trial.allocator, &recording), TMAP_OK);
    add_seen(recording, name, strcmp(name, "in") == 0 ? &world.load : &world.store);
    assert_int_equal(tmap_recording_set_fuzz(recording, &drawn), TMAP_OK);
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
    (void)SCARCE(tmap_recording_new(world.oracle, "2025", trial.allocator, &recording));
    assert_true((answer == TMAP_OK) == (recording != NULL));
    tmap_recording_free(recording);
    return answer;
}

/* Frees both; unless the status is TMAP_OK the recording says what it said before. */
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
    scarce_arm(trial.left, trial.again);
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
    tmap_diags diags = {.allocator = trial.allocator};
    (void)SCARCE(tmap_recording_read(text.data, text.size, "p", trial.allocator, &diags, &again));
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
    char reason[256];
    tmap_recording *into = make_recording("in", 1), *from = make_recording("out", 3);
    const tmap_fuzz_block block = block_of(2);
    char name[16];
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "copy_%d", i);
        add_seen(from, name, &world.store);
    }
    assert_int_equal(tmap_recording_add_block(from, &block), TMAP_OK);
    tmap_text before = text_of(into);
    (void)SCARCE(tmap_recording_merge(into, from, reason, sizeof reason));
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

typedef struct allocation_case {
    const char *function;
    tmap_status (*run)(void);
    bool hook;     /* it takes an allocator */
    bool many;     /* allocations: not every one is tried, and only alone */
    bool never_in; /* the C library's allocations of this process: there need not be any */
} allocation_case;

static const allocation_case cases[] = {
    {"tmap_text_sink", append_text, .hook = true},
    {"tmap_printf", print_long},
    {"tmap_diags_add", add_findings, .hook = true},
    {"tmap_layout_parse", parse_layout},
    {"tmap_layout_equal", compare_layouts},
    {"tmap_layout_coverage", cover_layout},
    {"tmap_layout_tile_outer_of", find_tile_outer, .never_in = true},
    {"tmap_layout_tile_inner_of", find_tile_inner, .never_in = true},
    {"tmap_layout_sum_left_of", find_sum_left},
    {"tmap_layout_sum_right_of", find_sum_right},
    {"tmap_evaluate", evaluate, .hook = true},
    {"tmap_result_data", result_as_data, .hook = true},
    {"tmap_plan_prove", prove_plan, .hook = true},
    {"tmap_conv_plan_prove", prove_conv_plan, .hook = true},
    {"tmap_copy_footprint", count_footprint, .hook = true},
    {"tmap_page_answer", ask_page},
    {"tmap_page_write", write_page},
    {"tmap_spec_read", read_good_spec, .hook = true},
    {"tmap_spec_read", read_wrong_spec, .hook = true},
    {"tmap_spec_check", check_spec, .hook = true},
    {"tmap_spec_check_copy", check_copy, .hook = true},
    {"tmap_spec_format", format_spec, .hook = true},
    {"tmap_spec_format", format_wrong_spec, .hook = true},
    {"tmap_copy_traffic", count_traffic, .hook = true},
    {"tmap_generate", generate, .hook = true},
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
    {"tmap_capture_descriptors", capture_descriptors, .many = true},
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

#define ALLOCATIONS_MAX 1000000
/* Every allocation fails once; under a sanitizer, which is 20 times as slow, not every one of the later ones. */
#if defined(__SANITIZE_ADDRESS__)
#define SKIPS_FROM 16
#else
#define SKIPS_FROM ALLOCATIONS_MAX
#endif

/* False when it succeeded. */
static bool one_failed(const allocation_case *c, long n) {
    trial.left = n;
    scarce.failed = false;
    long live = scarce.live;
    tmap_status status = c->run();
    const char *whose = trial.allocator != NULL ? "hook" : "C library";
    if (scarce.live != live)
        fail_msg("%s: %s, allocation %ld: %ld blocks stay", c->function, whose, n, scarce.live - live);
    if (scarce.sizes_differ) fail_msg("%s: a block is given back with another size than it has", c->function);
    if (status == TMAP_OK && !scarce.failed) return false;
    if (status != TMAP_NO_MEMORY)
        fail_msg("%s: %s, allocation %ld fails: it says %s", c->function, whose, n, tmap_status_name(status));
    return true;
}

static void until_it_succeeds(const allocation_case *c) {
    long n = 0;
    while (n < ALLOCATIONS_MAX && one_failed(c, n)) n += 1 + n / (c->many ? 2 : SKIPS_FROM);
    assert_true(n < ALLOCATIONS_MAX && (n > 0 || c->never_in));
}

static void says_when_there_is_no_memory(void **state) {
    const allocation_case *c = *state;
    for (int hook = 0; hook <= c->hook; hook++)
        for (int again = 0; again < (c->many ? 1 : 2); again++) {
            trial = (struct trial){.allocator = hook ? &scarce_allocator : NULL, .again = again == 1};
            until_it_succeeds(c);
        }
}

/* ---- The world -------------------------------------------------------------------------------------------------- */

static int make_world(void **state) {
    (void)state;
    char reason[256];
    setenv("TMAP_LIBCUDA", STANDIN, 1);
    world.oracle = device_of(ORACLE_DEVICE);
    world.faulty = device_of(ORACLE_DEVICE ",fault=fill");
    world.cuda = device_of("cuda");
    assert_int_equal(tmap_driver_open(STANDIN, 0, &world.driver, reason, sizeof reason), TMAP_OK);
    fill_probe(&world.load, 0);
    fill_probe(&world.store, 1);
    tmap_sink sink = tmap_text_sink(&world.capture);
    assert_int_equal(tmap_capture_descriptors(world.driver, NULL, 0, 1, 3, "2025", &sink, NULL, NULL), TMAP_OK);
    return 0;
}

static int end_world(void **state) {
    (void)state;
    tmap_device_close(world.oracle);
    tmap_device_close(world.faulty);
    tmap_device_close(world.cuda);
    tmap_driver_close(world.driver);
    tmap_text_free(&world.capture);
    return scarce.live != 0;
}

int main(void) {
    struct CMUnitTest tests[COUNT(cases)];
    for (size_t i = 0; i < COUNT(cases); i++)
        tests[i] = (struct CMUnitTest){cases[i].function, says_when_there_is_no_memory, NULL, NULL, (void *)&cases[i]};
    return _cmocka_run_group_tests("allocation", tests, COUNT(tests), make_world, end_world) != 0;
}
