"""assert_tile: the output of a kernel against the prediction. NumPy computes wrong tiles by the formula of each
mistake."""
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from libtmap import MapAdvice, TensorMap
from libtmap.testing import TileError, assert_tile

SOURCE = (np.arange(128 * 128) % 2039).astype(np.float16).reshape(128, 128)
MAP = TensorMap.of(SOURCE, (16, 64), swizzle="128B")


def test_the_module_needs_no_import_of_its_own():
    code = "import libtmap as tmap; print(tmap.testing.assert_tile.__module__, tmap.layouts.Layout is tmap.Layout)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["libtmap.testing", "True"]



def swizzled(address):
    return address ^ (address >> 3 & 0x70)


def tile_as_if(at, where):
    """Returns the 16 x 64 tile at `at` with byte i of the box at where[i]."""
    image = np.empty(2048, np.uint8)
    image[where] = np.ascontiguousarray(SOURCE[at[0]:at[0] + 16, at[1]:at[1] + 64]).view(np.uint8).reshape(-1)
    return image


def test_a_right_tile():
    for dtype in (np.uint8, np.float16, np.int32):
        assert_tile(tile_as_if((32, 64), swizzled(np.arange(2048))).view(dtype), MAP, SOURCE, (32, 64))


@pytest.mark.filterwarnings("ignore::libtmap.MapAdvice")
def test_the_swizzle_began_at_the_box():
    with pytest.raises(TileError) as caught:
        assert_tile(tile_as_if((0, 0), swizzled(np.arange(2048))), MAP, SOURCE, (0, 0), shared=128)
    text = str(caught.value)
    assert "of 1024 elements are not as predicted" in text and "likely cause:" in text and "box" in text
    assert isinstance(caught.value, AssertionError)


@pytest.mark.parametrize("at, passed, words", [
    ((32, 64), (64, 32), "the coordinates in the opposite order"), ((32, 64), (48, 64), "a neighbouring box"),
    ((32, 64), (32, 0), "a neighbouring box"), ((48, 0), (3, 0), "the coordinates in boxes, not in elements"),
    ((3, 0), (48, 0), "the coordinates multiplied by the box"), ((32, 64), (0, 64), "a coordinate stayed at 0"),
    ((32, 64), (33, 64), "one element beside the box"), ((32, 32), (32, 64), "a coordinate in bytes"),
    ((32, 64), (32, 32), "a coordinate divided by the size"), ((32, 64), (0, 0), "all coordinates stayed at 0"),
])
def test_the_tile_of_other_coordinates(at, passed, words):
    found, = causes(tile_as_if(passed, swizzled(np.arange(2048))), MAP, SOURCE, at)
    assert found.startswith(f"this is the tile at {passed}: ") and words in found


def causes(image, map, source, at):
    """The causes that the error names. Warnings are errors."""
    with warnings.catch_warnings(), pytest.raises(TileError) as caught:
        warnings.simplefilter("error")
        assert_tile(image, map, source, at)
    return [line.removeprefix("likely cause: ") for line in str(caught.value).splitlines() if line.startswith("likely cause")]


def test_other_coordinates_give_no_warnings():
    """(32, 64) multiplied by the box is outside the tensor."""
    assert causes(tile_as_if((32, 64), np.arange(2048)), MAP, SOURCE, (32, 64)) == ["the swizzle was none: rows are contiguous"]


def test_a_source_without_the_tiles_of_other_coordinates():
    """The array ends with the predicted tile."""
    image = tile_as_if((32, 0), swizzled(np.arange(2048)))
    assert causes(image, MAP, SOURCE[:48].reshape(-1), (32, 64)) == ["this is the tile at (32, 0): a neighbouring box"]


def test_the_callers_coordinates_give_one_warning():
    with pytest.warns(MapAdvice) as caught:
        assert_tile(np.zeros(2048, np.uint8), MAP, SOURCE, (128, 0))
    assert len(caught) == 1 and "at[1]" in str(caught[0].message)


@pytest.mark.parametrize("fill, byte, cause", [
    ("zero", 0, "nothing was written, or the whole box was outside the tensor: every byte of every element is 0x00"),
    ("nan", 0, "nothing was written: every byte of every element is 0x00"),
    ("zero", 0xCD, "nothing was written: every byte of every element is 0xcd"),
])
def test_nothing_was_written(fill, byte, cause):
    """The box at (512, 4096), the coordinates (32, 64) multiplied by the box, has only fill. The box at (16, 64) of the
    source has only zeros."""
    source = SOURCE.copy()
    source[16:32, 64:] = 0
    assert causes(np.full(2048, byte, np.uint8), MAP.replace(oob_fill=fill), source, (32, 64)) == [cause]


def test_fill_does_not_show_its_coordinates():
    nan = MAP.replace(oob_fill="nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        image = nan.load(SOURCE, (512, 4096))
    assert causes(image, nan, SOURCE, (32, 64)) == []


def test_a_tile_of_one_value():
    source = np.repeat(np.arange(8, dtype=np.uint8), 16)[:, None].repeat(128, 1)
    made = TensorMap.of(source, (16, 128))
    assert causes(np.full(2048, 3, np.uint8), made, source, (64, 0)) == ["this is the tile at (48, 0): a neighbouring box"]


def test_a_mistake_that_gives_a_tile_of_one_value():
    """Rows 0 to 3 of the source are equal. The predicted tile has rows 0, 2, 4 and 6."""
    source = np.maximum(np.arange(64, dtype=np.uint8), 3)[:, None].repeat(128, 1)
    made = TensorMap.of(source, (8, 128), element_strides=(2, 1))
    assert causes(np.full(512, 3, np.uint8), made, source, (0, 0)) == ["the element strides were ignored"]


def test_no_swizzle():
    with pytest.raises(TileError) as caught:
        assert_tile(tile_as_if((0, 0), np.arange(2048)), MAP, SOURCE, (0, 0))
    lines = str(caught.value).splitlines()
    # row 1 holds 128.0 ... : its first 8 elements and the next 8 are exchanged
    assert lines[1] == "  element (1, 0) at (1, 0), shared 0x90: predicted 128.0, seen 136.0"
    assert "likely cause:" in str(caught.value)
    assert "  128 |xxxxxxxx|" in str(caught.value) and "    0 |........|" not in str(caught.value)


def test_one_wrong_element_has_no_cause():
    image = tile_as_if((0, 0), swizzled(np.arange(2048)))
    image.view(np.float16)[5] = -1
    with pytest.raises(TileError) as caught:
        assert_tile(image, MAP, SOURCE, (0, 0))
    text = str(caught.value)
    assert text.startswith("1 of 1024 elements") and "likely cause" not in text
    assert "element (0, 5) at (0, 5), shared 0xa: predicted 5.0, seen -1.0" in text


def test_gaps_are_not_compared():
    narrow = TensorMap.tiled("f16", (128, 128), (16, 32), swizzle="128B", arch="sm_100a")
    gaps = swizzled(np.arange(2048).reshape(16, 128)[:, 64:].reshape(-1))  # rows of 64 B in a pitch of 128 B
    image = np.full(2048, 7, np.uint8)
    image[swizzled(np.arange(2048).reshape(16, 128)[:, :64].reshape(-1))] = \
        np.ascontiguousarray(SOURCE[:16, :32]).view(np.uint8).reshape(-1)
    assert_tile(image, narrow, SOURCE, (0, 0))
    image[gaps] = 9
    assert_tile(image, narrow, SOURCE, (0, 0))


@pytest.mark.parametrize("image, words", [(np.zeros(2047, np.uint8), "2047"), (None, "image"),
                                          (np.zeros((2048, 2), np.uint8)[:, 0], "contiguous")])
def test_images_that_are_none(image, words):
    with pytest.raises(ValueError, match=words):
        assert_tile(image, MAP, SOURCE, (0, 0))


def test_plugin(tmp_path):
    (tmp_path / "test_it.py").write_text("""
import numpy as np
from libtmap import MapAdvice, TensorMap
from libtmap.testing import assert_tile
def test_tile():
    source = np.ones((16, 64), np.float16)
    assert_tile(np.zeros(1024, np.uint8), TensorMap.of(source, (8, 64)), source, (0, 0))
""")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "libtmap.pytest_plugin",
               "--tmap-picture=pictures", "test_it.py"]
    environment = dict(os.environ, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")  # an installed package registers itself
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "512 of 512 elements are not as predicted" in done.stdout, done.stdout
    saved = list((tmp_path / "pictures").glob("*.svg"))
    assert len(saved) == 1 and saved[0].read_text().startswith("<svg") and saved[0].name in done.stdout
