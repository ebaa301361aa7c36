/* Rounds of a case and of its yardstick in turn, so that both see the same machine. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdio.h>
#include <time.h>

#define ROUNDS 200

double bench_row_s = 1e9;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double round_of(void (*work)(void *), void *context, unsigned repeats) {
    double begin = seconds();
    for (unsigned i = 0; i < repeats; i++) work(context);
    return (seconds() - begin) / repeats;
}

void bench_print(const bench_case *c) {
    double best = 1e9, best_reference = 1e9;
    unsigned rounds = c->rounds ? c->rounds : ROUNDS, of = c->copies ? c->copies : 1;
    double begin = seconds();
    for (unsigned i = 0; i < rounds && (i == 0 || seconds() - begin < bench_row_s); i++) {
        double reference = round_of(c->reference, c->context, c->repeats);
        double time = round_of(c->run, c->context, c->repeats);
        if (reference < best_reference) best_reference = reference;
        if (time < best) best = time;
    }
    double ratio = c->speed ? best_reference / best : best / best_reference;
    printf("%-48s %12.1f %12.1f  %-22s %8.2f", c->name, best * 1e9 / of, best_reference * 1e9 / of, c->yardstick,
           ratio);
    if (c->bound > 0)
        printf("  %s %.2f%s", c->speed ? ">=" : "<=", c->bound,
               (c->speed ? ratio >= c->bound : ratio <= c->bound) ? "" : "  MISSED");
    if (c->copies) printf("  %.0f copies a second", of / best);
    printf("\n");
}
