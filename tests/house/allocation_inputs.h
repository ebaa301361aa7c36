/* Arguments for the cases of scarce memory, shared by several rooms. */
#ifndef TMAP_TESTS_ALLOCATION_INPUTS_H
#define TMAP_TESTS_ALLOCATION_INPUTS_H

#include "cmocka_all.h"
#include "tmap/unstable/probe.h"
#include "tmap/unstable/spec.h"

static const char spec_text[] =
    "tmap: 1\n"
    "tensors:\n"
    "  a: {type: u8, dims: [32, 4], box: [16, 2], swizzle: 32B} # rows\n"
    "copies:\n"
    "  in: {tensor: a, op: load, at: [16, 3], shared: 0}\n"
    "  out: {tensor: a, op: store, at: [0, 0], shared: 0}\n"
    "  wrong: {tensor: a, op: load, at: [1, 0], shared: 0, expect: {rule: copy-inner-align}}\n";

/* A sink that never fails. */
static inline bool swallow(void *context, const char *text, size_t size) {
    (void)context;
    (void)text;
    (void)size;
    return true;
}

static inline tmap_sink open_sink(void) {
    return (tmap_sink){.write = swallow};
}

static inline tmap_spec *read_spec(const tmap_allocator *allocator) {
    tmap_spec *spec = NULL;
    assert_int_equal(tmap_spec_read(spec_text, strlen(spec_text), "p", allocator, NULL, &spec), TMAP_OK);
    return spec;
}

/* Fills `probe` for copy number `copy` of spec_text. */
static inline void fill_probe(tmap_probe *probe, size_t copy) {
    tmap_spec *spec = read_spec(NULL);
    assert_int_equal(tmap_probe_plan(probe, tmap_spec_tensor_get(spec, 0).params, tmap_spec_copy_get(spec, copy).params,
                                     7, NULL, NULL),
                     TMAP_OK);
    tmap_spec_free(spec);
}

#endif
