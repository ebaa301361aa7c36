/* What is wrong with an expression of layouts, and where in it. */
#include "output/expression_error.h"

#include "output/messages.h"

/* The line that holds byte `at`, and where in it that is, from 1 in code points. */
typedef struct error_place {
    const char *begin;
    int size, line, column, length;
} error_place;

static int code_points(const char *text, size_t size) {
    int n = 0;
    for (size_t i = 0; i < size; i++) n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

static error_place find_place(const char *text, size_t size, const tmap_diag *error) {
    size_t at = error->at < size ? error->at : size, begin = at, end = at;
    while (begin > 0 && text[begin - 1] != '\n') begin--;
    while (end < size && text[end] != '\n') end++;
    error_place place = {.begin = text + begin, .size = (int)(end - begin), .line = 1};
    for (size_t i = 0; i < begin; i++) place.line += text[i] == '\n';
    size_t length = error->length < end - at ? error->length : end - at;
    place.column = code_points(place.begin, at - begin) + 1;
    place.length = code_points(text + at, length);
    if (place.length < 1) place.length = 1;
    return place;
}

void expression_error_print(const char *shown, const char *text, size_t size, const tmap_diag *error) {
    error_place place = find_place(text, size, error);
    tmap_sink sink = sink_to(stderr);
    tmap_printf(&sink, "%s:%d:%d: error: %s\n", shown, place.line, place.column, error->message);
    if (place.size <= 200) {
        tmap_printf(&sink, "  %.*s\n  %*s", place.size, place.begin, place.column - 1, "");
        for (int i = 0; i < place.length; i++) tmap_puts(&sink, "^");
        tmap_puts(&sink, "\n");
    }
    if (error->fix[0] != '\0') tmap_printf(&sink, "fix: %s\n", error->fix);
}

void expression_error_json(const char *text, size_t size, const tmap_diag *error) {
    error_place place = find_place(text, size, error);
    tmap_sink sink = sink_to(stdout);
    tmap_json json = json_result_begin(&sink);
    json_field_string(&json, "expression", text);
    tmap_json_key(&json, "error");
    tmap_json_object(&json, false);
    json_field_uint(&json, "line", (uint64_t)place.line);
    json_field_uint(&json, "column", (uint64_t)place.column);
    json_field_uint(&json, "length", (uint64_t)place.length);
    json_field_string(&json, "message", error->message);
    json_field_string(&json, "fix", error->fix[0] != '\0' ? error->fix : NULL);
    tmap_json_close(&json, '}');
    json_result_end(&json);
}
