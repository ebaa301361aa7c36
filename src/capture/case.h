/*
 * A recording in memory: its header, a case (the arguments of one call and what the driver made of them), and the
 * summary of many random ones.
 */
#pragma once

#include "tmap/unstable/capture.h"

#define CAPTURE_VERSION    1
#define CAPTURE_MAX_B      ((size_t)4 << 20) /* of a file; cases that no longer fit are counted, not written */
#define CAPTURE_ID_MAX     120
#define CAPTURE_VARIED_N   48 /* random maps that are recorded one by one */
#define CAPTURE_DIFFER_N   32 /* of the summarised random maps, those that differ and are recorded one by one */
#define CAPTURE_RANDOM_MAX 1000000

typedef struct capture_header {
    char gpu[256], library[256];
    char date[40], generator[40];                 /* generator: the tmap that wrote it */
    int chip, driver_version, large_tensor_min_B; /* as in tmap_driver_info */
    uint64_t seed;
} capture_header;

typedef struct capture_case {
    char id[CAPTURE_ID_MAX];
    tmap_map_params params; /* entries from the rank on are what was passed behind the arrays' ends */
    bool null_strides;      /* the stride pointer was null */
    uint8_t prefill;        /* of the output */
    uint32_t map_offset_B;  /* of the output pointer from a multiple of 128 */
    bool host_memory;       /* the address was memory of the process, allocation_B long */
    bool replaces;          /* cuTensorMapReplaceAddress came after the encoding */
    uint64_t replace_address;
    int result;                 /* the CUresult of the last call made */
    tmap_descriptor descriptor; /* after CUDA_SUCCESS */
} capture_case;

typedef struct capture_random {
    uint64_t seed, count;
    char inputs[65], outputs[65]; /* SHA-256 of the generated parameters, and of the driver's answers */
    uint64_t mismatches;          /* against the tmap that wrote it */
    tmap_descriptor differing;    /* the union of the bits that differed from it */
    /* The allocation class, which drivers choose, apart: the digest of the answers with that bit 0 (empty: the
       file has none), and how many maps have another class than that tmap expected. */
    char outputs_but_class[65];
    uint64_t classes_differ;
} capture_random;
