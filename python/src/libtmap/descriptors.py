"""The 128 bytes of a descriptor: from maps, and from the objects that frameworks use for tensor maps."""
from __future__ import annotations

import ctypes
import importlib
from typing import TYPE_CHECKING, Any

from . import _native as native, copies
from ._arrays import array_of
from ._checked import counted, integer_of, reads_objects
from ._names import ARCHS, bits_of, names_arguments
from ._native import ffi, lib
from .calls import DRIVERS, cuda_core
from .findings import findings_of, judge_of, raise_for
from .drafts import Draft, archs_of, axes_of
from .properties import Properties

if TYPE_CHECKING:
    from .maps import TensorMap

_SIZE_B, _ALIGN_B = 128, 64


class _Room:
    """Memory for a descriptor, or for another type that contains one. The address is a multiple of 64 B, as tmap_descriptor
    requires."""

    def __init__(self, content: bytes = b"", type: str = "tmap_descriptor"):
        self._size_B = ffi.sizeof(type)
        self._held = ffi.new("uint8_t[]", self._size_B + _ALIGN_B)
        address = int(ffi.cast("uintptr_t", self._held))
        self.pointer = ffi.cast(f"{type} *", self._held + -address % _ALIGN_B)
        ffi.memmove(self.pointer, content, len(content))

    def bytes(self) -> bytes:
        return bytes(ffi.buffer(self.pointer, self._size_B))


ENCODERS = {"dsl": lib.TMAP_ENCODER_DSL, "driver": lib.TMAP_ENCODER_DRIVER}


def _encoded(map: Properties, encoder: str) -> bytes:
    """The descriptor of a map, by tmap's own encoder, in the form of `encoder`."""
    if encoder not in ENCODERS:
        raise ValueError(f"encoder is {encoder!r}; allowed: 'dsl' (the default) or 'driver'")
    room = _Room()
    if not lib.tmap_descriptor_encode_as(map._map, ENCODERS[encoder], room.pointer):
        why = ffi.string(lib.tmap_descriptor_unknown_mode(map._map.params.mode)).decode()
        raise RuntimeError(f"a map of mode {map.mode!r} cannot be encoded: {why}")
    return room.bytes()


class Prepared:
    """A map for launches that differ only in the address. A call returns the descriptor at an address: 128 bytes."""

    __slots__ = ("map", "_prepared")

    def __init__(self, map: TensorMap):
        self.map = map
        room, refusal = _Room(type="tmap_prepared"), ffi.new("tmap_diag *")
        status = lib.tmap_prepare(ffi.addressof(map._map, "params"), bits_of(map.arch, ARCHS), room.pointer, refusal)
        raise_for(status, "a tensor map", refusal)
        self._prepared = room.bytes()

    def __call__(self, address: int) -> bytes:
        return native.prepared_at(self._prepared, address) or self.map.descriptor(address)


def _decoded(descriptor: Any, order: str, arch: tuple[str, ...] | None) -> Draft:
    """The parameters that a descriptor encodes. Raises MapError for bits that have no meaning."""
    room = _Room(descriptor_bytes(descriptor))
    params, diags = ffi.new("tmap_map_params *"), ffi.new("tmap_diags *")
    status = lib.tmap_descriptor_decode(room.pointer, params, judge_of(arch), diags)
    findings = findings_of(diags, int(params.rank), order)
    raise_for(status, "a descriptor", findings=findings)
    draft = Draft(None, None, order, None, arch, params)
    params.has_address = params.address != 0
    return draft


def descriptor_key(descriptor: Any) -> bytes:
    """The 128 bytes of a descriptor without the numbers on which no copy depends, as a key of caches.

    descriptor: as for :meth:`TensorMap.from_descriptor`. The driver and the CuTe DSL write different descriptors of one
    map; their keys are equal. The key has no allocation class, and is not a descriptor for copies.
    """
    room = _Room(descriptor_bytes(descriptor))
    lib.tmap_descriptor_key(room.pointer, room.pointer)
    return room.bytes()


def descriptor_equal(a: Any, b: Any) -> bool:
    """Whether two descriptors have the same key (:func:`descriptor_key`), so that copies through both move the same
    data."""
    return descriptor_key(a) == descriptor_key(b)


@reads_objects
def descriptor_bytes(descriptor: Any) -> bytes:
    """The 128 bytes of an object that holds a descriptor."""
    held = getattr(descriptor, "opaque", descriptor)
    for read in (_of_words, _of_cuda_core, _of_buffer, _of_array):
        found = read(held)
        if found is not None:
            break
    else:
        raise TypeError(f"{type(descriptor).__name__} is not a descriptor: pass 128 bytes, 16 words of 64 bits, a ctypes object, "
                        "a CUtensorMap or a TensorMapDescriptor")
    if len(found) != _SIZE_B:
        raise ValueError(f"the descriptor has {counted(len(found), 'byte')}; it must have {_SIZE_B}")
    return found


def _of_words(held: Any) -> bytes | None:
    """The bytes of a list or an array of integers: 16 words of 64 bits, as `opaque` of a CUtensorMap of cuda.bindings, 32
    words of 32 bits, or 128 bytes. The words may be negative numbers, and objects that have only __int__. The order of
    the bytes in an array, and its strides, do not matter."""
    words: list[Any] = []
    of_array = hasattr(held, "tolist") and hasattr(held, "dtype")
    if not of_array and not isinstance(held, (list, tuple)):
        return None
    _flatten(held, words)
    if of_array and any(isinstance(word, (bytes, float, complex)) for word in words):
        return None  # an array of other elements, whose bytes are the descriptor
    if not words or _SIZE_B % len(words) or len(words) < 16:
        raise ValueError(f"the descriptor has {counted(len(words), 'word')}; it must have 16 words of 64 bits, 32 of 32 bits, or 128 bytes")
    bits = 8 * _SIZE_B // len(words)
    numbers = [integer_of(word, f"word {i} of the descriptor") for i, word in enumerate(words)]
    for i, number in enumerate(numbers):
        if not -1 << bits - 1 <= number < 1 << bits:
            raise ValueError(f"word {i} of the descriptor is {number}; each of {len(words)} words has {bits} bits")
    return b"".join((number % (1 << bits)).to_bytes(bits // 8, "little") for number in numbers)


def _flatten(value: Any, words: list[Any]) -> None:
    """Adds the numbers of nested lists and arrays to `words`; more than 128 are too many."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        words.append(value)
        return
    for item in value:
        if len(words) <= _SIZE_B:
            _flatten(item, words)


def _of_cuda_core(descriptor: Any) -> bytes | None:
    """The bytes of a TensorMapDescriptor of cuda.core. The object has no bytes in Python: the class that passes
    arguments to kernels has the address of its bytes."""
    kind = type(descriptor)
    if kind.__name__ != "TensorMapDescriptor" or not kind.__module__.startswith("cuda.core"):
        return None
    holder = importlib.import_module("cuda.core._kernel_arg_handler").ParamHolder((descriptor,))
    address = ctypes.cast(holder.ptr, ctypes.POINTER(ctypes.c_void_p))[0]
    return ctypes.string_at(address or 0, _SIZE_B)


def _of_buffer(descriptor: Any) -> bytes | None:
    try:
        view = memoryview(descriptor)
        content = view.tobytes() if view.nbytes <= _SIZE_B else bytes(view.nbytes)  # of another size, which is refused
    except (TypeError, ValueError, BufferError):
        return None
    if "O" in view.format:
        return None
    if view.format.startswith((">", "!")):  # ctypes' classes of big-endian numbers
        content = b"".join(content[i:i + view.itemsize][::-1] for i in range(0, len(content), view.itemsize))
    return content


def _of_array(descriptor: Any) -> bytes | None:
    """The bytes of an array in host memory that has no buffer, such as a tensor of PyTorch."""
    try:
        array = array_of(descriptor)
    except TypeError:
        return None
    if not array.on_host or not array.address or array.span_B() != _SIZE_B:
        raise ValueError(f"an array of shape {array.shape} is not a descriptor: pass a contiguous array of {_SIZE_B} bytes in host memory")
    return ctypes.string_at(array.address, _SIZE_B)


# ---- The verbs of maps -----------------------------------------------------------------------------------------------

@names_arguments()
def from_descriptor(cls: type[TensorMap], /, descriptor: Any, *, order: str = "outer", axes: Any = None,
                    arch: Any = None) -> TensorMap:
    """The map that a descriptor encodes.

    descriptor: 128 bytes as bytes, an array, a ctypes object, 16 words of 64 bits, a CUtensorMap of cuda.bindings, or a
    TensorMapDescriptor of cuda.core. Raises TypeError for another object, ValueError for another size, and MapError
    for bits that no encoder sets.
    """
    draft = _decoded(descriptor, order, archs_of(arch))
    draft.axes = axes_of(axes, draft.rank)
    return cls._of_draft(draft)


@native.method
@names_arguments()
def descriptor(map: TensorMap, /, address: int | None = None, *, encoder: str = "dsl") -> bytes:
    """The 128 bytes of the map, with another address if `address` is given.

    encoder: "dsl" for the bytes of the CuTe DSL's encoder, "driver" for those of driver 580 on sm_120. They differ
    only in numbers on which no copy depends (:func:`libtmap.descriptor_equal`). Raises RuntimeError for the wide
    im2col modes, because no source shows their encoding.
    """
    copies.native_map(map)
    return _encoded(map if address is None else map.replace(address=address), encoder)


def prepared(map: TensorMap) -> Prepared:
    """A map for a launcher, whose launches differ only in the address: ``prepared(address)`` is
    ``map.descriptor(address)``, without judging the map again."""
    return Prepared(map)


def to_ctypes(map: TensorMap) -> Any:
    """The descriptor as a ctypes array of 128 bytes at an address that is a multiple of 64."""
    content = map.descriptor()
    block = ctypes.create_string_buffer(_SIZE_B + _ALIGN_B)
    array = (ctypes.c_uint8 * _SIZE_B).from_buffer(block, -ctypes.addressof(block) % _ALIGN_B)
    array[:] = list(content)
    return array


def to_cuda(map: TensorMap) -> Any:
    """The descriptor as cuda.bindings.driver.CUtensorMap. Raises ImportError without cuda.bindings."""
    content = map.descriptor()
    driver = importlib.import_module("cuda.bindings.driver")
    found = driver.CUtensorMap()
    found.opaque = [driver.cuuint64_t(int.from_bytes(content[i:i + 8], "little")) for i in range(0, _SIZE_B, 8)]
    return found


def to_cuda_core(map: TensorMap, /, array: Any) -> Any:
    """The map of `array`, in device memory, as TensorMapDescriptor of cuda.core. cuda.core makes the object by the
    driver. Raises ImportError without cuda.core, and ValueError for an array with other dims or strides."""
    enums = importlib.import_module("cuda.core._tensor_map")
    if map.mode != "tiled":
        raise ValueError(f"as_tensor_map of cuda.core makes only tiled maps; this map has mode {map.mode!r}")
    views = importlib.import_module("cuda.core.utils")
    view = views.StridedMemoryView.from_any_interface(array, stream_ptr=-1)
    box, steps = (numbers[::-1] if map.order == "inner" else numbers for numbers in (map.box, map.element_strides))
    params = cuda_core(view, box, None, {}).params
    found = tuple(params.dims_el[0:params.rank])[::-1], tuple(params.strides_B[0:params.rank - 1])[::-1]
    if found != map._outermost_first():
        raise ValueError(f"the array has dims {found[0]} with strides {found[1]} B, which are not those of the map")
    params = map._map.params
    kinds = ("DataType", "Interleave", "Swizzle", "L2Promotion", "OOBFill")
    given = {name: getattr(enums, f"TensorMap{kind}")(int(choice.get(getattr(params, name)).cu))
             for kind, (name, choice) in zip(kinds, DRIVERS.items())}
    return view.as_tensor_map(box, element_strides=steps, data_type=given.pop("type"), **given)
