/* A recording of copies in memory. One arena contains all of it. */
#pragma once

#include "base/arena.h"
#include "capture/case.h"
#include "hash/name_table.h"
#include "tmap/unstable/recording.h"

/* The parts of a recorded copy. Reports of others may have only some parts. */
typedef enum recorded_part {
    RECORDED_END = 1,
    RECORDED_TX = 2,
    RECORDED_DIGEST = 4,
    RECORDED_BYTES = 8,
} recorded_part;

typedef struct recorded_run {
    struct recorded_run *next;
    tmap_written_run run;
} recorded_run;

typedef struct recorded_copy {
    const char *name, *tensor;
    tmap_map_params map;
    tmap_copy_params copy;
    uint64_t seed;
    tmap_input input;
    unsigned parts; /* recorded_part */
    tmap_job_end end;
    int error;
    uint64_t tx_B[TMAP_JOB_CTAS_MAX];
    size_t tx_n;
    char digest[65];
    recorded_run *runs;
} recorded_copy;

/* Copies by their names, or blocks by their numbers. The items are in the order of arrival. */
typedef struct recorded_items {
    void **items;
    size_t n, room;
    tmap_table by_key;
} recorded_items;

struct tmap_recording {
    tmap_allocator own_allocator;
    const tmap_allocator *allocator;
    tmap_arena arena;
    capture_header header;
    tmap_archs target;     /* the architectures whose rules apply; 0: any */
    recorded_items copies; /* recorded_copy */
    bool has_fuzz;
    tmap_fuzz fuzz;
    recorded_items blocks; /* tmap_fuzz_block */
    uint64_t left_out;
};

/* NULL when the allocation fails. */
tmap_recording *tmap_recording_make(const tmap_allocator *allocator);
recorded_copy *tmap_recording_find(const tmap_recording *recording, const char *name);
const tmap_fuzz_block *tmap_recording_find_block(const tmap_recording *recording, uint64_t number);
/* Makes room for `more` items. Returns false when the allocation fails. */
bool tmap_recorded_reserve(recorded_items *all, size_t more);
/* Append an item with a new key. Return false when the allocation fails. */
bool tmap_recorded_put_copy(recorded_items *copies, recorded_copy *copy);
bool tmap_recorded_put_block(recorded_items *blocks, tmap_fuzz_block *block);
/* Orders blocks and random copies by their numbers, so that merged shards equal one run. */
void tmap_recording_order(const tmap_recording *recording);
/* Whether both generate the same random copies. */
bool tmap_recording_same_fuzz(const tmap_fuzz *a, const tmap_fuzz *b);
/* Copies bytes into the recording's memory; NULL when the allocation fails. */
const uint8_t *tmap_recording_keep_bytes(tmap_recording *recording, const uint8_t *bytes, uint64_t size_B);
/* Appends a copy of the run, including its bytes, to a list. Returns the new end; NULL when the allocation fails. */
recorded_run **tmap_recording_keep_run(tmap_recording *recording, recorded_run **end, const tmap_written_run *run);
/* Plans the recorded copy again. */
tmap_status tmap_recorded_plan(const tmap_recording *recording, const recorded_copy *copy, tmap_probe *probe);
