/* What a kernel of the stand-in does: one job carried out by the oracle, going by nothing but the descriptor's bits. */
#ifndef STANDIN_JOB_H
#define STANDIN_JOB_H

#include "device/kernel.h"
#include "oracle/oracle.h"

/* A loaded module: what the first line of its PTX says ("// OP: FORM"), and the shared memory it declares.
 */
typedef struct standin_module {
    char op[32], form[96];
    oracle_mode mode;
    bool linear; /* without a tensor map; a reduction names its type */
    char type[8];
    char field[32]; /* of tensormap.replace: this and the next three */
    uint64_t ordinal, value;
    bool has_value; /* an immediate, else the job's */
    uint32_t static_B;
    int entries_n;
} standin_module;

/*
 * Carries a job out and writes the outcome of each CTA. Answers 0, or the CUresult with which the GPU stops. An
 * instruction of another rank or load mode than its map is illegal, since no source says what it does.
 */
int standin_run_job(const standin_module *module, int rank, const kernel_job *job, kernel_outcome *outcomes,
                    uint32_t ctas_n);
/* The same of a copy that never completes: the outcome of a load is a timeout, the kernel of a store traps. */
int standin_time_out_job(const standin_module *module, const kernel_job *job, kernel_outcome *outcomes,
                         uint32_t ctas_n);

#endif
