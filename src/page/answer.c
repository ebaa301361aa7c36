/* page: questions by their mode. */
#include "page/answer.h"

#include <string.h>

#include "page/query.h"
#include "tmap/page.h"

static const struct {
    const char *mode;
    void (*answer)(tmap_json *json, const char *query);
} modes[] = {
    {"copy", tmap_answer_copy},
    {"layout", tmap_answer_layout},
};

static void put_names(tmap_json *json, const char *key, const char *(*name)(int id)) {
    tmap_json_key(json, key);
    tmap_json_array(json, true);
    for (int id = 0; name(id) != NULL; id++) tmap_json_string(json, name(id));
    tmap_json_close(json, ']');
}

#define NAMES_OF(table)                                                                                                \
    static const char *table##_name(int id) {                                                                          \
        return tmap_##table##_get(id) != NULL ? tmap_##table##_get(id)->name : NULL;                                   \
    }
NAMES_OF(type)
NAMES_OF(swizzle)
NAMES_OF(interleave)
NAMES_OF(oob_fill)

/* The operations that have a box in shared memory to show. */
static void put_ops(tmap_json *json) {
    tmap_json_key(json, "op");
    tmap_json_array(json, true);
    for (int id = 0; tmap_op_get(id) != NULL; id++)
        if (tmap_op_get(id)->emulated) tmap_json_string(json, tmap_op_get(id)->name);
    tmap_json_close(json, ']');
}

void tmap_answer_tables(tmap_json *json) {
    put_names(json, "type", type_name);
    put_names(json, "swizzle", swizzle_name);
    put_names(json, "interleave", interleave_name);
    put_names(json, "oob_fill", oob_fill_name);
    put_ops(json);
}

void tmap_page_answer(tmap_sink *sink, const char *query) {
    tmap_query_pair mode;
    bool given = tmap_query_find(query, "mode", &mode);
    tmap_json json = tmap_json_begin(sink);
    tmap_json_object(&json, true);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(given ? mode.value : modes[0].mode, modes[i].mode) != 0) continue;
        tmap_json_key(&json, "mode");
        tmap_json_string(&json, modes[i].mode);
        modes[i].answer(&json, query);
    }
    tmap_json_close(&json, '}');
    tmap_json_end(&json);
}
