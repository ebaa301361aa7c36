/* Asking a driver, in this process or in one of its own. */
#pragma once

#include "capture/case.h"

typedef enum capture_answer {
    ASK_ANSWERED,
    ASK_NOT_ASKED, /* no such entry point, or numbers that its arguments do not carry */
    ASK_LOST,      /* the driver's process died, or did not answer: tmap_capture_source_refusal */
    ASK_NO_MEMORY,
} capture_answer;

/* Makes the case's calls, and fills in result, descriptor and, of memory of the driver's process, the address. */
capture_answer tmap_capture_ask(tmap_capture_source *source, capture_case *c);
/* Whether there is a driver to be asked: one that was lost is opened again, but not for ever. */
bool tmap_capture_source_lives(tmap_capture_source *source);
