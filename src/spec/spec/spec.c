/* spec: returns the parts of a file that was read, and the places of their values. */
#include "spec/read.h"
#include "tmap/unstable/evidence.h"

#include <string.h>

size_t tmap_spec_tensors_n(const tmap_spec *spec) {
    return spec->tensors_n;
}

size_t tmap_spec_copies_n(const tmap_spec *spec) {
    return spec->copies_n;
}

tmap_spec_tensor tmap_spec_tensor_get(const tmap_spec *spec, size_t i) {
    return spec->tensors[i].info;
}

tmap_spec_copy tmap_spec_copy_get(const tmap_spec *spec, size_t i) {
    return spec->copies[i].info;
}

size_t tmap_spec_layouts_n(const tmap_spec *spec) {
    return spec->layouts_n;
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
    tmap_sized sized = tmap_sized_tensor(spec, spec->copies[copy].info.tensor);
    sized.copy = &spec->copies[copy].params;
    sized.of_copy = spec->copies[copy].slots;
    return sized;
}

uint32_t tmap_spec_tensor_sizes(const tmap_spec *spec, size_t tensor) {
    tmap_sized sized = tmap_sized_tensor(spec, tensor);
    return tmap_sized_free(&sized);
}

uint32_t tmap_spec_copy_sizes(const tmap_spec *spec, size_t copy) {
    if (spec->copies[copy].info.tensor == SIZE_MAX) return 0;
    tmap_sized sized = tmap_sized_copy(spec, copy);
    return tmap_sized_free(&sized);
}

tmap_archs tmap_spec_archs(const tmap_spec *spec) {
    return spec->archs;
}

tmap_judge tmap_spec_judge_of(const tmap_spec *spec, const tmap_judge *judge) {
    tmap_judge own = judge ? *judge : (tmap_judge){0};
    if (!own.archs) own.archs = spec->archs;
    if (!own.toolkit) own.toolkit = spec->toolkit;
    own.path = spec->path;
    return own;
}

bool tmap_spec_accepts(const tmap_spec *spec, const char *fact) {
    int i = tmap_fact_find(fact);
    return i >= 0 && (spec->accepted[i / 32] >> i % 32 & 1);
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
    tmap_node value;
    bool reversed;
    const char *axis; /* the name of the wanted dimension, or NULL */
} tmap_field_place;

/* The entry of a list, or the value of an axis in a mapping. */
static bool is_entry(const tmap_field_place *place, const tmap_node *value, const tmap_node *item, uint32_t at,
                     int dim) {
    if (value->kind == TMAP_NODE_MAP) return at % 2 == 0 && place->axis && tmap_node_is(item, place->axis);
    return at == (place->reversed ? value->size - 1 - (uint32_t)dim : (uint32_t)dim);
}

static tmap_mark mark_in(const tmap_field_place *place, int dim) {
    const tmap_node *value = tmap_node_value(&place->value), *item;
    tmap_node_walk walk = tmap_node_walk_of(value);
    for (uint32_t at = 0; dim >= 0 && (item = tmap_node_walk_next(&walk)) != NULL; at++) {
        if (!is_entry(place, value, item, at, dim)) continue;
        return value->kind == TMAP_NODE_MAP ? tmap_node_walk_next(&walk)->mark : item->mark;
    }
    return place->value.mark;
}

static const char *axis_of(const tmap_tensor_entry *tensor, int field, int dim) {
    tmap_per per = tmap_field_get(field)->per;
    int axis = dim + (per == TMAP_PER_OUTER_DIM || per == TMAP_PER_SPATIAL);
    return dim >= 0 && axis < tensor->rank ? tensor->info.axes[axis] : NULL;
}

/* The key of the section that has the field; TMAP_KEY_COUNT: none. */
static tmap_key key_in(tmap_section section, int field) {
    tmap_key key = tmap_field_get(field) ? tmap_key_of_field(field) : TMAP_KEY_COUNT;
    return key == TMAP_KEY_COUNT || tmap_key_get(key)->section_id != section ? TMAP_KEY_COUNT : key;
}

/* Copies the value of a field in the tensor's mapping, because a walk lends packed nodes only until it ends. Returns
 * false if the field is omitted. *by_alias: its key is the driver's name. */
static bool value_in_tensor(const tmap_tensor_entry *tensor, int field, tmap_node *value, bool *by_alias) {
    tmap_key key = key_in(TMAP_SECTION_TENSOR, field);
    if (key == TMAP_KEY_COUNT || !tensor->map) return false;
    tmap_node_walk walk = tmap_node_walk_of(tensor->map);
    for (const tmap_node *name; (name = tmap_node_walk_next(&walk)) != NULL;) {
        bool is_word = name->kind == TMAP_NODE_SCALAR;
        *by_alias = false;
        tmap_key found = is_word ? tmap_key_find(TMAP_SECTION_TENSOR, name->text, by_alias) : TMAP_KEY_COUNT;
        if (is_word && found == TMAP_KEY_COUNT) found = tmap_key_of_word(TMAP_SECTION_TENSOR, name->text);
        const tmap_node *next = tmap_node_walk_next(&walk);
        if (found != key) continue;
        *value = *next;
        return true;
    }
    return false;
}

/* The mark of a field in the tensor's mapping. Returns false if the field is omitted. */
static bool find_in_tensor(const tmap_tensor_entry *tensor, int field, int dim, tmap_mark *mark) {
    bool by_alias = false;
    tmap_field_place place = {.axis = NULL};
    if (!value_in_tensor(tensor, field, &place.value, &by_alias)) return false;
    place.reversed = tensor->info.outer_first && !by_alias;
    place.axis = axis_of(tensor, field, dim);
    *mark = mark_in(&place, dim);
    return true;
}

void tmap_name_as_in_file(const tmap_tensor_entry *tensor, tmap_fix *fix) {
    for (int i = 0; i < fix->edits_n; i++) {
        bool by_alias = false;
        tmap_node value;
        if (value_in_tensor(tensor, fix->edits[i].field, &value, &by_alias) && by_alias)
            fix->edits[i].names = TMAP_NAMES_DRIVER;
    }
}

tmap_mark tmap_spec_tensor_mark(const tmap_spec *spec, size_t tensor, int field, int dim) {
    const tmap_tensor_entry *entry = &spec->tensors[tensor];
    tmap_mark mark = entry->info.mark;
    /* without a key for the rank, its mark is that of dims */
    if (!find_in_tensor(entry, field, dim, &mark) && field == TMAP_FIELD_RANK)
        find_in_tensor(entry, TMAP_FIELD_DIMS, -1, &mark);
    return mark;
}

tmap_mark tmap_spec_copy_mark(const tmap_spec *spec, size_t copy, int field, int dim) {
    const tmap_copy_entry *entry = &spec->copies[copy];
    const tmap_tensor_entry *tensor = entry->info.tensor == SIZE_MAX ? NULL : &spec->tensors[entry->info.tensor];
    tmap_mark mark = entry->info.mark;
    bool of_tensor = field >= 0 && !tmap_field_is_of_copy((tmap_field)field);
    if (of_tensor && tensor) return tmap_spec_tensor_mark(spec, entry->info.tensor, field, dim);
    tmap_key key = key_in(TMAP_SECTION_COPY, field);
    const tmap_node *value = key == TMAP_KEY_COUNT ? NULL : tmap_given_value(&entry->given, key);
    if (!value) return mark;
    bool reversed = tmap_given_reversed(&entry->given, key, tensor && tensor->info.outer_first);
    const char *axis = tensor ? axis_of(tensor, field, dim) : NULL;
    return mark_in(&(tmap_field_place){.value = *value, .reversed = reversed, .axis = axis}, dim);
}
