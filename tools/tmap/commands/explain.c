/* tmap explain: a rule or a fact with its reasons and its evidence. */
#include <stdlib.h>
#include <string.h>

#include "commands/explain_words.h"
#include "commands/list_tables.h"
#include "options/command.h"
#include "output/messages.h"
#include "specs/used_facts.h"
#include "tmap/unstable/changes.h"
#include "tmap/unstable/cuda_errors.h"
#include "tmap/unstable/forms.h"
#include "tmap/unstable/tables.h"

typedef struct explain_options {
    bool json;
} explain_options;

static const option_row options[] = {
    {"--json", NULL, "print the explanation as JSON", offsetof(explain_options, json), NULL},
    {0},
};

/* Architectures on which the subject has the same evidence. */
typedef struct standing_group {
    tmap_standing standing;
    tmap_archs archs;
} standing_group;

#define GROUPS_MAX (3 * TMAP_EVIDENCE_CLASS_COUNT)

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
        if (group->standing.class_ != standing.class_ ||
            strcmp(standing_name(group->standing), standing_name(standing)) != 0)
            continue;
        group->archs |= (tmap_archs)1 << arch;
        return;
    }
    explanation->groups[explanation->groups_n++] = (standing_group){standing, (tmap_archs)1 << arch};
}

static int complain_word(const char *word) {
    size_t rules_n = 0, facts_n = 0, symptoms_n = 0, n = 0;
    while (tmap_rule_get((int)rules_n)) rules_n++;
    while (tmap_fact_get((int)facts_n)) facts_n++;
    while (tmap_symptom_get((int)symptoms_n)) symptoms_n++;
    const char **names = calloc(symptoms_n + rules_n + facts_n + 1, sizeof *names);
    if (!names) return complain_status(TMAP_NO_MEMORY, word);
    for (size_t i = 0; i < symptoms_n; i++) names[n++] = tmap_symptom_get((int)i)->name;
    for (size_t i = 0; i < rules_n; i++) names[n++] = tmap_rule_get((int)i)->slug;
    for (size_t i = 0; i < facts_n; i++) names[n++] = tmap_fact_get((int)i)->id;
    int code = complain_nearest("name, word or symptom", word, names, n);
    free(names);
    return code;
}

static bool find(const char *word, explained_item *explanation) {
    explanation->rule = tmap_rule_get(tmap_rule_find(word));
    explanation->id = explanation->rule ? explanation->rule->slug : word;
    explanation->statement = fact_statement(explanation->id);
    for (int arch = 0; explanation->statement && tmap_arch_get(arch); arch++) add_arch(explanation, arch);
    return explanation->statement != NULL;
}

enum { WORDS_MAX = 256 };

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

/* ---- Results ---------------------------------------------------------------------------------------------------- */

static void write_rule(result_sink *out, const tmap_rule_info *rule) {
    tmap_sink *text = &out->text;
    tmap_printf(text, "rule %s\n", rule->slug);
    print_wrapped(text, rule->title);
    if (rule->why) {
        tmap_puts(text, "\n");
        print_wrapped(text, rule->why);
    }
    tmap_printf(text, "\nseverity:    %s\nenforced by: %s\n", tmap_severity_name(rule->severity),
                tmap_enforcer_name(rule->enforced_by));
    if (rule->symptom) tmap_printf(text, "symptom:     %s\n", rule->symptom);
    if (rule->reference) tmap_printf(text, "reference:   %s\n", rule->reference);
    json_field_string(&out->json, "severity", tmap_severity_name(rule->severity));
    json_field_string(&out->json, "enforced_by", tmap_enforcer_name(rule->enforced_by));
    json_field_string(&out->json, "symptom", rule->symptom);
    json_field_string(&out->json, "reference", rule->reference);
    json_field_string(&out->json, "why", rule->why);
    json_field_string(&out->json, "bad", rule->bad);
    json_field_string(&out->json, "good", rule->good);
    json_field_string(&out->json, "no_spec_breaks_it", why_no_example(rule));
}

static void write_standing(result_sink *out, const explained_item *explanation) {
    char archs[ARCHS_TEXT_MAX];
    tmap_puts(&out->text, "\nstanding:\n");
    json_list(&out->json, "standing", false);
    for (int i = 0; i < explanation->groups_n; i++) {
        const standing_group *group = &explanation->groups[i];
        const char *name = tmap_evidence_class_name(group->standing.class_);
        const char *against = group->standing.refuted ? ", refuted" : group->standing.contested ? ", contested" : "";
        tmap_printf(&out->text, "  %s%s: %s\n", name, against, tmap_archs_print(group->archs, archs, sizeof archs));
        tmap_json_object(&out->json, true);
        json_field_string(&out->json, "class", name);
        json_field_bool(&out->json, "refuted", group->standing.refuted);
        json_field_bool(&out->json, "contested", group->standing.contested);
        json_field_archs(&out->json, "archs", group->archs);
        tmap_json_close(&out->json, '}');
    }
    tmap_json_close(&out->json, ']');
}

/* One line of text. In JSON a row whose class differs on some architectures is two rows. */
static void write_row(result_sink *out, const tmap_evidence *row) {
    char archs[ARCHS_TEXT_MAX];
    tmap_evidence parts[2];
    int parts_n = tmap_evidence_split(row, parts);
    tmap_printf(&out->text, "  %s%s, %s", tmap_evidence_class_name(row->class_), row->refutes ? ", refutes" : "",
                tmap_archs_print(row->archs, archs, sizeof archs));
    if (parts_n == 2)
        tmap_printf(&out->text, " (%s on %s)", tmap_evidence_class_name(parts[1].class_),
                    tmap_archs_print(parts[1].archs, archs, sizeof archs));
    tmap_printf(&out->text, ": %s\n", row->source);
    for (int part = 0; part < parts_n; part++) {
        tmap_json_object(&out->json, true);
        json_field_string(&out->json, "class", tmap_evidence_class_name(parts[part].class_));
        json_field_bool(&out->json, "refutes", parts[part].refutes);
        json_field_archs(&out->json, "archs", parts[part].archs);
        json_field_string(&out->json, "source", parts[part].source);
        tmap_json_close(&out->json, '}');
    }
}

static void write_evidence(result_sink *out, const explained_item *explanation) {
    const tmap_evidence *row;
    const char *title = "\nevidence:\n";
    write_standing(out, explanation);
    json_list(&out->json, "evidence", false);
    for (int i = 0; (row = tmap_evidence_get(i)) != NULL; i++) {
        if (strcmp(row->fact, explanation->id) != 0) continue;
        tmap_puts(&out->text, title);
        title = "";
        write_row(out, row);
    }
    tmap_json_close(&out->json, ']');
}

static void write_changes(result_sink *out, const char *id) {
    const tmap_change_info *change;
    const char *title = "\nchanges by version:\n";
    json_list(&out->json, "changes", false);
    for (int i = 0; (change = tmap_change_get(i)) != NULL; i++) {
        if (!tmap_change_is_about(change, id)) continue;
        char cuda[24], ptx[24];
        int version = tmap_ptx_version_of_cuda(change->cuda);
        snprintf(cuda, sizeof cuda, "%d.%d", change->cuda / 1000, change->cuda % 1000 / 10);
        snprintf(ptx, sizeof ptx, "%d.%d", version / 10, version % 10);
        tmap_printf(&out->text, "%s  CUDA %s, PTX ISA %s: %s\n", title, cuda, ptx, change->text);
        title = "";
        tmap_json_object(&out->json, true);
        json_field_string(&out->json, "cuda", cuda);
        json_field_string(&out->json, "ptx_isa", ptx);
        json_field_string(&out->json, "change", change->text);
        tmap_json_close(&out->json, '}');
    }
    tmap_json_close(&out->json, ']');
}

static void print_examples(tmap_sink *text, const tmap_rule_info *rule) {
    print_example(text, "breaks the rule", rule->bad);
    print_example(text, "keeps the rule", rule->good);
    if (why_no_example(rule)) tmap_printf(text, "\nno spec can break this rule: %s\n", why_no_example(rule));
}

/* Prints a line if the rule belongs to a part that this build leaves out. */
static void print_left_out(tmap_sink *text, const char *slug) {
    tmap_diag refusal;
    bool of_kernel =
        strncmp(slug, "sequence-", 9) == 0 || strncmp(slug, "size-", 5) == 0 || strncmp(slug, "ptx-", 4) == 0;
    bool of_layouts = strncmp(slug, "plan-", 5) == 0 || strncmp(slug, "layout-", 7) == 0;
    tmap_part_id part = of_kernel ? TMAP_PART_KERNEL : of_layouts ? TMAP_PART_LAYOUTS : TMAP_PART_CORE;
    if (tmap_part_require(part, "the rule", &refusal) != TMAP_OK)
        tmap_printf(text, "\n%s: %s\n", refusal.message, refusal.fix.words);
}

static void write_explanation(result_sink *out, const explained_item *explanation) {
    const tmap_rule_info *rule = explanation->rule;
    json_field_string(&out->json, rule ? "rule" : "fact", explanation->id);
    json_field_string(&out->json, "statement", explanation->statement);
    if (rule) {
        write_rule(out, rule);
    } else {
        tmap_printf(&out->text, "fact %s\n", explanation->id);
        print_wrapped(&out->text, explanation->statement);
    }
    tmap_sink text = out->text;
    if (rule && rule->about == TMAP_ABOUT_FORMAT) text = result_mute(out);
    write_evidence(out, explanation);
    out->text = text;
    write_changes(out, explanation->id);
    if (rule) print_examples(&out->text, rule);
    if (rule) print_left_out(&out->text, rule->slug);
}

static void empty_list(tmap_json *json, const char *key) {
    json_list(json, key, true);
    tmap_json_close(json, ']');
}

static void write_no_evidence(result_sink *out) {
    empty_list(&out->json, "standing");
    empty_list(&out->json, "evidence");
    empty_list(&out->json, "changes");
}

static void write_related(result_sink *out, const char *related) {
    char id[PTX_WORD_MAX];
    tmap_puts(&out->text, "\nrules and facts:\n");
    json_list(&out->json, "related", true);
    for (const char *left = related; ptx_word_next(&left, id, sizeof id);) {
        tmap_printf(&out->text, "  %s: %s\n", id, fact_statement(id));
        tmap_json_string(&out->json, id);
    }
    tmap_json_close(&out->json, ']');
}

/* The causes, the commands that find them, and the rules. */
static void write_causes(result_sink *out, const tmap_symptom_info *found) {
    print_wrapped(&out->text, found->text);
    tmap_puts(&out->text, "\ncommands (docs/symptoms.md has examples):\n");
    json_list(&out->json, "commands", true);
    for (const char *at = found->commands; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        char command[PTX_WORD_MAX];
        snprintf(command, sizeof command, "%.*s", (int)strcspn(at, "\n"), at);
        tmap_printf(&out->text, "  %s\n", command);
        tmap_json_string(&out->json, command);
    }
    tmap_json_close(&out->json, ']');
    write_related(out, found->related);
}

/* alone: no table has a row for the same word. */
static void write_symptom(result_sink *out, const tmap_symptom_info *found, bool alone) {
    tmap_printf(&out->text, "symptom %s\n", found->name);
    if (alone) {
        json_field_string(&out->json, "statement", found->text);
        write_no_evidence(out);
    }
    write_causes(out, found);
    if (!alone) tmap_puts(&out->text, "\n");
}

static void write_result(result_sink *out, int result) {
    const char *name = tmap_cuda_error_name(result), *hint = tmap_cuda_error_hint(result);
    if (!hint) hint = "cuda.h describes this result; it is not specific to tensor maps";
    tmap_printf(&out->text, "CUresult %d, %s\n", result, name);
    print_wrapped(&out->text, hint);
    json_field_uint(&out->json, "result", (uint64_t)result);
    json_field_string(&out->json, "result_name", name);
    json_field_string(&out->json, "statement", hint);
    write_no_evidence(out);
    const tmap_symptom_info *found = tmap_symptom_get(tmap_symptom_find(name));
    if (!found) return;
    tmap_puts(&out->text, "\n");
    write_causes(out, found);
}

/* ---- Names of tables -------------------------------------------------------------------------------------------- */

/* Whether the rows of a table depend on the toolkit: types, functions of the driver, instructions and the like. */
static bool is_versioned(const list_table *listing) {
    bool fits = strcmp(listing->name, "ops") == 0;
    for (int c = 0; c < COLUMNS_MAX && listing->columns[c]; c++) fits |= strcmp(listing->columns[c], "cuda") == 0;
    return fits && strcmp(listing->name, "variants") != 0;
}

/* A row of a table; the caller frees the table. */
typedef struct listed_row {
    const list_table *listing;
    text_table table;
    int row;
} listed_row;

static const char *name_of(const listed_row *listed) {
    return listed->table.cells[(size_t)listed->row * (size_t)listed->table.columns_n].text;
}

/* Whether a spelling is a part of the instruction between its dots. */
static bool instruction_has(const char *ptx, const char *spelling) {
    size_t length = strlen(spelling);
    for (const char *at = ptx; (at = strstr(at, spelling)) != NULL; at++) {
        bool begins = at == ptx || at[-1] == '.', ends = strchr(". ;", at[length]) != NULL;
        if (begins && ends && at + length <= ptx + strcspn(ptx, " ")) return true;
    }
    return false;
}

/* In a form, the name of a state space is the space of the data, not of the map. */
static bool form_has(const tmap_form_info *form, const ptx_word *word) {
    if (word->is_space) return false;
    char spelling[PTX_WORD_MAX];
    for (const char *left = word->spellings; ptx_word_next(&left, spelling, sizeof spelling);)
        if (instruction_has(form->ptx, spelling)) return true;
    return false;
}

static void write_forms(result_sink *out, const ptx_word *word) {
    const tmap_form_info *form;
    const char *title = "\ninstruction forms (tmap list forms):\n";
    json_list(&out->json, "forms", true);
    for (int i = 0; (form = tmap_form_get(i)) != NULL; i++) {
        if (!form_has(form, word)) continue;
        tmap_printf(&out->text, "%s  %s\n", title, form->name);
        title = "";
        tmap_json_string(&out->json, form->name);
    }
    tmap_json_close(&out->json, ']');
}

static void write_row_of(result_sink *out, const listed_row *listed) {
    table_print_row(&out->text, &listed->table, listed->row);
    json_field_string(&out->json, "table", listed->listing->name);
    tmap_json_key(&out->json, "row");
    table_json_row(&out->json, &listed->table, listed->row);
}

static void write_name(result_sink *out, const char *name, const listed_row *listed, const ptx_word *word) {
    bool both = listed->listing && word;
    tmap_printf(&out->text, "%s, of %s%s\n", name, listed->listing ? "tmap list " : "PTX",
                listed->listing ? listed->listing->name : "");
    if (word) print_wrapped(&out->text, word->text);
    if (both) tmap_puts(&out->text, "\n");
    json_field_string(&out->json, "statement", word ? word->text : listed->listing->summary);
    if (listed->listing) write_row_of(out, listed);
    if (word) write_forms(out, word);
    empty_list(&out->json, "standing");
    empty_list(&out->json, "evidence");
    char spelling[PTX_WORD_MAX] = "";
    const char *left = word ? word->spellings : "";
    (void)ptx_word_next(&left, spelling, sizeof spelling);
    write_changes(out, listed->listing ? name : spelling);
    if (word) write_related(out, word->related);
}

/* Finds the row of a name in a table that depends on the toolkit. */
static bool find_listed(const char *word, listed_row *listed) {
    for (size_t i = 0; (listed->listing = listing_get(i)) != NULL; i++) {
        if (!is_versioned(listed->listing)) continue;
        listed->table = listing_fill(listed->listing);
        listed->row = listed->table.failed ? -1 : table_find(&listed->table, word);
        if (listed->row >= 0) return true;
        table_free(&listed->table);
        listed->table = (text_table){0};
    }
    return false;
}

static int run_explain(const operand_list *operands, void *values) {
    explain_options *o = values;
    explained_item explanation = {.id = NULL};
    listed_row listed = {.listing = NULL};
    char word[WORDS_MAX] = "";
    for (int i = 0; i < operands->n; i++) tmap_append(word, sizeof word, "%s%s", i > 0 ? " " : "", operands->items[i]);
    int result = tmap_cuda_error_of_word(word);
    bool judged = result < 0 && find(word, &explanation);
    const ptx_word *of_ptx = result < 0 && !judged ? ptx_word_find(word) : NULL;
    bool named = result < 0 && !judged && find_listed(word, &listed);
    if (of_ptx && of_ptx->listed && !named) named = find_listed(of_ptx->listed, &listed);
    const tmap_symptom_info *of_symptom =
        result < 0 && !judged && !of_ptx ? tmap_symptom_get(tmap_symptom_find(word)) : NULL;
    if (result < 0 && !judged && !named && !of_ptx && !of_symptom) return complain_word(word);
    result_sink out;
    result_begin(&out, stdout, o->json);
    if (result >= 0) write_result(&out, result);
    if (explanation.statement) write_explanation(&out, &explanation);
    if (of_symptom) write_symptom(&out, of_symptom, !named);
    if (named || of_ptx) write_name(&out, named ? name_of(&listed) : word, &listed, of_ptx);
    table_free(&listed.table);
    result_end(&out);
    return EXIT_CLEAN;
}

const command_row explain_command = {
    .name = "explain",
    .summary = "explain a rule, a fact, a CUresult or a symptom",
    .synopsis = "RULE|FACT|NAME|WORD|CURESULT|SYMPTOM",
    .about = "Explains a rule (by its slug, which findings show in brackets) or a fact about the hardware: the\n"
             "statement, the source, the enforcer, the standing on each architecture, changes by CUDA releases, and\n"
             "examples. For a symptom, such as hang, zeros, \"misaligned address\" or expect_tx, it prints the usual\n"
             "causes, the commands that find them, and the rules. For a name of the tables of tmap list (a type,\n"
             "swizzle, mode, operation, architecture, instruction form, qualifier, field of tensormap.replace or\n"
             "function of the driver), it prints the row and its changes; for a word of PTX, such as .cta_group::1 or\n"
             "im2col_no_offs::w, the effect, the forms that have the word, and the rules about it; for a CUresult, by\n"
             "number or name, how to resolve it.",
    OPTIONS_IN(explain_options),
    .operands = {1, OPERANDS_ANY},
    .run = run_explain,
};
