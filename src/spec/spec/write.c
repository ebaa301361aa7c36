/* spec: writes parameters as a spec file: the keys of the table, in its order. */
#include <inttypes.h>
#include <string.h>

#include "params/fields.h"
#include "rule/field_words.h"
#include "spec/keys.h"
#include "spec/scalar.h"
#include "spec/write.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/spec.h"
#include "tmap/unstable/tables.h"

/* NOLINTBEGIN(clang-analyzer-core.NullDereference): the fields of a map apply only to a map */
static bool all_ones(const tmap_map_params *map) {
    int i = 0, n = tmap_field_count(map, NULL, TMAP_FIELD_ELEMENT_STRIDES);
    while (i < n && map->element_strides[i] == 1) i++;
    return i == n;
}

/* The fields that are written also if they are 0. */
#define BIT(field) ((uint64_t)1 << TMAP_FIELD_##field)
static const uint64_t required = BIT(TYPE) | BIT(DIMS) | BIT(BOX) | BIT(LOWER_CORNER) | BIT(UPPER_CORNER) |
                                 BIT(CHANNELS_PER_PIXEL) | BIT(PIXELS_PER_COLUMN) | BIT(OP) | BIT(AT) | BIT(COLUMN) |
                                 BIT(ROWS) | BIT(SHARED) | BIT(FIELD) | BIT(ORDINAL) | BIT(VALUE);

/* Whether a map or a copy needs the key. */
static bool needs(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field) {
    if (!tmap_field_applies(map, copy, field)) return false;
    switch ((int)field) {
    case TMAP_FIELD_RANK: return false;
    case TMAP_FIELD_STRIDES: return map->rank > 1 && !tmap_map_params_are_dense(map);
    case TMAP_FIELD_ELEMENT_STRIDES: return !all_ones(map);
    case TMAP_FIELD_ADDRESS: return map->has_address;
    case TMAP_FIELD_ALLOCATION_OFFSET: return map->allocation_B && map->allocation_offset_B;
    case TMAP_FIELD_OPS: return map->ops & (((uint32_t)1 << TMAP_OP_COUNT) - 1); /* others have no name */
    case TMAP_FIELD_LOAD_MODE: return copy->has_load_mode;
    case TMAP_FIELD_DST: return copy->has_dst || copy->dst == TMAP_DST_CLUSTER;
    default: return (required >> field & 1) || !tmap_field_is_zero(map, copy, field);
    }
}
/* NOLINTEND(clang-analyzer-core.NullDereference) */

static void put_replaced(tmap_sink *sink, const tmap_copy_params *copy) {
    const char *word = tmap_replace_word(copy->field, copy->value);
    if (word)
        tmap_puts(sink, word);
    else
        tmap_printf(sink, copy->field == TMAP_REPLACEABLE_ADDRESS ? "0x%" PRIx64 : "%" PRIu64, copy->value);
}

static void put_cache_hint(tmap_sink *sink, uint64_t bits) {
    tmap_cache_policy policy;
    if (!tmap_cache_policy_decode(bits, &policy)) {
        tmap_printf(sink, "0x%" PRIx64, bits);
        return;
    }
    tmap_printf(sink, "{primary: %s, secondary: %s, fraction: %d.%04d}", tmap_l2_priority_name((int)policy.primary),
                tmap_l2_priority_name((int)policy.secondary), policy.sixteenths / 16, policy.sixteenths % 16 * 625);
}

static void write_key(tmap_sink *sink, const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field) {
    int n = tmap_field_count(map, copy, field);
    if (n <= 0 && field == TMAP_FIELD_OFFSETS) n = 1;
    if (n <= 0 && field != TMAP_FIELD_DIMS) return;
    tmap_printf(sink, "    %s: ", tmap_field_get((int)field)->name);
    if (field == TMAP_FIELD_CACHE_HINT)
        put_cache_hint(sink, copy->cache_hint);
    else if (field == TMAP_FIELD_VALUE)
        put_replaced(sink, copy);
    else
        tmap_field_put(sink, map, copy, field, n);
    tmap_puts(sink, "\n");
}

/* Writes the keys of a map or of a copy; the other is NULL. `map` decides which keys are written, `values` has their
 * values: those of `map`, or its lists in reverse order. */
static void write_keys(tmap_sink *sink, const tmap_map_params *map, const tmap_map_params *values,
                       const tmap_copy_params *copy) {
    tmap_section section = map ? TMAP_SECTION_TENSOR : TMAP_SECTION_COPY;
    for (int i = (int)tmap_section_first(section); tmap_key_get((tmap_key)i)->section_id == section; i++) {
        int field = tmap_key_get((tmap_key)i)->field;
        if ((int)tmap_key_of_field(field) != i) continue; /* the key is no field, or another key of the field */
        if (needs(map, copy, (tmap_field)field)) write_key(sink, values, copy, (tmap_field)field);
    }
}

static void write_name(tmap_sink *sink, const char *name) {
    tmap_puts(sink, "  ");
    tmap_scalar_write(sink, name, strlen(name));
    tmap_puts(sink, ":\n");
}

void tmap_spec_write_tensor(tmap_sink *sink, const char *name, const tmap_map_params *params) {
    write_name(sink, name);
    write_keys(sink, params, params, NULL);
}

void tmap_spec_write(tmap_sink *sink, const char *name, const tmap_map_params *params) {
    tmap_puts(sink, "tmap: 1\ntensors:\n");
    tmap_spec_write_tensor(sink, name, params);
}

void tmap_spec_write_outer_first(tmap_sink *sink, const char *name, const tmap_map_params *params) {
    static const tmap_field lists[] = {TMAP_FIELD_DIMS,         TMAP_FIELD_STRIDES,
                                       TMAP_FIELD_BOX,          TMAP_FIELD_ELEMENT_STRIDES,
                                       TMAP_FIELD_LOWER_CORNER, TMAP_FIELD_UPPER_CORNER};
    tmap_map_params reversed = *params;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        int n = tmap_field_applies(params, NULL, lists[k]) ? tmap_field_count(params, NULL, lists[k]) : 0;
        for (int i = 0; i < n; i++)
            tmap_field_set(&reversed, NULL, lists[k], i, (uint64_t)tmap_field_value(params, NULL, lists[k], n - 1 - i));
    }
    tmap_puts(sink, "tmap: 1\ntensors:\n");
    write_name(sink, name);
    tmap_puts(sink, "    order: outer_first\n");
    write_keys(sink, params, &reversed, NULL);
}

void tmap_spec_write_copy(tmap_sink *sink, const char *name, const char *tensor, const tmap_copy_params *copy) {
    write_name(sink, name);
    tmap_puts(sink, "    tensor: ");
    tmap_scalar_write(sink, tensor, strlen(tensor));
    tmap_puts(sink, "\n");
    write_keys(sink, NULL, NULL, copy);
}

void tmap_spec_write_copies(tmap_sink *sink, const char *tensor, const tmap_copy_params *copies,
                            const char *const *names, size_t n) {
    if (n > 0) tmap_puts(sink, "copies:\n");
    for (size_t i = 0; i < n; i++) tmap_spec_write_copy(sink, names[i], tensor, &copies[i]);
}
