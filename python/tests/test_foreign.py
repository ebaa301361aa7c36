"""Layouts of other packages, if these are installed: whole functions, evaluated by the package and by tmap."""
import itertools
import random

import numpy as np
import pytest

from libtmap import Layout

ROUNDS = 60
AXES = ("m", "laneid", "warpid", "tx", "TCol")


def draw():
    return random.Random(17)


def sizes(rng, n, most, choices=(1, 2, 3, 4, 5, 8)):
    """Returns n sizes with a product of at most `most`."""
    found = [rng.choice(choices) for _ in range(n)]
    while np.prod(found) > most:
        found[rng.randrange(n)] = 1
    return found


def places_of(layout, shape, copies=None):
    """Returns, for each element, the set of its places (sorted tuples of axis and number)."""
    found = []
    for copy in range(layout.copies() if copies is None else copies):
        places = layout.places(shape, copy=copy)
        found.append({index: frozenset((axis, int(numbers[index])) for axis, numbers in places.items())
                      for index in np.ndindex(*shape)})
    return {index: {each[index] for each in found} for index in np.ndindex(*shape)}


# ---- TIRx ----------------------------------------------------------------------------------------------------------------

def tirx_layouts(tirx):
    rng = draw()
    for _ in range(ROUNDS):
        shard = [tirx.Iter(n, rng.randrange(-9, 40), tirx.Axis.get(rng.choice(AXES)))
                 for n in sizes(rng, rng.randrange(1, 5), 96)]
        replica = [tirx.Iter(rng.choice((2, 4)), rng.randrange(1, 9), tirx.Axis.get(rng.choice(AXES)))
                   for _ in range(rng.randrange(3))]
        offset = {tirx.Axis.get(axis): rng.randrange(1, 50) for axis in rng.sample(AXES, rng.randrange(3))}
        yield tirx.TileLayout.from_iters(shard, replica, offset)
        swizzle = rng.choice(((3, 3, 3), (2, 2, 3), (4, 1, 3), (0, 3, 4)))
        memory = [tirx.Iter(n, rng.randrange(0, 40), tirx.Axis.get("m")) for n in sizes(rng, 3, 200)]
        yield tirx.ComposeLayout(*swizzle, tirx.TileLayout.from_iters(memory, [], {}), rng.random() < 0.8)


def test_tirx():
    tvm, tirx = pytest.importorskip("tvm"), pytest.importorskip("tvm.tirx.layout")
    for theirs in tirx_layouts(tirx):
        ours = Layout.of(theirs)
        places = ours.places()
        for element in range(ours.size()):
            want = {name: int(value) for name, value in theirs.apply(element).items()}
            assert {axis: int(numbers[element]) for axis, numbers in places.items() if int(numbers[element])} == \
                {axis: value for axis, value in want.items() if value}, (theirs, element)
        tvm.ir.assert_structural_equal(ours.to_tirx(), theirs)


def test_tirx_of_other_kinds():
    pytest.importorskip("tvm.tirx.layout")
    for text in ("spatial(8, 4).local(1, 2)", "shared_row_major_swizzle([8, 64], 16)", "cute((4,8):(1,4))"):
        assert Layout.of(Layout(text).to_tirx()) == Layout(text).as_layout()
    with pytest.raises(TypeError, match="swizzle is not a layout"):
        Layout("swizzle(3,3,3)").to_tirx()


def test_tirx_with_numbers_of_run_time():
    tvm, tirx = pytest.importorskip("tvm"), pytest.importorskip("tvm.tirx.layout")
    n = tvm.tirx.Var("n", "int32")
    with pytest.raises(ValueError, match="a name without a value"):
        Layout.of(tirx.TileLayout(tirx.S[(8, n):(n, 1)]))


# ---- Tilus ---------------------------------------------------------------------------------------------------------------

def chains(rng):
    """Returns random expressions of register layouts."""
    text = rng.choice(("spatial", "local")) + str(tuple(sizes(rng, 2, 32)))
    for _ in range(rng.randrange(3)):
        text += f".{rng.choice(('spatial', 'local', 'column_spatial', 'column_local'))}{tuple(sizes(rng, 2, 8))}"
    return text


def test_tilus_registers():
    tilus = pytest.importorskip("tilus.ir.layout")
    ops = pytest.importorskip("tilus.ir.layout.ops.register_ops")
    rng = draw()
    for _ in range(ROUNDS):
        text = chains(rng)
        theirs = eval(text, {name: getattr(ops, name) for name in ("spatial", "local")})  # Tilus has the same words
        check_registers(Layout.of(theirs), theirs)
        made = Layout(text).to_tilus()
        assert isinstance(made, tilus.RegisterLayout)
        check_registers(Layout(text), made)
        check_registers(Layout(text), theirs)
    replicated = tilus.register_layout([4, 8], [4, 8], [-2, 0], [1])
    check_registers(Layout.of(replicated), replicated)


def check_registers(ours, theirs):
    places = places_of(ours.as_layout(), theirs.shape)
    for index in np.ndindex(*theirs.shape):
        want = {(("tx", int(thread)), ("m", int(theirs.get_local(index)))) for thread in theirs.get_spatial(index)}
        found = {(("tx", dict(place).get("tx", 0)), ("m", dict(place).get("m", 0))) for place in places[index]}
        assert found == want, (theirs, index)


def test_tilus_shared():
    shared = pytest.importorskip("tilus.ir.layout.shared_layout")
    rng = draw()
    for _ in range(ROUNDS):
        modes = [rng.choice((2, 3, 4)) for _ in range(4)]  # Tilus has no modes of 1
        swizzle = rng.choice((None, shared.Swizzle(3, 3, 3), shared.Swizzle(base=2, bits=1, shift=3)))
        theirs = shared.SharedLayout.create([modes[0] * modes[1], modes[2] * modes[3]], modes,
                                            [rng.randrange(0, 70) for _ in modes], swizzle)
        ours, grid = Layout.of(theirs), theirs.as_numpy_grid()
        assert (ours.as_layout().places(theirs.shape)["m"] == grid).all(), theirs
        again = ours.to_tilus().as_numpy_grid()
        assert (np.broadcast_to(again, grid.shape) == grid).all(), theirs
    flat = Layout("swizzle(3,3,3) o S[(8,64):(64,1)]").to_tilus((8, 64)).as_numpy_grid()
    assert (flat == Layout("atom(f16, 128B)").places((8, 64))["m"]).all()


# ---- CuTe ----------------------------------------------------------------------------------------------------------------

def nested(rng, depth=2):
    """Returns a shape and strides with the same nesting."""
    if depth == 0 or rng.random() < 0.4:
        return rng.choice((1, 2, 3, 4, 8)), rng.randrange(0, 40)
    pairs = [nested(rng, depth - 1) for _ in range(rng.randrange(1, 4))]
    return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)


def test_pycute():
    pycute = pytest.importorskip("pycute")
    if not hasattr(pycute, "Layout"):
        pytest.skip("this pycute is another package")
    rng = draw()
    for _ in range(ROUNDS):
        theirs = pycute.Layout(*nested(rng))
        if theirs.size() > 512:
            continue
        check_cute(Layout.of(theirs), [theirs(i) for i in range(theirs.size())])
        again = Layout.of(theirs).to_cute(package="pycute")
        assert [again(i) for i in range(again.size())] == [theirs(i) for i in range(theirs.size())]
    with pytest.raises(ValueError, match="cannot have a swizzle"):
        Layout("atom(f16, 128B)").to_cute((8, 64), package="pycute")


def check_cute(ours, values):
    assert ours.size() == len(values)
    assert [ours.apply(i) for i in range(len(values))] == values, ours


def test_cute_dsl():
    pytest.importorskip("cutlass")
    cute = pytest.importorskip("cutlass.cute")
    seen = []

    def compare():
        rng = draw()
        for _ in range(ROUNDS // 2):
            shape, stride = nested(rng)
            plain = cute.make_layout(shape, stride=stride)
            swizzled = cute.make_composed_layout(cute.make_swizzle(2, rng.randrange(4), 3), rng.choice((0, 0, 5)), plain)
            if cute.size(plain) > 256:
                continue
            for theirs in (plain, swizzled):
                n = cute.size(plain)
                again = Layout.of(theirs).to_cute()
                seen.append((Layout.of(theirs), [int(theirs(i)) for i in range(n)], [int(again(i)) for i in range(n)]))
        kmajor = Layout("atom(f16, 128B)").to_cute((8, 64))
        seen.append((Layout("atom(f16, 128B)").as_cute((8, 64)), *[[int(kmajor(i)) for i in range(512)]] * 2))

    @cute.jit
    def inside():
        compare()

    inside()
    assert len(seen) > 20
    for ours, values, again in seen:
        check_cute(ours, values)
        assert again == values


def test_cute_dsl_with_numbers_of_run_time():
    pytest.importorskip("cutlass")
    cute = pytest.importorskip("cutlass.cute")
    errors = []

    def attempt(n):
        try:
            Layout.of(cute.make_layout((8, n), stride=(1, 8)))
        except ValueError as error:
            errors.append(str(error))

    @cute.jit
    def inside(n: __import__("cutlass").Int32):
        attempt(n)

    inside(4)
    assert len(errors) == 1 and "a name without a value" in errors[0]


# ---- Triton --------------------------------------------------------------------------------------------------------------

DIMENSIONS = {"register": "m", "lane": "laneid", "warp": "warpid", "block": "cbx", "offset": "m"}


def linear_of(theirs, shape):
    """Returns the linear layout of an encoding by Triton's conversion."""
    from triton._C.libtriton import gluon_ir, ir
    from triton.tools import LinearLayout
    if isinstance(theirs, LinearLayout):
        return theirs
    if not hasattr(theirs, "reg_bases") and not hasattr(theirs, "offset_bases"):
        context = ir.context()
        ir.load_dialects(context)
        builder = gluon_ir.GluonOpBuilder(context)
        theirs = builder.to_linear_layout(theirs._to_ir(builder), list(shape))
    names = {"reg_bases": "register", "lane_bases": "lane", "warp_bases": "warp", "block_bases": "block",
             "offset_bases": "offset"}
    bases = [(name, getattr(theirs, member)) for member, name in names.items() if hasattr(theirs, member)]
    return LinearLayout.from_bases(bases, [f"dim{i}" for i in range(len(shape))], list(shape), False)


def check_linear(ours, theirs, shape):
    """Requires that every place of the hardware has the same element in both layouts."""
    want = {index: set() for index in np.ndindex(*shape)}
    names = [(name, len(bases)) for name, bases in theirs.bases if bases]
    for numbers in itertools.product(*(range(1 << n) for _, n in names)):
        inputs = dict(zip((name for name, _ in names), numbers))
        element = theirs.apply({**{name: 0 for name, _ in theirs.bases}, **inputs})
        index = tuple(int(element[f"dim{i}"]) for i in range(len(shape)))
        want[index].add(frozenset((DIMENSIONS[name], n) for name, n in inputs.items() if n))
    found = places_of(ours, shape)
    assert {index: {frozenset(p for p in place if p[1]) for place in places} for index, places in found.items()} == want


def encodings(gluon):
    rng = draw()
    two = (1, 2, 4)
    for _ in range(ROUNDS // 3):
        shape = (rng.choice((8, 16, 32)), rng.choice((8, 16, 64)))
        order = rng.choice(([0, 1], [1, 0]))
        lanes = rng.choice(([1, 32], [2, 16], [4, 8], [8, 4], [16, 2], [32, 1]))
        blocked = gluon.BlockedLayout([rng.choice(two), rng.choice(two)], lanes, rng.choice(([4, 1], [2, 2], [1, 4])), order)
        yield blocked, shape
        yield gluon.SliceLayout(1, blocked), shape[:1]
        vec = rng.choice((2, 4, 8))
        yield gluon.SwizzledSharedLayout(vec, rng.choice(two), rng.choice((1, 2, 4)), order), (32, 64)
        yield gluon.NVMMASharedLayout(rng.choice((0, 32, 64, 128)), rng.choice((8, 16, 32)), 2), (16, 128)
    mma = gluon.NVMMADistributedLayout([3, 0], [4, 1], [16, 32, 16])
    yield mma, (64, 32)
    ampere = gluon.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    yield from ((ampere, (32, 32)), (gluon.DotOperandLayout(0, ampere, 2), (32, 32)),
                (gluon.DotOperandLayout(1, ampere, 2), (32, 32)))


def test_triton_encodings():
    pytest.importorskip("triton")
    gluon = pytest.importorskip("triton.experimental.gluon.language")
    for theirs, shape in encodings(gluon):
        wanted = linear_of(theirs, shape)
        try:
            ours = Layout.of(theirs, shape=shape)
        except ValueError as error:
            assert "no S/R/O layout" in str(error)
            assert isinstance(theirs, (gluon.SwizzledSharedLayout, gluon.BlockedLayout)), (theirs, shape)
            continue
        check_linear(ours, wanted, shape)
        check_linear(ours, ours.to_linear_layout(shape), shape)
        check_linear(ours, linear_of(ours.to_triton(shape), shape), shape)


def test_triton_padding():
    """The example of PaddedSharedLayout's documentation, and rows that are each followed by 8 unused elements."""
    gluon = pytest.importorskip("triton.experimental.gluon.language")
    example = gluon.PaddedSharedLayout([[8, 1]], [[0, 1], [0, 2], [2, 0], [4, 0], [1, 0]], [], [8, 4])
    begins = [0, 18, 4, 22, 9, 27, 13, 31]
    assert Layout.of(example).places((8, 4))["m"].tolist() == [[begin + i for i in range(4)] for begin in begins]
    rows = gluon.PaddedSharedLayout.with_identity_for([[64, 8]], [16, 64], [1, 0])
    read = Layout.of(rows)
    assert read == Layout("S[(16,64):(72,1)]")
    typed = Layout("linear(#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [16, 64]}>, (16, 64))")
    assert typed.to_triton() == rows and typed.as_layout() == read
    with pytest.raises(ValueError, match="cannot have padding"):
        typed.to_linear_layout()


def test_triton_of_the_hardware():
    """The fragment of wgmma and the box of the 128-byte swizzle are equal to Triton's encodings."""
    gluon = pytest.importorskip("triton.experimental.gluon.language")
    fragment = gluon.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])
    check_linear(Layout.of(fragment, shape=(64, 64)), Layout("named(wgmma_d, 64)").to_linear_layout(), (64, 64))
    box = gluon.NVMMASharedLayout(128, 16, 2)
    assert Layout.of(box, shape=(64, 64)) == Layout("atom(f16, 128B)").tile_to((64, 64), (8, 64))


def test_triton_text():
    gluon = pytest.importorskip("triton.experimental.gluon.language")
    blocked = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"
    assert Layout.of(blocked, shape=(64, 64)) == Layout.of(gluon.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]), shape=(64, 64))
    shared = "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>"
    assert Layout.of(shared, shape=(16, 32)) == Layout("atom(f16, 64B)").tile_to((16, 32), (8, 32))


def test_triton_values():
    """Encodings, types and linear layouts are values of the language; Triton itself is not needed. Triton's comment on
    BlockedEncodingAttr has these bases."""
    blocked = "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 2], order = [1, 0]}>"
    typed = Layout(f"tensor<16x16xf16, {blocked}>")
    bases = {"register": ((0, 1), (1, 0)), "lane": ((0, 2), (0, 4), (2, 0), (4, 0), (8, 0)), "warp": ((0, 8),), "block": ()}
    assert typed.kind == "linear layout" and typed.data() == {"shape": (16, 16), "type": "f16", **bases}
    assert Layout(blocked).kind == "encoding of Triton" and Layout(blocked).linear((16, 16)) == typed
    for value in (typed, Layout(blocked)):
        assert Layout(repr(value)[8:-2]) == value and "<svg" in value.svg((16, 16))
    want = Layout("S[(8,2,2,4,2):(4@laneid,2,1@warpid,1@laneid,1)]")
    texts = (typed.text, f"linear({blocked}, (16, 16))", typed.bases())
    assert all(Layout.of(text) == want for text in texts) and Layout.of(blocked, shape=(16, 16)) == want
    with pytest.raises(ValueError, match="unknown encoding 'nonsense'"):
        Layout.of("#ttg.nonsense<{}>", shape=(64, 64))
    with pytest.raises(TypeError, match="pass shape="):
        Layout.of(blocked)


def test_triton_random_linear_layouts():
    """Random permutations of bits of memory always have an S/R/O layout. Random matrices are converted to
    a layout with the same function, or are refused."""
    tools = pytest.importorskip("triton.tools")
    rng, read = draw(), 0
    for round in range(ROUNDS):
        n, rows = rng.randrange(2, 8), rng.randrange(1, 3)
        flat = [1 << i for i in rng.sample(range(n), n)]
        if round % 2:
            for _ in range(2):
                a, b = rng.sample(range(n), 2)
                flat[a] ^= flat[b]
        bases = [[x >> n - rows, x & (1 << n - rows) - 1] for x in flat]
        shape = (1 << rows, 1 << n - rows)
        theirs = tools.LinearLayout.from_bases([("offset", bases)], ["dim0", "dim1"], list(shape))
        try:
            ours = Layout.of(theirs)
        except ValueError:
            assert round % 2
            continue
        read += 1
        check_linear(ours, theirs, shape)
        assert [row for row in ours.to_linear_layout(shape).bases if row[1]] == theirs.bases
    assert read > ROUNDS // 2


# ---- Values that are not layouts
# ------------------------------------------------------------------------------------------------

def test_others():
    for value in (5, None, b"S[4]", object(), np.zeros(4)):
        with pytest.raises(TypeError, match="is not a layout that tmap reads"):
            Layout.of(value)
    layout = Layout("S[(4,8):(8,1)]")
    for convert in (layout.to_tilus, layout.to_triton, layout.to_linear_layout):
        with pytest.raises((TypeError, ImportError)):
            convert()


def test_layouts_that_are_not_linear():
    """Judging these values requires no package."""
    from libtmap import foreign
    for text, shape, words in (("S[(3,4):(4,1)]", (3, 4), "powers of two"), ("S[(4,4):(8,1)]", (4, 4), "no element"),
                               ("S[(4,4):(1,1)]", (4, 4), "not linear"), ("S[4:1] + 8", (4,), "offset"),
                               ("S[(4,4):(1@bx,1)]", (4, 4), "bx"), ("S[4:-1] + 3", (4,), "offset")):
        with pytest.raises(ValueError, match=words):
            foreign._bases_of(Layout(text), shape)
    bases, shape, _ = foreign._bases_of(Layout("S[(2,4):(1@laneid,1)] + R[2:2@laneid]"), (2, 4))
    assert bases == {"register": [[0, 1], [0, 2]], "lane": [[1, 0], [0, 0]], "warp": [], "block": []} and shape == [2, 4]
