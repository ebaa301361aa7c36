/* Runs rounds of a case and of its yardstick in turn, so that both see the same machine. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROUNDS 200

double bench_row_s = 1e9;
const char *bench_rows = "";

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

bench_times bench_measure(const bench_case *c) {
    bench_times best = {1e9, 1e9};
    unsigned rounds = c->rounds ? c->rounds : ROUNDS;
    double begin = seconds();
    for (unsigned i = 0; i < rounds && (i == 0 || seconds() - begin < bench_row_s); i++) {
        double reference = round_of(c->reference, c->context, c->repeats);
        double time = round_of(c->run, c->context, c->repeats);
        if (reference < best.reference_s) best.reference_s = reference;
        if (time < best.run_s) best.run_s = time;
    }
    return best;
}

void bench_print(const bench_case *c) {
    if (!strstr(c->name, bench_rows)) return;
    bench_times best = bench_measure(c);
    unsigned of = c->copies ? c->copies : 1;
    double ratio = c->speed ? best.reference_s / best.run_s : best.run_s / best.reference_s;
    printf("%-48s %12.1f %12.1f  %-22s %8.2f", c->name, best.run_s * 1e9 / of, best.reference_s * 1e9 / of,
           c->yardstick, ratio);
    if (c->bound > 0)
        printf("  %s %.2f%s", c->speed ? ">=" : "<=", c->bound,
               (c->speed ? ratio >= c->bound : ratio <= c->bound) ? "" : "  MISSED");
    if (c->copies) printf("  %.0f copies a second", of / best.run_s);
    printf("\n");
}
