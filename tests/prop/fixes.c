/* Applies fixes and judges the result. */
#include "prop/fixes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "params/fields.h"
#include "prop/finding.h"
#include "tmap/descriptor.h"
#include "tmap/unstable/forms.h"

/* ---- Rules whose fix is not one change of the spec ------------------------------------------------------------ */

static const struct {
    const char *rule, *why;
} in_words[] = {
    {"address-null", "only the caller has an address"},
    {"address-canonical", "only the caller has an address"},
    {"stride-high-bits", "several maps"},
    {"copy-coordinate-range", "another map"},
    {"scatter-repeated-rows", "only the caller has the rows"},
    {"copy-shared-fits", "no copy fits: the box is too large"},
    {"copy-dim", "only the caller has the coordinates"},
    {"copy-coordinate-count", "only the caller has the coordinates"},
    {"copy-store-negative", "the box is before the tensor, or the row cannot be dropped"},
    {"copy-store-whole-units", "the bytes after a row are the caller's"},
    {"dim-extent", "an empty tensor has no map"},
    {"element-stride-range", "a map of fewer entries, with other coordinates"},
    {"four-rows-rank", "which dimensions fold depends on the tensor"},
    {"map-toolkit", "a later toolkit, not another map"},
    {"linear-align", "the address of the memory is the caller's"},
    {"linear-extent", "an empty memory has no copies"},
    {"linear-range", "no 16 bytes of the copy are in the memory"},
    {"linear-rank", "dims is then a list of one number"},
    {"linear-remote", "where the copy can be cut is the caller's"},
    {"linear-size", "another copy for the rest"},
    {"op-arch", "another instruction, several times"},
    {"op-toolkit", "a later toolkit, not another copy"},
    {"packed-store-layout", "the data change, not the map"},
    {"rank-range", "which dimensions fold depends on the tensor"},
    {"reduce-scatter4", "there is no such operation"},
    {"reduce-type", "no integer operation has the values of a float operation"},
    {"replace-above-rank", "a replacement of its own"},
    {"replace-arch", "the host encodes the map"},
    {"replace-atomicity", "a replacement of its own"},
    {"replace-ordinal", "a map of rank 1 has no stride"},
    {"replace-tf32", "the host encodes the map"},
    {"replace-value", "there is no such field, tensor or element stride"},
    {"tensor-span", "a wrap may be meant"},
    {"stride-align", "padded strides are too long"},
    {"stride-below-row", "padded strides are too long"},
    {"allocation-span", "a wrap may be meant"},
    {"im2col-rank", "which dimensions the image lacks is the caller's"},
    {"stride-zero", "the images without the broadcast are the caller's"},
    {"type-code", "the number does not show which name is meant"},
    {"swizzle-code", "the number does not show which name is meant"},
    {"interleave-code", "the number does not show which name is meant"},
    {"oob-fill-code", "the number does not show which name is meant"},
    {"l2-promotion-code", "the number does not show which name is meant"},
    {"op-form", "another instruction, or a map from the host"},
    {"expect-failed", "the copy or the expectation is wrong"},
};

/* Rules whose fix, for some maps, is one of several required changes; the fix then states this. */
static const char *const of_several[] = {
    "interleave-rank",     "corner-range",       "corner-area",
    "mode-arch",           "wide-interleave",    "wide-swizzle",
    "box-packed-exact",    "interleave-swizzle", "interleave-swizzle-unknown",
    "packed-swizzle",      "channels-ignored",   "dim-extent",
    "dim-packed-multiple", "swizzle-96b",        "packed-interleave",
    "packed-arch",         "packed-store",       "reduce-type",
    "box-fits-shared",     "swizzle-arch",
};

static bool is_in_words(const char *rule) {
    for (size_t i = 0; i < sizeof in_words / sizeof *in_words; i++)
        if (strcmp(in_words[i].rule, rule) == 0) return true;
    return false;
}

static bool is_of_several(const char *rule) {
    for (size_t i = 0; i < sizeof of_several / sizeof *of_several; i++)
        if (strcmp(of_several[i], rule) == 0) return true;
    return false;
}

/* ---- Making an edit ------------------------------------------------------------------------------------------- */

static void set_of_copy(tmap_copy_params *copy, int field, int dim, int64_t value) {
    switch (field) {
    case TMAP_FIELD_OP: copy->op = (tmap_op)value; break;
    case TMAP_FIELD_LOAD_MODE: copy->load_mode = (tmap_mode)value; break;
    case TMAP_FIELD_DIM: copy->dim = (uint64_t)value; break;
    case TMAP_FIELD_AT: copy->at[dim] = value; break;
    case TMAP_FIELD_COLUMN: copy->column = value; break;
    case TMAP_FIELD_ROWS: copy->rows[dim] = value; break;
    case TMAP_FIELD_OFFSETS: copy->offsets[dim] = value; break;
    case TMAP_FIELD_W_HALO: copy->w_halo = (uint64_t)value; break;
    case TMAP_FIELD_W_OFFSET: copy->w_offset = (uint64_t)value; break;
    case TMAP_FIELD_SHARED: copy->shared = (uint64_t)value; break;
    case TMAP_FIELD_DST: copy->dst = (tmap_dst)value; break;
    case TMAP_FIELD_CTA_GROUP: copy->cta_group = (uint64_t)value; break;
    case TMAP_FIELD_CTA_MASK: copy->cta_mask = (uint64_t)value; break;
    case TMAP_FIELD_QUALIFIERS: copy->qualifiers = (uint32_t)value; break;
    case TMAP_FIELD_CACHE_HINT: copy->cache_hint = (uint64_t)value; break;
    case TMAP_FIELD_MAP_SPACE: copy->map_space = (tmap_space)value; break;
    case TMAP_FIELD_SIZE: copy->size_B = (uint64_t)value; break;
    case TMAP_FIELD_BYTE_MASK: copy->byte_mask = (uint64_t)value; break;
    case TMAP_FIELD_IGNORE_LEFT: copy->ignore_left_B = (uint64_t)value; break;
    case TMAP_FIELD_IGNORE_RIGHT: copy->ignore_right_B = (uint64_t)value; break;
    case TMAP_FIELD_ORDINAL: copy->ordinal = (uint64_t)value; break;
    case TMAP_FIELD_VALUE: copy->value = (uint64_t)value; break;
    default: abort();
    }
}

static void set(judged_case *at, int field, int dim, int64_t value) {
    if (field == TMAP_FIELD_ADDRESS) at->map.has_address = true;
    if (field >= TMAP_FIELD_OP)
        set_of_copy(&at->copy, field, dim < 0 ? 0 : dim, value);
    else if (field == TMAP_FIELD_OPS)
        at->map.ops = (uint32_t)value;
    else
        tmap_field_set(&at->map, NULL, (tmap_field)field, dim < 0 ? 0 : dim, (uint64_t)value);
}

static void leave_out(judged_case *at, int field) {
    if (field == TMAP_FIELD_LOAD_MODE) at->copy.has_load_mode = false;
    for (int i = 0; i < (field == TMAP_FIELD_OFFSETS ? 3 : 1); i++) set(at, field, i, 0);
}

static void make_edit(judged_case *at, const tmap_edit *edit) {
    if (edit->field == TMAP_EDIT_ARCHS)
        at->judge.archs = (tmap_archs)edit->value;
    else if (edit->leave_out)
        leave_out(at, edit->field);
    else
        set(at, edit->field, edit->dim, (int64_t)edit->value);
}

/* ---- Judging before and after --------------------------------------------------------------------------------- */

#define FINDINGS_MAX 24

typedef struct finding_list {
    tmap_diag items[FINDINGS_MAX];
    tmap_diags diags;
} finding_list;

/* Judges the map and the copy, if any; returns the index of the copy's first finding. */
static size_t judge(const judged_case *at, finding_list *list) {
    list->diags = (tmap_diags){.items = list->items, .capacity = FINDINGS_MAX, .fixed = true};
    tmap_status status = tmap_check_map(&at->map, &at->judge, &list->diags);
    size_t of_map = list->diags.count;
    if (at->has_copy && status == TMAP_OK) tmap_check_copy(&at->map, &at->copy, &at->judge, &list->diags);
    return at->has_copy ? of_map : 0;
}

static bool contains(const finding_list *list, const tmap_diag *diag) {
    for (size_t i = 0; i < list->diags.count; i++) {
        const tmap_diag *d = &list->items[i];
        if (strcmp(d->rule, diag->rule) == 0 && d->field == diag->field && d->dim == diag->dim) return true;
    }
    return false;
}

static const tmap_diag *new_finding(const finding_list *before, const finding_list *after, tmap_severity least) {
    for (size_t i = 0; i < after->diags.count; i++) {
        const tmap_diag *d = &after->items[i];
        if (d->severity >= least && !contains(before, d)) return d;
    }
    return NULL;
}

static bool fails(prop_failure *failure, const tmap_diag *diag, const char *what, const char *more) {
    char fix[TMAP_FIX_TEXT_MAX];
    return prop_fail(failure, "%s [%s]: its fix '%s' %s%s", diag->message, diag->rule,
                     tmap_fix_text(diag, fix, sizeof fix), what, more);
}

/* A fix with "more changes are required" must require more: the finding or an error remains. */
static bool need_is_true(const tmap_diag *diag, const finding_list *after, prop_failure *failure) {
    if (!is_of_several(diag->rule)) return fails(failure, diag, "requires more changes", "");
    if (contains(after, diag) || after->diags.by_severity[TMAP_ERROR] > 0) return true;
    return fails(failure, diag, "requires more changes, but the map is legal after it", "");
}

static bool alternative_works(const tmap_diag *diag, int alternative, tmap_severity least, const finding_list *before,
                              const finding_list *after, prop_failure *failure) {
    char which[32];
    snprintf(which, sizeof which, " (alternative %d)", alternative + 1);
    if (strstr(diag->fix.words, "more changes are required")) return need_is_true(diag, after, failure);
    if (contains(after, diag)) return fails(failure, diag, "does not remove the finding", which);
    const tmap_diag *other = new_finding(before, after, alternative == 0 ? least : TMAP_ERROR);
    return !other || fails(failure, diag, "leads to: ", other->message);
}

static bool fix_works(const judged_case *judged, const tmap_diag *diag, const finding_list *before, uint64_t *made_n,
                      prop_failure *failure) {
    const tmap_edit *edits = diag->fix.edits;
    int n = diag->fix.edits_n;
    if (n == 0 && !is_in_words(diag->rule)) return fails(failure, diag, "has no edits", "");
    for (int i = 0; i < n;) {
        judged_case fixed = *judged;
        finding_list after;
        int alternative = edits[i].alternative;
        for (; i < n && edits[i].alternative == alternative; i++, ++*made_n) make_edit(&fixed, &edits[i]);
        judge(&fixed, &after);
        if (!alternative_works(diag, alternative, judged->strict ? TMAP_WARNING : TMAP_ERROR, before, &after, failure))
            return false;
    }
    return true;
}

bool fixes_work(const judged_case *judged, uint64_t *made_n, prop_failure *failure) {
    finding_list before;
    size_t first = judge(judged, &before);
    for (size_t i = first; i < before.diags.count; i++) {
        const char *fault = finding_fault(&before.items[i]);
        if (fault) return prop_fail(failure, "%s: %s", before.items[i].rule, fault);
        if (!fix_works(judged, &before.items[i], &before, made_n, failure)) return false;
    }
    return true;
}
