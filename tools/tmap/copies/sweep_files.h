/* What a sweep of stores takes and leaves: a stream of tiles, and an image of global memory. */
#pragma once

#include "files/files.h"
#include "files/npy.h"
#include "tmap/unstable/sweep.h"

/* Tiles one behind the other: a file, which is mapped, or a pipe, which is read as they are wanted. */
typedef struct tile_stream {
    const char *path;
    file_bytes mapped;
    const uint8_t *tiles; /* of a file: those from tile `first` on */
    uint64_t first, tile_B;
    int descriptor; /* of a pipe, else -1 */
} tile_stream;

/* Of a file that has the tiles `first` to `end` - 1, or all of the sweep. Answers an exit code. */
int tile_stream_open(tile_stream *stream, const char *path, const tmap_sweep *sweep, uint64_t first, uint64_t end);
/* The next `n` tiles of a pipe; false, with errno or with 0 where it ended, when it has no more. */
bool tile_stream_read(tile_stream *stream, uint64_t n, uint8_t *tiles);
/* Whether a pipe has more than was read. */
bool tile_stream_has_more(tile_stream *stream);
void tile_stream_close(tile_stream *stream);

/* Global memory as a file that is changed where it lies, beside the name that it takes at the end. */
typedef struct stored_image {
    file_output out;
    file_bytes mapped;
    tmap_memory memory;
} stored_image;

/* Begins with what is `before`: as an array of the shape of `like` where the name ends in .npy. An exit code. */
int stored_image_begin(stored_image *image, const char *path, const tmap_memory *before, const npy_array *like);
/* Without `keep` nothing is left. Answers an exit code. */
int stored_image_end(stored_image *image, bool keep);
