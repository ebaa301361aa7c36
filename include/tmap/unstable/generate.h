/*
 * generate: writes specs as source code that does not depend on tmap: tensors as C functions (valid C++ too) that call
 * the driver's cuTensorMapEncode*, copies as CUDA kernels that execute them with inline PTX.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_GENERATE_H
#define TMAP_GENERATE_H

#include "tmap/unstable/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_generate_tensor {
    const char *name;        /* any text; becomes encode_NAME */
    const char *const *axes; /* `rank` names of the dimensions, innermost first: different C identifiers */
    const tmap_map_params *params;
} tmap_generate_tensor;

typedef struct tmap_generate_copy {
    const char *name; /* any text; becomes copy_NAME */
    const tmap_generate_tensor *tensor;
    const tmap_copy_params *params;
} tmap_generate_copy;

/*
 * The contents of one file of source code. Names that would become the same identifier get numbers. Parameters that
 * tmap_check_map and tmap_check_copy refuse are written unchanged, as far as the functions below allow.
 */
typedef struct tmap_generate_input {
    const char *path;                    /* of the spec, for comments; NULL: not known */
    const tmap_generate_tensor *tensors; /* to write as C functions */
    size_t tensors_n;
    const tmap_generate_copy *copies; /* to write as CUDA kernels */
    size_t copies_n;
    tmap_archs archs; /* targets of the kernels; 0: all that have the instructions */
    int cuda_version; /* as in CUDA_VERSION: the oldest toolkit that must compile the code; 0: determined by the code */
    const tmap_allocator *allocator;
    /*
     * For sizes with several values: the spec that contains these tensors and copies under the same names, and the
     * conditions of its check with the same judge. The function of a tensor whose numbers depend on sizes has these
     * sizes as parameters of type uint64_t, and returns CUDA_ERROR_INVALID_VALUE for values that break a condition of
     * severity error.
     */
    const tmap_spec *spec;
    const tmap_spec_conditions *conditions;
    const tmap_generate_copy *coordinates; /* copies to write as C functions that compute coordinates from sizes */
    size_t coordinates_n;
} tmap_generate_input;

/*
 * For a tensor or copy whose numbers depend on sizes with several values: checks whether C can express these numbers
 * and conditions, and for a tensor whether the driver has a call. Returns TMAP_REFUSED if not: *refusal (may be NULL)
 * has the reason. Returns TMAP_OK if no number depends on such sizes.
 */
TMAP_API tmap_status tmap_generate_allows_sizes(const tmap_spec *spec, const tmap_spec_conditions *conditions,
                                                const char *name, tmap_diag *refusal)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/*
 * Check whether the rules accept a map or a copy, and whether source code can express it: the driver has a call, or
 * an instruction and shared memory exist. `archs` is the set of the kernel's targets, or 0. Return TMAP_REFUSED if not:
 * *refusal (may be NULL) has the reason.
 */
TMAP_API tmap_status tmap_generate_allows_map(const tmap_map_params *map, tmap_diag *refusal)
    TMAP_NONNULL(1) TMAP_MUST_USE;
TMAP_API tmap_status tmap_generate_allows_copy(const tmap_map_params *map, const tmap_copy_params *copy,
                                               tmap_archs archs, tmap_diag *refusal) TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/* The oldest toolkit that compiles the code of a map or a copy, and the part of the code that requires it. */
typedef struct tmap_cuda_need {
    int cuda_version; /* as in CUDA_VERSION: 12040 is 12.4 */
    char why[120];    /* "tile load, .shared::cta (PTX ISA 8.6)" */
} tmap_cuda_need;

/*
 * Return the need of a map or a copy. Precondition: tmap_generate_allows_map or tmap_generate_allows_copy returned
 * TMAP_OK. For a copy, `archs` and `cuda_version` are as in tmap_generate_input: for an older toolkit a load to
 * .shared::cta becomes a load to .shared::cluster with the address of the CTA's own shared memory, if that form needs
 * an older toolkit. The need of a kernel for several architectures is that of the oldest one.
 */
TMAP_API tmap_cuda_need tmap_generate_needs_map(const tmap_map_params *map) TMAP_NONNULL(1);
TMAP_API tmap_cuda_need tmap_generate_needs_copy(const tmap_map_params *map, const tmap_copy_params *copy,
                                                 tmap_archs archs, int cuda_version) TMAP_NONNULL(1, 2);

/*
 * Writes the source code to `sink`: C if there are no copies, else CUDA C++, with an #error for toolkits that are too
 * old for the code. Returns TMAP_REFUSED, before it writes anything, if a tensor or copy is not allowed or needs a
 * newer toolkit than `cuda_version`; TMAP_NO_MEMORY in the same way; TMAP_IO if the sink failed.
 */
TMAP_API tmap_status tmap_generate(tmap_sink *sink, const tmap_generate_input *input) TMAP_NONNULL(1, 2) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
