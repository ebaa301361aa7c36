/* runtime: why a call was refused, as one line in the caller's buffer. */
#include "runtime/reason.h"

#include "util/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tmap_reason tmap_reason_begin(char *text, size_t size) {
    if (text != NULL && size > 0) text[0] = '\0';
    return (tmap_reason){text, text != NULL ? size : 0};
}

TMAP_PRINTF(2, 0) static void give(tmap_reason reason, const char *format, va_list arguments) {
    if (reason.size > 0) (void)vsnprintf(reason.text, reason.size, format, arguments);
}

void tmap_give_reason(tmap_reason reason, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    give(reason, format, arguments);
    va_end(arguments);
}

tmap_status tmap_refuse(tmap_reason reason, const char *slug, const char *format, ...) {
    va_list arguments;
    if (reason.size == 0) return TMAP_REFUSED;
    va_start(arguments, format);
    give(reason, format, arguments);
    va_end(arguments);
    size_t used = strlen(reason.text);
    tmap_give_reason((tmap_reason){reason.text + used, reason.size - used}, " [%s]", slug);
    return TMAP_REFUSED;
}

tmap_status tmap_refuse_null(tmap_reason reason, const char *name) {
    tmap_give_reason(reason, "%s is null", name);
    return TMAP_BAD_ARGUMENT;
}

tmap_diags *tmap_first_finding_begin(tmap_first_finding *first) {
    first->list = (tmap_diags){.items = &first->item, .capacity = 1, .fixed = true};
    return &first->list;
}

/* "; allowed: …", or nothing where there is nothing to say. */
static const char *lead(const char *what, const char *text) {
    return text[0] != '\0' ? what : "";
}

void tmap_give_finding(tmap_reason reason, const tmap_first_finding *first) {
    const tmap_diag *d = &first->item;
    char more[32] = "";
    if (first->list.dropped > 0) (void)snprintf(more, sizeof more, ", and %zu more", first->list.dropped);
    (void)tmap_refuse(reason, d->rule, "%s%s%s%s%s%s%s%s", d->message, lead("; given: ", d->given), d->given,
                      lead("; allowed: ", d->allowed), d->allowed, lead("; fix: ", d->fix), d->fix, more);
}
