/* spec: the section `shared`: buffers and barriers in a thread block's shared memory, and the address of each stage. */
#pragma once

#include "hw/mbarrier.h"
#include "spec/spec.h"
#include "tmap/unstable/sequence.h"

/* Tensor memory has 512 columns of 128 lanes of 4 bytes: PTX ISA 9.1, Tensor Memory. */
enum { TMAP_TENSOR_COLUMNS = 512, TMAP_TENSOR_COLUMN_B = 128 * 4 };

enum { TMAP_BUFFERS_MAX = 1024, TMAP_STAGES_MAX = 256, TMAP_SHARED_WINDOW_MOST_B = 1 << 24 };

enum { TMAP_CLUSTER_MOST = 32 };

/* The instruction that reads a buffer. */
typedef enum tmap_buffer_reader {
    TMAP_READER_WGMMA,
    TMAP_READER_TCGEN05,
    TMAP_READER_LDMATRIX,
    TMAP_READER_LD, /* any order of bytes */
    TMAP_READER_COUNT
} tmap_buffer_reader;

const char *tmap_reader_name(int reader); /* NULL after the last */

/* A buffer, or a barrier, which has 8 bytes in each stage. A buffer of tensor memory has the addresses of the bytes of
 * its columns, from column 0 on. */
typedef struct tmap_shared_buffer {
    const char *name;
    uint64_t at, size_B, align_B, pitch_B, stages_n; /* `at`: of stage 0; pitch: distance of stages */
    uint64_t arrivals;                               /* of a barrier, a phase; 0: a buffer */
    uint64_t expect_tx_B;                            /* of a barrier, a phase; 0: not given */
    uint64_t columns;                                /* of a stage in tensor memory; 0: shared memory */
    bool placed;                                     /* the file has the key `at` */
    bool unsized;                                    /* the size is missing or refused, and size_B is 1 */
    int swizzle;                                     /* that the readers expect; -1: not given */
    int reader;                                      /* a tmap_buffer_reader; -1: not given */
    struct tmap_copy_entry *copies,
        *last_copy; /* of a barrier: the copies that complete there, in the order of the file */
    tmap_mark mark;
} tmap_shared_buffer;

uint64_t tmap_buffer_address(const tmap_shared_buffer *buffer, uint64_t stage);
/* NULL: the file has no buffer of this name. */
const tmap_shared_buffer *tmap_spec_buffer_find(const tmap_spec *spec, const char *name);

/*
 * The buffer or the barrier that a node names. Reports an unknown name and returns NULL. `key` is the key of the
 * finding, or NULL.
 */
const tmap_shared_buffer *tmap_read_buffer_name(const tmap_spec *spec, tmap_report *report, const tmap_node *node,
                                                bool barrier, const char *key);
/* The finding of a rule at a place of the file, without words. */
tmap_diag tmap_spec_diag(const char *rule, const tmap_judge *judge, tmap_mark mark, const char *subject);
/* Judges the section `shared`. Returns false after an error. */
bool tmap_judge_window(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags);
/* Judges buffers against their readers and copies, barriers against the bytes of their copies, and masks against the
 * cluster. Returns false after an error. */
bool tmap_judge_buffers(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags);
/* As tmap_judge_buffers, only for copies into buffers that are not read by the instruction that the file states.
 * readers[i]: the instruction that reads buffer i, or -1. */
bool tmap_judge_readers(const tmap_spec *spec, const int *readers, const tmap_judge *judge, tmap_diags *diags);
/* Judges whether the architectures have the matrix instruction `reader`; -1 and other readers are accepted. */
bool tmap_judge_matrix(int reader, tmap_mark mark, const char *subject, const tmap_judge *judge, tmap_diags *diags);
/* Writes the fix of a buffer with a stage whose address is not a multiple of `need`. The fix begins with the buffer,
 * because the keys of buffers are not fields of the copy. */
void tmap_say_buffer_fix(const tmap_shared_buffer *buffer, uint64_t need, char *fix, size_t size);
bool tmap_judge_barriers(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags);
bool tmap_judge_cluster(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags);
/* Judges the place of the map of each tensor. Returns false after an error. */
bool tmap_judge_map_homes(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags);
/* Freezes a copy of the file for judging. Returns false if the copy is refused or one of its sizes has several
 * values. */
bool tmap_window_copy(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_copy *frozen);
