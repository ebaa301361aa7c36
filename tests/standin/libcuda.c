/*
 * A stand-in for libcuda.so.1: the entry points that tmap calls, without a GPU. It enforces the protocol (cuInit first,
 * a current context), behaves like the worst of the real drivers, and can fail on request: README.md lists the
 * settings. Compiled with STANDIN_ONLY_V1 it has only the old cuGetProcAddress, with STANDIN_ONLY_SYMBOLS none.
 */
#define _GNU_SOURCE /* dladdr, RTLD_NOLOAD */

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "change.h"
#include "standin.h"

#define EXPORT STANDIN_EXPORT
#define PRINTF STANDIN_PRINTF

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    SHARED_OPTIN = 97,      /* CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN */
    LARGE_TENSOR_MIN = 160, /* CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE, of CUDA 13.5 */
};

enum call {
    INIT,
    VERSION,
    DEVICE_GET,
    DEVICE_NAME,
    DEVICE_ATTRIBUTE,
    RETAIN,
    RELEASE,
    CONTEXT_GET,
    CONTEXT_SET,
    GET_PROC,
    ENCODE_TILED,
    ENCODE_IM2COL,
    ENCODE_IM2COL_WIDE,
    REPLACE_ADDRESS,
    SET_CLASS,
    CALLS_N
};

static const char *const names[CALLS_N] = {
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuGetProcAddress",
    "cuTensorMapEncodeTiled",
    "cuTensorMapEncodeIm2col",
    "cuTensorMapEncodeIm2colWide",
    "cuTensorMapReplaceAddress",
    "cuTensorMapSetAllocationClass",
};

static int initialised;
static char primary_context; /* its address is the context */
static void *current;

bool standin_sticky(int result) {
    return result == 700 || result == 702 || (result >= 714 && result <= 719) || result == 721;
}

void standin_sleep_ms(int ms) {
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    if (ms > 0) (void)nanosleep(&time, NULL);
}

/* The CUresult of a planted value; `die` and `hang` do not return. */
static int result_of(const char *value) {
    while (strcmp(value, "hang") == 0) standin_sleep_ms(1000);
    if (strcmp(value, "die") == 0) (void)raise(SIGKILL);
    return atoi(value);
}

int standin_host_call(const char *name, int otherwise) {
    const char *value = standin_planted(name, NULL);
    return value ? result_of(value) : otherwise;
}

/* Returns the planted failure of a call without a context, or `otherwise`. */
static int planted(enum call call, int otherwise) {
    return standin_host_call(names[call], otherwise);
}

PRINTF(3, 0) static int answer_list(const char *name, int result, const char *format, va_list arguments) {
    const char *path = getenv("STANDIN_LOG");
    FILE *file = path && path[0] != '\0' ? fopen(path, "a") : NULL;
    if (!file) return result;
    fprintf(file, "%s ", name);
    vfprintf(file, format, arguments);
    fprintf(file, " -> %d\n", result);
    fclose(file);
    return result;
}

PRINTF(3, 4) static int answer(enum call call, int result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    result = answer_list(names[call], result, format, arguments);
    va_end(arguments);
    return result;
}

int standin_answer(const char *name, int result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    result = answer_list(name, result, format, arguments);
    va_end(arguments);
    return result;
}

/* The sticky error of the context, from an earlier kernel or a planted call. */
static int context_error;

static bool synchronises(const char *name) {
    return strcmp(name, "cuStreamQuery") == 0 || strncmp(name, "cuMemcpy", 8) == 0 || strncmp(name, "cuMem", 5) == 0;
}

int standin_call(const char *name, const standin_where *where, int otherwise) {
    const char *value = standin_planted(name, where);
    int planted_result = value ? result_of(value) : SUCCESS;
    if (!initialised) return NOT_INITIALIZED;
    if (!current) return INVALID_CONTEXT;
    int launched = standin_stream_error(synchronises(name));
    if (context_error == SUCCESS) context_error = launched;
    if (context_error == SUCCESS && standin_sticky(planted_result)) context_error = planted_result;
    if (context_error != SUCCESS) return context_error;
    return value ? planted_result : otherwise;
}

static int needs_init(int result) {
    return result == SUCCESS && !initialised ? NOT_INITIALIZED : result;
}

EXPORT int cuInit(unsigned flags);
EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuDeviceGet(int *device, int ordinal);
EXPORT int cuDeviceGetName(char *name, int size, int device);
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device);
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
EXPORT int cuDevicePrimaryCtxRelease_v2(int device);
EXPORT int cuCtxGetCurrent(void **context);
EXPORT int cuCtxSetCurrent(void *context);
EXPORT int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                                  const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides,
                                  int interleave, int swizzle, int l2_promotion, int oob_fill);
EXPORT int cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                                   const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                                   uint32_t pixels, const uint32_t *element_strides, int interleave, int swizzle,
                                   int l2_promotion, int oob_fill);
EXPORT int cuTensorMapEncodeIm2colWide(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                                       const uint64_t *strides, int lower, int upper, uint32_t channels,
                                       uint32_t pixels, const uint32_t *element_strides, int interleave, int mode,
                                       int swizzle, int l2_promotion, int oob_fill);
EXPORT int cuTensorMapReplaceAddress(void *map, void *address);
EXPORT int cuTensorMapSetAllocationClass(void *map, int allocation_class, int *out);
EXPORT int cuGetExportTable(const void **table, const void *id);

int cuInit(unsigned flags) {
    int result = planted(INIT, SUCCESS);
    standin_sleep_ms(standin_setting("STANDIN_INIT_MS", 0));
    if (result == SUCCESS) initialised = 1;
    return answer(INIT, result, "flags=%u", flags);
}

int cuDriverGetVersion(int *version) {
    int result = planted(VERSION, SUCCESS);
    if (result == SUCCESS) *version = standin_setting("STANDIN_VERSION", 13000);
    return answer(VERSION, result, "version=%d", *version);
}

int cuDeviceGet(int *device, int ordinal) {
    int result = planted(DEVICE_GET, needs_init(ordinal == 0 ? SUCCESS : INVALID_DEVICE));
    if (result == SUCCESS) *device = 0;
    return answer(DEVICE_GET, result, "ordinal=%d", ordinal);
}

int cuDeviceGetName(char *name, int size, int device) {
    int result = planted(DEVICE_NAME, needs_init(SUCCESS));
    if (result == SUCCESS) snprintf(name, (size_t)size, "Stand-in GPU");
    return answer(DEVICE_NAME, result, "device=%d", device);
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    bool has_large = attribute == LARGE_TENSOR_MIN && standin_setting("STANDIN_VERSION", 13000) >= 13050;
    bool known = attribute == 75 || attribute == 76 || attribute == SHARED_OPTIN || has_large;
    int result = planted(DEVICE_ATTRIBUTE, needs_init(known ? SUCCESS : INVALID_VALUE));
    int chip = standin_setting("STANDIN_CC", 90);
    if (result == SUCCESS) *value = attribute == 75 ? chip / 10 : chip % 10;
    if (result == SUCCESS && attribute == SHARED_OPTIN) *value = 232448;
    if (result == SUCCESS && has_large) *value = standin_setting("STANDIN_NO_CLASSES", 0) ? INT_MAX : 131072;
    return answer(DEVICE_ATTRIBUTE, result, "attribute=%d device=%d", attribute, device);
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
    int result = planted(RETAIN, needs_init(SUCCESS));
    standin_sleep_ms(standin_setting("STANDIN_CONTEXT_MS", 0));
    if (result == SUCCESS) *context = &primary_context;
    return answer(RETAIN, result, "device=%d", device);
}

int cuDevicePrimaryCtxRelease_v2(int device) {
    return answer(RELEASE, planted(RELEASE, needs_init(SUCCESS)), "device=%d", device);
}

int cuCtxGetCurrent(void **context) {
    int result = planted(CONTEXT_GET, needs_init(SUCCESS));
    if (result == SUCCESS) *context = current;
    return answer(CONTEXT_GET, result, "current=%s", current ? "primary" : "none");
}

int cuCtxSetCurrent(void *context) {
    int result = planted(CONTEXT_SET, needs_init(SUCCESS));
    if (result == SUCCESS) current = context;
    return answer(CONTEXT_SET, result, "context=%s", context == &primary_context ? "primary" : "none");
}

static int verdict(const standin_map *map, const void *output) {
    if (standin_setting("STANDIN_ACCEPT_ALL", 0)) return SUCCESS;
    if ((uintptr_t)output % 64 != 0) return INVALID_VALUE;
    return standin_valid(map, standin_setting("STANDIN_CC", 90)) ? SUCCESS : INVALID_VALUE;
}

static void flip(uint8_t bytes[128], int bit) {
    if (bit >= 0 && bit < 1024) bytes[bit / 8] = (uint8_t)(bytes[bit / 8] ^ 1u << (bit % 8));
}

static const char *list64(char text[128], const uint64_t *values, uint32_t n) {
    int used = snprintf(text, 128, "%s", !values ? "null" : "");
    for (uint32_t i = 0; values && i < n && i < 5; i++)
        used += snprintf(text + used, (size_t)(128 - used), "%s%llu", i ? "," : "", (unsigned long long)values[i]);
    return text;
}

static const char *list32(char text[128], const uint32_t *values, uint32_t n) {
    uint64_t wide[5] = {0};
    for (uint32_t i = 0; i < n && i < 5; i++) wide[i] = values[i];
    return list64(text, wide, n);
}

static int answer_tiled(int result, const void *output, const standin_map *map) {
    char dims[128], strides[128], box[128], element_strides[128];
    return answer(ENCODE_TILED, result,
                  "align=%u type=%d rank=%u address=0x%llx dims=%s strides=%s box=%s element_strides=%s interleave=%d "
                  "swizzle=%d l2_promotion=%d oob_fill=%d",
                  (unsigned)((uintptr_t)output % 128), map->type, map->rank, (unsigned long long)map->address,
                  list64(dims, map->dims, map->rank), list64(strides, map->strides, map->rank ? map->rank - 1 : 0),
                  list32(box, map->box, map->rank), list32(element_strides, map->element_strides, map->rank),
                  map->interleave, map->swizzle, map->l2_promotion, map->oob_fill);
}

static int encode_if_accepted(enum call call, const standin_map *map, void *output) {
    standin_map as = *map;
    standin_change change;
    as.driver = standin_setting("STANDIN_AS_DRIVER", 0);
    as.drops_high_strides = standin_setting("STANDIN_DROP_HIGH_STRIDES", 0);
    as.cuda = standin_setting("STANDIN_VERSION", 13000);
    as.relaxed = getenv("STANDIN_RELAX");
    standin_change_of(&as, &change);
    int says = change.refuses ? INVALID_VALUE : verdict(&change.judged, output);
    int result = standin_call(names[call], &(standin_where){.rank = (int)map->rank}, says);
    standin_auto_gap_B = standin_setting("STANDIN_AUTO_GAP", -1);
    if (result == SUCCESS) {
        standin_encode(&as, output);
        flip(output, standin_setting("STANDIN_FLIP_BIT", -1));
        flip(output, change.flips);
    }
    return result;
}

int cuTensorMapEncodeTiled(void *output, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides,
                           int interleave, int swizzle, int l2_promotion, int oob_fill) {
    standin_map map = {.type = type,
                       .rank = rank,
                       .address = (uintptr_t)address,
                       .dims = dims,
                       .strides = strides,
                       .box = box,
                       .element_strides = element_strides,
                       .interleave = interleave,
                       .swizzle = swizzle,
                       .l2_promotion = l2_promotion,
                       .oob_fill = oob_fill};
    int result = encode_if_accepted(ENCODE_TILED, &map, output);
    return answer_tiled(result, output, &map);
}

static int encode_column(enum call call, const standin_map *map, void *output) {
    int result = encode_if_accepted(call, map, output);
    return answer(call, result, "type=%d rank=%u channels=%u pixels=%u", map->type, map->rank, map->channels,
                  map->pixels);
}

int cuTensorMapEncodeIm2col(void *output, int type, uint32_t rank, void *address, const uint64_t *dims,
                            const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                            uint32_t pixels, const uint32_t *element_strides, int interleave, int swizzle,
                            int l2_promotion, int oob_fill) {
    standin_map map = {.type = type,
                       .rank = rank,
                       .address = (uintptr_t)address,
                       .dims = dims,
                       .strides = strides,
                       .element_strides = element_strides,
                       .interleave = interleave,
                       .swizzle = swizzle,
                       .l2_promotion = l2_promotion,
                       .oob_fill = oob_fill,
                       .lower = lower,
                       .upper = upper,
                       .channels = channels,
                       .pixels = pixels};
    return encode_column(ENCODE_IM2COL, &map, output);
}

int cuTensorMapEncodeIm2colWide(void *output, int type, uint32_t rank, void *address, const uint64_t *dims,
                                const uint64_t *strides, int lower, int upper, uint32_t channels, uint32_t pixels,
                                const uint32_t *element_strides, int interleave, int mode, int swizzle,
                                int l2_promotion, int oob_fill) {
    standin_map map = {.type = type,
                       .rank = rank,
                       .address = (uintptr_t)address,
                       .dims = dims,
                       .strides = strides,
                       .element_strides = element_strides,
                       .interleave = interleave,
                       .swizzle = swizzle,
                       .l2_promotion = l2_promotion,
                       .oob_fill = oob_fill,
                       .wide = mode + 1,
                       .lower = &lower,
                       .upper = &upper,
                       .channels = channels,
                       .pixels = pixels};
    return encode_column(ENCODE_IM2COL_WIDE, &map, output);
}

/* Returns whether a list "name,…" contains the name. */
static bool in_list(const char *list, const char *name) {
    size_t size = strlen(name);
    while (list && list[0] != '\0') {
        if (strncmp(list, name, size) == 0 && (list[size] == ',' || list[size] == '\0')) return true;
        const char *comma = strchr(list, ',');
        list = comma ? comma + 1 : NULL;
    }
    return false;
}

int cuTensorMapReplaceAddress(void *map, void *address) {
    bool suits = standin_setting("STANDIN_ACCEPT_ALL", 0) || standin_address_suits(map, (uintptr_t)address) ||
                 in_list(getenv("STANDIN_RELAX"), "replace-address-align");
    int result = standin_call(names[REPLACE_ADDRESS], NULL, suits ? SUCCESS : INVALID_VALUE);
    if (result == SUCCESS) standin_put(map, 0, 64, (uintptr_t)address);
    return answer(REPLACE_ADDRESS, result, "address=0x%llx", (unsigned long long)(uintptr_t)address);
}

/*
 * By the text of CUDA 13.5: *out is SMALL even if the arguments are refused; the call changes one bit, and none on
 * devices where the class has no effect.
 */
int cuTensorMapSetAllocationClass(void *map, int allocation_class, int *out) {
    bool known = allocation_class >= 0 && allocation_class <= 2;
    bool has_classes = !standin_setting("STANDIN_NO_CLASSES", 0);
    if (out) *out = 1;
    int result = standin_call(names[SET_CLASS], NULL, known ? SUCCESS : INVALID_VALUE);
    standin_auto_gap_B = standin_setting("STANDIN_AUTO_GAP", -1);
    if (result == SUCCESS && has_classes) {
        bool is_large = allocation_class == 2 || (allocation_class == 0 && standin_auto_is_large(map));
        standin_put(map, 85, 1, is_large);
        if (out) *out = is_large ? 2 : 1;
    }
    return answer(SET_CLASS, result, "class=%d out=%d", allocation_class, out ? *out : 0);
}

#ifndef STANDIN_ONLY_SYMBOLS

/* For STANDIN_GENEROUS: every function that the CUDA runtime looks up exists and succeeds without an effect. */
static int agree(void) {
    return SUCCESS;
}

/* The runtime's private tables: the size, then functions. */
int cuGetExportTable(const void **table, const void *id) {
    enum { ENTRIES = 512 };
    static void *entries[ENTRIES];
    int (*const nothing)(void) = agree;
    uintptr_t size = sizeof entries;
    (void)id;
    memcpy(&entries[0], &size, sizeof size);
    for (size_t i = 1; i < ENTRIES; i++) memcpy(&entries[i], &nothing, sizeof nothing);
    *table = entries;
    return SUCCESS;
}

/* Returns the function of that name in this library; like drivers, prefers its version 2. */
static void *own_symbol(const char *symbol) {
    int (*const here)(unsigned) = cuInit;
    char second[80];
    void *place, *library, *function;
    Dl_info info;
    memcpy(&place, &here, sizeof place);
    if (dladdr(place, &info) == 0 || (library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) == NULL) return NULL;
    snprintf(second, sizeof second, "%s_v2", symbol);
    function = dlsym(library, second);
    if (!function) function = dlsym(library, symbol);
    dlclose(library);
    return function;
}

static void *find_symbol_for(const char *symbol) {
    int (*const nothing)(void) = agree;
    void *function = symbol[0] != '\0' ? own_symbol(symbol) : NULL;
    if (!function) memcpy(&function, &nothing, sizeof function);
    return function;
}

/* Tensor maps exist from CUDA 12.0 on. */
static int get_proc(const char *symbol, void **function, int version) {
    int (*encode)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *, const uint32_t *,
                  int, int, int, int) = cuTensorMapEncodeTiled;
    int (*replace)(void *, void *) = cuTensorMapReplaceAddress;
    int (*pixels)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const int *, const int *, uint32_t,
                  uint32_t, const uint32_t *, int, int, int, int) = cuTensorMapEncodeIm2col;
    int (*wide)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, int, int, uint32_t, uint32_t,
                const uint32_t *, int, int, int, int, int) = cuTensorMapEncodeIm2colWide;
    int (*set_class)(void *, int, int *) = cuTensorMapSetAllocationClass;
    int result = planted(GET_PROC, SUCCESS);
    *function = NULL;
    if (strcmp(symbol, names[ENCODE_TILED]) == 0) memcpy(function, &encode, sizeof encode);
    if (strcmp(symbol, names[REPLACE_ADDRESS]) == 0) memcpy(function, &replace, sizeof replace);
    if (strcmp(symbol, names[ENCODE_IM2COL]) == 0) memcpy(function, &pixels, sizeof pixels);
    if (strcmp(symbol, names[ENCODE_IM2COL_WIDE]) == 0 && version >= 12080) memcpy(function, &wide, sizeof wide);
    if (strcmp(symbol, names[SET_CLASS]) == 0 && version >= 13050) memcpy(function, &set_class, sizeof set_class);
    if (version < 12000) *function = NULL;
    if (!*function && standin_setting("STANDIN_GENEROUS", 0)) *function = find_symbol_for(symbol);
    if (in_list(getenv("STANDIN_MISSING"), symbol)) *function = NULL;
    if (result == SUCCESS && !*function) result = NOT_FOUND;
    return answer(GET_PROC, result, "symbol=%s version=%d", symbol, version);
}

#ifdef STANDIN_ONLY_V1

EXPORT int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);

int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
    return flags == 0 ? get_proc(symbol, function, version) : INVALID_VALUE;
}

#else

EXPORT int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status);

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
    int result = flags <= 2 ? get_proc(symbol, function, version) : INVALID_VALUE; /* 1 and 2: default streams */
    if (status) *status = result != SUCCESS;
    return result;
}

#endif
#endif
