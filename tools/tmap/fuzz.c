/* tmap fuzz: random copies on a device against the emulator, in blocks that can be split, resumed and merged. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "devices.h"
#include "findings.h"
#include "output.h"
#include "patience.h"
#include "recordings.h"
#include "verdicts.h"

#define CASES_DEFAULT 16384
#define SEED_DEFAULT  1
#define SHOWN_MAX     8 /* differences that are made smaller and printed */
#define SHRINK_TRIES  3000
#define SAVE_EVERY_S  20
#define KINDS_MAX     (TMAP_MODE_COUNT * TMAP_TYPE_COUNT * TMAP_SWIZZLE_COUNT)

typedef struct shard {
    uint64_t rank, size;
} shard;

typedef struct fuzz_options {
    device_options device;
    optional_number seed, cases, seconds, nearly;
    tmap_fuzz draw; /* modes and ops */
    shard shard;
    const char *out_path, *resume_path, *date;
    bool json, verdicts;
} fuzz_options;

/* Names of modes and of operations, mixed: "im2col,store". */
static bool take_modes(void *at, const char *value) {
    tmap_fuzz *draw = at;
    while (*value != '\0') {
        char name[32];
        size_t size = strcspn(value, ","), kept = size < sizeof name ? size : sizeof name - 1;
        memcpy(name, value, kept);
        name[kept] = '\0';
        int mode = tmap_mode_find(name), op = tmap_op_find(name);
        if (mode < 0 && op < 0) {
            complain(EXIT_USAGE, "there is no mode or operation '%s' (see tmap list modes, tmap list ops)", name);
            return false;
        }
        if (mode >= 0) draw->modes |= (uint32_t)1 << mode;
        if (op >= 0) draw->ops |= (uint32_t)1 << op;
        value += size + (value[size] == ',');
    }
    return true;
}

static bool take_shard(void *at, const char *value) {
    shard *s = at;
    char rest;
    if (sscanf(value, "%" SCNu64 "/%" SCNu64 "%c", &s->rank, &s->size, &rest) == 2 && s->rank < s->size &&
        value[0] != '-')
        return true;
    complain(EXIT_USAGE, "--shard is I/N with I from 0 to N-1, not '%s'", value);
    return false;
}

static const option_row options[] = {
    DEVICE_OPTIONS(fuzz_options, device),
    {"--seed", "N", "seed of the cases (1)", offsetof(fuzz_options, seed), take_number},
    {"--cases", "N", "how many, rounded up to blocks of 1024 (16384; with --time as many as it allows)",
     offsetof(fuzz_options, cases), take_number},
    {"--time", "SECONDS", "stop after that time", offsetof(fuzz_options, seconds), take_number},
    {"--modes", "NAMES", "only these modes and operations, for example tiled,load", offsetof(fuzz_options, draw),
     take_modes},
    {"--nearly", "N", "one of N cases breaks a rule and must show its symptom (none)", offsetof(fuzz_options, nearly),
     take_number},
    {"--shard", "I/N", "only part I of N; by default the rank that Slurm or an MPI launcher gives",
     offsetof(fuzz_options, shard), take_shard},
    {"-o", "FILE", "record what the device did (FILE.I for a launcher's rank I)", offsetof(fuzz_options, out_path),
     NULL},
    {"--resume", "FILE", "go on with that recording, in place unless -o is given", offsetof(fuzz_options, resume_path),
     NULL},
    DATE_OPTION(fuzz_options, date),
    {"--verdicts", NULL, "ask the driver about maps near every limit instead", offsetof(fuzz_options, verdicts), NULL},
    {"--json", NULL, "print the result as JSON", offsetof(fuzz_options, json), NULL},
    {0},
};

/* ---- A run ------------------------------------------------------------------------------------------------------ */

typedef struct fuzz_finding {
    uint64_t number;
    tmap_probe probe;
    tmap_probe_report report;
} fuzz_finding;

typedef struct fuzz_run {
    const fuzz_options *options;
    tmap_device *device;
    tmap_probe_options probe_options;
    tmap_fuzz fuzz;
    tmap_recording *recording;
    const char *path; /* of the recording; NULL for none */
    bool recorded_kinds[KINDS_MAX], recorded_fields[TMAP_REPLACEABLE_COUNT];
    fuzz_finding findings[SHOWN_MAX];
    size_t findings_n;
    uint64_t cases_n, differing_n, nearly_n, by_op[TMAP_OP_COUNT];
    double begin_s, saved_s;
    int code;
} fuzz_run;

static int fail(fuzz_run *run, tmap_status status, const char *reason) {
    run->code = reason[0] != '\0' ? complain(code_of(status), "%s", reason) : complain_status(status, "fuzz");
    return run->code;
}

static void keep_finding(void *context, uint64_t number, const tmap_probe *probe, const tmap_probe_report *report) {
    fuzz_run *run = context;
    if (run->findings_n == SHOWN_MAX) return;
    run->findings[run->findings_n++] = (fuzz_finding){.number = number, .probe = *probe, .report = *report};
}

static tmap_status record_case(const fuzz_run *run, uint64_t number, const tmap_probe *probe) {
    char name[32], tensor[32];
    snprintf(name, sizeof name, "case_%" PRIu64, number);
    snprintf(tensor, sizeof tensor, "map_%" PRIu64, number);
    return recording_keep(run->recording, run->device, &run->probe_options, probe, name, tensor);
}

/* The finding as it was found goes into the recording; the smaller one is printed. */
static void shrink_from(fuzz_run *run, size_t first) {
    for (size_t i = first; i < run->findings_n && run->code == EXIT_CLEAN; i++) {
        fuzz_finding *f = &run->findings[i];
        tmap_status status = record_case(run, f->number, &f->probe);
        if (status == TMAP_OK || status == TMAP_BAD_ARGUMENT) /* there already: a run was resumed */
            status = tmap_fuzz_shrink(run->device, &run->probe_options, run->fuzz.archs, SHRINK_TRIES, &f->probe,
                                      &f->report);
        if (status != TMAP_OK) fail(run, status, tmap_device_reason(run->device));
    }
}

/* Of copies by mode, type and swizzle, of replacements by field. */
static bool *kind_of(fuzz_run *run, const tmap_probe *probe) {
    size_t of_mode = (size_t)probe->map.mode * TMAP_TYPE_COUNT + (size_t)probe->map.type;
    if (probe->copy.op == TMAP_OP_REPLACE) return &run->recorded_fields[probe->copy.field];
    return &run->recorded_kinds[of_mode * TMAP_SWIZZLE_COUNT + (size_t)probe->map.swizzle];
}

/* The first case of each kind is recorded with its bytes. */
static void record_kinds(fuzz_run *run, uint64_t block) {
    for (uint64_t i = 0; run->path != NULL && i < TMAP_FUZZ_BLOCK && run->code == EXIT_CLEAN; i++) {
        uint64_t number = block * TMAP_FUZZ_BLOCK + i;
        tmap_probe probe;
        if (tmap_fuzz_draw(&run->fuzz, number, &probe) != TMAP_OK || probe.rule != NULL) continue;
        bool *recorded = kind_of(run, &probe);
        if (*recorded) continue;
        *recorded = true;
        tmap_status status = record_case(run, number, &probe);
        if (status != TMAP_OK && status != TMAP_BAD_ARGUMENT) fail(run, status, tmap_device_reason(run->device));
    }
}

static void save(fuzz_run *run, bool last) {
    double now = now_s();
    if (run->path == NULL || (!last && (strcmp(run->path, "-") == 0 || now - run->saved_s < SAVE_EVERY_S))) return;
    run->saved_s = now;
    run->code = worse_of(run->code, recording_write(run->path, run->recording));
}

static void show_progress(const fuzz_run *run, uint64_t goal) {
    if (columns_of(stderr) == 0) return;
    double seconds = now_s() - run->begin_s;
    fprintf(stderr, "\r%" PRIu64, run->cases_n);
    if (goal != UINT64_MAX) fprintf(stderr, " of %" PRIu64, goal);
    fprintf(stderr, " copies, %" PRIu64 " differ, %.0f a second ", run->differing_n,
            seconds > 0 ? (double)run->cases_n / seconds : 0);
    fflush(stderr);
}

static void run_block(fuzz_run *run, uint64_t number) {
    char reason[512];
    tmap_fuzz_block block;
    size_t first = run->findings_n;
    tmap_status status = tmap_fuzz_run(run->device, &run->fuzz, number, &run->probe_options, keep_finding, run, &block,
                                       reason, sizeof reason);
    if (status == TMAP_REFUSED) {
        run->code = complain(EXIT_USAGE, "nothing can be drawn: this device has no such copies; see --modes");
        return;
    }
    if (status == TMAP_OK) status = tmap_recording_add_block(run->recording, &block);
    if (status != TMAP_OK) {
        fail(run, status, reason);
        return;
    }
    run->cases_n += TMAP_FUZZ_BLOCK;
    run->differing_n += block.differing_n;
    run->nearly_n += block.nearly_n;
    for (int op = 0; op < TMAP_OP_COUNT; op++) run->by_op[op] += block.by_op[op];
    record_kinds(run, number);
    shrink_from(run, first);
}

static bool time_is_up(const fuzz_run *run) {
    return run->options->seconds.given && now_s() - run->begin_s >= (double)run->options->seconds.value;
}

/* Blocks of this shard, those of a resumed recording left out. */
static void run_blocks(fuzz_run *run) {
    const fuzz_options *o = run->options;
    bool endless = o->seconds.given && !o->cases.given;
    uint64_t cases = o->cases.given ? o->cases.value : CASES_DEFAULT;
    uint64_t blocks = endless ? UINT64_MAX / TMAP_FUZZ_BLOCK : cases / TMAP_FUZZ_BLOCK + (cases % TMAP_FUZZ_BLOCK != 0);
    uint64_t goal =
        endless ? UINT64_MAX : (blocks - o->shard.rank + o->shard.size - 1) / o->shard.size * TMAP_FUZZ_BLOCK;
    for (uint64_t i = o->shard.rank; i < blocks && run->code == EXIT_CLEAN; i += o->shard.size) {
        if (was_interrupted() || time_is_up(run)) break;
        if (tmap_recording_has_block(run->recording, i)) continue;
        run_block(run, i);
        show_progress(run, goal);
        save(run, false);
    }
    if (columns_of(stderr) != 0) fputs("\n", stderr);
}

/* ---- Result ----------------------------------------------------------------------------------------------------- */

static void print_text(tmap_sink *sink, const fuzz_run *run) {
    tmap_printf(sink, "%s: %" PRIu64 " random copies of seed %" PRIu64 ", %" PRIu64 " differ (",
                tmap_device_about(run->device)->gpu, run->cases_n, run->fuzz.seed, run->differing_n);
    const char *separator = "";
    uint64_t reductions_n = 0;
    for (int op = 0; op < TMAP_OP_COUNT; op++) {
        if (tmap_op_get(op)->reduces) reductions_n += run->by_op[op];
        if (run->by_op[op] == 0 || tmap_op_get(op)->reduces) continue;
        tmap_printf(sink, "%s%" PRIu64 " %s", separator, run->by_op[op], tmap_op_get(op)->name);
        separator = ", ";
    }
    if (reductions_n != 0) tmap_printf(sink, "%s%" PRIu64 " reductions", separator, reductions_n);
    if (run->nearly_n != 0) tmap_printf(sink, "; %" PRIu64 " of them break a rule", run->nearly_n);
    tmap_puts(sink, ")\n");
    for (size_t i = 0; i < run->findings_n; i++) {
        const fuzz_finding *f = &run->findings[i];
        char name[32];
        snprintf(name, sizeof name, "case_%" PRIu64, f->number);
        tmap_printf(sink, "\n# case %" PRIu64 ", made smaller, inputs of seed %" PRIu64 ": %s\n", f->number,
                    f->probe.seed, f->report.text);
        finding_print(sink, &f->probe, &f->report, NULL);
        finding_print_spec(sink, &f->probe, name);
    }
}

static void finding_object(tmap_json *json, const fuzz_finding *f) {
    tmap_text spec = {0};
    tmap_sink sink = tmap_text_sink(&spec);
    finding_print_spec(&sink, &f->probe, "copy");
    tmap_json_object(json, false);
    json_field_uint(json, "case", f->number);
    json_field_uint(json, "seed", f->probe.seed);
    json_field_string(json, "text", f->report.text);
    json_field_string(json, "spec", spec.data);
    finding_json(json, &f->probe, &f->report);
    tmap_json_close(json, '}');
    tmap_text_free(&spec);
}

static void print_json(tmap_sink *sink, const fuzz_run *run) {
    tmap_json json = json_result_begin(sink);
    json_field_string(&json, "device", tmap_device_about(run->device)->gpu);
    json_field_bool(&json, "hardware", tmap_device_about(run->device)->hardware);
    json_field_uint(&json, "seed", run->fuzz.seed);
    json_field_uint(&json, "cases", run->cases_n);
    json_field_uint(&json, "differing", run->differing_n);
    json_field_uint(&json, "nearly_valid", run->nearly_n);
    json_field_uint(&json, "milliseconds", (uint64_t)((now_s() - run->begin_s) * 1000));
    tmap_json_key(&json, "operations");
    tmap_json_object(&json, true);
    for (int op = 0; op < TMAP_OP_COUNT; op++)
        if (run->by_op[op] != 0) json_field_uint(&json, tmap_op_get(op)->name, run->by_op[op]);
    tmap_json_close(&json, '}');
    tmap_json_key(&json, "findings");
    tmap_json_array(&json, false);
    for (size_t i = 0; i < run->findings_n; i++) finding_object(&json, &run->findings[i]);
    tmap_json_close(&json, ']');
    json_result_end(&json);
}

/* ---- Beginning -------------------------------------------------------------------------------------------------- */

/* The rank that a launcher of many processes gives. */
static bool launcher_shard(shard *out) {
    static const char *const variables[][2] = {
        {"SLURM_PROCID", "SLURM_NTASKS"},
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
    };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i][0]), *size = getenv(variables[i][1]);
        shard found;
        if (rank == NULL || size == NULL || !parse_number(rank, &found.rank) || !parse_number(size, &found.size))
            continue;
        if (found.rank >= found.size) continue;
        *out = found;
        return found.size > 1;
    }
    return false;
}

static int begin_recording(fuzz_run *run) {
    const fuzz_options *o = run->options;
    char date[32];
    if (o->resume_path != NULL) {
        int code = recording_read(o->resume_path, &run->recording);
        if (code != EXIT_CLEAN) return code;
    } else {
        tmap_status status =
            tmap_recording_new(run->device, o->date != NULL ? o->date : date_now(date), NULL, &run->recording);
        if (status != TMAP_OK) return complain_status(status, "the recording");
    }
    if (tmap_recording_set_fuzz(run->recording, &run->fuzz) == TMAP_OK) return EXIT_CLEAN;
    return complain(EXIT_USAGE, "%s was made with another --seed, --modes, --nearly or device", o->resume_path);
}

static int fuzz_on(const fuzz_options *o, tmap_device *device, const char *path) {
    static fuzz_run run; /* large */
    run = (fuzz_run){.options = o, .device = device, .path = path, .begin_s = now_s(), .saved_s = now_s()};
    run.probe_options = device_probe_options(&o->device);
    run.fuzz = (tmap_fuzz){.seed = o->seed.given ? o->seed.value : SEED_DEFAULT,
                           .modes = o->draw.modes,
                           .ops = o->draw.ops,
                           .archs = tmap_device_target(device),
                           .nearly = o->nearly.given && o->nearly.value <= UINT32_MAX ? (uint32_t)o->nearly.value : 0};
    run.code = begin_recording(&run);
    if (run.code == EXIT_CLEAN) {
        listen_for_interrupt();
        run_blocks(&run);
        save(&run, true);
        tmap_sink sink = sink_to(path != NULL && strcmp(path, "-") == 0 ? stderr : stdout);
        (o->json ? print_json : print_text)(&sink, &run);
        if (run.differing_n > 0) run.code = worse_of(run.code, EXIT_FINDINGS);
        if (was_interrupted()) run.code = worse_of(run.code, EXIT_INTERRUPTED);
    }
    tmap_recording_free(run.recording);
    return run.code;
}

static int run(int argc, char **argv) {
    fuzz_options o = {.shard = {0, 0}};
    operand_list operands;
    tmap_device *device = NULL;
    char ranked[4096];
    int code;
    if (!options_parse(&fuzz_command, &o, argc, argv, &operands, &code)) return code;
    if (o.verdicts)
        return verdicts_run(o.seed.given ? o.seed.value : SEED_DEFAULT, o.cases.given ? o.cases.value : CASES_DEFAULT,
                            o.json);
    const char *path = o.out_path != NULL ? o.out_path : o.resume_path;
    if (o.shard.size == 0 && launcher_shard(&o.shard) && path != NULL && strcmp(path, "-") != 0) {
        snprintf(ranked, sizeof ranked, "%s.%" PRIu64, path, o.shard.rank);
        path = ranked;
    }
    if (o.shard.size == 0) o.shard.size = 1;
    code = device_open(&o.device, &device);
    if (code == EXIT_CLEAN) code = fuzz_on(&o, device, path);
    tmap_device_close(device);
    return code;
}

const command_row fuzz_command = {
    .name = "fuzz",
    .summary = "hold random copies on a device against the emulator",
    .synopsis = "",
    .about = "Draws random maps and copies, runs each twice over two poisons, and compares every byte, guards\n"
             "included. Differences are made smaller and printed as specs; exit status 1. The same seed draws the\n"
             "same cases: a recording can be resumed, split by --shard, and put together by tmap merge.",
    .options = options,
    .operands_min = 0,
    .operands_max = 0,
    .run = run,
};
