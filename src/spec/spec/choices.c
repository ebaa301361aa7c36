/* spec: words for enumerators. */
#include "spec/read.h"

#include "params/fields.h"
#include "spec/foreign_words.h"
#include "text/nearest.h"
#include "text/number.h"
#include "text/print.h"
#include "text/typed.h"
#include "tmap/unstable/changes.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/names.h"
#include "tmap/unstable/params_instruction.h"
#include "tmap/unstable/tables.h"

#include <stdio.h>
#include <string.h>

#define NAMES_OF(table)                                                                                                \
    static const char *name_of_##table(int i) {                                                                        \
        return tmap_##table##_get(i) ? tmap_##table##_get(i)->name : NULL;                                             \
    }                                                                                                                  \
    const tmap_words tmap_words_##table = {.find = tmap_##table##_find, .name = name_of_##table};

NAMES_OF(arch)
NAMES_OF(toolkit)

static const char *name_of_fact(int i) {
    return tmap_fact_get(i) ? tmap_fact_get(i)->id : NULL;
}
const tmap_words tmap_words_fact = {.find = tmap_fact_find, .name = name_of_fact};

static const char *name_of_rule(int i) {
    return tmap_rule_get(i) ? tmap_rule_get(i)->slug : NULL;
}
const tmap_words tmap_words_rule = {.find = tmap_rule_find, .name = name_of_rule};

static const char *name_of_order(int i) {
    return i == 0 ? "inner_first" : i == 1 ? "outer_first" : NULL;
}
static int find_order(const char *name) {
    return strcmp(name, name_of_order(0)) == 0 ? 0 : strcmp(name, name_of_order(1)) == 0 ? 1 : -1;
}
const tmap_words tmap_words_order = {.find = find_order, .name = name_of_order};

uint64_t tmap_cache_policy_of(const char *word) {
    const tmap_cache_policy policy = {(tmap_l2_priority)tmap_words_priority.find(word), TMAP_L2_EVICT_UNCHANGED, 16};
    return tmap_cache_policy_encode(&policy);
}

/* Values that only the instruction has, not a tensor. */
#define WORDS_OF(name, field)                                                                                          \
    static const char *name_of_##name(int i) {                                                                         \
        return i < 0 ? NULL : tmap_replace_word(field, (uint64_t)i);                                                   \
    }                                                                                                                  \
    static int find_##name(const char *word) {                                                                         \
        return tmap_replace_word_find(field, word);                                                                    \
    }                                                                                                                  \
    static const tmap_words words_##name = {find_##name, name_of_##name, .first = 0};

WORDS_OF(swizzle_mode, TMAP_REPLACEABLE_SWIZZLE)
WORDS_OF(atomicity, TMAP_REPLACEABLE_ATOMICITY)

const tmap_words *tmap_words_of_replaceable(tmap_replaceable field) {
    switch ((int)field) {
    case TMAP_REPLACEABLE_TYPE: return &tmap_words_type;
    case TMAP_REPLACEABLE_INTERLEAVE: return &tmap_words_interleave;
    case TMAP_REPLACEABLE_OOB_FILL: return &tmap_words_oob_fill;
    case TMAP_REPLACEABLE_SWIZZLE: return &words_swizzle_mode;
    case TMAP_REPLACEABLE_ATOMICITY: return &words_atomicity;
    default: return NULL;
    }
}

static tmap_replaceable replaceable_of(const tmap_words *words) {
    int field = 0;
    while (field < TMAP_REPLACEABLE_COUNT && tmap_words_of_replaceable((tmap_replaceable)field) != words) field++;
    return (tmap_replaceable)field;
}

#define NAMES_MAX TMAP_RULES_MAX /* the longest table */

static size_t names_of(const tmap_words *words, const char *names[NAMES_MAX]) {
    size_t count = 0;
    for (int i = words->first; count < NAMES_MAX && words->name(i); i++) names[count++] = words->name(i);
    for (int i = 0; words->alias && count < NAMES_MAX && words->alias(i); i++) names[count++] = words->alias(i);
    return count;
}

int tmap_enumerator_of_word(tmap_field field, const char *word) {
    const tmap_words *words = tmap_field_words(field);
    const char *names[NAMES_MAX];
    if (!words) return -1;
    int found = words->find(word);
    if (found >= 0) return found;
    const char *meant = tmap_name_of_word(tmap_field_get((int)field)->name, word, names, names_of(words, names));
    return meant ? words->find(meant) : -1;
}

/* Both formats of 8-bit floats match the name. */
static const char *other_float8(const char *word, const char *nearest) {
    bool both = nearest && strcmp(nearest, "e4m3") == 0 && !strstr(word, "e4m3") && !strstr(word, "E4M3");
    return both ? "e5m2" : NULL;
}

/* Whether the word names an architecture, a chip or a compute capability without TMA. */
static bool is_before_tma(const char *word) {
    static const char *const words[] = {"volta", "turing",  "ampere",  "ada", "V100", "T4",  "A100", "A10", "L4", "L40",
                                        "L40S",  "RTX3090", "RTX4090", "7.0", "7.5",  "8.0", "8.6",  "8.7", "8.9"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tmap_same_letters(word, words[i])) return true;
    return tmap_arch_is_before_tma(word);
}

static void refuse_arch(tmap_spec_reading *r, const tmap_node *node) {
    char name[TMAP_QUOTED_MAX];
    tmap_diag *diag = tmap_report_of_key(r, TMAP_KEY_FILE_ARCH, "value-name", node->mark,
                                         "%s has no TMA: tensor maps require sm_90 or later",
                                         tmap_quoted(name, node->text, node->size));
    TMAP_SAY(diag->allowed, "sm_90 and later");
    TMAP_SAY(diag->fix.words, "copy without tensor maps (cp.async), or arch: sm_90");
}

/* The bits of an element of the tensor that is read; 0: unknown, or another section is read. */
static int element_bits(const tmap_spec_reading *r) {
    bool tensor = r->given->first == tmap_section_first(TMAP_SECTION_TENSOR);
    const tmap_node *type = tensor ? tmap_reading_value(r, TMAP_KEY_TENSOR_TYPE) : NULL;
    int found = type && type->kind == TMAP_NODE_SCALAR ? tmap_type_find(type->text) : -1;
    return found < 0 ? 0 : tmap_type_get(found)->bits;
}

static const char *meant_by(const tmap_spec_reading *r, const tmap_words *words, const char *key, const char *word,
                            const char *const *names, size_t count) {
    char plain[TMAP_QUOTED_MAX];
    const char *meant = words->meant ? words->meant(word) : NULL;
    tmap_typed_plain(word, strlen(word), plain, sizeof plain);
    if (words == &tmap_words_swizzle && tmap_swizzle_of_cute(plain, element_bits(r), &meant)) return meant;
    return meant ? meant : tmap_name_suggest(key, plain, names, count);
}

/* The name of the number that the driver has for a word, as logs print it; NULL: the word is no such number. */
static const char *named_by_driver(const tmap_words *words, tmap_key key, const tmap_node *node) {
    tmap_integer number;
    if (!words->of_driver || key == TMAP_KEY_COPY_VALUE) return NULL; /* the instruction has other numbers */
    bool small = tmap_number_parse(node->text, node->size, &number) == TMAP_NUMBER_OK && !number.negative &&
                 number.magnitude <= UINT8_MAX;
    return small ? words->of_driver((int)number.magnitude) : NULL;
}

/* The number of a type's alias, plus 1; 0: the name is no alias. */
static int alias_of(const char *name) {
    const char *alias;
    tmap_type type;
    for (int i = 0; tmap_type_alias_get(i, &alias, &type); i++)
        if (strcmp(alias, name) == 0) return i + 1;
    return 0;
}

/* The fix is a name as the value of the key. */
static void fix_by_name(tmap_diag *diag, const tmap_words *words, const tmap_key_info *info, const char *name) {
    const tmap_field_info *field = tmap_field_get(info->field);
    if (!field || strcmp(field->name, info->name) != 0) { /* the key is no field, or a part of a field's value */
        TMAP_SAY(diag->fix.words, "%s: %s", info->name, name);
        return;
    }
    tmap_edit *edit = tmap_fix_or(diag, info->field, -1, (uint64_t)words->find(name));
    edit->list = tmap_field_kind((tmap_field)info->field) == TMAP_KIND_SET;
    if (info->field == TMAP_FIELD_CACHE_HINT) edit->value = tmap_cache_policy_of(name);
    if (info->field == TMAP_FIELD_TYPE) edit->word = (uint8_t)alias_of(name);
    if (info->field == TMAP_FIELD_VALUE) edit->word = (uint8_t)(replaceable_of(words) + 1);
}

static void refuse_number(tmap_spec_reading *r, tmap_key key, const tmap_words *words, const tmap_node *node,
                          const char *name) {
    const tmap_key_info *info = tmap_key_get(key);
    tmap_diag *diag = tmap_report_of_key(r, key, "value-name", node->mark, "%s is %s, the driver's number of %s",
                                         info->name, node->text, name);
    TMAP_SAY(diag->given, "%s", node->text);
    TMAP_SAY(diag->allowed, "a name");
    fix_by_name(diag, words, info, name);
}

static void refuse_word_of(tmap_spec_reading *r, tmap_key key, const char *other, const tmap_node *node) {
    const tmap_key_info *info = tmap_key_get(key);
    tmap_diag *diag = tmap_report_of_key(r, key, "value-name", node->mark, "%s is a value of the key '%s', not of '%s'",
                                         node->text, other, info->name);
    TMAP_SAY(diag->given, "%s", node->text);
    tmap_fix_say(diag, TMAP_FIELD_CACHE_HINT, -1, tmap_cache_policy_of(node->text), "and leave %s out of %s",
                 node->text, info->name);
}

/* A value of a key: in the singular for a key of a list. */
static const char *value_called(tmap_key key) {
    switch ((int)key) {
    case TMAP_KEY_FILE_ACCEPT: return "fact";
    case TMAP_KEY_TENSOR_OPS: return "op";
    case TMAP_KEY_COPY_QUALIFIERS: return "qualifier";
    default: return tmap_key_get(key)->name;
    }
}

static void refuse_name(tmap_spec_reading *r, tmap_key key, const tmap_words *words, const tmap_node *node) {
    const tmap_key_info *info = tmap_key_get(key);
    const char *names[NAMES_MAX];
    if (words == &tmap_words_arch && is_before_tma(node->text)) {
        refuse_arch(r, node);
        return;
    }
    const char *other_key = words->key_of ? words->key_of(node->text) : NULL;
    if (other_key) {
        refuse_word_of(r, key, other_key, node);
        return;
    }
    const char *by_number = named_by_driver(words, key, node);
    if (by_number) {
        refuse_number(r, key, words, node, by_number);
        return;
    }
    size_t count = names_of(words, names);
    bool cut = words == &tmap_words_swizzle && tmap_swizzle_is_cut(node->text);
    bool guesses = !cut && !tmap_report_full(r->report);
    const char *nearest = guesses ? meant_by(r, words, info->name, node->text, names, count) : NULL;
    const char *other = words == &tmap_words_type ? other_float8(node->text, nearest) : NULL;
    char name[TMAP_QUOTED_MAX];
    tmap_diag *diag =
        tmap_report_of_key(r, key, "value-name", node->mark, "unknown %s %s%s%s%s%s%s", value_called(key),
                           tmap_quoted(name, node->text, node->size), nearest ? "; did you mean '" : "",
                           nearest ? nearest : "", other ? "' or '" : "", other ? other : "", nearest ? "'?" : "");
    if (nearest) fix_by_name(diag, words, info, nearest);
    if (other) fix_by_name(diag, words, info, other);
    if (!nearest)
        TMAP_SAY(diag->fix.words, cut ? "put the value in quotes: YAML ends it at the comma" : "one of these names");
    tmap_say_list(diag->allowed, sizeof diag->allowed, names, count, count);
}

static int read_name(tmap_spec_reading *r, tmap_key key, const tmap_words *words, const tmap_node *node) {
    node = tmap_node_value(node);
    if (node->kind == TMAP_NODE_BROKEN) return -1;
    if (node->kind != TMAP_NODE_SCALAR || node->size == 0) {
        bool several = strcmp(tmap_key_get(key)->kind, "names") == 0;
        tmap_refuse_kind(r, key, node, several ? "a name, or a list of names" : "a name");
        return -1;
    }
    int found = words->find(node->text);
    if (found < 0) refuse_name(r, key, words, node);
    return found;
}

int tmap_read_choice(tmap_spec_reading *r, tmap_key key, const tmap_words *words, int otherwise) {
    const tmap_node *value = tmap_reading_value(r, key);
    int found = value ? read_name(r, key, words, value) : -1;
    return found < 0 ? otherwise : found;
}

/* Writes "sm_90a, sm_100a" for "sm_90a sm_100a", "hopper, blackwell" and the like. Returns false if the text is not
 * several names or words for names. */
static bool list_names(const tmap_spec_reading *r, tmap_key key, const tmap_words *words, const char *text,
                       char list[TMAP_LIST_TEXT_MAX]) {
    static const char between[] = ",;/+| ";
    const char *names[NAMES_MAX], *info = tmap_key_get(key)->name;
    size_t count = names_of(words, names);
    int n = 0;
    char plain[TMAP_LIST_TEXT_MAX];
    tmap_typed_plain(text, strlen(text), plain, sizeof plain);
    if (tmap_name_of_word(info, plain, names, count)) return false; /* one name with a space: blackwell ultra */
    text = plain;
    list[0] = '\0';
    for (text += strspn(text, between); *text; n++, text += strspn(text, between)) {
        char word[TMAP_QUOTED_MAX];
        size_t size = strcspn(text, between);
        snprintf(word, sizeof word, "%.*s", (int)size, text);
        const char *name = words->find(word) >= 0 ? word : meant_by(r, words, info, word, names, count);
        if (!name || strlen(list) >= TMAP_LIST_TEXT_MAX - TMAP_QUOTED_MAX) return false;
        tmap_append_item(list, TMAP_LIST_TEXT_MAX, "%s", name);
        text += size;
    }
    return n > 1;
}

void tmap_read_choice_set(tmap_spec_reading *r, tmap_key key, const tmap_words *words, uint32_t *set) {
    const tmap_node *value = tmap_reading_value(r, key);
    if (!value) return;
    bool list = value->kind == TMAP_NODE_LIST;
    char several[TMAP_LIST_TEXT_MAX];
    if (value->kind == TMAP_NODE_SCALAR && list_names(r, key, words, value->text, several)) {
        tmap_diag *diag = tmap_refuse_kind(r, key, value, "a name, or a list of names");
        TMAP_SAY(diag->fix.words, "%s: [%s]", tmap_key_get(key)->name, several);
        return;
    }
    if (list && !tmap_node_first(value) && !value->open) {
        tmap_diag *diag =
            tmap_report_add(r->report, "value-count", value->mark, "%s is an empty list", tmap_key_get(key)->name);
        TMAP_SAY(diag->fix.words, "leave it out, or %s", tmap_key_get(key)->example);
    }
    for (const tmap_node *item = list ? tmap_node_first(value) : value; item; item = list ? item->next : NULL) {
        int found = read_name(r, key, words, item);
        if (found >= 0) set[found / 32] |= (uint32_t)1 << found % 32;
    }
}

uint32_t tmap_read_choices(tmap_spec_reading *r, tmap_key key, const tmap_words *words) {
    uint32_t bits = 0;
    tmap_read_choice_set(r, key, words, &bits);
    return bits;
}
