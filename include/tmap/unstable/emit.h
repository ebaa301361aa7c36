/*
 * emit: results as text: JSON, hexadecimal, C, and diagnostics for people and for programs.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_EMIT_H
#define TMAP_EMIT_H

#include "tmap/codec.h"
#include "tmap/emu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file's text, for the lines that diagnostics quote. */
typedef struct tmap_source {
    const char *path, *text;
    size_t size;
} tmap_source;

typedef struct tmap_render {
    bool color;
    const tmap_source *sources; /* may be NULL: no lines quoted */
    size_t sources_n;
} tmap_render;

/*
 * Diagnostics as text: "path:line:column: error: message [rule]", the line with a mark under it, then given, allowed,
 * fix, symptom and notes.
 */
TMAP_API void tmap_emit_diags(tmap_sink *sink, const tmap_diags *diags, const tmap_render *render) TMAP_NONNULL(1, 3);
/*
 * One diagnostic as a JSON object of the `check --json` format, without a newline at the end. `depth` is the number of
 * objects and arrays that contain the object: its lines are indented by two spaces for each. -1: all on one line.
 */
TMAP_API void tmap_emit_diag_json(tmap_sink *sink, const tmap_diag *diag, int depth) TMAP_NONNULL(1, 2);

/*
 * A refusal as text, as tmap_emit_diags shows an error. The first line begins with the path of `expression`; its text,
 * or NULL, is the expression in which the record has its place.
 */
TMAP_API void tmap_emit_refusal(tmap_sink *sink, const tmap_diag *refusal, const tmap_source *expression, bool color)
    TMAP_NONNULL(1);
/* The line and column of the record's place in `expression`, which has a text. */
TMAP_API tmap_mark tmap_place_in(const tmap_source *expression, const tmap_diag *refusal) TMAP_NONNULL(1);

/* `size` bytes as hexadecimal digits without spaces. */
TMAP_API void tmap_emit_hex(tmap_sink *sink, const void *bytes, size_t size) TMAP_NONNULL(1);

/* A C definition of the descriptor: `alignas(128) static const uint64_t NAME[16] = {…};` with its fields as
 * comments, valid C11 and C++11. `name` is turned into a C identifier; NULL: tensor_map. */
TMAP_API void tmap_emit_descriptor_c(tmap_sink *sink, const char *name, const tmap_descriptor *descriptor)
    TMAP_NONNULL(1, 3);
/* All 1024 bits, field by field with raw and meaning, and the bits that no field claims. */
TMAP_API void tmap_emit_descriptor_bits(tmap_sink *sink, const tmap_descriptor *descriptor) TMAP_NONNULL(1, 2);
/* A descriptor as a JSON object of the `decode --json` format, indented like a diagnostic. */
TMAP_API void tmap_emit_descriptor_json(tmap_sink *sink, const tmap_descriptor *descriptor, int depth)
    TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
