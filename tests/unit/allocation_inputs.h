/* What the tests of scarce memory call the library with. */
#ifndef TMAP_TESTS_ALLOCATION_INPUTS_H
#define TMAP_TESTS_ALLOCATION_INPUTS_H

#include "cmocka_all.h"
#include "tmap/recording.h"
#include "tmap/spec.h"

static const char spec_text[] =
    "tmap: 1\n"
    "tensors:\n"
    "  a: {type: u8, dims: [32, 4], box: [16, 2], swizzle: 32B} # rows\n"
    "copies:\n"
    "  in: {tensor: a, op: load, at: [16, 3], shared: 0}\n"
    "  out: {tensor: a, op: store, at: [0, 0], shared: 0}\n"
    "  wrong: {tensor: a, op: load, at: [1, 0], shared: 0, expect: {rule: copy-inner-align}}\n";

static const char wrong_text[] = "tmap: 1\ntensors:\n  a: {type: u8, dims: [x], box: [0], no: 1}\n  a: 3\n";

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

static inline void fill_probe(tmap_probe *probe, size_t copy) {
    tmap_spec *spec = NULL;
    assert_int_equal(tmap_spec_read(spec_text, strlen(spec_text), "p", NULL, NULL, &spec), TMAP_OK);
    assert_int_equal(tmap_probe_plan(probe, tmap_spec_tensor_get(spec, 0).params, tmap_spec_copy_get(spec, copy).params,
                                     7, NULL, NULL),
                     TMAP_OK);
    tmap_spec_free(spec);
}

/* What a device that does nothing at all leaves: the poisons. */
typedef struct nothing_seen {
    uint8_t images[2][4096], globals[2][4096];
    tmap_observation seen;
} nothing_seen;

static inline const tmap_observation *see_nothing(const tmap_probe *probe, nothing_seen *nothing) {
    assert_true(probe->image_B <= 4096 && probe->global_B <= 4096);
    nothing->seen = (tmap_observation){.end = TMAP_JOB_DONE, .arrived_B = {probe->frozen.payload_B}};
    for (int poison = 0; poison < 2; poison++) {
        tmap_probe_image(probe, poison, nothing->images[poison]);
        tmap_probe_global(probe, poison, nothing->globals[poison]);
        nothing->seen.images[poison] = nothing->images[poison];
        nothing->seen.globals[poison] = probe->frozen.op->to_global ? nothing->globals[poison] : NULL;
    }
    return &nothing->seen;
}

/* Block `number`, whatever was in it. */
static inline tmap_fuzz_block block_of(uint64_t number) {
    tmap_fuzz_block block = {.number = number};
    memset(block.inputs, 'a', 64);
    memset(block.outputs, 'b', 64);
    return block;
}

#endif
