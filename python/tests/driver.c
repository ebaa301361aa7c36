/*
 * A driver for cuda.bindings and cuda.core in tests: one device, whose memory is the host's, and the stand-in's
 * encoder. It has the functions that creating a tensor map calls; every other function is missing.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */

#include <dlfcn.h>
#include <string.h>

#include "standin/encode.h"

enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_FOUND = 500, CHIP = 90 };
enum { CONTEXT = 1, MEMORY_TYPE = 2, DEVICE_POINTER = 3, DEVICE_ORDINAL = 9, IS_MANAGED = 8 }; /* CUpointer_attribute */

static char context;

#define CALL __attribute__((visibility("default")))

CALL int cuInit(unsigned flags);
CALL int cuDriverGetVersion(int *version);
CALL int cuDeviceGet(int *device, int ordinal);
CALL int cuDeviceGetCount(int *n);
CALL int cuDeviceGetAttribute(int *value, int attribute, int device);
CALL int cuCtxGetCurrent(void **current);
CALL int cuCtxSetCurrent(void *wanted);
CALL int cuCtxGetDevice(int *device);
CALL int cuPointerGetAttribute(void *data, int attribute, uint64_t address);
CALL int cuPointerGetAttributes(unsigned n, int *attributes, void **data, uint64_t address);
CALL int cuTensorMapEncodeTiled(void *out, int type, uint32_t rank, void *address, const uint64_t *dims,
                                const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                                int swizzle, int l2_promotion, int oob_fill);
CALL int cuGetErrorName(int result, const char **name);
CALL int cuGetErrorString(int result, const char **text);
CALL int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status);

int cuInit(unsigned flags) {
    return flags == 0 ? SUCCESS : INVALID_VALUE;
}

int cuDriverGetVersion(int *version) {
    *version = 13000;
    return SUCCESS;
}

int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return ordinal == 0 ? SUCCESS : INVALID_VALUE;
}

int cuDeviceGetCount(int *n) {
    *n = 1;
    return SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    *value = attribute == 75 ? CHIP / 10 : attribute == 76 ? CHIP % 10 : 1; /* compute capability */
    return device == 0 ? SUCCESS : INVALID_VALUE;
}

int cuCtxGetCurrent(void **current) {
    *current = &context;
    return SUCCESS;
}

int cuCtxSetCurrent(void *wanted) {
    return wanted == &context ? SUCCESS : INVALID_VALUE;
}

int cuCtxGetDevice(int *device) {
    *device = 0;
    return SUCCESS;
}

int cuPointerGetAttribute(void *data, int attribute, uint64_t address) {
    switch (attribute) {
    case CONTEXT: *(void **)data = &context; return SUCCESS;
    case MEMORY_TYPE: *(unsigned *)data = 2; return SUCCESS; /* CU_MEMORYTYPE_DEVICE */
    case DEVICE_POINTER: *(uint64_t *)data = address; return SUCCESS;
    case IS_MANAGED: *(unsigned *)data = 0; return SUCCESS;
    case DEVICE_ORDINAL: *(int *)data = 0; return SUCCESS;
    default: return INVALID_VALUE;
    }
}

int cuPointerGetAttributes(unsigned n, int *attributes, void **data, uint64_t address) {
    int result = SUCCESS;
    for (unsigned i = 0; i < n && result == SUCCESS; i++)
        result = cuPointerGetAttribute(data[i], attributes[i], address);
    return result;
}

int cuTensorMapEncodeTiled(void *out, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int l2_promotion, int oob_fill) {
    const standin_map map = {.type = type,
                             .rank = rank,
                             .address = (uint64_t)address,
                             .dims = dims,
                             .strides = strides,
                             .box = box,
                             .element_strides = steps,
                             .interleave = interleave,
                             .swizzle = swizzle,
                             .l2_promotion = l2_promotion,
                             .oob_fill = oob_fill};
    if (!standin_valid(&map, CHIP)) return INVALID_VALUE;
    standin_encode(&map, out);
    return SUCCESS;
}

int cuGetErrorName(int result, const char **name) {
    *name = result == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_SUCCESS";
    return SUCCESS;
}

int cuGetErrorString(int result, const char **text) {
    *text = result == INVALID_VALUE ? "invalid argument" : "no error";
    return SUCCESS;
}

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
    (void)version, (void)flags;
    *function = strcmp(symbol, "cuGetProcAddress") == 0 ? (void *)cuGetProcAddress_v2 : dlsym(RTLD_DEFAULT, symbol);
    if (!*function) {
        Dl_info here;
        void *self = dladdr((void *)cuInit, &here) ? dlopen(here.dli_fname, RTLD_NOLOAD | RTLD_LAZY) : NULL;
        *function = self ? dlsym(self, symbol) : NULL;
    }
    if (status) *status = !*function;
    return *function ? SUCCESS : NOT_FOUND;
}
