"""Layouts: places against an evaluation of S/R/O by NumPy (TIRx, "Tensor Layout"), swizzles against their formula."""
import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import libtmap as tmap
from libtmap import Layout, TensorMap
from libtmap.layouts import call, evaluate, functions

AXES = ("m", "laneid", "warpid", "reg")


def model(shard, replica, offset, number):
    """The places of copy `number` of all elements: digits times strides, plus the replica's, plus the offset."""
    extents = [extent for extent, _, _ in shard]
    digits = np.unravel_index(np.arange(int(np.prod(extents))), extents)
    copies = np.unravel_index(number, [extent for extent, _, _ in replica]) if replica else ()
    found = {}
    for (_, stride, axis), digit in zip(shard, digits):
        found[axis] = found.get(axis, 0) + stride * digit
    for (_, stride, axis), digit in zip(replica, copies):
        found[axis] = found.get(axis, 0) + stride * digit
    for axis, value in offset.items():
        found[axis] = found.get(axis, 0) + value
    return found


def notation(shard, replica, offset):
    def part(letter, iters):
        extents, strides = ", ".join(str(e) for e, _, _ in iters), ", ".join(f"{s}@{a}" for _, s, a in iters)
        return f"{letter}[({extents},) : ({strides},)]"
    text = part("S", shard) + (f" + {part('R', replica)}" if replica else "")
    return text + "".join(f" + {value}@{axis}" for axis, value in offset.items())


ITERS = st.tuples(st.integers(1, 6), st.integers(0, 64), st.sampled_from(AXES))


@given(st.lists(ITERS, min_size=1, max_size=4), st.lists(ITERS, max_size=2),
       st.dictionaries(st.sampled_from(AXES), st.integers(1, 99), max_size=2), st.randoms())
def test_places(shard, replica, offset, random):
    layout = Layout(notation(shard, replica, offset))
    copies = int(np.prod([extent for extent, _, _ in replica])) if replica else 1
    number = random.randrange(copies)
    found, want = layout.places(copy=number), model(shard, replica, offset, number)
    assert layout.kind == "layout" and layout.copies() == copies
    for axis in {*found, *want}:
        assert (np.broadcast_to(want.get(axis, 0), found[axis].shape if axis in found else 1) == found.get(axis, 0)).all()
    with pytest.raises(IndexError):
        layout.places(copy=copies)


def test_shapes_of_places():
    layout = Layout("S[(4,8):(8,1)]")
    assert (layout.places((4, 8))["m"] == np.arange(32).reshape(4, 8)).all()
    with pytest.raises(ValueError, match="does not have 32"):
        layout.places((4, 7))


def test_swizzles():
    """swizzle(3,3,3) XORs bits 6 to 8 of an element's address into bits 3 to 5."""
    address = np.arange(1024)
    assert (Layout("atom(f16, 128B).tile_to((16, 64), (8, 64))").places()["m"] == address ^ (address >> 6 & 7) << 3).all()
    assert Layout("swizzle(f16, 128B)").kind == "swizzle" and evaluate("swizzle(f16, 128B).as_cute()") == "Swizzle<3,3,3>"
    made = Layout("swizzle(f16, 128B)") @ Layout("S[(8,64):(64,1)]")
    assert made == Layout("atom(f16, 128B)")


def test_functions_and_operators():
    small = Layout("S[(4,4):(8,1)]")
    assert str(small.tile("S[2]", (2, 1), (4, 4))) == "S[(2,4,4):(28,8,1)]"  # docs/layouts.md
    assert small.tile(Layout("S[2]"), (2, 1), (4, 4)) == call("tile", small, Layout("S[2]"), (2, 1), (4, 4))
    assert Layout("S[(4,8):(8,1)]") == Layout("S[32]") and Layout("S[4]") != Layout("S[4:2]")
    assert not Layout("S[(4,8):(8,1)]").identical(Layout("S[32]"))
    assert small.slice((4, 4), (slice(0, 2), slice(1, 3))).text == "S[(2,2):(8,1)] + 1"
    assert Layout("S[(64,4,64):(64,4096,1)]").slice((64, 256), (slice(0, 64), slice(32, 160))) is None
    assert small.size() == 16 and (small + "5@laneid").places()["laneid"].tolist() == [5] * 16
    assert small.apply(2, 3, shape=(4, 4)) is not None and small.coverage()["compact"] is False
    assert set(("tile", "owners", "conflicts", "cute")) <= set(functions()) and "tile" in dir(small)
    assert evaluate("a.tile(b, (2, 1), (4, 4))", a=small, b=Layout("S[2]")).size() == 32
    register = Layout("spatial(8, 4).local(1, 2)")
    assert register.kind == "register layout" and register * Layout("local(2, 1)") == register.compose("local(2, 1)")
    assert set(register.places()) == {"tx", "reg"} or set(register.places()) == {"tx", "m"}
    assert Layout("cute((4,8):(8,1))").kind == "CuTe layout"


def test_conflicts():
    """Eight rows of 128 bytes start in the same bank; the 128-byte swizzle spreads their units over all banks (PTX ISA
    5.5.7)."""
    assert Layout("S[(8,64):(64,1)]").conflicts("f16", "ldmatrix")["worst"] == 8
    assert Layout("atom(f16, 128B)").conflicts("f16", "ldmatrix")["worst"] == 1


def test_layouts_of_boxes():
    made = TensorMap.tiled("f16", (128, 128), (16, 64), swizzle="128B")
    layout = Layout.of(made)
    assert (layout.places((16, 64))["m"] * 2 == made.copy("load").elements().shared).all()


def test_values():
    layout = Layout("atom(f16, 128B)")
    for other in (eval(repr(layout)), pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout), Layout(layout)):
        assert other == layout and other.text == layout.text
    with pytest.raises(AttributeError):
        layout.text = "S[1]"
    with pytest.raises(TypeError, match="unhashable"):
        hash(layout)


def test_errors_have_a_place():
    with pytest.raises(tmap.MapError) as caught:
        Layout("S[(8,4):(4@lanid,1)]")
    assert str(caught.value).splitlines()[0] == "layout:1:12: error: axis lanid does not exist"  # docs/layouts.md
    with pytest.raises(TypeError, match="integer"):
        Layout("1 + 1")
    for bad in (5, None, b"S[4]"):
        with pytest.raises(TypeError):
            Layout(bad)
    with pytest.raises(AttributeError):
        Layout("S[4]").no_such_function
    with pytest.raises(TypeError):
        Layout("S[4]").tile(0.5)


def test_pictures():
    layout = Layout("atom(f16, 128B)")
    assert layout.draw((8, 64), memory=True, bits=16) and layout._repr_svg_().startswith("<svg")
    assert "figure" in layout._repr_html_()
    with pytest.raises(tmap.MapError):
        layout.draw((3, 3))


def test_plans():
    """A K-major operand of two swizzled column blocks: two copies of 64 columns, 64 rows of 128 B apart."""
    wanted = Layout("atom(f16, 128B)").tile_to((64, 64), (8, 64)).tile_to((64, 128), (64, 64))
    found = tmap.plan(wanted, "f16", (256, 512), tile=(64, 128), begin=(64, 128))
    assert found.map.swizzle == "128B" and found.tx_bytes * len(found) == 64 * 128 * 2
    source = (np.arange(256 * 512) % 1999).astype(np.float16).reshape(256, 512)
    shared = np.zeros(64 * 128, np.float16)
    for at, address in found.copies:
        image = found.map.load(source.reshape(-1).view(np.uint8), at, shared=address)
        shared.view(np.uint8)[address:address + len(image)] = image.bytes
    assert (shared[wanted.places((64, 128))["m"]] == source[64:128, 128:256]).all()
    with pytest.raises(tmap.MapError):
        tmap.plan("S[(64,64):(1,64)]", "f16", (256, 512), tile=(64, 64))  # transposed: no map can do this
    for bad in (dict(shape=()), dict(shape=(64, -1)), dict(shape=(4, 4), tile=(1,)), dict(shape=(2**70, 1))):
        with pytest.raises((ValueError, TypeError)):
            tmap.plan("S[(64,64):(64,1)]", "f16", **bad)


@given(st.text(max_size=30) | st.text("S[]():,@mRo+*0123456789 tile.", max_size=30) | st.integers() | st.none(),
       st.lists(st.integers(-2**70, 2**70) | st.text(max_size=4) | st.none(), max_size=3))
def test_any_expression(text, arguments):
    for make in (Layout, evaluate, lambda text: call(text, *arguments), lambda text: Layout("S[(4,4)]").tile(text, *arguments),
                 lambda text: Layout("S[(4,4)]").places(arguments), lambda text: Layout("S[(4,4)]").draw(arguments),
                 lambda text: tmap.plan("S[(4,16)]", "u8", arguments)):
        try:
            make(text)
        except (TypeError, ValueError, AttributeError, IndexError):
            pass
