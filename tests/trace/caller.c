/*
 * A program that encodes tensor maps, to be traced. The words of its command line select how it finds the driver's
 * calls and what it does with them. It prints the results, so that runs with and without a trace can be compared.
 *   how: one word, a list of parts
 *     the library, whose path is in argv, is opened RTLD_GLOBAL, or:
 *       local     RTLD_LOCAL
 *       deep      RTLD_DEEPBIND
 *       space     by dlmopen in a new namespace
 *       base      by dlmopen in the program's namespace
 *       noload    twice, the second time with RTLD_NOLOAD
 *     a call is found
 *       linked    as a symbol of this program
 *       dlsym     by dlsym of the library
 *       next      by dlsym of RTLD_NEXT
 *       default   by dlsym of RTLD_DEFAULT
 *       version   by dlvsym of the library
 *       proc1     by cuGetProcAddress
 *       proc2     by cuGetProcAddress_v2
 *       self      by the function that cuGetProcAddress_v2 returns for its own name
 *       flags     with the flag for the per-thread default stream
 *   what: good | bad | misaligned | wild | im2col | threads | fork | exec | abort | replace | wide | many | absent |
 * cleared
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int encode_tiled(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                         const uint32_t *, int, int, int, int);
typedef int encode_im2col(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const int *, const int *,
                          uint32_t, uint32_t, const uint32_t *, int, int, int, int);
typedef int encode_wide(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, int, int, uint32_t, uint32_t,
                        const uint32_t *, int, int, int, int, int);
typedef int replace_address(void *, void *);

#ifdef CALLER_LINKED
extern encode_tiled cuTensorMapEncodeTiled;
extern encode_im2col cuTensorMapEncodeIm2col;
extern replace_address cuTensorMapReplaceAddress;
#endif

#ifdef CALLER_EXPORTS /* a symbol of the driver's name that is not the driver's, as stubs of libcuda have them */
int cuTensorMapEncodeTiled(void);
int cuTensorMapEncodeTiled(void) {
    return -7;
}
#endif

static const char *how;
static void *library;
static size_t past; /* bytes from a multiple of 128 to the maps of encode and encode_pixels */

static bool with(const char *part) {
    return strstr(how, part) != NULL;
}

static void *open_driver(const char *path) {
    if (with("space")) return dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
    if (with("base")) return dlmopen(LM_ID_BASE, path, RTLD_NOW);
    int scope = with("local") ? RTLD_LOCAL : with("deep") ? RTLD_LOCAL | RTLD_DEEPBIND : RTLD_GLOBAL;
    void *opened = dlopen(path, RTLD_NOW | scope);
    if (with("noload") && dlopen(NULL, RTLD_NOW | RTLD_DEEPBIND) == NULL) return NULL;
    return with("noload") ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : opened;
}

static void *by_dlsym(const char *symbol) {
    if (with("version")) return dlvsym(library, symbol, "ANY");
    return dlsym(with("next") ? RTLD_NEXT : with("default") ? RTLD_DEFAULT : library, symbol);
}

static void *by_proc(const char *symbol) {
    int (*v1)(const char *, void **, int, uint64_t);
    int (*v2)(const char *, void **, int, uint64_t, int *);
    uint64_t flags = with("flags") ? 2 : 0; /* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM */
    void *get = dlsym(library, with("proc1") ? "cuGetProcAddress" : "cuGetProcAddress_v2"), *found = NULL;
    int status = 0;
    memcpy(&v1, &get, sizeof v1);
    memcpy(&v2, &get, sizeof v2);
    if (with("self")) {
        v2("cuGetProcAddress", &get, 12000, 0, &status);
        memcpy(&v2, &get, sizeof v2);
    }
    if (!get) return NULL;
    if (with("proc1"))
        v1(symbol, &found, 12000, flags);
    else
        v2(symbol, &found, 12000, flags, &status);
    return found;
}

static void get(const char *symbol, void *function) {
    void *found = with("proc") || with("self") ? by_proc(symbol) : by_dlsym(symbol);
#ifdef CALLER_LINKED
    encode_tiled *tiled = cuTensorMapEncodeTiled;
    encode_im2col *im2col = cuTensorMapEncodeIm2col;
    replace_address *replace = cuTensorMapReplaceAddress;
    if (with("linked") && strcmp(symbol, "cuTensorMapEncodeTiled") == 0) memcpy(&found, &tiled, sizeof found);
    if (with("linked") && strcmp(symbol, "cuTensorMapEncodeIm2col") == 0) memcpy(&found, &im2col, sizeof found);
    if (with("linked") && strcmp(symbol, "cuTensorMapReplaceAddress") == 0) memcpy(&found, &replace, sizeof found);
#endif
    if (!found) {
        fprintf(stderr, "caller: no %s\n", symbol);
        exit(9);
    }
    memcpy(function, &found, sizeof found);
}

static void start_driver(void) {
    int (*init)(unsigned), (*retain)(void **, int), (*set)(void *);
    void *context = NULL, *found = dlsym(library, "cuInit");
    memcpy(&init, &found, sizeof init);
    found = dlsym(library, "cuDevicePrimaryCtxRetain");
    memcpy(&retain, &found, sizeof retain);
    found = dlsym(library, "cuCtxSetCurrent");
    memcpy(&set, &found, sizeof set);
    if (init(0) != 0 || retain(&context, 0) != 0 || set(context) != 0) exit(8);
}

/* A map of f16, 4096 x 8192, with the given box. One place calls the driver, however this is compiled. */
__attribute__((noinline)) static int encode(uint32_t box0, uint64_t address) {
    static const uint64_t dims[] = {4096, 8192}, strides[] = {8192};
    const uint32_t box[] = {box0, 128}, element_strides[] = {1, 1};
    _Alignas(128) unsigned char map[256] = {0};
    encode_tiled *call;
    get("cuTensorMapEncodeTiled", &call);
    errno = 77;
    int result = call(map + past, 6, 2, (void *)(uintptr_t)address, dims, strides, box, element_strides, 0, 3, 2, 0);
    if (errno != 77) printf("errno changed\n");
    return result;
}

static int encode_odd(int type, uint32_t rank, const uint64_t *dims) {
    static const uint64_t strides[4] = {8192, 8192, 8192, 8192};
    static const uint32_t ones[5] = {1, 1, 1, 1, 1};
    _Alignas(64) unsigned char map[128];
    encode_tiled *call;
    get("cuTensorMapEncodeTiled", &call);
    return call(map, type, rank, NULL, dims, strides, ones, ones, 0, 0, 0, 0);
}

static int encode_pixels(void) {
    static const uint64_t dims[] = {64, 14, 9, 64}, strides[] = {128, 1792, 16128};
    static const int lower[] = {-1, -1}, upper[] = {-1, -1};
    static const uint32_t ones[] = {1, 1, 1, 1};
    _Alignas(128) unsigned char map[256];
    encode_im2col *call;
    get("cuTensorMapEncodeIm2col", &call);
    return call(map + past, 9, 4, (void *)0x10000, dims, strides, lower, upper, 64, 128, ones, 0, 3, 0, 0);
}

static int encode_wide_pixels(int mode) {
    static const uint64_t dims[] = {64, 14, 9, 64}, strides[] = {128, 1792, 16128};
    static const uint32_t ones[] = {1, 1, 1, 1};
    _Alignas(64) unsigned char map[128];
    encode_wide *call;
    get("cuTensorMapEncodeIm2colWide", &call);
    return call(map, 9, 4, (void *)0x10000, dims, strides, -1, 1, 64, 128, ones, 0, mode, 3, 0, 0);
}

static int replace(void) {
    _Alignas(64) unsigned char map[128] = {0};
    replace_address *call;
    get("cuTensorMapReplaceAddress", &call);
    return call(map, (void *)0x20000);
}

/* Also for a map whose address is not aligned, and for a class that does not exist. */
static int set_class(int allocation_class, size_t offset) {
    _Alignas(128) unsigned char map[256] = {0};
    int (*call)(void *, int, int *);
    get("cuTensorMapSetAllocationClass", &call);
    return call(map + offset, allocation_class, NULL);
}

static void *encode_many(void *unused) {
    for (int i = 0; i < 100; i++) encode(64, 0x10000);
    return unused;
}

static void run_threads(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, encode_many, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

static int run_child(char **argv, const char *next) {
    pid_t pid = fork();
    int status = 0;
    if (pid == 0 && !next) _exit(encode(64, 0x30000));
    if (pid == 0) {
        argv[2] = (char *)(uintptr_t)next;
        execv("/proc/self/exe", argv);
        _exit(7);
    }
    waitpid(pid, &status, 0);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4) return 6;
    static const uint64_t dims[] = {16, 16, 16, 16, 16};
    const char *what = argv[2];
    how = argv[1];
    library = open_driver(argv[3]);
    if (!library) return 5;
    start_driver();
    if (strcmp(what, "good") == 0) printf("%d %d\n", encode(64, 0x10000), encode(64, 0x10000));
    if (strcmp(what, "bad") == 0) {
        printf("%d\n", encode(128, 0x10000));
        printf("%d\n", encode(64, 0x10008));
    }
    if (strcmp(what, "misaligned") == 0) {
        past = 16;
        printf("%d\n", encode(128, 0x10000));
        printf("%d\n", encode(64, 0x10000));
        printf("%d\n", encode_pixels());
    }
    if (strcmp(what, "wild") == 0) {
        printf("%d\n", encode_odd(99, 2, dims));
        printf("%d\n", encode_odd(6, 1000000, dims));
    }
    if (strcmp(what, "im2col") == 0) printf("%d\n", encode_pixels());
    if (strcmp(what, "wide") == 0) printf("%d %d\n", encode_wide_pixels(0), encode_wide_pixels(1));
    for (uint64_t i = 0; strcmp(what, "many") == 0 && i < 100; i++) encode(64, 8 + 16 * i);
    if (strcmp(what, "absent") == 0)
        printf("%d %s\n", by_dlsym("cuTensorMapEncodeTiled") == NULL, dlerror() ? "error" : "none");
    if (strcmp(what, "cleared") == 0 && clearenv() == 0) printf("%d\n", encode(64, 0x10000));
    if (strcmp(what, "replace") == 0) printf("%d\n", replace());
    if (strcmp(what, "class") == 0) printf("%d %d\n", set_class(1, 0), set_class(9, 0));
    if (strcmp(what, "threads") == 0) run_threads();
    if (strcmp(what, "fork") == 0) printf("%d\n", encode(64, 0x10000) + run_child(argv, NULL));
    if (strcmp(what, "exec") == 0) printf("%d\n", run_child(argv, "good"));
    fflush(stdout);
    if (strcmp(what, "abort") == 0) {
        encode(64, 0x10000);
        abort();
    }
    return argc > 4 ? atoi(argv[4]) : 0;
}
