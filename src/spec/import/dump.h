/* import: a dump during the reading of its lines, and its parameters. */
#pragma once

#include "import/dump_formats.h"
#include "import/lines.h"
#include "import/named_values.h"
#include "tmap/unstable/import.h"

typedef struct map_dump {
    const dump_format *format;
    const char *path;
    tmap_diags *diags;
    tmap_imported *out;
    uint64_t fields; /* the fields that have a readable value, as bits */
    bool im2col;     /* a key is one of im2col */
    number_list values[FORMAT_KEYS_MAX];
    tmap_mark marks[FORMAT_KEYS_MAX]; /* line 0: not found */
    int last;                         /* the last key that was read; -1: none */
    int named_n, telling_n;           /* of a format with `named`: readable parameters, and names of the driver */
    int certainty[FORMAT_KEYS_MAX];   /* of the names of these parameters (named_values.h) */
    bool headless;                    /* the dump starts with a key */
    named_header header;     /* of a format with `named`: in the line of the first key, or in the line before */
    bool mixed;              /* another dump of the same writer begins before the last key of the format */
    bool of_triton, of_mlir; /* a TensorDescriptor, whose block Triton cuts; MLIR's Addr is not of the tensor */
    bool wrong;              /* `finding` reports the first error */
    tmap_diag finding;
} map_dump;

typedef enum dump_step {
    DUMP_NO_KEY,
    DUMP_TAKEN,
    DUMP_REPEATED, /* a key that the dump has already: another dump starts */
} dump_step;

/* The first key of the format from `from` on; *begin is the start of its name, *value that of its value. -1: none. */
int dump_find_key(const dump_format *format, const log_line *line, const char *from, const char **begin,
                  const char **value);

/* Reads the rest of the line from `from` on. A value that cannot be read is a finding. */
dump_step dump_take(map_dump *dump, const log_line *line, const char *from);

/* The text before the address of the CUtensorMap in a line. NULL: none. */
const char *dump_find_map(const dump_format *format, const log_line *line);

/* Whether the dump has all parameters of the format. */
bool dump_complete(const map_dump *dump);

/* Whether a dump of a format with `named` lacks a parameter that has an obvious value. */
bool dump_assumes(const map_dump *dump);

/* Whether the text is certainly a dump: it has a head, or two keys of which one occurs in no other text. With `named`:
 * at least three readable parameters, and the call, two names of the driver, or a header with sizes and box. */
bool dump_credible(const map_dump *dump);

/* Whether a line of a dump with `named` has the parameter of the dump's last key again: two processes print in turn. */
bool dump_repeats_last(const map_dump *dump, const log_line *line);

/* Whether the format has a later key than the last one that was read. */
bool dump_lacks_end(const map_dump *dump);

/* Fills in `out`. Missing parameters are a finding. mixed_before: an earlier finding reports mixed lines. */
void dump_finish(map_dump *dump, bool mixed_before);
