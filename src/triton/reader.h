/* triton: a place in a text that is read. */
#ifndef TMAP_TRITON_READER_H
#define TMAP_TRITON_READER_H

#include "diag/refuse.h"
#include "triton/encoding.h"

typedef struct tmap_triton_reader {
    const char *text;
    size_t size, at;
    const tmap_encoding_aliases *aliases;
    tmap_diag *error;
} tmap_triton_reader;

void tmap_triton_blanks(tmap_triton_reader *r);
/* Whether the next thing is this text, which is then passed over. */
bool tmap_triton_text(tmap_triton_reader *r, const char *text);
bool tmap_triton_expect(tmap_triton_reader *r, const char *text, const char *where);
/* Letters, digits, `_`, `.` and `$`, and in front of them `#` or `!`; its length, 0 for none. */
size_t tmap_triton_name(tmap_triton_reader *r, const char **name);
/* From 0 to 2^62. */
bool tmap_triton_number(tmap_triton_reader *r, int64_t *number);
bool tmap_triton_encoding(tmap_triton_reader *r, tmap_encoding *encoding);
/* Refuses, at a place of the text; false. */
bool tmap_triton_refuse(tmap_triton_reader *r, size_t at, size_t length, const char *fix, const char *format, ...)
    TMAP_PRINTF(5, 6);
/* Ends a public call: what was read, and how much. */
tmap_status tmap_triton_end(tmap_triton_reader *r, bool ok, size_t *used);

#endif
