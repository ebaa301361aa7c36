/* Opens and closes the CUDA driver: load, look up, initialize, enter the primary context. A failure undoes every
 * step. */
#include "driver/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "diag/refuse.h"

#define DEFAULT_LIBRARY  "libcuda.so.1"
#define LIBRARY_VARIABLE "TMAP_LIBCUDA"

#define REFUSE(why, ...) tmap_fail(TMAP_UNAVAILABLE, (why), __VA_ARGS__)

static tmap_status refuse_call(tmap_diag *why, const char *call, cuda_result result) {
    const char *hint = tmap_cuda_error_hint(result);
    return REFUSE(why, "%s returned %s (%d)%s%s", call, tmap_cuda_error_name(result), result, hint ? ": " : "",
                  hint ? hint : "");
}

/* ISO C has no conversion from void * to a function pointer. POSIX guarantees that the bits are the same. */
bool tmap_driver_symbol(const tmap_driver *driver, const char *symbol, void *function) {
    void *found = dlsym(driver->library, symbol);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static const char *library_to_load(const char *library) {
    const char *variable = getenv(LIBRARY_VARIABLE);
    if (library && library[0] != '\0') return library;
    return variable && variable[0] != '\0' ? variable : DEFAULT_LIBRARY;
}

static tmap_status load(tmap_driver *driver, const char *library, tmap_diag *why) {
    (void)snprintf(driver->info.library, sizeof driver->info.library, "%s", library);
    driver->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (driver->library) return TMAP_OK;
    if (strcmp(library, DEFAULT_LIBRARY) == 0)
        return REFUSE(why, "cannot find " DEFAULT_LIBRARY
                           ", the NVIDIA driver; if this machine has it, set " LIBRARY_VARIABLE " to its path");
    const char *error = dlerror();
    return REFUSE(why, "cannot load %s as the CUDA driver: %s; correct " LIBRARY_VARIABLE, library,
                  error ? error : "no reason given");
}

/* Runs first: only a driver that is new enough has the other functions. */
static tmap_status check_version(tmap_driver *driver, tmap_diag *why) {
    if (!tmap_driver_symbol(driver, "cuDriverGetVersion", &driver->driver_version))
        return REFUSE(why, "%s has no cuDriverGetVersion: it is not the CUDA driver; correct " LIBRARY_VARIABLE,
                      driver->info.library);
    int version = 0;
    cuda_result result = driver->driver_version(&version);
    if (result != CUDA_SUCCESS_CODE) return refuse_call(why, "cuDriverGetVersion", result);
    driver->info.version = version;
    if (version >= CUDA_TENSOR_MAP_VERSION) return TMAP_OK;
    return REFUSE(why,
                  "the NVIDIA driver is too old: it is of CUDA %d.%d, and tensor maps require CUDA 12.0; install "
                  "driver 525.60 or later",
                  version / 1000, version % 1000 / 10);
}

static tmap_status look_up_calls(tmap_driver *driver, tmap_diag *why) {
#define CUDA_CALL(id, symbol, arguments)                                                                               \
    if (!tmap_driver_symbol(driver, symbol, &driver->id))                                                              \
        return REFUSE(why, "%s has no " symbol ": it is not a complete CUDA driver; install the driver again",         \
                      driver->info.library);
#include "driver/calls.def"
#undef CUDA_CALL
    return TMAP_OK;
}

static tmap_status find_device(tmap_driver *driver, int ordinal, tmap_diag *why) {
    cuda_result result = driver->init(0);
    if (result != CUDA_SUCCESS_CODE) return refuse_call(why, "cuInit", result);
    result = driver->device_get(&driver->device, ordinal);
    if (result != CUDA_SUCCESS_CODE) return refuse_call(why, "cuDeviceGet", result);
    result = driver->device_name(driver->info.device, (int)sizeof driver->info.device - 1, driver->device);
    if (result != CUDA_SUCCESS_CODE) return refuse_call(why, "cuDeviceGetName", result);
    return TMAP_OK;
}

/* Only information: a failure of this query is not an error. */
static void ask_large_tensor_min(tmap_driver *driver) {
    int size_B = 0;
    if (driver->info.version < CUDA_SET_CLASS_VERSION) return;
    cuda_result result = driver->device_attribute(&size_B, CUDA_ATTRIBUTE_LARGE_TENSOR_MIN, driver->device);
    if (result == CUDA_SUCCESS_CODE && size_B > 0) driver->info.large_tensor_min_B = size_B;
}

static tmap_status check_capability(tmap_driver *driver, tmap_diag *why) {
    int major = 0, minor = 0;
    cuda_result result = driver->device_attribute(&major, CUDA_ATTRIBUTE_CAPABILITY_MAJOR, driver->device);
    if (result == CUDA_SUCCESS_CODE)
        result = driver->device_attribute(&minor, CUDA_ATTRIBUTE_CAPABILITY_MINOR, driver->device);
    if (result != CUDA_SUCCESS_CODE) return refuse_call(why, "cuDeviceGetAttribute", result);
    driver->info.chip = major * 10 + minor;
    ask_large_tensor_min(driver);
    if (driver->info.chip >= CUDA_TENSOR_MAP_CHIP) return TMAP_OK;
    return REFUSE(why, "%s has compute capability %d.%d, and tensor maps need 9.0 (Hopper) or above; use another GPU",
                  driver->info.device, major, minor);
}

/* The encode calls require a current context, though they use no device (CUDA_ERROR_INVALID_CONTEXT). */
static tmap_status enter_context(tmap_driver *driver, tmap_diag *why) {
    cuda_context context = NULL;
    cuda_result result = driver->context_get(&driver->previous);
    if (result != CUDA_SUCCESS_CODE) return refuse_call(why, "cuCtxGetCurrent", result);
    result = driver->context_retain(&context, driver->device);
    if (result != CUDA_SUCCESS_CODE) return refuse_call(why, "cuDevicePrimaryCtxRetain", result);
    driver->retained = true;
    result = driver->context_set(context);
    if (result != CUDA_SUCCESS_CODE) return refuse_call(why, "cuCtxSetCurrent", result);
    driver->entered = true;
    return TMAP_OK;
}

/* Looks up a call with cuGetProcAddress; `version` is the CUDA version that introduced the call. A driver without
 * cuGetProcAddress exports the call as a symbol. */
static void look_up_tensor_map_call(const tmap_driver *driver, const char *symbol, int version, void *function) {
    cuda_get_proc_v2 *get_v2 = NULL;
    cuda_get_proc_v1 *get_v1 = NULL;
    void *found = NULL;
    cuda_result result;
    if (tmap_driver_symbol(driver, "cuGetProcAddress_v2", &get_v2)) {
        int status = 0;
        result = get_v2(symbol, &found, version, CUDA_PROC_ADDRESS_DEFAULT, &status);
    } else if (tmap_driver_symbol(driver, "cuGetProcAddress", &get_v1)) {
        result = get_v1(symbol, &found, version, CUDA_PROC_ADDRESS_DEFAULT);
    } else {
        (void)tmap_driver_symbol(driver, symbol, function);
        return;
    }
    if (result != CUDA_SUCCESS_CODE) found = NULL;
    memcpy(function, &found, sizeof found);
}

static tmap_status look_up_tensor_map_calls(tmap_driver *driver, tmap_diag *why) {
    const int since = CUDA_TENSOR_MAP_VERSION, wide = CUDA_IM2COL_WIDE_VERSION;
    look_up_tensor_map_call(driver, "cuTensorMapEncodeTiled", since, &driver->encode_tiled);
    look_up_tensor_map_call(driver, "cuTensorMapReplaceAddress", since, &driver->replace_address);
    look_up_tensor_map_call(driver, "cuTensorMapEncodeIm2col", since, &driver->encode_im2col);
    if (driver->info.version >= wide)
        look_up_tensor_map_call(driver, "cuTensorMapEncodeIm2colWide", wide, &driver->encode_im2col_wide);
    if (driver->info.version >= CUDA_SET_CLASS_VERSION)
        look_up_tensor_map_call(driver, "cuTensorMapSetAllocationClass", CUDA_SET_CLASS_VERSION, &driver->set_class);
    if (driver->encode_tiled) return TMAP_OK;
    return REFUSE(why, "%s is of CUDA %d.%d but does not have cuTensorMapEncodeTiled; install the NVIDIA driver again",
                  driver->info.library, driver->info.version / 1000, driver->info.version % 1000 / 10);
}

static tmap_status open_steps(tmap_driver *driver, const char *library, int device, tmap_diag *why) {
    tmap_status status = load(driver, library_to_load(library), why);
    if (status == TMAP_OK) status = check_version(driver, why);
    if (status == TMAP_OK) status = look_up_calls(driver, why);
    if (status == TMAP_OK) status = find_device(driver, device, why);
    if (status == TMAP_OK) status = check_capability(driver, why);
    if (status == TMAP_OK) status = enter_context(driver, why);
    if (status == TMAP_OK) status = look_up_tensor_map_calls(driver, why);
    return status;
}

tmap_status tmap_driver_open(const char *library, int device, tmap_driver **driver, tmap_diag *refusal) {
    if (!driver) return tmap_refuse_null(refusal, "driver");
    tmap_driver *opened = tmap_resize(NULL, NULL, 0, sizeof *opened);
    if (!opened) return tmap_fail(TMAP_NO_MEMORY, refusal, "out of memory");
    *opened = (tmap_driver){0};
    tmap_status status = open_steps(opened, library, device, refusal);
    if (status == TMAP_OK)
        *driver = opened;
    else
        tmap_driver_close(opened);
    return status;
}

void tmap_driver_close(tmap_driver *driver) {
    if (!driver) return;
    if (driver->entered) (void)driver->context_set(driver->previous);
    if (driver->retained) (void)driver->context_release(driver->device);
    if (driver->library) (void)dlclose(driver->library);
    (void)tmap_resize(NULL, driver, sizeof *driver, 0);
}

const tmap_driver_info *tmap_driver_about(const tmap_driver *driver) {
    return &driver->info;
}
