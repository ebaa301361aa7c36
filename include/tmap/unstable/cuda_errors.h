/*
 * What went wrong: CUresults with their names and remedies, and symptoms with their causes. tmap is built without CUDA;
 * a test compares the codes with cuda.h, if installed.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_CUDA_ERRORS_H
#define TMAP_CUDA_ERRORS_H

#include "tmap/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns "CUDA_ERROR_INVALID_VALUE" and so on for the codes of cuda.h 13.5, "an unlisted CUresult" for others. */
TMAP_API const char *tmap_cuda_error_name(int result);
/* Returns one line with a remedy for a CUresult, or NULL if tmap has none. */
TMAP_API const char *tmap_cuda_error_hint(int result);
/* Returns the CUresult with this number or name, -1 for none. Accepts names without CUDA_ERROR_ and names of
 * cudaError_t; ignores case, '-', '_' and blanks. */
TMAP_API int tmap_cuda_error_of_word(const char *word) TMAP_NONNULL(1);
/* Finds the CUresult in a text, by its name in cuda.h or by the text of cuGetErrorString. Returns false for none. */
TMAP_API bool tmap_cuda_error_of_text(const char *text, int *result) TMAP_NONNULL(1, 2);

/* The symptom of a wrong map or copy: "hang", "zeros", "misaligned-address", … */
typedef struct tmap_symptom_info {
    const char *name;
    const char *words;    /* other words for the symptom, separated by spaces */
    const char *text;     /* the usual causes, the most frequent first */
    const char *commands; /* that find the cause, one in each line */
    const char *related;  /* rules and facts, separated by spaces */
} tmap_symptom_info;

TMAP_API const tmap_symptom_info *tmap_symptom_get(int symptom); /* NULL after the last */
/* Returns the symptom with this name or word, also after CUDA_ERROR_ or cudaError; otherwise the first symptom whose
 * name or word is in the phrase; -1: none. Ignores case, '-', '_' and blanks. */
TMAP_API int tmap_symptom_find(const char *phrase) TMAP_NONNULL(1);

#ifdef __cplusplus
}
#endif

#endif
