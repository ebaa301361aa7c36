/*
 * A recording in memory: its header, its cases (the arguments of one call and the driver's results), and the summary of
 * many random cases.
 */
#pragma once

#include "tmap/unstable/capture.h"

#define CAPTURE_VERSION    1
#define CAPTURE_MAX_B      ((size_t)4 << 20) /* of a file; further cases are counted, not written */
#define CAPTURE_ID_MAX     120
#define CAPTURE_VARIED_N   48 /* number of random maps that are recorded one by one */
#define CAPTURE_DIFFER_N   32 /* number of summarised random maps that differ and are also recorded one by one */
#define CAPTURE_RANDOM_MAX 1000000

typedef struct capture_header {
    char gpu[256], library[256];
    char date[40], generator[40];                 /* generator: the tmap that wrote the file */
    int chip, driver_version, large_tensor_min_B; /* as in tmap_driver_info */
    uint64_t seed;
} capture_header;

typedef struct capture_case {
    char id[CAPTURE_ID_MAX];
    tmap_map_params params; /* entries from the rank on are the bytes after the ends of the arrays in the call */
    bool null_strides;      /* the stride pointer was null */
    uint8_t prefill;        /* of the output */
    uint32_t map_offset_B;  /* of the output pointer from a multiple of 128 */
    bool host_memory;       /* the address was memory of the process, of allocation_B bytes */
    bool replaces;          /* cuTensorMapReplaceAddress followed the encoding */
    uint64_t replace_address;
    int result;                 /* the CUresult of the last call */
    tmap_descriptor descriptor; /* after CUDA_SUCCESS */
} capture_case;

typedef struct capture_random {
    uint64_t seed, count;
    char inputs[65], outputs[65]; /* SHA-256 of the generated parameters, and of the driver's results */
    uint64_t mismatches;          /* differences from the tmap that wrote the file */
    tmap_descriptor differing;    /* the union of the bits that differed */
    /* The allocation class, which drivers choose, is compared separately: the digest of the results with that bit 0
     * (empty: the file has none), and the number of maps with another class than tmap expected. */
    char outputs_but_class[65];
    uint64_t classes_differ;
} capture_random;
