"""assert_tile: the output of a kernel against the prediction. NumPy computes wrong tiles by the formula of each
mistake."""
import os
import re
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


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
@pytest.mark.parametrize("kind, row_B, parts", [("b4x16", 64, 256), ("b4x16_p64", 64, 32), ("b6x16_p32", 96, 64)])
def test_packed_values_are_counted_in_parts(kind, row_B, parts):  # of 16 values: 8 of 1 byte, 1 of 8, 8 + 4
    packed, source = TensorMap.tiled(kind, (4, 128), box=(4, 128)), np.zeros((4, row_B), np.uint8)
    with pytest.raises(TileError, match=f"^{parts} of {parts} parts"):
        assert_tile(~packed.load(source, at=(0, 0)).bytes, packed, source, at=(0, 0))


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


def causes(image, map, source, at, **options):
    """The causes that the error names. Warnings are errors."""
    with warnings.catch_warnings(), pytest.raises(TileError) as caught:
        warnings.simplefilter("error")
        assert_tile(image, map, source, at, **options)
    return [line.removeprefix("likely cause: ") for line in str(caught.value).splitlines() if line.startswith("likely cause")]


def test_a_map_of_another_type():
    for other in (None, SOURCE, "m", MAP.copy()):
        with pytest.raises(TypeError, match="it must be a TensorMap"):
            assert_tile(np.zeros(2048, np.uint8), other, SOURCE, (0, 0))


def test_a_swizzle_that_the_architecture_lacks():
    """Swizzle 96B exchanges the units of rows of 128 B as swizzle 32B does: bit 4 with bit 7. sm_90a has no 96B."""
    where = np.arange(2048)
    for arch, named in (("sm_90a", False), ("sm_103a", True)):
        image = tile_as_if((0, 0), where ^ (where >> 3 & 0x10))
        found, = causes(image, MAP.replace(arch=arch), SOURCE, (0, 0))
        assert "the swizzle was 32B, not 128B" in found and ("96B" in found) == named, found


def test_other_coordinates_give_no_warnings():
    """(32, 64) multiplied by the box is outside the tensor."""
    found, = causes(tile_as_if((32, 64), np.arange(2048)), MAP, SOURCE, (32, 64))
    assert found.startswith("the swizzle was none, not 128B")


def test_a_source_without_the_tiles_of_other_coordinates():
    """The array ends with the predicted tile."""
    image = tile_as_if((32, 0), swizzled(np.arange(2048)))
    found, = causes(image, MAP, SOURCE[:48].reshape(-1), (32, 64))
    assert found.startswith("this is the tile at (32, 0): ") and "a neighbouring box" in found


def test_the_callers_coordinates_give_one_warning():
    with pytest.warns(MapAdvice) as caught:
        assert_tile(np.zeros(2048, np.uint8), MAP, SOURCE, (128, 0))
    assert len(caught) == 1 and "at[0]" in str(caught[0].message)


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
    found, = causes(np.full(2048, 3, np.uint8), made, source, (64, 0))
    assert found.startswith("this is the tile at (48, 0): a neighbouring box")


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


# ---- Each mistake for each size of element and each swizzle ---------------------------------------------------------------

SPANS = {"none": 128, "32B": 32, "64B": 64, "128B": 128}
BITS = {"none": 0, "32B": 1, "64B": 2, "128B": 3}  # address bits 7, 8, 9 that the swizzle XORs into bits 4, 5, 6


class Case:
    """A tile of 16 rows of a tensor of 128 rows of random bytes. A row is as wide as the swizzle."""

    def __init__(self, size, swizzle, seed=1):
        self.size, self.swizzle, self.row_B = size, swizzle, SPANS[swizzle]
        rng = np.random.default_rng(seed)
        self.columns, self.box = 4 * self.row_B // size, (16, self.row_B // size)
        self.source = rng.integers(0, 256, (128, 4 * self.row_B), np.uint8).view(f"u{size}")
        self.map = TensorMap.tiled({1: "u8", 2: "f16", 4: "s32", 8: "u64"}[size], self.source.shape, self.box, swizzle=swizzle)
        self.at = (48, 2 * self.box[1])

    def bytes_of(self, at, box=None):
        """The bytes of a tile, row after row, without a swizzle."""
        box = box or self.box
        return np.ascontiguousarray(self.source[at[0]:at[0] + box[0], at[1]:at[1] + box[1]]).view(np.uint8).reshape(-1)

    def placed(self, content, swizzle=None, base=0):
        """The image of bytes with the swizzle if the box begins at shared address `base`."""
        where = np.arange(content.size) + base
        where ^= (where >> 7 & (1 << BITS[swizzle or self.swizzle]) - 1) << 4
        image = np.empty_like(content)
        image[where - base] = content
        return image

    def tile(self):
        return self.bytes_of(self.at)

    def causes(self, image, **options):
        return causes(image, self.map, self.source.view(f"i{self.size}") if self.size == 4 else self.source, self.at, **options)


CASES = [Case(size, swizzle) for size in (1, 2, 4, 8) for swizzle in SPANS]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.size}-{case.swizzle}")


def only(found, words):
    """One line; the words may have an alternative that gives the same image."""
    assert len(found) == 1 and words in found[0], (found, words)
    return found[0]


@each_case
@pytest.mark.filterwarnings("ignore::libtmap.MapAdvice")
def test_every_phase(case):
    period = 128 << BITS[case.swizzle]
    for shared in range(0, period, 128):
        for base in range(0, period, 128):
            image = case.placed(case.tile(), base=base)
            if base == shared:
                assert_tile(image, case.map, case.source, case.at, shared=shared)
                continue
            with pytest.raises(TileError) as caught:
                assert_tile(image, case.map, case.source, case.at, shared=shared)
            words = f"base offset {base // 128}, {base:#x} bytes after a multiple of {period}: align the buffer to {period} bytes"
            assert (words if base else "the swizzle started at the box") in str(caught.value)


@each_case
def test_a_part_was_not_written(case):
    """Rows at the end or the beginning, and half of each row: the bytes are those that the memory had before."""
    rows, row_B, half = 16, case.row_B, case.box[1] // 2
    for background in (0, 0xCD):
        for part, words in ((np.s_[8:], "rows 8 to 15 of the box"), (np.s_[:4], "rows 0 to 3"), (np.s_[14:], "rows 14 to 15"), (np.s_[:1], "row 0 of the box was not written"),
                            (np.s_[:, row_B // 2:], f"elements {half} to {2 * half - 1} of each row"),
                            (np.s_[:, :row_B // 2], f"elements 0 to {half - 1} of each row")):
            content = case.tile().reshape(rows, row_B).copy()
            content[part] = background
            assert "wait for the transaction bytes" in only(case.causes(case.placed(content.reshape(-1))), words)


@each_case
def test_a_part_has_the_tile_before(case):
    """The reader did not wait: units of 16 bytes that have not arrived have the bytes of the stage's last tile."""
    before = (case.at[0], case.at[1] - case.box[1])
    late = np.random.default_rng(3).random(case.tile().size // 16) < 0.4
    content = np.where(late.repeat(16), case.bytes_of(before), case.tile())
    only(case.causes(case.placed(content)), f"had not arrived, and still had the tile at {before}")


@each_case
def test_exchanged_bytes(case):
    tile = case.tile()
    if case.size > 1:
        swapped = np.ascontiguousarray(tile.reshape(-1, case.size)[:, ::-1]).reshape(-1)
        only(case.causes(case.placed(swapped)), "big-endian")
    pairs = np.ascontiguousarray(tile.reshape(-1, 2, case.size)[:, ::-1]).reshape(-1)
    only(case.causes(case.placed(pairs)), "the elements of each pair were exchanged")
    for half in (4, 16, case.row_B // 2):
        if half != case.size:
            moved = np.ascontiguousarray(tile.reshape(-1, 2, half)[:, ::-1]).reshape(-1)
            only(case.causes(case.placed(moved)), f"the halves of {half} B in every {2 * half} B were exchanged")


@each_case
def test_strides_in_elements(case):
    """A stride of 4 rows of the box, divided by the size of an element, is a stride that the driver accepts."""
    stride = 4 * case.row_B // case.size
    if case.size == 1 or stride % 16:
        return
    start = (case.source.ctypes.data, case.at[0] * stride + case.at[1] * case.size)
    flat = case.source.view(np.uint8).reshape(-1)
    content = np.concatenate([flat[start[1] + i * stride:][:case.row_B] for i in range(16)])
    only(case.causes(case.placed(content)), f"the strides counted elements: multiply them by {case.size}")


@each_case
def test_the_wrong_swizzle(case):
    for other in SPANS:
        if other != case.swizzle:
            only(case.causes(case.placed(case.tile(), other)), f"the swizzle was {other}, not {case.swizzle}")


@each_case
def test_the_wrong_tile(case):
    row, column = case.at
    for at, words in (((row, 0), "a coordinate stayed at 0"), ((0, column), "a coordinate stayed at 0"), ((0, 0), "all coordinates stayed"),
                      ((row, column + case.box[1]), "a neighbouring box"), ((row - 16, column), "a neighbouring box"),
                      ((row + 1, column), "one element beside"), ((row - 1, column), "one element beside")):
        found = only(case.causes(case.placed(case.bytes_of(at))), words)
        assert found.startswith(f"this is the tile at {at}: ")


@each_case
def test_narrow_boxes(case):
    """Two halves or four quarters of the rows, each a box of its own, one after the other."""
    for row_B, swizzle in ((64, "64B"), (32, "32B"), (64, "none"), (32, "none")):
        if row_B < case.row_B:
            n = row_B // case.size
            parts = [case.bytes_of((case.at[0], case.at[1] + i * n), (16, n)) for i in range(case.row_B // row_B)]
            image = np.concatenate([case.placed(part, swizzle) for part in parts])
            only(case.causes(image), f"boxes with rows of {row_B} B and swizzle {swizzle}")


def scrambled(rng, case):
    """A random scramble of the right image."""
    content = case.placed(case.tile()).copy()
    kind = rng.integers(6)
    unit = int(rng.choice([1, case.size, 16, case.row_B]))
    rows = content.reshape(-1, unit)
    if kind == 0:
        rows[:] = rows[rng.permutation(len(rows))]
    elif kind == 1:
        rows[rng.integers(len(rows))] ^= np.uint8(1 << int(rng.integers(8)))
    elif kind == 2:
        content[:] = rng.integers(0, 256, content.size)
    elif kind == 3:
        rows[rng.random(len(rows)) < rng.random()] = rng.choice([0, 255, 0xCD])
    elif kind == 4:
        first, second = rng.integers(len(rows), size=2)
        rows[[first, second]] = rows[[second, first]]
    else:
        content[:] = np.roll(content, unit * int(rng.integers(1, len(rows))))
    return content


def not_written(case, image, found):
    """Whether the image has the right bytes except in the range that the cause names, which has one value."""
    found = found.replace("the last row of the box was omitted", "rows 15 to 15")
    match = re.match(r"(rows|elements) (\d+) to (\d+)", found)
    if not match:
        return False
    where = np.arange(image.size)
    straight = image[where ^ (where >> 7 & (1 << BITS[case.swizzle]) - 1) << 4].reshape(16, case.row_B)
    right = case.tile().reshape(16, case.row_B).copy()
    first, end = int(match[2]), int(match[3]) + 1
    part = np.s_[first:end] if match[1] == "rows" else np.s_[:, first * case.size:end * case.size]
    right[part] = straight[part]
    return (right == straight).all() and len(np.unique(straight[part])) == 1


def test_a_random_scramble_has_no_cause():
    """A named cause gives the image exactly: no scramble gets the name of a mistake that it is not."""
    rng, named = np.random.default_rng(8), 0
    for i in range(4 * int(os.environ.get("TMAP_EXAMPLES", "60"))):
        case = CASES[i % len(CASES)]
        image = scrambled(rng, case)
        if (image == case.placed(case.tile())).all():
            continue
        for found in case.causes(image):
            named += 1
            assert not_written(case, image, found) or "nothing was written" in found and len(np.unique(image)) == 1, (found, i)
    assert named < i / 20


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
