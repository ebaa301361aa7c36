"""Pictures of boxes in shared memory: text, SVG, and an interactive HTML page."""
from __future__ import annotations

import binascii
import os
from typing import TYPE_CHECKING, Any

from . import _checked
from ._names import ARCHS, bits_of, names_arguments
from ._native import ffi, lib
from .findings import written

if TYPE_CHECKING:
    from .copies import Copy


_COLUMNS_MAX = 1 << 16
_DARK = """@media(prefers-color-scheme:dark){svg>path{fill:#0d1117}rect{stroke:#0d1117}
.title,.note,.head,.address,.label,.cell+.cell{fill:#c9d1d9}}
"""


class _View:
    """The view record of the library, together with the texts to which the record points."""

    def __init__(self, copy: Copy, element: Any = None, color: bool = False, columns: int = 80):
        map = copy.map
        axes = map.axes[::-1] if map.order == "outer" else map.axes
        self._names = [ffi.new("char[]", axis.encode(errors="replace")) for axis in axes]
        self._table = ffi.new("char *[]", self._names + [ffi.NULL] * (lib.TMAP_RANK_MAX - len(axes)))
        self._title = ffi.new("char[]", f"{copy.op} of {map.type} {map.dims}".encode())
        self.view = view = ffi.new("tmap_view *", {"title": self._title, "color": bool(color), "columns": columns})
        if axes:
            view.axes = ffi.cast("const char *const *", self._table)
        if element is not None:
            view.has_element, view.element = True, list(copy._index(element))


def in_both_schemes(svg: str) -> str:
    """The picture with additional colours for dark notebooks. The cells keep their colours; the colours around the
    cells change."""
    return svg.replace("</style>", _DARK + "</style>", 1)


def html_of(svg: str, caption: str) -> str:
    """A picture with a caption. The picture is an image, so its styles do not change the page."""
    data = binascii.b2a_base64(svg.encode(), newline=False).decode()
    return f'<figure style="margin:0">{caption}<br><img alt="" src="data:image/svg+xml;base64,{data}"></figure>'


def code_of(value: Any) -> str:
    from html import escape  # takes long to import
    return f"<code>{escape(repr(value))}</code>"


class Pictured:
    """What has a picture: a copy, an image (its first copy), and a map (its first tile)."""

    __slots__ = ()

    def _shown(self) -> Copy:
        raise NotImplementedError

    @names_arguments()
    def draw(self, *, element: Any = None, color: bool = False, columns: int = 80) -> str:
        """The box in shared memory as text: 128-byte lines of 16-byte units over the banks; of a map: the first tile.
        Lines that repeat, with coordinates that differ by a constant, are drawn once, with a note. element: the index of
        an element in the box; the picture marks the cell of this element and derives its address step by step."""
        columns = _checked.integer_of(columns, "columns")
        if not 0 <= columns <= _COLUMNS_MAX:
            raise ValueError(f"columns is {columns}; it must be 0 to {_COLUMNS_MAX}")
        copy = self._shown()
        drawn = _View(copy, element, color, columns)
        text = written(lambda sink: lib.tmap_view_text(sink, copy._copy, drawn.view))
        if element is None:
            return text
        return text + written(lambda sink: lib.tmap_view_element(sink, copy._copy, drawn.view))

    @names_arguments()
    def svg(self, *, element: Any = None) -> str:
        """The same picture as SVG."""
        copy = self._shown()
        drawn = _View(copy, element)
        return written(lambda sink: lib.tmap_view_svg(sink, copy._copy, drawn.view))

    @names_arguments()
    def page(self, path: Any = None) -> str:
        """A self-contained HTML page that shows the box interactively. If `path` is given, the method also writes the
        page to `path`."""
        copy = self._shown()
        drawn, archs = _View(copy), bits_of(copy.map.arch, ARCHS)
        query = written(lambda sink: lib.tmap_page_query_of_copy(sink, copy._copy, drawn.view, archs))
        page = written(lambda sink: lib.tmap_page_write(sink, query.encode()))
        if path is not None:
            with open(os.fspath(path), "w") as file:
                file.write(page)
        return page

    def _repr_svg_(self) -> str:
        """The picture for a notebook."""
        return in_both_schemes(self.svg())

    def _repr_html_(self) -> str:
        """The picture for a notebook with the numbers of the map as caption."""
        copy = self._shown()
        numbers = f"{copy.shared_bytes} B of shared memory, {copy.tx_bytes} transaction bytes"
        return html_of(copy._repr_svg_(), f"{code_of(copy.map)}<br><small>{copy.op} at {copy.at}: {numbers}</small>")
