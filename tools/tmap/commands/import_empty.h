/* tmap import: a log without maps and CUresults. */
#pragma once

#include "tmap/unstable/emit.h"
#include "tmap/unstable/import.h"

/* The ways to the parameters of a call whose log does not have them. The library that made the call may print them. */
#define WAYS                                                                                                           \
    "; \"tmap trace PROGRAM\" records the parameters and names the rule, in Python also "                              \
    "\"with libtmap.watch():\" and libtmap.explain_encode(arguments)"

/* The setting of the library in the log that makes it print the parameters, for the end of a message; "": not known. */
const char *printed_by(const tmap_source *log);
/* Reports the probable reason why the log has neither maps nor a CUresult. Returns the exit code. */
int complain_empty(const tmap_source *log, const tmap_import *read);
