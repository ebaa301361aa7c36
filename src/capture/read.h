/* Reading a recording back, case by case, with a finding for all that is not as docs/capture.md says. */
#pragma once

#include "capture/case.h"
#include "spec/node.h"

typedef struct capture_reader {
    tmap_arena arena;
    tmap_report report;
    const tmap_node *copies; /* the file's root when it is a recording of copies: nothing else is read then */
    const tmap_node *next;   /* case to be read */
    capture_header header;
    bool has_random;
    capture_random random;
    uint64_t left_out;
} capture_reader;

/* Reads all but the cases. tmap_capture_read_end has to follow, whatever the answer; false: there are no cases. */
bool tmap_capture_read_begin(capture_reader *reader, const char *text, size_t size, const char *path,
                             const tmap_allocator *allocator);
/* The next sound case; false when there is none. */
bool tmap_capture_read_case(capture_reader *reader, capture_case *out);
/* Hands the findings on and frees. TMAP_REFUSED when there was an error. */
tmap_status tmap_capture_read_end(capture_reader *reader, tmap_diags *diags);
