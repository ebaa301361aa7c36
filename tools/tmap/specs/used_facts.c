/* Collects evidence for a result, and implements --strict. */
#include "specs/used_facts.h"

#include <string.h>

#include "output/messages.h"
#include "tmap/unstable/stats.h"

const char *fact_statement(const char *id) {
    int fact = tmap_fact_find(id);
    if (fact >= 0) return tmap_fact_get(fact)->statement;
    int rule = tmap_rule_find(id);
    return rule >= 0 ? tmap_rule_get(rule)->title : NULL;
}

static used_facts facts_begin(tmap_archs archs) {
    return (used_facts){.archs = archs != 0 ? archs : TMAP_ARCHS_ALL, .chosen = archs != 0};
}

static void add(used_facts *facts, const char *fact) {
    for (size_t i = 0; i < facts->n; i++) {
        if (strcmp(facts->items[i].fact, fact) == 0) return;
    }
    if (facts->n == USED_FACTS_MAX) return;
    facts->items[facts->n++] = (used_fact){fact, fact_statement(fact), tmap_standing_among(fact, facts->archs)};
}

void facts_add_copy(used_facts *facts, const tmap_copy *copy) {
    const char *ids[USED_FACTS_MAX];
    size_t n = tmap_copy_facts(copy, ids, USED_FACTS_MAX);
    for (size_t i = 0; i < n && i < USED_FACTS_MAX; i++) add(facts, ids[i]);
}

used_facts facts_of_copy(const tmap_copy *copy, tmap_archs archs) {
    used_facts facts = facts_begin(archs);
    facts_add_copy(&facts, copy);
    return facts;
}

used_facts facts_of_stats(const tmap_copy *copy, tmap_archs archs) {
    used_facts facts = facts_of_copy(copy, archs);
    if (!TMAP_WITH_LAYOUTS) return facts;
    for (int i = 0; tmap_stats_fact(i); i++) add(&facts, tmap_stats_fact(i));
    return facts;
}

used_facts facts_of_descriptor(bool im2col, tmap_archs archs) {
    used_facts facts = facts_begin(archs);
    const tmap_descriptor_field_info *field;
    for (int i = 0; (field = tmap_descriptor_field_get(i)) != NULL; i++) {
        if (im2col ? field->im2col : field->tiled) add(&facts, field->fact);
    }
    return facts;
}

void facts_add_driver(used_facts *facts) {
    add(facts, "desc-driver-version");
    add(facts, "desc-driver-element-stride");
    add(facts, "desc-driver-tile-bytes");
    add(facts, "desc-driver-swizzle-word");
}

used_facts facts_of_replacement(const tmap_replacement *made, tmap_archs archs) {
    used_facts facts = facts_of_descriptor(made->map.mode != TMAP_MODE_TILED, archs);
    if (made->params.op != TMAP_OP_REPLACE || made->params.map_space == TMAP_SPACE_SHARED)
        add(&facts, "map-operations-keep-it");
    if (made->params.op != TMAP_OP_REPLACE) return facts;
    if (made->params.field == TMAP_REPLACEABLE_ADDRESS) add(&facts, "replace-address-class");
    if (made->params.field == TMAP_REPLACEABLE_ATOMICITY) add(&facts, "replace-atomicity-class");
    return facts;
}

static bool is_at_most(const used_fact *fact, tmap_evidence_class class_) {
    return fact->standing.refuted || fact->standing.contested || fact->standing.class_ <= class_;
}

bool fact_is_weak(const used_fact *fact) {
    return is_at_most(fact, TMAP_INFERRED);
}

bool fact_is_refused(const used_fact *fact, const judging_options *judging, const tmap_spec *spec) {
    if (!judging->strict || (spec && tmap_spec_accepts(spec, fact->fact))) return false;
    return is_at_most(fact, judging->strict_inferred ? TMAP_INFERRED : TMAP_UNKNOWN);
}

static int strength(const used_fact *fact) {
    if (fact->standing.refuted) return -1;
    return fact->standing.contested ? TMAP_UNKNOWN : (int)fact->standing.class_;
}

const used_fact *facts_weakest(const used_facts *facts) {
    const used_fact *weakest = NULL;
    for (size_t i = 0; i < facts->n; i++) {
        if (!weakest || strength(&facts->items[i]) < strength(weakest)) weakest = &facts->items[i];
    }
    return weakest;
}

const char *standing_name(tmap_standing standing) {
    if (standing.refuted) return "refuted";
    return standing.contested ? "contested" : tmap_evidence_class_name(standing.class_);
}

const char *fact_class(const used_fact *fact) {
    return standing_name(fact->standing);
}

void facts_json(tmap_json *json, const used_facts *facts) {
    json_list(json, "evidence", false);
    for (size_t i = 0; i < facts->n; i++) {
        const used_fact *fact = &facts->items[i];
        tmap_json_object(json, true);
        json_field_string(json, "fact", fact->fact);
        json_field_string(json, "statement", fact->statement);
        json_field_string(json, "class", tmap_evidence_class_name(fact->standing.class_));
        json_field_bool(json, "refuted", fact->standing.refuted);
        json_field_bool(json, "contested", fact->standing.contested);
        if (facts->chosen) json_field_archs(json, "archs", facts->archs);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

void facts_write(result_sink *out, const used_facts *facts, const char *indent) {
    facts_json(&out->json, facts);
    for (size_t i = 0; i < facts->n; i++) {
        const used_fact *fact = &facts->items[i];
        if (!fact_is_weak(fact)) continue;
        if (fact->standing.refuted)
            tmap_printf(&out->text, "%sevidence contradicts this: %s [%s]\n", indent, fact->statement, fact->fact);
        else
            tmap_printf(&out->text, "%snot verified on hardware: %s (%s) [%s]\n", indent, fact->statement,
                        fact_class(fact), fact->fact);
    }
}

/* Writes the ids of the facts after `before`; returns whether there is one. */
static bool name_weak(tmap_sink *sink, const used_facts *facts, bool refuted, const char *before) {
    bool any = false;
    for (size_t i = 0; i < facts->n; i++) {
        const used_fact *fact = &facts->items[i];
        if (!fact_is_weak(fact) || fact->standing.refuted != refuted) continue;
        tmap_printf(sink, "%s%s", any ? ", " : before, fact->fact);
        any = true;
    }
    return any;
}

void facts_name_weak(tmap_sink *sink, const used_facts *facts) {
    bool weak = name_weak(sink, facts, false, "not verified on hardware (tmap explain): ");
    const char *contradicted = "evidence contradicts (tmap explain): ";
    bool refuted = name_weak(sink, facts, true, weak ? "; evidence contradicts: " : contradicted);
    if (weak || refuted) tmap_puts(sink, "\n");
}

/* The fix: an architecture with better evidence, if none was chosen; otherwise the key `accept`. */
static void propose(const used_facts *facts, const used_fact *fact, const judging_options *judging,
                    const tmap_spec *spec, tmap_diag *diag) {
    for (int i = 0; !facts->chosen && i < TMAP_ARCH_COUNT; i++) {
        used_fact there = *fact;
        there.standing = tmap_standing_among(fact->fact, (tmap_archs)1 << i);
        if (fact_is_refused(&there, judging, NULL)) continue;
        snprintf(diag->fix.words, sizeof diag->fix.words, "choose the architecture with --arch: on %s the fact is %s",
                 tmap_arch_get(i)->name, fact_class(&there));
        return;
    }
    if (spec)
        snprintf(diag->fix.words, sizeof diag->fix.words, "accept: %s, in the file, if the kernel relies on this fact",
                 fact->fact);
}

static size_t refuse(tmap_diags *diags, const judging_options *judging, const used_facts *facts, const tmap_spec *spec,
                     const tmap_diag *about) {
    size_t refused_n = 0;
    for (size_t i = 0; i < facts->n; i++) {
        const used_fact *fact = &facts->items[i];
        if (!fact_is_refused(fact, judging, spec)) continue;
        tmap_diag diag = *about;
        diag.rule = fact->fact;
        diag.severity = TMAP_ERROR;
        diag.enforced_by = TMAP_BY_NOBODY;
        diag.evidence = tmap_evidence_class_name(fact->standing.class_);
        diag.field = diag.dim = -1;
        diag.archs = facts->chosen ? facts->archs : 0;
        snprintf(diag.message, sizeof diag.message, "%s is based on a fact that is %s%s: %s", about->subject,
                 fact->standing.refuted || fact->standing.contested ? "" : "only ", fact_class(fact), fact->statement);
        propose(facts, fact, judging, spec, &diag);
        tmap_diags_add(diags, &diag);
        refused_n++;
    }
    return refused_n;
}

size_t facts_refuse(spec_document *doc, const judging_options *judging, const used_facts *facts, const char *subject,
                    tmap_mark mark) {
    const tmap_diag about = {.path = doc->path, .subject = subject, .mark = mark};
    return refuse(&doc->diags, judging, facts, doc->spec, &about);
}

void facts_refuse_subject(tmap_diags *diags, const judging_options *judging, const used_facts *facts,
                          const char *subject) {
    refuse(diags, judging, facts, NULL, &(tmap_diag){.subject = subject});
}
