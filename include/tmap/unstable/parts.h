/*
 * parts: the folders of src/ that a build of tmap contains. If a build leaves a folder out, its functions are not in
 * the libraries, and its headers are not installed.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_PARTS_H
#define TMAP_PARTS_H

#include "tmap/diag.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tmap_part_id {
#define TMAP_PART(id, ...) TMAP_PART_##id,
#include "tmap/unstable/parts.def"
#undef TMAP_PART
} tmap_part_id;

typedef struct tmap_part_info {
    const char *name, *contents; /* "kernel", "sequences, sizes and compiled kernels" */
    const char *option;          /* of CMake: "TMAP_WITH_KERNEL" */
    bool built;                  /* false: this build leaves the part out */
} tmap_part_info;

TMAP_API const tmap_part_info *tmap_part_get(int part); /* NULL after the last */

/* Returns TMAP_OK if this build has the part, else TMAP_UNAVAILABLE: *refusal (may be NULL) states that `what`, for
 * example "command layout", is left out, and how to get it. */
TMAP_API tmap_status tmap_part_require(tmap_part_id part, const char *what, tmap_diag *refusal)
    TMAP_NONNULL(2) TMAP_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
