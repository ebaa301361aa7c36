/* tmap import: a log without maps and CUresults. */
#pragma once

#include "tmap/unstable/emit.h"
#include "tmap/unstable/import.h"

/* The ends of messages: how to get the parameters of a call that the log does not have. */
#define WAYS                                                                                                           \
    "; \"tmap trace PROGRAM\" records the parameters and names the rule, in Python also "                              \
    "\"with libtmap.watch():\" and libtmap.explain_encode(arguments)"

/* The setting with which the library of the log prints the parameters; "": not known. */
const char *printed_by(const tmap_source *log);
/* Reports the probable reason why the log has neither maps nor a CUresult. Returns the exit code. */
int complain_empty(const tmap_source *log, const tmap_import *read);
