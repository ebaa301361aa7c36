/* text: the streaming JSON writer (RFC 8259). Objects and arrays are indented, or flat: on one line. */
#include "text/json.h"

#include "text/print.h"
#include "text/quote.h"

#include <inttypes.h>

/* Deeper levels share the last bit, so any depth is safe. */
static uint32_t depth_bit(const tmap_json *json) {
    unsigned depth = (unsigned)json->depth;
    return (uint32_t)1 << (depth < 31 ? depth : 31);
}

static void new_line(tmap_json *json) {
    tmap_puts(json->sink, "\n");
    for (int i = 0; i < json->depth; i++) tmap_puts(json->sink, "  ");
}

/* Writes the separator between the previous entry and this entry. */
static void begin_entry(tmap_json *json) {
    if (json->depth == 0) return;
    uint32_t bit = depth_bit(json);
    bool first = !(json->not_first & bit), flat = json->flat & bit;
    json->not_first |= bit;
    if (!first) tmap_puts(json->sink, flat ? ", " : ",");
    if (!flat) new_line(json);
}

static void begin_value(tmap_json *json) {
    if (!json->after_key) begin_entry(json);
    json->after_key = false;
}

static void open_bracket(tmap_json *json, bool flat, const char *bracket) {
    begin_value(json);
    tmap_puts(json->sink, bracket);
    bool inside_flat = json->depth > 0 && (json->flat & depth_bit(json));
    json->depth++;
    uint32_t bit = depth_bit(json);
    json->not_first &= ~bit;
    json->flat = flat || inside_flat ? json->flat | bit : json->flat & ~bit;
}

tmap_json tmap_json_begin(tmap_sink *sink) {
    return (tmap_json){.sink = sink};
}

tmap_json tmap_json_begin_at(tmap_sink *sink, int depth) {
    if (depth < 0) return (tmap_json){.sink = sink, .depth = 1, .flat = 1u << 1, .after_key = true};
    return (tmap_json){.sink = sink, .depth = depth, .after_key = true};
}

tmap_sink *tmap_json_value(tmap_json *json) {
    begin_value(json);
    return json->sink;
}

int tmap_json_value_depth(const tmap_json *json) {
    return json->depth > 0 && (json->flat & depth_bit(json)) ? -1 : json->depth;
}

void tmap_json_end(tmap_json *json) {
    tmap_puts(json->sink, "\n");
}

void tmap_json_object(tmap_json *json, bool flat) {
    open_bracket(json, flat, "{");
}

void tmap_json_array(tmap_json *json, bool flat) {
    open_bracket(json, flat, "[");
}

void tmap_json_close(tmap_json *json, char bracket) {
    uint32_t bit = depth_bit(json);
    bool on_own_line = (json->not_first & bit) && !(json->flat & bit);
    if (json->depth > 0) json->depth--;
    if (on_own_line) new_line(json);
    tmap_write(json->sink, &bracket, 1);
}

void tmap_json_key(tmap_json *json, const char *key) {
    begin_entry(json);
    tmap_put_as(json->sink, TMAP_SYNTAX_JSON, key);
    tmap_puts(json->sink, ": ");
    json->after_key = true;
}

void tmap_json_string(tmap_json *json, const char *text) {
    if (!text) {
        tmap_json_null(json);
        return;
    }
    begin_value(json);
    tmap_put_as(json->sink, TMAP_SYNTAX_JSON, text);
}

void tmap_json_uint(tmap_json *json, uint64_t value) {
    begin_value(json);
    tmap_printf(json->sink, "%" PRIu64, value);
}

void tmap_json_int(tmap_json *json, int64_t value) {
    begin_value(json);
    tmap_printf(json->sink, "%" PRId64, value);
}

void tmap_json_hundredths(tmap_json *json, uint64_t value) {
    begin_value(json);
    tmap_printf(json->sink, "%" PRIu64 ".%02" PRIu64, value / 100, value % 100);
}

void tmap_json_bool(tmap_json *json, bool value) {
    begin_value(json);
    tmap_puts(json->sink, value ? "true" : "false");
}

void tmap_json_null(tmap_json *json) {
    begin_value(json);
    tmap_puts(json->sink, "null");
}
