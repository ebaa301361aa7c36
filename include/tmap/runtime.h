/*
 * runtime: what a runtime or a launcher links instead of calling the driver for each tensor: parameters in, 128 bytes
 * out. Structs on the caller's stack; no allocation, no locks, nothing shared, so any number of threads may call at
 * once.
 *
 * `refusal` is where a call that does not return TMAP_OK writes why (tmap_diag_line makes one line of it); NULL: it
 * does not. TMAP_BAD_ARGUMENT: the record names the argument. `archs` are the targets to judge for; 0: any, and what
 * only some of them refuse is then let through, as in tmap_check_map.
 * Since 0.2.0: everything here that does not say otherwise.
 */
#ifndef TMAP_RUNTIME_H
#define TMAP_RUNTIME_H

#include "tmap/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Checks the parameters and encodes them natively. TMAP_REFUSED: a rule of severity error is broken, *descriptor is as
 * it was, and the record is of the first one and counts the others.
 */
TMAP_API tmap_status tmap_build(const tmap_map_params *params, tmap_archs archs, tmap_descriptor *descriptor,
                                tmap_diag *refusal) TMAP_MUST_USE;
/* The same without encoding. */
TMAP_API tmap_status tmap_build_check(const tmap_map_params *params, tmap_archs archs,
                                      tmap_diag *refusal) TMAP_MUST_USE;

/* A map of which launches change the address alone. Its members are for tmap_prepared_at. */
typedef struct tmap_prepared {
    tmap_map_params params;
    tmap_archs archs;
    uint64_t align_B;
    tmap_descriptor descriptor;
    uint64_t reserved[4]; /* 0 */
} tmap_prepared;

/* Checks and encodes as tmap_build does, and keeps the result for tmap_prepared_at. */
TMAP_API tmap_status tmap_prepare(const tmap_map_params *params, tmap_archs archs, tmap_prepared *prepared,
                                  tmap_diag *refusal) TMAP_MUST_USE;
/* The descriptor that tmap_build makes of the same parameters with that address, or its refusal, in the time of a copy
 * of 128 bytes. */
TMAP_API tmap_status tmap_prepared_at(const tmap_prepared *prepared, uint64_t address, tmap_descriptor *descriptor,
                                      tmap_diag *refusal) TMAP_MUST_USE;

/*
 * Changes to a descriptor that is there, native or the driver's. The result is checked as a whole, as if it was built
 * anew; TMAP_REFUSED leaves the descriptor as it was. Bits that have no part in the change stay, known or not, but for
 * the allocation class (bit 85): a class that the native encoder chooses for the old tensor becomes the class that it
 * chooses for the new one, and any class becomes SMALL where nvbug 5736804 requires that (rule desc-small-allocation).
 *
 * The address must keep the alignment that the map was made for (16 or 32 bytes), as cuTensorMapReplaceAddress asks.
 */
TMAP_API tmap_status tmap_replace_address(tmap_descriptor *descriptor, uint64_t address, tmap_archs archs,
                                          tmap_diag *refusal) TMAP_MUST_USE;
/*
 * What no call of the driver does: other dims and strides. `dims_el` has `rank` numbers, `strides_B` one fewer, both
 * innermost first; NULL keeps what is there. TMAP_BAD_ARGUMENT also when the map has another rank.
 */
TMAP_API tmap_status tmap_replace_tensor(tmap_descriptor *descriptor, uint64_t rank, const uint64_t *dims_el,
                                         const uint64_t *strides_B, tmap_archs archs, tmap_diag *refusal) TMAP_MUST_USE;

/*
 * What cuTensorMapSetAllocationClass does to the bytes: writes bit 85 and nothing else. AUTO chooses as the native
 * encoder (tmap_allocation_class_of). LARGE requires 128 KiB of accessible memory from the map's address while the map
 * is used: nothing checks this. *out (may be NULL) is the class that was set, SMALL or LARGE; after a failure it is
 * SMALL. TMAP_REFUSED leaves the descriptor as it was: a number that is no class, or bytes that are no tensor map.
 */
TMAP_API tmap_status tmap_set_allocation_class(tmap_descriptor *descriptor, tmap_allocation_class allocation_class,
                                               tmap_allocation_class *out, tmap_diag *refusal);

/* ---- DLPack --------------------------------------------------------------------------------------------------- */

/* DLPack's DLTensor (dlpack.h 1.1), byte for byte. */
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
 * around: the last dimension is dimension 0 of the map. `box` has ndim sizes in the tensor's order and counts what its
 * shape counts; or it is NULL. A DLTensor * of dlpack.h may be cast to the type of `tensor`: it is read as bytes.
 *
 * As CCCL's cuda::make_tma_descriptor, the tensor is in memory that a GPU reaches (kDLCUDA, kDLCUDAManaged, and here
 * kDLCUDAHost), of rank 1 to 5, and its last stride is 1. Types: integers and bool of 8 bits and all 8-bit floats are
 * u8; 16-bit integers u16; s32, u32, s64, u64, f16, bf16, f32, f64 themselves; 4-bit integers and floats b4x16; 6-bit
 * floats b6x16_p32. Lanes are 1, but for types below a byte: 16 lanes name the container and count values, as in CCCL;
 * 2 lanes of 4 bits count pairs, as PyTorch exports them. The stride of a dimension with one entry means nothing, and
 * exporters write anything there: where no map could hold it, the stride inside it is taken instead.
 *
 * TMAP_REFUSED: the tensor breaks one of the rules dlpack-… and *params is as it was. The parameters themselves are
 * not judged: tmap_build does that.
 */
TMAP_API tmap_status tmap_params_from_dlpack(const tmap_dl_tensor *tensor, const int64_t *box, tmap_map_params *params,
                                             tmap_diag *refusal) TMAP_MUST_USE;

/* ---- Native or driver ----------------------------------------------------------------------------------------- */

/* cuTensorMapEncodeTiled, with enums as int and CUresult as int: cast the pointer that cuGetProcAddress answers. */
typedef int tmap_encode_tiled(void *tensor_map, int data_type, uint32_t rank, void *global_address,
                              const uint64_t *global_dim, const uint64_t *global_strides, const uint32_t *box_dim,
                              const uint32_t *element_strides, int interleave, int swizzle, int l2_promotion,
                              int oob_fill);

/* cuTensorMapSetAllocationClass of CUDA 13.5, likewise. */
typedef int tmap_set_class_call(void *tensor_map, int allocation_class, int *out);

/* What a back end is made from. Zero-initialised: native, any architecture. */
typedef struct tmap_backend_options {
    tmap_encode_tiled *driver;             /* NULL: the back end has no driver */
    tmap_set_class_call *driver_set_class; /* NULL: the driver has none, and tmap writes the bit */
    int driver_version;                    /* of cuDriverGetVersion, for the message; 0: not known */
    tmap_archs archs;                      /* of the device: tmap_archs_of_chip */
    const tmap_map_params *maps;
    size_t maps_n;        /* maps to compare beside tmap's own */
    bool driver_is_judge; /* a map that the driver builds is not held to tmap's rules first */
    uint64_t reserved[4]; /* 0 */
} tmap_backend_options;

/*
 * Who builds: the native encoder where it was found to agree with this machine's driver, else the driver. Initialised
 * once, by one thread; then only read. It keeps no pointer but that to the driver's function.
 */
typedef struct tmap_backend {
    tmap_encode_tiled *driver;
    tmap_set_class_call *driver_set_class;
    tmap_archs archs;
    bool uses_driver, driver_is_judge;
    uint32_t compared_n, differing_n; /* maps */
    tmap_map_params differs;          /* the first that differs, when uses_driver is set; and how: */
    int result;                       /* the driver's CUresult; when it is 0: */
    tmap_field_diff difference;       /* the first field, a native, b of the driver */
    tmap_diag
        why; /* why it builds natively (advice; an error where tmap_backend_init fails), or by the driver (warning) */
    uint64_t reserved[4]; /* 0 */
} tmap_backend;

/*
 * Compares native and driver on 512 generated maps that the rules allow on `archs`, and on the caller's. The allocation
 * class is not compared: the driver's choice is not published, and changes no byte of a copy. The driver's function
 * needs a current context. Unless it answers TMAP_OK the back end is native, and `why` is the record of the refusal:
 * TMAP_UNAVAILABLE when the driver cannot be asked (a CUresult that is no verdict on a map), TMAP_REFUSED when one of
 * `maps` breaks a rule, TMAP_BAD_ARGUMENT without `options`, or without the maps that it counts.
 */
TMAP_API tmap_status tmap_backend_init(tmap_backend *backend, const tmap_backend_options *options);

/*
 * As tmap_build, by whoever was chosen; the driver needs a current context in every thread. TMAP_REFUSED also when the
 * driver refuses what the rules allow, TMAP_UNAVAILABLE when it cannot be asked or has no number for a swizzle.
 */
TMAP_API tmap_status tmap_backend_build(const tmap_backend *backend, const tmap_map_params *params,
                                        tmap_descriptor *descriptor, tmap_diag *refusal) TMAP_MUST_USE;

/*
 * tmap_set_allocation_class by whoever was chosen. A driver without cuTensorMapSetAllocationClass, older than
 * CUDA 13.5, is not asked. On a device where the class has no effect the driver changes nothing and *out is SMALL.
 * TMAP_UNAVAILABLE when the driver cannot be asked.
 */
TMAP_API tmap_status tmap_backend_set_allocation_class(const tmap_backend *backend, tmap_descriptor *descriptor,
                                                       tmap_allocation_class allocation_class,
                                                       tmap_allocation_class *out, tmap_diag *refusal);

#ifdef __cplusplus
}
#endif

#endif
