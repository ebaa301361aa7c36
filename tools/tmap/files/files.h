/* Whole files in and out. "-" is stdin or stdout. What goes wrong is said on stderr with the path and the reason. */
#ifndef TMAP_TOOL_FILES_H
#define TMAP_TOOL_FILES_H

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

/* Reads all of a file of at most `limit` bytes; answers an exit code. */
int file_read(const char *path, size_t limit, file_bytes *bytes);
void file_free(file_bytes *bytes);

typedef enum file_kind { FILE_TEXT, FILE_RAW } file_kind;

/*
 * Writes all of a file, or leaves it as it was: to a temporary file beside it, which then takes its name. Raw bytes are
 * refused on a terminal. Answers an exit code.
 */
int file_write(const char *path, file_kind kind, const void *data, size_t size);

/* Writes the page that opens with `query`. Answers an exit code. */
int file_write_page(const char *path, const char *query);
/* The same of a text that a sink made, which it frees. No memory for the text is the sink's failure. */
int file_write_text(const char *path, tmap_text *text, const tmap_sink *sink);

/*
 * The same in pieces, in any order and by any thread where the output is a file. `end` with `keep` gives it its name,
 * without it nothing is left; it is called in any case, once. Where the output is a device or a pipe the pieces come
 * one behind the other, whatever their offsets.
 */
typedef struct file_output {
    const char *path;
    char *target, *temporary; /* temporary NULL: written in place */
    int descriptor;
    unsigned mode;
} file_output;

int file_output_begin(file_output *out, const char *path); /* answers an exit code, and has ended when it is not 0 */
/* Whether a file could be written there, said before long work for it: an exit code, nothing is left. */
int file_output_try(const char *path);
bool file_output_anywhere(const file_output *out); /* pieces may come in any order */
bool file_output_write(const file_output *out, uint64_t offset_B, const void *data, size_t size); /* false: see errno */
/* All `size` bytes of the output, zero at first, to be written where they lie, where pieces may come in any order; else
 * those of a file without a name, from which they are written at the end. Unmapped before file_output_end. */
int file_output_map(const file_output *out, uint64_t size, file_bytes *bytes); /* an exit code */
int file_output_end(file_output *out, bool keep);                              /* an exit code */

/* Maps a regular file to be read. `release` gives the pages that were read back to the kernel. */
int file_map(const char *path, file_bytes *bytes);
/* The same with pages that may be written, for this process alone: memory is used for what is written, not for more. */
int file_map_private(const char *path, file_bytes *bytes);
/* Whether a path names a regular file, which can be mapped. */
bool file_is_regular(const char *path);
void file_map_release(const file_bytes *bytes);
void file_unmap(file_bytes *bytes);

/* Whether `path` ends in `suffix`. */
bool path_ends(const char *path, const char *suffix);

/* How messages call it: "-" is "<stdin>". */
const char *path_shown(const char *path);

#endif
