/* generate: names and texts of a spec in code. */
#include "generate/names.h"

#include <stdio.h>
#include <string.h>

#include "emit/identifier.h"

/* A sink into fixed room; what does not fit is left out. */
typedef struct fixed_text {
    char *text;
    size_t size, used;
} fixed_text;

static bool put_fixed(void *context, const char *text, size_t size) {
    fixed_text *fixed = context;
    for (size_t i = 0; i < size && fixed->used + 1 < fixed->size; i++) fixed->text[fixed->used++] = text[i];
    fixed->text[fixed->used] = '\0';
    return true;
}

static void identifier_of(char text[TMAP_IDENTIFIER_MAX], const char *prefix, const char *name) {
    fixed_text fixed = {text, TMAP_IDENTIFIER_MAX - 8, 0}; /* room for a number behind it */
    tmap_sink sink = {.write = put_fixed, .context = &fixed};
    text[0] = '\0';
    tmap_puts(&sink, prefix);
    tmap_emit_identifier(&sink, name);
}

static const char *name_at(const void *names, size_t stride, size_t i) {
    const char *name;
    memcpy(&name, (const char *)names + i * stride, sizeof name);
    return name;
}

void tmap_code_name(char text[TMAP_IDENTIFIER_MAX], const char *prefix, const void *names, size_t stride, size_t i) {
    size_t same = 1;
    identifier_of(text, prefix, name_at(names, stride, i));
    for (size_t k = 0; k < i; k++) {
        char other[TMAP_IDENTIFIER_MAX];
        identifier_of(other, prefix, name_at(names, stride, k));
        same += strcmp(other, text) == 0;
    }
    size_t used = strlen(text);
    if (same > 1) (void)snprintf(text + used, TMAP_IDENTIFIER_MAX - used, "_%zu", same % 100000);
}

void tmap_put_comment_text(tmap_sink *sink, const char *text) {
    for (; *text != '\0'; text++) {
        bool unsafe = (unsigned char)*text < ' ' || *text == 0x7f || *text == '*' || *text == '\\';
        tmap_write(sink, unsafe ? "?" : text, 1);
    }
}
