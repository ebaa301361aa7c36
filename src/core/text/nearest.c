/* The nearest of several words: Damerau's edit distance with adjacent swaps (optimal string alignment). */
#include "text/nearest.h"

#include <string.h>

#define WORD_MAX 64

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static char lower(char c) {
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c;
}

static bool swapped(const char *a, size_t i, const char *b, size_t j) {
    return i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
}

/* Rows of the distance table: before[j] and last[j] are the distances of a[0..i-2] and a[0..i-1] to b[0..j]. */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size) {
    size_t rows[3][WORD_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_size; j++) last[j] = before[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t change = last[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            row[j] = least(change, least(last[j], row[j - 1]) + 1);
            if (swapped(a, i, b, j)) row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b_size];
}

/* Whether the character does not count in a comparison. */
static bool is_ignored(char c) {
    return c == '_' || c == '-' || c == '.' || c == ':' || c == ' ';
}

/* The rest of the word after `start`, compared without capitals and ignored characters; NULL: the word has another
 * start. `start` ends at `end`, or if this is NULL at its zero byte. */
static const char *after_part(const char *word, const char *start, const char *end) {
    for (;; word++, start++) {
        while (start != end && is_ignored(*start)) start++;
        while (is_ignored(*word)) word++;
        if (start == end || *start == '\0') return word;
        if (lower(*word) != lower(*start)) return NULL;
    }
}

static const char *after(const char *word, const char *start) {
    return after_part(word, start, NULL);
}

static size_t letters(const char *word) {
    return strlen(word) - strspn(word, "-_");
}

bool tmap_same_letters(const char *word, const char *other) {
    const char *rest = after(word, other);
    return rest && *rest == '\0';
}

bool tmap_same_as_one(const char *word, const char *words) {
    for (const char *end = words; *end != '\0'; words = end + 1) {
        for (end = words; *end != '\0' && *end != ' ';) end++;
        const char *rest = after_part(word, words, end);
        if (rest && *rest == '\0' && end > words) return true;
    }
    return false;
}

static bool contains(const char *word, const char *part) {
    for (; *word; word++)
        if (after(word, part)) return true;
    return false;
}

static bool is_plural(const char *word, const char *candidate) {
    const char *ending = after(word, candidate);
    return ending && (strcmp(ending, "s") == 0 || strcmp(ending, "es") == 0);
}

/* The longest candidate of at least four letters that the word contains: "e4m3" in "float8_e4m3fn". */
static const char *contained(const char *word, const char *const *candidates, size_t count) {
    const char *longest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(candidates[i]);
        if (size >= 4 && (!longest || size > strlen(longest)) && contains(word, candidates[i])) longest = candidates[i];
    }
    return longest;
}

/* The only candidate with the word's first letter and length, and at most half of its letters wrong: "lode" is load. */
static const char *similar(const char *word, const char *const *candidates, size_t count) {
    const char *only = NULL;
    size_t size = strlen(word);
    if (size < 4) return NULL;
    for (size_t i = 0; i < count; i++) {
        bool near = lower(word[0]) == lower(candidates[i][0]) && strlen(candidates[i]) == size &&
                    distance(word, size, candidates[i], size) <= size / 2;
        if (near && only) return NULL;
        if (near) only = candidates[i];
    }
    return only;
}

const char *tmap_nearest(const char *word, const char *const *candidates, size_t count) {
    const char *best = NULL;
    size_t size = strlen(word), best_distance = SIZE_MAX;
    if (size == 0 || size > WORD_MAX) return NULL;
    for (size_t i = 0; i < count; i++) /* before prefixes: "128b" means 128B, not a longer name */
        if (tmap_same_letters(word, candidates[i])) return candidates[i];
    for (size_t i = 0; i < count; i++) {
        size_t candidate_size = strlen(candidates[i]);
        if (candidate_size > WORD_MAX) continue;
        if (size >= 3 && size < candidate_size && after(candidates[i], word)) return candidates[i];
        if (is_plural(word, candidates[i])) return candidates[i];
        size_t wrong = distance(word, size, candidates[i], candidate_size);
        size_t allowed = (size > candidate_size ? size : candidate_size) / 3;
        if (wrong <= (allowed > 0 ? allowed : 1) && wrong < best_distance && wrong < letters(candidates[i])) {
            best = candidates[i];
            best_distance = wrong;
        }
    }
    if (!best) best = contained(word, candidates, count);
    return best ? best : similar(word, candidates, count);
}
