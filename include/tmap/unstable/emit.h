/*
 * emit: writes results as text: JSON, hexadecimal digits, C, and diagnostics for people and for programs.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_EMIT_H
#define TMAP_EMIT_H

#include "tmap/codec.h"
#include "tmap/emu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The text of a file. Diagnostics quote lines of it. */
typedef struct tmap_source {
    const char *path, *text;
    size_t size;
    size_t near; /* for a log, whose lines end with \n alone: the start of line near_line, close to the quoted lines */
    int near_line; /* from 1; 0: the text is a spec */
} tmap_source;

/* Options of diagnostics as text. */
typedef struct tmap_render {
    bool color;
    const tmap_source *sources; /* may be NULL: no lines are quoted */
    size_t sources_n;
} tmap_render;

/*
 * Writes diagnostics as text: "path:line:column: error: message [rule]", the line with a mark under it, then given,
 * allowed, fix, symptom and notes.
 */
TMAP_API void tmap_emit_diags(tmap_sink *sink, const tmap_diags *diags, const tmap_render *render)
    TMAP_NONNULL(1, 2, 3);
/*
 * Writes one diagnostic as a JSON object of the `check --json` format, without a newline at the end. `depth` is the
 * number of objects and arrays that contain the object; lines are indented by two spaces for each. -1: all on one line.
 */
TMAP_API void tmap_emit_diag_json(tmap_sink *sink, const tmap_diag *diag, int depth) TMAP_NONNULL(1, 2);

/*
 * Writes a refusal as text, as tmap_emit_diags writes an error. The first line begins with expression->path. The
 * record's position refers to expression->text, which may be NULL.
 */
TMAP_API void tmap_emit_refusal(tmap_sink *sink, const tmap_diag *refusal, const tmap_source *expression, bool color)
    TMAP_NONNULL(1, 2, 3);
/* Returns the line and column of the record's position in `expression`, which must have a text. */
TMAP_API tmap_mark tmap_place_in(const tmap_source *expression, const tmap_diag *refusal) TMAP_NONNULL(1, 2);

/* Writes `size` bytes as hexadecimal digits without spaces. */
TMAP_API void tmap_emit_hex(tmap_sink *sink, const void *bytes, size_t size) TMAP_NONNULL(1);

/*
 * Writes a C definition of the descriptor: `alignas(128) static const uint64_t NAME[16] = {…};` with the fields as
 * comments, valid C11 and C++11. `name` is converted to a C identifier; NULL: tensor_map.
 */
TMAP_API void tmap_emit_descriptor_c(tmap_sink *sink, const char *name, const tmap_descriptor *descriptor)
    TMAP_NONNULL(1, 3);
/* Writes all 1024 bits: field by field with raw number and meaning, then the bits that belong to no field. */
TMAP_API void tmap_emit_descriptor_bits(tmap_sink *sink, const tmap_descriptor *descriptor) TMAP_NONNULL(1, 2);
/* Writes a descriptor as a JSON object of the `decode --json` format, indented as in tmap_emit_diag_json. */
TMAP_API void tmap_emit_descriptor_json(tmap_sink *sink, const tmap_descriptor *descriptor, int depth)
    TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
