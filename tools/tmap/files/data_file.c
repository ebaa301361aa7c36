/* Memory images in and out, as raw bytes or as .npy. */
#include "files/data_file.h"

#include <stdlib.h>
#include <string.h>

#include "output/exit_code.h"
#include "output/messages.h"

static int take_array(const char *path, const file_bytes *file, data_blob *blob) {
    const char *wrong = npy_parse(file->data, file->size, &blob->array);
    if (wrong) return complain(EXIT_FILE, "cannot read %s: %s", path, wrong);
    blob->size = blob->array.data_B;
    blob->bytes = malloc(blob->size + 1);
    if (!blob->bytes) return complain_status(TMAP_NO_MEMORY, path);
    npy_to_c_order(&blob->array, file->data + blob->array.header_B, blob->bytes);
    blob->array.fortran_order = false;
    blob->is_array = true;
    return EXIT_CLEAN;
}

int blob_read(const char *path, data_blob *blob) {
    *blob = (struct data_blob){0};
    file_bytes file;
    int code = file_read(path, DATA_SIZE_MAX, &file);
    if (code != EXIT_CLEAN) return code;
    if (!path_ends(path, ".npy")) {
        blob->bytes = file.data;
        blob->size = file.size;
        return EXIT_CLEAN;
    }
    code = take_array(path, &file, blob);
    file_free(&file);
    return code;
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

int blob_write(const char *path, const uint8_t *bytes, size_t size, const data_blob *like) {
    if (!path_ends(path, ".npy")) return file_write(path, FILE_RAW, bytes, size);
    npy_array array = like && like->is_array && like->size == size ? like->array : npy_of_bytes(size);
    return write_array(path, bytes, size, &array);
}

void blob_free(data_blob *blob) {
    free(blob->bytes);
    *blob = (struct data_blob){0};
}
