/*
 * base: what every other room stands on. Status codes, the allocator hook, sinks for text, and SHA-256.
 *
 * Words used everywhere: suffix _B is bytes, _el elements, _bits bits, _n a count, _log2 a binary logarithm.
 * Dimension 0 is the innermost (fastest) one, as in the CUDA driver API.
 */
#ifndef TMAP_BASE_H
#define TMAP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tmap/version.h"

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

#ifdef __cplusplus
extern "C" {
#endif

/* What a call answers. Everything but TMAP_OK leaves the outputs as they were unless the call says otherwise. */
typedef enum tmap_status {
    TMAP_OK = 0,
    TMAP_REFUSED,      /* the content breaks a rule; the diagnostics say which */
    TMAP_BAD_ARGUMENT, /* the call itself is wrong: a null pointer, a buffer too small, a name unknown */
    TMAP_NO_MEMORY,
    TMAP_IO,          /* a sink or a file did not take or give what it should */
    TMAP_UNAVAILABLE, /* not here: no driver, no device, not built in */
    TMAP_INTERNAL,    /* a defect of tmap */
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

TMAP_API void tmap_write(tmap_sink *sink, const char *text, size_t size);
TMAP_API void tmap_puts(tmap_sink *sink, const char *text);
TMAP_API void tmap_printf(tmap_sink *sink, const char *format, ...) TMAP_PRINTF(2, 3);

/* A growing, always terminated text. Zero-initialise with an allocator (or NULL); free with tmap_text_free. */
typedef struct tmap_text {
    char *data; /* NULL while empty */
    size_t size, capacity;
    const tmap_allocator *allocator;
} tmap_text;

/* A sink that appends to `text`, which must outlive it. */
TMAP_API tmap_sink tmap_text_sink(tmap_text *text);
TMAP_API void tmap_text_free(tmap_text *text);

/*
 * The one of `count` candidates that `word` begins, or else the nearest by edit distance (at most a third of the
 * letters wrong), or else the longest that stands in it; NULL when there is none. For "did you mean".
 */
TMAP_API const char *tmap_nearest(const char *word, const char *const *candidates, size_t count);

/* The whole of text[0..size) as a number of a spec without a sign: 64, 1_024, 0x400, 4Ki, 2^20. False, and nothing
 * written, when it is none or does not fit in 64 bits. */
TMAP_API bool tmap_parse_number(const char *text, size_t size, uint64_t *value);

/* SHA-256 of FIPS 180-4, as streamed bytes. */
typedef struct tmap_sha256 {
    uint32_t state[8];
    uint64_t size_B;
    uint8_t block[64];
} tmap_sha256;

TMAP_API void tmap_sha256_begin(tmap_sha256 *hash);
TMAP_API void tmap_sha256_add(tmap_sha256 *hash, const void *bytes, size_t size);
/* Writes 64 hexadecimal digits and a terminator. */
TMAP_API void tmap_sha256_end(tmap_sha256 *hash, char hex[65]);

/* splitmix64's output for state `x` (Steele, Lea, Flood 2014; Vigna's constants): the mixing function of all seeds. */
TMAP_API uint64_t tmap_splitmix64(uint64_t x);

#ifdef __cplusplus
}
#endif

#endif
