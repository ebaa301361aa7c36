/* page: the question about a copy: its parameters. One table defines how they are read from a query and written to
 * one. */
#pragma once

#include "text/json.h"
#include "tmap/unstable/emit.h"
#include "tmap/unstable/view.h"

enum { TMAP_PAGE_AXIS = 24 };

typedef struct tmap_question {
    tmap_map_params map;
    tmap_copy_params copy;
    int arch; /* the number of the architecture plus 1; 0: any */
    char name[64];
    char axes[TMAP_RANK_MAX][TMAP_PAGE_AXIS];
    const char *axis_names[TMAP_RANK_MAX];
    uint64_t element[TMAP_RANK_MAX];
    char only[8]; /* the only requested part of the answer; "": the whole answer */
    int dims_n, strides_n, box_n, lower_n, upper_n, element_strides_n, address_n, at_n, rows_n, offsets_n, axes_n,
        element_n;
} tmap_question;

/* Returns TMAP_REFUSED for a wrong query, with findings in `diags`. Does not apply the rules of maps and copies. */
tmap_status tmap_question_read(tmap_question *question, const char *query, tmap_diags *diags);
/* Writes a list of the keys that the question's mode and operation use. */
void tmap_question_fields(tmap_json *json, const tmap_question *question);
void tmap_question_write(tmap_sink *sink, const tmap_question *question);
