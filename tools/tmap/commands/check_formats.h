/* Findings in the formats that code review services read: workflow commands of GitHub, and SARIF 2.1.0. */
#pragma once

#include "tmap/unstable/emit.h"

/* The findings of one file. `path` is the file's name in the report. */
typedef struct checked_findings {
    const char *path;
    const tmap_diags *diags;
    const char *text; /* of the file, if it is a spec; NULL: fixes are only text */
    size_t size;
    bool read; /* false: the file could not be read; the reason is on stderr */
} checked_findings;

/* One line for each finding: ::error file=...,line=...,col=...,endColumn=...,title=RULE::MESSAGE */
void write_github(tmap_sink *sink, const checked_findings *files, size_t n);
/* One run. `exit_code`: the command's. */
void write_sarif(tmap_sink *sink, const checked_findings *files, size_t n, int exit_code);
