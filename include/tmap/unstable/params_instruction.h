/*
 * params, instruction: operands of a copy's instruction: cache policies, load mode, dim.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_PARAMS_INSTRUCTION_H
#define TMAP_PARAMS_INSTRUCTION_H

#include "tmap/params.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the 64 bits of a policy as ptxas encodes createpolicy.fractional (fact cache-policy-bits). */
TMAP_API uint64_t tmap_cache_policy_encode(const tmap_cache_policy *policy) TMAP_NONNULL(1);
/*
 * Decodes the 64 bits of a policy. Returns false, and writes nothing, if no createpolicy.fractional produces these
 * bits.
 */
TMAP_API bool tmap_cache_policy_decode(uint64_t bits, tmap_cache_policy *policy) TMAP_NONNULL(2);
TMAP_API const char *tmap_l2_priority_name(int priority); /* "evict_last", …; NULL after the last */
/* Return the .load_mode and the .dim of the copy's instruction. */
TMAP_API tmap_mode tmap_load_mode_of(const tmap_map_params *map, const tmap_copy_params *copy) TMAP_NONNULL(1, 2);
TMAP_API uint64_t tmap_dim_of(const tmap_map_params *map, const tmap_copy_params *copy) TMAP_NONNULL(1, 2);
/* Returns the copy's qualifiers, including those that operands imply: cache hint, byte mask and ignored bytes. */
TMAP_API uint32_t tmap_qualifiers_of(const tmap_copy_params *copy) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
