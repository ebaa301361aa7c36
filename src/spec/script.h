/*
 * spec: the section `sequence` as steps: loops are unrolled, stages are addresses, copies are frozen and are the bytes
 * that they access.
 */
#pragma once

#include "size/expr.h"
#include "spec/read.h"
#include "spec/window.h"
#include "tmap/unstable/sequence.h"

enum { TMAP_SCRIPT_ROUNDS_MAX = 1 << 16, TMAP_SCRIPT_PIECES_MAX = 1 << 18, TMAP_SCRIPT_POISON = 0xcd };

typedef struct tmap_region_key {
    uint64_t kind;
    uint64_t numbers[2 + TMAP_RANK_MAX + 4]; /* of a box: its copy, coordinates, column and rows */
} tmap_region_key;

/* A thread, or one of two that stand for many: the first executes what is elected. */
typedef struct tmap_script_thread {
    const char *name;
    int block;                 /* rank of its thread block */
    uint64_t threads_n, all_n; /* of this part, of all parts */
    bool elected;
    int part, parts_n; /* of what many threads write, each writes its part */
} tmap_script_thread;

typedef struct tmap_script {
    tmap_spec *spec;
    tmap_report *report;
    const tmap_judge *judge;
    tmap_arena arena;
    tmap_size sizes[TMAP_SIZES_MAX]; /* of the file, then those of the loops around the step */
    uint64_t values[TMAP_SIZES_MAX];
    int sizes_n;
    tmap_script_thread threads[TMAP_SEQUENCE_THREADS_MAX];
    tmap_sequence_thread faces[TMAP_SEQUENCE_THREADS_MAX];
    int threads_n;
    int blocks_n; /* thread blocks of the cluster */
    int thread;   /* the one whose steps are made */
    tmap_region *regions;
    tmap_region_key *region_keys;
    size_t regions_n;
    tmap_step *steps;
    tmap_copy **copies; /* by step: the copy that the step issues, or NULL; and its tensor */
    size_t *tensors;
    size_t steps_n;
    size_t rounds_n, pieces_n; /* of loops so far, and of boxes, so that time and memory are bounded */
    size_t errors;             /* before the step that is made */
    bool full;
} tmap_script;

/* One step that is read: its keys, and where a finding points. */
typedef struct tmap_script_step {
    tmap_spec_reading r;
    tmap_given given;
} tmap_script_step;

/* Regions: -1 where there is no memory. */
typedef struct tmap_script_stage {
    const tmap_shared_buffer *buffer;
    uint64_t stage;
    int block;
} tmap_script_stage;
int tmap_script_buffer(tmap_script *s, tmap_script_stage stage, int part, int parts_n);
int tmap_script_map(tmap_script *s, size_t tensor);
int tmap_script_tensor(tmap_script *s, size_t tensor, int part, int parts_n);
int tmap_script_shared(tmap_script *s, const tmap_copy *copy, int block);
/* Of the copy with this number in the file, at its coordinates. */
int tmap_script_global(tmap_script *s, size_t copy_number, const tmap_copy *copy);

/* Makes the steps of the file's sequence, which has one; false where there is no memory. Then frees with the arena. */
bool tmap_script_make(tmap_script *s, const tmap_spec *spec, const tmap_judge *judge, tmap_report *report);
tmap_sequence tmap_script_sequence(const tmap_script *s);
/* Whether every size of the file has one value. */
bool tmap_script_has_values(const tmap_spec *spec);

/* The steps of a list, in the current thread. */
void tmap_script_steps(tmap_script *s, const tmap_node *list);
