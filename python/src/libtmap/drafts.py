"""The arguments of a map before the map exists: filled in one by one, then frozen."""
from __future__ import annotations

from itertools import islice
from typing import Any, Callable, Iterable, Sequence

from . import _checked
from ._arrays import Array, CUDA, CUDA_HOST, array_of
from ._names import (ARCHS, CLASSES, FILLS, INTERLEAVES, MODES, OPS, PROMOTIONS, SWIZZLES, TYPES,
                     Choice, bits_of)
from ._native import ffi, lib
from .findings import Finding, MapError, findings_of, judge_of, new_finding, raise_for
from .fixes import Given, Words

_RANK_MAX, _OK = lib.TMAP_RANK_MAX, lib.TMAP_OK
OPTIONS = ("swizzle", "interleave", "l2_promotion", "oob_fill", "allocation_class")
MORE = ("order", "axes", "arch", *OPTIONS, "address", "allocation", "ops")  # keywords of every maker of tiled maps
CHOICES: dict[str, Choice] = dict(zip(OPTIONS, (SWIZZLES, INTERLEAVES, PROMOTIONS, FILLS, CLASSES)))
DEFAULTS = {name: choice.names[0] for name, choice in CHOICES.items()}
_ALIGNED = 1 << 20  # in place of the address of an array without data; nothing reads this address
_ALLOWED = {"dims": "1 to 2^32", "box": "1 to 256", "element_strides": "1 to 8", "strides": "a multiple of 16 below 2^40"}
_CORNERS = {n: f"-{1 << bits} to {(1 << bits) - 1}" for n, bits in ((1, 15), (2, 7), (3, 4))}  # by spatial dimensions
_PLAIN, _WIDE = Words(), Words({"mode": "mode"})
_ARRAYS = Words({"dims": "", "strides": "", "address": ""}, "array")


def check_order(order: Any) -> None:
    if not isinstance(order, str) or order not in ("outer", "inner"):
        raise ValueError(f"order is {_checked.shown(order)}; allowed: 'outer' (NumPy's), 'inner' (CUDA's)")


class Draft:
    """The parameters of a map that does not exist yet."""

    __slots__ = ("params", "order", "axes", "arch", "rank", "words", "findings")

    def __init__(self, type: Any, dims: Any, order: str, axes: Any, arch: Any, params: Any = None):
        """params: the parameters, instead of `type` and `dims`."""
        check_order(order)
        self.words = _PLAIN
        self.findings: tuple[Finding, ...] = ()  # about arguments of the call that are not parameters of the map
        self.order, self.arch, self.params = order, archs_of(arch) if arch is not None else None, params
        if params is None:
            number, dims = TYPES.number(type), _checked.integers(dims, "dims", allowed=_ALLOWED["dims"])
            if not 1 <= len(dims) <= _RANK_MAX:
                raise MapError(new_finding("error", f"dims has {len(dims)} numbers", "rank-range", str(len(dims)), f"1 to {_RANK_MAX}",
                                           "fold contiguous dimensions into one" if dims else "give a scalar a dimension of size 1"))
            self.params = ffi.new("tmap_map_params *", lib.tmap_map_params_tiled(number, len(dims)))
            self.params.dims_el = self.inner(dims)
        self.rank = rank = self.params.rank
        self.axes = axes_of(axes, rank) if axes is not None else ()

    def inner(self, values: list[int]) -> list[int]:
        """The same numbers, innermost first."""
        return values[::-1] if self.order == "outer" else values

    def put(self, member: str, values: Any, what: str) -> None:
        """Writes a number for each dimension."""
        setattr(self.params, member, self.inner(_checked.integers(values, what, self.rank, allowed=_ALLOWED[what])))

    def take_box(self, box: Any, element_strides: Any) -> None:
        self.put("box_el", box, "box")
        if element_strides is not None:
            self.put("element_strides", element_strides, "element_strides")

    def take_strides(self, strides: Any) -> None:
        """Accepts strides in bytes: of all dimensions, as in NumPy, or of all dimensions but the innermost, as in
        CUDA."""
        if strides is None:
            if not lib.tmap_map_params_dense(self.params):
                raise ValueError("the strides of a dense tensor with these dims do not fit 64 bits")
            return
        numbers = self.inner(_checked.integers(strides, "strides", allowed=_ALLOWED["strides"]))
        if len(numbers) == self.rank:
            self._check_innermost(numbers.pop(0))
        if len(numbers) != self.rank - 1:
            raise ValueError(f"strides has {_checked.counted(len(numbers), 'number')}; it must have {self.rank - 1} (all dimensions but the "
                             f"innermost) or {self.rank}")
        self.params.strides_B[0:len(numbers)] = numbers

    def _check_innermost(self, stride: int) -> None:
        bits = lib.tmap_type_get(self.params.type).bits
        if stride * 8 != bits and self.params.dims_el[0] != 1 and bits >= 8:
            raise ValueError(f"the innermost stride is {stride} B; the innermost stride of a tensor map of "
                             f"elements of {bits} bits is always {bits // 8} B"
                             f"{', because strides count bytes' if stride == 1 else ''}")

    def take_options(self, options: dict[str, Any]) -> None:
        params = self.params
        for name, value in options.items():
            if name in CHOICES:
                if value.__class__ is not str:
                    value = _with_unit(name, value)
                setattr(params, name, CHOICES[name].number(value))
            elif name == "address":
                if value is not None:
                    params.address, params.has_address = _checked.unsigned(value, "address"), True
            elif name == "allocation":
                params.allocation_B = _checked.unsigned(0 if value is None else value, "allocation")
            elif name == "ops":
                params.ops = bits_of(value, OPS)
            else:
                raise TypeError(f"a tensor map has no argument {name!r}")

    def freeze(self) -> tuple[Any, tuple[Finding, ...]]:
        """The frozen map (None if a rule rejects the map), and the findings."""
        frozen, diags = ffi.new("tmap_map *"), ffi.new("tmap_diags *")
        status = lib.tmap_map_init(frozen, self.params, judge_of(self.arch, self.axes, self.order), diags)
        findings = self.findings
        if diags.count:
            findings = findings_of(diags, self.rank, self.order, Given(self.params, self.order, self.words)) + findings
        if status == _OK:
            return frozen, findings
        if status != lib.TMAP_REFUSED:
            raise_for(status, "a tensor map")
        return None, findings


def _with_unit(name: str, value: Any) -> Any:
    """The name of an option. The sizes 32, 64, 96, 128 and 256 count bytes; 0 and None are "none"."""
    if value is None:
        return DEFAULTS[name]
    if type(value) is int:
        if name in ("swizzle", "interleave", "l2_promotion") and (value == 0 or value >= 16):
            return f"{value}B" if value else "none"
        raise TypeError(f"{name} is {value}; pass a name, because the driver's numbers have a different meaning in each enum")
    return value


@_checked.reads_objects
def archs_of(arch: Any) -> tuple[str, ...] | None:
    if arch is None:
        return None
    several = isinstance(arch, Iterable) and not isinstance(arch, str)
    archs: tuple[Any, ...] = tuple(islice(arch, len(ARCHS.names) + 1)) if several else (arch,)
    for name in archs:
        ARCHS.number(name)
    return archs


@_checked.reads_objects
def axes_of(axes: Any, rank: int) -> tuple[str, ...]:
    if axes is None:
        return ()
    names: tuple[str, ...] = tuple(islice(axes, rank + 1))
    if len(names) != rank or not all(isinstance(name, str) and "\0" not in name for name in names):
        raise ValueError(f"axes is {_checked.shown(names)}; it must have {rank} names, one for each dimension")
    return names


def of_call(make: Callable[..., Draft], arguments: tuple[Any, ...], order: str, options: dict[str, Any], words: Words,
            element_bits: int = 0, findings: tuple[Finding, ...] = ()) -> Draft:
    """The draft of a call of a framework, as the arguments of `tiled` or `im2col`, with the findings of the call."""
    rest = {**options}
    draft = make(*arguments, order, rest.pop("axes", None), rest.pop("arch", None), rest)
    draft.words, draft.findings = words._replace(element_bits=element_bits), findings
    return draft


def tiled(type: Any, dims: Any, box: Any, strides: Any, element_strides: Any, order: str, axes: Any, arch: Any,
          options: dict[str, Any]) -> Draft:
    draft = Draft(type, dims, order, axes, arch)
    draft.take_box(box, element_strides)
    draft.take_strides(strides)
    draft.take_options(options)
    return draft


def im2col(mode: str, type: Any, dims: Any, lower: Any, upper: Any, channels: Any, pixels: Any, strides: Any,
           element_strides: Any, order: str, axes: Any, arch: Any, options: dict[str, Any]) -> Draft:
    draft = Draft(type, dims, order, axes, arch)
    params = draft.params
    params.mode = MODES.number(mode)
    draft.words = _PLAIN if mode == "im2col" else _WIDE
    draft.take_options(options)
    if element_strides is not None:
        draft.put("element_strides", element_strides, "element_strides")
    n = lib.tmap_image_dims_of(params).walked_n
    corners = (("lower_corner", lower), ("upper_corner", upper))
    for name, corner in corners:
        numbers = draft.inner(_checked.signed_integers(corner, name, n if n else None, _CORNERS.get(n, "")))
        if len(numbers) > _RANK_MAX - 2:
            raise ValueError(f"{name} has {len(numbers)} numbers; it must have at most {_RANK_MAX - 2}")
        getattr(params, name)[0:len(numbers)] = numbers
    params.channels_per_pixel = _checked.unsigned(channels, "channels_per_pixel", "1 to 256")
    params.pixels_per_column = _checked.unsigned(pixels, "pixels_per_column", "1 to 1024")
    draft.take_strides(strides)
    return draft


def of_array(source: Any, type: Any, order: str, axes: Any, arch: Any) -> Draft:
    """The parameters of an array. Host memory has no address, except one that no map can have."""
    params = ffi.new("tmap_map_params *")
    array = array_of(source)
    _require_contiguous(source, array)
    _read_dlpack(array, params)
    if (array.on_host or array.address is None) and params.address % 16 == 0:
        params.has_address, params.address = False, 0
    draft = Draft(None, None, order, axes, arch, params)
    draft.words = _ARRAYS
    if type is not None:
        _retype(params, TYPES.number(type))
    return draft


def _require_contiguous(source: Any, array: Array) -> None:
    """Raises MapError for an array whose last dimension has another stride than 1, with the array to pass instead."""
    strides, shape = array.strides, array.shape
    if strides is None or not 1 <= len(shape) <= _RANK_MAX or shape[-1] < 2 or strides[-1] == 1:
        return
    raise MapError(new_finding(
        "error", f"the last dimension of the array has stride {strides[-1]}; shape {shape}, strides {strides} in elements",
        "inner-contiguous", f"stride {strides[-1]}", "stride 1: a map stores no stride of the innermost dimension",
        contiguous_fix(strides, "array", "box", type(source).__module__.partition(".")[0] == "torch")))


def contiguous_fix(strides: Sequence[int], name: str, arguments: str, torch: bool = True) -> str:
    """What to write for an operand whose last dimension does not have stride 1."""
    copy = f"{name}.contiguous()" if torch and " " not in name else f"np.ascontiguousarray({name})" if " " not in name else "a contiguous copy"
    if 1 not in strides:
        return f"{copy}: no dimension has stride 1"
    order = [i for i in range(len(strides)) if i != list(strides).index(1)] + [list(strides).index(1)]
    view = f"{name}.T" if len(order) == 2 else f"{name}.{'permute' if torch else 'transpose'}({', '.join(map(str, order))})"
    if " " in name:
        view = f"{name} transposed to the order of dimensions {tuple(order)}"
    return f"{view}, with {arguments} in this order, and the kernel reads the tile transposed; or {copy}"


def _read_dlpack(source: Array, params: Any) -> None:
    """Reads an array by the library's reader of DLPack tensors."""
    shape, strides = ffi.new("int64_t[]", source.shape), ffi.new("int64_t[]", source.strides or (0,))
    code, bits, lanes = source.dtype
    tensor = ffi.new("tmap_dl_tensor *")
    tensor.data = ffi.cast("void *", _ALIGNED if source.address is None else source.address)
    tensor.device.device_type = CUDA if source.device == CUDA else CUDA_HOST
    tensor.ndim, tensor.shape, tensor.strides = len(source.shape), shape, strides if source.strides else ffi.NULL
    tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = code, bits, lanes
    refusal = ffi.new("tmap_diag *")
    raise_for(lib.tmap_params_from_dlpack(tensor, ffi.NULL, params, refusal), "an array", refusal)


def _retype(params: Any, number: int) -> None:
    """Changes the element type of the same memory. Dimension 0 then counts values of the new type."""
    old, new = (lib.tmap_type_get(t).bits for t in (params.type, number))
    bits = params.dims_el[0] * old
    if bits % new:
        raise ValueError(f"a row of {params.dims_el[0]} elements of {old} bits is not a whole number of elements "
                         f"of {new} bits, which type {TYPES.names[number]!r} requires")
    params.type, params.dims_el[0] = number, min(bits // new, _checked.UINT64_MAX)
