/* view: finds the periods of a picture. */
#include "view/fold.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "text/print.h"

/* A period has at least 4 rows, so that a reader sees how rows differ. Fewer than 16 folded rows gain too little. The
 * search ends after COMPARED_MAX comparisons of rows; then further rows are drawn. */
enum { PERIOD_MIN = 4, PERIOD_MAX = 128, FOLDED_MIN = 16, COMPARED_MAX = 1 << 18 };

static bool is_number(const char *text) {
    text += *text == '-';
    return *text >= '0' && *text <= '9';
}

static uint64_t take_number(const char **text) {
    char *end;
    int64_t number = strtoll(*text, &end, 10);
    *text = end;
    return (uint64_t)number;
}

/* Compares two labels of a cell: all characters except numbers are equal, and numbers differ by the shift. Numbers that
 * the fold does not have yet extend its shift. */
static bool same_but_shift(const char *earlier, const char *later, tmap_fold *fold) {
    int n = 0;
    while (*earlier && *later) {
        if (!is_number(earlier) || !is_number(later)) {
            if (*earlier++ != *later++) return false;
            continue;
        }
        uint64_t from = take_number(&earlier);
        int64_t shift = (int64_t)(take_number(&later) - from);
        if (n == TMAP_LABEL_NUMBERS || (n < fold->shift_n && fold->shift[n] != shift)) return false;
        fold->shift[n++] = shift;
        if (n > fold->shift_n) fold->shift_n = n;
    }
    return *earlier == *later;
}

static bool row_repeats(const tmap_picture_rows *rows, uint32_t row, tmap_fold *fold) {
    char earlier[TMAP_PICTURE_TEXT], later[TMAP_PICTURE_TEXT];
    for (int column = 0; column < rows->columns; column++) {
        rows->label(rows->of, row - fold->period, column, false, earlier);
        rows->label(rows->of, row, column, true, later);
        if (!same_but_shift(earlier, later, fold)) return false;
    }
    return true;
}

/* The rows between the first and the last period of the repetition that begins at `from`. */
static tmap_fold fold_of_period(tmap_folds *folds, const tmap_picture_rows *rows, uint32_t from, uint32_t end,
                                uint32_t period) {
    tmap_fold fold = {.first = from + period, .end = from + period, .period = period};
    uint32_t row = from + period;
    while (row < end && row_repeats(rows, row, &fold)) row++;
    folds->compared += row + 1 - fold.first;
    uint32_t times = (row - from) / period;
    if (times > 2) fold.end = from + (times - 1) * period;
    return fold;
}

/* Of all periods, the one that folds most rows. */
static tmap_fold best_fold(tmap_folds *folds, const tmap_picture_rows *rows, uint32_t from, uint32_t end) {
    tmap_fold best = {.first = from, .end = from};
    for (uint32_t period = PERIOD_MIN; period <= PERIOD_MAX && 3 * period <= end - from; period++) {
        tmap_fold fold = fold_of_period(folds, rows, from, end, period);
        if (fold.end - fold.first >= FOLDED_MIN && fold.end - fold.first > best.end - best.first) best = fold;
        if (best.end > from && end - best.end < 2 * best.period) break; /* the repetition goes to the last row */
    }
    return best;
}

static void add(tmap_folds *folds, tmap_fold fold, uint32_t first, uint32_t end) {
    if (first >= end || folds->n == TMAP_FOLDS_MAX) return;
    fold.first = first;
    fold.end = end;
    folds->at[folds->n++] = fold;
}

/* Finds the longest folds, then the folds in their drawn periods: of planes that repeat, the rows that repeat. */
static void find(tmap_folds *folds, const tmap_picture_rows *rows, uint32_t first, uint32_t end, uint32_t kept) {
    while (first < end && folds->compared < COMPARED_MAX) {
        tmap_fold fold = best_fold(folds, rows, first, end);
        if (fold.first == fold.end) {
            first++;
            continue;
        }
        find(folds, rows, first, fold.first, kept);
        uint32_t drawn = fold.end;
        if (kept >= fold.first && kept < fold.end) drawn = kept - (kept - fold.first) % fold.period;
        add(folds, fold, fold.first, drawn);
        if (drawn < fold.end) find(folds, rows, drawn, drawn + fold.period, kept);
        add(folds, fold, drawn + fold.period, fold.end);
        first = fold.end + fold.period;
        find(folds, rows, fold.end, first, kept);
    }
}

void tmap_folds_find(tmap_folds *folds, const tmap_picture_rows *rows, uint32_t first, uint32_t end, uint32_t kept) {
    folds->n = 0;
    folds->compared = 0;
    find(folds, rows, first, end, kept);
}

const tmap_fold *tmap_fold_at(const tmap_folds *folds, uint32_t row) {
    for (int i = 0; i < folds->n; i++)
        if (folds->at[i].first == row) return &folds->at[i];
    return NULL;
}

uint32_t tmap_folds_cut(const tmap_folds *folds, uint32_t first, uint32_t end, uint32_t most) {
    for (; first < end && most > 0; first++, most--) {
        const tmap_fold *fold = tmap_fold_at(folds, first);
        if (fold) first = fold->end;
    }
    return first;
}

char *tmap_fold_text(const tmap_fold *fold, const char *rows, const char *names, char text[TMAP_PICTURE_TEXT]) {
    const char *between = ", with ";
    text[0] = '\0';
    tmap_append(text, TMAP_PICTURE_TEXT, "%s %" PRIu32 "-%" PRIu32 ": %" PRIu32 " x the %" PRIu32 " %s above", rows,
                fold->first, fold->end - 1, (fold->end - fold->first) / fold->period, fold->period, rows);
    for (int i = 0; i < fold->shift_n && *names; i++) {
        int length = (int)strcspn(names, ",");
        int64_t by = fold->shift[i];
        if (by != 0 && length > 0) {
            uint64_t size = by < 0 ? 0 - (uint64_t)by : (uint64_t)by;
            tmap_append(text, TMAP_PICTURE_TEXT, "%s%.*s %c %" PRIu64, between, length, names, by < 0 ? '-' : '+',
                        size);
            between = ", ";
        }
        names += length + (names[length] == ',');
    }
    tmap_append(text, TMAP_PICTURE_TEXT, "%s", between[2] == '\0' ? " each time" : "");
    return text;
}
