/*
 * import: finds in a log the texts that programs print when a tensor map is refused, and reads them as parameters.
 *
 * Dumps of parameters are read in the forms of CUTLASS and tilelang, TensorRT-LLM (also in FlashInfer, vLLM, SGLang),
 * ThunderKittens, FlashMLA, DeepGEMM and Triton (src/spec/import/dump_formats.def), and calls that a program prints as
 * NAME=VALUE or NAME: VALUE with the driver's names or names of specs, and descriptors that a program prints as words.
 * If a library refuses a map and prints no parameters (CCCL, cuda.core, JAX, asserts of CUTLASS, checks of tilelang and
 * Triton), or if ptxas or compute-sanitizer refuses a copy, the message is read (src/spec/import/refusals.def). Any
 * text may precede a line: names of processes and containers, times, quotes, colours. Lines of several writers may be
 * mixed, if each line is whole and the preceding text distinguishes the writers.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_IMPORT_H
#define TMAP_IMPORT_H

#include "tmap/rule.h"
#include "tmap/unstable/params_count.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A dump, a message, or a CUresult that belongs to neither: of another call, or far from a dump. */
typedef struct tmap_imported {
    int line;           /* first line, from 1 */
    const char *origin; /* the library whose form it has: "CUTLASS", "tilelang", ...; "the program": a call as
                           NAME=VALUE; NULL: a CUresult alone */

    tmap_map_params params; /* enums are the driver's numbers, which may be invalid */
    bool whole;       /* all parameters of the form are present and readable; else a finding names the missing ones */
    bool outer_first; /* the lists were outermost first and have been reversed */
    bool usable; /* the rules can be checked: at least type, dims and box are present (im2col: the channels per pixel in
                    place of the box; with origin "the program" also the corners) */
    const char *assumed; /* parameters that the form does not print, and the values assumed in params; NULL: none */
    tmap_mark marks[TMAP_FIELD_COUNT]; /* position of each parameter's name in the log; line 0: not present */

    bool has_result;
    int result; /* the CUresult that belongs to the dump or the message */

    bool has_map_address; /* the form prints the address of the CUtensorMap that was passed to the driver */
    uint64_t map_address;
    tmap_mark map_mark;

    const char *rule; /* for a message: the rule that the library enforces; NULL: a dump */
    const char *note; /* the difference between the library's condition and the rule; NULL: none */
    char fix[200];    /* for a message: the fix */

    char descriptor[64]; /* for a CUresult alone: the name of the descriptor in its message; else empty */
} tmap_imported;

#define TMAP_IMPORT_WRITERS 32

/* The words of dumps and messages, as a filter for lines that may have one (private). */
typedef struct tmap_import_filter {
    uint64_t bits[1024], grams[512], groups[512];
    uint64_t firsts[8]; /* the first letters of the keys of each format, as bits */
    bool made;
} tmap_import_filter;

/* A line that was read (private). at: its place in the text + 1; 0: none yet. */
typedef struct tmap_import_line {
    size_t at, size;
    uint64_t words;        /* its groups of words */
    bool plain, has_words; /* its text is that of the log; `words` is known */
} tmap_import_line;

/* The meaning of a word (private): as a value of a field, or as the name of a parameter (field -1). */
typedef struct tmap_import_word {
    char word[64]; /* empty: none yet */
    int field, meaning;
    unsigned certainty;
} tmap_import_word;

/* The arguments of the encoding call in a line (private), by their positions. at: as in tmap_import_line. */
typedef struct tmap_import_call {
    size_t at;
    int n;
    struct {
        uint16_t begin, end; /* in the text of the line */
        int field;
    } arguments[16];
} tmap_import_call;

#define TMAP_IMPORT_WAYS 5

/* The numbers of a line that can be words of a descriptor, in each way to read them (private). */
typedef struct tmap_import_numbers {
    size_t at, end; /* the line in the text; end 0: none yet */
    int end_line;
    bool begins;    /* the text begins with 0x */
    uint64_t first; /* the number of values before those of the line */
    struct {
        uint8_t n;
        bool seen, at_0;         /* seen: the line has numbers, words or not; at_0: they follow the label 0 */
        uint16_t digits, common; /* of each word, if the line is the first; of each number; 0: not equal */
    } ways[TMAP_IMPORT_WAYS];
} tmap_import_numbers;

/* A line that was read ahead for a dump of `format` (private). Places in the line are -1 if the line lacks the text. */
typedef struct tmap_import_part {
    const void *format; /* NULL: none yet */
    size_t at, end;     /* the line in the text */
    int end_line, head, begin, key;
    uint64_t writer, key_writer;
} tmap_import_part;

/*
 * A cursor over a text, which it borrows. Initialize all members to 0, then set `text`, `size` and `path` (for
 * findings). anywhere: parameters as NAME=VALUE need no word for a map or a call near them.
 */
typedef struct tmap_import {
    const char *text;
    size_t size;
    const char *path;
    bool anywhere;
    /* Private: the position, and the lines of each writer that were read ahead. */
    size_t at;
    int line;
    struct {
        uint64_t writer;
        size_t end;
    } read[TMAP_IMPORT_WRITERS];
    int read_n;
    bool has_result; /* a CUresult of an encoding call that belongs to no dump yet */
    int result, result_line;
    int refused_line;        /* line of the first message that a map was refused; 0: none */
    char descriptor[64];     /* the name of the descriptor in the last such message */
    int kind;                /* 1: the text is a spec, 2: it is not, 0: not known yet */
    int header, header_line; /* what the last line about a map or an encoding call names (named_values.h) */
    bool mixed;              /* a finding reports lines of several processes */
    tmap_import_filter filter;
    tmap_import_part parts[256];
    tmap_import_line lines[512];
    tmap_import_word words[128];
    tmap_import_call call;
    tmap_import_numbers numbers[1024];
    uint64_t values[8192], values_n; /* of the last lines with numbers */
} tmap_import;

/*
 * Writes the next dump, message or CUresult, whole or not, to *out; returns false after the last. Missing, cut or
 * unreadable parts are findings of rule import-format with their lines; if lines of several processes are mixed, only
 * the first of their dumps has a finding.
 */
TMAP_API bool tmap_import_next(tmap_import *import, tmap_diags *diags, tmap_imported *out) TMAP_NONNULL(1, 3);

/*
 * Adds a finding of rule tensor-map-align if the address of the CUtensorMap is not a multiple of 64. Adds nothing if
 * the dump has no address. doubts: no other rule explains the error; then also a finding of tensor-map-align-128 for an
 * address that is not a multiple of 128.
 */
TMAP_API void tmap_import_check_address(const tmap_imported *found, const tmap_judge *judge, bool doubts,
                                        tmap_diags *diags) TMAP_NONNULL(1, 2, 4);

/* Why a text is not read as a descriptor. */
typedef struct tmap_unread {
    size_t numbers_n; /* numbers in the text; 0: none */
    size_t bytes_n;   /* bytes in lines of bytes or words; 0: none */
    bool ambiguous;   /* the text can mean different bytes */
    bool output;      /* the text starts like output of gdb, od, xxd or hexdump, not like YAML */
} tmap_unread;

/*
 * Reads a descriptor from a text: 256 hexadecimal digits; the output of gdb and cuda-gdb for a CUtensorMap (p map, with
 * <repeats N times>; for an array of char; x/16gx, x/32wx, x/128bx and the other formats of integers, with the
 * addresses); the output of xxd, hexdump and od in their columns, with "*" for lines that repeat; an initializer in C,
 * whose array may be longer than the list; a list, a bytes literal or bytes.fromhex() in Python; bytes, or words with
 * 0x, after a label with a colon on each line, as lldb prints them. Prompts before and after the output are skipped. If
 * the text has no type, 16, 32, 64 or 128 numbers are words of 8, 4, 2 or 1 bytes; the low byte of a word comes first.
 * Returns false, and does not change `descriptor`, if the text has another form, or if two forms fit it and give
 * different bytes; *why (may be NULL) then gives the reason.
 */
TMAP_API bool tmap_import_descriptor(const char *text, size_t size, tmap_descriptor *descriptor, tmap_unread *why)
    TMAP_NONNULL(3);

#ifdef __cplusplus
}
#endif

#endif
