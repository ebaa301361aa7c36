/* generate: C expressions for numbers that depend on sizes, and C conditions for the sizes. */
#include "generate/sized.h"

#include <inttypes.h>
#include <string.h>

#include "diag/refuse.h"
#include "generate/source_parts.h"
#include "size/cells.h"
#include "spec/sizes.h"
#include "text/c_text.h"
#include "text/print.h"

#define CELLS_MOST 256 /* the cells of one condition */

tmap_sized_source tmap_sized_source_of(const tmap_generate_input *input, const char *name) {
    tmap_sized_source source = {.conditions = input->conditions};
    if (!input->spec) return source;
    size_t tensor = tmap_spec_tensor_find(input->spec, name), copy = tmap_spec_copy_find(input->spec, name);
    if (tensor == SIZE_MAX && copy == SIZE_MAX) return source;
    if (tensor == SIZE_MAX) tensor = input->spec->copies[copy].info.tensor;
    if (tensor == SIZE_MAX) return source;
    source.sized = copy == SIZE_MAX ? tmap_sized_tensor(input->spec, tensor) : tmap_sized_copy(input->spec, copy);
    source.tensor = input->spec->tensors[tensor].info.name;
    if (copy != SIZE_MAX) source.copy = input->spec->copies[copy].info.name;
    source.free = tmap_sized_free(&source.sized);
    return source;
}

static bool is_advice(const tmap_condition *c) {
    const tmap_rule_info *rule = tmap_rule_get(tmap_rule_find(c->rule));
    return rule && rule->severity == TMAP_ADVICE;
}

/* The next condition of severity error that some values of the sizes break; NULL after the last. */
static const tmap_condition *next_condition(const tmap_sized_source *source, size_t *i) {
    const tmap_condition *c;
    for (; source->conditions && (c = tmap_spec_condition_get(source->conditions, *i)) != NULL; ++*i) {
        bool about = c->subject && (strcmp(c->subject, source->tensor) == 0 ||
                                    (source->copy && strcmp(c->subject, source->copy) == 0));
        if (!about || c->kept == TMAP_KEPT_BY_ALL) continue;
        if (c->severity != TMAP_ERROR && (c->kept != TMAP_KEPT_UNDECIDED || is_advice(c))) continue;
        ++*i;
        return c;
    }
    return NULL;
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

/* The keywords of C and C++, and the names that the functions use. */
static bool is_reserved(const char *name) {
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast "
        "constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false "
        "float "
        "for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq "
        "private "
        "protected public register reinterpret_cast restrict return short signed sizeof static static_assert "
        "static_cast "
        "struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned using "
        "virtual void volatile wchar_t while xor xor_eq linux unix at map globalAddress globalDim globalStrides boxDim "
        "elementStrides tensorDataType tensorRank interleave swizzle l2Promotion oobFill mode channelsPerPixel "
        "pixelsPerColumn ";
    char word[40];
    tmap_say(word, sizeof word, " %s ", name);
    bool reserved = name[0] == '_' || strncmp(name, "tmap_", 5) == 0 || strncmp(name, "CU", 2) == 0 ||
                    strncmp(name, "cu", 2) == 0 || strncmp(name, "pixelBox", 8) == 0 || strncmp(name, "int", 3) == 0 ||
                    strncmp(name, "uint", 4) == 0 || strncmp(name, "INT", 3) == 0 || strncmp(name, "UINT", 4) == 0;
    return reserved || strstr(words, word) != NULL;
}

static size_t count_cells(const tmap_condition *c, bool kept) {
    size_t n = 0;
    for (const tmap_verdict_cell *at = c->cells->first; at; at = at->next) n += (at->verdict == 0) == kept;
    return n;
}

/* Whether the numbers in a condition's text fit in 128 bits; otherwise the condition is written as its cells. */
static bool states_by_text(const tmap_condition *c, const tmap_size_cell *all) {
    for (int i = 0; i < c->cells->cuts.n; i++)
        if (!tmap_expr_is_small(c->cells->cuts.items[i].expr, all)) return false;
    return c->keeps_c != NULL;
}

static tmap_status allow_condition(const tmap_condition *c, const tmap_size_cell *all, tmap_diag *to) {
    static const char fix[] = "smaller ranges, a multiple_of, or -D for one of these sizes";
    if (c->kept == TMAP_KEPT_UNDECIDED)
        return tmap_refuse_with(to, -1, fix, "rule %s is not decided for all values of the sizes", c->rule);
    uint64_t assumed = 0;
    for (const tmap_verdict_cell *at = c->cells->first; at; at = at->next) assumed |= at->cell.assumed;
    bool few = count_cells(c, true) <= CELLS_MOST || count_cells(c, false) <= CELLS_MOST;
    for (int i = 0; i < c->cells->cuts.n; i++)
        few &= !(assumed >> i & 1) || tmap_expr_is_small(c->cells->cuts.items[i].expr, all);
    if (few || states_by_text(c, all)) return TMAP_OK;
    return tmap_refuse_with(to, -1, fix, "the values that rule %s allows have too many cases for the generated C",
                            c->rule);
}

static tmap_status allow_source(const tmap_sized_source *source, tmap_diag *to) {
    tmap_size_cell all = tmap_whole_cell(source->sized.sizes, source->sized.sizes_n, UINT32_MAX);
    const tmap_condition *c;
    for (int i = 0; i < source->sized.sizes_n; i++)
        if ((source->free >> i & 1) && is_reserved(source->sized.sizes[i].name))
            return tmap_refuse_with(to, -1, "another name for the size",
                                    "size %s has a name that is reserved in C or in the generated code",
                                    source->sized.sizes[i].name);
    for (int slot = 0; slot < TMAP_SLOTS_N; slot++) {
        const tmap_expr *expr = tmap_slot_expr(&source->sized, slot);
        if (expr && !tmap_expr_is_small(expr, &all))
            return tmap_refuse_with(to, -1, "a smaller max of its sizes", "a number has more than 120 bits");
    }
    for (size_t i = 0; (c = next_condition(source, &i)) != NULL;) {
        tmap_status status = allow_condition(c, &all, to);
        if (status != TMAP_OK) return status;
    }
    return TMAP_OK;
}

tmap_status tmap_generate_allows_sizes(const tmap_spec *spec, const tmap_spec_conditions *conditions, const char *name,
                                       tmap_diag *refusal) {
    tmap_generate_input input = {.spec = spec, .conditions = conditions};
    tmap_sized_source source = tmap_sized_source_of(&input, name);
    if (!source.free) return TMAP_OK;
    tmap_status status = source.copy ? TMAP_OK : tmap_generate_has_call(source.sized.map, refusal);
    return status == TMAP_OK ? allow_source(&source, refusal) : status;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

void tmap_put_wide(tmap_sink *sink) {
    tmap_puts(sink, "\n/* Sums and products of sizes have up to 128 bits. */\n"
                    "__extension__ typedef __int128 tmap_wide;\n"
                    "static inline tmap_wide tmap_floor(tmap_wide a, tmap_wide n) {\n"
                    "    return a / n - (a % n < 0);\n"
                    "}\n"
                    "static inline tmap_wide tmap_ceil(tmap_wide a, tmap_wide n) {\n"
                    "    return -tmap_floor(-a, n);\n"
                    "}\n");
}

void tmap_put_sized_number(tmap_sink *sink, const tmap_sized_source *source, int slot, int64_t number, bool c) {
    const tmap_expr *expr = source->free ? tmap_slot_expr(&source->sized, slot) : NULL;
    if (expr)
        tmap_expr_print(sink, expr, source->sized.sizes, c);
    else
        tmap_printf(sink, "%" PRId64, number);
}

void tmap_put_sized_numbers(tmap_sink *sink, const tmap_sized_source *source, int slot, const char *type,
                            const uint64_t *numbers, int n) {
    for (int i = 0; i < n; i++) {
        const tmap_expr *expr = source->free ? tmap_slot_expr(&source->sized, slot + i) : NULL;
        tmap_puts(sink, i ? ", " : "");
        if (!expr) {
            tmap_put_numbers(sink, &numbers[i], 1);
            continue;
        }
        tmap_printf(sink, "(%s)(", type);
        tmap_expr_print(sink, expr, source->sized.sizes, true);
        tmap_puts(sink, ")");
    }
}

/* ---- Parameters and checks -------------------------------------------------------------------------------------- */

void tmap_put_size_parameters(tmap_sink *sink, const tmap_sized_source *source) {
    for (int i = 0; i < source->sized.sizes_n; i++)
        if (source->free >> i & 1) tmap_printf(sink, ", uint64_t %s", source->sized.sizes[i].name);
}

#define REFUSE " return CUDA_ERROR_INVALID_VALUE;"

static void put_range_check(tmap_sink *sink, const tmap_size *size) {
    tmap_puts(sink, "    if (");
    if (size->min > 0) tmap_printf(sink, "%s < %" PRIu64 " || ", size->name, size->min);
    tmap_printf(sink, "%s > %" PRIu64, size->name, size->max);
    if (size->multiple > 1) tmap_printf(sink, " || %s %% %" PRIu64 " != 0", size->name, size->multiple);
    tmap_puts(sink, ")" REFUSE "\n");
}

/* C has no integer literals of more than 64 bits. */
static void put_wide_number(tmap_sink *sink, tmap_i128 number) {
    tmap_i128 size = number < 0 ? -number : number, unit = (tmap_i128)1 << 62;
    tmap_printf(sink, "%s((tmap_wide)%" PRId64 " * %" PRId64 " + %" PRId64 ")", number < 0 ? "-" : "",
                (int64_t)(size / unit), (int64_t)unit, (int64_t)(size % unit));
}

static void put_cell(tmap_sink *sink, const tmap_condition *c, const tmap_size *sizes, const tmap_size_cell *cell) {
    const char *between = "(";
    for (int i = 0; i < TMAP_SIZES_MAX; i++) {
        const tmap_size_range *r = &cell->ranges[i];
        if (!(c->sizes >> i & 1)) continue;
        tmap_puts(sink, between);
        between = " && ";
        if (r->n == 1) {
            tmap_printf(sink, "%s == %" PRIu64, sizes[i].name, r->first);
            continue;
        }
        if (r->first > 0) tmap_printf(sink, "%s >= %" PRIu64 " && ", sizes[i].name, r->first);
        tmap_printf(sink, "%s <= %" PRIu64, sizes[i].name, r->first + (r->n - 1) * r->step);
        if (r->step > 1)
            tmap_printf(sink, " && %s %% %" PRIu64 " == %" PRIu64, sizes[i].name, r->step, r->first % r->step);
    }
    for (uint64_t left = cell->assumed; left; left &= left - 1) {
        const tmap_cut *cut = &c->cells->cuts.items[__builtin_ctzll(left)];
        tmap_printf(sink, " && (");
        tmap_expr_print(sink, cut->expr, sizes, true);
        bool reached = (cell->reached & left & -left) != 0, multiple = cut->kind == TMAP_CUT_MULTIPLE;
        tmap_puts(sink, multiple ? ") % " : reached ? ") >= " : ") < ");
        put_wide_number(sink, cut->bound);
        if (multiple) tmap_puts(sink, reached ? " == 0" : " != 0");
    }
    tmap_puts(sink, ")");
}

/* Writes the cells that keep the rule, or the negation of the cells that break the rule. */
static void put_cells(tmap_sink *sink, const tmap_condition *c, const tmap_size *sizes) {
    bool kept = count_cells(c, true) <= CELLS_MOST;
    const char *between = "";
    tmap_puts(sink, kept ? "" : "!(");
    for (const tmap_verdict_cell *at = c->cells->first; at; at = at->next) {
        if ((at->verdict == 0) != kept) continue;
        tmap_puts(sink, between);
        put_cell(sink, c, sizes, &at->cell);
        between = " ||\n          ";
    }
    if (between[0] == '\0') tmap_puts(sink, "0");
    tmap_puts(sink, kept ? "" : ")");
}

static void put_condition_check(tmap_sink *sink, const tmap_sized_source *source, const tmap_condition *c,
                                const tmap_size_cell *all) {
    bool text = states_by_text(c, all);
    tmap_puts(sink, "    if (!(");
    if (text)
        tmap_puts(sink, c->keeps_c);
    else
        put_cells(sink, c, source->sized.sizes);
    tmap_printf(sink, "))" REFUSE " /* %s", c->rule);
    if (text && c->keeps) tmap_printf(sink, ": %s", c->keeps);
    tmap_puts(sink, " */\n");
}

void tmap_put_size_checks(tmap_sink *sink, const tmap_sized_source *source) {
    tmap_size_cell all = tmap_whole_cell(source->sized.sizes, source->sized.sizes_n, UINT32_MAX);
    const tmap_condition *c;
    for (int i = 0; i < source->sized.sizes_n; i++)
        if (source->free >> i & 1) put_range_check(sink, &source->sized.sizes[i]);
    for (size_t i = 0; (c = next_condition(source, &i)) != NULL;) put_condition_check(sink, source, c, &all);
}

/* ---- Coordinates ------------------------------------------------------------------------------------------------ */

/* Coordinates of tensor maps are signed 32-bit operands. That of a linear copy is an offset in its tensor. */
static const char *type_of_coordinates(const tmap_generate_copy *copy) {
    return copy->tensor->params->mode == TMAP_MODE_LINEAR ? "int64_t" : "int32_t";
}

static void put_coordinate(tmap_sink *sink, const tmap_generate_copy *copy, const tmap_sized_source *source, int i,
                           int slot, int64_t number) {
    tmap_printf(sink, "    at[%d] = (%s)(", i, type_of_coordinates(copy));
    tmap_put_sized_number(sink, source, slot, number, true);
    tmap_puts(sink, ");\n");
}

void tmap_put_coordinates(tmap_sink *sink, const tmap_generate_copy *copy, const tmap_sized_source *source,
                          const char *name) {
    const tmap_copy_params *params = copy->params;
    bool four = tmap_op_get((int)params->op)->four_rows;
    int n = four ? 5 : params->at_n;
    tmap_puts(sink, "\n/* ");
    tmap_put_comment(sink, copy->name);
    tmap_printf(sink, ": the coordinates of the copy, %s. */\n", four ? "the column and four rows" : "innermost first");
    tmap_printf(sink, "CUresult coordinates_%s(%s at[%d]", name, type_of_coordinates(copy), n);
    tmap_put_size_parameters(sink, source);
    tmap_puts(sink, ") {\n");
    tmap_put_size_checks(sink, source);
    for (int i = 0; i < n; i++)
        if (!four)
            put_coordinate(sink, copy, source, i, TMAP_SLOT_AT + i, params->at[i]);
        else if (i == 0)
            put_coordinate(sink, copy, source, i, TMAP_SLOT_COLUMN, params->column);
        else
            put_coordinate(sink, copy, source, i, TMAP_SLOT_ROWS + i - 1, params->rows[i - 1]);
    tmap_puts(sink, "    return CUDA_SUCCESS;\n}\n");
}
