#include "text/quote.h"

#include "text/print.h"
#include "text/utf8.h"
#include "text/visible.h"

#include <inttypes.h>
#include <string.h>

typedef struct language {
    const char *quote, *replacement;
    const char *escaped; /* characters of ASCII that have an escape */
    const char *const *escapes;
    bool (*odd)(uint32_t code);                         /* whether another character must be escaped; or NULL */
    void (*put_number)(tmap_sink *sink, uint32_t code); /* writes such a character; NULL: it is replaced */
} language;

/* ---- Characters that must be escaped ----------------------------------------------------------------------------- */

/* libyaml changes control characters, other line breaks and the byte order mark. */
static bool odd_in_yaml(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa1) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
           code == 0xfffe || code == 0xffff;
}

/* XML 1.0, section 2.2. */
static bool odd_in_xml(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code & 0xfffe) == 0xfffe;
}

static bool odd_in_latex(uint32_t code) {
    return code < 0x20 || code == 0x7f;
}

static void put_json_number(tmap_sink *sink, uint32_t code) {
    tmap_printf(sink, "\\u%04" PRIx32, code);
}

static void put_yaml_number(tmap_sink *sink, uint32_t code) {
    tmap_printf(sink, code <= 0xff ? "\\x%02" PRIX32 : "\\u%04" PRIX32, code);
}

/* ---- Languages -------------------------------------------------------------------------------------------------- */

#define BAD          TMAP_UTF8_BAD_TEXT
#define ESCAPES(...) ((const char *const[]){__VA_ARGS__})

static const language languages[] = {
    [TMAP_SYNTAX_JSON] = {"\"", BAD, "\"\\\b\f\n\r\t", ESCAPES("\\\"", "\\\\", "\\b", "\\f", "\\n", "\\r", "\\t"),
                          tmap_is_control, put_json_number},
    [TMAP_SYNTAX_YAML] = {"\"", BAD, "\"\\\n\t", ESCAPES("\\\"", "\\\\", "\\n", "\\t"), odd_in_yaml, put_yaml_number},
    [TMAP_SYNTAX_XML] = {"", BAD, "<>&", ESCAPES("&lt;", "&gt;", "&amp;"), odd_in_xml},
    [TMAP_SYNTAX_LATEX] = {"", "?", "_&%#{}$\\^~<>|\"",
                           ESCAPES("\\_", "\\&", "\\%", "\\#", "\\{", "\\}", "\\$", "\\symbol{92}", "\\symbol{94}",
                                   "\\symbol{126}", "\\symbol{60}", "\\symbol{62}", "\\symbol{124}", "\\symbol{34}"),
                           odd_in_latex},
    [TMAP_SYNTAX_COMMAND] = {"", BAD, "%\r\n", ESCAPES("%25", "%0D", "%0A")},
    [TMAP_SYNTAX_PROPERTY] = {"", BAD, "%\r\n:,", ESCAPES("%25", "%0D", "%0A", "%3A", "%2C")},
    [TMAP_SYNTAX_TERMINAL] = {"", BAD, "", NULL, tmap_is_control},
};

static void put_code(tmap_sink *sink, const language *l, uint32_t code, const char *bytes, size_t size) {
    const char *escaped = code > 0 && code < 0x80 ? strchr(l->escaped, (int)code) : NULL;
    bool odd = l->odd && l->odd(code);
    if (escaped)
        tmap_puts(sink, l->escapes[escaped - l->escaped]);
    else if (odd && l->put_number)
        l->put_number(sink, code);
    else if (odd || code == TMAP_UTF8_BAD)
        tmap_puts(sink, l->replacement);
    else
        tmap_write(sink, bytes, size);
}

/* The number of characters of printable ASCII at the start of the text that no language replaces or escapes. */
static size_t plain_size(const language *l, const char *text, size_t size) {
    size_t n = 0;
    while (n < size && text[n] >= ' ' && text[n] < 0x7f && !strchr(l->escaped, text[n])) n++;
    return n;
}

void tmap_put_part(tmap_sink *sink, tmap_syntax syntax, const char *text, size_t size) {
    const language *l = &languages[syntax];
    uint32_t code;
    if (sink->failed) return;
    tmap_puts(sink, l->quote);
    for (size_t taken; size > 0; text += taken, size -= taken) {
        taken = plain_size(l, text, size);
        if (taken > 0) {
            tmap_write(sink, text, taken);
            continue;
        }
        taken = tmap_utf8_next(text, size, &code);
        put_code(sink, l, code, text, taken);
    }
    tmap_puts(sink, l->quote);
}

void tmap_put_as(tmap_sink *sink, tmap_syntax syntax, const char *text) {
    tmap_put_part(sink, syntax, text, strlen(text));
}

void tmap_put_visible(tmap_sink *sink, const char *text) {
    tmap_put_as(sink, TMAP_SYNTAX_TERMINAL, text);
}
