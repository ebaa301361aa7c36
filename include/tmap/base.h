/*
 * base: the types that every other header uses: status codes, the allocator hook, and sinks for text.
 *
 * Suffixes of names: _B is bytes, _el elements, _bits bits, _n a count, _log2 a binary logarithm. Dimension 0 is the
 * innermost (fastest) dimension, as in the CUDA driver API, unless a comment states otherwise.
 *
 * Arguments. All functions of the stable tier, and nearly all others, follow these rules:
 *
 * - A pointer must not be NULL unless the function's comment allows NULL. A function that returns tmap_status checks
 *   its pointers before anything else: for a NULL it returns TMAP_BAD_ARGUMENT and writes only the record of the
 *   refusal. Every other function has the attribute nonnull: the compiler warns of a NULL, and the call's behaviour is
 *   undefined. In tmap/unstable/ functions that return tmap_status may have the attribute, too.
 * - Functions that free or close accept NULL. `judge`, `diags`, `allocator`, `refusal` and `error` may always be NULL.
 *   NULL means: the default judge, findings are not reported, the C library's allocator, the reason is not reported.
 * - In tmap/unstable/ an array of 0 entries may be NULL. There, unless the comment states a result, the behaviour is
 *   undefined for a NULL array with entries, for an index that is not less than the count of its list, and for a number
 *   that is not an enumerator of the parameter's type.
 * - The order of arguments is: the object (for ..._init, the object to initialize), inputs, outputs, then the list of
 *   findings or the record of a refusal.
 * - The rank of a tensor is uint64_t, as in tmap_map_params. Sizes of arrays and buffers are size_t. Row numbers,
 *   dimensions in a message and coordinates in a list are int; -1 means no dimension.
 * - Dimensions are innermost first. Exceptions are layouts, plans and pictures (in tmap/unstable/) and DLPack's
 *   tensors: they are outermost first, and their comments state this.
 *
 * Promises. The headers in include/tmap/ are the stable tier; libtmap-core contains all of their functions. All
 * releases with one SONAME (0.MINOR) keep these properties of the stable tier:
 *
 * - Functions keep their names, parameters and meaning. Their symbols have version TMAP_0.3.
 * - The number of an enumerator never changes. The rows in include/tmap/hw/ and include/tmap/params/ state the numbers;
 *   a new row gets the next free number. No enumerator counts the others: a loop over rows ends where tmap_..._get
 *   returns NULL, and a switch needs a default.
 * - The size of a struct and the offset of each member never change. A new member uses space of `reserved`, and its
 *   value 0 means that the member is not used. The caller initializes a struct to 0 before setting members.
 *   tmap_check_map, tmap_check_copy, and all functions that call them, return TMAP_BAD_ARGUMENT if `reserved` is not 0.
 * - Rows (tmap_..._info) are an exception: only the library creates rows, and it returns pointers to them. New members
 *   are added at the end of a row. A program reads rows in place; it neither copies rows nor does arithmetic with their
 *   addresses.
 * - The numbers of rules, toolkits, forms, reductions and aliases are indices into this version's tables. A program
 *   finds these rows by name.
 *
 * The headers in include/tmap/unstable/ make no such promise: their declarations may change or disappear in any
 * release. The version of their symbols contains the release, so that the loader rejects another release.
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_BASE_H
#define TMAP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of tmap. No other file states it: CMake, pkg-config and the packages read these lines. */
#define TMAP_VERSION_MAJOR 0
#define TMAP_VERSION_MINOR 3
#define TMAP_VERSION_PATCH 0
#define TMAP_VERSION       "0.3.0"
/* The version as one number for #if: 1002003 is 1.2.3. */
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

/* The compiler warns if a listed pointer argument (numbered from 1) is NULL, and if a result is not used. */
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

/* The result of a call. A status other than TMAP_OK leaves the outputs unchanged unless the call's comment states
 * otherwise. */
typedef enum tmap_status {
    TMAP_OK = 0,
    TMAP_REFUSED = 1,      /* the content breaks a rule; a finding names the rule */
    TMAP_BAD_ARGUMENT = 2, /* the call is wrong: a null pointer, a buffer that is too small, an unknown name */
    TMAP_NO_MEMORY = 3,
    TMAP_IO = 4,          /* reading or writing a file or a sink failed */
    TMAP_UNAVAILABLE = 5, /* no driver, no device, or a part that is not built in */
    TMAP_INTERNAL = 6,    /* a defect of tmap */
} tmap_status;

/* The name of a status: "ok", "refused", …; never NULL. */
TMAP_API const char *tmap_status_name(tmap_status status);

/* The version of the library at run time, "1.2.3", for a comparison with TMAP_VERSION of the headers. */
TMAP_API const char *tmap_version(void);

/*
 * Memory. `resize` allocates if `block` is NULL, reallocates otherwise, and frees if `new_size` is 0 (then it returns
 * NULL). `old_size` is the present size of `block` in bytes. If there is no memory, `resize` returns NULL and the old
 * block stays valid. Blocks are aligned as malloc aligns them. A NULL tmap_allocator is the C library's allocator.
 */
typedef struct tmap_allocator {
    void *(*resize)(void *context, void *block, size_t old_size, size_t new_size);
    void *context;
} tmap_allocator;

/*
 * A destination of text. `write` returns false if it could not write all `size` bytes. Then `failed` becomes true and
 * later writes do nothing, so that a caller may write without checks and test `failed` once at the end.
 */
typedef struct tmap_sink {
    bool (*write)(void *context, const char *text, size_t size);
    void *context;
    bool failed;
} tmap_sink;

/* Write `size` bytes, or a terminated text, to a sink. `text` may be NULL if `size` is 0. */
TMAP_API void tmap_write(tmap_sink *sink, const char *text, size_t size) TMAP_NONNULL(1);
TMAP_API void tmap_puts(tmap_sink *sink, const char *text) TMAP_NONNULL(1, 2);

/*
 * A growing text with a terminating zero. Initialize all members to 0 and set `allocator` (or leave it NULL); free the
 * text with tmap_text_free.
 */
typedef struct tmap_text {
    char *data; /* NULL while empty */
    size_t size, capacity;
    const tmap_allocator *allocator;
} tmap_text;

/* Returns a sink that appends to `text`. `text` must outlive the sink. */
TMAP_API tmap_sink tmap_text_sink(tmap_text *text) TMAP_NONNULL(1);
TMAP_API void tmap_text_free(tmap_text *text);

#ifdef __cplusplus
}
#endif

#endif
