/* Shared by the tests of the runtime room: maps, descriptors built from the maps, and checks of refusals. */
#ifndef TMAP_TESTS_RUNTIME_FIXTURE_H
#define TMAP_TESTS_RUNTIME_FIXTURE_H

#include "cmocka_all.h"
#include "refusal_line.h"
#include "tmap/runtime.h"

#define ADDRESS UINT64_C(0x7f0000001000)

/* 4096 x 8192 f16, box 64 x 128, swizzle 128B. */
static inline tmap_map_params gemm(void) {
    tmap_map_params p = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    p.dims_el[0] = 4096, p.dims_el[1] = 8192;
    p.strides_B[0] = 8192;
    p.box_el[0] = 64, p.box_el[1] = 128;
    p.swizzle = TMAP_SWIZZLE_128B;
    p.has_address = true;
    p.address = ADDRESS;
    return p;
}

/* 64 x 32 f16 in rows of 256 B: less than 128 KiB, with gaps. */
static inline tmap_map_params small_with_gaps(void) {
    tmap_map_params p = gemm();
    p.dims_el[0] = 64, p.dims_el[1] = 32;
    p.strides_B[0] = 256;
    return p;
}

static inline tmap_descriptor built(const tmap_map_params *params) {
    tmap_descriptor d;
    tmap_diag refusal;
    if (tmap_build(params, 0, &d, &refusal) != TMAP_OK) fail_msg("%s", refusal.message);
    return d;
}

static inline void assert_says(const char *reason, const char *words) {
    if (!strstr(reason, words)) fail_msg("\"%s\" does not contain \"%s\"", reason, words);
}

/* The call must refuse NULL and name the parameter; `refusal` is the record that the call fills in. */
#define REFUSES_NULL(name, call)                                                                                       \
    do {                                                                                                               \
        memset(&refusal, '?', sizeof refusal);                                                                         \
        assert_int_equal(call, TMAP_BAD_ARGUMENT);                                                                     \
        assert_string_equal(line_of(&refusal), name " is null");                                                       \
    } while (0)

static inline bool bit_85(const tmap_descriptor *d) {
    return d->bytes[10] >> 5 & 1;
}

#endif
