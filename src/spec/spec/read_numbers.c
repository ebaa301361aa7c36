/* spec: reads integers and lists of integers, in either order or by axis. */
#include "spec/read.h"

#include "params/fields.h"
#include "text/nearest.h"
#include "text/typed.h"
#include "text/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LABEL_MAX     64
#define LIST_MAX      TMAP_LIST_TEXT_MAX
#define INTEGER_FORMS "an integer: 64, 0x40, 4Ki, 2^20, 1_024"

#define DIGITS  "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

/* The size of the number at the start of a text, in any form of numbers: 2 for "-1", 3 for "4Ki", 4 for "4096x8192".
 * Returns 0 for other words. */
static size_t number_size(const char *text) {
    size_t sign = *text == '-', word = sign + strspn(text + sign, DIGITS LETTERS "^"), size = word;
    tmap_integer number;
    if (word > 24) return 0;
    while (size > 0 && tmap_number_parse(text, size, &number) != TMAP_NUMBER_OK) size--;
    bool by = strspn(text + size, "xX") == 1 && strspn(text + size + 1, DIGITS) > 0;
    return size == word || by ? size : 0;
}

/* Adds the numbers of the text to a list: "4096, 8192" for "(4096, 8192)", "4096x8192" and "4096 8192". Returns the
 * size of the list; 0: the text has other parts than numbers, or calculates: "N, 64", "1 << 12". */
static size_t add_numbers(char list[LIST_MAX], size_t size, const char *text) {
    while (*text) {
        size_t number = number_size(text), letters = strspn(text, LETTERS);
        size_t word = letters > 0 ? strspn(text, LETTERS DIGITS ".") : 0;
        if (size >= LIST_MAX - 32) return 0;
        if (number > 0) {
            size += (size_t)snprintf(list + size, LIST_MAX - size, "%s%.*s", size > 0 ? ", " : "", (int)number, text);
            text += number;
            if (*text == '-') return 0;
            text += strspn(text, " ");
            size_t by = strspn(text, "*xX");
            if (by > 1 || (by == 1 && strspn(text + 1 + strspn(text + 1, " "), DIGITS) == 0)) return 0;
            text += by;
        } else if (word > 0 && strspn(text + word, "([{=:") > 0) { /* "torch.Size(" */
            text += word;
        } else if (word > 0 || strspn(text, DIGITS "*/+-<>^%&|.") > 0) {
            return 0;
        } else {
            text++;
        }
    }
    return size;
}

/* Whether a text is several numbers without commas of ASCII: "4096 8192". */
static bool separate_numbers(const char *text, size_t size) {
    static const char digits[] = "0123456789";
    char plain[LIST_MAX];
    tmap_typed_plain(text, size, plain, sizeof plain);
    const char *after = plain + strspn(plain, digits), *next = after + strspn(after, " ;,");
    return after != plain && next != after && next[strspn(next, "0123456789 ;,")] == '\0' && *next != '\0';
}

static void refuse_text(tmap_spec_reading *r, const tmap_node *node, const char *label) {
    tmap_integer number;
    bool number_in_quotes = node->kind == TMAP_NODE_SCALAR && node->quoted &&
                            tmap_number_parse(node->text, node->size, &number) == TMAP_NUMBER_OK;
    tmap_diag *diag =
        tmap_report_add(r->report, "value-kind", node->mark,
                        number_in_quotes ? "%s is text in quotes, not a number" : "%s is not an integer", label);
    tmap_node_describe(node, diag->given);
    TMAP_SAY(diag->allowed, INTEGER_FORMS);
    char suggestion[TMAP_NUMBER_TEXT_MAX];
    if (number_in_quotes) {
        TMAP_SAY(diag->fix.words, "%s, without the quotes", node->text);
    } else if (node->kind == TMAP_NODE_SCALAR && tmap_number_suggest(node->text, node->size, suggestion)) {
        TMAP_SAY(diag->fix.words, "%s", suggestion);
    } else if (node->kind == TMAP_NODE_SCALAR && separate_numbers(node->text, node->size)) {
        char list[LIST_MAX];
        if (add_numbers(list, 0, node->text) > 0) TMAP_SAY(diag->fix.words, "%s", list);
    }
}

static tmap_diag *refuse_range(tmap_spec_reading *r, const tmap_node *node, const char *label, const char *allowed) {
    tmap_diag *diag = tmap_report_add(r->report, "value-range", node->mark, "%s is out of range", label);
    tmap_node_describe(node, diag->given);
    TMAP_SAY(diag->allowed, "%s", allowed);
    return diag;
}

static bool in_range(tmap_integer number, bool negatives) {
    uint64_t most = negatives ? (uint64_t)INT64_MAX + number.negative : UINT64_MAX;
    return (negatives || !number.negative) && number.magnitude <= most;
}

bool tmap_read_number(tmap_spec_reading *r, const tmap_node *node, const char *label, bool negatives,
                      tmap_integer *out) {
    tmap_integer number = {0};
    tmap_number_result result = TMAP_NUMBER_NONE;
    node = tmap_node_value(node);
    if (node->kind == TMAP_NODE_BROKEN) return false;
    if (node->kind == TMAP_NODE_SCALAR && !node->quoted) result = tmap_number_parse(node->text, node->size, &number);
    if (result == TMAP_NUMBER_TOO_LARGE || (result == TMAP_NUMBER_OK && !in_range(number, negatives))) {
        refuse_range(r, node, label, tmap_limit_of(node->text[0] == '-', negatives));
        return false;
    }
    if (result != TMAP_NUMBER_OK) {
        refuse_text(r, node, label);
        return false;
    }
    *out = number;
    return true;
}

/* The range of the rules dim-extent, box-extent and element-stride-range, for a message; NULL for another key. */
static const char *range_of_rule(tmap_key key) {
    return key == TMAP_KEY_TENSOR_DIMS              ? "1 to 2^32"
           : key == TMAP_KEY_TENSOR_BOX             ? "1 to 256"
           : key == TMAP_KEY_TENSOR_ELEMENT_STRIDES ? "1 to 8"
                                                    : NULL;
}

/* Whether a text is a word of Python, JSON or YAML for no value, or for a value that is not an integer. No fix proposes
 * a size with such a name. */
static bool is_word_of_value(const char *text) {
    static const char *const words[] = {"none", "null", "nan", "true", "false"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(words[i], text) == 0) return true;
    return false;
}

/* The first name of an expression such as "64*K"; a text without an operator is a name as a whole. */
static const char *first_name(const tmap_node *node, size_t *size) {
    const char *name = node->text;
    *size = node->size;
    if (!strpbrk(name, "*/+")) return name;
    name += strspn(name, "0123456789*/+-( ");
    *size = strcspn(name, "*/+-() ");
    bool number = name > node->text && name[-1] >= '0' && name[-1] <= '9';
    return number || name[*size] == '(' ? NULL : name;
}

/* Proposes a section `sizes` as the fix if a name is in place of a number, the key accepts expressions, and the file
 * has no sizes; if it has, no quotes. */
static void say_size(const tmap_spec_reading *r, tmap_key key, int dim, const tmap_node *node, tmap_diag *diag) {
    size_t size = 0;
    const char *text = node->kind == TMAP_NODE_SCALAR && !diag->fix.words[0] ? first_name(node, &size) : NULL;
    bool name = text && tmap_is_size_name(text, size) && !is_word_of_value(text);
    if (!name || node->quoted != (r->spec->sizes_n > 0) || tmap_slot_of(tmap_key_get(key)->field, dim) < 0) return;
    if (node->quoted)
        TMAP_SAY(diag->fix.words, "%s, without the quotes", node->text);
    else
        TMAP_SAY(diag->fix.words, "a number, or a section sizes: {%.*s: 64} with the value of %.*s", (int)size, text,
                 (int)size, text);
}

/* The number before a unit: "8192B" of strides, "64 elements" of a box. Returns false for other values. */
static bool without_unit(tmap_key key, const tmap_node *node, char number[TMAP_NUMBER_TEXT_MAX]) {
    static const char *const units[2][4] = {{"B", "bytes", "byte", NULL}, {"elements", "element", "el", "elems"}};
    bool elements = key == TMAP_KEY_TENSOR_DIMS || key == TMAP_KEY_TENSOR_BOX || key == TMAP_KEY_COPY_AT;
    for (int i = 0; i < 4 && units[elements][i] && node->kind == TMAP_NODE_SCALAR; i++) {
        size_t unit = strlen(units[elements][i]);
        if (node->size <= unit || strcasecmp(node->text + node->size - unit, units[elements][i]) != 0) continue;
        if (tmap_number_suggest(node->text, node->size - unit, number)) return true;
    }
    return false;
}

/* Whether two entries are one number with a comma between thousands: "4,096". */
static bool are_thousands(const tmap_node *before, const tmap_node *node) {
    static const char digits[] = "0123456789";
    bool number = before->kind == TMAP_NODE_SCALAR && before->size <= 3 && before->text[0] != '0' &&
                  strspn(before->text, digits) == before->size;
    bool group = node->kind == TMAP_NODE_SCALAR && node->size == 3 && strspn(node->text, digits) == 3;
    return number && group && node->mark.line == before->mark.line &&
           node->mark.column == before->mark.column + (int)before->size + 1;
}

/* Proposes 4608 for "4,608" in a list with more entries than other lists have; `key` names the list. */
static void say_thousands(const char *key, const tmap_node *list, tmap_diag *diag) {
    if (list->kind != TMAP_NODE_LIST) return;
    for (const tmap_node *item = tmap_node_first(list); item && item->next; item = item->next) {
        if (!are_thousands(item, item->next)) continue;
        char fix[sizeof diag->fix.words];
        memcpy(fix, diag->fix.words, sizeof fix);
        TMAP_SAY(diag->fix.words, "%.60s; or, if '%s,%s' in %s is one number, %s%s", fix, item->text, item->next->text,
                 key, item->text, item->next->text);
        return;
    }
}

/* Reads the number of a key or of one of its dimensions; findings name both. */
static bool read_of_key(tmap_spec_reading *r, tmap_key key, int dim, const tmap_node *node, const char *label,
                        bool negatives, tmap_integer *out) {
    size_t before = r->report->found.count;
    bool good = tmap_reads_expression(r, key, dim, tmap_node_value(node))
                    ? tmap_read_expression(r, key, dim, tmap_node_value(node), label, negatives, out)
                    : tmap_read_number(r, node, label, negatives, out);
    if (r->report->found.count > before) {
        tmap_diag *diag = &r->report->found.items[before];
        diag->key = tmap_key_get(key)->name;
        diag->field = tmap_key_get(key)->field;
        diag->dim = dim;
        const char *range = range_of_rule(key);
        if (range && tmap_diag_is(diag, "value-range")) TMAP_SAY(diag->allowed, "%s", range);
        char number[TMAP_NUMBER_TEXT_MAX];
        if (tmap_diag_is(diag, "value-kind") && !diag->fix.words[0] && without_unit(key, node, number))
            TMAP_SAY(diag->fix.words, "%s", number);
        if (tmap_diag_is(diag, "value-kind")) say_size(r, key, dim, node, diag);
        bool nested = dim >= 0 && tmap_node_value(node)->kind == TMAP_NODE_LIST;
        if (nested && !diag->fix.words[0]) TMAP_SAY(diag->fix.words, "a number, without brackets");
        bool no_number = dim < 0 && tmap_diag_is(diag, "value-kind");
        if (no_number && !diag->fix.words[0]) TMAP_SAY(diag->fix.words, "for example %s", tmap_key_get(key)->example);
    }
    return good;
}

static bool read_one(tmap_spec_reading *r, tmap_key key, bool negatives, tmap_integer *out) {
    const tmap_node *value = tmap_reading_value(r, key);
    return value && read_of_key(r, key, -1, value, tmap_key_get(key)->name, negatives, out);
}

static uint64_t bits_of(tmap_integer number) {
    return number.negative ? 0 - number.magnitude : number.magnitude;
}

bool tmap_read_unsigned(tmap_spec_reading *r, tmap_key key, uint64_t *out) {
    tmap_integer number;
    if (!read_one(r, key, false, &number)) return false;
    *out = number.magnitude;
    return true;
}

bool tmap_read_positive(tmap_spec_reading *r, tmap_key key, uint64_t *out) {
    static const char allowed[] = "1 or more";
    uint64_t value;
    size_t before = r->report->found.count;
    if (!tmap_read_unsigned(r, key, &value)) {
        tmap_diag *diag = r->report->found.count > before ? &r->report->found.items[before] : NULL;
        if (diag && strcmp(diag->allowed, tmap_limit_of(true, false)) == 0) TMAP_SAY(diag->allowed, "%s", allowed);
        return false;
    }
    if (value == 0) {
        const tmap_key_info *info = tmap_key_get(key);
        tmap_diag *diag = refuse_range(r, tmap_reading_value(r, key), info->name, allowed);
        diag->key = info->name;
        diag->field = info->field;
        return false;
    }
    *out = value;
    return true;
}

bool tmap_read_field(tmap_spec_reading *r, tmap_key key, tmap_map_params *map, tmap_copy_params *copy) {
    const tmap_key_info *info = tmap_key_get(key);
    tmap_field field = (tmap_field)info->field;
    const tmap_words *words = tmap_field_words(field);
    tmap_number_kind kind = tmap_field_kind(field);
    tmap_integer number = {0};
    if (kind == TMAP_KIND_WORD) {
        int found = tmap_read_choice(r, key, words, -1);
        if (found < 0) return false;
        number.magnitude = (uint64_t)found;
    } else if (kind == TMAP_KIND_SET) {
        number.magnitude = tmap_read_choices(r, key, words);
    } else if (info->positive ? !tmap_read_positive(r, key, &number.magnitude)
                              : !read_one(r, key, kind == TMAP_KIND_SIGNED, &number)) {
        return false;
    }
    tmap_field_set(map, copy, field, 0, bits_of(number));
    return true;
}

/* Reads a number whose errors need no message. */
static bool read_plain(const tmap_node *node, bool negatives, tmap_integer *out) {
    tmap_integer number;
    node = tmap_node_value(node);
    bool plain = node->kind == TMAP_NODE_SCALAR && !node->quoted &&
                 tmap_number_parse(node->text, node->size, &number) == TMAP_NUMBER_OK && in_range(number, negatives);
    if (plain) *out = number;
    return plain;
}

/* ---- Suggested lists ------------------------------------------------------------------------------------------ */

static uint32_t count_numbers(const char *list) {
    uint32_t n = list[0] != '\0';
    for (; *list; list++) n += *list == ',';
    return n;
}

/* Writes the one entry of a list that a text means: an expression over sizes of the file, or a number in a form of
 * another program. Returns its size; 0: none. */
static size_t suggest_entry(tmap_spec_reading *r, tmap_key key, const tmap_node *value, char list[LIST_MAX]) {
    char number[TMAP_NUMBER_TEXT_MAX];
    const tmap_spec *spec = r->spec;
    bool sized = r->slots && spec->sizes_n > 0 && tmap_slot_of(tmap_key_get(key)->field, 0) >= 0;
    if (sized && value->size <= 60 &&
        tmap_expr_parse(&r->spec->arena, value->text, value->size, spec->sizes, spec->sizes_n, NULL))
        return (size_t)snprintf(list, LIST_MAX, "%s", value->text);
    if (!tmap_number_suggest(value->text, value->size, number) && !without_unit(key, value, number)) return 0;
    return (size_t)snprintf(list, LIST_MAX, "%s", number);
}

/* The list that a value in another form means: text with separate numbers, or a set in braces. Returns the number of
 * its entries; 0: none. */
static uint32_t suggest_list(tmap_spec_reading *r, tmap_key key, const tmap_node *value, char list[LIST_MAX]) {
    size_t size = 0;
    tmap_integer number;
    if (value->kind == TMAP_NODE_SCALAR) size = add_numbers(list, 0, value->text);
    if (value->kind == TMAP_NODE_SCALAR && size == 0) size = suggest_entry(r, key, value, list);
    for (const tmap_node *item = value->kind == TMAP_NODE_MAP ? tmap_node_first(value) : NULL; item;
         item = item->next->next) {
        bool plain =
            item->kind == TMAP_NODE_SCALAR && tmap_number_parse(item->text, item->size, &number) == TMAP_NUMBER_OK;
        size = plain ? add_numbers(list, size, item->text) : 0;
        if (size == 0) return 0;
    }
    return size > 0 ? count_numbers(list) : 0;
}

/* Writes "{x: 64, y: 256}" for the text "x:64 y:256" of two lines. Returns false for another text. */
static bool suggest_axes(const char *text, char map[LIST_MAX]) {
    size_t used = 0;
    for (int name = 0, number = 0; *text; text += number, text += strspn(text, " ,")) {
        int end = 0;
        if (sscanf(text, "%*[A-Za-z0-9_]%n%*[:=]%n%*u%n", &name, &number, &end) == EOF || end <= number) return false;
        if (used + (size_t)end + 4 >= LIST_MAX) return false;
        used += (size_t)snprintf(map + used, LIST_MAX - used, "%s%.*s: %.*s", used > 0 ? ", " : "{", name, text,
                                 end - number, text + number);
        number = end;
    }
    if (used > 0) snprintf(map + used, LIST_MAX - used, "}");
    return used > 0;
}

/* ---- Lists ---------------------------------------------------------------------------------------------------- */

/* "box[0] (k)" */
static void label_of(const tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want, int i,
                     char label[LABEL_MAX]) {
    int axis = i + want->first_dim;
    bool named = want->axes && r->axes && axis < r->rank;
    snprintf(label, LABEL_MAX, "%s[%d]%s%.24s%s", tmap_key_get(key)->name, i, named ? " (" : "",
             named ? r->axes[axis] : "", named ? ")" : "");
}

static bool read_entry(tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want, int i,
                       const tmap_node *node, tmap_integer *out) {
    if (read_plain(node, want->negatives, &out[i])) return true;
    char label[LABEL_MAX];
    label_of(r, key, want, i, label);
    return read_of_key(r, key, i, node, label, want->negatives, &out[i]);
}

static bool count_fits(const tmap_numbers_wanted *want, uint32_t count) {
    if (want->count >= 0) return count == (uint32_t)want->count;
    return count >= 1 && count <= (uint32_t)want->most;
}

static void say_count_fix(const tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want,
                          const tmap_node *list, tmap_diag *diag) {
    int least = want->count < 0 ? 1 : want->count, most = want->count < 0 ? want->most : want->count;
    int count = (int)tmap_node_entries(list);
    bool whole = key == TMAP_KEY_TENSOR_STRIDES && count == r->rank;
    if (whole && tmap_fix_strides(r, list, r->outer_first, diag)) return;
    if (whole)
        TMAP_SAY(diag->fix.words, "leave out the stride of the innermost dimension, which is always packed");
    else if (count > most)
        TMAP_SAY(diag->fix.words, "leave out %d of them", count - most);
    else
        TMAP_SAY(diag->fix.words, "give %d more", least - count);
    if (count > most && !whole)
        say_thousands(tmap_key_get(key)->name, list, diag);
    else if (count < least && r->given->section == TMAP_SECTION_TENSOR && tmap_reading_value(r, TMAP_KEY_TENSOR_DIMS))
        say_thousands("dims", tmap_reading_value(r, TMAP_KEY_TENSOR_DIMS), diag);
}

static void refuse_count(tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want, const tmap_node *list) {
    const tmap_key_info *info = tmap_key_get(key);
    unsigned count = tmap_node_entries(list);
    tmap_diag *diag = tmap_report_of_key(r, key, "value-count", list->mark, "%s has %u %s", info->name, count,
                                         count == 1 ? "entry" : "entries");
    TMAP_SAY(diag->given, "%u", count);
    if (want->count < 0) {
        TMAP_SAY(diag->allowed, "%s", tmap_range(1, want->most).text);
    } else if (want->mode) {
        TMAP_SAY(diag->allowed, "%d, as the mode is %s", want->count, want->mode);
    } else if (key == TMAP_KEY_COPY_ROWS) {
        TMAP_SAY(diag->allowed, "%d, one for each row", want->count);
    } else {
        TMAP_SAY(diag->allowed, "%d, as the tensor has %d dimension%s%s", want->count, r->rank, r->rank == 1 ? "" : "s",
                 key == TMAP_KEY_TENSOR_STRIDES ? " and the innermost is packed" : "");
    }
    say_count_fix(r, key, want, list, diag);
}

static int read_list(tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want, const tmap_node *list,
                     tmap_integer *out) {
    if (!count_fits(want, list->size)) {
        if (!list->open) refuse_count(r, key, want, list);
        return -1;
    }
    bool reversed = tmap_given_reversed(r->given, key, r->outer_first);
    int count = (int)list->size, at = 0, good = 0;
    const tmap_node *before = NULL;
    for (const tmap_node *item = tmap_node_first(list); item; before = item, item = item->next, at++) {
        size_t found = r->report->found.count;
        good += read_entry(r, key, want, reversed ? count - 1 - at : at, item, out);
        if (r->report->found.count > found && before && are_thousands(before, item))
            TMAP_SAY(r->report->found.items[found].fix.words, "%s%s, without a comma between thousands", before->text,
                     item->text);
    }
    return good == count ? count : -1;
}

static int axis_find(const tmap_spec_reading *r, const char *name) {
    int axis = 0;
    while (axis < r->rank && strcmp(r->axes[axis], name) != 0) axis++;
    return axis;
}

/* "x:64" and "x=64" are one word to YAML. */
static bool refuse_glued_axis(tmap_spec_reading *r, const tmap_node *node) {
    size_t word = strcspn(node->text, ":=");
    for (int i = 0; node->text[word] && node->text[word + 1] && i < r->rank; i++) {
        if (!text_is(node->text, word, r->axes[i])) continue;
        bool colon = node->text[word] == ':';
        tmap_diag *diag = tmap_report_add(r->report, "yaml-syntax", node->mark, "not YAML: no %s follows '%s%s'",
                                          colon ? "space" : "':'", r->axes[i], colon ? ":" : "");
        TMAP_SAY(diag->fix.words, "%s: %s", r->axes[i], node->text + word + 1);
        return true;
    }
    return false;
}

static void refuse_axis(tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want, int count,
                        const tmap_node *node) {
    if (refuse_glued_axis(r, node)) return;
    char name[TMAP_QUOTED_MAX];
    const char *const *axes = r->axes + want->first_dim;
    const char *nearest = tmap_nearest(node->text, axes, (size_t)count);
    tmap_diag *diag =
        tmap_report_of_key(r, key, "name-unknown", node->mark, "%s has no axis %s%s%s%s", tmap_key_get(key)->name,
                           tmap_quoted(name, node->text, node->size), nearest ? "; did you mean '" : "",
                           nearest ? nearest : "", nearest ? "'?" : "");
    tmap_say_list(diag->allowed, sizeof diag->allowed, axes, (size_t)count, (size_t)count);
    TMAP_SAY(diag->fix.words, "%s", nearest ? nearest : "one of these, or change the tensor's axes");
}

static void refuse_missing_axes(tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want, int count,
                                uint32_t seen, const tmap_node *map) {
    for (int i = 0; i < count; i++) {
        if (seen >> i & 1) continue;
        tmap_diag *diag = tmap_report_of_key(r, key, "value-count", map->mark, "%s does not give axis '%s'",
                                             tmap_key_get(key)->name, r->axes[i + want->first_dim]);
        diag->dim = i;
        TMAP_SAY(diag->fix.words, "name every axis once");
    }
}

static int read_map(tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want, const tmap_node *map,
                    tmap_integer *out) {
    bool gives_rank = key == TMAP_KEY_TENSOR_DIMS; /* its entries are the dimensions, whatever their names */
    if (gives_rank && !map->open && !count_fits(want, tmap_node_entries(map))) refuse_count(r, key, want, map);
    if (!r->axes || r->rank < 1) return -1;
    int count = want->count >= 0 ? want->count : r->rank - want->first_dim;
    uint32_t seen = 0;
    bool good = true;
    for (const tmap_node *name = tmap_node_first(map); name; name = name->next->next) {
        if (name->kind != TMAP_NODE_SCALAR) {
            good = false;
            continue;
        }
        int i = axis_find(r, name->text) - want->first_dim;
        if (i < 0 || i >= count) {
            refuse_axis(r, key, want, count, name);
            good = false;
        } else {
            seen |= (uint32_t)1 << i;
            good &= read_entry(r, key, want, i, name->next, out);
        }
    }
    bool all = seen == ((uint32_t)1 << count) - 1;
    if (!all && good && !map->open) refuse_missing_axes(r, key, want, count, seen, map);
    return all && good ? count : -1;
}

int tmap_read_numbers(tmap_spec_reading *r, tmap_key key, const tmap_numbers_wanted *want, tmap_integer *out) {
    const tmap_node *value = tmap_reading_value(r, key);
    char list[LIST_MAX];
    if (!value) return -1;
    if (value->kind == TMAP_NODE_LIST) return read_list(r, key, want, value, out);
    uint32_t count = suggest_list(r, key, value, list);
    bool coordinates = key == TMAP_KEY_COPY_AT && r->rank > 0 && count != (uint32_t)r->rank && /* another number */
                       !tmap_given_key(r->given, TMAP_KEY_COPY_DIM);
    bool set = value->kind == TMAP_NODE_MAP && count > 0;
    if (value->kind == TMAP_NODE_MAP && want->axes && !set) return read_map(r, key, want, value, out);
    tmap_diag *diag =
        tmap_refuse_kind(r, key, value, want->axes ? "a list, or a mapping from axes to numbers" : "a list");
    if (key == TMAP_KEY_TENSOR_STRIDES && tmap_fix_strides(r, value, r->outer_first, diag)) return -1;
    bool open = value->kind == TMAP_NODE_SCALAR && value->text[0] == '(' && !strchr(value->text, ')');
    if (open) /* "(4096, 1)" in a mapping in braces: the comma ended the value */
        TMAP_SAY(diag->fix.words, "%s: [...], with brackets in place of parentheses", tmap_key_get(key)->name);
    else if (want->axes && value->kind == TMAP_NODE_SCALAR && suggest_axes(value->text, list))
        TMAP_SAY(diag->fix.words, "%s: %s", tmap_key_get(key)->name, list);
    else if (coordinates && r->rank != 2) /* the example has two */
        TMAP_SAY(diag->fix.words, "give 'at' %d coordinate%s, one for each dimension", r->rank, TMAP_PLURAL(r->rank));
    else if (!coordinates && count_fits(want, count) && (want->negatives || !strchr(list, '-')))
        TMAP_SAY(diag->fix.words, "%s: [%s]", tmap_key_get(key)->name, list);
    return -1;
}

int tmap_read_list(tmap_spec_reading *r, tmap_key key, tmap_numbers_wanted want, tmap_map_params *map,
                   tmap_copy_params *copy) {
    tmap_field field = (tmap_field)tmap_key_get(key)->field;
    tmap_integer numbers[TMAP_RANK_MAX] = {{0}};
    want.most = tmap_field_room(field);
    want.negatives = tmap_field_kind(field) == TMAP_KIND_SIGNED;
    int n = tmap_read_numbers(r, key, &want, numbers);
    for (int i = 0; i < n; i++) tmap_field_set(map, copy, field, i, bits_of(numbers[i]));
    return n;
}
