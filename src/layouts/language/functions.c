/* language: the table of functions. */
#include "language/functions.h"

#include <stdio.h>

#include "base/rows.h"

static const tmap_function functions[] = {
#define FUNCTION(name_, call_, about_, ...) {.face = {name_, about_}, .call = call_, .params = {__VA_ARGS__}},
#include "language/functions.def"

#include "language/register_functions.def"

#include "language/cute_functions.def"

#include "language/triton_functions.def"

#include "language/named_functions.def"

#include "language/original_functions.def"
#undef FUNCTION
};

#define FUNCTIONS_N ((int)(sizeof functions / sizeof functions[0]))

TMAP_ROW_GETTER(tmap_function, tmap_function_row, functions)

const tmap_function_info *tmap_function_get(int i) {
    const tmap_function *function = tmap_function_row(i);
    return function ? &function->face : NULL;
}

char *tmap_function_signature(int i, char *text, size_t size) {
    const tmap_function *function = tmap_function_row(i);
    if (size == 0) return text;
    text[0] = '\0';
    if (!function) return text;
    size_t used = 0;
    for (int k = -1; k < TMAP_PARAMS_MAX && used < size; k++) {
        int more;
        if (k < 0)
            more = snprintf(text, size, "%s(", function->face.name);
        else if (function->params[k].name)
            more = snprintf(text + used, size - used, "%s%s%s%s", k > 0 ? ", " : "", function->params[k].name,
                            function->params[k].rest ? "..." : "", function->params[k].optional ? "?" : "");
        else
            break;
        used += (size_t)more;
    }
    if (used < size) snprintf(text + used, size - used, ")");
    return text;
}
