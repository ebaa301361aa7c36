"""Specs, the YAML files of the command ``tmap``: reads a tensor from a spec, and writes a map as a spec."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _checked
from ._names import ARCHS, names_arguments, names_of, text_of
from ._native import ffi, lib
from .drafts import check_order
from .findings import Finding, findings_of, raise_for, warn_of, written

if TYPE_CHECKING:
    from .maps import TensorMap


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


def _map_of(text: str, name: str | None, path: str,
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
        raise_for(status, "a spec", findings=findings_of(diags))
        lib.tmap_diags_free(diags)
        tensor = _tensor(spec[0], name)
        rank, order, axes = _rank_of(spec[0], tensor, order)
        frozen, diags = ffi.new("tmap_map *"), ffi.new("tmap_diags *")
        status = lib.tmap_spec_map(spec[0], tensor, ffi.NULL, diags, frozen)
        findings = findings_of(diags, rank, order)
        raise_for(status, "a tensor of a spec", findings=findings)
        return frozen, order, axes, names_of(lib.tmap_spec_archs(spec[0]), ARCHS) or None, findings
    finally:
        lib.tmap_spec_free(spec[0])


@names_arguments()
def from_spec(cls: type[TensorMap], /, text: str, name: str | None = None, *, path: str = "spec", order: str | None = None) -> TensorMap:
    """The map of a tensor in a spec. A spec is a YAML text for the command ``tmap``.

    name: the name of the tensor; None: the only tensor of the spec. path: the name of the file in messages. order:
    the order of the map; None: the order of the spec. The axes and architectures are those of the spec. Raises
    ValueError for a name that the spec does not define, and MapError for a text that is not a spec.
    """
    frozen, given, axes, archs, findings = _map_of(text, name, path, order)
    warn_of(findings)
    return cls._of_frozen(frozen, given, axes, archs)


@names_arguments()
def to_spec(map: TensorMap, /, name: str = "tensor") -> str:
    """The map as a spec, a YAML text for the command ``tmap``. The tensor of the spec has the given name. The
    sizes in the spec are innermost first. The spec contains neither axes nor architectures; for a map without
    these, ``from_spec(text, order=map.order)`` is an equal map. Raises ValueError for an empty name."""
    if not isinstance(name, str):
        raise TypeError(f"name is {_checked.shown(name)}; it must be a str")
    if not name or "\0" in name:
        raise ValueError(f"{name!r} is not a valid name of a tensor")
    return written(lambda sink: lib.tmap_spec_write(sink, name.encode(), ffi.addressof(map._map, "params")))
