/* tmap import: the output of programs whose tensor map was refused, as a spec, with the reasons. */
#define _GNU_SOURCE /* memrchr */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/import_empty.h"
#include "files/files.h"
#include "options/command.h"
#include "options/judging_options.h"
#include "output/messages.h"
#include "output/result.h"
#include "specs/compiled_kernels.h"
#include "specs/found_maps.h"
#include "tmap/unstable/cuda_errors.h"
#include "tmap/unstable/import.h"

typedef struct import_options {
    judging_options judging;
    const char *out_path;
    kernel_files kernel;
    bool check, json;
} import_options;

static const option_row options[] = {
    {"--check", NULL, "report the findings about the maps, at the lines of the log", offsetof(import_options, check),
     NULL},
    {"-o", "FILE", "write the spec to FILE instead of stdout", offsetof(import_options, out_path), NULL},
    KERNEL_FILES_OPTIONS(import_options, kernel),
    {"--json", NULL, "print the result as JSON; it contains the spec as text", offsetof(import_options, json), NULL},
    RULE_OPTIONS(import_options, judging),
    {0},
};

/* A library's own refusal, without the parameters: the first message of a file with these texts. */
typedef struct library_refusal {
    const char *path, *origin, *rule, *note;
    char fix[sizeof((tmap_imported *)0)->fix];
    int line, repeated; /* repeated: later messages */
    size_t next;        /* the place + 1 of another one with the same hash; 0: none */
} library_refusal;

/* A message, for the JSON: its line, and the place of its texts. */
typedef struct refusal_message {
    size_t refusal;
    int line;
} refusal_message;

/* A CUresult of a log: of a dump, or of another call. */
typedef struct log_result {
    const char *path; /* NULL: of a dump */
    int line, result;
    char descriptor[sizeof((tmap_imported *)0)->descriptor]; /* empty: not known */
    size_t next;                                             /* as in library_refusal */
} log_result;

typedef struct importing {
    const import_options *options;
    tmap_text spec, list; /* the spec, and the entries of the JSON's list */
    tmap_text copies;     /* of kernels, for the end of the spec */
    tmap_sink spec_sink, list_sink;
    tmap_json json;
    library_refusal *refusals;
    refusal_message *messages;
    log_result *results;
    size_t dumps_n, usable_n, refusals_n, messages_n, results_n;
    size_t refusals_before, results_before; /* of earlier files */
    struct {
        size_t refusals[1024], results[4096]; /* the place + 1 of one of this file, by a hash */
    } lists;
    int breaks_rules;       /* whether a map of this file does; -1: it has no usable map */
    bool has_unusable;      /* a dump of this file is not usable; a CUresult may be of its call */
    const tmap_source *log; /* this file */
    int fails_otherwise;    /* whether this file has a CUresult that does not concern maps; -1: not known */
    int code;
} importing;

/* The driver's names for a call whose swizzle the driver does not have. The words of a descriptor may have it. */
static uint8_t names_of(const tmap_imported *found) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)found->params.swizzle);
    bool printed = found->marks[TMAP_FIELD_SWIZZLE].line > 0;
    return (uint8_t)(printed && (!swizzle || swizzle->cu < 0) ? TMAP_NAMES_DRIVER : TMAP_NAMES_SPEC);
}

/* Whether the rules allow the map. They do not allow a map with unknown enumerators or an unknown rank. */
static bool allowed(const tmap_imported *found) {
    const tmap_judge judge = {.names = names_of(found)};
    tmap_diags none = {.fixed = true};
    return found_map_has_spec(&found->params) && tmap_check_map(&found->params, &judge, &none) == TMAP_OK;
}

#define UNEXPLAINED(ADDRESS)                                                                                           \
    "the driver rejected this map, and no rule of tmap explains it; check " ADDRESS                                    \
    "that a CUDA context is current in the thread, and that the driver is as new as the toolkit (nvidia-smi)"

/* Whether no rule explains the error that the driver returned for the map. */
static bool unexplained(const importing *all, const tmap_imported *found) {
    tmap_diags none = {.fixed = true};
    if (!found->has_result || !found->whole || found_map_hint(found->result) || found->result == 0) return false;
    if (!found_map_has_spec(&found->params)) return false;
    tmap_judge judge = all->options->judging.judge;
    judge.names = names_of(found);
    if (tmap_check_map(&found->params, &judge, NULL) != TMAP_OK) return false;
    tmap_import_check_address(found, &judge, false, &none);
    return none.dropped == 0; /* `none` has no room */
}

static const char *hint_of(const importing *all, const tmap_imported *found) {
    if (unexplained(all, found))
        return found->has_map_address ? UNEXPLAINED("")
                                      : UNEXPLAINED("that the CUtensorMap is at a multiple of 64 bytes, ");
    return found->has_result ? found_map_hint(found->result) : NULL;
}

/* Reports a result that does not concern the map: an earlier kernel failed, the GPU has no tensor maps, and so on; and
 * a result that no rule explains. */
static void report_result(importing *all, const char *path, const tmap_imported *found) {
    const char *hint = hint_of(all, found);
    if (!hint) return;
    const char *name = tmap_cuda_error_name(found->result);
    if (unexplained(all, found)) {
        tmap_printf(&all->spec_sink, "  # %s: %s\n", name, hint);
        remark("%s:%d: CUresult %d is %s: %s", path, found->line, found->result, name, hint);
        return;
    }
    const char *verdict = !found->whole    ? "the dump does not show whether the map also breaks rules"
                          : allowed(found) ? "tmap's rules allow this map"
                                           : "this map also breaks rules: tmap check names them";
    if (found->usable) tmap_printf(&all->spec_sink, "  # %s: %s\n  # %s\n", name, hint, verdict);
    remark("%s:%d: CUresult %d is %s: %s; %s", path, found->line, found->result, name, hint, verdict);
}

static void result_json(importing *all, const tmap_imported *found) {
    tmap_json *json = &all->json;
    tmap_json_key(json, "result");
    if (found->has_result)
        tmap_json_uint(json, (uint64_t)found->result);
    else
        tmap_json_null(json);
    json_field_string(json, "result_name", found->has_result ? tmap_cuda_error_name(found->result) : NULL);
    json_field_string(json, "hint", hint_of(all, found));
}

/* ---- --check ---------------------------------------------------------------------------------------------------- */

/* Whether a CUresult of the file does not concern maps. Advice about boxes would then hide the cause. */
static bool fails_otherwise(importing *all) {
    tmap_import import = {.text = all->log->text, .size = all->log->size, .path = all->log->path};
    tmap_imported found;
    if (all->fails_otherwise < 0) {
        all->fails_otherwise = 0;
        while (!all->fails_otherwise && tmap_import_next(&import, NULL, &found))
            all->fails_otherwise = found.has_result && found_map_hint(found.result);
    }
    return all->fails_otherwise != 0;
}

/*
 * The findings of the rules, each at the line of the log with its parameter. A parameter that the dump should contain
 * but does not is not judged.
 */
static void judge(importing *all, const tmap_source *log, const tmap_imported *found, const char *name,
                  tmap_diags *diags) {
    tmap_judge judge = all->options->judging.judge;
    tmap_diags broken = {0};
    judge.subject = name;
    judge.path = log->path;
    judge.outer_first = found->outer_first;
    judge.names = names_of(found);
    (void)tmap_check_map(&found->params, &judge, &broken);
    tmap_mark begin = {.line = found->line, .column = 1, .length = 1};
    for (size_t i = 0; i < broken.count; i++) {
        tmap_diag *d = &broken.items[i];
        bool there = d->field >= 0 && found->marks[d->field].line > 0;
        if (!there && !found->whole) continue;
        if (d->severity == TMAP_ADVICE && fails_otherwise(all)) continue;
        d->mark = there ? found->marks[d->field] : begin;
        for (int n = 0; n < d->notes_n; n++)
            if (d->notes[n].field >= 0) d->notes[n].mark = found->marks[d->notes[n].field];
        char *key = d->notes_n > 0 ? strstr(d->notes[0].text, ", or add order") : NULL; /* no log has this key */
        if (key) *key = '\0';
        (void)tmap_diags_add(diags, d);
    }
    tmap_diags_free(&broken);
    tmap_import_check_address(found, &judge, unexplained(all, found), diags);
}

static void print_findings(const tmap_source *log, const tmap_imported *found, const char *name,
                           const tmap_diags *diags) {
    tmap_sink sink = sink_to(stdout);
    tmap_render render = {.color = colors_on(stdout), .sources = log, .sources_n = 1};
    tmap_emit_diags(&sink, diags, &render);
    if (diags->count > 0) return;
    bool failed = found->has_result && found->result != 0;
    put_on_one_line(&sink, log->path);
    tmap_printf(&sink, ":%d: %s%s (%s of %s)", found->line, failed ? "no finding" : "ok",
                found->whole ? "" : ", for the parameters in the dump", name, found->origin);
    if (failed) tmap_printf(&sink, "; the call returned CUresult %d", found->result);
    tmap_puts(&sink, "\n");
}

static void check(importing *all, const tmap_source *log, const tmap_imported *found, const char *name) {
    tmap_diags diags = {0};
    judge(all, log, found, name, &diags);
    if (diags.by_severity[TMAP_ERROR] > 0) all->code = worse_of(all->code, EXIT_FINDINGS);
    if (!all->options->json && found->assumed) remark("%s:%d: assumed: %s", log->path, found->line, found->assumed);
    if (!all->options->json) print_findings(log, found, name, &diags);
    json_field_diags(&all->json, &diags);
    tmap_diags_free(&diags);
}

/* ---- Found maps ------------------------------------------------------------------------------------------------- */

static void dump_json(importing *all, const tmap_source *log, const tmap_imported *found, const char *name) {
    tmap_json_object(&all->json, true);
    json_field_string(&all->json, "name", name);
    json_field_string(&all->json, "path", log->path);
    json_field_uint(&all->json, "line", (uint64_t)found->line);
    json_field_string(&all->json, "origin", found->origin);
    json_field_bool(&all->json, "whole", found->whole);
    json_field_bool(&all->json, "usable", found->usable);
    json_field_string(&all->json, "assumed", found->assumed);
    result_json(all, found);
}

static void comment_on_map(importing *all, const tmap_source *log, const tmap_imported *found) {
    tmap_puts(&all->spec_sink, "  # ");
    put_on_one_line(&all->spec_sink, log->path);
    tmap_printf(&all->spec_sink, ":%d, as %s prints it", found->line, found->origin);
    if (found->has_result) tmap_printf(&all->spec_sink, "; CUresult %d", found->result);
    tmap_puts(&all->spec_sink, "\n");
    if (!found->whole)
        tmap_puts(&all->spec_sink, "  # incomplete in the log; missing parameters have their "
                                   "defaults\n");
    if (found->assumed) tmap_printf(&all->spec_sink, "  # assumed: %s\n", found->assumed);
}

/* Reports the address of the CUtensorMap without --check, because the written spec cannot express it. */
static void report_address(const tmap_source *log, const tmap_imported *found) {
    const tmap_judge judge = {.archs = 0};
    tmap_diag item;
    tmap_diags broken = {.items = &item, .capacity = 1, .fixed = true};
    char line[REFUSAL_LINE_MAX];
    tmap_import_check_address(found, &judge, false, &broken);
    if (broken.count > 0)
        remark("%s:%d: %s", log->path, found->map_mark.line, tmap_diag_line(&item, line, sizeof line));
}

static void take_dump(importing *all, const tmap_source *log, const tmap_imported *found) {
    char name[32];
    snprintf(name, sizeof name, "dump_%zu", ++all->dumps_n);
    dump_json(all, log, found, name);
    if (found->usable) {
        all->usable_n++;
        if (all->breaks_rules != 1) all->breaks_rules = !allowed(found);
        comment_on_map(all, log, found);
    }
    all->has_unusable |= !found->usable;
    report_result(all, log->path, found);
    if (found->usable) {
        if (found_map_has_spec(&found->params))
            found_map_write(&all->spec_sink, name, &found->params, found->outer_first);
        else
            found_map_comment(&all->spec_sink, name, &found->params);
        if (all->options->check)
            check(all, log, found, name);
        else
            report_address(log, found);
    }
    tmap_json_close(&all->json, '}');
}

/* The words for the act of the origin. compute-sanitizer only observes the effect. */
static const char *verb_of(const char *origin, const tmap_rule_info *rule) {
    if (strcmp(origin, "compute-sanitizer") == 0)
        return strcmp(rule->slug, "copy-inner-align") == 0 ? "reports a copy that fails and may break"
                                                           : "reports a kernel that may break";
    if (rule->severity == TMAP_ADVICE) return "advises";
    if (strcmp(origin, "ptxas") == 0) return "rejected an instruction that breaks";
    return rule->about == TMAP_ABOUT_COPY ? "rejected a copy that breaks" : "rejected a map that breaks";
}

static bool same_texts(const library_refusal *a, const library_refusal *b) {
    return a->rule == b->rule && a->origin == b->origin && a->note == b->note && strcmp(a->fix, b->fix) == 0;
}

/* Prints one note for all messages of a file with the same texts. */
static void report_refusals(const importing *all) {
    for (const library_refusal *r = all->refusals + all->refusals_before; r < all->refusals + all->refusals_n; r++) {
        const tmap_rule_info *rule = tmap_rule_get(tmap_rule_find(r->rule));
        char more[48] = "";
        if (r->repeated > 0)
            snprintf(more, sizeof more, "; %d later line%s the same", r->repeated, r->repeated == 1 ? " is" : "s are");
        remark("%s:%d: %s %s this rule: %s%s%s; fix: %s (tmap explain %s)%s", r->path, r->line, r->origin,
               verb_of(r->origin, rule), rule->title, r->note ? "; " : "", r->note ? r->note : "", r->fix, r->rule,
               more);
    }
}

/* The items with room for one more. NULL: no memory. */
static void *with_room(importing *all, void *items, size_t n, size_t size) {
    void *grown = (n & (n - 1)) == 0 ? realloc(items, (n > 0 ? 2 * n : 1) * size) : items;
    if (!grown) all->code = complain_status(TMAP_NO_MEMORY, "import");
    return grown;
}

/* The head of the list of messages whose fix has the same hash (as FNV-1a). */
static size_t *list_of(importing *all, const char *fix) {
    uint32_t hash = 0;
    for (const char *c = fix; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 0x01000193u;
    return &all->lists.refusals[(hash ^ hash >> 10) % (sizeof all->lists.refusals / sizeof(size_t))];
}

/* The place of the texts of a message. SIZE_MAX: no memory. */
static size_t place_of(importing *all, const library_refusal *taken) {
    size_t *first = list_of(all, taken->fix), place = *first;
    while (place > 0 && !same_texts(&all->refusals[place - 1], taken)) place = all->refusals[place - 1].next;
    if (place > 0) {
        all->refusals[place - 1].repeated++;
        return place - 1;
    }
    library_refusal *refusals = with_room(all, all->refusals, all->refusals_n, sizeof *refusals);
    if (!refusals) return SIZE_MAX;
    all->refusals = refusals;
    refusals[all->refusals_n] = *taken;
    refusals[all->refusals_n].next = *first;
    *first = ++all->refusals_n;
    return all->refusals_n - 1;
}

static void take_refusal(importing *all, const tmap_source *log, const tmap_imported *found) {
    library_refusal taken = {
        .path = log->path, .origin = found->origin, .rule = found->rule, .note = found->note, .line = found->line};
    memcpy(taken.fix, found->fix, sizeof taken.fix);
    size_t place = place_of(all, &taken);
    all->code = worse_of(all->code, EXIT_FINDINGS);
    if (place == SIZE_MAX || !all->options->json) return;
    refusal_message *messages = with_room(all, all->messages, all->messages_n, sizeof *messages);
    if (!messages) return;
    all->messages = messages;
    messages[all->messages_n++] = (refusal_message){place, found->line};
}

static void refusals_json(importing *all) {
    json_list(&all->json, "refusals", false);
    for (size_t i = 0; i < all->messages_n; i++) {
        const library_refusal *r = &all->refusals[all->messages[i].refusal];
        tmap_json_object(&all->json, true);
        json_field_string(&all->json, "path", r->path);
        json_field_uint(&all->json, "line", (uint64_t)all->messages[i].line);
        json_field_string(&all->json, "origin", r->origin);
        json_field_string(&all->json, "rule", r->rule);
        json_field_string(&all->json, "note", r->note);
        json_field_string(&all->json, "fix", r->fix);
        tmap_json_close(&all->json, '}');
    }
    tmap_json_close(&all->json, ']');
}

/* ---- CUresults of other calls ----------------------------------------------------------------------------------- */

/* Keeps each CUresult of a file once. A CUresult that a dump contains is not reported again. */
static void keep_result(importing *all, const char *path, const tmap_imported *found) {
    size_t *first = &all->lists.results[(unsigned)found->result % (sizeof all->lists.results / sizeof(size_t))];
    for (size_t place = *first; place > 0; place = all->results[place - 1].next) {
        if (all->results[place - 1].result != found->result) continue;
        if (!path) all->results[place - 1].path = NULL;
        return;
    }
    log_result *results = with_room(all, all->results, all->results_n, sizeof *results);
    if (!results) return;
    all->results = results;
    log_result *taken = &results[all->results_n++];
    *taken = (log_result){path, found->line, found->result, "", *first};
    memcpy(taken->descriptor, found->descriptor, sizeof taken->descriptor);
    *first = all->results_n;
}

static const char *hint_alone(int result) {
    return found_map_hint(result) ? tmap_cuda_error_hint(result) : "an argument breaks a rule of the driver" WAYS;
}

/* The words for the dumps of a log whose CUresult is of another call. */
static const char *dumps_of_log(const importing *all) {
    if (all->has_unusable) return "a dump of the log cannot be read";
    if (all->breaks_rules < 0) return "the log has no map";
    return all->breaks_rules ? "maps of the log break rules: --check prints the findings"
                             : "tmap's rules allow the maps of the log";
}

/* Explains the CUresults of a file that belong to no dump. Without a dump, the CUresult is the only content of the log.
 */
static int report_results(const importing *all, const tmap_source *log, bool alone) {
    int code = EXIT_CLEAN;
    const char *way = alone && all->results_n > all->results_before ? printed_by(log) : "", *symptom_of = NULL;
    int symptom = -1;
    for (size_t i = all->results_before; i < all->results_n; i++) {
        const log_result *r = &all->results[i];
        const char *name = tmap_cuda_error_name(r->result), *hint = hint_alone(r->result);
        bool of_map = !found_map_hint(r->result);
        char causes[64] = "";
        if (name != symptom_of) symptom = tmap_symptom_find(name);
        symptom_of = name;
        if (!of_map && symptom >= 0)
            snprintf(causes, sizeof causes, "; \"tmap explain %d\" lists the causes", r->result);
        if (r->path && alone)
            code = complain(EXIT_FINDINGS, "%s:%d: CUresult %d (%s)%s%s, and no parameters%s%s%s%s", r->path, r->line,
                            r->result, name, r->descriptor[0] != '\0' ? " for descriptor " : "", r->descriptor,
                            hint ? ": " : "", hint ? hint : "", of_map ? way : "", causes);
        else if (r->path)
            remark("%s:%d: CUresult %d is %s%s%s; %s", r->path, r->line, r->result, name, hint ? ": " : "",
                   hint ? hint : "", dumps_of_log(all));
    }
    return code;
}

static void results_json(importing *all) {
    json_list(&all->json, "results", false);
    for (size_t i = 0; i < all->results_n; i++) {
        const log_result *r = &all->results[i];
        if (!r->path) continue;
        tmap_json_object(&all->json, true);
        json_field_string(&all->json, "path", r->path);
        json_field_uint(&all->json, "line", (uint64_t)r->line);
        json_field_uint(&all->json, "result", (uint64_t)r->result);
        json_field_string(&all->json, "result_name", tmap_cuda_error_name(r->result));
        json_field_string(&all->json, "hint", hint_alone(r->result));
        json_field_string(&all->json, "descriptor", r->descriptor[0] != '\0' ? r->descriptor : NULL);
        tmap_json_close(&all->json, '}');
    }
    tmap_json_close(&all->json, ']');
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static void take(importing *all, const tmap_source *log, const tmap_imported *found) {
    if (found->has_result) keep_result(all, found->origin ? NULL : log->path, found);
    if (found->rule)
        take_refusal(all, log, found);
    else if (found->origin)
        take_dump(all, log, found);
}

/* Writes the maps of a compiled kernel, and keeps its copies for the end of the spec. */
static int import_kernels(importing *all, const char *path, const file_bytes *file) {
    spec_document doc = {.path = path_shown(path), .text = *file};
    tmap_compiled *kernels;
    tmap_sink copies = tmap_text_sink(&all->copies);
    int code = kernel_open(&doc, path, &all->options->kernel, &kernels);
    if (TMAP_WITH_KERNEL && code == EXIT_CLEAN) {
        size_t n = kernel_write_tensors(&all->spec_sink, kernels);
        if (n == 0)
            code = complain(EXIT_FINDINGS,
                            tmap_compiled_maps_n(kernels) == 0
                                ? "%s has no tensor map: tmap import writes tensor maps and the copies through them"
                                : "%s does not show the type and the box of a tensor map: give the maps of the host "
                                  "with --maps",
                            doc.path);
        all->usable_n += n;
        kernel_write_copies(&copies, kernels);
        all->spec_sink.failed |= copies.failed;
    }
    if (TMAP_WITH_KERNEL) tmap_compiled_free(kernels);
    return document_finish(&doc, code);
}

/* Moves source->near to the start of the last line that was read. from: the reader's place before this read. */
static void move_source(tmap_source *source, const tmap_import *read, size_t from) {
    const char *newline = memrchr(source->text + from, '\n', read->at - from);
    if (!newline) return;
    source->near = (size_t)(newline + 1 - source->text);
    source->near_line = read->line + (source->near == read->at);
}

/* Reads the next map, message or CUresult. Writes a finding about the text of the log to `findings` (may be NULL). */
static bool next_found(importing *all, tmap_source *log, tmap_import *import, tmap_sink *findings,
                       tmap_imported *found) {
    tmap_diag item;
    tmap_diags diags = {.items = &item, .capacity = 1, .fixed = true};
    size_t from = import->at;
    bool more = tmap_import_next(import, findings ? &diags : NULL, found);
    tmap_render render = {.color = diags.count > 0 && colors_on(stderr), .sources = log, .sources_n = 1};
    if (findings) tmap_emit_diags(findings, &diags, &render);
    all->code = worse_of(all->code, code_of_findings(&diags));
    move_source(log, import, from);
    return more;
}

/* Writes the findings about the log after the notes about its messages; until then, keeps as many as need less memory
 * than the log, and reads the rest of the log again for more. */
static void read_log(importing *all, tmap_source *log, tmap_import *import) {
    tmap_text kept = {0};
    tmap_sink kept_sink = tmap_text_sink(&kept), sink = sink_to(stderr);
    tmap_imported found;
    tmap_import rest;
    tmap_source rest_source = {0};
    while (next_found(all, log, import, rest_source.path ? NULL : &kept_sink, &found)) {
        take(all, log, &found);
        if (rest_source.path || kept.size <= log->size) continue;
        rest = *import;
        rest_source = *log;
    }
    report_refusals(all);
    tmap_write(&sink, kept.data, kept.size);
    if (rest_source.path) *log = rest_source;
    while (rest_source.path && next_found(all, log, &rest, &sink, &found)) continue;
    flush_stderr();
    if (kept_sink.failed) all->code = complain_status(TMAP_NO_MEMORY, "import");
    tmap_text_free(&kept);
}

static int import_file(importing *all, const char *path) {
    file_bytes file;
    int code = file_read(path, SPEC_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    if (kernel_is_one(path, &file)) return import_kernels(all, path, &file);
    const char *text = file.data ? (const char *)file.data : "", *shown = path_shown(path);
    tmap_source log = {.path = shown, .text = text, .size = file.size, .near_line = 1};
    tmap_import import = {.text = text, .size = file.size, .path = shown};
    size_t before = all->dumps_n + all->refusals_n;
    all->results_before = all->results_n;
    all->refusals_before = all->refusals_n;
    all->breaks_rules = -1, all->has_unusable = false;
    memset(&all->lists, 0, sizeof all->lists);
    all->log = &log;
    all->fails_otherwise = -1;
    read_log(all, &log, &import);
    bool alone = all->dumps_n + all->refusals_n == before;
    if (alone && (all->results_n > all->results_before || import.refused_line > 0)) {
        /* parameters without a word for a map, not directly beside the message */
        import = (tmap_import){.text = text, .size = file.size, .path = shown, .anywhere = true};
        read_log(all, &log, &import);
        alone = all->dumps_n + all->refusals_n == before;
    }
    code = worse_of(code, report_results(all, &log, alone));
    if (alone && all->results_n == all->results_before) code = complain_empty(&log, &import);
    file_free(&file);
    all->log = NULL;
    return code;
}

static int print(importing *all) {
    const import_options *o = all->options;
    tmap_json_close(&all->json, ']');
    refusals_json(all);
    results_json(all);
    if (all->copies.data) tmap_puts(&all->spec_sink, all->copies.data);
    if (all->spec_sink.failed || (o->json && all->list_sink.failed)) return complain_status(TMAP_NO_MEMORY, "import");
    if (o->json) {
        json_field_string(&all->json, "spec", all->usable_n > 0 ? all->spec.data : NULL);
        json_result_end(&all->json);
        return file_write(o->out_path ? o->out_path : "-", FILE_TEXT, all->list.data, all->list.size);
    }
    if (all->usable_n == 0 || (o->check && !o->out_path)) return EXIT_CLEAN;
    return file_write(o->out_path ? o->out_path : "-", FILE_TEXT, all->spec.data, all->spec.size);
}

static int run_import(const operand_list *operands, void *values) {
    import_options *o = values;
    importing all = {.options = o, .code = EXIT_CLEAN};
    all.spec_sink = tmap_text_sink(&all.spec);
    all.list_sink = o->json ? tmap_text_sink(&all.list) : (tmap_sink){.failed = true};
    all.json = json_result_begin(&all.list_sink);
    json_list(&all.json, "dumps", false);
    found_maps_begin(&all.spec_sink);
    for (int i = 0; i < operands->n; i++) {
        int code = import_file(&all, operands->items[i]); /* also changes all.code */
        all.code = worse_of(all.code, code);
    }
    int code = print(&all);
    all.code = worse_of(all.code, code);
    tmap_text_free(&all.spec);
    tmap_text_free(&all.list);
    tmap_text_free(&all.copies);
    free(all.refusals);
    free(all.messages);
    free(all.results);
    return all.code;
}

const command_row import_command = {
    .name = "import",
    .summary = "read the tensor maps in a log or a compiled kernel as a spec",
    .synopsis = "FILE...",
    .about = "Finds the parameters that CUTLASS, tilelang, TensorRT-LLM (FlashInfer, vLLM, SGLang), ThunderKittens,\n"
             "FlashMLA, DeepGEMM and Triton print, anywhere in a log, and writes their maps as one spec. Your own\n"
             "print of a call is read, too, if its arguments are NAME=VALUE, for example with names of cuda.h. \"tmap\n"
             "import log | tmap check -\" explains why the driver rejected a map; \"tmap import log --check\" reports\n"
             "this at the lines of the log. If CCCL, cuda.core, CubeCL, CUTLASS, JAX, TensorRT-LLM, tilelang or\n"
             "Triton rejects a map without printing parameters, tmap names the rule. A truncated or garbled dump is a\n"
             "finding; the exit status is then 1.\n\n"
             "For PTX, a cubin or a fatbin, import writes the tensor maps whose type and box the kernel or --maps\n"
             "shows, and the copies through them.",
    OPTIONS_IN(import_options),
    .operands = {1, OPERANDS_ANY},
    .run = run_import,
};
