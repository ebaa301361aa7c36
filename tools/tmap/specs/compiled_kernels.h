/* Compiled kernels as operands: PTX, or a cubin or fatbin whose PTX cuobjdump prints; and the maps for them. */
#pragma once

#include "specs/document.h"
#include "tmap/unstable/compiled.h"

/* Whether a file holds a kernel, or is named as PTX. */
bool kernel_is_one(const char *path, const file_bytes *file);
/* Files with what the host passes to a kernel; NULL: not given. */
typedef struct kernel_files {
    const char *maps, *params;
} kernel_files;

/*
 * Reads the kernels of a loaded document, and the given files. Findings about the text go to doc->diags. For a binary,
 * doc->text becomes the PTX. Returns an exit code; free *kernels with tmap_compiled_free in any case.
 */
int kernel_open(spec_document *doc, const char *path, const kernel_files *files, tmap_compiled **kernels);

/* Finds a kernel by its name. Returns an exit code. */
int kernel_find(const tmap_compiled *kernels, const char *path, const char *name, size_t *kernel);
/* Prints a kernel, its maps and copies, as text and JSON; SIZE_MAX: all kernels. */
void kernel_write(result_sink *out, const tmap_compiled *kernels, size_t kernel);

/*
 * Write the maps whose type and box are known as tensors of a spec, and the copies through them as its copies. Unknown
 * parameters have values that no rule rejects, and a comment. kernel_write_tensors returns the number of tensors.
 */
size_t kernel_write_tensors(tmap_sink *sink, const tmap_compiled *kernels);
void kernel_write_copies(tmap_sink *sink, const tmap_compiled *kernels);
/* Writes an execution of a copy, number `time` from 1, if the map has known sizes. */
void kernel_write_copy(tmap_sink *sink, const tmap_compiled *kernels, size_t copy, const tmap_copy_params *params,
                       uint32_t time, uint32_t block, uint32_t thread);

#define KERNEL_FILES_OPTIONS(type, member)                                                                             \
    {"--maps",                                                                                                         \
     "FILE",                                                                                                           \
     "kernels: a file with their tensor maps: a spec, a log, Triton's metadata or IR",                                 \
     offsetof(type, member.maps),                                                                                      \
     NULL,                                                                                                             \
     TMAP_PART_KERNEL},                                                                                                \
    {                                                                                                                  \
        "--params", "FILE", "kernels: the bytes of the parameters, with their maps: raw or hexadecimal",               \
            offsetof(type, member.params), NULL, TMAP_PART_KERNEL                                                      \
    }
