/*
 * The kernels that run copies: their PTX text, made of a template for each family and the instruction of a form, and
 * the tables in global memory by which they are told what to do.
 */
#ifndef DEVICE_KERNEL_H
#define DEVICE_KERNEL_H

#include "tmap/device.h"

/* One job as a kernel reads it. The descriptor comes first, so that its address is a multiple of 128. */
typedef struct kernel_job {
    tmap_descriptor descriptor;
    uint64_t image;      /* global address of its images: read before the copy, written after it */
    uint64_t timeout_ns; /* of its barrier */
    uint64_t value;      /* operand of tensormap.replace */
    uint32_t image_B;
    uint32_t shared; /* offset of the box in the image */
    uint32_t expect_B;
    uint32_t mask; /* of CTAs; 0: no multicast */
    int32_t at[TMAP_RANK_MAX];
    uint32_t offsets[TMAP_RANK_MAX - 2];
    uint8_t unused[56]; /* to a multiple of 128 */
} kernel_job;

_Static_assert(sizeof(kernel_job) == 256, "descriptors in an array of jobs are 128-byte aligned");

/* What a kernel answers for each CTA of each job. */
typedef struct kernel_outcome {
    uint32_t status; /* kernel_status */
    uint32_t arrived_B;
} kernel_outcome;

/* Zero is what stands there before: the CTA did not come so far. */
typedef enum kernel_status { KERNEL_SILENT, KERNEL_DONE, KERNEL_TIMEOUT } kernel_status;

#define KERNEL_ARRIVED_UNKNOWN UINT32_MAX /* no number of bytes leads to the state of the barrier */
#define KERNEL_THREADS         128

/* The entry of a module for instructions of `rank` dimensions. tensormap.replace has one. */
#define KERNEL_ENTRY        "copy_%dd"
#define KERNEL_REPLACE_RANK 2

bool tmap_kernel_has_entry(const tmap_form_info *form, tmap_op op, uint64_t rank);

#endif
