/*
 * spec: turns the section `sequence` into steps: unrolls loops, resolves stages to addresses, and freezes copies to the
 * bytes that they access.
 */
#pragma once

#include "size/expr.h"
#include "spec/read.h"
#include "spec/shared_window.h"
#include "tmap/unstable/sequence.h"

/* Kernels: the host is one of them. */
enum { TMAP_SCRIPT_BLOCKS_MAX = 16, TMAP_SCRIPT_KERNELS_MAX = TMAP_SEQUENCE_BLOCKS_MAX / TMAP_SCRIPT_BLOCKS_MAX };
enum { TMAP_SCRIPT_ROUNDS_MAX = 1 << 16, TMAP_SCRIPT_PIECES_MAX = 1 << 18, TMAP_SCRIPT_POISON = 0xcd };

typedef struct tmap_region_key {
    uint64_t kind;
    uint64_t numbers[3 + TMAP_RANK_MAX + 4]; /* for a box: its copy, block, coordinates, column and rows */
} tmap_region_key;

/* A thread, or one of two that represent many threads: the first executes the elected operations. */
typedef struct tmap_script_thread {
    const char *name;
    int block;                 /* rank of its thread block */
    int kernel;                /* number of its kernel */
    uint64_t threads_n, all_n; /* of this part, and of all parts */
    bool elected;
    int part, parts_n; /* the part that this thread writes of regions that many threads write */
} tmap_script_thread;

/* A kernel of the sequence, or the host. */
typedef struct tmap_script_kernel {
    const char *name; /* NULL: the kernel of the threads without the key `kernel` */
    bool host;
    const tmap_node *launch; /* the step that launches it; NULL: none */
    int order;               /* number of its launch, from 0; -1: none */
    size_t step, capture; /* numbers of the step that launches it, and of the first after its capture; SIZE_MAX: none */
    bool programmatic;    /* it may start before the previous kernel ends */
    bool triggers;        /* it executes griddepcontrol.launch_dependents */
} tmap_script_kernel;

/* The rounds of loops that are made. SURVEY: all, but of long loops only the hashes are kept. FOLDED: all except
 * periods in the middle of long loops. CUT: the first `quota` steps of each thread. */
typedef enum tmap_script_extent {
    TMAP_SCRIPT_WHOLE,
    TMAP_SCRIPT_SURVEY,
    TMAP_SCRIPT_FOLDED,
    TMAP_SCRIPT_CUT
} tmap_script_extent;

/* The room of the script that is used before a round. */
typedef struct tmap_script_room {
    tmap_arena_mark arena;
    size_t steps_n, regions_n, pieces_n;
} tmap_script_room;

typedef struct tmap_script_loops {
    tmap_script_extent extent;
    const tmap_node *node; /* the first long loop, or the first step that is not made */
    bool inside;           /* a long loop is being made */
    uint64_t threads;      /* that have a long loop, as bits */
    bool several;          /* a thread has several long loops */
    uint64_t *hashes[2];   /* by round: of the steps of all long loops; [1] includes reads of tensors */
    uint32_t *steps;       /* by round */
    tmap_script_room before;
    size_t surveyed_n;         /* steps */
    uint8_t *uses;             /* by tensor: 1 read, 2 written, 3 both */
    int64_t rounds_n, least_n; /* of the longest and of the shortest long loop */
    /* The rounds from `begin` to `end` repeat after `period` rounds. `skipped` rounds from `resume` on are left out. */
    int64_t begin, end, period, resume, skipped;
    size_t quota, first; /* first: the first step of the thread */
    bool stopped;        /* this thread is cut */
    const char *last;    /* the last step of the first thread that is cut */
} tmap_script_loops;

typedef struct tmap_script {
    tmap_spec *spec;
    tmap_report *report;
    const tmap_judge *judge;
    tmap_arena arena;
    tmap_size sizes[TMAP_SIZES_MAX]; /* sizes of the file, then counters of the loops around the step */
    uint64_t values[TMAP_SIZES_MAX];
    int sizes_n;
    tmap_script_thread threads[TMAP_SEQUENCE_THREADS_MAX];
    tmap_sequence_thread sequence_threads[TMAP_SEQUENCE_THREADS_MAX];
    int threads_n;
    int blocks_n; /* thread blocks of the cluster */
    tmap_script_kernel kernels[TMAP_SCRIPT_KERNELS_MAX];
    int kernels_n, launches_n;
    const tmap_node *peers; /* the key `peers`; NULL: every block has threads */
    int thread;             /* the thread whose steps are being made */
    tmap_region *regions;
    tmap_region_key *region_keys;
    size_t regions_n;
    int *readers; /* by buffer: the tmap_buffer_reader that reads it as a matrix; -1: none */
    tmap_step *steps;
    tmap_copy **copies; /* by step: the copy that the step issues, or NULL */
    size_t *tensors;    /* by step: the tensor of this copy, or of the map that the step writes */
    size_t steps_n;
    size_t rounds_n, pieces_n; /* loop rounds and pieces of boxes so far; limits on them bound time and memory */
    uint32_t open, needs;      /* sizes with several values, and those that the steps depend on: bit i is size i */
    size_t errors;             /* number before the current step */
    bool full;
    size_t found_n; /* findings of the report before the script */
    tmap_script_loops loops;
} tmap_script;

/* The step that is being read: its keys, and the place for findings. */
typedef struct tmap_script_step {
    tmap_spec_reading r;
    tmap_given given;
} tmap_script_step;

/* Regions; -1 when an allocation fails. */
typedef struct tmap_script_stage {
    const tmap_shared_buffer *buffer;
    uint64_t stage;
    int block;
} tmap_script_stage;
int tmap_script_buffer(tmap_script *s, tmap_script_stage stage, int part, int parts_n);
/* All columns of a buffer of tensor memory. */
int tmap_script_columns(tmap_script *s, const tmap_shared_buffer *buffer, int block);
int tmap_script_map(tmap_script *s, size_t tensor);
int tmap_script_tensor(tmap_script *s, size_t tensor, int part, int parts_n);
int tmap_script_shared(tmap_script *s, const tmap_copy *copy, int block);
/* The region of the tensor that the copy with this number in the file accesses, at its coordinates. `block`: the thread
 * block whose shared memory is the tensor; -1: the tensor is in global memory. */
int tmap_script_global(tmap_script *s, size_t copy_number, const tmap_copy *copy, int block);

tmap_sequence tmap_script_sequence(const tmap_script *s);

/* The value of an expression over sizes and loops. Returns false if it is omitted or invalid. */
bool tmap_script_number(tmap_script *s, const tmap_node *node, const char *label, int64_t *out);
/* Whether a condition holds: two expressions and a comparison between them, "k < n - 2". False after a report. */
bool tmap_script_condition(tmap_script *s, const tmap_node *node);
/* The number of a key of a step, at least 0 except for a parity; `otherwise` if the step does not have the key. */
int64_t tmap_script_number_of(tmap_script *s, tmap_script_step *step, tmap_key key, int64_t otherwise);
uint64_t tmap_script_stage_of(tmap_script *s, tmap_script_step *step, const tmap_shared_buffer *buffer);
/* The thread block whose memory a step accesses: its own, or the block of its key `block`. */
int tmap_script_block(tmap_script *s, tmap_script_step *step);
/* A step in findings: "wait full[1] (k = 5)". */
const char *tmap_script_text(tmap_script *s, const char *verb, const char *name);
/* Adds a step of the current thread; NULL if there are too many. */
tmap_step *tmap_script_add(tmap_script *s, const tmap_node *node, tmap_step_kind kind, const char *verb,
                           const char *name);
/* One of a few words. Reports any other word and returns -1. */
int tmap_script_word(tmap_script *s, const tmap_node *node, const char *what, const char *const *words, size_t n);
/* The stage of a buffer that a step accesses, and its thread block. */
tmap_script_stage tmap_script_place(tmap_script *s, tmap_script_step *step, const tmap_shared_buffer *buffer);
/* The number of the kernel with this name (NULL: no name), which is added if it is new; -1: too many. */
int tmap_script_kernel_find(tmap_script *s, const char *name);
tmap_script_kernel *tmap_script_kernel_now(tmap_script *s);
/* Whether the map of a tensor is a parameter of the kernels that use it. */
bool tmap_script_is_parameter(const tmap_script *s, size_t tensor);
/* `launch` and `capture`. */
void tmap_script_launch(tmap_script *s, tmap_script_step *step, const tmap_node *value);
void tmap_script_griddepcontrol(tmap_script *s, tmap_script_step *step, const tmap_node *value);
/* The host waits for all kernels that it has launched. */
void tmap_script_host_sync(tmap_script *s, tmap_script_step *step, const tmap_node *value);
/* Sets when launched kernels may start, and judges the launches. */
void tmap_script_order_kernels(tmap_script *s);
void tmap_script_commit(tmap_script *s, tmap_script_step *step, const tmap_node *value);
void tmap_script_wait_group(tmap_script *s, tmap_script_step *step, const tmap_node *value);
/* Adds the steps of the copy that `value` names: one for each thread block that the copy reaches. */
void tmap_script_copy(tmap_script *s, tmap_script_step *step, const tmap_node *value);

/* Makes the steps of a list, in the current thread. */
void tmap_script_steps(tmap_script *s, const tmap_node *list);
/* Whether a thread goes on: there is room, and no error since its last step began. */
bool tmap_script_goes_on(tmap_script *s, const tmap_node *next);
/* Begins a loop of n rounds. Returns whether it is a long loop, for which the next two functions must be called. */
bool tmap_script_begin_loop(tmap_script *s, const tmap_node *node, int64_t n);
void tmap_script_begin_round(tmap_script *s, int64_t round);
/* Returns the number of rounds that are left out after this round. */
int64_t tmap_script_end_round(tmap_script *s, int64_t round);
/* Chooses the rounds to leave out after a survey. The result is FOLDED, unless the rounds have no period. */
tmap_script_loops tmap_script_fold(tmap_script *s);
/* Writes what a folded or cut sequence leaves out; "" if it is whole. */
void tmap_script_say_omitted(const tmap_script *s, char *text, size_t size);
/* Reports that not all rounds are checked. */
void tmap_script_say_partial(const tmap_script *s, tmap_diags *diags);
