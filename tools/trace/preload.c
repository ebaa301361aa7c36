/*
 * The library that `tmap trace` preloads. It stands before the driver's tensor-map calls however a program gets at
 * them: as a symbol, by dlsym, or by cuGetProcAddress (which the CUDA runtime uses, too). Each call goes on to the
 * driver with its arguments as they are; then it is recorded. It prints nothing, keeps errno, and holds no file open,
 * so a program that closes or counts its files sees no difference.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record.h"

#define EXPORT __attribute__((visibility("default")))

typedef int encode_tiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                         const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides, int interleave,
                         int swizzle, int l2_promotion, int oob_fill);
typedef int encode_im2col(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                          const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                          uint32_t pixels, const uint32_t *element_strides, int interleave, int swizzle,
                          int l2_promotion, int oob_fill);
typedef int encode_wide(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                        const uint64_t *strides, int lower, int upper, uint32_t channels, uint32_t pixels,
                        const uint32_t *element_strides, int interleave, int mode, int swizzle, int l2_promotion,
                        int oob_fill);
typedef int replace_address(void *map, void *address);
typedef int get_proc_v1(const char *symbol, void **function, int version, uint64_t flags);
typedef int get_proc_v2(const char *symbol, void **function, int version, uint64_t flags, int *status);
typedef void *look_up(void *handle, const char *symbol);
typedef void *look_up_version(void *handle, const char *symbol, const char *version);

EXPORT encode_tiled cuTensorMapEncodeTiled;
EXPORT encode_im2col cuTensorMapEncodeIm2col;
EXPORT encode_wide cuTensorMapEncodeIm2colWide;
EXPORT replace_address cuTensorMapReplaceAddress;
EXPORT get_proc_v1 cuGetProcAddress;
EXPORT get_proc_v2 cuGetProcAddress_v2;

/* ---- The functions behind --------------------------------------------------------------------------------------- */

/* By the names that programs ask for; `real` is what was found last, by whatever way. */
enum { ENCODE_TILED, ENCODE_IM2COL, ENCODE_WIDE, REPLACE_ADDRESS, GET_PROC_V1, GET_PROC_V2, FUNCTIONS_N };

static const char *const names[FUNCTIONS_N] = {
    "cuTensorMapEncodeTiled",    "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide",
    "cuTensorMapReplaceAddress", "cuGetProcAddress",        "cuGetProcAddress_v2",
};

static _Atomic(void *) real[FUNCTIONS_N];

/* ISO C has no conversion between functions and void *; POSIX promises that the bits are the same. */
static void *wrapper_of(int i) {
    static encode_tiled *const tiled = cuTensorMapEncodeTiled;
    static encode_im2col *const im2col = cuTensorMapEncodeIm2col;
    static encode_wide *const wide = cuTensorMapEncodeIm2colWide;
    static replace_address *const replace = cuTensorMapReplaceAddress;
    static get_proc_v1 *const v1 = cuGetProcAddress;
    static get_proc_v2 *const v2 = cuGetProcAddress_v2;
    static const void *const places[FUNCTIONS_N] = {&tiled, &im2col, &wide, &replace, &v1, &v2};
    void *wrapper;
    memcpy(&wrapper, places[i], sizeof wrapper);
    return wrapper;
}

static int index_of(const char *symbol) {
    if (symbol == NULL || symbol[0] != 'c' || symbol[1] != 'u') return -1;
    for (int i = 0; i < FUNCTIONS_N; i++)
        if (strcmp(symbol, names[i]) == 0) return i;
    return -1;
}

/* The C library's dlsym, by the versions under which its ports have it. */
static look_up *real_look_up(void) {
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    static _Atomic(look_up *) found;
    look_up *known = atomic_load(&found);
    for (size_t i = 0; known == NULL && i < sizeof versions / sizeof *versions; i++) {
        void *symbol = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        memcpy(&known, &symbol, sizeof known);
    }
    atomic_store(&found, known);
    return known;
}

/* What stands behind a wrapper: found before, or the next symbol of that name. */
static void *behind(int i) {
    void *known = atomic_load(&real[i]);
    if (known != NULL) return known;
    look_up *find = real_look_up();
    known = find != NULL ? find(RTLD_NEXT, names[i]) : NULL;
    atomic_store(&real[i], known);
    return known;
}

/* Puts the wrapper in the place of what a program was given. */
static void *stand_before(int i, void *given) {
    if (given == NULL || given == wrapper_of(i)) return given;
    atomic_store(&real[i], given);
    return wrapper_of(i);
}

/*
 * The C library's dlsym takes RTLD_NEXT and RTLD_DEFAULT from the view of its caller, which it knows by the return
 * address. The call below is a jump (this file is compiled with optimisation), so the caller stays the program's.
 */
EXPORT void *dlsym(void *handle, const char *symbol) {
    look_up *find = real_look_up();
    int i = index_of(symbol);
    if (i < 0) return find(handle, symbol);
    return stand_before(i, find(handle, symbol));
}

#define NO_FUNCTION 500 /* CUDA_ERROR_NOT_FOUND */

/* Version 12.0 and above give the second cuGetProcAddress under the first one's name. */
static void replace_given(const char *symbol, int version, void **function) {
    int i = index_of(symbol);
    if (i == GET_PROC_V1 && version >= 12000) i = GET_PROC_V2;
    if (i >= 0 && function != NULL) *function = stand_before(i, *function);
}

int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
    get_proc_v1 *call;
    void *found = behind(GET_PROC_V1);
    if (found == NULL) return NO_FUNCTION;
    memcpy(&call, &found, sizeof call);
    int result = call(symbol, function, version, flags);
    if (result == 0) replace_given(symbol, version, function);
    return result;
}

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
    get_proc_v2 *call;
    void *found = behind(GET_PROC_V2);
    if (found == NULL) return NO_FUNCTION;
    memcpy(&call, &found, sizeof call);
    int result = call(symbol, function, version, flags, status);
    if (result == 0) replace_given(symbol, version, function);
    return result;
}

/* ---- Records ---------------------------------------------------------------------------------------------------- */

static void copy_text(char *to, size_t size, const char *from) {
    size_t n = from != NULL ? strlen(from) : 0;
    if (n >= size) { /* the end of a path says more than its beginning */
        from += n - size + 1;
        n = size - 1;
    }
    if (n > 0) memcpy(to, from, n);
    to[n] = '\0';
}

static void tell_site(trace_record *record, const void *site) {
    Dl_info info;
    if (dladdr(site, &info) == 0) return;
    copy_text(record->module, sizeof record->module, info.dli_fname);
    record->site_offset = (uint64_t)((const char *)site - (const char *)info.dli_fbase);
    if (info.dli_sname == NULL) return;
    copy_text(record->symbol, sizeof record->symbol, info.dli_sname);
    record->symbol_offset = (uint64_t)((const char *)site - (const char *)info.dli_saddr);
}

static void append(trace_record *record, const void *site) {
    int error = errno;
    const char *path = getenv(TRACE_FILE_VARIABLE);
    int file = path != NULL ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (file >= 0) {
        record->magic = TRACE_MAGIC;
        record->pid = getpid();
        tell_site(record, site);
        if (write(file, record, sizeof *record) != (ssize_t)sizeof *record) errno = EIO; /* seen as a cut record */
        close(file);
    }
    errno = error;
}

/* As many numbers as the rank; none for a rank that no map has, because nobody knows how long the arrays are. */
static uint32_t readable(uint32_t rank) {
    return rank <= TRACE_RANK_MAX ? rank : 0;
}

static uint32_t is_null(const void *pointer, trace_null bit) {
    return pointer == NULL ? (uint32_t)bit : 0;
}

static trace_record common_record(trace_call call, int result, const void *map, int type, uint32_t rank,
                                  const void *address, const uint64_t *dims, const uint64_t *strides,
                                  const uint32_t *element_strides) {
    trace_record record;
    memset(&record, 0, sizeof record);
    record.call = call;
    record.result = result;
    record.type = type;
    record.rank = rank;
    record.map = (uintptr_t)map;
    record.address = (uintptr_t)address;
    record.nulls = is_null(map, TRACE_NULL_MAP) | is_null(dims, TRACE_NULL_DIMS) |
                   is_null(strides, TRACE_NULL_STRIDES) | is_null(element_strides, TRACE_NULL_ELEMENT_STRIDES);
    for (uint32_t i = 0; i < readable(rank); i++) {
        if (dims != NULL) record.dims[i] = dims[i];
        if (strides != NULL && i + 1 < rank) record.strides[i] = strides[i];
        if (element_strides != NULL) record.element_strides[i] = element_strides[i];
    }
    return record;
}

/* ---- The calls -------------------------------------------------------------------------------------------------- */

int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides,
                           int interleave, int swizzle, int l2_promotion, int oob_fill) {
    encode_tiled *call;
    void *found = behind(ENCODE_TILED);
    if (found == NULL) return NO_FUNCTION;
    memcpy(&call, &found, sizeof call);
    int result = call(map, type, rank, address, dims, strides, box, element_strides, interleave, swizzle, l2_promotion,
                      oob_fill);
    trace_record record = common_record(TRACE_TILED, result, map, type, rank, address, dims, strides, element_strides);
    record.nulls |= is_null(box, TRACE_NULL_BOX);
    for (uint32_t i = 0; box != NULL && i < readable(rank); i++) record.box[i] = box[i];
    record.interleave = interleave;
    record.swizzle = swizzle;
    record.l2_promotion = l2_promotion;
    record.oob_fill = oob_fill;
    append(&record, __builtin_return_address(0));
    return result;
}

int cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                            const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                            uint32_t pixels, const uint32_t *element_strides, int interleave, int swizzle,
                            int l2_promotion, int oob_fill) {
    encode_im2col *call;
    void *found = behind(ENCODE_IM2COL);
    if (found == NULL) return NO_FUNCTION;
    memcpy(&call, &found, sizeof call);
    int result = call(map, type, rank, address, dims, strides, lower, upper, channels, pixels, element_strides,
                      interleave, swizzle, l2_promotion, oob_fill);
    trace_record record = common_record(TRACE_IM2COL, result, map, type, rank, address, dims, strides, element_strides);
    record.nulls |= is_null(lower, TRACE_NULL_BOX) | is_null(upper, TRACE_NULL_UPPER);
    for (uint32_t i = 0; i + 2 < readable(rank); i++) {
        if (lower != NULL) record.lower[i] = lower[i];
        if (upper != NULL) record.upper[i] = upper[i];
    }
    record.channels = channels;
    record.pixels = pixels;
    record.interleave = interleave;
    record.swizzle = swizzle;
    record.l2_promotion = l2_promotion;
    record.oob_fill = oob_fill;
    append(&record, __builtin_return_address(0));
    return result;
}

int cuTensorMapEncodeIm2colWide(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                                const uint64_t *strides, int lower, int upper, uint32_t channels, uint32_t pixels,
                                const uint32_t *element_strides, int interleave, int mode, int swizzle,
                                int l2_promotion, int oob_fill) {
    encode_wide *call;
    void *found = behind(ENCODE_WIDE);
    if (found == NULL) return NO_FUNCTION;
    memcpy(&call, &found, sizeof call);
    int result = call(map, type, rank, address, dims, strides, lower, upper, channels, pixels, element_strides,
                      interleave, mode, swizzle, l2_promotion, oob_fill);
    trace_record record =
        common_record(TRACE_IM2COL_WIDE, result, map, type, rank, address, dims, strides, element_strides);
    record.lower[0] = lower;
    record.upper[0] = upper;
    record.channels = channels;
    record.pixels = pixels;
    record.interleave = interleave;
    record.wide_mode = mode;
    record.swizzle = swizzle;
    record.l2_promotion = l2_promotion;
    record.oob_fill = oob_fill;
    append(&record, __builtin_return_address(0));
    return result;
}

int cuTensorMapReplaceAddress(void *map, void *address) {
    replace_address *call;
    void *found = behind(REPLACE_ADDRESS);
    if (found == NULL) return NO_FUNCTION;
    memcpy(&call, &found, sizeof call);
    int result = call(map, address);
    trace_record record;
    memset(&record, 0, sizeof record);
    record.call = TRACE_REPLACE_ADDRESS;
    record.result = result;
    record.map = (uintptr_t)map;
    record.address = (uintptr_t)address;
    append(&record, __builtin_return_address(0));
    return result;
}
