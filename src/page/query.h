/* page: a question: "key=value&key=value", percent-encoded as in URLs. */
#pragma once

#include "tmap/base.h"

enum { TMAP_QUERY_KEY = 32, TMAP_QUERY_VALUE = 2048 };

typedef struct tmap_query_pair {
    char key[TMAP_QUERY_KEY], value[TMAP_QUERY_VALUE]; /* decoded; too long ones are cut, and `cut` says so */
    bool cut;
} tmap_query_pair;

/* The pair at *at, which moves behind it; false at the end. */
bool tmap_query_next(const char **at, tmap_query_pair *pair);

/* The decoded value of a key, the first that has it; false when none does. */
bool tmap_query_find(const char *query, const char *key, tmap_query_pair *pair);

/* Writes a value so that it reads back: letters, digits and "-_.,~:" as they are. */
void tmap_query_put(tmap_sink *sink, const char *value);
