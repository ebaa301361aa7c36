/* tmap trace: runs a program with a library that records tensor-map calls of the driver, and writes the calls as a
 * spec. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../trace/traced_call.h"
#include "files/files.h"
#include "options/command.h"
#include "output/messages.h"
#include "output/result.h"
#include "output/signals.h"
#include "specs/found_maps.h"
#include "tmap/unstable/device.h"

#define OUT_DEFAULT "tmap-trace.yaml"
#define PATH_MAX_B  4096

typedef struct trace_options {
    const char *out_path;
    bool json;
} trace_options;

static const option_row options[] = {
    {"-o", "FILE", "write the maps to FILE (" OUT_DEFAULT ")", offsetof(trace_options, out_path), NULL},
    {"--json", NULL, "after the program, print the calls as JSON on stdout", offsetof(trace_options, json), NULL},
    {0},
};

/* ---- The program ------------------------------------------------------------------------------------------------ */

/* In a build tree, the library is in the command's folder; when installed, it is below the library folder. */
static bool find_library(char path[PATH_MAX_B]) {
    static const char *const places[] = {"../trace/", "../" TMAP_LIBRARY_FOLDER "/tmap/", "./"};
    const char *given = getenv(TRACE_LIBRARY_VARIABLE);
    char self[PATH_MAX_B / 2];
    if (given && given[0] != '\0') return snprintf(path, PATH_MAX_B, "%s", given) < PATH_MAX_B;
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (size <= 0) return false;
    self[size] = '\0';
    *(strrchr(self, '/') + 1) = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, PATH_MAX_B, "%s%s" TRACE_LIBRARY_NAME, self, places[i]);
        if (access(path, R_OK) == 0) return true;
    }
    return false;
}

/* LD_PRELOAD separates names by spaces and colons, and replaces $ORIGIN and similar variables in them. */
static bool can_preload(const char *path) {
    return strpbrk(path, " :$") == NULL;
}

/* Adds the library before libraries that are already preloaded. */
static bool set_environment(const char *library, const char *calls) {
    const char *before = getenv("LD_PRELOAD");
    char preload[2 * PATH_MAX_B];
    bool more = before && before[0] != '\0';
    int size = snprintf(preload, sizeof preload, "%s%s%s", library, more ? ":" : "", more ? before : "");
    return size < (int)sizeof preload && setenv("LD_PRELOAD", preload, 1) == 0 &&
           setenv(TRACE_FILE_VARIABLE, calls, 1) == 0;
}

/* The exit code that a shell reports for a status: 128 plus the signal that ended the process. */
static int status_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Does not return. Uses the shell's exit codes for commands that cannot run. */
static void become(char **command, const char *library, const char *calls) {
    if (!set_environment(library, calls)) _exit(126);
    execvp(command[0], command);
    int code = errno == ENOENT ? 127 : 126;
    _exit(complain(code, "cannot run %s: %s", command[0], strerror(errno)));
}

/* Signals of the terminal concern the program, which decides whether it ends. */
static int run_program(char **command, const char *library, const char *calls) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) become(command, library, calls);
    if (pid < 0) return complain(EXIT_FILE, "cannot start a process: %s", strerror(errno));
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN), (*quit)(int) = signal(SIGQUIT, SIG_IGN);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    (void)signal(SIGINT, interrupt);
    (void)signal(SIGQUIT, quit);
    return status_of(status);
}

/* ---- The calls -------------------------------------------------------------------------------------------------- */

/* A map: the place and the result of its call, and the number of equal calls. */
typedef struct traced_map {
    traced_call traced; /* the first of the calls */
    tmap_map_params params;
    uint64_t count;
} traced_map;

typedef struct traced_list {
    traced_map *items;
    size_t n, room;
} traced_list;

typedef struct tracing {
    traced_list maps, classes, unseen; /* classes: calls of cuTensorMapSetAllocationClass; unseen: libraries whose calls
                                          bypass the preloaded library */
    uint64_t calls_n, failed_n, replaced_n;
    bool loaded, cut;
} tracing;

static tmap_mode mode_of(const traced_call *r) {
    if (r->call == TRACE_TILED) return TMAP_MODE_TILED;
    if (r->call == TRACE_IM2COL) return TMAP_MODE_IM2COL;
    return r->wide_mode == 0 ? TMAP_MODE_IM2COL_W : TMAP_MODE_IM2COL_W128;
}

static tmap_map_params params_of(const traced_call *r) {
    tmap_map_params p = {
        .mode = mode_of(r),
        .type = (tmap_type)r->type,
        .rank = r->rank,
        .has_address = true,
        .address = r->address,
        .channels_per_pixel = r->channels,
        .pixels_per_column = r->pixels,
        .interleave = (tmap_interleave)r->interleave,
        .swizzle = (tmap_swizzle)r->swizzle,
        .l2_promotion = (tmap_l2_promotion)r->l2_promotion,
        .oob_fill = (tmap_oob_fill)r->oob_fill,
    };
    for (int i = 0; i < TRACE_RANK_MAX; i++) {
        p.dims_el[i] = r->dims[i];
        p.box_el[i] = r->box[i];
        p.element_strides[i] = r->element_strides[i];
        if (i + 1 < TRACE_RANK_MAX) p.strides_B[i] = r->strides[i];
        if (i + 2 < TRACE_RANK_MAX) p.lower_corner[i] = r->lower[i];
        if (i + 2 < TRACE_RANK_MAX) p.upper_corner[i] = r->upper[i];
    }
    return p;
}

/* Whether two calls have the same place, arguments and result. Addresses and processes may differ. */
static bool same_call(const traced_call *a, const traced_call *b) {
    traced_call x = *a, y = *b;
    x.pid = y.pid = 0;
    x.map = y.map = 0;
    if (x.result == 0) x.address = y.address = 0; /* a pool of tensors of one form is one map */
    return memcmp(&x, &y, sizeof x) == 0;
}

static bool take_into(traced_list *list, const traced_call *traced) {
    for (size_t i = 0; i < list->n; i++) {
        if (!same_call(&list->items[i].traced, traced)) continue;
        list->items[i].count++;
        return true;
    }
    if (list->n == list->room) {
        size_t room = list->room > 0 ? 2 * list->room : 64;
        traced_map *more = realloc(list->items, room * sizeof *more);
        if (!more) return false;
        list->items = more;
        list->room = room;
    }
    list->items[list->n++] = (traced_map){.traced = *traced, .params = params_of(traced), .count = 1};
    return true;
}

/* The driver makes no tensor-map calls itself. */
static bool is_driver(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strncmp(name, "libcuda.so", strlen("libcuda.so")) == 0;
}

static bool take_call(tracing *t, const traced_call *traced) {
    if (traced->call == TRACE_LOADED) {
        t->loaded = true;
        return true;
    }
    if (traced->call == TRACE_DEEPBIND || traced->call == TRACE_NAMESPACE)
        return is_driver(traced->module) || take_into(&t->unseen, traced);
    t->calls_n++;
    t->failed_n += traced->result != 0;
    t->replaced_n += traced->call == TRACE_REPLACE_ADDRESS;
    if (traced->call == TRACE_SET_CLASS) return take_into(&t->classes, traced);
    return traced->call == TRACE_REPLACE_ADDRESS || take_into(&t->maps, traced);
}

static int read_calls(tracing *t, const char *path) {
    file_bytes file;
    int code = file_read(path, DATA_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    t->cut = file.size % sizeof(traced_call) != 0;
    for (size_t at = 0; at + sizeof(traced_call) <= file.size && code == EXIT_CLEAN; at += sizeof(traced_call)) {
        traced_call traced;
        memcpy(&traced, file.data + at, sizeof traced);
        if (traced.magic != TRACE_MAGIC)
            code = complain(EXIT_DEFECT, "the preloaded library is from another build than this command");
        else if (!take_call(t, &traced))
            code = complain_status(TMAP_NO_MEMORY, "trace");
    }
    file_free(&file);
    return code;
}

/* ---- The spec --------------------------------------------------------------------------------------------------- */

static void print_site(tmap_sink *sink, const traced_call *r) {
    if (r->symbol[0] != '\0') tmap_printf(sink, "%s+0x%" PRIx64 " in ", r->symbol, r->symbol_offset);
    tmap_printf(sink, "%s", r->module[0] != '\0' ? r->module : "an unknown module");
    if (r->symbol[0] == '\0') tmap_printf(sink, "+0x%" PRIx64, r->site_offset);
}

static const char *call_name(const traced_call *r) {
    static const char *const names[] = {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col",
                                        "cuTensorMapEncodeIm2colWide", "cuTensorMapReplaceAddress",
                                        "cuTensorMapSetAllocationClass"};
    ROWS(names, TRACE_LOADED);
    return names[r->call < TRACE_LOADED ? r->call : 0];
}

/* Writes text of the program in a comment, on one line. */
static void print_comment(tmap_sink *sink, const traced_map *m) {
    tmap_text site = {0};
    tmap_sink text = tmap_text_sink(&site);
    print_site(&text, &m->traced);
    for (size_t i = 0; i < site.size; i++)
        if ((unsigned char)site.data[i] < ' ') site.data[i] = '?';
    tmap_printf(sink, "  # %s by %s, %" PRIu64 " time%s: %s (%d)\n", call_name(&m->traced), site.data ? site.data : "?",
                m->count, m->count == 1 ? "" : "s", tmap_cuda_error_name(m->traced.result), m->traced.result);
    tmap_text_free(&site);
}

static bool has_spec(const traced_map *m) {
    uint32_t needed = TRACE_NULL_DIMS | TRACE_NULL_ELEMENT_STRIDES | TRACE_NULL_BOX | TRACE_NULL_UPPER;
    if (m->params.rank > 1) needed |= TRACE_NULL_STRIDES;
    return (m->traced.nulls & needed) == 0 && found_map_has_spec(&m->params);
}

static int write_spec(const tracing *t, const char *path) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    found_maps_begin(&sink);
    for (size_t i = 0; i < t->maps.n; i++) {
        const traced_map *m = &t->maps.items[i];
        char name[32];
        snprintf(name, sizeof name, "map_%zu", i + 1);
        print_comment(&sink, m);
        if (has_spec(m))
            found_map_write(&sink, name, &m->params, false);
        else
            found_map_comment(&sink, name, &m->params);
    }
    return file_write_text(path, &text, &sink);
}

/* ---- Explanations ----------------------------------------------------------------------------------------------- */

/* The copy of a pointer's target; NULL if the pointer was NULL. */
static const void *pointer(const traced_call *r, trace_null bit, const void *copy) {
    return r->nulls & (uint32_t)bit ? NULL : copy;
}

/* Finds the rules that the pointer tensorMap breaks, with allowed values for all other arguments. */
static tmap_status explain_pointer(const traced_call *r, tmap_diags *found) {
    static const uint64_t dims[] = {64}, strides[] = {0};
    static const uint32_t box[] = {64}, element_strides[] = {1};
    return tmap_explain_encode_tiled((const void *)(uintptr_t)r->map, TMAP_TYPE_U8, 1, (const void *)128, dims, strides,
                                     box, element_strides, 0, 0, 0, 0, found);
}

/* Finds the rules that the arguments of the call break; the rules about tensorMap are last. */
static tmap_status explain(const traced_call *r, tmap_diags *found) {
    const tmap_judge judge = {.toolkit = r->driver_version};
    if (r->call != TRACE_TILED) {
        const tmap_map_params params = params_of(r);
        tmap_status of_map = tmap_check_map(&params, &judge, found), of_pointer = explain_pointer(r, found);
        return of_map == TMAP_OK ? of_pointer : of_map;
    }
    return tmap_explain_encode_by(&judge, (const void *)(uintptr_t)r->map, r->type, r->rank,
                                  (const void *)(uintptr_t)r->address, pointer(r, TRACE_NULL_DIMS, r->dims),
                                  pointer(r, TRACE_NULL_STRIDES, r->strides), pointer(r, TRACE_NULL_BOX, r->box),
                                  pointer(r, TRACE_NULL_ELEMENT_STRIDES, r->element_strides), r->interleave, r->swizzle,
                                  r->l2_promotion, r->oob_fill, found);
}

static void print_findings(tmap_sink *sink, const tmap_diags *found, tmap_severity severity) {
    char line[REFUSAL_LINE_MAX];
    for (size_t i = 0; i < found->count; i++)
        if (found->items[i].severity == severity)
            tmap_printf(sink, "%s\n", tmap_diag_line(&found->items[i], line, sizeof line));
}

/* Prints the possible reasons for the driver's refusal, one in each line: errors, then warnings. */
static void print_reason(tmap_sink *sink, const traced_call *r) {
    tmap_diag items[12];
    tmap_diags found = {.items = items, .capacity = sizeof items / sizeof items[0], .fixed = true};
    bool allowed = explain(r, &found) == TMAP_OK, doubts = found.by_severity[TMAP_WARNING] > 0;
    print_findings(sink, &found, TMAP_ERROR);
    if (allowed) tmap_puts(sink, "tmap's rules allow this map");
    if (doubts) tmap_puts(sink, allowed ? "; warnings:" : "warnings:");
    if (allowed || doubts) tmap_puts(sink, "\n");
    print_findings(sink, &found, TMAP_WARNING);
    if (found.dropped > 0) tmap_puts(sink, "and more\n");
}

/* Each line of a text indented. */
static void print_indented(tmap_sink *sink, const char *text) {
    while (text && *text != '\0') {
        size_t size = strcspn(text, "\n");
        tmap_printf(sink, "  %.*s\n", (int)size, text);
        text += size + (text[size] == '\n');
    }
}

static void print_failure(result_sink *out, const traced_call *r, const char *name, const char *reason) {
    tmap_printf(&out->text, "tmap: %s: %s returned %s to ", name, call_name(r), tmap_cuda_error_name(r->result));
    print_site(&out->text, r);
    tmap_puts(&out->text, "\n");
    print_indented(&out->text, found_map_hint(r->result));
    print_indented(&out->text, reason);
}

/* The result and the place of a call. */
static void site_json(tmap_json *json, const traced_map *m) {
    const traced_call *r = &m->traced;
    json_field_string(json, "result", tmap_cuda_error_name(r->result));
    json_field_uint(json, "count", m->count);
    json_field_string(json, "module", r->module);
    json_field_string(json, "symbol", r->symbol[0] != '\0' ? r->symbol : NULL);
    json_field_uint(json, "offset", r->site_offset);
}

/* The text has only calls that failed. */
static void write_map(result_sink *out, const traced_map *m, size_t number) {
    const traced_call *r = &m->traced;
    char name[32];
    tmap_text reason = {0};
    tmap_sink sink = tmap_text_sink(&reason);
    snprintf(name, sizeof name, "map_%zu", number);
    if (r->result != 0) print_reason(&sink, r);
    tmap_json_object(&out->json, false);
    json_field_string(&out->json, "name", name);
    json_field_string(&out->json, "call", call_name(r));
    site_json(&out->json, m);
    json_field_bool(&out->json, "in_spec", has_spec(m));
    json_field_string(&out->json, "hint", found_map_hint(r->result));
    json_field_string(&out->json, "reason", reason.data);
    tmap_json_close(&out->json, '}');
    if (r->result != 0) print_failure(out, r, name, reason.data);
    tmap_text_free(&reason);
}

/* CUDA driver API 13.5, cuTensorMapSetAllocationClass: the reason for INVALID_VALUE. The address is that of the map. */
static const char *reason_of_class(const traced_call *r) {
    if (r->result == 0 || found_map_hint(r->result)) return NULL;
    if (r->nulls & TRACE_NULL_MAP) return "tensorMap is null; fix: pass a map of an encode call";
    if (!tmap_allocation_class_get(r->allocation_class))
        return "allocClass is not 0 AUTO, 1 SMALL or 2 LARGE; fix: one of these [allocation-class-code]";
    if (r->map % 64 != 0) return "tensorMap is not at a multiple of 64 B; fix: alignas(64)";
    return "the driver does not accept this map; fix: pass a map of an encode call of this driver";
}

static void write_class(result_sink *out, const traced_map *m) {
    const traced_call *r = &m->traced;
    const tmap_choice_info *info = tmap_allocation_class_get(r->allocation_class);
    const char *reason = reason_of_class(r);
    char number[16];
    snprintf(number, sizeof number, "%d", (int)r->allocation_class);
    tmap_json_object(&out->json, false);
    json_field_string(&out->json, "allocation_class", info ? info->name : number);
    site_json(&out->json, m);
    json_field_string(&out->json, "hint", found_map_hint(r->result));
    json_field_string(&out->json, "reason", reason);
    tmap_json_close(&out->json, '}');
    if (r->result != 0) print_failure(out, r, info ? info->name : number, reason);
}

static void unseen_json(tmap_json *json, const traced_call *r) {
    tmap_json_object(json, true);
    json_field_string(json, "library", r->module);
    json_field_string(json, "how", r->call == TRACE_DEEPBIND ? "RTLD_DEEPBIND" : "dlmopen");
    tmap_json_close(json, '}');
}

static void write_calls(result_sink *out, const tracing *t, int status, const char *path) {
    tmap_json *json = &out->json;
    json_field_uint(json, "exit_status", (uint64_t)status);
    json_field_string(json, "spec", path);
    JSON_FIELDS(json, {"calls", t->calls_n}, {"failed", t->failed_n}, {"addresses_replaced", t->replaced_n});
    json_list(json, "maps", false);
    for (size_t i = 0; i < t->maps.n; i++) write_map(out, &t->maps.items[i], i + 1);
    tmap_json_close(json, ']');
    json_list(json, "classes", false);
    for (size_t i = 0; i < t->classes.n; i++) write_class(out, &t->classes.items[i]);
    tmap_json_close(json, ']');
    json_field_bool(json, "loaded", t->loaded);
    json_list(json, "unseen", false);
    for (size_t i = 0; i < t->unseen.n; i++) unseen_json(json, &t->unseen.items[i].traced);
    tmap_json_close(json, ']');
}

/* ---- All of it -------------------------------------------------------------------------------------------------- */

/* Reports calls that may be missing from the recording. Statuses 126 and 127: no program ran. */
static void report_unseen(const tracing *t, int status) {
    if (!t->loaded && status != 126 && status != 127)
        remark("the program did not load " TRACE_LIBRARY_NAME
               ": a program that is linked statically, runs set-user-ID, or "
               "is built for another architecture or C library cannot be traced");
    for (size_t i = 0; i < t->unseen.n; i++) {
        const traced_call *r = &t->unseen.items[i].traced;
        if (r->call == TRACE_DEEPBIND)
            remark("%s was opened with RTLD_DEEPBIND: tmap does not see tensor-map calls of this library", r->module);
        else
            remark("%s was opened by dlmopen: tmap does not see tensor-map calls in its namespace", r->module);
    }
}

/* `path` NULL: no spec was written. */
static void report(const tracing *t, int status, const char *path, bool json) {
    if (t->cut) remark("the last call is truncated: the disk may be full");
    result_sink out;
    result_begin(&out, json ? stdout : stderr, json);
    write_calls(&out, t, status, path);
    result_end(&out);
    report_unseen(t, status);
    remark("%" PRIu64 " tensor-map call%s, %" PRIu64 " failed; %zu different map%s%s%s", t->calls_n,
           t->calls_n == 1 ? "" : "s", t->failed_n, t->maps.n, t->maps.n == 1 ? "" : "s", path ? " in " : "",
           path ? path : "");
}

/* Makes an empty file for the program's calls. It is removed however this command ends. */
static int make_call_file(char path[PATH_MAX_B]) {
    const char *folder = getenv("TMPDIR");
    if (!folder || folder[0] == '\0' || !can_preload(folder)) folder = "/tmp";
    bool fits = snprintf(path, PATH_MAX_B, "%s/tmap-trace-XXXXXX", folder) < PATH_MAX_B;
    if (!fits) errno = ENAMETOOLONG;
    int file = fits ? temporary_make(path) : -1;
    if (file < 0) return complain(EXIT_FILE, "cannot make a file in %s: %s", folder, strerror(errno));
    close(file);
    return EXIT_CLEAN;
}

/* Returns the program's status, unless the calls cannot be reported. Reports the calls even if the spec cannot be
 * written. */
static int trace_into(char **command, const char *library, char *calls, const char *out_path, bool json) {
    tracing t = {.calls_n = 0};
    int status = run_program(command, library, calls);
    int code = read_calls(&t, calls);
    if (code == EXIT_CLEAN) {
        if (t.maps.n > 0) code = write_spec(&t, out_path);
        report(&t, status, t.maps.n > 0 && code == EXIT_CLEAN ? out_path : NULL, json);
    }
    free(t.maps.items);
    free(t.classes.items);
    free(t.unseen.items);
    return code != EXIT_CLEAN && status == 0 ? code : status;
}

/* If the library's path cannot be preloaded, makes a link to it in the folder of the calls. */
static int link_library(char library[PATH_MAX_B], const char *calls, char link[PATH_MAX_B]) {
    link[0] = '\0';
    if (can_preload(library)) return EXIT_CLEAN;
    char *whole = realpath(library, NULL);
    bool fits = snprintf(link, PATH_MAX_B, "%s.so", calls) < PATH_MAX_B;
    bool made = whole && fits && symlink(whole, link) == 0;
    free(whole);
    if (!made) {
        int code = complain(EXIT_FILE, "cannot link %s to %s: %s", link, library, strerror(errno));
        link[0] = '\0';
        return code;
    }
    temporary_register(link);
    memcpy(library, link, strlen(link) + 1);
    return EXIT_CLEAN;
}

static void remove_temporary(const char *path) {
    if (path[0] == '\0') return;
    unlink(path);
    temporary_forget(path);
}

static int trace(char **command, const trace_options *o) {
    char library[PATH_MAX_B], calls[PATH_MAX_B], link[PATH_MAX_B];
    const char *out_path = o->out_path ? o->out_path : OUT_DEFAULT;
    if (!find_library(library))
        return complain(EXIT_NOT_HERE,
                        "cannot find " TRACE_LIBRARY_NAME
                        " next to the command: install it, or set " TRACE_LIBRARY_VARIABLE " to its path");
    int code = file_output_try(out_path);
    if (code == EXIT_CLEAN) code = make_call_file(calls);
    if (code != EXIT_CLEAN) return code;
    code = link_library(library, calls, link);
    if (code == EXIT_CLEAN) code = trace_into(command, library, calls, out_path, o->json);
    remove_temporary(calls);
    remove_temporary(link);
    return code;
}

static int run_trace(const operand_list *operands, void *values) {
    trace_options *o = values;
    return trace(operands->items, o);
}

const command_row trace_command = {
    .name = "trace",
    .summary = "run a program and write its tensor maps as a spec",
    .synopsis = "[options] COMMAND [ARGS...]",
    .about =
        "Runs the program with a preloaded library that records the driver's cuTensorMapEncode* calls, however the\n"
        "program finds these functions. The program behaves as before; tmap returns its exit status (128 + the\n"
        "number of the signal that ended it). Each different map becomes a tensor of the spec, with its caller and\n"
        "its result. stderr explains failed calls by rule.",
    OPTIONS_IN(trace_options),
    .operands = {1, OPERANDS_ANY},
    .runs_program = true,
    .run = run_trace,
};
