/* The section `sequence` of a spec, executed: for tmap show. */
#pragma once

#include "options/command.h"
#include "specs/document.h"
#include "tmap/unstable/execution.h"

#define SEQUENCE_NAME "sequence"

/* The initial memory of a run, and its last moment. */
typedef struct sequence_request {
    const tmap_judge *judge;
    const char *global_path; /* NULL: element i of each tensor holds i */
    const char *svg_path;    /* NULL: print text */
    optional_number step;    /* the moment after which the state is shown */
    bool json;
} sequence_request;

/* Whether a name means the section and nothing else in the file. */
bool is_sequence(const spec_document *doc, const char *name);
/* Reports errors and returns an exit code. */
int sequence_show(spec_document *doc, const sequence_request *request);
