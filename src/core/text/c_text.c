/* text: makes identifiers and comments of C and C++ from any text. */
#include "text/c_text.h"

#include "text/quote.h"
#include "text/utf8.h"
#include "text/words.h"

#include <string.h>

static bool is_keyword(const char *word) {
    static const char *const keywords[] = {
        "alignas",  "alignof", "auto",      "bool",     "break",    "case",     "char",      "class",    "const",
        "continue", "default", "delete",    "do",       "double",   "else",     "enum",      "explicit", "export",
        "extern",   "false",   "float",     "for",      "friend",   "goto",     "if",        "inline",   "int",
        "long",     "mutable", "namespace", "new",      "operator", "private",  "protected", "public",   "register",
        "restrict", "return",  "short",     "signed",   "sizeof",   "static",   "struct",    "switch",   "template",
        "this",     "throw",   "true",      "try",      "typedef",  "typename", "uint64_t",  "union",    "unsigned",
        "using",    "virtual", "void",      "volatile", "while"};
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(keywords[i], word) == 0) return true;
    return false;
}

void tmap_put_identifier_part(tmap_sink *sink, const char *name) {
    for (const char *c = name; *c; c++) tmap_write(sink, is_word(*c) ? c : "_", 1);
}

void tmap_put_identifier(tmap_sink *sink, const char *name) {
    if (!name || !name[0]) name = "tensor_map";
    if (is_digit(name[0])) tmap_puts(sink, "_");
    tmap_put_identifier_part(sink, name);
    if (is_keyword(name)) tmap_puts(sink, "_");
}

/* Whether a space must separate two characters: the marks of comments, and "??", which can start the trigraph of a line
 * splice. */
static bool needs_space(uint32_t before, uint32_t code) {
    return (before == '*' && code == '/') || (before == '/' && code == '*') || (before == '?' && code == '?');
}

void tmap_put_comment(tmap_sink *sink, const char *text) {
    uint32_t before = 0;
    for (size_t left = strlen(text); left > 0;) {
        uint32_t code;
        size_t size = tmap_utf8_next(text, left, &code);
        if (needs_space(before, code)) tmap_puts(sink, " ");
        tmap_put_part(sink, TMAP_SYNTAX_TERMINAL, text, size);
        before = code;
        text += size;
        left -= size;
    }
}
