/* The `expect:` block of a copy held against what the emulator did. */
#ifndef TMAP_TOOL_EXPECT_H
#define TMAP_TOOL_EXPECT_H

#include "outcome.h"

#define FAILURES_MAX 8

typedef struct failure {
    char text[200]; /* "tx_bytes: expected 96, got 128" */
} failure;

typedef struct verdict {
    failure failures[FAILURES_MAX];
    int n;
    int checked; /* expectations looked at */
} verdict;

/* A copy that ran. */
void expect_outcome(const tmap_expect *expect, const outcome *outcome, verdict *verdict);
/* A copy that was refused, with the findings about it from number `first` on. */
void expect_refusal(const tmap_expect *expect, const tmap_diags *diags, size_t first, verdict *verdict);

#endif
