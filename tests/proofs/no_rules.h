/*
 * The functions of the rooms rule, diag and params on which proofs do not depend. These replacements reject nothing, so
 * a proof covers more than the rules accept. They print no findings.
 */
#ifndef TMAP_TESTS_PROOFS_NO_RULES_H
#define TMAP_TESTS_PROOFS_NO_RULES_H

#include "params/derive.h"
#include "rule/trial.h"
#include "tmap/unstable/evidence.h"

#ifndef READING /* of a fact with two readings */
#define READING 0
#endif

#ifndef ACCEPTS /* of a map */
#define ACCEPTS(map) true
#endif

tmap_status tmap_bad_argument(tmap_diags *diags, const char *message) {
    (void)diags, (void)message;
    return TMAP_BAD_ARGUMENT;
}

tmap_status tmap_check_map(const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags) {
    (void)map, (void)judge, (void)diags;
    return ACCEPTS(map) ? TMAP_OK : TMAP_REFUSED;
}

tmap_status tmap_judge_map(const tmap_map_params *map, const tmap_judge *judge, tmap_diags *diags,
                           tmap_derived *derived) {
    (void)judge, (void)diags;
    *derived = tmap_derive(map, false);
    return ACCEPTS(map) ? TMAP_OK : TMAP_REFUSED;
}

tmap_status tmap_check_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                            tmap_diags *diags) {
    (void)map, (void)copy, (void)judge, (void)diags;
    return TMAP_OK;
}

tmap_status tmap_check_descriptor(const tmap_descriptor *descriptor, const tmap_judge *judge, tmap_diags *diags) {
    (void)descriptor, (void)judge, (void)diags;
    return TMAP_OK;
}

tmap_status tmap_judge_copy(const tmap_map_params *map, const tmap_copy_params *copy, const tmap_judge *judge,
                            tmap_diags *diags, tmap_derived *box) {
    (void)judge, (void)diags;
    tmap_derive_box(map, copy, box);
    return TMAP_OK;
}

tmap_diag tmap_rule_diag(const char *slug, const tmap_judge *judge) {
    (void)slug, (void)judge;
    return (tmap_diag){0};
}

tmap_diag *tmap_diags_add(tmap_diags *diags, const tmap_diag *diag) {
    (void)diags, (void)diag;
    return NULL;
}

void tmap_say(char *text, size_t size, const char *format, ...) {
    (void)format;
    if (size > 0) text[0] = '\0';
}

#ifndef FIELDS /* src/core/params/fields.c is not linked */
const tmap_field_info *tmap_field_get(int field) {
    static const tmap_field_info info = {.name = "field"};
    (void)field;
    return &info;
}

tmap_map_params tmap_map_params_tiled(tmap_type type, uint64_t rank) {
    tmap_map_params params = {.type = type, .rank = rank};
    for (int i = 0; i < TMAP_RANK_MAX; i++) params.element_strides[i] = 1;
    return params;
}
#endif

#ifndef EVIDENCE /* src/core/hw/evidence.c is not linked */
const tmap_alternative_info *tmap_alternative_get(int alternative) {
    static const tmap_alternative_info info = {.facts = {"fact", "contrary"}};
    (void)alternative;
    return &info;
}

int tmap_alternative_reading(tmap_alternative alternative, tmap_archs archs) {
    (void)alternative, (void)archs;
    return READING;
}
#endif

#endif
