/* runtime: why a call was refused, as one line in the caller's buffer. */
#ifndef RUNTIME_REASON_H
#define RUNTIME_REASON_H

#include "tmap/diag.h"
#include "util/print.h"

typedef struct tmap_reason {
    char *text;
    size_t size;
} tmap_reason;

/* The caller's buffer, empty so far. */
tmap_reason tmap_reason_begin(char *text, size_t size);
/* Writes it, cut where it does not fit. */
void tmap_give_reason(tmap_reason reason, const char *format, ...) TMAP_PRINTF(2, 3);
/* The same with " [slug]" behind it; answers TMAP_REFUSED. */
tmap_status tmap_refuse(tmap_reason reason, const char *slug, const char *format, ...) TMAP_PRINTF(3, 4);
/* For a pointer that must not be null; answers TMAP_BAD_ARGUMENT. */
tmap_status tmap_refuse_null(tmap_reason reason, const char *name);

/* A list with room for the first finding, on the stack; the others are counted. */
typedef struct tmap_first_finding {
    tmap_diag item;
    tmap_diags list;
} tmap_first_finding;

tmap_diags *tmap_first_finding_begin(tmap_first_finding *first);
void tmap_give_finding(tmap_reason reason, const tmap_first_finding *first);

#endif
