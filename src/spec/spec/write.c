/* spec: writes parameters as a spec file. */
#include <inttypes.h>
#include <string.h>

#include "params/fields.h"
#include "rule/fix.h"
#include "spec/scalar.h"
#include "spec/write.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/spec.h"
#include "tmap/unstable/tables.h"

static int rank_of(const tmap_map_params *params) {
    return params->rank > TMAP_RANK_MAX ? TMAP_RANK_MAX : (int)params->rank;
}

static void write_field(tmap_sink *sink, const tmap_map_params *map, const tmap_copy_params *copy, tmap_field field,
                        int n) {
    tmap_puts(sink, "    ");
    tmap_field_print(sink, map, copy, field, n);
    tmap_puts(sink, "\n");
}

/* Writes each field of the list that is not 0, its value if it is left out. */
static void write_given(tmap_sink *sink, const tmap_map_params *map, const tmap_copy_params *copy,
                        const tmap_field *fields, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (tmap_field_value(map, copy, fields[i], 0) != 0) write_field(sink, map, copy, fields[i], 0);
}

#define WRITE_GIVEN(sink, map, copy, ...)                                                                              \
    do {                                                                                                               \
        static const tmap_field fields[] = {__VA_ARGS__};                                                              \
        write_given((sink), (map), (copy), fields, sizeof fields / sizeof *fields);                                    \
    } while (0)

static bool all_ones(const tmap_map_params *params) {
    int i = 0;
    while (i < rank_of(params) && params->element_strides[i] == 1) i++;
    return i == rank_of(params);
}

static void write_shape(tmap_sink *sink, const tmap_map_params *params) {
    int rank = rank_of(params);
    write_field(sink, params, NULL, TMAP_FIELD_DIMS, rank);
    if (rank > 1 && !tmap_map_params_are_dense(params)) write_field(sink, params, NULL, TMAP_FIELD_STRIDES, rank - 1);
    if (params->mode == TMAP_MODE_TILED) write_field(sink, params, NULL, TMAP_FIELD_BOX, rank);
    if (!all_ones(params)) write_field(sink, params, NULL, TMAP_FIELD_ELEMENT_STRIDES, rank);
}

static void write_pixels(tmap_sink *sink, const tmap_map_params *params) {
    if (!tmap_mode_get((int)params->mode)->im2col) return;
    int corners = params->mode == TMAP_MODE_IM2COL ? rank_of(params) - 2 : 1;
    if (corners > 0) write_field(sink, params, NULL, TMAP_FIELD_LOWER_CORNER, corners);
    if (corners > 0) write_field(sink, params, NULL, TMAP_FIELD_UPPER_CORNER, corners);
    write_field(sink, params, NULL, TMAP_FIELD_CHANNELS_PER_PIXEL, 0);
    write_field(sink, params, NULL, TMAP_FIELD_PIXELS_PER_COLUMN, 0);
}

static void write_name(tmap_sink *sink, const char *name) {
    tmap_puts(sink, "  ");
    tmap_scalar_write(sink, name, strlen(name));
    tmap_puts(sink, ":\n");
}

void tmap_spec_write_tensor(tmap_sink *sink, const char *name, const tmap_map_params *params) {
    write_name(sink, name);
    tmap_map_params known = *params;
    known.ops &= ((uint32_t)1 << TMAP_OP_COUNT) - 1;
    WRITE_GIVEN(sink, params, NULL, TMAP_FIELD_MODE);
    write_field(sink, params, NULL, TMAP_FIELD_TYPE, 0);
    write_shape(sink, params);
    write_pixels(sink, params);
    WRITE_GIVEN(sink, params, NULL, TMAP_FIELD_INTERLEAVE, TMAP_FIELD_SWIZZLE, TMAP_FIELD_L2_PROMOTION,
                TMAP_FIELD_OOB_FILL);
    if (params->has_address) write_field(sink, params, NULL, TMAP_FIELD_ADDRESS, 0);
    WRITE_GIVEN(sink, params, NULL, TMAP_FIELD_ALLOCATION);
    if (params->allocation_B) WRITE_GIVEN(sink, params, NULL, TMAP_FIELD_ALLOCATION_OFFSET);
    WRITE_GIVEN(sink, &known, NULL, TMAP_FIELD_ALLOCATION_CLASS, TMAP_FIELD_OPS);
}

void tmap_spec_write(tmap_sink *sink, const char *name, const tmap_map_params *params) {
    tmap_puts(sink, "tmap: 1\ntensors:\n");
    tmap_spec_write_tensor(sink, name, params);
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

/* The number of offsets that the copy must name: all spatial dimensions of the map, if any offset is not 0. */
static int offsets_n(const tmap_copy_params *copy) {
    for (int i = 0; i < TMAP_RANK_MAX - 2; i++) {
        if (copy->offsets[i] != 0) return copy->at_n > 2 ? copy->at_n - 2 : 1;
    }
    return 0;
}

static void write_coordinates(tmap_sink *sink, const tmap_copy_params *copy) {
    const tmap_replaceable_info *replaced = tmap_replaceable_get((int)copy->field);
    int at_n = copy->at_n > TMAP_RANK_MAX ? TMAP_RANK_MAX : copy->at_n;
    if (tmap_op_get((int)copy->op)->on_map) {
        if (copy->op != TMAP_OP_REPLACE || !replaced) return;
        write_field(sink, NULL, copy, TMAP_FIELD_FIELD, 0);
        if (replaced->ordinals_n > 0) write_field(sink, NULL, copy, TMAP_FIELD_ORDINAL, 0);
        write_field(sink, NULL, copy, TMAP_FIELD_VALUE, 0);
    } else if (tmap_op_get((int)copy->op)->four_rows) {
        write_field(sink, NULL, copy, TMAP_FIELD_COLUMN, 0);
        write_field(sink, NULL, copy, TMAP_FIELD_ROWS, 4);
    } else {
        if (at_n > 0) write_field(sink, NULL, copy, TMAP_FIELD_AT, at_n);
        if (offsets_n(copy) > 0) write_field(sink, NULL, copy, TMAP_FIELD_OFFSETS, offsets_n(copy));
        WRITE_GIVEN(sink, NULL, copy, TMAP_FIELD_SIZE, TMAP_FIELD_BYTE_MASK, TMAP_FIELD_IGNORE_LEFT,
                    TMAP_FIELD_IGNORE_RIGHT, TMAP_FIELD_W_HALO, TMAP_FIELD_W_OFFSET);
    }
}

static void write_cache_hint(tmap_sink *sink, uint64_t bits) {
    tmap_cache_policy policy;
    if (!tmap_cache_policy_decode(bits, &policy)) {
        tmap_printf(sink, "    cache_hint: 0x%" PRIx64 "\n", bits);
        return;
    }
    tmap_printf(sink, "    cache_hint: {primary: %s, secondary: %s, fraction: %d.%04d}\n",
                tmap_l2_priority_name((int)policy.primary), tmap_l2_priority_name((int)policy.secondary),
                policy.sixteenths / 16, policy.sixteenths % 16 * 625);
}

void tmap_spec_write_copy(tmap_sink *sink, const char *name, const char *tensor, const tmap_copy_params *copy) {
    write_name(sink, name);
    tmap_puts(sink, "    tensor: ");
    tmap_scalar_write(sink, tensor, strlen(tensor));
    tmap_puts(sink, "\n");
    tmap_copy_params known = *copy;
    known.qualifiers &= (((uint32_t)1 << TMAP_QUALIFIER_COUNT) - 1) & ~TMAP_QUALIFIER_BIT(CACHE_HINT);
    write_field(sink, NULL, copy, TMAP_FIELD_OP, 0);
    if (copy->has_load_mode) write_field(sink, NULL, copy, TMAP_FIELD_LOAD_MODE, 0);
    WRITE_GIVEN(sink, NULL, copy, TMAP_FIELD_DIM);
    write_coordinates(sink, copy);
    if (tmap_op_moves(tmap_op_get((int)copy->op))) write_field(sink, NULL, copy, TMAP_FIELD_SHARED, 0);
    if (copy->has_dst || copy->dst == TMAP_DST_CLUSTER) write_field(sink, NULL, copy, TMAP_FIELD_DST, 0);
    WRITE_GIVEN(sink, NULL, &known, TMAP_FIELD_CTA_GROUP, TMAP_FIELD_CTA_MASK, TMAP_FIELD_QUALIFIERS);
    if (copy->cache_hint) write_cache_hint(sink, copy->cache_hint);
    if (tmap_space_name((int)copy->map_space)) write_field(sink, NULL, copy, TMAP_FIELD_MAP_SPACE, 0);
}

void tmap_spec_write_copies(tmap_sink *sink, const char *tensor, const tmap_copy_params *copies,
                            const char *const *names, size_t n) {
    if (n > 0) tmap_puts(sink, "copies:\n");
    for (size_t i = 0; i < n; i++) tmap_spec_write_copy(sink, names[i], tensor, &copies[i]);
}
