/* The table of named layouts. */
#include "tmap/named_layout.h"

#include <inttypes.h>
#include <string.h>

static const tmap_named_layout rows[] = {
#define NAMED(...) {__VA_ARGS__},
#include "layout/named_layouts.def"
#undef NAMED
};

const tmap_named_layout *tmap_named_layout_get(int i) {
    return i >= 0 && (size_t)i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

const tmap_named_layout *tmap_named_layout_find(const char *name) {
    const tmap_named_layout *row = NULL;
    for (int i = 0; (row = tmap_named_layout_get(i)) != NULL; i++)
        if (strcmp(row->name, name) == 0) break;
    return row;
}

static int params_of(const tmap_named_layout *named) {
    int n = 0;
    while (n < TMAP_NAMED_PARAMS_MAX && named->params[n].name) n++;
    return n;
}

static bool takes(const tmap_named_param *param, int64_t value) {
    bool multiple = param->multiple > 0 ? value % param->multiple == 0 : value > 0 && (value & (value - 1)) == 0;
    return value >= param->least && value <= param->most && multiple;
}

static tmap_status refuse(const tmap_named_layout *named, int i, int64_t value, tmap_layout_error *error) {
    const tmap_named_param *param = &named->params[i];
    tmap_layout_refuse(error, i, "%s: %s is %" PRId64, named->name, param->name, value);
    if (param->multiple > 0)
        tmap_layout_fix(error, "a multiple of %" PRId64 " from %" PRId64 " to %" PRId64, param->multiple, param->least,
                        param->most);
    else
        tmap_layout_fix(error, "a power of two from %" PRId64 " to %" PRId64, param->least, param->most);
    return TMAP_REFUSED;
}

tmap_status tmap_named_layout_write(tmap_sink *sink, const tmap_named_layout *named, const int64_t *values,
                                    int values_n, tmap_layout_error *error) {
    int n = params_of(named);
    if (values_n != n) {
        tmap_layout_refuse(error, -1, "%s takes %d numbers, not %d", named->name, n, values_n);
        for (int i = 0; i < n && i == 0; i++)
            tmap_layout_fix(error, "give %s%s%s%s%s", named->params[0].name, n > 1 ? ", " : "",
                            n > 1 ? named->params[1].name : "", n > 2 ? ", " : "", n > 2 ? named->params[2].name : "");
        return TMAP_REFUSED;
    }
    for (int i = 0; i < n; i++)
        if (!takes(&named->params[i], values[i])) return refuse(named, i, values[i], error);
    for (int i = 0; i < n; i++) tmap_printf(sink, "%s = %" PRId64 "; ", named->params[i].name, values[i]);
    tmap_puts(sink, named->text);
    return TMAP_OK;
}
