/* What a result rests on: facts about the hardware, each with its standing on the chosen architectures. */
#pragma once

#include "output/result.h"
#include "specs/document.h"
#include "tmap/codec.h"
#include "tmap/unstable/evidence.h"
#include "util/json.h"

#define GROUNDS_MAX 64

typedef struct ground_row {
    const char *fact, *statement;
    tmap_standing standing;
} ground_row;

typedef struct ground_list {
    ground_row items[GROUNDS_MAX];
    size_t n;
    tmap_archs archs; /* all of them when none is chosen: the weakest then counts */
    bool chosen;
} ground_list;

ground_list grounds_of_copy(const tmap_copy *copy, tmap_archs archs);
/* And what another copy of the same result rests on. */
void grounds_add_copy(ground_list *grounds, const tmap_copy *copy);
/* The same, and what the counts of its statistics rest on. */
ground_list grounds_of_stats(const tmap_copy *copy, tmap_archs archs);
/* Of the fields of a native descriptor. */
ground_list grounds_of_descriptor(bool im2col, tmap_archs archs);
/* Of those, and of what a replacement does to them. */
ground_list grounds_of_replacement(const tmap_replacement *made, tmap_archs archs);

/* What a fact or rule says; NULL when there is none of that id. */
const char *fact_statement(const char *id);

/* Inferred, unknown or refuted: computed all the same, but said, and refused by --strict. */
bool ground_is_weak(const ground_row *ground);
/* The weakest of them; NULL when there are none. */
const ground_row *grounds_weakest(const ground_list *grounds);
/* "documented", or "refuted". */
const char *ground_class(const ground_row *ground);

/* Key "evidence" of a JSON result. */
void grounds_json(tmap_json *json, const ground_list *grounds);
/* Key "evidence"; in text a line "not verified on hardware: …" for each weak one. */
void grounds_write(result_sink *out, const ground_list *grounds, const char *indent);
/* The same in one line, by their ids. */
void grounds_name_weak(tmap_sink *sink, const ground_list *grounds);

/* For --strict: an error in `doc` for each weak one, about `subject` at `mark`. */
void grounds_refuse(spec_document *doc, const ground_list *grounds, const char *subject, tmap_mark mark);
/* The same of what no file says. */
void grounds_refuse_subject(tmap_diags *diags, const ground_list *grounds, const char *subject);
