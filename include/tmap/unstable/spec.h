/*
 * spec: reads and writes YAML. Reads the spec format (docs/spec.md) as parameters with a position in the file for every
 * value, checks them by the rules, formats files, and writes parameters as specs. Requires libyaml.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_SPEC_H
#define TMAP_SPEC_H

#include "tmap/codec.h"
#include "tmap/emu.h"
#include "tmap/map.h"
#include "tmap/unstable/size.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmap_spec tmap_spec;

/* A tensor of a file. */
typedef struct tmap_spec_tensor {
    const char *name;
    const tmap_map_params *params;
    bool readable;                   /* the reader found no error in the tensor, so params can be checked */
    bool outer_first;                /* order of dimensions in the file */
    bool has_axes;                   /* the file names the axes */
    const char *axes[TMAP_RANK_MAX]; /* innermost first; defaults if the file has none */
    tmap_mark mark;                  /* of its name */
} tmap_spec_tensor;

/* An expectation `bytes:`: the bytes at a shared address (loads) or a global offset (stores). */
typedef struct tmap_expect_bytes {
    uint64_t address;
    const uint8_t *bytes;
    size_t size;
    tmap_mark mark;
} tmap_expect_bytes;

/* The expectations of a copy. */
typedef struct tmap_expect {
    bool has_tx_B, has_written_B, has_filled_B, has_sectors;
    uint64_t tx_B, written_B, filled_B, sectors_n;
    const char *digest; /* 64 hexadecimal digits or NULL */
    const char *rule;   /* slug of the rule that must refuse the copy, or NULL */
    const tmap_expect_bytes *bytes;
    size_t bytes_n;
} tmap_expect;

/* A copy of a file. */
typedef struct tmap_spec_copy {
    const char *name;
    size_t tensor; /* index; SIZE_MAX if the file names no existing tensor */
    const tmap_copy_params *params;
    bool readable;
    const tmap_expect *expect;
    tmap_mark mark;
} tmap_spec_copy;

/*
 * Reads a file's text (any bytes; time and memory are bounded). The reader's findings are added to `diags`; all
 * readable parts are in *spec. After TMAP_OK and TMAP_REFUSED the caller frees *spec with tmap_spec_free. `path` is for
 * messages and is copied.
 */
TMAP_API tmap_status tmap_spec_read(const char *text, size_t size, const char *path, const tmap_allocator *allocator,
                                    tmap_diags *diags, tmap_spec **spec);
/* As tmap_spec_read, with `values_n` values for sizes of the file; a name that is not a size is a finding. */
TMAP_API tmap_status tmap_spec_read_sized(const char *text, size_t size, const char *path,
                                          const tmap_size_value *values, size_t values_n,
                                          const tmap_allocator *allocator, tmap_diags *diags, tmap_spec **spec);
TMAP_API void tmap_spec_free(tmap_spec *spec);

TMAP_API size_t tmap_spec_tensors_n(const tmap_spec *spec) TMAP_NONNULL(1);
TMAP_API size_t tmap_spec_copies_n(const tmap_spec *spec) TMAP_NONNULL(1);
TMAP_API tmap_spec_tensor tmap_spec_tensor_get(const tmap_spec *spec, size_t i) TMAP_NONNULL(1);
TMAP_API tmap_spec_copy tmap_spec_copy_get(const tmap_spec *spec, size_t i) TMAP_NONNULL(1);
/* Return the index of a name, SIZE_MAX if there is no such name. If a name is used twice, which is an error, it belongs
 * to the first of these: a buffer or barrier, a tensor, a copy, a layout. */
TMAP_API size_t tmap_spec_tensor_find(const tmap_spec *spec, const char *name) TMAP_NONNULL(1, 2);
TMAP_API size_t tmap_spec_copy_find(const tmap_spec *spec, const char *name) TMAP_NONNULL(1, 2);
TMAP_API size_t tmap_spec_layouts_n(const tmap_spec *spec) TMAP_NONNULL(1);
TMAP_API size_t tmap_spec_layout_find(const tmap_spec *spec, const char *name) TMAP_NONNULL(1, 2);
/* Returns the layouts as names for expressions. The spec must outlive them. */
TMAP_API struct tmap_layout_names tmap_spec_layout_names(const tmap_spec *spec) TMAP_NONNULL(1); /* of language.h */
/* Return the sizes of the file. A fixed size has one value. */
TMAP_API int tmap_spec_sizes_n(const tmap_spec *spec) TMAP_NONNULL(1);
TMAP_API tmap_size tmap_spec_size_get(const tmap_spec *spec, int i) TMAP_NONNULL(1);
/*
 * Return the sizes with more than one value on which the numbers of a tensor, or of a copy and its tensor, depend: bit
 * i is size i. Such parameters have their least values and cannot be frozen.
 */
TMAP_API uint32_t tmap_spec_tensor_sizes(const tmap_spec *spec, size_t tensor) TMAP_NONNULL(1);
TMAP_API uint32_t tmap_spec_copy_sizes(const tmap_spec *spec, size_t copy) TMAP_NONNULL(1);
/*
 * Returns TMAP_REFUSED, with a finding that names legal values, if a size on which a number depends has more than one
 * value.
 */
TMAP_API tmap_status tmap_spec_has_values(const tmap_spec *spec, tmap_diags *diags) TMAP_NONNULL(1) TMAP_MUST_USE;
/* A buffer, or a barrier, of the section `shared`. */
typedef struct tmap_spec_buffer {
    const char *name;
    uint64_t at, size_B;        /* shared address and size of stage 0 */
    uint64_t pitch_B, stages_n; /* distance and number of stages */
    uint64_t align_B;
    uint64_t arrivals, expect_tx_B; /* of a barrier, for each phase; 0: a buffer, or not given */
    int swizzle;                    /* the tmap_swizzle that the readers expect; -1: not given */
    const char *reader;             /* "wgmma", "tcgen05", "ldmatrix", "ld"; NULL: not given */
    uint64_t columns;               /* of a stage of tensor memory, whose `at` and `pitch_B` count 512 bytes a column;
                                     * 0: shared memory */
    tmap_mark mark;                 /* of its name */
} tmap_spec_buffer;

TMAP_API size_t tmap_spec_buffers_n(const tmap_spec *spec) TMAP_NONNULL(1);
TMAP_API tmap_spec_buffer tmap_spec_buffer_get(const tmap_spec *spec, size_t i) TMAP_NONNULL(1);
/*
 * Returns the bytes of shared memory that a thread block can access, from address 0 on: the least known among `archs`,
 * 0 if none is known; if archs is 0, the largest of all architectures.
 */
TMAP_API uint64_t tmap_shared_window_B(tmap_archs archs);
TMAP_API tmap_archs tmap_spec_archs(const tmap_spec *spec) TMAP_NONNULL(1); /* of `arch:`; 0: not given */
/* Returns whether the file accepts a fact by its id (`accept:`), whatever the evidence for the fact. */
TMAP_API bool tmap_spec_accepts(const tmap_spec *spec, const char *fact) TMAP_NONNULL(1, 2);
TMAP_API int tmap_spec_toolkit(const tmap_spec *spec) TMAP_NONNULL(1); /* of `toolkit:`, 13040 for 13.4; 0: not given */
TMAP_API const char *tmap_spec_path(const tmap_spec *spec) TMAP_NONNULL(1);

/*
 * Return the position of a field of a tensor or copy, or that of the subject's name if the file does not give the
 * field.
 */
TMAP_API tmap_mark tmap_spec_tensor_mark(const tmap_spec *spec, size_t tensor, int field, int dim) TMAP_NONNULL(1);
TMAP_API tmap_mark tmap_spec_copy_mark(const tmap_spec *spec, size_t copy, int field, int dim) TMAP_NONNULL(1);

/*
 * Checks everything readable in the spec by the rules; findings have positions. `judge` (may be NULL) gives
 * architectures and levels; if its archs are 0, the file's are used. A copy whose `expect` names a rule must break this
 * rule: that finding is dropped, and its absence is a finding.
 */
TMAP_API tmap_status tmap_spec_check(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags);
/*
 * As tmap_spec_check; also writes the conditions that some values of the file's sizes break. The caller frees
 * *conditions with tmap_spec_conditions_free, before the spec. A finding about sizes names the least values that break
 * its rule.
 */
typedef struct tmap_spec_conditions tmap_spec_conditions;
TMAP_API tmap_status tmap_spec_check_sizes(const tmap_spec *spec, const tmap_judge *judge, tmap_diags *diags,
                                           tmap_spec_conditions **conditions) TMAP_NONNULL(1) TMAP_MUST_USE;
TMAP_API size_t tmap_spec_conditions_n(const tmap_spec_conditions *conditions) TMAP_NONNULL(1);
TMAP_API const tmap_condition *tmap_spec_condition_get(const tmap_spec_conditions *conditions, size_t i)
    TMAP_NONNULL(1);
TMAP_API void tmap_spec_conditions_free(tmap_spec_conditions *conditions);
/* As tmap_spec_check for one tensor, or for one copy whose tensor was accepted. */
TMAP_API tmap_status tmap_spec_check_tensor(const tmap_spec *spec, size_t tensor, const tmap_judge *judge,
                                            tmap_diags *diags) TMAP_NONNULL(1) TMAP_MUST_USE;
TMAP_API tmap_status tmap_spec_check_copy(const tmap_spec *spec, size_t copy, const tmap_judge *judge,
                                          tmap_diags *diags) TMAP_NONNULL(1) TMAP_MUST_USE;
/*
 * Judges the expectations of a copy that need no contents of memory: tx_bytes, written_bytes, filled_bytes, sectors; of
 * an operation on a map also bytes and digest. Each that is wrong is a finding expect-failed, and the result is then
 * TMAP_REFUSED. Judges nothing in a copy that the rules refuse, and only tx_bytes in a copy with free sizes. The other
 * functions that check a copy call this function.
 */
TMAP_API tmap_status tmap_spec_judge_expect(const tmap_spec *spec, size_t copy, const tmap_judge *judge,
                                            tmap_diags *diags) TMAP_NONNULL(1) TMAP_MUST_USE;
/* Check and freeze: tmap_map_init and tmap_copy_init with positions in findings. The copy's map is initialized, too. */
TMAP_API tmap_status tmap_spec_map(const tmap_spec *spec, size_t tensor, const tmap_judge *judge, tmap_diags *diags,
                                   tmap_map *map) TMAP_NONNULL(1);
TMAP_API tmap_status tmap_spec_copy_init(const tmap_spec *spec, size_t copy, const tmap_judge *judge, tmap_diags *diags,
                                         tmap_copy *out) TMAP_NONNULL(1) TMAP_MUST_USE;

/* As tmap_spec_copy_init for a copy whose op is replace: tmap_replacement_init with positions in findings. */
TMAP_API tmap_status tmap_spec_replacement_init(const tmap_spec *spec, size_t copy, const tmap_judge *judge,
                                                tmap_diags *diags, tmap_replacement *out) TMAP_NONNULL(1) TMAP_MUST_USE;

/*
 * Writes a file's text in canonical form and keeps its comments. Returns TMAP_REFUSED, and writes nothing, for a syntax
 * error.
 */
TMAP_API tmap_status tmap_spec_format(const char *text, size_t size, const char *path, tmap_diags *diags,
                                      tmap_sink *sink) TMAP_NONNULL(3) TMAP_MUST_USE;

/* Writes parameters as a spec file with the one tensor `name`; parameters with default values are skipped. */
TMAP_API void tmap_spec_write(tmap_sink *sink, const char *name, const tmap_map_params *params) TMAP_NONNULL(1, 2, 3);
/* As tmap_spec_write, with order: outer_first. */
TMAP_API void tmap_spec_write_outer_first(tmap_sink *sink, const char *name, const tmap_map_params *params)
    TMAP_NONNULL(1, 2, 3);
/* Writes copies of `tensor` for the end of that file: `names` and `copies`, `n` of each. */
TMAP_API void tmap_spec_write_copies(tmap_sink *sink, const char *tensor, const tmap_copy_params *copies,
                                     const char *const *names, size_t n) TMAP_NONNULL(1, 2, 3);

/* A key of the format, for the schema's test and for completion. */
typedef struct tmap_spec_key {
    const char *section; /* "file", "tensor", "copy", "expect" */
    const char *name;
    const char *alias; /* the driver's name, or NULL */
    const char *kind;  /* "integer", "integers", "name", "names", "map", "bytes", "list" … */
    const char *words; /* other libraries' names that the reader accepts, with spaces between them, or NULL */
} tmap_spec_key;
TMAP_API const tmap_spec_key *tmap_spec_key_get(int i); /* NULL after the last */

#ifdef __cplusplus
}
#endif

#endif
