/* Findings: severity for the judge, field and dimension, and texts. */
#include "rule/finding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "rule/rules.h"

static int bits_n(tmap_archs archs) {
    int n = 0;
    for (; archs; archs &= archs - 1) n++;
    return n;
}

void tmap_say_archs(char *text, size_t size, tmap_archs archs) {
    char names[160];
    tmap_archs others = TMAP_ARCHS_ALL & ~archs;
    bool few_others = bits_n(others) < bits_n(archs);
    tmap_archs_print(few_others ? others : archs, names, sizeof names);
    size_t used = strlen(text);
    if (used + 4 < size) tmap_say(text + used, size - used, " on %s%s", few_others ? "all but " : "", names);
}

void tmap_say_message(tmap_diag *diag, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tmap_say_v(diag->message, sizeof diag->message, format, args);
    va_end(args);
    if (diag->archs) tmap_say_archs(diag->message, sizeof diag->message, diag->archs);
}

void tmap_say_missing(tmap_diag *diag, tmap_archs having) {
    bool few = bits_n(TMAP_ARCHS_ALL & ~diag->archs) < bits_n(diag->archs);
    TMAP_SAY_MORE(diag->message, few ? " exists only" : " does not exist");
    if (diag->archs) tmap_say_archs(diag->message, sizeof diag->message, few ? having : diag->archs);
}

void tmap_say_values(tmap_diag *diag, const char *given, const char *allowed) {
    TMAP_SAY(diag->given, "%s", given);
    TMAP_SAY(diag->allowed, "%s", allowed);
}

void tmap_fix_tried(const tmap_trial *trial, tmap_diag *diag, const tmap_map_params *fixed) {
    if (trial->accepts(trial->judge, fixed)) return;
    TMAP_SAY_MORE(diag->fix.words, "%sand more changes are required", diag->fix.words[0] ? ", " : "");
}

void tmap_fix_map(const tmap_trial *trial, tmap_diag *diag, tmap_field field, int dim, uint64_t value) {
    tmap_map_params fixed = *trial->map;
    tmap_field_set(&fixed, NULL, field, dim < 0 ? 0 : dim, value);
    tmap_fix_set(diag, (int)field, dim, value);
    tmap_fix_tried(trial, diag, &fixed);
}

void tmap_say_release(const tmap_trial *trial, tmap_diag *diag, int cuda_version, const char *kind, const char *name) {
    int given = trial->judge->toolkit, major = cuda_version / 1000, minor = cuda_version % 1000 / 10;
    tmap_say_message(diag, "%s%s requires CUDA %d.%d or later; the check is for CUDA %d.%d", kind, name, major, minor,
                     given / 1000, given % 1000 / 10);
    TMAP_SAY(diag->given, "CUDA %d.%d", given / 1000, given % 1000 / 10);
    TMAP_SAY(diag->allowed, "CUDA %d.%d or later", major, minor);
    tmap_say_toolkit(diag, cuda_version);
}

void tmap_say_toolkit(tmap_diag *diag, int cuda_version) {
    int major = cuda_version / 1000, minor = cuda_version % 1000 / 10;
    TMAP_SAY(diag->fix.words, "use CUDA %d.%d, with %s %d.%d", major, minor,
             diag->names == TMAP_NAMES_PTX ? "--toolkit" : "toolkit:", major, minor);
}

static int first_of(tmap_archs archs) {
    return __builtin_ctzll(archs);
}

/* The set of the first architecture of the same chip in `archs`; empty: none. */
static tmap_archs variant_among(int arch, tmap_archs archs) {
    for (tmap_archs left = archs; left; left &= left - 1)
        if (tmap_arch_get(first_of(left))->chip == tmap_arch_get(arch)->chip) return left & ~(left - 1);
    return 0;
}

bool tmap_fix_variants(const tmap_trial *trial, tmap_diag *diag, tmap_archs archs) {
    tmap_archs chosen = trial->judge->archs, better = chosen & archs;
    for (tmap_archs left = chosen & ~archs; left; left &= left - 1) {
        tmap_archs variant = variant_among(first_of(left), archs);
        if (!variant) return false;
        better |= variant;
    }
    if (!better) return false;
    tmap_fix_set(diag, TMAP_EDIT_ARCHS, -1, better);
    return true;
}

void tmap_say_note(tmap_diag *diag, int field, int dim, const char *format, ...) {
    /* "is set here" needs a place in a file */
    if (diag->notes_n == TMAP_NOTES_MAX || (!diag->path && strstr(format, " here"))) return;
    tmap_note *note = &diag->notes[diag->notes_n++];
    *note = (tmap_note){.field = field, .dim = dim};
    va_list args;
    va_start(args, format);
    tmap_say_v(note->text, sizeof note->text, format, args);
    va_end(args);
}

/* A problem that only other architectures than the chosen ones have is not a finding. With none chosen, a problem of
 * some architectures is a warning. */
static bool holds_for(const tmap_judge *judge, tmap_archs archs, tmap_severity *severity) {
    if (archs == TMAP_ARCHS_ALL) return true;
    if (judge->archs) return (archs & judge->archs) != 0;
    if (*severity == TMAP_ERROR) *severity = TMAP_WARNING;
    return *severity != TMAP_ADVICE;
}

static bool settle_severity(const tmap_judge *judge, int rule, tmap_archs archs, tmap_severity *severity) {
    if (!holds_for(judge, archs, severity)) return false;
    tmap_level level = (tmap_level)judge->levels[rule];
    if (*severity != TMAP_ERROR) {
        if (level == TMAP_LEVEL_OFF || *severity < judge->least) return false;
        if (level == TMAP_LEVEL_WARN) *severity = TMAP_WARNING;
        if (level == TMAP_LEVEL_ERROR) *severity = TMAP_ERROR;
    }
    if (*severity == TMAP_WARNING && judge->warnings_are_errors) *severity = TMAP_ERROR;
    return true;
}

bool tmap_rule_may_refuse(const tmap_judge *judge, int rule) {
    tmap_severity severity = tmap_rule_row(rule)->info.severity;
    return settle_severity(judge, rule, TMAP_ARCHS_ALL, &severity) && severity == TMAP_ERROR;
}

static tmap_diag begin(const tmap_rule_info *info, tmap_severity severity, const tmap_judge *judge, tmap_archs archs) {
    tmap_archs judged = judge->archs ? archs & judge->archs : archs;
    tmap_diag diag = tmap_refusal_of(info->slug);
    diag.severity = severity;
    diag.enforced_by = info->enforced_by;
    diag.symptom = info->symptom;
    diag.judged = judged ? judged : archs;
    diag.path = judge->path;
    diag.subject = judge->subject;
    diag.archs = archs == TMAP_ARCHS_ALL ? 0 : judged;
    diag.names = judge->names;
    diag.outer_first = judge->outer_first;
    diag.axes = judge->outer_first ? judge->axes : NULL;
    return diag;
}

static const char *name_of(const tmap_trial *trial, tmap_field field) {
    bool is_source = trial->judge->names == TMAP_NAMES_PTX && field == TMAP_FIELD_SHARED && trial->op->to_global;
    return is_source ? "srcMem" : tmap_field_name(field, (tmap_naming)trial->judge->names);
}

tmap_diag *tmap_finding(tmap_trial *trial, int field, int dim, tmap_archs archs) {
    const tmap_rule_info *info = &trial->rule->info;
    tmap_severity severity = info->severity;
    if (!settle_severity(trial->judge, (int)(trial->rule - tmap_rule_row(0)), archs, &severity)) return NULL;
    trial->findings_n++;
    if ((int)severity >= trial->worst) trial->worst = (int)severity + 1;
    if (severity == TMAP_ERROR) {
        trial->refused = true;
        if (field >= 0) tmap_trial_fail(trial, (tmap_field)field, dim);
    }
    if (!trial->diags) return NULL;
    tmap_diag diag = begin(info, severity, trial->judge, archs);
    diag.field = field;
    diag.dim = dim;
    if (diag.axes) diag.axes_n = (uint8_t)trial->dims_n;
    if (field >= 0) diag.key = name_of(trial, (tmap_field)field);
    return tmap_diags_add(trial->diags, &diag);
}

static const tmap_judge nobody = {0};

tmap_diag tmap_rule_diag(const char *slug, const tmap_judge *judge) {
    return tmap_rule_diag_at(slug, TMAP_ERROR, judge);
}

tmap_diag tmap_rule_diag_at(const char *slug, tmap_severity most, const tmap_judge *judge) {
    if (!judge) judge = &nobody;
    int rule = tmap_rule_find(slug);
    if (rule < 0) {
        tmap_diag diag = tmap_refusal_of(slug);
        diag.evidence = "unknown";
        diag.enforced_by = TMAP_BY_FORMAT;
        diag.path = judge->path;
        diag.subject = judge->subject;
        return diag;
    }
    const tmap_rule_info *info = &tmap_rule_row(rule)->info;
    tmap_severity severity = info->severity < most ? info->severity : most;
    settle_severity(judge, rule, TMAP_ARCHS_ALL, &severity);
    return begin(info, severity, judge, TMAP_ARCHS_ALL);
}

int tmap_index_in_order(const tmap_trial *trial, int entry, int n) {
    bool reversed = trial->judge->names == TMAP_NAMES_PYTHON && trial->judge->outer_first && n > 0;
    return reversed ? n - 1 - entry : entry;
}

/* The number of entries of a field with an entry for each dimension; 0 for other fields. */
static int entries_of(const tmap_trial *trial, tmap_field field) {
    tmap_per per = tmap_field_get((int)field)->per;
    if (per == TMAP_PER_SPATIAL) return tmap_image_dims_of(trial->map).walked_n;
    return per == TMAP_PER_DIM ? trial->dims_n : per == TMAP_PER_OUTER_DIM ? trial->dims_n - 1 : 0;
}

tmap_word tmap_name(const tmap_trial *trial, tmap_field field, int dim) {
    tmap_word word;
    int first = trial->judge->names == TMAP_NAMES_PTX && field == TMAP_FIELD_ROWS; /* after the column */
    TMAP_SAY(word.text, "%s", name_of(trial, field));
    if (dim >= 0) TMAP_SAY_MORE(word.text, "[%d]", first + tmap_index_in_order(trial, dim, entries_of(trial, field)));
    return word;
}

tmap_word tmap_name_axis(const tmap_trial *trial, tmap_field field, int dim) {
    tmap_word word = tmap_name(trial, field, dim);
    tmap_per per = tmap_field_get((int)field)->per;
    int axis = per == TMAP_PER_OUTER_DIM ? dim + 1 : dim;
    bool has_axis = dim >= 0 && (per == TMAP_PER_DIM || per == TMAP_PER_OUTER_DIM);
    if (!has_axis || !trial->judge->axes || !trial->judge->axes[axis]) return word;
    tmap_word named;
    TMAP_SAY(named.text, "%s (%s)", word.text, trial->judge->axes[axis]);
    return named;
}

tmap_word tmap_name_in_order(const tmap_trial *trial, tmap_field field, int dim) {
    return trial->judge->outer_first ? tmap_name_axis(trial, field, dim) : tmap_name(trial, field, dim);
}

tmap_word tmap_number(tmap_i128 value) {
    tmap_word word;
    bool negative = value < 0;
    uint64_t magnitude = tmap_u64_saturate((tmap_u128)(negative ? -value : value));
    TMAP_SAY(word.text, "%s%" PRIu64, negative ? "-" : "", magnitude);
    return word;
}

tmap_word tmap_range(tmap_i128 least, tmap_i128 most) {
    tmap_word word = tmap_number(least);
    if (most > least)
        tmap_append(word.text, sizeof word.text, " %s %s", most == least + 1 ? "or" : "to", tmap_number(most).text);
    return word;
}

tmap_word tmap_row_bytes(const tmap_type_info *type, uint64_t count_el) {
    tmap_word word;
    TMAP_SAY(word.text, "%" PRIu64 " x %s = %" PRIu64 " B", count_el, type->name, tmap_inner_global_B(type, count_el));
    return word;
}

void tmap_fix_around(tmap_diag *diag, tmap_field field, int dim, uint64_t value, uint64_t step, uint64_t max) {
    uint64_t below = value / step * step, above = tmap_add_saturate(below, step);
    bool fits = above <= max && above % step == 0;
    tmap_fix_set(diag, (int)field, dim, below > 0 || !fits ? below : above);
    if (below > 0 && fits) tmap_fix_or(diag, (int)field, dim, above);
}
