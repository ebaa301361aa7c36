#include "import/messages.h"

#include <string.h>

#include "diag/refuse.h"
#include "import/dump_formats.h"
#include "import/prefilter.h"
#include "text/words.h"

#define REPEAT_REACH 6     /* lines from a quoted line of source to the message with its text */
#define TILE_MAX     65536 /* elements along a dimension */

/* ---- The lines after the message -------------------------------------------------------------------------------- */

/* Whether one of the next n lines contains the text. */
static bool follows(tmap_import *import, int n, const char *text) {
    log_cursor ahead = {import->at, import->line};
    log_line line;
    while (n-- > 0 && log_next_line(import, &ahead, &line))
        if (line_find_text(&line, text)) return true;
    return false;
}

/* Whether tilelang prints a dump of the parameters after this error. The dump has more information than the error,
 * except about the alignment of the map itself. */
static bool dump_follows(tmap_import *import, const refusal_text *refusal) {
    if (strcmp(refusal->origin, "tilelang") != 0 || strcmp(refusal->rule, "map-align") == 0) return false;
    return follows(import, GAP_MAX, dump_format_get(0)->first);
}

/* Whether the next line has one of the words of the row. compute-sanitizer names the function there. */
static bool has_next_words(tmap_import *import, const refusal_text *refusal) {
    char word[32];
    for (const char *at = refusal->after; at && *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
        TMAP_SAY(word, "%.*s", (int)strcspn(at, " "), at);
        if (follows(import, 1, word)) return true;
    }
    return !refusal->after;
}

/* Whether the text is in a line of source that a traceback or a compiler quotes: assert x, "..." or raise E("..."). */
static bool is_source(const log_line *line, const char *text) {
    static const char *const words[] = {"assert ", "assert(", "raise ", "throw "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *word = strstr(line->text, words[i]);
        if (word && word < text && memchr(word, '"', (size_t)(text - word))) return true;
        if (word && word < text && memchr(word, '\'', (size_t)(text - word))) return true;
    }
    return false;
}

/* ---- Fixes with the numbers of the message ---------------------------------------------------------------------- */

/* tilelang: "... must be <= swizzle span (32 bytes) when swizzle is enabled, but got 48 * 16 bits". */
static void fix_span(const char *text, tmap_imported *out) {
    const char *span_at = strstr(text, "swizzle span ("), *got = strstr(text, "but got ");
    const char *star = got ? strstr(got, " * ") : NULL;
    number_list span, box, bits;
    if (!span_at || !got || !star || !line_number(span_at + strlen("swizzle span ("), &span)) return;
    if (!line_number(got + strlen("but got "), &box) || !line_number(star + strlen(" * "), &bits)) return;
    if (bits.values[0] == 0 || bits.values[0] > 64 || span.values[0] > TMAP_LINE_B || box.values[0] > 65536) return;
    uint64_t size_B = box.values[0] * bits.values[0] / 8;
    TMAP_SAY(out->fix, "boxDim[0]: %llu, with several copies",
             (unsigned long long)(span.values[0] * 8 / bits.values[0]));
    const tmap_swizzle_info *swizzle;
    for (int i = 0; (swizzle = tmap_swizzle_get(i)) != NULL; i++) {
        if (swizzle->cu < 0 || swizzle->span_B < size_B || swizzle->span_B <= span.values[0]) continue;
        TMAP_SAY(out->fix, "boxDim[0]: %llu, with several copies, or swizzle: %s",
                 (unsigned long long)(span.values[0] * 8 / bits.values[0]), swizzle->name);
        return;
    }
}

/* The extent of a tile in "BLK_K=cute::_8" or "BLK_K = cute::C<8>". */
static bool extent_of(const log_line *line, const char *name, uint64_t *extent) {
    number_list list;
    const char *begin, *at = line_find_key(line, line->text, name, '=', &begin);
    if (!at) at = line_find_key(line, line->text, name, ' ', &begin);
    while (at && *at != '\0' && !strchr(",]", *at) && !is_digit(*at)) at++;
    if (!at || !line_number(at, &list)) return false;
    *extent = list.values[0];
    return *extent <= TILE_MAX;
}

/* The bytes of an element type of CUTLASS in the line; 0: not known. */
static uint64_t element_size(const log_line *line) {
    static const struct {
        const char *name;
        uint64_t size_B;
    } types[] = {{"e4m3", 1},     {"e5m2", 1}, {"int8", 1},     {"signed char", 1}, {"half_t", 2},
                 {"bfloat16", 2}, {"tf32", 4}, {"tfloat32", 4}, {"Type=float", 4},  {"Type = float", 4}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strstr(line->text, types[i].name)) return types[i].size_B;
    return 0;
}

/* CUTLASS: "... [with major=..., ElementType=cutlass::float_e4m3_t, BLK_MN=cute::_64, BLK_K=cute::_8]" after a static
 * assertion about BLK_K0 or BLK_MN0. */
static void fix_tile(tmap_import *import, const log_line *assertion, tmap_imported *out) {
    bool of_k = strstr(assertion->text, "BLK_K0") != NULL;
    log_cursor ahead = {import->at, import->line};
    log_line line;
    uint64_t extent;
    for (int i = 0; i < REPEAT_REACH && log_next_line(import, &ahead, &line); i++) {
        uint64_t size_B = element_size(&line);
        if (size_B == 0 || !extent_of(&line, of_k ? "BLK_K" : "BLK_MN", &extent)) continue;
        TMAP_SAY(out->fix, "a tile of %llu or a multiple of it along %s: %llu elements are rows of %llu bytes",
                 (unsigned long long)(16 / size_B), of_k ? "K" : "M or N", (unsigned long long)extent,
                 (unsigned long long)(extent * size_B));
        return;
    }
}

/* ---- Messages --------------------------------------------------------------------------------------------------- */

static void write_fix(tmap_import *import, const log_line *line, const refusal_text *refusal, tmap_imported *out) {
    const char *fix = refusal_fix(refusal);
    if (fix) TMAP_SAY(out->fix, "%s", fix);
    if (strcmp(refusal->rule, "box-inner-span") == 0) fix_span(line->text, out);
    if (strstr(refusal->text, "_INTER_Atom")) fix_tile(import, line, out);
}

bool message_read(tmap_import *import, const log_line *line, tmap_imported *out) {
    const refusal_text *refusal = refusal_text_get(0);
    for (int i = 0; refusal->text; i++, refusal++) {
        const char *text = line->words & WORDS_REFUSAL(i) ? line_find_text(line, refusal->text) : NULL;
        if (!text) continue;
        if (!has_next_words(import, refusal) || dump_follows(import, refusal)) return false;
        if (is_source(line, text) && follows(import, REPEAT_REACH, refusal->text)) return false;
        *out = (tmap_imported){
            .line = line->number, .origin = refusal->origin, .rule = refusal->rule, .note = refusal->note};
        write_fix(import, line, refusal, out);
        return true;
    }
    return false;
}
