/* page: writes the page: markup, style and script of src/page/parts, the library as WebAssembly, and answers. */
#include "text/json.h"
#include "text/print.h"
#include "tmap/unstable/page.h"

#include <stdio.h>
#include <string.h>

#include "page/answer.h"
#include "page/module_bytes.h"
#include "page/parts.h"
#include "view/hues.h"

/* The questions that a page offers. */
static const struct {
    const char *group, *name, *query;
} presets[] = {
#define PRESET(group, name, query) {group, name, query},
#include "page/presets.def"
#undef PRESET
};
enum { PRESETS_N = sizeof presets / sizeof *presets };

bool tmap_page_computes(void) {
    return TMAP_MODULE_SIZE > 0;
}

/* ---- Data for the script ---------------------------------------------------------------------------------------- */

/* JSON inside an HTML element must not contain "</script>". So '<', which occurs only in strings, is escaped. */
static bool write_escaped(void *context, const char *text, size_t size) {
    tmap_sink *sink = context;
    while (size > 0) {
        const char *less = memchr(text, '<', size);
        size_t n = less ? (size_t)(less - text) : size;
        tmap_write(sink, text, n);
        if (!less) break;
        tmap_puts(sink, "\\u003c");
        text = less + 1, size -= n + 1;
    }
    return !sink->failed;
}

/* RFC 4648, section 4. */
static void put_base64(tmap_sink *sink, const unsigned char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned bits = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                        (left > 2 ? (unsigned)bytes[i + 2] : 0);
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], '=', '='};
        if (left > 1) four[2] = digits[bits >> 6 & 63];
        if (left > 2) four[3] = digits[bits & 63];
        tmap_write(sink, four, sizeof four);
    }
}

static void put_presets(tmap_json *json) {
    tmap_json_key(json, "presets");
    tmap_json_array(json, false);
    for (int i = 0; i < PRESETS_N; i++) {
        tmap_json_object(json, true);
        tmap_json_key(json, "group");
        tmap_json_string(json, presets[i].group);
        tmap_json_key(json, "name");
        tmap_json_string(json, presets[i].name);
        tmap_json_key(json, "query");
        tmap_json_string(json, presets[i].query);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

static void put_fields(tmap_json *json) {
    tmap_json_key(json, "fields");
    tmap_json_object(json, true);
    tmap_json_key(json, "copy");
    tmap_answer_copy_fields(json);
    tmap_json_key(json, "layout");
    tmap_answer_layout_fields(json);
    tmap_json_close(json, '}');
}

static void put_tables(tmap_json *json) {
    tmap_json_key(json, "tables");
    tmap_json_object(json, true);
    tmap_json_key(json, "copy");
    tmap_json_object(json, true);
    tmap_answer_copy_tables(json);
    tmap_json_close(json, '}');
    tmap_json_key(json, "layout");
    tmap_json_object(json, true);
    tmap_answer_layout_tables(json);
    tmap_json_close(json, '}');
    tmap_json_close(json, '}');
}

/* Writes the colours of src/layouts/view/hues.def, and `few`, the number of colours for banks, lines and other numbers
 * that repeat after eight. */
static void put_hues(tmap_json *json) {
    char color[8];
    tmap_json_key(json, "hues");
    tmap_json_array(json, true);
    for (int i = 0; i < TMAP_HUES_N; i++) {
        (void)snprintf(color, sizeof color, "#%s", tmap_hue_rgb(i));
        tmap_json_string(json, color);
    }
    tmap_json_close(json, ']');
    tmap_json_key(json, "few");
    tmap_json_int(json, TMAP_FEW_HUES_N);
}

static void put_settings(tmap_sink *sink, const char *query) {
    tmap_json json = tmap_json_begin(sink);
    tmap_json_object(&json, false);
    tmap_json_key(&json, "version");
    tmap_json_string(&json, tmap_version());
    tmap_json_key(&json, "query");
    tmap_json_string(&json, query);
    put_presets(&json);
    put_tables(&json);
    put_fields(&json);
    put_hues(&json);
    tmap_json_close(&json, '}');
}

static void put_answer(tmap_sink *sink, const char *asked) {
    tmap_json json = tmap_json_begin(sink);
    tmap_puts(sink, "[");
    tmap_json_string(&json, asked);
    tmap_puts(sink, ",");
    tmap_page_answer(sink, asked);
    tmap_puts(sink, "]");
}

/* Writes the answers that the page needs when it opens, as pairs of question and answer: the first answer, and if the
 * page cannot compute, the files that the page offers. */
static void put_answers(tmap_sink *sink, const char *query) {
    static const char *const files[] = {"yaml", "c", "svg"};
    tmap_puts(sink, "[");
    put_answer(sink, query);
    for (size_t i = 0; i < sizeof files / sizeof *files && !tmap_page_computes(); i++) {
        tmap_text asked = {0};
        tmap_sink text = tmap_text_sink(&asked);
        tmap_printf(&text, "%s&only=%s", query, files[i]);
        tmap_puts(sink, ",");
        if (text.failed)
            sink->failed = true;
        else
            put_answer(sink, asked.data);
        tmap_text_free(&asked);
    }
    tmap_puts(sink, "]");
}

/* ---- The page --------------------------------------------------------------------------------------------------- */

static void put_scripts(tmap_sink *sink) {
    static const char *const scripts[] = {tmap_page_page, tmap_page_copy, tmap_page_layout, tmap_page_picture,
                                          tmap_page_main};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) tmap_puts(sink, scripts[i]);
}

static bool is_part(const char *name, const char *part) {
    return strncmp(name, part, strlen(part)) == 0 && strncmp(name + strlen(part), "}}", 2) == 0;
}

static void put_part(tmap_sink *sink, const char *name, const char *query) {
    tmap_sink escaped = {.write = write_escaped, .context = sink};
    if (is_part(name, "style")) tmap_puts(sink, tmap_page_style);
    if (is_part(name, "script")) put_scripts(sink);
    if (is_part(name, "settings")) put_settings(&escaped, query);
    if (is_part(name, "answers")) put_answers(&escaped, query);
    sink->failed |= escaped.failed;
    if (is_part(name, "module")) put_base64(sink, tmap_module_bytes, TMAP_MODULE_SIZE);
}

/* Writes the markup with every "{{part}}" replaced. */
void tmap_page_write(tmap_sink *sink, const char *query) {
    const char *at = tmap_page_markup;
    for (const char *mark; (mark = strstr(at, "{{")) != NULL; at = strstr(mark, "}}") + 2) {
        tmap_write(sink, at, (size_t)(mark - at));
        put_part(sink, mark + 2, query);
    }
    tmap_puts(sink, at);
}
