/* The section `sequence` of a spec, executed: for tmap show. */
#pragma once

#include "options/command.h"
#include "specs/document.h"

#define SEQUENCE_NAME "sequence"

/* What a run begins with, and how far it goes. */
typedef struct sequence_request {
    const tmap_judge *judge;
    const char *global_path; /* NULL: element i of each tensor holds i */
    const char *svg_path;    /* NULL: printed */
    optional_number step;    /* the moment after which the state is shown */
    bool json;
} sequence_request;

/* Whether a name is that of the section, and of nothing else in the file. */
bool is_sequence(const spec_document *doc, const char *name);
/* Answers an exit code, what is wrong having been said. */
int sequence_show(spec_document *doc, const sequence_request *request);
