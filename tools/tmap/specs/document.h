/* A spec file opened: its text, what could be read of it, and the findings so far. */
#ifndef TMAP_TOOL_DOCUMENT_H
#define TMAP_TOOL_DOCUMENT_H

#include "files/files.h"
#include "options/judging_options.h"
#include "output/result.h"
#include "tmap/unstable/emit.h"
#include "tmap/unstable/spec.h"

typedef struct spec_document {
    const char *path; /* as messages show it */
    file_bytes text;
    tmap_spec *spec;
    tmap_diags diags;
} spec_document;

/*
 * Reads a spec file; what is wrong with its contents is in doc->diags. Answers EXIT_CLEAN when it could be read at all,
 * findings or not. Close it in any case.
 */
int document_open(spec_document *doc, const char *path);
/* The same in two steps, for files that may hold another thing: the text, then what it says. */
int document_load(spec_document *doc, const char *path);
int document_parse(spec_document *doc);
void document_close(spec_document *doc);

/* Writes the findings, with the lines that they are about, to a sink on `file`. */
void document_write(const spec_document *doc, tmap_sink *sink, FILE *file);
/* EXIT_FINDINGS when there is one of severity error; EXIT_DEFECT, which is said, when there was no memory for one. */
int document_code(const spec_document *doc);

/*
 * For commands that need a sound file, with a value of each size: opens it, and prints on stderr what the reader has to
 * say. Anything but
 * EXIT_CLEAN: closed again.
 */
int document_open_sound(spec_document *doc, const char *path);
int document_parse_sound(spec_document *doc);
/* The same for what no size changes: sizes may have several values. */
int document_open_sized(spec_document *doc, const char *path);
/* Prints on stderr the findings that were added since the reader's own, and answers `code` or worse. */
int document_finish(spec_document *doc, int code);

/*
 * The tensor or copy of that name. Unknown names are said on stderr with the nearest that exists; with name NULL the
 * only one there is. Answers an exit code.
 */
int document_tensor(const spec_document *doc, const char *name, size_t *tensor);
int document_copy(const spec_document *doc, const char *name, size_t *copy);

/* Either: *is_copy tells which *index is. */
int document_find(const spec_document *doc, const char *name, bool *is_copy, size_t *index);

/*
 * A JSON result with "path", "tensors" and "copies", or the text of the same: `write` is called for the tensor or copy
 * of that name, or with name NULL for all of them but the copies that the spec expects to be refused. Answers the worst
 * exit code.
 */
typedef int item_writer(void *context, spec_document *doc, bool is_copy, size_t index, result_sink *out);
int document_write_items(spec_document *doc, const char *name, bool as_json, item_writer *write, void *context);

/* The architectures to judge for: chosen by option, else by the file; 0 when by none. */
tmap_archs document_archs(const spec_document *doc, const tmap_judge *judge);

#endif
