/*
 * The messages of the preloaded library to `tmap trace`: one traced_call for each call, appended to a file in one
 * write, so that the calls of threads and processes never mix. Both ends are of one build on one machine.
 */
#pragma once

#include <stdint.h>

#define TRACE_MAGIC    UINT32_C(0x544d5034) /* changes with the struct */
#define TRACE_RANK_MAX 5

/* The environment of a traced program: the file, and the preloaded library. */
#define TRACE_FILE_VARIABLE    "TMAP_TRACE_FILE"
#define TRACE_LIBRARY_VARIABLE "TMAP_TRACE_LIBRARY"
#define TRACE_LIBRARY_NAME     "libtmap-trace.so"

typedef enum trace_call {
    TRACE_TILED,
    TRACE_IM2COL,
    TRACE_IM2COL_WIDE,
    TRACE_REPLACE_ADDRESS,
    TRACE_SET_CLASS, /* cuTensorMapSetAllocationClass */
    TRACE_LOADED,    /* the library was loaded by a program; no call */
    TRACE_DEEPBIND,  /* `module` was opened with RTLD_DEEPBIND; no call */
    TRACE_NAMESPACE, /* `module` was opened by dlmopen in another namespace; no call */
} trace_call;

/* The bit of a pointer argument that was null. */
typedef enum trace_null {
    TRACE_NULL_MAP = 1,
    TRACE_NULL_DIMS = 2,
    TRACE_NULL_STRIDES = 4,
    TRACE_NULL_BOX = 8, /* boxDim, or the lower corner */
    TRACE_NULL_ELEMENT_STRIDES = 16,
    TRACE_NULL_UPPER = 32,
} trace_null;

typedef struct traced_call {
    uint32_t magic, call; /* trace_call */
    int32_t result;
    uint32_t nulls, rank;
    int32_t type, interleave, swizzle, l2_promotion, oob_fill, wide_mode;
    int32_t pid;
    uint64_t map, address; /* as pointers */
    uint64_t dims[TRACE_RANK_MAX], strides[TRACE_RANK_MAX];
    uint32_t box[TRACE_RANK_MAX], element_strides[TRACE_RANK_MAX];
    int32_t lower[TRACE_RANK_MAX], upper[TRACE_RANK_MAX];
    uint32_t channels, pixels;
    int32_t allocation_class; /* of TRACE_SET_CLASS */
    int32_t driver_version;   /* as cuDriverGetVersion returns it, of a call that failed; 0: not known */
    uint64_t site_offset;     /* of the return address in its module */
    char module[160];         /* file of the caller, or the file that was opened */
    char symbol[80];          /* the nearest symbol before the call; may be empty */
    uint64_t symbol_offset;
} traced_call;
