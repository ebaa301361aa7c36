/* A copy whose op is replace: what tensormap.replace makes of a map, as text and as JSON. */
#pragma once

#include "specs/descriptors.h"
#include "specs/evidence.h"
#include "util/json.h"

typedef struct replacing {
    const char *name, *tensor;
    tmap_replacement made;
    difference_list differences; /* of the descriptor before and after */
    ground_list grounds;
} replacing;

/* Whether copy `index` of the file is one. */
bool is_replacing(const spec_document *doc, size_t index);

/* Carries it out; findings go to the document. Ends with replacing_end in any case. Answers an exit code. */
int replacing_run(replacing *r, spec_document *doc, size_t index, const judging_options *judging);
void replacing_end(replacing *r);

/* In JSON members of the open object. */
void replacing_write(result_sink *out, const replacing *r);
