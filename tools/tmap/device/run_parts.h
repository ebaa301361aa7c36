/* The parts of `tmap device run`: commands of tmap, and tmap_bench. */
#pragma once

#include <stdint.h>

#include "device/run_folder.h"

/* The results that the output of a part has. */
typedef enum part_result { RESULT_CASES, RESULT_COPIES, RESULT_RANDOM, RESULT_ROWS, RESULT_RECORDINGS } part_result;

typedef struct run_part {
    const char *name;
    unsigned least_s, most_s; /* in a run of RUN_LIMIT_S */
    part_result result;
    const char *into;    /* the recording to which the results are added; NULL: none */
    const char *words;   /* the command of tmap and its options, one a line; NULL: tmap_bench */
    uint64_t cases_n;    /* the value of the last option; 0: none */
    const char *specs;   /* names of specs, each after a space; NULL: the specs that ... */
    const char *has;     /* ... have this text, and ... */
    bool others, folder; /* ... that no other part names; that are in no folder below */
    bool driver, faults; /* requires a CUDA driver; skipped by --no-faults */
    bool sharded, timed; /* in several processes; cases_n are seconds */
} run_part;

#define RUN_LIMIT_S 450

/* Part `i`; NULL after the last. */
const run_part *run_part_get(size_t i);
/* Whether a list "first,rows" has the part. */
bool run_part_listed(const char *list, const run_part *part);

/* What the commands of all parts have in common. */
typedef struct run_setting {
    const char *device, *specs, *command, *bench, *date;
    uint64_t seed, sample, jobs; /* sample N: one of N random cases runs */
    path_list all_specs;         /* names of files below `specs` */
} run_setting;

/* Finds the specs below s->specs. Returns an exit code. */
int run_specs_find(run_setting *s);
/* Writes BEFORE and the name of each spec of the part (sink NULL: nothing). Returns their number. */
size_t run_part_specs(const run_setting *s, const run_part *part, tmap_sink *sink, const char *before);
/* Writes the words of process `job` of the part, which has `seconds`, one a line. */
void run_part_words(const run_setting *s, const run_part *part, const run_folder *folder, unsigned seconds,
                    uint64_t job, tmap_sink *words);
