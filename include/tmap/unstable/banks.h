/*
 * banks: conflicts in the 32 banks of shared memory. An instruction of a warp is carried out in phases of as many
 * lanes as touch 128 bytes together: all 32 of up to 4 bytes each, 16 of 8, 8 of 16. In a phase every bank gives one
 * 4-byte word a pass; lanes that touch the same word share it; so a phase takes as many passes as the bank with the
 * most different words has, and has a conflict when that is more than one.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_BANKS_H
#define TMAP_BANKS_H

#include "tmap/unstable/layout_swizzle.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_LANES      32
#define TMAP_PHASES_MAX 4 /* of one instruction */

/* What the lanes touch: `width` elements of `bits` bits each, from the lane's own element on; -1: nothing. */
typedef struct tmap_access {
    int bits, width; /* together 1, 2, 4, 8 or 16 bytes */
    int64_t lanes[TMAP_LANES];
} tmap_access;

typedef struct tmap_phase {
    int lanes;  /* that touch something */
    int words;  /* different ones */
    int passes; /* 0 where no lane touches anything */
    int bank;   /* one with that many words */
} tmap_phase;

typedef struct tmap_conflicts {
    uint64_t instructions, phases, passes; /* phases in which a lane touches something */
    int worst;                             /* passes of a phase, at most */
    uint64_t histogram[TMAP_LANES + 1];    /* phases by passes */
} tmap_conflicts;

/*
 * Adds one access through a layout on the axis m to *total, and answers its phases (may be NULL) and how many there
 * are. Refused: elements that are none of the layout, and lanes whose elements do not lie next to each other, aligned
 * to what they touch. The buffer is aligned to the swizzle's period.
 */
TMAP_API tmap_status tmap_conflicts_add(tmap_conflicts *total, const tmap_layout *layout, const tmap_access *access,
                                        tmap_phase phases[TMAP_PHASES_MAX], int *phases_n, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3);

typedef enum tmap_pattern {
#define TMAP_PATTERN(id, ...) TMAP_PATTERN_##id,
#include "tmap/unstable/banks_patterns.def"
#undef TMAP_PATTERN
    TMAP_PATTERN_COUNT
} tmap_pattern;

typedef struct tmap_pattern_info {
    const char *name, *about;
    int rows, columns; /* of lanes */
} tmap_pattern_info;

TMAP_API const tmap_pattern_info *tmap_pattern_get(int pattern);  /* NULL past the last */
TMAP_API int tmap_pattern_find(const char *name) TMAP_NONNULL(1); /* -1 where there is none */

/*
 * Which elements of a row-major numbered matrix of rows x columns a pattern touches in its instruction `number`, lanes
 * of `width` elements each; false past the last. Columns that do not fill a lane's width are left out.
 */
TMAP_API bool tmap_pattern_access(tmap_pattern pattern, int64_t rows, int64_t columns, int width, uint64_t number,
                                  int64_t lanes[TMAP_LANES]) TMAP_NONNULL(6);

/* Accesses one after the other; false past the last. For several rounds over the same ones. */
typedef struct tmap_accesses {
    bool (*get)(const void *context, uint64_t number, tmap_access *access);
    const void *context;
} tmap_accesses;

TMAP_API tmap_status tmap_conflicts_of(const tmap_layout *layout, const tmap_accesses *accesses, tmap_conflicts *total,
                                       tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* ---- Global memory ---- */

#define TMAP_SECTOR_B 32

/*
 * A request is an instruction of a warp in which a lane touches something. It moves as many sectors of 32 bytes as hold
 * what its lanes touch (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory").
 */
typedef struct tmap_coalescing {
    uint64_t instructions, requests;
    uint64_t sectors; /* of all requests */
    uint64_t least;   /* sectors that the different bytes of every request would fill */
    uint64_t worst;   /* sectors of a request, at most */
    uint64_t used_B;  /* different bytes of every request */
} tmap_coalescing;

/* Adds one access of a tensor in global memory, which begins on a sector, to *total. Refused as tmap_conflicts_add. */
TMAP_API tmap_status tmap_coalescing_add(tmap_coalescing *total, const tmap_layout *layout, const tmap_access *access,
                                         tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;
TMAP_API tmap_status tmap_coalescing_of(const tmap_layout *layout, const tmap_accesses *accesses,
                                        tmap_coalescing *total, tmap_diag *error) TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

/* What a search among all swizzles found. */
typedef struct tmap_swizzle_search {
    tmap_xor swizzle;      /* the fewest passes; of equal ones a mode of the hardware first, then the fewest bits */
    tmap_conflicts with;   /* that swizzle */
    tmap_swizzle map_mode; /* the mode of a tensor map with the fewest passes */
    tmap_conflicts map;    /* with that mode */
    uint64_t tried;        /* swizzles whose passes were counted */
} tmap_swizzle_search;

/*
 * The swizzle with the fewest passes for all accesses together, in place of the layout's own. Tries the modes of tensor
 * maps; where none is free of conflicts, every swizzle that can change a bank: no other has fewer passes. All accesses
 * have the bits and the width of the first. Refused where the layout without a swizzle cannot be accessed so.
 */
TMAP_API tmap_status tmap_conflicts_remove(const tmap_layout *layout, const tmap_accesses *accesses,
                                           tmap_swizzle_search *found, tmap_diag *error)
    TMAP_NONNULL(1, 2, 3) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
