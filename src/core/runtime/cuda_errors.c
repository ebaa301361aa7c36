/* CUresults: names and fixes. */
#include "runtime/cuda_errors.h"

#include <string.h>

typedef struct error_row {
    const char *name;
    int code;
    bool sticky;
    const char *hint;
} error_row;

static const error_row errors[] = {
#define CUDA_ERROR_ROW(name, code, sticky, hint) {name, code, sticky, hint},
#include "runtime/cuda_errors.def"
#undef CUDA_ERROR_ROW
};

enum { ERRORS_N = sizeof errors / sizeof errors[0] };

/* The text of cuGetErrorString for each code, which programs print (from calls of cudaGetErrorString of CUDA 13.0), and
 * the names of the runtime's cudaError_t (driver_types.h) for codes that occur in logs of tensor maps. */
static const struct {
    int code;
    const char *text;
} texts[] = {
    {1, "invalid argument"},
    {2, "out of memory"},
    {3, "initialization error"},
    {4, "driver shutting down"},
    {36, "API call is not supported in the installed CUDA driver"},
    {46, "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "no CUDA-capable device is detected"},
    {101, "invalid device ordinal"},
    {200, "device kernel image is invalid"},
    {201, "invalid device context"},
    {209, "no kernel image is available for execution on the device"},
    {214, "uncorrectable ECC error encountered"},
    {218, "a PTX JIT compilation failed"},
    {222, "the provided PTX was compiled with an unsupported toolchain"},
    {400, "invalid resource handle"},
    {700, "an illegal memory access was encountered"},
    {701, "too many resources requested for launch"},
    {702, "the launch timed out and was terminated"},
    {709, "context is destroyed"},
    {710, "device-side assert triggered"},
    {714, "hardware stack error"},
    {715, "an illegal instruction was encountered"},
    {716, "misaligned address"},
    {717, "operation not supported on global/shared address space"},
    {718, "invalid program counter"},
    {719, "unspecified launch failure"},
    {800, "operation not permitted"},
    {801, "operation not supported"},
    {802, "system not yet initialized"},
    {803, "system has unsupported display driver / cuda driver combination"},
    {804, "forward compatibility was attempted on non supported HW"},
    {999, "unknown error"},
    {1, "cudaErrorInvalidValue"},
    {700, "cudaErrorIllegalAddress"},
    {702, "cudaErrorLaunchTimeout"},
    {710, "cudaErrorAssert"},
    {714, "cudaErrorHardwareStackError"},
    {715, "cudaErrorIllegalInstruction"},
    {716, "cudaErrorMisalignedAddress"},
    {717, "cudaErrorInvalidAddressSpace"},
    {718, "cudaErrorInvalidPc"},
    {719, "cudaErrorLaunchFailure"},
    {801, "cudaErrorNotSupported"},
    {999, "cudaErrorUnknown"},
};

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

const char *tmap_cuda_error_text(size_t i) {
    return i < sizeof texts / sizeof *texts ? texts[i].text : NULL;
}

bool tmap_cuda_error_of_text(const char *text, int *result) {
    size_t longest = 0;
    const char *name = strstr(text, "CUDA_ERROR_"); /* all names but that of success begin so */
    for (size_t i = 0; name && i < ERRORS_N; i++) {
        if (errors[i].code == 0 || !names(name, errors[i].name)) continue;
        *result = errors[i].code;
        return true;
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t size = strlen(texts[i].text);
        if (size <= longest || !strstr(text, texts[i].text)) continue;
        longest = size;
        *result = texts[i].code;
    }
    return longest > 0;
}
