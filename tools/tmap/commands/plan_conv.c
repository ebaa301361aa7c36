/* tmap plan --filter: the im2col map of a convolution, and the copies of its tiles. */
#include "tmap/unstable/plan_conv.h"

#include <inttypes.h>
#include <string.h>

#include "commands/plan_fix.h"
#include "options/command.h"
#include "output/messages.h"
#include "tmap/unstable/spec.h"

/* All taps of 3 x 3 x 3. More copies are described as loops. */
#define COPIES_LISTED_MAX 32
#define PIXELS_DEFAULT    128
#define FILTERS_DEFAULT   128

typedef struct planned_conv {
    tmap_conv_request request;
    tmap_conv_plan plan;
    tmap_conv_proof proof;
    described_matrix matrix;
    uint64_t first_pixel;
} planned_conv;

/* ---- The request ------------------------------------------------------------------------------------------------ */

/* `list` is one number for all dimensions, one number for each dimension, or empty; `after` may be NULL. */
static int spread(const char *option, const number_options *list, int spatial_n, int64_t *at, int64_t *after) {
    if (list->n == 0) return EXIT_CLEAN;
    if (list->n != 1 && list->n != spatial_n)
        return complain(EXIT_USAGE,
                        "%s has %d numbers; it requires one, or %d, one for each spatial dimension of --shape", option,
                        list->n, spatial_n);
    for (int i = 0; i < spatial_n; i++) {
        at[i] = list->at[list->n == 1 ? 0 : i];
        if (after) after[i] = list->after[list->n == 1 ? 0 : i];
    }
    return EXIT_CLEAN;
}

static int take_filter(const plan_options *o, tmap_conv *conv) {
    int spatial_n = conv->spatial_n;
    bool with_channels = o->filter.n == spatial_n + 2;
    if (o->filter.n != spatial_n + 1 && !with_channels)
        return complain(EXIT_USAGE,
                        "--filter has %d numbers; for a --shape of %d numbers it requires %d: filters, taps for each "
                        "spatial dimension",
                        o->filter.n, o->shape.n, spatial_n + 1);
    if (with_channels && o->filter.at[spatial_n + 1] != conv->channels)
        return complain(EXIT_USAGE, "--filter has %" PRId64 " channels, but --shape has %" PRId64,
                        o->filter.at[spatial_n + 1], conv->channels);
    conv->filters = o->filter.at[0];
    memcpy(conv->filter, o->filter.at + 1, (size_t)spatial_n * sizeof conv->filter[0]);
    return EXIT_CLEAN;
}

static int take_conv(const plan_options *o, tmap_conv *conv) {
    if (o->shape.n < 3 || o->shape.n > TMAP_RANK_MAX)
        return complain(EXIT_USAGE, "a convolution requires --shape N,W,C, N,H,W,C or N,D,H,W,C");
    int spatial_n = o->shape.n - 2;
    *conv = tmap_conv_plain(spatial_n);
    conv->op = (tmap_conv_op)o->conv_op;
    conv->batch = o->shape.at[0];
    conv->channels = o->shape.at[o->shape.n - 1];
    memcpy(conv->size, o->shape.at + 1, (size_t)spatial_n * sizeof conv->size[0]);
    int code = take_filter(o, conv);
    if (code == EXIT_CLEAN) code = spread("--padding", &o->padding, spatial_n, conv->pad_lower, conv->pad_upper);
    if (code == EXIT_CLEAN) code = spread("--filter-stride", &o->filter_stride, spatial_n, conv->stride, NULL);
    if (code == EXIT_CLEAN) code = spread("--dilation", &o->dilation, spatial_n, conv->dilation, NULL);
    return code;
}

/* Pixels, and as many channels as the widest swizzle spans. */
static int take_tile(const plan_options *o, tmap_conv_request *request) {
    const tmap_type_info *type = tmap_type_get((int)o->type);
    int64_t read = request->conv.op == TMAP_CONV_DGRAD ? request->conv.filters : request->conv.channels;
    int64_t span = type->bits >= 8 ? TMAP_LINE_B * 8 / type->bits : TMAP_LINE_B;
    request->tile = (tmap_shape){.rank = 2, .at = {PIXELS_DEFAULT, read > 0 && read < span ? read : span}};
    if (o->tile.n == 2) memcpy(request->tile.at, o->tile.at, 2 * sizeof request->tile.at[0]);
    if (o->tile.n != 0 && o->tile.n != 2)
        return complain(EXIT_USAGE, "--tile of a convolution has two numbers, pixels and channels, not %d", o->tile.n);
    if (o->begin.n > 1 || (o->begin.n == 1 && o->begin.at[0] < 0))
        return complain(EXIT_USAGE, "--at of a convolution is one number, the first pixel of the result");
    return EXIT_CLEAN;
}

static int make_request(const plan_options *o, tmap_conv_request *request) {
    *request = (tmap_conv_request){.type = o->type, .archs = o->judging.judge.archs};
    if (o->op != TMAP_OP_LOAD)
        return complain(EXIT_USAGE, "a convolution loads its operand; its result is a matrix of pixels and filters, "
                                    "planned without --filter");
    if (o->stages.dim >= 0 && o->stages.given)
        return complain(EXIT_USAGE,
                        "the stages of a convolution are blocks of channels and taps: use --stages %" PRIu64
                        " without :DIM",
                        o->stages.n);
    if (o->strides.n > 0 && o->strides.n != o->shape.n)
        return complain(EXIT_USAGE, "--strides has %d numbers, --shape %d", o->strides.n, o->shape.n);
    request->has_strides = o->strides.n > 0;
    memcpy(request->strides_el, o->strides.at, sizeof request->strides_el);
    request->shared_address = o->shared.value;
    request->has_address = o->address.given;
    request->address = o->address.value;
    request->stages = o->stages.n;
    int code = take_conv(o, &request->conv);
    if (code == EXIT_CLEAN) code = take_tile(o, request);
    return code == EXIT_CLEAN ? wanted_layout(o, &request->tile, &request->shared) : code;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static void print_sizes(tmap_sink *sink, const int64_t *sizes, int n, const char *between) {
    for (int i = 0; i < n; i++) tmap_printf(sink, "%s%" PRId64, i ? between : "", sizes[i]);
}

static void result_of(const tmap_conv *conv, int64_t sizes[TMAP_RANK_MAX]) {
    sizes[0] = conv->batch;
    for (int i = 0; i < conv->spatial_n; i++) sizes[1 + i] = tmap_conv_output(conv, i);
    sizes[conv->spatial_n + 1] = conv->filters;
}

static void write_proof(result_sink *out, const tmap_conv_proof *proof) {
    json_field_uint(&out->json, "proved_steps", proof->proved_n);
    json_field_uint(&out->json, "all_steps", proof->tiles_n);
    if (proof->proved_n == proof->tiles_n)
        tmap_printf(&out->text, "# proved: every element of %s%" PRIu64 " step%s is that of the convolution\n",
                    proof->tiles_n == 1 ? "its " : "all ", proof->tiles_n, proof->tiles_n == 1 ? "" : "s");
    else
        tmap_printf(&out->text,
                    "# proved: every element of %" PRIu64 " of %" PRIu64 " steps, including those at the borders, is "
                    "that of the convolution\n",
                    proof->proved_n, proof->tiles_n);
}

static void write_product(result_sink *out, const planned_conv *p) {
    const tmap_conv_plan *plan = &p->plan;
    tmap_json *json = &out->json;
    int64_t result[TMAP_RANK_MAX];
    result_of(&plan->conv, result);
    tmap_printf(&out->text, "# %s, result ", tmap_conv_op_name((int)plan->conv.op));
    print_sizes(&out->text, result, plan->conv.spatial_n + 2, " x ");
    tmap_printf(&out->text, "; operand of %" PRIu64 " pixels by %" PRIu64 " tap%s of %" PRIu64 " channels\n",
                plan->pixels_n, plan->taps_n, plan->taps_n == 1 ? "" : "s", plan->channels_n);
    tmap_printf(&out->text,
                "# %" PRIu64 " tile%s of %" PRId64 " pixels, %sin %" PRIu64 " step%s of %" PRId64 " channels: %" PRIu64
                " cop%s of %" PRIu64 " transaction bytes per step, %" PRIu64 " stage%s of %" PRIu64 " B\n",
                plan->pixel_tiles_n, plan->pixel_tiles_n == 1 ? "" : "s", plan->tile.at[0],
                plan->pixel_tiles_n == 1 ? "" : "each ", plan->steps_n, plan->steps_n == 1 ? "" : "s", plan->tile.at[1],
                plan->copies_n, plan->copies_n == 1 ? "y" : "ies", plan->tx_B, plan->stages,
                plan->stages == 1 ? "" : "s", plan->stage_B);
    json_object(json, "convolution", false);
    json_field_string(json, "op", tmap_conv_op_name((int)plan->conv.op));
    json_field_ints(json, "result", result, (size_t)plan->conv.spatial_n + 2);
    JSON_FIELDS(json, {"pixels", plan->pixels_n}, {"taps", plan->taps_n}, {"channels", plan->channels_n});
    json_field_ints(json, "tile", plan->tile.at, 2);
    JSON_FIELDS(json, {"pixel_tiles", plan->pixel_tiles_n}, {"channel_tiles", plan->channel_tiles_n},
                {"steps", plan->steps_n}, {"stages", plan->stages}, {"stage_bytes", plan->stage_B});
    write_proof(out, &p->proof);
    tmap_json_close(json, '}');
}

static void write_loops(result_sink *out, const tmap_conv_plan *plan) {
    tmap_json *json = &out->json;
    json_list(json, "loops", false);
    for (int i = 0; i < plan->loops_n; i++) {
        const tmap_conv_loop *loop = &plan->loops[i];
        bool pixels = loop->pixels_step > 0;
        tmap_json_object(json, true);
        json_field_uint(json, "extent", (uint64_t)loop->extent);
        json_field_uint(json, "pixels_step", (uint64_t)loop->pixels_step);
        json_field_uint(json, "channels_step", (uint64_t)loop->channels_step);
        json_field_uint(json, "shared_step_bytes", (uint64_t)loop->shared_step_B);
        tmap_json_close(json, '}');
        tmap_printf(&out->text, "# loop %d of a step: %" PRId64 " times, shared + %" PRId64 " B, %s + %" PRId64 "\n", i,
                    loop->extent, loop->shared_step_B, pixels ? "pixel" : "channel",
                    pixels ? loop->pixels_step : loop->channels_step);
    }
    tmap_json_close(json, ']');
}

/* A single tap without an offset makes a matrix of the images. */
static void print_plain(tmap_sink *sink, const planned_conv *p) {
    const tmap_conv *conv = &p->plan.conv;
    bool plain = !p->request.has_strides;
    for (int i = 0; i < conv->spatial_n; i++)
        plain =
            plain && conv->filter[i] == 1 && conv->stride[i] == 1 && conv->pad_lower[i] == 0 && conv->pad_upper[i] == 0;
    if (plain)
        tmap_printf(sink,
                    "# a tiled map loads the same: tmap plan --type %s --shape %" PRIu64 ",%" PRIu64 " --tile %" PRId64
                    ",%" PRId64 "\n",
                    tmap_type_get((int)p->plan.map.type)->name, p->plan.pixels_n, p->plan.channels_n,
                    p->plan.tile.at[0], p->plan.tile.at[1]);
}

/* The other operand of the product is a matrix: filters (k, taps, c) or, for wgrad, the gradient of the result. */
static void print_other(tmap_sink *sink, const planned_conv *p) {
    const tmap_conv_plan *plan = &p->plan;
    const tmap_conv *conv = &plan->conv;
    const char *type = tmap_type_get((int)plan->map.type)->name;
    int64_t filters = conv->filters < FILTERS_DEFAULT ? conv->filters : FILTERS_DEFAULT;
    int64_t channels = conv->channels < FILTERS_DEFAULT ? conv->channels : FILTERS_DEFAULT;
    if (conv->op == TMAP_CONV_WGRAD) {
        tmap_printf(sink,
                    "# gradient of the result: tmap plan --type %s --shape %" PRIu64 ",%" PRId64 " --tile %" PRId64
                    ",%" PRId64 "\n",
                    type, plan->pixels_n, conv->filters, plan->tile.at[0], filters);
        return;
    }
    tmap_printf(sink,
                "# filters (k, taps, c): tmap plan --type %s --shape %" PRIu64 ",%" PRId64 ",%" PRId64
                " --strides %" PRId64 ",%" PRIu64 ",1 --tile 1,%" PRId64 ",%" PRId64 "\n",
                type, plan->taps_n, conv->filters, conv->channels, conv->channels,
                plan->taps_n * (uint64_t)conv->channels, conv->op == TMAP_CONV_FPROP ? filters : plan->tile.at[1],
                conv->op == TMAP_CONV_FPROP ? plan->tile.at[1] : channels);
}

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

/* The copies of one tile of pixels, step by step. */
static tmap_conv_tile step_of(const planned_conv *p, uint64_t step) {
    tmap_conv_tile tile = tmap_conv_plan_tile(&p->plan, 0, step);
    tile.pixel = p->first_pixel;
    return tile;
}

static uint64_t copies_of_tile(const tmap_conv_plan *plan) {
    return plan->copies_n > UINT64_MAX / plan->steps_n ? UINT64_MAX : plan->copies_n * plan->steps_n;
}

/* Writes "tap_0_2", with the channel and the number of the copy if there are several. */
static void name_copy(const tmap_conv_plan *plan, const tmap_conv_tile *tile, uint64_t i, char *name, size_t size) {
    snprintf(name, size, "tap");
    for (int d = 0; d < plan->conv.spatial_n; d++) tmap_append(name, size, "_%" PRId64, tile->tap[d]);
    if (plan->channel_tiles_n > 1) tmap_append(name, size, "_c%" PRIu64, tile->channel);
    if (plan->copies_n > 1) tmap_append(name, size, "_%" PRIu64, i);
}

static void write_copies(result_sink *out, const planned_conv *p) {
    const tmap_conv_plan *plan = &p->plan;
    tmap_json *json = &out->json;
    tmap_copy_params copies[COPIES_LISTED_MAX];
    char names[COPIES_LISTED_MAX][128];
    const char *pointers[COPIES_LISTED_MAX];
    uint64_t all = copies_of_tile(plan), n = all < COPIES_LISTED_MAX ? all : COPIES_LISTED_MAX;
    json_list(json, "tile_copies", false);
    for (uint64_t i = 0; i < n; i++) {
        tmap_conv_tile tile = step_of(p, i / plan->copies_n);
        copies[i] = tmap_conv_plan_copy(plan, &tile, i % plan->copies_n);
        name_copy(plan, &tile, i % plan->copies_n, names[i], sizeof names[i]);
        pointers[i] = names[i];
        tmap_json_object(json, true);
        json_field_ints(json, "tap", tile.tap, (size_t)plan->conv.spatial_n);
        json_field_uint(json, "stage", tile.stage);
        json_field_ints(json, "at", copies[i].at, (size_t)plan->map.rank);
        json_field_ints(json, "offsets", copies[i].offsets, (size_t)plan->map.rank - 2);
        json_field_uint(json, "shared", copies[i].shared);
        tmap_json_close(json, '}');
    }
    tmap_json_close(json, ']');
    tmap_spec_write_copies(&out->text, PLANNED_NAME, copies, pointers, (size_t)n);
    if (n < all) tmap_printf(&out->text, "  # and %" PRIu64 " more of this tile of pixels\n", all - n);
}

/* The text is a spec with comments. */
static void write_plan(result_sink *out, const planned_conv *p, const plan_options *o) {
    json_field_bool(&out->json, "planned", true);
    tmap_puts(&out->text, "# ");
    layout_write(out, "layout", &p->request.shared);
    tmap_puts(&out->text, "\n");
    write_product(out, p);
    json_field_uint(&out->json, "copies", p->plan.copies_n);
    json_field_uint(&out->json, "tx_bytes", p->plan.tx_B);
    write_loops(out, &p->plan);
    matrix_write(out, o, &p->matrix);
    print_plain(&out->text, p);
    print_other(&out->text, p);
    map_write(out, PLANNED_NAME, &p->plan.map);
    write_copies(out, p);
}

int plan_convolution(const plan_options *o) {
    planned_conv p;
    tmap_diag refusal;
    tmap_layout nearest;
    int code = make_request(o, &p.request);
    if (code != EXIT_CLEAN) return code;
    tmap_status status = tmap_conv_plan_make(&p.request, &p.plan, &refusal);
    if (status == TMAP_OK) status = tmap_conv_plan_prove(&p.plan, &p.request, NULL, &p.proof, &refusal);
    if (status == TMAP_NO_MEMORY) return complain_status(status, "plan");
    if (status != TMAP_OK) {
        bool found = status == TMAP_REFUSED && tmap_conv_plan_nearest(&p.request, &nearest);
        plan_fix_names(o, &refusal);
        return refuse_plan(&refusal, found ? &nearest : NULL, o->json);
    }
    p.first_pixel = o->begin.n > 0 ? (uint64_t)o->begin.at[0] : 0;
    if (p.first_pixel >= p.plan.pixels_n)
        return complain(EXIT_USAGE, "--at is %" PRIu64 "; the result has %" PRIu64 " pixels", p.first_pixel,
                        p.plan.pixels_n);
    describe_matrix(o, &p.request.shared, &p.request.tile, p.request.shared_address,
                    p.plan.conv.op == TMAP_CONV_WGRAD || o->consumer.mn_major, &p.matrix);
    result_sink out;
    result_begin(&out, stdout, o->json);
    write_plan(&out, &p, o);
    result_end(&out);
    return code_of_matrix(&p.matrix);
}
