/* What a result rests on: facts about the hardware, each with its standing on the chosen architectures. */
#ifndef TMAP_TOOL_GROUNDS_H
#define TMAP_TOOL_GROUNDS_H

#include "load.h"

#define GROUNDS_MAX 64

typedef struct ground {
    const char *fact, *statement;
    tmap_standing standing;
} ground;

typedef struct grounds {
    ground items[GROUNDS_MAX];
    size_t n;
    tmap_archs archs; /* all of them when none is chosen: the weakest then counts */
    bool chosen;
} grounds;

grounds grounds_of_copy(const tmap_copy *copy, tmap_archs archs);
/* Of the fields of a native descriptor. */
grounds grounds_of_descriptor(bool im2col, tmap_archs archs);

/* What a fact or rule says; NULL when there is none of that id. */
const char *fact_statement(const char *id);

/* Inferred, unknown or refuted: computed all the same, but said, and refused by --strict. */
bool ground_is_weak(const ground *ground);
/* The weakest of them; NULL when there are none. */
const ground *grounds_weakest(const grounds *grounds);
/* "documented", or "refuted". */
const char *ground_class(const ground *ground);

/* Key "evidence" of a JSON result. */
void grounds_json(tmap_json *json, const grounds *grounds);
/* A line "not verified on hardware: …" for each weak one. */
void grounds_print_weak(tmap_sink *sink, const grounds *grounds, const char *indent);

/* For --strict: an error in `doc` for each weak one, about `subject` at `mark`. */
void grounds_refuse(document *doc, const grounds *grounds, const char *subject, tmap_mark mark);

#endif
