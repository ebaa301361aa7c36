/* An open spec file: its text, its contents, and the findings so far. */
#pragma once

#include "files/files.h"
#include "options/judging_options.h"
#include "output/result.h"
#include "tmap/unstable/emit.h"
#include "tmap/unstable/spec.h"

typedef struct spec_document {
    const char *path; /* the form for messages */
    file_bytes text;
    tmap_spec *spec;
    tmap_diags diags;
    bool of_kernel; /* -D may also set parameters of a kernel: names that are no sizes are skipped */
} spec_document;

/*
 * Reads a file in two steps, because it may contain something else than a spec: its text, then the spec; errors of the
 * spec go to doc->diags. Return EXIT_CLEAN if the file could be read, with or without findings. Close the document in
 * any case.
 */
int document_load(spec_document *doc, const char *path);
int document_parse(spec_document *doc);
void document_close(spec_document *doc);

/* Writes the findings, with their lines of the file, to a sink on `file`. */
void document_write(const spec_document *doc, tmap_sink *sink, FILE *file);
/* EXIT_FINDINGS if a finding has severity error. Reports a failed allocation of a finding and returns EXIT_DEFECT. */
int document_code(const spec_document *doc);

/*
 * For commands that need a file without errors and with a value for each size. Opens the file and prints the findings
 * on stderr. If the result is not EXIT_CLEAN, the document is closed again.
 */
int document_open_valid(spec_document *doc, const char *path);
int document_parse_sound(spec_document *doc);
/* As document_open_valid, for results that do not depend on sizes: sizes may have several values. */
int document_open_sized(spec_document *doc, const char *path);
int document_parse_sized(spec_document *doc);
/* Prints on stderr the findings that were added after the reader's own. Returns `code` or a worse code. */
int document_finish(spec_document *doc, int code);

/*
 * Finds the tensor or copy of that name. Reports an unknown name on stderr with the nearest name. With name NULL, finds
 * the only one. Returns an exit code.
 */
int document_tensor(const spec_document *doc, const char *name, size_t *tensor);
int document_copy(const spec_document *doc, const char *name, size_t *copy);

/* Finds a tensor or a copy; *is_copy is the kind of *index. */
int document_find(const spec_document *doc, const char *name, bool *is_copy, size_t *index);

/*
 * Writes a JSON result with "path", "tensors" and "copies", or the same as text. Calls `write` for the tensor or copy
 * of that name, or with name NULL for all of them except copies that the spec expects to be refused. Returns the worst
 * exit code.
 */
typedef int item_writer(void *context, spec_document *doc, bool is_copy, size_t index, result_sink *out);
int document_write_items(spec_document *doc, const char *name, bool as_json, item_writer *write, void *context);

/* The architectures for the rules: from the option, else from the file; 0: from neither. */
tmap_archs document_archs(const spec_document *doc, const tmap_judge *judge);
/* Likewise the CUDA release, as tmap_judge.toolkit. */
int document_toolkit(const spec_document *doc, const tmap_judge *judge);
