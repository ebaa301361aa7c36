/*
 * Rows of 16, 32 or 64 bytes that follow one another in the image, for x86-64 with AVX-512: 4, 2 or 1 of them make a
 * block of 64 bytes, which is permuted and moved at once.
 */
#include "emu/avx512.h"
#include "emu/edges.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET  TMAP_TARGET_AVX512
#define INLINE  TARGET __attribute__((always_inline)) static inline /* each size is a function of its own */
#define BLOCK_B 64

/* Rows of memory: bytes outside the mask `data` are fill and are not read. `size` is a constant of each function. */
typedef struct narrow {
    uint64_t step;
    uint32_t size;
    __mmask64 data;
    __m512i fill;
} narrow;

INLINE __m512i read_rows(const narrow *n, const uint8_t *row) {
    __m256i fill_32 = _mm512_castsi512_si256(n->fill);
    __m128i fill_16 = _mm512_castsi512_si128(n->fill);
    __mmask32 data_32 = (__mmask32)n->data;
    __mmask16 data_16 = (__mmask16)n->data;
    if (n->size == 64) return _mm512_mask_loadu_epi8(n->fill, n->data, row);
    if (n->size == 32)
        return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_mask_loadu_epi8(fill_32, data_32, row)),
                                  _mm256_mask_loadu_epi8(fill_32, data_32, row + n->step), 1);
    __m512i block = _mm512_castsi128_si512(_mm_mask_loadu_epi8(fill_16, data_16, row));
    block = _mm512_inserti32x4(block, _mm_mask_loadu_epi8(fill_16, data_16, row + n->step), 1);
    block = _mm512_inserti32x4(block, _mm_mask_loadu_epi8(fill_16, data_16, row + 2 * n->step), 2);
    return _mm512_inserti32x4(block, _mm_mask_loadu_epi8(fill_16, data_16, row + 3 * n->step), 3);
}

INLINE void write_rows(const narrow *n, uint8_t *row, __m512i block) {
    if (n->size == 64) {
        _mm512_storeu_si512(row, block);
    } else if (n->size == 32) {
        _mm256_storeu_si256((__m256i *)(void *)row, _mm512_castsi512_si256(block));
        _mm256_storeu_si256((__m256i *)(void *)(row + n->step), _mm512_extracti64x4_epi64(block, 1));
    } else {
        _mm_storeu_si128((__m128i *)(void *)row, _mm512_castsi512_si128(block));
        _mm_storeu_si128((__m128i *)(void *)(row + n->step), _mm512_extracti32x4_epi32(block, 1));
        _mm_storeu_si128((__m128i *)(void *)(row + 2 * n->step), _mm512_extracti32x4_epi32(block, 2));
        _mm_storeu_si128((__m128i *)(void *)(row + 3 * n->step), _mm512_extracti32x4_epi32(block, 3));
    }
}

INLINE __m512i order_of(uint32_t mask) {
    return _mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(mask % BLOCK_B / 8));
}

INLINE void move_block(const narrow *n, uint8_t *block, uint8_t *row, __m512i order, bool put) {
    if (put)
        _mm512_storeu_si512(block, _mm512_permutexvar_epi64(order, read_rows(n, row)));
    else
        write_rows(n, row, _mm512_permutexvar_epi64(order, _mm512_loadu_si512(block)));
}

/* Moves one row that shares its line with rows that are not moved. */
INLINE void move_row(const tmap_image *image, const narrow *n, uint32_t at, uint8_t *row, bool put) {
    uint32_t mask = image->line_masks[(image->first_line + at / TMAP_LINE_B) % TMAP_MASKS];
    uint8_t *to = image->bytes + (at ^ (mask & ~(n->size - 1)));
    __m512i order = order_of(mask);
    if (n->size == 64) {
        move_block(n, to, row, order, put);
    } else if (n->size == 32) {
        __m256i data = put ? _mm256_mask_loadu_epi8(_mm512_castsi512_si256(n->fill), (__mmask32)n->data, row)
                           : _mm256_loadu_si256((const __m256i *)(const void *)to);
        _mm256_storeu_si256((__m256i *)(void *)(put ? to : row),
                            _mm256_permutexvar_epi64(_mm512_castsi512_si256(order), data));
    } else {
        __m128i data = put ? _mm_mask_loadu_epi8(_mm512_castsi512_si128(n->fill), (__mmask16)n->data, row)
                           : _mm_loadu_si128((const __m128i *)(const void *)to);
        data = mask & 8 ? _mm_shuffle_epi32(data, 0x4e) : data;
        _mm_storeu_si128((__m128i *)(void *)(put ? to : row), data);
    }
}

INLINE void move_line(const narrow *n, uint8_t *line, uint8_t *row, uint32_t high, __m512i order, bool put) {
    move_block(n, line + high, row, order, put);
    move_block(n, line + (high ^ BLOCK_B), row + BLOCK_B / n->size * n->step, order, put);
}

#define MOVE_LINE(k) move_line(n, line + (size_t)(k)*TMAP_LINE_B, row + (k)*step, high[k], order[k], put)

/* The orders of eight lines stay in registers. */
INLINE void move_lines(const tmap_image *image, const narrow *n, uint32_t at, uint8_t *row, uint32_t lines_n,
                       bool put) {
    uint64_t masks = tmap_masks_of(image), number = image->first_line + at / TMAP_LINE_B,
             step = TMAP_LINE_B / n->size * n->step;
    uint8_t *line = image->bytes + at;
    uint32_t high[TMAP_MASKS];
    __m512i order[TMAP_MASKS];
    if (lines_n >= TMAP_MASKS)
        for (uint32_t k = 0; k < TMAP_MASKS; k++) {
            uint32_t mask = tmap_mask_in(masks, number + k);
            high[k] = mask & BLOCK_B, order[k] = order_of(mask);
        }
    for (; lines_n >= TMAP_MASKS;
         lines_n -= TMAP_MASKS, row += TMAP_MASKS * step, line += (size_t)TMAP_MASKS * TMAP_LINE_B) {
        TMAP_EACH_MASK(MOVE_LINE);
    }
    for (; lines_n > 0; lines_n--, number++, row += step, line += TMAP_LINE_B) {
        uint32_t mask = tmap_mask_in(masks, number);
        move_line(n, line, row, mask & BLOCK_B, order_of(mask), put);
    }
}

INLINE void move_rows(const tmap_image *image, const tmap_rows *rows, uint32_t size, __mmask64 data, __m512i fill,
                      bool put) {
    const tmap_image here = *image;
    const narrow n = {rows->row_step, size, data, fill};
    uint32_t at = rows->at, end = at + rows->rows_n * size, lines_n;
    uint8_t *row = rows->row;
    for (uint32_t i = 0; rows->at_step != size && i < rows->rows_n; i++, row += n.step)
        move_row(&here, &n, at + i * rows->at_step, row, put);
    if (rows->at_step != size) return;
    for (; at % TMAP_LINE_B != 0 && at < end; at += size, row += n.step) move_row(&here, &n, at, row, put);
    lines_n = (end - at) / TMAP_LINE_B;
    move_lines(&here, &n, at, row, lines_n, put);
    at += lines_n * TMAP_LINE_B, row += n.step * lines_n * (TMAP_LINE_B / size);
    for (; at < end; at += size, row += n.step) move_row(&here, &n, at, row, put);
}

/* `data` is the mask of data in each row. */
INLINE void move_rows_of(const tmap_image *image, const tmap_rows *rows, __mmask64 data, __m512i fill, bool put) {
    if (rows->size == 16)
        move_rows(image, rows, 16, data, fill, put);
    else if (rows->size == 32)
        move_rows(image, rows, 32, data, fill, put);
    else
        move_rows(image, rows, 64, data, fill, put);
}

TARGET void tmap_narrow_get(const tmap_image *image, const tmap_rows *rows) {
    move_rows_of(image, rows, UINT64_MAX, _mm512_setzero_si512(), false);
}

TARGET void tmap_narrow_put(const tmap_image *image, const tmap_rows *rows) {
    move_rows_of(image, rows, UINT64_MAX, _mm512_setzero_si512(), true);
}

TARGET void tmap_narrow_put_edges(const tmap_image *image, const tmap_rows *rows, const tmap_edges *edges) {
    tmap_rows whole = *rows;
    whole.row -= edges->before_B, whole.at -= edges->before_B; /* perhaps before the memory, which is not read there */
    whole.size += edges->before_B + edges->after_B;
    move_rows_of(image, &whole, (UINT64_MAX >> (BLOCK_B - rows->size)) << edges->before_B,
                 _mm512_set1_epi16((int16_t)edges->pattern), true);
}

#endif
