/*
 * NULL for each pointer of the stable functions that the compiler does not reject: the promise of base.h. A row names
 * the function and the parameter; tests/house/check_null.py compares the rows with the headers.
 */
#include "null_rows.h"
#include "runtime_fixture.h"
#include "tmap/tmap.h"
#include "tmap/unstable/params_instruction.h"

/* A load of a 64 x 128 box, with all arguments that a call may require. */
typedef struct fixture {
    tmap_map_params params;
    tmap_map map;
    tmap_copy copies[3]; /* load, store, add */
    tmap_descriptor descriptor;
    tmap_memory memory;
    tmap_judge judge;
    tmap_diags diags;
    tmap_backend backend;
    tmap_dl_tensor tensor;
} fixture;

static uint8_t shared[16384];
static uint8_t global[64 * 128 * 2];

static fixture make(void) {
    static const tmap_op ops[] = {TMAP_OP_LOAD, TMAP_OP_STORE, TMAP_OP_REDUCE_ADD};
    static int64_t shape[2] = {128, 64};
    fixture f = {.params = gemm()};
    f.params.dims_el[0] = 64, f.params.dims_el[1] = 128, f.params.strides_B[0] = 128;
    f.descriptor = built(&f.params);
    f.memory = (tmap_memory){.size_B = sizeof global, .bytes = global};
    assert_int_equal(tmap_map_init(&f.map, &f.params, NULL, NULL), TMAP_OK);
    for (size_t i = 0; i < COUNT(ops); i++) {
        tmap_copy_params copy = {.op = ops[i], .at_n = 2};
        assert_int_equal(tmap_copy_init(&f.copies[i], &f.map, &copy, NULL, NULL), TMAP_OK);
    }
    assert_int_equal(tmap_backend_init(&f.backend, &(tmap_backend_options){.archs = 0}), TMAP_OK);
    f.tensor = (tmap_dl_tensor){.data = (void *)(uintptr_t)ADDRESS, .ndim = 2, .shape = shape};
    f.tensor.device.device_type = 2;
    f.tensor.dtype.code = 2, f.tensor.dtype.bits = 16, f.tensor.dtype.lanes = 1;
    return f;
}

TEST(rules) {
    fixture f = make();
    const tmap_copy_params *copy = &f.copies[0].params;
    NULL_IN(tmap_check_map, map, BAD, NULL, &f.judge, &f.diags);
    NULL_IN(tmap_check_map, judge, TMAP_OK, &f.params, NULL, &f.diags);
    NULL_IN(tmap_check_map, diags, TMAP_OK, &f.params, &f.judge, NULL);
    NULL_IN(tmap_check_copy, map, BAD, NULL, copy, &f.judge, &f.diags);
    NULL_IN(tmap_check_copy, copy, BAD, &f.params, NULL, &f.judge, &f.diags);
    NULL_IN(tmap_check_copy, judge, TMAP_OK, &f.params, copy, NULL, &f.diags);
    NULL_IN(tmap_check_copy, diags, TMAP_OK, &f.params, copy, &f.judge, NULL);
    NULL_IN(tmap_check_descriptor, descriptor, BAD, NULL, &f.judge, &f.diags);
    NULL_IN(tmap_check_descriptor, judge, TMAP_OK, &f.descriptor, NULL, &f.diags);
    NULL_IN(tmap_check_descriptor, diags, TMAP_OK, &f.descriptor, &f.judge, NULL);
    NULL_IN(tmap_check_replace_address, map, BAD, NULL, ADDRESS, &f.judge, &f.diags);
    NULL_IN(tmap_check_replace_address, judge, TMAP_OK, &f.params, ADDRESS, NULL, &f.diags);
    NULL_IN(tmap_check_replace_address, diags, TMAP_OK, &f.params, ADDRESS, &f.judge, NULL);
    assert_non_null(NULL_CALL(tmap_rule_diag, judge, "rank-range", NULL).rule);
    tmap_diags_free(&f.diags);
}

/* cuTensorMapEncodeTiled accepts any pointer; NULL is one of the mistakes that the function explains. */
static tmap_status explain(const void *tensor_map, const void *address, const uint64_t *dims, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *steps, tmap_diags *diags) {
    return tmap_explain_encode_tiled(tensor_map, 6, 2, address, dims, strides, box, steps, 0, 3, 0, 0, diags);
}

static tmap_status explain_by(const tmap_judge *judge, const void *tensor_map, const void *address,
                              const uint64_t *dims, const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
                              tmap_diags *diags) {
    return tmap_explain_encode_by(judge, tensor_map, 6, 2, address, dims, strides, box, steps, 0, 3, 0, 0, diags);
}

TEST(explanations) {
    static const uint64_t dims[] = {64, 128}, strides[] = {128};
    static const uint32_t box[] = {64, 64}, ones[] = {1, 1};
    tmap_descriptor map;
    tmap_diag item;
    tmap_diags diags = {.items = &item, .capacity = 1, .fixed = true};
    const void *at = (const void *)(uintptr_t)ADDRESS;
    const tmap_judge judge = {0};
#define tmap_explain_encode_tiled explain
    NULL_IN(tmap_explain_encode_tiled, tensor_map, TMAP_REFUSED, NULL, at, dims, strides, box, ones, &diags);
    NULL_IN(tmap_explain_encode_tiled, global_address, TMAP_OK, &map, NULL, dims, strides, box, ones, &diags);
    NULL_IN(tmap_explain_encode_tiled, global_dim, TMAP_REFUSED, &map, at, NULL, strides, box, ones, &diags);
    NULL_IN(tmap_explain_encode_tiled, global_strides, TMAP_REFUSED, &map, at, dims, NULL, box, ones, &diags);
    NULL_IN(tmap_explain_encode_tiled, box_dim, TMAP_REFUSED, &map, at, dims, strides, NULL, ones, &diags);
    NULL_IN(tmap_explain_encode_tiled, element_strides, TMAP_REFUSED, &map, at, dims, strides, box, NULL, &diags);
    NULL_IN(tmap_explain_encode_tiled, diags, TMAP_OK, &map, at, dims, strides, box, ones, NULL);
#undef tmap_explain_encode_tiled
#define tmap_explain_encode_by explain_by
    NULL_IN(tmap_explain_encode_by, judge, TMAP_OK, NULL, &map, at, dims, strides, box, ones, &diags);
    NULL_IN(tmap_explain_encode_by, tensor_map, TMAP_REFUSED, &judge, NULL, at, dims, strides, box, ones, &diags);
    NULL_IN(tmap_explain_encode_by, global_address, TMAP_OK, &judge, &map, NULL, dims, strides, box, ones, &diags);
    NULL_IN(tmap_explain_encode_by, global_dim, TMAP_REFUSED, &judge, &map, at, NULL, strides, box, ones, &diags);
    NULL_IN(tmap_explain_encode_by, global_strides, TMAP_REFUSED, &judge, &map, at, dims, NULL, box, ones, &diags);
    NULL_IN(tmap_explain_encode_by, box_dim, TMAP_REFUSED, &judge, &map, at, dims, strides, NULL, ones, &diags);
    NULL_IN(tmap_explain_encode_by, element_strides, TMAP_REFUSED, &judge, &map, at, dims, strides, box, NULL, &diags);
    NULL_IN(tmap_explain_encode_by, diags, TMAP_OK, &judge, &map, at, dims, strides, box, ones, NULL);
#undef tmap_explain_encode_by
}

TEST(maps_and_copies) {
    fixture f = make();
    const tmap_copy_params *load = &f.copies[0].params;
    tmap_copy_params replace = {.op = TMAP_OP_REPLACE, .field = TMAP_REPLACEABLE_ADDRESS, .value = ADDRESS};
    tmap_map map;
    tmap_copy copy;
    tmap_replacement replacement;
    tmap_map_params params;
    NULL_IN(tmap_map_init, map, BAD, NULL, &f.params, &f.judge, &f.diags);
    NULL_IN(tmap_map_init, params, BAD, &map, NULL, &f.judge, &f.diags);
    NULL_IN(tmap_map_init, judge, TMAP_OK, &map, &f.params, NULL, &f.diags);
    NULL_IN(tmap_map_init, diags, TMAP_OK, &map, &f.params, &f.judge, NULL);
    NULL_IN(tmap_copy_init, copy, BAD, NULL, &f.map, load, &f.judge, &f.diags);
    NULL_IN(tmap_copy_init, map, BAD, &copy, NULL, load, &f.judge, &f.diags);
    NULL_IN(tmap_copy_init, params, BAD, &copy, &f.map, NULL, &f.judge, &f.diags);
    NULL_IN(tmap_copy_init, judge, TMAP_OK, &copy, &f.map, load, NULL, &f.diags);
    NULL_IN(tmap_copy_init, diags, TMAP_OK, &copy, &f.map, load, &f.judge, NULL);
    NULL_IN(tmap_descriptor_decode, descriptor, BAD, NULL, &params, &f.judge, &f.diags);
    NULL_IN(tmap_descriptor_decode, params, BAD, &f.descriptor, NULL, &f.judge, &f.diags);
    NULL_IN(tmap_descriptor_decode, judge, TMAP_OK, &f.descriptor, &params, NULL, &f.diags);
    NULL_IN(tmap_descriptor_decode, diags, TMAP_OK, &f.descriptor, &params, &f.judge, NULL);
    NULL_IN(tmap_replacement_init, out, BAD, NULL, &f.map, &replace, &f.judge, &f.diags);
    NULL_IN(tmap_replacement_init, map, BAD, &replacement, NULL, &replace, &f.judge, &f.diags);
    NULL_IN(tmap_replacement_init, replace, BAD, &replacement, &f.map, NULL, &f.judge, &f.diags);
    NULL_IN(tmap_replacement_init, judge, TMAP_OK, &replacement, &f.map, &replace, NULL, &f.diags);
    NULL_IN(tmap_replacement_init, diags, TMAP_OK, &replacement, &f.map, &replace, &f.judge, NULL);
    tmap_diags_free(&f.diags);
}

TEST(emulation) {
    fixture f = make();
    const tmap_copy *load = &f.copies[0], *store = &f.copies[1], *add = &f.copies[2];
    tmap_copy_result result;
    tmap_footprint footprint;
    NULL_IN(tmap_emulate, copy, BAD, NULL, shared, sizeof shared, &f.memory, &result);
    NULL_IN(tmap_emulate, shared, BAD, load, NULL, sizeof shared, &f.memory, &result);
    NULL_IN(tmap_emulate, global, BAD, load, shared, sizeof shared, NULL, &result);
    NULL_IN(tmap_emulate, result, BAD, load, shared, sizeof shared, &f.memory, NULL);
    NULL_IN(tmap_emulate_load, copy, BAD, NULL, &f.memory, shared, sizeof shared, &result);
    NULL_IN(tmap_emulate_load, global, BAD, load, NULL, shared, sizeof shared, &result);
    NULL_IN(tmap_emulate_load, shared, BAD, load, &f.memory, NULL, sizeof shared, &result);
    NULL_IN(tmap_emulate_load, result, BAD, load, &f.memory, shared, sizeof shared, NULL);
    NULL_IN(tmap_emulate_store, copy, BAD, NULL, shared, sizeof shared, &f.memory, &result);
    NULL_IN(tmap_emulate_store, shared, BAD, store, NULL, sizeof shared, &f.memory, &result);
    NULL_IN(tmap_emulate_store, global, BAD, store, shared, sizeof shared, NULL, &result);
    NULL_IN(tmap_emulate_store, result, BAD, store, shared, sizeof shared, &f.memory, NULL);
    NULL_IN(tmap_emulate_reduce, copy, BAD, NULL, shared, sizeof shared, &f.memory, &result);
    NULL_IN(tmap_emulate_reduce, shared, BAD, add, NULL, sizeof shared, &f.memory, &result);
    NULL_IN(tmap_emulate_reduce, global, BAD, add, shared, sizeof shared, NULL, &result);
    NULL_IN(tmap_emulate_reduce, result, BAD, add, shared, sizeof shared, &f.memory, NULL);
    NULL_IN(tmap_copy_footprint, copy, BAD, NULL, NULL, &footprint);
    NULL_IN(tmap_copy_footprint, allocator, TMAP_OK, load, NULL, &footprint);
    NULL_IN(tmap_copy_footprint, footprint, BAD, load, NULL, NULL);
}

TEST(runtimes) {
    fixture f = make();
    static const int64_t box[2] = {64, 64};
    static const uint64_t dims[2] = {64, 64}, strides[1] = {128};
    const tmap_backend_options options = {.archs = 0};
    tmap_backend backend;
    tmap_descriptor d = f.descriptor;
    tmap_allocation_class set;
    tmap_map_params params;
    tmap_diag r;
    NULL_IN(tmap_build, params, BAD, NULL, 0, &d, &r);
    NULL_IN(tmap_build, descriptor, BAD, &f.params, 0, NULL, &r);
    NULL_IN(tmap_build, refusal, TMAP_OK, &f.params, 0, &d, NULL);
    tmap_prepared prepared;
    NULL_IN(tmap_prepare, params, BAD, NULL, 0, &prepared, &r);
    NULL_IN(tmap_prepare, prepared, BAD, &f.params, 0, NULL, &r);
    NULL_IN(tmap_prepare, refusal, TMAP_OK, &f.params, 0, &prepared, NULL);
    NULL_IN(tmap_prepared_at, prepared, BAD, NULL, 4096, &d, &r);
    NULL_IN(tmap_prepared_at, descriptor, BAD, &prepared, 4096, NULL, &r);
    NULL_IN(tmap_prepared_at, refusal, TMAP_OK, &prepared, 4096, &d, NULL);
    NULL_IN(tmap_build_check, params, BAD, NULL, 0, &r);
    NULL_IN(tmap_build_check, refusal, TMAP_OK, &f.params, 0, NULL);
    NULL_IN(tmap_replace_address, descriptor, BAD, NULL, ADDRESS, 0, &r);
    NULL_IN(tmap_replace_address, refusal, TMAP_OK, &d, ADDRESS, 0, NULL);
    NULL_IN(tmap_replace_tensor, descriptor, BAD, NULL, 2, dims, strides, 0, &r);
    NULL_IN(tmap_replace_tensor, dims_el, TMAP_OK, &d, 2, NULL, strides, 0, &r);
    NULL_IN(tmap_replace_tensor, strides_B, TMAP_OK, &d, 2, dims, NULL, 0, &r);
    NULL_IN(tmap_replace_tensor, refusal, TMAP_OK, &d, 2, dims, strides, 0, NULL);
    NULL_IN(tmap_set_allocation_class, descriptor, BAD, NULL, TMAP_ALLOCATION_SMALL, &set, &r);
    NULL_IN(tmap_set_allocation_class, out, TMAP_OK, &d, TMAP_ALLOCATION_SMALL, NULL, &r);
    NULL_IN(tmap_set_allocation_class, refusal, TMAP_OK, &d, TMAP_ALLOCATION_SMALL, &set, NULL);
    NULL_IN(tmap_params_from_dlpack, tensor, BAD, NULL, box, &params, &r);
    NULL_IN(tmap_params_from_dlpack, box, TMAP_OK, &f.tensor, NULL, &params, &r);
    NULL_IN(tmap_params_from_dlpack, params, BAD, &f.tensor, box, NULL, &r);
    NULL_IN(tmap_params_from_dlpack, refusal, TMAP_OK, &f.tensor, box, &params, NULL);
    NULL_IN(tmap_backend_init, backend, BAD, NULL, &options);
    NULL_IN(tmap_backend_init, options, BAD, &backend, NULL);
    NULL_IN(tmap_backend_build, backend, BAD, NULL, &f.params, &d, &r);
    NULL_IN(tmap_backend_build, params, BAD, &f.backend, NULL, &d, &r);
    NULL_IN(tmap_backend_build, descriptor, BAD, &f.backend, &f.params, NULL, &r);
    NULL_IN(tmap_backend_build, refusal, TMAP_OK, &f.backend, &f.params, &d, NULL);
    NULL_IN(tmap_backend_set_allocation_class, backend, BAD, NULL, &d, TMAP_ALLOCATION_SMALL, &set, &r);
    NULL_IN(tmap_backend_set_allocation_class, descriptor, BAD, &f.backend, NULL, TMAP_ALLOCATION_SMALL, &set, &r);
    NULL_IN(tmap_backend_set_allocation_class, out, TMAP_OK, &f.backend, &d, TMAP_ALLOCATION_SMALL, NULL, &r);
    NULL_IN(tmap_backend_set_allocation_class, refusal, TMAP_OK, &f.backend, &d, TMAP_ALLOCATION_SMALL, &set, NULL);
}

TEST(others) {
    fixture f = make();
    tmap_descriptor other = f.descriptor;
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    const tmap_diag diag = {.severity = TMAP_ERROR};
    const tmap_copy_params replace = {.op = TMAP_OP_REPLACE, .field = TMAP_REPLACEABLE_ADDRESS};
    other.bytes[0] ^= 16;
    NULL_IN(tmap_copy_facts, ids, (int)tmap_copy_facts(&f.copies[0], (const char *[64]){NULL}, 64), &f.copies[0], NULL,
            0);
    NULL_IN(tmap_descriptor_diff, diffs, 1, &f.descriptor, &other, NULL, 0);
    assert_null(NULL_CALL(tmap_diags_add, diags, NULL, &diag));
    NULL_CALL(tmap_diags_free, diags, NULL);
    NULL_CALL(tmap_text_free, text, NULL);
    NULL_CALL(tmap_write, text, &sink, NULL, 0);
    assert_false(sink.failed);
    NULL_CALL(tmap_replace_print, value, &sink, &replace, "map", NULL);
    assert_non_null(strstr(text.data, "[map]"));
    tmap_text_free(&text);
}
