/*
 * runtime: functions for runtimes and launchers, which build descriptors from parameters without a call of the driver
 * for each tensor. Structs are on the caller's stack. No function allocates, locks or shares state, so any number of
 * threads may call at once.
 *
 * If a function does not return TMAP_OK it writes the reason to `refusal` (tmap_diag_line formats it as one line);
 * `refusal` may be NULL. For TMAP_BAD_ARGUMENT the record names the argument. For TMAP_OK, tmap_build, tmap_build_check
 * and tmap_prepare write the first warning about the map: forgotten strides (a broadcast), and strides in elements
 * instead of bytes (rows that overlap), are legal. Without a warning `refusal->message` is empty. `archs` is the set of
 * target architectures; 0: any, and an error on some architectures only is then accepted, as in tmap_check_map.
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_RUNTIME_H
#define TMAP_RUNTIME_H

#include "tmap/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Checks the parameters and encodes them natively. Returns TMAP_REFUSED, and does not write *descriptor, if the
 * parameters break a rule of severity error: the record describes the first error and counts the others. Returns
 * TMAP_UNAVAILABLE for a mode that tmap cannot encode (tmap_descriptor_unknown_mode).
 */
TMAP_API tmap_status tmap_build(const tmap_map_params *params, tmap_archs archs, tmap_descriptor *descriptor,
                                tmap_diag *refusal) TMAP_MUST_USE;
/* Checks the parameters as tmap_build does, without encoding them. */
TMAP_API tmap_status tmap_build_check(const tmap_map_params *params, tmap_archs archs,
                                      tmap_diag *refusal) TMAP_MUST_USE;

/* A map whose launches differ only in the address. Only tmap_prepare and tmap_prepared_at use the members. */
typedef struct tmap_prepared {
    tmap_map_params params;
    tmap_archs archs;
    uint64_t align_B;
    tmap_descriptor descriptor;
    uint64_t reserved[4]; /* 0 */
} tmap_prepared;

/* Checks and encodes the parameters as tmap_build does, and keeps the result for tmap_prepared_at. */
TMAP_API tmap_status tmap_prepare(const tmap_map_params *params, tmap_archs archs, tmap_prepared *prepared,
                                  tmap_diag *refusal) TMAP_MUST_USE;
/*
 * Writes the descriptor that tmap_build would write for the same parameters with `address`, or returns its refusal. The
 * usual cost is that of a copy of 128 bytes.
 */
TMAP_API tmap_status tmap_prepared_at(const tmap_prepared *prepared, uint64_t address, tmap_descriptor *descriptor,
                                      tmap_diag *refusal) TMAP_MUST_USE;

/*
 * Changes the address of a descriptor, whether tmap or the driver encoded it.
 *
 * For this function and tmap_replace_tensor: the result is checked as a whole, as if it were built again. If the
 * function returns TMAP_REFUSED, the descriptor does not change. All other bits, known or not, stay unchanged, except
 * the allocation class (bit 85): a class that the native encoder chooses for the old tensor becomes the class that it
 * chooses for the new tensor, and any class becomes SMALL where nvbug 5736804 requires SMALL (rule
 * desc-small-allocation).
 *
 * The address must keep the alignment that the map requires (16 or 32 bytes), as for cuTensorMapReplaceAddress.
 */
TMAP_API tmap_status tmap_replace_address(tmap_descriptor *descriptor, uint64_t address, tmap_archs archs,
                                          tmap_diag *refusal) TMAP_MUST_USE;
/*
 * Changes the dims and strides of a descriptor; the driver has no such call. `dims_el` has `rank` numbers, `strides_B`
 * has rank - 1, both innermost first; NULL keeps the descriptor's numbers. Returns TMAP_BAD_ARGUMENT also if the
 * descriptor has another rank.
 */
TMAP_API tmap_status tmap_replace_tensor(tmap_descriptor *descriptor, uint64_t rank, const uint64_t *dims_el,
                                         const uint64_t *strides_B, tmap_archs archs, tmap_diag *refusal) TMAP_MUST_USE;

/*
 * Changes the bytes as cuTensorMapSetAllocationClass does: writes bit 85 and nothing else. AUTO chooses as the native
 * encoder (tmap_allocation_class_of). LARGE requires 128 KiB of accessible memory from the map's address while the map
 * is used: nothing checks this. *out (may be NULL) is the class that was set, SMALL or LARGE; after a failure SMALL.
 * Returns TMAP_REFUSED, and does not change the descriptor, if the number is not a class or the bytes are not a tensor
 * map.
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
 * Writes the parameters of a tiled map of the tensor: its type, dims, strides and address; all other members have their
 * defaults. The order of dimensions is reversed: DLPack's last dimension is dimension 0 of the map. `box` has ndim
 * sizes in the tensor's order, in the units of its shape; or `box` is NULL. A DLTensor * of dlpack.h may be cast to the
 * type of `tensor`: the function reads it as bytes.
 *
 * As in CCCL's cuda::make_tma_descriptor, the tensor must be in memory that a GPU can access (kDLCUDA, kDLCUDAManaged,
 * and here kDLCUDAHost), must have rank 1 to 5, and its last stride must be 1. Types: integers and bool of 8 bits and
 * all 8-bit floats become u8; 16-bit integers u16; s32, u32, s64, u64, f16, bf16, f32, f64 themselves; 4-bit integers
 * and floats b4x16; 6-bit floats b6x16_p32. Lanes must be 1, except for types below a byte: 16 lanes mean the
 * container, and the shape counts values, as in CCCL; 2 lanes of 4 bits mean that the shape counts pairs, as PyTorch
 * exports them. The stride of a dimension with one entry has no meaning, and exporters write any number: if no map can
 * hold that number, the stride of the next inner dimension is used instead.
 *
 * Returns TMAP_REFUSED, and does not write *params, if the tensor breaks one of the rules dlpack-…, rank-range and
 * inner-contiguous. The parameters themselves are not checked: tmap_build checks them.
 */
TMAP_API tmap_status tmap_params_from_dlpack(const tmap_dl_tensor *tensor, const int64_t *box, tmap_map_params *params,
                                             tmap_diag *refusal) TMAP_MUST_USE;

/* ---- Native or driver ----------------------------------------------------------------------------------------- */

/* cuTensorMapEncodeTiled, with enums as int and CUresult as int: cast the pointer that cuGetProcAddress returns. */
typedef int tmap_encode_tiled(void *tensor_map, int data_type, uint32_t rank, void *global_address,
                              const uint64_t *global_dim, const uint64_t *global_strides, const uint32_t *box_dim,
                              const uint32_t *element_strides, int interleave, int swizzle, int l2_promotion,
                              int oob_fill);

/* cuTensorMapSetAllocationClass of CUDA 13.5, in the same way. */
typedef int tmap_set_class_call(void *tensor_map, int allocation_class, int *out);

/* Options of a back end. All members 0: native, any architecture. */
typedef struct tmap_backend_options {
    tmap_encode_tiled *driver;             /* NULL: the back end has no driver */
    tmap_set_class_call *driver_set_class; /* NULL: the driver has no such function, and tmap writes the bit */
    int driver_version;                    /* from cuDriverGetVersion, for the message; 0: not known */
    tmap_archs archs;                      /* of the device: see tmap_archs_of_chip */
    const tmap_map_params *maps;
    size_t maps_n;              /* number of `maps`, which are compared in addition to tmap's own */
    bool skip_rules_for_driver; /* maps that the driver builds are not checked by tmap's rules first */
    uint64_t reserved[4];       /* 0 */
} tmap_backend_options;

/*
 * A back end: the native encoder if it agrees with this machine's driver, else the driver. One thread initializes it
 * once; afterwards it is only read. It keeps no pointers except those to the driver's functions.
 */
typedef struct tmap_backend {
    tmap_encode_tiled *driver;
    tmap_set_class_call *driver_set_class;
    tmap_archs archs;
    bool uses_driver, skip_rules_for_driver;
    uint32_t compared_n, differing_n; /* maps */
    tmap_map_params differs;          /* if uses_driver: the first map that differs */
    int result;                       /* the driver's CUresult for `differs` */
    tmap_field_diff difference; /* if `result` is 0: the first field that differs; a is native, b is the driver's */
    tmap_diag why;        /* reason for native (advice; error if tmap_backend_init fails) or for the driver (warning) */
    uint64_t reserved[4]; /* 0 */
} tmap_backend;

/*
 * Compares the native encoder and the driver on 512 generated maps that the rules allow on `archs`, and on the caller's
 * maps. The allocation class is not compared: the driver's choice is not published, and the class changes no byte of a
 * copy. The driver's function needs a current context.
 *
 * If the result is not TMAP_OK the back end is native, and `why` is the record of the refusal. Returns TMAP_UNAVAILABLE
 * if the driver's function returns a CUresult that is not a verdict on a map; TMAP_REFUSED if one of `maps` breaks a
 * rule; TMAP_BAD_ARGUMENT if `options` is NULL, or `maps` is NULL and maps_n is not 0.
 */
TMAP_API tmap_status tmap_backend_init(tmap_backend *backend, const tmap_backend_options *options);

/*
 * Builds as tmap_build does, with the encoder that the back end chose; the driver needs a current context in every
 * thread. Returns TMAP_REFUSED also if the driver rejects a map that the rules allow; TMAP_UNAVAILABLE if the driver's
 * CUresult is not a verdict on the map, or if cuTensorMapEncodeTiled cannot express the map (a mode other than tiled,
 * or swizzle 96B).
 */
TMAP_API tmap_status tmap_backend_build(const tmap_backend *backend, const tmap_map_params *params,
                                        tmap_descriptor *descriptor, tmap_diag *refusal) TMAP_MUST_USE;

/*
 * Works as tmap_set_allocation_class, with the encoder that the back end chose. A driver without
 * cuTensorMapSetAllocationClass, older than CUDA 13.5, is not called. On a device where the class has no effect the
 * driver changes nothing and *out is SMALL. Returns TMAP_REFUSED also if the driver rejects the call; TMAP_UNAVAILABLE
 * if its CUresult is not a verdict on the map.
 */
TMAP_API tmap_status tmap_backend_set_allocation_class(const tmap_backend *backend, tmap_descriptor *descriptor,
                                                       tmap_allocation_class allocation_class,
                                                       tmap_allocation_class *out, tmap_diag *refusal);

#ifdef __cplusplus
}
#endif

#endif
