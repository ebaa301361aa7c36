#include "import/named_values.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "import/prefilter.h"
#include "params/fields.h"
#include "spec/foreign_words.h"
#include "spec/keys.h"
#include "text/words.h"

#define NAME_MAX_SIZE 64
#define CALL_VALUES   3
#define UNIT_MAX_SIZE 16

static bool opens_list(char c) {
    return c == '{' || c == '[' || c == '(';
}

/* The name of the encoding function. NULL: none. */
static const char *find_call(const log_line *line) {
    return line->words & WORDS_CALL ? strstr(line->text, ENCODE_CALL) : NULL;
}

/* The row of the table for a word. Logs repeat their words. */
static tmap_import_word *word_in(tmap_import *import, const char *word, int field) {
    uint64_t hash = (uint64_t)field;
    for (; *word != '\0'; word++) hash = (hash ^ (unsigned char)*word) * UINT64_C(0x9e3779b97f4a7c15);
    return &import->words[hash >> 57];
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

/* The word "cutlass::half_t", "torch.float16", "unsigned int" or "'<f2'" at the start of a text, also in
 * "<class 'numpy.float16'>", "dtype('float16')" and "<CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B: 3>": copies it
 * without the names of its scopes and returns its end. NULL: none. */
static const char *take_enumerator(const char *at, char name[NAME_MAX_SIZE]) {
    const char *close = *at == '<' ? strchr(at, '>') : NULL;
    bool code = false; /* of NumPy */
    for (size_t skipped = 1; !code && skipped > 0; at += skipped) {
        skipped = strspn(at, "<>=|\"'([{ ");
        if (strncmp(at, "class ", 6) == 0 || strncmp(at, "dtype(", 6) == 0) skipped = 6;
        const char *last = at + skipped - (skipped > 0);
        code =
            skipped > 0 && strchr("<>=|", *last) && strchr("fiubV", last[1]) && is_digit(last[2]) && !is_word(last[3]);
        skipped -= code;
    }
    const char *end = at + code;
    if (strncmp(at, "unsigned ", 9) == 0 || strncmp(at, "signed ", 7) == 0) end = strchr(at, ' ') + 1;
    for (; is_word(*end) || (*end == '.' && is_word(end[1])) || (*end == ':' && end[1] == ':'); end++) {
        end += *end == ':';
        if (!is_word(*end)) at = end + 1;
    }
    if (*end == '<' && is_digit(end[1]) && strchr(end, '>')) end = strchr(end, '>') + 1; /* Swizzle<3,4,3> */
    if (end == at || end - at >= NAME_MAX_SIZE) return NULL;
    memcpy(name, at, (size_t)(end - at));
    name[end - at] = '\0';
    return close && close >= end ? close + 1 : end;
}

/* Reads "BFLOAT16", "half_t", "SWIZZLE_128B", "[128B]": a name of the spec format, of cuda.h with or without its
 * beginning, or of another program. */
static int find_enumerator(const char *word, tmap_field field) {
    char text[NAME_MAX_SIZE + sizeof "CU_TENSOR_MAP_"] = "CU_TENSOR_MAP_", *name = text + strlen(text);
    int found = tmap_enumerator_of_word(field, word);
    memcpy(name, word, strlen(word) + 1);
    for (; *name != '\0'; name++)
        if (*name >= 'a' && *name <= 'z') *name = (char)(*name - 'a' + 'A');
    if (found < 0) found = tmap_enumerator_of_word(field, text);
    const char *last = strrchr(text, '.');
    return found >= 0 ? found : tmap_enumerator_of_word(field, last ? last + 1 : text + strlen("CU_TENSOR_MAP_"));
}

static bool read_enumerator(tmap_import *import, const char *at, tmap_field field, number_list *list) {
    char name[NAME_MAX_SIZE];
    const char *end = take_enumerator(at, name);
    if (!end) return false;
    tmap_import_word *word = word_in(import, name, (int)field);
    if (strcmp(word->word, name) != 0 || word->field != (int)field) {
        memcpy(word->word, name, strlen(name) + 1);
        word->field = (int)field;
        word->meaning = find_enumerator(name, field);
    }
    if (word->meaning < 0) return false;
    *list = (number_list){.values = {(uint64_t)word->meaning}, .n = 1, .end = end};
    return true;
}

static bool is_list(tmap_field field) {
    return tmap_field_get((int)field)->per != TMAP_PER_ONE;
}

/* The start of 8192 in ", 8192", " x 8192" or " / 8192" after a number; NULL: no number follows. */
static const char *next_of_list(const char *at) {
    while (is_blank(*at)) at++;
    if (*at == '\0' || !strchr(",xX*/", *at)) return NULL;
    at++;
    while (is_blank(*at)) at++;
    return is_digit(*at) ? at : NULL;
}

/* Whether a list without brackets certainly ends: the line ends, or another name with a value follows. */
static bool ends_list(const char *at) {
    while (*at != '\0' && strchr(" \t,;)]}", *at)) at++;
    if (*at == '\0' || *at == '(') return true;
    const char *name = at;
    while (is_word(*at)) at++;
    return at > name && (!is_digit(*name)) && (*at == '=' || *at == ':' || strncmp(at, " bytes", 6) == 0);
}

/* Reads the rest of "8192, 64", "8192 x 64" or "8192 / 64", a list without brackets whose first number was read. */
static bool read_bare_list(number_list *list) {
    bool bare = false;
    for (const char *at; (at = next_of_list(list->end)) != NULL; bare = true) {
        number_list next;
        if (list->n == NUMBERS_MAX || !line_number(at, &next)) return false;
        list->values[list->n++] = next.values[0];
        list->end = next.end;
    }
    return !bare || ends_list(list->end);
}

static bool read_value(tmap_import *import, const char *at, tmap_field field, number_list *list) {
    const char *cast =
        field == TMAP_FIELD_ADDRESS && *at == '(' && is_word(at[1]) && !is_digit(at[1]) ? strchr(at, ')') : NULL;
    if (cast) at = cast + 1 + strspn(cast + 1, " "); /* (void *) */
    bool read = is_list(field) ? line_numbers(at, list) : line_number(at, list);
    if (read && is_list(field) && list->bracket == 0 && !read_bare_list(list)) return false;
    number_list bytes;
    if (read && field == TMAP_FIELD_SWIZZLE && list->values[0] >= 16 && read_enumerator(import, at, field, &bytes))
        *list = bytes;
    return read ? !list->negative || tmap_field_kind(field) == TMAP_KIND_SIGNED
                : read_enumerator(import, at, field, list);
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* The field and the certainty of a name. */
static const tmap_import_word *find_name(tmap_import *import, const char *name) {
    tmap_import_word *word = word_in(import, name, -1);
    if (strcmp(word->word, name) == 0 && word->field == -1) return word;
    memcpy(word->word, name, strlen(name) + 1);
    word->field = word->meaning = -1;
    if (!likely_name(&import->filter, name)) return word;
    bool of_driver;
    tmap_key key = tmap_key_find(TMAP_SECTION_TENSOR, name, &of_driver);
    word->certainty = key == TMAP_KEY_COUNT ? NAME_WORD : of_driver ? NAME_OF_DRIVER : NAME_OF_SPEC;
    if (key == TMAP_KEY_COUNT) {
        key = tmap_key_of_letters(TMAP_SECTION_TENSOR, name, &of_driver);
        if (of_driver) word->certainty = NAME_LIKE_DRIVER;
    }
    if (key < TMAP_KEY_COUNT) word->meaning = tmap_key_get(key)->field;
    return word;
}

/* The parameter of a name before a value. CUTLASS calls the rank "dim"; a list is no rank. */
static bool find_field(const log_line *line, named_value *value, const char *at) {
    char name[NAME_MAX_SIZE];
    if (value->name_size >= NAME_MAX_SIZE) return false;
    for (int i = 0; i < value->name_size; i++) name[i] = value->name[i] == ' ' ? '_' : value->name[i];
    name[value->name_size] = '\0';
    const tmap_import_word *word = find_name(line->import, name);
    if (word->meaning < 0) return false;
    value->field = (tmap_field)word->meaning;
    value->certainty = word->certainty;
    bool dim = value->index >= 0 && strncmp(name, "dim", 3) == 0;
    if (value->field == TMAP_FIELD_RANK && (opens_list(*at) || dim)) value->field = TMAP_FIELD_DIMS;
    if (value->index >= 0 && !is_list(value->field)) return false;
    return tmap_field_get((int)value->field)->cu_name != NULL;
}

/* Moves after the index in "[0]" and after a unit in "(bytes)" or "[bytes]". */
static const char *skip_unit(const char *at, int *index) {
    const char *end = *at == '[' ? strchr(at, ']') : *at == '(' ? strchr(at, ')') : NULL;
    if (!end || end - at > UNIT_MAX_SIZE) return at;
    if (is_digit(at[1]) && end != at + 2) return at;
    if (is_digit(at[1])) *index = at[1] - '0';
    return end + 1;
}

/* The start of the value after a name: after "=" or ":", also in quotes as in JSON: "box": "[64, 64]". NULL: no value.
 */
static const char *value_after(const char *at, bool quoted, int *index) {
    if (quoted && (*at == '"' || *at == '\'')) at++;
    while (is_blank(*at)) at++;
    at = skip_unit(at, index);
    while (is_blank(*at)) at++;
    if ((*at != '=' && *at != ':') || at[1] == '=' || at[1] == ':') return NULL;
    at++;
    while (is_blank(*at)) at++;
    bool quoted_number = (*at == '"' || *at == '\'') && (is_digit(at[1]) || opens_list(at[1]));
    return at + quoted_number;
}

/* The parameter of a name with an index: "dim0", "box_1". */
static bool find_entry(const log_line *line, named_value *value, const char *at) {
    if (value->index >= 0 || value->name_size < 2 || !is_digit(value->name[value->name_size - 1])) return false;
    value->index = value->name[--value->name_size] - '0';
    bool found = find_field(line, value, at);
    value->name_size++;
    return found;
}

/* The parameter of a name with the word before it: "box shape", "global ptr". */
static bool find_pair(const log_line *line, named_value *value, const char *from, const char *at) {
    const char *second = value->name;
    if (second - from < 2 || second[-1] != ' ') return false;
    const char *first = second - 1;
    while (first > from && is_word(first[-1])) first--;
    value->name = first;
    value->name_size += (int)(second - first);
    if (is_word(*first) && find_field(line, value, at)) return true;
    value->name = second;
    value->name_size -= (int)(second - first);
    return false;
}

/* ---- Arguments without names ------------------------------------------------------------------------------------ */

/* The end of an argument: its comma, the closing parenthesis of the call, or the end of the line. */
static const char *end_of_argument(const char *at) {
    for (int depth = 0; *at != '\0' && (depth > 0 || (*at != ',' && *at != ')')); at++)
        depth += opens_list(*at) - (*at == '}' || *at == ']' || *at == ')');
    return at;
}

static bool read_argument(tmap_import *import, const char *at, tmap_field field, number_list *numbers) {
    return read_value(import, at, field, numbers) && (!is_list(field) || opens_list(numbers->bracket));
}

/* The arguments of the call "cuTensorMapEncodeTiled(&map, 6, 2, 0x7f0000000000, {4096, 8192}, ...". Finds none of
 * another call, and of a call without a list of sizes. */
static void find_arguments(const log_line *line, const char *call, tmap_import_call *found) {
    const char *end;
    number_list sizes;
    bool im2col = strncmp(call + strlen(ENCODE_CALL), "Im2col", 6) == 0;
    const tmap_map_params map = {.mode = im2col ? TMAP_MODE_IM2COL : TMAP_MODE_TILED};
    int n = 0;
    *found = (tmap_import_call){.at = line->offset + 1};
    while (is_word(*call)) call++;
    if (*call != '(' || *(end = end_of_argument(call + 1)) != ',') return;
    for (const format_key *key = dump_format_named()->keys; key->name && *end == ','; key++) {
        if (!tmap_field_applies(&map, NULL, key->field)) continue;
        const char *at = skip_blanks(end + 1);
        end = end_of_argument(at);
        if (memchr(at, '=', (size_t)(end - at))) return;
        if (key->field == TMAP_FIELD_DIMS && !read_argument(line->import, at, key->field, &sizes)) return;
        found->arguments[n].begin = (uint16_t)(at - line->text);
        found->arguments[n].end = (uint16_t)(end - line->text);
        found->arguments[n++].field = (int)key->field;
    }
    found->n = n;
}

/* The next argument without a name in a line, by its position. */
static bool argument_next(const log_line *line, const char *from, named_value *value) {
    const char *call = find_call(line);
    tmap_import_call *known = &line->import->call;
    if (!call) return false;
    if (known->at != line->offset + 1) find_arguments(line, call, known);
    for (int i = 0; i < known->n; i++) {
        const char *at = line->text + known->arguments[i].begin;
        int size = known->arguments[i].end - known->arguments[i].begin;
        if (at < from || size == 0) continue;
        tmap_field field = (tmap_field)known->arguments[i].field;
        *value = (named_value){.name = at,
                               .end = at + size,
                               .name_size = size,
                               .size = size,
                               .field = field,
                               .certainty = NAME_OF_DRIVER,
                               .index = -1};
        value->readable = read_argument(line->import, at, field, &value->numbers);
        if (!value->readable) value->numbers = (number_list){.n = 0};
        return true;
    }
    return false;
}

bool named_value_next(const log_line *line, const char *from, named_value *value) {
    if (argument_next(line, from, value)) return true;
    for (const char *at = from; *at != '\0';) {
        const char *name = at;
        while (is_word(*at) || (at > name && *at == '-' && is_word(at[1]))) at++;
        if (at == name) {
            at++;
            continue;
        }
        bool quoted = name > line->text && (name[-1] == '"' || name[-1] == '\'');
        *value = (named_value){.name = name, .name_size = (int)(at - name), .index = -1};
        const char *begin = value_after(at, quoted, &value->index);
        if (!begin) continue;
        if (!find_pair(line, value, from, begin) && !find_field(line, value, begin) && !find_entry(line, value, begin))
            continue;
        bool process = value->field == TMAP_FIELD_RANK && name > line->text && name[-1] == '['; /* "[rank=1]" */
        if (process) continue;
        value->size = (int)(begin - value->name);
        value->readable = read_value(line->import, begin, value->field, &value->numbers);
        if (!value->readable) value->numbers = (number_list){.n = 0};
        value->end = value->readable ? value->numbers.end : begin;
        return true;
    }
    return false;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

/* The wide modes of im2col have other parameters. */
static bool is_wide(const log_line *line) {
    return (line->words & WORDS_CALL && strstr(line->text, ENCODE_CALL "Im2colWide")) ||
           (line->words & WORDS_WIDE && strstr(line->text, WIDE_CORNER));
}

/* Whether the arguments of a call continue on the next line. */
static bool continues(const char *call) {
    int depth = 0;
    while (is_word(*call)) call++;
    if (*call != '(') return false;
    for (; *call != '\0'; call++) depth += (*call == '(') - (*call == ')');
    return depth > 0;
}

const char *const named_header_words[NAMED_HEADER_WORDS_N] = {"tensor map", "tensor_map", "tensormap",
                                                              "TMA desc",   "tma_desc",   "[TMA]"};

named_header named_header_of(const log_line *line) {
    if (find_call(line)) return HEADER_OF_CALL;
    if ((line->words & WORDS_HEADER) == 0) return HEADER_NONE;
    for (const char *at = line->text; (at = strpbrk(at, "tT[")) != NULL; at++)
        for (size_t i = 0; i < NAMED_HEADER_WORDS_N; i++)
            if (strncasecmp(at, named_header_words[i], strlen(named_header_words[i])) == 0) return HEADER_OF_MAP;
    return HEADER_NONE;
}

const char *named_find_call(const log_line *line) {
    const char *call = find_call(line);
    uint64_t fields = 0;
    named_value value;
    if (!call || is_wide(line)) return NULL;
    int wanted_n = continues(call) ? 1 : CALL_VALUES;
    for (const char *at = call; named_value_next(line, at, &value); at = value.end) {
        if (value.readable) fields |= UINT64_C(1) << value.field;
        if (__builtin_popcountll(fields) >= wanted_n) return call;
    }
    return NULL;
}

const char *named_find_value(const log_line *line, bool telling) {
    const char *first = NULL;
    named_value value;
    if (is_wide(line) || (telling && (line->words & (WORDS_DRIVER | WORDS_CALL)) == 0)) return NULL;
    for (const char *at = line->text; named_value_next(line, at, &value); at = value.end) {
        if (!value.readable) continue;
        if (!first) first = value.name;
        if (!telling || value.certainty == NAME_OF_DRIVER) return first;
    }
    return NULL;
}
