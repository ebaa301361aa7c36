/*
 * base: what every other room is built on. Status codes, the allocator hook, and sinks for text.
 *
 * Words used everywhere: suffix _B is bytes, _el elements, _bits bits, _n a count, _log2 a binary logarithm.
 * Dimension 0 is the innermost (fastest) one, as in the CUDA driver API, where nothing else is said.
 *
 * Arguments. All functions of the stable tier, and nearly all others, keep these rules:
 *
 * - A pointer is not NULL unless the function's comment says that it may be. A function that returns tmap_status checks
 *   this before anything else: it returns TMAP_BAD_ARGUMENT, and nothing is written but the record of the refusal. Any
 *   other function has the attribute nonnull: the compiler warns of a NULL, and what the call does is undefined.
 *   In tmap/unstable/ functions that return tmap_status may have the attribute, too.
 * - Functions that free or close accept NULL. `judge`, `diags`, `allocator` and `refusal` may always be NULL: judge by
 *   default, do not report, the C library's memory, do not say why.
 * - The order of arguments is: what the function is about (also what a function ..._init makes), what it reads, what it
 *   writes, the list of findings or the record of a refusal.
 * - The rank of a tensor is uint64_t, as in tmap_map_params. Sizes of arrays and buffers are size_t. Numbers of
 *   rows, dimensions of a message and coordinates in a list are int; -1 stands for no dimension.
 * - Dimensions are innermost first. Only layouts, plans and pictures (in tmap/unstable/), and DLPack's tensors, are
 *   outermost first: their comments say so.
 *
 * What is promised. The headers in include/tmap/ are the stable tier; libtmap-core contains all of their functions.
 * All releases with one SONAME (0.MINOR) keep these properties of the stable tier:
 *
 * - Functions keep their names, parameters and meaning. Their symbols have version TMAP_0.2.
 * - The number of an enumerator never changes. The rows in include/tmap/hw/ and include/tmap/params/ state the
 *   numbers; a new row gets the next free one. No enumerator counts the others: a loop over rows ends where
 *   tmap_..._get returns NULL, and a switch needs a default.
 * - The size of a struct, and the place of each of its members, never change. A new member takes room from
 *   `reserved`, where 0 means that the member is not used. The caller initialises a struct to 0 before setting
 *   members; tmap_check_map, tmap_check_copy, and all functions that check by them, return TMAP_BAD_ARGUMENT where
 *   `reserved` is not 0.
 * - Rows (tmap_..._info) are an exception: the library alone makes them, and returns pointers to them. New members
 *   come at the end of a row. A program reads rows in place; it neither copies them nor does arithmetic with their
 *   addresses.
 * - The numbers of rules, toolkits, forms, reductions and aliases are places in this version's tables. A program
 *   finds them by name.
 *
 * The headers in include/tmap/unstable/ have no such promise: what they declare may change or go in any release, and
 * the symbols' version contains the release, so that the loader rejects another one.
 * Since 0.2.0: everything here that does not say otherwise.
 */
#ifndef TMAP_BASE_H
#define TMAP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of tmap: its only home. CMake, pkg-config and the packages read it from here. */
#define TMAP_VERSION_MAJOR 0
#define TMAP_VERSION_MINOR 2
#define TMAP_VERSION_PATCH 0
#define TMAP_VERSION       "0.2.0"
/* For #if: 1002003 is 1.2.3. */
#define TMAP_VERSION_NUMBER (TMAP_VERSION_MAJOR * 1000000 + TMAP_VERSION_MINOR * 1000 + TMAP_VERSION_PATCH)

#if defined(TMAP_STATIC)
#define TMAP_API
#else
#define TMAP_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define TMAP_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define TMAP_PRINTF(format_at, args_at)
#endif

/* The compiler warns where a pointer of these numbers (from 1) is NULL, and where a result is not used. */
#if defined(__GNUC__)
#define TMAP_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#define TMAP_MUST_USE     __attribute__((warn_unused_result))
#else
#define TMAP_NONNULL(...)
#define TMAP_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call answers. Everything but TMAP_OK leaves the outputs as they were unless the call says otherwise. */
typedef enum tmap_status {
    TMAP_OK = 0,
    TMAP_REFUSED = 1,      /* the content breaks a rule; the diagnostics say which */
    TMAP_BAD_ARGUMENT = 2, /* the call itself is wrong: a null pointer, a buffer too small, a name unknown */
    TMAP_NO_MEMORY = 3,
    TMAP_IO = 4,          /* a sink or a file did not take or give what it should */
    TMAP_UNAVAILABLE = 5, /* not here: no driver, no device, not built in */
    TMAP_INTERNAL = 6,    /* a defect of tmap */
} tmap_status;

/* "ok", "refused", …; never NULL. */
TMAP_API const char *tmap_status_name(tmap_status status);

/* The library's version, "1.2.3": the one it was compiled as, to hold against TMAP_VERSION. */
TMAP_API const char *tmap_version(void);

/*
 * Memory. `resize` is realloc and free in one: block NULL allocates, new_size 0 frees and answers NULL, NULL for a
 * non-zero new_size means that there is none (the old block then stays). A NULL tmap_allocator is the C library's.
 */
typedef struct tmap_allocator {
    void *(*resize)(void *context, void *block, size_t old_size, size_t new_size);
    void *context;
} tmap_allocator;

/*
 * Where text goes. `write` answers false when it could not take all of it; the sink then stays `failed` and later
 * writes do nothing, so a caller prints as it likes and looks once at the end.
 */
typedef struct tmap_sink {
    bool (*write)(void *context, const char *text, size_t size);
    void *context;
    bool failed;
} tmap_sink;

/* `text` may be NULL where `size` is 0. */
TMAP_API void tmap_write(tmap_sink *sink, const char *text, size_t size) TMAP_NONNULL(1);
TMAP_API void tmap_puts(tmap_sink *sink, const char *text) TMAP_NONNULL(1, 2);

/* A growing, always terminated text. Zero-initialise with an allocator (or NULL); free with tmap_text_free. */
typedef struct tmap_text {
    char *data; /* NULL while empty */
    size_t size, capacity;
    const tmap_allocator *allocator;
} tmap_text;

/* A sink that appends to `text`, which must outlive it. */
TMAP_API tmap_sink tmap_text_sink(tmap_text *text) TMAP_NONNULL(1);
TMAP_API void tmap_text_free(tmap_text *text);

#ifdef __cplusplus
}
#endif

#endif
