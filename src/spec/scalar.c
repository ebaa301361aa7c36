/* spec: decides when a scalar needs quotes, and quotes it. */
#include "spec/scalar.h"

#include <string.h>
#include <strings.h>

#include "text/print.h"
#include "text/utf8.h"
#include "text/words.h"

/* Words that YAML 1.1 and 1.2 readers do not read as text (YAML 1.1 types bool, null; 1.2 section 10). */
static bool reserved(const char *text, size_t size) {
    static const char *const words[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == size && strncasecmp(words[i], text, size) == 0) return true;
    }
    return false;
}

/* "128B", "128B_atom32B": digits followed by B are not a number in any version of YAML. */
static size_t size_prefix(const char *text, size_t size) {
    size_t at = 0;
    while (at < size && is_digit(text[at])) at++;
    return at > 0 && at < size && text[at] == 'B' ? at + 1 : 0;
}

/* Whether every reader of YAML reads the text without quotes as a word, in any place: not as a number or true. */
static bool is_word_to_all(const char *text, size_t size) {
    if (size == 0 || reserved(text, size)) return false;
    bool letter_first = is_letter(text[0]) || text[0] == '_';
    size_t at = letter_first ? 1 : size_prefix(text, size);
    if (at == 0) return false;
    while (at < size && (is_word(text[at]) || text[at] == '-' || text[at] == '.')) at++;
    return at == size;
}

bool tmap_scalar_fits_flow(const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (strchr(",[]{}?:\n", text[i])) return false;
    }
    return size > 0;
}

static void write_escaped(tmap_sink *sink, uint32_t code) {
    const char *short_form = code == '\n' ? "\\n" : code == '\t' ? "\\t" : code == '"' ? "\\\"" : "\\\\";
    bool has_short = code == '\n' || code == '\t' || code == '"' || code == '\\';
    if (has_short)
        tmap_puts(sink, short_form);
    else if (code <= 0xff)
        tmap_printf(sink, "\\x%02X", (unsigned)code);
    else
        tmap_printf(sink, "\\u%04X", (unsigned)code);
}

/* Characters that libyaml would not read back unchanged: control characters, other line breaks, the byte order mark. */
static bool needs_escape(uint32_t code) {
    return code < 0x20 || code == '"' || code == '\\' || (code >= 0x7f && code < 0xa1) || code == 0x2028 ||
           code == 0x2029 || code == 0xfeff || code == 0xfffe || code == 0xffff;
}

void tmap_scalar_quote(tmap_sink *sink, const char *text, size_t size) {
    tmap_write(sink, "\"", 1);
    for (size_t at = 0; at < size;) {
        uint32_t code;
        size_t taken = tmap_utf8_next(text + at, size - at, &code);
        if (needs_escape(code))
            write_escaped(sink, code);
        else if (code == TMAP_UTF8_BAD)
            tmap_puts(sink, TMAP_UTF8_BAD_TEXT);
        else
            tmap_write(sink, text + at, taken);
        at += taken;
    }
    tmap_write(sink, "\"", 1);
}

void tmap_scalar_write(tmap_sink *sink, const char *text, size_t size) {
    if (is_word_to_all(text, size))
        tmap_write(sink, text, size);
    else
        tmap_scalar_quote(sink, text, size);
}
