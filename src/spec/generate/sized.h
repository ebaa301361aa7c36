/* generate: tensors and copies whose numbers depend on sizes: parameters, checks and expressions of C functions. */
#pragma once

#include "size/sized.h"
#include "tmap/unstable/generate.h"

/* A tensor, or a copy with its tensor. */
typedef struct tmap_sized_source {
    tmap_sized sized;
    uint32_t free; /* bit i: size i is a parameter; 0: no number depends on a size */
    const tmap_spec_conditions *conditions;
    const char *tensor, *copy; /* subjects of the conditions; copy: may be NULL */
} tmap_sized_source;

/* Refuses maps for which the driver has no call. The map has a valid mode and swizzle. */
tmap_status tmap_generate_has_call(const tmap_map_params *map, tmap_diag *to);
/* Finds a tensor or copy by name; `free` is 0 if the input has no spec. */
tmap_sized_source tmap_sized_source_of(const tmap_generate_input *input, const char *name);
/* Writes the definitions that the expressions need, once in a file. */
void tmap_put_wide(tmap_sink *sink);
/* Writes ", uint64_t N, uint64_t K". */
void tmap_put_size_parameters(tmap_sink *sink, const tmap_sized_source *source);
/* Writes code that returns CUDA_ERROR_INVALID_VALUE if a size is out of its range or breaks a condition. */
void tmap_put_size_checks(tmap_sink *sink, const tmap_sized_source *source);
/* Writes `n` entries of a field from `slot` on, with ", " between them: each entry is a number, or an expression with a
 * cast. */
void tmap_put_sized_numbers(tmap_sink *sink, const tmap_sized_source *source, int slot, const char *type,
                            const uint64_t *numbers, int n);
/* As tmap_put_sized_numbers, for one entry without a cast; `number` is the number in the parameters. */
void tmap_put_sized_number(tmap_sink *sink, const tmap_sized_source *source, int slot, int64_t number, bool c);
/* Writes the C function coordinates_`name` of a copy. */
void tmap_put_coordinates(tmap_sink *sink, const tmap_generate_copy *copy, const tmap_sized_source *source,
                          const char *name);
