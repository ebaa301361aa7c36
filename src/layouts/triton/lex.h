/* triton: the position of a reader in a text. */
#pragma once

#include "diag/refuse.h"
#include "text/cursor.h"
#include "triton/encoding.h"

typedef struct tmap_triton_reader {
    tmap_cursor c;
    const tmap_encoding_aliases *aliases;
    tmap_diag *error;
} tmap_triton_reader;

bool tmap_triton_expect(tmap_triton_reader *r, const char *text, const char *where);
/* Reads the bracket before a list. */
bool tmap_triton_open_list(tmap_triton_reader *r);
/* Reads letters, digits, `_`, `.` and `$`, with an optional `#` or `!` before them. Returns the length; 0: no name. */
size_t tmap_triton_name(tmap_triton_reader *r, const char **name);
/* Reads a number of digits. */
bool tmap_triton_number(tmap_triton_reader *r, int64_t *number);
bool tmap_triton_encoding(tmap_triton_reader *r, tmap_encoding *encoding);
/* Ends a public call: returns its status and the length of the text that was read. */
tmap_status tmap_triton_end(tmap_triton_reader *r, bool ok, size_t *used);
