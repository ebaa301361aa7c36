/* One-line constructors of register layouts for tests. */
#ifndef TMAP_TESTS_REGISTER_FIXTURE_H
#define TMAP_TESTS_REGISTER_FIXTURE_H

#include "tmap/unstable/register.h"

static inline tmap_register_layout reg_of(tmap_register_kind kind, bool column, int rank, va_list dims) {
    uint64_t shape[TMAP_MODE_RANK_MAX];
    tmap_register_layout layout;
    for (int d = 0; d < rank; d++) shape[d] = (uint64_t)va_arg(dims, int);
    tmap_status status = column ? tmap_register_column(kind, shape, rank, &layout, NULL)
                                : tmap_register_fresh(kind, shape, rank, NULL, &layout, NULL);
    assert_int_equal(status, TMAP_OK);
    return layout;
}

static inline tmap_register_layout reg_local(int rank, ...) {
    va_list dims;
    va_start(dims, rank);
    tmap_register_layout layout = reg_of(TMAP_REGISTER_LOCAL, false, rank, dims);
    va_end(dims);
    return layout;
}

static inline tmap_register_layout reg_spatial(int rank, ...) {
    va_list dims;
    va_start(dims, rank);
    tmap_register_layout layout = reg_of(TMAP_REGISTER_SPATIAL, false, rank, dims);
    va_end(dims);
    return layout;
}

static inline tmap_register_layout reg_column(tmap_register_kind kind, int rank, ...) {
    va_list dims;
    va_start(dims, rank);
    tmap_register_layout layout = reg_of(kind, true, rank, dims);
    va_end(dims);
    return layout;
}

static inline tmap_register_layout reg_make(tmap_register_layout parts) {
    tmap_register_layout layout;
    assert_int_equal(tmap_register_make(&parts, &layout, NULL), TMAP_OK);
    return layout;
}

static inline tmap_register_layout reg_compose(tmap_register_layout outer, tmap_register_layout inner) {
    tmap_register_layout layout;
    assert_int_equal(tmap_register_compose(&outer, &inner, &layout, NULL), TMAP_OK);
    return layout;
}

static inline void expect_text(const tmap_register_layout *layout, const char *expected) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_register_print(&sink, layout);
    assert_string_equal(text.data, expected);
    tmap_text_free(&text);
}

#endif
