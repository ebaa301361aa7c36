/*
 * The primitives of a proof. PROVE(condition) requires that the condition holds for all values of ANY; ASSUME(condition)
 * leaves out the values for which the condition is false. symbolic.py executes the compiled proof with symbolic values
 * and replaces the three functions; their bodies here never run.
 */
#ifndef TMAP_TESTS_PROOF_H
#define TMAP_TESTS_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#define PROOF_PRIMITIVE __attribute__((noinline, optnone, used, no_sanitize("all")))
#else
#define PROOF_PRIMITIVE __attribute__((noipa, used))
#endif

PROOF_PRIMITIVE void tmap_proof_any(void *at, size_t size) {
    __asm__ volatile("" ::"r"(at), "r"(size) : "memory");
}

PROOF_PRIMITIVE void tmap_proof_assume(bool condition) {
    __asm__ volatile("" ::"r"(condition));
}

PROOF_PRIMITIVE void tmap_proof_prove(bool condition, const char *text) {
    __asm__ volatile("" ::"r"(condition), "r"(text));
}

/* Returns each of 0 to n - 1, each on a separate path. */
PROOF_PRIMITIVE unsigned tmap_proof_each(unsigned n) {
    __asm__ volatile("" : "+r"(n));
    return n;
}

#define PROVE(condition)  tmap_proof_prove(condition, #condition)
#define ASSUME(condition) tmap_proof_assume(condition)

/* `ANY(TYPE, NAME);` declares a variable with arbitrary bytes, including padding. */
#define ANY(type, name)                                                                                                \
    type name;                                                                                                         \
    tmap_proof_any(&name, sizeof name)

/* The functions that compilers call implicitly, so that a proof links no other library. */
PROOF_PRIMITIVE void *memcpy(void *to, const void *from, size_t size) {
    size_t i = 0;
    for (; i + 8 <= size; i += 8) *(uint64_t *)((char *)to + i) = *(const uint64_t *)((const char *)from + i);
    for (; i < size; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

PROOF_PRIMITIVE void *memset(void *at, int byte, size_t size) {
    for (size_t i = 0; i < size; i++) ((char *)at)[i] = (char)byte;
    return at;
}

#endif
