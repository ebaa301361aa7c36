/* emit: diagnostics as text in the form of gcc and clang, and as JSON. */
#include "diag/refuse.h"
#include "emit/source_line.h"
#include "text/json.h"
#include "text/number.h"
#include "text/print.h"
#include "text/quote.h"
#include "text/visible.h"
#include "tmap/params.h"
#include "tmap/unstable/counts.h"

#include <string.h>

#define PLAIN "\033[0m"
#define BOLD  "\033[1m"

static const char *severity_color(tmap_severity severity) {
    if (severity == TMAP_ERROR) return "\033[1;31m";
    return severity == TMAP_WARNING ? "\033[1;35m" : "\033[1;36m";
}

static void put_colored(tmap_sink *sink, bool color, const char *how, const char *text) {
    if (color) tmap_puts(sink, how);
    tmap_put_visible(sink, text);
    if (color) tmap_puts(sink, PLAIN);
}

/* Writes "path:line:column: ", without the parts that the record does not have. */
static void put_place(tmap_sink *sink, const char *path, const tmap_mark *mark) {
    if (path) {
        tmap_put_visible(sink, path);
        tmap_puts(sink, ":");
    }
    if (mark->line > 0) tmap_printf(sink, "%d:%d:", mark->line, mark->column);
    if (path || mark->line > 0) tmap_puts(sink, " ");
}

static void put_first_line(tmap_sink *sink, const tmap_diag *diag, bool color) {
    if (color) tmap_puts(sink, BOLD);
    put_place(sink, diag->path, &diag->mark);
    if (diag->mark.line == 0 && diag->subject) {
        tmap_put_visible(sink, diag->subject);
        tmap_puts(sink, ": ");
    }
    if (color) tmap_puts(sink, PLAIN);
    put_colored(sink, color, severity_color(diag->severity), tmap_severity_name(diag->severity));
    tmap_puts(sink, ": ");
    put_colored(sink, color, BOLD, diag->message);
    if (diag->rule) tmap_printf(sink, " [%s]", diag->rule);
    tmap_puts(sink, "\n");
}

/* Writes "   label: text", or nothing for an empty text. */
static void put_detail(tmap_sink *sink, const char *label, const char *text) {
    if (!text || !text[0]) return;
    tmap_printf(sink, "   %s: ", label);
    tmap_put_visible(sink, text);
    tmap_puts(sink, "\n");
}

static void put_given_and_allowed(tmap_sink *sink, const tmap_diag *diag) {
    if (!diag->given[0] && !diag->allowed[0]) return;
    if (diag->given[0]) {
        tmap_puts(sink, "   given: ");
        tmap_put_visible(sink, diag->given);
    }
    if (diag->allowed[0]) {
        tmap_puts(sink, diag->given[0] ? "    allowed: " : "   allowed: ");
        tmap_put_visible(sink, diag->allowed);
    }
    tmap_puts(sink, "\n");
}

static void put_note(tmap_sink *sink, const tmap_diag *diag, const tmap_note *note) {
    tmap_puts(sink, "   note: ");
    if (note->mark.line > 0) put_place(sink, diag->path, &note->mark);
    tmap_put_visible(sink, note->text);
    tmap_puts(sink, "\n");
}

static const tmap_source *find_source(const tmap_render *render, const char *path) {
    if (!path || !render->sources) return NULL;
    for (size_t i = 0; i < render->sources_n; i++)
        if (render->sources[i].path && strcmp(render->sources[i].path, path) == 0) return &render->sources[i];
    return NULL;
}

static void put_diag(tmap_sink *sink, const tmap_diag *diag, tmap_quoter *quoter, bool color) {
    char fix[TMAP_FIX_TEXT_MAX];
    put_first_line(sink, diag, color);
    tmap_quote(quoter, sink, &diag->mark, color);
    put_given_and_allowed(sink, diag);
    put_detail(sink, "fix", tmap_fix_text(diag, fix, sizeof fix));
    put_detail(sink, "symptom", diag->symptom);
    if (diag->source) {
        tmap_puts(sink, "   note: from ");
        tmap_put_visible(sink, diag->source);
        tmap_printf(sink, ":%d\n", diag->source_line);
    }
    for (int i = 0; i < diag->notes_n; i++) put_note(sink, diag, &diag->notes[i]);
}

void tmap_emit_diags(tmap_sink *sink, const tmap_diags *diags, const tmap_render *render) {
    const char *path = NULL;
    tmap_quoter quoter = tmap_quoter_begin(NULL);
    for (size_t i = 0; i < diags->count; i++) {
        const tmap_diag *diag = &diags->items[i];
        if (diag->path != path) quoter = tmap_quoter_begin(find_source(render, diag->path));
        path = diag->path;
        put_diag(sink, diag, &quoter, render->color);
    }
    if (diags->dropped > 0) tmap_printf(sink, "further findings that did not fit: %zu\n", diags->dropped);
}

static void key_text(tmap_json *json, const char *key, const char *text) {
    tmap_json_key(json, key);
    tmap_json_string(json, text && text[0] ? text : NULL);
}

/* Writes a number that counts from `first`; a smaller number becomes null. */
static void key_number(tmap_json *json, const char *key, int value, int first) {
    tmap_json_key(json, key);
    if (value >= first)
        tmap_json_int(json, value);
    else
        tmap_json_null(json);
}

/* Writes the dimension of a field's entry, and the entry: strides[0] is of dimension 1; rows have no dimension. */
static void key_entry(tmap_json *json, int field, int entry) {
    const tmap_field_info *info = tmap_field_get(field);
    tmap_per per = info ? info->per : TMAP_PER_DIM;
    bool outer = per == TMAP_PER_OUTER_DIM || per == TMAP_PER_SPATIAL;
    key_number(json, "dim", per == TMAP_PER_ROWS || entry < 0 ? -1 : entry + outer, 0);
    key_number(json, "index", entry, 0);
}

static void key_mark(tmap_json *json, const tmap_mark *mark) {
    key_number(json, "line", mark->line, 1);
    key_number(json, "column", mark->line > 0 ? mark->column : 0, 1);
}

/* An empty list means all architectures. */
static void key_archs(tmap_json *json, tmap_archs archs) {
    tmap_json_key(json, "archs");
    tmap_json_array(json, true);
    for (int arch = 0; arch < TMAP_ARCH_COUNT; arch++)
        if (archs >> arch & 1) tmap_json_string(json, tmap_arch_get(arch)->name);
    tmap_json_close(json, ']');
}

static void key_notes(tmap_json *json, const tmap_diag *diag) {
    tmap_json_key(json, "notes");
    tmap_json_array(json, false);
    for (int i = diag->source ? -1 : 0; i < diag->notes_n; i++) {
        char from[4096];
        if (i < 0) TMAP_SAY(from, "from %s:%d", diag->source, diag->source_line);
        tmap_json_object(json, true);
        key_text(json, "message", i < 0 ? from : diag->notes[i].text);
        key_mark(json, i < 0 ? &(tmap_mark){0} : &diag->notes[i].mark);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

#define EDIT_VALUE_MAX 160

/* Writes a value of a spec as a JSON value: a number if possible, otherwise a string. */
static void put_value(tmap_json *json, const char *text, size_t size) {
    char word[EDIT_VALUE_MAX];
    tmap_integer number;
    if (tmap_number_parse(text, size, &number) != TMAP_NUMBER_OK) {
        memcpy(word, text, size);
        word[size] = '\0';
        tmap_json_string(json, word);
    } else if (number.negative) {
        tmap_json_int(json, tmap_integer_signed(number));
    } else {
        tmap_json_uint(json, number.magnitude);
    }
}

/* Writes the values of an edit, or of the edits of a list in the order of the file. */
static void put_values(tmap_json *json, const tmap_diag *diag, const tmap_edit *edits, int n) {
    char text[EDIT_VALUE_MAX];
    bool list = edits->list && edits->dim >= 0, reversed = diag->outer_first && edits->names == TMAP_NAMES_SPEC;
    if (edits->leave_out) {
        tmap_json_null(json);
        return;
    }
    if (list || *tmap_edit_value(edits, text, sizeof text) == '[') tmap_json_array(json, true);
    for (int i = 0; i < n; i++) {
        const char *at = tmap_edit_value(&edits[reversed ? n - 1 - i : i], text, sizeof text);
        bool set = *at == '[';
        for (at += set; *at && *at != ']'; at += strspn(at, ", ")) {
            size_t size = strcspn(at, set ? ", ]" : "");
            put_value(json, at, size);
            at += size;
        }
    }
    if (list || text[0] == '[') tmap_json_close(json, ']');
}

/* Writes one list of edits for each alternative. */
static void key_fixes(tmap_json *json, const tmap_diag *diag) {
    const tmap_fix *fix = &diag->fix;
    tmap_json_key(json, "fixes");
    tmap_json_array(json, false);
    for (int i = 0, n; i < fix->edits_n; i += n) {
        const tmap_edit *edit = &fix->edits[i];
        n = tmap_fix_list_n(fix, i);
        bool first = i == 0 || edit->alternative != edit[-1].alternative;
        bool last = i + n == fix->edits_n || edit->alternative != edit[n].alternative;
        if (first) tmap_json_array(json, true);
        tmap_json_object(json, true);
        key_text(json, "key", edit->field == TMAP_EDIT_ARCHS ? "arch" : tmap_field_get(edit->field)->name);
        key_entry(json, edit->field, edit->list ? -1 : edit->dim);
        tmap_json_key(json, "value");
        put_values(json, diag, edit, n);
        tmap_json_close(json, '}');
        if (last) tmap_json_close(json, ']');
    }
    tmap_json_close(json, ']');
}

static const char *field_name(const tmap_diag *diag) {
    const tmap_field_info *field = tmap_field_get(diag->field);
    return diag->key ? diag->key : field ? field->name : NULL;
}

void tmap_emit_diag_json(tmap_sink *sink, const tmap_diag *diag, int depth) {
    tmap_json writer = tmap_json_begin_at(sink, depth), *json = &writer;
    char fix[TMAP_FIX_TEXT_MAX];
    tmap_json_object(json, false);
    key_text(json, "rule", diag->rule);
    key_text(json, "severity", tmap_severity_name(diag->severity));
    key_text(json, "enforced_by", tmap_enforcer_name(diag->enforced_by));
    key_text(json, "symptom", diag->symptom);
    key_text(json, "subject", diag->subject);
    key_text(json, "field", field_name(diag));
    key_entry(json, diag->field, diag->dim);
    key_mark(json, &diag->mark);
    key_text(json, "given", diag->given);
    key_text(json, "allowed", diag->allowed);
    key_text(json, "message", diag->message);
    key_text(json, "fix", tmap_fix_text(diag, fix, sizeof fix));
    key_fixes(json, diag);
    key_text(json, "condition", diag->fix.edits_n > 0 ? diag->fix.words + strspn(diag->fix.words, " ;:") : NULL);
    key_archs(json, diag->archs);
    key_text(json, "evidence", tmap_diag_evidence(diag));
    key_notes(json, diag);
    tmap_json_close(json, '}');
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

/* The line that contains byte `at`, and the place of the byte in it. The place is at least one code point long. */
tmap_mark tmap_place_in(const tmap_source *expression, const tmap_diag *refusal) {
    const char *text = expression->text;
    size_t at = refusal->at < expression->size ? refusal->at : expression->size, begin = at, end = at;
    while (begin > 0 && text[begin - 1] != '\n') begin--;
    while (end < expression->size && text[end] != '\n') end++;
    size_t length = refusal->length < end - at ? refusal->length : end - at;
    tmap_mark mark = {.line = 1, .column = tmap_code_points(text + begin, at - begin) + 1};
    for (size_t i = 0; i < begin; i++) mark.line += text[i] == '\n';
    mark.length = length > 0 ? tmap_code_points(text + at, length) : 1;
    return mark;
}

void tmap_emit_refusal(tmap_sink *sink, const tmap_diag *refusal, const tmap_source *expression, bool color) {
    tmap_diag placed = *refusal;
    placed.path = expression->path;
    placed.mark = expression->text ? tmap_place_in(expression, refusal) : (tmap_mark){0};
    tmap_quoter quoter = tmap_quoter_begin(expression);
    put_diag(sink, &placed, &quoter, color);
}
