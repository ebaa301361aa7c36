/* Room rule: the table is complete, evidence refers to its rows, and readers receive rows with all members. */
#include "cmocka_all.h"
#include "tmap/unstable/evidence.h"

#include <string.h>

#include <tmap/rule.h>

static bool has_evidence(const char *slug) {
    const tmap_evidence *e;
    for (int i = 0; (e = tmap_evidence_get(i)) != NULL; i++)
        if (strcmp(e->fact, slug) == 0) return true;
    return false;
}

static bool is_slug(const char *text) {
    return text[0] >= 'a' && text[0] <= 'z' && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

TEST(the_table_is_complete) {
    const tmap_rule_info *info;
    int n = 0;
    for (; (info = tmap_rule_get(n)) != NULL; n++) {
        if (!is_slug(info->slug)) fail_msg("%s is not a slug", info->slug);
        if (tmap_rule_find(info->slug) != n) fail_msg("two rules have the slug %s", info->slug);
        if (!info->title || !info->reference || !info->why) fail_msg("%s: a text is missing", info->slug);
        if (!info->bad != !info->good) fail_msg("%s: only one of the two examples", info->slug);
        if (info->bad && strncmp(info->bad, "tmap: ", 6) != 0) fail_msg("%s: an example is not a spec", info->slug);
        if ((info->about == TMAP_ABOUT_COPY) != (info->symptom != NULL)) fail_msg("%s: symptom", info->slug);
        if (info->about == TMAP_ABOUT_FORMAT ? info->enforced_by != TMAP_BY_FORMAT : !has_evidence(info->slug))
            fail_msg("%s: evidence", info->slug);
    }
    assert_in_range(n, 100, TMAP_RULES_MAX);
    assert_null(tmap_rule_get(-1));
    assert_int_equal(tmap_rule_find("no-such-rule"), -1);
}

TEST(evidence_has_a_fact) {
    const tmap_evidence *e;
    for (int i = 0; (e = tmap_evidence_get(i)) != NULL; i++) {
        bool known = tmap_rule_find(e->fact) >= 0;
        for (int fact = 0; !known && tmap_fact_get(fact); fact++) known = strcmp(tmap_fact_get(fact)->id, e->fact) == 0;
        if (!known) fail_msg("evidence of %s, which is neither a rule nor a fact", e->fact);
        assert_true(e->source[0] != '\0');
    }
}

TEST(readers_get_a_filled_row) {
    tmap_judge judge = {.path = "x.yaml", .subject = "t"};
    tmap_diag d = tmap_rule_diag("key-unknown", &judge);
    assert_string_equal(d.rule, "key-unknown");
    assert_int_equal(d.severity, TMAP_ERROR);
    assert_int_equal(d.enforced_by, TMAP_BY_FORMAT);
    assert_string_equal(d.path, "x.yaml");
    assert_string_equal(d.subject, "t");
    assert_int_equal(d.field, -1);
    assert_int_equal(d.dim, -1);
    d = tmap_rule_diag("no-such-rule", NULL);
    assert_string_equal(d.rule, "no-such-rule");
    assert_int_equal(d.severity, TMAP_ERROR);
}
