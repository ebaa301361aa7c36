/* page: a question: "key=value&key=value", percent-encoded as in URLs. */
#pragma once

#include "tmap/base.h"

enum { TMAP_QUERY_KEY = 32, TMAP_QUERY_VALUE = 2048 };

typedef struct tmap_query_pair {
    char key[TMAP_QUERY_KEY], value[TMAP_QUERY_VALUE]; /* decoded; a text that is too long is cut, and `cut` is true */
    bool cut;
} tmap_query_pair;

/* Reads the pair at *at and moves *at after the pair. Returns false at the end. */
bool tmap_query_next(const char **at, tmap_query_pair *pair);

/* Finds the first pair with the key and decodes its value. Returns false if no pair has the key. */
bool tmap_query_find(const char *query, const char *key, tmap_query_pair *pair);

/* Writes an encoded value: letters, digits and "-_.,~:" stay as they are. */
void tmap_query_put(tmap_sink *sink, const char *value);
