/* A copy of the field, ready to run. */
#ifndef TMAP_BENCH_FIELD_H
#define TMAP_BENCH_FIELD_H

#include "bench.h"
#include "field_cases.h"

typedef struct field_name {
    char text[160];
    size_t size;
} field_name;

field_name field_name_of(const field_case *c);

typedef struct field_bench {
    tmap_copy copy;
    tmap_memory memory;
    tmap_index_fill index;
    tmap_random_fill random;
    uint8_t *global, *shared, *contiguous;
    tmap_copy_result result;
} field_bench;

/* Returns false if no copy has these parameters. */
bool field_begin(field_bench *b, const field_case *c);
void field_run(void *context); /* a field_bench */
void field_end(field_bench *b);

field_case field_random_case(uint64_t number);

#endif
