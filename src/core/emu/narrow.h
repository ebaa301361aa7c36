/*
 * Members of tmap_kernels for x86-64. Rows of 16, 32 or 64 bytes that follow one another in the image, and rows of 16
 * to 128 bytes with fill: the functions move the rows of a line of 128 bytes at once. Rows that are parts of a block or
 * of a line: the functions move each row at once.
 */
#pragma once

#include "emu/permute.h"

void tmap_narrow_get_avx512(const tmap_image *image, const tmap_rows *rows);
void tmap_narrow_put_avx512(const tmap_image *image, const tmap_rows *rows);
tmap_put_edges *tmap_edges_avx512(const tmap_image *image, uint32_t width, uint32_t at_step);
/* Rows of 16, 32, 64 or 128 bytes, fill included; at_step and the start of a row's fill are multiples of this size. */
void tmap_narrow_put_edges_avx512(const tmap_image *image, const tmap_rows *rows, const tmap_edges *edges);

void tmap_narrow_get_avx2(const tmap_image *image, const tmap_rows *rows);
void tmap_narrow_put_avx2(const tmap_image *image, const tmap_rows *rows);
tmap_put_edges *tmap_edges_avx2(const tmap_image *image, uint32_t width, uint32_t at_step);

void tmap_part_get_avx512(const tmap_image *image, const tmap_rows *rows);
void tmap_part_put_avx512(const tmap_image *image, const tmap_rows *rows);
void tmap_line_part_get_avx512(const tmap_image *image, const tmap_rows *rows);
