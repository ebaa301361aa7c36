/*
 * Point: 5
 * Proves: the functions called below have no undefined behaviour except in the listed alarms, with any text as a
 *     name, any numbers, and any bytes as a descriptor. The functions are the stable functions of room base except
 *     those for memory, the functions of rooms hw and params that find or print names, and the rest of room codec.
 * Assumes: alignment is not part of the proof (tests/proofs/eva.h). The room text, which prints numbers and finds
 *     the nearest word, is not part of the proof. The alarms are false alarms of Eva, which does not record
 *     relations between two values. type_words.c: the loops end at the zero byte of a text, no part is empty, and
 *     strpbrk returns NULL or a place in its text. replaceables.c: if a search finds the row or word of a number, the
 *     next search finds the same row or word. fields.c: memcmp follows tmap_map_params_dense, which accepted the rank
 *     and wrote the strides that memcmp compares.
 * Bounds: a name has up to 47 characters, a printed text up to 64 bytes.
 * Tool: eva
 * Sources: src/core/hw/swizzle.c src/core/hw/tables.c src/core/hw/replaceables.c src/core/hw/forms.c src/core/hw/qualifiers.c src/core/hw/reductions.c
 *     src/core/hw/descriptor_bits.c src/core/hw/type_words.c src/core/params/fields.c src/core/params/cache_policy.c src/core/params/derive.c
 *     src/core/base/status.c src/core/base/sink.c src/core/base/memory.c src/core/codec/diff.c src/core/codec/encode.c
 * Alarms: src/core/hw/type_words.c: out of bounds read: 5; src/core/hw/type_words.c: pointer comparison: 1;
 *     src/core/hw/replaceables.c: out of bounds read: 7; src/core/hw/replaceables.c: precondition of strcmp: 1;
 *     src/core/params/fields.c: precondition of memcmp: 6
 */
#include "any.h"
#include "params/fields.h"
#include "text/nearest.h"
#include "text/print.h"
#include "tmap/codec.h"
#include "tmap/unstable/changes.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

static char name[48], text[64];
static tmap_map_params map;
static tmap_copy_params copy;
static tmap_descriptor descriptor;

void tmap_printf(tmap_sink *sink, const char *format, ...) {
    (void)format;
    sink->failed = any_int;
}

void tmap_append_item(char *to, size_t size, const char *format, ...) {
    (void)format;
    for (size_t i = 0; i + 1 < size; i++) to[i] = (char)any_int;
}

const char *tmap_nearest(const char *word, const char *const *candidates, size_t count) {
    (void)word;
    return count > 0 && any_int ? candidates[0] : NULL;
}

static bool write_any(void *context, const char *from, size_t size) {
    (void)context, (void)from, (void)size;
    return any_int;
}

static void find_names(void) {
    const char *alias;
    tmap_type type;
    (void)(tmap_arch_find(name) + tmap_type_find(name) + tmap_swizzle_find(name) + tmap_mode_find(name));
    (void)(tmap_interleave_find(name) + tmap_l2_promotion_find(name) + tmap_oob_fill_find(name));
    (void)tmap_allocation_class_find(name), (void)tmap_op_find(name), (void)tmap_toolkit_find(name);
    (void)tmap_replaceable_find(name), (void)tmap_space_find(name), (void)tmap_qualifier_find(name);
    (void)tmap_type_suggest(name), (void)tmap_type_alias_get(any_int, &alias, &type);
    (void)tmap_replace_word_find((tmap_replaceable)any_int, name), (void)tmap_arch_is_before_tma(name);
    const tmap_change_info *change = tmap_change_get(any_int);
    if (change) (void)tmap_change_is_about(change, name);
}

static void get_rows(void) {
    int b, m, s;
    const tmap_swizzle_info *swizzle = tmap_swizzle_get(any_int);
    if (swizzle) (void)tmap_swizzle_cute(swizzle, &b, &m, &s), (void)tmap_swizzle_period_B(swizzle);
    (void)tmap_reduction_get(any_int), (void)tmap_reduction_of((tmap_op)any_int, (tmap_type)any_int);
    (void)tmap_reduction_by((tmap_reduces)any_int, (tmap_op)any_int, (tmap_type)any_int);
    (void)tmap_type_of_code(any_long, any_int), (void)tmap_archs_of_chip(any_int);
    (void)tmap_ptx_version_of_cuda(any_int), (void)tmap_cuda_version_of_ptx(any_int),
        (void)tmap_toolkit_of_ptx(any_int);
    (void)tmap_replaceable_get(any_int), (void)tmap_replace_word((tmap_replaceable)any_int, any_long);
    (void)tmap_replace_ptx_version((tmap_replaceable)any_int, any_long), (void)tmap_space_name(any_int);
    (void)tmap_field_get(any_int), (void)tmap_status_name((tmap_status)any_int), (void)tmap_version();
    (void)tmap_archs_print(any_long, text, sizeof text);
}

static void use_params(tmap_sink *sink) {
    (void)tmap_map_params_tiled((tmap_type)any_int, any_long), (void)tmap_map_params_dense(&map);
    make_any(&map, sizeof map);
    (void)tmap_map_params_are_dense(&map), (void)tmap_qualifiers_of(&copy), (void)tmap_load_mode_of(&map, &copy);
    (void)tmap_dim_of(&map, &copy), tmap_replace_print(sink, &copy, name, name);
}

int main(void) {
    tmap_sink sink = {.write = write_any};
    make_any(name, sizeof name), name[47] = 0;
    make_any(&map, sizeof map), make_any(&copy, sizeof copy), copy.has_load_mode = any_int; /* 0 or 1 */
    make_any(&descriptor, sizeof descriptor);
    find_names();
    get_rows();
    use_params(&sink);
    tmap_puts(&sink, name), tmap_write(&sink, NULL, 0);
    (void)tmap_descriptor_meaning((tmap_descriptor_field)any_int, any_long, any_long, text, sizeof text);
    (void)tmap_descriptor_rank(&descriptor), (void)tmap_descriptor_unknown_mode((tmap_mode)any_int);
    return 0;
}
