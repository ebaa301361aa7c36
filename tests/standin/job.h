/* A kernel of the stand-in: the oracle executes one job and reads only the descriptor's bits. */
#ifndef STANDIN_JOB_H
#define STANDIN_JOB_H

#include "device/ptx_module.h"
#include "oracle/oracle.h"

/* A loaded module: the first line of its PTX ("// OP: FORM"), and the shared memory that it declares. */
typedef struct standin_module {
    char op[32], form[96];
    oracle_mode mode;
    bool linear; /* without a tensor map; a reduction names its type */
    char type[8];
    char field[32]; /* tensormap.replace: this and the next three members */
    uint64_t ordinal, value;
    bool has_value; /* the value is an immediate, otherwise the job's */
    uint32_t static_B;
    int entries_n;
} standin_module;

/*
 * Executes a job and writes the outcome of each CTA. Returns 0, or the CUresult with which the GPU stops. An
 * instruction with another rank or load mode than its map is illegal, because no source defines its effect.
 */
int standin_run_job(const standin_module *module, int rank, const kernel_job *job, kernel_outcome *outcomes,
                    uint32_t ctas_n);
/* The same for a copy that never completes: the outcome of a load is a timeout, the kernel of a store traps. */
int standin_time_out_job(const standin_module *module, const kernel_job *job, kernel_outcome *outcomes,
                         uint32_t ctas_n);

#endif
