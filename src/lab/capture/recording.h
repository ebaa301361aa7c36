/* A recording of copies in memory. One arena contains all of it. */
#pragma once

#include "base/arena.h"
#include "capture/case.h"
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
    struct recorded_copy *next;
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

typedef struct recorded_block {
    struct recorded_block *next;
    tmap_fuzz_block block;
} recorded_block;

struct tmap_recording {
    tmap_allocator own_allocator;
    const tmap_allocator *allocator;
    tmap_arena arena;
    capture_header header;
    char source[512]; /* of results that others have published; empty for recordings by tmap */
    bool hardware;
    tmap_archs target; /* the architectures whose rules apply; 0: any */
    recorded_copy *copies, **copies_end;
    bool has_fuzz;
    tmap_fuzz fuzz;
    recorded_block *blocks; /* by rising number */
    uint64_t copies_n, blocks_n, left_out;
};

/* NULL when the allocation fails. */
tmap_recording *tmap_recording_make(const tmap_allocator *allocator);
recorded_copy *tmap_recording_find(const tmap_recording *recording, const char *name);
/* Appends a copy. Random copies are sorted by number, so that merged shards equal one run. */
void tmap_recording_put(tmap_recording *recording, recorded_copy *copy);
/* Inserts a new block at its place. */
void tmap_recording_insert(tmap_recording *recording, recorded_block *block);
/* Whether both generate the same random copies. */
bool tmap_recording_same_fuzz(const tmap_fuzz *a, const tmap_fuzz *b);
/* Copies bytes into the recording's memory; NULL when the allocation fails. */
const uint8_t *tmap_recording_keep_bytes(tmap_recording *recording, const uint8_t *bytes, uint64_t size_B);
/* Appends a copy of the run, including its bytes, to a list. Returns the new end; NULL when the allocation fails. */
recorded_run **tmap_recording_keep_run(tmap_recording *recording, recorded_run **end, const tmap_written_run *run);
/* Plans the recorded copy again. */
tmap_status tmap_recorded_plan(const tmap_recording *recording, const recorded_copy *copy, tmap_probe *probe);
