/* tmap explain: a rule or a fact with its reasons and its evidence. */
#include <stdlib.h>
#include <string.h>

#include "commands/list_tables.h"
#include "options/command.h"
#include "output/messages.h"
#include "specs/evidence.h"
#include "tmap/unstable/changes.h"
#include "tmap/unstable/driver.h"

typedef struct explain_options {
    bool json;
} explain_options;

static const option_row options[] = {
    {"--json", NULL, "print it as JSON", offsetof(explain_options, json), NULL},
    {0},
};

/* Architectures on which the subject has the same evidence. */
typedef struct standing_group {
    tmap_standing standing;
    tmap_archs archs;
} standing_group;

#define GROUPS_MAX (2 * TMAP_EVIDENCE_CLASS_COUNT)

typedef struct explained_item {
    const char *id, *statement;
    const tmap_rule_info *rule; /* NULL for a fact */
    standing_group groups[GROUPS_MAX];
    int groups_n;
} explained_item;

static void add_arch(explained_item *explanation, int arch) {
    tmap_standing standing = tmap_standing_on(explanation->id, (tmap_arch)arch);
    for (int i = 0; i < explanation->groups_n; i++) {
        standing_group *group = &explanation->groups[i];
        if (group->standing.class_ != standing.class_ || group->standing.refuted != standing.refuted) continue;
        group->archs |= (tmap_archs)1 << arch;
        return;
    }
    explanation->groups[explanation->groups_n++] = (standing_group){standing, (tmap_archs)1 << arch};
}

/* Whether `word` is one of the rule's numbers, which are in one text: "T21 I07 W07". */
static bool has_number(const tmap_rule_info *rule, const char *word) {
    size_t length = strlen(word);
    const char *at = length > 0 ? rule->number : NULL;
    while (at && (at = strstr(at, word)) != NULL) {
        bool begins = at == rule->number || at[-1] == ' ', ends = at[length] == '\0' || at[length] == ' ';
        if (begins && ends) return true;
        at++;
    }
    return false;
}

/* Finds a rule by slug, or the first rule with a number ("T15"). */
static const tmap_rule_info *find_rule(const char *word) {
    int rule = tmap_rule_find(word);
    if (rule >= 0) return tmap_rule_get(rule);
    for (int i = 0; tmap_rule_get(i); i++) {
        if (has_number(tmap_rule_get(i), word)) return tmap_rule_get(i);
    }
    return NULL;
}

static int complain_word(const char *word) {
    size_t rules_n = 0, facts_n = 0, n = 0;
    while (tmap_rule_get((int)rules_n)) rules_n++;
    while (tmap_fact_get((int)facts_n)) facts_n++;
    const char **names = calloc(rules_n + facts_n + 1, sizeof *names);
    if (!names) return complain_status(TMAP_NO_MEMORY, word);
    for (size_t i = 0; i < rules_n; i++) names[n++] = tmap_rule_get((int)i)->slug;
    for (size_t i = 0; i < facts_n; i++) names[n++] = tmap_fact_get((int)i)->id;
    int code = complain_nearest("rule or fact", word, names, n);
    free(names);
    return code;
}

static int find(const char *word, explained_item *explanation) {
    *explanation = (struct explained_item){.rule = find_rule(word)};
    explanation->id = explanation->rule ? explanation->rule->slug : word;
    explanation->statement = fact_statement(explanation->id);
    if (!explanation->statement) return complain_word(word);
    for (int arch = 0; tmap_arch_get(arch); arch++) add_arch(explanation, arch);
    return EXIT_CLEAN;
}

/* ---- CUresults -------------------------------------------------------------------------------------------------- */

enum { RESULTS_MAX = 1000 };

/* Finds a CUresult by number or name; -1: none. */
static int find_result(const char *word) {
    uint64_t number = RESULTS_MAX;
    char decimal[16];
    bool given = parse_number(word, &number);
    for (int result = 0; result < RESULTS_MAX; result++) {
        snprintf(decimal, sizeof decimal, "%d", result);
        bool listed = strcmp(tmap_cuda_error_name(result), tmap_cuda_error_name(-1)) != 0;
        if (listed && (given ? (int)number == result && strcmp(word, decimal) == 0
                             : strcmp(tmap_cuda_error_name(result), word) == 0))
            return result;
    }
    return -1;
}

/* ---- Text ------------------------------------------------------------------------------------------------------- */

/* Indents every line of an example. */
static void print_example(tmap_sink *sink, const char *title, const char *yaml) {
    if (!yaml) return;
    tmap_printf(sink, "\n%s:\n", title);
    while (*yaml != '\0') {
        int length = (int)strcspn(yaml, "\n");
        tmap_printf(sink, "    %.*s\n", length, yaml);
        yaml += length + (yaml[length] == '\n');
    }
}

/* Breaks a paragraph at 100 columns. */
static void print_wrapped(tmap_sink *sink, const char *text) {
    int column = 0;
    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");
        if (column > 0 && column + 1 + length > 100) {
            tmap_puts(sink, "\n");
            column = 0;
        }
        tmap_printf(sink, "%s%.*s", column > 0 ? " " : "", length, text);
        column += length + (column > 0);
        text += length;
        text += strspn(text, " \n");
    }
    tmap_puts(sink, "\n");
}

static void print_rule(tmap_sink *sink, const tmap_rule_info *rule) {
    tmap_printf(sink, "rule %s%s%s%s\n", rule->slug, rule->number ? " (" : "", rule->number ? rule->number : "",
                rule->number ? ")" : "");
    print_wrapped(sink, rule->title);
    if (rule->why) {
        tmap_puts(sink, "\n");
        print_wrapped(sink, rule->why);
    }
    tmap_printf(sink, "\nseverity:    %s\nenforced by: %s\n", tmap_severity_name(rule->severity),
                tmap_enforcer_name(rule->enforced_by));
    if (rule->symptom) tmap_printf(sink, "symptom:     %s\n", rule->symptom);
    if (rule->reference) tmap_printf(sink, "reference:   %s\n", rule->reference);
}

static void print_row(tmap_sink *sink, const tmap_evidence *row) {
    char archs[ARCHS_TEXT_MAX];
    tmap_evidence parts[2];
    tmap_printf(sink, "  %s%s, %s", tmap_evidence_class_name(row->class_), row->refutes ? ", refutes" : "",
                tmap_archs_print(row->archs, archs, sizeof archs));
    if (tmap_evidence_split(row, parts) == 2)
        tmap_printf(sink, " (%s on %s)", tmap_evidence_class_name(parts[1].class_),
                    tmap_archs_print(parts[1].archs, archs, sizeof archs));
    tmap_printf(sink, ": %s\n", row->source);
}

static void print_evidence(tmap_sink *sink, const explained_item *explanation) {
    char archs[ARCHS_TEXT_MAX];
    tmap_puts(sink, "\nstanding:\n");
    for (int i = 0; i < explanation->groups_n; i++) {
        const standing_group *group = &explanation->groups[i];
        tmap_printf(sink, "  %s%s: %s\n", tmap_evidence_class_name(group->standing.class_),
                    group->standing.refuted ? ", refuted" : "", tmap_archs_print(group->archs, archs, sizeof archs));
    }
    const tmap_evidence *row;
    bool any = false;
    for (int i = 0; (row = tmap_evidence_get(i)) != NULL; i++) {
        if (strcmp(row->fact, explanation->id) != 0) continue;
        if (!any) tmap_puts(sink, "\nevidence:\n");
        any = true;
        print_row(sink, row);
    }
}

static void print_changes(tmap_sink *sink, const char *id) {
    const tmap_change_info *change;
    bool any = false;
    for (int i = 0; (change = tmap_change_get(i)) != NULL; i++) {
        if (!tmap_change_is_about(change, id)) continue;
        if (!any) tmap_puts(sink, "\nchanged with versions:\n");
        any = true;
        int ptx = tmap_ptx_version_of_cuda(change->cuda);
        tmap_printf(sink, "  CUDA %d.%d, PTX ISA %d.%d: %s\n", change->cuda / 1000, change->cuda % 1000 / 10, ptx / 10,
                    ptx % 10, change->text);
    }
}

/* The reason why a rule has no examples; NULL for a rule with examples. */
static const char *why_no_example(const tmap_rule_info *rule) {
    if (rule->bad) return NULL;
    switch (rule->about) {
    case TMAP_ABOUT_MAP:
        return "a spec has names for these numbers, or its reader reports the mistake first; only a program can break "
               "the rule";
    case TMAP_ABOUT_COPY: return "a spec has names for these numbers; only a program can break the rule";
    case TMAP_ABOUT_DESCRIPTOR: return "the rule checks bits of a descriptor";
    case TMAP_ABOUT_REPLACE_ADDRESS: return "a spec cannot express a call of cuTensorMapReplaceAddress";
    case TMAP_ABOUT_CALL: return "the rule is about a call of a program, or an instruction that a spec cannot express";
    case TMAP_ABOUT_FORMAT:
    case TMAP_ABOUT_SEQUENCE: break;
    }
    return "the rule is about an input that is not a spec of this version";
}

static void print_text(tmap_sink *sink, const explained_item *explanation) {
    const tmap_rule_info *rule = explanation->rule;
    if (rule) {
        print_rule(sink, rule);
    } else {
        tmap_printf(sink, "fact %s\n", explanation->id);
        print_wrapped(sink, explanation->statement);
    }
    if (!rule || rule->about != TMAP_ABOUT_FORMAT) print_evidence(sink, explanation);
    print_changes(sink, explanation->id);
    if (!rule) return;
    print_example(sink, "breaks it", rule->bad);
    print_example(sink, "keeps it", rule->good);
    if (!why_no_example(rule)) return;
    tmap_puts(sink, "\n");
    tmap_printf(sink, "no spec can break this rule: %s\n", why_no_example(rule));
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void rule_json(tmap_json *json, const tmap_rule_info *rule) {
    json_field_string(json, "number", rule->number);
    json_field_string(json, "severity", tmap_severity_name(rule->severity));
    json_field_string(json, "enforced_by", tmap_enforcer_name(rule->enforced_by));
    json_field_string(json, "symptom", rule->symptom);
    json_field_string(json, "reference", rule->reference);
    json_field_string(json, "why", rule->why);
    json_field_string(json, "bad", rule->bad);
    json_field_string(json, "good", rule->good);
    json_field_string(json, "no_spec_breaks_it", why_no_example(rule));
}

static void row_json(tmap_json *json, const tmap_evidence *row) {
    tmap_json_object(json, true);
    json_field_string(json, "class", tmap_evidence_class_name(row->class_));
    json_field_bool(json, "refutes", row->refutes);
    json_field_archs(json, "archs", row->archs);
    json_field_string(json, "source", row->source);
    tmap_json_close(json, '}');
}

static void evidence_json(tmap_json *json, const explained_item *explanation) {
    tmap_json_key(json, "standing");
    tmap_json_array(json, false);
    for (int i = 0; i < explanation->groups_n; i++) {
        tmap_json_object(json, true);
        json_field_string(json, "class", tmap_evidence_class_name(explanation->groups[i].standing.class_));
        json_field_bool(json, "refuted", explanation->groups[i].standing.refuted);
        json_field_archs(json, "archs", explanation->groups[i].archs);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
    tmap_json_key(json, "evidence");
    tmap_json_array(json, false);
    const tmap_evidence *row;
    for (int i = 0; (row = tmap_evidence_get(i)) != NULL; i++) {
        if (strcmp(row->fact, explanation->id) != 0) continue;
        tmap_evidence parts[2];
        int parts_n = tmap_evidence_split(row, parts);
        for (int part = 0; part < parts_n; part++) row_json(json, &parts[part]);
    }
    tmap_json_close(json, ']');
}

static void changes_json(tmap_json *json, const char *id) {
    const tmap_change_info *change;
    tmap_json_key(json, "changes");
    tmap_json_array(json, false);
    for (int i = 0; (change = tmap_change_get(i)) != NULL; i++) {
        if (!tmap_change_is_about(change, id)) continue;
        char cuda[24], ptx[24];
        int version = tmap_ptx_version_of_cuda(change->cuda);
        snprintf(cuda, sizeof cuda, "%d.%d", change->cuda / 1000, change->cuda % 1000 / 10);
        snprintf(ptx, sizeof ptx, "%d.%d", version / 10, version % 10);
        tmap_json_object(json, true);
        json_field_string(json, "cuda", cuda);
        json_field_string(json, "ptx_isa", ptx);
        json_field_string(json, "change", change->text);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

static void print_json(tmap_sink *sink, const explained_item *explanation) {
    tmap_json json = json_result_begin(sink);
    json_field_string(&json, explanation->rule ? "rule" : "fact", explanation->id);
    json_field_string(&json, "statement", explanation->statement);
    if (explanation->rule) rule_json(&json, explanation->rule);
    evidence_json(&json, explanation);
    changes_json(&json, explanation->id);
    json_result_end(&json);
}

static void print_result(int result, bool as_json) {
    const char *name = tmap_cuda_error_name(result), *hint = tmap_cuda_error_hint(result);
    tmap_sink sink = sink_to(stdout);
    if (!hint) hint = "cuda.h describes this result; it is not specific to tensor maps";
    if (!as_json) {
        tmap_printf(&sink, "CUresult %d, %s\n", result, name);
        print_wrapped(&sink, hint);
        return;
    }
    tmap_json json = json_result_begin(&sink);
    json_field_uint(&json, "result", (uint64_t)result);
    json_field_string(&json, "result_name", name);
    json_field_string(&json, "statement", hint);
    for (int i = 0; i < 3; i++) {
        json_list(&json, (const char *const[]){"standing", "evidence", "changes"}[i], true);
        tmap_json_close(&json, ']');
    }
    json_result_end(&json);
}

/* ---- Names of tables -------------------------------------------------------------------------------------------- */

/* Whether the rows of a table depend on the toolkit: types, functions of the driver, instructions and the like. */
static bool is_versioned(const list_table *listing) {
    bool fits = strcmp(listing->name, "ops") == 0;
    for (int c = 0; c < COLUMNS_MAX && listing->columns[c]; c++) fits |= strcmp(listing->columns[c], "cuda") == 0;
    return fits && strcmp(listing->name, "variants") != 0;
}

static void print_listed(const list_table *listing, const text_table *table, int row, bool as_json) {
    const char *name = table->cells[(size_t)row * (size_t)table->columns_n].text;
    tmap_sink sink = sink_to(stdout);
    if (!as_json) {
        tmap_printf(&sink, "%s, of tmap list %s\n", name, listing->name);
        table_print_row(&sink, table, row);
        print_changes(&sink, name);
        return;
    }
    tmap_json json = json_result_begin(&sink);
    json_field_string(&json, "table", listing->name);
    json_field_string(&json, "statement", listing->summary);
    tmap_json_key(&json, "row");
    table_json_row(&json, table, row);
    for (int i = 0; i < 2; i++) {
        json_list(&json, (const char *const[]){"standing", "evidence"}[i], true);
        tmap_json_close(&json, ']');
    }
    changes_json(&json, name);
    json_result_end(&json);
}

/* Prints the row of the word in a table that depends on the toolkit. Returns false if no table contains the word. */
static bool explain_listed(const char *word, bool as_json) {
    bool found = false;
    for (size_t i = 0; !found && listing_get(i); i++) {
        const list_table *listing = listing_get(i);
        if (!is_versioned(listing)) continue;
        text_table table = listing_fill(listing);
        int row = table.failed ? -1 : table_find(&table, word);
        found = row >= 0;
        if (found) print_listed(listing, &table, row, as_json);
        table_free(&table);
    }
    return found;
}

static int run(int argc, char **argv) {
    explain_options o = {0};
    operand_list operands;
    int code;
    if (!options_parse(&explain_command, &o, argc, argv, &operands, &code)) return code;
    explained_item explanation;
    int result = find_result(operands.items[0]);
    if (result >= 0) {
        print_result(result, o.json);
        return EXIT_CLEAN;
    }
    if (!find_rule(operands.items[0]) && !fact_statement(operands.items[0]) &&
        explain_listed(operands.items[0], o.json))
        return EXIT_CLEAN;
    code = find(operands.items[0], &explanation);
    if (code != EXIT_CLEAN) return code;
    tmap_sink sink = sink_to(stdout);
    (o.json ? print_json : print_text)(&sink, &explanation);
    return EXIT_CLEAN;
}

const command_row explain_command = {
    .name = "explain",
    .summary = "explain a rule or a fact: its reason, source and evidence",
    .synopsis = "RULE|FACT|NAME|CURESULT",
    .about = "Explains a rule (by its slug, which findings have in brackets) or a fact about the hardware: the\n"
             "statement, the source, the enforcer, the standing on each architecture, changes by CUDA releases, and\n"
             "examples. Also a name of the tables of tmap list (a type, swizzle, mode, operation, architecture,\n"
             "instruction form, qualifier, field of tensormap.replace or function of the driver): its row, and its\n"
             "changes. Also a CUresult, by number or name: how to resolve it.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
