/* spec: the section `shared`: buffers and barriers of a thread block's shared memory, and where each stage lies. */
#ifndef TMAP_SPEC_WINDOW_H
#define TMAP_SPEC_WINDOW_H

#include "spec/spec.h"
#include "tmap/unstable/sequence.h"

enum { TMAP_STAGES_MAX = 256, TMAP_BARRIER_B = 8, TMAP_SHARED_WINDOW_MOST_B = 1 << 24 };

/* A buffer, or a barrier: then 8 bytes a stage. */
typedef struct tmap_shared_buffer {
    const char *name;
    uint64_t at, size_B, align_B, pitch_B, stages_n; /* `at`: of stage 0; pitch: from stage to stage */
    uint64_t arrivals;                               /* of a barrier, a phase; 0: a buffer */
    tmap_mark mark;
} tmap_shared_buffer;

uint64_t tmap_buffer_address(const tmap_shared_buffer *buffer, uint64_t stage);
/* NULL: the file has none of this name. */
const tmap_shared_buffer *tmap_spec_buffer_find(const tmap_spec *spec, const char *name);

/*
 * The buffer, or the barrier, that a node names; NULL, and reported, where the file has none of this name. `key` is the
 * key of the finding, or NULL.
 */
const tmap_shared_buffer *tmap_read_buffer_name(const tmap_spec *spec, tmap_report *report, const tmap_node *node,
                                                bool barrier, const char *key);
/* Judges the section `shared`; false where an error is found. */
bool tmap_judge_window(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags);
/* Judges the section `sequence`; TMAP_OK where the file has none, or a size of it has several values. */
tmap_status tmap_check_sequence(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags,
                                tmap_sequence_result *result);

#endif
