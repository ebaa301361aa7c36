/* Replaces compiled_kernels.c and launch.c in a build without kernels: opening a compiled kernel fails. */
#define _GNU_SOURCE
#include <string.h>

#include "output/messages.h"
#include "specs/compiled_kernels.h"
#include "specs/launch.h"

/* A cubin is ELF, a fatbin has a magic number, and PTX has .version after comments. */
bool kernel_is_one(const char *path, const file_bytes *file) {
    const char *text = (const char *)file->data;
    if (!text || file->size < 4) return false;
    if (memcmp(text, "\x7f\x45\x4c\x46", 4) == 0 || memcmp(text, "\x50\xed\x55\xba", 4) == 0) return true;
    const char *version = memmem(text, file->size, ".version ", strlen(".version "));
    return version && (version == text || version[-1] == '\n');
}

int kernel_open(spec_document *doc, const char *path, const kernel_files *files, tmap_compiled **kernels) {
    *kernels = NULL;
    return part_require(TMAP_PART_KERNEL, "reading the compiled kernel %.40s", doc->path);
}

int kernel_take_executed(spec_document *doc, const char *path, const kernel_files *files, const launch_options *launch,
                         const tmap_judge *judge) {
    return part_require(TMAP_PART_KERNEL, "executing a compiled kernel");
}

bool take_shape(void *at, const char *value) {
    return false;
}

bool take_cluster(void *at, const char *value) {
    return false;
}

bool take_threads(void *at, const char *value) {
    return false;
}
