/* A recording of copies in memory. All of it lies in one arena. */
#pragma once

#include "base/arena.h"
#include "capture/case.h"
#include "tmap/unstable/recording.h"

/* What a recorded copy says of itself; reports of others may state only a part. */
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
    char source[512]; /* of what others have published; empty for our own */
    bool hardware;
    tmap_archs target; /* whose rules were asked; 0: any */
    recorded_copy *copies, **copies_end;
    bool has_fuzz;
    tmap_fuzz fuzz;
    recorded_block *blocks; /* by rising number */
    uint64_t copies_n, blocks_n, left_out;
};

/* NULL when there is no memory. */
tmap_recording *tmap_recording_make(const tmap_allocator *allocator);
recorded_copy *tmap_recording_find(const tmap_recording *recording, const char *name);
/* At the end; random copies by their numbers, so that merged shards are what one run is. */
void tmap_recording_put(tmap_recording *recording, recorded_copy *copy);
/* Puts a block, which is not there yet, in its place. */
void tmap_recording_insert(tmap_recording *recording, recorded_block *block);
/* Whether the same random copies are generated. */
bool tmap_recording_same_fuzz(const tmap_fuzz *a, const tmap_fuzz *b);
/* A copy of bytes in the recording's memory; NULL when there is none. */
const uint8_t *tmap_recording_keep_bytes(tmap_recording *recording, const uint8_t *bytes, uint64_t size_B);
/* Puts a copy of the run, bytes included, at the end of a list; answers the new end, NULL when there is no memory. */
recorded_run **tmap_recording_keep_run(tmap_recording *recording, recorded_run **end, const tmap_written_run *run);
/* Plans the recorded copy again. */
tmap_status tmap_recorded_plan(const tmap_recording *recording, const recorded_copy *copy, tmap_probe *probe);
