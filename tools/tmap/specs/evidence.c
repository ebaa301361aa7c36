/* Collects evidence for a result, and implements --strict. */
#include "specs/evidence.h"

#include <string.h>

#include "output/messages.h"
#include "tmap/unstable/stats.h"

const char *fact_statement(const char *id) {
    int fact = tmap_fact_find(id);
    if (fact >= 0) return tmap_fact_get(fact)->statement;
    int rule = tmap_rule_find(id);
    return rule >= 0 ? tmap_rule_get(rule)->title : NULL;
}

static ground_list grounds_begin(tmap_archs archs) {
    return (ground_list){.archs = archs != 0 ? archs : TMAP_ARCHS_ALL, .chosen = archs != 0};
}

static void add(ground_list *grounds, const char *fact) {
    for (size_t i = 0; i < grounds->n; i++) {
        if (strcmp(grounds->items[i].fact, fact) == 0) return;
    }
    if (grounds->n == GROUNDS_MAX) return;
    grounds->items[grounds->n++] = (ground_row){fact, fact_statement(fact), tmap_standing_among(fact, grounds->archs)};
}

void grounds_add_copy(ground_list *grounds, const tmap_copy *copy) {
    const char *facts[GROUNDS_MAX];
    size_t n = tmap_copy_facts(copy, facts, GROUNDS_MAX);
    for (size_t i = 0; i < n && i < GROUNDS_MAX; i++) add(grounds, facts[i]);
}

ground_list grounds_of_copy(const tmap_copy *copy, tmap_archs archs) {
    ground_list grounds = grounds_begin(archs);
    grounds_add_copy(&grounds, copy);
    return grounds;
}

ground_list grounds_of_stats(const tmap_copy *copy, tmap_archs archs) {
    ground_list grounds = grounds_of_copy(copy, archs);
    if (!TMAP_WITH_LAYOUTS) return grounds;
    for (int i = 0; tmap_stats_fact(i); i++) add(&grounds, tmap_stats_fact(i));
    return grounds;
}

ground_list grounds_of_descriptor(bool im2col, tmap_archs archs) {
    ground_list grounds = grounds_begin(archs);
    const tmap_descriptor_field_info *field;
    for (int i = 0; (field = tmap_descriptor_field_get(i)) != NULL; i++) {
        if (im2col ? field->im2col : field->tiled) add(&grounds, field->fact);
    }
    return grounds;
}

void grounds_add_driver(ground_list *grounds) {
    add(grounds, "desc-driver-version");
    add(grounds, "desc-driver-element-stride");
    add(grounds, "desc-driver-tile-bytes");
    add(grounds, "desc-driver-swizzle-word");
}

ground_list grounds_of_replacement(const tmap_replacement *made, tmap_archs archs) {
    ground_list grounds = grounds_of_descriptor(made->map.mode != TMAP_MODE_TILED, archs);
    if (made->params.op != TMAP_OP_REPLACE || made->params.map_space == TMAP_SPACE_SHARED)
        add(&grounds, "map-operations-keep-it");
    if (made->params.op != TMAP_OP_REPLACE) return grounds;
    if (made->params.field == TMAP_REPLACEABLE_ADDRESS) add(&grounds, "replace-address-class");
    if (made->params.field == TMAP_REPLACEABLE_ATOMICITY) add(&grounds, "replace-atomicity-class");
    return grounds;
}

static bool is_at_most(const ground_row *ground, tmap_evidence_class class_) {
    return ground->standing.refuted || ground->standing.contested || ground->standing.class_ <= class_;
}

bool ground_is_weak(const ground_row *ground) {
    return is_at_most(ground, TMAP_INFERRED);
}

bool ground_is_refused(const ground_row *ground, const judging_options *judging, const tmap_spec *spec) {
    if (!judging->strict || (spec && tmap_spec_accepts(spec, ground->fact))) return false;
    return is_at_most(ground, judging->strict_inferred ? TMAP_INFERRED : TMAP_UNKNOWN);
}

static int strength(const ground_row *ground) {
    if (ground->standing.refuted) return -1;
    return ground->standing.contested ? TMAP_UNKNOWN : (int)ground->standing.class_;
}

const ground_row *grounds_weakest(const ground_list *grounds) {
    const ground_row *weakest = NULL;
    for (size_t i = 0; i < grounds->n; i++) {
        if (!weakest || strength(&grounds->items[i]) < strength(weakest)) weakest = &grounds->items[i];
    }
    return weakest;
}

const char *standing_name(tmap_standing standing) {
    if (standing.refuted) return "refuted";
    return standing.contested ? "contested" : tmap_evidence_class_name(standing.class_);
}

const char *ground_class(const ground_row *ground) {
    return standing_name(ground->standing);
}

void grounds_json(tmap_json *json, const ground_list *grounds) {
    json_list(json, "evidence", false);
    for (size_t i = 0; i < grounds->n; i++) {
        const ground_row *ground = &grounds->items[i];
        tmap_json_object(json, true);
        json_field_string(json, "fact", ground->fact);
        json_field_string(json, "statement", ground->statement);
        json_field_string(json, "class", tmap_evidence_class_name(ground->standing.class_));
        json_field_bool(json, "refuted", ground->standing.refuted);
        json_field_bool(json, "contested", ground->standing.contested);
        if (grounds->chosen) json_field_archs(json, "archs", grounds->archs);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

void grounds_write(result_sink *out, const ground_list *grounds, const char *indent) {
    grounds_json(&out->json, grounds);
    for (size_t i = 0; i < grounds->n; i++) {
        const ground_row *ground = &grounds->items[i];
        if (!ground_is_weak(ground)) continue;
        if (ground->standing.refuted)
            tmap_printf(&out->text, "%sevidence contradicts this: %s [%s]\n", indent, ground->statement, ground->fact);
        else
            tmap_printf(&out->text, "%snot verified on hardware: %s (%s) [%s]\n", indent, ground->statement,
                        ground_class(ground), ground->fact);
    }
}

/* Writes the ids of the facts after `before`; returns whether there is one. */
static bool name_weak(tmap_sink *sink, const ground_list *grounds, bool refuted, const char *before) {
    bool any = false;
    for (size_t i = 0; i < grounds->n; i++) {
        const ground_row *ground = &grounds->items[i];
        if (!ground_is_weak(ground) || ground->standing.refuted != refuted) continue;
        tmap_printf(sink, "%s%s", any ? ", " : before, ground->fact);
        any = true;
    }
    return any;
}

void grounds_name_weak(tmap_sink *sink, const ground_list *grounds) {
    bool weak = name_weak(sink, grounds, false, "not verified on hardware (tmap explain): ");
    const char *contradicted = "evidence contradicts (tmap explain): ";
    bool refuted = name_weak(sink, grounds, true, weak ? "; evidence contradicts: " : contradicted);
    if (weak || refuted) tmap_puts(sink, "\n");
}

/* Suggests an architecture with better evidence if none was chosen, else to accept the fact. */
static void propose(const ground_list *grounds, const ground_row *ground, const judging_options *judging,
                    const tmap_spec *spec, tmap_diag *diag) {
    for (int i = 0; !grounds->chosen && i < TMAP_ARCH_COUNT; i++) {
        ground_row there = *ground;
        there.standing = tmap_standing_among(ground->fact, (tmap_archs)1 << i);
        if (ground_is_refused(&there, judging, NULL)) continue;
        snprintf(diag->fix.words, sizeof diag->fix.words, "choose the architecture with --arch: on %s the fact is %s",
                 tmap_arch_get(i)->name, ground_class(&there));
        return;
    }
    if (spec)
        snprintf(diag->fix.words, sizeof diag->fix.words, "accept: %s, in the file, if the kernel relies on this fact",
                 ground->fact);
}

static size_t refuse(tmap_diags *diags, const judging_options *judging, const ground_list *grounds,
                     const tmap_spec *spec, const tmap_diag *about) {
    size_t refused_n = 0;
    for (size_t i = 0; i < grounds->n; i++) {
        const ground_row *ground = &grounds->items[i];
        if (!ground_is_refused(ground, judging, spec)) continue;
        tmap_diag diag = *about;
        diag.rule = ground->fact;
        diag.severity = TMAP_ERROR;
        diag.enforced_by = TMAP_BY_NOBODY;
        diag.evidence = tmap_evidence_class_name(ground->standing.class_);
        diag.field = diag.dim = -1;
        diag.archs = grounds->chosen ? grounds->archs : 0;
        snprintf(diag.message, sizeof diag.message, "%s is based on a fact that is %s%s: %s", about->subject,
                 ground->standing.refuted || ground->standing.contested ? "" : "only ", ground_class(ground),
                 ground->statement);
        propose(grounds, ground, judging, spec, &diag);
        tmap_diags_add(diags, &diag);
        refused_n++;
    }
    return refused_n;
}

size_t grounds_refuse(spec_document *doc, const judging_options *judging, const ground_list *grounds,
                      const char *subject, tmap_mark mark) {
    const tmap_diag about = {.path = doc->path, .subject = subject, .mark = mark};
    return refuse(&doc->diags, judging, grounds, doc->spec, &about);
}

void grounds_refuse_subject(tmap_diags *diags, const judging_options *judging, const ground_list *grounds,
                            const char *subject) {
    refuse(diags, judging, grounds, NULL, &(tmap_diag){.subject = subject});
}
