/*
 * Rows of 16, 32 or 64 bytes, with fill also of 128 bytes, that follow one another in the image, for x86-64 with AVX2:
 * the rows of a line, four blocks of 32 bytes, are permuted and moved at once. Rows that share their line with other
 * bytes, and rows of fewer than two lines, are moved one by one.
 */
#include "emu/narrow.h"
#include "emu/vectors_x86.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET      __attribute__((target("avx2")))
#define INLINE      TARGET TMAP_ALWAYS_INLINE
#define BLOCK_B     32
#define UNIT_B      16u
#define LINE_BLOCKS (TMAP_LINE_B / BLOCK_B)

/* Rows of memory, `size` bytes each and `step` apart. If `filled`, bytes of a line outside the masks `data` are fill.
 * `size` and `filled` are constants of each function. */
typedef struct narrow_rows {
    ptrdiff_t step;
    uint32_t size;
    bool filled;
    __m256i data[LINE_BLOCKS], fill;
} narrow_rows;

INLINE __m256i read_32(const uint8_t *from) {
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

INLINE __m128i read_16(const uint8_t *from) {
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

INLINE void write_32(uint8_t *to, __m256i data) {
    _mm256_storeu_si256((__m256i *)(void *)to, data);
}

INLINE void write_16(uint8_t *to, __m128i data) {
    _mm_storeu_si128((__m128i *)(void *)to, data);
}

/* The place in memory of byte `at` of a line whose first row is `row`. */
INLINE uint8_t *place_of(const narrow_rows *n, uint8_t *row, uint32_t at) {
    return row + at / n->size * n->step + at % n->size;
}

/* Block i of a line, from memory. */
INLINE __m256i read_block(const narrow_rows *n, uint8_t *row, uint32_t i) {
    uint8_t *first = place_of(n, row, i * BLOCK_B), *second = place_of(n, row, i * BLOCK_B + UNIT_B);
    __m256i block = n->size == UNIT_B ? _mm256_set_m128i(read_16(second), read_16(first)) : read_32(first);
    return n->filled ? _mm256_blendv_epi8(n->fill, block, n->data[i]) : block;
}

INLINE void write_block(const narrow_rows *n, uint8_t *row, uint32_t i, __m256i block) {
    if (n->size == UNIT_B) {
        write_16(place_of(n, row, i * BLOCK_B), _mm256_castsi256_si128(block));
        write_16(place_of(n, row, i * BLOCK_B + UNIT_B), _mm256_extracti128_si256(block, 1));
    } else {
        write_32(place_of(n, row, i * BLOCK_B), block);
    }
}

INLINE void move_line(const narrow_rows *n, uint8_t *line, uint8_t *row, uint32_t mask, bool put) {
    uint32_t high = mask & ~(uint32_t)(BLOCK_B - 1);
    __m256i order = TMAP_ORDER_256(mask);
#pragma GCC unroll 4
    for (uint32_t i = 0; i < LINE_BLOCKS; i++) {
        uint8_t *swizzled = line + (i * BLOCK_B ^ high);
        if (put)
            write_32(swizzled, _mm256_permutevar8x32_epi32(read_block(n, row, i), order));
        else
            write_block(n, row, i, _mm256_permutevar8x32_epi32(read_32(swizzled), order));
    }
}

INLINE void move_lines(const tmap_image *image, const narrow_rows *n, uint32_t at, uint8_t *row, uint32_t lines_n,
                       bool put) {
    uint64_t masks = tmap_masks_of(image);
    ptrdiff_t step = TMAP_LINE_B / n->size * n->step;
    uint32_t turn = (uint32_t)(image->first_line + at / TMAP_LINE_B) % TMAP_MASKS * 8;
    uint8_t *line = image->bytes + at;
    masks = masks >> turn | masks << (-turn & 63);
#pragma GCC unroll 1
    for (; lines_n > 0; lines_n--, row += step, line += TMAP_LINE_B, masks = masks >> 8 | masks << 56)
        move_line(n, line, row, masks & 0xff, put);
}

/* Moves a few rows, unit by unit; they need not fill a line. Within a unit, a mask can only exchange the two halves. */
INLINE void move_units(const tmap_image *image, const tmap_rows *rows, uint32_t size, bool put) {
    uint64_t masks = tmap_masks_of(image);
    ptrdiff_t step = rows->row_step;
    uint8_t *row = rows->row, *bytes = image->bytes;
    uint32_t at = rows->at;
    for (uint32_t left = rows->rows_n; left > 0; left--, row += step, at += size) {
        uint32_t mask = tmap_mask_in(masks, image->first_line + at / TMAP_LINE_B), units = mask & ~(UNIT_B - 1);
        for (uint32_t i = 0; i < size; i += UNIT_B) {
            uint8_t *swizzled = bytes + ((at + i) ^ units);
            __m128i data = read_16(put ? row + i : swizzled);
            write_16(put ? swizzled : row + i, mask & 8 ? _mm_shuffle_epi32(data, 0x4e) : data);
        }
    }
}

/* Advances to rows after `done` rows. */
static inline void skip_rows(tmap_rows *rows, uint32_t done) {
    rows->row += done * rows->row_step, rows->at += done * rows->at_step, rows->rows_n -= done;
}

INLINE void move_rows(const tmap_image *image, const tmap_rows *rows, uint32_t size, bool put) {
    const narrow_rows n = {.step = rows->row_step, .size = size};
    uint32_t line_rows = TMAP_LINE_B / size, lines_n;
    tmap_rows left = *rows, part = *rows;
    part.rows_n = rows->rows_n < 2 * line_rows ? rows->rows_n : -rows->at % TMAP_LINE_B / size;
    move_units(image, &part, size, put);
    skip_rows(&left, part.rows_n);
    lines_n = left.rows_n / line_rows;
    move_lines(image, &n, left.at, left.row, lines_n, put);
    skip_rows(&left, lines_n * line_rows);
    move_units(image, &left, size, put);
}

TARGET void tmap_narrow_get_avx2(const tmap_image *image, const tmap_rows *rows) {
    switch (rows->size) {
    case 16: move_rows(image, rows, 16, false); break;
    case 32: move_rows(image, rows, 32, false); break;
    default: move_rows(image, rows, 64, false);
    }
}

TARGET void tmap_narrow_put_avx2(const tmap_image *image, const tmap_rows *rows) {
    switch (rows->size) {
    case 16: move_rows(image, rows, 16, true); break;
    case 32: move_rows(image, rows, 32, true); break;
    default: move_rows(image, rows, 64, true);
    }
}

/* ---- Rows with fill ---------------------------------------------------------------------------------------------- */

/* Puts the first `rows_n` rows without reading memory outside their data: through a buffer of a line. */
TARGET static void put_separately(const tmap_image *image, const tmap_rows *rows, const tmap_edges *edges,
                                  uint32_t width, uint32_t rows_n) {
    uint8_t line[TMAP_LINE_B];
    uint32_t at_once = rows->at_step == width ? TMAP_LINE_B / width : 1;
    for (uint32_t i = 0; i < TMAP_LINE_B; i += sizeof edges->pattern)
        memcpy(line + i, &edges->pattern, sizeof edges->pattern);
    for (uint32_t done = 0, n; done < rows_n; done += n) {
        n = rows_n - done < at_once ? rows_n - done : at_once;
        for (uint32_t i = 0; i < n; i++)
            memcpy(line + (size_t)i * width + edges->before_B, rows->row + (done + i) * rows->row_step, rows->size);
        const tmap_rows filled = {
            .row = line, .row_step = width, .at = rows->at - edges->before_B + done * rows->at_step, .rows_n = n};
        move_units(image, &filled, width, true);
    }
}

/* The masks of the data in a line of rows of `width` bytes. */
INLINE void set_data(narrow_rows *n, uint32_t width, const tmap_edges *edges, uint32_t size) {
    uint8_t bytes[TMAP_LINE_B] = {0};
    for (uint32_t at = edges->before_B; at < TMAP_LINE_B; at += width) memset(bytes + at, 0xff, size);
    for (uint32_t i = 0; i < LINE_BLOCKS; i++) n->data[i] = read_32(bytes + (size_t)i * BLOCK_B);
}

/* The number of rows, from the first or the last, that cannot be read together with the `size` bytes before or after
 * their data, because these bytes may be outside the memory. All rows, if the step is 0 or negative. */
static uint32_t unsafe_rows(uint32_t size, ptrdiff_t step, uint32_t rows_n) {
    if (size == 0) return 0;
    if (step >= (ptrdiff_t)size) return 1;
    return step <= 0 ? rows_n : (size + (uint32_t)step - 1) / (uint32_t)step;
}

/*
 * A line is read whole, with the bytes of memory before and after the data of its rows, if these are between the data
 * of the first row and of the last.
 */
INLINE void put_edged(const tmap_image *image, const tmap_rows *rows, const tmap_edges *edges, uint32_t width) {
    narrow_rows n = {.step = rows->row_step, .size = width, .filled = true};
    uint32_t line_rows = TMAP_LINE_B / width, first = unsafe_rows(edges->before_B, n.step, rows->rows_n),
             last = unsafe_rows(edges->after_B, n.step, rows->rows_n), lines_n;
    tmap_rows left = *rows;
    first += -(rows->at - edges->before_B + first * width) % TMAP_LINE_B / width; /* to the end of the line */
    if (rows->at_step != width || first + last + line_rows > rows->rows_n) {
        put_separately(image, rows, edges, width, rows->rows_n);
        return;
    }
    put_separately(image, &left, edges, width, first);
    skip_rows(&left, first);
    set_data(&n, width, edges, rows->size);
    n.fill = _mm256_set1_epi16((int16_t)edges->pattern);
    lines_n = (left.rows_n - last) / line_rows;
    move_lines(image, &n, left.at - edges->before_B, left.row - edges->before_B, lines_n, true);
    skip_rows(&left, lines_n * line_rows);
    put_separately(image, &left, edges, width, left.rows_n);
}

TARGET static void put_edges(const tmap_image *image, const tmap_rows *rows, const tmap_edges *edges) {
    switch (edges->before_B + rows->size + edges->after_B) {
    case 16: put_edged(image, rows, edges, 16); break;
    case 32: put_edged(image, rows, edges, 32); break;
    case 64: put_edged(image, rows, edges, 64); break;
    default: put_edged(image, rows, edges, TMAP_LINE_B);
    }
}

tmap_put_edges *tmap_edges_avx2(const tmap_image *image, uint32_t width, uint32_t at_step) {
    (void)image;
    return (tmap_rows_are_narrow(width) || width == TMAP_LINE_B) && at_step == width ? put_edges : NULL;
}

#endif
