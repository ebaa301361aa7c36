/* The `expect:` block of a copy held against what the emulator did. */
#pragma once

#include "copies/emulated_copy.h"

#define FAILURES_MAX 8

typedef struct expect_failure {
    char text[200]; /* "tx_bytes: expected 96, got 128" */
} expect_failure;

typedef struct copy_verdict {
    expect_failure failures[FAILURES_MAX];
    int n;
    int checked; /* expectations looked at */
} copy_verdict;

/* A copy that ran. */
void expect_outcome(const tmap_expect *expect, const copy_outcome *outcome, copy_verdict *verdict);
/* A replacement, whose result are 128 bytes: `bytes` are at offsets in them. */
void expect_replacement(const tmap_expect *expect, const tmap_descriptor *after, copy_verdict *verdict);
/* A copy that was refused, with the findings about it from number `first` on. */
void expect_refusal(const tmap_expect *expect, const tmap_diags *diags, size_t first, copy_verdict *verdict);
