/* runtime: compares the native encoder with the driver once, then builds with the encoder that the result allows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/build.h"
#include "tmap/runtime.h"
#include "tmap/unstable/gen.h"

#define GENERATED_MAPS 512
#define SEED           1
#define TRIES_MAX      (16 * GENERATED_MAPS) /* some generated maps are not for the given architectures */

/* Values of CUresult. */
enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_INITIALIZED = 3, INVALID_CONTEXT = 201 };

/* ---- Asking the driver ------------------------------------------------------------------------------------------ */

/* A CUtensorMap requires an alignment of 64 or 128 bytes. */
typedef struct driver_map {
    _Alignas(128) uint8_t bytes[TMAP_DESCRIPTOR_B];
} driver_map;

/* Whether the arguments of the call can hold the parameters. All parameters of a map that the rules allow fit. */
static bool fits_the_call(const tmap_map_params *params) {
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)params->swizzle);
    if (params->mode != TMAP_MODE_TILED || params->rank > TMAP_RANK_MAX || (swizzle && swizzle->cu < 0)) return false;
    for (uint64_t i = 0; i < params->rank; i++)
        if (params->box_el[i] > UINT32_MAX || params->element_strides[i] > UINT32_MAX) return false;
    return true;
}

/* Calls the driver. All numbers but swizzles equal the driver's. Bytes that the driver does not write are 0. */
static int ask_driver(tmap_encode_tiled *driver, const tmap_map_params *params, tmap_descriptor *descriptor) {
    uint32_t box[TMAP_RANK_MAX], element_strides[TMAP_RANK_MAX];
    driver_map map = {{0}};
    const tmap_swizzle_info *swizzle = tmap_swizzle_get((int)params->swizzle);
    for (int i = 0; i < TMAP_RANK_MAX; i++) {
        box[i] = (uint32_t)params->box_el[i];
        element_strides[i] = (uint32_t)params->element_strides[i];
    }
    int result = driver(map.bytes, (int)params->type, (uint32_t)params->rank,
                        (void *)(uintptr_t)(params->has_address ? params->address : 0), params->dims_el,
                        params->strides_B, box, element_strides, (int)params->interleave,
                        swizzle ? swizzle->cu : (int)params->swizzle, (int)params->l2_promotion, (int)params->oob_fill);
    if (result != SUCCESS) return result;
    memcpy(descriptor->bytes, map.bytes, sizeof descriptor->bytes);
    tmap_settle_allocation_class(descriptor, params);
    return SUCCESS;
}

/* Calls the driver. *out: the class that the driver reports. */
static int ask_driver_for_class(tmap_set_class_call *set_class, tmap_descriptor *descriptor,
                                tmap_allocation_class allocation_class, tmap_allocation_class *out) {
    driver_map map;
    int set = TMAP_ALLOCATION_SMALL;
    memcpy(map.bytes, descriptor->bytes, sizeof map.bytes);
    int result = set_class(map.bytes, (int)allocation_class, &set);
    if (result != SUCCESS) return result;
    memcpy(descriptor->bytes, map.bytes, sizeof map.bytes);
    *out = (tmap_allocation_class)set;
    return SUCCESS;
}

/* Whether the CUresult is about the map. Other results concern the driver's state. */
static bool is_verdict(int result) {
    return result == SUCCESS || result == INVALID_VALUE;
}

static const char *hint_of(int result) {
    if (result == NOT_INITIALIZED) return "cuInit first";
    if (result == INVALID_CONTEXT) return "make a CUDA context current in this thread";
    return NULL;
}

/* ---- Comparing -------------------------------------------------------------------------------------------------- */

static void note_difference(tmap_backend *backend, const tmap_map_params *params, int result,
                            const tmap_field_diff *difference) {
    if (backend->differing_n++ > 0) return;
    backend->uses_driver = true;
    backend->differs = *params;
    backend->result = result;
    backend->difference = *difference;
}

/* Returns false when the driver cannot be called. */
static bool compare(tmap_backend *backend, const tmap_map *map) {
    tmap_descriptor native, theirs = {{0}};
    tmap_field_diff difference = {.field = -1};
    int result = ask_driver(backend->driver, &map->params, &theirs);
    if (!is_verdict(result)) {
        backend->result = result;
        return false;
    }
    backend->compared_n++;
    tmap_descriptor_encode(map, &native);
    tmap_descriptor_key(&native, &native);
    tmap_descriptor_key(&theirs, &theirs);
    if (result != SUCCESS || tmap_descriptor_diff(&native, &theirs, &difference, 1) > 0)
        note_difference(backend, &map->params, result, &difference);
    return true;
}

static bool compare_generated(tmap_backend *backend) {
    tmap_random random = {SEED};
    for (int i = 0; i < TRIES_MAX && backend->compared_n < GENERATED_MAPS; i++) {
        tmap_map_params params;
        tmap_map map;
        tmap_random_map(&random, false, &params);
        if (!fits_the_call(&params) || tmap_freeze(&params, backend->archs, &map, NULL) != TMAP_OK) continue;
        if (!compare(backend, &map)) return false;
    }
    return true;
}

/* ---- Reasons ---------------------------------------------------------------------------------------------------- */

static tmap_diag *begin_why(tmap_backend *backend, tmap_severity severity) {
    backend->why = tmap_refusal_of(NULL);
    backend->why.severity = severity;
    return &backend->why;
}

#define SAY(backend, severity, ...) TMAP_SAY(begin_why(backend, severity)->message, __VA_ARGS__)

static void say_version(int version, char *text, size_t size) {
    if (version > 0)
        (void)snprintf(text, size, "the driver of CUDA %d.%d", version / 1000, version % 1000 / 10);
    else
        (void)snprintf(text, size, "the driver");
}

static void say_where(const tmap_field_diff *difference, char *text, size_t size) {
    const tmap_descriptor_field_info *field = tmap_descriptor_field_get(difference->field);
    if (field)
        (void)snprintf(text, size, "%s is %" PRIu64 ", natively %" PRIu64, field->name, difference->b, difference->a);
    else
        (void)snprintf(text, size, "bits from %u on are 0x%" PRIx64 ", natively 0x%" PRIx64, difference->bits.lo,
                       difference->b, difference->a);
}

static void say_outcome(tmap_backend *backend, int version) {
    char driver[48], where[96];
    say_version(version, driver, sizeof driver);
    say_where(&backend->difference, where, sizeof where);
    const tmap_map_params *map = &backend->differs;
    if (!backend->uses_driver)
        SAY(backend, TMAP_ADVICE, "native: %s agrees on %" PRIu32 " maps", driver, backend->compared_n);
    else if (backend->result != SUCCESS)
        SAY(backend, TMAP_WARNING,
            "driver: %s differs on %" PRIu32 " of %" PRIu32 " maps; it rejects a %s map of rank %" PRIu64
            " that the rules allow (CUresult %d)",
            driver, backend->differing_n, backend->compared_n, tmap_type_get((int)map->type)->name, map->rank,
            backend->result);
    else
        SAY(backend, TMAP_WARNING,
            "driver: %s differs on %" PRIu32 " of %" PRIu32 " maps; in a %s map of rank %" PRIu64 " %s", driver,
            backend->differing_n, backend->compared_n, tmap_type_get((int)map->type)->name, map->rank, where);
}

/* Falls back to the native encoder. */
static tmap_status give_up(tmap_backend *backend, tmap_status status) {
    backend->uses_driver = false;
    backend->driver = NULL;
    backend->driver_set_class = NULL;
    return status;
}

/* ---- The back end ----------------------------------------------------------------------------------------------- */

static tmap_status check_maps(tmap_backend *backend, const tmap_backend_options *options) {
    tmap_diag refusal;
    for (size_t i = 0; i < options->maps_n; i++) {
        tmap_status status = tmap_build_check(&options->maps[i], options->archs, &refusal);
        if (status == TMAP_OK) continue;
        backend->why = refusal;
        TMAP_SAY(backend->why.message, "native: maps[%zu] cannot be compared: %s", i, refusal.message);
        return status;
    }
    return TMAP_OK;
}

static bool compare_all(tmap_backend *backend, const tmap_backend_options *options) {
    if (!compare_generated(backend)) return false;
    for (size_t i = 0; i < options->maps_n; i++) {
        tmap_map map;
        if (!fits_the_call(&options->maps[i])) continue; /* the driver cannot encode this map */
        if (tmap_freeze(&options->maps[i], options->archs, &map, NULL) == TMAP_OK && !compare(backend, &map))
            return false;
    }
    return true;
}

tmap_status tmap_backend_init(tmap_backend *backend, const tmap_backend_options *options) {
    if (!backend) return TMAP_BAD_ARGUMENT;
    memset(backend, 0, sizeof *backend);
    if (!options || (!options->maps && options->maps_n > 0)) {
        SAY(backend, TMAP_ERROR, "native: %s", !options ? "options is null" : "maps is null, and maps_n is not 0");
        return TMAP_BAD_ARGUMENT;
    }
    backend->archs = options->archs;
    SAY(backend, TMAP_ADVICE, "native: no driver was given");
    tmap_status status = check_maps(backend, options);
    if (status != TMAP_OK || !options->driver) return status;
    backend->driver = options->driver;
    backend->driver_set_class = options->driver_set_class;
    backend->skip_rules_for_driver = options->skip_rules_for_driver;
    if (!compare_all(backend, options)) {
        const char *hint = hint_of(backend->result);
        SAY(backend, TMAP_ERROR, "native: the driver cannot be compared: cuTensorMapEncodeTiled returned CUresult %d",
            backend->result);
        if (hint) TMAP_SAY(backend->why.fix.words, "%s", hint);
        return give_up(backend, TMAP_UNAVAILABLE);
    }
    say_outcome(backend, options->driver_version);
    return TMAP_OK;
}

static tmap_status refuse_by_driver(const tmap_map_params *params, tmap_archs archs, int result, tmap_diag *refusal) {
    tmap_map map;
    if (!is_verdict(result)) {
        (void)tmap_refuse(refusal, hint_of(result) ? "current-context" : "encode-status",
                          "cuTensorMapEncodeTiled returned CUresult %d", result);
        if (hint_of(result)) tmap_say_fix(refusal, "%s", hint_of(result));
        return TMAP_UNAVAILABLE;
    }
    tmap_status status = tmap_freeze(params, archs, &map, refusal);
    if (status != TMAP_OK) return status;
    (void)tmap_refuse(refusal, "encode-status",
                      "cuTensorMapEncodeTiled rejects (CUresult %d) a map that tmap's rules allow", result);
    tmap_say_fix(refusal, "set archs to the device's architecture");
    return TMAP_REFUSED;
}

static tmap_status set_class(const tmap_backend *backend, tmap_descriptor *descriptor,
                             tmap_allocation_class allocation_class, tmap_allocation_class *out, tmap_diag *refusal) {
    tmap_allocation_class set = TMAP_ALLOCATION_SMALL;
    if (out) *out = set;
    if (!backend->driver_set_class) return tmap_set_allocation_class(descriptor, allocation_class, out, refusal);
    int result = ask_driver_for_class(backend->driver_set_class, descriptor, allocation_class, &set);
    if (result == SUCCESS) {
        if (out) *out = set;
        return TMAP_OK;
    }
    (void)tmap_refuse(refusal, NULL, "cuTensorMapSetAllocationClass returned CUresult %d", result);
    if (hint_of(result)) tmap_say_fix(refusal, "%s", hint_of(result));
    return is_verdict(result) ? TMAP_REFUSED : TMAP_UNAVAILABLE;
}

static tmap_status build_by_driver(const tmap_backend *backend, const tmap_map_params *params,
                                   tmap_descriptor *descriptor, tmap_diag *refusal) {
    tmap_map map;
    bool fits = fits_the_call(params);
    if (!backend->skip_rules_for_driver || !fits) {
        tmap_status status = tmap_freeze(params, backend->archs, &map, refusal);
        if (status != TMAP_OK) return status;
    }
    if (!fits) {
        (void)tmap_fail(TMAP_UNAVAILABLE, refusal,
                        "cuTensorMapEncodeTiled makes only tiled maps, and none with swizzle 96B");
        tmap_say_fix(refusal, "tmap_build");
        return TMAP_UNAVAILABLE;
    }
    tmap_descriptor built;
    int result = ask_driver(backend->driver, params, &built);
    if (result != SUCCESS) return refuse_by_driver(params, backend->archs, result, refusal);
    if (params->allocation_class != TMAP_ALLOCATION_AUTO) {
        tmap_status status = set_class(backend, &built, params->allocation_class, NULL, refusal);
        if (status != TMAP_OK) return status;
    }
    *descriptor = built;
    return TMAP_OK;
}

tmap_status tmap_backend_build(const tmap_backend *backend, const tmap_map_params *params, tmap_descriptor *descriptor,
                               tmap_diag *refusal) {
    if (!backend) return tmap_refuse_null(refusal, "backend");
    if (!backend->uses_driver) return tmap_build(params, backend->archs, descriptor, refusal);
    if (!params) return tmap_refuse_null(refusal, "params");
    if (!descriptor) return tmap_refuse_null(refusal, "descriptor");
    return build_by_driver(backend, params, descriptor, refusal);
}

tmap_status tmap_backend_set_allocation_class(const tmap_backend *backend, tmap_descriptor *descriptor,
                                              tmap_allocation_class allocation_class, tmap_allocation_class *out,
                                              tmap_diag *refusal) {
    if (out) *out = TMAP_ALLOCATION_SMALL;
    if (!backend) return tmap_refuse_null(refusal, "backend");
    if (!descriptor) return tmap_refuse_null(refusal, "descriptor");
    if (!backend->uses_driver) return tmap_set_allocation_class(descriptor, allocation_class, out, refusal);
    return set_class(backend, descriptor, allocation_class, out, refusal);
}
