/* The facts about the hardware on which a result depends, each with its evidence on the chosen architectures. */
#pragma once

#include "options/judging_options.h"
#include "output/result.h"
#include "specs/document.h"
#include "text/json.h"
#include "tmap/codec.h"
#include "tmap/unstable/evidence.h"

#define GROUNDS_MAX 64

typedef struct ground_row {
    const char *fact, *statement;
    tmap_standing standing;
} ground_row;

typedef struct ground_list {
    ground_row items[GROUNDS_MAX];
    size_t n;
    tmap_archs archs; /* all of them if none is chosen; the weakest evidence then counts */
    bool chosen;
} ground_list;

ground_list grounds_of_copy(const tmap_copy *copy, tmap_archs archs);
/* Adds the facts of another copy of the same result. */
void grounds_add_copy(ground_list *grounds, const tmap_copy *copy);
/* As grounds_of_copy, with the facts for the counts of its statistics. */
ground_list grounds_of_stats(const tmap_copy *copy, tmap_archs archs);
/* The facts for the fields of a native descriptor. */
ground_list grounds_of_descriptor(bool im2col, tmap_archs archs);
/* The facts for the form of the driver (TMAP_ENCODER_DRIVER). */
void grounds_add_driver(ground_list *grounds);
/* The facts for the fields and for the effects of a replacement on them. */
ground_list grounds_of_replacement(const tmap_replacement *made, tmap_archs archs);

/* The statement of a fact or rule; NULL for an unknown id. */
const char *fact_statement(const char *id);

/* Inferred, unknown, contested or refuted. Such facts are used and reported. */
bool ground_is_weak(const ground_row *ground);
/* Whether --strict refuses the fact. `spec` (may be NULL) can accept it. */
bool ground_is_refused(const ground_row *ground, const judging_options *judging, const tmap_spec *spec);
/* The fact with the weakest evidence; NULL if there are no facts. */
const ground_row *grounds_weakest(const ground_list *grounds);
/* "refuted", "contested", or the class, such as "documented". */
const char *standing_name(tmap_standing standing);
const char *ground_class(const ground_row *ground);

/* Writes key "evidence" of a JSON result. */
void grounds_json(tmap_json *json, const ground_list *grounds);
/* Writes key "evidence"; as text one line for each fact with weak evidence. */
void grounds_write(result_sink *out, const ground_list *grounds, const char *indent);
/* Writes the ids of the weak facts in one line. */
void grounds_name_weak(tmap_sink *sink, const ground_list *grounds);

/* With --strict, adds an error to `doc` for each fact that it refuses, about `subject` at `mark`; returns their
 * number. */
size_t grounds_refuse(spec_document *doc, const judging_options *judging, const ground_list *grounds,
                      const char *subject, tmap_mark mark);
/* As grounds_refuse, for a subject that is in no file. */
void grounds_refuse_subject(tmap_diags *diags, const judging_options *judging, const ground_list *grounds,
                            const char *subject);
