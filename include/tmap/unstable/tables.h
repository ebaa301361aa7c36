/*
 * hw, tables: releases of CUDA, reductions, names of types, and the fields of tensormap.replace.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_TABLES_H
#define TMAP_TABLES_H

#include "tmap/descriptor.h"

#ifdef __cplusplus
extern "C" {
#endif

TMAP_API const tmap_toolkit_info *tmap_toolkit_get(int toolkit);  /* from 0, oldest first; NULL after the last */
TMAP_API int tmap_toolkit_find(const char *name) TMAP_NONNULL(1); /* row of "13.4"; -1: not in the table */
/*
 * Returns the highest version of the PTX ISA (86 is 8.6) that a toolkit or a driver of a CUDA release accepts.
 * `cuda_version` is 12040 for 12.4, as in CUDA_VERSION and from cuDriverGetVersion. For a release newer than the table,
 * returns the version of the table's last row: the release accepts at least this version. Returns 0 if the release is
 * older than the TMA (CUDA 11.8).
 */
TMAP_API int tmap_ptx_version_of_cuda(int cuda_version);
/* Returns the first CUDA release that accepts this version of the PTX ISA; 0: the version is newer than the table. */
TMAP_API int tmap_cuda_version_of_ptx(int ptx_version);
/* As tmap_cuda_version_of_ptx, but only for releases with a toolkit; releases that only drivers have are skipped. */
TMAP_API int tmap_toolkit_of_ptx(int ptx_version);
TMAP_API const tmap_reduction_info *tmap_reduction_get(int reduction); /* from 0; NULL after the last */
/*
 * Returns the reduction `op` on `type` of the instructions that use a tensor map; NULL if these instructions do not
 * have this reduction.
 */
TMAP_API const tmap_reduction_info *tmap_reduction_of(tmap_op op, tmap_type type);
/*
 * Returns the reduction `op` on `type` of the instructions `by` (one of TMAP_REDUCES_…); NULL if these instructions do
 * not have this reduction.
 */
TMAP_API const tmap_reduction_info *tmap_reduction_by(tmap_reduces by, tmap_op op, tmap_type type);
/*
 * Suggests a type for a word that is not the name of a type. Returns tmap's name of the type that frameworks call
 * `word` ("torch.float16", "fp4"), else the nearest name or alias; NULL if no name is near.
 */
TMAP_API const char *tmap_type_suggest(const char *word) TMAP_NONNULL(1);
/* Returns the type that descriptors store as `code`, with or without rounding to tf32; -1 if no type has the code. */
TMAP_API int tmap_type_of_code(uint64_t code, bool tf32);
/* Writes alias `i` (from 0) and its type. Returns false, and writes nothing, after the last alias. */
TMAP_API bool tmap_type_alias_get(int i, const char **alias, tmap_type *type) TMAP_NONNULL(2, 3);
/*
 * Writes the parameters of CuTe's Swizzle<B,M,S> on byte addresses. Returns false if no XOR of adjacent bits describes
 * the swizzle.
 */
TMAP_API bool tmap_swizzle_cute(const tmap_swizzle_info *swizzle, int *b, int *m, int *s) TMAP_NONNULL(1, 2, 3, 4);
/*
 * Find a field that tensormap.replace changes: by enumerator (NULL if there is no such row), or by name (tmap's or the
 * instruction's; -1 if no field has the name). Values of fields are tmap's own: the rank itself, strides in bytes,
 * types and other choices by their enumerators, swizzle and swizzle_atomicity by the instruction's numbers.
 */
TMAP_API const tmap_replaceable_info *tmap_replaceable_get(int field);
TMAP_API int tmap_replaceable_find(const char *name) TMAP_NONNULL(1);
/* Returns the name of a choice's value, NULL if the value has no name. */
TMAP_API const char *tmap_replace_word(tmap_replaceable field, uint64_t value);
/* Returns the value of a choice's name, -1 if no value has the name. */
TMAP_API int tmap_replace_word_find(tmap_replaceable field, const char *word) TMAP_NONNULL(2);
/* Returns the instruction's operand for a value. */
TMAP_API uint64_t tmap_replace_operand(tmap_replaceable field, uint64_t value);
/* Returns the architectures for which the instruction with this field and value assembles. */
TMAP_API tmap_archs tmap_replace_archs(tmap_replaceable field, uint64_t value);
/* Returns the first version of the PTX ISA (83 is 8.3) that has the instruction, the field and the value. */
TMAP_API int tmap_replace_ptx_version(tmap_replaceable field, uint64_t value);
/* Writes to `bits` the bits of `descriptor` that are 1 and belong to no field of the descriptor's kind. */
TMAP_API void tmap_descriptor_unexplained(const tmap_descriptor *descriptor, tmap_descriptor *bits) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
