/* Counts bank conflicts: makes every access of a reader, word by word, and applies the bank model to each access. */
#include "tmap/unstable/stats.h"

#include <string.h>

#include "banks/access.h"
#include "base/rows.h"
#include "base/wide.h"

#define WORD_B     4
#define ACCESS_B   (TMAP_BANKS * WORD_B) /* the most bytes that one pass can return */
#define ELEMENT_NO 4                     /* the width for types whose elements are not whole bytes */

static const tmap_reader_info readers[] = {
#define TMAP_READER(id, ...) [TMAP_READER_##id] = {__VA_ARGS__},
#include "tmap/unstable/stats/readers.def"
#undef TMAP_READER
};

TMAP_ROW_GETTER(tmap_reader_info, tmap_reader_get, readers)

const char *tmap_stats_fact(int i) {
    static const char *const facts[] = {"shared-banks", "shared-wide-reads", "l2-sectors"};
    return i >= 0 && i < (int)(sizeof facts / sizeof facts[0]) ? facts[i] : NULL;
}

uint32_t tmap_reader_width_B(const tmap_type_info *type) {
    return type->unit_values == 1 ? (uint32_t)type->bits / 8 : ELEMENT_NO;
}

/* Adds the words of a lane that reads `width_B` bytes from offset box_B of the box on. A swizzle may split the bytes,
 * but never within a word. */
static void add_lane(tmap_bank_words *words, const tmap_copy *copy, uint64_t box_B, uint32_t width_B) {
    for (uint32_t done = 0; done < width_B; done += WORD_B) {
        uint64_t address = copy->params.shared + box_B + done;
        tmap_bank_words_add(words, (address ^ copy->line_masks[address / TMAP_LINE_B % 8]) / WORD_B);
    }
}

/* An access: lanes from (row, byte in row) on, in the same column (`down`) or side by side. */
typedef struct access {
    uint32_t row, row_B, lanes_n, width_B;
    bool down;
} access;

static void count_access(const tmap_copy *copy, const access *a, tmap_reading *conflicts) {
    tmap_bank_words words;
    tmap_bank_words_begin(&words);
    for (uint32_t lane = 0; lane < a->lanes_n; lane++) {
        uint64_t row = a->down ? a->row + lane : a->row, in_row_B = a->row_B + (a->down ? 0 : lane * a->width_B);
        if (row < copy->rows_n && in_row_B < copy->inner_B)
            add_lane(&words, copy, row * copy->pitch_B + in_row_B, a->width_B);
    }
    conflicts->accesses_n++;
    conflicts->passes_n += (uint32_t)words.most;
    if ((uint32_t)words.most > conflicts->worst_n) conflicts->worst_n = (uint32_t)words.most;
}

/* Accesses whose addresses differ by a multiple of this number have the same conflicts: the 128 bytes of all banks, or
 * the period of the swizzle. */
static uint64_t period_of(const tmap_copy *copy) {
    size_t lines = sizeof copy->line_masks;
    while (lines > 1 && memcmp(copy->line_masks, copy->line_masks + lines / 2, lines / 2) == 0) lines /= 2;
    return lines * TMAP_LINE_B;
}

static uint64_t lowest_bit(uint64_t bits) {
    return bits & -bits;
}

/* The number of steps of `step_B` after which the addresses have moved by a multiple of the period. */
static uint32_t steps_of_period(const tmap_copy *copy, uint64_t step_B) {
    uint64_t period_B = period_of(copy);
    return (uint32_t)(period_B / lowest_bit(step_B | period_B));
}

/* Columns in a block of this number of bytes have the same conflicts: their addresses differ in bits that are 0 at the
 * start of every row and line. So the banks of one column are those of another, with some bits flipped. */
static uint32_t columns_alike_B(const tmap_copy *copy, uint32_t width_B) {
    uint32_t alike_B = (uint32_t)lowest_bit(copy->params.shared | copy->pitch_B | TMAP_LINE_B);
    return alike_B > width_B ? alike_B : width_B;
}

/* Adds the conflicts of `times` rows of accesses. */
static void add(tmap_reading *sum, const tmap_reading *row, uint64_t times) {
    sum->accesses_n += row->accesses_n * times;
    sum->passes_n += row->passes_n * times;
    if (row->worst_n > sum->worst_n) sum->worst_n = row->worst_n;
}

static bool good_width(uint32_t width_B) {
    return width_B > 0 && width_B <= 16 && (width_B & (width_B - 1)) == 0;
}

tmap_status tmap_count_conflicts(const tmap_copy *copy, tmap_reader reader, uint32_t width_B, tmap_reading *conflicts) {
    const tmap_reader_info *info = tmap_reader_get((int)reader);
    if (!info || !good_width(width_B)) return TMAP_BAD_ARGUMENT;
    if (info->width_B) width_B = info->width_B;
    access a = {.width_B = width_B, .lanes_n = ACCESS_B / width_B, .down = info->down};
    if (a.lanes_n > TMAP_LANES) a.lanes_n = TMAP_LANES;
    uint32_t row_step = info->down ? info->rows_n : 1, byte_step = info->down ? width_B : width_B * a.lanes_n;
    uint32_t alike_B = info->down ? columns_alike_B(copy, width_B) : byte_step;
    uint32_t rows_n = info->down ? a.lanes_n : 1; /* of one access; a smaller box has one access of all rows */
    uint32_t starts_n = copy->rows_n > rows_n ? (copy->rows_n - rows_n) / row_step + 1 : 1;
    uint32_t period = steps_of_period(copy, (uint64_t)row_step * copy->pitch_B);
    *conflicts = (tmap_reading){0};
    for (uint32_t i = 0; i < period && i < starts_n; i++) {
        tmap_reading row = {0};
        a.row = i * row_step;
        for (a.row_B = 0; a.row_B < copy->inner_B; a.row_B += alike_B) {
            tmap_reading one = {0};
            uint32_t left_B = copy->inner_B - a.row_B;
            count_access(copy, &a, &one);
            add(&row, &one, tmap_ceil_div(left_B < alike_B ? left_B : alike_B, byte_step));
        }
        add(conflicts, &row, (uint32_t)tmap_ceil_div(starts_n - i, period));
    }
    return TMAP_OK;
}
