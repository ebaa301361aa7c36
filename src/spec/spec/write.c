/* spec: writes parameters as a spec file. */
#include <inttypes.h>
#include <string.h>

#include "spec/scalar.h"
#include "spec/write.h"
#include "text/print.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/spec.h"

static int rank_of(const tmap_map_params *params) {
    return params->rank > TMAP_RANK_MAX ? TMAP_RANK_MAX : (int)params->rank;
}

static void write_sizes(tmap_sink *sink, const char *key, const uint64_t *values, int count) {
    tmap_printf(sink, "    %s: [", key);
    for (int i = 0; i < count; i++) tmap_printf(sink, "%s%" PRIu64, i ? ", " : "", values[i]);
    tmap_puts(sink, "]\n");
}

static void write_signed(tmap_sink *sink, const char *key, const int64_t *values, int count) {
    tmap_printf(sink, "    %s: [", key);
    for (int i = 0; i < count; i++) tmap_printf(sink, "%s%" PRId64, i ? ", " : "", values[i]);
    tmap_puts(sink, "]\n");
}

static bool all_ones(const tmap_map_params *params) {
    int i = 0;
    while (i < rank_of(params) && params->element_strides[i] == 1) i++;
    return i == rank_of(params);
}

static void write_shape(tmap_sink *sink, const tmap_map_params *params) {
    int rank = rank_of(params);
    write_sizes(sink, "dims", params->dims_el, rank);
    if (rank > 1 && !tmap_map_params_are_dense(params)) write_sizes(sink, "strides", params->strides_B, rank - 1);
    if (params->mode == TMAP_MODE_TILED) write_sizes(sink, "box", params->box_el, rank);
    if (!all_ones(params)) write_sizes(sink, "element_strides", params->element_strides, rank);
}

static void write_pixels(tmap_sink *sink, const tmap_map_params *params) {
    if (!tmap_mode_get((int)params->mode)->im2col) return;
    int corners = params->mode == TMAP_MODE_IM2COL ? rank_of(params) - 2 : 1;
    if (corners > 0) write_signed(sink, "lower_corner", params->lower_corner, corners);
    if (corners > 0) write_signed(sink, "upper_corner", params->upper_corner, corners);
    tmap_printf(sink, "    channels_per_pixel: %" PRIu64 "\n", params->channels_per_pixel);
    tmap_printf(sink, "    pixels_per_column: %" PRIu64 "\n", params->pixels_per_column);
}

static void write_choices(tmap_sink *sink, const tmap_map_params *params) {
    if (params->interleave != TMAP_INTERLEAVE_NONE) {
        tmap_printf(sink, "    interleave: %s\n", tmap_interleave_get((int)params->interleave)->name);
    }
    if (params->swizzle != TMAP_SWIZZLE_NONE) {
        tmap_printf(sink, "    swizzle: %s\n", tmap_swizzle_get((int)params->swizzle)->name);
    }
    if (params->l2_promotion != TMAP_L2_PROMOTION_NONE) {
        tmap_printf(sink, "    l2_promotion: %s\n", tmap_l2_promotion_get((int)params->l2_promotion)->name);
    }
    if (params->oob_fill != TMAP_OOB_FILL_ZERO) {
        tmap_printf(sink, "    oob_fill: %s\n", tmap_oob_fill_get((int)params->oob_fill)->name);
    }
}

static void write_ops(tmap_sink *sink, uint32_t ops) {
    ops &= ((uint32_t)1 << TMAP_OP_COUNT) - 1;
    if (!ops) return;
    tmap_puts(sink, "    ops: [");
    const char *separator = "";
    for (int i = 0; tmap_op_get(i); i++) {
        if (!(ops >> i & 1)) continue;
        tmap_printf(sink, "%s%s", separator, tmap_op_get(i)->name);
        separator = ", ";
    }
    tmap_puts(sink, "]\n");
}

static void write_name(tmap_sink *sink, const char *name) {
    tmap_puts(sink, "  ");
    tmap_scalar_write(sink, name, strlen(name));
    tmap_puts(sink, ":\n");
}

void tmap_spec_write_tensor(tmap_sink *sink, const char *name, const tmap_map_params *params) {
    write_name(sink, name);
    if (params->mode != TMAP_MODE_TILED) {
        tmap_printf(sink, "    mode: %s\n", tmap_mode_get((int)params->mode)->name);
    }
    tmap_printf(sink, "    type: %s\n", tmap_type_get((int)params->type)->name);
    write_shape(sink, params);
    write_pixels(sink, params);
    write_choices(sink, params);
    if (params->has_address) tmap_printf(sink, "    address: 0x%" PRIx64 "\n", params->address);
    if (params->allocation_B) tmap_printf(sink, "    allocation: %" PRIu64 "\n", params->allocation_B);
    if (params->allocation_B && params->allocation_offset_B)
        tmap_printf(sink, "    allocation_offset: %" PRId64 "\n", params->allocation_offset_B);
    if (params->allocation_class != TMAP_ALLOCATION_AUTO)
        tmap_printf(sink, "    allocation_class: %s\n", tmap_allocation_class_get((int)params->allocation_class)->name);
    write_ops(sink, params->ops);
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

static void write_replacement(tmap_sink *sink, const tmap_copy_params *copy) {
    const tmap_replaceable_info *info = tmap_replaceable_get((int)copy->field);
    const char *word = tmap_replace_word(copy->field, copy->value);
    if (!info) return;
    tmap_printf(sink, "    field: %s\n", info->name);
    if (info->ordinals_n > 0) tmap_printf(sink, "    ordinal: %" PRIu64 "\n", copy->ordinal);
    if (word)
        tmap_printf(sink, "    value: %s\n", word);
    else
        tmap_printf(sink,
                    copy->field == TMAP_REPLACEABLE_ADDRESS ? "    value: 0x%" PRIx64 "\n" : "    value: %" PRIu64 "\n",
                    copy->value);
}

static void write_coordinates(tmap_sink *sink, const tmap_copy_params *copy) {
    if (tmap_op_get((int)copy->op)->on_map) {
        if (copy->op == TMAP_OP_REPLACE) write_replacement(sink, copy);
        return;
    }
    if (tmap_op_get((int)copy->op)->four_rows) {
        tmap_printf(sink, "    column: %" PRId64 "\n", copy->column);
        write_signed(sink, "rows", copy->rows, 4);
        return;
    }
    int at_n = copy->at_n > TMAP_RANK_MAX ? TMAP_RANK_MAX : copy->at_n;
    if (at_n > 0) write_signed(sink, "at", copy->at, at_n);
    if (offsets_n(copy) > 0) write_signed(sink, "offsets", copy->offsets, offsets_n(copy));
    if (copy->size_B) tmap_printf(sink, "    size: %" PRIu64 "\n", copy->size_B);
    if (copy->byte_mask) tmap_printf(sink, "    byte_mask: 0x%" PRIx64 "\n", copy->byte_mask);
    if (copy->ignore_left_B) tmap_printf(sink, "    ignore_left: %" PRIu64 "\n", copy->ignore_left_B);
    if (copy->ignore_right_B) tmap_printf(sink, "    ignore_right: %" PRIu64 "\n", copy->ignore_right_B);
    if (copy->w_halo) tmap_printf(sink, "    w_halo: %" PRIu64 "\n", copy->w_halo);
    if (copy->w_offset) tmap_printf(sink, "    w_offset: %" PRIu64 "\n", copy->w_offset);
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

static void write_qualifiers(tmap_sink *sink, const tmap_copy_params *copy) {
    const char *separator = "    qualifiers: [";
    for (int i = 0; i < TMAP_QUALIFIER_COUNT; i++) {
        if (i == TMAP_QUALIFIER_CACHE_HINT || !(copy->qualifiers >> i & 1)) continue;
        tmap_printf(sink, "%s%s", separator, tmap_qualifier_get(i)->name);
        separator = ", ";
    }
    if (separator[0] == ',') tmap_puts(sink, "]\n");
    if (copy->cache_hint) write_cache_hint(sink, copy->cache_hint);
    const char *space = tmap_space_name((int)copy->map_space);
    if (space) tmap_printf(sink, "    map_space: %s\n", space);
}

void tmap_spec_write_copy(tmap_sink *sink, const char *name, const char *tensor, const tmap_copy_params *copy) {
    write_name(sink, name);
    tmap_puts(sink, "    tensor: ");
    tmap_scalar_write(sink, tensor, strlen(tensor));
    tmap_printf(sink, "\n    op: %s\n", tmap_op_get((int)copy->op)->name);
    if (copy->has_load_mode) tmap_printf(sink, "    load_mode: %s\n", tmap_mode_get((int)copy->load_mode)->name);
    if (copy->dim) tmap_printf(sink, "    dim: %" PRIu64 "\n", copy->dim);
    write_coordinates(sink, copy);
    if (tmap_op_moves(tmap_op_get((int)copy->op))) {
        tmap_printf(sink, "    shared: 0x%" PRIx64 "\n", copy->shared);
    }
    if (copy->has_dst || copy->dst == TMAP_DST_CLUSTER)
        tmap_printf(sink, "    dst: %s\n", copy->dst == TMAP_DST_CLUSTER ? "cluster" : "cta");
    if (copy->cta_group) tmap_printf(sink, "    cta_group: %" PRIu64 "\n", copy->cta_group);
    if (copy->cta_mask) tmap_printf(sink, "    cta_mask: 0x%" PRIx64 "\n", copy->cta_mask);
    write_qualifiers(sink, copy);
}

void tmap_spec_write_copies(tmap_sink *sink, const char *tensor, const tmap_copy_params *copies,
                            const char *const *names, size_t n) {
    if (n > 0) tmap_puts(sink, "copies:\n");
    for (size_t i = 0; i < n; i++) tmap_spec_write_copy(sink, names[i], tensor, &copies[i]);
}
