/*
 * The kernels that run copies: their PTX text, made from a template for each family and the instruction of a form, and
 * the tables in global memory with their jobs.
 */
#pragma once

#include "tmap/unstable/device.h"

/* One job in the form that a kernel reads. The descriptor is first, so its address is a multiple of 128. */
typedef struct kernel_job {
    tmap_descriptor descriptor;
    uint64_t image;      /* global address of its images, which the kernel reads before the copy and writes after it */
    uint64_t timeout_ns; /* of its barrier */
    uint64_t value;      /* operand of tensormap.replace */
    uint64_t policy;     /* of .L2::cache_hint */
    uint32_t image_B;
    uint32_t shared; /* offset of the box in the image */
    uint32_t expect_B;
    uint32_t mask;  /* of CTAs; 0: no multicast */
    uint32_t pairs; /* 1: the barrier of an even CTA also counts for the next odd CTA (.cta_group::2) */
    int32_t at[TMAP_RANK_MAX];
    uint32_t offsets[TMAP_RANK_MAX - 2];
    uint8_t unused[44]; /* to a multiple of 128 */
} kernel_job;

/* Replaces the descriptor in a job without a tensor map. */
typedef struct kernel_linear {
    uint64_t there; /* global address */
    uint32_t size_B, ignore_left_B, ignore_right_B;
    uint16_t byte_mask;
} kernel_linear;

_Static_assert(sizeof(kernel_job) == 256, "descriptors in an array of jobs are 128-byte aligned");

/* The result of a kernel for each CTA of each job. */
typedef struct kernel_outcome {
    uint32_t status; /* kernel_status */
    uint32_t arrived_B;
} kernel_outcome;

/*
 * The initial value is zero: the CTA has not started. The kernel flushes KERNEL_STARTED to the system before it issues
 * the instruction, and KERNEL_TIMEOUT of a store before the trap that ends the store. Both are in host memory that is
 * mapped into the device, so they are readable after the context is lost.
 */
typedef enum kernel_status { KERNEL_SILENT, KERNEL_DONE, KERNEL_TIMEOUT, KERNEL_STARTED } kernel_status;

#define KERNEL_ARRIVED_UNKNOWN UINT32_MAX /* the bytes were not counted */
#define KERNEL_THREADS         128

/*
 * Dynamic shared memory of a kernel in addition to the image: up to the next multiple of 1024, and the words after the
 * image (two mbarriers, or the word that ends the watch over a store). No kernel has static shared memory.
 */
#define KERNEL_WORDS_B  16
#define KERNEL_SHARED_B (TMAP_IMAGE_ALIGN_B + KERNEL_WORDS_B)

/*
 * The time for which a load kernel waits for unexpected bytes: longer than a coarse %globaltimer stays unchanged (32
 * us). The next constant: the number of such bytes that the kernel can count. Sums of expected and further bytes stay
 * below the largest tx-count, 2^20 - 1 (PTX ISA, mbarrier): two boxes of at most 227 KiB and 256 KiB.
 */
#define KERNEL_SETTLE_NS 50000
#define KERNEL_BEYOND_B  (256 << 10)

/* The entry of a module for instructions of `rank` dimensions. tensormap.replace and copies without a map have one
 * entry. */
#define KERNEL_ENTRY        "copy_%dd"
#define KERNEL_REPLACE_RANK 2

bool tmap_kernel_has_entry(const tmap_form_info *form, tmap_op op, uint64_t rank);
