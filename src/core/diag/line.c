/* diag: a record as one line, for programs that link only the core library. */
#include "text/print.h"
#include "tmap/diag.h"

/* Writes "; allowed: ...", or nothing for an empty text. */
static void put_part(tmap_sink *sink, const char *label, const char *text) {
    if (text[0] != '\0') tmap_printf(sink, "; %s: %s", label, text);
}

static void put_line(tmap_sink *sink, const tmap_diag *diag) {
    tmap_puts(sink, diag->message);
    put_part(sink, "given", diag->given);
    put_part(sink, "allowed", diag->allowed);
    put_part(sink, "fix", diag->fix);
    if (diag->more > 0) tmap_printf(sink, ", and %zu more", diag->more);
    if (diag->rule) tmap_printf(sink, " [%s]", diag->rule);
}

/* A fixed buffer. Text that does not fit is cut. */
typedef struct line_buffer {
    char *text;
    size_t size, used;
} line_buffer;

static bool append(void *context, const char *text, size_t size) {
    line_buffer *line = context;
    for (size_t i = 0; i < size && line->used + 1 < line->size; i++) line->text[line->used++] = text[i];
    return true;
}

char *tmap_diag_line(const tmap_diag *diag, char *text, size_t size) {
    line_buffer line = {text, size, 0};
    tmap_sink sink = {.write = append, .context = &line};
    if (size == 0) return text;
    put_line(&sink, diag);
    text[line.used] = '\0';
    return text;
}
