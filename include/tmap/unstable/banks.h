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

/* A phase from the numbers of the words that its lanes touch, in any order and as often as they touch them; sorts them.
 * `lanes` stays 0. */
TMAP_API tmap_phase tmap_phase_of(int64_t *words, size_t n);

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
                                        tmap_phase phases[TMAP_PHASES_MAX], int *phases_n, tmap_diag *error);

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

TMAP_API const tmap_pattern_info *tmap_pattern_get(int pattern); /* NULL past the last */
TMAP_API int tmap_pattern_find(const char *name);                /* -1 where there is none */

/*
 * Which elements of a row-major numbered matrix of rows x columns a pattern touches in its instruction `number`, lanes
 * of `width` elements each; false past the last. Columns that do not fill a lane's width are left out.
 */
TMAP_API bool tmap_pattern_access(tmap_pattern pattern, int64_t rows, int64_t columns, int width, uint64_t number,
                                  int64_t lanes[TMAP_LANES]);

/* Accesses one after the other; false past the last. For several rounds over the same ones. */
typedef struct tmap_accesses {
    bool (*get)(const void *context, uint64_t number, tmap_access *access);
    const void *context;
} tmap_accesses;

TMAP_API tmap_status tmap_conflicts_of(const tmap_layout *layout, const tmap_accesses *accesses, tmap_conflicts *total,
                                       tmap_diag *error);

/*
 * The swizzle with the fewest passes for all accesses together, in place of the layout's own: of equal ones a mode of
 * the hardware first, and the one with the fewest bits. Refused where the layout without a swizzle cannot be accessed
 * so.
 */
TMAP_API tmap_status tmap_conflicts_remove(const tmap_layout *layout, const tmap_accesses *accesses, tmap_xor *swizzle,
                                           tmap_conflicts *with, tmap_diag *error);

#ifdef __cplusplus
}
#endif

#endif
