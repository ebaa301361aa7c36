/*
 * Rows that are parts of a block or of a line, and rows with fill at their ends, for x86-64 with AVX-512: masks select
 * the bytes of a row. Bytes outside the masks are not read from memory.
 */
#include "emu/vectors_x86.h"

#if defined(__x86_64__)

#define TARGET  TMAP_TARGET_AVX512
#define BLOCK_B 64

/* ---- Parts ------------------------------------------------------------------------------------------------------ */

/* Rows that are each inside one block and shorter than it: a mask selects the bytes of the block and is permuted
 * too. */
TARGET TMAP_ALWAYS_INLINE void part_rows(const tmap_image *image, const tmap_rows *rows, bool put) {
    const tmap_image here = *image;
    uint32_t skip = rows->at % 64, at = rows->at - skip, at_step = rows->at_step;
    uint8_t *row = rows->row - skip;
    ptrdiff_t row_step = rows->row_step;
    __mmask64 bytes = (((uint64_t)1 << rows->size) - 1) << skip, permuted[TMAP_MASKS];
    for (uint32_t i = 0; i < TMAP_MASKS; i++)
        permuted[i] = _mm512_movepi8_mask(
            _mm512_permutexvar_epi64(TMAP_ORDER_512(tmap_mask_in(here.masks, i)), _mm512_movm_epi8(bytes)));
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, at += at_step) {
        uint32_t number = at / TMAP_LINE_B % TMAP_MASKS, mask = tmap_mask_in(here.masks, number);
        uint8_t *block = here.bytes + (at ^ (mask & 64));
        if (put)
            _mm512_mask_storeu_epi8(
                block, permuted[number],
                _mm512_permutexvar_epi64(TMAP_ORDER_512(mask), _mm512_maskz_loadu_epi8(bytes, row)));
        else
            _mm512_mask_storeu_epi8(row, bytes,
                                    _mm512_permutexvar_epi64(TMAP_ORDER_512(mask), _mm512_loadu_si512(block)));
    }
}

TARGET void tmap_part_get_avx512(const tmap_image *image, const tmap_rows *rows) {
    part_rows(image, rows, false);
}

TARGET void tmap_part_put_avx512(const tmap_image *image, const tmap_rows *rows) {
    part_rows(image, rows, true);
}

/* Rows that are each inside one line, and in both of its blocks: reads whole lines and writes the bytes of the rows. */
TARGET void tmap_line_part_get_avx512(const tmap_image *image, const tmap_rows *rows) {
    uint64_t masks = image->masks, number = rows->at / TMAP_LINE_B;
    ptrdiff_t row_step = rows->row_step;
    uint32_t skip = rows->at % TMAP_LINE_B, line_step = rows->at_step;
    const uint8_t *line = image->bytes + (rows->at - skip);
    uint8_t *row = rows->row - skip;
    __mmask64 first = UINT64_MAX << skip, second = UINT64_MAX >> (TMAP_LINE_B - skip - rows->size);
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, line += line_step) {
        uint32_t mask = tmap_mask_in(masks, number);
        __m512i order = TMAP_ORDER_512(mask), a = _mm512_loadu_si512(line + (mask & 64)),
                b = _mm512_loadu_si512(line + (~mask & 64));
        _mm512_mask_storeu_epi8(row, first, _mm512_permutexvar_epi64(order, a));
        _mm512_mask_storeu_epi8(row + 64, second, _mm512_permutexvar_epi64(order, b));
        number += line_step / TMAP_LINE_B;
    }
}

/* ---- Fill at the ends ------------------------------------------------------------------------------------------- */

/* A column of blocks. Bytes outside `written` keep their contents. */
typedef struct block_column {
    uint32_t at;
    const uint8_t *row; /* the byte of memory under the first byte of the block, perhaps before the memory */
    __mmask64 data, written;
} block_column;

TARGET static inline void put_plain(const tmap_image *image, const tmap_loop *rows, uint32_t rows_n,
                                    const block_column *c, __m512i fill) {
    uint8_t *to = image->bytes + c->at;
    const uint8_t *from = c->row;
    ptrdiff_t row_step = (ptrdiff_t)rows->global_step;
    uint32_t at_step = rows->at_step;
    __mmask64 data = c->data, written = c->written;
    if (written != UINT64_MAX)
        for (uint32_t left = rows_n; left > 0; left--, to += at_step, from += row_step)
            _mm512_mask_storeu_epi8(to, written, _mm512_mask_loadu_epi8(fill, data, from));
    else if (data == 0)
        for (uint32_t left = rows_n; left > 0; left--, to += at_step) _mm512_storeu_si512(to, fill);
    else if (data == UINT64_MAX)
        for (uint32_t left = rows_n; left > 0; left--, to += at_step, from += row_step)
            _mm512_storeu_si512(to, _mm512_loadu_si512(from));
    else
        for (uint32_t left = rows_n; left > 0; left--, to += at_step, from += row_step)
            _mm512_storeu_si512(to, _mm512_mask_loadu_epi8(fill, data, from));
}

TARGET static inline void put_swizzled(const tmap_image *image, const tmap_loop *rows, uint32_t rows_n,
                                       const block_column *c, __m512i fill) {
    uint64_t masks = image->masks;
    ptrdiff_t row_step = (ptrdiff_t)rows->global_step;
    uint8_t *bytes = image->bytes;
    const uint8_t *from = c->row;
    uint32_t at = c->at, at_step = rows->at_step;
    __mmask64 data = c->data;
    for (uint32_t left = rows_n; left > 0; left--, at += at_step, from += row_step) {
        uint32_t mask = tmap_mask_in(masks, at / TMAP_LINE_B);
        __m512i block = _mm512_mask_loadu_epi8(fill, data, from);
        _mm512_storeu_si512(bytes + (at ^ (mask & BLOCK_B)), _mm512_permutexvar_epi64(TMAP_ORDER_512(mask), block));
    }
}

TARGET void tmap_put_edges_avx512(const tmap_image *image, uint8_t *bytes, const tmap_block *block, tmap_edges edges) {
    uint32_t before_B = block->before_B, size = edges.size, width = before_B + size + block->after_B;
    uint32_t rows_n = tmap_rows_at_place(block), named = block->named_rows;
    __m512i fill = _mm512_set1_epi16((int16_t)edges.pattern);
    tmap_place_of_rows place = tmap_first_rows(block);
    do {
        for (uint32_t done = 0; done < width; done += BLOCK_B) {
            int64_t first = (int64_t)before_B - done;
            const block_column c = {.at = place.at - before_B + done,
                                    .row = bytes + (ptrdiff_t)(place.global_B - (uint64_t)first),
                                    .data = tmap_bytes_between(first, first + size),
                                    .written = tmap_bytes_between(0, (int64_t)width - done)};
            if (image->masks == 0)
                put_plain(image, &block->loops[0], rows_n, &c, fill);
            else
                put_swizzled(image, &block->loops[0], rows_n, &c, fill);
        }
    } while (tmap_next_rows(block, named, &place));
}

#endif
