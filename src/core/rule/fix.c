/* rule: writes the fix of a record with the names of specs, of the driver, of C or of PTX, and a record as one line. A
 * program that prints no record does not link this file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diag/refuse.h"
#include "params/fields.h"
#include "rule/field_words.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static const char *alias_of(const tmap_edit *edit) {
    const char *alias;
    tmap_type type;
    return tmap_type_alias_get(edit->word - 1, &alias, &type) ? alias : NULL;
}

/* The name of a choice; NULL: the field is a number, or the number has no name. */
static const char *name_of(const tmap_edit *edit, int value) {
    if (edit->field == TMAP_FIELD_TYPE && edit->word) return alias_of(edit);
    if (edit->field == TMAP_FIELD_VALUE)
        return edit->word ? tmap_replace_word((tmap_replaceable)(edit->word - 1), edit->value) : NULL;
    return edit->field < TMAP_FIELD_COUNT ? tmap_field_word((tmap_field)edit->field, value) : NULL;
}

/* The name of member `i` of a field that is a set; NULL: none. */
static const char *member_of(const tmap_edit *edit, int i) {
    if (edit->field == TMAP_EDIT_ARCHS) return tmap_arch_get(i) ? tmap_arch_get(i)->name : NULL;
    return tmap_field_words((tmap_field)edit->field)->name(i);
}

static bool is_set(const tmap_edit *edit) {
    return edit->field == TMAP_EDIT_ARCHS || tmap_field_kind((tmap_field)edit->field) == TMAP_KIND_SET;
}

static void put_set(tmap_sink *sink, const tmap_edit *edit) {
    if (edit->list) {
        tmap_puts(sink, member_of(edit, (int)edit->value));
        return;
    }
    bool one = edit->field == TMAP_EDIT_ARCHS && (edit->value & (edit->value - 1)) == 0;
    const char *name, *before = one ? "" : "[";
    for (int i = 0; (name = member_of(edit, i)) != NULL; i++) {
        if (!(edit->value >> i & 1)) continue;
        tmap_printf(sink, "%s%s", before, name);
        before = ", ";
    }
    if (!one) tmap_puts(sink, "]");
}

/* Writes the name of a policy that is one priority for all lines, otherwise the number. */
static void put_cache_hint(tmap_sink *sink, uint64_t bits) {
    tmap_cache_policy policy;
    bool plain = tmap_cache_policy_decode(bits, &policy) && policy.sixteenths == 16 && policy.secondary == 0;
    if (plain)
        tmap_puts(sink, tmap_l2_priority_name((int)policy.primary));
    else
        tmap_printf(sink, "0x%" PRIx64, bits);
}

static void put_value(tmap_sink *sink, const tmap_edit *edit) {
    const char *name = name_of(edit, (int)edit->value);
    if (name)
        tmap_puts(sink, name);
    else if (is_set(edit))
        put_set(sink, edit);
    else if (edit->field == TMAP_FIELD_CACHE_HINT)
        put_cache_hint(sink, edit->value);
    else if (edit->field == TMAP_FIELD_VALUE && edit->word == TMAP_REPLACEABLE_ADDRESS + 1)
        tmap_field_put_number(sink, TMAP_FIELD_ADDRESS, edit->value);
    else
        tmap_field_put_number(sink, (tmap_field)edit->field, edit->value);
}

/* ---- Values in C ------------------------------------------------------------------------------------------------ */

#define ROW(field, number, prefix, id)         {TMAP_FIELD_##field, number, prefix #id},
#define TMAP_MODE(id, number, ...)             ROW(MODE, number, "TMAP_MODE_", id)
#define TMAP_TYPE(id, number, ...)             ROW(TYPE, number, "TMAP_TYPE_", id)
#define TMAP_INTERLEAVE(id, number, ...)       ROW(INTERLEAVE, number, "TMAP_INTERLEAVE_", id)
#define TMAP_SWIZZLE(id, number, ...)          ROW(SWIZZLE, number, "TMAP_SWIZZLE_", id)
#define TMAP_L2_PROMOTION(id, number, ...)     ROW(L2_PROMOTION, number, "TMAP_L2_PROMOTION_", id)
#define TMAP_OOB_FILL(id, number, ...)         ROW(OOB_FILL, number, "TMAP_OOB_FILL_", id)
#define TMAP_ALLOCATION_CLASS(id, number, ...) ROW(ALLOCATION_CLASS, number, "TMAP_ALLOCATION_", id)
static const struct {
    int field;
    uint64_t value;
    const char *name;
} enumerators[] = {
#include "tmap/hw/allocation_classes.def"
#include "tmap/hw/fills.def"
#include "tmap/hw/interleaves.def"
#include "tmap/hw/modes.def"
#include "tmap/hw/promotions.def"
#include "tmap/hw/swizzles.def"
#include "tmap/hw/types.def"
};

/* Choices of maps have enumerators in tmap.h; other names of a spec are numbers in C. */
static void put_value_in_c(tmap_sink *sink, const tmap_edit *edit) {
    bool named = name_of(edit, (int)edit->value) || is_set(edit);
    for (size_t i = 0; i < sizeof enumerators / sizeof *enumerators; i++) {
        if (enumerators[i].field != edit->field || enumerators[i].value != edit->value) continue;
        tmap_puts(sink, enumerators[i].name);
        return;
    }
    if (named)
        tmap_printf(sink, "%" PRIu64, edit->value);
    else
        put_value(sink, edit);
}

/* ---- Edits ------------------------------------------------------------------------------------------------------ */

/* A value in PTX: most are words of the instruction. Returns false for values that are written as in a spec. */
static bool put_ptx(tmap_sink *sink, const tmap_edit *edit) {
    bool is_target = edit->field == TMAP_EDIT_ARCHS, is_word = is_target || edit->field == TMAP_FIELD_DST;
    if (edit->names != TMAP_NAMES_PTX || !is_word || edit->leave_out) return false;
    tmap_puts(sink, is_target ? "compile for " : "write .shared::");
    put_value(sink, edit);
    return true;
}

static void put_field(tmap_sink *sink, const tmap_diag *diag, const tmap_edit *edit) {
    const tmap_field_info *info = tmap_field_get(edit->field);
    int dim = edit->list ? -1 : edit->dim;
    bool is_mask = edit->field == TMAP_FIELD_CTA_MASK && edit->names == TMAP_NAMES_PTX;
    if (is_mask && edit->leave_out) tmap_puts(sink, ".multicast::cluster and ");
    bool of_key = edit->names == TMAP_NAMES_PTX && edit->field == diag->field && diag->key; /* srcMem, not dstMem */
    const char *name = info ? tmap_field_name((tmap_field)edit->field, (tmap_naming)edit->names) : "arch";
    tmap_puts(sink, of_key ? diag->key : name);
    if (dim < 0) return;
    tmap_printf(sink, "[%d]", dim + (edit->names == TMAP_NAMES_PTX && edit->field == TMAP_FIELD_ROWS));
    int axis = dim + (info && (info->per == TMAP_PER_OUTER_DIM || info->per == TMAP_PER_SPATIAL));
    bool has_axis = info && info->per != TMAP_PER_ONE && info->per != TMAP_PER_ROWS && axis < diag->axes_n;
    if (has_axis && edit->names == TMAP_NAMES_SPEC) tmap_printf(sink, " (%s)", diag->axes[axis]);
}

static void put_list(tmap_sink *sink, const tmap_diag *diag, const tmap_edit *edits, int n) {
    bool in_c = edits->names == TMAP_NAMES_C, reversed = diag->outer_first && edits->names == TMAP_NAMES_SPEC;
    tmap_puts(sink, in_c ? "{" : "[");
    for (int i = 0; i < n; i++) {
        if (i > 0) tmap_puts(sink, ", ");
        put_value(sink, &edits[reversed ? n - 1 - i : i]);
    }
    tmap_puts(sink, in_c ? "}" : "]");
}

/* Whether edit `i` belongs to the alternative of the edit before. */
static bool continues(const tmap_fix *fix, int i) {
    return i > 0 && i < fix->edits_n && fix->edits[i - 1].alternative == fix->edits[i].alternative;
}

/* Writes the edit or the list from edit `i` on. bare: another value for the same field, without its name. */
static void put_edit(tmap_sink *sink, const tmap_diag *diag, int i, bool bare) {
    const tmap_edit *edit = &diag->fix.edits[i];
    bool in_c = edit->names == TMAP_NAMES_C;
    bool joins_before = continues(&diag->fix, i) && edit[-1].leave_out; /* "leave offsets and w_halo out" */
    bool joins_next = continues(&diag->fix, i + 1) && edit[1].leave_out;
    if (put_ptx(sink, edit)) return;
    if (edit->leave_out && !in_c && !joins_before) tmap_puts(sink, "leave ");
    if (!bare) put_field(sink, diag, edit);
    if (edit->leave_out)
        tmap_puts(sink, in_c ? " = 0" : joins_next ? "" : " out");
    else if (!bare)
        tmap_puts(sink, in_c ? " = " : ": ");
    if (edit->list && edit->dim >= 0)
        put_list(sink, diag, edit, tmap_fix_list_n(&diag->fix, i));
    else if (!edit->leave_out)
        (in_c ? put_value_in_c : put_value)(sink, edit);
}

/* Whether the edit is another value for the field of the edit before, as in "8 or 16". */
static bool is_other_value(const tmap_fix *fix, int i) {
    const tmap_edit *before = &fix->edits[i - 1], *edit = &fix->edits[i];
    return !continues(fix, i + 1) && before->field == edit->field && before->dim == edit->dim && !before->leave_out &&
           !edit->leave_out;
}

static void put_fix(tmap_sink *sink, const tmap_diag *diag) {
    const tmap_fix *fix = &diag->fix;
    for (int i = 0; i < fix->edits_n; i += tmap_fix_list_n(fix, i)) {
        bool other = i > 0 && !continues(fix, i), last = !continues(fix, i + tmap_fix_list_n(fix, i));
        bool bare = other && is_other_value(fix, i);
        if (i > 0) tmap_puts(sink, bare ? " or " : other ? ", or " : last ? " and " : ", ");
        put_edit(sink, diag, i, bare);
    }
    if (fix->edits_n > 0 && fix->words[0] && !strchr(" :;", fix->words[0])) tmap_puts(sink, ", ");
    tmap_puts(sink, fix->words);
}

/* ---- Into a buffer ---------------------------------------------------------------------------------------------- */

/* A fixed buffer. Text that does not fit is cut. */
typedef struct line_buffer {
    char *text;
    size_t size, used;
} line_buffer;

static bool append(void *context, const char *text, size_t size) {
    line_buffer *line = context;
    for (size_t i = 0; i < size && line->used + 1 < line->size; i++) line->text[line->used++] = text[i];
    if (line->size > 0) line->text[line->used] = '\0';
    return true;
}

static tmap_sink into(line_buffer *line) {
    if (line->size > 0) line->text[0] = '\0';
    return (tmap_sink){.write = append, .context = line};
}

char *tmap_fix_text(const tmap_diag *diag, char *text, size_t size) {
    line_buffer line = {text, size, 0};
    tmap_sink sink = into(&line);
    put_fix(&sink, diag);
    return text;
}

char *tmap_edit_value(const tmap_edit *edit, char *text, size_t size) {
    line_buffer line = {text, size, 0};
    tmap_sink sink = into(&line);
    if (!edit->leave_out) put_value(&sink, edit);
    return text;
}

/* Writes "; allowed: ...", or nothing for an empty text. */
static void put_part(tmap_sink *sink, const char *label, const char *text) {
    if (text[0] != '\0') tmap_printf(sink, "; %s: %s", label, text);
}

char *tmap_diag_line(const tmap_diag *diag, char *text, size_t size) {
    line_buffer line = {text, size, 0};
    tmap_sink writer = into(&line), *sink = &writer;
    tmap_puts(sink, diag->message);
    put_part(sink, "given", diag->given);
    put_part(sink, "allowed", diag->allowed);
    if (tmap_fix_is_given(&diag->fix)) tmap_puts(sink, "; fix: ");
    put_fix(sink, diag);
    if (diag->more > 0) tmap_printf(sink, ", and %zu more", diag->more);
    if (diag->rule) tmap_printf(sink, " [%s]", diag->rule);
    return text;
}
