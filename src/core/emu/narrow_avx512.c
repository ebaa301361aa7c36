/*
 * Rows of 16, 32 or 64 bytes that follow one another in the image, for x86-64 with AVX-512: 8, 4 or 2 of them make a
 * line, which is permuted and moved at once.
 */
#include "base/wide.h"
#include "emu/narrow.h"
#include "emu/vectors_x86.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET  TMAP_TARGET_AVX512
#define INLINE  TARGET TMAP_ALWAYS_INLINE
#define BLOCK_B 64

/* Rows of memory. Bytes outside the masks `data`, of both blocks of a line, are fill. `size` and `masked` are constants
 * of each function. */
typedef struct narrow {
    ptrdiff_t step;
    uint32_t size;
    bool masked; /* bytes outside the data may be outside the memory */
    __mmask64 data[2];
    __m512i fill;
} narrow;

INLINE __m256i read_32(const narrow *n, const uint8_t *row) {
    return n->masked ? _mm256_mask_loadu_epi8(_mm512_castsi512_si256(n->fill), (__mmask32)n->data[0], row)
                     : _mm256_loadu_si256((const __m256i *)(const void *)row);
}

INLINE __m128i read_16(const narrow *n, const uint8_t *row) {
    return n->masked ? _mm_mask_loadu_epi8(_mm512_castsi512_si128(n->fill), (__mmask16)n->data[0], row)
                     : _mm_loadu_si128((const __m128i *)(const void *)row);
}

/* The rows of block i of a line. */
INLINE __m512i read_rows(const narrow *n, const uint8_t *row, int i) {
    __m512i block;
    if (n->size >= BLOCK_B) return _mm512_mask_loadu_epi8(n->fill, n->data[i], row);
    if (n->size == 32) {
        block = _mm512_inserti64x4(_mm512_castsi256_si512(read_32(n, row)), read_32(n, row + n->step), 1);
    } else {
        block = _mm512_inserti32x4(_mm512_castsi128_si512(read_16(n, row)), read_16(n, row + n->step), 1);
        block = _mm512_inserti32x4(block, read_16(n, row + 2 * n->step), 2);
        block = _mm512_inserti32x4(block, read_16(n, row + 3 * n->step), 3);
    }
    return _mm512_mask_mov_epi8(n->fill, n->data[i], block);
}

INLINE void write_rows(const narrow *n, uint8_t *row, __m512i block) {
    if (n->size >= BLOCK_B) {
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

/* For each 8-byte piece of a swizzled line's first block, its index among the 16 pieces of both blocks. For the second
 * block, invert bit 3 of the indices, which selects the block. Instructions on a single block ignore bit 3. */
INLINE __m512i order_of(uint32_t mask) {
    return TMAP_LINE_ORDER_512(mask);
}

/* For blocks of more than one load: reads both blocks before the writes, whose places are then constant. */
INLINE void put_line(const narrow *n, uint8_t *line, uint8_t *row, uint8_t *next, __m512i order) {
    __m512i a = read_rows(n, row, 0), b = read_rows(n, next, 1);
    _mm512_storeu_si512(line, _mm512_permutex2var_epi64(a, order, b));
    _mm512_storeu_si512(line + BLOCK_B, _mm512_permutex2var_epi64(a, _mm512_xor_si512(order, _mm512_set1_epi64(8)), b));
}

INLINE void move_block(const narrow *n, uint8_t *block, uint8_t *row, __m512i order, bool put) {
    if (put)
        _mm512_storeu_si512(block, _mm512_permutexvar_epi64(order, read_rows(n, row, 0)));
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
        __m256i data = put ? read_32(n, row) : _mm256_loadu_si256((const __m256i *)(const void *)to);
        _mm256_storeu_si256((__m256i *)(void *)(put ? to : row),
                            _mm256_permutexvar_epi64(_mm512_castsi512_si256(order), data));
    } else {
        __m128i data = put ? read_16(n, row) : _mm_loadu_si128((const __m128i *)(const void *)to);
        data = mask & 8 ? _mm_shuffle_epi32(data, 0x4e) : data;
        _mm_storeu_si128((__m128i *)(void *)(put ? to : row), data);
    }
}

INLINE void move_line(const narrow *n, uint8_t *line, uint8_t *row, uint32_t high, __m512i order, bool put) {
    uint8_t *next = row + (n->size > BLOCK_B ? BLOCK_B : BLOCK_B / n->size * n->step);
    if (put && (n->size < BLOCK_B || n->masked)) {
        put_line(n, line, row, next, order);
        return;
    }
    move_block(n, line + high, row, order, put);
    move_block(n, line + (high ^ BLOCK_B), next, order, put);
}

INLINE void few_lines(const tmap_image *image, const narrow *n, uint32_t at, uint8_t *row, uint32_t lines_n, bool put) {
    uint64_t masks = tmap_masks_of(image), number = image->first_line + at / TMAP_LINE_B;
    uint8_t *line = image->bytes + at;
#pragma GCC unroll 1
    for (; lines_n > 0; lines_n--, number++, row += TMAP_LINE_B / n->size * n->step, line += TMAP_LINE_B) {
        uint32_t mask = tmap_mask_in(masks, number);
        move_line(n, line, row, mask & BLOCK_B, order_of(mask), put);
    }
}

#define MOVE_LINE(k) move_line(n, line + (size_t)(k)*TMAP_LINE_B, row, high[k], order[k], put), row += step

/* The orders of eight lines stay in registers. */
INLINE void move_lines(const tmap_image *image, const narrow *n, uint32_t at, uint8_t *row, uint32_t lines_n,
                       bool put) {
    uint64_t masks = tmap_masks_of(image), number = image->first_line + at / TMAP_LINE_B;
    ptrdiff_t step = TMAP_LINE_B / n->size * n->step;
    uint8_t *line = image->bytes + at;
    uint32_t high[TMAP_MASKS];
    __m512i order[TMAP_MASKS];
    if (lines_n >= TMAP_MASKS)
        for (uint32_t k = 0; k < TMAP_MASKS; k++) {
            uint32_t mask = tmap_mask_in(masks, number + k);
            high[k] = mask & BLOCK_B, order[k] = order_of(mask);
        }
    for (; lines_n >= TMAP_MASKS; lines_n -= TMAP_MASKS, line += (size_t)TMAP_MASKS * TMAP_LINE_B) {
        TMAP_EACH_MASK(MOVE_LINE);
    }
    few_lines(image, n, (uint32_t)(line - image->bytes), row, lines_n, put);
}

/* Lines of rows with fill. Rows of 16 and 32 bytes, except those of the first and the last line, are read whole: if
 * rows do not overlap, the bytes around the data are between the first and the last row. */
INLINE void put_edges(const tmap_image *image, const narrow *n, uint32_t at, uint8_t *row, uint32_t lines_n) {
    ptrdiff_t step = TMAP_LINE_B / n->size * n->step;
    narrow whole = *n;
    whole.masked = false;
    if (n->size >= BLOCK_B) {
        move_lines(image, n, at, row, lines_n, true);
    } else if (lines_n < 2 || n->step < (ptrdiff_t)n->size) {
        few_lines(image, n, at, row, lines_n, true);
    } else {
        few_lines(image, n, at, row, 1, true);
        move_lines(image, &whole, at + TMAP_LINE_B, row + step, lines_n - 2, true);
        few_lines(image, n, at + (lines_n - 1) * TMAP_LINE_B, row + (lines_n - 1) * step, 1, true);
    }
}

INLINE void move_apart(const tmap_image *image, const narrow *n, const tmap_rows *rows, bool put) {
    uint8_t *row = rows->row;
    uint32_t at = rows->at;
    for (uint32_t left = rows->rows_n; left > 0; left--, row += n->step, at += rows->at_step)
        if (n->size == TMAP_LINE_B)
            few_lines(image, n, at, row, 1, put);
        else
            move_row(image, n, at, row, put);
}

INLINE void move_rows(const tmap_image *image, const tmap_rows *rows, const narrow *n, bool put) {
    const tmap_image here = *image;
    uint32_t at = rows->at, end = at + rows->rows_n * n->size, lines_n;
    uint8_t *row = rows->row;
    if (rows->at_step != n->size) {
        move_apart(&here, n, rows, put);
        return;
    }
    for (; at % TMAP_LINE_B != 0 && at < end; at += n->size, row += n->step) move_row(&here, n, at, row, put);
    lines_n = (end - at) / TMAP_LINE_B;
    if (n->masked)
        put_edges(&here, n, at, row, lines_n);
    else
        move_lines(&here, n, at, row, lines_n, put);
    at += lines_n * TMAP_LINE_B, row += n->step * lines_n * (TMAP_LINE_B / n->size);
    for (; at < end; at += n->size, row += n->step) move_row(&here, n, at, row, put);
}

INLINE void move_whole(const tmap_image *image, const tmap_rows *rows, uint32_t size, bool put) {
    move_rows(image, rows, &(narrow){rows->row_step, size, false, {UINT64_MAX, UINT64_MAX}, _mm512_setzero_si512()},
              put);
}

TARGET void tmap_narrow_get_avx512(const tmap_image *image, const tmap_rows *rows) {
    switch (rows->size) {
    case 16: move_whole(image, rows, 16, false); break;
    case 32: move_whole(image, rows, 32, false); break;
    default: move_whole(image, rows, 64, false);
    }
}

TARGET void tmap_narrow_put_avx512(const tmap_image *image, const tmap_rows *rows) {
    switch (rows->size) {
    case 16: move_whole(image, rows, 16, true); break;
    case 32: move_whole(image, rows, 32, true); break;
    default: move_whole(image, rows, 64, true);
    }
}

/* Bytes `before` to `before` + `size` of each row of `width` bytes are data. */
INLINE void put_edged(const tmap_image *image, const tmap_rows *rows, uint32_t width, const tmap_edges *edges,
                      uint32_t size) {
    uint32_t before = edges->before_B;
    tmap_u128 data = (~(tmap_u128)0 >> (TMAP_LINE_B - size)) << before;
    for (uint32_t done = width; done < TMAP_LINE_B; done *= 2) data |= data << done;
    move_rows(
        image, rows,
        &(narrow){
            rows->row_step, width, true, {(uint64_t)data, TMAP_HIGH(data)}, _mm512_set1_epi16((int16_t)edges->pattern)},
        true);
}

TARGET void tmap_narrow_put_edges_avx512(const tmap_image *image, const tmap_rows *rows, const tmap_edges *edges) {
    tmap_rows whole = *rows;
    whole.row -= edges->before_B, whole.at -= edges->before_B; /* perhaps before the memory, which is not read there */
    whole.size += edges->before_B + edges->after_B;
    switch (whole.size) {
    case 16: put_edged(image, &whole, 16, edges, rows->size); break;
    case 32: put_edged(image, &whole, 32, edges, rows->size); break;
    case 64: put_edged(image, &whole, 64, edges, rows->size); break;
    default: put_edged(image, &whole, TMAP_LINE_B, edges, rows->size);
    }
}

#endif
