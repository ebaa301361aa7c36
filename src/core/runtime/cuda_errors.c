/* CUresults: names and fixes. */
#include "runtime/cuda_errors.h"

#include <string.h>

#define TEXTS_MAX 2

typedef struct error_row {
    const char *name;
    int code;
    bool sticky;
    const char *hint, *texts[TEXTS_MAX];
} error_row;

static const error_row errors[] = {
#define CUDA_ERROR_ROW(...) {__VA_ARGS__},
#include "runtime/cuda_errors.def"
#undef CUDA_ERROR_ROW
};

enum { ERRORS_N = sizeof errors / sizeof errors[0] };

static const error_row *row_of(int result) {
    for (size_t i = 0; i < ERRORS_N; i++)
        if (errors[i].code == result) return &errors[i];
    return NULL;
}

const char *tmap_cuda_error_name(int result) {
    const error_row *row = row_of(result);
    return row ? row->name : "an unlisted CUresult";
}

const char *tmap_cuda_error_hint(int result) {
    const error_row *row = row_of(result);
    return row ? row->hint : "look its number up in CUresult of cuda.h";
}

bool tmap_cuda_error_known(int result) {
    return row_of(result) != NULL;
}

bool tmap_cuda_error_sticky(int result) {
    const error_row *row = row_of(result);
    return row && row->sticky;
}

bool tmap_cuda_error_find(const char *name, int *result) {
    for (size_t i = 0; i < ERRORS_N; i++) {
        if (strcmp(errors[i].name, name) != 0) continue;
        *result = errors[i].code;
        return true;
    }
    return false;
}

/* Whether the text contains the name as a word: CUDA_ERROR_INVALID_VALUE, not CUDA_ERROR_INVALID_VALUE_OF. */
static bool names(const char *text, const char *name) {
    size_t size = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += size) {
        char next = at[size];
        if (!(next >= 'A' && next <= 'Z') && !(next >= '0' && next <= '9') && next != '_') return true;
    }
    return false;
}

const size_t tmap_cuda_error_texts_n = (size_t)ERRORS_N * TEXTS_MAX;

const char *tmap_cuda_error_text(size_t i) {
    return errors[i / TEXTS_MAX].texts[i % TEXTS_MAX];
}

bool tmap_cuda_error_of_text(const char *text, int *result) {
    size_t longest = 0;
    const char *name = strstr(text, "CUDA_ERROR_"); /* all names but that of success begin so */
    for (size_t i = 0; name && i < ERRORS_N; i++) {
        if (errors[i].code == 0 || !names(name, errors[i].name)) continue;
        *result = errors[i].code;
        return true;
    }
    for (size_t i = 0; i < tmap_cuda_error_texts_n; i++) {
        const char *known = tmap_cuda_error_text(i);
        size_t size = known ? strlen(known) : 0;
        if (size <= longest || !strstr(text, known)) continue;
        longest = size;
        *result = errors[i / TEXTS_MAX].code;
    }
    return longest > 0;
}
