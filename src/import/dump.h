/* import: one dump while its lines are read, and the parameters that it makes. */
#pragma once

#include "import/dump_formats.h"
#include "import/lines.h"
#include "tmap/unstable/import.h"

typedef struct map_dump {
    const dump_format *format;
    const char *path;
    tmap_diags *diags;
    tmap_imported *out;
    number_list values[FORMAT_KEYS_MAX];
    tmap_mark marks[FORMAT_KEYS_MAX]; /* line 0: not seen */
    int last;                         /* the key that was read last; -1: none */
    bool headless;                    /* it began with a key */
    bool wrong;                       /* `finding` says what is wrong first */
    tmap_diag finding;
} map_dump;

typedef enum dump_step {
    DUMP_NO_KEY,
    DUMP_TAKEN,
    DUMP_REPEATED, /* a key that it has already: another dump begins */
} dump_step;

/* Takes what the line has from `from` on. A value that cannot be read is a finding. */
dump_step dump_take(map_dump *dump, const log_line *line, const char *from);

/* Whether all parameters of the format are there. */
bool dump_complete(const map_dump *dump);

/* Whether so much of it is there that it is a dump and not other text: a head, or two keys of which one is telling. */
bool dump_credible(const map_dump *dump);

/* Fills in `out`; what is missing is a finding. */
void dump_finish(map_dump *dump);
