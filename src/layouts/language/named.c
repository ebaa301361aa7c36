/* The table of named layouts. */
#include "language/eval.h"
#include "text/print.h"
#include "tmap/unstable/language_named.h"

#include <inttypes.h>
#include <string.h>

static const tmap_named_layout rows[] = {
#define NAMED(...) {__VA_ARGS__},
#include "language/named.def"
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

/* The number of which the parameter must be a multiple, given the values before it; 0: it must be a power of two. */
static int64_t multiple_of(const tmap_named_param *param, const int64_t *values) {
    return param->bits > 0 ? param->bits / values[0] : param->multiple;
}

static bool takes(const tmap_named_param *param, int64_t multiple, int64_t value) {
    bool fits = multiple > 0 ? value % multiple == 0 : value > 0 && (value & (value - 1)) == 0;
    return value >= param->least && value <= param->most && fits;
}

static tmap_status refuse(const tmap_named_layout *named, int i, int64_t multiple, int64_t value, tmap_diag *error) {
    const tmap_named_param *param = &named->params[i];
    tmap_refuse_operand(error, i, "%s: %s is %" PRId64, named->name, param->name, value);
    if (multiple > 0)
        tmap_say_fix(error, "a multiple of %" PRId64 " from %" PRId64 " to %" PRId64, multiple,
                     param->least > multiple ? param->least : multiple, param->most);
    else
        tmap_say_fix(error, "a power of two from %" PRId64 " to %" PRId64, param->least, param->most);
    return TMAP_REFUSED;
}

tmap_status tmap_named_layout_write(tmap_sink *sink, const tmap_named_layout *named, const int64_t *values,
                                    int values_n, tmap_diag *error) {
    int n = params_of(named);
    if (values_n != n) {
        char names[64] = ""; /* "n", or "bits, r, k" */
        for (int i = 0; i < n; i++) tmap_append(names, sizeof names, "%s%s", i > 0 ? ", " : "", named->params[i].name);
        tmap_refuse_operand(error, -1, "%s: %d number%s given, %d required", named->name, values_n,
                            values_n == 1 ? " is" : "s are", n);
        return tmap_say_fix(error, n > 0 ? "named(%s, %s)" : "named(%s)%s", named->name, names);
    }
    for (int i = 0; i < n; i++) {
        int64_t multiple = multiple_of(&named->params[i], values);
        if (!takes(&named->params[i], multiple, values[i])) return refuse(named, i, multiple, values[i], error);
    }
    for (int i = 0; i < n; i++) tmap_printf(sink, "%s = %" PRId64 "; ", named->params[i].name, values[i]);
    tmap_puts(sink, named->text);
    return TMAP_OK;
}
