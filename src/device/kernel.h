/*
 * The kernels that run copies: their PTX text, made of a template for each family and the instruction of a form, and
 * the tables in global memory by which they are told what to do.
 */
#pragma once

#include "tmap/unstable/device.h"

/* One job as a kernel reads it. The descriptor comes first, so that its address is a multiple of 128. */
typedef struct kernel_job {
    tmap_descriptor descriptor;
    uint64_t image;      /* global address of its images: read before the copy, written after it */
    uint64_t timeout_ns; /* of its barrier */
    uint64_t value;      /* operand of tensormap.replace */
    uint64_t policy;     /* of .L2::cache_hint */
    uint32_t image_B;
    uint32_t shared; /* offset of the box in the image */
    uint32_t expect_B;
    uint32_t mask;  /* of CTAs; 0: no multicast */
    uint32_t pairs; /* 1: the barrier of an even CTA counts for the odd one after it as well (.cta_group::2) */
    int32_t at[TMAP_RANK_MAX];
    uint32_t offsets[TMAP_RANK_MAX - 2];
    uint8_t unused[44]; /* to a multiple of 128 */
} kernel_job;

/* What a job without a tensor map has in place of a descriptor. */
typedef struct kernel_linear {
    uint64_t there; /* global address */
    uint32_t size_B, ignore_left_B, ignore_right_B;
    uint16_t byte_mask;
} kernel_linear;

_Static_assert(sizeof(kernel_job) == 256, "descriptors in an array of jobs are 128-byte aligned");

/* What a kernel answers for each CTA of each job. */
typedef struct kernel_outcome {
    uint32_t status; /* kernel_status */
    uint32_t arrived_B;
} kernel_outcome;

/*
 * Zero is what stands there before: the CTA did not come so far. KERNEL_STARTED is flushed to the system before the
 * instruction is issued and KERNEL_TIMEOUT of a store before the trap that ends it: in memory of the host that is
 * mapped into the device both can still be read when the context is lost.
 */
typedef enum kernel_status { KERNEL_SILENT, KERNEL_DONE, KERNEL_TIMEOUT, KERNEL_STARTED } kernel_status;

#define KERNEL_ARRIVED_UNKNOWN UINT32_MAX /* the bytes were not counted */
#define KERNEL_THREADS         128

/* What a kernel takes of dynamic shared memory beside the image: to the next multiple of 1024, and the words after the
 * image (two mbarriers, or the word that ends a store's watch). No kernel has static shared memory. */
#define KERNEL_WORDS_B  16
#define KERNEL_SHARED_B (TMAP_IMAGE_ALIGN_B + KERNEL_WORDS_B)

/* How long a load kernel waits for bytes that nobody expects, longer than a coarse %globaltimer stands (32 us); how
 * many of them it can count. Sums of expected and further bytes stay below the largest tx-count, 2^20 - 1 (PTX ISA,
 * mbarrier): two boxes of at most 227 KiB and 256 KiB. */
#define KERNEL_SETTLE_NS 50000
#define KERNEL_BEYOND_B  (256 << 10)

/* The entry of a module for instructions of `rank` dimensions. tensormap.replace has one, as have copies without a map.
 */
#define KERNEL_ENTRY        "copy_%dd"
#define KERNEL_REPLACE_RANK 2

bool tmap_kernel_has_entry(const tmap_form_info *form, tmap_op op, uint64_t rank);
