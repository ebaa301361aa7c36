/*
 * compiled: reads kernels as PTX text: their copies with form, tensor map, shared address, barrier and bytes, and the
 * faults that the text shows, with the maps or without them. Only tmap_compiled_execute executes a kernel.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_COMPILED_H
#define TMAP_COMPILED_H

#include "tmap/rule.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/size.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A PTX text that was read. It borrows the text and the path. */
typedef struct tmap_compiled tmap_compiled;

/*
 * Reads a text of at most 64 MiB. Statements that cannot be read are findings of rule ptx-text; all findings have
 * `path` (may be NULL). Returns TMAP_REFUSED, with *refusal and without an object, if the text is not PTX or too
 * long; TMAP_NO_MEMORY. `allocator` NULL: the C library's allocator. Free with tmap_compiled_free.
 */
TMAP_API tmap_status tmap_compiled_read(const char *text, size_t size, const char *path,
                                        const tmap_allocator *allocator, tmap_diags *diags, tmap_compiled **compiled,
                                        tmap_diag *refusal) TMAP_MUST_USE;
TMAP_API void tmap_compiled_free(tmap_compiled *compiled);
/* Returns whether a text looks like PTX: its first statement is .version. */
TMAP_API bool tmap_compiled_is_ptx(const char *text, size_t size) TMAP_NONNULL(1);

/* A kernel or function. Texts live as long as the object. */
typedef struct tmap_compiled_kernel {
    const char *name;
    int line;
    bool is_entry;
    const char *target;              /* "sm_90a" */
    int ptx_version;                 /* 94 is 9.4 */
    uint64_t threads[3], cluster[3]; /* .reqntid or .maxntid, .reqnctapercluster; 0: not stated */
    size_t instructions_n;
} tmap_compiled_kernel;

/* The place of a map. */
typedef enum tmap_compiled_place {
    TMAP_MAP_IN_PARAMETER = 0, /* a parameter of the kernel, at `offset_B` */
    TMAP_MAP_AT_POINTER = 1,   /* in global memory, at a pointer that is a parameter */
    TMAP_MAP_IN_VARIABLE = 2,  /* a variable of the text, in .const, .global or another space */
    TMAP_MAP_UNKNOWN = 3,      /* an address that is computed at run time */
} tmap_compiled_place;

#define TMAP_COMPILED_FIELD(field) ((uint64_t)1 << TMAP_FIELD_##field)

/* A map that a kernel uses. */
typedef struct tmap_compiled_map {
    size_t kernel;
    const char *name; /* "matmul_param_0", "params+128"; "*params[8]+64" of a pointer at byte 8 */
    tmap_compiled_place place;
    uint64_t offset_B;
    int line;       /* of the first instruction that uses it */
    bool replaced;  /* the kernel writes fields of the map with tensormap.replace */
    bool published; /* the kernel copies the map to global memory with tensormap.cp_fenceproxy: a draft of a map */
    uint64_t known; /* set of TMAP_COMPILED_FIELD: the parameters that are known */
    tmap_map_params params; /* the others have values that no rule rejects */
    const char *given_by;   /* origin of the parameters, as in tmap_given_map; NULL: not given */
    uint32_t given_place;   /* from 1: the position by which a given map was found; 0: its name, or none is given */
} tmap_compiled_map;

/* A copy, with a tensor map or without one. */
typedef struct tmap_compiled_copy {
    size_t kernel;
    int line, column;
    const char *source; /* the file of the .loc before the copy; NULL: none */
    int source_line;
    tmap_instruction form; /* form.form NULL: no such form exists */
    size_t map;            /* SIZE_MAX: no map */
    /* As text: "smem+16384", "smem+8192*k" for an address that varies, "?" for any; "": none. */
    const char *shared, *barrier, *coordinates;
    uint64_t bytes;          /* of one execution; 0: not known */
    tmap_copy_params params; /* operands that are not known have values that no rule rejects */
    tmap_mark mark;          /* of the instruction */
} tmap_compiled_copy;

TMAP_API size_t tmap_compiled_kernels_n(const tmap_compiled *compiled) TMAP_NONNULL(1);
TMAP_API tmap_compiled_kernel tmap_compiled_kernel_get(const tmap_compiled *compiled, size_t i) TMAP_NONNULL(1);
TMAP_API size_t tmap_compiled_maps_n(const tmap_compiled *compiled) TMAP_NONNULL(1);
TMAP_API tmap_compiled_map tmap_compiled_map_get(const tmap_compiled *compiled, size_t i) TMAP_NONNULL(1);
TMAP_API size_t tmap_compiled_copies_n(const tmap_compiled *compiled) TMAP_NONNULL(1);
TMAP_API tmap_compiled_copy tmap_compiled_copy_get(const tmap_compiled *compiled, size_t i) TMAP_NONNULL(1);

/* A map from elsewhere: a spec, metadata of a compiler, a recording. */
typedef struct tmap_given_map {
    const char *name;   /* a parameter's name; NULL: the maps are in the order of the kernel's parameters */
    const char *origin; /* "metadata of Triton"; static */
    bool in_kernel;     /* the kernel makes the map itself, so it is not given */
    uint64_t known;     /* as in tmap_compiled_map */
    tmap_map_params params;
    char wrong[120];  /* why the map is refused: a wrong value and the allowed values; "": it is not refused */
    char kernel[128]; /* the kernel for which the text was made; "": not known */
} tmap_given_map;

/*
 * Reads the maps of a compiler's text: Triton's metadata (the list tensordesc_meta, as JSON or as Python prints it),
 * TTGIR and TTIR, the host code of tilelang, IR of the CuTe DSL, nvgpu of MLIR, the attribute tma_descriptor of XLA,
 * and the repr of a TensorDescriptor. Writes at most `capacity` maps, in the order of the text, without names. Returns
 * the number of maps in the text; SIZE_MAX: the text has another form.
 */
TMAP_API size_t tmap_given_maps_read(const char *text, size_t size, tmap_given_map *maps, size_t capacity)
    TMAP_NONNULL(1, 3);

/*
 * Gives the maps of a kernel their parameters. If names of given maps are names of the kernel's maps, each is given to
 * the map with its name; else the given maps are in the order of the maps that the host makes: parameters first, by
 * their offset, then pointers. Returns TMAP_REFUSED, with *refusal, if a given map is `wrong` or for another
 * kernel, or if their number differs from that of the kernel's maps, unless all of these have one with their name.
 */
TMAP_API tmap_status tmap_compiled_give(tmap_compiled *compiled, size_t kernel, const tmap_given_map *maps, size_t n,
                                        tmap_diag *refusal) TMAP_NONNULL(1) TMAP_MUST_USE;

/*
 * Gives a kernel the bytes of its parameters as a launch passes them: each at its alignment, in their order. Maps among
 * them get their parameters. Returns TMAP_REFUSED, with *refusal, if the kernel has another number of bytes.
 */
TMAP_API tmap_status tmap_compiled_give_parameters(tmap_compiled *compiled, size_t kernel, const void *bytes,
                                                   size_t size, tmap_diag *refusal) TMAP_NONNULL(1) TMAP_MUST_USE;

/*
 * Judges all kernels. Findings have the line of the text in `mark` and, as a note, the source line of the .loc.
 * `judge` NULL or without an architecture: the target of the text. Returns as tmap_check_map does.
 */
TMAP_API tmap_status tmap_compiled_check(const tmap_compiled *compiled, const tmap_judge *judge, tmap_diags *diags)
    TMAP_NONNULL(1) TMAP_MUST_USE;

/* ---- Execution ---- */

/* Limits of a launch: CUDA Programming Guide 13, Compute Capabilities. */
#define TMAP_COMPILED_THREADS_MAX 1024 /* of a thread block */
#define TMAP_COMPILED_BLOCKS_MAX  16   /* of a cluster */

#define TMAP_COMPILED_STEPS ((uint64_t)3000000) /* the usual tmap_compiled_launch.steps_max */

/* A copy that a thread executed. */
typedef struct tmap_compiled_transfer {
    size_t copy; /* for tmap_compiled_copy_get */
    uint32_t block, thread;
    bool known; /* its operands are known; false: params as in tmap_compiled_copy */
    tmap_copy_params params;
} tmap_compiled_transfer;

/* The launch of a kernel. tmap chooses numbers that are 0 and parameters without a value. */
typedef struct tmap_compiled_launch {
    uint64_t grid[3], cluster[3], threads[3];
    const tmap_size_value *params; /* by the names of the text */
    size_t params_n;
    uint64_t steps_max; /* instructions of warps; 0: a finding reports that the kernel is not executed */
    /* Optional: called for each copy with a tensor map, with NULL when the execution begins anew. */
    void (*transferred)(void *context, const tmap_compiled_transfer *transfer);
    void *context;
} tmap_compiled_launch;

typedef struct tmap_compiled_run {
    uint64_t steps; /* executed instructions, of all warps */
    uint64_t grid[3];
    uint32_t threads; /* of a thread block */
    size_t copies_n;  /* copies of the text that were executed; unknown_n: of these, at an unknown address */
    size_t unknown_n;
    size_t barriers_n;       /* mbarriers that were initialized */
    uint64_t phases_n;       /* complete phases of all of them */
    bool ended;              /* all threads ended */
    bool limited;            /* there were more than steps_max instructions */
    bool assumes;            /* unknown numbers of bytes: phases and their order are not judged */
    int stopped_line;        /* the line from which on the execution of a thread is unknown; 0: none */
    int because_line;        /* the line that reads the data on which it depends; 0: not known */
    int64_t because_param_B; /* the byte of the parameters, without a value, on which it depends; -1: none */
} tmap_compiled_run;

/*
 * Returns TMAP_OK if a parameter of a kernel has this name, or ends with _ and this name; +OFFSET names a word of a
 * struct. Otherwise returns TMAP_REFUSED, with the names of the parameters in *refusal.
 */
TMAP_API tmap_status tmap_compiled_find_parameter(const tmap_compiled *compiled, const char *name, tmap_diag *refusal)
    TMAP_NONNULL(1, 2) TMAP_MUST_USE;

/*
 * Executes the first cluster of the grid, then others if copies lack: integers, predicates, addresses, shared memory,
 * mbarriers, barriers of threads, copies and groups. Data is unknown, or chosen. A finding is certain for the numbers
 * of the launch; where numbers are chosen, two choices have the same finding. Findings that `diags` has already, from
 * tmap_compiled_check, are not added again. `result` may be NULL. Returns as tmap_check_map does, TMAP_BAD_ARGUMENT if
 * there is no such kernel.
 */
TMAP_API tmap_status tmap_compiled_execute(const tmap_compiled *compiled, size_t kernel,
                                           const tmap_compiled_launch *launch, const tmap_judge *judge,
                                           tmap_diags *diags, tmap_compiled_run *result)
    TMAP_NONNULL(1, 3) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
