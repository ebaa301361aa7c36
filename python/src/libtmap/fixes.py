"""Fixes in terms of Python. The fixes of the library name keys of specs; a call has keyword arguments."""
from __future__ import annotations

import itertools
from typing import Any, Mapping, NamedTuple

from ._names import text_of
from ._native import ffi, lib

_LISTS = {"dims": "dims_el", "strides": "strides_B", "box": "box_el", "element_strides": "element_strides",
          "lower_corner": "lower_corner", "upper_corner": "upper_corner", "at": "at", "rows": "rows", "offsets": "offsets"}
_OF_COPY = ("at", "column", "rows", "offsets", "w_halo", "w_offset", "shared")
_OF_MAP = ("arch", "type", "dims", "strides", "box", "element_strides", "lower_corner", "upper_corner", "channels_per_pixel",
           "pixels_per_column", "interleave", "swizzle", "l2_promotion", "oob_fill", "allocation_class", "allocation",
           "address", "ops")


class Words(NamedTuple):
    """The names that a call has for the parameters of a map. `names`: from the parameter to the name in the call; ""
    for a parameter that is not an argument but a part of `source`, for example of an array. element_bits: if the
    strides of the call count elements of all dimensions, the bits of such an element; 0: strides count bytes."""

    names: Mapping[str, str] = {}
    source: str = ""
    element_bits: int = 0


class Given(NamedTuple):
    """The arguments of the call that findings concern: the parameters of a map and, for a copy, those of the copy."""

    map: Any
    order: str
    words: Words = Words()
    copy: Any = None

    def values(self, name: str) -> list[Any]:
        """The numbers of a list, innermost first."""
        n = {"strides": self.map.rank - 1, "rows": 4}.get(name, self.map.rank)
        if name in ("lower_corner", "upper_corner", "offsets"):
            n = lib.tmap_image_dims_of(self.map).walked_n
        return list(getattr(self.copy if name in _OF_COPY else self.map, _LISTS[name])[0:n])

    def as_given(self, name: str, numbers: list[Any]) -> Any:
        """The numbers in the form of the call. A corner of im2col_wide and the box of gather4 are one number each."""
        if self.words.names.get(name) == "columns":
            return numbers[0]
        if name.endswith("_corner") and self.map.mode != lib.TMAP_MODE_IM2COL:
            return numbers[0]
        if name == "strides" and self.words.element_bits:
            numbers = [1, *(stride * 8 // self.words.element_bits for stride in numbers)]
        return tuple(numbers[::-1] if self.order == "outer" and name != "rows" else numbers)

    def takes(self, name: str, value: Any) -> bool:
        """Whether the parameter is an argument of the call."""
        if name == "mode":
            return self.words.names.get(name) == name and str(value).startswith("im2col_w")
        return name in _OF_COPY if self.copy is not None else name in _OF_MAP and self.words.names.get(name) != ""

    def said(self, name: str, value: Any) -> str:
        called = self.words.names.get(name, name)
        if value is None:
            return f"leave {called or name} out"
        if name == "mode":
            wide = str(value).startswith("im2col_w")
            return f"TensorMap.im2col_wide(mode={value!r})" if wide else f"TensorMap.{value}"
        if name not in _OF_MAP and name not in _OF_COPY:
            return f"{name}: {value}"
        text = f"{value:#x}" if name in ("address", "shared") else repr(value)
        if self.copy is not None and name in _OF_MAP:
            return f"map.replace({name}={text})"
        return f"{called}={text}" if called else f"{name}={text} of the {self.words.source}"


def in_python(diag: Any, given: Given) -> tuple[str, tuple[dict[str, Any], ...]]:
    """The fix of a finding in the names of the call, and the alternatives of the fix that only change arguments of the
    call. Words after edits are a condition of the edits, or another change: a program then makes none of them."""
    text, changes, before = "", [], None
    for _, same in itertools.groupby(diag.fix.edits[0:diag.fix.edits_n], lambda edit: edit.alternative):
        edits = list(same)
        values, place = _values(edits, given), [(edit.field, edit.dim) for edit in edits]
        text += "" if before is None else " or " if place == before else ", or "
        said = [given.said(name, value) for name, value in values.items()]
        text += " and ".join([", ".join(said[:-1])] * (len(said) > 1) + said[-1:])
        before = place if len(place) == 1 else []
        if all(given.takes(name, value) for name, value in values.items()):
            changes.append({given.words.names.get(name, name): value for name, value in values.items()})
    words = text_of(diag.fix.words).replace("allocation_class: small", "allocation_class='small'")
    if given.words.element_bits:
        words = words.replace("if these strides count elements: strides are in bytes", "unless the overlap is intended")
    return text + (", " if text and words and words[0] not in " :;" else "") + words, () if words else tuple(changes)


def note_in_python(note: str, given: Given) -> str:
    """A note in the names of the call; empty for a note that is only a place in a file. Only a call that has the sizes as
    arguments also has the argument `order`."""
    if note.endswith("is set here"):
        return ""
    plain = not given.words.source and not given.words.element_bits
    return note if plain else note.replace(", or give order='outer'", "")


def _values(edits: list[Any], given: Given) -> dict[str, Any]:
    """The new value of each parameter after the edits of one alternative."""
    values: dict[str, Any] = {}
    lists: dict[str, list[Any]] = {}
    for edit in edits:
        name, value = _name(edit), _value(edit)
        if value is None or name not in _LISTS or name in _OF_COPY and given.copy is None:
            values[name] = value
            continue
        numbers = lists.setdefault(name, [] if edit.list else given.values(name))
        numbers[max(edit.dim, 0):max(edit.dim, 0) + 1] = [value]
        values[name] = given.as_given(name, numbers)
    return values


def _name(edit: Any) -> str:
    return "arch" if edit.field == lib.TMAP_EDIT_ARCHS else text_of(lib.tmap_field_get(edit.field).name)


def _value(edit: Any) -> int | str | tuple[str, ...] | None:
    """A number, a word, a set of operations, or None for a parameter that is left out."""
    if edit.leave_out:
        return None
    text = ffi.new("char[]", lib.TMAP_FIX_TEXT_MAX)
    word = text_of(lib.tmap_edit_value(ffi.addressof(edit), text, len(text)))
    if edit.field == lib.TMAP_FIELD_OPS:
        return tuple(word.strip("[]").split(", "))
    try:
        return int(word, 0)
    except ValueError:
        return word
