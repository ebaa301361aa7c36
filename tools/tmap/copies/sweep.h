/* tmap copy --sweep: copies every tile of a tensor on several threads: to or from a stream of tiles, or there and
 * back. */
#pragma once

#include "copies/emulated_copy.h"
#include "specs/document.h"

typedef struct sweep_options {
    bool on;
    optional_number jobs;
    struct tile_range {
        bool given, has_end;
        uint64_t first, end;
    } range;
} sweep_options;

bool take_range(void *at, const char *value); /* at: a tile_range */

#define SWEEP_OPTIONS(type, member)                                                                                    \
    {"--sweep", NULL, "process every tile of tensor NAME: -o writes tiles, else load, store and compare",              \
     offsetof(type, member.on), NULL},                                                                                 \
        {"--range", "A:B", "--sweep: only tiles A to B-1; 'A:' is A to the last", offsetof(type, member.range),        \
         take_range},                                                                                                  \
    {                                                                                                                  \
        "-j", "N", "threads of --sweep (one for each processor)", offsetof(type, member.jobs), take_number             \
    }

/* `name` is a tensor, or a copy with the operation and the shared address; NULL: the only tensor. Returns an exit
 * code. */
int sweep_run(spec_document *doc, const char *name, const judging_options *judging, const sweep_options *o,
              const copy_sources *sources, const char *out_path, bool json);
