/*
 * banks: conflicts in the 32 banks of shared memory. A warp's instruction runs in phases. A phase serves as many lanes
 * as access 128 bytes together: all 32 lanes of up to 4 bytes each, 16 lanes of 8 bytes, or 8 lanes of 16 bytes. In one
 * pass of a phase every bank delivers one 4-byte word, and lanes that access the same word share it. So the number of
 * passes of a phase is the largest number of different words in one bank; more than one pass is a conflict.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_BANKS_H
#define TMAP_BANKS_H

#include "tmap/unstable/layout_swizzle.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_LANES      32
#define TMAP_PHASES_MAX 4 /* of one instruction */

/*
 * The elements that the lanes of a warp access. Each lane accesses `width` consecutive elements of `bits` bits;
 * lanes[i] is the first element of lane i, or -1 if the lane accesses nothing.
 */
typedef struct tmap_access {
    int bits, width; /* bits x width is 1, 2, 4, 8 or 16 bytes */
    int64_t lanes[TMAP_LANES];
} tmap_access;

/* One phase of an instruction. */
typedef struct tmap_phase {
    int lanes;  /* number of lanes that access an element */
    int words;  /* number of different 4-byte words */
    int passes; /* 0 if no lane accesses an element */
    int bank;   /* a bank with `passes` words */
} tmap_phase;

/* Sums over instructions. */
typedef struct tmap_conflicts {
    uint64_t instructions, phases, passes; /* phases: those in which a lane accesses an element */
    int worst;                             /* the largest number of passes of a phase */
    uint64_t histogram[TMAP_LANES + 1];    /* [i]: number of phases with i passes */
} tmap_conflicts;

/*
 * Adds one access through a layout on the axis m to *total. Writes the access's phases to `phases` and their number to
 * *phases_n (both may be NULL). The buffer is aligned to the swizzle's period. Returns TMAP_REFUSED if an element is
 * not in the layout, or if the elements of a lane are not contiguous and aligned to the size of the lane's access.
 */
TMAP_API tmap_status tmap_conflicts_add(tmap_conflicts *total, const tmap_layout *layout, const tmap_access *access,
                                        tmap_phase phases[TMAP_PHASES_MAX], int *phases_n, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3);

/* A common access pattern of a warp on a matrix; banks_patterns.def contains the rows. */
typedef enum tmap_pattern {
#define TMAP_PATTERN(id, ...) TMAP_PATTERN_##id,
#include "tmap/unstable/banks_patterns.def"
#undef TMAP_PATTERN
    TMAP_PATTERN_COUNT
} tmap_pattern;

typedef struct tmap_pattern_info {
    const char *name, *about;
    int rows, columns; /* arrangement of the lanes */
} tmap_pattern_info;

TMAP_API const tmap_pattern_info *tmap_pattern_get(int pattern);  /* NULL after the last */
TMAP_API int tmap_pattern_find(const char *name) TMAP_NONNULL(1); /* -1: no pattern has this name */

/*
 * Writes the elements that a pattern accesses in its instruction `number`, with lanes of `width` (1 or more) elements
 * each. The matrix of rows x columns (less than 2^63 elements) is numbered row-major. Columns that do not fill a lane's
 * width are skipped. Returns false after the last instruction.
 */
TMAP_API bool tmap_pattern_access(tmap_pattern pattern, int64_t rows, int64_t columns, int width, uint64_t number,
                                  int64_t lanes[TMAP_LANES]) TMAP_NONNULL(6);

/*
 * A sequence of accesses, which may be read several times. `get` writes access `number` and returns false after the
 * last.
 */
typedef struct tmap_accesses {
    bool (*get)(const void *context, uint64_t number, tmap_access *access);
    const void *context;
} tmap_accesses;

/* Writes the sums over all accesses to *total; returns as tmap_conflicts_add does. */
TMAP_API tmap_status tmap_conflicts_of(const tmap_layout *layout, const tmap_accesses *accesses, tmap_conflicts *total,
                                       tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* ---- Global memory ---- */

/*
 * Sums over instructions. A request is a warp's instruction in which at least one lane accesses an element. A request
 * moves all sectors of 32 bytes that contain a byte that its lanes access (CUDA C++ Best Practices Guide, "Coalesced
 * Access to Global Memory").
 */
typedef struct tmap_coalescing {
    uint64_t instructions, requests;
    uint64_t sectors; /* sum over all requests */
    uint64_t least;   /* sectors that the different bytes of each request would fill if they were contiguous */
    uint64_t worst;   /* the largest number of sectors of a request */
    uint64_t used_B;  /* different bytes of each request, summed */
} tmap_coalescing;

/* Writes the sums over all accesses of a tensor in global memory to *total. The tensor starts at a multiple of
 * TMAP_SECTOR_B. Returns as tmap_conflicts_add does. */
TMAP_API tmap_status tmap_coalescing_of(const tmap_layout *layout, const tmap_accesses *accesses,
                                        tmap_coalescing *total, tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* The result of a search among all swizzles. */
typedef struct tmap_swizzle_search {
    tmap_xor swizzle;      /* the fewest passes; among equals a mode of the hardware first, then the fewest bits */
    tmap_conflicts with;   /* conflicts with `swizzle` */
    tmap_swizzle map_mode; /* the mode of a tensor map with the fewest passes */
    tmap_conflicts map;    /* conflicts with `map_mode` */
    uint64_t tried;        /* number of swizzles whose passes were counted */
} tmap_swizzle_search;

/*
 * Finds the swizzle with the fewest passes for all accesses together, instead of the layout's own swizzle. Tries the
 * modes of tensor maps first. If none of them is free of conflicts, tries every swizzle that can change a bank; no
 * other swizzle has fewer passes. All accesses must have the bits and the width of the first. Returns TMAP_REFUSED if
 * the accesses are not possible on the layout without a swizzle.
 */
TMAP_API tmap_status tmap_conflicts_remove(const tmap_layout *layout, const tmap_accesses *accesses,
                                           tmap_swizzle_search *found, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
