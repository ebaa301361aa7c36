/*
 * runtime: parameters from a DLTensor. The struct and the type codes are those of dlpack.h 1.1 (DLTensor, DLDataType,
 * DLDeviceType). The rules are those of CCCL's cuda::make_tma_descriptor; runtime.h lists where tmap accepts more.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/wide.h"
#include "diag/refuse.h"
#include "tmap/runtime.h"

_Static_assert(sizeof(void *) != 8 || sizeof(tmap_dl_tensor) == 48, "DLTensor");

enum { DL_INT, DL_UINT, DL_FLOAT, DL_HANDLE, DL_BFLOAT, DL_COMPLEX, DL_BOOL };
enum { DL_FLOAT8_FIRST = 7, DL_FLOAT8_LAST = 14, DL_FLOAT6_FIRST = 15, DL_FLOAT6_LAST = 16, DL_FLOAT4 = 17 };
enum { DL_CUDA = 2, DL_CUDA_HOST = 3, DL_CUDA_MANAGED = 13 };

static const char *const code_names[] = {
    "int",
    "uint",
    "float",
    "handle",
    "bfloat",
    "complex",
    "bool",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float4_e2m1fn",
};

/* A dtype, the element type of a tensor map for it, and the number of values in one entry of the shape. */
typedef struct dl_type {
    int first_code, last_code, bits, lanes;
    tmap_type type;
    uint64_t values_n;
} dl_type;

static const dl_type types[] = {
    {DL_FLOAT, DL_FLOAT, 16, 1, TMAP_TYPE_F16, 1},
    {DL_BFLOAT, DL_BFLOAT, 16, 1, TMAP_TYPE_BF16, 1},
    {DL_FLOAT, DL_FLOAT, 32, 1, TMAP_TYPE_F32, 1},
    {DL_FLOAT, DL_FLOAT, 64, 1, TMAP_TYPE_F64, 1},
    {DL_INT, DL_UINT, 8, 1, TMAP_TYPE_U8, 1},
    {DL_BOOL, DL_BOOL, 8, 1, TMAP_TYPE_U8, 1},
    {DL_FLOAT8_FIRST, DL_FLOAT8_LAST, 8, 1, TMAP_TYPE_U8, 1},
    {DL_INT, DL_UINT, 16, 1, TMAP_TYPE_U16, 1},
    {DL_INT, DL_INT, 32, 1, TMAP_TYPE_S32, 1},
    {DL_UINT, DL_UINT, 32, 1, TMAP_TYPE_U32, 1},
    {DL_INT, DL_INT, 64, 1, TMAP_TYPE_S64, 1},
    {DL_UINT, DL_UINT, 64, 1, TMAP_TYPE_U64, 1},
    {DL_INT, DL_UINT, 4, 1, TMAP_TYPE_B4X16, 1},
    {DL_INT, DL_UINT, 4, 2, TMAP_TYPE_B4X16, 2},
    {DL_INT, DL_UINT, 4, 16, TMAP_TYPE_B4X16, 1},
    {DL_FLOAT4, DL_FLOAT4, 4, 1, TMAP_TYPE_B4X16, 1},
    {DL_FLOAT4, DL_FLOAT4, 4, 2, TMAP_TYPE_B4X16, 2},
    {DL_FLOAT4, DL_FLOAT4, 4, 16, TMAP_TYPE_B4X16, 1},
    {DL_FLOAT6_FIRST, DL_FLOAT6_LAST, 6, 1, TMAP_TYPE_B6X16_P32, 1},
    {DL_FLOAT6_FIRST, DL_FLOAT6_LAST, 6, 16, TMAP_TYPE_B6X16_P32, 1},
};

/* The source, and the record for errors. */
typedef struct source {
    tmap_dl_tensor tensor;
    const int64_t *box;
    const dl_type *type;
    tmap_diag *refusal; /* may be NULL */
} source;

TMAP_PRINTF(5, 6)
static tmap_status refuse(const source *from, const char *slug, const char *allowed, const char *fix,
                          const char *format, ...) {
    tmap_diag diag = tmap_rule_diag(slug, NULL);
    va_list arguments;
    if (!from->refusal) return TMAP_REFUSED;
    va_start(arguments, format);
    tmap_say_v(diag.message, sizeof diag.message, format, arguments);
    va_end(arguments);
    TMAP_SAY(diag.allowed, "%s", allowed);
    TMAP_SAY(diag.fix.words, "%s", fix);
    *from->refusal = diag;
    return TMAP_REFUSED;
}

static const dl_type *find_type(const tmap_dl_tensor *tensor) {
    int code = tensor->dtype.code;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (code >= types[i].first_code && code <= types[i].last_code && tensor->dtype.bits == types[i].bits &&
            tensor->dtype.lanes == types[i].lanes)
            return &types[i];
    return NULL;
}

static tmap_status take_type(source *from) {
    const tmap_dl_tensor *tensor = &from->tensor;
    unsigned code = tensor->dtype.code;
    from->type = find_type(tensor);
    if (from->type) return TMAP_OK;
    return refuse(from, "dlpack-dtype", "1 lane of 8, 16, 32 or 64 bits, or 1, 2 or 16 of a packed type",
                  "view it as integers of its size",
                  "dtype is %s (code %u) of %u bits and %u lane%s, which is not an element type",
                  code < sizeof code_names / sizeof *code_names ? code_names[code] : "unknown", code,
                  tensor->dtype.bits, tensor->dtype.lanes, TMAP_PLURAL(tensor->dtype.lanes));
}

static tmap_status check_device(const source *from) {
    int32_t device = from->tensor.device.device_type;
    if (device == DL_CUDA || device == DL_CUDA_HOST || device == DL_CUDA_MANAGED) return TMAP_OK;
    return refuse(from, "dlpack-device", "kDLCUDA (2), kDLCUDAHost (3) and kDLCUDAManaged (13)",
                  "copy the tensor to a GPU", "device_type is %" PRId32, device);
}

static tmap_status check_rank(const source *from) {
    int32_t rank = from->tensor.ndim;
    if (rank < 1 || rank > TMAP_RANK_MAX)
        return refuse(from, "rank-range", "1 to 5",
                      rank > 0    ? "fold contiguous dimensions"
                      : rank == 0 ? "give the scalar a dimension of size 1"
                                  : "set ndim to the number of sizes in shape, 1 to 5",
                      "ndim is %" PRId32, rank);
    if (!from->tensor.shape)
        return refuse(from, "dlpack-size", "an array of ndim sizes", "give the sizes",
                      "shape is null, and ndim is %" PRId32, rank);
    return TMAP_OK;
}

/* The dimension of the map for entry i of the tensor's order. */
static int dim_of(const source *from, int i) {
    return from->tensor.ndim - 1 - i;
}

/* Sizes in the tensor's order, outermost first. The last size counts entries of values_n values. */
static tmap_status take_sizes(const source *from, const char *name, const int64_t *sizes, uint64_t *into) {
    for (int i = 0; i < from->tensor.ndim; i++) {
        if (sizes[i] < 0)
            return refuse(from, "dlpack-size", "at least 1", "1 or more", "%s[%d] is %" PRId64, name, i, sizes[i]);
        into[dim_of(from, i)] = (uint64_t)sizes[i];
    }
    into[0] = tmap_mul_saturate(into[0], from->type->values_n);
    return TMAP_OK;
}

/* ---- Strides ---------------------------------------------------------------------------------------------------- */

static tmap_u128 bits_of(const source *from, uint64_t entries) {
    return (tmap_u128)entries * from->type->values_n * (unsigned)from->type->bits;
}

static tmap_status check_innermost(const source *from) {
    int last = from->tensor.ndim - 1;
    int64_t stride = from->tensor.strides[last];
    if (stride == 1 || from->tensor.shape[last] == 1) return TMAP_OK;
    return refuse(from, "inner-contiguous", "1, because the last dimension has no stride in a map",
                  "a contiguous copy, or another order of the dimensions", "strides[%d] is %" PRId64, last, stride);
}

static tmap_status take_stride(const source *from, int i, int64_t stride, uint64_t *stride_B) {
    if (stride < 0)
        return refuse(from, "dlpack-strides", "0 and above", "a copy without negative strides",
                      "strides[%d] is %" PRId64, i, stride);
    tmap_u128 bits = bits_of(from, (uint64_t)stride);
    if (bits % 8 != 0)
        return refuse(from, "dlpack-strides", "whole bytes", "pad the last dimension",
                      "strides[%d] is %" PRId64 " values of %d bits, which are not whole bytes", i, stride,
                      from->type->bits);
    *stride_B = tmap_u64_saturate(bits / 8);
    return TMAP_OK;
}

#define STRIDE_UNIT_B 16

static bool fits_a_map(const source *from, int64_t stride) {
    if (stride < 0) return false;
    tmap_u128 bits = bits_of(from, (uint64_t)stride);
    return bits % ((tmap_u128)STRIDE_UNIT_B * 8) == 0 && bits / 8 < TMAP_STRIDE_LIMIT_B;
}

/* The stride of a dimension with one entry, which no copy uses: that of the next inner dimension. For dimension 1, a
 * row rounded up to 32 bytes, which every type allows. */
static uint64_t unused_stride_B(const tmap_map_params *params, const tmap_type_info *type, int dim) {
    if (dim > 1) return params->strides_B[dim - 2];
    return tmap_round_up(tmap_inner_global_B(type, params->dims_el[0]), 32);
}

static tmap_status take_stride_of(const source *from, int i, int64_t stride, tmap_map_params *params) {
    uint64_t *stride_B = &params->strides_B[dim_of(from, i) - 1];
    if (from->tensor.shape[i] != 1 || fits_a_map(from, stride)) return take_stride(from, i, stride, stride_B);
    *stride_B = unused_stride_B(params, tmap_type_get((int)params->type), dim_of(from, i));
    return TMAP_OK;
}

/* A product that exceeds every stride of DLPack also exceeds every limit of a map. A multiple of 8 gives whole bytes
 * for every type. */
static int64_t entries_of(uint64_t product) {
    return product > INT64_MAX ? INT64_MAX / 8 * 8 : (int64_t)product;
}

static tmap_status take_strides(const source *from, tmap_map_params *params) {
    const tmap_dl_tensor *tensor = &from->tensor;
    tmap_status status = tensor->strides ? check_innermost(from) : TMAP_OK;
    uint64_t compact = 1;
    for (int i = tensor->ndim - 2; i >= 0 && status == TMAP_OK; i--) {
        compact = tmap_mul_saturate(compact, (uint64_t)tensor->shape[i + 1]);
        status = take_stride_of(from, i, tensor->strides ? tensor->strides[i] : entries_of(compact), params);
    }
    return status;
}

/* ---- Address ---------------------------------------------------------------------------------------------------- */

static bool is_empty(const tmap_dl_tensor *tensor) {
    for (int i = 0; i < tensor->ndim; i++)
        if (tensor->shape[i] == 0) return true;
    return false;
}

/* A tensor without elements has no data and no map; dim-extent reports this when the map is built. */
static tmap_status take_address(const source *from, tmap_map_params *params) {
    const tmap_dl_tensor *tensor = &from->tensor;
    tmap_u128 address = (tmap_u128)(uintptr_t)tensor->data + tensor->byte_offset;
    params->has_address = true;
    params->address = tmap_u64_saturate(address);
    if (!tensor->data && !is_empty(tensor))
        return refuse(from, "dlpack-data", "the address of the tensor", "allocate it first", "data is null");
    if (address > UINT64_MAX)
        return refuse(from, "dlpack-data", "an offset into the allocation", "check the code that makes the tensor",
                      "byte_offset is %" PRIu64 ", outside the address space", tensor->byte_offset);
    return TMAP_OK;
}

static tmap_status take_all(source *from, tmap_map_params *params) {
    tmap_status status = check_device(from);
    if (status == TMAP_OK) status = take_type(from);
    if (status == TMAP_OK) status = check_rank(from);
    if (status != TMAP_OK) return status;
    *params = tmap_map_params_tiled(from->type->type, (uint64_t)from->tensor.ndim);
    status = take_sizes(from, "shape", from->tensor.shape, params->dims_el);
    if (status == TMAP_OK) status = take_strides(from, params);
    if (status == TMAP_OK && from->box) status = take_sizes(from, "box", from->box, params->box_el);
    if (status == TMAP_OK) status = take_address(from, params);
    return status;
}

tmap_status tmap_params_from_dlpack(const tmap_dl_tensor *tensor, const int64_t *box, tmap_map_params *params,
                                    tmap_diag *refusal) {
    source from = {.box = box, .refusal = refusal};
    tmap_map_params taken;
    if (!tensor) return tmap_refuse_null(refusal, "tensor");
    if (!params) return tmap_refuse_null(refusal, "params");
    memcpy(&from.tensor, tensor, sizeof from.tensor);
    tmap_status status = take_all(&from, &taken);
    if (status == TMAP_OK) *params = taken;
    return status;
}
