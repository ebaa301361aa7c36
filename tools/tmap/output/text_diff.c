/*
 * The longest common subsequence of lines, by a table of the lines between the common start and the common end of the
 * texts. If the table is too large, all of these lines count as changed.
 */
#include "output/text_diff.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/print.h"

#define AROUND    3
#define CELLS_MAX ((size_t)16 << 20)

typedef struct line {
    const char *text;
    size_t size;
} line;

typedef struct lines {
    line *items;
    size_t n;
} lines;

static bool split(const tmap_text *text, lines *out) {
    size_t n = 0;
    for (size_t i = 0; i < text->size; i++) n += text->data[i] == '\n';
    *out = (lines){.items = calloc(n + 1, sizeof *out->items)};
    for (size_t at = 0; out->items && at < text->size;) {
        const char *end = memchr(text->data + at, '\n', text->size - at);
        size_t size = end ? (size_t)(end - text->data) - at + 1 : text->size - at;
        out->items[out->n++] = (line){text->data + at, size};
        at += size;
    }
    return out->items;
}

static bool same(const line *a, const line *b) {
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

/* Marks the lines that are in both texts, in order. */
static bool mark_common(const lines *a, const lines *b, bool *keep_a, bool *keep_b) {
    size_t first = 0, end_a = a->n, end_b = b->n;
    while (first < end_a && first < end_b && same(&a->items[first], &b->items[first]))
        keep_a[first] = keep_b[first] = true, first++;
    while (end_a > first && end_b > first && same(&a->items[end_a - 1], &b->items[end_b - 1]))
        keep_a[--end_a] = keep_b[--end_b] = true;
    size_t rows = end_a - first + 1, columns = end_b - first + 1;
    if (columns > CELLS_MAX / rows) return true;
    uint32_t *longest = calloc(rows * columns, sizeof *longest); /* [i][j]: of a from line i on and b from j on */
    if (!longest) return false;
    for (size_t i = rows - 1; i-- > 0;)
        for (size_t j = columns - 1; j-- > 0;) {
            uint32_t down = longest[(i + 1) * columns + j], right = longest[i * columns + j + 1];
            bool common = same(&a->items[first + i], &b->items[first + j]);
            longest[i * columns + j] = common ? longest[(i + 1) * columns + j + 1] + 1 : down > right ? down : right;
        }
    for (size_t i = 0, j = 0; i + 1 < rows && j + 1 < columns;) {
        if (same(&a->items[first + i], &b->items[first + j]))
            keep_a[first + i++] = keep_b[first + j++] = true;
        else if (longest[(i + 1) * columns + j] >= longest[i * columns + j + 1])
            i++;
        else
            j++;
    }
    free(longest);
    return true;
}

static void put_line(tmap_sink *sink, char sign, const line *shown) {
    tmap_write(sink, &sign, 1);
    tmap_write(sink, shown->text, shown->size);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a line has a character */
    if (shown->text[shown->size - 1] != '\n') tmap_puts(sink, "\n\\ No newline at end of file\n");
}

/* Finds the next change: lines [*from_a, *to_a) become [*from_b, *to_b). */
static bool next_change(const lines *a, const lines *b, const bool *keep_a, const bool *keep_b, size_t at[4]) {
    size_t i = at[1], j = at[3];
    while (i < a->n && j < b->n && keep_a[i] && keep_b[j]) i++, j++;
    at[0] = i, at[2] = j;
    while (i < a->n && !keep_a[i]) i++;
    while (j < b->n && !keep_b[j]) j++;
    at[1] = i, at[3] = j;
    return at[0] < i || at[2] < j;
}

/* Prints one change, or several with at most 2 * AROUND equal lines between two of them. */
static void put_hunks(tmap_sink *sink, const lines *a, const lines *b, const bool *keep_a, const bool *keep_b) {
    size_t at[4] = {0};
    bool more = next_change(a, b, keep_a, keep_b, at);
    while (more) {
        size_t first_a = at[0] > AROUND ? at[0] - AROUND : 0, first_b = at[2] - (at[0] - first_a);
        size_t last[4];
        do {
            memcpy(last, at, sizeof last);
            more = next_change(a, b, keep_a, keep_b, at);
        } while (more && at[0] - last[1] <= (size_t)2 * AROUND);
        size_t end_a = last[1] + AROUND < a->n ? last[1] + AROUND : a->n, end_b = last[3] + (end_a - last[1]);
        tmap_printf(sink, "@@ -%zu,%zu +%zu,%zu @@\n", first_a + (end_a > first_a), end_a - first_a,
                    first_b + (end_b > first_b), end_b - first_b);
        for (size_t i = first_a, j = first_b; i < end_a || j < end_b;) {
            bool removed = i < end_a && !keep_a[i], added = !removed && j < end_b && !keep_b[j];
            put_line(sink, removed ? '-' : added ? '+' : ' ', added ? &b->items[j] : &a->items[i]);
            i += !added;
            j += !removed;
        }
    }
}

bool text_diff_write(tmap_sink *sink, const char *path, const tmap_text *before, const tmap_text *after) {
    lines a = {0}, b = {0};
    bool done = split(before, &a) && split(after, &b);
    bool *keep_a = calloc(a.n + 1, sizeof *keep_a), *keep_b = calloc(b.n + 1, sizeof *keep_b);
    done = done && keep_a && keep_b && mark_common(&a, &b, keep_a, keep_b);
    if (done) {
        tmap_printf(sink, "--- %s\n+++ %s\n", path, path);
        put_hunks(sink, &a, &b, keep_a, keep_b);
    }
    free(keep_a);
    free(keep_b);
    free(a.items);
    free(b.items);
    return done;
}
