/* runtime: a refusal as one line in the caller's buffer. */
#ifndef RUNTIME_REASON_H
#define RUNTIME_REASON_H

#include "tmap/diag.h"

typedef struct tmap_reason {
    char *text;
    size_t size;
} tmap_reason;

/* Writes it, cut where it does not fit. */
void tmap_give_reason(tmap_reason reason, const char *format, ...) TMAP_PRINTF(2, 3);

/* A list for findings on the stack, and its first error as the reason. */
#define TMAP_FINDINGS_ON_STACK 12
typedef struct tmap_stack_diags {
    tmap_diag items[TMAP_FINDINGS_ON_STACK];
    tmap_diags list;
} tmap_stack_diags;

tmap_diags *tmap_stack_diags_begin(tmap_stack_diags *diags);
void tmap_give_first_error(tmap_reason reason, const tmap_diags *diags);

#endif
