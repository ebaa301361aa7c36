/*
 * Findings for services. GitHub: "Workflow commands for GitHub Actions", whose runner decodes %25, %0D and %0A, in
 * properties %3A and %2C, too. SARIF: the OASIS standard "Static Analysis Results Interchange Format (SARIF) Version
 * 2.1.0"; sections of it are named below.
 */
#include "commands/check_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/exit_code.h"
#include "output/result.h"
#include "text/print.h"
#include "text/quote.h"
#include "text/words.h"
#include "tmap/rule.h"

/* The source line of a finding about PTX. shown: the file is below the current folder. Services show only files of the
 * checkout, which rarely contains the PTX. */
typedef struct source_line {
    const char *path; /* NULL: not known */
    tmap_mark mark;
    bool shown;
} source_line;

static source_line source_of(const tmap_diag *diag) {
    source_line source = {.path = diag->source, .mark.line = diag->source_line};
    if (!source.path || source.path[0] == '\0') return (source_line){.shown = false};
    char folder[4096];
    size_t above = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    if (above > 0 && strncmp(source.path, folder, above) == 0 && source.path[above] == '/') source.path += above + 1;
    source.shown = source.path[0] != '/' && strncmp(source.path, "../", 3) != 0 && access(source.path, F_OK) == 0;
    return source;
}

/* "from gemm.cu:47" */
static const char *source_text(char text[4096], const tmap_diag *diag) {
    snprintf(text, 4096, "from %s:%d", diag->source, diag->source_line);
    return text;
}

/* ---- GitHub ----------------------------------------------------------------------------------------------------- */

static void put_line(tmap_sink *sink, const char *label, const char *text) {
    if (!text || text[0] == '\0') return;
    tmap_printf(sink, "%%0A%s: ", label);
    tmap_put_as(sink, TMAP_SYNTAX_COMMAND, text);
}

static void write_command(tmap_sink *sink, const char *path, const tmap_diag *diag) {
    static const char *const commands[] = {"notice", "warning", "error"};
    char fix[TMAP_FIX_TEXT_MAX], from[4096];
    source_line source = source_of(diag);
    tmap_mark mark = source.shown ? source.mark : diag->mark;
    tmap_printf(sink, "::%s file=", commands[diag->severity]);
    tmap_put_as(sink, TMAP_SYNTAX_PROPERTY, source.shown ? source.path : path);
    if (mark.line > 0) tmap_printf(sink, ",line=%d", mark.line);
    if (mark.column > 0) tmap_printf(sink, ",col=%d,endColumn=%d", mark.column, mark.column + mark.length);
    tmap_puts(sink, ",title=");
    tmap_put_as(sink, TMAP_SYNTAX_PROPERTY, diag->rule ? diag->rule : "tmap");
    tmap_puts(sink, "::");
    tmap_put_as(sink, TMAP_SYNTAX_COMMAND, diag->message);
    put_line(sink, "given", diag->given);
    put_line(sink, "allowed", diag->allowed);
    put_line(sink, "fix", tmap_fix_text(diag, fix, sizeof fix));
    if (source.shown) put_line(sink, "PTX", path);
    if (source.shown) tmap_printf(sink, ", line %d", diag->mark.line);
    if (diag->source && !source.shown) put_line(sink, "note", source_text(from, diag));
    for (int i = 0; i < diag->notes_n; i++) {
        char label[24] = "note";
        if (diag->notes[i].mark.line > 0) snprintf(label, sizeof label, "note, line %d", diag->notes[i].mark.line);
        put_line(sink, label, diag->notes[i].text);
    }
    tmap_puts(sink, "\n");
}

void write_github(tmap_sink *sink, const checked_findings *files, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < files[i].diags->count; k++)
            write_command(sink, files[i].path, &files[i].diags->items[k]);
}

/* ---- SARIF ------------------------------------------------------------------------------------------------------ */

#define SARIF_SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* The rules in the findings, each once: a result refers to its rule by number (3.27.6). */
typedef struct named_rules {
    int numbers[TMAP_RULES_MAX];
    int n;
} named_rules;

static int number_of_rule(named_rules *rules, const char *slug) {
    int rule = slug ? tmap_rule_find(slug) : -1;
    if (rule < 0) return -1;
    for (int i = 0; i < rules->n; i++)
        if (rules->numbers[i] == rule) return i;
    rules->numbers[rules->n] = rule;
    return rules->n++;
}

static void collect_rules(named_rules *rules, const checked_findings *files, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < files[i].diags->count; k++) (void)number_of_rule(rules, files[i].diags->items[k].rule);
}

static const char *level_name(tmap_severity severity) {
    static const char *const levels[] = {"note", "warning", "error"};
    ROWS(levels, TMAP_ERROR + 1);
    return levels[severity];
}

static void close_all(tmap_json *json, const char *brackets) {
    for (; *brackets != '\0'; brackets++) tmap_json_close(json, *brackets);
}

/* A message object (3.11). */
static void message_json(tmap_json *json, const char *key, const char *text) {
    json_object(json, key, true);
    json_field_string(json, "text", text);
    tmap_json_close(json, '}');
}

/* The URL of the document in a rule's reference; NULL for other documents. */
static const char *document_of(const char *reference) {
    static const struct {
        const char *name, *uri;
    } documents[] = {
        {"CUDA driver API", "https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TENSOR__MEMORY.html"},
        {"PTX ISA", "https://docs.nvidia.com/cuda/parallel-thread-execution/"},
        {"CUDA Programming Guide", "https://docs.nvidia.com/cuda/cuda-programming-guide/"},
    };
    for (size_t i = 0; reference && i < sizeof documents / sizeof *documents; i++)
        if (strncmp(reference, documents[i].name, strlen(documents[i].name)) == 0) return documents[i].uri;
    return NULL;
}

static void rule_json(tmap_json *json, const tmap_rule_info *rule) {
    tmap_text help = {0};
    tmap_sink sink = tmap_text_sink(&help);
    tmap_printf(&sink, "%s%sReference: %s. The command 'tmap explain %s' prints examples and the evidence.",
                rule->why ? rule->why : "", rule->why ? "\n" : "", rule->reference ? rule->reference : "tmap",
                rule->slug);
    tmap_json_object(json, false);
    json_field_string(json, "id", rule->slug);
    message_json(json, "shortDescription", rule->title);
    message_json(json, "help", help.data ? help.data : rule->title);
    if (document_of(rule->reference)) json_field_string(json, "helpUri", document_of(rule->reference));
    json_object(json, "defaultConfiguration", true);
    json_field_string(json, "level", level_name(rule->severity));
    close_all(json, "}}");
    tmap_text_free(&help);
}

static void tool_json(tmap_json *json, const named_rules *rules) {
    json_object(json, "tool", false);
    json_object(json, "driver", false);
    json_field_string(json, "name", "tmap");
    json_field_string(json, "semanticVersion", TMAP_VERSION);
    json_list(json, "rules", false);
    for (int i = 0; i < rules->n; i++) rule_json(json, tmap_rule_get(rules->numbers[i]));
    close_all(json, "]}}");
}

/* A path as a URI reference (RFC 3986): a colon would end a scheme, and an absolute path is one of the scheme file. */
static void uri_json(tmap_json *json, const char *path) {
    tmap_text uri = {0};
    tmap_sink sink = tmap_text_sink(&uri);
    if (path[0] == '/') tmap_puts(&sink, "file://");
    for (const char *at = path; *at != '\0'; at++) {
        if (is_word(*at) || strchr("-.~/", *at))
            tmap_write(&sink, at, 1);
        else
            tmap_printf(&sink, "%%%02X", (unsigned)(unsigned char)*at);
    }
    json_field_string(json, "uri", uri.data ? uri.data : "");
    tmap_text_free(&uri);
}

static void artifact_json(tmap_json *json, const char *key, const char *path) {
    json_object(json, key, true);
    uri_json(json, path);
    tmap_json_close(json, '}');
}

static void region_json(tmap_json *json, const char *key, const tmap_mark *mark) {
    json_object(json, key, true);
    json_field_uint(json, "startLine", (uint64_t)mark->line);
    uint64_t begin = (uint64_t)mark->column;
    if (begin > 0) JSON_FIELDS(json, {"startColumn", begin}, {"endColumn", begin + (uint64_t)mark->length});
    tmap_json_close(json, '}');
}

/* A location object (3.28); `text` may be NULL. */
static void location_json(tmap_json *json, const char *path, const tmap_mark *mark, const char *subject,
                          const char *text) {
    tmap_json_object(json, false);
    json_object(json, "physicalLocation", false);
    artifact_json(json, "artifactLocation", path);
    if (mark->line > 0) region_json(json, "region", mark);
    tmap_json_close(json, '}');
    if (subject) {
        json_list(json, "logicalLocations", true);
        tmap_json_object(json, true);
        json_field_string(json, "name", subject);
        close_all(json, "}]");
    }
    if (text) message_json(json, "message", text);
    tmap_json_close(json, '}');
}

/* The place of a finding is the source line if services show it: the PTX, in which the finding was detected, is then
 * the analysisTarget (3.27.13) and a related location. */
static void places_json(tmap_json *json, const char *path, const tmap_diag *diag) {
    source_line source = source_of(diag);
    const tmap_note *notes = diag->notes;
    char from[4096];
    if (source.shown) artifact_json(json, "analysisTarget", path);
    json_list(json, "locations", false);
    location_json(json, source.shown ? source.path : path, source.shown ? &source.mark : &diag->mark, diag->subject,
                  NULL);
    tmap_json_close(json, ']');
    if (diag->notes_n == 0 && !source.path) return;
    json_list(json, "relatedLocations", false);
    if (source.shown)
        location_json(json, path, &diag->mark, NULL, "the instruction in the PTX");
    else if (source.path)
        location_json(json, source.path, &source.mark, NULL, source_text(from, diag));
    for (int i = 0; i < diag->notes_n; i++) location_json(json, path, &notes[i].mark, NULL, notes[i].text);
    tmap_json_close(json, ']');
}

static void field_if_any(tmap_json *json, const char *key, const char *text) {
    if (text && text[0] != '\0') json_field_string(json, key, text);
}

/* The start of code point `n`, counted from 1, of line `line`; NULL after the end of the line. */
static const char *find_place(const checked_findings *file, int line, int n) {
    const char *at = file->text, *end = file->text + file->size;
    for (; line > 1 && at < end; at++) line -= *at == '\n';
    while (n > 1 && at < end && *at != '\n') {
        do at++;
        while (at < end && ((unsigned char)*at & 0xc0) == 0x80);
        n--;
    }
    return line == 1 && n == 1 && at < end ? at : NULL;
}

/* Whether the place of a finding is a plain value that a fix can replace: not a key and not a list. */
static bool is_value(const checked_findings *file, const tmap_mark *mark) {
    if (!file->text || mark->line == 0) return false;
    const char *first = find_place(file, mark->line, mark->column);
    const char *end = find_place(file, mark->line, mark->column + mark->length);
    if (!first || strchr("[{\"'&*|>", *first)) return false;
    return !end || strchr(",]} \r\n", *end);
}

static void replacement_json(tmap_json *json, const tmap_mark *mark, const char *text) {
    tmap_json_object(json, false);
    region_json(json, "deletedRegion", mark);
    message_json(json, "insertedContent", text);
    tmap_json_close(json, '}');
}

/* The only fix of a result, which changes one file; its replacements follow. */
static void begin_fix(tmap_json *json, const char *path) {
    json_list(json, "fixes", false);
    tmap_json_object(json, false);
    json_list(json, "artifactChanges", false);
    tmap_json_object(json, false);
    artifact_json(json, "artifactLocation", path);
    json_list(json, "replacements", false);
}

static bool is_key_at(const char *at, const char *end, const char *word) {
    size_t size = strlen(word);
    if ((size_t)(end - at) <= size || memcmp(at, word, size) != 0 || !strchr(" {,\n", at[-1])) return false;
    for (at += size; at < end && *at == ' ';) at++;
    return at < end && *at == ':';
}

/* Moves the mark forward to the next key of this name that is no part of a comment. */
static bool find_key(const checked_findings *file, tmap_mark *mark, const char *word) {
    const char *at = find_place(file, mark->line, mark->column), *end = file->text + file->size;
    for (; at && at < end; at++) {
        if (at > file->text && is_key_at(at, end, word)) {
            mark->length = (int)strlen(word);
            return true;
        }
        if (*at == '#' && at > file->text && at[-1] == ' ')
            while (at + 1 < end && at[1] != '\n') at++;
        mark->column += ((unsigned char)*at & 0xc0) != 0x80;
        if (*at == '\n') *mark = (tmap_mark){.line = mark->line + 1, .column = 1};
    }
    return false;
}

/* The next text in single quotes. Returns false after the last text in quotes. */
static bool next_quoted(const char **text, char *word, size_t size) {
    const char *first = strchr(*text, '\''), *end = first ? strchr(first + 1, '\'') : NULL;
    if (!end || (size_t)(end - first) > size) return false;
    snprintf(word, size, "%.*s", (int)(end - first - 1), first + 1);
    *text = end + 1;
    return true;
}

/* The fix of rule key-name, which tmap fmt makes: 'dtype' is read as 'type', 'shape' as 'dims'. */
static void rename_json(tmap_json *json, const checked_findings *file, const tmap_diag *diag) {
    char word[64], name[64];
    const char *message = diag->message;
    tmap_mark mark = diag->mark;
    if (!file->text || mark.line == 0 || !next_quoted(&message, word, sizeof word) || !find_key(file, &mark, word))
        return;
    begin_fix(json, file->path);
    for (bool more = true; more && next_quoted(&message, name, sizeof name);) {
        replacement_json(json, &mark, name);
        more = next_quoted(&message, word, sizeof word) && find_key(file, &mark, word);
    }
    close_all(json, "]}]}]");
}

/* A fix (3.55) that replaces the value at the place of the finding. Programs make this edit without a person, so it is
 * omitted if the fix has an alternative or a condition in words ("with several copies"). */
static void fix_json(tmap_json *json, const checked_findings *file, const tmap_diag *diag) {
    const tmap_edit *edit = diag->fix.edits;
    char value[TMAP_FIX_TEXT_MAX];
    if (!is_value(file, &diag->mark) || diag->fix.edits_n != 1 || diag->fix.words[0] != '\0') return;
    tmap_edit_value(edit, value, sizeof value);
    bool here = edit->field == diag->field && edit->dim == diag->dim;
    if (!here || value[0] == '\0' || value[0] == '[') return;
    begin_fix(json, file->path);
    replacement_json(json, &diag->mark, value);
    close_all(json, "]}]}]");
}

static void properties_json(tmap_json *json, const tmap_diag *diag, const char *fix) {
    json_object(json, "properties", false);
    field_if_any(json, "given", diag->given);
    field_if_any(json, "allowed", diag->allowed);
    field_if_any(json, "fix", fix);
    field_if_any(json, "symptom", diag->symptom);
    json_field_string(json, "enforcedBy", tmap_enforcer_name(diag->enforced_by));
    field_if_any(json, "evidence", tmap_diag_evidence(diag));
    tmap_json_close(json, '}');
}

static void result_json(tmap_json *json, const checked_findings *file, const tmap_diag *diag, int rule) {
    char fix[TMAP_FIX_TEXT_MAX];
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_puts(&sink, diag->message);
    tmap_fix_text(diag, fix, sizeof fix);
    if (fix[0] != '\0') tmap_printf(&sink, "\nfix: %s", fix);
    tmap_json_object(json, false);
    if (rule >= 0) {
        json_field_string(json, "ruleId", diag->rule);
        json_field_uint(json, "ruleIndex", (uint64_t)rule);
    }
    json_field_string(json, "level", level_name(diag->severity));
    message_json(json, "message", text.data ? text.data : diag->message);
    places_json(json, file->path, diag);
    (diag->rule && strcmp(diag->rule, "key-name") == 0 ? rename_json : fix_json)(json, file, diag);
    properties_json(json, diag, fix);
    tmap_json_close(json, '}');
    tmap_text_free(&text);
}

/* Whether every file was read (3.20.14); findings do not make a run fail. */
static void invocation_json(tmap_json *json, const checked_findings *files, size_t n, int exit_code) {
    bool all_read = true;
    for (size_t i = 0; i < n; i++) all_read = all_read && files[i].read;
    json_list(json, "invocations", false);
    tmap_json_object(json, all_read);
    json_field_bool(json, "executionSuccessful", all_read);
    json_field_uint(json, "exitCode", (uint64_t)exit_code);
    if (!all_read) json_list(json, "toolExecutionNotifications", false);
    for (size_t i = 0; i < n; i++) {
        if (files[i].read) continue;
        tmap_json_object(json, false); /* a notification (3.58) */
        json_field_string(json, "level", "error");
        message_json(json, "message", "the file is not checked; the reason is on stderr");
        json_list(json, "locations", false);
        location_json(json, files[i].path, &(tmap_mark){0}, NULL, NULL);
        close_all(json, "]}");
    }
    close_all(json, all_read ? "}]" : "]}]");
}

static void results_json(tmap_json *json, named_rules *rules, const checked_findings *files, size_t n) {
    json_list(json, "results", false);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < files[i].diags->count; k++) {
            const tmap_diag *diag = &files[i].diags->items[k];
            result_json(json, &files[i], diag, number_of_rule(rules, diag->rule));
        }
    }
    tmap_json_close(json, ']');
}

void write_sarif(tmap_sink *sink, const checked_findings *files, size_t n, int exit_code) {
    named_rules rules = {.n = 0};
    collect_rules(&rules, files, n);
    tmap_json json = tmap_json_begin(sink);
    tmap_json_object(&json, false);
    json_field_string(&json, "$schema", SARIF_SCHEMA);
    json_field_string(&json, "version", "2.1.0");
    json_list(&json, "runs", false);
    tmap_json_object(&json, false);
    tool_json(&json, &rules);
    invocation_json(&json, files, n, exit_code);
    json_field_string(&json, "columnKind", "unicodeCodePoints");
    results_json(&json, &rules, files, n);
    close_all(&json, "}]}");
    tmap_json_end(&json);
}
