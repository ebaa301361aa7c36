/*
 * A result in two forms. A command writes both at once, the text to `text` and the JSON to `json`. The form that was
 * not chosen is dropped.
 */
#pragma once

#include <stdio.h>

#include "text/json.h"
#include "tmap/unstable/emit.h"

typedef struct result_sink {
    tmap_sink text, json_sink;
    tmap_json json;
    int label_width; /* of result_number */
} result_sink;

/* Opens the outermost object of the JSON, with its version. `file` receives the chosen form. `out` must not move. */
#define JSON_VERSION 1
void result_begin(result_sink *out, FILE *file, bool as_json);
void result_begin_on(result_sink *out, tmap_sink sink, bool as_json); /* as result_begin, for a sink */
void result_end(result_sink *out);
/* Drops the text from here on. Returns the sink, for the caller to restore. */
tmap_sink result_mute(result_sink *out);

/* Starts a result that is only JSON. */
tmap_json json_result_begin(tmap_sink *sink);
void json_result_end(tmap_json *json);

/* A number of 64 bits: the member `key`, and the line "  LABEL  VALUE UNIT". UINT64_MAX is a number of 2^64 - 1 or
 * more: null in JSON. Without a key, writes only the line. */
void result_number(result_sink *out, const char *key, const char *label, uint64_t value, const char *unit);
/* Writes the key and the bracket of a JSON list with one element for each item. tmap_json_close closes both. */
void json_list(tmap_json *json, const char *key, bool flat);
void json_object(tmap_json *json, const char *key, bool flat);

/* Write a key with its value. */
void json_field_string(tmap_json *json, const char *key, const char *value);
void json_field_text(tmap_json *json, const char *key, tmap_text *value); /* also frees the text */
void json_field_uint(tmap_json *json, const char *key, uint64_t value);
void json_field_saturated(tmap_json *json, const char *key, uint64_t value); /* UINT64_MAX is null */
/* The number as text; for UINT64_MAX "at least 2^64 - 1". */
typedef struct saturated_word {
    char text[40];
} saturated_word;
saturated_word saturated_text(uint64_t value);
typedef struct json_number {
    const char *key;
    uint64_t value;
} json_number;
void json_fields(tmap_json *json, const json_number *numbers, size_t n);
#define JSON_FIELDS(json, ...)                                                                                         \
    json_fields(json, (const json_number[]){__VA_ARGS__},                                                              \
                sizeof((const json_number[]){__VA_ARGS__}) / sizeof(json_number))
void json_field_percent(tmap_json *json, const char *key, double percent); /* 0 or more; with two decimal places */
void json_field_bool(tmap_json *json, const char *key, bool value);
void json_field_archs(tmap_json *json, const char *key, tmap_archs archs);
void json_field_uints(tmap_json *json, const char *key, const uint64_t *values, size_t n);
void json_field_ints(tmap_json *json, const char *key, const int64_t *values, size_t n);
void json_field_strings(tmap_json *json, const char *key, const char *const *values, size_t n);
/* Writes key "diagnostics". */
void json_field_diags(tmap_json *json, const tmap_diags *diags);
