#include "import/dump.h"
#include "diag/refuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/wide.h"
#include "hw/map_align.h"
#include "import/prefilter.h"
#include "params/fields.h"
#include "rule/field_words.h"
#include "text/print.h"
#include "text/words.h"

#define IMPORT_RULE "import-format"

static tmap_mark begin_of(const map_dump *dump) {
    return (tmap_mark){.line = dump->out->line, .column = 1, .length = 1};
}

TMAP_PRINTF(3, 4) static void complain(map_dump *dump, tmap_mark mark, const char *format, ...) {
    if (dump->wrong) return; /* the first error is enough */
    tmap_diag diag = tmap_rule_diag(IMPORT_RULE, NULL);
    va_list arguments;
    va_start(arguments, format);
    tmap_say_v(diag.message, sizeof diag.message, format, arguments);
    va_end(arguments);
    diag.path = dump->path;
    diag.mark = mark;
    dump->finding = diag;
    dump->wrong = true;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

int dump_find_key(const dump_format *format, const log_line *line, const char *from, const char **begin,
                  const char **value) {
    uint64_t firsts = line->import->filter.firsts[format - dump_format_get(0)];
    for (*begin = from; **begin != '\0'; ++*begin) {
        if ((firsts >> (unsigned char)**begin % 64 & 1) == 0 || (*begin > line->text && is_word((*begin)[-1])))
            continue;
        for (int i = 0; format->keys[i].name; i++)
            if (*format->keys[i].name == **begin &&
                (*value = line_key_at(line, *begin, format->keys[i].name, format->separator)) != NULL)
                return i;
    }
    return -1;
}

static bool is_list(const format_key *key) {
    return key->kind == LIST || key->kind == ALL_STRIDES || key->kind == STRIDES_EL;
}

static bool read_value(const format_key *key, const char *value, number_list *list) {
    bool single = !is_list(key);
    if (!(single ? line_number(value, list) : line_numbers(value, list))) return false;
    return !list->negative || tmap_field_kind(key->field) == TMAP_KIND_SIGNED;
}

const char *dump_find_map(const dump_format *format, const log_line *line) {
    bool likely = format->map && line->words & WORDS_HEAD(format - dump_format_get(0));
    return likely ? strstr(line->text, format->map) : NULL;
}

/* The value that a parameter must have in a format with `named`, for a message. */
static const char *wanted_of(const format_key *key) {
    if (is_list(key)) return "a list of at most 8 non-negative numbers in brackets";
    return tmap_field_words(key->field) ? "a number or an enumerator of cuda.h"
                                        : "a non-negative number, decimal or hexadecimal with 0x";
}

static bool of_pixels(tmap_field field) {
    return field == TMAP_FIELD_LOWER_CORNER || field == TMAP_FIELD_UPPER_CORNER ||
           field == TMAP_FIELD_CHANNELS_PER_PIXEL || field == TMAP_FIELD_PIXELS_PER_COLUMN;
}

/* Takes a key with its place. With NAME=VALUE a value that cannot be read is a missing one. */
static void take_key(map_dump *dump, int i, tmap_mark mark, bool readable) {
    tmap_field field = dump->format->keys[i].field;
    dump->marks[i] = mark;
    dump->last = i;
    dump->im2col |= of_pixels(field);
    dump->fields &= ~(UINT64_C(1) << field);
    dump->fields |= (uint64_t)(readable || !dump->format->named) << field;
}

static int key_with_field(const map_dump *dump, tmap_field field) {
    int i = 0;
    while (dump->format->keys[i].field != field) i++;
    return i;
}

/* Appends an entry of a list: "dims[1]=8192" after "dims[0]=4096". */
static bool take_entry(map_dump *dump, const named_value *value, int i) {
    number_list *list = &dump->values[i];
    if (value->index < 1 || !value->readable || dump->marks[i].line == 0) return false;
    if (list->n != value->index || list->n == NUMBERS_MAX) return false;
    list->values[list->n++] = value->numbers.values[0];
    dump->last = i;
    return true;
}

/* dump_take for a format with `named`. A parameter that the dump already has, under a name that is at least as certain,
 * starts another dump if it is the first on the line; else it is skipped. A more certain name replaces the parameter.
 */
static dump_step take_named(map_dump *dump, const log_line *line, const char *from) {
    dump_step step = DUMP_NO_KEY;
    named_value value;
    dump->of_triton |= strstr(line->text, "TensorDescriptor(") != NULL;
    for (; named_value_next(line, from, &value); from = value.end) {
        int i = key_with_field(dump, value.field);
        dump->of_mlir |= *value.end == '\0' && value.name_size == 4 && memcmp(value.name, "Addr", 4) == 0;
        if (take_entry(dump, &value, i)) {
            step = DUMP_TAKEN;
            continue;
        }
        bool again = dump->marks[i].line > 0, same = again && (int)value.certainty <= dump->certainty[i];
        if (same && step == DUMP_NO_KEY) return DUMP_REPEATED;
        if (same) continue;
        bool blamed = again && memcmp(&dump->finding.mark, &dump->marks[i], sizeof dump->marks[i]) == 0;
        dump->wrong = dump->wrong && !blamed;
        dump->named_n += value.readable && !(again && dump->values[i].n > 0);
        tmap_mark mark = {line->number, line_column(line, value.name, (size_t)value.size), value.name_size};
        take_key(dump, i, mark, value.numbers.n > 0);
        dump->values[i] = value.numbers;
        dump->certainty[i] = (int)value.certainty;
        if (!value.readable)
            complain(dump, dump->marks[i], "%.*s is not %s", value.name_size > 40 ? 40 : value.name_size, value.name,
                     wanted_of(&dump->format->keys[i]));
        dump->telling_n += value.readable && value.certainty == NAME_OF_DRIVER;
        step = DUMP_TAKEN;
    }
    return step;
}

/* The address of the CUtensorMap. A number that touches other characters comes from mixed lines. */
static void take_map_address(map_dump *dump, const log_line *line) {
    const char *words = dump_find_map(dump->format, line);
    number_list number;
    if (!words || dump->out->has_map_address || !line_number(words + strlen(dump->format->map), &number)) return;
    const char *end = words + strlen(dump->format->map);
    end += strspn(end, " \t");
    end += strcspn(end, " \t,()");
    if (number.negative || (*end != '\0' && *end != ' ' && *end != '\t')) return;
    dump->out->has_map_address = true;
    dump->out->map_address = number.values[0];
    size_t size = strlen(dump->format->map);
    dump->out->map_mark = (tmap_mark){line->number, line_column(line, dump->format->map, size), (int)size};
}

dump_step dump_take(map_dump *dump, const log_line *line, const char *from) {
    dump_step step = DUMP_NO_KEY;
    const char *begin, *value;
    if (dump->format->named) return take_named(dump, line, from);
    take_map_address(dump, line);
    for (int i; (i = dump_find_key(dump->format, line, from, &begin, &value)) >= 0; from = value) {
        const format_key *key = &dump->format->keys[i];
        if (dump->marks[i].line > 0) return step == DUMP_NO_KEY ? DUMP_REPEATED : step;
        size_t size = strlen(key->name);
        tmap_mark mark = {line->number, line_column(line, key->name, size), (int)size};
        take_key(dump, i, mark, true);
        if (!read_value(key, value, &dump->values[i]))
            complain(dump, dump->marks[i], "%s is not %s", key->name,
                     !is_list(key) ? "a number" : "a list of at most 8 non-negative numbers");
        step = DUMP_TAKEN;
    }
    return step;
}

/* ---- Contents of a dump ----------------------------------------------------------------------------------------- */

static bool has(const map_dump *dump, tmap_field field) {
    return dump->fields >> field & 1;
}

/* The first key of the field that the dump contains; -1: none. */
static int key_of(const map_dump *dump, tmap_field field) {
    for (int i = 0; has(dump, field); i++)
        if (dump->format->keys[i].field == field && dump->marks[i].line > 0) return i;
    return -1;
}

/* The rank, or the number of dimensions if the format prints no rank; 0: unknown. */
static uint64_t rank_of(const map_dump *dump) {
    int rank = key_of(dump, TMAP_FIELD_RANK), dims = key_of(dump, TMAP_FIELD_DIMS);
    if (rank >= 0) return dump->values[rank].n == 1 ? dump->values[rank].values[0] : 0;
    bool exact = dims >= 0 && dump->values[dims].bracket != '(' && dump->format->result != RESULT_BEFORE;
    if (dump->format->named) exact = dims >= 0;
    return exact ? (uint64_t)dump->values[dims].n : 0;
}

/* Whether a dump of this format must contain the key. */
static bool needs(const map_dump *dump, int i) {
    const format_key *key = &dump->format->keys[i];
    if (key->kind == IF_PRINTED) return dump->marks[i].line > 0; /* printed, so the value must be readable */
    if (key->field == TMAP_FIELD_STRIDES) return rank_of(dump) != 1;
    if (key->field == TMAP_FIELD_RANK) return rank_of(dump) == 0;
    if (key->field == TMAP_FIELD_BOX) return !dump->im2col;
    return !of_pixels(key->field) || dump->im2col;
}

static bool lacks(const map_dump *dump, int i) {
    return needs(dump, i) && !has(dump, dump->format->keys[i].field);
}

bool dump_complete(const map_dump *dump) {
    for (int i = 0; dump->format->keys[i].name; i++)
        if (lacks(dump, i)) return false;
    return true;
}

bool dump_assumes(const map_dump *dump) {
    for (int i = 0; dump->format->keys[i].name; i++)
        if (dump->format->keys[i].kind == IF_PRINTED && dump->marks[i].line == 0) return dump->format->named;
    return false;
}

bool dump_credible(const map_dump *dump) {
    int seen = 0, telling = 0;
    if (dump->format->named) {
        bool sized = dump->header == HEADER_OF_MAP && has(dump, TMAP_FIELD_DIMS) && has(dump, TMAP_FIELD_BOX);
        bool named = !dump->headless || dump->header == HEADER_OF_CALL || sized || dump->telling_n >= 2;
        return dump->named_n >= 3 && named;
    }
    for (int i = 0; dump->format->keys[i].name; i++) {
        seen += dump->marks[i].line > 0;
        telling += dump->marks[i].line > 0 && dump->format->keys[i].telling;
    }
    bool message = dump->format->result == RESULT_ON_FIRST || dump->format->result == RESULT_NOWHERE;
    if (message && seen == 0) return false; /* other programs print these words, too */
    return !dump->headless || (seen >= 2 && telling >= 1);
}

/* ---- Parameters ------------------------------------------------------------------------------------------------- */

/* The driver's first swizzle with that span. DeepGEMM calls a span of 16 B, one unit, no swizzle. */
static uint64_t swizzle_of_span(uint64_t span_B) {
    const tmap_swizzle_info *swizzle;
    if (span_B == 0 || span_B == 16) return TMAP_SWIZZLE_NONE;
    for (int i = 0; (swizzle = tmap_swizzle_get(i)) != NULL; i++)
        if (swizzle->cu >= 0 && swizzle->span_B == span_B) return (uint64_t)i;
    return UINT64_MAX;
}

static uint64_t type_of_size(uint64_t size_B) {
    if (size_B == 1) return TMAP_TYPE_U8;
    if (size_B == 2) return TMAP_TYPE_BF16;
    return size_B == 4 ? TMAP_TYPE_F32 : UINT64_MAX;
}

static void put_number(map_dump *dump, const format_key *key, uint64_t value) {
    tmap_map_params *params = &dump->out->params;
    if (key->kind == SWIZZLE_B) value = swizzle_of_span(value);
    if (key->kind == ELEMENT_B) value = type_of_size(value);
    if (tmap_field_words(key->field) && value > INT32_MAX) value = (uint64_t)-1;
    tmap_field_set(params, NULL, key->field, 0, value);
    if (key->field == TMAP_FIELD_ADDRESS) params->has_address = !dump->of_mlir;
}

/* The strides that include the innermost dimension, whose stride is the size of an element; NULL: not printed. */
static const number_list *all_strides(const map_dump *dump) {
    int strides = key_of(dump, TMAP_FIELD_STRIDES), dims = key_of(dump, TMAP_FIELD_DIMS);
    if (strides < 0 || dump->values[strides].n == 0) return NULL;
    const number_list *list = &dump->values[strides];
    bool all = dump->format->named && dims >= 0 && list->n == dump->values[dims].n && list->values[0] <= 8;
    return all || dump->format->keys[strides].kind == ALL_STRIDES ? list : NULL;
}

/* Converts strides in elements to bytes. A stride that does not fit is too large for every rule. */
static uint64_t stride_B(const map_dump *dump, const format_key *key, uint64_t stride) {
    int size = key_of(dump, TMAP_FIELD_TYPE);
    if (key->kind != STRIDES_EL || size < 0) return stride;
    uint64_t bytes;
    return __builtin_mul_overflow(stride, dump->values[size].values[0], &bytes) ? UINT64_MAX : bytes;
}

/* Whether the sizes are outermost first and the strides in elements, as in PyTorch, NumPy and Triton: the last is 1. */
static bool in_python_order(const map_dump *dump) {
    int strides = key_of(dump, TMAP_FIELD_STRIDES), dims = key_of(dump, TMAP_FIELD_DIMS);
    if (!dump->format->named || strides < 0 || dims < 0) return false;
    const number_list *list = &dump->values[strides];
    return list->n > 1 && list->n == dump->values[dims].n && list->values[0] > 1 && list->values[list->n - 1] == 1;
}

/* Puts a list in that order. Without the type, the strides are not judged. */
static void put_reversed(map_dump *dump, const format_key *key, const number_list *list, int wanted) {
    const tmap_type_info *type = has(dump, TMAP_FIELD_TYPE) ? tmap_type_get((int)dump->out->params.type) : NULL;
    bool strides = key->field == TMAP_FIELD_STRIDES, unknown = strides && (!type || type->unit_values != 1);
    if (unknown) dump->out->marks[key->field].line = 0;
    for (int k = 0; k < wanted && !unknown; k++) {
        uint64_t entry = tmap_mul_saturate(list->values[wanted - 1 - k], strides ? type->unit_global_B : 1);
        if (dump->of_triton && key->field == TMAP_FIELD_BOX && entry > TMAP_BOX_MAX) entry = TMAP_BOX_MAX;
        tmap_field_set(&dump->out->params, NULL, key->field, k, entry);
    }
}

/* Returns false if there are too few numbers. */
static bool put_list(map_dump *dump, int i) {
    const format_key *key = &dump->format->keys[i];
    const number_list *list = &dump->values[i];
    int rank = (int)dump->out->params.rank, skip = list == all_strides(dump), wanted = rank;
    if (key->field == TMAP_FIELD_STRIDES) wanted = rank - 1;
    if (of_pixels(key->field)) wanted = rank > 2 ? rank - 2 : 0;
    if (list->n < wanted + skip) {
        complain(dump, dump->marks[i], "%s has %d number%s, and a rank of %d needs %d", key->name, list->n,
                 list->n == 1 ? "" : "s", rank, wanted + skip);
        return false;
    }
    if (in_python_order(dump)) {
        put_reversed(dump, key, list, wanted);
        return true;
    }
    for (int k = 0; k < wanted; k++)
        tmap_field_set(&dump->out->params, NULL, key->field, k, stride_B(dump, key, list->values[k + skip]));
    return true;
}

static bool put_all(map_dump *dump) {
    tmap_map_params *params = &dump->out->params;
    for (int i = 0; dump->format->keys[i].name; i++) {
        const format_key *key = &dump->format->keys[i];
        if (dump->marks[i].line == 0 || !has(dump, key->field)) continue;
        if (key->field == TMAP_FIELD_BOX && dump->im2col) continue;
        dump->out->marks[key->field] = dump->marks[i];
        if (!is_list(key))
            put_number(dump, key, dump->values[i].values[0]);
        else if (!put_list(dump, i))
            return false;
    }
    dump->out->outer_first = in_python_order(dump);
    if (dump->im2col) params->mode = TMAP_MODE_IM2COL;
    return has(dump, TMAP_FIELD_STRIDES) || params->rank == 1 || tmap_map_params_dense(params);
}

/* ---- The verdict ------------------------------------------------------------------------------------------------ */

/* Whether the key is missing. If several keys give one parameter, only the first of them is reported. */
static bool is_missing(const map_dump *dump, int i) {
    for (int k = 0; k < i; k++)
        if (dump->format->keys[k].field == dump->format->keys[i].field) return false;
    return lacks(dump, i);
}

/* "boxDim, elementStrides and swizzle" */
static void list_missing(const map_dump *dump, char *text, size_t size) {
    int missing = 0, n = 0;
    text[0] = '\0';
    for (int i = 0; dump->format->keys[i].name; i++) missing += is_missing(dump, i);
    for (int i = 0; dump->format->keys[i].name; i++) {
        if (!is_missing(dump, i)) continue;
        tmap_append(text, size, "%s%s", n == 0 ? "" : n + 1 < missing ? ", " : " and ", dump->format->keys[i].name);
        n++;
    }
}

bool dump_repeats_last(const map_dump *dump, const log_line *line) {
    named_value value;
    return dump->last >= 0 && dump->marks[dump->last].line == line->number - 1 &&
           named_value_next(line, line->text, &value) && key_with_field(dump, value.field) == dump->last;
}

bool dump_lacks_end(const map_dump *dump) {
    if (!dump->format->keys[dump->last + 1].name) return false;
    for (int i = dump->last + 1; dump->format->keys[i].name; i++)
        if (has(dump, dump->format->keys[i].field)) return false;
    return true;
}

/* Where the dump was cut: before its head, or after its last key if no later key of the format was found. */
static const char *cut_of(const map_dump *dump) {
    bool head = dump->headless, lacks_end = dump_lacks_end(dump);
    if (dump->of_triton) return "in Python, libtmap.TensorMap.of_triton(DESCRIPTOR) finds them and checks the map";
    if (dump->format->named) return "print each as NAME=NUMBER, NAME={LIST} or NAME=ENUMERATOR";
    if (head) return lacks_end ? "its beginning and its end are missing" : "its beginning is missing";
    return lacks_end ? "its end is missing" : "a line of it is missing";
}

static void tell_missing(map_dump *dump) {
    char missing[160];
    const char *origin = dump->format->origin;
    list_missing(dump, missing, sizeof missing);
    if (dump->mixed)
        complain(dump, begin_of(dump),
                 "the lines of the dump of %s that begins here are mixed with those of another process: run one "
                 "process, or write one log for each",
                 origin);
    else if (dump->last < 0)
        complain(dump, begin_of(dump), "the dump of %s that begins here has no readable parameter", origin);
    else
        complain(dump, begin_of(dump), "the dump of %s that begins here lacks %s: %s", dump->out->origin, missing,
                 cut_of(dump));
}

/* tilelang prints CUTLASS's names, and its lists in square brackets. */
static const char *origin_of(const map_dump *dump) {
    if (dump->format != dump_format_get(0)) return dump->format->origin;
    for (int i = 0; dump->format->keys[i].name; i++)
        if (dump->marks[i].line > 0 && dump->values[i].bracket == '[') return "tilelang";
    return dump->format->origin;
}

/* The type by the size of an element; UINT64_MAX: not known. */
static uint64_t type_of_strides(const map_dump *dump) {
    const number_list *strides = all_strides(dump);
    return strides ? type_of_size(strides->values[0]) : UINT64_MAX;
}

/* The rank of a dump without its head: dimensions after the last have stride 0 and size 1. 0: unknown. */
static uint64_t rank_of_sizes(const map_dump *dump) {
    const number_list *strides = all_strides(dump);
    int dims = key_of(dump, TMAP_FIELD_DIMS);
    uint64_t rank = 0;
    for (int i = 0; strides && i < strides->n; i++)
        if (strides->values[i] != 0 || (dims >= 0 && i < dump->values[dims].n && dump->values[dims].values[i] != 1))
            rank = (uint64_t)i + 1;
    return rank;
}

/* Whether the rules can judge the map although parameters are missing: type, dims and the box are enough. */
static bool usable(const map_dump *dump) {
    tmap_field box = dump->im2col ? TMAP_FIELD_CHANNELS_PER_PIXEL : TMAP_FIELD_BOX;
    bool typed = has(dump, TMAP_FIELD_TYPE) || type_of_strides(dump) != UINT64_MAX;
    bool placed = !dump->format->named || !dump->im2col ||
                  (has(dump, TMAP_FIELD_LOWER_CORNER) && has(dump, TMAP_FIELD_UPPER_CORNER));
    return typed && has(dump, TMAP_FIELD_DIMS) && has(dump, box) && placed;
}

/* DeepGEMM counts 4-bit values in its sizes and bytes in its strides. The unpacked form has boxes of 128 values. */
static void assume_packed(map_dump *dump) {
    tmap_map_params *params = &dump->out->params;
    int type = key_of(dump, TMAP_FIELD_TYPE);
    if (type < 0 || dump->format->keys[type].kind != ELEMENT_B || dump->values[type].values[0] != 1) return;
    if (params->rank < 2 || params->strides_B[0] >= params->dims_el[0]) return;
    bool unpacked = params->box_el[0] == 128 && params->swizzle == TMAP_SWIZZLE_128B;
    params->type = unpacked ? TMAP_TYPE_B4X16_P64 : TMAP_TYPE_B4X16;
}

/* Makes parameters from the dump. Returns false if the dump has too few parameters or is not readable. */
static bool make_params(map_dump *dump, uint64_t rank) {
    tmap_map_params *params = &dump->out->params;
    bool readable = !dump->wrong || dump->format->named;
    *params = tmap_map_params_tiled(TMAP_TYPE_U8, rank <= TMAP_RANK_MAX ? rank : 0);
    params->l2_promotion = dump->format->l2_promotion;
    params->rank = rank;
    if (!dump_complete(dump)) tell_missing(dump);
    if (!has(dump, TMAP_FIELD_TYPE) && usable(dump)) {
        params->type = (tmap_type)type_of_strides(dump);
        dump->out->assumed = "the type, from the element size, which is the first stride (1: u8, 2: bf16, 4: f32); the "
                             "rank, from the strides and sizes, if the dump lacks the rank";
    }
    if (rank < 1 || rank > TMAP_RANK_MAX) {
        complain(dump, begin_of(dump), "the rank is %llu; tensor maps have 1 to %d", (unsigned long long)rank,
                 TMAP_RANK_MAX);
        return false;
    }
    if (!readable || !usable(dump) || !put_all(dump)) return false;
    assume_packed(dump);
    return true;
}

void dump_finish(map_dump *dump, bool mixed_before) {
    uint64_t rank = rank_of(dump);
    dump->out->origin = origin_of(dump);
    dump->out->assumed = dump->format->named && !dump_assumes(dump) ? NULL : dump->format->assumed;
    dump->out->usable = make_params(dump, rank ? rank : rank_of_sizes(dump));
    dump->out->whole = !dump->wrong;
    if (dump->wrong && !(dump->mixed && mixed_before)) (void)tmap_diags_add(dump->diags, &dump->finding);
}

/* ---- The address of the CUtensorMap ----------------------------------------------------------------------------- */

void tmap_import_check_address(const tmap_imported *found, const tmap_judge *judge, bool doubts, tmap_diags *diags) {
    bool broken = found->map_address % TMAP_MAP_ALIGN_B != 0,
         newest = judge->toolkit == 0 || judge->toolkit >= TMAP_MAP_ALIGN_TYPE_CUDA;
    if (!found->has_map_address || (!broken && (!doubts || !newest || found->map_address % TMAP_MAP_ALIGN_TYPE_B == 0)))
        return;
    unsigned need = broken ? TMAP_MAP_ALIGN_B : TMAP_MAP_ALIGN_TYPE_B;
    tmap_diag diag = tmap_rule_diag(broken ? "tensor-map-align" : "tensor-map-align-128", judge);
    diag.path = judge->path;
    diag.subject = judge->subject;
    diag.mark = found->map_mark;
    TMAP_SAY(diag.message, "the CUtensorMap is %u B past a multiple of %u B", (unsigned)(found->map_address % need),
             need);
    TMAP_SAY(diag.given, "0x%llx", (unsigned long long)found->map_address);
    TMAP_SAY(diag.allowed, "a multiple of %u B", need);
    TMAP_SAY(diag.fix.words, "an object of type CUtensorMap, or alignas(%u) for the bytes of the map", need);
    (void)tmap_diags_add(diags, &diag);
}
