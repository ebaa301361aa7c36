/* Whole files in and out. "-" is stdin or stdout. What goes wrong is said on stderr with the path and the reason. */
#ifndef TMAP_TOOL_FILES_H
#define TMAP_TOOL_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Whether `path` ends in `suffix`. */
bool path_ends(const char *path, const char *suffix);

/* How messages call it: "-" is "<stdin>". */
const char *path_shown(const char *path);

#endif
