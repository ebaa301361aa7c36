/*
 * A recording in memory: its header, its cases (the arguments of one call and the driver's results), and the summary of
 * many random cases.
 */
#pragma once

#include "tmap/unstable/capture.h"
#include "tmap/unstable/counts.h"

#define CAPTURE_VERSION      1
#define CAPTURE_MAX_B        ((size_t)4 << 20) /* of the cases in a file; further cases are counted, not written */
#define CAPTURE_ID_MAX       120
#define CAPTURE_VARIED_N     48 /* number of random maps that are recorded one by one */
#define CAPTURE_DIFFER_N     32 /* number of summarised random maps, for each field that differs, that are also cases */
#define CAPTURE_REJECTED_MAX 256
#define CAPTURE_RANDOM_ID    "random/" /* start of the ids of these cases */
#define CAPTURE_RANDOM_MAX   1000000

typedef struct capture_header {
    char gpu[256], library[256];
    char date[40], generator[40];                 /* generator: the tmap that wrote the file */
    int chip, driver_version, large_tensor_min_B; /* as in tmap_driver_info */
    uint64_t seed;
    /* Of recordings of copies: made on a real GPU; and the source of results that others have published, else empty */
    bool hardware;
    char source[512];
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

/* A field of the descriptor over the accepted random maps that have it. */
typedef struct capture_random_field {
    uint64_t cases_n, not_zero_n; /* not_zero_n: of the driver's numbers */
    uint64_t differ_n, moving_n;  /* from the tmap that wrote the file; moving_n: so that copies move other data */
    char digest[65];              /* SHA-256 of the driver's numbers */
} capture_random_field;

typedef struct capture_random {
    uint64_t seed, count;
    char inputs[65]; /* SHA-256 of the generated parameters */
    bool by_field;   /* false: a summary of tmap 0.2, which has no numbers of fields */
    capture_random_field fields[TMAP_DESC_COUNT];
    uint64_t rejected_n, rejected[CAPTURE_REJECTED_MAX]; /* by the driver: the first of them, by number */
    uint64_t unknown_n;                                  /* descriptors with bits outside the fields */
    tmap_descriptor unknown;                             /* the union of these bits */
} capture_random;
