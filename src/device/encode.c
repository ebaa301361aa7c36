/* The tensor-map calls of the driver, with tmap's parameters as their arguments. */
#include <string.h>

#include "device/driver.h"

/* Arrays are padded with zeros up to here, for a driver that looks at them before it refuses a rank above 5. */
#define ARGUMENT_RANK_MAX 8

typedef struct tiled_arguments {
    uint64_t dims[ARGUMENT_RANK_MAX], strides[ARGUMENT_RANK_MAX];
    uint32_t box[ARGUMENT_RANK_MAX], element_strides[ARGUMENT_RANK_MAX];
    int swizzle;
} tiled_arguments;

/* False when a number does not fit in its argument, or when the driver has no number for a choice. */
static bool arguments_of(const tmap_map_params *params, tiled_arguments *arguments) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)params->swizzle);
    *arguments = (tiled_arguments){.swizzle = swizzle ? swizzle->cu : (int)params->swizzle};
    if (params->mode != TMAP_MODE_TILED || params->rank > ARGUMENT_RANK_MAX || arguments->swizzle < 0) return false;
    memcpy(arguments->dims, params->dims_el, sizeof params->dims_el);
    memcpy(arguments->strides, params->strides_B, sizeof params->strides_B);
    for (size_t i = 0; i < TMAP_RANK_MAX; i++) {
        if (params->box_el[i] > UINT32_MAX || params->element_strides[i] > UINT32_MAX) return false;
        arguments->box[i] = (uint32_t)params->box_el[i];
        arguments->element_strides[i] = (uint32_t)params->element_strides[i];
    }
    return true;
}

static void *pointer_of(uint64_t address) {
    return (void *)(uintptr_t)address;
}

/* 128-byte aligned with room behind it, whatever the caller's descriptor has: CUtensorMap is alignas(128). */
typedef struct map_room {
    _Alignas(CUDA_TENSOR_MAP_ALIGN_B) uint8_t bytes[2 * CUDA_TENSOR_MAP_B];
} map_room;

tmap_status tmap_driver_call_tiled(tmap_driver *driver, const tmap_tiled_call *call, tmap_descriptor *descriptor,
                                   int *result) {
    const tmap_map_params *params = call->params;
    tiled_arguments arguments;
    map_room room;
    if (call->map_offset_B > CUDA_TENSOR_MAP_B || !arguments_of(params, &arguments)) return TMAP_BAD_ARGUMENT;
    uint8_t *map = room.bytes + call->map_offset_B;
    memset(room.bytes, call->prefill, sizeof room.bytes);
    *result = driver->encode_tiled(
        map, (int)params->type, (uint32_t)params->rank, pointer_of(params->has_address ? params->address : 0),
        arguments.dims, call->null_strides ? NULL : arguments.strides, arguments.box, arguments.element_strides,
        (int)params->interleave, arguments.swizzle, (int)params->l2_promotion, (int)params->oob_fill);
    memcpy(descriptor->bytes, map, sizeof descriptor->bytes);
    return TMAP_OK;
}

tmap_status tmap_driver_encode_tiled(tmap_driver *driver, const tmap_map_params *params, uint8_t prefill,
                                     tmap_descriptor *descriptor, int *result) {
    if (driver == NULL || params == NULL || descriptor == NULL || result == NULL) return TMAP_BAD_ARGUMENT;
    return tmap_driver_call_tiled(driver, &(tmap_tiled_call){.params = params, .prefill = prefill}, descriptor, result);
}

tmap_status tmap_driver_replace_address(tmap_driver *driver, tmap_descriptor *descriptor, uint64_t address,
                                        int *result) {
    map_room room;
    if (driver == NULL || descriptor == NULL || result == NULL) return TMAP_BAD_ARGUMENT;
    if (driver->replace_address == NULL) return TMAP_UNAVAILABLE;
    memcpy(room.bytes, descriptor->bytes, sizeof descriptor->bytes);
    *result = driver->replace_address(room.bytes, pointer_of(address));
    memcpy(descriptor->bytes, room.bytes, sizeof descriptor->bytes);
    return TMAP_OK;
}
