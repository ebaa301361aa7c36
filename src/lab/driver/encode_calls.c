/* The tensor-map calls of the driver, with tmap's parameters as their arguments. */
#include <limits.h>
#include <string.h>

#include "driver/driver.h"

/* Arrays are padded with zeros to this length, for a driver that reads them before it refuses a rank above 5. */
#define ARGUMENT_RANK_MAX 8

typedef struct encode_arguments {
    uint64_t dims[ARGUMENT_RANK_MAX], strides[ARGUMENT_RANK_MAX];
    uint32_t box[ARGUMENT_RANK_MAX], element_strides[ARGUMENT_RANK_MAX], channels, pixels;
    int lower[TMAP_RANK_MAX - 2], upper[TMAP_RANK_MAX - 2];
    int swizzle, wide_mode;
} encode_arguments;

static bool box_of(const tmap_map_params *params, encode_arguments *arguments) {
    for (size_t i = 0; i < TMAP_RANK_MAX; i++) {
        if (params->box_el[i] > UINT32_MAX) return false;
        arguments->box[i] = (uint32_t)params->box_el[i];
    }
    return true;
}

static bool column_of(const tmap_map_params *params, encode_arguments *arguments) {
    if (params->channels_per_pixel > UINT32_MAX || params->pixels_per_column > UINT32_MAX) return false;
    arguments->channels = (uint32_t)params->channels_per_pixel;
    arguments->pixels = (uint32_t)params->pixels_per_column;
    arguments->wide_mode = params->mode == TMAP_MODE_IM2COL_W128; /* CUtensorMapIm2ColWideMode */
    for (size_t i = 0; i < TMAP_RANK_MAX - 2; i++) {
        int64_t lower = params->lower_corner[i], upper = params->upper_corner[i];
        if (lower < INT_MIN || lower > INT_MAX || upper < INT_MIN || upper > INT_MAX) return false;
        arguments->lower[i] = (int)lower;
        arguments->upper[i] = (int)upper;
    }
    return true;
}

/* The number for the driver; negative: cuda.h has none. */
static int swizzle_of(const tmap_encode_call *call) {
    int number = (int)call->params->swizzle;
    const tmap_swizzle_info *swizzle = tmap_swizzle_get(number);
    bool documented = swizzle && !(call->undocumented && swizzle->cu < 0);
    return documented ? swizzle->cu : number;
}

/* Returns false if a number does not fit in its argument, or if the driver has no number for a choice. */
static bool arguments_of(const tmap_encode_call *call, encode_arguments *arguments) {
    const tmap_map_params *params = call->params;
    *arguments = (encode_arguments){.swizzle = swizzle_of(call)};
    if (!tmap_mode_get((int)params->mode) || params->mode == TMAP_MODE_LINEAR || params->rank > ARGUMENT_RANK_MAX ||
        arguments->swizzle < 0)
        return false;
    memcpy(arguments->dims, params->dims_el, sizeof params->dims_el);
    memcpy(arguments->strides, params->strides_B, sizeof params->strides_B);
    for (size_t i = 0; i < TMAP_RANK_MAX; i++) {
        if (params->element_strides[i] > UINT32_MAX) return false;
        arguments->element_strides[i] = (uint32_t)params->element_strides[i];
    }
    return params->mode == TMAP_MODE_TILED ? box_of(params, arguments) : column_of(params, arguments);
}

static void *pointer_of(uint64_t address) {
    return (void *)(uintptr_t)address;
}

/* Space for a map at any map_offset_B. CUtensorMap is alignas(128); the caller's descriptor may have less alignment. */
typedef struct map_room {
    _Alignas(CUDA_TENSOR_MAP_ALIGN_B) uint8_t bytes[2 * CUDA_TENSOR_MAP_B];
} map_room;

static bool has_call(const tmap_driver *driver, tmap_mode mode) {
    if (mode == TMAP_MODE_TILED) return driver->encode_tiled != NULL;
    return mode == TMAP_MODE_IM2COL ? driver->encode_im2col != NULL : driver->encode_im2col_wide != NULL;
}

static int ask(tmap_driver *driver, const tmap_encode_call *call, const encode_arguments *a, void *map) {
    const tmap_map_params *p = call->params;
    void *address = pointer_of(p->has_address ? p->address : 0);
    const uint64_t *strides = call->null_strides ? NULL : a->strides;
    int type = (int)p->type, interleave = (int)p->interleave, promotion = (int)p->l2_promotion, fill = (int)p->oob_fill;
    uint32_t rank = (uint32_t)p->rank;
    if (p->mode == TMAP_MODE_TILED)
        return driver->encode_tiled(map, type, rank, address, a->dims, strides, a->box, a->element_strides, interleave,
                                    a->swizzle, promotion, fill);
    if (p->mode == TMAP_MODE_IM2COL)
        return driver->encode_im2col(map, type, rank, address, a->dims, strides, a->lower, a->upper, a->channels,
                                     a->pixels, a->element_strides, interleave, a->swizzle, promotion, fill);
    return driver->encode_im2col_wide(map, type, rank, address, a->dims, strides, a->lower[0], a->upper[0], a->channels,
                                      a->pixels, a->element_strides, interleave, a->wide_mode, a->swizzle, promotion,
                                      fill);
}

tmap_status tmap_driver_call(tmap_driver *driver, const tmap_encode_call *call, tmap_descriptor *descriptor,
                             int *result) {
    encode_arguments arguments;
    map_room room;
    if (call->map_offset_B > CUDA_TENSOR_MAP_B || !arguments_of(call, &arguments)) return TMAP_BAD_ARGUMENT;
    if (!has_call(driver, call->params->mode)) return TMAP_UNAVAILABLE;
    uint8_t *map = room.bytes + call->map_offset_B;
    memset(room.bytes, call->prefill, sizeof room.bytes);
    *result = ask(driver, call, &arguments, map);
    memcpy(descriptor->bytes, map, sizeof descriptor->bytes);
    return TMAP_OK;
}

tmap_status tmap_driver_encode(tmap_driver *driver, const tmap_map_params *params, uint8_t prefill,
                               tmap_descriptor *descriptor, int *result) {
    if (!driver || !params || !descriptor || !result) return TMAP_BAD_ARGUMENT;
    return tmap_driver_call(driver, &(tmap_encode_call){.params = params, .prefill = prefill}, descriptor, result);
}

tmap_status tmap_driver_replace_address(tmap_driver *driver, tmap_descriptor *descriptor, uint64_t address,
                                        int *result) {
    map_room room;
    if (!driver || !descriptor || !result) return TMAP_BAD_ARGUMENT;
    if (!driver->replace_address) return TMAP_UNAVAILABLE;
    memcpy(room.bytes, descriptor->bytes, sizeof descriptor->bytes);
    *result = driver->replace_address(room.bytes, pointer_of(address));
    memcpy(descriptor->bytes, room.bytes, sizeof descriptor->bytes);
    return TMAP_OK;
}

tmap_status tmap_driver_set_allocation_class(tmap_driver *driver, tmap_descriptor *descriptor,
                                             tmap_allocation_class allocation_class, tmap_allocation_class *out,
                                             int *result) {
    map_room room;
    int set = TMAP_ALLOCATION_SMALL;
    if (!driver || !descriptor || !result) return TMAP_BAD_ARGUMENT;
    if (!driver->set_class) return TMAP_UNAVAILABLE;
    memcpy(room.bytes, descriptor->bytes, sizeof descriptor->bytes);
    *result = driver->set_class(room.bytes, (int)allocation_class, &set);
    memcpy(descriptor->bytes, room.bytes, sizeof descriptor->bytes);
    if (out) *out = (tmap_allocation_class)set;
    return TMAP_OK;
}
