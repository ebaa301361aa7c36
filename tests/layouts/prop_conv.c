/*
 * Random convolutions: the test runs each plan over a small tensor of random bytes and compares each loaded tile with a
 * matrix. The test unfolds this matrix by another method than the library: for the forward convolution from a copy of
 * the image with written-out padding; for the gradient by scattering each pixel of the result. The library's proof must
 * give the same answer. A request with any numbers, including the limits and their neighbours, must be planned and
 * proved, or refused with a reason. A failing convolution is shrunk while it still fails, and printed.
 *
 *   prop_conv [cases [seed]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prop/prop.h"
#include "tmap/unstable/plan_conv.h"

typedef struct conv_case {
    tmap_conv conv;
    tmap_type type;
    int64_t pixels, channels; /* of a tile */
    tmap_swizzle swizzle;
    int64_t gap[TMAP_SPATIAL_MAX + 1]; /* gaps after a pixel, a row, a plane, an image, in units of 16 bytes */
    uint64_t stages;
} conv_case;

static int64_t between(tmap_random *random, int64_t low, int64_t high) {
    return low + (int64_t)tmap_random_between(random, 0, (uint64_t)(high - low));
}

static int64_t element_B(const conv_case *c) {
    return tmap_type_get((int)c->type)->unit_shared_B;
}

static conv_case random_case(tmap_random *random) {
    static const tmap_type types[] = {TMAP_TYPE_U8, TMAP_TYPE_U16, TMAP_TYPE_BF16, TMAP_TYPE_U32, TMAP_TYPE_F64};
    static const tmap_swizzle modes[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B, TMAP_SWIZZLE_128B};
    conv_case c = {.conv = tmap_conv_plain((int)between(random, 1, 3)), .type = types[between(random, 0, 4)]};
    int64_t step = 16 / element_B(&c), wide = between(random, 0, 9) == 0 ? 40 : 5;
    c.conv.op = (tmap_conv_op)between(random, 0, 2);
    c.conv.batch = between(random, 1, 3);
    c.conv.channels = step * between(random, 1, 4), c.conv.filters = step * between(random, 1, 4);
    for (int i = 0; i < c.conv.spatial_n; i++) {
        c.conv.size[i] = between(random, 1, c.conv.spatial_n == 1 ? 40 : c.conv.spatial_n == 2 ? 9 : 5);
        c.conv.filter[i] = between(random, 1, c.conv.spatial_n == 1 ? 6 : 3);
        c.conv.pad_lower[i] = between(random, -1, 4), c.conv.pad_upper[i] = between(random, -1, 4);
        if (c.conv.op != TMAP_CONV_DGRAD) c.conv.stride[i] = between(random, 1, 4);
        c.conv.dilation[i] = between(random, 1, 3);
    }
    c.swizzle = modes[between(random, 0, 3)];
    c.pixels = between(random, 0, 7) == 0 ? 8 * between(random, 1, 200) : between(random, 1, 60);
    c.channels = step * between(random, 1, wide);
    for (int i = 0; i <= TMAP_SPATIAL_MAX; i++) c.gap[i] = between(random, 0, 5) == 0 ? between(random, 1, 3) : 0;
    c.stages = (uint64_t)between(random, 1, 3);
    return c;
}

/* ---- The tensor that is read ------------------------------------------------------------------------------------ */

typedef struct tensor {
    int64_t sizes[TMAP_RANK_MAX], strides[TMAP_RANK_MAX]; /* n first; missing spatial dimensions have size 1 */
    int64_t bytes_n;
    uint8_t *bytes;
} tensor;

/* The index of spatial dimension i in (n, d, h, w, c), of which a smaller rank lacks d, or d and h. */
static int slot(const tmap_conv *conv, int i) {
    return 1 + TMAP_SPATIAL_MAX - conv->spatial_n + i;
}

static bool make_tensor(const conv_case *c, tmap_random *random, tensor *t) {
    bool dgrad = c->conv.op == TMAP_CONV_DGRAD;
    int64_t step = 16 / element_B(c), stride = 1;
    *t = (tensor){.sizes = {c->conv.batch, 1, 1, 1, dgrad ? c->conv.filters : c->conv.channels}};
    for (int i = 0; i < c->conv.spatial_n; i++) {
        t->sizes[slot(&c->conv, i)] = dgrad ? tmap_conv_output(&c->conv, i) : c->conv.size[i];
        if (tmap_conv_output(&c->conv, i) == 0) return false;
    }
    for (int d = TMAP_RANK_MAX - 1; d >= 0; d--) {
        t->strides[d] = stride;
        stride *= t->sizes[d];
        if (d > 0) stride += step * c->gap[TMAP_RANK_MAX - 1 - d];
    }
    t->bytes_n = stride * element_B(c);
    t->bytes = malloc((size_t)t->bytes_n + 8);
    for (int64_t i = 0; i < t->bytes_n; i++) t->bytes[i] = (uint8_t)tmap_random_next(random);
    return true;
}

/* ---- The matrix, unfolded in full: pixels x taps x channels ----------------------------------------------------- */

typedef struct matrix {
    int64_t pixels, taps, row_B; /* of the channels of one tap */
    uint8_t *bytes;
} matrix;

/* The coordinates of a position in a grid of these sizes, the last one fastest. */
static void digits(const int64_t sizes[TMAP_SPATIAL_MAX], int64_t number, int64_t at[TMAP_SPATIAL_MAX]) {
    for (int i = TMAP_SPATIAL_MAX - 1; i >= 0; i--) at[i] = number % sizes[i], number /= sizes[i];
}

typedef struct spatial {
    int64_t size[3], out[3], filter[3], lower[3], stride[3], dilation[3], padded[3];
} spatial;

static spatial spatial_of(const tmap_conv *conv) {
    spatial s;
    for (int i = 0; i < 3; i++) {
        s.size[i] = s.out[i] = s.filter[i] = s.stride[i] = s.dilation[i] = s.padded[i] = 1;
        s.lower[i] = 0;
    }
    for (int k = 0; k < conv->spatial_n; k++) {
        int i = slot(conv, k) - 1;
        s.size[i] = conv->size[k], s.filter[i] = conv->filter[k], s.lower[i] = conv->pad_lower[k];
        s.stride[i] = conv->stride[k], s.dilation[i] = conv->dilation[k];
        s.padded[i] = conv->size[k] + conv->pad_lower[k] + conv->pad_upper[k];
        /* Counts by brute force how often the filter's last tap is in the padded image. */
        s.out[i] = 0;
        while (s.out[i] * s.stride[i] + (s.filter[i] - 1) * s.dilation[i] < s.padded[i]) s.out[i]++;
    }
    return s;
}

static int64_t product3(const int64_t v[3]) {
    return v[0] * v[1] * v[2];
}

static const uint8_t *pixel_of(const conv_case *c, const tensor *t, int64_t n, const int64_t at[3]) {
    int64_t offset = n * t->strides[0];
    for (int i = 0; i < 3; i++) offset += at[i] * t->strides[1 + i];
    return t->bytes + offset * element_B(c);
}

static uint8_t *row_of(const matrix *m, int64_t pixel, int64_t tap) {
    return m->bytes + (pixel * m->taps + tap) * m->row_B;
}

/* Writes each image with its padding, so that no coordinate is below 0. */
static void unfold_forward(const conv_case *c, const tensor *t, const spatial *s, const matrix *m) {
    uint8_t *image = malloc((size_t)(product3(s->padded) * m->row_B) + 1);
    for (int64_t n = 0; n < c->conv.batch; n++) {
        memset(image, 0, (size_t)(product3(s->padded) * m->row_B));
        for (int64_t k = 0; k < product3(s->size); k++) {
            int64_t at[3], to = 0;
            bool kept = true;
            digits(s->size, k, at);
            for (int i = 0; i < 3; i++) {
                int64_t moved = at[i] + s->lower[i];
                kept = kept && moved >= 0 && moved < s->padded[i];
                to = to * s->padded[i] + moved;
            }
            if (kept) memcpy(image + to * m->row_B, pixel_of(c, t, n, at), (size_t)m->row_B);
        }
        for (int64_t p = 0; p < product3(s->out); p++)
            for (int64_t tap = 0; tap < m->taps; tap++) {
                int64_t at[3], of[3], from = 0;
                digits(s->out, p, at), digits(s->filter, tap, of);
                for (int i = 0; i < 3; i++) from = from * s->padded[i] + at[i] * s->stride[i] + of[i] * s->dilation[i];
                memcpy(row_of(m, n * product3(s->out) + p, tap), image + from * m->row_B, (size_t)m->row_B);
            }
    }
    free(image);
}

/*
 * Pixel p of the result reads pixel p x stride + r x dilation of the padded image; the gradient scatters p to this
 * pixel.
 */
static void scatter_gradient(const conv_case *c, const tensor *t, const spatial *s, const matrix *m) {
    for (int64_t n = 0; n < c->conv.batch; n++)
        for (int64_t p = 0; p < product3(s->out); p++)
            for (int64_t tap = 0; tap < m->taps; tap++) {
                int64_t at[3], of[3], to = 0;
                bool inside = true;
                digits(s->out, p, at), digits(s->filter, tap, of);
                for (int i = 0; i < 3; i++) {
                    int64_t x = at[i] * s->stride[i] + of[i] * s->dilation[i] - s->lower[i];
                    inside = inside && x >= 0 && x < s->size[i];
                    to = to * s->size[i] + x;
                }
                if (inside) memcpy(row_of(m, n * product3(s->size) + to, tap), pixel_of(c, t, n, at), (size_t)m->row_B);
            }
}

static matrix unfold(const conv_case *c, const tensor *t) {
    bool dgrad = c->conv.op == TMAP_CONV_DGRAD;
    spatial s = spatial_of(&c->conv);
    matrix m = {.pixels = c->conv.batch * product3(dgrad ? s.size : s.out), .taps = product3(s.filter)};
    m.row_B = t->sizes[TMAP_RANK_MAX - 1] * element_B(c);
    m.bytes = calloc((size_t)(m.pixels * m.taps * m.row_B) + 1, 1);
    if (dgrad)
        scatter_gradient(c, t, &s, &m);
    else
        unfold_forward(c, t, &s, &m);
    return m;
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------ */

static bool load_step(const conv_case *c, const tmap_conv_plan *plan, const tmap_conv_tile *tile, const tensor *t,
                      uint8_t *shared, size_t size, prop_failure *failure) {
    tmap_memory global = {.size_B = (uint64_t)t->bytes_n, .bytes = t->bytes};
    tmap_map map;
    (void)c;
    if (tmap_map_init(&map, &plan->map, NULL, NULL) != TMAP_OK)
        return prop_fail_refused(failure, "the map of the plan", &plan->map, NULL);
    for (uint64_t i = 0; i < plan->copies_n; i++) {
        tmap_copy_params params = tmap_conv_plan_copy(plan, tile, i);
        tmap_copy_result result;
        tmap_copy copy;
        if (tmap_copy_init(&copy, &map, &params, NULL, NULL) != TMAP_OK)
            return prop_fail_refused(failure, "a copy of the plan", &plan->map, &params);
        if (params.shared > size ||
            tmap_emulate_load(&copy, &global, shared + params.shared, size - (size_t)params.shared, &result) != TMAP_OK)
            return prop_fail(failure, "a copy reads or writes outside, at shared address %" PRIu64, params.shared);
        if (result.tx_B != plan->tx_B) return prop_fail(failure, "a copy has %" PRIu64 " bytes", result.tx_B);
    }
    return true;
}

static bool check_step(const conv_case *c, const tmap_conv_plan *plan, const tmap_conv_tile *tile, const matrix *m,
                       const int64_t *places, const uint8_t *shared, prop_failure *failure) {
    int64_t size = element_B(c), tap = 0;
    uint8_t zeros[8] = {0};
    for (int i = 0; i < c->conv.spatial_n; i++) tap = tap * c->conv.filter[i] + tile->tap[i];
    for (int64_t e = 0; e < c->pixels * c->channels; e++) {
        int64_t pixel = (int64_t)tile->pixel + e / c->channels, channel = (int64_t)tile->channel + e % c->channels;
        bool inside = pixel < m->pixels && (channel + 1) * size <= m->row_B;
        const uint8_t *wanted = inside ? row_of(m, pixel, tap) + channel * size : zeros;
        if (memcmp(shared + tile->stage * plan->stage_B + (uint64_t)(places[e] * size), wanted, (size_t)size) != 0)
            return prop_fail(failure,
                             "tap %" PRId64 ", pixel %" PRId64 ", channel %" PRId64 " is not the expected one (stage "
                             "%" PRIu64 ")",
                             tap, pixel, channel, tile->stage);
    }
    return true;
}

static bool check_tiles(const conv_case *c, const tmap_conv_request *r, const tmap_conv_plan *plan, const tensor *t,
                        prop_failure *failure) {
    size_t size = (size_t)(plan->stages * plan->stage_B) + 4096;
    uint8_t *shared = malloc(size);
    int64_t *places = malloc((size_t)(c->pixels * c->channels) * sizeof *places);
    tmap_layout_offsets(&r->shared, tmap_axis_get(TMAP_AXIS_ID_M), 0, (size_t)(c->pixels * c->channels), places);
    matrix m = unfold(c, t);
    bool good = plan->pixels_n == (uint64_t)m.pixels && plan->taps_n == (uint64_t)m.taps;
    if (!good) prop_fail(failure, "the product has %" PRIu64 " pixels, not %" PRId64, plan->pixels_n, m.pixels);
    for (uint64_t p = 0; p < plan->pixel_tiles_n && good; p++)
        for (uint64_t step = 0; step < plan->steps_n && good; step++) {
            tmap_conv_tile tile = tmap_conv_plan_tile(plan, p, step);
            memset(shared, 0xa5, size);
            good = load_step(c, plan, &tile, t, shared, size, failure) &&
                   check_step(c, plan, &tile, &m, places, shared, failure);
        }
    free(m.bytes);
    free(places);
    free(shared);
    return good;
}

/* ---- One case --------------------------------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t planned, several, refused;
} tally;

static tmap_conv_request request_of(const conv_case *c, const tensor *t) {
    tmap_conv_request r = {.conv = c->conv, .type = c->type, .stages = c->stages, .has_strides = true};
    r.tile = (tmap_shape){.rank = 2, .at = {c->pixels, c->channels}};
    r.strides_el[0] = t->strides[0];
    for (int i = 0; i < c->conv.spatial_n; i++) r.strides_el[1 + i] = t->strides[slot(&c->conv, i)];
    r.strides_el[c->conv.spatial_n + 1] = 1;
    return r;
}

static bool check_planned(const conv_case *c, const tmap_conv_request *r, const tmap_conv_plan *plan, const tensor *t,
                          prop_failure *failure) {
    tmap_diag why;
    if (!check_tiles(c, r, plan, t, failure)) return false;
    if (tmap_conv_plan_prove(plan, r, NULL, NULL, &why) != TMAP_OK)
        return prop_fail(failure, "the proof refuses: %s", why.message);
    return true;
}

static bool check_case(const conv_case *c, tally *count, prop_failure *failure) {
    tmap_random random = {.state = 7};
    tmap_conv_plan plan;
    tmap_diag why = {.rule = NULL};
    tensor t = {.bytes = NULL};
    bool good = true;
    if (!make_tensor(c, &random, &t)) return true;
    tmap_conv_request r = request_of(c, &t);
    if (tmap_layout_in_blocks(tmap_type_get((int)c->type), &r.tile, c->swizzle, &r.shared, NULL) != TMAP_OK ||
        tmap_conv_plan_make(&r, &plan, &why) != TMAP_OK) {
        count->refused++;
        if (why.rule && (tmap_rule_find(why.rule) < 0 || why.message[0] == '\0'))
            good = prop_fail(failure, "refused without a reason");
    } else {
        count->planned++;
        count->several += plan.copies_n > 1;
        good = check_planned(c, &r, &plan, &t, failure);
    }
    free(t.bytes);
    return good;
}

/* ---- Any numbers ------------------------------------------------------------------------------------------------ */

/* A small number in most cases, otherwise a limit. */
static int64_t any(tmap_random *random) {
    static const int64_t limits[] = {0,         -1,        -2,         -128,       -129,       15,        16,
                                     17,        127,       128,        129,        255,        256,       257,
                                     1023,      1024,      1025,       32767,      32768,      65535,     65536,
                                     INT32_MAX, INT32_MIN, 2147483648, 4294967296, 4294967297, INT64_MAX, INT64_MIN};
    if (between(random, 0, 3) > 0) return between(random, 1, 9);
    return limits[between(random, 0, (int64_t)(sizeof limits / sizeof *limits) - 1)];
}

static int64_t any_or(tmap_random *random, int64_t plain) {
    return between(random, 0, 5) > 0 ? plain : any(random);
}

static tmap_conv_request any_request(tmap_random *random) {
    tmap_conv_request r = {.conv = tmap_conv_plain((int)between(random, 1, 3)), .type = TMAP_TYPE_F16};
    r.conv.op = (tmap_conv_op)between(random, 0, TMAP_CONV_OP_COUNT - 1);
    r.conv.batch = any_or(random, 2);
    r.conv.channels = any_or(random, 64), r.conv.filters = any_or(random, 64);
    for (int i = 0; i < TMAP_SPATIAL_MAX; i++) {
        r.conv.size[i] = any(random), r.conv.filter[i] = any_or(random, 2);
        r.conv.pad_lower[i] = any_or(random, 1), r.conv.pad_upper[i] = any_or(random, 1);
        r.conv.stride[i] = any_or(random, 1), r.conv.dilation[i] = any_or(random, 1);
    }
    r.tile = (tmap_shape){.rank = 2, .at = {any_or(random, 16), any_or(random, 64)}};
    r.has_strides = between(random, 0, 9) == 0;
    for (int i = 0; i < TMAP_RANK_MAX; i++) r.strides_el[i] = i == r.conv.spatial_n + 1 ? 1 : any(random) % 4096 * 8;
    r.stages = (uint64_t)any_or(random, 1), r.shared_address = (uint64_t)any_or(random, 0);
    if (tmap_layout_for_columns(tmap_type_get((int)r.type), &r.tile, &r.shared, NULL) != TMAP_OK &&
        tmap_layout_row_major((int64_t[]){16, 64}, 2, &r.shared, NULL) != TMAP_OK)
        abort();
    return r;
}

static bool check_any(tmap_random *random, uint64_t *planned, prop_failure *failure) {
    tmap_conv_request r = any_request(random);
    tmap_conv_plan plan;
    tmap_diag why;
    tmap_status status = tmap_conv_plan_make(&r, &plan, &why);
    if (status != TMAP_OK)
        return why.rule && why.message[0] != '\0' && tmap_rule_find(why.rule) >= 0
                   ? true
                   : prop_fail(failure, "refused without a reason");
    ++*planned;
    if (tmap_conv_plan_prove(&plan, &r, NULL, NULL, &why) == TMAP_OK) return true;
    return prop_fail(failure, "planned and not proved: %s", why.message);
}

/* ---- Smaller cases ---------------------------------------------------------------------------------------------- */

/* Moves the value to `least`, half the way to `least`, or by one. */
static bool smaller(int64_t *value, int64_t least, int how) {
    int64_t before = *value;
    if (how == 0) *value = least;
    if (how == 1) *value = least + (before - least) / 2;
    if (how == 2 && before != least) *value += before > least ? -1 : 1;
    return *value != before;
}

/* Makes change number `step` of a case. Returns false if this changes nothing; *past: there is no such step. */
static bool shrink_step(conv_case *c, int step, bool *past) {
    int how = step % 3, field = step / 3;
    int64_t granule = 16 / element_B(c);
    int64_t *counts[] = {&c->conv.batch, &c->pixels};
    int64_t *multiples[] = {&c->conv.channels, &c->conv.filters, &c->channels};
    if (field < 2) return smaller(counts[field], 1, how);
    if ((field -= 2) < 3) {
        int64_t units = *multiples[field] / granule;
        bool changed = smaller(&units, 1, how);
        *multiples[field] = units * granule;
        return changed;
    }
    if ((field -= 3) < 4) return smaller(&c->gap[field], 0, how);
    if ((field -= 4) == 0) return c->stages > 1 ? (c->stages = 1, true) : false;
    if (--field == 0) return c->swizzle != TMAP_SWIZZLE_NONE ? (c->swizzle = TMAP_SWIZZLE_NONE, true) : false;
    field--;
    int i = field / 6;
    if (i >= c->conv.spatial_n) return *past = true, false;
    int64_t *along[] = {&c->conv.size[i],     &c->conv.filter[i],    &c->conv.stride[i],
                        &c->conv.dilation[i], &c->conv.pad_lower[i], &c->conv.pad_upper[i]};
    return smaller(along[field % 6], field % 6 < 4 ? 1 : 0, how);
}

static void shrink(conv_case *c, prop_failure *failure) {
    for (bool found = true; found;) {
        bool past = false;
        found = false;
        for (int step = 0; !found && !past; step++) {
            conv_case next = *c;
            prop_failure other = {{0}};
            tally unused = {0};
            if (!shrink_step(&next, step, &past) || check_case(&next, &unused, &other)) continue;
            *c = next, *failure = other;
            found = true;
        }
    }
}

static void print_list(const char *name, const int64_t *values, int n) {
    fprintf(stderr, "  %s:", name);
    for (int i = 0; i < n; i++) fprintf(stderr, " %" PRId64, values[i]);
    fprintf(stderr, "\n");
}

static void print_case(const conv_case *c, const prop_failure *failure, uint64_t number, uint64_t seed) {
    const tmap_conv *conv = &c->conv;
    fprintf(stderr, "%s\ncase %" PRIu64 " of seed %" PRIu64 "\n", failure->text, number, seed);
    fprintf(stderr, "  %s of %s, batch %" PRId64 ", channels %" PRId64 ", filters %" PRId64 "\n",
            tmap_conv_op_name((int)conv->op), tmap_type_get((int)c->type)->name, conv->batch, conv->channels,
            conv->filters);
    print_list("size", conv->size, conv->spatial_n);
    print_list("filter", conv->filter, conv->spatial_n);
    print_list("padding before", conv->pad_lower, conv->spatial_n);
    print_list("padding after", conv->pad_upper, conv->spatial_n);
    print_list("stride", conv->stride, conv->spatial_n);
    print_list("dilation", conv->dilation, conv->spatial_n);
    print_list("tile", (int64_t[]){c->pixels, c->channels}, 2);
    print_list("gaps", c->gap, TMAP_SPATIAL_MAX + 1);
    fprintf(stderr, "  swizzle: %s\n  stages: %" PRIu64 "\n", tmap_swizzle_get((int)c->swizzle)->name, c->stages);
}

int main(int argc, char **argv) {
    prop_options options = prop_options_of(argc, argv, 4000);
    tally count = {0};
    uint64_t planned = 0;
    for (uint64_t i = 0; i < options.cases; i++) {
        tmap_random random = prop_random(&options, i);
        conv_case c = random_case(&random);
        prop_failure failure = {{0}};
        if (check_case(&c, &count, &failure)) continue;
        shrink(&c, &failure);
        print_case(&c, &failure, i, options.seed);
        return EXIT_FAILURE;
    }
    for (uint64_t i = 0; i < options.cases; i++) {
        tmap_random random = prop_random(&options, i);
        prop_failure failure = {{0}};
        if (check_any(&random, &planned, &failure)) continue;
        fprintf(stderr, "any numbers: %s\ncase %" PRIu64 " of seed %" PRIu64 "\n", failure.text, i, options.seed);
        return EXIT_FAILURE;
    }
    printf("%" PRIu64 " convolutions: %" PRIu64 " planned and compared with unfolded matrices, %" PRIu64
           " of them with several copies per tile, %" PRIu64 " refused; of as many requests with any numbers, %" PRIu64
           " were planned and proved\n",
           options.cases, count.planned, count.several, count.refused, planned);
    return count.planned > options.cases / 4 && count.several > options.cases / 100 ? EXIT_SUCCESS : EXIT_FAILURE;
}
