/*
 * stats: the costs of a copy. Useful, filled and unused bytes; 32-byte sectors of L2; bank conflicts of the readers of
 * the box in shared memory, with every swizzle that the map may have; and a recommended swizzle.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_STATS_H
#define TMAP_STATS_H

#include "tmap/unstable/counts.h"
#include "tmap/unstable/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the id of fact i on which these counts are based, in addition to the facts of the copy (tmap_copy_facts);
 * NULL after the last.
 */
TMAP_API const char *tmap_stats_fact(int i);

/* Bytes and sectors of a copy. */
typedef struct tmap_traffic {
    uint64_t payload_B;   /* bytes of all elements of the box: the transaction bytes of a load */
    uint64_t useful_B;    /* bytes of elements inside the tensor */
    uint64_t filled_B;    /* loads: bytes of elements outside the tensor, which are filled */
    uint64_t footprint_B; /* bytes of the box in shared memory */
    uint64_t gap_B;       /* bytes of footprint_B that belong to no element */
    uint64_t global_B;    /* bytes of global (or another CTA's shared) memory that are accessed, each counted once */
    uint64_t sectors_n;   /* sectors that contain these bytes, each sector counted once */
    uint64_t wasted_B;    /* bytes of these sectors that the copy does not use */
    uint64_t dropped_B;   /* stores, prefetches: bytes of elements outside, not written, combined or fetched */
} tmap_traffic;

/*
 * Counts the bytes and sectors of a copy. A tensor without an address is counted as if it began on a sector. Returns
 * TMAP_NO_MEMORY as tmap_copy_footprint does.
 */
TMAP_API tmap_status tmap_copy_traffic(const tmap_copy *copy, const tmap_allocator *allocator, tmap_traffic *traffic)
    TMAP_NONNULL(3) TMAP_MUST_USE;

/* ---- Bank conflicts ------------------------------------------------------------------------------------------- */

/*
 * Shared memory has 32 banks of 4 bytes. Lanes that read 128 bytes together (8 lanes of 16 bytes, 16 of 8, 32 of 4 or
 * less) are one access. The number of passes of an access is the largest number of different words in one bank.
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
    bool down;        /* lanes read down a column; false: along a row */
    uint32_t width_B; /* bytes that a lane reads; 0: the caller's width */
    uint32_t rows_n;  /* if `down`: an access begins at a multiple of this number of rows */
} tmap_reader_info;

TMAP_API const tmap_reader_info *tmap_reader_get(int reader); /* NULL after the last */

/* Conflicts of one reader. */
typedef struct tmap_reading {
    uint64_t accesses_n; /* accesses: one from each position of the box where an access may begin */
    uint64_t passes_n;   /* passes of all accesses; equal to accesses_n if there is no conflict */
    uint32_t worst_n;    /* passes of the worst access: 1 is free of conflicts, 8 is an 8-way conflict */
} tmap_reading;

/*
 * Counts the conflicts of a reader of the box. `width_B` (1, 2, 4, 8 or 16) is the number of bytes that a lane reads,
 * for readers without a width of their own. Returns TMAP_BAD_ARGUMENT for another width or an invalid reader.
 */
TMAP_API tmap_status tmap_count_conflicts(const tmap_copy *copy, tmap_reader reader, uint32_t width_B,
                                          tmap_reading *conflicts) TMAP_NONNULL(1, 4) TMAP_MUST_USE;

/* Returns the bytes of one element of a type; 4 for types below a byte. */
TMAP_API uint32_t tmap_reader_width_B(const tmap_type_info *type) TMAP_NONNULL(1);

/* ---- The recommended swizzle ---------------------------------------------------------------------------------- */

/* A swizzle that the map may have. */
typedef struct tmap_candidate {
    tmap_swizzle swizzle;
    uint32_t footprint_B;
    tmap_reading readers[TMAP_READER_COUNT];
} tmap_candidate;

typedef struct tmap_recommendation {
    tmap_candidate candidates[TMAP_SWIZZLE_COUNT]; /* the swizzles that the rules allow, including none, in order */
    int candidates_n;
    int given, best; /* indices of candidates: the map's own swizzle, and the recommended one */
    /* If conflicts remain because rows are too wide for every swizzle that would remove them: the recommendation for
     * boxes with size `narrow_el` in dimension 0 (im2col: channels), several of which replace one box. 0: no such box.
     */
    uint64_t narrow_el;
    tmap_candidate narrow;
    tmap_diag why; /* advice: the message is one sentence */
} tmap_recommendation;

/*
 * Counts all readers with each swizzle that the rules allow for this map and copy (`judge` as for tmap_copy_init; may
 * be NULL), and recommends the one with the fewest passes of columns, then of rows, then the smallest footprint, then
 * the widest span. If a row fills an atom, this is the rule of thumb "the largest atom that the row fills". Returns
 * TMAP_BAD_ARGUMENT for a width that tmap_count_conflicts does not allow; TMAP_REFUSED if `judge` does not allow the
 * copy itself.
 */
TMAP_API tmap_status tmap_recommend_swizzle(const tmap_copy *copy, uint32_t width_B, const tmap_judge *judge,
                                            tmap_recommendation *recommendation) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
