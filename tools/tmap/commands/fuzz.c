/* tmap fuzz: compares random copies on a device with the emulator, in blocks that can be split, resumed and merged. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/fuzz_driver.h"
#include "device/device_options.h"
#include "device/differences_shown.h"
#include "device/recordings.h"
#include "device/shards.h"
#include "options/command.h"
#include "options/judging_options.h"
#include "output/messages.h"
#include "output/progress.h"
#include "output/result.h"
#include "output/rows.h"
#include "output/signals.h"

#define CASES_DEFAULT 16384
#define SEED_DEFAULT  1
#define SHOWN_MAX     8 /* differences that are shrunk and printed, and cases that could not run and are printed */
#define SHRINK_TRIES  3000
#define OVERTIME_S    5   /* time after --time in which a block that has started may continue */
#define FOUND_MAX     8   /* differences of a block that are recorded with their bytes */
#define FOUND_ALL_MAX 256 /* differences of the run that are recorded with their bytes */
#define KINDS_BLOCKS  32  /* blocks from which the first case of each kind is recorded with its bytes */
#define KINDS_MAX     (TMAP_MODE_COUNT * TMAP_TYPE_COUNT * TMAP_SWIZZLE_COUNT)

typedef struct fuzz_options {
    device_options device;
    optional_number seed, cases, seconds, nearly;
    tmap_fuzz fuzz; /* modes and ops */
    shard shard;
    const char *out_path, *resume_path, *date;
    bool json, verdicts, no_faults;
} fuzz_options;

/* Names of modes and of operations, mixed: "im2col,store". */
static bool take_modes(void *at, const char *value) {
    tmap_fuzz *fuzz = at;
    while (*value != '\0') {
        char name[32];
        size_t size = strcspn(value, ","), kept = size < sizeof name ? size : sizeof name - 1;
        memcpy(name, value, kept);
        name[kept] = '\0';
        int mode = tmap_mode_find(name), op = tmap_op_find(name);
        if (mode < 0 && op < 0)
            return wrong_usage("unknown mode or operation '%s' (see tmap list modes, tmap list ops)", name);
        if (mode >= 0) fuzz->modes |= (uint32_t)1 << mode;
        if (op >= 0) fuzz->ops |= (uint32_t)1 << op;
        value += size + (value[size] == ',');
    }
    return true;
}

static const option_row options[] = {
    DEVICE_OPTIONS(fuzz_options, device),
    {"--seed", "N", "seed of the cases (1)", offsetof(fuzz_options, seed), take_number},
    {"--cases", "N", "number of cases, rounded up to blocks of 1024 (16384; with --time: no limit)",
     offsetof(fuzz_options, cases), take_number},
    {"--time", "SECONDS", "stop after SECONDS", offsetof(fuzz_options, seconds), take_number},
    {"--modes", "NAMES", "only these modes and operations, for example tiled,load", offsetof(fuzz_options, fuzz),
     take_modes},
    {"--nearly", "N", "on average one of N cases breaks a rule and must show its symptom (none)",
     offsetof(fuzz_options, nearly), take_number},
    ASSUME_OPTION(fuzz_options, fuzz.assume),
    NO_FAULTS_OPTION(fuzz_options, no_faults),
    SHARD_OPTION(fuzz_options, shard),
    {"-o", "FILE", "record the results of the device (FILE.I for rank I of a launcher)",
     offsetof(fuzz_options, out_path), NULL},
    {"--resume", "FILE", "continue this recording, in place unless -o is given", offsetof(fuzz_options, resume_path),
     NULL},
    DATE_OPTION(fuzz_options, date),
    {"--verdicts", NULL, "run no copies: compare the verdicts of the driver and of tmap on maps near every limit",
     offsetof(fuzz_options, verdicts), NULL},
    {"--json", NULL, "print the result as JSON", offsetof(fuzz_options, json), NULL},
    {0},
};

/* ---- A run ------------------------------------------------------------------------------------------------------ */

typedef struct fuzz_finding {
    uint64_t number;
    tmap_probe probe;
    tmap_probe_report report;
} fuzz_finding;

/* A case that could not run. */
typedef struct fuzz_gap {
    uint64_t number;
    char text[200];
} fuzz_gap;

typedef struct fuzz_run {
    const fuzz_options *options;
    tmap_device *device;
    tmap_probe_options probe_options;
    tmap_fuzz fuzz;
    recording_file file; /* without a path: nothing is written */
    bool kinds[KINDS_MAX], fields[TMAP_REPLACEABLE_COUNT];
    uint64_t kinds_block; /* the first block whose cases are not counted among the kinds yet */
    fuzz_finding findings[SHOWN_MAX];
    fuzz_gap gaps[SHOWN_MAX];
    size_t findings_n, found_n, found_of_block_n;
    uint64_t cases_n, differing_n, rule_breakers_n, omitted_breakers_n, not_run_n, by_op[TMAP_OP_COUNT];
    double begin_s;
    progress progress;
    int code;
    tmap_status keeping; /* of additions to the recording */
} fuzz_run;

/* A device that fails and does not recover is a finding. Earlier results are printed and recorded. */
static void fail(fuzz_run *run, tmap_status status, const tmap_diag *refusal) {
    int code = status == TMAP_UNAVAILABLE ? EXIT_FINDINGS : code_of(status);
    run->code = refusal && refusal->message[0] != '\0' ? complain_refusal(code, NULL, refusal)
                                                       : worse_of(code, complain_status(status, "fuzz"));
}

static bool time_is_up(const fuzz_run *run, double over_s) {
    return run->options->seconds.given && now_s() - run->begin_s >= (double)run->options->seconds.value + over_s;
}

static bool block_goes_on(void *context) {
    return !was_interrupted() && !time_is_up(context, OVERTIME_S);
}

static bool shrinking_goes_on(void *context) {
    return !was_interrupted() && !time_is_up(context, 0);
}

/* ---- Kinds ------------------------------------------------------------------------------------------------------ */

/* The kind of a copy is its mode, type and swizzle; of a replacement its field. */
static bool *kind_of(fuzz_run *run, const tmap_probe *probe) {
    size_t of_mode = (size_t)probe->map.mode * TMAP_TYPE_COUNT + (size_t)probe->map.type;
    if (probe->copy.op == TMAP_OP_REPLACE) return &run->fields[probe->copy.field];
    return &run->kinds[of_mode * TMAP_SWIZZLE_COUNT + (size_t)probe->map.swizzle];
}

/* Adds the kinds of earlier blocks that this run skips, because they belong to another shard or ran before a resume. So
 * all shards together record the same cases as one run. */
static void skip_kinds(fuzz_run *run, uint64_t block) {
    for (; run->file.path && run->kinds_block < block && block < KINDS_BLOCKS; run->kinds_block++) {
        for (uint64_t i = 0; i < TMAP_FUZZ_BLOCK; i++) {
            tmap_probe probe;
            tmap_status status = tmap_fuzz_random_case(&run->fuzz, run->kinds_block * TMAP_FUZZ_BLOCK + i, &probe);
            if (status == TMAP_OK && !probe.rule) *kind_of(run, &probe) = true;
        }
    }
    run->kinds_block = block + 1;
}

/* Whether the case is the first of its kind. */
static bool is_new_kind(fuzz_run *run, uint64_t number, const tmap_probe *probe) {
    if (number / TMAP_FUZZ_BLOCK >= KINDS_BLOCKS || probe->rule) return false;
    bool *kind = kind_of(run, probe), is_new = !*kind;
    *kind = true;
    return is_new;
}

/* ---- A block ---------------------------------------------------------------------------------------------------- */

/* Records a case with its bytes. A case that is already recorded comes from a resumed run. */
static void record_case(fuzz_run *run, uint64_t number, const tmap_probe *probe, const tmap_observation *seen) {
    char name[32], tensor[32];
    if (!run->file.path || run->keeping != TMAP_OK) return;
    snprintf(name, sizeof name, "case_%" PRIu64, number);
    snprintf(tensor, sizeof tensor, "map_%" PRIu64, number);
    tmap_status status = tmap_recording_add(run->file.recording, name, tensor, probe, seen);
    if (status != TMAP_BAD_ARGUMENT) run->keeping = status;
}

static void keep_gap(fuzz_run *run, uint64_t number, const tmap_probe_report *report) {
    if (was_interrupted() || time_is_up(run, 0)) return;
    if (run->not_run_n < SHOWN_MAX) {
        fuzz_gap *gap = &run->gaps[run->not_run_n];
        gap->number = number;
        snprintf(gap->text, sizeof gap->text, "%.*s", (int)sizeof gap->text - 1, report->why.message);
    }
    run->not_run_n++;
}

static void saw_case(void *context, uint64_t number, const tmap_probe *probe, const tmap_probe_report *report,
                     const tmap_observation *seen) {
    fuzz_run *run = context;
    bool differs = report->verdict == TMAP_PROBE_DIFFERS, found = differs && run->found_n < FOUND_ALL_MAX;
    if (!seen) {
        keep_gap(run, number, report);
        return;
    }
    bool recorded = is_new_kind(run, number, probe);
    if (found && run->found_of_block_n < FOUND_MAX) {
        recorded = true;
        run->found_of_block_n++;
        run->found_n++;
    }
    if (recorded) record_case(run, number, probe, seen);
    if (!differs || run->findings_n == SHOWN_MAX) return;
    run->findings[run->findings_n++] = (fuzz_finding){.number = number, .probe = *probe, .report = *report};
    remark("case %" PRIu64 " differs: %s", number, report->why.message);
}

/* The recording contains the case as it was found; the shrunk case is printed. */
static void shrink_from(fuzz_run *run, size_t first) {
    tmap_probe_options how = run->probe_options;
    how.go_on = shrinking_goes_on;
    how.context = run;
    for (size_t i = first; i < run->findings_n && run->code == EXIT_CLEAN; i++) {
        fuzz_finding *f = &run->findings[i];
        tmap_status status = tmap_fuzz_shrink(run->device, &how, run->fuzz.archs, SHRINK_TRIES, &f->probe, &f->report);
        if (status != TMAP_OK) fail(run, status, tmap_device_refusal(run->device));
    }
}

static void add_block(fuzz_run *run, const tmap_fuzz_block *block) {
    run->cases_n += TMAP_FUZZ_BLOCK - block->not_run_n;
    run->differing_n += block->differing_n;
    run->rule_breakers_n += block->rule_breakers_n;
    run->omitted_breakers_n += block->omitted_breakers_n;
    for (int op = 0; op < TMAP_OP_COUNT; op++) run->by_op[op] += block->by_op[op];
    if (block->not_run_n == 0 && run->keeping == TMAP_OK)
        run->keeping = tmap_recording_add_block(run->file.recording, block);
}

static void run_block(fuzz_run *run, uint64_t number) {
    tmap_diag refusal;
    tmap_fuzz_block block;
    tmap_probe_options how = run->probe_options;
    size_t first = run->findings_n;
    how.go_on = block_goes_on;
    how.context = run;
    run->found_of_block_n = 0;
    skip_kinds(run, number);
    tmap_status status = tmap_fuzz_run(run->device, &run->fuzz, number, &how, saw_case, run, &block, &refusal);
    if (status == TMAP_REFUSED) {
        run->code =
            complain(EXIT_USAGE, "no case can be generated: this device does not support such copies; see --modes");
        return;
    }
    if (status == TMAP_OK || status == TMAP_UNAVAILABLE) add_block(run, &block);
    if (status != TMAP_OK) fail(run, status, &refusal);
    if (status == TMAP_OK && run->keeping != TMAP_OK) fail(run, run->keeping, NULL);
    if (run->file.path && !recording_save(&run->file, run->findings_n > first)) run->code = run->file.code;
    shrink_from(run, first);
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */

static void show_progress(fuzz_run *run, uint64_t goal) {
    char differ[48];
    snprintf(differ, sizeof differ, "%" PRIu64 " differ", run->differing_n);
    progress_show(&run->progress, run->cases_n, goal, differ);
}

/* Runs the blocks of this shard, except those in a resumed recording. */
static void run_blocks(fuzz_run *run) {
    const fuzz_options *o = run->options;
    bool endless = o->seconds.given && !o->cases.given;
    uint64_t cases = o->cases.given ? o->cases.value : CASES_DEFAULT;
    uint64_t blocks = endless ? UINT64_MAX / TMAP_FUZZ_BLOCK : cases / TMAP_FUZZ_BLOCK + (cases % TMAP_FUZZ_BLOCK != 0);
    uint64_t goal =
        endless ? UINT64_MAX : (blocks - o->shard.rank + o->shard.size - 1) / o->shard.size * TMAP_FUZZ_BLOCK;
    for (uint64_t i = o->shard.rank; i < blocks && run->code == EXIT_CLEAN; i += o->shard.size) {
        if (was_interrupted() || time_is_up(run, 0)) break;
        if (tmap_recording_has_block(run->file.recording, i)) continue;
        run_block(run, i);
        show_progress(run, goal);
    }
    progress_end(&run->progress);
}

/* ---- Result ----------------------------------------------------------------------------------------------------- */

static size_t gaps_shown(const fuzz_run *run) {
    return run->not_run_n < SHOWN_MAX ? (size_t)run->not_run_n : SHOWN_MAX;
}

static void write_gaps(result_sink *out, const fuzz_run *run) {
    tmap_json *json = &out->json;
    json_field_uint(json, "not_run", run->not_run_n);
    json_field_uint(json, "lost_faults", device_lost_faults());
    json_list(json, "not_run_cases", false);
    if (run->not_run_n > 0)
        tmap_printf(&out->text, "cases that could not run, whose blocks are not recorded: %" PRIu64 "\n",
                    run->not_run_n);
    for (size_t i = 0; i < gaps_shown(run); i++) {
        const fuzz_gap *gap = &run->gaps[i];
        tmap_json_object(json, false);
        json_field_uint(json, "case", gap->number);
        json_field_string(json, "text", gap->text);
        tmap_json_close(json, '}');
        tmap_printf(&out->text, "    case %" PRIu64 ": %s\n", gap->number, gap->text);
    }
    tmap_json_close(json, ']');
    if (run->not_run_n > SHOWN_MAX) tmap_printf(&out->text, "    and %" PRIu64 " more\n", run->not_run_n - SHOWN_MAX);
}

/* In the text, all reductions together are one number. */
static void write_operations(result_sink *out, const fuzz_run *run) {
    const char *separator = "";
    uint64_t reductions_n = 0;
    json_object(&out->json, "operations", true);
    for (int op = 0; op < TMAP_OP_COUNT; op++) {
        const tmap_op_info *info = tmap_op_get(op);
        if (run->by_op[op] == 0) continue;
        json_field_uint(&out->json, info->name, run->by_op[op]);
        if (info->reduces) {
            reductions_n += run->by_op[op];
            continue;
        }
        tmap_printf(&out->text, "%s%" PRIu64 " %s", separator, run->by_op[op], info->name);
        separator = ", ";
    }
    if (reductions_n != 0) tmap_printf(&out->text, "%s%" PRIu64 " reductions", separator, reductions_n);
    tmap_json_close(&out->json, '}');
}

static void write_case(result_sink *out, const fuzz_finding *f) {
    tmap_text spec = {0};
    tmap_sink sink = tmap_text_sink(&spec);
    char name[32];
    snprintf(name, sizeof name, "case_%" PRIu64, f->number);
    finding_print_spec(&sink, &f->probe, "copy");
    tmap_json_object(&out->json, false);
    json_field_uint(&out->json, "case", f->number);
    json_field_uint(&out->json, "seed", f->probe.seed);
    json_field_string(&out->json, "text", f->report.why.message);
    json_field_text(&out->json, "spec", &spec);
    tmap_printf(&out->text, "\n# case %" PRIu64 ", reduced, inputs of seed %" PRIu64 ": %s\n", f->number, f->probe.seed,
                f->report.why.message);
    finding_write(out, &f->probe, &f->report, NULL);
    finding_print_spec(&out->text, &f->probe, name);
    tmap_json_close(&out->json, '}');
}

static void write_run(result_sink *out, const fuzz_run *run) {
    const tmap_device_info *device = tmap_device_about(run->device);
    tmap_json *json = &out->json;
    json_field_string(json, "device", device->gpu);
    json_field_bool(json, "hardware", device->hardware);
    JSON_FIELDS(json, {"seed", run->fuzz.seed}, {"cases", run->cases_n}, {"differing", run->differing_n},
                {"nearly_valid", run->rule_breakers_n}, {"left_out", run->omitted_breakers_n});
    row_write(run->cases_n, "counted", "random copies");
    row_write(run->differing_n, "counted", "differ");
    if (run->rule_breakers_n != 0) row_write(run->rule_breakers_n, "counted", "break a rule");
    tmap_printf(&out->text, "%s: %" PRIu64 " random copies of seed %" PRIu64 ", %" PRIu64 " differ (", device->gpu,
                run->cases_n, run->fuzz.seed, run->differing_n);
    write_operations(out, run);
    if (run->rule_breakers_n != 0) tmap_printf(&out->text, "; break a rule: %" PRIu64, run->rule_breakers_n);
    if (run->omitted_breakers_n != 0)
        tmap_printf(&out->text, "; break a rule and are replaced by valid cases: %" PRIu64, run->omitted_breakers_n);
    tmap_puts(&out->text, ")\n");
    write_gaps(out, run);
    json_field_uint(json, "milliseconds", (uint64_t)((now_s() - run->begin_s) * 1000));
    json_list(json, "findings", false);
    for (size_t i = 0; i < run->findings_n; i++) write_case(out, &run->findings[i]);
    tmap_json_close(json, ']');
}

/* ---- Beginning -------------------------------------------------------------------------------------------------- */

static int begin_recording(fuzz_run *run) {
    const fuzz_options *o = run->options;
    tmap_recording **recording = &run->file.recording;
    char date[32];
    if (o->resume_path) {
        int code = recording_read(o->resume_path, recording);
        if (code != EXIT_CLEAN) return code;
    } else {
        tmap_status status = tmap_recording_new(run->device, o->date ? o->date : date_now(date), NULL, recording);
        if (status != TMAP_OK) return complain_status(status, "the recording");
    }
    if (tmap_recording_set_fuzz(*recording, &run->fuzz) != TMAP_OK)
        return complain(EXIT_USAGE, "%s has another --seed, --modes, --nearly, --no-faults or device", o->resume_path);
    return !run->file.path || recording_save(&run->file, true) ? EXIT_CLEAN : run->file.code;
}

static tmap_fuzz fuzz_of(const fuzz_options *o, const tmap_device *device) {
    tmap_fuzz fuzz = o->fuzz;
    fuzz.seed = o->seed.given ? o->seed.value : SEED_DEFAULT;
    fuzz.archs = tmap_device_target(device);
    fuzz.toolkit = tmap_device_about(device)->driver;
    fuzz.breaks_one_in = o->nearly.given && o->nearly.value <= UINT32_MAX ? (uint32_t)o->nearly.value : 0;
    fuzz.without_faults = o->no_faults;
    return fuzz;
}

static void run_and_print(fuzz_run *run) {
    const char *path = run->file.path;
    run_blocks(run);
    if (path) run->code = worse_of(run->code, recording_finish(&run->file));
    result_sink out;
    result_begin(&out, path && strcmp(path, "-") == 0 ? stderr : stdout, run->options->json);
    write_run(&out, run);
    result_end(&out);
    if (run->differing_n + run->not_run_n + device_lost_faults() > 0) run->code = worse_of(run->code, EXIT_FINDINGS);
    if (was_interrupted()) run->code = worse_of(run->code, interrupted_code());
}

static int fuzz_on(const fuzz_options *o, tmap_device *device, const char *path) {
    static fuzz_run run; /* large */
    run = (fuzz_run){.options = o, .device = device, .file = {.path = path}, .begin_s = now_s()};
    run.progress = progress_begin("copies");
    run.probe_options = device_probe_options(&o->device);
    run.fuzz = fuzz_of(o, device);
    run.code = begin_recording(&run);
    if (run.code == EXIT_CLEAN) run_and_print(&run);
    tmap_recording_free(run.file.recording);
    return run.code;
}

static int run_fuzz(const operand_list *operands, void *values) {
    (void)operands;
    fuzz_options *o = values;
    static shard_names names;
    tmap_device *device = NULL;
    const char *path = o->out_path ? o->out_path : o->resume_path;
    int code = shard_settle(&o->shard, &names, &path, o->verdicts ? NULL : &o->device);
    if (code != EXIT_CLEAN) return code;
    if (o->verdicts)
        return verdicts_run(&o->device, &o->shard, o->seed.given ? o->seed.value : SEED_DEFAULT,
                            o->cases.given ? o->cases.value : CASES_DEFAULT, o->json);
    listen_for_interrupt_within(INTERRUPTED_WITHIN_S);
    code = device_open(&o->device, &device);
    if (code == EXIT_CLEAN) code = fuzz_on(o, device, path);
    tmap_device_close(device);
    return code;
}

const command_row fuzz_command = {
    .name = "fuzz",
    .summary = "run random copies on a device and compare them with the emulator",
    .synopsis = "",
    .about =
        "Generates random maps and copies, runs each copy twice, with two different contents of its destination,\n"
        "and compares every byte, including the guards, with the prediction. A case that differs is reduced and\n"
        "printed as a spec; the exit status is then 1. The same seed generates the same cases, so a recording can\n"
        "be resumed, split by --shard, and combined by tmap merge.",
    OPTIONS_IN(fuzz_options),
    .operands = {0, 0},
    .run = run_fuzz,
};
