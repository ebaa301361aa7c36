/*
 * fuzz: declarations that all targets share. A target is one LLVMFuzzerTestOneInput, which libFuzzer or
 * tests/fuzz/replay.c calls. No input may crash a target, and every REQUIRE must hold.
 */
#ifndef TMAP_TESTS_FUZZ_H
#define TMAP_TESTS_FUZZ_H

#include "tmap/map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts if the condition is false, with the condition on stderr, so that the fuzzer keeps the input. */
#define REQUIRE(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_fail(const char *file, int line, const char *condition);

/* Requires that the status of a check agrees with its findings, and that every finding is complete. */
void fuzz_require_findings(tmap_status status, const tmap_diags *diags);

/* A sink that counts the bytes and drops them. */
tmap_sink fuzz_sink(size_t *written_B);

/* Bytes of the input, read from the start; zeros after the end. */
typedef struct fuzz_input {
    const uint8_t *at;
    size_t left;
} fuzz_input;

uint8_t fuzz_byte(fuzz_input *input);
/* A first byte below 128 is the number. Other first bytes select a power of 2 up to 2^63, a number near such a power,
 * or the next 8 bytes. */
uint64_t fuzz_number(fuzz_input *input);
int64_t fuzz_signed(fuzz_input *input);

/* A judge for no architecture or for one. */
tmap_judge fuzz_judge(fuzz_input *input);
/* Any parameters, including any values of the enumerators. */
tmap_map_params fuzz_map(fuzz_input *input);
tmap_copy_params fuzz_copy(fuzz_input *input);

#endif
