/* Compares the `expect:` block of a copy with the emulator's results. */
#pragma once

#include "copies/emulated_copy.h"

#define FAILURES_MAX 8

typedef struct expect_failure {
    char text[200]; /* "tx_bytes: expected 96, got 128" */
} expect_failure;

typedef struct copy_verdict {
    expect_failure failures[FAILURES_MAX];
    int n;
    int checked; /* number of expectations checked */
} copy_verdict;

/* Judges the expectations of a copy that ran, or of an operation on a map (outcome NULL). Returns an exit code. */
int expect_results(const tmap_spec *spec, size_t index, const tmap_judge *judge, const copy_outcome *outcome,
                   copy_verdict *verdict);
/* For a copy that was refused, with the findings about it from number `first` on. */
void expect_refusal(const tmap_expect *expect, const tmap_diags *diags, size_t first, copy_verdict *verdict);
