/* Descriptors as operands: 128 bytes in any form that tmap_import_descriptor reads, in the operand or in a file, or a
 * tensor of a spec. */
#pragma once

#include "output/result.h"
#include "specs/document.h"
#include "text/json.h"
#include "tmap/codec.h"

/*
 * Loads an operand: a descriptor, or a file with a descriptor or a spec. The file, which may be a pipe, is read once
 * into doc->text. If *is_one is false, call document_parse. Returns an exit code. Close the document in any case.
 */
int descriptor_load(const char *operand, spec_document *doc, tmap_descriptor *descriptor, bool *is_one);
/* Reads a descriptor from a text or a file. Returns an exit code. */
int descriptor_read(const char *operand, tmap_descriptor *descriptor);
/* As descriptor_read; also accepts FILE or FILE:TENSOR of a spec, which is encoded natively. */
int descriptor_resolve(const char *operand, const tmap_judge *judge, tmap_descriptor *descriptor);

/*
 * Judges the bits, the map that they encode (stored in `params`), and with --strict the evidence for the names of the
 * bits. Findings have the subject "descriptor". Returns an exit code.
 */
int descriptor_judge(const tmap_descriptor *descriptor, const judging_options *judging, tmap_map_params *params,
                     tmap_diags *diags);

/* The differences of two descriptors, by place. Free with free(). */
typedef struct difference_list {
    tmap_field_diff *items;
    size_t n, moving_n; /* moving_n: the differences on which copies can depend */
    tmap_descriptor a, b;
} difference_list;
int differences_find(const tmap_descriptor *a, const tmap_descriptor *b, difference_list *differences);
/* EXIT_FINDINGS if the descriptors differ where copies depend on the bits; if `exact`, in any bit. */
int differences_code(const difference_list *differences, bool exact);
#define EXACT_OPTION(type, member)                                                                                     \
    { "--exact", NULL, "also count differences on which no copy depends", offsetof(type, member), NULL }

/* Writes key "differences"; as text one line for each difference. `a` and `b` are the names of the descriptors. */
void differences_write(result_sink *out, const difference_list *differences, const char *indent, const char *a,
                       const char *b);
