/* Descriptors as operands: 128 bytes in any form that tmap_import_descriptor reads or in a file, or a tensor of a spec.
 */
#ifndef TMAP_TOOL_DESCRIPTORS_H
#define TMAP_TOOL_DESCRIPTORS_H

#include "output/result.h"
#include "specs/document.h"
#include "tmap/codec.h"
#include "util/json.h"

/*
 * An operand that is a descriptor, or a file with one or with a spec. The file is read once, into doc->text: it may be
 * a pipe. Where *is_one is false, document_parse goes on. Answers an exit code; close the document in any case.
 */
int descriptor_load(const char *operand, spec_document *doc, tmap_descriptor *descriptor, bool *is_one);
/* A descriptor from a text or a file. Answers an exit code. */
int descriptor_read(const char *operand, tmap_descriptor *descriptor);
/* The same, and FILE or FILE:TENSOR of a spec, natively encoded. */
int descriptor_resolve(const char *operand, const tmap_judge *judge, tmap_descriptor *descriptor);

/*
 * Judges the bits, the map that they make, which goes to `params`, and with --strict what the names of the bits rest
 * on. Findings have the subject "descriptor". Answers an exit code.
 */
int descriptor_judge(const tmap_descriptor *descriptor, const judging_options *judging, tmap_map_params *params,
                     tmap_diags *diags);

/* The differences of two descriptors, in place order; free with free(). */
typedef struct difference_list {
    tmap_field_diff *items;
    size_t n;
    uint64_t rank_a, rank_b;
} difference_list;
int differences_find(const tmap_descriptor *a, const tmap_descriptor *b, difference_list *differences);

/* Key "differences"; in text one line a difference, `a` and `b` being how the two are called. */
void differences_write(result_sink *out, const difference_list *differences, const char *indent, const char *a,
                       const char *b);

#endif
