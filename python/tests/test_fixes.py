"""Fixes: after the change that a finding proposes to a Python caller, the finding is gone."""
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import libtmap as tmap
from libtmap import TensorMap

HALVES = np.zeros((64, 65), np.float16)
# Rules whose fix is one of several required changes, as in tests/prop/fixes.c.
OF_SEVERAL = {"interleave-rank", "corner-range", "corner-area", "mode-arch", "wide-interleave", "wide-swizzle",
              "box-packed-exact", "interleave-swizzle", "packed-swizzle", "channels-ignored", "dim-extent",
              "dim-packed-multiple", "swizzle-96b", "packed-interleave", "packed-arch", "packed-store", "reduce-type",
              "box-fits-shared", "swizzle-arch"}


SOURCE = np.zeros((64, 64), np.float16)
MAP = TensorMap.of(SOURCE, (8, 64), swizzle="128B")


CASES = [
    ("tiled", dict(type="bf16", dims=(4096, 4096), box=(64, 128), swizzle="128B"), "box-inner-span", "box=(64, 64), or swizzle='none'",
     ({"box": (64, 64)}, {"swizzle": "none"})),  # 128 B of bf16 are 64 elements
    ("tiled", dict(type="bf16", dims=(4096, 4096), box=(128, 64), swizzle="128B", order="inner"), "box-inner-span",
     "box=(64, 64), or swizzle='none'", ({"box": (64, 64)}, {"swizzle": "none"})),
    ("tiled", dict(type="f16", dims=(64, 65), box=(8, 64)), "stride-align", "strides=(144,), with a tensor padded to this stride",
     ()),  # 65 x 2 B, up to a multiple of 16 B
    ("tiled", dict(type="f16", dims=(8, 64, 65), box=(1, 8, 64)), "stride-align", "strides=(9216, 144), with a tensor padded to this stride",
     ()),  # 64 rows of 144 B
    ("four_rows", dict(type="f16", dims=(64, 512), columns=300, arch="sm_100a"), "box-extent", "columns=256, with several copies",
     ()),
    ("of", dict(array=HALVES, box=(8, 64)), "stride-align", "strides=(144,) of the array, with a tensor padded to this stride", ()),
    ("of_triton", dict(base="f16", shape=(64, 65), strides=(65, 1), block_shape=(8, 64)), "stride-align",
     "strides=(72, 1), with a tensor padded to this stride", ()),  # 144 B in elements
    ("tiled", dict(type="u8", dims=(64, 64), box=(8, 64), oob_fill="nan"), "nan-fill-type", "oob_fill='zero'", ({"oob_fill": "zero"},)),
    ("of_triton", dict(base="u8", shape=(64, 64), strides=(64, 1), block_shape=(8, 64), padding="nan"), "nan-fill-type",
     "padding='zero'", ({"padding": "zero"},)),
]


@pytest.mark.parametrize("mode, arguments, rule, fix, changes", CASES)
def test_words(mode, arguments, rule, fix, changes):
    found = [finding for finding in tmap.check(mode=mode, **arguments) if finding.rule == rule]
    assert [finding.fix for finding in found] == [fix] and found[0].changes == changes
    assert f"fix: {fix}" in str(found[0])
    for change in changes:
        assert rule not in [finding.rule for finding in tmap.check(mode=mode, **{**arguments, **change})]


def test_notes():
    """Sizes that are outermost first already get no advice on their order: tile-ai/tilelang#460."""
    finding, = tmap.check("f16", order="inner", dims=(65, 64), box=(64, 8))
    assert finding.notes == ("the sizes fit in reverse order: list them innermost first, or give order='outer'",)
    finding, = tmap.check("f16", order="outer", dims=(64, 65), box=(8, 64))
    assert finding.notes == ()
    finding, = tmap.check(HALVES, (8, 64), mode="of")
    assert finding.notes == ()


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
@pytest.mark.parametrize("call, arguments, rule, fix", [
    (lambda **given: MAP.load(SOURCE, (0, 0), **given), {"shared": 8}, "copy-shared-align", "shared=0x400"),
    (lambda **given: MAP.load(SOURCE, [(0, 0), (8, 0)], **given), {"shared": 72}, "copy-shared-align", "shared=0x400"),
    (lambda **given: MAP.sweep("load", **given), {"shared": 8}, "copy-shared-align", "shared=0x400"),
])
def test_words_of_copies(call, arguments, rule, fix):
    """Boxes start at multiples of the period of the swizzle."""
    with pytest.raises(tmap.MapError) as caught:
        call(**arguments)
    finding = next(finding for finding in caught.value.findings if finding.rule == rule)
    assert finding.fix == fix and finding.changes == ({"shared": 1024},)
    call(**{**arguments, **finding.changes[0]})


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
def test_words_of_two_calls():
    """Changes of a copy concern the copy's arguments; the map's arguments are changes of the map. Offsets of rank 4
    have 8 bits each."""
    image, images = np.zeros((2, 16, 16, 64), np.float16), TensorMap.im2col("f16", (2, 16, 16, 64), (-1, -1), (-1, -1), 64, 64)
    packed = TensorMap.tiled("b4x16_p64", (64, 128), (8, 128), swizzle="128B")
    for call, fix, changes in (
            (lambda: MAP.load(SOURCE, (0, 0), offsets=(1,)), "leave offsets out, and add the offsets to at", ()),
            (lambda: MAP.gather4(SOURCE, 0, (1, 2, 3, 4)), "map.replace(box=(1, 64))", ()),
            (lambda: packed.store(np.zeros(4096, np.uint8), np.zeros(packed.shared_bytes, np.uint8), (0, 0)),
             "map.replace(type='b4x16'), whose 16 values are 8 B in shared memory too", ()),
            (lambda: images.load(image, (0, 0, 0, 0), offsets=(3, 300)), "offsets=(3, 255), and the rest in at", ())):
        with pytest.raises(tmap.MapError) as caught:
            call()
        assert (fix, changes) in [(finding.fix, finding.changes) for finding in caught.value.findings], str(caught.value)


@pytest.mark.parametrize("call", [lambda at: MAP.load(SOURCE, at), lambda at: MAP.copy("load", at)])
def test_the_fix_of_a_box_outside(call):
    """The fix changes every coordinate that puts the box outside, and no other coordinate."""
    with pytest.warns(tmap.MapAdvice, match=r"fix: at=\(0, 0\), for example"):
        call((8192, 4096))
    with pytest.warns(tmap.MapAdvice, match=r"fix: at=\(0, 8\), for example"):
        call((8192, 8))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call((0, 0))
        call((0, 8))


SIZES = st.sampled_from([0, 1, 3, 8, 16, 31, 64, 65, 128, 200, 256, 257, 4096, 2**32 + 1])
OPTIONS = st.fixed_dictionaries({}, optional={
    "swizzle": st.sampled_from(["none", "32B", "64B", "128B", "96B", "128B_atom32B"]), "oob_fill": st.sampled_from(["zero", "nan"]),
    "interleave": st.sampled_from(["none", "16B", "32B"]), "order": st.sampled_from(["outer", "inner"]),
    "arch": st.sampled_from([None, "sm_90a", "sm_100a"]), "address": st.sampled_from([0, 8, 16, 1 << 20])})


def _check_index(finding, given):
    """Where a message names an entry, the entry of the caller's argument is the number that the message says."""
    found = re.match(r"(\w+)\[(\d)\] (?:is|spans|has) ", finding.message)
    argument = given.get(found[1]) if found else None
    if not isinstance(argument, tuple):
        return  # a number of its own, as in columns=, or strides of a dense tensor
    entry = str(argument[int(found[2])])
    if found[1] == "strides":
        assert finding.given.startswith(f"{entry} B"), (finding, given)
    elif said := re.fullmatch(r"(-?\d+)(?: elements?| x .*)?", finding.given):
        assert said[1] == entry, (finding, given)


@given(st.data(), st.integers(1, 5), OPTIONS)
def test_every_fix_works(data, rank, options):
    """Each alternative of each fix: the call accepts its arguments, and the finding is gone."""
    def numbers(of, n=rank):
        return tuple(data.draw(st.lists(of, min_size=n, max_size=n)))
    given = {"type": data.draw(st.sampled_from(["u8", "f16", "f32", "f64", "b4x16", "b4x16_p64", "b6x16_p32"])), "dims": numbers(SIZES),
             **options}
    mode = data.draw(st.sampled_from(["tiled", "tiled", "im2col", "im2col_wide", "four_rows"]))
    if mode == "four_rows":
        given["columns"] = data.draw(SIZES)
    elif mode == "tiled":
        given |= {"box": numbers(SIZES), "element_strides": numbers(st.sampled_from([0, 1, 2, 8, 9]))}
        if data.draw(st.booleans()):
            given["strides"] = numbers(st.sampled_from([0, 8, 16, 100, 4096, 2**40]), rank - 1)
    else:
        corner = st.sampled_from([-200, -16, -2, 0, 1, 40])
        given |= {name: numbers(corner, max(rank - 2, 0)) if mode == "im2col" else data.draw(corner) for name in
                  ("lower_corner", "upper_corner")}
        given |= {"channels_per_pixel": data.draw(SIZES), "pixels_per_column": data.draw(SIZES)}
    for finding in tmap.check(mode=mode, **given):
        _check_index(finding, given)
        for change in finding.changes:
            after = tmap.check(mode=mode, **{**given, **change}).findings
            assert all(other.rule for other in after), (finding, after)  # the arguments have the form of the call
            same = [other for other in after if (other.rule, other.field, other.dim) == (finding.rule, finding.field, finding.dim)]
            assert not same or finding.rule in OF_SEVERAL or "more changes are required" in finding.fix, (given, finding, change, after)
