/*
 * generate: specs as source code that needs nothing of tmap: tensors as C functions (valid C++ too) that make the
 * driver's cuTensorMapEncode* calls, copies as CUDA kernels that carry them out by inline PTX.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_GENERATE_H
#define TMAP_GENERATE_H

#include "tmap/unstable/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_generate_tensor {
    const char *name;        /* any text; becomes encode_NAME */
    const char *const *axes; /* names of the dimensions, innermost first, `rank` of them: different identifiers of C */
    const tmap_map_params *params;
} tmap_generate_tensor;

typedef struct tmap_generate_copy {
    const char *name; /* any text; becomes copy_NAME */
    const tmap_generate_tensor *tensor;
    const tmap_copy_params *params;
} tmap_generate_copy;

/*
 * What one file of source code is made from. Names that would become the same identifier get numbers. Parameters that
 * tmap_check_map and tmap_check_copy refuse are written as they are, as far as the functions below allow.
 */
typedef struct tmap_generate_input {
    const char *path;                    /* of the spec, for comments; NULL: not said */
    const tmap_generate_tensor *tensors; /* to write as C functions */
    size_t tensors_n;
    const tmap_generate_copy *copies; /* to write as CUDA kernels */
    size_t copies_n;
    tmap_archs archs; /* that the kernels are for; 0: all that have them */
    int cuda_version; /* as in CUDA_VERSION: the oldest toolkit that shall compile the code; 0: the code says which */
    const tmap_allocator *allocator;
    /*
     * Where sizes of the spec have several values: the spec whose tensors and copies these are, by name, and its
     * conditions for the same judge. A function of a tensor whose numbers depend on sizes has these sizes as parameters
     * of type uint64_t, and returns CUDA_ERROR_INVALID_VALUE for values that break a condition of severity error.
     */
    const tmap_spec *spec;
    const tmap_spec_conditions *conditions;
    const tmap_generate_copy *coordinates; /* copies to write as C functions that compute coordinates from sizes */
    size_t coordinates_n;
} tmap_generate_input;

/*
 * Whether C can state the numbers and the conditions of a tensor, or a copy, of a spec whose sizes have several values.
 * TMAP_REFUSED: *refusal (may be NULL) says why not. TMAP_OK where no number of it depends on such sizes.
 */
TMAP_API tmap_status tmap_generate_allows_sizes(const tmap_spec *spec, const tmap_spec_conditions *conditions,
                                                const char *name, tmap_diag *refusal)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/*
 * Whether there is a driver call for a map, and an instruction and room for a copy, that source code can state.
 * `archs`, when not 0, are those that the kernel is for. TMAP_REFUSED: *refusal (may be NULL) says why not.
 */
TMAP_API tmap_status tmap_generate_allows_map(const tmap_map_params *map, tmap_diag *refusal)
    TMAP_NONNULL(1) TMAP_MUST_USE;
TMAP_API tmap_status tmap_generate_allows_copy(const tmap_map_params *map, const tmap_copy_params *copy,
                                               tmap_archs archs, tmap_diag *refusal) TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/* The oldest toolkit that compiles the code of a map or a copy, and what in the code needs this toolkit. */
typedef struct tmap_cuda_need {
    int cuda_version; /* as in CUDA_VERSION: 12040 is 12.4 */
    char why[120];    /* "tile load, .shared::cta (PTX ISA 8.6)" */
} tmap_cuda_need;

/*
 * Preconditions: tmap_generate_allows_map or tmap_generate_allows_copy returned TMAP_OK. For a copy, `archs` and
 * `cuda_version` are as in tmap_generate_input: for an older toolkit a load to .shared::cta becomes one to
 * .shared::cluster with the address of the CTA's own shared memory, if that form needs less. The need of a kernel for
 * several architectures is that of the oldest one.
 */
TMAP_API tmap_cuda_need tmap_generate_needs_map(const tmap_map_params *map) TMAP_NONNULL(1);
TMAP_API tmap_cuda_need tmap_generate_needs_copy(const tmap_map_params *map, const tmap_copy_params *copy,
                                                 tmap_archs archs, int cuda_version) TMAP_NONNULL(1, 2);

/*
 * Writes the source code to `sink`: C where there are no copies, else CUDA C++, with an #error for toolkits that are
 * older than the code needs. TMAP_REFUSED, before anything is written, when one of them is not allowed or needs a newer
 * toolkit than `cuda_version`; TMAP_NO_MEMORY likewise; TMAP_IO when the sink failed.
 */
TMAP_API tmap_status tmap_generate(tmap_sink *sink, const tmap_generate_input *input) TMAP_NONNULL(1, 2) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
