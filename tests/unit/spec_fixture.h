/* Shared by the tests of the spec room: reading a text, reading a file, and memory that runs out. */
#ifndef TMAP_SPEC_FIXTURE_H
#define TMAP_SPEC_FIXTURE_H

#include "cmocka_all.h"

#include <stdlib.h>
#include <tmap/unstable/spec.h>

typedef struct reading {
    tmap_diags diags;
    tmap_spec *spec;
    tmap_status status;
} reading;

static inline reading read_text(const char *text, size_t size) {
    reading r = {.spec = NULL};
    r.status = tmap_spec_read(text, size, "test.yaml", NULL, &r.diags, &r.spec);
    return r;
}

static inline void end_reading(reading *r) {
    tmap_spec_free(r->spec);
    tmap_diags_free(&r->diags);
}

/* The text of a file under the source directory; the caller frees it. */
static inline char *file_text(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("no file %s", path);
    char *text = malloc(1 << 20);
    assert_non_null(text);
    *size = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

/* After `left` allocations, every allocation fails. */
typedef struct scarce {
    tmap_allocator allocator;
    long left;
    long blocks; /* blocks allocated now */
} scarce;

static inline void *scarce_resize(void *context, void *block, size_t old_size, size_t new_size) {
    scarce *memory = context;
    (void)old_size;
    if (new_size == 0) {
        memory->blocks -= block != NULL;
        free(block);
        return NULL;
    }
    if (memory->left-- <= 0) return NULL;
    void *given = realloc(block, new_size);
    memory->blocks += given && !block;
    return given;
}

static inline void scarce_begin(scarce *memory, long left) {
    *memory = (scarce){.allocator = {scarce_resize, memory}, .left = left};
}

#endif
