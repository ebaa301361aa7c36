/*
 * The fixes of `tmap plan` as options. A refusal comes from a rule of maps or copies, whose fix has the map's lists:
 * innermost first, strides in bytes, dimensions cut and joined. The options have the request's lists: outermost first,
 * in elements. Each fix here is a changed request, and is printed only if a plan no longer breaks the rule.
 */
#include "commands/plan_fix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text/print.h"

#define ADDRESS_ALIGN_MAX_B 1024 /* the longest period of a swizzle */
#define ALIGN_B             16   /* of strides, addresses and rows of maps without interleave */
#define ROWS_UNIT           8    /* rows of 16 bytes in 128 bytes */

typedef struct fixing {
    const plan_options *options;
    const tmap_plan_request *request;
    int stages_n, stage_dim;
    const char *rule; /* the broken rule */
    bool incomplete;  /* the changed request breaks another rule */
    char *fix;
    size_t size;
} fixing;

static int64_t unit_el(const tmap_plan_request *request) {
    int bits = (int)tmap_type_get((int)request->type)->bits;
    return bits >= 8 && bits <= 8 * ALIGN_B ? ALIGN_B * 8 / bits : 1;
}

static int64_t floor_to(int64_t value, int64_t unit) {
    int64_t rest = value % unit;
    return value - (rest < 0 ? rest + unit : rest);
}

static int64_t ceil_to(int64_t value, int64_t unit) {
    return floor_to(value, unit) == value ? value : floor_to(value, unit) + unit;
}

/* The dimension whose elements are adjacent in global memory. */
static int inner_dim(const tmap_plan_request *request) {
    for (int d = request->shape.rank - 1; d >= 0; d--)
        if (request->strides_el[d] == 1) return d;
    return request->shape.rank - 1;
}

/* Whether the plans of all stages keep the rule. Sets `incomplete`. */
static bool keeps_rule(fixing *f, const tmap_plan_request *changed) {
    f->incomplete = false;
    for (int i = 0; i < f->stages_n; i++) {
        tmap_plan_request stage = *changed;
        tmap_plan plan;
        tmap_diag refusal;
        stage.begin.at[f->stage_dim] += i * stage.tile.at[f->stage_dim];
        stage.shared_address += (uint64_t)i * tmap_plan_stage_B(&changed->shared, changed->type);
        tmap_status status = tmap_plan_make(&stage, &plan, &refusal);
        if (status != TMAP_OK && (status != TMAP_REFUSED || strcmp(refusal.rule, f->rule) == 0)) return false;
        f->incomplete |= status != TMAP_OK;
    }
    return true;
}

/* "--at 8,8096"; "--at=-8,0" if the value starts like an option. */
static void put_option(fixing *f, const char *option, const int64_t *numbers, int n) {
    tmap_append(f->fix, f->size, "%s", option);
    for (int i = 0; i < n; i++)
        tmap_append(f->fix, f->size, "%s%" PRId64, i > 0 ? "," : numbers[0] < 0 ? "=" : " ", numbers[i]);
}

/* ---- Rules ------------------------------------------------------------------------------------------------------ */

/* Whether a dimension has the stride 1 of the innermost dimension, which no map has twice. */
static bool repeats_inner(const tmap_plan_request *request, int d) {
    return request->strides_el[d] == 1 && d != inner_dim(request);
}

static int64_t sort_key(const tmap_plan_request *request, int d) {
    return repeats_inner(request, d) ? INT64_MAX : request->strides_el[d];
}

/* The dimensions from the smallest stride to the largest, then those without a stride of their own. */
static void sort_dims(const tmap_plan_request *request, int order[TMAP_ITERS_MAX]) {
    for (int i = 0; i < request->shape.rank; i++) {
        int d = request->shape.rank - 1 - i, at = i;
        for (; at > 0 && sort_key(request, order[at - 1]) > sort_key(request, d); at--) order[at] = order[at - 1];
        order[at] = d;
    }
}

/* Pads each stride. A dimension that contains the one before it still contains it afterwards. A second stride of 1
 * becomes that of a dense tensor. */
static bool fix_strides(fixing *f) {
    tmap_plan_request changed = *f->request;
    bool dense = false;
    int order[TMAP_ITERS_MAX] = {0}, rank = changed.shape.rank;
    sort_dims(f->request, order);
    for (int i = 0; i < rank; i++) {
        const int64_t *old = f->request->strides_el, *sizes = changed.shape.at;
        int d = order[i], inner = i > 0 ? order[i - 1] : -1;
        int64_t stride = old[d], before, after;
        if (inner >= 0 && repeats_inner(f->request, d)) {
            if (__builtin_mul_overflow(changed.strides_el[inner], sizes[inner], &stride)) return false;
            dense = true;
        }
        if (stride <= 1) continue;
        bool nested = inner >= 0 && !__builtin_mul_overflow(old[inner], sizes[inner], &before) && stride >= before &&
                      !__builtin_mul_overflow(changed.strides_el[inner], sizes[inner], &after);
        if (nested && after > stride) stride = after;
        if (stride > INT64_MAX - ALIGN_B) return false;
        changed.strides_el[d] = ceil_to(stride, unit_el(f->request));
    }
    if (!keeps_rule(f, &changed)) return false;
    put_option(f, "--strides", changed.strides_el, rank);
    if (!dense) tmap_append(f->fix, f->size, ", with a tensor padded to these strides");
    return true;
}

static bool fix_begin(fixing *f) {
    int d = inner_dim(f->request);
    int64_t begin = f->request->begin.at[d], unit = unit_el(f->request);
    int64_t values[2] = {floor_to(begin, unit), ceil_to(begin, unit)};
    for (int i = 0; i < 2; i++) {
        tmap_plan_request changed = *f->request;
        changed.begin.at[d] = values[i];
        if (values[i] == begin || !keeps_rule(f, &changed)) continue;
        if (f->fix[0] != '\0') tmap_append(f->fix, f->size, " or ");
        put_option(f, "--at", changed.begin.at, changed.begin.rank);
    }
    return f->fix[0] != '\0';
}

/* The layout over another tile, if the options do not determine it. */
static bool layout_over(const plan_options *o, tmap_plan_request *request) {
    const tmap_type_info *type = tmap_type_get((int)request->type);
    const tmap_shape operand = operand_of(o, &request->tile);
    tmap_diag error;
    if (o->swizzle >= 0)
        return tmap_layout_in_blocks(type, &operand, (tmap_swizzle)o->swizzle, &request->shared, &error) == TMAP_OK;
    if (request->tile.rank < 2 || (o->layout && strcmp(o->layout, "rows") == 0))
        return tmap_layout_row_major(request->tile.at, request->tile.rank, &request->shared, &error) == TMAP_OK;
    if (o->layout && strcmp(o->layout, "columns") != 0) return false;
    return tmap_layout_for_columns(type, &operand, &request->shared, &error) == TMAP_OK;
}

static bool fix_row(fixing *f) {
    tmap_plan_request changed = *f->request;
    int d = inner_dim(f->request);
    if (changed.tile.at[d] > UINT32_MAX) return false;
    changed.tile.at[d] = ceil_to(changed.tile.at[d], unit_el(f->request));
    if (!layout_over(f->options, &changed) || !keeps_rule(f, &changed)) return false;
    put_option(f, "--tile", changed.tile.at, changed.tile.rank);
    return true;
}

/* Stores only the part of the tile that is inside the tensor. */
static bool fix_store(fixing *f) {
    tmap_plan_request changed = *f->request;
    for (int d = 0; d < changed.begin.rank; d++) {
        if (changed.begin.at[d] >= 0) continue;
        changed.tile.at[d] += changed.begin.at[d];
        changed.begin.at[d] = 0;
        if (changed.tile.at[d] < 1) return false;
    }
    if (!layout_over(f->options, &changed) || !keeps_rule(f, &changed)) return false;
    put_option(f, "--at", changed.begin.at, changed.begin.rank);
    put_option(f, " --tile", changed.tile.at, changed.tile.rank);
    tmap_append(f->fix, f->size, ", without the elements before the tensor");
    return true;
}

/* A larger tile, whose rows can be cut into boxes that are multiples of 128 B apart. */
static bool fix_rows(fixing *f) {
    for (int d = 0; d < f->request->tile.rank; d++) {
        int64_t rows = f->request->tile.at[d];
        if (d == inner_dim(f->request) || rows > UINT32_MAX) continue;
        for (int64_t unit = ROWS_UNIT; unit <= TMAP_BOX_MAX; unit *= 2) {
            tmap_plan_request changed = *f->request;
            changed.tile.at[d] = ceil_to(rows, unit);
            if (changed.tile.at[d] == rows || !layout_over(f->options, &changed)) continue;
            if (!keeps_rule(f, &changed) || f->incomplete) continue;
            put_option(f, "--tile", changed.tile.at, changed.tile.rank);
            return true;
        }
    }
    return false;
}

static bool fix_shared(fixing *f) {
    tmap_plan_request changed = *f->request;
    for (uint64_t align_B = TMAP_LINE_B; align_B <= ADDRESS_ALIGN_MAX_B; align_B *= 2) {
        changed.shared_address = (f->request->shared_address + align_B - 1) / align_B * align_B;
        if (keeps_rule(f, &changed) && !f->incomplete) break;
    }
    if (changed.shared_address == f->request->shared_address || !keeps_rule(f, &changed)) return fix_rows(f);
    tmap_append(f->fix, f->size, "--shared 0x%" PRIx64, changed.shared_address);
    return true;
}

static bool fix_stride_limit(fixing *f) {
    tmap_append(f->fix, f->size, "--strides of at most %" PRId64 " elements, or one map for each part of the tensor",
                ((int64_t)TMAP_STRIDE_LIMIT_B / ALIGN_B - 1) * unit_el(f->request));
    return true;
}

static const struct {
    const char *rule;
    bool (*make)(fixing *);
} fixes[] = {
    {"stride-align", fix_strides},      {"copy-inner-align", fix_begin},   {"box-inner-align", fix_row},
    {"copy-store-negative", fix_store}, {"copy-shared-align", fix_shared}, {"stride-limit", fix_stride_limit},
};

/* Only the address and the swizzle of a map have the same value as an option; other fields are named as the map's. */
static void name_options(const tmap_diag *refusal, char *fix, size_t size) {
    char text[TMAP_FIX_TEXT_MAX];
    int field = refusal->fix.edits_n > 0 ? refusal->fix.edits[0].field : -1;
    tmap_fix_text(refusal, text, sizeof text);
    if (field == TMAP_FIELD_ADDRESS || field == TMAP_FIELD_SWIZZLE)
        snprintf(fix, size, "--%s %s", tmap_field_get(field)->name, strchr(text, ' ') + 1);
    else if (strchr(text, '[') && strncmp(text, "--", 2) != 0)
        snprintf(fix, size, "in the map, innermost first, strides in bytes: %.120s", text);
}

static void take_words(tmap_diag *refusal, const char *words) {
    if (words[0] == '\0') return;
    refusal->fix = (tmap_fix){0};
    snprintf(refusal->fix.words, sizeof refusal->fix.words, "%s", words);
}

void plan_fix_names(const plan_options *o, tmap_diag *refusal) {
    char fix[sizeof refusal->fix.words] = "";
    name_options(refusal, fix, sizeof fix);
    if (refusal->rule && strcmp(refusal->rule, "copy-shared-align") == 0)
        snprintf(fix, sizeof fix, "--shared 0x%" PRIx64,
                 (o->shared.value + ADDRESS_ALIGN_MAX_B - 1) / ADDRESS_ALIGN_MAX_B * ADDRESS_ALIGN_MAX_B);
    take_words(refusal, fix);
}

void plan_fix(const plan_options *o, const tmap_plan_request *request, int stages_n, int stage_dim,
              tmap_diag *refusal) {
    char fix[sizeof refusal->fix.words] = "";
    fixing f = {o, request, stages_n, stage_dim, refusal->rule, false, fix, sizeof fix};
    bool made = false;
    for (size_t i = 0; refusal->rule && i < sizeof fixes / sizeof *fixes && !made; i++)
        made = strcmp(refusal->rule, fixes[i].rule) == 0 && fixes[i].make(&f);
    if (!made) name_options(refusal, fix, sizeof fix);
    if (made && f.incomplete) tmap_append(fix, sizeof fix, "; further changes are required");
    take_words(refusal, fix);
}
