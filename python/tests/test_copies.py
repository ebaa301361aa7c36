"""Copies compared with the oracle, byte for byte, and with NumPy's slices."""
import sys
import threading
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import libtmap as tmap
from libtmap import TensorMap, _native as native
from libtmap.copies import native_map
from libtmap.testing import assert_tile

RNG = np.random.default_rng(17)
BYTES = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "s32": 4, "f64": 8, "u64": 8}
SPANS = {"none": 256, "32B": 32, "64B": 64, "128B": 128, "128B_atom32B": 128, "128B_atom64B": 128}


def load(self, *args, **options):
    """What a native method of this name calls if it does not run the copies itself."""
    return None


def noise(n):
    return RNG.integers(0, 256, n, dtype=np.uint8)


def predicted(oracle, map, op, memory, shared_bytes, at, shared=0, **options):
    """Returns (memory, image) after the oracle's copy, computed on copies of both."""
    copy = map.copy(op, at, shared=shared, **options)
    memory, image = memory.copy(), shared_bytes.copy()
    oracle.carry_out(copy, memory, image)
    return memory, image


@st.composite
def tiled(draw):
    """Draws a tiled map and a start that the rules allow."""
    kind, swizzle = draw(st.sampled_from(sorted(BYTES))), draw(st.sampled_from(sorted(SPANS)))
    rank, order = draw(st.integers(1, 5)), draw(st.sampled_from(["outer", "inner"]))
    step = 16 // BYTES[kind]
    inner = step * draw(st.integers(1, SPANS[swizzle] // 16 if swizzle != "none" else 8))
    box = [draw(st.integers(1, 4)) for _ in range(rank - 1)] + [inner]
    dims = [draw(st.integers(1, 6)) for _ in range(rank - 1)] + [step * draw(st.integers(1, 12)) + draw(st.integers(0, 3))]
    strides, size = [], dims[-1] * BYTES[kind]
    for n in reversed(dims[:-1]):
        strides.insert(0, -(-size // 16) * 16 + 16 * draw(st.integers(0, 2)))
        size = strides[0] * n
    at = [draw(st.integers(-5, n + 2)) for n in dims[:-1]] + [step * draw(st.integers(-3, 8))]
    if order == "inner":
        dims, box, strides, at = dims[::-1], box[::-1], strides[::-1], at[::-1]
    fill = draw(st.sampled_from(["zero", "nan"])) if kind[0] in "bft" else "zero"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = TensorMap.tiled(kind, dims, box, strides, swizzle=swizzle, order=order, oob_fill=fill, arch="sm_100a")
    return made, at, 128 * draw(st.integers(0, 20))


KINDS = {"u8": "u1", "u16": "u2", "f16": "f2", "bf16": "u2", "f32": "f4", "tf32": "f4", "s32": "i4", "f64": "f8", "u64": "u8"}


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
@given(tiled())
def test_typed_arrays(oracle, case):
    """Arrays with the shape, the strides and the type of the map, in one copy a call."""
    made, at, shared = case
    dims, strides = (numbers[::-1] if made.order == "inner" else numbers for numbers in (made.dims, made.strides))
    memory = noise(made.span_bytes)
    tensor = np.ndarray(dims, KINDS[made.type], memory, strides=(*strides, BYTES[made.type]))
    with warnings.catch_warnings(record=True) as findings:
        warnings.simplefilter("always")
        made.copy("load", at, shared=shared)
    native_map(made)
    with warnings.catch_warnings(record=True) as same:
        warnings.simplefilter("always")
        assert native.method(load)(made, tensor, at, shared=shared) is not None
    assert [str(finding.message) for finding in same] == [str(finding.message) for finding in findings]
    for op, run in (("load", None), ("store", made.store), ("reduce_add", made.reduce)):
        if op == "reduce_add" and made.type not in ("s32", "u64", "f16"):
            continue
        room = noise(made.shared_bytes)
        at = at if op == "load" else [max(n, 0) for n in at]  # others must not begin before the tensor
        after, image = predicted(oracle, made, op, memory, room, at, shared)
        if run is None:
            found = made.load(tensor, tuple(at), shared=shared, out=room)
            assert found.bytes is room and found.copy.at == tuple(at) and found.copy.shared == shared
        else:
            result = run(tensor, room.tobytes() if shared % 256 else room, *["add"][:op == "reduce_add"], at, shared=shared)
            assert result.written_bytes <= room.size and result.filled_bytes == 0
        assert (memory == after).all() and (room == image).all()


def test_typed_arrays_that_do_not_fit():
    made, whole = TensorMap.tiled("f16", (64, 32), (8, 32), (128,)), np.zeros((64, 64), np.float16)
    fits, image, frozen = whole[:, :32], np.zeros(512, np.uint8), np.zeros((64, 64), np.float16)[:, :32]
    frozen.flags.writeable = False
    for target, given, at, message in (
            (whole[:, ::2], image, (0, 0), r"strides \(128, 4\)"), (fits.astype(">f2"), image, (0, 0), "big-endian"),
            (frozen, image, (0, 0), "read-only"), (fits, image[:256], (0, 0), "has 256 bytes"),
            (fits, whole.view(np.uint8).reshape(-1)[:512], (0, 0), "shares memory"), (fits, image, (0, 0, 0), "at has shape"),
            (fits, image, (0.0, 0), "dtype float64"), (fits, image, (2**63, 0), "2\\^31")):
        with pytest.raises((TypeError, ValueError), match=message):
            made.store(target, given, at)
        assert not whole.any() and not image.any()
    with pytest.raises(tmap.MapError, match="shared"):
        made.load(fits, (0, 0), shared=64)
    assert made.store(fits, image, [np.int64(8), 0]) == made.store(fits, image, (8, 0)) == made.store(fits, image.tobytes(), (8, 0)) == (512, 512, 0)


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
@given(tiled())
def test_loads_and_places(oracle, case):
    made, at, shared = case
    memory = noise(made.span_bytes)
    copy = made.copy("load", at, shared=shared)
    _, want = predicted(oracle, made, "load", memory, np.zeros(copy.shared_bytes, np.uint8), at, shared)
    image = made.load(memory, at, shared=shared)
    assert image.bytes.tobytes() == want.tobytes() and image.tx_bytes == made.tx_bytes == copy.tx_bytes
    elements = image.elements()
    assert elements.shared.shape == elements.inside.shape == made.box and elements.at.shape == (*made.box, made.rank)
    for element in map(tuple, RNG.integers(0, made.box, (8, made.rank))):
        place = copy.locate(element)
        index = element[::-1] if made.order == "outer" else element
        assert (place.shared, -1 if place.global_offset is None else place.global_offset) == oracle.place(copy, index)
        assert elements.shared[element] == place.shared and tuple(elements.at[element]) == place.at
        assert elements.inside[element] == place.inside
        assert elements.global_offset[element] == (place.global_offset if place.inside else -1)
        assert copy.owner(place.shared) == copy.owner(place.shared + BYTES[made.type] - 1) == element
    owned = [copy.owner(shared + i) is not None for i in range(-16 if shared else 0, copy.shared_bytes + 16)]
    assert sum(owned) == np.prod(made.box) * BYTES[made.type]


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
@given(tiled(), st.sampled_from(["store", "reduce_add", "reduce_max"]))
def test_stores_and_reductions(oracle, case, op):
    made, at, shared = case
    at = [max(x, 0) for x in at]
    if op != "store" and made.type not in ("f16", "bf16", "u64", "s32") or made.type == "f16" and op == "reduce_max":
        op = "store"
    memory, image = noise(made.span_bytes), noise(made.shared_bytes)
    want, _ = predicted(oracle, made, op, memory, image, at, shared)
    if op == "store":
        made.store(memory, image, at, shared=shared)
    else:
        made.reduce(memory, image, op[len("reduce_"):], at, shared=shared)
    assert memory.tobytes() == want.tobytes()


def test_load_is_a_slice():
    source = np.arange(64 * 96, dtype=np.float32).reshape(64, 96)
    made = TensorMap.of(source, (8, 32), swizzle="128B")
    assert (made.load(source, (16, 32)).tile() == source[16:24, 32:64]).all()
    outside = made.load(source, (60, 80)).tile()
    assert (outside[:4, :16] == source[60:, 80:]).all() and not outside[4:].any() and not outside[:, 16:].any()
    three = source.reshape(4, 16, 96)
    tile = TensorMap.of(three, (2, 8, 16)).load(three, (1, 4, 48)).tile()
    assert (tile == three[1:3, 4:12, 48:64]).all()
    inner = TensorMap.of(three, (16, 8, 2), order="inner").load(three, (48, 4, 1))
    assert (inner.tile() == tile.T).all()


@pytest.mark.filterwarnings("ignore::libtmap.MapAdvice")
def test_swizzle_from_its_formula():
    """PTX ISA 5.5.7: the 128-byte mode XORs address bits 4 to 6 with bits 7 to 9."""
    source = np.arange(8 * 64, dtype=np.uint16).reshape(8, 64)
    made = TensorMap.of(source, (8, 64), swizzle="128B")
    for shared in (0, 128, 512, 1024):
        address = shared + np.arange(1024)
        where = (address ^ (address >> 3 & 0x70)) - shared
        want = np.empty(1024, np.uint8)
        want[where] = source.view(np.uint8).reshape(-1)
        assert (made.load(source, (0, 0), shared=shared).bytes == want).all()


@pytest.mark.filterwarnings("ignore::libtmap.MapAdvice")
def test_batches_are_single_copies():
    source = RNG.integers(0, 1000, (128, 256)).astype(np.float16)
    made = TensorMap.of(source, (8, 32), swizzle="64B")
    at = np.stack([RNG.integers(-8, 130, 50), 8 * RNG.integers(-3, 33, 50)], axis=1)
    images = made.load(source, at, shared=1152)
    assert images.bytes.shape == (50, 512) and images.tile().shape == (50, 8, 32) and len(images) == 50
    singles = [made.load(source, start, shared=1152) for start in at]
    assert (images.bytes == [image.bytes for image in singles]).all()
    assert images.result == tuple(map(sum, zip(*(image.result for image in singles))))
    room = np.empty((50, 512), np.uint8)
    assert made.load(source, at.tolist(), shared=1152, out=room).bytes is room and (room == images.bytes).all()
    assert made.load(source, np.zeros((0, 2), int)).bytes.shape == (0, 512)
    target = np.zeros_like(source)
    inside = (at >= 0).all(axis=1)
    made.store(target, images.bytes[inside], at[inside], shared=1152)
    for r, c in at[inside]:
        assert (target[r:r + 8, c:c + 32] == source[r:r + 8, c:c + 32]).all()
    with pytest.raises(tmap.MapError, match="copy-inner-align"):
        made.load(source, [(0, 0), (0, 3)])


def test_batches_run_without_the_global_lock():
    """Python switches threads only after an hour, so this thread continues during a call only if the call releases the
    lock. The call reads contiguous coordinates and images, for which NumPy copies nothing."""
    made = TensorMap.tiled("f16", (64, 64), (64, 64), order="inner")
    target, images, at = np.zeros((64, 64), np.float16), np.zeros((1000, 8192), np.uint8), np.zeros((1000, 2), np.int64)
    finished, seen, interval = [], [], sys.getswitchinterval()
    sys.setswitchinterval(3600)
    try:
        while True not in seen and len(seen) < 100:  # on a busy machine a call may end before this thread continues
            finished.clear()
            thread = threading.Thread(target=lambda: (made.reduce(target, images, "add", at), finished.append(True)))
            thread.start()
            seen.append(not finished)
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert True in seen


def test_threads():
    source = RNG.integers(0, 1000, (256, 256)).astype(np.float16)
    made = TensorMap.of(source, (64, 64), swizzle="128B")
    at = np.stack(np.meshgrid([0, 64, 128, 192], [0, 64, 128, 192]), -1).reshape(-1, 2).repeat(20, 0)
    want, found = made.load(source, at).bytes, {}
    threads = [threading.Thread(target=lambda i=i: found.__setitem__(i, made.load(source, at).bytes)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((found[i] == want).all() for i in range(4))


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
def test_four_rows(oracle):
    source = RNG.integers(0, 1000, (64, 128)).astype(np.float16)
    made = TensorMap.four_rows("f16", source.shape, 64, swizzle="128B", arch="sm_100a", ops=("gather4", "scatter4"))
    rows = np.array([[3, 60, 7, 7], [70, -1, 0, 63]])
    images = made.gather4(source, [0, 64], rows)
    assert (images.tile()[0] == source[rows[0], :64]).all()
    assert (images.tile()[1][2:] == source[[0, 63], 64:]).all() and not images.tile()[1][:2].any()
    one = made.gather4(source, 64, rows[1])
    assert (one.bytes == images.bytes[1]).all() and one.copy.at == (64, 70, -1, 0, 63)
    target = np.zeros_like(source)
    made.scatter4(target, images.bytes[:1], 0, [[1, 5, 9, 13]])
    assert (target[[1, 5, 9, 13], :64] == source[rows[0], :64]).all()
    for bad in ((0, [1, 2, 3]), ([0, 1, 2], rows), (0, "abcd"), (0.5, rows)):
        with pytest.raises((ValueError, TypeError)):
            made.gather4(source, *bad)


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
def test_im2col(oracle):
    source = RNG.integers(0, 1000, (2, 9, 11, 32)).astype(np.float16)
    memory = source.reshape(-1).view(np.uint8)
    made = TensorMap.im2col("f16", source.shape, (-1, -1), (-1, -1), 32, 40, swizzle="64B")
    for at, offsets in (((0, -1, -1, 0), (0, 0)), ((1, 3, -1, 0), (2, 1)), ((0, 5, 8, 8), (1, 2))):
        copy = made.copy("load", at, offsets=offsets)
        want = np.zeros(copy.shared_bytes, np.uint8)
        oracle.carry_out(copy, memory.copy(), want)
        assert (made.load(source, at, offsets=offsets).bytes == want).all()
        assert copy.box == (40, 32)
    wide = TensorMap.im2col_wide("f16", source.shape, -1, -1, 32, 32, swizzle="64B", arch="sm_100a")
    copy = wide.copy("load", (0, 2, -1, 0), w_halo=2, w_offset=1)
    want = np.zeros(copy.shared_bytes, np.uint8)
    oracle.carry_out(copy, memory.copy(), want)
    assert (wide.load(memory, (0, 2, -1, 0), w_halo=2, w_offset=1).bytes == want).all()


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
@pytest.mark.parametrize("kind, box", [("b4x16", 64), ("b4x16_p64", 128), ("b6x16_p32", 128)])
def test_packed_types(oracle, kind, box):
    made = TensorMap.tiled(kind, (16, 256), (4, box), arch="sm_100a")
    memory = noise(made.span_bytes)
    _, want = predicted(oracle, made, "load", memory, np.zeros(made.shared_bytes, np.uint8), (3, 128))
    image = made.load(memory, (3, 128))
    assert (image.bytes == want).all()
    with pytest.raises(TypeError, match="share a byte"):
        image.tile()
    for element in ((0, 0), (3, 17), (2, box - 1)):
        place = image.copy.locate(element)
        row, value = image.copy.owner(place.shared)
        assert row == element[0] and value <= element[1] < value + 2


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
def test_interleaved(oracle):
    made = TensorMap.tiled("f16", (2, 4, 8, 8, 8), (1, 1, 2, 2, 8), interleave="16B")
    memory = noise(made.span_bytes)
    image = made.load(memory, (1, 2, 3, 4, 0))
    _, want = predicted(oracle, made, "load", memory, np.zeros(made.shared_bytes, np.uint8), (1, 2, 3, 4, 0))
    assert (image.bytes == want).all()


def test_sweeps():
    source = RNG.integers(0, 1000, (20, 100)).astype(np.float32)
    source = np.ascontiguousarray(np.pad(source, ((0, 0), (0, 4)))[:, :100].astype(np.float32))
    made = TensorMap.of(source, (8, 32), swizzle="128B")
    sweep = made.sweep()
    assert len(sweep) == 12 and made.grid == (3, 4)
    starts = [(8 * r, 32 * c) for r in range(3) for c in range(4)]  # the innermost dimension fastest
    tiles = sweep.load(source)
    assert (tiles == made.load(source, starts).bytes).all()
    assert (sweep.load(source, 5, 7) == tiles[5:7]).all()
    target = np.zeros_like(source)
    made.sweep("store").store(target, tiles)
    assert (target == source).all()
    for bad in ((3, 2), (0, 13), (-1, 2)):
        with pytest.raises(ValueError):
            sweep.load(source, *bad)


SOURCE = np.zeros((64, 64), np.float16)
READ_ONLY = np.zeros((64, 64), np.float16)
READ_ONLY.setflags(write=False)


@pytest.mark.parametrize("call, words", [
    (lambda m: m.load(SOURCE[:32], (0, 0)), "has shape"),
    (lambda m: m.load(np.zeros(100, np.uint8), (0, 0)), "touches bytes beyond"),
    (lambda m: m.load(SOURCE[:, ::2], (0, 0)), "strides"),
    (lambda m: m.load(np.zeros((64, 128), np.float16)[:, :64], (0, 0)), "strides"),
    (lambda m: m.load(np.zeros((4, 16, 128), np.float16)[..., :64], (0, 0)), "contiguous"),
    (lambda m: m.load(SOURCE.astype(">f2"), (0, 0)), "big-endian"),
    (lambda m: m.load(SOURCE[::-1], (0, 0)), "negative"),
    (lambda m: m.load(None, (0, 0)), "source has type NoneType, which is not an array"),
    (lambda m: m.load(SOURCE, (0, 0, 0)), "at has shape"), (lambda m: m.load(SOURCE, 5), "at has shape"),
    (lambda m: m.load(SOURCE, (0.5, 0)), "integers"), (lambda m: m.load(SOURCE, (2**70, 0)), "integers"),
    (lambda m: m.load(SOURCE, np.array([2**63, 0], np.uint64)), r"2\^31"),
    (lambda m: m.load(SOURCE, ((0, 0), (0,))), "at"), (lambda m: m.load(SOURCE, None), "at"),
    (lambda m: m.load(SOURCE, (0, 0), shared=-1), "shared"), (lambda m: m.load(SOURCE, (0, 0), shared=64), "shared"),
    (lambda m: m.load(SOURCE, (0, 0), out=np.zeros(3, np.uint8)), "out must"),
    (lambda m: m.load(SOURCE, (2**40, 0)), "at"),
    (lambda m: m.store(READ_ONLY, np.zeros(1024, np.uint8), (0, 0)), "read-only"),
    (lambda m: m.store(bytes(8192), np.zeros(1024, np.uint8), (0, 0)), "read-only"),
    (lambda m: m.store(SOURCE, np.zeros(1023, np.uint8), (0, 0)), "1023"),
    (lambda m: m.store(SOURCE, np.zeros((2, 1024), np.uint8), [(0, 0)]), "2048"),
    (lambda m: m.store(SOURCE, object(), (0, 0)), "image"),
    (lambda m: m.reduce(SOURCE, np.zeros(1024, np.uint8), "mul", (0, 0)), "op is .mul.; allowed"),
    (lambda m: m.locate((8, 0)), "not in the box"), (lambda m: m.locate((0,)), "element"),
    (lambda m: m.owner(-1), "address"), (lambda m: m.copy("load", offsets=(1, 2, 3, 4)), "offsets"),
])
def test_bad_arguments(call, words):
    made = TensorMap.of(SOURCE, (8, 64), swizzle="128B")
    with pytest.raises((ValueError, TypeError, IndexError), match=words):
        call(made)


@pytest.mark.parametrize("kind, dtype, words", [
    ("f16", "float32", "elements of type float32, and the map has type 'f16'.*view as uint8"),
    ("f16", "int32", "type int32"), ("f16", "float64", "type float64"), ("f16", "bool", "type bool.*convert the elements$"),
    ("bf16", "float16", "type float16, and the map has type 'bf16'.*view as uint16"), ("bf16", "float32", "type float32"),
    ("f32", "float16", "type float16.*convert the elements$"), ("tf32", "float64", "type float64"), ("s32", "int64", "type int64"),
    ("f64", "complex64", "type complex64"), ("u8", "float32", "type float32.*convert the elements$"),
    ("b4x16", "uint16", "type uint16.*view as uint8"),
])
def test_dtypes_that_are_not_the_type_of_the_map(kind, dtype, words):
    made = TensorMap.tiled(kind, (64, 128), (8, 64), arch="sm_100a")
    source, image = np.zeros((64, 128), dtype), np.zeros(made.shared_bytes, np.uint8)
    for call in (lambda: made.load(source, (0, 0)), lambda: made.store(source, image, (0, 0)), lambda: made.sweep().load(source),
                 lambda: made.reduce(source, image, "add", (0, 0)), lambda: assert_tile(image, made, source, (0, 0))):
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("kind, dtype", [
    ("bf16", "uint16"), ("bf16", "int16"), ("f16", "uint16"), ("f16", "int16"), ("u16", "float16"), ("f32", "uint32"), ("f32", "int32"),
    ("tf32", "float32"), ("f32_ftz", "float32"), ("s32", "uint32"), ("u32", "float32"), ("f64", "int64"), ("u8", "int8"), ("u8", "bool"),
])
def test_dtypes_that_are_the_bits_of_the_type(kind, dtype):
    source = noise(64 * 128 * BYTES.get(kind, 4))
    made = TensorMap.tiled(kind, (64, 128), (8, 32))
    if dtype == "bool":
        source &= 1
    assert (made.load(source.view(dtype).reshape(64, 128), (8, 32)).bytes == made.load(source, (8, 32)).bytes).all()


def test_bytes_with_the_shape_of_the_map():
    made, packed = TensorMap.tiled("f16", (64, 128), (8, 64)), TensorMap.tiled("b4x16", (64, 128), (8, 64), arch="sm_100a")
    for dtype in (np.uint8, np.int8):
        source = noise(64 * 128).view(dtype).reshape(64, 128)
        rows = source.view(np.float16).reshape(32, 128)  # of the 64 rows
        assert (made.load(source, (8, 64)).tile().view(np.uint16) == rows[8:16, 64:].view(np.uint16)).all()
        assert (packed.load(source, (0, 64)).bytes == source.reshape(-1).view(np.uint8)[:512].reshape(8, 64)[:, 32:].reshape(-1)).all()


def test_bfloat16_of_ml_dtypes():
    source = np.arange(64 * 128).astype(pytest.importorskip("ml_dtypes").bfloat16).reshape(64, 128)
    assert (TensorMap.of(source, (8, 64)).load(source, (8, 64)).tile() == source.view(np.uint16)[8:16, 64:]).all()
    with pytest.raises(ValueError, match="type bfloat16, and the map has type 'f16'"):
        TensorMap.tiled("f16", (64, 128), (8, 64)).load(source, (0, 0))


ANYTHING = st.none() | st.integers(-2**70, 2**70) | st.floats() | st.text(max_size=4) | st.binary(max_size=9) | st.lists(
    st.integers(-2**40, 2**40) | st.lists(st.integers(-300, 300), max_size=3), max_size=6)


@given(st.sampled_from(["load", "store", "reduce", "gather4", "scatter4", "copy", "locate", "owner", "sweep"]),
       st.lists(ANYTHING | st.just(SOURCE) | st.just(READ_ONLY), max_size=5),
       st.dictionaries(st.sampled_from(["at", "shared", "offsets", "rows", "column", "image", "out", "w_halo"]), ANYTHING,
                       max_size=3))
def test_any_arguments(method, arguments, options):
    made = TensorMap.of(SOURCE, (8, 64), swizzle="128B")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            getattr(made, method)(*arguments, **options)
        except (TypeError, ValueError, IndexError):
            pass


def test_a_buffer_that_is_in_use_cannot_go():
    memory = bytearray(8192)
    made = TensorMap.tiled("f16", (64, 64), (8, 64))
    made.load(memory, (0, 0))
    memory.extend(b"more")  # no reference to the buffer remains after the call


def test_memory_that_a_copy_reads_is_not_what_it_writes():
    memory = np.zeros(64 * 64 + 512, np.float16)
    tensor, inside, apart = memory[:64 * 64].reshape(64, 64), memory.view(np.uint8)[4096:5120], memory.view(np.uint8)[8192:]
    made = TensorMap.of(tensor, (8, 64))
    with pytest.raises(ValueError, match="out shares memory"):
        made.load(tensor, (0, 0), out=inside)
    for call in (made.store, lambda *given: made.reduce(given[0], given[1], "add", given[2])):
        with pytest.raises(ValueError, match="image shares memory"):
            call(tensor, inside, (0, 0))
        call(tensor, apart, (0, 0))
    made.load(tensor, (0, 0), out=apart)


def test_texts_that_are_no_unicode():
    for call in (lambda: TensorMap.tiled("\ud800", (64, 64), (8, 64)), lambda: TensorMap.tiled("f16", (64, 64), (8, 64), swizzle="\ud800")):
        with pytest.raises(ValueError, match="allowed"):
            call()
    assert TensorMap.tiled("f16", (64, 64), (8, 64), axes=("\ud800", "k")).draw()
    with pytest.raises(ValueError):
        tmap.explain("\ud800")


def test_a_batch_that_stops_has_run_the_copies_before():
    """Each copy before the refused one adds once."""
    made, target = TensorMap.tiled("s32", (64, 32), (8, 32)), np.zeros((64, 32), np.int32)
    image = np.ones((3, made.shared_bytes // 4), np.int32)
    with pytest.raises(tmap.MapError, match="copy-coordinate-range"):
        made.reduce(target, image, "add", [(0, 0), (8, 0), (2**40, 0)])
    assert target[:16].min() == target[:16].max() == 1 and not target[16:].any()


def test_forms_of_starts():
    """Lists, tuples and arrays of 32 or 64 bits, of any strides, are the same starts."""
    source = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    made, at = TensorMap.of(source, (8, 64), swizzle="128B"), [(8, 0), (0, 0), (56, 0)]
    want = made.load(source, at).bytes
    for same in (tuple(at), [list(start) for start in at], np.array(at), np.array(at, np.int32), np.array(at, np.uint64), np.array(at, np.int16),
                 np.array(at)[::-1][::-1], np.asfortranarray(at)):
        assert (made.load(source, same).bytes == want).all()
    assert made.load(source, np.zeros((0, 2), int)).bytes.shape == (0, made.shared_bytes)
    rows = TensorMap.four_rows("f16", (64, 64), 64, arch="sm_100a")
    want = np.stack([source[[1, 2, 3, 9]], source[[4, 5, 6, 7]]]).view(np.uint8).reshape(2, -1)
    for lines in ([(1, 2, 3, 9), (4, 5, 6, 7)], np.array([(1, 2, 3, 9), (4, 5, 6, 7)]), np.array([(1, 2, 3, 9), (4, 5, 6, 7)], np.int16)):
        for column in (0, [0, 0], np.zeros(2, int)):
            assert (rows.gather4(source, column, lines).bytes == want).all()
    room = np.zeros_like(source)
    assert rows.scatter4(room, want, 0, [(1, 2, 3, 9), (4, 5, 6, 7)]).written_bytes == want.size
    assert (room[[1, 2, 3, 9, 4, 5, 6, 7]] == source[[1, 2, 3, 9, 4, 5, 6, 7]]).all() and not room[10:].any()


def test_tensors_of_torch_and_jax():
    source = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    made = TensorMap.of(source, (8, 64), swizzle="128B")
    want = made.load(source, (8, 0)).bytes
    for package, convert in (("torch", lambda module: module.from_numpy(source.copy())), ("jax.numpy", lambda module: module.asarray(source))):
        module = pytest.importorskip(package) if package == "torch" else None
        try:
            tensor = convert(module or __import__("jax.numpy", fromlist=["numpy"]))
        except ImportError:
            continue
        assert (made.load(tensor, (8, 0)).bytes == want).all() and (made.load(tensor, [(8, 0)] * 3).bytes == want).all()
        if package == "torch":
            made.store(tensor, want, (16, 0))
            assert (tensor.numpy()[16:24] == source[8:16]).all()
        else:
            with pytest.raises(ValueError, match="read-only"):
                made.store(tensor, want, (16, 0))
