/* A copy with op replace: the effect of tensormap.replace on a map, as text and as JSON. */
#pragma once

#include "specs/descriptors.h"
#include "specs/used_facts.h"
#include "text/json.h"

typedef struct replacing {
    const char *name, *tensor;
    tmap_replacement made;
    difference_list differences; /* of the descriptor before and after */
    used_facts facts;
} replacing;

/* Whether copy `index` of the file is a replacement. */
bool is_replacing(const spec_document *doc, size_t index);

/* Runs the replacement. Adds findings to the document. Returns an exit code. Call replacing_end in any case. */
int replacing_run(replacing *r, spec_document *doc, size_t index, const judging_options *judging);
void replacing_end(replacing *r);

/* In JSON, writes members of the open object. */
void replacing_write(result_sink *out, const replacing *r);
