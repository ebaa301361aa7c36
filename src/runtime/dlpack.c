/*
 * runtime: parameters from a DLTensor. The struct and the type codes are those of dlpack.h 1.1 (DLTensor, DLDataType,
 * DLDeviceType); the rules are those of CCCL's cuda::make_tma_descriptor, wider where runtime.h says so.
 */
#include <inttypes.h>
#include <stddef.h>

#include "base/wide.h"
#include "runtime/reason.h"
#include "tmap/runtime.h"

_Static_assert(sizeof(void *) != 8 || sizeof(tmap_dl_tensor) == 48, "DLTensor");
_Static_assert(sizeof(void *) != 8 || offsetof(tmap_dl_tensor, dtype) == 20, "DLTensor.dtype");
_Static_assert(sizeof(void *) != 8 || offsetof(tmap_dl_tensor, byte_offset) == 40, "DLTensor.byte_offset");

enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6 };
enum { DL_FLOAT8_FIRST = 7, DL_FLOAT8_LAST = 14, DL_FLOAT6_FIRST = 15, DL_FLOAT6_LAST = 16, DL_FLOAT4 = 17 };
enum { DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };

typedef struct dl_type {
    int first_code, last_code, bits;
    tmap_type type;
} dl_type;

static const dl_type types[] = {
    {DL_INT, DL_UINT, 8, TMAP_TYPE_U8},
    {DL_BOOL, DL_BOOL, 8, TMAP_TYPE_U8},
    {DL_FLOAT8_FIRST, DL_FLOAT8_LAST, 8, TMAP_TYPE_U8},
    {DL_INT, DL_UINT, 16, TMAP_TYPE_U16},
    {DL_INT, DL_INT, 32, TMAP_TYPE_S32},
    {DL_UINT, DL_UINT, 32, TMAP_TYPE_U32},
    {DL_INT, DL_INT, 64, TMAP_TYPE_S64},
    {DL_UINT, DL_UINT, 64, TMAP_TYPE_U64},
    {DL_FLOAT, DL_FLOAT, 16, TMAP_TYPE_F16},
    {DL_BFLOAT, DL_BFLOAT, 16, TMAP_TYPE_BF16},
    {DL_FLOAT, DL_FLOAT, 32, TMAP_TYPE_F32},
    {DL_FLOAT, DL_FLOAT, 64, TMAP_TYPE_F64},
    {DL_INT, DL_UINT, 4, TMAP_TYPE_B4X16},
    {DL_FLOAT4, DL_FLOAT4, 4, TMAP_TYPE_B4X16},
    {DL_FLOAT6_FIRST, DL_FLOAT6_LAST, 6, TMAP_TYPE_B6X16_P32},
};

static const dl_type *find_type(const tmap_dl_tensor *tensor) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (tensor->dtype.code >= types[i].first_code && tensor->dtype.code <= types[i].last_code &&
            tensor->dtype.bits == types[i].bits)
            return &types[i];
    return NULL;
}

/* Values of one element of the tensor: lanes of 4-bit types are values side by side. */
static bool check_type(const tmap_dl_tensor *tensor, tmap_reason reason, const dl_type **type) {
    *type = find_type(tensor);
    if (*type == NULL) {
        tmap_give_reason(reason, "dtype: code %d of %d bits is no element type of a tensor map", tensor->dtype.code,
                         tensor->dtype.bits);
        return false;
    }
    if (tensor->dtype.lanes == 1 || ((*type)->bits == 4 && tensor->dtype.lanes > 0 && tensor->dtype.lanes % 2 == 0))
        return true;
    tmap_give_reason(reason,
                     "dtype: %d lanes of %d bits; lanes other than 1 are for 4-bit types, an even number of them",
                     tensor->dtype.lanes, tensor->dtype.bits);
    return false;
}

static bool check_tensor(const tmap_dl_tensor *tensor, tmap_reason reason) {
    int32_t device = tensor->device.device_type;
    if (device != DL_CUDA && device != DL_CUDA_HOST && device != DL_CUDA_MANAGED)
        tmap_give_reason(reason,
                         "device: type %" PRId32 "; a tensor map needs memory that the GPU reaches: kDLCUDA (2), "
                         "kDLCUDAHost (3) or kDLCUDAManaged (13)",
                         device);
    else if (tensor->ndim < 1 || tensor->ndim > TMAP_RANK_MAX)
        tmap_give_reason(reason, "ndim: %" PRId32 "; a tensor map has 1 to %d dimensions", tensor->ndim, TMAP_RANK_MAX);
    else if (tensor->shape == NULL)
        tmap_give_reason(reason, "%s", "shape: a null pointer");
    else
        return true;
    return false;
}

/* Numbers of the tensor are signed; those of a map are not. */
static bool take(int64_t given, const char *what, int dim, tmap_reason reason, uint64_t *number) {
    if (given < 0) {
        tmap_give_reason(reason, "%s[%d]: %" PRId64 " is negative", what, dim, given);
        return false;
    }
    *number = (uint64_t)given;
    return true;
}

/* Elements of the tensor to bytes; false when they do not fill whole ones. */
static bool to_bytes(uint64_t elements, const tmap_dl_tensor *tensor, int dim, tmap_reason reason, uint64_t *bytes) {
    tmap_u128 bits = (tmap_u128)elements * tensor->dtype.bits * tensor->dtype.lanes;
    *bytes = tmap_u64_saturate(bits / 8);
    if (bits % 8 == 0) return true;
    tmap_give_reason(reason, "strides[%d]: %" PRIu64 " elements of %d bits are no whole number of bytes", dim, elements,
                     tensor->dtype.bits * tensor->dtype.lanes);
    return false;
}

static bool take_dims(const tmap_dl_tensor *tensor, tmap_reason reason, tmap_map_params *params) {
    for (int i = 0; i < tensor->ndim; i++) {
        uint64_t *dim = &params->dims_el[tensor->ndim - 1 - i];
        if (!take(tensor->shape[i], "shape", i, reason, dim)) return false;
    }
    return true;
}

/* Element strides of the tensor, outermost first, or what a compact one would have. */
static bool take_strides(const tmap_dl_tensor *tensor, tmap_reason reason, tmap_map_params *params) {
    uint64_t compact = 1;
    for (int i = tensor->ndim - 1; i >= 0; i--) {
        uint64_t elements = compact;
        if (tensor->strides != NULL && !take(tensor->strides[i], "strides", i, reason, &elements)) return false;
        if (i == tensor->ndim - 1) {
            if (elements != 1) {
                tmap_give_reason(reason, "strides[%d]: %" PRIu64 "; the last dimension must be contiguous: 1", i,
                                 elements);
                return false;
            }
        } else if (!to_bytes(elements, tensor, i, reason, &params->strides_B[tensor->ndim - 2 - i])) {
            return false;
        }
        compact = tmap_mul_saturate(compact, (uint64_t)tensor->shape[i]);
    }
    return true;
}

static bool take_box(const tmap_dl_tensor *tensor, const int64_t *box, tmap_reason reason, tmap_map_params *params) {
    for (int i = 0; i < tensor->ndim && box != NULL; i++)
        if (!take(box[i], "box", i, reason, &params->box_el[tensor->ndim - 1 - i])) return false;
    return true;
}

tmap_status tmap_params_from_dlpack(const tmap_dl_tensor *tensor, const int64_t *box, tmap_map_params *params,
                                    char *text, size_t size) {
    tmap_reason reason = {text, size};
    const dl_type *type;
    if (tensor == NULL || params == NULL) return TMAP_BAD_ARGUMENT;
    tmap_give_reason(reason, "%s", "");
    if (!check_tensor(tensor, reason) || !check_type(tensor, reason, &type)) return TMAP_REFUSED;
    tmap_map_params taken = tmap_map_params_tiled(type->type, (uint64_t)tensor->ndim);
    if (!take_dims(tensor, reason, &taken) || !take_strides(tensor, reason, &taken) ||
        !take_box(tensor, box, reason, &taken))
        return TMAP_REFUSED;
    taken.dims_el[0] = tmap_mul_saturate(taken.dims_el[0], tensor->dtype.lanes);
    taken.box_el[0] = tmap_mul_saturate(taken.box_el[0], tensor->dtype.lanes);
    taken.has_address = true;
    taken.address = tmap_add_saturate((uint64_t)(uintptr_t)tensor->data, tensor->byte_offset);
    *params = taken;
    return TMAP_OK;
}
