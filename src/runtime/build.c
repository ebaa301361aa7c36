/* runtime: building descriptors, and changing those that are there. */
#include "runtime/reason.h"
#include "tmap/runtime.h"

static tmap_status freeze(const tmap_map_params *params, tmap_archs archs, tmap_reason reason, tmap_map *map) {
    tmap_stack_diags diags;
    tmap_judge judge = {.archs = archs};
    tmap_give_reason(reason, "%s", "");
    if (tmap_map_init(map, params, &judge, NULL) == TMAP_OK) return TMAP_OK; /* the common case says nothing */
    tmap_status status = tmap_map_init(map, params, &judge, tmap_stack_diags_begin(&diags));
    tmap_give_first_error(reason, &diags.list);
    return status;
}

tmap_status tmap_build(const tmap_map_params *params, tmap_archs archs, tmap_descriptor *descriptor, char *text,
                       size_t size) {
    tmap_map map;
    if (params == NULL || descriptor == NULL) return TMAP_BAD_ARGUMENT;
    tmap_status status = freeze(params, archs, (tmap_reason){text, size}, &map);
    if (status != TMAP_OK || tmap_descriptor_encode(&map, descriptor)) return status;
    tmap_give_reason((tmap_reason){text, size}, "%s", tmap_descriptor_unknown_mode(map.params.mode));
    return TMAP_UNAVAILABLE;
}

tmap_status tmap_build_check(const tmap_map_params *params, tmap_archs archs, char *text, size_t size) {
    tmap_map map;
    if (params == NULL) return TMAP_BAD_ARGUMENT;
    return freeze(params, archs, (tmap_reason){text, size}, &map);
}

/* ---- Changes ---------------------------------------------------------------------------------------------------- */

/* What the descriptor says now. */
static tmap_status read_back(const tmap_descriptor *descriptor, tmap_reason reason, tmap_map_params *params) {
    tmap_stack_diags diags;
    tmap_status status = tmap_descriptor_decode(descriptor, params, NULL, tmap_stack_diags_begin(&diags));
    if (status != TMAP_OK) tmap_give_first_error(reason, &diags.list);
    return status;
}

/* The fields from `first` to `last` of a freshly encoded map take the place of the descriptor's. */
static tmap_status put_fields(tmap_descriptor *descriptor, const tmap_map_params *params, tmap_archs archs,
                              tmap_reason reason, int first, int last) {
    tmap_map map;
    tmap_descriptor fresh;
    tmap_status status = freeze(params, archs, reason, &map);
    if (status != TMAP_OK) return status;
    if (!tmap_descriptor_encode(&map, &fresh)) return TMAP_UNAVAILABLE; /* what was read back is no such map */
    for (int field = first; field <= last; field++)
        tmap_descriptor_poke(descriptor, (tmap_descriptor_field)field,
                             tmap_descriptor_peek(&fresh, (tmap_descriptor_field)field));
    return TMAP_OK;
}

tmap_status tmap_replace_address(tmap_descriptor *descriptor, uint64_t address, tmap_archs archs, char *text,
                                 size_t size) {
    tmap_reason reason = {text, size};
    tmap_map_params params;
    if (descriptor == NULL) return TMAP_BAD_ARGUMENT;
    tmap_status status = read_back(descriptor, reason, &params);
    if (status != TMAP_OK) return status;
    params.has_address = true;
    params.address = address;
    return put_fields(descriptor, &params, archs, reason, TMAP_DESC_ADDRESS, TMAP_DESC_ADDRESS);
}

tmap_status tmap_replace_dims(tmap_descriptor *descriptor, const uint64_t *dims_el, tmap_archs archs, char *text,
                              size_t size) {
    tmap_reason reason = {text, size};
    tmap_map_params params;
    if (descriptor == NULL || dims_el == NULL) return TMAP_BAD_ARGUMENT;
    tmap_status status = read_back(descriptor, reason, &params);
    if (status != TMAP_OK) return status;
    for (uint64_t i = 0; i < params.rank; i++) params.dims_el[i] = dims_el[i];
    return put_fields(descriptor, &params, archs, reason, TMAP_DESC_DIM_0, TMAP_DESC_DIM_4);
}

tmap_status tmap_replace_strides(tmap_descriptor *descriptor, const uint64_t *strides_B, tmap_archs archs, char *text,
                                 size_t size) {
    tmap_reason reason = {text, size};
    tmap_map_params params;
    if (descriptor == NULL) return TMAP_BAD_ARGUMENT;
    tmap_status status = read_back(descriptor, reason, &params);
    if (status != TMAP_OK) return status;
    if (strides_B == NULL && params.rank > 1) return TMAP_BAD_ARGUMENT;
    for (uint64_t i = 0; i + 1 < params.rank; i++) params.strides_B[i] = strides_B[i];
    return put_fields(descriptor, &params, archs, reason, TMAP_DESC_STRIDE_0, TMAP_DESC_STRIDE_3);
}
