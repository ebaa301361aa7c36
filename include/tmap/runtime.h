/*
 * runtime: what a runtime or a launcher links instead of calling the driver for each tensor: parameters in, 128 bytes
 * out. Structs on the caller's stack; no allocation, no locks, nothing shared, so any number of threads may call at
 * once. Refusals come with a reason in the caller's buffer: always terminated, cut where it does not fit, NULL for
 * none.
 */
#ifndef TMAP_RUNTIME_H
#define TMAP_RUNTIME_H

#include "tmap/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Checks the parameters for the given architectures (0: any) and encodes them natively. TMAP_REFUSED: a rule of
 * severity error is broken, *descriptor is as it was, and `reason` names the field, what was given, what is allowed,
 * and the rule.
 */
TMAP_API tmap_status tmap_build(const tmap_map_params *params, tmap_archs archs, tmap_descriptor *descriptor,
                                char *reason, size_t size);
/* The same without encoding. */
TMAP_API tmap_status tmap_build_check(const tmap_map_params *params, tmap_archs archs, char *reason, size_t size);

/*
 * Changes to a descriptor that is there, native or the driver's. The result is checked as a whole; bits that have no
 * part in the change stay. TMAP_REFUSED leaves the descriptor as it was.
 *
 * The address must keep the alignment that the map was made for (16 or 32 bytes), as cuTensorMapReplaceAddress asks.
 * That call can change nothing else; for other dims and strides it has to be encoded anew, which these two do.
 * `dims_el` has as many numbers as the map has dimensions, `strides_B` one fewer, both innermost first.
 */
TMAP_API tmap_status tmap_replace_address(tmap_descriptor *descriptor, uint64_t address, tmap_archs archs, char *reason,
                                          size_t size);
TMAP_API tmap_status tmap_replace_dims(tmap_descriptor *descriptor, const uint64_t *dims_el, tmap_archs archs,
                                       char *reason, size_t size);
TMAP_API tmap_status tmap_replace_strides(tmap_descriptor *descriptor, const uint64_t *strides_B, tmap_archs archs,
                                          char *reason, size_t size);

/* ---- DLPack --------------------------------------------------------------------------------------------------- */

/* DLPack's DLTensor (dlpack.h 1.1), byte for byte: a DLTensor * may be passed as a pointer to this. */
typedef struct tmap_dl_tensor {
    void *data;
    struct {
        int32_t device_type, device_id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape;   /* outermost first */
    int64_t *strides; /* in elements, outermost first; NULL: compact, row-major */
    uint64_t byte_offset;
} tmap_dl_tensor;

/*
 * A tiled map of the tensor: its type, dims, strides and address; all else at its default. DLPack's order is turned
 * around: the last dimension is dimension 0 of the map. `box` has ndim sizes in the tensor's order, or is NULL.
 *
 * As CCCL's cuda::make_tma_descriptor: the tensor is in memory that a GPU reaches (kDLCUDA, kDLCUDAHost,
 * kDLCUDAManaged), of rank 1 to 5, and its last stride is 1. Types: integers and bool of 8 bits and all 8-bit floats
 * are u8; 16-bit integers u16; s32, u32, s64, u64, f16, bf16, f32, f64 themselves; 4-bit integers and floats b4x16,
 * which counts values, with any number of lanes that fills bytes (the innermost size and box are then multiplied by
 * it); 6-bit floats b6x16_p32. Other types with lanes are refused. Nothing else is checked: tmap_build does that.
 */
TMAP_API tmap_status tmap_params_from_dlpack(const tmap_dl_tensor *tensor, const int64_t *box, tmap_map_params *params,
                                             char *reason, size_t size);

/* ---- Native or driver ----------------------------------------------------------------------------------------- */

/* cuTensorMapEncodeTiled, with enums as int and CUresult as int: the pointer that cuGetProcAddress answers. */
typedef int tmap_encode_tiled(void *tensor_map, int data_type, uint32_t rank, void *global_address,
                              const uint64_t *global_dim, const uint64_t *global_strides, const uint32_t *box_dim,
                              const uint32_t *element_strides, int interleave, int swizzle, int l2_promotion,
                              int oob_fill);

/*
 * Who builds: the native encoder where it was found to agree with this machine's driver, else the driver. Initialised
 * once, by one thread; then only read.
 */
typedef struct tmap_backend {
    tmap_encode_tiled *driver; /* NULL: there is none */
    tmap_archs archs;
    bool uses_driver;
    uint32_t compared_n;
    tmap_map_params differs; /* the first map on which they differ, when uses_driver is set */
    char reason[200];        /* why the driver or the native encoder is used */
} tmap_backend;

/*
 * Compares native and driver on a fixed set of 256 random maps and on `maps_n` of the caller's own (which the rules
 * must allow; others are passed over). `archs`: the device's. With `driver` NULL nothing is compared, and building is
 * native. The driver's functions need a current context. Never fails: *backend says what was found.
 */
TMAP_API void tmap_backend_init(tmap_backend *backend, tmap_encode_tiled *driver, tmap_archs archs,
                                const tmap_map_params *maps, size_t maps_n);

/* As tmap_build, by whoever was chosen. A CUresult of the driver other than success is TMAP_UNAVAILABLE. */
TMAP_API tmap_status tmap_backend_build(const tmap_backend *backend, const tmap_map_params *params,
                                        tmap_descriptor *descriptor, char *reason, size_t size);

#ifdef __cplusplus
}
#endif

#endif
