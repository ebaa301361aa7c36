/* spec: applies the rules to the contents of a file, with places in the findings. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/wide.h"
#include "diag/refuse.h"
#include "spec/shared_window.h"
#include "spec/sizes.h"

enum { BULK_ALIGN_B = 16, BOX_ALIGN_B = 128 }; /* of shared addresses: PTX ISA, cp.async.bulk, cp.async.bulk.tensor */

/* ---- Places in findings --------------------------------------------------------------------------------------- */

typedef tmap_mark mark_of_field(const tmap_spec *spec, size_t index, int field, int dim);

/* Adds places to the findings from `first` on, of tensor or copy `index`, and the names of the file's keys. */
static void place_findings(const tmap_spec *spec, size_t index, mark_of_field *mark_of, tmap_diags *diags,
                           size_t first) {
    size_t tensor = mark_of == tmap_spec_copy_mark ? spec->copies[index].info.tensor : index;
    for (size_t i = first; diags && i < diags->count; i++) {
        tmap_diag *diag = &diags->items[i];
        tmap_name_as_in_file(&spec->tensors[tensor], &diag->fix);
        diag->mark = mark_of(spec, index, diag->field, diag->dim);
        for (int n = 0; n < diag->notes_n; n++) {
            tmap_note *note = &diag->notes[n];
            if (note->field >= 0) note->mark = mark_of(spec, index, note->field, note->dim);
        }
    }
}

static void judge_tensor(tmap_judge *judge, const tmap_tensor_entry *tensor) {
    judge->subject = tensor->info.name;
    judge->axes = tensor->info.axes;
    judge->outer_first = tensor->info.outer_first;
}

static void judge_copy(tmap_judge *judge, const tmap_tensor_entry *tensor, const tmap_copy_entry *copy) {
    judge->subject = copy->info.name;
    judge->axes = tensor->info.axes;
    judge->outer_first = tensor->info.outer_first;
}

/* ---- Judging --------------------------------------------------------------------------------------------------- */

static tmap_status judge_copy_params(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_diags *diags,
                                     tmap_conditions *conditions) {
    tmap_sized sized = tmap_sized_copy(spec, copy);
    bool some;
    return tmap_sized_free(&sized) ? tmap_sized_judge(&sized, judge, conditions, diags, &some)
                                   : tmap_check_copy(sized.map, sized.copy, judge, diags);
}

/* ---- Expected refusals ---------------------------------------------------------------------------------------- */

static void report_not_refused(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_diags *diags) {
    const tmap_copy_entry *entry = &spec->copies[copy];
    tmap_diag diag = tmap_rule_diag("expect-failed", judge);
    diag.mark = entry->expect_rule->mark;
    diag.key = "rule";
    TMAP_SAY(diag.message, "expect: the copy must break rule %s, but does not", entry->expect.rule);
    TMAP_SAY(diag.fix.words, "change the copy, or remove the expectation");
    tmap_diags_add(diags, &diag);
}

/* Passes on all findings but those of the expected rule. */
static tmap_status pass_unexpected(const tmap_spec *spec, size_t copy, const tmap_judge *judge, const tmap_diags *found,
                                   tmap_diags *diags) {
    const char *rule = spec->copies[copy].expect.rule;
    bool broken = false, refused = false;
    for (size_t i = 0; i < found->count; i++) {
        bool expected = tmap_diag_is(&found->items[i], rule);
        broken |= expected;
        refused |= !expected && found->items[i].severity == TMAP_ERROR;
        if (!expected) tmap_diags_add(diags, &found->items[i]);
    }
    if (!broken) report_not_refused(spec, copy, judge, diags);
    return broken && !refused ? TMAP_OK : TMAP_REFUSED;
}

/* Judges a copy that expects a refusal. Its conditions are not conditions of the file, but use the file's budget. */
static tmap_status check_refused_copy(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_diags *diags,
                                      tmap_conditions *conditions) {
    tmap_diags found = {.allocator = spec->allocator};
    tmap_arena arena = {.allocator = spec->allocator};
    tmap_conditions own = tmap_conditions_begin(&arena);
    own.left = conditions->left;
    judge_copy_params(spec, copy, judge, &found, &own);
    place_findings(spec, copy, tmap_spec_copy_mark, &found, 0);
    bool said = tmap_conditions_say(&own, spec->sizes, spec->sizes_n, &found);
    conditions->left = own.left;
    tmap_status status = found.dropped || !said ? TMAP_NO_MEMORY : pass_unexpected(spec, copy, judge, &found, diags);
    tmap_arena_free(&arena);
    tmap_diags_free(&found);
    return status;
}

/* ---- Checking ------------------------------------------------------------------------------------------------- */

/* *accepted: the rules accept the tensor for some values of its sizes, so its copies can be judged. */
static tmap_status check_tensor(const tmap_spec *spec, size_t tensor, tmap_judge *judge, tmap_diags *diags,
                                tmap_conditions *conditions, bool *accepted) {
    const tmap_tensor_entry *entry = &spec->tensors[tensor];
    size_t first = diags ? diags->count : 0;
    judge_tensor(judge, entry);
    tmap_sized sized = tmap_sized_tensor(spec, tensor);
    bool has_sizes = tmap_sized_free(&sized) != 0;
    tmap_status status = has_sizes ? tmap_sized_judge(&sized, judge, conditions, diags, accepted)
                                   : tmap_check_map(&entry->params, judge, diags);
    if (!has_sizes) *accepted = status == TMAP_OK;
    place_findings(spec, tensor, tmap_spec_tensor_mark, diags, first);
    return status;
}

/* The alignment that a copy requires, and the start of the swizzle's pattern. */
static uint64_t best_align(const tmap_copy_entry *copy, const tmap_tensor_entry *tensor) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)tensor->params.swizzle);
    uint64_t least = copy->params.size_B > 0 ? BULK_ALIGN_B : BOX_ALIGN_B;
    uint64_t period = swizzle ? tmap_swizzle_period_B(swizzle) : 0;
    return period > least ? period : least;
}

/* A copy to a part of a buffer has the key `shared` in place of `buffer`. */
static void say_without_buffer(const tmap_copy_entry *copy, tmap_diag *diag) {
    char fix[TMAP_FIX_TEXT_MAX];
    tmap_fix_text(diag, fix, sizeof fix);
    diag->fix = (tmap_fix){0};
    TMAP_SAY(diag->fix.words, "without 'buffer'%s: %s",
             tmap_given_value(&copy->given, TMAP_KEY_COPY_STAGE) ? " and 'stage'" : "", fix);
}

/* If a copy names a buffer, the keys of the buffer determine the copy's address, so the fix changes these keys. */
static void fix_by_buffer(const tmap_copy_entry *copy, const tmap_tensor_entry *tensor, tmap_diags *diags,
                          size_t first) {
    for (size_t i = first; copy->buffer && diags && i < diags->count; i++) {
        tmap_diag *diag = &diags->items[i];
        bool range = tmap_diag_is(diag, "linear-range"), fits = tmap_diag_is(diag, "copy-shared-fits");
        if (!tmap_fix_changes(&diag->fix, TMAP_FIELD_SHARED) && !fits) continue;
        if (range) {
            say_without_buffer(copy, diag);
            continue;
        }
        diag->fix = (tmap_fix){0};
        if (fits)
            TMAP_SAY(diag->fix.words, "for buffer %s: fewer stages, or smaller buffers", copy->buffer->name);
        else
            tmap_say_buffer_fix(copy->buffer, best_align(copy, tensor), diag->fix.words, sizeof diag->fix.words);
    }
}

static tmap_status check_copy(const tmap_spec *spec, size_t copy, tmap_judge *judge, tmap_diags *diags,
                              tmap_conditions *conditions) {
    const tmap_copy_entry *entry = &spec->copies[copy];
    const tmap_tensor_entry *tensor = &spec->tensors[entry->info.tensor];
    size_t first = diags ? diags->count : 0;
    judge_copy(judge, tensor, entry);
    if (entry->expect.rule) return check_refused_copy(spec, copy, judge, diags, conditions);
    tmap_status status = judge_copy_params(spec, copy, judge, diags, conditions);
    fix_by_buffer(entry, tensor, diags, first);
    place_findings(spec, copy, tmap_spec_copy_mark, diags, first);
    return status;
}

/* A refusal replaces TMAP_OK, and an error of the call replaces a refusal. */
static tmap_status worse(tmap_status a, tmap_status b) {
    return a > b ? a : b;
}

/* Judges the places in memory: of buffers, barriers, thread blocks of the cluster, and maps. */
static bool judge_memory(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags) {
    bool good = tmap_judge_window(spec, judge, diags);
    good &= tmap_judge_buffers(spec, judge, diags);
    good &= tmap_judge_barriers(spec, judge, diags);
    good &= tmap_judge_cluster(spec, judge, diags);
    return tmap_judge_map_homes(spec, judge, diags) && good;
}

/* Removes warnings and advice of rules that the judge turns off, from the finding `first` on. */
static void drop_silenced(const tmap_judge *judge, tmap_diags *diags, size_t first) {
    size_t kept = first;
    for (size_t i = first; diags && i < diags->count; i++) {
        const tmap_diag *diag = &diags->items[i];
        int rule = diag->severity == TMAP_ERROR || !diag->rule ? -1 : tmap_rule_find(diag->rule);
        if (rule >= 0 && judge->levels[rule] == TMAP_LEVEL_OFF)
            diags->by_severity[diag->severity]--;
        else
            diags->items[kept++] = *diag;
    }
    if (diags) diags->count = kept;
}

static tmap_status check_all(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags,
                             tmap_conditions *conditions) {
    tmap_judge own = tmap_spec_judge_of(spec, judge);
    size_t first = diags ? diags->count : 0;
    tmap_status status = TMAP_OK;
    bool *accepted = tmap_resize(spec->allocator, NULL, 0, spec->tensors_n + 1);
    if (!accepted) return TMAP_NO_MEMORY;
    for (size_t i = 0; i < spec->tensors_n; i++) {
        accepted[i] = false;
        if (spec->tensors[i].info.readable)
            status = worse(status, check_tensor(spec, i, &own, diags, conditions, &accepted[i]));
    }
    for (size_t i = 0; i < spec->copies_n; i++) {
        const tmap_spec_copy *copy = &spec->copies[i].info;
        if (copy->readable && accepted[copy->tensor])
            status = worse(status, check_copy(spec, i, &own, diags, conditions));
    }
    tmap_resize(spec->allocator, accepted, spec->tensors_n + 1, 0);
    if (!tmap_conditions_say(conditions, spec->sizes, spec->sizes_n, diags)) status = TMAP_NO_MEMORY;
    if (!judge_memory(spec, &own, diags)) status = worse(status, TMAP_REFUSED);
    if (status == TMAP_OK && spec->sequence && !spec->broken_shared) status = spec->check_sequence(spec, &own, diags);
    for (size_t i = 0; i < spec->copies_n; i++) status = worse(status, tmap_spec_judge_expect(spec, i, judge, diags));
    drop_silenced(&own, diags, first);
    return status;
}

tmap_status tmap_spec_check(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags) {
    tmap_spec_conditions *conditions = NULL;
    tmap_status status = tmap_spec_check_sizes(spec, judge, diags, &conditions);
    tmap_spec_conditions_free(conditions);
    return status;
}

tmap_status tmap_spec_check_sizes(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags,
                                  tmap_spec_conditions **conditions) {
    if (!conditions) return TMAP_BAD_ARGUMENT;
    tmap_spec_conditions *made = tmap_conditions_new(spec);
    if (!made) return TMAP_NO_MEMORY;
    tmap_status status = check_all(spec, judge, diags, &made->list);
    if (status == TMAP_OK || status == TMAP_REFUSED)
        *conditions = made;
    else
        tmap_spec_conditions_free(made);
    return status;
}

/* Checks a tensor, or a copy through it. The conditions of a copy include those of its tensor. */
static tmap_status check_one(const tmap_spec *spec, size_t tensor, size_t copy, const tmap_judge *judge,
                             tmap_diags *diags) {
    tmap_judge own = tmap_spec_judge_of(spec, judge);
    tmap_arena arena = {.allocator = spec->allocator};
    tmap_conditions conditions = tmap_conditions_begin(&arena);
    bool accepted;
    tmap_status status = check_tensor(spec, tensor, &own, copy == SIZE_MAX ? diags : NULL, &conditions, &accepted);
    if (copy != SIZE_MAX && status <= TMAP_REFUSED) status = check_copy(spec, copy, &own, diags, &conditions);
    if (!tmap_conditions_say(&conditions, spec->sizes, spec->sizes_n, diags)) status = TMAP_NO_MEMORY;
    tmap_arena_free(&arena);
    return status;
}

tmap_status tmap_spec_check_tensor(const tmap_spec *spec, size_t tensor, const tmap_judge *judge, tmap_diags *diags) {
    if (tensor >= spec->tensors_n) return TMAP_BAD_ARGUMENT;
    if (!spec->tensors[tensor].info.readable) return TMAP_REFUSED;
    return check_one(spec, tensor, SIZE_MAX, judge, diags);
}

tmap_status tmap_spec_check_copy(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_diags *diags) {
    if (copy >= spec->copies_n) return TMAP_BAD_ARGUMENT;
    if (!spec->copies[copy].info.readable) return TMAP_REFUSED;
    tmap_status status = check_one(spec, spec->copies[copy].info.tensor, copy, judge, diags);
    return worse(status, tmap_spec_judge_expect(spec, copy, judge, diags));
}

/* ---- Freezing ------------------------------------------------------------------------------------------------- */

tmap_status tmap_spec_map(const tmap_spec *spec, size_t tensor, const tmap_judge *judge, tmap_diags *diags,
                          tmap_map *map) {
    if (tensor >= spec->tensors_n) return TMAP_BAD_ARGUMENT;
    const tmap_tensor_entry *entry = &spec->tensors[tensor];
    if (!entry->info.readable) return TMAP_REFUSED;
    tmap_judge own = tmap_spec_judge_of(spec, judge);
    size_t first = diags ? diags->count : 0;
    judge_tensor(&own, entry);
    if (tmap_refuse_sizes(spec, tensor, SIZE_MAX, &own, diags)) return TMAP_REFUSED;
    tmap_status status = tmap_map_init(map, &entry->params, &own, diags);
    place_findings(spec, tensor, tmap_spec_tensor_mark, diags, first);
    return status;
}

/* The common part of both kinds of copies: the caller wants exactly one of `plain` and `replaced`. */
static tmap_status init_copy(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_diags *diags,
                             tmap_copy *plain, tmap_replacement *replaced) {
    if (copy >= spec->copies_n) return TMAP_BAD_ARGUMENT;
    const tmap_copy_entry *entry = &spec->copies[copy];
    if (!entry->info.readable) return TMAP_REFUSED;
    tmap_map map;
    tmap_status status = tmap_spec_map(spec, entry->info.tensor, judge, diags, &map);
    if (status != TMAP_OK) return status;
    tmap_judge own = tmap_spec_judge_of(spec, judge);
    size_t first = diags ? diags->count : 0;
    judge_copy(&own, &spec->tensors[entry->info.tensor], entry);
    if (tmap_refuse_sizes(spec, entry->info.tensor, copy, &own, diags)) return TMAP_REFUSED;
    status = plain ? tmap_copy_init(plain, &map, &entry->params, &own, diags)
                   : tmap_replacement_init(replaced, &map, &entry->params, &own, diags);
    place_findings(spec, copy, tmap_spec_copy_mark, diags, first);
    return status;
}

tmap_status tmap_spec_copy_init(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_diags *diags,
                                tmap_copy *out) {
    return init_copy(spec, copy, judge, diags, out, NULL);
}

tmap_status tmap_spec_replacement_init(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_diags *diags,
                                       tmap_replacement *out) {
    return init_copy(spec, copy, judge, diags, NULL, out);
}
