/* Rows that are parts of a block or of a line, for x86-64 with AVX-512: masks select the bytes of a row. */
#include "emu/narrow.h"
#include "emu/vectors_x86.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* Rows that are each inside one block and shorter than it: a mask selects the bytes of the block and is permuted
 * too. */
TMAP_TARGET_AVX512 TMAP_ALWAYS_INLINE void part_rows(const tmap_image *image, const tmap_rows *rows, bool put) {
    const tmap_image here = *image;
    uint32_t skip = rows->at % 64, at = rows->at - skip, at_step = rows->at_step;
    uint8_t *row = rows->row - skip;
    ptrdiff_t row_step = rows->row_step;
    __mmask64 bytes = (((uint64_t)1 << rows->size) - 1) << skip, permuted[TMAP_MASKS];
    for (uint32_t i = 0; i < TMAP_MASKS; i++)
        permuted[i] =
            _mm512_movepi8_mask(_mm512_permutexvar_epi64(TMAP_ORDER_512(here.line_masks[i]), _mm512_movm_epi8(bytes)));
    for (uint32_t left = rows->rows_n; left > 0; left--, row += row_step, at += at_step) {
        uint32_t number = (uint32_t)(here.first_line + at / TMAP_LINE_B) % TMAP_MASKS, mask = here.line_masks[number];
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

TMAP_TARGET_AVX512 void tmap_part_get_avx512(const tmap_image *image, const tmap_rows *rows) {
    part_rows(image, rows, false);
}

TMAP_TARGET_AVX512 void tmap_part_put_avx512(const tmap_image *image, const tmap_rows *rows) {
    part_rows(image, rows, true);
}

/* Rows that are each inside one line, and in both of its blocks: reads whole lines and writes the bytes of the rows. */
TMAP_TARGET_AVX512 void tmap_line_part_get_avx512(const tmap_image *image, const tmap_rows *rows) {
    uint64_t masks = tmap_masks_of(image), number = image->first_line + rows->at / TMAP_LINE_B;
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

#endif
