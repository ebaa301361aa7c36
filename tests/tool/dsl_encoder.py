"""Drives the descriptor encoder of NVIDIA's CuTe DSL on the CPU; runs in an environment that has nvidia-cutlass-dsl.

usage: dsl_encoder.py < maps > descriptors
A line of input is a list of maps in JSON, which are compiled together. A line of output is the list of their
descriptors: the 64 bytes that the encoder writes, in hexadecimal digits. If the encoder refuses a map, the line ends
with a text; if the encoder crashes on a map, the process ends. The caller then sends fewer maps. CUTE_DSL_ARCH names the
target.
"""
import ctypes
import json
import sys

import cutlass
import cutlass._mlir.dialects.cute as cute_ir
import cutlass._mlir.dialects.cute_nvgpu as nvgpu_ir
import cutlass.cute as cute
from cutlass._mlir import ir
from cutlass.cute import core

SLOT_B = 128  # bytes of a descriptor in the buffer
POISON = 0xEE


def accept_im2col_pointers():
    """The class of pointers accepts only pointers to tiled descriptors."""
    made = core._Pointer.__init__

    def init(self, value, dtype=None):
        if "tma_descriptor_im2col" in str(value.type):
            self.value, self._dtype = value, None
        else:
            made(self, value, dtype)

    core._Pointer.__init__ = init


def ir_value(x):
    return x if isinstance(x, ir.Value) else x.value


def ints(numbers):
    return core._pack_int_tuple(tuple(numbers))


def place(kind, address):
    pointer = ir.Type.parse(f"!cute.ptr<!cute_nvgpu.tma_descriptor_{kind}, generic, align<64>>")
    aligned = cute_ir.assume(cute_ir.ConstrainedIntType.get(64, 64), address.ir_value())
    return ir_value(cute_ir.inttoptr(pointer, aligned))


def attributes(one):
    return {"tma_format": ir.Attribute.parse(f"#cute_nvgpu.tma_data_format<{one['format']}>")}


def shared_layout(one, shape):
    strides, n = [], 1
    for size in shape:
        strides.append(n)
        n *= size
    return cute.make_composed_layout(cute.make_swizzle(*one["swizzle"]), 0,
                                     cute.make_layout(tuple(shape), stride=tuple(strides)))


def encode_tiled(one, pointer, address):
    tensor = cute.make_tensor(pointer, cute.make_layout(tuple(one["dims"]), stride=tuple(one["strides"])))
    values = core.composition(cute.make_identity_layout(tensor.shape), tuple(one["box"]))
    more = attributes(one)
    if "element_strides" in one:
        more["traversal_stride"] = ints(one["element_strides"])
    nvgpu_ir.make_tma_desc_tiled_at(ir_value(tensor), ir_value(shared_layout(one, one["box"])), ir_value(values),
                                    place("tiled", address),
                                    mode=ir.Attribute.parse(f"#cute_nvgpu.tma_load_mode<{one['mode']}>"), **more)


def encode_im2col(one, pointer, address):
    """The tensor is ((w, h, d, n), c); the box is (pixels, channels) with contiguous channels."""
    dims, strides, spatial = one["dims"], one["strides"], len(one["dims"]) - 2
    tensor = cute.make_tensor(pointer, cute.make_layout((tuple(dims[1:]), dims[0]),
                                                        stride=(tuple(strides[1:]), strides[0])))
    pixels, channels = one["pixels"], one["channels"]
    box = cute.make_composed_layout(cute.make_swizzle(*one["swizzle"]), 0,
                                    cute.make_layout((pixels, channels), stride=(channels, 1)))
    none, each = ints([0] * spatial), ints([1] * spatial)
    nvgpu_ir.make_tma_desc_im2col_at(ir_value(tensor), ir_value(box),
                                     ir_value(cute.make_identity_layout((pixels, channels))), ints(one["lower"]),
                                     ints(one["upper"]), none, none, ints(one["steps"]), none, each,
                                     place("im2col", address), **attributes(one))


def encode(maps):
    @cute.jit
    def host(out: cutlass.Int64):
        for i, one in enumerate(maps):
            pointer = cute.make_ptr(getattr(cutlass, one["element"]), cutlass.Int64(one["address"]),
                                    cute.AddressSpace.gmem, assumed_align=16)
            make = encode_im2col if one["mode"] == "im2col" else encode_tiled
            make(one, pointer, out + i * SLOT_B)

    size = len(maps) * SLOT_B
    buffer = (ctypes.c_uint8 * (size + SLOT_B))(*([POISON] * (size + SLOT_B)))
    start = (ctypes.addressof(buffer) + SLOT_B - 1) // SLOT_B * SLOT_B
    cute.compile(host, cutlass.Int64(start))(cutlass.Int64(start))
    return [ctypes.string_at(start + i * SLOT_B, SLOT_B).hex() for i in range(len(maps))]


accept_im2col_pointers()
for line in sys.stdin:
    try:
        answer = encode(json.loads(line))
    except Exception as error:  # any error of the encoder is an answer
        answer = f"{type(error).__name__}: {str(error)[-300:]}"
    print(json.dumps(answer), flush=True)
