/* runtime: a refusal as one line in the caller's buffer. */
#include "runtime/reason.h"

#include <stdarg.h>
#include <stdio.h>

void tmap_give_reason(tmap_reason reason, const char *format, ...) {
    if (reason.text == NULL || reason.size == 0) return;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason.text, reason.size, format, arguments);
    va_end(arguments);
}

tmap_diags *tmap_stack_diags_begin(tmap_stack_diags *diags) {
    diags->list = (tmap_diags){.items = diags->items, .capacity = TMAP_FINDINGS_ON_STACK, .fixed = true};
    return &diags->list;
}

/* "; allowed: …", or nothing where there is nothing to say. */
static const char *lead(const char *what, const char *text) {
    return text[0] != '\0' ? what : "";
}

void tmap_give_first_error(tmap_reason reason, const tmap_diags *diags) {
    for (size_t i = 0; i < diags->count; i++) {
        const tmap_diag *d = &diags->items[i];
        if (d->severity != TMAP_ERROR) continue;
        tmap_give_reason(reason, "%s%s%s%s%s%s%s [%s]", d->message, lead("; given: ", d->given), d->given,
                         lead("; allowed: ", d->allowed), d->allowed, lead("; fix: ", d->fix), d->fix, d->rule);
        return;
    }
    tmap_give_reason(reason, "%s", "refused");
}
