/* page: JSON keys with their values. */
#pragma once

#include "text/json.h"
#include "tmap/unstable/emit.h"

static inline void key_text(tmap_json *json, const char *key, const char *text) {
    tmap_json_key(json, key);
    tmap_json_string(json, text);
}

static inline void key_int(tmap_json *json, const char *key, int64_t value) {
    tmap_json_key(json, key);
    tmap_json_int(json, value);
}

static inline void key_bool(tmap_json *json, const char *key, bool value) {
    tmap_json_key(json, key);
    tmap_json_bool(json, value);
}
