/*
 * fuzz: compares random copies on a device with their prediction, in blocks. Case N of a seed is the same on every
 * machine and in every order, so a run can be split among machines, resumed, and merged by blocks. A block has two
 * digests, of the generated cases and of the device's results, so that any machine without a device can predict the
 * block again.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_FUZZ_H
#define TMAP_FUZZ_H

#include "tmap/unstable/counts.h"
#include "tmap/unstable/probe.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_FUZZ_BLOCK 1024 /* cases of a block: case N is in block N / 1024 */

/* Parameters of the generator. Equal parameters generate equal cases. */
typedef struct tmap_fuzz {
    uint64_t seed;
    uint32_t modes;   /* set of modes, bit by tmap_mode; 0: all emulated modes */
    uint32_t ops;     /* set of TMAP_OP_BIT; 0: all emulated operations */
    tmap_archs archs; /* of the device: cases keep the rules for these; 0: for any */
    int toolkit; /* the CUDA release of the driver, which compiles replacements: tmap_device_info.driver; 0: newest */
    /* On average one case in this many breaks a rule on purpose; 0: no case. Such a case must show the rule's symptom,
     * or, if it is a replacement, still write the descriptor that tmap predicts. */
    uint32_t breaks_one_in;
    bool without_faults;                   /* cases that would stop the device are replaced by valid ones */
    uint8_t assume[TMAP_ALTERNATIVES_MAX]; /* as in tmap_judge; does not change the cases */
} tmap_fuzz;

/*
 * Generates case `number` as a planned probe: a copy, or sometimes (if `ops` has nothing else, always) a replacement.
 * Copies whose result depends on an order that no source states (stores and some reductions that overlap, repeated rows
 * of scatter4) are not generated. Returns TMAP_REFUSED if no mode has such an operation.
 */
TMAP_API tmap_status tmap_fuzz_random_case(const tmap_fuzz *fuzz, uint64_t number, tmap_probe *probe)
    TMAP_NONNULL(1, 3) TMAP_MUST_USE;

/* The result of a block. */
typedef struct tmap_fuzz_block {
    uint64_t number;
    char inputs[65];  /* SHA-256 of the generated parameters */
    char outputs[65]; /* SHA-256 of each case's end, transaction bytes and digest; empty if a case did not run:
                         recordings do not accept such a block */
    uint32_t differing_n, not_run_n;
    uint32_t uncounted_n; /* cases whose transaction bytes were not counted: `outputs` includes the predicted number */
    uint32_t by_op[TMAP_OP_COUNT]; /* cases of each operation that ran */
    uint32_t rule_breakers_n;      /* cases that break a rule and ran */
    uint32_t omitted_breakers_n;   /* cases that would break a rule without `without_faults` */
} tmap_fuzz_block;

/*
 * Called for each case that ran, directly after its comparison with the prediction; then for each case that could not
 * run, with `seen` NULL. The report contains the verdict. `seen` is valid during the call.
 */
typedef void tmap_fuzz_on_result(void *context, uint64_t number, const tmap_probe *probe,
                                 const tmap_probe_report *report, const tmap_observation *seen);

/*
 * Runs block `number` on a device. `options` and `on_result` may be NULL; the options' own `on_result` is ignored.
 * Returns TMAP_OK also if cases could not run; TMAP_UNAVAILABLE if the device is lost: *refusal (may be NULL) has the
 * reason, and the block counts the earlier cases.
 */
TMAP_API tmap_status tmap_fuzz_run(tmap_device *device, const tmap_fuzz *fuzz, uint64_t number,
                                   const tmap_probe_options *options, tmap_fuzz_on_result *on_result, void *context,
                                   tmap_fuzz_block *block, tmap_diag *refusal) TMAP_NONNULL(1, 2, 7) TMAP_MUST_USE;

/* Predicts the results of a block without a device. */
TMAP_API tmap_status tmap_fuzz_predict(const tmap_fuzz *fuzz, uint64_t number, const tmap_allocator *allocator,
                                       tmap_fuzz_block *block) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/*
 * Shrinks a probe for which the device differs from the prediction, in at most `tries` runs. If `options` (may be NULL)
 * has go_on, the function calls go_on before each run; false ends the search. *report becomes that of the smaller
 * probe.
 */
TMAP_API tmap_status tmap_fuzz_shrink(tmap_device *device, const tmap_probe_options *options, tmap_archs archs,
                                      size_t tries, tmap_probe *probe, tmap_probe_report *report) TMAP_NONNULL(1, 5, 6);

#ifdef __cplusplus
}
#endif

#endif
