/* Timing: the shortest time of many short rounds, which is the time of the code on an otherwise idle machine. */
#ifndef TMAP_BENCH_H
#define TMAP_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct bench_case {
    const char *name;
    const char *yardstick; /* the yardstick of the ratio */
    void (*run)(void *context);
    void (*reference)(void *context); /* the yardstick's work for the same payload */
    void *context;
    double bound;     /* the bound of the ratio; 0: no bound, only reported */
    int speed;        /* 1: ratio is speed (reference time / time), at least the bound; 0: cost, at most the bound */
    unsigned repeats; /* calls in a round */
    unsigned rounds;  /* 0: 200 */
    unsigned copies;  /* copies per call; not 0: the row has nanoseconds of one copy, and copies per second */
} bench_case;

extern double bench_row_s;     /* no further round of a row after this time */
extern const char *bench_rows; /* only the rows whose names contain these words are measured */

/* The shortest time, in seconds, of a call of both. */
typedef struct bench_times {
    double run_s, reference_s;
} bench_times;

bench_times bench_measure(const bench_case *c);

/* Measures and prints one row of the table: nanoseconds of both, the ratio and its bound. */
void bench_print(const bench_case *c);

/* The rows of a room, in their order. */
void bench_device(const char *name);
void bench_copies(void);
void bench_field(const char *words); /* the cases whose names contain the words */
void bench_random_field(uint64_t seed);
void bench_prototypes(void);
void bench_runtime(void);
void bench_spec(void);
void bench_layouts(void);

/* Inline, like keep, so that the timed code contains no call. */
static inline void must(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "bench: %s failed\n", what);
    exit(1);
}

/* For the compiler, this reads and changes the bytes. */
static inline void keep(void *bytes) {
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

#endif
