/*
 * execute: the launch of a run: the numbers that are chosen for what nobody states, the bytes of the parameters, the
 * shape of the grid.
 */
#pragma once

#include "execute/machine.h"

/* When a choice may show more than the choices before it. */
typedef enum run_need {
    RUN_ALWAYS,
    RUN_IF_CHOSEN,   /* numbers of the launch are chosen */
    RUN_IF_LACKING,  /* there are copies that did not run */
    RUN_IF_PARTIAL,  /* likewise; or other instructions on copies and barriers did not run, and many steps are left */
    RUN_IF_NO_WRAP,  /* numbers are chosen, and rings of mbarriers did not begin again */
    RUN_IF_NO_COPY,  /* numbers are chosen, and no copy ran */
    RUN_IF_AFFORDED, /* numbers are chosen, there are copies that did not run, and many steps are left */
    RUN_IF_CHEAP,    /* numbers are chosen, and many steps are left */
    RUN_IF_OPEN,     /* there are copies that did not run, or no run ended */
    RUN_IF_REST,     /* instructions on copies and barriers did not run */
    RUN_IF_EARLY,    /* a wait ended early */
    RUN_IF_TILES,    /* paths depend on small numbers of tiles that no run had, and many steps are left */
} run_need;

/* A row of chosen numbers. A finding must hold for both values of each pair. */
typedef struct run_choice {
    uint64_t values[2]; /* of parameters */
    uint64_t data[2];   /* of the contents of global memory, if a run depends on them; 0: they are unknown */
    uint64_t place;     /* of the cluster that is executed, along x */
    run_need need;
    bool is_patient;                  /* waits do not end early */
    bool is_odd, is_further, is_rest; /* is_further: it has contents of memory if a run depends on them; is_rest: only
                                         what no other choice executes is judged */
    uint32_t one; /* the number of a parameter, from 1, that has the value of_one, if many steps are left; 0: none */
    uint64_t of_one[2];
} run_choice;

#define RUN_CORNER UINT64_MAX /* as `place`: the last cluster, of a grid of several blocks along each axis */

#define RUN_CHOSEN     2560 /* the first number that is chosen for a parameter */
#define RUN_CHOSEN_MAX 64

typedef struct run_launch {
    const tmap_compiled_launch *stated;
    run_choice with;
    bool is_open, threads_open, uses_cluster; /* is_open: the launch does not state the cluster */
    uint32_t ctas, ctas_least;                /* of a cluster that is open */
    /* the choices: numbers of rows, and the shape of the cluster: ctas >> shift, 1 << shift, 1 */
    unsigned threads, value, shift, shift_first;
    uint32_t words[RUN_CHOSEN_MAX], words_n; /* of structs, on which threads depend and which are chosen */
    uint32_t numbers_n;                      /* parameters that are chosen numbers */
    ptx_text names, first_name;              /* of the parameters that are chosen; the first is not cut */
    bool chose;                              /* there are such parameters, or contents of memory */
    const char *why_not;                     /* of a launch that is not possible */
    char other_shape[160];                   /* a text of why_not */
} run_launch;

/* Takes a row of the choices; has_data: a run depends on data. Returns false after the last row. */
bool run_choose(run_launch *l, size_t row, bool has_data);
/* The next choice of the unstated sizes: shape and size of a cluster, parameters, threads. Returns false at the end. */
bool run_next_choice(run_launch *l);
/* The shape of the launch. Returns false if no cluster of this shape exists, or there is no room for it. */
bool run_shape(run_machine *m, run_launch *l);
bool run_put_params(run_machine *m, run_launch *l); /* false: no memory */
/* After a run: chooses what it required and did not have, blocks of the cluster or a word of the parameters. Returns
 * false if there is nothing. */
bool run_learn(run_launch *l, const run_machine *m);
