#include "import/word_dump.h"

#include <string.h>

#include "import/bytes.h"
#include "tmap/map.h"

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

enum { WAYS_N = sizeof ways / sizeof *ways };

/* Words in the order of the log, read in one way. */
typedef struct log_words {
    uint64_t values[BYTES];
    size_t n, digits;      /* digits: hexadecimal digits of each word; 0: they differ, or the words are decimal */
    size_t size_B, fitted; /* size_B: bytes that hold each of the first `fitted` words */
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

/* The text after the next label: a colon, an equals sign, an arrow, or the bracket of an index. NULL: none. */
static const char *after_label(const char *at) {
    for (; *at != '\0'; at++) {
        if (*at > ']') continue;
        if (*at == ':' || *at == '=') return at + 1;
        if (*at == '-' && at[1] == '>') return at + 2;
        if (*at == ']' && at[1] == ' ' && digit_of(at[2]) < 16) return at + 1;
    }
    return NULL;
}

/* Adds all words of the text, which may have no other words, except characters in a last column. */
static void add_all(log_words *words, const char *text, unsigned base) {
    size_t before = words->n;
    for (const char *at = text; *at != '\0';) {
        if (strchr(" \t,|", *at)) {
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
    const char *prefixed; /* the first 0x */
    const char *label;    /* after the first label */
    const char *last;     /* after the last label; without a label, the text */
    const char *each;     /* after the first label that a digit follows */
    size_t labels_n;
} word_places;

static word_places find_places(const char *text) {
    word_places places = {.text = text, .prefixed = strstr(text, "0x"), .last = text};
    for (const char *at = text; (at = after_label(at)) != NULL; places.last = at) {
        if (!places.label) places.label = at;
        if (!places.each && is_digit(*skip_blanks(at))) places.each = at;
        places.labels_n++;
    }
    return places;
}

static void add_each(log_words *words, const char *first, unsigned base) {
    for (const char *at = first; at; at = after_label(at)) {
        const char *digits = skip_blanks(at);
        if (is_digit(*digits) && !add_word(words, digits, base)) return;
    }
}

static void add_line(log_words *words, const word_places *places, int way) {
    if (ways[way].place == PREFIXED)
        add_prefixed(words, places->text, places->prefixed);
    else if (ways[way].place == AFTER_LABEL)
        add_all(words, places->last, ways[way].base);
    else
        add_each(words, places->each, ways[way].base);
}

/* ---- Descriptors ------------------------------------------------------------------------------------------------ */

/* Whether the bytes are a descriptor: the rules allow its map, and tmap's descriptor of this map differs in few bits of
 * the first half. Drivers write a few bits there, and the second half, in another way. */
static bool decode(const tmap_descriptor *descriptor, tmap_map_params *params) {
    tmap_map map;
    tmap_descriptor own;
    int different = 0;
    if (tmap_descriptor_decode(descriptor, params, NULL, NULL) != TMAP_OK) return false;
    if (tmap_map_init(&map, params, NULL, NULL) != TMAP_OK) return false;
    if (!tmap_descriptor_encode(&map, &own)) return false;
    for (size_t i = 0; i < BYTES / 2; i++) different += __builtin_popcount(descriptor->bytes[i] ^ own.bytes[i]);
    return params->address != 0 && different <= DIFFERENT_MAX;
}

/* Whether the first words are a descriptor. before: the number of words at the last call. */
static bool is_descriptor(const log_words *words, size_t before, tmap_imported *out) {
    for (size_t size = 8; size >= 1; size /= 2) {
        size_t n = BYTES / size;
        if (words->n < n || before >= n || (words->digits > 1 && words->digits != 2 * size)) continue;
        byte_run run = {.n = 0};
        tmap_descriptor descriptor;
        bool fits = true;
        for (size_t i = 0; i < n; i++) fits &= run_fits(words->values[i], size);
        for (size_t i = 0; fits && i < n; i++) run_add_word(&run, words->values[i], size);
        memcpy(descriptor.bytes, run.bytes, BYTES);
        if (fits && decode(&descriptor, &out->params)) return true;
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
 * initialiser whose last entries are omitted. */
static bool can_be_literal(const char *text, size_t size) {
    if (size >= 2 * BYTES || strstr(text, "<repeats ")) return true;
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
    while (end > text && strchr(" \t:=>-])", end[-1])) end--;
    const char *zeros = end;
    while (zeros > text && zeros[-1] == '0') zeros--;
    return zeros < end && (zeros == text || !is_digit(zeros[-1]));
}

/* Whether the label of the words of a line has the number 0. */
static bool begins_at_0(const word_places *places, int way) {
    const char *const begins[] = {
        [PREFIXED] = places->prefixed, [AFTER_LABEL] = places->last, [EACH_LABEL] = places->label};
    const char *begin = begins[ways[way].place];
    return begin && begin > places->text && has_label_0(places->text, begin);
}

/* Whether the words of a descriptor can begin in the line. The first word is an address, so a multiple of 16. If no
 * line names a map (`named`), the words must have label 0, be a whole descriptor, or look like hexadecimal words. */
static bool way_begins(const log_words *words, const word_places *places, int way, bool named) {
    if (words->n == 0 || words->values[0] % 16 != 0) return false;
    bool fixed = words->digits == 2 || words->digits == 8 || words->digits == 16,
         prefixed = ways[way].place == PREFIXED;
    if (named || words->n >= BYTES / 8 || begins_at_0(places, way)) return true;
    return ways[way].base == 16 && ways[way].place != EACH_LABEL &&
           (words->n > 1 ? fixed || prefixed : places->prefixed == places->text);
}

/* Whether way_begins holds in some way without `named`. */
static bool any_way_begins(const word_places *places) {
    bool numbers[] = {[PREFIXED] = places->prefixed != NULL,
                      [AFTER_LABEL] = digit_of(places->last[strspn(places->last, " \t,|")]) < 16,
                      [EACH_LABEL] =
                          places->each && (places->labels_n >= BYTES / 8 || has_label_0(places->text, places->label))};
    for (int way = 0; way < WAYS_N; way++) {
        log_words words;
        words.n = 0;
        if (!numbers[ways[way].place]) continue; /* add_line adds no word, or way_begins is false */
        add_line(&words, places, way);
        if (way_begins(&words, places, way, false)) return true;
    }
    return false;
}

bool words_read(tmap_import *import, const log_line *first, bool named, tmap_imported *out) {
    log_words words[WAYS_N];
    log_cursor ahead = {import->at, import->line};
    log_line line = *first;
    word_places places = find_places(line.text);
    if (!named && !any_way_begins(&places)) return false;
    *out = (tmap_imported){.line = first->number, .origin = "the program", .whole = true, .usable = true};
    for (int way = 0; way < WAYS_N; way++)
        words[way].n = words[way].fitted = 0, words[way].size_B = 1, words[way].ended = false;
    if (named && read_literal(first, out)) return true;
    for (int gap = 0; gap <= WORD_GAP_MAX; gap++) {
        bool any = false, hope = false;
        for (int way = 0; way < WAYS_N; way++) {
            size_t before = words[way].n;
            if (words[way].ended) continue;
            add_line(&words[way], &places, way);
            if (line.offset == first->offset)
                words[way].ended = !way_begins(&words[way], &places, way, named);
            else /* a word with label 0 begins another dump */
                words[way].ended = words[way].n == before + 1 && begins_at_0(&places, way);
            any |= words[way].n > before && !words[way].ended;
            hope |= !words[way].ended && !tried_every_size(&words[way]);
            if (words[way].ended || !is_descriptor(&words[way], before, out)) continue;
            import->at = ahead.at;
            import->line = ahead.line;
            return true;
        }
        if (any) gap = -1;
        bool open = hope && (any || line.offset != first->offset);
        if (!open || !log_next_text(import, &ahead, &line)) return false;
        places = find_places(line.text);
    }
    return false;
}
