/* spec: findings in order of place. */
#include "spec/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/utf8.h"

void tmap_say_list(char *text, size_t size, const char *const *words, size_t count, size_t total) {
    size_t used = 0, whole = 0;
    for (size_t i = 0; i < count; i++) whole += strlen(words[i]) + (i ? strlen(", ") : 0);
    bool fits = whole < size && count == total;
    size_t reserve = fits ? 1 : sizeof ", ... (16777216 in all)";
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *separator = i ? ", " : "";
        if (used + strlen(separator) + strlen(words[i]) + reserve > size) {
            snprintf(text + used, size - used, ", ... (%zu in all)", total);
            return;
        }
        used += (size_t)sprintf(text + used, "%s%s", separator, words[i]);
    }
}

static tmap_diag begin(const tmap_report *report, const char *slug, tmap_mark mark) {
    tmap_diag diag = tmap_rule_diag(slug, NULL);
    diag.mark = mark;
    diag.path = report->path;
    diag.subject = report->subject;
    diag.field = diag.dim = -1;
    return diag;
}

static tmap_diag *keep(tmap_report *report, const tmap_diag *diag) {
    if (diag->severity == TMAP_ERROR) report->errors++;
    if (!tmap_report_full(report)) {
        tmap_diag *kept = tmap_diags_add(&report->found, diag);
        if (kept) return kept;
        report->no_memory = true;
    }
    report->more++;
    report->spare = *diag;
    return &report->spare;
}

tmap_diag *tmap_report_add_v(tmap_report *report, const char *slug, tmap_mark mark, const char *format, va_list args) {
    tmap_diag diag = begin(report, slug, mark);
    tmap_say_v(diag.message, sizeof diag.message, format, args);
    return keep(report, &diag);
}

tmap_diag *tmap_report_add(tmap_report *report, const char *slug, tmap_mark mark, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tmap_diag *diag = tmap_report_add_v(report, slug, mark, format, args);
    va_end(args);
    return diag;
}

tmap_diag *tmap_report_stop(tmap_report *report, const char *slug, tmap_mark mark, const char *format, ...) {
    report->stop = begin(report, slug, mark);
    report->stop.subject = NULL;
    va_list args;
    va_start(args, format);
    tmap_say_v(report->stop.message, sizeof report->stop.message, format, args);
    va_end(args);
    report->stopped = true;
    report->errors++;
    return &report->stop;
}

void tmap_report_note(tmap_diag *diag, tmap_mark mark, const char *format, ...) {
    if (diag->notes_n == TMAP_NOTES_MAX) return;
    tmap_note *note = &diag->notes[diag->notes_n++];
    note->field = note->dim = -1;
    note->mark = mark;
    va_list args;
    va_start(args, format);
    tmap_say_v(note->text, sizeof note->text, format, args);
    va_end(args);
}

bool tmap_report_full(const tmap_report *report) {
    return report->found.count >= TMAP_FINDINGS_MAX;
}

static int compare_places(const void *a, const void *b) {
    const tmap_diag *left = *(const tmap_diag *const *)a, *right = *(const tmap_diag *const *)b;
    if (left->mark.line != right->mark.line) return left->mark.line < right->mark.line ? -1 : 1;
    if (left->mark.column != right->mark.column) return left->mark.column < right->mark.column ? -1 : 1;
    return left < right ? -1 : left > right;
}

static tmap_status add_in_order(const tmap_report *report, tmap_diags *diags) {
    size_t count = 0;
    const tmap_diag *ordered[TMAP_FINDINGS_MAX];
    for (size_t i = 0; i < report->found.count; i++) {
        const tmap_diag *found = &report->found.items[i];
        bool cut_off =
            report->stopped && tmap_diag_is(found, "key-missing"); /* the key may follow the last place read */
        if (!cut_off) ordered[count++] = found;
    }
    qsort(ordered, count, sizeof *ordered, compare_places);
    for (size_t i = 0; i < count; i++) {
        tmap_diag *added = tmap_diags_add(diags, ordered[i]);
        if (!added && !diags->fixed) return TMAP_NO_MEMORY;
        if (added && i + 1 == count && report->more) {
            tmap_report_note(added, (tmap_mark){0}, "further findings in this file, not listed: %zu", report->more);
        }
    }
    if (report->stopped && !tmap_diags_add(diags, &report->stop) && !diags->fixed) return TMAP_NO_MEMORY;
    return TMAP_OK;
}

tmap_status tmap_report_deliver(tmap_report *report, tmap_diags *diags) {
    tmap_status status = report->errors ? TMAP_REFUSED : TMAP_OK;
    if (report->no_memory || (diags && add_in_order(report, diags) != TMAP_OK)) status = TMAP_NO_MEMORY;
    tmap_report_free(report);
    return status;
}

void tmap_report_free(tmap_report *report) {
    tmap_diags_free(&report->found);
}

char *tmap_quoted(char quoted[TMAP_QUOTED_MAX], const char *text, size_t size) {
    static const char cut[] = "...'";
    size_t length = 0;
    quoted[length++] = '\'';
    for (size_t at = 0; at < size;) {
        uint32_t code;
        size_t taken = tmap_utf8_next(text + at, size - at, &code);
        if (length + taken + sizeof cut > TMAP_QUOTED_MAX) {
            memcpy(quoted + length, cut, sizeof cut);
            return quoted;
        }
        if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            quoted[length++] = '?';
        } else {
            memcpy(quoted + length, text + at, taken);
            length += taken;
        }
        at += taken;
    }
    quoted[length++] = '\'';
    quoted[length] = '\0';
    return quoted;
}
