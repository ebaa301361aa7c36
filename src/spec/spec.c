/* spec: returns the parts of a file that was read, and the places of their values. */
#include "spec/spec.h"

#include <string.h>

size_t tmap_spec_tensors_n(const tmap_spec *spec) {
    return spec->tensors_n;
}

size_t tmap_spec_copies_n(const tmap_spec *spec) {
    return spec->copies_n;
}

tmap_spec_tensor tmap_spec_tensor_get(const tmap_spec *spec, size_t i) {
    return spec->tensors[i].face;
}

tmap_spec_copy tmap_spec_copy_get(const tmap_spec *spec, size_t i) {
    return spec->copies[i].face;
}

int tmap_spec_sizes_n(const tmap_spec *spec) {
    return spec->sizes_n;
}

tmap_size tmap_spec_size_get(const tmap_spec *spec, int i) {
    return i >= 0 && i < spec->sizes_n ? spec->sizes[i] : (tmap_size){0};
}

tmap_sized tmap_sized_tensor(const tmap_spec *spec, size_t tensor) {
    const tmap_tensor_entry *entry = &spec->tensors[tensor];
    return (tmap_sized){.map = &entry->params, .of_map = entry->slots, .sizes = spec->sizes, .sizes_n = spec->sizes_n};
}

tmap_sized tmap_sized_copy(const tmap_spec *spec, size_t copy) {
    tmap_sized sized = tmap_sized_tensor(spec, spec->copies[copy].face.tensor);
    sized.copy = &spec->copies[copy].params;
    sized.of_copy = spec->copies[copy].slots;
    return sized;
}

uint32_t tmap_spec_tensor_sizes(const tmap_spec *spec, size_t tensor) {
    tmap_sized sized = tmap_sized_tensor(spec, tensor);
    return tmap_sized_free(&sized);
}

uint32_t tmap_spec_copy_sizes(const tmap_spec *spec, size_t copy) {
    if (spec->copies[copy].face.tensor == SIZE_MAX) return 0;
    tmap_sized sized = tmap_sized_copy(spec, copy);
    return tmap_sized_free(&sized);
}

tmap_archs tmap_spec_archs(const tmap_spec *spec) {
    return spec->archs;
}

int tmap_spec_toolkit(const tmap_spec *spec) {
    return spec->toolkit;
}

const char *tmap_spec_path(const tmap_spec *spec) {
    return spec->path;
}

/* ---- Places --------------------------------------------------------------------------------------------------- */

/* The place of a field's values: the key, and the order of its dimensions. */
typedef struct tmap_field_place {
    const tmap_node *value;
    bool reversed;
    const char *axis; /* the name of the wanted dimension, or NULL */
} tmap_field_place;

static const tmap_node *nth(const tmap_node *list, uint32_t n) {
    const tmap_node *item = tmap_node_first(list);
    while (item && n-- > 0) item = item->next;
    return item;
}

static const tmap_node *of_axis(const tmap_node *map, const char *axis) {
    for (const tmap_node *key = tmap_node_first(map); key; key = key->next->next) {
        if (tmap_node_is(key, axis)) return key->next;
    }
    return NULL;
}

static tmap_mark mark_in(const tmap_field_place *place, int dim) {
    const tmap_node *value = tmap_node_value(place->value), *entry = NULL;
    if (dim >= 0 && value->kind == TMAP_NODE_LIST && (uint32_t)dim < value->size) {
        entry = nth(value, place->reversed ? value->size - 1 - (uint32_t)dim : (uint32_t)dim);
    } else if (dim >= 0 && value->kind == TMAP_NODE_MAP && place->axis) {
        entry = of_axis(value, place->axis);
    }
    return entry ? entry->mark : place->value->mark;
}

static const char *axis_of(const tmap_tensor_entry *tensor, int field, int dim) {
    tmap_per per = tmap_field_get(field)->per;
    int axis = dim + (per == TMAP_PER_OUTER_DIM || per == TMAP_PER_SPATIAL);
    return dim >= 0 && axis < tensor->rank ? tensor->face.axes[axis] : NULL;
}

/* The mark of a field in the mapping. Returns false if the field is omitted. */
static bool find_mark(const tmap_given *given, const tmap_tensor_entry *tensor, int field, int dim, tmap_mark *mark) {
    tmap_key key = tmap_field_get(field) ? tmap_key_of_field(field) : TMAP_KEY_COUNT;
    if (key == TMAP_KEY_COUNT || tmap_key_get(key)->section_id != given->section) return false;
    tmap_field_place place = {.value = tmap_given_value(given, key)};
    if (!place.value) return false;
    place.reversed = tmap_given_reversed(given, key, tensor && tensor->face.outer_first);
    place.axis = tensor ? axis_of(tensor, field, dim) : NULL;
    *mark = mark_in(&place, dim);
    return true;
}

tmap_mark tmap_spec_tensor_mark(const tmap_spec *spec, size_t tensor, int field, int dim) {
    const tmap_tensor_entry *entry = &spec->tensors[tensor];
    tmap_mark mark = entry->face.mark;
    /* without a key for the rank, its mark is that of dims */
    if (!find_mark(&entry->given, entry, field, dim, &mark) && field == TMAP_FIELD_RANK) {
        find_mark(&entry->given, entry, TMAP_FIELD_DIMS, -1, &mark);
    }
    return mark;
}

tmap_mark tmap_spec_copy_mark(const tmap_spec *spec, size_t copy, int field, int dim) {
    const tmap_copy_entry *entry = &spec->copies[copy];
    const tmap_tensor_entry *tensor = entry->face.tensor == SIZE_MAX ? NULL : &spec->tensors[entry->face.tensor];
    tmap_mark mark = entry->face.mark;
    bool of_tensor = field >= 0 && !tmap_field_is_of_copy((tmap_field)field);
    if (of_tensor && tensor) return tmap_spec_tensor_mark(spec, entry->face.tensor, field, dim);
    find_mark(&entry->given, tensor, field, dim, &mark);
    return mark;
}
