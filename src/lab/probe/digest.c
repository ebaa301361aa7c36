/* The digest of the bytes that a copy should write. */
#include <string.h>

#include "base/memory.h"
#include "probe/probe.h"

/* CTAs that the copy does not write contain their poison. All other CTAs have equal images. */
static void gather_images(const tmap_probe *probe, int poison, const uint8_t *predicted, uint8_t *images) {
    for (uint32_t cta = 0; cta < probe->ctas_n; cta++) {
        uint8_t *image = images + (size_t)cta * probe->image_B;
        if (tmap_probe_writes_cta(probe, cta))
            memcpy(image, predicted, probe->image_B);
        else
            tmap_probe_image(probe, poison, image);
    }
}

static tmap_status digest_images(const tmap_probe *probe, const tmap_allocator *allocator,
                                 const tmap_prediction *prediction, char hex[65]) {
    size_t size = (size_t)probe->ctas_n * probe->image_B;
    uint8_t *images = tmap_resize(allocator, NULL, 0, 2 * size);
    if (!images) return TMAP_NO_MEMORY;
    tmap_observation predicted = {.images = {images, images + size}};
    for (int poison = 0; poison < 2; poison++)
        gather_images(probe, poison, prediction->images[poison], images + (size_t)poison * size);
    tmap_observation_digest(probe, &predicted, hex);
    (void)tmap_resize(allocator, images, 2 * size, 0);
    return TMAP_OK;
}

tmap_status tmap_probe_digest(const tmap_probe *probe, const tmap_allocator *allocator, char hex[65]) {
    tmap_prediction prediction;
    tmap_status status = tmap_prediction_make(probe, allocator, &prediction);
    if (status != TMAP_OK) return status;
    tmap_observation predicted = {.globals = {prediction.globals[0], prediction.globals[1]}};
    if (probe->frozen.op->to_global)
        tmap_observation_digest(probe, &predicted, hex);
    else
        status = digest_images(probe, allocator, &prediction, hex);
    tmap_prediction_free(probe, allocator, &prediction);
    return status;
}
