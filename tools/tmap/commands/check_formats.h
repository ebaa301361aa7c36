/* Findings in the forms that services for code review read: workflow commands of GitHub, and SARIF 2.1.0. */
#pragma once

#include "tmap/unstable/emit.h"

/* The findings of one file. `path`: as the report names the file. */
typedef struct checked_findings {
    const char *path;
    const tmap_diags *diags;
    const char *text; /* of the file, where it is a spec; NULL: fixes are told in words alone */
    size_t size;
    bool read; /* false: the file could not be read, and stderr has the reason */
} checked_findings;

/* One line a finding: ::error file=…,line=…,col=…,endColumn=…,title=RULE::MESSAGE */
void write_github(tmap_sink *sink, const checked_findings *files, size_t n);
/* One run. `exit_code`: the command's. */
void write_sarif(tmap_sink *sink, const checked_findings *files, size_t n, int exit_code);
