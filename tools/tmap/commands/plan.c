/* tmap plan: from a wanted layout in shared memory to the tensor map and the copies that fill it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/plan_fix.h"
#include "options/command.h"
#include "output/messages.h"
#include "text/number.h"
#include "text/words.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/plan_conv.h"
#include "tmap/unstable/spec.h"

/* More copies are described as loops and not listed. */
#define COPIES_LISTED_MAX 16
/* Of a pipeline. */
#define STAGES_MAX 32

/* ---- Options ---------------------------------------------------------------------------------------------------- */

static bool take_type(void *at, const char *value) {
    int type = find_type(value);
    if (type >= 0) *(tmap_type *)at = (tmap_type)type;
    return type >= 0;
}

/* Reads the first `size` bytes as a number. */
static bool number_of(const char *text, size_t size, int64_t *number) {
    return tmap_number_parse_signed(text, size, number) == TMAP_NUMBER_OK;
}

/* Reads "8192,4096", with signs; with `pairs` also "1:2,3". */
static bool take_numbers(number_options *list, const char *value, bool pairs) {
    list->n = 0;
    for (const char *item = value;; item++) {
        size_t size = strcspn(item, ","), first = pairs ? strcspn(item, ",:") : size;
        int64_t *at = &list->at[list->n], *after = &list->after[list->n];
        if (list->n == TMAP_ITERS_MAX || !number_of(item, first, at)) return false;
        *after = *at;
        if (first < size && !number_of(item + first + 1, size - first - 1, after)) return false;
        list->n++;
        item += size;
        if (*item == '\0') return true;
    }
}

/* Whether a refused list consists of numbers, so that a number is too large, or the list too long. */
static bool is_large(const char *value) {
    bool digit = false;
    for (const char *at = value; *at != '\0'; at++) {
        bool is = is_digit(*at);
        if (!is && *at != ',' && *at != ':' && *at != '-') return false;
        if (!is && at[1] == '\0') return false;
        if (!is && !digit && *at != '-') return false;
        digit = is;
    }
    return digit;
}

static bool take_list(void *at, const char *value) {
    if (take_numbers(at, value, false)) return true;
    if (is_large(value) && !strchr(value, ':'))
        return wrong_usage("'%s' has a number above 2^63 - 1, or more than %d numbers", value, TMAP_ITERS_MAX);
    return wrong_usage("'%s' is not a list of integers, outermost dimension first", value);
}

static bool take_pairs(void *at, const char *value) {
    if (take_numbers(at, value, true)) return true;
    return wrong_usage("'%s' is not a list of paddings: for each dimension 1, or 1:2 for before:after", value);
}

static bool take_swizzle(void *at, const char *value) {
    const char *names[TMAP_SWIZZLE_COUNT];
    for (int i = 0; i < TMAP_SWIZZLE_COUNT; i++) names[i] = tmap_swizzle_get(i)->name;
    *(int *)at = choose_among("swizzle", value, names, TMAP_SWIZZLE_COUNT);
    return *(int *)at >= 0;
}

static bool take_conv(void *at, const char *value) {
    const char *names[TMAP_CONV_OP_COUNT];
    plan_options *o = at;
    for (int i = 0; i < TMAP_CONV_OP_COUNT; i++) names[i] = tmap_conv_op_name(i);
    o->conv_op = choose_among("convolution", value, names, TMAP_CONV_OP_COUNT);
    o->conv_given = true;
    return o->conv_op >= 0;
}

static bool take_op(void *at, const char *value) {
    int op = tmap_op_find(value);
    if (op != TMAP_OP_LOAD && op != TMAP_OP_STORE) return wrong_usage("--op requires load or store, not '%s'", value);
    *(tmap_op *)at = (tmap_op)op;
    return true;
}

/* Reads "wgmma", or with the operand's major-ness after the colon: "wgmma:mn". */
static bool take_consumer(void *at, const char *value) {
    static const char *const names[] = {"wgmma", "wgmma:mn", "tcgen05", "tcgen05:mn"};
    struct consumer_choice *choice = at;
    for (int i = 0; i < 4; i++) {
        if (strcmp(value, names[i]) != 0) continue;
        *choice = (struct consumer_choice){true, i < 2 ? TMAP_WGMMA : TMAP_TCGEN05, i % 2 == 1};
        return true;
    }
    return wrong_usage("--for requires wgmma or tcgen05, with :mn for a tile of (K, M or N), not '%s'", value);
}

/* Reads "4", or "4:1" for stages along dimension 1. */
static bool take_stages(void *at, const char *value) {
    struct stage_choice *stages = at;
    int64_t n, dim = -1;
    size_t first = strcspn(value, ":"), size = strlen(value);
    if (!number_of(value, first, &n) || n < 1 ||
        (first < size && (!number_of(value + first + 1, size - first - 1, &dim) || dim < 0 || dim >= TMAP_ITERS_MAX)))
        return complain(EXIT_USAGE, "--stages requires a number, or 4:1 for 4 along dimension 1, not '%s'", value) ==
               EXIT_CLEAN;
    *stages = (struct stage_choice){true, (uint64_t)n, (int)dim};
    return true;
}

static const option_row options[] = {
    {"--type", "TYPE", "element type (f16)", offsetof(plan_options, type), take_type},
    {"--shape", "N,...", "sizes of the tensor, outermost first", offsetof(plan_options, shape), take_list},
    {"--strides", "N,...", "strides of the tensor in elements, one for each dimension (dense)",
     offsetof(plan_options, strides), take_list},
    {"--tile", "N,...", "sizes of the part to copy (the whole tensor)", offsetof(plan_options, tile), take_list},
    {"--at", "N,...", "first coordinates of the tile (0)", offsetof(plan_options, begin), take_list},
    {"--layout", "EXPR", "the wanted layout, in elements, or columns, or rows", offsetof(plan_options, layout), NULL},
    {"--swizzle", "MODE", "instead of --layout: blocks as wide as the span of this swizzle",
     offsetof(plan_options, swizzle), take_swizzle},
    {"--shared", "ADDRESS", "shared address of place 0 of the layout (0)", offsetof(plan_options, shared), take_number},
    {"--address", "ADDRESS", "address of the tensor", offsetof(plan_options, address), take_number},
    {"--op", "OP", "load (the default) or store", offsetof(plan_options, op), take_op},
    {"--for", "MMA[:mn]", "also print the matrix descriptor: wgmma or tcgen05; :mn for a tile of (K, M or N)",
     offsetof(plan_options, consumer), take_consumer},
    {"--rows", "N", "number of dimensions before the last that together are the rows of the tile (1)",
     offsetof(plan_options, rows), take_number},
    {"--stages", "N[:DIM]", "number of tiles in shared memory (1), along dimension DIM of --shape, from 0 (that of K)",
     offsetof(plan_options, stages), take_stages},
    {"--filter", "K,R,S", "a convolution: filters, and taps of each spatial dimension of --shape N,H,W,C",
     offsetof(plan_options, filter), take_list},
    {"--padding", "N,...", "zeros around each dimension, or before:after, such as 0:1 (0)",
     offsetof(plan_options, padding), take_pairs},
    {"--filter-stride", "N,...", "stride of the filter for each dimension (1)", offsetof(plan_options, filter_stride),
     take_list},
    {"--dilation", "N,...", "distance of the taps for each dimension (1)", offsetof(plan_options, dilation), take_list},
    {"--conv", "OP", "operand for fprop (the default), dgrad or wgrad", 0, take_conv},
    {"--json", NULL, "print the result as JSON", offsetof(plan_options, json), NULL},
    ARCH_OPTION(plan_options, judging),
    {0},
};

/* ---- The request ------------------------------------------------------------------------------------------------ */

static tmap_shape shape_of(const number_options *list, const tmap_shape *otherwise) {
    if (list->n == 0) return *otherwise;
    tmap_shape shape = {.rank = list->n};
    memcpy(shape.at, list->at, sizeof shape.at);
    return shape;
}

static int dense(tmap_plan_request *request) {
    int64_t stride = 1;
    for (int d = request->shape.rank - 1; d >= 0; d--) {
        request->strides_el[d] = stride;
        if (request->shape.at[d] > 0 && stride > INT64_MAX / request->shape.at[d])
            return complain(EXIT_FINDINGS, "the number of elements of --shape does not fit 64 bits");
        if (request->shape.at[d] > 0) stride *= request->shape.at[d];
    }
    return EXIT_CLEAN;
}

static bool fits_shape(const plan_options *o, const number_options *list, const char *option) {
    if (list->n == 0 || list->n == o->shape.n) return true;
    return wrong_usage("%s has %d number%s, but --shape has %d", option, list->n, list->n == 1 ? "" : "s", o->shape.n);
}

static int make_request(const plan_options *o, tmap_plan_request *request) {
    tmap_shape zeros = {.rank = o->shape.n};
    if (o->shape.n == 0) return complain(EXIT_USAGE, "an option is missing: --shape");
    *request = (tmap_plan_request){.type = o->type, .op = o->op, .archs = o->judging.judge.archs};
    request->shape = shape_of(&o->shape, &zeros);
    request->tile = shape_of(&o->tile, &request->shape);
    request->begin = shape_of(&o->begin, &zeros);
    request->shared_address = o->shared.value;
    request->has_address = o->address.given;
    request->address = o->address.value;
    if (!fits_shape(o, &o->tile, "--tile")) return EXIT_USAGE;
    if (!fits_shape(o, &o->begin, "--at")) return EXIT_USAGE;
    if (!fits_shape(o, &o->strides, "--strides")) return EXIT_USAGE;
    for (int d = 0; d < request->tile.rank; d++) {
        if (request->tile.at[d] > 0) continue;
        return complain(EXIT_USAGE, "%s: number %d is %" PRId64 "; each must be 1 or more",
                        o->tile.n > 0 ? "--tile" : "--shape", d + 1, request->tile.at[d]);
    }
    memcpy(request->strides_el, o->strides.at, sizeof request->strides_el);
    int code = o->strides.n > 0 ? EXIT_CLEAN : dense(request);
    return code == EXIT_CLEAN ? wanted_layout(o, &request->tile, &request->shared) : code;
}

/* Checks options that only a convolution has, and stages that no tile has. */
static int check_options(const plan_options *o) {
    bool of_conv = o->padding.n > 0 || o->filter_stride.n > 0 || o->dilation.n > 0 || o->conv_given;
    char dim[16] = "";
    if (o->stages.dim >= 0) (void)snprintf(dim, sizeof dim, ":%d", o->stages.dim);
    if (o->stages.given && (o->stages.n > STAGES_MAX || o->stages.dim >= o->shape.n))
        return complain(EXIT_USAGE,
                        "--stages requires 1 to %d, along one of the %d dimensions of --shape, not '%" PRIu64 "%s'",
                        STAGES_MAX, o->shape.n, o->stages.n, dim);
    return of_conv ? complain(EXIT_USAGE, "--padding, --filter-stride, --dilation and --conv require --filter")
                   : EXIT_CLEAN;
}

/* ---- Plans ------------------------------------------------------------------------------------------------------ */

typedef struct planned {
    tmap_plan_request request;
    tmap_plan plan;
    described_matrix matrix;
    int stages_n;
    uint64_t stage_B;
    tmap_copy_params firsts[STAGES_MAX]; /* the first copy of each stage */
    bool has_nearest;                    /* of a refused stage */
    tmap_layout nearest;
} planned;

static bool same_map(const tmap_plan *a, const tmap_plan *b) {
    bool same = a->map.rank == b->map.rank && a->copies_n == b->copies_n && a->map.swizzle == b->map.swizzle;
    for (uint64_t d = 0; same && d < a->map.rank; d++)
        same = a->map.dims_el[d] == b->map.dims_el[d] && a->map.box_el[d] == b->map.box_el[d] &&
               (d == 0 || a->map.strides_B[d - 1] == b->map.strides_B[d - 1]);
    return same;
}

/* The dimension of K: the last; for an MN-major operand the one before it. */
static int stage_dim(const plan_options *o, int rank) {
    if (o->stages.dim >= 0) return o->stages.dim;
    return o->consumer.mn_major && rank > 1 ? rank - 2 : rank - 1;
}

/* Plans and proves each stage separately. Refuses stages that do not share the first stage's map. */
static tmap_status plan_stages(const plan_options *o, planned *p, tmap_diag *refusal) {
    int dim = stage_dim(o, p->request.tile.rank);
    p->stage_B = tmap_plan_stage_B(&p->request.shared, p->request.type);
    for (int i = 0; i < p->stages_n; i++) {
        tmap_plan_request stage = p->request;
        tmap_plan plan;
        stage.begin.at[dim] += i * stage.tile.at[dim];
        stage.shared_address += (uint64_t)i * p->stage_B;
        tmap_status status = tmap_plan_make(&stage, &plan, refusal);
        p->has_nearest = status == TMAP_REFUSED && tmap_plan_nearest(&stage, &p->nearest);
        if (status == TMAP_OK) status = tmap_plan_prove(&plan, &stage, NULL, refusal);
        if (status != TMAP_OK) return status;
        if (i == 0) p->plan = plan;
        p->firsts[i] = plan.first;
        if (same_map(&p->plan, &plan)) continue;
        *refusal = (tmap_diag){.rule = "plan-divide", .severity = TMAP_ERROR};
        snprintf(refusal->message, sizeof refusal->message,
                 "stage %d requires a different tensor map from the first stage", i);
        snprintf(refusal->fix.words, sizeof refusal->fix.words,
                 "--stages %d:DIM along another dimension, or a tile that divides this dimension", p->stages_n);
        return TMAP_REFUSED;
    }
    return TMAP_OK;
}

static tmap_copy_params copy_of_stage(const planned *p, uint64_t i) {
    tmap_plan stage = p->plan;
    stage.first = p->firsts[i / p->plan.copies_n];
    return tmap_plan_copy(&stage, i % p->plan.copies_n);
}

static void write_loops(result_sink *out, const tmap_plan *plan) {
    tmap_json *json = &out->json;
    json_list(json, "loops", false);
    for (int i = 0; i < plan->loops_n; i++) {
        const tmap_plan_loop *loop = &plan->loops[i];
        tmap_json_object(json, true);
        json_field_uint(json, "extent", (uint64_t)loop->extent);
        json_field_uint(json, "shared_step_bytes", (uint64_t)loop->shared_step_B);
        json_field_ints(json, "at_step", loop->at_step, (size_t)plan->map.rank);
        tmap_json_close(json, '}');
        tmap_printf(&out->text, "# loop %d: %" PRId64 " times, shared + %" PRId64 " B, at +", i, loop->extent,
                    loop->shared_step_B);
        for (uint64_t d = 0; d < plan->map.rank; d++)
            tmap_printf(&out->text, "%s%" PRId64, d ? ", " : " [", loop->at_step[d]);
        tmap_puts(&out->text, "]\n");
    }
    tmap_json_close(json, ']');
}

static void write_stages(result_sink *out, const planned *p, int dim) {
    tmap_json *json = &out->json;
    if (p->stages_n == 1) return;
    tmap_printf(&out->text,
                "# %d stages, %" PRIu64 " B apart; the next tile is %" PRId64 " further along dimension %d\n",
                p->stages_n, p->stage_B, p->request.tile.at[dim], dim);
    json_field_uint(json, "stage_bytes", p->stage_B);
    json_list(json, "stages", false);
    for (int i = 0; i < p->stages_n; i++) {
        tmap_json_object(json, true);
        json_field_ints(json, "at", p->firsts[i].at, (size_t)p->plan.map.rank);
        json_field_uint(json, "shared", p->firsts[i].shared);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

static void name_copy(const planned *p, uint64_t i, char *name, size_t size) {
    uint64_t copies_n = p->plan.copies_n;
    if (p->stages_n == 1)
        snprintf(name, size, "copy_%" PRIu64, i);
    else if (copies_n == 1)
        snprintf(name, size, "stage_%" PRIu64, i);
    else
        snprintf(name, size, "stage_%" PRIu64 "_%" PRIu64, i / copies_n, i % copies_n);
}

/* JSON has the first copy; the loops and stages give the others. */
static void write_copies(result_sink *out, const planned *p) {
    tmap_copy_params copies[COPIES_LISTED_MAX];
    char names[COPIES_LISTED_MAX][56];
    const char *listed[COPIES_LISTED_MAX];
    uint64_t stages_n = (uint64_t)p->stages_n, copies_n = p->plan.copies_n;
    uint64_t all = copies_n > UINT64_MAX / stages_n ? UINT64_MAX : copies_n * stages_n;
    size_t n = all > COPIES_LISTED_MAX ? COPIES_LISTED_MAX : (size_t)all;
    for (size_t i = 0; i < n; i++) {
        copies[i] = copy_of_stage(p, i);
        name_copy(p, i, names[i], sizeof names[i]);
        listed[i] = names[i];
    }
    json_field_ints(&out->json, "at", p->plan.first.at, (size_t)p->plan.map.rank);
    json_field_uint(&out->json, "shared", p->plan.first.shared);
    tmap_spec_write_copies(&out->text, PLANNED_NAME, copies, listed, n);
    if (n < all) tmap_printf(&out->text, "  # and %" PRIu64 " more: see the loops above\n", all - n);
}

/* The text is a spec with comments. */
static void write_plan(result_sink *out, const planned *p, const plan_options *o) {
    const tmap_plan *plan = &p->plan;
    json_field_bool(&out->json, "planned", true);
    tmap_puts(&out->text, "# ");
    layout_write(out, "layout", &p->request.shared);
    json_field_uint(&out->json, "copies", plan->copies_n);
    json_field_uint(&out->json, "tx_bytes", plan->tx_B);
    bool one = plan->copies_n == 1;
    tmap_printf(&out->text,
                "\n# %" PRIu64 " cop%s of %" PRIu64
                " transaction bytes%s; proved: every byte of the tile is at its place in the layout\n",
                plan->copies_n, one ? "y" : "ies", plan->tx_B, one ? "" : " each");
    write_stages(out, p, stage_dim(o, p->request.tile.rank));
    write_loops(out, plan);
    matrix_write(out, o, &p->matrix);
    map_write(out, PLANNED_NAME, &plan->map);
    write_copies(out, p);
}

static int run_plan(const operand_list *operands, void *values) {
    (void)operands;
    plan_options *o = values;
    planned p = {.stages_n = 1};
    tmap_diag refusal;
    if (o->filter.n > 0) return plan_convolution(o);
    int code = check_options(o);
    if (code == EXIT_CLEAN) code = make_request(o, &p.request);
    if (code != EXIT_CLEAN) return code;
    if (o->stages.given) p.stages_n = (int)o->stages.n;
    tmap_status status = plan_stages(o, &p, &refusal);
    if (status == TMAP_NO_MEMORY) return complain_status(status, "plan");
    if (status != TMAP_OK) plan_fix(o, &p.request, p.stages_n, stage_dim(o, p.request.tile.rank), &refusal);
    if (status != TMAP_OK) return refuse_plan(&refusal, p.has_nearest ? &p.nearest : NULL, o->json);
    describe_matrix(o, &p.request.shared, &p.request.tile, p.request.shared_address, o->consumer.mn_major, &p.matrix);
    result_sink out;
    result_begin(&out, stdout, o->json);
    write_plan(&out, &p, o);
    result_end(&out);
    return code_of_matrix(&p.matrix);
}

const command_row plan_command = {
    .name = "plan",
    .summary = "find the map and the copies that fill a wanted layout in shared memory",
    .synopsis = "",
    .about =
        "Finds the tensor map and the smallest number of copies that load a tile into shared memory in a wanted\n"
        "layout, proves the copies by emulation, and prints a spec. Lists are outermost first, as in layouts.\n"
        "--layout is an expression (tmap help layout); or columns (the default), the layout for readers of columns\n"
        "(ldmatrix, wgmma, tcgen05); or rows, the dense layout.\n\n"
        "With --filter it plans a convolution by im2col: --shape is N,H,W,C of the input (or N,W,C or N,D,H,W,C),\n"
        "--tile is pixels by channels (default: 128 pixels by one span of the widest swizzle), --at is the first\n"
        "pixel of the tile. The plan has one copy for each tap and block of channels, and is proved against the\n"
        "definition of the convolution. --padding, --filter-stride and --dilation have one number, or one for each\n"
        "spatial dimension. --strides are the strides of the tensor that the copies read.",
    OPTIONS_IN(plan_options),
    .defaults = &(const plan_options){.type = TMAP_TYPE_F16, .op = TMAP_OP_LOAD, .swizzle = -1},
    .operands = {0, 0},
    .run = run_plan,
};
