/* The launch of a compiled kernel: options, and the execution. */
#pragma once

#include "options/judging_options.h"
#include "output/result.h"
#include "specs/compiled_kernels.h"

typedef struct launch_options {
    uint64_t grid[3], cluster[3], threads[3];
    optional_number instructions;
} launch_options;

/* at: a uint64_t[3]. */
bool take_shape(void *at, const char *value);
bool take_cluster(void *at, const char *value);
bool take_threads(void *at, const char *value);

/* The executions of all kernels; free(runs). NULL: none, or no memory. */
typedef tmap_compiled_run *kernel_runs;

/* Executes each kernel with the parameters of -D. The limit of instructions is for all kernels together. Returns as
 * tmap_compiled_check does. */
tmap_status kernels_execute(const tmap_compiled *kernels, const launch_options *launch, const tmap_judge *judge,
                            tmap_diags *diags, kernel_runs *runs);
/*
 * Replaces the text of a loaded kernel by a spec of its maps and of the copies that it executes, at most EXECUTED_MAX
 * of one instruction: line_70, line_70_2 and so on. Copies with unknown operands, or of a map without known sizes, are
 * omitted. Returns an exit code.
 */
#define EXECUTED_MAX 1000
int kernel_take_executed(spec_document *doc, const char *path, const kernel_files *files, const launch_options *launch,
                         const tmap_judge *judge);
/* Writes the member "executions". */
void kernels_write_runs(result_sink *out, const tmap_compiled *kernels, kernel_runs runs);

#define LAUNCH_OPTIONS(type, member)                                                                                   \
    {"--grid",   "X[,Y,Z]",       "kernels: the thread blocks of the launch", offsetof(type, member.grid),             \
     take_shape, TMAP_PART_KERNEL},                                                                                    \
        {"--cluster",  "X[,Y,Z]",       "kernels: the thread blocks of a cluster", offsetof(type, member.cluster),     \
         take_cluster, TMAP_PART_KERNEL},                                                                              \
        {"--threads",  "X[,Y,Z]",       "kernels: the threads of a block", offsetof(type, member.threads),             \
         take_threads, TMAP_PART_KERNEL},                                                                              \
    {                                                                                                                  \
        "--instructions", "N", "kernels: execute at most N warp instructions (3000000; 0: none)",                      \
            offsetof(type, member.instructions), take_number, TMAP_PART_KERNEL                                         \
    }
