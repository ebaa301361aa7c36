/* The facts about the hardware on which a result depends, each with its evidence on the chosen architectures. */
#pragma once

#include "options/judging_options.h"
#include "output/result.h"
#include "specs/document.h"
#include "text/json.h"
#include "tmap/codec.h"
#include "tmap/unstable/evidence.h"

#define USED_FACTS_MAX 64

typedef struct used_fact {
    const char *fact, *statement;
    tmap_standing standing;
} used_fact;

typedef struct used_facts {
    used_fact items[USED_FACTS_MAX];
    size_t n;
    tmap_archs archs; /* all of them if none is chosen; the weakest evidence then counts */
    bool chosen;
} used_facts;

used_facts facts_of_copy(const tmap_copy *copy, tmap_archs archs);
/* Adds the facts of another copy of the same result. */
void facts_add_copy(used_facts *facts, const tmap_copy *copy);
/* As facts_of_copy, with the facts for the counts of its statistics. */
used_facts facts_of_stats(const tmap_copy *copy, tmap_archs archs);
/* The facts for the fields of a native descriptor. */
used_facts facts_of_descriptor(bool im2col, tmap_archs archs);
/* The facts for the form of the driver (TMAP_ENCODER_DRIVER). */
void facts_add_driver(used_facts *facts);
/* The facts for the fields and for the effects of a replacement on them. */
used_facts facts_of_replacement(const tmap_replacement *made, tmap_archs archs);

/* The statement of a fact or rule; NULL for an unknown id. */
const char *fact_statement(const char *id);

/* Whether the fact is inferred, unknown, contested or refuted. Results depend on such facts and name them. */
bool fact_is_weak(const used_fact *fact);
/* Whether --strict refuses the fact. `spec` (may be NULL) can accept it. */
bool fact_is_refused(const used_fact *fact, const judging_options *judging, const tmap_spec *spec);
/* The fact with the weakest evidence; NULL if there are no facts. */
const used_fact *facts_weakest(const used_facts *facts);
/* "refuted", "contested", or the class, such as "documented". */
const char *standing_name(tmap_standing standing);
const char *fact_class(const used_fact *fact);

/* Writes key "evidence" of a JSON result. */
void facts_json(tmap_json *json, const used_facts *facts);
/* Writes key "evidence"; as text one line for each fact with weak evidence. */
void facts_write(result_sink *out, const used_facts *facts, const char *indent);
/* Writes the ids of the weak facts in one line. */
void facts_name_weak(tmap_sink *sink, const used_facts *facts);

/* With --strict, adds an error to `doc` for each fact that it refuses, about `subject` at `mark`; returns their
 * number. */
size_t facts_refuse(spec_document *doc, const judging_options *judging, const used_facts *facts, const char *subject,
                    tmap_mark mark);
/* As facts_refuse, for a subject that is in no file. */
void facts_refuse_subject(tmap_diags *diags, const judging_options *judging, const used_facts *facts,
                          const char *subject);
