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

/* For a copy that ran. */
void expect_outcome(const tmap_expect *expect, const copy_outcome *outcome, copy_verdict *verdict);
/* For a replacement, whose result is 128 bytes: `bytes` are at offsets in them. */
void expect_replacement(const tmap_expect *expect, const tmap_descriptor *after, copy_verdict *verdict);
/* For a copy that was refused, with the findings about it from number `first` on. */
void expect_refusal(const tmap_expect *expect, const tmap_diags *diags, size_t first, copy_verdict *verdict);
