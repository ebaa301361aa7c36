/*
 * stats: what a copy costs. Bytes that are of use, filled and left between; 32-byte sectors of L2; bank conflicts of
 * those who read the box from shared memory, with every swizzle that its map may have; and which of them to take.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_STATS_H
#define TMAP_STATS_H

#include "tmap/unstable/counts.h"
#include "tmap/unstable/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Facts about the hardware that these counts rest on, beside those of the copy (tmap_copy_facts); NULL ends them. */
TMAP_API const char *tmap_stats_fact(int i);

typedef struct tmap_traffic {
    uint64_t payload_B;   /* of all elements of the box: the transaction bytes of a load */
    uint64_t useful_B;    /* of elements inside the tensor */
    uint64_t filled_B;    /* of a load: of elements outside, which it fills */
    uint64_t footprint_B; /* what the box takes of shared memory */
    uint64_t gap_B;       /* of it, what belongs to no element */
    uint64_t global_B;    /* bytes of global memory that are read or written, each counted once */
    uint64_t sectors_n;   /* sectors that these lie in, each counted once */
    uint64_t wasted_B;    /* bytes of these sectors that the copy has no use for */
    uint64_t dropped_B; /* of stores and prefetches: of elements outside, which are not written, combined or brought */
} tmap_traffic;

/*
 * Counts the bytes and sectors of a copy. A tensor without an address counts as one that begins on a sector.
 * TMAP_NO_MEMORY as tmap_copy_footprint.
 */
TMAP_API tmap_status tmap_copy_traffic(const tmap_copy *copy, const tmap_allocator *allocator, tmap_traffic *traffic)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/* ---- Bank conflicts ------------------------------------------------------------------------------------------- */

/*
 * Shared memory has 32 banks of 4 bytes. Lanes that read 128 bytes together (8 lanes of 16 bytes, 16 of 8, 32 of 4 or
 * less) are one access: it takes as many passes as the bank with the most different words in it.
 */
typedef enum tmap_reader {
#define TMAP_READER(id, ...) TMAP_READER_##id,
#include "tmap/unstable/stats/readers.def"
#undef TMAP_READER
    TMAP_READER_COUNT
} tmap_reader;

typedef struct tmap_reader_info {
    const char *name;
    const char *about;
    bool down;        /* lanes read one below the other, else along a row */
    uint32_t width_B; /* what a lane reads; 0: the caller's width */
    uint32_t rows_n;  /* of `down`: an access begins at a multiple of that many rows */
} tmap_reader_info;

TMAP_API const tmap_reader_info *tmap_reader_get(int reader); /* NULL past the last */

typedef struct tmap_reading {
    uint64_t accesses_n; /* one from each place in the box where one may begin */
    uint64_t passes_n;   /* of all of them; accesses_n when there is no conflict */
    uint32_t worst_n;    /* passes of the worst: 1 is free of conflicts, 8 an 8-way conflict */
} tmap_reading;

/*
 * Counts the conflicts of a reader of the box. `width_B` is 1, 2, 4, 8 or 16, what a lane of the readers of single
 * elements reads. TMAP_BAD_ARGUMENT for another width or no reader.
 */
TMAP_API tmap_status tmap_count_conflicts(const tmap_copy *copy, tmap_reader reader, uint32_t width_B,
                                          tmap_reading *conflicts) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* The width of one element of a type, 4 for those below a byte. */
TMAP_API uint32_t tmap_reader_width_B(const tmap_type_info *type) TMAP_NONNULL(1);

/* ---- Which swizzle -------------------------------------------------------------------------------------------- */

typedef struct tmap_candidate {
    tmap_swizzle swizzle;
    uint32_t footprint_B;
    tmap_reading readers[TMAP_READER_COUNT];
} tmap_candidate;

typedef struct tmap_recommendation {
    tmap_candidate candidates[TMAP_SWIZZLE_COUNT]; /* the swizzles that the rules allow, none among them, in order */
    int candidates_n;
    int given, best; /* candidates: the map's own, and the one to take */
    /*
     * When conflicts stay because rows are too wide for every swizzle that would end them: the same with `narrow_el` as
     * the box's size in dimension 0 (of im2col the channels), so that several boxes take the place of one. 0: no such
     * box.
     */
    uint64_t narrow_el;
    tmap_candidate narrow;
    tmap_diag why; /* advice: the message is one sentence */
} tmap_recommendation;

/*
 * Counts all readers with each swizzle that the rules allow for this map and copy (`judge` as for tmap_copy_init; may
 * be NULL), and recommends: the fewest passes of columns, then of rows, then the smallest footprint, then the widest
 * span. That is the rule of thumb "the largest atom that the row fills" wherever a row fills one.
 * TMAP_BAD_ARGUMENT for a width as above; TMAP_REFUSED when `judge` does not allow the copy itself.
 */
TMAP_API tmap_status tmap_recommend_swizzle(const tmap_copy *copy, uint32_t width_B, const tmap_judge *judge,
                                            tmap_recommendation *recommendation) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
