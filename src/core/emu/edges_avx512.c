/*
 * Rows of data with fill at their ends, for x86-64 with AVX-512: each block of a row is read under a mask of its data,
 * over a block of fill, and written whole. Lanes outside the mask are not read from memory.
 */
#include "emu/narrow.h"
#include "emu/vectors_x86.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET  TMAP_TARGET_AVX512
#define BLOCK_B 64

/* The mask of bytes `first` to `end` - 1 of a block; `first` and `end` may be outside the block. */
static inline __mmask64 bytes_between(int64_t first, int64_t end) {
    if (first < 0) first = 0;
    if (end > BLOCK_B) end = BLOCK_B;
    if (first >= end) return 0;
    return UINT64_MAX >> (BLOCK_B - (end - first)) << first;
}

/* A column of blocks. Bytes outside `written` keep their contents. */
typedef struct block_column {
    uint32_t at;
    const uint8_t *row; /* the byte of memory under the first byte of the block, perhaps before the memory */
    __mmask64 data, written;
} block_column;

TARGET static inline void put_plain(const tmap_image *image, const tmap_rows *rows, const block_column *c,
                                    __m512i fill) {
    uint8_t *to = image->bytes + c->at;
    const uint8_t *from = c->row;
    ptrdiff_t row_step = rows->row_step;
    uint32_t at_step = rows->at_step;
    __mmask64 data = c->data, written = c->written;
    if (written != UINT64_MAX)
        for (uint32_t left = rows->rows_n; left > 0; left--, to += at_step, from += row_step)
            _mm512_mask_storeu_epi8(to, written, _mm512_mask_loadu_epi8(fill, data, from));
    else if (data == 0)
        for (uint32_t left = rows->rows_n; left > 0; left--, to += at_step) _mm512_storeu_si512(to, fill);
    else if (data == UINT64_MAX)
        for (uint32_t left = rows->rows_n; left > 0; left--, to += at_step, from += row_step)
            _mm512_storeu_si512(to, _mm512_loadu_si512(from));
    else
        for (uint32_t left = rows->rows_n; left > 0; left--, to += at_step, from += row_step)
            _mm512_storeu_si512(to, _mm512_mask_loadu_epi8(fill, data, from));
}

TARGET static inline void put_swizzled(const tmap_image *image, const tmap_rows *rows, const block_column *c,
                                       __m512i fill) {
    const __m512i pieces = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    uint64_t masks = tmap_masks_of(image), first_line = image->first_line;
    ptrdiff_t row_step = rows->row_step;
    uint8_t *bytes = image->bytes;
    const uint8_t *from = c->row;
    uint32_t at = c->at, at_step = rows->at_step;
    __mmask64 data = c->data;
    for (uint32_t left = rows->rows_n; left > 0; left--, at += at_step, from += row_step) {
        uint32_t mask = tmap_mask_in(masks, first_line + at / TMAP_LINE_B);
        __m512i order = _mm512_xor_si512(pieces, _mm512_set1_epi64(mask % BLOCK_B / 8));
        __m512i block = _mm512_mask_loadu_epi8(fill, data, from);
        _mm512_storeu_si512(bytes + (at ^ (mask & BLOCK_B)), _mm512_permutexvar_epi64(order, block));
    }
}

/* Rows of 16 or 32 bytes without a swizzle: a store under a mask takes longer than a whole store. */
TARGET static void put_short(const tmap_image *image, const tmap_rows *rows, const tmap_edges *edges) {
    __m256i fill = _mm256_set1_epi16((int16_t)edges->pattern);
    __mmask32 data = (__mmask32)bytes_between(edges->before_B, edges->before_B + rows->size);
    uint8_t *to = image->bytes + rows->at - edges->before_B;
    const uint8_t *from = rows->row - edges->before_B; /* perhaps before the memory */
    ptrdiff_t row_step = rows->row_step;
    uint32_t left = rows->rows_n, at_step = rows->at_step;
    if (edges->before_B + rows->size + edges->after_B == 16)
        for (; left > 0; left--, to += at_step, from += row_step)
            _mm_storeu_si128((__m128i *)(void *)to,
                             _mm_mask_loadu_epi8(_mm256_castsi256_si128(fill), (__mmask16)data, from));
    else
        for (; left > 0; left--, to += at_step, from += row_step)
            _mm256_storeu_si256((__m256i *)(void *)to, _mm256_mask_loadu_epi8(fill, data, from));
}

TARGET static void put_edges(const tmap_image *image, const tmap_rows *rows, const tmap_edges *edges) {
    uint32_t width = edges->before_B + rows->size + edges->after_B;
    __m512i fill = _mm512_set1_epi16((int16_t)edges->pattern);
    bool plain = tmap_masks_of(image) == 0;
    for (uint32_t done = 0; done < width; done += BLOCK_B) {
        int64_t first = (int64_t)edges->before_B - done;
        block_column c = {.at = rows->at - edges->before_B + done,
                          .row = rows->row - first,
                          .data = bytes_between(first, first + rows->size),
                          .written = bytes_between(0, (int64_t)width - done)};
        if (plain)
            put_plain(image, rows, &c, fill);
        else
            put_swizzled(image, rows, &c, fill);
    }
}

tmap_put_edges *tmap_edges_avx512(const tmap_image *image, uint32_t width, uint32_t at_step) {
    bool plain = tmap_masks_of(image) == 0;
    if (plain && (width == 16 || width == 32)) return put_short;
    if (!plain && (tmap_rows_are_narrow(width) || width == TMAP_LINE_B) && at_step % width == 0)
        return tmap_narrow_put_edges_avx512;
    return plain || (width | at_step) % BLOCK_B == 0 ? put_edges : NULL;
}

#endif
