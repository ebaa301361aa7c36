/* spec: reads the section `sizes`, and values for sizes from outside the file. */
#include "spec/read.h"

#include <inttypes.h>
#include <string.h>

#define SIZE_MOST ((uint64_t)1 << 48) /* no memory can hold a tensor with more elements */

/* ---- The section ---------------------------------------------------------------------------------------------- */

static tmap_diag *refuse_size(tmap_spec_reading *r, tmap_mark mark, const char *name, const char *problem) {
    tmap_diag *diag = tmap_report_add(r->report, "size-value", mark, "size %s %s", name, problem);
    diag->key = "sizes";
    return diag;
}

static bool refuse_number(tmap_spec_reading *r, tmap_mark mark, const char *name) {
    tmap_diag *diag = refuse_size(r, mark, name, "is out of range");
    TMAP_SAY(diag->allowed, "0 to 2^48");
    TMAP_SAY(diag->fix.words, "a number up to 2^48");
    return false;
}

static void say_values(const tmap_size *size, char *text, size_t text_n) {
    char multiples[40] = "";
    if (size->multiple > 1) TMAP_SAY(multiples, "multiples of %" PRIu64 ", ", size->multiple);
    tmap_say(text, text_n, "%s%" PRIu64 " to %" PRIu64, multiples, size->min, size->max);
}

static void refuse_name(tmap_spec_reading *r, const tmap_node *key) {
    char name[TMAP_QUOTED_MAX];
    tmap_diag *diag =
        refuse_size(r, key->mark, tmap_quoted(name, key->text, key->size), "is not a valid name of a size");
    TMAP_SAY(diag->allowed, "letters, digits and _, at most %d of them; not ceil or floor", TMAP_SIZE_NAME_MOST_B);
    TMAP_SAY(diag->fix.words, "a name like N or num_tokens");
}

/* The first and the last multiple in the range. Reports a range without a multiple and returns false. */
static bool take_range(tmap_spec_reading *r, tmap_size *size) {
    uint64_t least = tmap_round_up(size->min, size->multiple), most = size->max - size->max % size->multiple;
    if (size->min <= size->max && least <= most) {
        size->min = least;
        size->max = most;
        return true;
    }
    tmap_diag *diag = refuse_size(r, r->mark, size->name, "has a range that contains no value");
    say_values(size, diag->given, sizeof diag->given);
    TMAP_SAY(diag->fix.words, "a max of at least min, and a multiple between min and max");
    return false;
}

static bool read_bound(tmap_spec_reading *r, tmap_key key, uint64_t *out) {
    if (!tmap_read_unsigned(r, key, out) || *out <= SIZE_MOST) return tmap_reading_value(r, key) != NULL;
    return refuse_number(r, tmap_reading_value(r, key)->mark, tmap_key_get(key)->name);
}

static bool read_range(tmap_spec_reading *r, const tmap_node *map, tmap_size *size) {
    tmap_given given = {0};
    tmap_spec_reading own = {.spec = r->spec, .report = r->report, .given = &given, .mark = r->mark, .rank = -1};
    size_t errors = r->report->errors;
    size->min = size->multiple = 1;
    tmap_read_keys(&own, TMAP_SECTION_SIZE, map);
    tmap_require(&own, TMAP_KEY_SIZE_MAX);
    read_bound(&own, TMAP_KEY_SIZE_MIN, &size->min);
    read_bound(&own, TMAP_KEY_SIZE_MAX, &size->max);
    tmap_read_positive(&own, TMAP_KEY_SIZE_MULTIPLE_OF, &size->multiple);
    return errors == r->report->errors && take_range(&own, size);
}

/* Finds the bounds of a range in another notation: 1..8192, 1-8192, 1:8192 or [1, 8192]. */
static bool find_bounds(const tmap_node *node, tmap_integer *min, tmap_integer *max) {
    if (node->kind == TMAP_NODE_LIST && tmap_node_entries(node) == 2) {
        const tmap_node *first = tmap_node_first(node), *last = first->next;
        return first->kind == TMAP_NODE_SCALAR && last->kind == TMAP_NODE_SCALAR &&
               tmap_number_parse(first->text, first->size, min) == TMAP_NUMBER_OK &&
               tmap_number_parse(last->text, last->size, max) == TMAP_NUMBER_OK;
    }
    if (node->kind != TMAP_NODE_SCALAR) return false;
    size_t begin = strcspn(node->text, ".-: "), end = begin + strspn(node->text + begin, ".-: ");
    return end > begin && tmap_number_parse(node->text, begin, min) == TMAP_NUMBER_OK &&
           tmap_number_parse(node->text + end, node->size - end, max) == TMAP_NUMBER_OK;
}

static bool refuse_range_notation(tmap_spec_reading *r, const tmap_node *node, const char *name) {
    tmap_integer min, max;
    if (!find_bounds(node, &min, &max) || min.negative || max.negative) return false;
    if (min.magnitude > max.magnitude || max.magnitude > SIZE_MOST) return false;
    tmap_diag *diag = tmap_report_add(r->report, "value-kind", node->mark, "%s is not an integer", name);
    tmap_node_describe(node, diag->given);
    TMAP_SAY(diag->allowed, "an integer, or a range: {min: 1, max: 8192}");
    TMAP_SAY(diag->fix.words, "%s: {min: %" PRIu64 ", max: %" PRIu64 "}", name, min.magnitude, max.magnitude);
    return true;
}

/* A size may also be a range, and has a limit of its own. */
static void say_of_size(tmap_diag *diag, const char *name) {
    bool range = tmap_diag_is(diag, "value-range");
    TMAP_SAY(diag->allowed, "%s", range ? "0 to 2^48" : "an integer, or a range: {min: 1, max: 8192}");
    if (range)
        TMAP_SAY(diag->fix.words, "a number up to 2^48");
    else if (!diag->fix.words[0])
        TMAP_SAY(diag->fix.words, "for example %s: {min: 1, max: 8192}", name);
}

static bool read_fixed(tmap_spec_reading *r, const tmap_node *node, tmap_size *size) {
    tmap_integer number;
    size_t before = r->report->found.count;
    if (refuse_range_notation(r, node, size->name)) return false;
    if (!tmap_read_number(r, node, size->name, false, &number)) {
        if (r->report->found.count > before) say_of_size(&r->report->found.items[before], size->name);
        return false;
    }
    *size = (tmap_size){size->name, number.magnitude, number.magnitude, 1};
    return number.magnitude <= SIZE_MOST || refuse_number(r, node->mark, size->name);
}

static void read_size(tmap_spec_reading *r, const tmap_node *key) {
    tmap_spec *spec = r->spec;
    const tmap_node *value = tmap_node_value(key->next);
    tmap_size *size = &spec->sizes[spec->sizes_n];
    tmap_spec_reading own = *r;
    own.mark = key->mark;
    if (!tmap_is_size_name(key->text, key->size)) {
        refuse_name(r, key);
    } else if (spec->sizes_n == TMAP_SIZES_MAX) {
        tmap_diag *diag = refuse_size(r, key->mark, key->text, "exceeds the number of sizes of a file");
        TMAP_SAY(diag->allowed, "%d sizes", TMAP_SIZES_MAX);
        TMAP_SAY(diag->fix.words, "write its number where it is used, or an expression over the other sizes");
    } else {
        size->name = key->text;
        bool good = value->kind == TMAP_NODE_MAP ? read_range(&own, value, size) : read_fixed(&own, value, size);
        if (!good) *size = (tmap_size){key->text, 1, 1, 1};
        spec->broken_sizes |= (uint32_t)!good << spec->sizes_n;
        spec->size_marks[spec->sizes_n++] = key->mark;
    }
}

void tmap_read_sizes(tmap_spec_reading *r, const tmap_node *section) {
    for (const tmap_node *key = tmap_node_first(section); key; key = key->next->next)
        if (key->kind == TMAP_NODE_SCALAR) read_size(r, key);
}

/* ---- Values from outside -------------------------------------------------------------------------------------- */

int tmap_find_size(const tmap_spec *spec, const char *name) {
    for (int i = 0; i < spec->sizes_n; i++)
        if (strcmp(spec->sizes[i].name, name) == 0) return i;
    return -1;
}

static void refuse_unknown(tmap_spec_reading *r, const char *name) {
    char quoted[TMAP_QUOTED_MAX];
    const char *nearest = tmap_nearest_size(r->spec->sizes, r->spec->sizes_n, name);
    tmap_diag *diag = tmap_report_add(r->report, "size-value", r->mark, "the file has no size %s%s%s%s",
                                      tmap_quoted(quoted, name, strlen(name)), nearest ? "; did you mean '" : "",
                                      nearest ? nearest : "", nearest ? "'?" : "");
    const char *names[TMAP_SIZES_MAX];
    size_t n = (size_t)r->spec->sizes_n;
    for (size_t i = 0; i < n; i++) names[i] = r->spec->sizes[i].name;
    if (n > 0) tmap_say_list(diag->allowed, sizeof diag->allowed, names, n, n);
    if (n > 0)
        TMAP_SAY(diag->fix.words, "%s", nearest ? nearest : "a name of the section 'sizes', or leave -D out");
    else if (tmap_is_size_name(name, strlen(name)))
        TMAP_SAY(diag->fix.words, "a section sizes: {%s: 64} in the file, or leave -D out", name);
    else
        TMAP_SAY(diag->fix.words, "no -D: the file has no sizes");
}

/* The value of the size that is nearest to a number. */
static uint64_t nearest_value(const tmap_size *size, uint64_t number) {
    if (number <= size->min) return size->min;
    return number >= size->max ? size->max : number - number % size->multiple;
}

static void take_value(tmap_spec_reading *r, const tmap_size_value *value) {
    int i = tmap_find_size(r->spec, value->name);
    if (i < 0) {
        refuse_unknown(r, value->name);
        return;
    }
    tmap_size *size = &r->spec->sizes[i];
    if (r->spec->broken_sizes >> i & 1) return;
    if (value->value < size->min || value->value > size->max || value->value % size->multiple != 0) {
        tmap_diag *diag = refuse_size(r, r->spec->size_marks[i], size->name, "cannot have this value");
        TMAP_SAY(diag->given, "%" PRIu64, value->value);
        say_values(size, diag->allowed, sizeof diag->allowed);
        TMAP_SAY(diag->fix.words, "-D %s=%" PRIu64 ", or a wider range in the file", size->name,
                 nearest_value(size, value->value));
    } else {
        *size = (tmap_size){size->name, value->value, value->value, 1};
    }
}

void tmap_take_size_values(tmap_spec_reading *r, const tmap_size_value *values, size_t n) {
    for (size_t i = 0; i < n; i++) take_value(r, &values[i]);
}
