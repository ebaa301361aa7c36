/* The copy of a hypothesis: its changed parameters, and its run. */
#include "probe/hypothesis.h"

#include "tmap/unstable/evidence.h"

bool tmap_refreeze(hypothesis *h, const tmap_map_params *map, const tmap_copy_params *copy) {
    tmap_map frozen;
    tmap_judge judge = {.assume = {0}};
    for (int i = 0; i < TMAP_ALTERNATIVE_COUNT; i++) judge.assume[i] = h->probe.frozen.readings[i] ? 2 : 0;
    if (tmap_map_init(&frozen, map, NULL, NULL) != TMAP_OK) return false;
    return tmap_copy_init(&h->probe.frozen, &frozen, copy, &judge, NULL) == TMAP_OK;
}

bool tmap_suppose_swizzle(hypothesis *h) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)h->variant), *right = h->right->map.swizzle;
    TMAP_SAY(h->words, "the swizzle was %s, not %s: encode the map with the swizzle that its reader has", swizzle->name,
             right->name);
    return swizzle != right && (h->probe.archs == 0 || (h->probe.archs & swizzle->archs) != 0);
}

tmap_status tmap_hypothesis_run(hypothesis *h, uint8_t *box) {
    const tmap_probe *probe = &h->probe;
    tmap_memory memory;
    if (h->seen->box)
        memory = (tmap_memory){.size_B = probe->input.size_B, .bytes = (uint8_t *)(uintptr_t)probe->input.bytes};
    else if (probe->part)
        memory = (tmap_memory){.size_B = probe->global_B, .bytes = h->global, .first_B = 0 - probe->tensor_at};
    else
        memory = (tmap_memory){.size_B = probe->global_B - probe->tensor_at, .bytes = h->global + probe->tensor_at};
    tmap_copy_result result;
    /* Bytes after the observed box are unknown, so a larger box could explain too much. */
    if (h->seen->box && probe->frozen.footprint_B > h->right->footprint_B) return TMAP_REFUSED;
    return tmap_emulate(&probe->frozen, box, h->image_B - (size_t)(box - h->image), &memory, &result);
}
