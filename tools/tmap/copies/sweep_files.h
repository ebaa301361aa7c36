/* The input and output of a sweep of stores: a stream of tiles, and an image of global memory. */
#pragma once

#include "files/files.h"
#include "files/npy.h"
#include "tmap/unstable/sweep.h"

/* Consecutive tiles: a mapped file, or a pipe that is read on demand. */
typedef struct tile_stream {
    const char *path;
    file_bytes mapped;
    const uint8_t *tiles; /* of a file: the tiles from tile `first` on */
    uint64_t first, tile_B;
    int descriptor; /* of a pipe, else -1 */
} tile_stream;

/* A file must contain the tiles `first` to `end` - 1, or all tiles of the sweep. Returns an exit code. */
int tile_stream_open(tile_stream *stream, const char *path, const tmap_sweep *sweep, uint64_t first, uint64_t end);
/* Reads the next `n` tiles of a pipe. Returns false if it has fewer, with errno, or with 0 at the end of the pipe. */
bool tile_stream_read(tile_stream *stream, uint64_t n, uint8_t *tiles);
/* Whether a pipe has bytes after those that were read. */
bool tile_stream_has_more(tile_stream *stream);
void tile_stream_close(tile_stream *stream);

/* Global memory as a temporary file that is changed in place and renamed at the end. */
typedef struct stored_image {
    file_output out;
    file_bytes mapped;
    tmap_memory memory;
} stored_image;

/* Fills the image with `before`; the image is an array of the shape of `like` if the name ends in .npy. Returns an exit
 * code. */
int stored_image_begin(stored_image *image, const char *path, const tmap_memory *before, const npy_array *like);
/* keep = true renames the file; keep = false deletes it. Returns an exit code. */
int stored_image_end(stored_image *image, bool keep);
