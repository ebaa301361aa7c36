/* import: the text of a descriptor during its reading, and the bytes that were read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tmap/codec.h"

#define BYTES TMAP_DESCRIPTOR_B

/* A text that is read from start to end. */
typedef struct scan {
    const char *at, *end;
} scan;

/* The bytes so far; n above BYTES: too many. */
typedef struct byte_run {
    uint8_t bytes[BYTES];
    size_t n;
} byte_run;

/* The result of all readers. read: a reader can read the text; ambiguous: two readers read different bytes. */
typedef struct readings {
    byte_run run;
    bool read, ambiguous;
    size_t numbers_n; /* numbers in the text, for a message; 0: none */
} readings;

bool scan_space(char c);
char scan_next(const scan *s); /* 0 at the end */
bool scan_begins(const scan *s, const char *words);
void scan_skip_spaces(scan *s);
void scan_skip_past(scan *s, const char *words); /* without the words: to the end */
scan scan_line(scan *s);                         /* reads a line, without its newline */
scan scan_word(scan *s);                         /* reads the characters up to the next space */

void run_add(byte_run *run, unsigned byte);
/* Adds the low `size` bytes of a word, the lowest first: hosts of GPUs are little-endian. */
void run_add_word(byte_run *run, uint64_t word, size_t size);
/* Whether the low `size` bytes represent the number, unsigned or as a two's complement. */
bool run_fits(uint64_t number, size_t size);

/* A run of BYTES bytes is a reading of the text. */
void readings_add(readings *found, const byte_run *run);

/* The readers. Each adds to `found` what the text can mean in its forms. */
void read_byte_dumps(scan text, readings *found);   /* od, hexdump, xxd; digits of bytes in order */
void read_number_lists(scan text, readings *found); /* gdb, C, Python */
void read_python_bytes(scan text, readings *found); /* b'...', bytes.fromhex('...') */
void read_gdb_strings(scan text, readings *found);  /* an array of char */
