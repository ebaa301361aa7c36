/* Calls a driver, in this process or in a separate process. */
#pragma once

#include "capture/case.h"

typedef enum capture_answer {
    ASK_ANSWERED,
    ASK_NOT_ASKED, /* no such entry point, or numbers that its arguments cannot hold */
    ASK_LOST,      /* the driver's process died, or did not answer: tmap_capture_source_refusal */
    ASK_NO_MEMORY,
} capture_answer;

/* Makes the case's calls. Fills in the result, the descriptor and, for memory of the driver's process, the address. */
capture_answer tmap_capture_ask(tmap_capture_source *source, capture_case *c);
/* Whether calls can reach a driver: a lost driver is opened again, up to a limit. */
bool tmap_capture_source_lives(tmap_capture_source *source);
