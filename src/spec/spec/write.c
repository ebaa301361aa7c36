/* spec: writes parameters as a spec file: the keys of the table, in its order. */
#include <inttypes.h>
#include <string.h>

#include "params/fields.h"
#include "params/words.h"
#include "spec/keys.h"
#include "spec/scalar.h"
#include "spec/write.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"

static int rank_of(const tmap_map_params *map) {
    return map->rank > TMAP_RANK_MAX ? TMAP_RANK_MAX : (int)map->rank;
}

static bool all_ones(const tmap_map_params *map) {
    int i = 0;
    while (i < rank_of(map) && map->element_strides[i] == 1) i++;
    return i == rank_of(map);
}

/* Whether a map needs the key. */
static bool map_has(const tmap_map_params *map, tmap_field field) {
    switch ((int)field) {
    case TMAP_FIELD_RANK: return false;
    case TMAP_FIELD_TYPE:
    case TMAP_FIELD_DIMS: return true;
    case TMAP_FIELD_STRIDES: return rank_of(map) > 1 && !tmap_map_params_are_dense(map);
    case TMAP_FIELD_BOX: return map->mode == TMAP_MODE_TILED;
    case TMAP_FIELD_ELEMENT_STRIDES: return !all_ones(map);
    case TMAP_FIELD_LOWER_CORNER:
    case TMAP_FIELD_UPPER_CORNER:
    case TMAP_FIELD_CHANNELS_PER_PIXEL:
    case TMAP_FIELD_PIXELS_PER_COLUMN: return tmap_mode_get((int)map->mode)->im2col;
    case TMAP_FIELD_ADDRESS: return map->has_address;
    case TMAP_FIELD_ALLOCATION_OFFSET: return map->allocation_B && map->allocation_offset_B;
    default: return !tmap_field_is_zero(map, NULL, field);
    }
}

/* Whether a copy needs the key. */
static bool copy_has(const tmap_copy_params *copy, tmap_field field) {
    const tmap_op_info *op = tmap_op_get((int)copy->op);
    bool replaces = copy->op == TMAP_OP_REPLACE && tmap_replaceable_get((int)copy->field);
    switch ((int)field) {
    case TMAP_FIELD_OP: return true;
    case TMAP_FIELD_LOAD_MODE: return copy->has_load_mode;
    case TMAP_FIELD_COLUMN:
    case TMAP_FIELD_ROWS: return op->four_rows;
    case TMAP_FIELD_SHARED: return tmap_op_moves(op);
    case TMAP_FIELD_DST: return copy->has_dst || copy->dst == TMAP_DST_CLUSTER;
    case TMAP_FIELD_FIELD:
    case TMAP_FIELD_VALUE: return replaces;
    case TMAP_FIELD_ORDINAL: return replaces && tmap_replaceable_get((int)copy->field)->ordinals_n > 0;
    case TMAP_FIELD_AT: return !op->on_map && !op->four_rows && copy->at_n > 0;
    case TMAP_FIELD_OFFSETS:
    case TMAP_FIELD_SIZE:
    case TMAP_FIELD_BYTE_MASK:
    case TMAP_FIELD_IGNORE_LEFT:
    case TMAP_FIELD_IGNORE_RIGHT:
    case TMAP_FIELD_W_HALO:
    case TMAP_FIELD_W_OFFSET: return !op->on_map && !op->four_rows && !tmap_field_is_zero(NULL, copy, field);
    default: return !tmap_field_is_zero(NULL, copy, field);
    }
}

static int rank_of_copy(const tmap_copy_params *copy) {
    return copy->at_n > TMAP_RANK_MAX ? TMAP_RANK_MAX : copy->at_n;
}

/* The number of values that the key needs. A wide mode has one corner. A copy names the offsets of all spatial
 * dimensions. */
static int values_n(const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field) {
    int rank = map ? rank_of(map) : rank_of_copy(copy), spatial = rank - 2;
    switch (tmap_field_get((int)field)->per) {
    case TMAP_PER_DIM: return rank;
    case TMAP_PER_OUTER_DIM: return rank - 1;
    case TMAP_PER_SPATIAL: return map ? map->mode == TMAP_MODE_IM2COL ? spatial : 1 : spatial > 0 ? spatial : 1;
    case TMAP_PER_ONE:
    case TMAP_PER_ROWS: break;
    }
    return tmap_field_room(field);
}

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
    int n = values_n(map, copy, field);
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

/* Writes the keys of a map or of a copy; the other is NULL. */
static void write_keys(tmap_sink *sink, const tmap_map_params *map, const tmap_copy_params *copy) {
    tmap_section section = map ? TMAP_SECTION_TENSOR : TMAP_SECTION_COPY;
    for (int i = (int)tmap_section_first(section); tmap_key_get((tmap_key)i)->section_id == section; i++) {
        int field = tmap_key_get((tmap_key)i)->field;
        if ((int)tmap_key_of_field(field) != i) continue; /* no field, or a second key */
        if (map ? map_has(map, (tmap_field)field) : copy_has(copy, (tmap_field)field))
            write_key(sink, map, copy, (tmap_field)field);
    }
}

static void write_name(tmap_sink *sink, const char *name) {
    tmap_puts(sink, "  ");
    tmap_scalar_write(sink, name, strlen(name));
    tmap_puts(sink, ":\n");
}

void tmap_spec_write_tensor(tmap_sink *sink, const char *name, const tmap_map_params *params) {
    write_name(sink, name);
    write_keys(sink, params, NULL);
}

void tmap_spec_write(tmap_sink *sink, const char *name, const tmap_map_params *params) {
    tmap_puts(sink, "tmap: 1\ntensors:\n");
    tmap_spec_write_tensor(sink, name, params);
}

void tmap_spec_write_copy(tmap_sink *sink, const char *name, const char *tensor, const tmap_copy_params *copy) {
    write_name(sink, name);
    tmap_puts(sink, "    tensor: ");
    tmap_scalar_write(sink, tensor, strlen(tensor));
    tmap_puts(sink, "\n");
    write_keys(sink, NULL, copy);
}

void tmap_spec_write_copies(tmap_sink *sink, const char *tensor, const tmap_copy_params *copies,
                            const char *const *names, size_t n) {
    if (n > 0) tmap_puts(sink, "copies:\n");
    for (size_t i = 0; i < n; i++) tmap_spec_write_copy(sink, names[i], tensor, &copies[i]);
}
