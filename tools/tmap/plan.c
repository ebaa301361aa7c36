/* tmap plan: from a wanted layout in shared memory to the tensor map and the copies that fill it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "judging.h"
#include "output.h"
#include "tmap/plan.h"
#include "tmap/spec.h"

/* More copies than this are a loop in words, and not listed. */
#define COPIES_LISTED_MAX 16

typedef struct number_list {
    int n;
    int64_t at[TMAP_ITERS_MAX];
} number_list;

typedef struct plan_options {
    tmap_type type;
    number_list shape, strides, tile, begin;
    optional_number address, shared;
    const char *layout;
    tmap_op op;
    struct consumer_choice {
        bool given;
        tmap_matrix_consumer consumer;
    } consumer;
    judging_options judging;
    bool json;
} plan_options;

/* ---- Options ---------------------------------------------------------------------------------------------------- */

static bool take_type(void *at, const char *value) {
    int type = tmap_type_find(value);
    if (type < 0) return complain(EXIT_USAGE, "unknown type '%s' (tmap list types)", value) == EXIT_CLEAN;
    *(tmap_type *)at = (tmap_type)type;
    return true;
}

/* "8192,4096", signed. */
static bool take_list(void *at, const char *value) {
    number_list *list = at;
    list->n = 0;
    for (const char *item = value;; item++) {
        char digits[32];
        uint64_t magnitude;
        size_t size = strcspn(item, ",");
        bool negative = item[0] == '-';
        snprintf(digits, sizeof digits, "%.*s", (int)(size < sizeof digits ? size : sizeof digits - 1) - negative,
                 item + negative);
        if (!parse_number(digits, &magnitude) || magnitude > INT64_MAX || list->n == TMAP_ITERS_MAX)
            return complain(EXIT_USAGE, "'%s' is no list of whole numbers, outermost dimension first", value) ==
                   EXIT_CLEAN;
        list->at[list->n++] = negative ? -(int64_t)magnitude : (int64_t)magnitude;
        item += size;
        if (*item == '\0') return true;
    }
}

static bool take_op(void *at, const char *value) {
    int op = tmap_op_find(value);
    if (op != TMAP_OP_LOAD && op != TMAP_OP_STORE)
        return complain(EXIT_USAGE, "--op takes load or store, not '%s'", value) == EXIT_CLEAN;
    *(tmap_op *)at = (tmap_op)op;
    return true;
}

static bool take_consumer(void *at, const char *value) {
    struct consumer_choice *choice = at;
    bool wgmma = strcmp(value, "wgmma") == 0;
    if (!wgmma && strcmp(value, "tcgen05") != 0)
        return complain(EXIT_USAGE, "--for takes wgmma or tcgen05, not '%s'", value) == EXIT_CLEAN;
    *choice = (struct consumer_choice){true, wgmma ? TMAP_WGMMA : TMAP_TCGEN05};
    return true;
}

static const option_row options[] = {
    {"--type", "TYPE", "element type (f16)", offsetof(plan_options, type), take_type},
    {"--shape", "N,...", "sizes of the tensor, outermost first", offsetof(plan_options, shape), take_list},
    {"--strides", "N,...", "its strides in elements, a dimension (dense)", offsetof(plan_options, strides), take_list},
    {"--tile", "N,...", "sizes of the part to copy (all of it)", offsetof(plan_options, tile), take_list},
    {"--at", "N,...", "its first coordinates (0)", offsetof(plan_options, begin), take_list},
    {"--layout", "EXPR", "where the tile is wanted, in elements, or: columns, rows", offsetof(plan_options, layout),
     NULL},
    {"--shared", "ADDRESS", "shared address of the layout's 0 (0)", offsetof(plan_options, shared), take_number},
    {"--address", "ADDRESS", "address of the tensor", offsetof(plan_options, address), take_number},
    {"--op", "OP", "load (the default) or store", offsetof(plan_options, op), take_op},
    {"--for", "MMA", "also the matrix descriptor: wgmma or tcgen05", offsetof(plan_options, consumer), take_consumer},
    {"--json", NULL, "print it as JSON", offsetof(plan_options, json), NULL},
    RULE_OPTIONS(plan_options, judging),
    {0},
};

/* ---- The request ------------------------------------------------------------------------------------------------ */

static tmap_shape shape_of(const number_list *list, const tmap_shape *otherwise) {
    if (list->n == 0) return *otherwise;
    tmap_shape shape = {.rank = list->n};
    memcpy(shape.at, list->at, sizeof shape.at);
    return shape;
}

static int complain_layout(const char *text, const tmap_layout_error *error) {
    if (error->length > 0)
        return complain(EXIT_FINDINGS, "--layout, byte %zu (%.*s): %s%s%s", error->at + 1, (int)error->length,
                        text + error->at, error->message, error->fix[0] ? "; fix: " : "", error->fix);
    return complain(EXIT_FINDINGS, "--layout: %s%s%s", error->message, error->fix[0] ? "; fix: " : "", error->fix);
}

static int take_layout(const plan_options *o, tmap_plan_request *request) {
    tmap_layout_error error = {.length = 0};
    const char *text = o->layout != NULL ? o->layout : "columns";
    tmap_status status;
    if (strcmp(text, "columns") == 0)
        status = tmap_layout_for_columns(tmap_type_get((int)o->type), &request->tile, &request->shared, &error);
    else if (strcmp(text, "rows") == 0)
        status = tmap_layout_row_major(request->tile.at, request->tile.rank, &request->shared, &error);
    else
        status = tmap_layout_parse(text, strlen(text), &request->shared, &error);
    if (status == TMAP_REFUSED) return complain_layout(text, &error);
    return status == TMAP_OK ? EXIT_CLEAN : complain_status(status, "--layout");
}

static int dense(tmap_plan_request *request) {
    int64_t stride = 1;
    for (int d = request->shape.rank - 1; d >= 0; d--) {
        request->strides_el[d] = stride;
        if (request->shape.at[d] > 0 && stride > INT64_MAX / request->shape.at[d])
            return complain(EXIT_FINDINGS, "--shape has more elements than 64 bits count");
        if (request->shape.at[d] > 0) stride *= request->shape.at[d];
    }
    return EXIT_CLEAN;
}

static int make_request(const plan_options *o, tmap_plan_request *request) {
    tmap_shape zeros = {.rank = o->shape.n};
    if (o->shape.n == 0) return complain(EXIT_USAGE, "plan wants --shape; see tmap help plan");
    *request = (tmap_plan_request){.type = o->type, .op = o->op, .archs = o->judging.judge.archs};
    request->shape = shape_of(&o->shape, &zeros);
    request->tile = shape_of(&o->tile, &request->shape);
    request->begin = shape_of(&o->begin, &zeros);
    request->shared_address = o->shared.value;
    request->has_address = o->address.given;
    request->address = o->address.value;
    if (o->tile.n > 0 && o->tile.n != o->shape.n)
        return complain(EXIT_USAGE, "--tile has %d numbers, --shape %d", o->tile.n, o->shape.n);
    if (o->strides.n > 0 && o->strides.n != o->shape.n)
        return complain(EXIT_USAGE, "--strides has %d numbers, --shape %d", o->strides.n, o->shape.n);
    memcpy(request->strides_el, o->strides.at, sizeof request->strides_el);
    int code = o->strides.n > 0 ? EXIT_CLEAN : dense(request);
    return code == EXIT_CLEAN ? take_layout(o, request) : code;
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

static void put_layout(tmap_sink *sink, const tmap_layout *layout) {
    tmap_layout_print(sink, layout);
}

static void layout_json(tmap_json *json, const char *key, const tmap_layout *layout) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    put_layout(&sink, layout);
    json_field_string(json, key, text.data);
    tmap_text_free(&text);
}

static int refuse(const tmap_plan_refusal *refusal, bool as_json) {
    tmap_sink out = sink_to(stdout), messages = sink_to(stderr);
    if (as_json) {
        tmap_json json = json_result_begin(&out);
        json_field_bool(&json, "planned", false);
        json_field_string(&json, "rule", refusal->rule);
        json_field_string(&json, "message", refusal->message);
        json_field_string(&json, "fix", refusal->fix);
        if (refusal->has_nearest) layout_json(&json, "nearest", &refusal->nearest);
        json_result_end(&json);
        return EXIT_FINDINGS;
    }
    tmap_printf(&messages, "tmap: no plan: %s [%s]\n", refusal->message, refusal->rule);
    if (refusal->fix[0] != '\0') tmap_printf(&messages, "   fix: %s\n", refusal->fix);
    if (refusal->has_nearest) {
        tmap_puts(&messages, "   a tensor map can fill: ");
        put_layout(&messages, &refusal->nearest);
        tmap_puts(&messages, "\n");
    }
    return EXIT_FINDINGS;
}

/* ---- Plans ------------------------------------------------------------------------------------------------------ */

typedef struct planned {
    tmap_plan_request request;
    tmap_plan plan;
    tmap_status described; /* TMAP_OK: there is a matrix descriptor; TMAP_UNAVAILABLE: none was asked for */
    tmap_matrix_descriptor matrix;
    tmap_layout_error why_none;
} planned;

/* Of the last two dimensions; a tile of stages has the descriptor of its first. */
static void describe(planned *p, const plan_options *o) {
    p->described = TMAP_UNAVAILABLE;
    if (!o->consumer.given) return;
    const tmap_shape *tile = &p->request.tile;
    tmap_layout first = p->request.shared;
    tmap_shape begin = {.rank = tile->rank}, end = *tile, operand = {.rank = 2};
    bool found = tile->rank >= 2;
    for (int d = 0; d + 2 < tile->rank; d++) end.at[d] = 1;
    if (tile->rank > 2 && tmap_layout_slice(&first, tile, &begin, &end, &first, &found, &p->why_none) != TMAP_OK)
        found = false;
    if (!found) {
        p->described = tmap_layout_refuse(&p->why_none, 0, "the tile has no first stage of two dimensions");
        return;
    }
    operand.at[0] = tile->at[tile->rank - 2], operand.at[1] = tile->at[tile->rank - 1];
    p->described = tmap_matrix_describe(o->consumer.consumer, &first, &operand, tmap_type_get((int)o->type),
                                        p->request.shared_address, &p->matrix, &p->why_none);
}

static void print_loops(tmap_sink *sink, const tmap_plan *plan) {
    for (int i = 0; i < plan->loops_n; i++) {
        const tmap_plan_loop *loop = &plan->loops[i];
        tmap_printf(sink, "# loop %d: %" PRId64 " times, shared + %" PRId64 " B, at +", i, loop->extent,
                    loop->shared_step_B);
        for (uint64_t d = 0; d < plan->map.rank; d++)
            tmap_printf(sink, "%s%" PRId64, d ? ", " : " [", loop->at_step[d]);
        tmap_puts(sink, "]\n");
    }
}

static void print_matrix(tmap_sink *sink, const planned *p, const plan_options *o) {
    const char *name = o->consumer.consumer == TMAP_WGMMA ? "wgmma" : "tcgen05";
    const tmap_matrix_descriptor *d = &p->matrix;
    if (p->described == TMAP_REFUSED) tmap_printf(sink, "# %s: no descriptor: %s\n", name, p->why_none.message);
    if (p->described != TMAP_OK) return;
    tmap_printf(sink,
                "# %s: %s-major, descriptor 0x%016" PRIx64 ": start 0x%" PRIx64 ", stride %" PRIu64 " B, leading ",
                name, d->mn_major ? "MN" : "K", d->bits, d->start_address, d->stride_B);
    if (d->leading_is_used)
        tmap_printf(sink, "%" PRIu64 " B", d->leading_B);
    else
        tmap_puts(sink, "not used");
    tmap_printf(sink, ", base offset %u, swizzle %s\n", d->base_offset, tmap_swizzle_get((int)d->swizzle)->name);
}

static void print_copies(tmap_sink *sink, const tmap_plan *plan) {
    tmap_copy_params copies[COPIES_LISTED_MAX];
    char names[COPIES_LISTED_MAX][24];
    const char *listed[COPIES_LISTED_MAX];
    size_t n = plan->copies_n > COPIES_LISTED_MAX ? COPIES_LISTED_MAX : (size_t)plan->copies_n;
    for (size_t i = 0; i < n; i++) {
        copies[i] = tmap_plan_copy(plan, i);
        snprintf(names[i], sizeof names[i], "copy_%zu", i);
        listed[i] = names[i];
    }
    tmap_spec_write_copies(sink, "planned", copies, listed, n);
    if (n < plan->copies_n) tmap_printf(sink, "  # and %" PRIu64 " more: the loops above\n", plan->copies_n - n);
}

static void print_text(const planned *p, const plan_options *o) {
    tmap_sink sink = sink_to(stdout);
    const tmap_plan *plan = &p->plan;
    tmap_puts(&sink, "# ");
    put_layout(&sink, &p->request.shared);
    tmap_printf(&sink,
                "\n# %" PRIu64 " cop%s of %" PRIu64
                " transaction bytes each; proved: every byte of the tile lies where "
                "the layout wants it\n",
                plan->copies_n, plan->copies_n == 1 ? "y" : "ies", plan->tx_B);
    print_loops(&sink, plan);
    print_matrix(&sink, p, o);
    tmap_spec_write(&sink, "planned", &plan->map);
    print_copies(&sink, plan);
}

static void loops_json(tmap_json *json, const tmap_plan *plan) {
    tmap_json_key(json, "loops");
    tmap_json_array(json, false);
    for (int i = 0; i < plan->loops_n; i++) {
        const tmap_plan_loop *loop = &plan->loops[i];
        tmap_json_object(json, true);
        json_field_uint(json, "extent", (uint64_t)loop->extent);
        json_field_uint(json, "shared_step_bytes", (uint64_t)loop->shared_step_B);
        tmap_json_key(json, "at_step");
        tmap_json_array(json, true);
        for (uint64_t d = 0; d < plan->map.rank; d++) tmap_json_int(json, loop->at_step[d]);
        tmap_json_close(json, ']');
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
}

static void matrix_json(tmap_json *json, const planned *p) {
    if (p->described == TMAP_UNAVAILABLE) return;
    tmap_json_key(json, "matrix_descriptor");
    tmap_json_object(json, true);
    json_field_bool(json, "exists", p->described == TMAP_OK);
    if (p->described == TMAP_OK) {
        char bits[24];
        snprintf(bits, sizeof bits, "0x%016" PRIx64, p->matrix.bits);
        json_field_string(json, "bits", bits);
        json_field_string(json, "major", p->matrix.mn_major ? "mn" : "k");
        json_field_uint(json, "start_address", p->matrix.start_address);
        json_field_uint(json, "leading_bytes", p->matrix.leading_B);
        json_field_bool(json, "leading_is_used", p->matrix.leading_is_used);
        json_field_uint(json, "stride_bytes", p->matrix.stride_B);
        json_field_uint(json, "base_offset", p->matrix.base_offset);
        json_field_string(json, "swizzle", tmap_swizzle_get((int)p->matrix.swizzle)->name);
    } else {
        json_field_string(json, "reason", p->why_none.message);
    }
    tmap_json_close(json, '}');
}

static void print_json(const planned *p) {
    tmap_sink sink = sink_to(stdout);
    const tmap_map_params *map = &p->plan.map;
    tmap_json json = json_result_begin(&sink);
    json_field_bool(&json, "planned", true);
    layout_json(&json, "layout", &p->request.shared);
    json_field_uint(&json, "copies", p->plan.copies_n);
    json_field_uint(&json, "tx_bytes", p->plan.tx_B);
    json_field_string(&json, "type", tmap_type_get((int)map->type)->name);
    json_field_string(&json, "swizzle", tmap_swizzle_get((int)map->swizzle)->name);
    json_field_uints(&json, "dims", map->dims_el, (size_t)map->rank);
    json_field_uints(&json, "strides", map->strides_B, (size_t)map->rank - 1);
    json_field_uints(&json, "box", map->box_el, (size_t)map->rank);
    tmap_json_key(&json, "at");
    tmap_json_array(&json, true);
    for (uint64_t d = 0; d < map->rank; d++) tmap_json_int(&json, p->plan.first.at[d]);
    tmap_json_close(&json, ']');
    json_field_uint(&json, "shared", p->plan.first.shared);
    loops_json(&json, &p->plan);
    matrix_json(&json, p);
    json_result_end(&json);
}

static int run(int argc, char **argv) {
    plan_options o = {.type = TMAP_TYPE_F16, .op = TMAP_OP_LOAD};
    operand_list operands;
    planned p;
    tmap_plan_refusal refusal;
    int code;
    if (!options_parse(&plan_command, &o, argc, argv, &operands, &code)) return code;
    code = make_request(&o, &p.request);
    if (code != EXIT_CLEAN) return code;
    tmap_status status = tmap_plan_make(&p.request, &p.plan, &refusal);
    if (status == TMAP_OK) status = tmap_plan_prove(&p.plan, &p.request, NULL, &refusal);
    if (status == TMAP_NO_MEMORY) return complain_status(status, "plan");
    if (status != TMAP_OK) return refuse(&refusal, o.json);
    describe(&p, &o);
    if (o.json)
        print_json(&p);
    else
        print_text(&p, &o);
    return EXIT_CLEAN;
}

const command_row plan_command = {
    .name = "plan",
    .summary = "from a wanted layout in shared memory to the map and the copies that fill it",
    .synopsis = "",
    .about =
        "Looks for the tensor map and the fewest copies that bring a tile to shared memory in a wanted layout, proves\n"
        "them by emulation, and prints them as a spec. Lists are outermost first, as layouts have them. --layout is "
        "an\n"
        "expression (tmap help layout), or columns: the one for readers of columns (ldmatrix, wgmma, tcgen05), which "
        "is\n"
        "the default, or rows: dense.",
    .options = options,
    .operands_min = 0,
    .operands_max = 0,
    .run = run,
};
