/* spec: the conditions on a file's sizes, and the refusal of uses that require their values. */
#include "spec/sizes.h"

#include <string.h>

#include "base/memory.h"
#include "diag/refuse.h"
#include "size/cells.h"

tmap_spec_conditions *tmap_conditions_new(const tmap_spec *spec) {
    tmap_spec_conditions *made = tmap_resize(spec->allocator, NULL, 0, sizeof *made);
    if (!made) return NULL;
    *made = (tmap_spec_conditions){.own_allocator = spec->own_allocator};
    if (spec->allocator) made->arena.allocator = &made->own_allocator;
    made->list = tmap_conditions_begin(&made->arena);
    return made;
}

void tmap_spec_conditions_free(tmap_spec_conditions *conditions) {
    if (!conditions) return;
    tmap_allocator allocator = conditions->own_allocator;
    bool own = conditions->arena.allocator != NULL;
    tmap_arena_free(&conditions->arena);
    tmap_resize(own ? &allocator : NULL, conditions, sizeof *conditions, 0);
}

size_t tmap_spec_conditions_n(const tmap_spec_conditions *conditions) {
    return conditions->list.n;
}

const tmap_condition *tmap_spec_condition_get(const tmap_spec_conditions *conditions, size_t i) {
    return i < conditions->list.n ? &conditions->list.items[i] : NULL;
}

/* ---- Missing values ------------------------------------------------------------------------------------------- */

tmap_diag tmap_missing_sizes(const tmap_spec *spec, uint32_t missing, const tmap_judge *judge) {
    tmap_diag diag = tmap_rule_diag("size-missing", judge);
    char names[120];
    tmap_say_names(names, sizeof names, spec->sizes, spec->sizes_n, missing, NULL);
    diag.path = spec->path;
    TMAP_SAY(diag.message, "%s requires a value for %s", diag.subject ? diag.subject : "the spec", names);
    return diag;
}

bool tmap_refuse_sizes(const tmap_spec *spec, size_t tensor, size_t copy, const tmap_judge *judge, tmap_diags *diags) {
    uint32_t missing = copy == SIZE_MAX ? tmap_spec_tensor_sizes(spec, tensor) : tmap_spec_copy_sizes(spec, copy);
    if (!missing) return false;
    tmap_diag diag = tmap_missing_sizes(spec, missing, judge);
    diag.mark = copy == SIZE_MAX ? spec->tensors[tensor].info.mark : spec->copies[copy].info.mark;
    TMAP_SAY(diag.fix.words, "-D NAME=VALUE for each of these sizes; tmap check reports the legal values");
    tmap_diags_add(diags, &diag);
    return true;
}
