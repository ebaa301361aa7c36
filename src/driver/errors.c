/* CUresults: their names, and what to do about them. */
#include "driver/errors.h"

#include <string.h>

typedef struct error_row {
    const char *name;
    int code;
    bool sticky;
    const char *hint;
} error_row;

static const error_row errors[] = {
#define CUDA_ERROR_ROW(name, code, sticky, hint) {name, code, sticky, hint},
#include "driver/errors.def"
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
    return row != NULL && row->sticky;
}

bool tmap_cuda_error_find(const char *name, int *result) {
    for (size_t i = 0; i < ERRORS_N; i++) {
        if (strcmp(errors[i].name, name) != 0) continue;
        *result = errors[i].code;
        return true;
    }
    return false;
}
