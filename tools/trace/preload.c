/*
 * The library that `tmap trace` preloads. It intercepts the driver's tensor-map calls in every way in which a program
 * can find them: as a symbol, by dlsym, or by cuGetProcAddress (which the CUDA runtime also uses). Each call is passed
 * to the driver with unchanged arguments, and then recorded. The library prints nothing, keeps errno, and holds no file
 * open, so a program that closes or counts its files sees no difference.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"
#include "traced_call.h"

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
typedef int set_class(void *map, int allocation_class, int *out);
typedef int get_proc_v1(const char *symbol, void **function, int version, uint64_t flags);
typedef int get_proc_v2(const char *symbol, void **function, int version, uint64_t flags, int *status);
typedef void *look_up(void *handle, const char *symbol);
typedef void *look_up_version(void *handle, const char *symbol, const char *version);
typedef void *open_library(const char *file, int mode);
typedef void *open_library_in(Lmid_t space, const char *file, int mode);

EXPORT encode_tiled cuTensorMapEncodeTiled;
EXPORT encode_im2col cuTensorMapEncodeIm2col;
EXPORT encode_wide cuTensorMapEncodeIm2colWide;
EXPORT replace_address cuTensorMapReplaceAddress;
EXPORT set_class cuTensorMapSetAllocationClass;
EXPORT get_proc_v1 cuGetProcAddress;
EXPORT get_proc_v2 cuGetProcAddress_v2;

/* ---- The wrapped functions -------------------------------------------------------------------------------------- */

/* The driver's functions by the names that programs look up, then the C library's. */
enum {
    ENCODE_TILED,
    ENCODE_IM2COL,
    ENCODE_WIDE,
    REPLACE_ADDRESS,
    SET_CLASS,
    GET_PROC_V1,
    GET_PROC_V2,
    DRIVER_N,
    LOOK_UP = DRIVER_N,
    LOOK_UP_VERSION,
    OPEN,
    OPEN_IN,
    FUNCTIONS_N
};

static const char *const names[] = {
    "cuTensorMapEncodeTiled",
    "cuTensorMapEncodeIm2col",
    "cuTensorMapEncodeIm2colWide",
    "cuTensorMapReplaceAddress",
    "cuTensorMapSetAllocationClass",
    "cuGetProcAddress",
    "cuGetProcAddress_v2",
    "dlsym",
    "dlvsym",
    "dlopen",
    "dlmopen",
};
_Static_assert(sizeof names / sizeof *names == FUNCTIONS_N, "every function has its name");

/* The function that was found last, in any way. */
static _Atomic(void *) real[FUNCTIONS_N];

/* ISO C has no conversion between functions and void *. POSIX guarantees that the bits are the same. */
static void *wrapper_of(int i) {
    static encode_tiled *const tiled = cuTensorMapEncodeTiled;
    static encode_im2col *const im2col = cuTensorMapEncodeIm2col;
    static encode_wide *const wide = cuTensorMapEncodeIm2colWide;
    static replace_address *const replace = cuTensorMapReplaceAddress;
    static set_class *const set = cuTensorMapSetAllocationClass;
    static get_proc_v1 *const v1 = cuGetProcAddress;
    static get_proc_v2 *const v2 = cuGetProcAddress_v2;
    static const void *const places[] = {&tiled, &im2col, &wide, &replace, &set, &v1, &v2};
    _Static_assert(sizeof places / sizeof *places == DRIVER_N, "every function of the driver has its wrapper");
    void *wrapper;
    memcpy(&wrapper, places[i], sizeof wrapper);
    return wrapper;
}

static int index_of(const char *symbol) {
    for (int i = 0; i < DRIVER_N; i++)
        if (strcmp(symbol, names[i]) == 0) return i;
    return -1;
}

/*
 * Stores the function that a wrapper replaces in the function pointer `call`: the function that was found before, or
 * else the next function of that name, also in a library that was opened with RTLD_LOCAL. A driver whose
 * cuGetProcAddress returns its own symbol returns the wrapper, which the dynamic linker finds first. Returns false if
 * no function is found.
 */
static bool reach(int i, void *call) {
    void *known = atomic_load(&real[i]);
    if (!known) known = next_symbol(names[i]);
    atomic_store(&real[i], known);
    memcpy(call, &known, sizeof known);
    return known != NULL;
}

/* Stores the function that a program was given, and returns the wrapper to give instead. */
static void *replace_by_wrapper(int i, void *given) {
    if (!given) return NULL;
    if (given != wrapper_of(i)) atomic_store(&real[i], given);
    return wrapper_of(i);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static void copy_text(char *to, size_t size, const char *from) {
    size_t n = strlen(from);
    if (n >= size) { /* the end of a path is more useful than its start */
        from += n - size + 1;
        n = size - 1;
    }
    memcpy(to, from, n);
    to[n] = '\0';
}

static void record_site(traced_call *traced, const void *site) {
    Dl_info info;
    if (dladdr(site, &info) == 0) return;
    copy_text(traced->module, sizeof traced->module, info.dli_fname);
    traced->site_offset = (uint64_t)((const char *)site - (const char *)info.dli_fbase);
    if (!info.dli_sname) return;
    copy_text(traced->symbol, sizeof traced->symbol, info.dli_sname);
    traced->symbol_offset = (uint64_t)((const char *)site - (const char *)info.dli_saddr);
}

/* site: the return address of the call, or NULL. */
static void append(traced_call *traced, const void *site) {
    if (site) record_site(traced, site);
    int error = errno;
    const char *path = getenv(TRACE_FILE_VARIABLE);
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (file >= 0) {
        traced->magic = TRACE_MAGIC;
        traced->pid = getpid();
        if (write(file, traced, sizeof *traced) != (ssize_t)sizeof *traced) errno = EIO; /* tmap reports a cut call */
        close(file);
    }
    errno = error;
}

/* The number of readable entries: the rank; 0 for an invalid rank, because the length of the arrays is then unknown. */
static uint32_t readable(uint32_t rank) {
    return rank <= TRACE_RANK_MAX ? rank : 0;
}

static uint32_t is_null(const void *pointer, trace_null bit) {
    return !pointer ? (uint32_t)bit : 0;
}

static void append_encode(traced_call *traced, int interleave, int swizzle, int l2_promotion, int oob_fill,
                          const void *site) {
    traced->interleave = interleave;
    traced->swizzle = swizzle;
    traced->l2_promotion = l2_promotion;
    traced->oob_fill = oob_fill;
    append(traced, site);
}

/* 0: the driver does not return its version. */
static int32_t version_of_driver(void) {
    void *found = next_symbol("cuDriverGetVersion");
    int (*get)(int *), version = 0;
    memcpy(&get, &found, sizeof get);
    return found && get(&version) == 0 ? version : 0;
}

static traced_call begin_call(trace_call call, int result, const void *map) {
    traced_call traced;
    memset(&traced, 0, sizeof traced);
    traced.call = call;
    traced.result = result;
    traced.map = (uintptr_t)map;
    traced.nulls = is_null(map, TRACE_NULL_MAP);
    return traced;
}

static traced_call common_call(trace_call call, int result, const void *map, int type, uint32_t rank,
                               const void *address, const uint64_t *dims, const uint64_t *strides,
                               const uint32_t *element_strides) {
    traced_call traced = begin_call(call, result, map);
    if (result != 0) traced.driver_version = version_of_driver();
    traced.type = type;
    traced.rank = rank;
    traced.address = (uintptr_t)address;
    traced.nulls |= is_null(dims, TRACE_NULL_DIMS) | is_null(strides, TRACE_NULL_STRIDES) |
                    is_null(element_strides, TRACE_NULL_ELEMENT_STRIDES);
    for (uint32_t i = 0; i < readable(rank); i++) {
        if (dims) traced.dims[i] = dims[i];
        if (strides && i + 1 < rank) traced.strides[i] = strides[i];
        if (element_strides) traced.element_strides[i] = element_strides[i];
    }
    return traced;
}

/* ---- The C library's look-ups ----------------------------------------------------------------------------------- */

/*
 * The C library identifies its caller by the return address: dlsym resolves RTLD_NEXT and RTLD_DEFAULT from the
 * caller's view, dlopen searches the caller's DT_RUNPATH. The last calls below are jumps (this file is compiled with
 * optimisation), so the caller remains the program. A look-up that finds the wrapper was in the global scope: the rest
 * of that scope then shows whether the program has the function.
 */
EXPORT void *dlsym(void *handle, const char *symbol) {
    look_up *find;
    (void)reach(LOOK_UP, &find);
    int i = index_of(symbol);
    if (i < 0) return find(handle, symbol);
    void *given = find(handle, symbol);
    return replace_by_wrapper(i, given == wrapper_of(i) ? find(RTLD_NEXT, symbol) : given);
}

EXPORT void *dlvsym(void *handle, const char *symbol, const char *version) {
    look_up_version *find;
    (void)reach(LOOK_UP_VERSION, &find);
    int i = index_of(symbol);
    if (i < 0) return find(handle, symbol, version);
    return replace_by_wrapper(
        i, find(handle, symbol, version)); /* the wrappers have no version, so they are never found */
}

/* Records a library whose look-ups bypass the wrappers, because of the way in which it was opened. */
static void remember_unseen(trace_call how, const char *file) {
    traced_call traced = begin_call(how, 0, NULL);
    copy_text(traced.module, sizeof traced.module, file);
    append(&traced, NULL);
}

EXPORT void *dlopen(const char *file, int mode) {
    open_library *call;
    (void)reach(OPEN, &call);
    if ((mode & RTLD_DEEPBIND) != 0 && file) remember_unseen(TRACE_DEEPBIND, file);
    return call(file, mode);
}

EXPORT void *dlmopen(Lmid_t space, const char *file, int mode) {
    open_library_in *call;
    (void)reach(OPEN_IN, &call);
    if (space != LM_ID_BASE && file) remember_unseen(TRACE_NAMESPACE, file);
    return call(space, file, mode);
}

/* Reports to the command that the library was loaded. */
__attribute__((constructor)) static void tell_loaded(void) {
    remember_unseen(TRACE_LOADED, "");
}

/* ---- The driver's look-ups -------------------------------------------------------------------------------------- */

#define NO_FUNCTION 500 /* CUDA_ERROR_NOT_FOUND */

/* From version 12.0 on, a look-up of the name cuGetProcAddress returns cuGetProcAddress_v2. */
static void replace_given(const char *symbol, int version, void **function) {
    int i = index_of(symbol);
    if (i == GET_PROC_V1 && version >= 12000) i = GET_PROC_V2;
    if (i >= 0) *function = replace_by_wrapper(i, *function);
}

int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
    get_proc_v1 *call;
    if (!reach(GET_PROC_V1, &call)) return NO_FUNCTION;
    int result = call(symbol, function, version, flags);
    if (result == 0) replace_given(symbol, version, function);
    return result;
}

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
    get_proc_v2 *call;
    if (!reach(GET_PROC_V2, &call)) return NO_FUNCTION;
    int result = call(symbol, function, version, flags, status);
    if (result == 0) replace_given(symbol, version, function);
    return result;
}

/* ---- The calls -------------------------------------------------------------------------------------------------- */

int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides,
                           int interleave, int swizzle, int l2_promotion, int oob_fill) {
    encode_tiled *call;
    if (!reach(ENCODE_TILED, &call)) return NO_FUNCTION;
    int result = call(map, type, rank, address, dims, strides, box, element_strides, interleave, swizzle, l2_promotion,
                      oob_fill);
    traced_call traced = common_call(TRACE_TILED, result, map, type, rank, address, dims, strides, element_strides);
    traced.nulls |= is_null(box, TRACE_NULL_BOX);
    for (uint32_t i = 0; box && i < readable(rank); i++) traced.box[i] = box[i];
    append_encode(&traced, interleave, swizzle, l2_promotion, oob_fill, __builtin_return_address(0));
    return result;
}

int cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                            const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                            uint32_t pixels, const uint32_t *element_strides, int interleave, int swizzle,
                            int l2_promotion, int oob_fill) {
    encode_im2col *call;
    if (!reach(ENCODE_IM2COL, &call)) return NO_FUNCTION;
    int result = call(map, type, rank, address, dims, strides, lower, upper, channels, pixels, element_strides,
                      interleave, swizzle, l2_promotion, oob_fill);
    traced_call traced = common_call(TRACE_IM2COL, result, map, type, rank, address, dims, strides, element_strides);
    traced.nulls |= is_null(lower, TRACE_NULL_BOX) | is_null(upper, TRACE_NULL_UPPER);
    for (uint32_t i = 0; i + 2 < readable(rank); i++) {
        if (lower) traced.lower[i] = lower[i];
        if (upper) traced.upper[i] = upper[i];
    }
    traced.channels = channels;
    traced.pixels = pixels;
    append_encode(&traced, interleave, swizzle, l2_promotion, oob_fill, __builtin_return_address(0));
    return result;
}

int cuTensorMapEncodeIm2colWide(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                                const uint64_t *strides, int lower, int upper, uint32_t channels, uint32_t pixels,
                                const uint32_t *element_strides, int interleave, int mode, int swizzle,
                                int l2_promotion, int oob_fill) {
    encode_wide *call;
    if (!reach(ENCODE_WIDE, &call)) return NO_FUNCTION;
    int result = call(map, type, rank, address, dims, strides, lower, upper, channels, pixels, element_strides,
                      interleave, mode, swizzle, l2_promotion, oob_fill);
    traced_call traced =
        common_call(TRACE_IM2COL_WIDE, result, map, type, rank, address, dims, strides, element_strides);
    traced.wide_mode = mode;
    traced.lower[0] = lower;
    traced.upper[0] = upper;
    traced.channels = channels;
    traced.pixels = pixels;
    append_encode(&traced, interleave, swizzle, l2_promotion, oob_fill, __builtin_return_address(0));
    return result;
}

int cuTensorMapReplaceAddress(void *map, void *address) {
    replace_address *call;
    if (!reach(REPLACE_ADDRESS, &call)) return NO_FUNCTION;
    int result = call(map, address);
    traced_call traced = begin_call(TRACE_REPLACE_ADDRESS, result, map);
    traced.address = (uintptr_t)address;
    append(&traced, __builtin_return_address(0));
    return result;
}

int cuTensorMapSetAllocationClass(void *map, int allocation_class, int *out) {
    set_class *call;
    if (!reach(SET_CLASS, &call)) return NO_FUNCTION;
    int result = call(map, allocation_class, out);
    traced_call traced = begin_call(TRACE_SET_CLASS, result, map);
    traced.allocation_class = allocation_class;
    append(&traced, __builtin_return_address(0));
    return result;
}
