/* import: the text of a descriptor during its reading, and the bytes that were read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/cursor.h"
#include "tmap/codec.h"

#define BYTES TMAP_DESCRIPTOR_B

/* The bytes so far; n above BYTES: too many. */
typedef struct byte_run {
    uint8_t bytes[BYTES];
    size_t n;
} byte_run;

/* The result of all readers. read: a reader can read the text; ambiguous: two readers read different bytes. */
typedef struct readings {
    byte_run run;
    bool read, ambiguous;
    size_t numbers_n, bytes_n; /* numbers and bytes in the text, for a message; 0: none */
} readings;

void scan_skip_past(tmap_cursor *s, const char *words); /* without the words: to the end */
tmap_cursor scan_line(tmap_cursor *s);                  /* reads a line, without its newline */
tmap_cursor scan_word(tmap_cursor *s);                  /* reads the characters up to the next space */

void run_add(byte_run *run, unsigned byte);
/* Adds the low `size` bytes of a word, the lowest first: hosts of GPUs are little-endian. */
void run_add_word(byte_run *run, uint64_t word, size_t size);
/* Whether the low `size` bytes represent the number, unsigned or as a two's complement. */
bool run_fits(uint64_t number, size_t size);

/* A run of BYTES bytes is a reading of the text. */
void readings_add(readings *found, const byte_run *run);

/* The readers. Each adds to `found` what the text can mean in its forms. */
void read_byte_dumps(tmap_cursor text, readings *found);   /* od, hexdump, xxd; digits of bytes in order */
void read_number_lists(tmap_cursor text, readings *found); /* gdb, C, Python */
void read_python_bytes(tmap_cursor text, readings *found); /* b'...', bytes.fromhex('...') */
void read_labelled(tmap_cursor text, readings *found);     /* lldb; bytes after a text with a colon on each line */
void read_gdb_strings(tmap_cursor text, readings *found);  /* an array of char */
