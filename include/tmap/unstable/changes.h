/*
 * hw, changes: the changes to tensor maps in each CUDA release.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_CHANGES_H
#define TMAP_CHANGES_H

#include "tmap/hw.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_CHANGE_ABOUT_MAX 20

/* One change in a CUDA release. */
typedef struct tmap_change_info {
    int cuda; /* as in CUDA_VERSION */
    const char *text;
    const char *about[TMAP_CHANGE_ABOUT_MAX]; /* names of rules, facts, types, calls, ...; NULL ends the list */
} tmap_change_info;

TMAP_API const tmap_change_info *tmap_change_get(int change); /* from 0, oldest first; NULL after the last */
/* Returns whether `about` contains `name`. */
TMAP_API bool tmap_change_is_about(const tmap_change_info *change, const char *name) TMAP_NONNULL(1, 2);

/* Returns whether a word is an architecture older than tensor maps: sm_89, compute_80, sm_75, 86. */
TMAP_API bool tmap_arch_is_before_tma(const char *word) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
