/* page: chooses the answer by the mode of the question. */
#include "page/answer.h"

#include <string.h>

#include "page/query.h"
#include "text/json.h"
#include "tmap/unstable/page.h"

static const struct {
    const char *mode;
    void (*answer)(tmap_json *json, const char *query);
} modes[] = {
    {"copy", tmap_answer_copy},
    {"layout", tmap_answer_layout},
};

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
