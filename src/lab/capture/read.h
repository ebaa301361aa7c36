/* Reads a recording back, case by case. Reports every difference from the format of docs/capture.md as a finding. */
#pragma once

#include "capture/case.h"
#include "capture/key_tables.h"
#include "spec/node.h"

typedef struct capture_reader {
    tmap_arena arena;
    tmap_report report;
    const tmap_node *copies; /* the file's root for a recording of copies, in which case nothing else is read */
    const tmap_node *next;   /* the next case */
    capture_header header;
    bool has_random;
    capture_random random;
    uint64_t left_out;
} capture_reader;

/* The keys of a case, in the order in which they are written. */
extern const table_key capture_case_keys[];
extern const size_t capture_case_keys_n;

/* Reads everything but the cases. Returns false if there are no cases. Call tmap_capture_read_end in any case. */
bool tmap_capture_read_begin(capture_reader *reader, const char *text, size_t size, const char *path,
                             const tmap_allocator *allocator);
/* Reads the next valid case. Returns false after the last. */
bool tmap_capture_read_case(capture_reader *reader, capture_case *out);
/* Passes the findings on and frees the reader. TMAP_REFUSED after an error. */
tmap_status tmap_capture_read_end(capture_reader *reader, tmap_diags *diags);
