"""Layouts of other packages: TIRx of TVM, Tilus, the CuTe DSL, pycute and Triton. Each package is imported only by the
functions that require the package.

A layout is recognized by the module of its class. The functions read only public members of a layout.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Callable, Sequence

from . import _checked
from ._checked import number_of
from ._names import TYPES
from ._native import lib

if TYPE_CHECKING:
    from .layouts import Layout

_INTEGER_MAX = _checked.INT64_MAX


@_checked.reads_objects
def text_of(value: Any, shape: Any) -> str:
    """The expression for a layout of another package. shape: of the tensor, for encodings of Triton without a shape."""
    for module, read in _READERS:
        if type(value).__module__.split(".")[:len(module)] == module:
            return read(value, shape)
    raise TypeError(f"{type(value).__module__}.{type(value).__name__} is not a layout that tmap reads: pass a TensorMap or a "
                    "layout of tvm.tirx, Tilus, the CuTe DSL, pycute or Triton")


def shape_of(shape: Any) -> list[int]:
    if shape is None:
        raise TypeError("an encoding of Triton does not contain a shape: pass shape=")
    return _checked.integers(shape, "shape", least=1, most=_INTEGER_MAX)


def _nested(value: Any, what: str) -> str:
    if isinstance(value, (tuple, list)):
        return f"({','.join(_nested(item, what) for item in value)})"
    return str(number_of(value, what))


# ---- TIRx ----------------------------------------------------------------------------------------------------------------

def _of_tirx(value: Any, shape: Any) -> str:
    if hasattr(value, "tile_layout"):
        numbers = [number_of(getattr(value, name), name) for name in ("per_element", "swizzle_len", "atom_len")]
        direction = "" if value.swizzle_inner else ", outer"
        return f"swizzle({', '.join(map(str, numbers))}{direction}) o ({_of_tirx(value.tile_layout, None)})"
    parts = [_iters("S", value.shard)] + [_iters("R", value.replica)] * (len(value.replica) > 0)
    offsets = [f"{number_of(n, 'an offset')}@{axis.name}" for axis, n in value.offset.items() if number_of(n, "an offset")]
    return " + ".join(parts + offsets)


def _iters(letter: str, iters: Any) -> str:
    if not iters:
        return f"{letter}[1]"
    extents = "".join(f"{number_of(i.extent, 'an extent')}," for i in iters)
    strides = "".join(f"{number_of(i.stride, 'a stride')}@{i.axis.name}," for i in iters)
    return f"{letter}[({extents}):({strides})]"


def to_tirx(layout: Layout) -> Any:
    """The layout as TileLayout or ComposeLayout of tvm.tirx. Raises ImportError without this package, as the methods below
    do for their packages. Raises TypeError for a swizzle without a layout and for a multi-function."""
    tirx = importlib.import_module("tvm.tirx.layout")
    data = _as_sro(layout).data()

    def iters(rows: Any) -> list[Any]:
        return [tirx.Iter(row["extent"], row["stride"], tirx.Axis.get(row["axis"])) for row in rows]
    made = tirx.TileLayout.from_iters(iters(data["shard"]), iters(data["replica"]), data["offset"])
    if (swizzle := data.get("swizzle")) is None:
        return made
    return tirx.ComposeLayout(swizzle["m"], swizzle["b"], swizzle["s"], made, not swizzle["outer"])


def _of_tensor(layout: Layout) -> Layout:
    if layout.kind in ("swizzle", "multi-function"):
        raise TypeError(f"a {layout.kind} is not a layout of a tensor")
    return layout


def _as_sro(layout: Layout) -> Any:
    return layout if layout.kind == "layout" else _of_tensor(layout).as_layout()


# ---- Tilus ---------------------------------------------------------------------------------------------------------------

def _of_tilus(value: Any, shape: Any) -> str:
    name = type(value).__name__
    lists = {"RegisterLayout": ("shape", "mode_shape", "spatial_modes", "local_modes"),
             "SharedLayout": ("shape", "mode_shape", "mode_strides")}.get(name)
    if lists is None:
        raise TypeError(f"a {name} of Tilus is not a register layout or a shared layout")
    numbers = [f"[{', '.join(str(number_of(n, member)) for n in getattr(value, member))}]" for member in lists]
    swizzle = getattr(value, "optional_swizzle", None)
    if swizzle is not None and swizzle.bits:
        numbers.append(f"Swizzle({swizzle.bits}, {swizzle.base}, {swizzle.shift})")
    return f"{name}({', '.join(numbers)})"


def to_tilus(layout: Layout, /, shape: Any = None) -> Any:
    """The layout as RegisterLayout of Tilus or, if the layout has no threads, as SharedLayout. shape: the shape of the
    tensor, for S/R/O and CuTe layouts."""
    tilus = importlib.import_module("tilus.ir.layout")
    if layout.kind not in ("register layout", "shared layout"):
        sro = _as_sro(layout)
        threads = any(row["axis"] != "m" for row in (*sro.data()["shard"], *sro.data()["replica"]))
        layout = (sro.as_register if threads else sro.as_shared)(tuple(_given(shape, layout)))
    data = layout.data()
    if layout.kind == "register layout":
        return tilus.RegisterLayout(data["shape"], data["mode_shape"], data["spatial_modes"], data["local_modes"])
    shared = importlib.import_module("tilus.ir.layout.shared_layout")
    swizzle = shared.Swizzle(**data["swizzle"]) if data.get("swizzle") else None
    return shared.SharedLayout.create(data["shape"], data["mode_shape"], data["mode_strides"], swizzle)


def _given(shape: Any, layout: Layout) -> list[int]:
    if shape is not None:
        return _checked.integers(shape, "shape", least=1, most=_INTEGER_MAX)
    if layout.kind in ("register layout", "shared layout"):
        return list(layout.data()["shape"])
    raise TypeError(f"a {layout.kind} fits tensors of several shapes: pass shape=")


# ---- CuTe: of the CuTe DSL and of pycute -----------------------------------------------------------------------------------

def _of_cute(value: Any, shape: Any) -> str:
    if hasattr(value, "outer") and hasattr(value, "inner"):
        inner = value.inner
        if not all(hasattr(inner, name) for name in ("num_bits", "num_base", "num_shift")):
            raise TypeError("the inner layout of a composed layout of the CuTe DSL must be a swizzle")
        numbers = f"{inner.num_bits},{inner.num_base},{inner.num_shift}"
        return f'cute("Sw<{numbers}> o {_nested(value.offset, "the offset")} o {_cute(value.outer)}")'
    return f'cute("{_cute(value)}")'


def _cute(layout: Any) -> str:
    if not (hasattr(layout, "shape") and hasattr(layout, "stride")):
        raise TypeError(f"{type(layout).__name__} is not a layout of CuTe: its shape or its stride is missing")
    return f"{_nested(layout.shape, 'the shape')}:{_nested(layout.stride, 'the stride')}"


def to_cute(layout: Layout, /, shape: Any = None, *, package: str = "cutlass.cute") -> Any:
    """The layout as a layout of the CuTe DSL, inside a function of cute.jit, or of pycute with package="pycute". shape: the
    shape of the tensor, one mode for each dimension, for layouts that are not CuTe layouts."""
    made = layout if layout.kind == "CuTe layout" else _as_sro(layout).as_cute(tuple(_given(shape, layout)))
    data = made.data()
    swizzle, module = data.get("swizzle"), importlib.import_module(package)
    if package == "pycute":
        if swizzle or data.get("offset"):
            raise ValueError("a layout of pycute cannot have a swizzle or an offset")
        return module.Layout(data["shape"], data["stride"])
    plain = module.make_layout(data["shape"], stride=data["stride"])
    if not swizzle and not data.get("offset"):
        return plain
    bits = (swizzle["bits"], swizzle["base"], swizzle["shift"]) if swizzle else (0, 4, 3)
    return module.make_composed_layout(module.make_swizzle(*bits), data.get("offset", 0), plain)


def arguments_of_cute(tensor: Any, smem_layout: Any, cta_tiler: Any) -> tuple[str, list[int], list[int], str, list[int]]:
    """Returns the type, shape and strides of a tensor in global memory, the layout of a tile in shared memory, and the
    shape of the tile."""
    given, layout = (tensor.element_type, tensor.layout) if hasattr(tensor, "element_type") else tensor
    name = _TYPES_OF_CUTE.get(name := getattr(given, "__name__", str(given)), name.lower())
    kind = TYPES.names[TYPES.number(name)]
    tile = [number_of(n, "the tiler") for n in (cta_tiler if isinstance(cta_tiler, (tuple, list)) else [cta_tiler])]
    shape, strides = ([number_of(n, f"the tensor's {what}") for n in (values if isinstance(values, (tuple, list)) else [values])]
                      for values, what in ((layout.shape, "shape"), (layout.stride, "stride")))
    unit = lib.tmap_type_get(TYPES.number(kind)).bits // 8
    plain = _of_cute(getattr(smem_layout, "outer", smem_layout), None)
    if not hasattr(smem_layout, "outer"):
        return kind, shape, strides, f"{plain}.as_layout()", tile
    inner, offset = smem_layout.inner, number_of(smem_layout.offset, "the offset")
    base = inner.num_base - (unit.bit_length() - 1)
    if offset or unit & unit - 1 or base < 0:
        raise ValueError("a tile in shared memory must start at offset 0, and its swizzle must move whole elements")
    return kind, shape, strides, f"swizzle({base}, {inner.num_bits}, {inner.num_shift}) o {plain}.as_layout()", tile


_TYPES_OF_CUTE = {"TFloat32": "tf32", "Float8E4M3FN": "u8", "Float8E5M2": "u8", "Float8E4M3": "u8", "Float8E8M0FNU": "u8"}


# ---- Triton --------------------------------------------------------------------------------------------------------------

_BASES = {"reg_bases": "register", "lane_bases": "lane", "warp_bases": "warp", "block_bases": "block",
          "offset_bases": "offset"}


def _of_triton(value: Any, shape: Any) -> str:
    """The expression for a LinearLayout, or for an encoding (a layout of Gluon) of a tensor of `shape`."""
    if type(value).__name__ == "LinearLayout":
        return f"as_layout({_linear_text(value.bases, [n for _, n in value.out_dims])})"
    if hasattr(value, "interval_padding_pairs"):
        pairs = ", ".join(f"{interval}:+{padding}" for interval, padding in value.interval_padding_pairs)
        text = f"#ttg.padded_shared<[{pairs}] {{offset = {value.offset_bases}, block = {value.cga_layout}}}>"
        return f"as_layout(linear({text}, {tuple(value.shape)}))"
    if not any(hasattr(value, name) for name in ("reg_bases", "offset_bases")):
        native = importlib.import_module("triton._C.libtriton")
        context = native.ir.context()
        native.ir.load_dialects(context)
        builder = native.gluon_ir.GluonOpBuilder(context)
        value = builder.to_linear_layout(value._to_ir(builder), shape_of(shape))
    bases = [(name, getattr(value, member)) for member, name in _BASES.items() if hasattr(value, member)]
    return f"as_layout({_linear_text(bases, value.shape)})"


def _linear_text(bases: Any, shape: Sequence[int]) -> str:
    """A LinearLayout in the text that Triton prints: the bases of each input dimension."""
    lines = [f" - {name} is a size 1 dimension" if not rows else f" - {name}=" + f"\n   {name}=".join(
        f"{1 << i} -> ({', '.join(str(int(n)) for n in basis)})" for i, basis in enumerate(rows)) for name, rows in bases]
    sizes = ", ".join(f"dim{i} (size {int(n)})" for i, n in enumerate(shape))
    return "\n".join([*lines, f"where out dims are: [{sizes}]"])


def to_linear_layout(layout: Layout, /, shape: Any = None) -> Any:
    """The layout as LinearLayout of triton.tools, from register, lane, warp and block, or from offset and block. Raises
    ValueError for a layout that is not linear."""
    bases, sizes, paddings = _bases_of(layout, shape)
    if paddings:
        raise ValueError("a LinearLayout cannot have padding; use to_triton, which returns a PaddedSharedLayout")
    names = [f"dim{i}" for i in range(len(sizes))]
    return importlib.import_module("triton.tools").LinearLayout.from_bases(list(bases.items()), names, sizes)


def to_triton(layout: Layout, /, shape: Any = None) -> Any:
    """The layout as DistributedLinearLayout of Gluon or, if the layout has no threads, as SharedLinearLayout or
    PaddedSharedLayout."""
    gluon = importlib.import_module("triton.experimental.gluon.language")
    bases, sizes, paddings = _bases_of(layout, shape)
    if paddings:
        return gluon.PaddedSharedLayout(paddings, bases["offset"], bases.get("block", []), sizes)
    if "offset" in bases:
        return gluon.SharedLinearLayout(bases["offset"], bases.get("block", []))
    return gluon.DistributedLinearLayout(*(bases.get(name, []) for name in ("register", "lane", "warp", "block")), sizes)


_Rows = list[list[int]]


def _bases_of(layout: Layout, shape: Any) -> tuple[dict[str, _Rows], list[int], _Rows]:
    """The bases of each dimension of the place, the shape of the tensor, and (interval, padding) of the offsets."""
    linear = layout if layout.kind == "linear layout" else _of_tensor(layout).linear(tuple(_given(shape, layout)))
    data = {name: rows for name, rows in linear.data().items() if name != "type"}
    sizes, paddings = data.pop("shape"), data.pop("padding", ())
    return {name: [*map(list, rows)] for name, rows in data.items()}, list(sizes), [*map(list, paddings)]


_READERS: tuple[tuple[list[str], Callable[[Any, Any], str]], ...] = (
    (["tvm", "tirx"], _of_tirx), (["tilus"], _of_tilus), (["cutlass", "cute"], _of_cute), (["pycute"], _of_cute),
    (["triton"], _of_triton))
