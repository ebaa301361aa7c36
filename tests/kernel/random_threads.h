/* Random kernels of 2 or 3 threads with 1 to 3 barriers, for the oracle of threads: any actions, a ring of stages, an
 * epilogue; and mistakes in them. */
#pragma once

#include <string.h>

#include "oracle/threads.h"
#include "prop/prop.h"

static int below(tmap_random *random, int n) {
    return (int)tmap_random_between(random, 0, (uint64_t)n - 1);
}

static bool one_in(tmap_random *random, int n) {
    return below(random, n) == 0;
}

static void put(oracle_kernel *kernel, int thread, oracle_action action) {
    int *n = &kernel->actions_n[thread];
    if (*n < ORACLE_ACTIONS) kernel->actions[thread][(*n)++] = action;
}

static oracle_action random_action(tmap_random *random, const oracle_kernel *kernel) {
    static const oracle_action_kind kinds[] = {
        ORACLE_LATE_ARRIVE, ORACLE_READ,       ORACLE_WRITE, ORACLE_LOAD,   ORACLE_STORE, ORACLE_COMMIT,
        ORACLE_FENCE,       ORACLE_WAIT_GROUP, ORACLE_SYNC,  ORACLE_ARRIVE, ORACLE_WAIT,  ORACLE_ARRIVE,
        ORACLE_WAIT,        ORACLE_READ,       ORACLE_WRITE, ORACLE_ARRIVE, ORACLE_WAIT};
    oracle_action a = {.kind = kinds[below(random, sizeof kinds / sizeof *kinds)],
                       .buffer = below(random, 2),
                       .barrier = below(random, kernel->barriers_n),
                       .count = one_in(random, 8) ? 2 : 1,
                       .parity = (unsigned)below(random, 2),
                       .pending = one_in(random, 4),
                       .reads = one_in(random, 2)};
    if (a.kind == ORACLE_LOAD) a.pieces = one_in(random, 6) ? 4 : 2;
    if (a.kind == ORACLE_ARRIVE && one_in(random, 3)) a.pieces = one_in(random, 6) ? 4 : 2;
    return a;
}

/* Any actions; some of them in a loop, whose waits alternate. */
static void random_threads(tmap_random *random, oracle_kernel *kernel) {
    for (int thread = 0; thread < kernel->threads_n; thread++) {
        int n = 1 + below(random, kernel->threads_n == 2 ? 6 : 4);
        int rounds = one_in(random, 3) ? 2 + below(random, 2) : 1;
        oracle_action body[8];
        for (int i = 0; i < n; i++) body[i] = random_action(random, kernel);
        int loop = rounds > 1 && n > 4 ? n - 4 : 0;
        for (int i = 0; i < loop; i++) put(kernel, thread, body[i]);
        for (int k = 0; k < rounds; k++)
            for (int i = loop; i < n; i++) {
                oracle_action a = body[i];
                a.parity ^= (unsigned)k & 1;
                put(kernel, thread, a);
            }
    }
}

/*
 * A producer that fills a buffer in each round, and consumers that read it: barrier 0 reports a full buffer, barrier 1
 * an empty one. The producer writes or loads.
 */
static void ring(tmap_random *random, oracle_kernel *kernel) {
    bool loads = one_in(random, 2), waits = !one_in(random, 6);
    int rounds = 1 + below(random, 3);
    kernel->barriers_n = 2;
    kernel->expected[0] = 1;
    kernel->expected[1] = kernel->threads_n - 1;
    for (int k = 0; k < rounds; k++) {
        if (waits) put(kernel, 0, (oracle_action){.kind = ORACLE_WAIT, .barrier = 1, .parity = (k + 1) & 1});
        if (!loads) put(kernel, 0, (oracle_action){.kind = ORACLE_WRITE});
        put(kernel, 0, (oracle_action){.kind = ORACLE_ARRIVE, .count = 1, .pieces = loads ? 2 : 0});
        if (loads) put(kernel, 0, (oracle_action){.kind = ORACLE_LOAD, .pieces = 2});
        for (int thread = 1; thread < kernel->threads_n; thread++) {
            put(kernel, thread, (oracle_action){.kind = ORACLE_WAIT, .parity = k & 1});
            put(kernel, thread, (oracle_action){.kind = ORACLE_READ});
            if (loads) put(kernel, thread, (oracle_action){.kind = ORACLE_FENCE});
            put(kernel, thread, (oracle_action){.kind = ORACLE_ARRIVE, .barrier = 1, .count = 1});
        }
    }
}

/* One thread writes, all meet, a thread stores. */
static void epilogue(tmap_random *random, oracle_kernel *kernel) {
    int rounds = 1 + below(random, 2);
    for (int k = 0; k < rounds; k++)
        for (int thread = 0; thread < kernel->threads_n; thread++) {
            if (thread == 0) put(kernel, 0, (oracle_action){.kind = ORACLE_WRITE});
            if (thread == 0) put(kernel, 0, (oracle_action){.kind = ORACLE_FENCE});
            put(kernel, thread, (oracle_action){.kind = ORACLE_SYNC});
            if (thread != 1) continue;
            put(kernel, 1, (oracle_action){.kind = ORACLE_STORE});
            put(kernel, 1, (oracle_action){.kind = ORACLE_COMMIT});
            put(kernel, 1, (oracle_action){.kind = ORACLE_WAIT_GROUP, .reads = true, .pending = one_in(random, 4)});
        }
    for (int thread = 0; thread < kernel->threads_n; thread++)
        put(kernel, thread, (oracle_action){.kind = ORACLE_SYNC});
}

static void remove_action(oracle_kernel *kernel, int thread, int index) {
    oracle_action *at = kernel->actions[thread] + index;
    memmove(at, at + 1, (size_t)(--kernel->actions_n[thread] - index) * sizeof *at);
}

static void insert_action(oracle_kernel *kernel, int thread, int index, oracle_action action) {
    if (kernel->actions_n[thread] == ORACLE_ACTIONS) return;
    oracle_action *at = kernel->actions[thread] + index;
    memmove(at + 1, at, (size_t)(kernel->actions_n[thread]++ - index) * sizeof *at);
    *at = action;
}

/* A mistake: an action too many, too few, in the wrong place or with a wrong number. */
static void mistake(tmap_random *random, oracle_kernel *kernel) {
    int thread = below(random, kernel->threads_n), n = kernel->actions_n[thread];
    if (n == 0) return;
    int index = below(random, n), other = below(random, n);
    oracle_action *a = &kernel->actions[thread][index];
    switch (below(random, 6)) {
    case 0: remove_action(kernel, thread, index); break;
    case 1: insert_action(kernel, thread, index, random_action(random, kernel)); break;
    case 2: insert_action(kernel, thread, other, *a); break;
    case 3: a->parity ^= 1; break;
    case 4: a->barrier = below(random, kernel->barriers_n); break;
    default: kernel->expected[below(random, kernel->barriers_n)] = 1 + below(random, 2); break;
    }
}

static int count_of(const oracle_kernel *kernel, bool fences) {
    int n = 0;
    for (int thread = 0; thread < kernel->threads_n; thread++)
        for (int i = 0; i < kernel->actions_n[thread]; i++) {
            oracle_action_kind kind = kernel->actions[thread][i].kind;
            bool late = kind == ORACLE_LOAD || kind == ORACLE_STORE || kind == ORACLE_LATE_ARRIVE;
            n += fences ? kind == ORACLE_FENCE : late;
        }
    return n;
}

static void random_kernel_of(tmap_random *random, oracle_kernel *kernel) {
    *kernel = (oracle_kernel){.threads_n = 2 + one_in(random, 2), .barriers_n = 1 + below(random, 3)};
    for (int i = 0; i < ORACLE_BARRIERS; i++) kernel->expected[i] = one_in(random, 4) ? 2 : 1;
    int shape = below(random, 4);
    if (shape < 2)
        random_threads(random, kernel);
    else
        (shape == 2 ? ring : epilogue)(random, kernel);
    for (int mistakes = shape < 2 ? 0 : below(random, 4); mistakes > 0; mistakes--) mistake(random, kernel);
}

static oracle_kernel random_kernel(tmap_random *random) {
    oracle_kernel kernel;
    do random_kernel_of(random, &kernel);
    while (count_of(&kernel, false) > ORACLE_COPIES || count_of(&kernel, true) > ORACLE_FENCES);
    return kernel;
}
