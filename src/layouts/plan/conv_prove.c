/*
 * plan: the proof of a plan of a convolution. The expected contents of a tile are computed from the definition of a
 * convolution alone, pixel by pixel, without corners, walks or offsets.
 */
#include <inttypes.h>

#include "base/memory.h"
#include "plan/conv.h"
#include "plan/origins.h"

/* The proof checks all tiles of a problem up to this size, and a sample of about this size of a larger problem. */
#define LOOKED_AT_B ((uint64_t)16 << 20)
/* The sample of a larger problem: pixel tiles, and along each dimension of the filter the first, middle and last
 * tap. */
#define SAMPLED_PIXEL_TILES 12
#define SAMPLED_TAPS        3

typedef struct proof {
    const tmap_conv_plan *plan;
    const tmap_conv_request *request;
    tmap_origins origins;
    int64_t element_B, elements;
    int64_t *places;     /* of the tile's elements, in elements from the start of its stage */
    tmap_conv_tile tile; /* the tile that is being checked */
} proof;

/* ---- The definition --------------------------------------------------------------------------------------------- */

/* The coordinate that tap `tap` of pixel `at` reads, along one dimension. */
static int64_t read_at(const tmap_conv *conv, int i, int64_t at, int64_t tap) {
    int64_t tap_at = tap * conv->dilation[i];
    return conv->op == TMAP_CONV_DGRAD ? at + conv->pad_lower[i] - tap_at
                                       : at * conv->stride[i] - conv->pad_lower[i] + tap_at;
}

static int64_t stride_el(const tmap_conv_request *request, int dim) {
    const tmap_conv *conv = &request->conv;
    bool dgrad = conv->op == TMAP_CONV_DGRAD;
    if (request->has_strides) return request->strides_el[dim];
    int64_t stride = dgrad ? conv->filters : conv->channels;
    for (int i = conv->spatial_n - 1; i >= dim; i--) stride *= dgrad ? tmap_conv_output(conv, i) : conv->size[i];
    return stride;
}

/* The offset of channel 0 that pixel number `pixel` reads, in elements; -1: outside the tensor. */
static int64_t pixel_offset(const tmap_conv_request *request, uint64_t pixel, const int64_t tap[]) {
    const tmap_conv *conv = &request->conv;
    bool dgrad = conv->op == TMAP_CONV_DGRAD;
    int64_t offset = 0;
    bool inside = true;
    for (int i = conv->spatial_n - 1; i >= 0; i--) {
        int64_t output = tmap_conv_output(conv, i), pixels = dgrad ? conv->size[i] : output;
        int64_t at = read_at(conv, i, (int64_t)(pixel % (uint64_t)pixels), tap[i]);
        pixel /= (uint64_t)pixels;
        inside = inside && at >= 0 && at < (dgrad ? output : conv->size[i]);
        if (inside) offset += at * stride_el(request, 1 + i);
    }
    if (!inside || pixel >= (uint64_t)conv->batch) return -1;
    return offset + (int64_t)pixel * stride_el(request, 0);
}

/* ---- One tile --------------------------------------------------------------------------------------------------- */

static tmap_status differs(const proof *p, int64_t element, int64_t at, uint64_t wanted, tmap_diag *refusal) {
    int64_t pixel = element / p->request->tile.at[1], channel = element % p->request->tile.at[1];
    char how[120], taps[64] = "";
    for (int i = 0; i < p->request->conv.spatial_n; i++)
        tmap_append(taps, sizeof taps, "%s%" PRId64, i ? "," : "", p->tile.tap[i]);
    tmap_origins_say(&p->origins, at, wanted, how, sizeof how);
    return tmap_refuse(refusal, "plan-proof",
                       "pixel %" PRIu64 ", channel %" PRIu64 " of tap %s, at byte %" PRId64 ", %s",
                       p->tile.pixel + (uint64_t)pixel, p->tile.channel + (uint64_t)channel, taps, at, how);
}

static tmap_status compare(const proof *p, tmap_diag *refusal) {
    const tmap_conv_request *request = p->request;
    int64_t columns = request->tile.at[1],
            channels = request->conv.op == TMAP_CONV_DGRAD ? request->conv.filters : request->conv.channels;
    for (int64_t row = 0; row < request->tile.at[0]; row++) {
        int64_t offset = pixel_offset(request, p->tile.pixel + (uint64_t)row, p->tile.tap);
        for (int64_t k = 0; k < columns; k++) {
            int64_t channel = (int64_t)p->tile.channel + k, place = p->places[row * columns + k];
            bool inside = offset >= 0 && channel < channels;
            uint64_t wanted = inside ? (uint64_t)(offset + channel) * (uint64_t)p->element_B + 1 : 0;
            int64_t b = tmap_origins_differ(&p->origins, place, p->element_B, wanted);
            if (b >= 0)
                return differs(p, row * columns + k, place * p->element_B + b, inside ? wanted + (uint64_t)b : 0,
                               refusal);
        }
    }
    int64_t written = tmap_origins_written_B(&p->origins);
    if (written == p->elements * p->element_B) return TMAP_OK;
    return tmap_refuse(refusal, "plan-proof", "the copies write %" PRId64 " bytes, but the tile has %" PRId64, written,
                       p->elements * p->element_B);
}

static tmap_copy_params copy_by_number(const void *of, uint64_t i) {
    const proof *p = of;
    return tmap_conv_plan_copy(p->plan, &p->tile, i);
}

static tmap_status prove_tile(proof *p, uint64_t pixel_tile, uint64_t step, tmap_conv_proof *done, tmap_diag *refusal) {
    p->tile = tmap_conv_plan_tile(p->plan, pixel_tile, step);
    uint64_t address = p->request->shared_address + p->tile.stage * p->plan->stage_B;
    tmap_status status = tmap_origins_find(&p->origins, copy_by_number, p, p->plan->copies_n, address, refusal);
    if (status == TMAP_OK) status = compare(p, refusal);
    done->proved_n += status == TMAP_OK;
    return status;
}

/* ---- Which tiles ------------------------------------------------------------------------------------------------ */

static tmap_status prove_all(proof *p, tmap_conv_proof *done, tmap_diag *refusal) {
    tmap_status status = TMAP_OK;
    for (uint64_t tile = 0; tile < p->plan->pixel_tiles_n && status == TMAP_OK; tile++)
        for (uint64_t step = 0; step < p->plan->steps_n && status == TMAP_OK; step++)
            status = prove_tile(p, tile, step, done, refusal);
    return status;
}

typedef struct number_set {
    int n;
    uint64_t at[SAMPLED_PIXEL_TILES];
} number_set;

static void add_number(number_set *set, uint64_t number) {
    for (int i = 0; i < set->n; i++)
        if (set->at[i] == number) return;
    if (set->n < SAMPLED_PIXEL_TILES) set->at[set->n++] = number;
}

/* The first and the last tiles, the tiles where an image ends, and some tiles between, the most important first. */
static number_set sample_pixel_tiles(const tmap_conv_plan *plan) {
    number_set set = {.n = 0};
    uint64_t last = plan->pixel_tiles_n - 1, tile = (uint64_t)plan->tile.at[0];
    uint64_t image = plan->pixels_n / (uint64_t)plan->conv.batch;
    add_number(&set, 0);
    add_number(&set, last);
    add_number(&set, (image - 1) / tile);
    if (image / tile < last) add_number(&set, image / tile);
    add_number(&set, (plan->pixels_n - image) / tile);
    add_number(&set, last / 2);
    for (uint64_t i = 1; i < SAMPLED_PIXEL_TILES; i++) add_number(&set, last / SAMPLED_PIXEL_TILES * i);
    return set;
}

/* Tap number `i` of the sample, in digits 0, 1, 2 of each dimension for the first, middle and last tap. Returns false
 * if two of these are the same tap and the sample already has it. */
static bool sampled_tap(const tmap_conv *conv, int i, uint64_t *tap) {
    *tap = 0;
    for (int d = 0; d < conv->spatial_n; d++, i /= SAMPLED_TAPS) {
        int64_t filter = conv->filter[d], which = i % SAMPLED_TAPS;
        if ((which == 1 && filter < 3) || (which == 2 && filter < 2)) return false;
        *tap = *tap * (uint64_t)filter + (uint64_t)(which == 0 ? 0 : which == 1 ? filter / 2 : filter - 1);
    }
    return true;
}

static tmap_status prove_tap(proof *p, uint64_t pixel_tile, uint64_t tap, tmap_conv_proof *done, tmap_diag *refusal) {
    uint64_t channel_tiles = p->plan->channel_tiles_n, first = tap * channel_tiles;
    tmap_status status = prove_tile(p, pixel_tile, first, done, refusal);
    if (status == TMAP_OK && channel_tiles > 1)
        status = prove_tile(p, pixel_tile, first + channel_tiles - 1, done, refusal);
    return status;
}

/* Checks at least the first and the last tile of pixels, then more tiles up to the limit. */
static tmap_status prove_sample(proof *p, tmap_conv_proof *done, tmap_diag *refusal) {
    number_set tiles = sample_pixel_tiles(p->plan);
    tmap_status status = TMAP_OK;
    for (int t = 0; t < tiles.n && status == TMAP_OK; t++) {
        if (t >= 2 && done->proved_n * p->plan->stage_B > LOOKED_AT_B) break;
        for (int i = 0; i < SAMPLED_TAPS * SAMPLED_TAPS * SAMPLED_TAPS && status == TMAP_OK; i++) {
            uint64_t tap;
            if (p->plan->conv.spatial_n < 3 && i >= SAMPLED_TAPS * SAMPLED_TAPS) break;
            if (p->plan->conv.spatial_n < 2 && i >= SAMPLED_TAPS) break;
            if (sampled_tap(&p->plan->conv, i, &tap)) status = prove_tap(p, tiles.at[t], tap, done, refusal);
        }
    }
    return status;
}

static tmap_status prove(proof *p, tmap_conv_proof *done, tmap_diag *refusal) {
    uint64_t tiles_n =
        p->plan->pixel_tiles_n > UINT64_MAX / p->plan->steps_n ? UINT64_MAX : p->plan->pixel_tiles_n * p->plan->steps_n;
    *done = (tmap_conv_proof){.tiles_n = tiles_n};
    tmap_layout_offsets(&p->request->shared, tmap_axis_get(TMAP_AXIS_ID_M), 0, (size_t)p->elements, p->places);
    bool all = tiles_n <= LOOKED_AT_B && tiles_n * p->plan->stage_B <= LOOKED_AT_B;
    return all ? prove_all(p, done, refusal) : prove_sample(p, done, refusal);
}

tmap_status tmap_conv_plan_prove(const tmap_conv_plan *plan, const tmap_conv_request *request,
                                 const tmap_allocator *allocator, tmap_conv_proof *result, tmap_diag *refusal) {
    tmap_conv_proof done;
    if (refusal) *refusal = tmap_refusal_of(NULL);
    proof p = {.plan = plan, .request = request, .elements = tmap_layout_size(&request->shared)};
    const tmap_type_info *type = tmap_type_get((int)request->type);
    p.element_B = type ? tmap_plan_element_B(type) : 0;
    if (p.element_B == 0 || request->tile.rank != 2 || plan->stages == 0 || plan->channel_tiles_n == 0 ||
        p.elements != tmap_times(request->tile.at[0], request->tile.at[1]))
        return tmap_fail(TMAP_BAD_ARGUMENT, refusal, "the plan belongs to another request");
    int64_t span_el = tmap_layout_span(&request->shared, tmap_axis_get(TMAP_AXIS_ID_M));
    tmap_status status = tmap_origins_init(&p.origins, &plan->map, span_el, allocator, refusal);
    if (status != TMAP_OK) return status;
    p.places = tmap_resize(allocator, NULL, 0, (size_t)p.elements * sizeof *p.places);
    status = p.places ? prove(&p, &done, refusal) : TMAP_NO_MEMORY;
    if (p.places) (void)tmap_resize(allocator, p.places, (size_t)p.elements * sizeof *p.places, 0);
    tmap_origins_free(&p.origins, allocator);
    if (status == TMAP_OK && result) *result = done;
    return status;
}
