/*
 * view: periods of a picture. If rows of cells repeat, with labels that differ by a constant shift, only the first and
 * the last period are drawn, with a note between them.
 */
#pragma once

#include "tmap/base.h"

enum { TMAP_PICTURE_TEXT = 160, TMAP_LABEL_NUMBERS = 24, TMAP_FOLDS_MAX = 32 };

/* The rows of a picture. `label` writes a text that determines all that is drawn of a cell. `later` is true for the
 * second of two rows that are compared, which is `period` rows later. */
typedef struct tmap_picture_rows {
    void *of;
    int columns;
    void (*label)(void *of, uint32_t row, int column, bool later, char text[TMAP_PICTURE_TEXT]);
} tmap_picture_rows;

/* Rows that are not drawn: first .. end-1. Each is equal to the row `period` rows earlier, except that number i of its
 * labels is larger by shift[i]. */
typedef struct tmap_fold {
    uint32_t first, end, period;
    int shift_n;
    int64_t shift[TMAP_LABEL_NUMBERS];
} tmap_fold;

typedef struct tmap_folds {
    int n;
    uint32_t compared; /* rows that the search has compared */
    tmap_fold at[TMAP_FOLDS_MAX];
} tmap_folds;

/* Finds the folds of the rows first .. end-1, by comparison of every cell. The period of row `kept` is drawn;
 * UINT32_MAX: no such row. */
void tmap_folds_find(tmap_folds *folds, const tmap_picture_rows *rows, uint32_t first, uint32_t end, uint32_t kept);
/* The fold that begins at a row; NULL: none. */
const tmap_fold *tmap_fold_at(const tmap_folds *folds, uint32_t row);
/* The end of the first `most` drawn rows from `first` on, at most `end`. */
uint32_t tmap_folds_cut(const tmap_folds *folds, uint32_t first, uint32_t end, uint32_t most);
/* Writes "lines 8-55: 6 x the 8 lines above, with m + 8 each time". `rows` is the word for rows; `names` has the names
 * of the numbers, separated by commas; a number without a name is not written. Returns `text`. */
char *tmap_fold_text(const tmap_fold *fold, const char *rows, const char *names, char text[TMAP_PICTURE_TEXT]);
