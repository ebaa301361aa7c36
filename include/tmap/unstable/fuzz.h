/*
 * fuzz: random copies held against a device, in blocks. Case N of a seed is the same everywhere and alone, so a run can
 * be split among machines, resumed, and merged by its blocks; and a block's two digests, of what was generated and of
 * what a device did, let any machine without one predict the block again.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_FUZZ_H
#define TMAP_FUZZ_H

#include "tmap/unstable/counts.h"
#include "tmap/unstable/probe.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_FUZZ_BLOCK 1024 /* cases of a block: case N is in block N / 1024 */

/* What is generated. The same numbers make the same cases. */
typedef struct tmap_fuzz {
    uint64_t seed;
    uint32_t modes;   /* bit by tmap_mode; 0: all that are emulated */
    uint32_t ops;     /* TMAP_OP_BIT; 0: all that are emulated */
    tmap_archs archs; /* of the device: only what the rules allow there; 0: on any */
    int toolkit; /* the CUDA release of its driver, which compiles replacements: tmap_device_info.driver; 0: newest */
    uint32_t nearly; /* one of so many cases breaks a rule, and must then show its symptom, or as a replacement leave
                        the descriptor that tmap predicts all the same; 0: none does */
    bool without_faults;                   /* cases that would stop the device are generated as valid ones */
    uint8_t assume[TMAP_ALTERNATIVES_MAX]; /* as in tmap_judge; the cases are the same whatever is assumed */
} tmap_fuzz;

/*
 * Case `number`, planned: a copy, or now and then (where `ops` has nothing else, always) a replacement. Copies whose
 * result depends on an order that no source states (stores and some reductions that overlap, repeated rows of scatter4)
 * are not generated. TMAP_REFUSED when nothing of that kind can be generated: no mode has such an operation.
 */
TMAP_API tmap_status tmap_fuzz_random_case(const tmap_fuzz *fuzz, uint64_t number, tmap_probe *probe)
    TMAP_NONNULL(1, 3) TMAP_MUST_USE;

typedef struct tmap_fuzz_block {
    uint64_t number;
    char inputs[65];  /* SHA-256 of the generated parameters */
    char outputs[65]; /* SHA-256 of how each case ended, the transaction bytes, and its digest; empty when one was not
                         run: such a block is none of a recording */
    uint32_t differing_n, not_run_n;
    uint32_t uncounted_n; /* cases whose transaction bytes were not counted: `outputs` has the predicted ones */
    uint32_t by_op[TMAP_OP_COUNT]; /* cases of each operation that ran */
    uint32_t nearly_n;             /* cases that break a rule and ran */
    uint32_t left_out_n;           /* cases that would have, without `without_faults` */
} tmap_fuzz_block;

/* Called for each case that ran, as soon as it was held against the prediction, then for each that could not be run:
 * `seen` is NULL then. The report has the verdict. What `seen` points to lives as long as the call. */
typedef void tmap_fuzz_saw(void *context, uint64_t number, const tmap_probe *probe, const tmap_probe_report *report,
                           const tmap_observation *seen);

/*
 * Runs block `number` on a device; `saw` may be NULL. Of the options all but `saw` counts. TMAP_OK also where cases
 * could not be run. TMAP_UNAVAILABLE: the device is gone, *refusal (may be NULL) says why; the block then counts what
 * came before.
 */
TMAP_API tmap_status tmap_fuzz_run(tmap_device *device, const tmap_fuzz *fuzz, uint64_t number,
                                   const tmap_probe_options *options, tmap_fuzz_saw *saw, void *context,
                                   tmap_fuzz_block *block, tmap_diag *refusal) TMAP_NONNULL(1, 2, 7) TMAP_MUST_USE;

/* The same block as tmap predicts it, without a device. */
TMAP_API tmap_status tmap_fuzz_predict(const tmap_fuzz *fuzz, uint64_t number, const tmap_allocator *allocator,
                                       tmap_fuzz_block *block) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* Makes a probe that differs smaller on the device, with at most `tries` runs, and as long as go_on of the options (may
 * be NULL) answers true before each; the report becomes the smaller one's. */
TMAP_API tmap_status tmap_fuzz_shrink(tmap_device *device, const tmap_probe_options *options, tmap_archs archs,
                                      size_t tries, tmap_probe *probe, tmap_probe_report *report) TMAP_NONNULL(1, 5, 6);

#ifdef __cplusplus
}
#endif

#endif
