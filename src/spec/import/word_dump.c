#include "import/word_dump.h"

#include <string.h>

#include "hw/descriptor_bits.h"
#include "import/bytes.h"
#include "tmap/map.h"
#include "tmap/unstable/tables.h"

#define LITERAL_MIN   40 /* bytes of a list of 16 numbers with two digits or less */
#define DIFFERENT_MAX 8  /* bits of the first half */
#define WORD_GAP_MAX  3  /* lines of others between two lines with words */

/* The words of a line: all with 0x, all after its last label ("word 3:", "[3] =", "->"), or one after each label
 * ("w0=... w1=..."). */
typedef enum word_place { PREFIXED, AFTER_LABEL, EACH_LABEL } word_place;

static const struct {
    word_place place;
    unsigned base;
} ways[] = {{PREFIXED, 16}, {AFTER_LABEL, 16}, {AFTER_LABEL, 10}, {EACH_LABEL, 16}, {EACH_LABEL, 10}};

enum {
    WAYS_N = TMAP_IMPORT_WAYS,
    NUMBERS_N = sizeof((tmap_import *)0)->numbers / sizeof(tmap_import_numbers),
    VALUES_N = sizeof((tmap_import *)0)->values / sizeof(uint64_t)
};
TMAP_ROWS(ways, WAYS_N);

/* Words in the order of the log, read in one way. */
typedef struct log_words {
    uint64_t values[BYTES];
    size_t n, digits;      /* digits: hexadecimal digits of each word; 0: they differ, or the words are decimal */
    size_t seen_n, common; /* as `n` and `digits`, but of all numbers, words or not */
    size_t size_B, fitted; /* size_B: bytes that hold each of the first `fitted` words */
    unsigned sizes;        /* sizes of words, as bits, that may still make a descriptor */
    bool over;             /* they were tried in each size that holds them */
    bool ended;            /* the lines have no more words of this way, or other text */
} log_words;

/* ---- Words of a line -------------------------------------------------------------------------------------------- */

/* Adds the number at the place and returns its end. NULL: no number of at most 64 bits. */
static const char *add_word(log_words *words, const char *at, unsigned base) {
    bool prefix = base == 16 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    const char *first = at + (prefix ? 2 : 0), *end = first;
    uint64_t value;
    if (tmap_digits(&end, base, &value) != TMAP_NUMBER_OK) return NULL;
    size_t digits = base == 16 ? (size_t)(end - first) : 0;
    const char *after = end + (*end == 'U' || *end == 'u'); /* u, U, UL, LL or ULL */
    if (*end != 'u' && *after == 'L') after += after[1] == 'L' ? 2 : *end == 'U';
    if (is_word(*after) || *after == '.' || words->n == BYTES) return NULL;
    words->digits = words->n == 0 || words->digits == digits ? digits : 0;
    words->common = words->seen_n++ == 0 || words->common == digits ? digits : 0;
    words->values[words->n++] = value;
    return after;
}

/* Adds the words with 0x. A word before a colon is an offset. */
static void add_prefixed(log_words *words, const char *text, const char *first) {
    for (const char *at = first; at; at = strstr(at + 2, "0x")) {
        size_t n = words->n;
        const char *end = at > text && is_word(at[-1]) ? NULL : add_word(words, at, 16);
        if (end && *end == ':') words->n = n;
    }
}

static bool is_separator(char c) {
    return is_blank(c) || c == ',' || c == '|';
}

/* Adds all words of the text, which may have no other words, except characters in a last column. */
static void add_all(log_words *words, const char *text, unsigned base) {
    size_t before = words->n;
    for (const char *at = text; *at != '\0';) {
        if (is_separator(*at)) {
            at++;
            continue;
        }
        bool column = at > text + 1 && (at[-1] == '|' || (at[-1] == ' ' && at[-2] == ' '));
        if (words->n >= before + 4 && column) break;
        at = add_word(words, at, base);
        if (!at) {
            words->n = before;
            return;
        }
    }
}

/* The places where words of a line can start; NULL: none. */
typedef struct word_places {
    const char *text;
    const char *prefixed;    /* the first 0x */
    const char *label;       /* after the first label */
    const char *last;        /* after the last label; without a label, the text */
    const char *each[BYTES]; /* digits after a label */
    size_t each_n;
} word_places;

/* The text after a label that ends at `at`: a colon, an equals sign, an arrow or the bracket of an index; or NULL. */
static const char *after_label(const char *at) {
    if (*at == ':' || *at == '=') return at + 1;
    if (*at == '-' && at[1] == '>') return at + 2;
    return *at == ']' && at[1] == ' ' && digit_of(at[2]) < 16 ? at + 1 : NULL;
}

static void find_places(const char *text, word_places *places) {
    const char *after;
    places->text = places->last = text;
    places->prefixed = places->label = NULL;
    places->each_n = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == 'x' && !places->prefixed && at > text && at[-1] == '0') places->prefixed = at - 1;
        if (*at > ']' || (after = after_label(at)) == NULL) continue;
        at = after - 1;
        if (!places->label) places->label = after;
        places->last = after;
        const char *digits = skip_blanks(after);
        if (is_digit(*digits) && places->each_n < BYTES) places->each[places->each_n++] = digits;
    }
}

static void add_each(log_words *words, const word_places *places, unsigned base) {
    for (size_t i = 0; i < places->each_n; i++)
        if (!add_word(words, places->each[i], base)) return;
}

static void add_line(log_words *words, const word_places *places, int way) {
    if (ways[way].place == PREFIXED)
        add_prefixed(words, places->text, places->prefixed);
    else if (ways[way].place == AFTER_LABEL)
        add_all(words, places->last, ways[way].base);
    else
        add_each(words, places, ways[way].base);
}

/* ---- Descriptors ------------------------------------------------------------------------------------------------ */

/* The number of bits in which the first halves differ. */
static int different_bits(const tmap_descriptor *a, const tmap_descriptor *b) {
    uint64_t words[2][TMAP_DESCRIPTOR_WORDS / 2];
    int n = 0;
    memcpy(words[0], a->bytes, sizeof *words);
    memcpy(words[1], b->bytes, sizeof *words);
    for (int i = 0; i < TMAP_DESCRIPTOR_WORDS / 2; i++) n += __builtin_popcountll(words[0][i] ^ words[1][i]);
    return n;
}

/* Whether the bytes are a descriptor: the rules allow its map, and tmap's descriptor of this map differs in few bits of
 * the first half. Drivers write a few bits there, and the second half, in another way. */
static bool decode(const tmap_descriptor *descriptor, tmap_map_params *params) {
    tmap_map map;
    tmap_descriptor own;
    static const tmap_descriptor none;
    tmap_descriptor_unexplained(descriptor, &own);
    if (different_bits(&own, &none) > DIFFERENT_MAX) return false; /* tmap writes none of these bits */
    if (tmap_descriptor_decode(descriptor, params, NULL, NULL) != TMAP_OK) return false;
    if (tmap_map_init(&map, params, NULL, NULL) != TMAP_OK) return false;
    if (!tmap_descriptor_encode(&map, &own)) return false;
    return params->address != 0 && different_bits(descriptor, &own) <= DIFFERENT_MAX;
}

/* Whether the words are a descriptor. */
static bool decode_words(const log_words *words, size_t size, tmap_imported *out) {
    tmap_descriptor descriptor;
    for (size_t i = 0; i < BYTES / size; i++) {
        if (!run_fits(words->values[i], size)) return false;
        memcpy(descriptor.bytes + i * size, &words->values[i], size);
    }
    return decode(&descriptor, &out->params);
}

/* Whether the first 16 bytes can be those of a descriptor: an address, and numbers that have a meaning. */
static bool can_begin(const log_words *words, size_t size) {
    uint64_t begin[2] = {0};
    for (size_t i = 0; i < 16 / size; i++)
        begin[i * size / 8] |= (words->values[i] & UINT64_MAX >> (64 - 8 * size)) << i * size % 8 * 8;
    return begin[0] != 0 && tmap_words_peek(begin, TMAP_DESC_RANK) < TMAP_RANK_MAX &&
           tmap_words_peek(begin, TMAP_DESC_INTERLEAVE) < TMAP_INTERLEAVE_COUNT;
}

/* Whether the first words are a descriptor. before: the number of words at the last call. Removes the sizes that cannot
 * make a descriptor, however many words follow. */
static bool is_descriptor(log_words *words, size_t before, tmap_imported *out) {
    for (unsigned size = 8; size >= 1; size /= 2) {
        size_t n = BYTES / size, begin_n = 16 / size;
        if ((words->sizes & size) == 0 || words->n < begin_n) continue;
        bool done = words->n >= n || size < words->size_B || (before < begin_n && !can_begin(words, size));
        if (!done) continue;
        words->sizes &= ~size;
        if (words->n < n || (words->digits > 1 && words->digits != (size_t)2 * size)) continue;
        if (decode_words(words, size, out)) return true;
    }
    return false;
}

/* Whether the words were tried in each size that holds them, so that more words make no descriptor. */
static bool tried_every_size(log_words *words) {
    for (; words->fitted < words->n; words->fitted++)
        while (!run_fits(words->values[words->fitted], words->size_B)) words->size_B *= 2;
    return words->n >= BYTES / words->size_B;
}

/* Whether the text of a line can have 128 bytes: 16 numbers, a literal, a number that gdb repeats, 256 digits, or an
 * initializer whose last entries are omitted. */
static bool can_be_literal(const char *text, size_t size) {
    if (size >= (size_t)2 * BYTES || strstr(text, "<repeats ")) return true;
    if (size >= BYTES - 1 && strpbrk(text, "\"'")) return true;
    int numbers_n = 0;
    bool sized = strstr(text, "CUtensorMap") != NULL;
    for (const char *at = text; *at != '\0'; at++) {
        sized |= *at == '[' && strpbrk(at, "0123456789");
        numbers_n += is_digit(*at) && !is_digit(at[1]);
    }
    return numbers_n >= (int)(BYTES / 8) || (sized && strchr(text, '{'));
}

/* Reads a list or a literal of bytes on one line, after a colon or an equals sign. */
static bool read_literal(const log_line *line, tmap_imported *out) {
    tmap_descriptor descriptor;
    size_t begin = strcspn(line->text, ":=");
    if (line->size - begin < LITERAL_MIN || !can_be_literal(line->text + begin, line->size - begin)) return false;
    return tmap_import_descriptor(line->text + begin + 1, line->size - begin - 1, &descriptor, NULL) &&
           decode(&descriptor, &out->params);
}

/* Whether the label before the words has the number 0: "word 0:", "d.opaque[0]=", "0x00:". */
static bool has_label_0(const char *text, const char *end) {
    while (end > text && !is_word(end[-1]) && strchr(" \t:=>-])", end[-1])) end--;
    const char *zeros = end;
    while (zeros > text && zeros[-1] == '0') zeros--;
    return zeros < end && (zeros == text || !is_digit(zeros[-1]));
}

/* Whether the label of the words of a line has the number 0. */
static bool begins_at_0(const word_places *places, word_place place) {
    const char *const begins[] = {
        [PREFIXED] = places->prefixed, [AFTER_LABEL] = places->last, [EACH_LABEL] = places->label};
    return begins[place] && begins[place] > places->text && has_label_0(places->text, begins[place]);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

/* Whether the line can have words of this way. */
static bool has_words(const word_places *places, int way) {
    const char *at = places->last;
    if (ways[way].place != AFTER_LABEL)
        return ways[way].place == PREFIXED ? places->prefixed != NULL : places->each_n > 0;
    while (is_separator(*at)) at++;
    return digit_of(*at) < ways[way].base;
}

static void keep_numbers(tmap_import *import, const char *text, tmap_import_numbers *kept) {
    word_places places;
    find_places(text, &places);
    kept->first = import->values_n;
    kept->begins = places.prefixed == text;
    for (int way = 0; way < WAYS_N; way++) {
        log_words words;
        kept->ways[way].n = kept->ways[way].seen = 0;
        if (!has_words(&places, way)) continue;
        words.n = words.digits = words.seen_n = words.common = 0;
        add_line(&words, &places, way);
        for (size_t i = 0; i < words.n; i++) import->values[import->values_n++ % VALUES_N] = words.values[i];
        kept->ways[way].n = (uint8_t)words.n;
        kept->ways[way].seen = words.seen_n > 0;
        kept->ways[way].at_0 = begins_at_0(&places, ways[way].place);
        kept->ways[way].digits = (uint16_t)words.digits;
        kept->ways[way].common = (uint16_t)words.common;
    }
}

/* The numbers of the line after the cursor, which is moved after the line. NULL: the log ends. A descriptor may begin
 * in each line, so the numbers of the last lines are kept. */
static const tmap_import_numbers *next_numbers(tmap_import *import, log_cursor *cursor) {
    tmap_import_numbers *kept = &import->numbers[log_place(cursor->line, cursor->at) % NUMBERS_N];
    if (kept->end == 0 || kept->at != cursor->at || import->values_n - kept->first > VALUES_N) {
        log_line line;
        kept->at = cursor->at;
        kept->end = 0;
        if (!log_next_text(import, cursor, &line)) return NULL;
        keep_numbers(import, line.text, kept);
        kept->end = cursor->at;
        kept->end_line = cursor->line;
    }
    *cursor = (log_cursor){kept->end, kept->end_line};
    return kept;
}

static uint64_t first_value(const tmap_import_numbers *line, int way) {
    uint64_t first = line->first;
    for (int before = 0; before < way; before++) first += line->ways[before].n;
    return first;
}

/* Adds the words of a line, as add_line does. If they do not all fit, AFTER_LABEL adds none, as add_all, and the other
 * ways add the first ones. */
static void add_numbers(tmap_import *import, const tmap_import_numbers *line, int way, log_words *words) {
    size_t n = line->ways[way].n, most = BYTES - words->n, digits = line->ways[way].common;
    if (n > most && words->digits != 0 && words->digits != digits) {
        log_line again;
        log_cursor cursor = {line->at, 0};
        (void)log_next_text(import, &cursor, &again);
        word_places places;
        find_places(again.text, &places);
        add_line(words, &places, way);
        return;
    }
    if (n > most) n = ways[way].place == AFTER_LABEL ? 0 : most;
    if (words->n == 0)
        words->digits = line->ways[way].digits;
    else if (words->digits != digits)
        words->digits = 0;
    for (uint64_t at = first_value(line, way); n > 0; n--) words->values[words->n++] = import->values[at++ % VALUES_N];
}

/* Whether the words of a descriptor can begin in the line. The first word is an address, so a multiple of 16; it
 * follows label 0, or is one of several hexadecimal numbers, or the line has all words. named: after a line that names
 * a map, every multiple of 16 can be the first word. */
static bool begins_words(const tmap_import *import, const tmap_import_numbers *line, int way, bool named) {
    unsigned n = line->ways[way].n, digits = line->ways[way].digits;
    if (n == 0 || import->values[first_value(line, way) % VALUES_N] % 16 != 0) return false;
    bool fixed = digits == 2 || digits == 8 || digits == 16, prefixed = ways[way].place == PREFIXED;
    if (named || n >= BYTES / 8 || line->ways[way].at_0) return true;
    return ways[way].base == 16 && ways[way].place != EACH_LABEL && (n > 1 ? fixed || prefixed : line->begins);
}

bool words_read(tmap_import *import, const log_line *first, bool named, tmap_imported *out) {
    log_words words[WAYS_N];
    log_cursor ahead = line_begin(first);
    const tmap_import_numbers *line = next_numbers(import, &ahead);
    bool begins = named;
    for (int way = 0; way < WAYS_N; way++) {
        words[way].n = words[way].fitted = 0, words[way].size_B = 1, words[way].sizes = 15, words[way].over = false;
        words[way].ended = !begins_words(import, line, way, named);
        begins |= !words[way].ended;
    }
    if (!begins) return false;
    *out = (tmap_imported){.line = first->number, .origin = "the program", .whole = true, .usable = true};
    if (named && read_literal(first, out)) return true;
    for (int gap = 0; gap <= WORD_GAP_MAX && line; gap++) {
        bool any = false, hope = false, alive = false;
        for (int way = 0; way < WAYS_N; way++) {
            size_t before = words[way].n;
            if (!words[way].ended && line->ways[way].seen) {
                add_numbers(import, line, way, &words[way]);
                /* Another dump begins. */
                words[way].ended = line->at != first->offset && words[way].n == before + 1 && line->ways[way].at_0;
                words[way].over = tried_every_size(&words[way]);
                if (!words[way].ended && is_descriptor(&words[way], before, out)) {
                    import->at = ahead.at;
                    import->line = ahead.line;
                    return true;
                }
            }
            if (words[way].ended) continue;
            any |= words[way].n > before;
            hope |= !words[way].over;
            alive |= words[way].sizes != 0;
        }
        if (any) gap = -1;
        if (!alive || !hope || !(any || line->at != first->offset)) return false;
        line = next_numbers(import, &ahead);
    }
    return false;
}
