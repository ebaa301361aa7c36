/* spec: executes the steps of a sequence once and moves their bytes. */
#pragma once

#include "script/script.h"
#include "sequence/machine.h"
#include "tmap/emu.h"
#include "tmap/unstable/execution.h"

enum { TMAP_EXECUTION_WINDOW_MOST_B = 1 << 20, TMAP_EXECUTION_PAGE_B = 256 };

/* Global memory of a tensor: the initial contents, and pages with the bytes that the run writes. */
typedef struct tmap_execution_global {
    tmap_memory before;
    tmap_index_fill fill;
    bool ready;
    struct tmap_execution_page *pages[64]; /* by the low bits of the page's number */
    struct tmap_execution *run;
} tmap_execution_global;

/* For each step: the first bytes that it writes, or reads if it writes none, and their region. */
typedef struct tmap_execution_effect {
    int region; /* -1: none */
    uint8_t bytes[TMAP_EXECUTION_FIRST_B];
    uint8_t *kept; /* the bytes that a store has read; NULL before */
} tmap_execution_effect;

struct tmap_execution {
    const tmap_allocator *allocator;
    tmap_script own; /* the script of tmap_execution_make */
    tmap_arena arena;
    tmap_script *script;
    tmap_sequence sequence;
    tmap_program program;
    tmap_machine machine;
    uint64_t window_B;    /* of each thread block: shared memory, then tensor memory */
    uint64_t tensor_at_B; /* start of tensor memory */
    uint8_t *shared;      /* by thread block, window_B bytes each */
    uint32_t *writers;    /* by thread block and 16-byte unit: step + 1; 0: none */
    tmap_execution_global *globals;
    tmap_execution_effect *effects; /* by step */
    tmap_moment *moments;
    size_t moments_n;
    tmap_stage_state *places;
    size_t places_n;
    uint8_t poison;
    char omitted[96]; /* as tmap_execution_omitted; "": nothing */
    bool no_memory;
};

/* Executes the script of a spec that was made without a finding. TMAP_REFUSED: shared memory exceeds the limit. */
tmap_status tmap_execution_script(struct tmap_execution *run, tmap_script *script,
                                  const tmap_execution_options *options);

/* The first bytes of a region after a step, if they are known. `writer` is the step plus 1; 0: no step. */
bool tmap_execution_bytes(const struct tmap_execution *run, uint32_t writer, int region,
                          uint8_t bytes[TMAP_EXECUTION_FIRST_B]);

/* The global memory of a tensor in the state that the copies of the run see. */
tmap_memory tmap_execution_memory(struct tmap_execution *run, size_t tensor, const tmap_map *map,
                                  const tmap_execution_options *options);
