/*
 * probe: one copy held against a device. It is planned from parameters and a seed, which says what lies in both
 * memories before; carried out twice over two poisons, so that a byte that stays can be told from one that is written
 * with what was there; and compared with the prediction, byte for byte, guards around the box and around the tensor
 * included.
 *
 * For loads global memory holds the input, random bytes unless said otherwise, and shared memory the poison; for stores
 * it is the other way round. Reductions read their destination too, so there the poisons are not one byte but random
 * ones and their complement; about half of the words that they combine are values at which the arithmetic turns (zeros,
 * subnormal numbers, infinities and NaN, the ends of integers). The same seed makes the same bytes everywhere: see
 * tmap_memory_random.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_PROBE_H
#define TMAP_PROBE_H

#include "tmap/emu.h"
#include "tmap/unstable/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What lies in the memory that is read: global memory for loads, the box for stores. */
typedef enum tmap_input_kind {
    TMAP_INPUT_RANDOM, /* as tmap_memory_random makes it from the probe's seed, guards included */
    TMAP_INPUT_INDEX,  /* value i holds the low bits of base + i, in dims order or in box order; zero elsewhere */
    TMAP_INPUT_BYTES,  /* the given bytes, borrowed, from the tensor's or box's first byte on; zero elsewhere */
} tmap_input_kind;

typedef struct tmap_input {
    tmap_input_kind kind;
    uint64_t base;
    const uint8_t *bytes;
    uint64_t size_B;
} tmap_input;

typedef struct tmap_probe {
    tmap_map_params map;
    tmap_copy_params copy; /* as given, but for `shared`: now the offset of the box in the image */
    bool predicts;         /* the rules allow the copy: `frozen` is set, and the result must be as predicted */
    tmap_copy frozen;
    const char *rule, *symptom; /* of a copy that the rules refuse: which one does, and what it says will be seen. A
                                   replacement that nothing stops is predicted all the same, as it is carried out */
    uint64_t seed;
    tmap_input input;   /* random after planning; others may be put here */
    uint8_t poisons[2]; /* the second is the complement of the first; of reductions see tmap_probe_global */
    uint32_t image_B, ctas_n;
    /*
     * Global memory: the tensor's span between guards, or, where that takes more than 1 GiB, the part of it that the
     * copy touches, so that the tensor's address may be outside. UINT64_MAX when it fits in no memory.
     */
    uint64_t global_B;
    uint64_t tensor_at; /* offset of the tensor in it, modulo 2^64; keeps the map's address modulo 256 */
    bool part;          /* global memory is only the part that the copy touches */
} tmap_probe;

/*
 * Plans a probe. TMAP_REFUSED with symptom set: the rules refuse the copy, which can be tried all the same; with
 * symptom NULL: they refuse the map, and there is nothing to try. TMAP_UNAVAILABLE: it is not predicted. Findings in
 * `diags`.
 */
TMAP_API tmap_status tmap_probe_plan(tmap_probe *probe, const tmap_map_params *map, const tmap_copy_params *copy,
                                     uint64_t seed, const tmap_judge *judge, tmap_diags *diags) TMAP_MUST_USE;

/*
 * What is there before: fills the image of one CTA (image_B bytes), or global memory (global_B bytes). For reductions
 * global memory is made from the seed's splitmix64, and over the second poison it is the complement of each byte.
 */
TMAP_API void tmap_probe_image(const tmap_probe *probe, int poison, uint8_t *image) TMAP_NONNULL(1, 3);
TMAP_API void tmap_probe_global(const tmap_probe *probe, int poison, uint8_t *global) TMAP_NONNULL(1, 3);

/* The prediction: carries the copy out between an image and global memory as they are before. */
TMAP_API tmap_status tmap_probe_predict(const tmap_probe *probe, uint8_t *global, uint8_t *image)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* Whether the copy writes the image of this CTA. */
TMAP_API bool tmap_probe_writes_cta(const tmap_probe *probe, uint32_t cta) TMAP_NONNULL(1);

/*
 * The transaction bytes that the barrier of this CTA counts, of a load that the rules allow: those of its box, or with
 * .cta_group::2 those of both boxes of a pair at the even CTA and none at the odd one. 0 for copies that count none.
 */
TMAP_API uint64_t tmap_probe_tx_B(const tmap_probe *probe, uint32_t cta) TMAP_NONNULL(1);

/* What a device did, or a recording says that it did. Images and memory by poison; loads leave memory as it was. */
typedef struct tmap_observation {
    tmap_job_end end;
    int error;
    const tmap_diag *why;                  /* of a copy that was not run; NULL, or without a message: none */
    uint64_t arrived_B[TMAP_JOB_CTAS_MAX]; /* TMAP_ARRIVED_UNKNOWN where it was not counted */
    const uint8_t *images[2];              /* ctas_n x image_B bytes */
    const uint8_t *globals[2];             /* global_B bytes; NULL for loads */
} tmap_observation;

/*
 * What was written at the destination, run by run in the order of addresses, read off the two poisons: a byte that is
 * its poison in both was not written, one that is the same in both was. A byte that is neither (it changed from one run
 * to the next) is a run of its own, `torn`. Of a reduction every byte that changed was written, and its runs, which
 * depend on what was there, are torn and as long as they go. Zero-initialise the cursor.
 */
typedef struct tmap_written {
    uint32_t cta; /* of shared memory; 0 for global memory */
    uint64_t at;  /* where the next run is looked for */
} tmap_written;

typedef struct tmap_written_run {
    uint32_t cta;
    int64_t offset_B; /* from the box's shared address, or from the tensor's address */
    uint64_t size_B;
    const uint8_t *bytes; /* over the first poison */
    bool torn;
    const uint8_t *others; /* of a torn run: what it is over the second poison */
} tmap_written_run;

TMAP_API bool tmap_written_next(tmap_written *written, const tmap_probe *probe, const tmap_observation *seen,
                                tmap_written_run *run) TMAP_NONNULL(1, 2, 3, 4);

/*
 * The digest of what was written: SHA-256 over its runs, for each CTA, offset, size (each 8 bytes, little-endian; a
 * torn run of n bytes has size 2^64 - n) and bytes (of a torn run those over both poisons).
 */
TMAP_API void tmap_observation_digest(const tmap_probe *probe, const tmap_observation *seen, char hex[65])
    TMAP_NONNULL(1, 2, 3);
/* The same of the prediction. TMAP_NO_MEMORY. */
TMAP_API tmap_status tmap_probe_digest(const tmap_probe *probe, const tmap_allocator *allocator, char hex[65])
    TMAP_NONNULL(1, 3) TMAP_MUST_USE;

typedef enum tmap_probe_verdict {
    TMAP_PROBE_NOT_RUN, /* `why` says why */
    TMAP_PROBE_AGREES,
    TMAP_PROBE_DIFFERS,
    TMAP_PROBE_VERDICT_COUNT
} tmap_probe_verdict;

/* One place where device and prediction differ: an element of the box, or a byte that belongs to none. */
typedef struct tmap_difference {
    bool element;                         /* else a byte of a gap or a guard */
    bool global;                          /* in global memory, else in shared memory */
    uint32_t cta;                         /* whose shared memory */
    uint32_t index[TMAP_RANK_MAX];        /* in the box; of elements */
    int64_t at[TMAP_RANK_MAX];            /* tensor coordinates; of elements */
    int64_t offset_B;                     /* from the box's first shared byte, or from the tensor's address */
    uint32_t size_B;                      /* bytes of the two values */
    bool predicted_written, seen_written; /* of reductions: it is an element; what was seen counts as written */
    uint8_t predicted[8], seen[8];        /* as they lie in memory, over the first poison over which they differ */
} tmap_difference;

#define TMAP_DIFFERENCES_MAX 16

typedef struct tmap_probe_report {
    tmap_probe_verdict verdict; /* differs when the end, the bytes or the counts do */
    tmap_probe_verdict bytes;   /* of the destination alone; NOT_RUN: they were not compared */
    tmap_probe_verdict counts;  /* of transaction bytes alone; NOT_RUN: none are predicted, or one was not counted */
    tmap_diag why;              /* why it was not run, or what is different; its message is empty when it agrees */
    bool failed;                /* not run, because the device or its driver failed */
    tmap_job_end end;
    int error;
    uint64_t expected_tx_B; /* of one box; of a CTA's barrier see tmap_probe_tx_B */
    uint64_t arrived_B[TMAP_JOB_CTAS_MAX];
    uint64_t differing_elements_n, stray_bytes_n; /* of the destination */
    tmap_difference differences[TMAP_DIFFERENCES_MAX];
    int differences_n; /* the first of them */
    const char *cause; /* a usual mistake that gives exactly what was seen, in words; NULL for none */
} tmap_probe_report;

/* Holds what was seen against the prediction. TMAP_NO_MEMORY; a difference is a report, not a status. */
TMAP_API tmap_status tmap_probe_compare(const tmap_probe *probe, const tmap_observation *seen,
                                        const tmap_allocator *allocator, tmap_probe_report *report)
    TMAP_NONNULL(1, 2, 4) TMAP_MUST_USE;

/*
 * Draws where they differ: 16-byte units in lines of 128 bytes, from the first differing line on, at most 16 lines (of
 * multicast the first CTA). Nothing when the copy did not complete or nothing differs in the box or tensor.
 */
TMAP_API tmap_status tmap_probe_draw(const tmap_probe *probe, const tmap_observation *seen,
                                     const tmap_allocator *allocator, tmap_sink *sink) TMAP_NONNULL(1, 2, 4);

/* Whose descriptors the copies go through. */
typedef enum tmap_probe_encoder { TMAP_ENCODE_NATIVE, TMAP_ENCODE_DRIVER } tmap_probe_encoder;

typedef struct tmap_probe_options {
    tmap_probe_encoder encoder;
    uint32_t timeout_ms;             /* of one copy; 0: the device's default */
    uint64_t batch_B;                /* memory of a batch, of which there are three; 0: 64 MiB. A probe that needs more
                                        runs alone */
    uint64_t memory_B;               /* what one probe may take; 0: 1 GiB */
    const tmap_allocator *allocator; /* NULL: the C library's */
    bool without_faults;             /* probes that break a rule are not run */
    /* Of each probe that ran; may be NULL. `saw` and the allocator are called by other threads than the caller's, one
     * call of them and of go_on at a time. */
    void (*saw)(void *context, size_t probe, const tmap_observation *seen);
    bool (*go_on)(void *context); /* after each batch, whose reports are then whole; false ends the run, after the batch
                                     that the device has; may be NULL */
    /* A batch of `probes_n` faulted, and none of its probes does so when they run again in parts; may be NULL. */
    void (*lost_fault)(void *context, int error, size_t probes_n);
    void *context;
} tmap_probe_options;

/*
 * Runs probes in batches (`options` may be NULL) and compares: first those that are predicted, then the others, each
 * alone, since most of them fault. A batch that faults, or that the device cannot run, runs again in halves, so that
 * the fault lands on the probe that made it and every other probe has its verdict. A probe that the device cannot run
 * at all is NOT_RUN with the device's reason. TMAP_OK: every probe has its report, or go_on ended the run.
 * TMAP_UNAVAILABLE: the device can no longer be used (tmap_device_refusal); the reports so far hold, the rest is
 * NOT_RUN. TMAP_NO_MEMORY.
 */
TMAP_API tmap_status tmap_probes_run(tmap_device *device, const tmap_probe_options *options, const tmap_probe *probes,
                                     size_t probes_n, tmap_probe_report *reports) TMAP_NONNULL(1, 5);

#ifdef __cplusplus
}
#endif

#endif
