/* Streams of tiles, and images of global memory for stored tiles. */
#define _GNU_SOURCE
#include "copies/sweep_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/command.h"
#include "output/messages.h"
#include "output/signals.h"

#define PIECE_B   ((size_t)64 << 10) /* small enough that zero bytes stay a hole of the file */
#define RELEASE_B ((uint64_t)64 << 20)

/* ---- Streams ---------------------------------------------------------------------------------------------------- */

/* Finds the start of the tiles in a mapped file. The file must hold one tile for each tile of the range or of the
 * sweep. */
static int find_tiles(tile_stream *stream, const tmap_sweep *sweep, uint64_t first, uint64_t end) {
    const uint8_t *tiles = stream->mapped.data;
    uint64_t size = stream->mapped.size, n = end - first, all_n = sweep->grid.tiles_n;
    if (path_ends(stream->path, ".npy")) {
        npy_array array;
        const char *wrong = npy_parse(stream->mapped.data, stream->mapped.size, &array);
        if (!wrong && array.fortran_order && array.rank > 1)
            wrong = "the array is in Fortran order; tiles require C order";
        if (wrong) return complain(EXIT_FILE, "cannot read %s: %s", stream->path, wrong);
        tiles += array.header_B;
        size = array.data_B;
    }
    bool whole = all_n <= UINT64_MAX / stream->tile_B && size == all_n * stream->tile_B;
    stream->tiles = tiles;
    stream->first = whole ? 0 : first;
    if (whole || (size % stream->tile_B == 0 && size / stream->tile_B == n)) return EXIT_CLEAN;
    return complain(EXIT_FINDINGS,
                    "%s has %" PRIu64 " B, neither the tiles of the range, %" PRIu64 " x %" PRIu64
                    " B, nor all tiles, %" PRIu64 " x %" PRIu64 " B",
                    path_shown(stream->path), size, n, stream->tile_B, all_n, stream->tile_B);
}

int tile_stream_open(tile_stream *stream, const char *path, const tmap_sweep *sweep, uint64_t first, uint64_t end) {
    *stream = (tile_stream){.path = path, .tile_B = sweep->copy.footprint_B, .descriptor = -1};
    struct stat about;
    int descriptor = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY);
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        int error = errno;
        if (descriptor >= 0) close(descriptor);
        return complain(EXIT_FILE, "cannot read %s: %s", path_shown(path), strerror(error));
    }
    if (!S_ISREG(about.st_mode)) {
        stream->descriptor = descriptor;
        return EXIT_CLEAN;
    }
    close(descriptor);
    int code = file_map(path, &stream->mapped);
    return code == EXIT_CLEAN ? find_tiles(stream, sweep, first, end) : code;
}

bool tile_stream_read(tile_stream *stream, uint64_t n, uint8_t *tiles) {
    for (uint64_t left = n * stream->tile_B; left > 0;) {
        ssize_t got = read(stream->descriptor, tiles, (size_t)left);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = 0;
        if (got <= 0) return false;
        tiles += got;
        left -= (uint64_t)got;
    }
    return true;
}

bool tile_stream_has_more(tile_stream *stream) {
    uint8_t byte;
    return stream->descriptor >= 0 && read(stream->descriptor, &byte, 1) == 1;
}

void tile_stream_close(tile_stream *stream) {
    if (stream->descriptor >= 0) close(stream->descriptor);
    file_unmap(&stream->mapped);
    stream->descriptor = -1;
}

/* ---- Images ----------------------------------------------------------------------------------------------------- */

static bool all_zero(const uint8_t *bytes, size_t size) {
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

static void read_before(const tmap_memory *before, uint64_t offset_B, uint8_t *to, size_t size) {
    if (before->bytes)
        memcpy(to, before->bytes + offset_B, size);
    else
        before->read(before->context, offset_B, to, size);
}

static void put_before(const stored_image *image, const tmap_memory *before) {
    uint8_t piece[PIECE_B];
    for (uint64_t done = 0, n; done < before->size_B && !was_interrupted(); done += n) {
        n = before->size_B - done < PIECE_B ? before->size_B - done : PIECE_B;
        read_before(before, done, piece, (size_t)n);
        if (!all_zero(piece, (size_t)n)) memcpy(image->memory.bytes + done, piece, (size_t)n);
        if (done % RELEASE_B == 0) file_map_release(&image->mapped);
    }
}

int stored_image_begin(stored_image *image, const char *path, const tmap_memory *before, const npy_array *like) {
    uint8_t header[NPY_HEADER_MAX];
    size_t header_B = 0;
    if (path_ends(path, ".npy")) {
        npy_array bytes = npy_of_bytes((size_t)before->size_B);
        header_B = npy_write_header(like ? like : &bytes, header);
    }
    *image = (stored_image){.out.descriptor = -1};
    int code = file_output_begin(&image->out, path);
    if (code != EXIT_CLEAN) return code;
    code = file_output_map(&image->out, header_B + before->size_B, &image->mapped);
    if (code != EXIT_CLEAN) return code;
    if (header_B > 0) memcpy(image->mapped.data, header, header_B);
    image->memory = (tmap_memory){.size_B = before->size_B, .bytes = image->mapped.data + header_B};
    put_before(image, before);
    return EXIT_CLEAN;
}

int stored_image_end(stored_image *image, bool keep) {
    int code = EXIT_CLEAN;
    if (keep && !file_output_anywhere(&image->out) &&
        !file_output_write(&image->out, 0, image->mapped.data, image->mapped.size))
        code = complain(EXIT_FILE, "cannot write %s: %s", image->out.path, strerror(errno));
    file_unmap(&image->mapped);
    if (image->out.descriptor < 0) return code;
    return worse_of(code, file_output_end(&image->out, keep && code == EXIT_CLEAN));
}
