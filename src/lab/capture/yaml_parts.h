/* Parts of both kinds of recordings. */
#pragma once

#include "capture/case.h"
#include "capture/key_tables.h"

/* Sets the names of a header; its generator is this tmap. */
void tmap_name_provenance(capture_header *header, const char *gpu, const char *library, const char *date);
/* Writes the lines after "provenance:". */
void tmap_put_provenance(tmap_sink *sink, const capture_header *header);

/* The sections of a file. */
typedef struct capture_sections {
    int version;
    char kind[32];
    const tmap_node *provenance, *target, *spec, *random;
    const tmap_node *list; /* the cases of descriptors, or the results of copies */
    uint64_t left_out;
} capture_sections;

/* Reads the keys of a file, and its provenance. Returns false after an error outside the provenance. */
bool tmap_read_sections(tmap_report *report, const tmap_node *root, bool copies, capture_sections *file,
                        capture_header *header);

/* Writes a CUresult by name, or as a number if it has no name. */
void tmap_put_result(tmap_sink *sink, int result);
