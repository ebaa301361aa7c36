/* emit: names as identifiers of C and C++. */
#include "emit/identifier.h"

#include <string.h>

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

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

void tmap_emit_identifier(tmap_sink *sink, const char *name) {
    if (!name || !name[0]) name = "tensor_map";
    if (name[0] >= '0' && name[0] <= '9') tmap_puts(sink, "_");
    for (const char *c = name; *c; c++) {
        bool fits = is_letter(*c) || (*c >= '0' && *c <= '9');
        tmap_write(sink, fits ? c : "_", 1);
    }
    if (is_keyword(name)) tmap_puts(sink, "_");
}
