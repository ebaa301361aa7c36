/* text: a streaming JSON writer. */
#pragma once

#include "tmap/base.h"

/* A streaming JSON writer. The caller writes keys and values in order; the writer adds all other characters. */
typedef struct tmap_json {
    tmap_sink *sink;
    int depth;
    uint32_t not_first; /* bit d: depth d already has an entry */
    uint32_t flat;      /* bit d: depth d is written on one line */
    bool after_key;
} tmap_json;

tmap_json tmap_json_begin(tmap_sink *sink);
/* Starts a writer for one value inside `depth` objects and arrays that another writer has opened; depth -1: the value
 * is on one line. */
tmap_json tmap_json_begin_at(tmap_sink *sink, int depth);
void tmap_json_end(tmap_json *json); /* writes the final newline */
void tmap_json_object(tmap_json *json, bool flat);
void tmap_json_array(tmap_json *json, bool flat);
void tmap_json_close(tmap_json *json, char bracket); /* '}' or ']' */
void tmap_json_key(tmap_json *json, const char *key);
void tmap_json_string(tmap_json *json, const char *text); /* NULL is null; bad UTF-8 becomes U+FFFD */
void tmap_json_uint(tmap_json *json, uint64_t value);
void tmap_json_int(tmap_json *json, int64_t value);
void tmap_json_hundredths(tmap_json *json, uint64_t value); /* 12.34 for 1234 */
void tmap_json_bool(tmap_json *json, bool value);
void tmap_json_null(tmap_json *json);
/* Starts a value that another writer writes. The functions return the sink and the depth for that writer. */
tmap_sink *tmap_json_value(tmap_json *json);
int tmap_json_value_depth(const tmap_json *json);
