/*
 * What every proof starts from. PROVE is a statement that holds for all values of ANY; ASSUME leaves out the values
 * for which the condition is false. The model checker follows all paths at once, so one run is all cases.
 */
#ifndef TMAP_TESTS_PROOF_H
#define TMAP_TESTS_PROOF_H

#include <stdbool.h>
#include <stdint.h>

void __ESBMC_assert(_Bool holds, const char *text);
void __ESBMC_assume(_Bool holds);

#define PROVE(condition)  __ESBMC_assert(condition, #condition)
#define ASSUME(condition) __ESBMC_assume(condition)

/* `ANY(TYPE, NAME);` declares a variable that has any value of its type, padding and all. */
#define ANY(type, name)                                                                                                \
    type nondet_##name(void);                                                                                          \
    type name = nondet_##name()

#endif
