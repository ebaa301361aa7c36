/* spec: the names of buffers, barriers, tensors, copies and layouts. */
#include "spec/read.h"

#include <string.h>

/* Buffers, barriers, tensors, copies and layouts share one namespace. Returns false when an allocation fails. */
bool tmap_register_name(tmap_spec_reading *file, const char *what, const tmap_node *key, size_t index) {
    tmap_entry *entry = tmap_table_put(&file->spec->names, key->text, key->size, tmap_hash(key->text, key->size));
    tmap_named *named = entry && !entry->value ? tmap_arena_take(&file->spec->arena, sizeof *named) : NULL;
    if (!entry || (!entry->value && !named)) {
        file->report->no_memory = true;
        return false;
    }
    if (named) {
        *named = (tmap_named){.what = what, .index = index, .mark = key->mark};
        entry->value = named;
        return true;
    }
    tmap_named *before = entry->value;
    before->twice = true;
    char name[TMAP_QUOTED_MAX];
    tmap_diag *diag = tmap_report_add(file->report, "name-duplicate", key->mark, "%s %s has the name of a %s", what,
                                      tmap_quoted(name, key->text, key->size), before->what);
    tmap_report_note(diag, before->mark, "the %s is here", before->what);
    TMAP_SAY(diag->fix, "rename one of them: buffers, barriers, tensors, copies and layouts share one namespace");
    return true;
}

static const tmap_named *named_by(const tmap_spec *spec, const char *name) {
    size_t size = strlen(name);
    const tmap_entry *entry = tmap_table_find(&spec->names, name, size, tmap_hash(name, size));
    return entry ? entry->value : NULL;
}

bool tmap_name_is_twice(const tmap_spec *spec, const tmap_node *node) {
    const tmap_named *named = node->kind == TMAP_NODE_SCALAR ? named_by(spec, node->text) : NULL;
    return named && named->twice;
}

static size_t find_name(const tmap_spec *spec, const char *what, const char *name) {
    const tmap_named *named = named_by(spec, name);
    return named && strcmp(named->what, what) == 0 ? named->index : SIZE_MAX;
}

size_t tmap_spec_tensor_find(const tmap_spec *spec, const char *name) {
    return find_name(spec, "tensor", name);
}

size_t tmap_spec_copy_find(const tmap_spec *spec, const char *name) {
    return find_name(spec, "copy", name);
}

size_t tmap_spec_layout_find(const tmap_spec *spec, const char *name) {
    return find_name(spec, "layout", name);
}
