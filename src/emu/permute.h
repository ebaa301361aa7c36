/*
 * The one kernel under all executors: bytes between a row and its swizzled place in shared memory. Within a 128-byte
 * line byte i lies at i ^ mask, and pieces below the lowest bit of the mask stay whole.
 */
#ifndef TMAP_EMU_PERMUTE_H
#define TMAP_EMU_PERMUTE_H

#include <stddef.h>
#include <stdint.h>

/* `image` is shared memory from a 128-byte line boundary on; first_line counts that line from address 0. */
typedef struct tmap_image {
    uint8_t *bytes;
    uint64_t first_line;
    const uint8_t *line_masks; /* 8 of them, by line % 8 */
} tmap_image;

/* Row bytes to offset `at` of the image, swizzled. */
void tmap_image_put(const tmap_image *image, uint32_t at, const uint8_t *row, size_t size);
/* And back. */
void tmap_image_get(const tmap_image *image, uint32_t at, uint8_t *row, size_t size);

#endif
