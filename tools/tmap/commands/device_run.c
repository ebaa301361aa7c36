#include "commands/device_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "device/processes.h"
#include "device/recordings.h"
#include "device/run_summary.h"
#include "files/files.h"
#include "hash/sha256.h"
#include "output/exit_code.h"
#include "output/messages.h"
#include "output/signals.h"
#include "text/print.h"
#include "text/words.h"

#define JOBS_MAX       64
#define JOBS_DEFAULT   8
#define OUTPUT_MAX_B   ((size_t)256 << 10) /* of one part in the report */
#define END_S          10                  /* time for the summary */
#define ASK_S          60                  /* time limit of a command that describes the machine */
#define PUBLISH_S      2
#define EXIT_NOT_ENDED 5 /* a part did not end */

typedef struct device_run_state {
    const device_run_options *options;
    run_setting setting;
    run_folder folder;
    tmap_text report, machine, shown, refuted, not_run;
    uint64_t limit_s, reserve_s; /* reserve_s: the least times of the later parts */
    double begin_s, publish_s;   /* publish_s: the time of the next publication */
    const run_part *part;        /* the part that runs, and its processes */
    process processes[JOBS_MAX];
    size_t processes_n;
    int code;
} device_run_state;

static const char *shown(const tmap_text *text) {
    return text->data ? text->data : "";
}

static void cut(tmap_text *text, size_t size) {
    if (text->data) text->data[size] = '\0';
    text->size = size;
}

static void deliver_report(const device_run_state *run) {
    run_folder_write(&run->folder, "report.txt", shown(&run->report), run->report.size);
}

/* ---- Processes -------------------------------------------------------------------------------------------------- */

static void forget_processes(device_run_state *run) {
    for (size_t i = 0; i < run->processes_n; i++) tmap_text_free(&run->processes[i].words);
    memset(run->processes, 0, sizeof run->processes);
    run->processes_n = 0;
}

/* Returns a sink for the command line of the process, one word in each line. */
static tmap_sink add_process(device_run_state *run) {
    process *p = &run->processes[run->processes_n];
    char name[32];
    (void)snprintf(name, sizeof name, "%zu.output", run->processes_n);
    (void)path_in(p->output, run->folder.work, name);
    (void)snprintf(name, sizeof name, "%zu.rows", run->processes_n++);
    (void)path_in(p->rows, run->folder.work, name);
    return tmap_text_sink(&p->words);
}

static void read_file(const char *path, tmap_sink *sink) {
    file_bytes file;
    if (access(path, F_OK) != 0 || file_read(path, SPEC_SIZE_MAX, &file) != EXIT_CLEAN) return;
    tmap_write(sink, (const char *)file.data, file.size);
    file_free(&file);
}

static void read_outputs(const device_run_state *run, tmap_text *text) {
    tmap_sink sink = tmap_text_sink(text);
    for (size_t i = 0; i < run->processes_n; i++) {
        if (run->processes_n > 1) tmap_printf(&sink, "-- process %zu of %zu\n", i, run->processes_n);
        read_file(run->processes[i].output, &sink);
    }
}

static void write_rows(const device_run_state *run, tmap_sink *report) {
    tmap_printf(report, "==== %s: rows\n", run->part->name);
    for (size_t i = 0; i < run->processes_n; i++) read_file(run->processes[i].rows, report);
}

/* Runs one program and adds its output to *output. Returns its status. */
static int ask(device_run_state *run, const char *program, const char *arguments, tmap_text *output) {
    forget_processes(run);
    tmap_sink words = add_process(run);
    tmap_printf(&words, "%s\n%s", program, arguments);
    int status = processes_run(run->processes, 1, ASK_S, NULL, NULL);
    read_outputs(run, output);
    return status;
}

/* ---- A part ----------------------------------------------------------------------------------------------------- */

static void write_output(const device_run_state *run, const char *state, tmap_sink *sink, const tmap_text *output) {
    tmap_printf(sink, "==== %s: %s\n", run->part->name, state);
    tmap_write(sink, output->data, output->size < OUTPUT_MAX_B ? output->size : OUTPUT_MAX_B);
}

/* Merges the recordings of the part so far. */
static void merge_recordings(const device_run_state *run, tmap_sink *report) {
    char name[64];
    (void)snprintf(name, sizeof name, "running-%s.yaml", run->part->into ? run->part->into : "");
    if (run->part->into) run_folder_merge(&run->folder, name, report);
}

/* Writes the report and the recording so far to the folder, in at most a tenth of the time. */
static void publish(void *context) {
    device_run_state *run = context;
    double begin_s = now_s();
    if (begin_s < run->publish_s) return;
    tmap_text output = {0};
    size_t before = run->report.size;
    tmap_sink report = tmap_text_sink(&run->report);
    read_outputs(run, &output);
    write_output(run, "running", &report, &output);
    deliver_report(run);
    merge_recordings(run, &report);
    cut(&run->report, before);
    tmap_text_free(&output);
    run->publish_s = now_s() + PUBLISH_S + 9 * (now_s() - begin_s);
}

#define WHY_MAX_B (LINE_MAX_B + 64)

/* Why a part did not finish; an empty text if it did. */
static void find_reason(int status, unsigned seconds, const tmap_text *output, char why[WHY_MAX_B]) {
    char line[LINE_MAX_B];
    if (was_interrupted())
        (void)snprintf(why, WHY_MAX_B, "was interrupted");
    else if (status == STATUS_LATE || status == STATUS_KILLED)
        (void)snprintf(why, WHY_MAX_B, "did not end within %u s; the results until then are kept", seconds);
    else if (status == EXIT_NOT_HERE)
        (void)snprintf(why, WHY_MAX_B, "the device can no longer be used");
    else if (status > 1)
        (void)snprintf(why, WHY_MAX_B, "ended with exit status %d: %s", status, last_line_of(shown(output), line));
}

/* A line of the summary: the reason, or the result that the output has. */
static void conclude(device_run_state *run, int status, const char *why_not, const tmap_text *output) {
    tmap_text *list = why_not[0] != '\0' ? &run->not_run : status == 1 ? &run->refuted : &run->shown;
    tmap_sink sink = tmap_text_sink(list);
    tmap_printf(&sink, "  %-13s %s", run->part->name, why_not);
    if (why_not[0] == '\0') run_result_write(&sink, run->part, shown(&run->report), shown(output));
    tmap_puts(&sink, "\n");
    run->code = worse_of(run->code, why_not[0] != '\0' ? EXIT_NOT_ENDED : status);
}

static void take_results(device_run_state *run, int status, unsigned seconds, double begin_s) {
    tmap_text output = {0};
    tmap_sink report = tmap_text_sink(&run->report);
    char why[WHY_MAX_B] = "";
    read_outputs(run, &output);
    find_reason(status, seconds, &output, why);
    write_output(run, "output", &report, &output);
    write_rows(run, &report);
    merge_recordings(run, &report);
    run_folder_add_running(&run->folder, &report);
    tmap_printf(&report, "==== %s: exit status %d, %.0f s%s%s\n\n", run->part->name, status, now_s() - begin_s,
                why[0] != '\0' ? ", not done: " : "", why);
    deliver_report(run);
    conclude(run, status, why, &output);
    tmap_text_free(&output);
}

static void run_processes(device_run_state *run, unsigned seconds) {
    size_t n = run->part->sharded ? (size_t)run->setting.jobs : 1;
    double begin_s = now_s();
    forget_processes(run);
    remove_files(run->folder.work, ".yaml");
    remove_files(run->folder.work, ".rows");
    for (size_t i = 0; i < n; i++) {
        tmap_sink words = add_process(run);
        run_part_words(&run->setting, run->part, &run->folder, seconds, i, &words);
    }
    run->publish_s = begin_s + PUBLISH_S;
    int status = processes_run(run->processes, n, seconds, publish, run);
    take_results(run, status, seconds, begin_s);
}

/* ---- The parts -------------------------------------------------------------------------------------------------- */

/* Why the part is skipped; NULL: it is not. */
static const char *left_out(const device_run_state *run) {
    const device_run_options *o = run->options;
    const run_setting *s = &run->setting;
    if (o->only && !run_part_listed(o->only, run->part)) return "excluded by --only";
    if (run->part->driver && strcmp(s->device, "cuda") != 0 && strncmp(s->device, "cuda,", 5) != 0)
        return "the device has no driver";
    if (run->part->faults && o->no_faults) return "excluded by --no-faults";
    if (!run->part->words && access(s->bench, X_OK) != 0) return "tmap_bench is missing: --bench names its path";
    bool copies = !run->part->driver && (run->part->specs || run->part->has);
    if (copies && run_part_specs(s, run->part, NULL, "") == 0)
        return "its specs are missing: --specs names their folder";
    return NULL;
}

/* Whether the report has the end of the part in an earlier run. The replay reads all recordings and always runs. */
static bool done_before(const device_run_state *run) {
    char begin[64], end[2];
    int status, size = snprintf(begin, sizeof begin, "==== %s: exit status ", run->part->name);
    bool done = false;
    for (const char *at = shown(&run->report); (at = strstr(at, begin)) != NULL; at++)
        done |= sscanf(at + size, "%d, %*u s%1[\n]", &status, end) == 2 && status <= 1;
    return done && !run->part->replays;
}

/* Seconds of a run of RUN_LIMIT_S, scaled to the limit of this run. */
static uint64_t scaled(const device_run_state *run, unsigned seconds) {
    return seconds * run->limit_s / RUN_LIMIT_S;
}

/* The time of the part: the remaining time without the least times of all later parts, but at most most_s. */
static unsigned seconds_of(const device_run_state *run) {
    double left_s = run->begin_s + (double)run->limit_s - END_S - now_s() - (double)run->reserve_s;
    uint64_t most_s = run->limit_s <= RUN_LIMIT_S ? scaled(run, run->part->most_s) : run->part->most_s;
    if (left_s > (double)most_s) return (unsigned)most_s;
    return left_s > 0 ? (unsigned)left_s : 0;
}

/* Writes the driver's answers as soon as both parts that ask only the driver have ended. */
static void write_contact(device_run_state *run) {
    tmap_text contact = {0};
    tmap_sink sink = tmap_text_sink(&contact), report = tmap_text_sink(&run->report), out = sink_to(stderr);
    tmap_printf(&sink, "==== first contact, after %.0f s\n", now_s() - run->begin_s);
    first_contact_write(&sink, shown(&run->report));
    tmap_puts(&out, shown(&contact));
    flush_stderr();
    tmap_printf(&report, "%s\n", shown(&contact));
    deliver_report(run);
    tmap_text_free(&contact);
}

static void run_or_skip(device_run_state *run) {
    const char *why = left_out(run);
    unsigned seconds = seconds_of(run);
    if (was_interrupted()) {
        conclude(run, 0, "the run was interrupted before", NULL);
    } else if (why || done_before(run)) {
        tmap_sink list = tmap_text_sink(why ? &run->not_run : &run->shown);
        tmap_printf(&list, "  %-13s %s\n", run->part->name, why ? why : "done before, see report.txt");
    } else if (seconds < 2) {
        conclude(run, 0, "no time was left", NULL);
    } else {
        remark("%s, at most %u s", run->part->name, seconds);
        run_processes(run, seconds);
        if (strcmp(run->part->name, "verdicts") == 0) write_contact(run);
    }
}

static void run_parts(device_run_state *run) {
    for (size_t i = 0; (run->part = run_part_get(i)) != NULL; i++) run->reserve_s += scaled(run, run->part->least_s);
    for (size_t i = 0; (run->part = run_part_get(i)) != NULL; i++) {
        run->reserve_s -= scaled(run, run->part->least_s);
        run_or_skip(run);
    }
}

/* ---- The report ------------------------------------------------------------------------------------------------- */

static int hash_command(const char *path, char hex[65]) {
    file_bytes file;
    int code = file_read(path, DATA_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    tmap_sha256_of(file.data, file.size, hex);
    file_free(&file);
    return EXIT_CLEAN;
}

/* Writes the lines that must be equal for a run to continue an earlier run. */
static int describe_machine(device_run_state *run) {
    const run_setting *s = &run->setting;
    char option[RUN_PATH_MAX], hex[65];
    tmap_text device = {0};
    tmap_sink machine = tmap_text_sink(&run->machine), out = sink_to(stderr);
    int code = hash_command(s->command, hex);
    if (code != EXIT_CLEAN) return code;
    (void)snprintf(option, sizeof option, "device\n--device=%s", s->device);
    int status = ask(run, s->command, option, &device);
    tmap_printf(&machine, "tmap: %s, sha256 %s\ndevice: %s\nseed: %" PRIu64 "\n%s\n", tmap_version(), hex, s->device,
                s->seed, shown(&device));
    if (status != 0) tmap_puts(&out, shown(&device));
    tmap_text_free(&device);
    if (status == 0) return EXIT_CLEAN;
    if (status == EXIT_NOT_HERE) return complain(status, "no GPU or driver can be opened; nothing was recorded");
    return complain(EXIT_NOT_ENDED, "tmap device ended with status %d after at most %d s; nothing was recorded", status,
                    ASK_S);
}

static void describe_run(device_run_state *run) {
    struct utsname system = {.sysname = ""};
    tmap_sink report = tmap_text_sink(&run->report);
    (void)uname(&system);
    tmap_printf(&report, "date: %s\nsystem: %s %s %s\n", run->setting.date, system.sysname, system.release,
                system.machine);
    int status = ask(run, "nvidia-smi", "--query-gpu=index,name,driver_version,compute_cap,vbios_version\n--format=csv",
                     &run->report);
    tmap_printf(&report, "nvidia-smi: exit status %d\n\n", status);
}

/* Continues the report of an earlier run with the same machine lines; renames the folder of any other run. */
static int begin_report(device_run_state *run) {
    char path[RUN_PATH_MAX];
    file_bytes file = {.size = 0};
    tmap_sink report = tmap_text_sink(&run->report);
    bool found = access(path_in(path, run->folder.out, "report.txt"), F_OK) == 0;
    int code = found ? file_read(path, SPEC_SIZE_MAX, &file) : EXIT_CLEAN;
    bool continues =
        file.size > 0 && file.size >= run->machine.size && memcmp(file.data, run->machine.data, run->machine.size) == 0;
    tmap_write(&report, continues ? (const char *)file.data : run->machine.data,
               continues ? file.size : run->machine.size);
    file_free(&file);
    const char *end = strstr(shown(&run->report), "==== summary");
    if (end) cut(&run->report, (size_t)(end - run->report.data));
    if (found && !continues && code == EXIT_CLEAN) code = run_folder_set_aside(&run->folder, run->setting.date);
    if (continues) remark("continuing the run in %s", run->folder.out);
    describe_run(run);
    deliver_report(run);
    return code;
}

/* ---- The summary ------------------------------------------------------------------------------------------------ */

static void write_list(tmap_sink *sink, const char *title, const tmap_text *list) {
    tmap_printf(sink, "%s:%s%s", title, list->size > 0 ? "\n" : " nothing\n", shown(list));
}

static void summarize(device_run_state *run) {
    tmap_text summary = {0};
    tmap_sink sink = tmap_text_sink(&summary), report = tmap_text_sink(&run->report), out = sink_to(stdout);
    write_list(&sink, "shown", &run->shown);
    write_list(&sink, "refuted", &run->refuted);
    write_list(&sink, "not run", &run->not_run);
    replayed_facts_write(&sink, shown(&run->report));
    if (was_interrupted()) tmap_puts(&sink, "The run was interrupted. To continue, run the same command again.\n");
    tmap_printf(&report, "==== summary, exit status %d\n%s", run->code, shown(&summary));
    deliver_report(run);
    tmap_printf(&out, "%sin %s, after %.0f s:", shown(&summary), run->folder.out, now_s() - run->begin_s);
    path_list files = files_in(run->folder.out, "");
    for (size_t i = 0; i < files.n; i++) tmap_printf(&out, " %s", strrchr(files.items[i], '/') + 1);
    tmap_puts(&out, "\n");
    path_list_free(&files);
    tmap_text_free(&summary);
}

/* ---- The run ---------------------------------------------------------------------------------------------------- */

static int list_parts(const run_setting *s) {
    tmap_sink out = sink_to(stdout);
    for (size_t i = 0; run_part_get(i); i++) {
        tmap_printf(&out, "%s:", run_part_get(i)->name);
        (void)run_part_specs(s, run_part_get(i), &out, " ");
        tmap_puts(&out, "\n");
    }
    return EXIT_CLEAN;
}

static int run_in_folder(device_run_state *run) {
    int code = describe_machine(run);
    if (code == EXIT_CLEAN) code = begin_report(run);
    if (code != EXIT_CLEAN) return code;
    listen_for_end();
    tmap_sink report = tmap_text_sink(&run->report);
    run_folder_add_running(&run->folder, &report);
    run_parts(run);
    summarize(run);
    return run->code;
}

static void end(device_run_state *run) {
    tmap_text *const texts[] = {&run->report, &run->machine, &run->shown, &run->refuted, &run->not_run};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) tmap_text_free(texts[i]);
    forget_processes(run);
    run_folder_close(&run->folder);
    path_list_free(&run->setting.all_specs);
    free(run);
}

static bool in_range(const char *option, optional_number given, uint64_t max, uint64_t otherwise, uint64_t *number) {
    *number = given.given ? given.value : otherwise;
    bool good = *number >= 1 && *number <= max;
    if (!good) complain(EXIT_USAGE, "%s requires a number from 1 to %" PRIu64, option, max);
    return good;
}

static bool are_parts(const char *only) {
    for (size_t size; only && (size = strcspn(only, ",")) > 0; only += size + (only[size] == ',')) {
        size_t i = 0;
        while (run_part_get(i) && !text_is(only, size, run_part_get(i)->name)) i++;
        if (run_part_get(i)) continue;
        return wrong_usage("unknown part '%.*s' (see tmap device run --list)", (int)size, only);
    }
    return true;
}

/* Takes the options. The specs and tmap_bench are beside the command, or the specs in the present folder. */
static bool settle(device_run_state *run, char command[RUN_PATH_MAX], char specs[RUN_PATH_MAX],
                   char bench[RUN_PATH_MAX]) {
    const device_run_options *o = run->options;
    run_setting *s = &run->setting;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    ssize_t size = readlink("/proc/self/exe", command, RUN_PATH_MAX - 1);
    command[size > 0 ? size : 0] = '\0';
    char *slash = strrchr(command, '/');
    if (slash) *slash = '\0';
    (void)path_in(specs, command, "specs");
    (void)path_in(bench, command, "tmap_bench");
    if (slash) *slash = '/';
    s->command = command;
    s->device = o->device ? o->device : "cuda";
    s->bench = o->bench ? o->bench : bench;
    s->specs = o->specs ? o->specs : access(specs, F_OK) == 0 ? specs : "specs";
    s->seed = o->seed.given ? o->seed.value : 1;
    return are_parts(o->only) && in_range("--time", o->limit_s, 86400, RUN_LIMIT_S, &run->limit_s) &&
           in_range("--sample", o->sample, 1000000, 1, &s->sample) &&
           in_range("--jobs", o->jobs, JOBS_MAX, cores < 1 || cores > JOBS_DEFAULT ? JOBS_DEFAULT : (uint64_t)cores,
                    &s->jobs);
}

int device_run(const device_run_options *options, const char *out) {
    char command[RUN_PATH_MAX], specs[RUN_PATH_MAX], bench[RUN_PATH_MAX], date[32];
    device_run_state *run = calloc(1, sizeof *run);
    if (!run) return complain_status(TMAP_NO_MEMORY, "device run");
    run->options = options;
    run->begin_s = now_s();
    run->setting.date = date_now(date);
    int code = settle(run, command, specs, bench) ? run_specs_find(&run->setting) : EXIT_USAGE;
    if (code == EXIT_CLEAN && options->list) {
        code = list_parts(&run->setting);
    } else if (code == EXIT_CLEAN) {
        code = run_folder_open(&run->folder, out);
        if (code == EXIT_CLEAN) code = run_in_folder(run);
    }
    end(run);
    return code;
}
