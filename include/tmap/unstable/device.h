/*
 * device: something that runs copies: a GPU behind the CUDA driver, or a plug-in. A batch of jobs goes in, each a copy
 * alone in a thread block (for multicast: in a cluster); out come its whole images of shared memory, global memory, and
 * how many transaction bytes its barrier counted. A device carries out and judges nothing.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_DEVICE_H
#define TMAP_DEVICE_H

#include "tmap/unstable/driver.h"
#include "tmap/unstable/forms.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A job's image of shared memory begins at a multiple of this: the longest period of a swizzle. */
#define TMAP_IMAGE_ALIGN_B   1024
#define TMAP_JOB_CTAS_MAX    16
#define TMAP_ARRIVED_UNKNOWN UINT64_MAX /* transaction bytes that the device could not count */

#define TMAP_TIMEOUT_DEFAULT_MS 200

/* How a job ended. */
typedef enum tmap_job_end {
    TMAP_JOB_NOT_RUN, /* `why` and `error` contain the reason, where the device gave one */
    TMAP_JOB_DONE,    /* its barrier (loads) or bulk group (stores) completed */
    TMAP_JOB_TIMEOUT, /* it did not complete in time; the images are what was there then. With an `error` its kernel
                         ended itself by a fault, and what memory held is lost */
    TMAP_JOB_FAULT,   /* the device stopped with `error`: this job, or another one of its batch, made it */
    TMAP_JOB_NO_FORM, /* this device has no instruction for it, or no room for its images */
    TMAP_JOB_END_COUNT
} tmap_job_end;

TMAP_API const char *tmap_job_end_name(tmap_job_end end); /* "done", "timeout", … */

typedef struct tmap_job {
    tmap_map_params map;        /* its address lies in the device's global memory: tmap_device_reserve */
    tmap_descriptor descriptor; /* of that map; filled in by the device when driver_encodes is set */
    bool driver_encodes;
    tmap_copy_params copy; /* copy.shared: offset of the box in the image, so its address modulo 1024 as well. A
                              replacement is done on the descriptor, which becomes the first 128 bytes of the image */
    uint64_t expect_B;     /* transaction bytes of one box: a barrier expects them once for each box that it counts */
    uint64_t images_at;    /* offset in the batch's images of the first of ctas_n images */
    uint32_t image_B;      /* bytes of one image, a multiple of 16 */
    uint32_t ctas_n;       /* 1, or for multicast the CTAs of the cluster: those that the mask names and below */
    /* What the device answers. */
    tmap_job_end end;
    int error; /* CUresult of a fault, or of the call that refused the job (encoding, loading, launching); 0: none */
    tmap_diag why; /* of a job that was not run: the call, its CUresult, its message; the message is empty: none */
    uint64_t arrived_B[TMAP_JOB_CTAS_MAX]; /* transaction bytes that the barrier of each CTA counted (loads), or
                                              TMAP_ARRIVED_UNKNOWN */
} tmap_job;

/* What a device does with a batch, in this order. */
typedef enum tmap_batch_step {
    TMAP_BATCH_PREPARES, /* one more part of the preparation is done: a kernel compiled, memory copied */
    TMAP_BATCH_RUNS,     /* the copies begin */
} tmap_batch_step;

/* Jobs of one batch run side by side: what one writes to global memory no other may touch. */
typedef struct tmap_batch {
    uint8_t *global; /* in and out: the device's global memory from the reserved address on */
    uint64_t global_B;
    uint8_t *images; /* in: what shared memory holds before each copy; out: after it */
    uint64_t images_B;
    tmap_job *jobs;
    size_t jobs_n;
    uint32_t timeout_ms; /* of one copy; 0: TMAP_TIMEOUT_DEFAULT_MS */
    /* A device calls this at each step, so that the time of preparations does not count as time of the copies. May be
       NULL. */
    void (*step)(void *context, tmap_batch_step step);
    void *context;
} tmap_batch;

typedef struct tmap_device_info {
    char name[128];         /* "cuda", or the plug-in's */
    char gpu[256];          /* as cuDeviceGetName says it, or what a plug-in says of itself */
    int chip;               /* compute capability x 10; 0: none in particular */
    int driver;             /* cuDriverGetVersion; 0 for plug-ins */
    uint32_t shared_B;      /* shared memory that the images of one CTA may take */
    bool hardware;          /* a real GPU: only what such a device did is evidence */
    int large_tensor_min_B; /* as in tmap_driver_info; 0 for plug-ins */
} tmap_device_info;

typedef struct tmap_device tmap_device;

/*
 * Opens "cuda", or a plug-in by its path (whatever has a '/' in it); behind a comma come options of that device, for
 * example "cuda,device=1" or "./libdevice.so,fault=pitch". `isolated`: the device lives in a process of its own, so
 * that a fault (which no CUDA context survives) or a hang ends that process and not this one; the next batch gets a new
 * one. A process that is to open isolated devices must not itself use CUDA. TMAP_UNAVAILABLE: *refusal (may be
 * NULL) says what is missing and what to do.
 */
TMAP_API tmap_status tmap_device_open(const char *name, bool isolated, tmap_device **device,
                                      tmap_diag *refusal) TMAP_MUST_USE;
TMAP_API void tmap_device_close(tmap_device *device);
TMAP_API const tmap_device_info *tmap_device_about(const tmap_device *device) TMAP_NONNULL(1);
/* The target that has all instructions of the device's chip (sm_90a, sm_100a, …); 0 when it is of none in particular.
 */
TMAP_API tmap_archs tmap_device_target(const tmap_device *device) TMAP_NONNULL(1);

/*
 * Makes sure of `size_B` bytes of global memory and answers where they begin, a multiple of 1024. The address holds
 * until the next call with a larger size, and for isolated devices until the next fault. TMAP_NO_MEMORY when there is
 * less.
 */
TMAP_API tmap_status tmap_device_reserve(tmap_device *device, uint64_t size_B, uint64_t *address)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/*
 * Runs a batch. TMAP_OK when every job has its `end`. After a fault all jobs that were to run end in TMAP_JOB_FAULT
 * with its CUresult and memory is as before; silence (the device or its process does not answer in time) is a fault
 * with CUDA_ERROR_LAUNCH_TIMEOUT. Jobs whose kernel the driver does not load or launch end in TMAP_JOB_NOT_RUN with
 * their reason, and the others run. Any other status: every job is TMAP_JOB_NOT_RUN, tmap_device_refusal says why, and
 * the batch may be tried again. After a fault, and after such a status, an isolated device needs tmap_device_reserve.
 */
TMAP_API tmap_status tmap_device_run(tmap_device *device, tmap_batch *batch) TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* The record of the last failure; its message is empty when there was none. */
TMAP_API const tmap_diag *tmap_device_refusal(const tmap_device *device) TMAP_NONNULL(1);

/* A kernel with which the CUDA device runs copies. */
typedef struct tmap_kernel {
    const tmap_form_info *form;      /* NULL for a replacement */
    tmap_op op;                      /* which of the form's operations */
    const tmap_copy_params *replace; /* of an operation on a map: its space; of a replacement also field, ordinal, and a
                                        value that must be an immediate */
    const char *target;              /* "sm_90a", … */
    uint64_t cta_group;              /* of a form that has one: 1 or 2; 0: 2 */
    uint32_t qualifiers;             /* that the instruction has beside the form's; only predicted ones are written */
    tmap_type type;                  /* of a reduction without a tensor map; else u8 */
    int rank;                        /* whose entry is written; 0: one for each rank */
    int ptx_version; /* the highest that the driver accepts: a load to .shared::cta for which it is too old becomes one
                        to .shared::cluster, where that needs less (the same machine code); 0: any */
} tmap_kernel;

/* The PTX text of its module. False, and nothing written, when the form does not carry out `op` at that rank or does
 * not accept a qualifier, the field of a replacement does not exist, or a map is in a space that no job has it in
 * (.param, .const). */
TMAP_API bool tmap_kernel_write(const tmap_kernel *kernel, tmap_sink *sink) TMAP_NONNULL(1, 2);
/* The version of the PTX ISA that the text needs, 83 for 8.3; it may be above kernel->ptx_version. 0: there is no text.
 */
TMAP_API int tmap_kernel_ptx_version(const tmap_kernel *kernel) TMAP_NONNULL(1);

/* ---- Plug-ins ------------------------------------------------------------------------------------------------- */

#define TMAP_PLUGIN_ABI 4

/* What a plug-in gives. Functions as above; `self` is what open made. `refusal` is never
 * NULL; a plug-in writes its texts, above all `message`. */
typedef struct tmap_plugin {
    uint32_t abi; /* TMAP_PLUGIN_ABI */
    tmap_status (*open)(const char *options, void **self, tmap_diag *refusal);
    void (*close)(void *self);
    void (*about)(void *self, tmap_device_info *info);
    tmap_status (*reserve)(void *self, uint64_t size_B, uint64_t *address, tmap_diag *refusal);
    tmap_status (*run)(void *self, tmap_batch *batch, tmap_diag *refusal);
} tmap_plugin;

/* The one symbol that a plug-in exports: const tmap_plugin *tmap_device_plugin(void). */
#define TMAP_PLUGIN_SYMBOL "tmap_device_plugin"

#ifdef __cplusplus
}
#endif

#endif
