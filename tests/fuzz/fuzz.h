/*
 * fuzz: what the targets share. A target is one LLVMFuzzerTestOneInput; libFuzzer or tests/fuzz/replay.c feeds it. Any
 * input must leave it without a crash, and what it requires must hold.
 */
#ifndef TMAP_TESTS_FUZZ_H
#define TMAP_TESTS_FUZZ_H

#include "tmap/map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says on stderr what does not hold, and aborts, so that the input is kept. */
#define REQUIRE(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_fail(const char *file, int line, const char *condition);

/* The answer of a check goes with its findings, and every finding is whole. */
void fuzz_require_findings(tmap_status status, const tmap_diags *diags);

/* A sink that only counts. */
tmap_sink fuzz_sink(size_t *written_B);

/* Raw bytes taken from the front; zeros when there are no more. */
typedef struct fuzz_input {
    const uint8_t *at;
    size_t left;
} fuzz_input;

uint8_t fuzz_byte(fuzz_input *input);
/* One byte below 128 is itself; others are 2^0 .. 2^63, the same and a little more or less, or 8 bytes as they are. */
uint64_t fuzz_number(fuzz_input *input);
int64_t fuzz_signed(fuzz_input *input);

/* No architecture, or one. */
tmap_judge fuzz_judge(fuzz_input *input);
/* Anything at all, the enumerators included. */
tmap_map_params fuzz_map(fuzz_input *input);
tmap_copy_params fuzz_copy(fuzz_input *input);

#endif
