/* generate: declarations that the files of the room share: properties of a copy, and the parts of a file of source
 * code. */
#pragma once

#include "generate/sized.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/generate.h"

/* The architectures on which the instruction, the type and the swizzle of a copy exist. */
tmap_archs tmap_archs_of_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_form_info *form);
/* Whether a copy's kernel reads the map from global memory, where an earlier kernel may have changed the map; and the
 * first version of the PTX ISA with the fence that this requires, fence.proxy.tensormap (PTX ISA, membar/fence). */
bool tmap_acquires_map(const tmap_copy_params *copy);
#define TMAP_FENCE_PTX_VERSION 83
/* The first version of the PTX ISA with the instruction of a copy; for a replacement, with its field and value. */
int tmap_ptx_version_of_copy(const tmap_copy_params *copy, const tmap_form_info *form);

/* Writes the C function encode_`name` of a tensor. */
void tmap_put_encode(tmap_sink *sink, const tmap_generate_tensor *tensor, const tmap_sized_source *source,
                     const char *name);
/* Writes the device functions that the kernels of these copies call. */
void tmap_put_helpers(tmap_sink *sink, const tmap_generate_copy *copies, size_t n);
/* Writes the preprocessor check that rejects architectures without the kernel copy_`name`. */
void tmap_put_guard(tmap_sink *sink, const char *name, tmap_archs archs);
/* Writes the kernel copy_`name` of an operation on a map, for `archs`. */
void tmap_put_map_kernel(tmap_sink *sink, const tmap_generate_copy *copy, const char *name, tmap_archs archs,
                         const tmap_form_info *form);
/* The parameter of a kernel whose map is in this space; "" for a constant, which is a variable. */
const char *tmap_map_parameter(tmap_space space);
/* Writes the kernel copy_`name` of a copy. */
void tmap_put_kernel(tmap_sink *sink, const tmap_generate_copy *copy, const char *name, int cuda_version);

/* Writes the swizzle as a C expression of an address: "NAME ^ (NAME >> 3 & 0x70)". */
void tmap_put_swizzle(tmap_sink *sink, const tmap_swizzle_info *swizzle, const char *name);

/* Writes "128 rows of 32 B, 64 B apart: 8192 B". */
void tmap_put_rows(tmap_sink *sink, const tmap_derived *box);

/* Writes numbers with ", " between them. */
void tmap_put_numbers(tmap_sink *sink, const uint64_t *numbers, int n);
