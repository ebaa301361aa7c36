/* The texts of the rules, and the evidence for a finding. A program without explanations does not link this file. */
#include "rule/rules.h"

#include "tmap/unstable/evidence.h"

static const tmap_rule rules[] = {
#define TEXTS(...)         __VA_ARGS__
#define RULE(...)          {__VA_ARGS__},
#define JUDGED(judge, ...) {__VA_ARGS__},
#include "rule/rules.def"
#undef RULE
#undef JUDGED
#undef TEXTS
};

const tmap_rule_info *tmap_rule_get(int rule) {
    return tmap_rule_row(rule) ? &rules[rule].info : NULL;
}

const char *tmap_diag_evidence(const tmap_diag *diag) {
    if (diag->evidence || !diag->rule) return diag->evidence;
    int rule = tmap_rule_find(diag->rule);
    if (rule < 0) return NULL;
    if (rules[rule].info.about == TMAP_ABOUT_FORMAT) return tmap_evidence_class_name(TMAP_DOCUMENTED);
    return tmap_evidence_class_name(
        tmap_standing_among(diag->rule, diag->judged ? diag->judged : TMAP_ARCHS_ALL).class_);
}
