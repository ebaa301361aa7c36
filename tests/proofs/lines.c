/*
 * Point: 3
 * Proves: a line of a run (tmap_lines_next) is at the exact sum of the shared address, the offset of the run, the number
 *     of the row times the distance of rows, and the offset in the row: the 64-bit sum and the product do not wrap,
 *     and neither does any other number of lines.c. The line is not empty, stays in the row and in one line of 128
 *     bytes, and has the mask of this line. The next line starts where this line ends, or in the next row, and the last
 *     line ends the last row: by induction over the lines, the lines of a run are disjoint and cover the run.
 * Bounds: a shared address, an offset of the run, a number, a distance and a size of rows of 32 bits, without any
 *     relation between these numbers. tmap_lines_begin computes the size of a row: up to 65,535 units of up to 255
 *     bytes.
 * Tool: symbolic
 * Compiler: clang
 * Options: -fsanitize=unsigned-integer-overflow,signed-integer-overflow,integer-divide-by-zero,shift,bounds
 *     -fsanitize-trap=all
 */
#include "walk/lines.c"
#include "proof.h"

#pragma clang attribute push(__attribute__((no_sanitize("all"))), apply_to = function)

__extension__ typedef unsigned __int128 wide;

static tmap_copy copy;
static tmap_run run;
static tmap_lines lines;
static tmap_line line;

static uint32_t any_u32(void) {
    ANY(uint32_t, value);
    return value;
}

static void begin_run(void) {
    ANY(uint16_t, units_n);
    ANY(uint8_t, pitch_B);
    run.units_n = units_n, copy.unit.pitch_B = pitch_B;
    tmap_lines_begin(&lines, &copy, &run);
    PROVE((lines.row == 0) & (lines.row_B == 0) & (lines.copy == &copy) & (lines.run == &run));
    PROVE(lines.row_size_B == run.units_n * (uint64_t)copy.unit.pitch_B);
}

/* A line of a run, from any place of a row. */
static void next_line(void) {
    lines = (tmap_lines){.copy = &copy, .run = &run, .row = any_u32(), .row_B = any_u32(), .row_size_B = any_u32()};
    ASSUME((lines.row_size_B > 0) & (lines.row_B <= lines.row_size_B) & (lines.row < run.rows_n));
    bool ended = lines.row_B == lines.row_size_B;
    uint32_t row = lines.row + ended, row_B = ended ? 0 : lines.row_B;
    bool more = tmap_lines_next(&lines, &line);
    PROVE(more == (row < run.rows_n));
    if (!more) return;
    wide address = (wide)copy.params.shared + run.box_B + (wide)((uint64_t)row * run.box_step_B) + row_B;
    PROVE(address == (wide)line.line_address + line.first_B);
    PROVE((line.line_address % TMAP_LINE_B == 0) & (line.first_B < TMAP_LINE_B));
    PROVE((line.size_B > 0) & (line.first_B + (uint64_t)line.size_B <= TMAP_LINE_B));
    PROVE((line.row == row) & (line.row_B == row_B) &
          (line.mask == copy.line_masks[line.line_address / TMAP_LINE_B % 8]));
    PROVE((lines.row == row) & (lines.row_B == row_B + (uint64_t)line.size_B) & (lines.row_B <= lines.row_size_B));
    PROVE((line.first_B + line.size_B == TMAP_LINE_B) | (lines.row_B == lines.row_size_B));
}

int main(void) {
    tmap_proof_any(copy.line_masks, sizeof copy.line_masks);
    copy.params.shared = any_u32();
    run.box_B = any_u32(), run.box_step_B = any_u32(), run.rows_n = any_u32();
    if (tmap_proof_each(2))
        next_line();
    else
        begin_run();
    return 0;
}

#pragma clang attribute pop
