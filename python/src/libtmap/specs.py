"""Specs, the YAML files of the command ``tmap``: reads a tensor from a spec, and writes a map as a spec."""
from __future__ import annotations

from typing import Any

from . import _checked
from ._names import ARCHS, names_of, text_of
from ._native import ffi, lib
from .drafts import check_order
from .findings import Finding, MapError, findings_of, raise_for, written
from .properties import Properties


def _rank_of(spec: Any, tensor: int, order: str | None) -> tuple[int, str, tuple[str, ...]]:
    """The rank, the order and the axes; order None: that of the spec."""
    found = lib.tmap_spec_tensor_get(spec, tensor)
    rank, order = int(found.params.rank), order or ("outer" if found.outer_first else "inner")
    axes = tuple(text_of(axis) for axis in found.axes[0:rank if found.has_axes else 0])
    return rank, order, axes[::-1] if order == "outer" else axes


def _tensor(spec: Any, name: str | None) -> int:
    names = [text_of(lib.tmap_spec_tensor_get(spec, i).name) for i in range(lib.tmap_spec_tensors_n(spec))]
    if name is None and len(names) == 1:
        return 0
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"the spec contains the tensors {', '.join(names) or '(none)'}; pass one of these names")
    return names.index(name)


def map_of(text: str, name: str | None, path: str,
           order: str | None) -> tuple[Any, str, tuple[str, ...], Any, tuple[Finding, ...]]:
    """The frozen map of a tensor in a spec, with its order, axes and architectures, and the findings that are not
    errors."""
    if order is not None:
        check_order(order)
    for what, given in (("a spec", text), ("path", path)):
        if not isinstance(given, str):
            raise TypeError(f"{what} must be a str, not {type(given).__name__}")
    content, spec, diags = text.encode(errors="surrogatepass"), ffi.new("tmap_spec **"), ffi.new("tmap_diags *")
    status = lib.tmap_spec_read(content, len(content), path.encode(), ffi.NULL, diags, spec)
    try:
        if status == lib.TMAP_REFUSED:
            raise MapError(*findings_of(diags))
        raise_for(status, "a spec")
        lib.tmap_diags_free(diags)
        tensor = _tensor(spec[0], name)
        rank, order, axes = _rank_of(spec[0], tensor, order)
        frozen, diags = ffi.new("tmap_map *"), ffi.new("tmap_diags *")
        status = lib.tmap_spec_map(spec[0], tensor, ffi.NULL, diags, frozen)
        findings = findings_of(diags, rank, order)
        if status == lib.TMAP_REFUSED:
            raise MapError(*findings)
        raise_for(status, "a tensor of a spec")
        return frozen, order, axes, names_of(lib.tmap_spec_archs(spec[0]), ARCHS) or None, findings
    finally:
        lib.tmap_spec_free(spec[0])


def text_of_map(map: Properties, name: str) -> str:
    """A spec that contains one tensor, with the name `name`."""
    if not isinstance(name, str):
        raise TypeError(f"name is {_checked.shown(name)}; it must be a str")
    if not name or "\0" in name:
        raise ValueError(f"{name!r} is not a valid name of a tensor")
    return written(lambda sink: lib.tmap_spec_write(sink, name.encode(), ffi.addressof(map._map, "params")))
