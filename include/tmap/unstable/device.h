/*
 * device: executors of copies: a GPU through the CUDA driver, or a plug-in. The input is a batch of jobs; each job is
 * one copy that runs alone in a thread block (multicast: in a cluster). The results are the job's complete images of
 * shared memory, global memory, and the transaction bytes that its barrier counted. A device executes copies and checks
 * no rules.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_DEVICE_H
#define TMAP_DEVICE_H

#include "tmap/unstable/driver.h"
#include "tmap/unstable/forms.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A job's image of shared memory begins at a multiple of this number, the longest period of a swizzle. */
#define TMAP_IMAGE_ALIGN_B   1024
#define TMAP_JOB_CTAS_MAX    16
#define TMAP_ARRIVED_UNKNOWN UINT64_MAX /* transaction bytes that the device could not count */

#define TMAP_TIMEOUT_DEFAULT_MS 200

/* The end of a job. */
typedef enum tmap_job_end {
    TMAP_JOB_NOT_RUN, /* `why` and `error` contain the reason, if the device reports one */
    TMAP_JOB_DONE,    /* the barrier (loads) or bulk group (stores) completed */
    TMAP_JOB_TIMEOUT, /* the job did not complete in time; the images have the state of that moment. With an `error` the
                         kernel ended itself by a fault, and the contents of memory are lost */
    TMAP_JOB_FAULT,   /* the device stopped with `error`, which this job or another job of its batch caused */
    TMAP_JOB_NO_FORM, /* this device has no instruction for the job, or no room for its images */
    TMAP_JOB_END_COUNT
} tmap_job_end;

TMAP_API const char *tmap_job_end_name(tmap_job_end end); /* "done", "timeout", … */

/* One copy, and its results. */
typedef struct tmap_job {
    tmap_map_params map;        /* its address is in the device's global memory: tmap_device_reserve */
    tmap_descriptor descriptor; /* of `map`; the device fills it in if driver_encodes is set */
    bool driver_encodes;
    tmap_copy_params copy; /* copy.shared: offset of the box in the image, which is also its address modulo 1024. A
                              replacement changes the descriptor, which then becomes the first 128 bytes of the image */
    uint64_t expect_B;     /* transaction bytes of one box; a barrier expects them once for each box that it counts */
    uint64_t images_at;    /* offset of the first of ctas_n images in the batch's images */
    uint32_t image_B;      /* bytes of one image, a multiple of 16 */
    uint32_t ctas_n;       /* 1; multicast: CTAs of the cluster, up to the highest one in the mask */
    /* Results. */
    tmap_job_end end;
    int error; /* CUresult of a fault, or of the call that refused the job (encoding, loading, launching); 0: none */
    tmap_diag why; /* of a job that did not run: the call, its CUresult, its message; an empty message: no reason */
    uint64_t arrived_B[TMAP_JOB_CTAS_MAX]; /* transaction bytes that the barrier of each CTA counted (loads), or
                                              TMAP_ARRIVED_UNKNOWN */
} tmap_job;

/* The steps of a device in a batch, in this order. */
typedef enum tmap_batch_step {
    TMAP_BATCH_PREPARES, /* a part of the preparation is complete: a kernel compiled, memory copied */
    TMAP_BATCH_RUNS,     /* the copies begin */
} tmap_batch_step;

/* Jobs that run in parallel: no job may access global memory that another job writes. */
typedef struct tmap_batch {
    uint8_t *global; /* in and out: the device's global memory from the reserved address on */
    uint64_t global_B;
    uint8_t *images; /* in: shared memory before each copy; out: after the copy */
    uint64_t images_B;
    tmap_job *jobs;
    size_t jobs_n;
    uint32_t timeout_ms; /* for one copy; 0: TMAP_TIMEOUT_DEFAULT_MS */
    /* The device calls this function at each step, so that the time of preparations does not count as time of the
     * copies. May be NULL. */
    void (*step)(void *context, tmap_batch_step step);
    void *context;
} tmap_batch;

/* A device. */
typedef struct tmap_device_info {
    char name[128];         /* "cuda", or the plug-in's */
    char gpu[256];          /* the name from cuDeviceGetName, or from the plug-in */
    int chip;               /* compute capability x 10; 0: no particular chip */
    int driver;             /* cuDriverGetVersion; 0 for plug-ins */
    uint32_t shared_B;      /* shared memory available for the images of one CTA */
    bool hardware;          /* a real GPU: only results of such a device are evidence */
    int large_tensor_min_B; /* as in tmap_driver_info; 0 for plug-ins */
} tmap_device_info;

typedef struct tmap_device tmap_device;

/*
 * Opens the device "cuda", or a plug-in by its path (any name that contains '/'). Options of the device follow a comma,
 * for example "cuda,device=1" or "./libdevice.so,fault=pitch". `isolated`: the device runs in a process of its own, so
 * that a fault (which no CUDA context survives) or a hang ends only that process; the next batch gets a new process. A
 * process that opens isolated devices must not use CUDA itself. Returns TMAP_UNAVAILABLE if a part is missing: *refusal
 * (may be NULL) names the part and the fix. Close the device with tmap_device_close.
 */
TMAP_API tmap_status tmap_device_open(const char *name, bool isolated, tmap_device **device,
                                      tmap_diag *refusal) TMAP_MUST_USE;
TMAP_API void tmap_device_close(tmap_device *device);
TMAP_API const tmap_device_info *tmap_device_about(const tmap_device *device) TMAP_NONNULL(1);
/*
 * Returns the target that has all instructions of the device's chip (sm_90a, sm_100a, …); 0 if the device has no
 * particular chip.
 */
TMAP_API tmap_archs tmap_device_target(const tmap_device *device) TMAP_NONNULL(1);

/*
 * Reserves `size_B` bytes of global memory and writes their address, a multiple of 1024. The address is valid until the
 * next call with a larger size, and for isolated devices until the next fault. Returns TMAP_NO_MEMORY if the device has
 * less memory.
 */
TMAP_API tmap_status tmap_device_reserve(tmap_device *device, uint64_t size_B, uint64_t *address)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/*
 * Runs a batch. Returns TMAP_OK if every job has its `end`. After a fault all jobs that were to run end in
 * TMAP_JOB_FAULT with the CUresult of the fault, and `global` and `images` keep their contents. If the device or its
 * process does not answer in time, this is a fault with CUDA_ERROR_LAUNCH_TIMEOUT. Jobs whose kernel the driver does
 * not load or launch end in TMAP_JOB_NOT_RUN with their reason, and the others run. With any other status every job is
 * TMAP_JOB_NOT_RUN, tmap_device_refusal has the reason, and the caller may run the batch again. After a fault, and
 * after such a status, an isolated device needs tmap_device_reserve.
 */
TMAP_API tmap_status tmap_device_run(tmap_device *device, tmap_batch *batch) TMAP_NONNULL(1, 2) TMAP_MUST_USE;
/* Returns the record of the last failure; its message is empty if there was none. */
TMAP_API const tmap_diag *tmap_device_refusal(const tmap_device *device) TMAP_NONNULL(1);

/* A kernel that executes copies on the CUDA device. */
typedef struct tmap_kernel {
    const tmap_form_info *form;      /* NULL for a replacement */
    tmap_op op;                      /* one of the form's operations */
    const tmap_copy_params *replace; /* for an operation on a map: its space; for a replacement also field, ordinal, and
                                        a value that must be an immediate */
    const char *target;              /* "sm_90a", … */
    uint64_t cta_group;              /* for a form with a CTA group: 1 or 2; 0: 2 */
    uint32_t qualifiers;             /* qualifiers in addition to the form's; only predicted qualifiers are written */
    tmap_type type;                  /* type of a reduction without a tensor map; else u8 */
    int rank;                        /* rank of the entry point; 0: one entry point for each rank */
    int ptx_version; /* the highest version that the driver accepts: a load to .shared::cta that needs a newer one
                        becomes a load to .shared::cluster if that form needs an older version (the machine code is
                        the same); 0: any */
} tmap_kernel;

/*
 * Writes the PTX text of the kernel's module. Returns false, and writes nothing, if the form does not have `op` at that
 * rank or does not accept a qualifier, if the field of a replacement does not exist, or if the map is in a space that
 * no job uses (.param, .const).
 */
TMAP_API bool tmap_kernel_write(const tmap_kernel *kernel, tmap_sink *sink) TMAP_NONNULL(1, 2);
/*
 * Returns the version of the PTX ISA that the text requires, 83 for 8.3, which may be above kernel->ptx_version; 0 if
 * tmap_kernel_write returns false.
 */
TMAP_API int tmap_kernel_ptx_version(const tmap_kernel *kernel) TMAP_NONNULL(1);

/* ---- Plug-ins ------------------------------------------------------------------------------------------------- */

#define TMAP_PLUGIN_ABI 4

/*
 * The functions of a plug-in, with the meaning of the functions above. `self` is the object that `open` creates.
 * `refusal` is never NULL; a plug-in writes its texts, above all `message`.
 */
typedef struct tmap_plugin {
    uint32_t abi; /* TMAP_PLUGIN_ABI */
    tmap_status (*open)(const char *options, void **self, tmap_diag *refusal);
    void (*close)(void *self);
    void (*about)(void *self, tmap_device_info *info);
    tmap_status (*reserve)(void *self, uint64_t size_B, uint64_t *address, tmap_diag *refusal);
    tmap_status (*run)(void *self, tmap_batch *batch, tmap_diag *refusal);
} tmap_plugin;

/* A plug-in exports exactly this symbol: const tmap_plugin *tmap_device_plugin(void). */
#define TMAP_PLUGIN_SYMBOL "tmap_device_plugin"

#ifdef __cplusplus
}
#endif

#endif
