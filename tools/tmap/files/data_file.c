/* Reads and writes memory images, as raw bytes or as .npy. */
#include "files/data_file.h"

#include <stdlib.h>
#include <string.h>

#include "output/exit_code.h"
#include "output/messages.h"

/* Finds the bytes of the array in the mapped or read file, which the blob owns as file->data. */
static int take_array(const char *path, const file_bytes *file, data_blob *blob) {
    const char *wrong = npy_parse(file->data, file->size, &blob->array);
    if (wrong) return complain(EXIT_FILE, "cannot read %s: %s", path_shown(path), wrong);
    blob->size = blob->array.data_B;
    blob->is_array = true;
    uint8_t *data = file->data + blob->array.header_B;
    if (blob->mapped.data && !npy_is_c_order(&blob->array)) blob->fortran = data;
    if (blob->fortran) return EXIT_CLEAN;
    blob->bytes = blob->mapped.data ? data : malloc(blob->size + 1);
    if (!blob->bytes) return complain_status(TMAP_NO_MEMORY, path);
    if (!blob->mapped.data) npy_read_c_order(&blob->array, data, 0, blob->bytes, blob->size);
    return EXIT_CLEAN;
}

void blob_copy(const data_blob *blob, size_t offset_B, void *to, size_t size) {
    if (blob->fortran)
        npy_read_c_order(&blob->array, blob->fortran, offset_B, to, size);
    else if (size > 0)
        memcpy(to, blob->bytes + offset_B, size);
}

static int read_file(const char *path, bool mapped, uint64_t needed, file_bytes *file) {
    if (mapped) return file_map_private(path, file);
    if (needed == BLOB_WHOLE || path_ends(path, ".npy")) return file_read(path, DATA_SIZE_MAX, file);
    if (needed <= DATA_SIZE_MAX) return file_read_start(path, (size_t)needed, file);
    return complain(EXIT_FILE,
                    "cannot read %s: the copy needs %llu bytes, and tmap reads at most %zu from a pipe or a device",
                    path_shown(path), (unsigned long long)needed, DATA_SIZE_MAX);
}

int blob_read(const char *path, uint64_t needed, data_blob *blob) {
    *blob = (struct data_blob){0};
    file_bytes file = {0};
    bool mapped = file_is_regular(path);
    int code = read_file(path, mapped, needed, &file);
    if (code != EXIT_CLEAN) return code;
    if (mapped) blob->mapped = file;
    if (path_ends(path, ".npy")) {
        code = take_array(path, &file, blob);
        if (!mapped) file_free(&file);
        return code;
    }
    blob->bytes = file.data;
    blob->size = file.size;
    return EXIT_CLEAN;
}

static int write_array(const char *path, const uint8_t *bytes, size_t size, const npy_array *array) {
    uint8_t *file = malloc(NPY_HEADER_MAX + size);
    if (!file) return complain_status(TMAP_NO_MEMORY, path);
    size_t header_B = npy_write_header(array, file);
    if (size > 0) memcpy(file + header_B, bytes, size);
    int code = file_write(path, FILE_RAW, file, header_B + size);
    free(file);
    return code;
}

int blob_write(const char *path, const uint8_t *bytes, size_t size, const npy_array *like) {
    if (!path_ends(path, ".npy")) return file_write(path, FILE_RAW, bytes, size);
    npy_array array = like && like->data_B == size ? *like : npy_of_bytes(size);
    return write_array(path, bytes, size, &array);
}

void blob_free(data_blob *blob) {
    const uint8_t *begin = blob->mapped.data;
    bool in_place = begin && blob->bytes >= begin && blob->bytes <= begin + blob->mapped.size;
    if (!in_place) free(blob->bytes);
    file_unmap(&blob->mapped);
    *blob = (struct data_blob){0};
}
