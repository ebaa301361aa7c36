"""Layouts: the places of the elements of a tensor, in memory and in threads, as values of tmap's expression language.

    >>> atom = Layout("atom(f16, 128B)")
    >>> atom.tile_to((64, 64), (8, 64))
    Layout('swizzle(3,3,3) o S[4096:1]')

Each function of the language is a method of its first operand; :func:`call` also calls it by name. The operators + - *
/ == and @ (the composition ``o``) are those of the language. Shapes and coordinates are outermost first, as in the
documents of layouts. Errors are :class:`~libtmap.MapError` with the place in the expression.
"""
from __future__ import annotations

import functools
from typing import Any

from . import _checked, foreign
from ._names import ARCHS, OPS, TYPES, bits_of, names_arguments, text_of
from ._native import ffi, lib
from ._numpy import np
from .findings import MapError, finding_of, raise_for, written
from .maps import TensorMap
from .pictures import code_of, html_of, in_both_schemes

_KINDS = {getattr(lib, name): name[len("TMAP_VALUE_"):] for name in dir(lib) if name.startswith("TMAP_VALUE_")}
_OBJECTS = ("SWIZZLE", "LAYOUT", "REGISTER", "SHARED", "MULTI", "CUTE", "ENCODING", "LINEAR")
__all__ = ["Layout", "Plan", "call", "evaluate", "functions", "plan"]


def __dir__() -> list[str]:
    return __all__


@functools.lru_cache(maxsize=None)
def functions() -> dict[str, str]:
    """The functions and operators of the language, with their descriptions. For a name with several forms, the first
    form is listed."""
    found: dict[str, str] = {}
    number = 0
    while row := lib.tmap_function_get(number):
        found.setdefault(text_of(row.name), text_of(row.about))
        number += 1
    return found


class Layout:
    """A value of the language: a layout, a register or shared layout, a CuTe layout, a multi-function, a swizzle, or
    an encoding or a linear layout of Triton. Layout(text) evaluates an expression. Layout(other) is the same layout."""

    __slots__ = ("_text", "_result", "_value")
    _text: str

    def __init__(self, expression: str | Layout, **names: Any):
        text = _with_names(expression.text if isinstance(expression, Layout) else expression, names)
        result = _evaluated(text)
        value = lib.tmap_result_value(result)
        kind = text_of(lib.tmap_value_kind_name(value.kind))
        if _KINDS[value.kind] not in _OBJECTS:
            raise TypeError(f"{text!r} is a value of kind {kind}, not a layout; use evaluate()")
        self._set(result, value)

    def _set(self, result: Any, value: Any) -> Layout:  # the value belongs to the result
        object.__setattr__(self, "_result", result)
        object.__setattr__(self, "_value", value)
        return self

    @property
    def kind(self) -> str:
        """"layout", "register layout", "shared layout", "CuTe layout", "multi-function", "swizzle", "encoding of Triton"
        or "linear layout"."""
        return text_of(lib.tmap_value_kind_name(self._value.kind))

    @property
    def text(self) -> str:
        """An expression of this value."""
        try:
            return self._text
        except AttributeError:
            object.__setattr__(self, "_text", written(lambda sink: lib.tmap_value_print(sink, self._value)))
            return self._text

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a layout is read-only")

    @classmethod
    @names_arguments()
    def of(cls, source: Any, at: Any = None, *, shared: int = 0, shape: Any = None) -> Layout:
        """The layout of the box of a map, or a layout of another package as a Layout.

        source: a TensorMap: the layout of the box of a load at `at`, in elements, with the shared address 0. Or a
        layout of tvm.tirx, of Tilus, of the CuTe DSL, of pycute or of Gluon, or a LinearLayout of Triton. Or a text of
        Triton's IR: an encoding ("#ttg.blocked<{…}>"), a type with an encoding, or the bases of a LinearLayout. shape:
        the shape of the tensor, outermost first, for encodings of Triton without a shape. In layouts of Triton,
        registers and offsets are on the axis m, lanes on laneid, warps on warpid, and the CTAs of a cluster on cbx.
        Raises ValueError for numbers that are known only at run time, and for a layout that no S/R/O layout equals.
        """
        if not isinstance(source, TensorMap):
            return cls(_of_text(source, shape) if isinstance(source, str) else foreign.text_of(source, shape))
        layout, error = ffi.new("tmap_layout *"), ffi.new("tmap_diag *")
        _check(lib.tmap_layout_of_copy(source.copy("load", at, shared=shared)._copy, layout, error), error)
        return cls(written(lambda sink: lib.tmap_layout_print(sink, layout)))

    # ---- The language --------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in functions():
            raise AttributeError(f"{name!r} is neither an attribute of a layout nor a function of the language")
        return functools.partial(call, name, self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in functions() if name.isidentifier())]

    def _operated(self, sign: str, other: Any, swapped: bool = False) -> Any:
        if not isinstance(other, (Layout, int, str, tuple)):
            return NotImplemented
        left, right = (_text(other), _text(self)) if swapped else (_text(self), _text(other))
        return evaluate(f"{left} {sign} {right}")

    def __add__(self, other: Any) -> Any:
        return self._operated("+", other)

    def __sub__(self, other: Any) -> Any:
        return self._operated("-", other)

    def __mul__(self, other: Any) -> Any:
        return self._operated("*", other)

    def __truediv__(self, other: Any) -> Any:
        return self._operated("/", other)

    def __matmul__(self, other: Any) -> Any:
        return self._operated("o", other)

    def __eq__(self, other: object) -> Any:
        """True if both layouts are the same function: they have the same number of elements, and each element has the
        same set of places."""
        if not isinstance(other, Layout) or other.kind != self.kind:
            return NotImplemented
        return self.text == other.text or self._operated("==", other)

    __hash__ = None  # type: ignore[assignment]  # layouts are equal if they are the same function, which gives no cheap hash

    def __repr__(self) -> str:
        return f"Layout({self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return Layout, (self.text,)

    # ---- In other packages ---------------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        """The numbers of the layout. S/R/O layouts: `shard`, `replica`, `offset` and `swizzle`. Register and shared
        layouts: the lists of their text. CuTe layouts: `shape` and `stride`. Linear layouts: `shape`, and the bases of
        each dimension of a place."""
        result = _evaluated.__wrapped__(self.text)  # another, because the function below adds to the result
        found: dict[str, Any] = _python(result, lib.tmap_result_data(result))
        return found

    to_tirx, to_tilus, to_cute = foreign.to_tirx, foreign.to_tilus, foreign.to_cute
    to_triton, to_linear_layout = foreign.to_triton, foreign.to_linear_layout

    # ---- All elements at once ------------------------------------------------------------------------------------

    def _drawn(self, **options: Any) -> tuple[Any, Any]:
        layout, error = ffi.new("tmap_layout *"), ffi.new("tmap_diag *")
        picture = ffi.new("tmap_picture *", options)
        _check(lib.tmap_picture_of(self._value, picture, layout, error), error)
        return layout, picture

    @names_arguments()
    def places(self, shape: Any = None, *, copy: int = 0) -> dict[str, np.ndarray]:
        """The places of all elements: for each axis an array of int64 with the shape `shape` (None: one dimension).
        With replicas an element has several places: `copy` selects one of them, from 0 to ``copies()`` - 1."""
        layout, _ = self._drawn()
        n, copies = int(lib.tmap_layout_size(layout)), int(lib.tmap_layout_copies(layout))
        if not 0 <= _checked.integer_of(copy, "copy") < copies:
            raise IndexError(f"copy is {copy}; it must be 0 to {copies - 1}")
        sizes = [n] if shape is None else _checked.integers(shape, "shape")
        if int(np.prod(sizes, dtype=object)) != n:
            raise ValueError(f"shape {tuple(sizes)} does not have {n} elements")
        axes = ffi.new("tmap_axis *[]", lib.TMAP_AXES_MAX)
        axes_n = lib.tmap_layout_axes(layout, ffi.cast("const tmap_axis **", axes))
        try:
            found = np.empty((axes_n, n), np.int64)
        except (MemoryError, ValueError) as error:
            raise MemoryError(f"not enough memory for the places of {n} elements on {axes_n} axes") from error
        for i in range(axes_n if copy == 0 else 0):
            lib.tmap_layout_offsets(layout, axes[i], 0, n, ffi.from_buffer("int64_t[]", found[i]))
        if copy:
            lib.tmap_native_layout_places(layout, copy, n, ffi.from_buffer("int64_t[]", found))
        return {text_of(axes[i].name): found[i].reshape(sizes) for i in range(axes_n)}

    # ---- Pictures ------------------------------------------------------------------------------------------------

    @names_arguments()
    def draw(self, shape: Any = None, *, memory: bool = False, bits: int = 0, color: bool = False) -> str:
        """The table of the elements as text; each cell shows the place of its element. With memory, each row is a
        128-byte line of shared memory, and each cell shows the index of the element that is there. bits: the bits of
        an element, for banks and lines."""
        return self._picture(lib.tmap_picture_text, shape, memory, bits, color)

    @names_arguments()
    def svg(self, shape: Any = None, *, memory: bool = False, bits: int = 0) -> str:
        """The same picture as SVG."""
        return self._picture(lib.tmap_picture_svg, shape, memory, bits, False)

    def _picture(self, render: Any, shape: Any, memory: bool, bits: int, color: bool) -> str:
        sizes = [] if shape is None else _checked.integers(shape, "shape", most=_checked.INT64_MAX)
        if len(sizes) > lib.TMAP_PICTURE_RANK_MAX or not 0 <= _checked.integer_of(bits, "bits") <= 1024:
            raise ValueError(f"a picture can have at most {lib.TMAP_PICTURE_RANK_MAX} dimensions, and elements of at most "
                             "1024 bits")
        layout, picture = self._drawn(rank=len(sizes), shape=sizes, memory=bool(memory), bits=bits, color=bool(color))
        error, status = ffi.new("tmap_diag *"), lib.TMAP_OK

        def write(sink: Any) -> None:
            nonlocal status
            status = render(sink, layout, picture, error)
        text = written(write)
        _check(status, error)
        return text

    def _repr_svg_(self) -> str:
        return in_both_schemes(self.svg())

    def _repr_html_(self) -> str:
        return html_of(self._repr_svg_(), code_of(self))


# ---- Values in and out -------------------------------------------------------------------------------------------------

def _check(status: int, error: Any) -> None:
    if status in (lib.TMAP_REFUSED, lib.TMAP_BAD_ARGUMENT) and text_of(error.message):
        raise MapError(finding_of(error))
    raise_for(status, "a layout")


def _of_text(text: str, shape: Any) -> str:
    """The expression for a text of Triton's IR: an encoding, a type with an encoding, or a printed LinearLayout."""
    read = Layout(text)
    if read.kind == "encoding of Triton":
        return f"as_layout(linear({read}, {tuple(foreign.shape_of(shape))}))"
    return f"as_layout({read})"


@functools.lru_cache(maxsize=256)
def _evaluated(text: str) -> Any:
    """The result of an expression. Threads may share the result: nothing may change it."""
    content, result, error = text.encode(errors="surrogatepass"), ffi.new("tmap_result **"), ffi.new("tmap_diag *")
    status = lib.tmap_evaluate(content, len(content), ffi.NULL, ffi.NULL, result, error)
    if status == lib.TMAP_REFUSED:
        source = ffi.new("tmap_source *", {"path": (path := ffi.new("char[]", b"layout")),
                                           "text": (held := ffi.new("char[]", content)), "size": len(content)})
        rendered = written(lambda sink: lib.tmap_emit_refusal(sink, error, source, False)).rstrip("\n")
        del path, held
        raise MapError(finding_of(error)._replace(text=rendered))
    raise_for(status, "an expression")
    return ffi.gc(result[0], lib.tmap_result_free)


def _with_names(text: str, names: dict[str, Any]) -> str:
    if not isinstance(text, str):
        raise TypeError(f"an expression must be a str or a Layout, not {type(text).__name__}")
    return "".join(f"{name} = {_text(value)}; " for name, value in names.items()) + text if names else text


def _text(value: Any) -> str:
    """A value of Python as an expression. A text is already a part of an expression: the name of an axis, of a type or
    of a pattern."""
    if isinstance(value, Layout):
        return f"({value.text})"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "none"}[value]
    if isinstance(value, str):
        return value
    if isinstance(value, slice):
        return f"{_text(value.start)}:{_text(value.stop)}"
    if isinstance(value, (tuple, list)):
        return "(" + "".join(f"{_text(item)}, " for item in value) + ")"
    return str(_checked.integer_of(value, "an operand that is not a layout"))


def _python(result: Any, value: Any) -> Any:
    """A value of the language, which belongs to the result, as a value of Python."""
    kind, content = _KINDS[value.kind], getattr(value, "as")
    if kind in _OBJECTS:
        return object.__new__(Layout)._set(result, value)
    if kind in ("BOOL", "INT"):
        return bool(content.truth) if kind == "BOOL" else int(content.integer)
    if kind in ("WORD", "TEXT"):
        return text_of(content.text)
    if kind == "TERM":
        return int(content.term.value), text_of(content.term.axis.name)
    if kind in ("LIST", "PAIR"):
        return tuple(_python(result, content.list.items + i) for i in range(content.list.n))
    if kind == "STRUCTURE":
        fields = content.structure.fields
        return {text_of(fields[i].name): _python(result, ffi.addressof(fields[i], "value")) for i in range(content.structure.n)}
    return None


def evaluate(text: str, **names: Any) -> Any:
    """The value of an expression. names: the layouts, numbers and tuples for names in the expression. Returns a
    Layout, int, bool, str, None, tuple, dict, or (number, axis)."""
    result = _evaluated(_with_names(text, names))
    return _python(result, lib.tmap_result_value(result))


def call(name: str, *args: Any, **options: Any) -> Any:
    """Calls a function of the language: ``call("tile", inner, outer, (2, 1), (8, 8))``."""
    if name not in functions() or not name.isidentifier():
        raise AttributeError(f"{name!r} is not a function of the language; functions() lists all functions")
    given = [_text(arg) for arg in args] + [f"{key}={_text(value)}" for key, value in options.items()]
    return evaluate(f"{name}({', '.join(given)})")


# ---- Plans -----------------------------------------------------------------------------------------------------------

class Plan:
    """The copies that move a part of a tensor into a wanted layout: `map`, and for each copy `at` and `shared`."""

    __slots__ = ("map", "copies", "tx_bytes")

    def __init__(self, map: TensorMap, copies: tuple[tuple[tuple[int, ...], int], ...], tx_bytes: int):
        self.map, self.copies, self.tx_bytes = map, copies, tx_bytes

    @classmethod
    @names_arguments()
    def of_cute(cls, gmem_tensor: Any, smem_layout: Any, cta_tiler: Any, *, begin: Any = None, arch: Any = None) -> Plan:
        """The plan of the copy that ``cpasync.make_tiled_tma_atom(op, gmem_tensor, smem_layout, cta_tiler)`` of the
        CuTe DSL makes, from the arguments of this call.

        gmem_tensor: a tensor with `element_type` and a static `layout`, or (type, layout). smem_layout: the layout of
        one stage in shared memory; its swizzle counts bytes, as in CuTe. cta_tiler: the tile in elements. begin: the
        first element of the tile in the tensor. If no tensor map makes this copy, raises MapError with the rule.
        """
        kind, shape, strides, wanted, tile = foreign.arguments_of_cute(gmem_tensor, smem_layout, cta_tiler)
        return plan(Layout(wanted), kind, shape, strides, begin=begin, tile=tile, arch=arch)

    def __len__(self) -> int:
        return len(self.copies)

    def __repr__(self) -> str:
        return f"<Plan: {_checked.counted(len(self), 'copy')} through {self.map!r}>"


@names_arguments()
def plan(layout: Layout | str, type: Any, shape: Any, strides: Any = None, *, begin: Any = None, tile: Any = None,
         shared: int = 0, arch: Any = None) -> Plan:
    """The map and the smallest number of loads that fill shared memory in the wanted layout. The copies are checked by
    emulation.

    layout: over the tile, on the axis m, in elements. shape, strides: of the tensor in global memory, outermost first,
    in elements; strides None: dense. begin, tile: the part of the tensor to copy; None: the whole tensor. If no tensor
    map fills this layout, raises MapError with the rule that prevents a plan.
    """
    wanted = layout if isinstance(layout, Layout) else Layout(layout)
    request, rank = _request(wanted, type, shape, strides, begin, tile, shared, arch)
    found, refusal = ffi.new("tmap_plan *"), ffi.new("tmap_diag *")
    _check(lib.tmap_plan_make(request, found, refusal), refusal)
    _check(lib.tmap_plan_prove(found, request, ffi.NULL, refusal), refusal)
    frozen = ffi.new("tmap_map *")
    raise_for(lib.tmap_map_init(frozen, ffi.addressof(found, "map"), ffi.NULL, ffi.NULL), "the map of a plan")
    map = TensorMap._of_frozen(frozen, "outer", (), None)
    copies = []
    for i in range(found.copies_n):
        copy = lib.tmap_plan_copy(found, i)
        copies.append((tuple(copy.at[0:map.rank])[::-1], int(copy.shared)))
    return Plan(map, tuple(copies), int(found.tx_B))


def _request(wanted: Layout, type: Any, shape: Any, strides: Any, begin: Any, tile: Any, shared: int,
             arch: Any) -> tuple[Any, int]:
    if wanted.kind != "layout":
        raise TypeError(f"a plan requires an S/R/O layout, not a {wanted.kind}: convert it with as_layout")
    sizes = _checked.integers(shape, "shape", most=_checked.INT64_MAX)
    rank = len(sizes)
    if not 1 <= rank <= lib.TMAP_ITERS_MAX:
        raise ValueError(f"shape has {rank} numbers; it must have 1 to {lib.TMAP_ITERS_MAX}")
    dense = [1] * rank
    for i in range(rank - 2, -1, -1):
        dense[i] = dense[i + 1] * sizes[i + 1]
    request = ffi.new("tmap_plan_request *")
    request.type, request.op, request.archs = TYPES.number(type), OPS.number("load"), bits_of(arch, ARCHS)
    steps = dense if strides is None else strides
    request.strides_el[0:rank] = _checked.integers(steps, "strides", rank, most=_checked.INT64_MAX)
    for member, values, name in ((request.shape, sizes, "shape"), (request.begin, [0] * rank if begin is None else begin, "begin"),
                                 (request.tile, sizes if tile is None else tile, "tile")):
        member.rank = rank
        member.at[0:rank] = _checked.integers(values, name, rank, most=_checked.INT64_MAX)
    request.shared = getattr(wanted._value, "as").layout[0]
    request.shared_address = _checked.unsigned(shared, "shared", _checked.SHARED)
    return request, rank
