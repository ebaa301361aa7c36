/*
 * execute: runs the integers of a kernel for one cluster of a grid: registers, predicates, shared memory, mbarriers,
 * barriers, copies and groups. What comes from global memory, matrices and floating-point numbers is unknown, and a
 * value that is computed from it is unknown. A thread stops at the first instruction whose effect on barriers, copies
 * or flow depends on an unknown value.
 *
 * Copies complete at once. Whether their bytes are used too early does not depend on this: each access of shared memory
 * has a place in a vector of clocks, one for each warp, each kind of group of a warp, and each mbarrier.
 */
#pragma once

#include "base/arena.h"
#include "compiled/check.h"
#include "engine/mbarrier.h"
#include "engine/pair.h"

#define RUN_LANES          32
#define RUN_WARPGROUP      4 /* warps */
#define RUN_ALL            UINT32_MAX
#define RUN_RANKS_MAX      TMAP_COMPILED_BLOCKS_MAX
#define RUN_THREADS_MAX    TMAP_COMPILED_THREADS_MAX
#define RUN_WINDOW_B       (256u << 10) /* of one thread block; addresses of block r begin at r << RUN_RANK_BITS */
#define RUN_RANK_BITS      24
#define RUN_SYSTEM_B       1024u /* at the start of a window, before the first variable */
#define RUN_CHUNK_B        16u
#define RUN_COLUMNS        512u                                       /* of tensor memory */
#define RUN_AREA_B         (RUN_WINDOW_B + RUN_COLUMNS * RUN_CHUNK_B) /* a chunk for each column, after the window */
#define RUN_BARRIERS_MAX   256
#define RUN_ARRIVALS       16 /* of an mbarrier, remembered */
#define RUN_RENDEZVOUS_MAX 17 /* of one thread block: bar 0 to 15; then the cluster's */
#define RUN_GROUPS_KEPT    64

/* Generic addresses of the windows, which no two share. */
#define RUN_SHARED_BASE   ((uint64_t)0x7 << 44)
#define RUN_PARAM_BASE    ((uint64_t)0x6 << 44)
#define RUN_VARIABLE_BASE ((uint64_t)0x5 << 44)
#define RUN_CONST_BASE    ((uint64_t)0xb << 43) /* the upper half of the variables */
#define RUN_POINTER_BASE  ((uint64_t)0x4 << 44)
#define RUN_LOCAL_BASE    ((uint64_t)0x3 << 44) /* memory of each thread */
#define RUN_LOCAL_MAX_B   (32u << 10)           /* of a thread; variables of more are unknown */

/*
 * Why a value is unknown: the line that reads data, or -1 - OFFSET of a byte of the parameters that has no value; 0:
 * not known. Of two reasons the data remains, since a parameter can be set.
 */
typedef int32_t run_reason;
static inline run_reason run_both(run_reason a, run_reason b) {
    return a == 0 || b == 0 ? a + b : a > b ? a : b;
}

/* A register of all lanes. */
typedef struct run_lanes {
    uint64_t of[RUN_LANES];
    uint32_t known;     /* set of lanes */
    run_reason because; /* why the others are unknown */
} run_lanes;

typedef enum run_state {
    RUN_READY,
    RUN_AT_MBARRIER,   /* at a wait whose phase is not complete */
    RUN_AT_RENDEZVOUS, /* at bar.sync or barrier.cluster.wait */
    RUN_CONVERGING,    /* at an instruction for the whole warp, before its other lanes */
    RUN_AT_WARPGROUP,  /* at a wait for wgmma that another warp of the warp group has not issued yet */
    RUN_STOPPED,       /* what follows is unknown */
} run_state;

/* A call that is not over: of the kernel if `parent` is NULL, or of a function. */
typedef struct run_frame {
    const ptx_instruction *call;
    const ptx_kernel *function;
    struct run_frame *parent, *children, *next;
} run_frame;

/* Lanes of a warp at the same instruction. */
typedef struct run_group {
    uint32_t pc, lanes;
    run_state state;
    run_frame *frame; /* NULL: in the kernel */
    int barrier;      /* the mbarrier or the rendezvous */
    unsigned parity;
    uint64_t generation;
    uint64_t gave_up; /* events + 1 when its wait last returned false */
    bool give_up;     /* its wait returns false now */
    bool alone;       /* it does not wait for other lanes */
} run_group;

/* Operations of one kind that complete in groups, in the order of their issue. */
typedef struct run_ops {
    uint32_t issued, last, groups_n, lanes; /* last: the instruction of the last store */
    uint32_t ends[RUN_GROUPS_KEPT];         /* operations up to the end of group i % RUN_GROUPS_KEPT */
} run_ops;

/* The components of a vector: RUN_KINDS for each warp, then one for each mbarrier. */
typedef enum run_kind {
    RUN_STEPS,
    RUN_BULK,
    RUN_WGMMA,   /* of four warps */
    RUN_TCGEN05, /* mma and cp */
    RUN_TENSOR_LOAD,
    RUN_TENSOR_STORE,
    RUN_KINDS
} run_kind;

/* An access of shared memory: it happens before what a warp does next if the warp's vector has this clock. */
typedef struct run_access {
    uint32_t component, clock;
    uint32_t instruction;                    /* UINT32_MAX: no access */
    bool generic : 1, writes : 1, whole : 1; /* whole: by all lanes of the warp */
    uint8_t lane;                            /* from 1; 0: of several */
    uint16_t bytes;                          /* of the chunk: set */
} run_access;

typedef struct run_warp {
    uint32_t number, cta, first_thread;
    uint32_t live, acting; /* lanes that have not ended; those of the current instruction */
    run_access replaced;   /* by tensormap.replace in shared memory; clock 0: nothing */
    run_lanes *registers;
    run_group groups[RUN_LANES];
    int groups_n;
    uint32_t *clock; /* what happens before its next step; then, as many, what its copies see of generic writes */
    uint32_t *others, waited; /* the clock of the lanes that are not in `waited`; waited 0: of all lanes */
    uint32_t together;        /* the clock of its steps after the last bar.warp.sync, shfl.sync and the like */
    uint32_t fenced, fence;   /* lanes of the last fence.proxy.async, 0: all; `together` at it */
    run_ops ops[RUN_KINDS];
    uint64_t cluster_generation;
    uint32_t cluster_arrived;     /* lanes between barrier.cluster.arrive and its wait */
    uint64_t read_from;           /* set of pointers from whose memory it read chosen contents */
    uint8_t *local, *local_known; /* local_B of each lane */
} run_warp;

typedef struct run_arrival {
    run_access at;
    uint32_t phase, count;
} run_arrival;

/* The waits for a parity of an mbarrier that have ended: the first of them; those of its warp at its instruction that
 * ended because of a phase which the warp had seen; whether all are for one parity. */
typedef struct run_waits {
    uint32_t warp, instruction, stale_n;
    unsigned parity;
    bool any, both;
} run_waits;

typedef struct run_mbarrier {
    uint32_t cta, offset;
    tmap_mbarrier now;
    bool assumed;                       /* its bytes are unknown: a phase with copies ends with its last arrival */
    uint32_t last_filled, last_awaited; /* phases, from 1: the last in which a copy completes, and that a wait saw */
    uint32_t first;                     /* the phase of the init, even: messages count phases from it */
    bool arrived_last, arrived_before;  /* the last complete phase, and the one before, had no copies */
    uint64_t copies_n, expected_B;      /* in this phase */
    uint32_t filled_by, filled_by_last; /* bits: thread blocks whose copies complete in this phase; in the last */
    run_access init, shown;             /* shown: the fence.mbarrier_init after the init; clock 0: none */
    run_arrival arrivals[RUN_ARRIVALS]; /* the last by threads since the init */
    uint32_t arrivals_n;                /* all */
    uint32_t init_count;
    run_waits waits;
    uint32_t expected_at, copied_at; /* instructions */
    uint32_t *arriving, *done,
        *before; /* vectors of the arrivals: all; of complete phases; without the last of these */
} run_mbarrier;

typedef struct run_rendezvous {
    uint32_t arrived, expected;         /* lanes; expected 0: all of the threads */
    uint32_t trues, unknown;            /* lanes, of the predicates of bar.red */
    uint32_t all_n, trues_n, unknown_n; /* of the last generation that is complete */
    uint64_t generation;
    uint32_t *vector, *done; /* of all arrivals, and of those of complete generations */
} run_rendezvous;

/* A tensor map that the kernel makes at an address of global memory; map: its number, or -1. */
#define RUN_MADE_MAX 64
typedef struct run_made_map {
    uint64_t address;
    int32_t map;
    run_access released, acquired, used; /* used: by the last store; clock 0: by none */
} run_made_map;

/* A number in global memory on which atomic operations work. */
#define RUN_WORDS_MAX 256
#define RUN_ZEROS     UINT64_MAX /* as `data`: all numbers are 0 */
typedef struct run_word {
    uint64_t address, value;
    bool known;
} run_word;

#define RUN_READS_MAX 6

typedef struct run_chunk {
    run_access write, reads[RUN_READS_MAX];
    uint8_t reads_n;
} run_chunk;

/* Bytes of a copy, and of shared memory from its first to its last; 0: unknown. */
typedef struct run_size {
    uint64_t moved, extent;
} run_size;

typedef struct run_memory {
    uint8_t *bytes, *known;
    run_chunk *chunks;
    bool any_known;
    run_access *remote; /* the last access or arrival by each warp of another thread block; clock 0: none */
    uint32_t allocated_at[RUN_COLUMNS]; /* 1 + the instruction that allocated the column; 0: none */
} run_memory;

/* Results of a comparison with 1 to 15; RUN_TILE << k: of a number of tiles of RUN_TILE_EL(k) elements. */
#define RUN_WAS_FALSE  2
#define RUN_WAS_TRUE   4
#define RUN_TILE       8
#define RUN_TILE_MAX   15
#define RUN_TILES      5
#define RUN_TILE_EL(k) ((k) == 0 ? 1u : 8u << (k)) /* 1, 16, 32, 64 or 128 */

typedef struct run_machine {
    ptx_check *check;                     /* its diags are this run's */
    const tmap_compiled_launch *observer; /* of copies; NULL: none */
    const tmap_compiled *compiled;
    const ptx_program *program;
    const ptx_kernel *kernel;
    uint64_t grid[3], cluster[3], block[3], place[3]; /* place: of the cluster in the grid */
    uint32_t ctas_n, warps_of_cta, warps_n, threads_n;
    uint64_t window_end_B; /* the first byte after a thread block's shared memory */
    tmap_arena arena;
    run_warp *warps;
    run_memory *memories;
    run_rendezvous *rendezvous;
    run_mbarrier barriers[RUN_BARRIERS_MAX];
    run_made_map made[RUN_MADE_MAX];
    int barriers_n, made_n;
    uint64_t data; /* the number of which the contents of global memory are multiples; 0: they are unknown */
    run_word words[RUN_WORDS_MAX];
    uint32_t words_n;
    uint32_t components_n;
    uint8_t *params, *params_known;
    uint64_t params_B;
    uint64_t *variables;  /* the address of each variable in its space */
    uint64_t *parameters; /* likewise */
    uint64_t local_B;
    bool calls; /* the kernel calls functions: there are registers for those, too */
    uint32_t first_register, registers_n;
    run_frame *frames;
    run_size *sizes;           /* of each copy; UINT64_MAX: not computed yet */
    uint8_t *ran, *judged;     /* of each copy */
    uint8_t *tried;            /* of each instruction: a wait that has returned false; NULL: waits block */
    uint8_t *reached;          /* of each instruction: 1 executed; of a comparison also RUN_WAS_*; NULL: not noted */
    uint64_t chosen;           /* for the parameters */
    uint32_t reported[256][3]; /* pairs of instructions, and the severity */
    int reported_n;
    uint64_t events, steps, steps_max, transfers; /* transfers: executions of copies */
    uint64_t phases_n;                            /* complete phases of all mbarriers */
    bool cluster_is_open; /* the launch does not state its size; `needs_ctas`: what the copies need, or 0 */
    uint32_t needs_ctas;
    uint32_t cancelled[RUN_RANKS_MAX];  /* by each thread block: clusters that it executes in their place */
    int32_t stopped_line;               /* the first stop; 0: none */
    run_reason stopped_because, reason; /* reason: of an operand of the current instruction */
    bool assumes, scattered; /* numbers of bytes are assumed; shared memory was written at an unknown address */
    bool is_early;           /* a wait ended before the phase that is complete here: orders hold, and numbers do not */
    bool is_patient;         /* such waits do not end early: another execution */
    bool trapped;            /* an assertion failed: the chosen numbers are not those of a launch */
    bool said_reuse, said_init, no_memory;
    bool is_odd;       /* coordinates may be of odd sizes, or of blocks, that a kernel does not accept */
    bool synchronizes; /* with atomic operations and the like: accesses may have an order that is not known here */
} run_machine;

/* Whether the numbers of arrivals and bytes are those of an execution. */
static inline bool run_is_sure(const run_machine *m) {
    return m->stopped_line == 0 && !m->assumes && !m->is_early && !m->trapped;
}

/* ---- machine.c ---- */

/* Returns false if there is no memory. Free the machine's arena in any case. */
bool run_begin(run_machine *m);
void run_value(const run_machine *m, const run_warp *w, const ptx_operand *operand, run_lanes *out);
const ptx_operand *run_element(const run_machine *m, const ptx_operand *operand, uint32_t k); /* of a list; else it */
/* A register of the kernel; one of another, or of none, has no known value. */
const run_lanes *run_register(const run_machine *m, const run_warp *w, int32_t index);
/* Writes lanes of a register. Of a list, the first item gets the value, and the others become unknown. */
void run_write(run_machine *m, run_warp *w, const ptx_operand *operand, uint32_t lanes, const run_lanes *value);
void run_write_number(run_machine *m, run_warp *w, const ptx_operand *operand, uint32_t lanes, uint64_t number);
void run_forget(run_machine *m, run_warp *w, const ptx_operand *operand, uint32_t lanes, run_reason because);
/* The block and the offset of an address of shared memory: a generic one, or one in a window. */
bool run_shared_at(const run_machine *m, uint64_t address, uint32_t *cta, uint32_t *offset);
/* Whether an address is in a thread block that the cluster does not have. Notes it: unless the launch states the size
 * of the cluster, the next run has more blocks. */
bool run_is_outside(run_machine *m, uint64_t address);
bool run_is_outside_for(run_machine *m, uint64_t address, uint32_t instruction); /* it reports this, too */
void run_clear(run_machine *m, uint32_t cta, uint32_t offset, uint64_t size);    /* the bytes become unknown */
uint32_t run_index(const run_machine *m, const ptx_instruction *in);
/* The first operand in brackets. */
void run_address(const run_machine *m, const run_warp *w, const ptx_instruction *in, run_lanes *out);
/* A value in one lane. Returns false if it is unknown, or there is no operand. */
bool run_number(run_machine *m, const run_warp *w, const ptx_operand *operand, uint32_t lane, uint64_t *number);
/* Likewise of operand i, in the first of some lanes. */
bool run_operand(run_machine *m, const run_warp *w, const ptx_instruction *in, uint32_t i, uint32_t lanes,
                 uint64_t *number);
static inline uint32_t run_first(uint32_t lanes) {
    return (uint32_t)__builtin_ctz(lanes);
}
/* A number of a type, from 64 bits of which the higher ones may be any. */
static inline uint64_t run_extended(uint64_t value, unsigned bits, bool is_signed) {
    uint64_t low = ptx_low_bits(bits);
    return is_signed && value >> (bits - 1) & 1 ? value | ~low : value & low;
}
/* The lanes in which a value is that of a lane. */
uint32_t run_same(const run_lanes *value, uint32_t lanes, uint32_t lane);
uint32_t *run_vector(run_machine *m); /* NULL: no memory */
uint32_t run_component(const run_machine *m, const run_warp *w, run_kind kind);
uint32_t run_barrier_component(const run_machine *m, int barrier);
/* An access by the threads of a warp now, and by its last operation of a kind. */
run_access run_access_now(const run_machine *m, const run_warp *w, uint32_t instruction, bool writes);
run_access run_access_of(const run_machine *m, const run_warp *w, run_kind kind, uint32_t instruction, bool writes);

/* ---- compute.c ---- */

/* An operation on integers and predicates of the lanes. */
void run_compute(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes);

/* ---- clocks.c ---- */

void run_join(const run_machine *m, uint32_t *into, const uint32_t *from);
bool run_has_warpgroup(const run_machine *m, const run_warp *w); /* the others issued as many wgmma as this warp */
/* Judges an access of a warp against earlier ones, and remembers it with the clock at which it is complete. */
void run_touch(run_machine *m, const run_warp *w, uint32_t cta, uint32_t offset, uint64_t size, run_access access);
/* Writes a number to shared memory or to that of a lane. */
void run_store_one(run_machine *m, run_warp *w, uint32_t lane, uint64_t address, unsigned bits, uint64_t value,
                   bool known);
/* The bytes may have been written, without an order. */
void run_mark_written(run_machine *m, uint32_t cta, uint32_t offset, uint32_t instruction);
bool run_is_before(const run_warp *w, const run_access *access); /* it happens before the warp's next step */
/* Lanes learn what `from` has (NULL: what the caller adds); the others of the warp at their next bar.warp.sync. */
void run_know(const run_machine *m, run_warp *w, uint32_t lanes, const uint32_t *from);
void run_meet_lanes(const run_machine *m, run_warp *w); /* all lanes execute an instruction together */
/* What the async proxy sees of a generic access. */
bool run_is_shown(const run_machine *m, const run_warp *w, const run_access *access);
/* Whether a generic access is by another lane of the same warp, and no barrier of the warp is between. Not of two
 * generic accesses of which the first is by all lanes: each lane may use its own bytes. */
bool run_is_of_other_lane(const run_machine *m, const run_warp *w, const run_access *before, const run_access *now);
/* A finding about an instruction, at most as severe as `most`, with a note of another instruction (UINT32_MAX: none).
 * A pair of instructions has no second finding that is not more severe. `fix` may be NULL. */
tmap_diag *run_find(run_machine *m, tmap_severity most, const char *rule, uint32_t instruction, uint32_t other,
                    const char *fix, const char *format, ...) TMAP_PRINTF(7, 8);
/* Likewise, without a message and a fix. */
tmap_diag *run_find_at(run_machine *m, tmap_severity most, const char *rule, uint32_t instruction, uint32_t other);
const char *run_text_of(const run_machine *m, uint32_t instruction); /* its opcode */
/* The name of a place in shared memory: "box+16384", or "0x4400 of block 1". */
ptx_text run_name_of(const run_machine *m, uint32_t cta, uint32_t offset);

/* ---- barriers.c ---- */

/* The effect of an instruction on its group. */
typedef enum run_result { RUN_DONE, RUN_BLOCKS, RUN_STOPS } run_result;

/* The number of phases that are complete in each execution in which the warp is at this step. */
uint32_t run_least_phases(const run_machine *m, const run_warp *w, const run_mbarrier *b);
run_result run_mbarrier_step(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes);
run_result run_sync_step(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes);
/* Completes the bytes of a copy of the warp at an mbarrier, given by its address; size 0: an unknown number. Returns
 * the mbarrier; -1: there is none. *phase (may be NULL) becomes the phase of these bytes. */
int run_complete(run_machine *m, const run_warp *w, uint32_t cta, uint32_t offset, uint64_t size, uint32_t instruction,
                 uint32_t *phase);
/* Arrives at an mbarrier with the vector of the arrival. */
void run_arrive(run_machine *m, int barrier, uint32_t count, uint32_t instruction);
int run_barrier_at(run_machine *m, uint32_t cta, uint32_t offset, uint32_t instruction);
void run_judge_bytes(run_machine *m, int barrier);
bool run_is_awaited(const run_machine *m, int barrier); /* a thread waits for a phase of it; -1: of any mbarrier */
void run_judge_awaited(run_machine *m, int barrier, const char *ends);
void run_judge_remote(run_machine *m, uint32_t cta, const run_access *remote);
void run_judge_shown(run_machine *m, const run_warp *w, int barrier, uint32_t instruction);
void run_show_inits(run_machine *m, const run_warp *w, uint32_t instruction);
void run_take_votes(run_machine *m, run_warp *w, const run_group *g); /* the result of bar.red, after its wait */
bool run_is_ready(const run_machine *m, const run_warp *w, const run_group *g);
void run_leave(run_machine *m, const run_warp *w); /* lanes ended: a rendezvous may be complete */

/* ---- async.c ---- */

run_result run_copy_step(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes);
run_result run_group_step(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes);
void run_judge_end(run_machine *m, run_warp *w, uint32_t instruction); /* a warp ends */

/* ---- matrix.c ---- */

void run_matrix_step(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes);
run_result run_commit_step(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes);
void run_judge_columns(run_machine *m); /* at the end: all columns are deallocated */

/* ---- data.c ---- */

/* Whether a load or a store has an order or a scope: such accesses order the accesses of other threads. */
static inline bool run_has_order(const ptx_instruction *in) {
    return in->words &
           (1ull << PTX_WORD_VOLATILE | 1ull << PTX_WORD_RELAXED | 1ull << PTX_WORD_ACQUIRE | 1ull << PTX_WORD_RELEASE);
}

/* A number in global memory. Returns false if it is unknown. */
bool run_data(run_machine *m, run_warp *w, const ptx_instruction *in, uint64_t address, unsigned bits, uint64_t *value);
bool run_data_agrees(const run_machine *m); /* all warps that read contents read those of one pointer */
void run_data_store(run_machine *m, uint64_t address, uint64_t value, bool known);
/* Executes an atomic operation with operands a and b, which are known or not. *old: the number before. Returns false if
 * a number is unknown. */
bool run_data_atomic(run_machine *m, const ptx_instruction *in, uint64_t address, uint64_t a, uint64_t b, bool known,
                     uint64_t *old);

/* ---- maps.c ---- */

void run_map_step(run_machine *m, run_warp *w, const ptx_instruction *in, uint32_t lanes);
/* The map of a copy in one lane: of a map that the kernel makes, the one that was written to the address last. */
int32_t run_map_of(run_machine *m, const run_warp *w, const ptx_copy *copy, uint32_t lane);

/* ---- calls.c ---- */

void run_find_registers(run_machine *m); /* whether there are calls, and whose registers are used */
bool run_fails(const run_machine *m, const ptx_instruction *in); /* a trap, or a call for a false assertion */
/* Moves lanes of a group to an instruction. */
void run_go(run_warp *w, run_group *g, uint32_t lanes, uint32_t pc, run_frame *frame);
bool run_call(run_machine *m, run_warp *w, run_group *g, const ptx_instruction *in, uint32_t lanes);
void run_return(run_machine *m, run_warp *w, run_group *g, uint32_t lanes);

/* ---- step.c ---- */

/* Executes the next instruction of a group. */
void run_step(run_machine *m, run_warp *w, run_group *g);

/* ---- run.c ---- */

/* Runs all warps until they end, stop, or wait for ever. Then judges what is left. */
void run_all(run_machine *m);
