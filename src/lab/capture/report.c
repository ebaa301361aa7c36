/* The report of a recording: provenance, counts, descriptor fields, bits without a field, rules, and open questions. */
#include "capture/report.h"

#include "capture/random_maps.h"
#include "text/print.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The report as text, and as rows for programs. */
typedef struct report_sinks {
    tmap_sink *text, *rows;
    tmap_sink both;
} report_sinks;

static bool write_both(void *context, const char *text, size_t size) {
    const report_sinks *out = context;
    tmap_write(out->rows, text, size);
    tmap_write(out->text, text, size);
    return !out->text->failed;
}

static void put_row(const report_sinks *out, size_t n, const char *state, const char *name) {
    tmap_printf(out->rows, "%zu %s: %s\n", n, state, name);
}

static const char *cases(size_t n) {
    return n == 1 ? "case" : "cases";
}

static void put_provenance(tmap_sink *sink, const capture_header *header) {
    tmap_printf(sink, "%s, compute capability %d.%d, CUDA %d.%d (%s), ", header->gpu, header->chip / 10,
                header->chip % 10, header->driver_version / 1000, header->driver_version % 1000 / 10, header->library);
    if (header->date[0] != '\0') tmap_printf(sink, "recorded %s by ", header->date);
    tmap_printf(sink, "%s, seed %" PRIu64 "\n", header->generator, header->seed);
}

/* The device attribute CU_DEVICE_ATTRIBUTE_TENSOR_MAP_LARGE_TENSOR_MIN_SIZE. */
static void put_large_tensor_min(tmap_sink *sink, int size_B) {
    if (size_B == INT_MAX)
        tmap_puts(sink, "allocation class: no effect on this device (device attribute 160)\n");
    else if (size_B != 0)
        tmap_printf(sink, "allocation class: LARGE requires %d B from the base (device attribute 160)\n", size_B);
}

static void put_counts(report_sinks *out, const capture_header *header, const capture_tally *tally) {
    tmap_capture_summary summary;
    tmap_sink *sink = out->text;
    tmap_capture_summarise(tally, header, &summary);
    const tmap_capture_summary *s = &summary;
    put_row(out, s->cases, "counted", "cases");
    put_row(out, s->bytes_agree, "counted", "descriptors agree");
    put_row(out, s->bytes_differ, "counted", "descriptors differ");
    put_row(out, s->verdicts_agree, "counted", "verdicts agree");
    put_row(out, s->verdicts_differ, "counted", "verdicts differ");
    tmap_printf(sink, "cases %zu; descriptors: %zu agree, %zu differ; verdicts: %zu agree, %zu differ\n", s->cases,
                s->bytes_agree, s->bytes_differ, s->verdicts_agree, s->verdicts_differ);
    if (s->classes_differ)
        tmap_printf(sink,
                    "allocation class: for AUTO the driver chose another class than tmap in %zu %s, which is not "
                    "an error\n",
                    s->classes_differ, cases(s->classes_differ));
    if (tally->left_out)
        tmap_printf(sink, "cases omitted, because the file would be too large: %zu\n", tally->left_out);
    if (tally->not_asked)
        tmap_printf(sink,
                    "not encoded: %zu of the maps, which are not tiled, not readable, or do not fit the driver's "
                    "arguments\n",
                    tally->not_asked);
    if (s->lost)
        tmap_printf(sink, "lost: %zu %s, first %s: %s\n", s->lost, s->lost == 1 ? "call" : "calls", tally->lost_first,
                    tally->lost_why.message);
}

static void put_choices(tmap_sink *sink, size_t n, const char *way, const char *first) {
    if (n != 0)
        tmap_printf(sink, "  choice     allocation_class     %s for %zu %s, first %s\n", way, n, cases(n), first);
}

static const char *why_skipped(const capture_random *random) {
    if (!random->by_field) return "a recording of tmap 0.2 has no numbers of fields";
    if (random->rejected_n > CAPTURE_REJECTED_MAX) return "the driver rejected too many of them";
    return "this version generates other maps from the seed than the recording version";
}

static void put_compared(tmap_sink *sink, const capture_random *random) {
    const char *before = "the descriptors differ in ";
    for (int i = 0; i < TMAP_DESC_COUNT; i++) {
        if (random->fields[i].moving_n == 0) continue;
        tmap_printf(sink, "%s%s (%" PRIu64 ")", before, tmap_descriptor_field_get(i)->name, random->fields[i].moving_n);
        before = ", ";
    }
    if (random->unknown_n > 0) tmap_printf(sink, "%sbits outside the fields (%" PRIu64 ")", before, random->unknown_n);
}

static void put_random(tmap_sink *sink, const capture_tally *tally) {
    const capture_random *random = &tally->random;
    if (tally->random_state == RANDOM_NONE) return;
    tmap_printf(sink, "random maps: %" PRIu64 " from seed %" PRIu64 ": ", random->count, random->seed);
    if (tally->random_state == RANDOM_OTHER_GENERATOR)
        tmap_printf(sink, "skipped, because %s", why_skipped(random));
    else if (tmap_random_maps_agree(random))
        tmap_puts(sink, "all descriptors agree");
    else
        put_compared(sink, random);
    if (random->rejected_n > 0) tmap_printf(sink, "; the driver rejects %" PRIu64, random->rejected_n);
    tmap_puts(sink, "\n");
}

static void put_difference(report_sinks *out, const char *state, int i, const tally_field *field, size_t n,
                           const char *end) {
    char driver[64], native[64];
    size_t all = field->differ_n + field->idle_n + field->agree_n;
    const char *name = tmap_descriptor_field_get(i)->name;
    tmap_descriptor_meaning((tmap_descriptor_field)i, field->driver, 0, driver, sizeof driver);
    tmap_descriptor_meaning((tmap_descriptor_field)i, field->native, 0, native, sizeof native);
    put_row(out, n, state, name);
    tmap_printf(out->text, "  %-10s %-20s %zu of %zu %s, first %s: driver %" PRIu64 " (%s), tmap %" PRIu64 " (%s)%s\n",
                state, name, n, all, cases(all), field->first, field->driver, driver, field->native, native, end);
}

static void put_field(report_sinks *out, int i, const tally_field *field) {
    const char *name = tmap_descriptor_field_get(i)->name;
    if (field->differ_n != 0) {
        put_difference(out, "refuted", i, field, field->differ_n, "");
    } else if (field->idle_n != 0) {
        put_difference(out, "other form", i, field, field->idle_n, "; no copy depends on it");
    } else if (field->agree_n != 0) {
        put_row(out, field->agree_n, "confirmed", name);
        tmap_printf(out->text, "  confirmed  %-20s %zu %s, %zu of them not zero\n", name, field->agree_n,
                    cases(field->agree_n), field->not_zero_n);
    }
}

static bool bit_is_set(const tmap_descriptor *bits, unsigned bit) {
    return (bits->bytes[bit / 8] >> (bit % 8) & 1) != 0;
}

static void put_unexplained(report_sinks *out, const capture_tally *tally) {
    static const char title[] = "bits that differ outside the fields:";
    const tmap_descriptor *bits = &tally->summary.unexplained;
    tmap_sink *sink = &out->both;
    if (tally->unexplained_first[0] == '\0') {
        tmap_printf(out->text, "%s none\n", title);
        return;
    }
    tmap_puts(sink, title);
    for (unsigned lo = 0, end = 0; lo < 8 * TMAP_DESCRIPTOR_B; lo = end + 1) {
        for (end = lo; end < 8 * TMAP_DESCRIPTOR_B && bit_is_set(bits, end);) end++;
        if (end == lo + 1) tmap_printf(sink, " %u", lo);
        if (end > lo + 1) tmap_printf(sink, " %u..%u", lo, end - 1);
    }
    tmap_printf(sink, " (first %s)\n", tally->unexplained_first);
}

static void put_rule(report_sinks *out, const char *state, const char *slug, const char *before, size_t n,
                     const char *after, const char *first) {
    put_row(out, n, state, slug);
    tmap_printf(out->text, "  %-10s %-28s %s%zu %s%s, first %s\n", state, slug, before, n, cases(n), after, first);
}

static void put_enforced(report_sinks *out, const char *slug, const tally_rule *rule) {
    if (rule->accepted_n != 0)
        put_rule(out, "refuted", slug, "the driver accepts ", rule->accepted_n, " breaking it", rule->accepted);
    if (rule->refused_n != 0)
        put_rule(out, rule->accepted_n != 0 ? "but also" : "confirmed", slug, "the driver rejects ", rule->refused_n,
                 " breaking only this rule", rule->refused);
    else if (rule->shared_n != 0 && rule->accepted_n == 0)
        tmap_printf(out->text, "  consistent %-28s the driver rejects %zu %s breaking other rules too\n", slug,
                    rule->shared_n, cases(rule->shared_n));
}

/* Accepted maps show that the doubt is no reason to reject the others. */
static void put_doubted(report_sinks *out, const char *slug, const tally_rule *rule) {
    if (rule->accepted_n != 0)
        put_rule(out, "accepted", slug, "", rule->accepted_n, "", rule->accepted);
    else if (rule->refused_n != 0)
        put_rule(out, "refused", slug, "", rule->refused_n, "", rule->refused);
}

static void put_rules(report_sinks *out, const tally_rule *rules,
                      void (*put)(report_sinks *, const char *, const tally_rule *)) {
    for (int i = 0; i < TMAP_RULES_MAX && tmap_rule_get(i); i++) put(out, tmap_rule_get(i)->slug, &rules[i]);
}

static void put_answers(tmap_sink *sink, const char *title, const tally_answers *answers) {
    if (answers->n == 0) return;
    tmap_printf(sink, "%s\n", title);
    for (size_t i = 0; i < answers->n; i++) {
        const tally_answer *answer = &answers->items[i];
        tmap_printf(sink, "  %s: %s (%d), %zu %s, first %s\n", answer->about, tmap_cuda_error_name(answer->result),
                    answer->result, answer->n, cases(answer->n), answer->first);
    }
    if (answers->dropped) tmap_printf(sink, "  and %zu more %s\n", answers->dropped, cases(answers->dropped));
}

static void add_answer(tally_answers *sums, const tally_answer *answer) {
    for (size_t i = 0; i < sums->n; i++) {
        tally_answer *sum = &sums->items[i];
        if (sum->result != answer->result || strcmp(sum->about, answer->about) != 0) continue;
        sum->n += answer->n;
        return;
    }
    sums->items[sums->n++] = *answer;
}

/* Rejections of maps that the rules allow: by their warnings, and all those that no warning explains. */
static void put_surprises(report_sinks *out, const capture_tally *tally) {
    const tally_surprises *surprises = &tally->surprises;
    tally_answers sums = {.dropped = surprises->answers.dropped};
    seen_maps unexplained = {0};
    for (size_t i = 0; i < surprises->answers.n; i++) {
        tally_answer answer = surprises->answers.items[i];
        bool explained = tmap_capture_tally_explains(tally, i);
        if (!explained) (void)snprintf(answer.about, sizeof answer.about, "no rule");
        if (!explained) tmap_seen_add(&unexplained, &surprises->maps[i]);
        add_answer(&sums, &answer);
    }
    put_answers(out->text, "rejected by the driver, allowed by the rules (by their warnings)", &sums);
    tmap_rejections_report(&out->both, &tally->rejections, &unexplained);
    for (size_t i = 0; i < surprises->answers.n; i++)
        if (tmap_capture_tally_explains(tally, i))
            tmap_rejections_report_field(&out->both, &tally->rejections, &surprises->maps[i], surprises->fields[i]);
}

void tmap_capture_report(tmap_sink *sink, tmap_sink *rows, const capture_header *header, const capture_tally *tally) {
    tmap_sink dropped = {.failed = true};
    report_sinks out = {.text = sink, .rows = rows ? rows : &dropped, .both = {.write = write_both, .context = &out}};
    put_provenance(sink, header);
    put_large_tensor_min(sink, header->large_tensor_min_B);
    put_counts(&out, header, tally);
    put_random(sink, tally);
    tmap_puts(sink, "descriptor fields\n");
    for (int i = 0; i < TMAP_DESC_COUNT; i++) put_field(&out, i, &tally->fields[i]);
    put_choices(sink, tally->classes.large_n, "the driver chose LARGE and tmap SMALL", tally->classes.large);
    put_choices(sink, tally->classes.small_n, "the driver chose SMALL and tmap LARGE", tally->classes.small);
    put_unexplained(&out, tally);
    tmap_puts(sink, "rules that the driver enforces, according to tmap\n");
    put_rules(&out, tally->enforced, put_enforced);
    tmap_puts(sink, "maps for which the rules only warn, or that another source forbids\n");
    put_rules(&out, tally->doubted, put_doubted);
    put_surprises(&out, tally);
    put_answers(&out.both, "calls to which no rule applies", &tally->open);
    put_answers(sink, "failures that do not depend on the map", &tally->failures);
}
