"""Pictures show the same places as locate: the first element of each unit, read from the text."""
import base64
import re
import xml.etree.ElementTree

import numpy as np
import pytest

from libtmap import TensorMap

MAP = TensorMap.tiled("f16", (8192, 4096), (8, 64), swizzle="128B", axes=("m", "k"))


def test_text():
    """README.md shows this box: row m of the 128-byte mode has unit u at u XOR m."""
    lines = [line for line in MAP.draw().splitlines() if line.startswith("0x")]
    cells = [re.findall(r"(\d+),(\d+)", line) for line in lines]
    assert cells == [[(str(m), str(8 * (u ^ m))) for u in range(8)] for m in range(8)]
    assert "XOR      0x0030" in MAP.draw(element=(3, 8)) and "\x1b[" in MAP.draw(color=True)
    with pytest.raises(IndexError):
        MAP.draw(element=(8, 0))


def test_svg_and_html(tmp_path):
    assert MAP.svg(element=(3, 8)) == MAP.copy("load").svg(element=(3, 8)) != MAP.svg()
    for svg in (MAP._repr_svg_(), MAP.copy("load").svg(element=(3, 8)), MAP.load(np.zeros((8192, 4096), np.float16),
                                                                                  (0, 0))._repr_svg_()):
        assert xml.etree.ElementTree.fromstring(svg).tag.endswith("svg") and "128B" in svg
    inside = base64.b64decode(re.search(r"base64,([^\"]*)", MAP._repr_html_())[1]).decode()
    assert inside == MAP._repr_svg_() and "prefers-color-scheme:dark" in inside and "TensorMap.tiled" in MAP._repr_html_()
    page = MAP.page(tmp_path / "box.html")
    assert page == (tmp_path / "box.html").read_text() and "swizzle=128B" in page and "</html>" in page
    large = TensorMap.tiled("u8", (256, 256), (256, 128), swizzle="128B")
    assert ">lines 8-247: 30 x the 8 lines above, with d1 + 8 each time<" in large._repr_svg_()


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
def test_every_mode_has_a_picture():
    for made in (TensorMap.four_rows("f16", (64, 64), 64, arch="sm_100a"),
                 TensorMap.im2col("f16", (2, 9, 9, 64), (-1, -1), (-1, -1), 64, 32),
                 TensorMap.tiled("b4x16", (16, 256), (4, 64), arch="sm_100a", order="outer")):
        assert made._repr_svg_().startswith("<svg") and made.draw()
