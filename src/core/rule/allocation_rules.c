/* Rules of the allocation class, and of allocations on which the class depends. */
#include <inttypes.h>

#include "params/allocation.h"
#include "rule/comparisons.h"
#include "rule/finding.h"
#include "rule/rules.h"

void tmap_judge_allocation_class_large(tmap_trial *trial) {
    uint64_t allocation = tmap_allocated_B(trial->map);
    if (trial->map->allocation_class != TMAP_ALLOCATION_LARGE) return;
    if (trial->map->allocation_B == 0 || allocation >= TMAP_LARGE_REGION_B) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ALLOCATION_CLASS, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(
        d, "allocation class LARGE requires %d accessible bytes; the allocation has only %" PRIu64 " from the base on",
        TMAP_LARGE_REGION_B, allocation);
    TMAP_SAY(d->given, "LARGE in an allocation of %" PRIu64 " B", allocation);
    TMAP_SAY(d->allowed, "LARGE in an allocation of at least %d B", TMAP_LARGE_REGION_B);
    tmap_fix_set(d, TMAP_FIELD_ALLOCATION_CLASS, -1, TMAP_ALLOCATION_SMALL);
}

void tmap_judge_allocation_class_unknown(tmap_trial *trial) {
    uint64_t span = trial->derived.span_B;
    if (!breaks_allocation_class_unknown(trial)) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ALLOCATION_CLASS, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(d, "allocation class LARGE requires %d accessible bytes; the tensor spans %" PRIu64,
                     TMAP_LARGE_REGION_B, span);
    TMAP_SAY(d->given, "LARGE, a tensor of %" PRIu64 " B in an allocation of unknown size", span);
    TMAP_SAY(d->allowed, "LARGE if %d B from the base are accessible", TMAP_LARGE_REGION_B);
    tmap_fix_say(d, TMAP_FIELD_ALLOCATION, -1, TMAP_LARGE_REGION_B,
                 " if this memory exists, else allocation_class: small");
}

static void say_large_is_faster(tmap_trial *trial) {
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ALLOCATION_CLASS, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    uint64_t allocation = tmap_allocated_B(trial->map);
    tmap_say_message(d, "allocation class SMALL is slower than LARGE, and this map can have LARGE");
    TMAP_SAY(d->given, "SMALL, %s of %" PRIu64 " B", allocation ? "an allocation" : "a tensor",
             allocation ? allocation : trial->derived.span_B);
    TMAP_SAY(d->allowed, "LARGE if %d B from the base are accessible", TMAP_LARGE_REGION_B);
    tmap_fix_set(d, TMAP_FIELD_ALLOCATION_CLASS, -1, TMAP_ALLOCATION_AUTO);
    tmap_fix_or(d, TMAP_FIELD_ALLOCATION_CLASS, -1, TMAP_ALLOCATION_LARGE);
}

/* The tensor has gaps of more than 4 KiB. Its dims and strides do not show whether the gaps are accessible. */
static void say_gaps_make_small(tmap_trial *trial) {
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ALLOCATION_CLASS, -1, TMAP_ARCHS_ALL);
    if (!d) return;
    tmap_say_message(
        d, "allocation class AUTO encodes as SMALL, because the tensor has gaps above 4 KiB; LARGE is faster");
    TMAP_SAY(d->given, "AUTO, a tensor of %" PRIu64 " B with gaps, in an allocation of unknown size",
             trial->derived.span_B);
    TMAP_SAY(d->allowed, "LARGE if %d B from the base are accessible, gaps included", TMAP_LARGE_REGION_B);
    tmap_fix_set(d, TMAP_FIELD_ALLOCATION_CLASS, -1, TMAP_ALLOCATION_LARGE);
    tmap_fix_or(d, TMAP_FIELD_ALLOCATION_CLASS, -1, TMAP_ALLOCATION_SMALL);
    TMAP_SAY(d->fix.words, "large only if the first %d B from the base are accessible", TMAP_LARGE_REGION_B);
}

/* Judges whether LARGE would keep the rules: the tensor's extent, or the known size of its allocation, must allow
 * it. */
void tmap_judge_allocation_class_small(tmap_trial *trial) {
    uint64_t span = trial->derived.span_B;
    bool is_auto = trial->map->allocation_class == TMAP_ALLOCATION_AUTO;
    if (!is_auto && trial->map->allocation_class != TMAP_ALLOCATION_SMALL) return;
    if (is_auto && (trial->map->allocation_B != 0 || span < TMAP_LARGE_REGION_B || span >= TMAP_MEMORY_B)) return;
    tmap_map_params automatic = *trial->map;
    automatic.allocation_class = TMAP_ALLOCATION_AUTO;
    bool is_large = tmap_allocation_class_of(&automatic) == TMAP_ALLOCATION_LARGE;
    if (is_auto && !is_large) say_gaps_make_small(trial);
    if (!is_auto && is_large) say_large_is_faster(trial);
}

static void judge_small_allocation_of_map(tmap_trial *trial) {
    uint64_t allocation = tmap_allocated_B(trial->map);
    if (trial->map->allocation_B == 0 || allocation >= TMAP_LARGE_REGION_B || tmap_map_fills_memory(trial->map)) return;
    if (trial->map->allocation_class != TMAP_ALLOCATION_AUTO) return; /* other rules judge this */
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ALLOCATION, -1, TMAP_ARCHS_BLACKWELL);
    if (!d) return;
    tmap_say_message(
        d, "the tensor is not dense, and its allocation ends less than 128 KiB after its address: some drivers encode "
           "a wrong allocation class");
    TMAP_SAY(d->given, "%" PRIu64 " B of the allocation after the address, and a tensor with gaps or overlap",
             allocation);
    TMAP_SAY(d->allowed, "at least %d B after the address, or a tensor without gaps and overlap", TMAP_LARGE_REGION_B);
    tmap_fix_set(d, TMAP_FIELD_ALLOCATION_CLASS, -1, TMAP_ALLOCATION_SMALL);
    if (!trial->map->allocation_offset_B) tmap_fix_or(d, TMAP_FIELD_ALLOCATION, -1, TMAP_LARGE_REGION_B);
}

/* A descriptor does not contain its allocation, only the bit that depends on the allocation. */
void tmap_judge_small_allocation(tmap_trial *trial) {
    if (trial->descriptor)
        tmap_judge_desc_small_allocation(trial);
    else
        judge_small_allocation_of_map(trial);
}

void tmap_judge_replace_allocation(tmap_trial *trial) {
    if (trial->derived.span_B >= TMAP_LARGE_REGION_B || tmap_map_fills_memory(trial->map)) return;
    if (trial->map->allocation_class == TMAP_ALLOCATION_SMALL) return;
    tmap_diag *d = tmap_finding(trial, TMAP_FIELD_ADDRESS, -1, TMAP_ARCHS_BLACKWELL);
    if (!d) return;
    tmap_say_message(d, "the allocation class (bit 85 of the descriptor) remains that of the old allocation");
    TMAP_SAY(d->given, "a tensor of %" PRIu64 " B that is not dense", trial->derived.span_B);
    TMAP_SAY(d->allowed, "allocations that are both below %d B, or neither", TMAP_LARGE_REGION_B);
    TMAP_SAY(d->fix.words, "encode again if one allocation is below %d B and the other is not", TMAP_LARGE_REGION_B);
}
