#include "text/quote.h"

#include "text/print.h"
#include "text/utf8.h"
#include "text/visible.h"

#include <inttypes.h>
#include <string.h>

typedef struct language {
    const char *quote;
    const char *escaped; /* characters of ASCII that have an escape */
    const char *const *escapes;
    bool (*odd)(uint32_t code); /* other characters that cannot stand for themselves */
    void (*put_odd)(tmap_sink *sink, uint32_t code);
} language;

/* ---- Characters that cannot stand for themselves ---------------------------------------------------------------- */

static bool none(uint32_t code) {
    (void)code;
    return false;
}

/* Control characters, other line breaks and the byte order mark are read back changed. */
static bool odd_in_yaml(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa1) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
           (code & 0xfffe) == 0xfffe;
}

/* XML 1.0, section 2.2. */
static bool odd_in_xml(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code & 0xfffe) == 0xfffe;
}

static bool odd_in_latex(uint32_t code) {
    return code < 0x20 || code == 0x7f || code == TMAP_UTF8_BAD;
}

static void put_bad(tmap_sink *sink, uint32_t code) {
    (void)code;
    tmap_puts(sink, TMAP_UTF8_BAD_TEXT);
}

static void put_question_mark(tmap_sink *sink, uint32_t code) {
    (void)code;
    tmap_puts(sink, "?");
}

static void put_json_number(tmap_sink *sink, uint32_t code) {
    tmap_printf(sink, "\\u%04" PRIx32, code);
}

static void put_yaml_number(tmap_sink *sink, uint32_t code) {
    tmap_printf(sink, code <= 0xff ? "\\x%02" PRIX32 : "\\u%04" PRIX32, code);
}

/* ---- Languages -------------------------------------------------------------------------------------------------- */

#define ESCAPES(...) ((const char *const[]){__VA_ARGS__})

static const language languages[] = {
    [TMAP_SYNTAX_JSON] = {"\"", "\"\\\b\f\n\r\t", ESCAPES("\\\"", "\\\\", "\\b", "\\f", "\\n", "\\r", "\\t"),
                          tmap_is_control, put_json_number},
    [TMAP_SYNTAX_YAML] = {"\"", "\"\\\n\t", ESCAPES("\\\"", "\\\\", "\\n", "\\t"), odd_in_yaml, put_yaml_number},
    [TMAP_SYNTAX_XML] = {"", "<>&", ESCAPES("&lt;", "&gt;", "&amp;"), odd_in_xml, put_bad},
    [TMAP_SYNTAX_LATEX] = {"", "_&%#{}$\\^~<>|\"",
                           ESCAPES("\\_", "\\&", "\\%", "\\#", "\\{", "\\}", "\\$", "\\symbol{92}", "\\symbol{94}",
                                   "\\symbol{126}", "\\symbol{60}", "\\symbol{62}", "\\symbol{124}", "\\symbol{34}"),
                           odd_in_latex, put_question_mark},
    [TMAP_SYNTAX_COMMAND] = {"", "%\r\n", ESCAPES("%25", "%0D", "%0A"), none, put_bad},
    [TMAP_SYNTAX_PROPERTY] = {"", "%\r\n:,", ESCAPES("%25", "%0D", "%0A", "%3A", "%2C"), none, put_bad},
    [TMAP_SYNTAX_TERMINAL] = {"", "", NULL, tmap_is_control, put_bad},
};

void tmap_put_part(tmap_sink *sink, tmap_syntax syntax, const char *text, size_t size) {
    const language *l = &languages[syntax];
    tmap_puts(sink, l->quote);
    uint32_t code;
    for (size_t taken; size > 0; text += taken, size -= taken) {
        taken = tmap_utf8_next(text, size, &code);
        const char *escaped = code > 0 && code < 0x80 ? strchr(l->escaped, (int)code) : NULL;
        if (escaped)
            tmap_puts(sink, l->escapes[escaped - l->escaped]);
        else if (l->odd(code))
            l->put_odd(sink, code);
        else if (code == TMAP_UTF8_BAD)
            tmap_puts(sink, TMAP_UTF8_BAD_TEXT);
        else
            tmap_write(sink, text, taken);
    }
    tmap_puts(sink, l->quote);
}

void tmap_put_as(tmap_sink *sink, tmap_syntax syntax, const char *text) {
    tmap_put_part(sink, syntax, text, strlen(text));
}

void tmap_put_visible(tmap_sink *sink, const char *text) {
    tmap_put_as(sink, TMAP_SYNTAX_TERMINAL, text);
}
