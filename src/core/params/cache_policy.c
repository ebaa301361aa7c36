/*
 * The 64 bits of a cache policy. ptxas replaces createpolicy.fractional by this number. All versions from 13.0.48 to
 * 13.5.37 use the same number on every target (tests/tool/check_policy.py):
 *
 *   bits 52..55  sixteenths - 1
 *   bit  56      secondary priority: 0 evict_unchanged, 1 evict_first
 *   bits 57..58  primary priority: 0 evict_unchanged, 1 evict_first, 2 evict_last, 3 evict_normal
 *   bits 59..63  00010
 */
#include "tmap/params.h"
#include "tmap/unstable/params_instruction.h"

#include "base/rows.h"

#define FRACTIONAL    ((uint64_t)1 << 60)
#define SIXTEENTHS_AT 52
#define SECONDARY_AT  56
#define PRIMARY_AT    57

const char *tmap_l2_priority_name(int priority) {
    static const char *const names[] = {"evict_unchanged", "evict_first", "evict_last", "evict_normal"};
    TMAP_ROWS(names, TMAP_L2_EVICT_NORMAL + 1);
    return priority >= 0 && priority <= TMAP_L2_EVICT_NORMAL ? names[priority] : NULL;
}

uint64_t tmap_cache_policy_encode(const tmap_cache_policy *policy) {
    return FRACTIONAL | ((uint64_t)policy->sixteenths - 1) << SIXTEENTHS_AT |
           (uint64_t)policy->secondary << SECONDARY_AT | (uint64_t)policy->primary << PRIMARY_AT;
}

bool tmap_cache_policy_decode(uint64_t bits, tmap_cache_policy *policy) {
    const tmap_cache_policy found = {
        .primary = (tmap_l2_priority)(bits >> PRIMARY_AT & 3),
        .secondary = (tmap_l2_priority)(bits >> SECONDARY_AT & 1),
        .sixteenths = (int)(bits >> SIXTEENTHS_AT & 15) + 1,
    };
    if (tmap_cache_policy_encode(&found) != bits) return false;
    *policy = found;
    return true;
}

uint32_t tmap_qualifiers_of(const tmap_copy_params *copy) {
    uint32_t implied = 0;
    if (copy->byte_mask) implied |= TMAP_QUALIFIER_BIT(CP_MASK);
    if (copy->ignore_left_B | copy->ignore_right_B) implied |= TMAP_QUALIFIER_BIT(IGNORE_OOB);
    return copy->qualifiers | implied | (copy->cache_hint != 0 ? TMAP_QUALIFIER_BIT(CACHE_HINT) : 0);
}
