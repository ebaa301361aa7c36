/* What lies in both memories before a copy, and what the emulator says will lie there after it. */
#include <string.h>

#include "base/memory.h"
#include "probe/probe.h"

static void fill_random(uint64_t seed, uint8_t *bytes, uint64_t size_B) {
    tmap_random_fill fill;
    tmap_memory memory = tmap_memory_random(&fill, seed, size_B);
    memory.read(memory.context, 0, bytes, (size_t)size_B);
}

void tmap_probe_image(const tmap_probe *probe, int poison, uint8_t *image) {
    if (tmap_op_get((int)probe->copy.op)->to_global)
        fill_random(probe->seed, image, probe->image_B);
    else
        memset(image, probe->poisons[poison], probe->image_B);
}

void tmap_probe_global(const tmap_probe *probe, int poison, uint8_t *global) {
    if (tmap_op_get((int)probe->copy.op)->to_global)
        memset(global, probe->poisons[poison], (size_t)probe->global_B);
    else
        fill_random(probe->seed, global, probe->global_B);
}

bool tmap_probe_writes_cta(const tmap_probe *probe, uint32_t cta) {
    return probe->copy.cta_mask == 0 ? cta == 0 : (probe->copy.cta_mask >> cta & 1) != 0;
}

tmap_status tmap_probe_predict(const tmap_probe *probe, uint8_t *global, uint8_t *image) {
    tmap_memory memory = {.size_B = probe->global_B - probe->tensor_at, .bytes = global + probe->tensor_at};
    uint8_t *box = image + probe->copy.shared;
    size_t room_B = probe->image_B - (size_t)probe->copy.shared;
    tmap_copy_result result;
    if (!probe->predicts) return TMAP_BAD_ARGUMENT;
    if (probe->frozen.op->to_shared) return tmap_emulate_load(&probe->frozen, &memory, box, room_B, &result);
    return tmap_emulate_store(&probe->frozen, box, room_B, &memory, &result);
}

/* ---- Both poisons --------------------------------------------------------------------------------------------- */

void tmap_prediction_free(const tmap_probe *probe, const tmap_allocator *allocator, tmap_prediction *prediction) {
    for (int poison = 0; poison < 2; poison++) {
        (void)tmap_resize(allocator, prediction->images[poison], probe->image_B, 0);
        (void)tmap_resize(allocator, prediction->globals[poison], (size_t)probe->global_B, 0);
    }
    *prediction = (tmap_prediction){{NULL}, {NULL}};
}

static tmap_status predict_one(const tmap_probe *probe, const tmap_allocator *allocator, int poison,
                               tmap_prediction *prediction) {
    uint8_t *image = tmap_resize(allocator, NULL, 0, probe->image_B);
    uint8_t *global = tmap_resize(allocator, NULL, 0, (size_t)probe->global_B);
    prediction->images[poison] = image;
    prediction->globals[poison] = global;
    if (image == NULL || global == NULL) return TMAP_NO_MEMORY;
    tmap_probe_image(probe, poison, image);
    tmap_probe_global(probe, poison, global);
    return tmap_probe_predict(probe, global, image);
}

tmap_status tmap_prediction_make(const tmap_probe *probe, const tmap_allocator *allocator,
                                 tmap_prediction *prediction) {
    *prediction = (tmap_prediction){{NULL}, {NULL}};
    tmap_status status = predict_one(probe, allocator, 0, prediction);
    if (status == TMAP_OK) status = predict_one(probe, allocator, 1, prediction);
    if (status != TMAP_OK) tmap_prediction_free(probe, allocator, prediction);
    return status;
}

/* ---- Digests -------------------------------------------------------------------------------------------------- */

void tmap_observation_digest(const tmap_probe *probe, const tmap_observation *seen, char hex[65]) {
    bool to_global = tmap_op_get((int)probe->copy.op)->to_global;
    tmap_sha256 hash;
    tmap_sha256_begin(&hash);
    for (int poison = 0; poison < 2; poison++) {
        if (to_global)
            tmap_sha256_add(&hash, seen->globals[poison], (size_t)probe->global_B);
        else
            tmap_sha256_add(&hash, seen->images[poison], (size_t)probe->ctas_n * probe->image_B);
    }
    tmap_sha256_end(&hash, hex);
}

/* CTAs that the copy does not write keep their poison. */
static tmap_status digest_images(const tmap_probe *probe, const tmap_allocator *allocator,
                                 const tmap_prediction *prediction, tmap_sha256 *hash) {
    uint8_t *untouched = tmap_resize(allocator, NULL, 0, probe->image_B);
    if (untouched == NULL) return TMAP_NO_MEMORY;
    for (int poison = 0; poison < 2; poison++) {
        tmap_probe_image(probe, poison, untouched);
        for (uint32_t cta = 0; cta < probe->ctas_n; cta++)
            tmap_sha256_add(hash, tmap_probe_writes_cta(probe, cta) ? prediction->images[poison] : untouched,
                            probe->image_B);
    }
    (void)tmap_resize(allocator, untouched, probe->image_B, 0);
    return TMAP_OK;
}

tmap_status tmap_probe_digest(const tmap_probe *probe, const tmap_allocator *allocator, char hex[65]) {
    tmap_prediction prediction;
    tmap_sha256 hash;
    tmap_status status = tmap_prediction_make(probe, allocator, &prediction);
    if (status != TMAP_OK) return status;
    tmap_sha256_begin(&hash);
    if (probe->frozen.op->to_global)
        for (int poison = 0; poison < 2; poison++)
            tmap_sha256_add(&hash, prediction.globals[poison], (size_t)probe->global_B);
    else
        status = digest_images(probe, allocator, &prediction, &hash);
    tmap_sha256_end(&hash, hex);
    tmap_prediction_free(probe, allocator, &prediction);
    return status;
}
