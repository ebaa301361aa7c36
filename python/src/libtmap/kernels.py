"""Compiled kernels: their tensor maps and copies, and the findings about them, from the PTX alone. No GPU is required."""
from __future__ import annotations

import os
from typing import Any, Iterable, Mapping, NamedTuple, Sequence, Union

from . import _checked
from ._names import ARCHS, bits_of, names_arguments, text_of
from ._native import ffi, lib
from .findings import Finding, MapError, Report, finding_of, findings_of, raise_for
from .properties import Properties

Maps = Union[Mapping[str, Properties], Sequence[Properties], str, "os.PathLike[str]", None]


class KernelMap(NamedTuple):
    """A tensor map that a kernel uses. `type`, `box` and `swizzle` are None if neither the text nor `maps` has them;
    `box` is innermost first, as in the driver's call."""

    name: str
    kernel: str
    type: str | None
    box: tuple[int, ...] | None
    swizzle: str | None
    made_in_kernel: bool
    given_by: str | None


class KernelCopy(NamedTuple):
    """A copy of a kernel: its line in the PTX and in the source, its form, and its operands as far as they are known.
    `bytes` is what one execution moves, or None."""

    kernel: str
    line: int
    source: str | None
    form: str | None
    map: str | None
    coordinates: str
    shared: str
    barrier: str
    bytes: int | None


class KernelReport(Report):
    """The result of :func:`libtmap.check_kernel`: true if no finding is an error."""

    def __init__(self, findings: tuple[Finding, ...], maps: tuple[KernelMap, ...], copies: tuple[KernelCopy, ...]):
        super().__init__(findings)
        self.maps, self.copies = maps, copies

    def __repr__(self) -> str:
        return (f"<KernelReport: {_checked.counted(len(self.findings), 'finding')}, {_checked.counted(len(self.maps), 'map')}, "
                f"{_checked.counted(len(self.copies), 'copy')}>")


@names_arguments()
def check_kernel(compiled: Any, maps: Maps = None, arch: str | tuple[str, ...] | None = None,
                 launch: Mapping[str, int] | None = None) -> KernelReport:
    """Checks the copies of a compiled kernel. Returns a :class:`KernelReport`.

    compiled: a CompiledKernel of Triton (``triton.compile`` requires no GPU), the path of a PTX file, or PTX as str or
    bytes. maps: the tensor maps that the host gives to the kernel: a dict whose keys are the names in ``report.maps``, a
    list in the order of the kernel's parameters, or the metadata, IR or host code of a compiler, as a path or a text,
    such as TTGIR; None: the maps in Triton's metadata. arch: architectures such as ``sm_100``; None: the target of the
    PTX. launch: values of parameters, by their names in the PTX; tmap chooses those that are not given.
    """
    text, path, metadata = _ptx_of(compiled)
    kernels, diags, refusal = ffi.new("tmap_compiled **"), ffi.new("tmap_diags *"), ffi.new("tmap_diag *")
    content, name = ffi.new("char[]", text), ffi.new("char[]", path.encode(errors="replace"))
    status = lib.tmap_compiled_read(content, len(text), name, ffi.NULL, diags, kernels, refusal)
    try:
        raise_for(status, "a kernel", refusal)
        _given_maps = _give(kernels[0], maps if maps is not None else metadata)  # kernels point to it
        judge = ffi.new("tmap_judge *", {"archs": bits_of((arch,) if isinstance(arch, str) else arch, ARCHS)})
        status = lib.tmap_compiled_check(kernels[0], judge, diags)
        if status != lib.TMAP_REFUSED:
            raise_for(status, "a kernel")
        _execute(kernels[0], judge, diags, launch or {})
        return KernelReport(findings_of(diags), _maps_of(kernels[0]), _copies_of(kernels[0]))
    finally:
        lib.tmap_diags_free(diags)
        lib.tmap_compiled_free(kernels[0])


def _execute(kernels: Any, judge: Any, diags: Any, values: Any) -> None:
    if not isinstance(values, Mapping) or not all(isinstance(name, str) for name in values):
        raise TypeError(f"launch is {_checked.shown(values)}; it must be a dict whose keys are names of parameters")
    names = [ffi.new("char[]", name.encode()) for name in values]
    for name in names:
        refusal = ffi.new("tmap_diag *")
        raise_for(lib.tmap_compiled_find_parameter(kernels, name, refusal), "launch", refusal)
    numbers = [_checked.unsigned(value, f"launch[{name!r}]") for name, value in values.items()]
    params = ffi.new("tmap_size_value[]", [{"name": name, "value": number} for name, number in zip(names, numbers)])
    steps = 3_000_000  # as in tmap check
    for kernel in range(lib.tmap_compiled_kernels_n(kernels)):
        run = ffi.new("tmap_compiled_run *")
        launch = ffi.new("tmap_compiled_launch *", {"params": params, "params_n": len(names), "steps_max": max(steps, 0)})
        status = lib.tmap_compiled_execute(kernels, kernel, launch, judge, diags, run)
        if status != lib.TMAP_REFUSED:
            raise_for(status, "a kernel")
        steps -= run.steps


def _ptx_of(compiled: Any) -> tuple[bytes, str, str | None]:
    """The PTX, its name in findings, and the text that has the maps."""
    asm = getattr(compiled, "asm", None)
    if isinstance(asm, Mapping) and "ptx" in asm:
        metadata = getattr(compiled, "metadata", None)
        meta = getattr(metadata, "tensordesc_meta", None)
        import json  # takes long to import
        maps = None if meta is None else '"tensordesc_meta": ' + json.dumps(list(meta), default=str)
        return asm["ptx"].encode(), f"{getattr(metadata, 'name', 'kernel')}.ptx", maps
    if isinstance(compiled, bytes):
        return compiled, "kernel.ptx", None
    if isinstance(compiled, os.PathLike) or (isinstance(compiled, str) and "\n" not in compiled):
        return _content_of(compiled), os.fspath(compiled), None
    if isinstance(compiled, str):
        return compiled.encode(), "kernel.ptx", None
    raise TypeError(f"a kernel must be a CompiledKernel of Triton, a path or PTX, not {_checked.shown(compiled)}")


def _content_of(path: Any) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _give(kernels: Any, maps: Maps) -> Any:
    """Gives the maps to the kernels that use as many. Returns what must live as long as the kernels."""
    if maps is None:
        return None
    given, n, kept = _given(maps)
    refusal, first, taken = ffi.new("tmap_diag *"), None, False
    for kernel in range(lib.tmap_compiled_kernels_n(kernels)):
        if lib.tmap_compiled_give(kernels, kernel, given, n, refusal) == lib.TMAP_OK:
            taken = True
        elif first is None:
            first = finding_of(refusal)
    if not taken and first is not None:
        raise MapError(first)
    return given, kept


def _given(maps: Any) -> tuple[Any, int, Any]:
    """The maps as the library's array, their number, and what must live as long."""
    if isinstance(maps, (str, os.PathLike)):
        text = _content_of(maps) if "\n" not in os.fspath(maps) and os.path.exists(maps) else os.fspath(maps).encode()
        given = ffi.new("tmap_given_map[]", 256)
        n = lib.tmap_given_maps_read(ffi.from_buffer(text) if text else b"", len(text), given, 256)
        if n == 2**64 - 1:
            raise ValueError("maps has no tensor maps in a form that check_kernel reads; pass TensorMaps, for a "
                             "spec by TensorMap.from_spec(text, name)")
        used = [given[i] for i in range(min(n, 256)) if not given[i].in_kernel]
        return ffi.new("tmap_given_map[]", used or 1), len(used), given
    if not isinstance(maps, Iterable):
        raise TypeError(f"maps is {_checked.shown(maps)}; it must be a dict or a list of TensorMaps, a text or a path")
    items = list(maps.items()) if isinstance(maps, Mapping) else [(None, each) for each in maps]
    if wrong := [each for _, each in items if not isinstance(each, Properties)]:
        raise TypeError(f"maps must hold TensorMaps, not {_checked.shown(wrong[0])}")
    names = [ffi.NULL if key is None else ffi.new("char[]", str(key).encode()) for key, _ in items]
    origin = ffi.new("char[]", b"a TensorMap")
    array = ffi.new("tmap_given_map[]", max(len(items), 1))
    for i, (name, (_, each)) in enumerate(zip(names, items)):
        array[i].name, array[i].origin, array[i].known, array[i].params = name, origin, 2**64 - 1, each._map.params
    return array, len(items), (names, origin)


def _kernel_name(kernels: Any, kernel: int) -> str:
    return text_of(lib.tmap_compiled_kernel_get(kernels, kernel).name)


def _maps_of(kernels: Any) -> tuple[KernelMap, ...]:
    found = []
    for i in range(lib.tmap_compiled_maps_n(kernels)):
        each = lib.tmap_compiled_map_get(kernels, i)
        if each.published:
            continue
        params, known = each.params, int(each.known)
        found.append(KernelMap(
            text_of(each.name), _kernel_name(kernels, each.kernel),
            text_of(lib.tmap_type_get(params.type).name) if known >> lib.TMAP_FIELD_TYPE & 1 else None,
            tuple(params.box_el[0:params.rank]) if known >> lib.TMAP_FIELD_BOX & 1 else None,
            text_of(lib.tmap_swizzle_get(params.swizzle).name) if known >> lib.TMAP_FIELD_SWIZZLE & 1 else None,
            bool(each.replaced), text_of(each.given_by) or None))
    return tuple(found)


def _copies_of(kernels: Any) -> tuple[KernelCopy, ...]:
    found = []
    for i in range(lib.tmap_compiled_copies_n(kernels)):
        each = lib.tmap_compiled_copy_get(kernels, i)
        of_map = each.map < lib.tmap_compiled_maps_n(kernels)
        path = ffi.string(each.source).decode(errors="replace") if each.source else ""
        found.append(KernelCopy(
            _kernel_name(kernels, each.kernel), each.line, f"{path}:{each.source_line}" if each.source_line > 0 else None,
            text_of(each.form.form.name) if each.form.form else None,
            text_of(lib.tmap_compiled_map_get(kernels, each.map).name) if of_map else None,
            text_of(each.coordinates), text_of(each.shared), text_of(each.barrier), each.bytes or None))
    return tuple(found)
