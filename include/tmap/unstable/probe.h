/*
 * probe: compares one copy on a device with its prediction. A probe is planned from parameters and a seed, which
 * determines the initial bytes of both memories. The copy runs twice, over two different poisons, so that an unwritten
 * byte can be distinguished from a byte that is written with its old value. The results are compared with the
 * prediction byte for byte, including guards around the box and around the tensor.
 *
 * For loads global memory contains the input (random bytes by default), and shared memory the poison; for stores the
 * other way round. Reductions also read their destination, so their poisons are not a single byte but random bytes and
 * their complement; about half of the words that they combine are special values of the arithmetic (zeros, subnormal
 * numbers, infinities and NaN, the limits of integers). The same seed gives the same bytes everywhere: see
 * tmap_memory_random.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_PROBE_H
#define TMAP_PROBE_H

#include "tmap/emu.h"
#include "tmap/unstable/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The contents of the memory that is read: global memory for loads, the box for stores. */
typedef enum tmap_input_kind {
    TMAP_INPUT_RANDOM, /* as tmap_memory_random with the probe's seed, guards included */
    TMAP_INPUT_INDEX,  /* value i is the low bits of base + i, in dims order or in box order; zero elsewhere */
    TMAP_INPUT_BYTES,  /* the given bytes, borrowed, from the tensor's or box's first byte on; zero elsewhere */
} tmap_input_kind;

typedef struct tmap_input {
    tmap_input_kind kind;
    uint64_t base;
    const uint8_t *bytes;
    uint64_t size_B;
} tmap_input;

/* A planned probe. */
typedef struct tmap_probe {
    tmap_map_params map;
    tmap_copy_params copy; /* as given, except `shared`: the offset of the box in the image */
    bool predicts;         /* the rules allow the copy: `frozen` is set, and the result must be as predicted */
    tmap_copy frozen;
    const char *rule, *symptom; /* of a copy that the rules refuse: the rule and its symptom. A replacement that nothing
                                   rejects is predicted anyway */
    uint64_t seed;
    tmap_archs archs;   /* of the judge; 0: any */
    tmap_input input;   /* random after planning; the caller may replace it */
    uint8_t poisons[2]; /* the second is the complement of the first; for reductions see tmap_probe_global */
    uint32_t image_B, ctas_n;
    /* Size of global memory: the tensor's span between guards, or, if that is more than 1 GiB, the part of the span
     * that the copy accesses, so that the tensor's address may be outside. UINT64_MAX if no memory is large enough. */
    uint64_t global_B;
    uint64_t tensor_at; /* offset of the tensor in global memory, modulo 2^64; keeps the map's address modulo 256 */
    bool part;          /* global memory is only the part that the copy accesses */
} tmap_probe;

/*
 * Plans a probe. Returns TMAP_REFUSED with `symptom` set if the rules refuse the copy, which may run anyway;
 * TMAP_REFUSED with symptom NULL if the rules refuse the map, and nothing can run; TMAP_UNAVAILABLE if tmap does not
 * predict the copy. Findings are in `diags`.
 */
TMAP_API tmap_status tmap_probe_plan(tmap_probe *probe, const tmap_map_params *map, const tmap_copy_params *copy,
                                     uint64_t seed, const tmap_judge *judge, tmap_diags *diags) TMAP_MUST_USE;

/*
 * Fill the image of one CTA (image_B bytes), or global memory (global_B bytes), with the contents before the copy. For
 * reductions global memory is splitmix64 of the seed, and for the second poison the complement of each byte.
 */
TMAP_API void tmap_probe_image(const tmap_probe *probe, int poison, uint8_t *image) TMAP_NONNULL(1, 3);
TMAP_API void tmap_probe_global(const tmap_probe *probe, int poison, uint8_t *global) TMAP_NONNULL(1, 3);

/* Predicts the copy: executes it on an image and global memory with their contents before the copy. */
TMAP_API tmap_status tmap_probe_predict(const tmap_probe *probe, uint8_t *global, uint8_t *image)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* Returns whether the copy writes the image of this CTA. */
TMAP_API bool tmap_probe_writes_cta(const tmap_probe *probe, uint32_t cta) TMAP_NONNULL(1);

/*
 * Returns the transaction bytes that the barrier of this CTA counts for a load that the rules allow: those of its box,
 * or with .cta_group::2 those of both boxes of a pair at the even CTA and 0 at the odd CTA. Returns 0 for copies
 * without transaction bytes.
 */
TMAP_API uint64_t tmap_probe_tx_B(const tmap_probe *probe, uint32_t cta) TMAP_NONNULL(1);

/*
 * The results of a device, or of a recording. Index of images and globals: the poison. Loads do not change global
 * memory.
 */
typedef struct tmap_observation {
    tmap_job_end end;
    int error;
    const tmap_diag *why;                  /* of a copy that did not run; NULL, or without a message: no reason */
    uint64_t arrived_B[TMAP_JOB_CTAS_MAX]; /* TMAP_ARRIVED_UNKNOWN if not counted */
    const uint8_t *images[2];              /* ctas_n x image_B bytes */
    const uint8_t *globals[2];             /* global_B bytes; NULL for loads */
    /* Of a load that ran once, over memory with unknown contents: the footprint of the box as observed. `images` then
     * has these bytes where the prediction writes. Only the search for a cause uses `box`; NULL: none. */
    const uint8_t *box;
} tmap_observation;

/*
 * A cursor over the written runs of the destination, in the order of addresses, derived from the two poisons. A byte
 * that equals its poison in both runs was not written; a byte that is equal in both runs was written. A byte that is
 * neither (it changed between the runs) is in a separate run, `torn`. For a reduction every changed byte was written.
 * The written bytes depend on the old contents, so all runs are torn; each run is as long as possible. Initialize all
 * members to 0.
 */
typedef struct tmap_written {
    uint32_t cta; /* shared memory: the CTA; 0 for global memory */
    uint64_t at;  /* position at which the search continues */
} tmap_written;

typedef struct tmap_written_run {
    uint32_t cta;
    int64_t offset_B; /* offset from the box's shared address, or from the tensor's address */
    uint64_t size_B;
    const uint8_t *bytes; /* with the first poison */
    bool torn;
    const uint8_t *others; /* of a torn run: the bytes with the second poison */
} tmap_written_run;

TMAP_API bool tmap_written_next(tmap_written *written, const tmap_probe *probe, const tmap_observation *seen,
                                tmap_written_run *run) TMAP_NONNULL(1, 2, 3, 4);

/*
 * Computes the digest of the written bytes: SHA-256 over the runs, for each CTA, offset, size (each 8 bytes,
 * little-endian; a torn run of n bytes has size 2^64 - n) and bytes (for a torn run those with both poisons).
 */
TMAP_API void tmap_observation_digest(const tmap_probe *probe, const tmap_observation *seen, char hex[65])
    TMAP_NONNULL(1, 2, 3);
/* Computes the digest of the prediction. Returns TMAP_NO_MEMORY if `allocator` has no memory. */
TMAP_API tmap_status tmap_probe_digest(const tmap_probe *probe, const tmap_allocator *allocator, char hex[65])
    TMAP_NONNULL(1, 3) TMAP_MUST_USE;

typedef enum tmap_probe_verdict {
    TMAP_PROBE_NOT_RUN, /* `why` has the reason */
    TMAP_PROBE_AGREES,
    TMAP_PROBE_DIFFERS,
    TMAP_PROBE_VERDICT_COUNT
} tmap_probe_verdict;

/* One difference of device and prediction: an element of the box, or a byte that belongs to no element. */
typedef struct tmap_difference {
    bool element;                         /* false: a byte of a gap or a guard */
    bool global;                          /* in global memory; false: in shared memory */
    uint32_t cta;                         /* the CTA of the shared memory */
    uint32_t index[TMAP_RANK_MAX];        /* elements: index in the box */
    int64_t at[TMAP_RANK_MAX];            /* elements: tensor coordinates */
    int64_t offset_B;                     /* from the box's first shared byte, or from the tensor's address */
    uint32_t size_B;                      /* bytes of the two values */
    bool predicted_written, seen_written; /* reductions: elements only; seen_written is true */
    uint8_t predicted[8], seen[8];        /* bytes in memory order, with the first poison for which they differ */
} tmap_difference;

#define TMAP_DIFFERENCES_MAX 16
#define TMAP_CAUSE_SIZE      1024

/* The result of a comparison. */
typedef struct tmap_probe_report {
    tmap_probe_verdict verdict; /* differs if the end, the bytes or the counts differ */
    tmap_probe_verdict bytes;   /* of the destination only; NOT_RUN: not compared */
    tmap_probe_verdict counts;  /* of transaction bytes only; NOT_RUN: not predicted, or not counted */
    tmap_diag why;              /* why the copy did not run, or the difference; the message is empty if it agrees */
    bool failed;                /* the copy did not run because the device or its driver failed */
    tmap_job_end end;
    int error;
    uint64_t expected_tx_B; /* of one box; for a CTA's barrier see tmap_probe_tx_B */
    uint64_t arrived_B[TMAP_JOB_CTAS_MAX];
    uint64_t differing_elements_n, stray_bytes_n; /* of the destination */
    tmap_difference differences[TMAP_DIFFERENCES_MAX];
    int differences_n; /* number of differences[]: the first ones */
    /* The common mistakes that give exactly the observed bytes, in words, and what to do; empty: none. Coordinates are
     * in brackets, innermost first. */
    char cause[TMAP_CAUSE_SIZE];
} tmap_probe_report;

/*
 * Compares an observation with the prediction. A difference is in the report, not in the status. Returns TMAP_NO_MEMORY
 * if `allocator` has no memory.
 */
TMAP_API tmap_status tmap_probe_compare(const tmap_probe *probe, const tmap_observation *seen,
                                        const tmap_allocator *allocator, tmap_probe_report *report)
    TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;

/*
 * Draws the differences: 16-byte units in lines of 128 bytes, from the first differing line on, at most 16 lines
 * (multicast: of the first CTA). Draws nothing if the copy did not complete or nothing differs in the box or tensor.
 */
TMAP_API tmap_status tmap_probe_draw(const tmap_probe *probe, const tmap_observation *seen,
                                     const tmap_allocator *allocator, tmap_sink *sink) TMAP_NONNULL(1, 2, 4);

/* The encoder of the copies' descriptors. */
typedef enum tmap_probe_encoder { TMAP_ENCODE_NATIVE, TMAP_ENCODE_DRIVER } tmap_probe_encoder;

typedef struct tmap_probe_options {
    tmap_probe_encoder encoder;
    uint32_t timeout_ms; /* of one copy; 0: the device's default */
    uint64_t batch_B;    /* memory of each of three batches; 0: 64 MiB. A probe that needs more runs alone */
    uint64_t memory_B;   /* the largest memory of one probe; 0: 1 GiB */
    const tmap_allocator *allocator; /* NULL: the C library's */
    bool without_faults;             /* probes that break a rule are not run */
    /* Called for each probe that ran; may be NULL. Threads other than the caller's also call `on_result` and the
     * allocator, but `on_result`, go_on and the allocator are never called at the same time. */
    void (*on_result)(void *context, size_t probe, const tmap_observation *seen);
    bool (*go_on)(void *context); /* called after each batch, whose reports are then complete; false ends the run after
                                     the device's present batch; may be NULL */
    /* Called if a batch of `probes_n` probes faulted, but no probe faulted when the batch ran again in parts; may be
     * NULL. */
    void (*on_lost_fault)(void *context, int error, size_t probes_n);
    void *context;
} tmap_probe_options;

/*
 * Runs probes in batches (`options` may be NULL) and compares: first the predicted probes, then the others, each alone,
 * because most of them fault. A batch that faults, or that the device cannot run, runs again in halves, so that the
 * fault is assigned to the probe that causes it and every other probe gets its verdict. A probe that the device cannot
 * run is NOT_RUN with the device's reason. Returns TMAP_OK if every probe has its report, or go_on ended the run;
 * TMAP_UNAVAILABLE if the device can no longer be used (tmap_device_refusal): earlier reports are valid, the others are
 * NOT_RUN; TMAP_NO_MEMORY.
 */
TMAP_API tmap_status tmap_probes_run(tmap_device *device, const tmap_probe_options *options, const tmap_probe *probes,
                                     size_t probes_n, tmap_probe_report *reports) TMAP_NONNULL(1, 5);

#ifdef __cplusplus
}
#endif

#endif
