"""Converts the calls by which frameworks make descriptors to the arguments of maps.

The makers at the end freeze the draft of the map that the call encodes.
"""
from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Sequence

from . import _checked, _native as native
from ._arrays import address_of, array_of
from ._checked import counted, number_of
from ._names import FILLS, INTERLEAVES, OPS, PROMOTIONS, SWIZZLES, TYPES, bits_of, names_arguments, text_of
from ._native import ffi, lib
from .drafts import MORE, Draft, contiguous_fix, im2col, of_array, of_call, tiled
from .findings import Finding, MapError, new_finding
from .fixes import Words

if TYPE_CHECKING:
    from .maps import TensorMap

_ENUMS = ("interleave", "swizzle", "l2_promotion", "oob_fill")  # the last parameters of cuTensorMapEncodeTiled
DRIVERS = {choice.what: choice for choice in (TYPES, INTERLEAVES, SWIZZLES, PROMOTIONS, FILLS)}  # enums of the driver
_ARGUMENTS_MAX = 64  # of a call; tilelang's longest list has 32
_BOX_MOST = 256  # boxDim of cuTensorMapEncodeTiled
_BITS = [lib.tmap_type_get(number).bits for number in range(len(TYPES.names))]
_NAME_MAX = 40  # of the name of a type; a longer string is a text that has maps
_SPAN_OF = {name: span for span in (128, 64, 32) for name in (span, f"{span}B")}  # the swizzles that Triton has


def _named(member: str, value: Any) -> str:
    """The name of a number in an enum of the driver."""
    return DRIVERS[member].of_driver(number_of(value, member))


def _numbers(values: Any, what: str) -> list[int]:
    return [number_of(value, what) for value in _checked.items(values, what, _checked.NUMBERS_MAX)]


# ---- The driver --------------------------------------------------------------------------------------------------------------

_IM2COL_CALL = Words({"dims": "global_dim", "strides": "global_strides", "address": "global_address", "type": "",
                      "arch": "", "lower_corner": "pixel_box_lower_corner", "upper_corner": "pixel_box_upper_corner",
                      **dict.fromkeys(_ENUMS, "")}, "call")
_WIDE_MODES = ("im2col_w", "im2col_w128")  # CUtensorMapIm2ColWideMode


def of_im2col_call(mode: int | None, address: int, lists: list[list[int]], corners: list[list[int]], counts: list[int],
                   enums: list[int]) -> Draft:
    """The draft of cuTensorMapEncodeIm2col or, with the number of a wide mode, of cuTensorMapEncodeIm2colWide."""
    (dims, strides, steps), (lower, upper), (channels, pixels) = lists, corners, counts
    kind, *rest = [_named(name, value) for name, value in zip(DRIVERS, enums)]
    options = {"address": address, **dict(zip(list(DRIVERS)[1:], rest))}
    name = "im2col" if mode is None else _WIDE_MODES[mode]
    return of_call(im2col, (name, kind, dims, lower, upper, channels, pixels, strides, steps), "inner", options, _IM2COL_CALL)


# ---- Triton --------------------------------------------------------------------------------------------------------------

_TRITON = Words({"dims": "shape", "box": "block_shape", "oob_fill": "padding"}, "call")
_PADDED = Words({"dims": "", "box": "", "type": "", "oob_fill": "padding"}, "call")  # the map counts values, the call bytes
_COMPILED = Words({"dims": "shape", "box": "", "type": "", "swizzle": "", "oob_fill": "padding"}, "metadata")
_METADATA = ("swizzle", "elem_size", "elem_type", "block_size")  # of an entry of kernel.metadata.tensordesc_meta
_FOUR_ROWS = sum(1 << number for number in range(len(OPS.names)) if lib.tmap_op_get(number).four_rows)
_DESCRIPTORS = Words(dict.fromkeys(("dims", "strides", "box", "oob_fill", "address"), ""), "descriptor")


@_checked.reads_objects
def triton(base: Any, shape: Any, strides: Any, block_shape: Any, padding: str, swizzle: Any, fp4_padded: bool,
           options: dict[str, Any]) -> Draft:
    """The call TensorDescriptor(base, shape, strides, block_shape, padding), or tl.make_tensor_descriptor with these
    arguments."""
    if padding not in ("zero", "nan"):
        raise ValueError(f"padding is {_checked.shown(padding)}; allowed: 'zero', 'nan'")
    if base.__class__ is str and len(base) > _NAME_MAX:
        return of_text(base, options)
    if base.__class__ is not str:
        if hasattr(base, "block_shape"):
            if (shape, strides, block_shape) != (None, None, None):
                raise TypeError("with a TensorDescriptor, shape, strides and block_shape are not allowed: the descriptor "
                                "contains them")
            return _of_descriptor(base, swizzle, fp4_padded, options)
        if isinstance(base, (Mapping, list)) or hasattr(getattr(base, "metadata", base), "tensordesc_meta"):
            if (block_shape, swizzle, fp4_padded) != (None, None, False):
                raise TypeError("with tensordesc_meta, block_shape, swizzle and fp4_padded are not allowed: the metadata contains them")
            return _of_metadata(_entry_of(base), shape, strides, padding, options)
    given, kind, bits = _of_triton_type(base, padding, fp4_padded, options)
    block, sizes, steps = _numbers(block_shape, "block_shape"), _numbers(shape, "shape"), _strides_B(strides, bits)
    if not len(block) == len(sizes) == (len(block) if steps is None else len(steps) + 1):
        raise ValueError(f"block_shape has {counted(len(block), 'number')}, strides {'none' if steps is None else len(steps) + 1} and shape "
                         f"{len(sizes)}; they must have equally many")
    gathers = "ops" in given and bool(bits_of(given["ops"], OPS) & _FOUR_ROWS)
    findings: tuple[Finding, ...] = ()
    if swizzle is None:
        swizzle = 128 if fp4_padded else native.span(block, bits, gathers)  # a padded fp4 has no other swizzle
        if "ops" not in given and len(block) == 2 and block[0] == 1:
            findings = _may_gather(block, bits, swizzle)
    if "swizzle" not in given:
        given["swizzle"] = swizzle
    if base.__class__ is not str:
        findings, given = findings + _contradictions(base, sizes, strides), _with_address(base, given)
    box = _box_of(block, bits, fp4_padded, given["swizzle"])
    return of_call(tiled, (kind, _values(sizes, fp4_padded), box, steps, None), "outer", given,
                   _PADDED if fp4_padded else _TRITON, bits, findings)


def _contradictions(base: Any, shape: list[int], strides: Any) -> tuple[Finding, ...]:
    """The finding for strides that are not those of the array, if the array has the given shape."""
    try:
        array = array_of(base)
    except (TypeError, ValueError):
        return ()
    own = tuple(array.strides or _dense(list(array.shape)))
    given = _dense(shape) if strides is None else _numbers(strides, "strides")
    if array.strides is None and any(step < shape[-1] for step in given[:-1]):
        return ()  # rule stride-below-row has the same fix
    if list(array.shape) != shape or all(n < 2 or a == b for n, a, b in zip(shape, own, given)):
        return ()
    if shape[-1] > 1 and own[-1] != 1:
        raise MapError(_not_contiguous(f"the array has strides {own}, and the call has strides {tuple(given)}", own))
    return (new_finding("warning", f"strides is {tuple(given)}, and the array has strides {own}: the map does not describe the "
                        "elements of the array", fix=f"strides={own}", changes=({"strides": own},)),)


def _dense(shape: list[int]) -> list[int]:
    strides = [1]
    for n in shape[:0:-1]:
        strides.insert(0, strides[0] * n)
    return strides


def _not_contiguous(message: str, strides: Sequence[int]) -> Finding:
    return new_finding("error", message, "inner-contiguous", f"{strides[-1]} elements", "1: Triton's descriptors have no other "
                       "innermost stride", contiguous_fix(strides, "the tensor", "shape, strides and block_shape"))


def _may_gather(block: list[int], bits: int, swizzle: int) -> tuple[Finding, ...]:
    """The finding for a block of one row, whose swizzle depends on the use of the descriptor."""
    gathered = native.span(block, bits, True)
    if gathered == swizzle:
        return ()
    return (new_finding("warning", f"a block of one row may be gathered; Triton gives a gathered descriptor swizzle {gathered}B, "
                        f"and this map has {f'{swizzle}B' if swizzle else 'none'}", fix="ops=('gather4',) for a descriptor that the "
                        "kernel gathers or scatters, or ops=('load',)"),)


def _entry_of(metadata: Any) -> Mapping[str, Any]:
    """The one descriptor of the metadata of a compiled kernel."""
    found = getattr(metadata, "metadata", metadata)  # of a CompiledKernel
    found = getattr(found, "tensordesc_meta", found)
    entries = list(found) if isinstance(found, (list, tuple)) else [found]
    if len(entries) != 1:
        raise ValueError(f"the kernel has {len(entries)} descriptors; pass one of them: kernel.metadata.tensordesc_meta[i]")
    entry: Mapping[str, Any] = entries[0]
    missing = [name for name in _METADATA if not isinstance(entry, Mapping) or name not in entry]
    if missing:
        raise ValueError(f"an entry of tensordesc_meta has {', '.join(_METADATA)}; this one has no {', '.join(missing)}")
    if entry.get("is_im2col"):
        raise ValueError("the metadata of an im2col descriptor has no pixel box; pass the TensorDescriptorIm2Col of the call")
    return entry


def _of_metadata(entry: Mapping[str, Any], shape: Any, strides: Any, padding: str, options: dict[str, Any]) -> Draft:
    """The call that Triton's launcher makes for an entry of tensordesc_meta."""
    code, size_B = (number_of(entry[name], name) for name in ("elem_type", "elem_size"))
    kinds = [i for i, name in enumerate(TYPES.names) if code in ((row := lib.tmap_type_get(i)).cu, row.ptx_code)
             and (row.bits == 8 * size_B or row.bits < 8 == 8 * size_B)]
    if not kinds:
        raise ValueError(f"elem_type is {code} with elem_size {size_B}, which is not an element type")
    fp4_padded, given = bool(entry.get("fp4_padded")), {"oob_fill": padding, "l2_promotion": "128B", **options}
    given.setdefault("swizzle", _named("swizzle", entry["swizzle"]))
    arguments = (given.pop("type", TYPES.names[kinds[0]]), _values(_numbers(shape, "shape"), fp4_padded),
                 _numbers(entry["block_size"], "block_size"), _strides_B(strides, 8 * size_B), None)
    return of_call(tiled, arguments, "outer", given, _COMPILED, 8 * size_B)


def _of_descriptor(given: Any, swizzle: Any, fp4_padded: bool, options: dict[str, Any]) -> Draft:
    """The draft of a TensorDescriptor of Triton, of a TensorDescriptor of Gluon (which has a layout), or of a
    TensorDescriptorIm2Col."""
    layout = getattr(given, "layout", None)
    if layout is not None:
        if getattr(layout, "transposed", False) or getattr(layout, "cga_layout", None):
            raise ValueError("the layout is transposed or of several CTAs; of_triton reads only layouts of one CTA that "
                             "are not transposed")
        swizzle = layout.swizzle_byte_width if swizzle is None else swizzle
        fp4_padded = fp4_padded or bool(layout.fp4_padded)
    if getattr(given, "round_f32_to_tf32", False):
        options = {"type": "tf32", **options}
    if hasattr(given, "pixel_box_lower_corner"):
        return _of_im2col_descriptor(given, swizzle, fp4_padded, options)
    draft: Draft = triton(given.base, given.shape, given.strides, given.block_shape, given.padding, swizzle, fp4_padded, options)
    draft.words = _DESCRIPTORS._replace(element_bits=draft.words.element_bits)
    return draft


def _of_im2col_descriptor(given: Any, swizzle: Any, fp4_padded: bool, options: dict[str, Any]) -> Draft:
    """The draft of a TensorDescriptorIm2Col, whose block_shape is (pixels, channels)."""
    rest, kind, bits = _of_triton_type(given.base, given.padding, fp4_padded, options)
    rest.setdefault("swizzle", swizzle)
    pixels, channels = _box_of(_numbers(given.block_shape, "block_shape"), bits, fp4_padded, rest["swizzle"], 1024)
    arguments = ("im2col", kind, _values(given.shape, fp4_padded), given.pixel_box_lower_corner, given.pixel_box_upper_corner,
                 channels, pixels, _strides_B(given.strides, bits), given.element_strides)
    return of_call(im2col, arguments, "outer", _with_address(given.base, rest), _DESCRIPTORS)


def _of_triton_type(base: Any, padding: str, fp4_padded: bool, options: dict[str, Any]) -> tuple[dict[str, Any], str, int]:
    """The remaining options, the type of the map, and the bits of an element of the tensor. With fp4_padded an element
    of the tensor is a byte of two values."""
    given = {"oob_fill": padding, "l2_promotion": "128B", **options}
    number = TYPES.number(given.pop("type", getattr(base, "dtype", base)))
    bits = _BITS[number]
    if fp4_padded and bits != 8:
        raise ValueError(f"fp4_padded requires a tensor of bytes with two values each, not of type {TYPES.names[number]!r}")
    return given, "b4x16_p64" if fp4_padded else TYPES.names[number], bits


def _values(shape: Any, fp4_padded: bool) -> list[int]:
    numbers = _numbers(shape, "shape")
    return [*numbers[:-1], numbers[-1] * 2] if fp4_padded and numbers else numbers


def _strides_B(strides: Any, bits: int) -> list[int] | None:
    """The strides in bytes, without the innermost; None: those of a dense tensor."""
    if strides is None:
        return None
    steps = _numbers(strides, "strides")
    if steps and steps[-1] != 1:
        raise MapError(_not_contiguous(f"strides is {tuple(steps)}, whose last number is not 1", steps))
    return [step * bits // 8 for step in steps[:-1]]


def _box_of(block: list[int], bits: int, fp4_padded: bool, swizzle: Any, most: int = _BOX_MOST) -> list[int]:
    """The box of a block. A row of the box is at most as wide as the swizzle (getTMABlockShape); a wider block
    requires several copies."""
    box = [*block[:-1], block[-1] * 2] if fp4_padded else list(block)
    box = [min(n, _BOX_MOST if i else most) for i, n in enumerate(box)]
    span = _SPAN_OF.get(swizzle, 0)
    if span and box and box[-1] * bits > span * 8:
        box[-1] = span * 8 // bits
    return box


def _with_address(base: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the address, if the address is in device memory or is an address that no map can have."""
    if "address" in options or not hasattr(base, "data_ptr"):
        return options
    address = address_of(base)
    on_device = getattr(getattr(base, "device", None), "type", "") == "cuda"
    return {**options, "address": address} if address is not None and (on_device or address % 16) else options


# ---- TVM and tilelang ------------------------------------------------------------------------------------------------------

_LISTED = Words(dict.fromkeys(("type", "dims", "strides", "box", "element_strides", "lower_corner", "upper_corner",
                               "channels_per_pixel", "pixels_per_column"), ""), "call")


@_checked.reads_objects
def tvm(call: Any, options: dict[str, Any]) -> Draft:
    """The draft of tilelang's list of arguments of __tvm_tensormap_create_tiled or _im2col, or of TVM's call
    tensormap_encode_tiled."""
    if hasattr(call, "attrs") and hasattr(call, "args"):
        return _of_tvm_call(call, options)
    if isinstance(call, str):
        return of_text(call, options)
    arguments = list(islice(call, _ARGUMENTS_MAX))
    name = getattr(arguments[0], "value", arguments[0]) if arguments else None
    if isinstance(name, str) and name.startswith("__tvm_tensormap_create_"):
        arguments = arguments[2:]  # the name and the descriptor
    if len(arguments) < 3:
        raise ValueError(f"the call has {counted(len(arguments), 'argument')}; a tensor map begins with its type, rank and address")
    kind, rank = _named("type", arguments[0]), number_of(arguments[1], "the rank")
    return _of_list(kind, rank, arguments[2], arguments[3:], name == "__tvm_tensormap_create_im2col", options)


def _of_list(kind: str, rank: int, address: Any, rest: list[Any], is_im2col: bool, options: dict[str, Any]) -> Draft:
    """The draft of a list of tilelang: innermost first, with the strides of all dimensions."""
    wanted = 5 * rank + 2 if is_im2col else 4 * rank + 4
    if rank < (3 if is_im2col else 1) or len(rest) != wanted:
        raise ValueError(f"{counted(len(rest), 'argument')} follow the address; a map of rank {rank} has {wanted}")

    def take(n: int, what: str) -> list[int]:
        return _numbers([rest.pop(0) for _ in range(n)], what)
    dims, strides = take(rank, "dims"), take(rank, "strides")[1:]
    box = [] if is_im2col else take(rank, "box")
    steps = take(rank, "element_strides")
    lower, upper = (take(rank - 2, name) if is_im2col else [] for name in ("lower_corner", "upper_corner"))
    pixels, channels = take(2, "pixels and channels") if is_im2col else (0, 0)
    given = _enums(rest, _address_of(address, options))
    make, numbers = (im2col, ("im2col", kind, dims, lower, upper, channels, pixels)) if is_im2col else (tiled, (kind, dims, box))
    return of_call(make, (*numbers, strides, steps), "inner", given, _LISTED)


def _enums(values: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    return {**{name: _named(name, value) for name, value in zip(_ENUMS, values)}, **options}


def _address_of(address: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the address, if the address is a number. In the tree of a compiler the address is a variable."""
    value = getattr(address, "value", address)
    return {"address": value, **options} if hasattr(value, "__index__") else options


def _of_tvm_call(call: Any, options: dict[str, Any]) -> Draft:
    attrs, arguments = call.attrs, list(call.args)
    rank, forced = number_of(attrs.rank, "the rank"), number_of(attrs.force_cu_dtype, "force_cu_dtype")
    if len(arguments) != 4 * rank + 1:
        raise ValueError(f"the call has {counted(len(arguments), 'argument')}; a map of rank {rank} has {4 * rank + 1}")
    kind = _named("type", forced) if forced >= 0 else TYPES.names[TYPES.number(str(attrs.descriptor_dtype))]
    numbers = [_numbers(arguments[2 + begin:2 + end], what) for begin, end, what in (
        (0, rank, "dims"), (rank, 2 * rank - 1, "strides"), (2 * rank - 1, 3 * rank - 1, "box"),
        (3 * rank - 1, 4 * rank - 1, "element_strides"))]
    given = _enums([getattr(attrs, name) for name in _ENUMS], _address_of(arguments[1], options))
    dims, strides, box, steps = numbers
    return of_call(tiled, (kind, dims, box, strides, steps), "inner", given, _LISTED)


# ---- Texts: the repr of a TensorDescriptor, tilelang's host source, IR ---------------------------------------------------

def of_text(text: str, options: dict[str, Any]) -> Draft:
    """The one map of a text that tmap check --maps also reads."""
    content, given = text.encode(errors="replace"), ffi.new("tmap_given_map[]", _ARGUMENTS_MAX)
    n = lib.tmap_given_maps_read(content, len(content), given, _ARGUMENTS_MAX)
    if n != 1:
        raise ValueError(f"the text has {'no tensor map in a form that is read' if n > 2**63 else f'{n} tensor maps'}; pass a text with "
                         "one, or check_kernel(kernel, maps=text) for all maps of a kernel")
    params, rank = given[0].params, int(given[0].params.rank)
    if missing := [name for name, bit in _NEEDED.items() if not given[0].known >> bit & 1]:
        raise ValueError(f"the text does not have the numbers of the map: {'type' if 'type' in missing else ', '.join(missing)}")
    kind, bits = TYPES.names[params.type], _BITS[params.type]
    dims, steps, box = (list(numbers)[::-1] for numbers in (params.dims_el[0:rank], params.strides_B[0:rank - 1], params.box_el[0:rank]))
    if text_of(given[0].origin) == "a TensorDescriptor":
        padding = "nan" if "padding='nan'" in text else "zero"
        draft: Draft = triton(kind, dims, [*(step * 8 // bits for step in steps), 1], box, padding, None, False, options)
        draft.words = _TEXT._replace(element_bits=draft.words.element_bits)
        return draft
    named = {name: DRIVERS[name].names[getattr(params, name)] for name in _ENUMS}
    element_strides = [max(step, 1) for step in list(params.element_strides[0:rank])[::-1]]
    return of_call(tiled, (kind, dims, box, steps, element_strides), "outer", {**named, **options}, _TEXT)


_NEEDED = {"dims": lib.TMAP_FIELD_DIMS, "strides": lib.TMAP_FIELD_STRIDES, "type": lib.TMAP_FIELD_TYPE}
_TEXT = Words(dict.fromkeys(("type", "dims", "strides", "box", "element_strides"), ""), "text")


# ---- Mosaic GPU of JAX -----------------------------------------------------------------------------------------------------

_MOSAIC = Words(dict.fromkeys(("type", "dims", "strides", "box", "address"), ""), "transforms")


@_checked.reads_objects
def transforms_of(box: Any) -> Any:
    """The transforms of a BlockSpec; None for sizes."""
    return getattr(box, "transforms", None)


@_checked.reads_objects
def mosaic(array: Any, block_shape: Any, transforms: Any, type: Any, options: dict[str, Any]) -> Draft:
    """The map of an array and of a block with transforms (TilingTransform, SwizzleTransform). A tiling splits each of the
    last dimensions in two: the number of tiles, and the tile."""
    draft = of_array(array, type, "outer", None, None)
    params, given = draft.params, {**options}
    strides = [lib.tmap_type_get(params.type).bits // 8, *params.strides_B[0:draft.rank - 1]][::-1]
    block = _numbers([1 if n is None else n for n in block_shape], "block_shape")
    if len(block) != draft.rank:
        raise ValueError(f"block_shape has {counted(len(block), 'number')}, and the array has {draft.rank} dimensions")
    rows = list(zip(list(params.dims_el[0:draft.rank])[::-1], strides, block))
    for transform in islice(transforms, _ARGUMENTS_MAX):
        if hasattr(transform, "tiling"):
            rows = _split(rows, _numbers(transform.tiling, "tiling"))
        elif hasattr(transform, "swizzle"):
            given["swizzle"] = f"{number_of(transform.swizzle, 'swizzle')}B" if number_of(transform.swizzle, "swizzle") >= 32 else "none"
        else:
            raise TypeError(f"{_checked.shown(transform)} is not a transform of Mosaic GPU that moves a tile: TilingTransform, SwizzleTransform")
    dims, steps, box = zip(*rows)
    if params.has_address:
        given.setdefault("address", params.address)
    return of_call(tiled, (TYPES.names[params.type], dims, box, steps[:-1], None), "outer", given, _MOSAIC)


def _split(rows: list[tuple[int, int, int]], tiling: list[int]) -> list[tuple[int, int, int]]:
    """Splits the last dimensions, each given as its size, its stride and its block."""
    first = len(rows) - len(tiling)
    tiles = [min(tile, size) for tile, (size, _, _) in zip(tiling, rows[max(first, 0):])]
    if first < 0 or any(tile < 1 or size % tile or block % tile for tile, (size, _, block) in zip(tiles, rows[first:])):
        raise ValueError(f"tiling {tuple(tiling)} does not divide the array {tuple(row[0] for row in rows)} and the block "
                         f"{tuple(row[2] for row in rows)}")
    tiled_rows = list(zip(tiles, rows[first:]))
    return [*rows[:first], *((size // tile, stride * tile, block // tile) for tile, (size, stride, block) in tiled_rows),
            *((tile, stride, tile) for tile, (_, stride, _) in tiled_rows)]


# ---- cuda.core -------------------------------------------------------------------------------------------------------------

_VIEWS = Words({"dims": "", "strides": "", "address": "", "box": "box_dim", "type": "data_type"}, "view")


@_checked.reads_objects
def cuda_core(view: Any, box_dim: Any, options: Any, arguments: dict[str, Any]) -> Draft:
    """The draft of StridedMemoryView.as_tensor_map(box_dim, options=…, element_strides=…, data_type=…, …)."""
    given = dict(arguments)
    if options is not None:
        if box_dim is not None:
            raise TypeError("box_dim and options exclude each other: pass one of them")
        members = options if isinstance(options, dict) else vars(options)
        given, box_dim = {**members, **given}, members.get("box_dim")
        given.pop("box_dim", None)
    if box_dim is None:
        raise TypeError("box_dim is missing")
    kind = given.pop("data_type", None)
    kind = view.dtype if kind is None else kind
    number = TYPES.number(_named("type", kind) if hasattr(kind, "__index__") or hasattr(kind, "value") else kind)
    steps, size = given.pop("element_strides", None), lib.tmap_type_get(number).bits // 8
    strides = None if view.strides is None else [stride * size for stride in view.strides]
    named = {name: _named(name, value) if name in DRIVERS else value for name, value in given.items() if value is not None}
    return of_call(tiled, (TYPES.names[number], view.shape, box_dim, strides, steps), "outer", {"address": view.ptr, **named}, _VIEWS)


# ---- The makers of maps ----------------------------------------------------------------------------------------------------

@native.method
@names_arguments(*MORE[1:], "type", base="type")
def of_triton(cls: type[TensorMap], /, base: Any, shape: Any = None, strides: Any = None, block_shape: Any = None, *,
              padding: str = "zero", swizzle: Any = None, fp4_padded: bool = False, **options: Any) -> TensorMap:
    """The map that Triton makes from TensorDescriptor(base, shape, strides, block_shape, padding), or from
    tl.make_tensor_descriptor with these arguments.

    base: a tensor or an element type. base may also be a TensorDescriptor of Triton, or a TensorDescriptor or
    TensorDescriptorIm2Col of Gluon; these objects contain shape, strides, block_shape and padding. base may also be an
    entry of ``kernel.metadata.tensordesc_meta`` of a compiled kernel, which contains type, block_shape and swizzle.
    shape, strides, block_shape: in elements, outermost first; strides None: those of a dense tensor. swizzle: the swizzle
    of the layout in shared memory; None: that of Triton's default layout for the block, or with ``ops=("gather4",)`` for
    the rows that the kernel gathers. A row of the box is at most as wide as the swizzle, and l2_promotion is "128B", as
    Triton's launcher encodes; for a descriptor that a kernel makes, pass l2_promotion="none". fp4_padded: the tensor has
    bytes of two 4-bit values, which the copy expands to 16 bytes for 16 values; the map counts values. options: as for
    :meth:`tiled`.
    """
    return cls._of_draft(triton(base, shape, strides, block_shape, padding, swizzle, fp4_padded, options))


@names_arguments(*MORE[1:])
def of_tvm(cls: type[TensorMap], /, call: Any, **options: Any) -> TensorMap:
    """The map of tilelang's list of arguments of ``__tvm_tensormap_create_tiled`` or ``…_im2col`` (with or without
    the name and the descriptor in front), or of TVM's call ``tensormap_encode_tiled``. The order of the map is
    "inner". Raises ValueError for numbers that are known only at run time."""
    return cls._of_draft(tvm(call, options))


@names_arguments(*MORE[1:], "element_strides", "data_type", view="type")
def of_cuda_core(cls: type[TensorMap], /, view: Any, box_dim: Any = None, *, options: Any = None, **arguments: Any) -> TensorMap:
    """The map that ``view.as_tensor_map(box_dim, options=…, …)`` of cuda.core encodes, from the arguments of this method.

    view: a StridedMemoryView. box_dim: sizes in elements, outermost first. options: a dict or
    TensorMapDescriptorOptions with `box_dim`, instead of the argument `box_dim`; `arguments` have precedence over
    the other members of `options`. arguments: element_strides, data_type, interleave, swizzle, l2_promotion and
    oob_fill, as enums of cuda.core, numbers or names; `arch` and `axes` as for :meth:`tiled`.
    """
    return cls._of_draft(cuda_core(view, box_dim, options, arguments))
