/*
 * import: what programs print when a tensor map is refused, wherever it is in a log, as parameters.
 *
 * Dumps of parameters are read in the forms of CUTLASS and tilelang, TensorRT-LLM (also in FlashInfer, vLLM, SGLang),
 * ThunderKittens, FlashMLA, DeepGEMM and Triton (src/import/dump_formats.def). Where a library refuses a map and prints
 * no parameters (CCCL, cuda.core, asserts of CUTLASS, checks of tilelang and Triton), the message is read
 * (src/import/refusals.def). Anything may precede a line's text: names of
 * processes and containers, times, quotes, colours. Lines of several writers may be mixed, as long as each line is
 * whole and what precedes it tells the writers apart.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_IMPORT_H
#define TMAP_IMPORT_H

#include "tmap/rule.h"
#include "tmap/unstable/params_count.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was found. */
typedef struct tmap_imported {
    int line;           /* where it begins, from 1 */
    const char *origin; /* "CUTLASS", "tilelang", ...: whose form it has */

    tmap_map_params params; /* enums are the driver's numbers, possibly ones that it does not have */
    bool whole;             /* all parameters of the form are there and readable; else a finding says what is missing */
    bool usable;            /* at least type, dims and box (of im2col: channels) are: what is there can be judged */
    const char *assumed;    /* what the form does not print, and what stands in params instead; NULL: nothing */
    tmap_mark marks[TMAP_FIELD_COUNT]; /* the name of each parameter in the log; line 0: it is not there */

    bool has_result;
    int result; /* the CUresult beside the dump or the message */

    const char *rule; /* of a message instead of a dump: the rule that the library enforces; NULL: a dump */
    const char *note; /* how the library's condition differs from the rule; NULL: not at all */
} tmap_imported;

#define TMAP_IMPORT_WRITERS 32

/* A cursor over a text, which it borrows. Set `text`, `size` and `path` (for findings) in a zeroed one. */
typedef struct tmap_import {
    const char *text;
    size_t size;
    const char *path;
    /* Its own: how far it is, and what was read ahead of each writer's lines. */
    size_t at;
    int line;
    struct {
        uint64_t writer;
        size_t end;
    } read[TMAP_IMPORT_WRITERS];
    int read_n;
    bool has_result; /* a CUresult that no dump has taken */
    int result, result_line;
    bool other_call;  /* it is of a call that encodes no map */
    int refused_line; /* of the first message that a map was refused; 0: none */
} tmap_import;

/*
 * The next dump or message, whole or not; false past the last. What is missing, cut or garbled is a finding of rule
 * import-format with its line.
 */
TMAP_API bool tmap_import_next(tmap_import *import, tmap_diags *diags, tmap_imported *out) TMAP_NONNULL(1, 3);

/*
 * A descriptor in a text: 256 hexadecimal digits; what gdb and cuda-gdb print of a CUtensorMap (p map, with
 * <repeats N times>; of an array of char; x/16gx, x/32wx, x/128bx, with their addresses); the output of xxd, hexdump
 * and od, with "*" for lines that repeat; an initialiser in C; a list, a bytes literal or bytes.fromhex() in Python.
 * 16, 32, 64 or 128 numbers are words of 8, 4 or 2 bytes or bytes, the low byte of a word first. False, and
 * `descriptor` unchanged: the text has another form. *numbers_n, where it is not NULL: how many numbers the text has,
 * to tell why; 0: none.
 */
TMAP_API bool tmap_import_descriptor(const char *text, size_t size, tmap_descriptor *descriptor, size_t *numbers_n)
    TMAP_NONNULL(3);

#ifdef __cplusplus
}
#endif

#endif
