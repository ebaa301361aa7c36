/* generate: wraps lists at the width of a line. */
#include "generate/wrap.h"

#include "text/print.h"

#include <string.h>

enum { LINE_WIDTH = 112 };

void tmap_wrap_open(tmap_wrap *wrap, const char *text) {
    tmap_puts(wrap->sink, text);
    wrap->column += strlen(text);
}

void tmap_wrap_item(tmap_wrap *wrap, const char *prefix, const char *name) {
    size_t size = strlen(prefix) + strlen(name);
    if (wrap->not_first && wrap->column + size > LINE_WIDTH) {
        tmap_printf(wrap->sink, ",\n%*s", wrap->indent, "");
        wrap->column = (size_t)wrap->indent;
    } else if (wrap->not_first) {
        tmap_wrap_open(wrap, ", ");
    }
    tmap_wrap_open(wrap, prefix);
    tmap_wrap_open(wrap, name);
    wrap->not_first = true;
}
