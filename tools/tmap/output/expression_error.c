/* What is wrong with an expression of layouts, and where in it. */
#include "output/expression_error.h"

#include "output/result.h"
#include "util/print.h"

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

static error_place find_place(const char *text, size_t size, const tmap_layout_error *error) {
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

void expression_error_write(const char *shown, const char *text, size_t size, const tmap_layout_error *error,
                            bool as_json) {
    const char *fix = error->fix[0] != '\0' ? error->fix : NULL;
    error_place place = find_place(text, size, error);
    result_sink out;
    result_begin(&out, as_json ? stdout : stderr, as_json);
    json_field_string(&out.json, "expression", text);
    json_object(&out.json, "error", false);
    JSON_FIELDS(&out.json, {"line", (uint64_t)place.line}, {"column", (uint64_t)place.column},
                {"length", (uint64_t)place.length});
    json_field_string(&out.json, "message", error->message);
    json_field_string(&out.json, "fix", fix);
    tmap_json_close(&out.json, '}');
    tmap_printf(&out.text, "%s:%d:%d: error: %s\n", shown, place.line, place.column, error->message);
    if (place.size <= 200) {
        tmap_printf(&out.text, "  %.*s\n  %*s", place.size, place.begin, place.column - 1, "");
        for (int i = 0; i < place.length; i++) tmap_puts(&out.text, "^");
        tmap_puts(&out.text, "\n");
    }
    if (fix != NULL) tmap_printf(&out.text, "fix: %s\n", fix);
    result_end(&out);
}
