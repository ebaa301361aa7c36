/* Reads and writes whole files. "-" is stdin or stdout. Errors are reported on stderr with the path and the reason. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tmap/base.h"

typedef struct file_bytes {
    uint8_t *data; /* NULL when empty; free with file_free */
    size_t size;
} file_bytes;

#define SPEC_SIZE_MAX ((size_t)256 << 20)
#define DATA_SIZE_MAX ((size_t)16 << 30)

/* Reads a whole file of at most `limit` bytes. Returns an exit code. */
int file_read(const char *path, size_t limit, file_bytes *bytes);
/* Reads at most the first `most` bytes of a file; the file may be longer. Returns an exit code. */
int file_read_start(const char *path, size_t most, file_bytes *bytes);
void file_free(file_bytes *bytes);
/* Whether a line of the file begins with `text`. */
bool file_has_line(const file_bytes *bytes, const char *text);
#define SPEC_LINE "tmap:" /* the key that every spec has */

typedef enum file_kind { FILE_TEXT, FILE_RAW } file_kind;

/*
 * Writes a whole file, or keeps the old file on error: writes a temporary file in the same folder, then renames it.
 * Refuses to write raw bytes to a terminal. Returns an exit code.
 */
int file_write(const char *path, file_kind kind, const void *data, size_t size);

/* Writes the page that opens with `query`. Returns an exit code. */
int file_write_page(const char *path, const char *query);
/* As file_write, for the text of a sink. Frees the text. If the text is incomplete, reports the sink's failed
 * allocation. */
int file_write_text(const char *path, tmap_text *text, const tmap_sink *sink);

/*
 * As file_write, in pieces. For a file, threads may write pieces in any order. For a device or a pipe, pieces are
 * written one after the other, and their offsets are ignored. Call file_output_end exactly once. keep = true renames
 * the temporary file to its final name; keep = false deletes it.
 */
typedef struct file_output {
    const char *path;
    char *target, *temporary; /* temporary NULL: written directly */
    int descriptor;
    unsigned mode;
} file_output;

/* Returns an exit code. If the code is not 0, the output is already ended. */
int file_output_begin(file_output *out, const char *path);
/* Whether a file can be written there, as a check before long work. Leaves no file. Returns an exit code. */
int file_output_try(const char *path);
bool file_output_anywhere(const file_output *out); /* whether pieces may be written in any order */
bool file_output_write(const file_output *out, uint64_t offset_B, const void *data, size_t size); /* false: see errno */
/*
 * Maps all `size` bytes of the output, zero at first. If pieces may be written in any order, the mapping is the output;
 * otherwise it is a file without a name, which file_output_end copies to the output. Unmap before file_output_end.
 */
int file_output_map(const file_output *out, uint64_t size, file_bytes *bytes); /* an exit code */
int file_output_end(file_output *out, bool keep);                              /* an exit code */

/* Maps a regular file for reading. file_map_release frees the memory of pages that were read. */
int file_map(const char *path, file_bytes *bytes);
/* As file_map, with private pages that can be written. Only written pages use memory. */
int file_map_private(const char *path, file_bytes *bytes);
/* Whether a path is a regular file, which can be mapped. */
bool file_is_regular(const char *path);
void file_map_release(const file_bytes *bytes);
void file_unmap(file_bytes *bytes);

/* Whether `path` ends with `suffix`. */
bool path_ends(const char *path, const char *suffix);

/* The path in messages: "<stdin>" for "-". */
const char *path_shown(const char *path);
