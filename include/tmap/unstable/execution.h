/*
 * execution: the section `sequence` of a spec, executed.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_EXECUTION_H
#define TMAP_EXECUTION_H

#include "tmap/unstable/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An execution of the section `sequence`: its steps run once, in one of the orders that the documents allow. The order
 * is always the same: threads continue as far as possible before a copy completes. Copies move bytes, by the emulator;
 * a write of a thread writes its own bytes, the low bytes of splitmix64(step) in each 8-byte word.
 */
#define TMAP_EXECUTION_FIRST_B 8

typedef struct tmap_execution_options {
    const tmap_judge *judge;
    const tmap_memory *globals; /* by tensor; NULL, or a memory without bytes and functions: element i has value i */
    size_t globals_n;           /* number of tensors of the file, if globals is not NULL */
    uint8_t poison;             /* the initial bytes of shared memory */
    size_t max_moments;         /* number of moments to execute; SIZE_MAX: all */
} tmap_execution_options;

typedef enum tmap_moment_kind {
    TMAP_MOMENT_STEP = 0,     /* a thread executes a step */
    TMAP_MOMENT_READ = 1,     /* a copy has read shared memory */
    TMAP_MOMENT_COMPLETE = 2, /* a copy, a wgmma or a tcgen05.mma is complete, or a commit arrives */
} tmap_moment_kind;

/* An event of an execution. */
typedef struct tmap_moment {
    tmap_moment_kind kind;
    uint32_t step;      /* of the sequence, from 0 */
    int thread;         /* of tmap_execution_thread */
    int other_thread;   /* of a barrier of threads: the last thread that arrives; else -1 */
    const char *text;   /* "copy load_a (k = 1)" */
    const char *phase;  /* the barrier whose phase ends; NULL: none */
    const char *region; /* the shared bytes that are written, or read if none are written; NULL: none */
    bool writes;
    uint8_t first[TMAP_EXECUTION_FIRST_B]; /* the first bytes of the region; read if writes is false */
    /* Moments that a barrier, a completion or a barrier of threads orders before this one: sources[0, sources_n). */
    const uint32_t *sources;
    size_t sources_n;
    tmap_mark mark;
} tmap_moment;

/* A stage of a buffer or of a barrier, after the last moment. */
typedef struct tmap_stage_state {
    const char *name; /* "a[1]", "full[0] of block 1" */
    int block;
    uint64_t address, size_B; /* address: of tensor memory the first column */
    uint64_t columns;         /* of tensor memory; 0: shared memory */
    const uint8_t *bytes;     /* of a buffer; NULL: a barrier */
    const char *writer;       /* the step that wrote the whole stage; NULL: none, or several */
    bool mixed;               /* several steps wrote parts of the stage */
    bool ready;               /* of a barrier: the barrier is initialized */
    uint32_t phases, arrivals_n;
    int64_t pending, tx_B; /* arrivals and bytes missing in the phase */
} tmap_stage_state;

typedef struct tmap_execution tmap_execution;

/*
 * Executes the file's sequence. Returns TMAP_REFUSED, with findings in `diags`, if a step itself is wrong and nothing
 * can be executed; an error in the order of steps is a finding, and the steps are executed. Returns TMAP_BAD_ARGUMENT
 * if the file has no sequence, or if one of its sizes has several values. The caller frees *run with
 * tmap_execution_free, before the spec.
 */
TMAP_API tmap_status tmap_execution_make(const tmap_spec *spec, const tmap_execution_options *options,
                                         tmap_diags *diags, tmap_execution **run) TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;
TMAP_API void tmap_execution_free(tmap_execution *run);
/* Returns the steps that are not executed because the sequence is too long: "rounds 6 to 1995 of the long loops"; NULL:
 * none. */
TMAP_API const char *tmap_execution_omitted(const tmap_execution *run) TMAP_NONNULL(1);
TMAP_API size_t tmap_execution_moments_n(const tmap_execution *run) TMAP_NONNULL(1);
TMAP_API tmap_moment tmap_execution_moment(const tmap_execution *run, size_t i) TMAP_NONNULL(1);
TMAP_API size_t tmap_execution_stages_n(const tmap_execution *run) TMAP_NONNULL(1);
TMAP_API tmap_stage_state tmap_execution_stage(const tmap_execution *run, size_t i) TMAP_NONNULL(1);
TMAP_API int tmap_execution_threads_n(const tmap_execution *run) TMAP_NONNULL(1);
TMAP_API const char *tmap_execution_thread(const tmap_execution *run, int thread) TMAP_NONNULL(1);
/* Returns whether the file has a section `sequence`. */
TMAP_API bool tmap_spec_has_sequence(const tmap_spec *spec) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
