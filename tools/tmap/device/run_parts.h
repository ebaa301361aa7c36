/* The parts of `tmap device run`: commands of tmap, and tmap_bench. */
#pragma once

#include <stdint.h>

#include "device/run_folder.h"

typedef struct run_part {
    const char *name;
    unsigned least_s, most_s; /* in a run of RUN_LIMIT_S */
    const char *into;         /* the recording to which the results are added; NULL: none */
    const char *words;        /* the command of tmap and its options, one a line; NULL: tmap_bench */
    uint64_t cases_n;         /* the value of the last option; 0: none */
    const char *specs;        /* names of specs, separated by spaces; or NULL */
    const char *has;          /* in place of `specs`: all specs that contain this text; or NULL */
    bool others, folder;      /* with `has`: without specs that another part names; without specs in folders */
    bool driver, faults;      /* requires a CUDA driver; skipped by --no-faults */
    bool replays;             /* reads the recordings of the other parts */
    bool sharded, timed;      /* runs in several processes; cases_n counts seconds */
} run_part;

#define RUN_LIMIT_S 450

/* Part `i`; NULL after the last. */
const run_part *run_part_get(size_t i);
/* Whether a list "first,rows" has the part. */
bool run_part_listed(const char *list, const run_part *part);

/* The settings of all parts. */
typedef struct run_setting {
    const char *device, *specs, *command, *bench, *date;
    uint64_t seed, sample, jobs; /* sample N: one of N random cases runs */
    path_list all_specs;         /* names of files below `specs` */
} run_setting;

/* Finds the specs below s->specs. Returns an exit code. */
int run_specs_find(run_setting *s);
/* Writes `before` and the name of each spec of the part (sink NULL: nothing). Returns the number of specs. */
size_t run_part_specs(const run_setting *s, const run_part *part, tmap_sink *sink, const char *before);
/* Writes the command line of process `job` of the part, which may run for `seconds`: one word in each line. */
void run_part_words(const run_setting *s, const run_part *part, const run_folder *folder, unsigned seconds,
                    uint64_t job, tmap_sink *words);
