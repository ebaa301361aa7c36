/* generate: tensors and copies whose numbers depend on sizes: parameters, checks and expressions of C functions. */
#pragma once

#include "size/sized.h"
#include "tmap/unstable/generate.h"

/* A tensor, or a copy with its tensor. */
typedef struct tmap_sized_source {
    tmap_sized sized;
    uint32_t free; /* bit i: size i is a parameter; 0: no number depends on one */
    const tmap_spec_conditions *conditions;
    const char *tensor, *copy; /* subjects of the conditions; copy: may be NULL */
} tmap_sized_source;

/* By name; `free` is 0 where the input has no spec. */
tmap_sized_source tmap_sized_source_of(const tmap_generate_input *input, const char *name);
/* What the expressions need; once a file. */
void tmap_put_wide(tmap_sink *sink);
/* ", uint64_t N, uint64_t K" */
void tmap_put_size_parameters(tmap_sink *sink, const tmap_sized_source *source);
/* Returns CUDA_ERROR_INVALID_VALUE from the function where a size is out of its range, or breaks a condition. */
void tmap_put_size_checks(tmap_sink *sink, const tmap_sized_source *source);
/* Entries of a field from `slot` on, as a cast of an expression or as a number: `n` of them with ", " between. */
void tmap_put_sized_numbers(tmap_sink *sink, const tmap_sized_source *source, int slot, const char *type,
                            const uint64_t *numbers, int n);
/* The same of one entry, without a cast; `number` is that of the parameters. */
void tmap_put_sized_number(tmap_sink *sink, const tmap_sized_source *source, int slot, int64_t number, bool c);
/* The C function coordinates_`name` of a copy. */
void tmap_put_coordinates(tmap_sink *sink, const tmap_generate_copy *copy, const tmap_sized_source *source,
                          const char *name);
