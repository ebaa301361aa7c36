/* spec: the names of buffers, barriers, tensors, copies and layouts. */
#include "spec/read.h"

#include <string.h>

#include "base/rows.h"

static const char *const kind_names[] = {"buffer", "barrier", "tensor", "copy", "layout"};
TMAP_ROWS(kind_names, TMAP_NAMED_KINDS);

bool tmap_register_name(tmap_spec_reading *file, tmap_named_kind kind, const tmap_node *key, size_t index) {
    tmap_entry *entry = tmap_table_put(&file->spec->names, key->text, key->size, tmap_hash(key->text, key->size));
    tmap_named *named = entry && !entry->value ? tmap_arena_take(&file->spec->arena, sizeof *named) : NULL;
    if (!entry || (!entry->value && !named)) {
        file->report->no_memory = true;
        return false;
    }
    if (named) {
        *named = (tmap_named){.first = kind, .mark = key->mark};
        named->number[kind] = (uint32_t)index + 1;
        entry->value = named;
        return true;
    }
    tmap_named *before = entry->value;
    if (before->number[kind] == 0) before->number[kind] = (uint32_t)index + 1;
    const char *what = kind_names[before->first];
    char name[TMAP_QUOTED_MAX];
    tmap_diag *diag = tmap_report_add(file->report, "name-duplicate", key->mark, "%s %s has the name of a %s",
                                      kind_names[kind], tmap_quoted(name, key->text, key->size), what);
    tmap_report_note(diag, before->mark, "the %s is here", what);
    TMAP_SAY(diag->fix.words, "rename one of them: buffers, barriers, tensors, copies and layouts share one namespace");
    return true;
}

static const tmap_named *find_named(const tmap_spec *spec, const char *name) {
    size_t size = strlen(name);
    const tmap_entry *entry = tmap_table_find(&spec->names, name, size, tmap_hash(name, size));
    return entry ? entry->value : NULL;
}

const char *tmap_kind_of_name(const tmap_spec *spec, const tmap_node *node) {
    const tmap_named *named = node->kind == TMAP_NODE_SCALAR ? find_named(spec, node->text) : NULL;
    return named ? kind_names[named->first] : NULL;
}

static size_t find_name(const tmap_spec *spec, tmap_named_kind kind, const char *name) {
    const tmap_named *named = find_named(spec, name);
    return named && named->number[kind] > 0 ? named->number[kind] - 1 : SIZE_MAX;
}

size_t tmap_spec_tensor_find(const tmap_spec *spec, const char *name) {
    return find_name(spec, TMAP_NAMED_TENSOR, name);
}

size_t tmap_spec_copy_find(const tmap_spec *spec, const char *name) {
    return find_name(spec, TMAP_NAMED_COPY, name);
}

size_t tmap_spec_layout_find(const tmap_spec *spec, const char *name) {
    return find_name(spec, TMAP_NAMED_LAYOUT, name);
}
