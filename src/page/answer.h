/* page: answers, one function for each kind of question. */
#pragma once

#include "text/json.h"
#include "tmap/unstable/emit.h"

/* Each function writes members of the open JSON object. */
void tmap_answer_copy(tmap_json *json, const char *query);
void tmap_answer_layout(tmap_json *json, const char *query);
/* The fields of a form for each kind of question: a list of keys. */
void tmap_answer_copy_fields(tmap_json *json);
void tmap_answer_layout_fields(tmap_json *json);
/* The values that fields of a question accept, by key. */
void tmap_answer_copy_tables(tmap_json *json);
void tmap_answer_layout_tables(tmap_json *json);
