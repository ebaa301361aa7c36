"""Maps of arrays. Expected dims, strides and types follow from the array's own shape, strides and dtype."""
import array
import ctypes
import os
import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

import libtmap as tmap
from libtmap import Layout, TensorMap
from libtmap._native import ffi


def of(source, box=None, **options):
    shape = options.pop("shape", None) or source.shape
    return TensorMap.of(source, box or (1,) * (len(shape) - 1) + (min(shape[-1], 16),), **options)


@pytest.mark.parametrize("dtype, name", [
    ("bool", "u8"), ("int8", "u8"), ("uint8", "u8"), ("int16", "u16"), ("uint16", "u16"), ("int32", "s32"),
    ("uint32", "u32"), ("int64", "s64"), ("uint64", "u64"), ("float16", "f16"), ("float32", "f32"),
    ("float64", "f64")])
def test_dtypes(dtype, name):
    made = of(np.zeros((3, 4, 64), dtype))
    assert (made.type, made.dims, made.address) == (name, (3, 4, 64), None)
    assert made.strides == np.zeros((3, 4, 64), dtype).strides[:-1]


def test_views_have_their_strides():
    whole = np.zeros((8, 16, 64), np.float16)
    for view in (whole[:, ::2], whole[1:], whole[..., :32], whole.transpose(1, 0, 2)):
        assert of(view).dims == view.shape and of(view).strides == view.strides[:-1]
    assert TensorMap.of(whole, (64, 1, 1), order="inner").dims == (64, 16, 8)


def test_a_dimension_of_one_entry_needs_no_stride():
    odd = np.lib.stride_tricks.as_strided(np.zeros(64, np.float16), (1, 64), (2, 2))
    assert of(odd).dims == (1, 64)


class Only:
    """An object that has only one protocol of another array."""

    def __init__(self, protocol, value):
        setattr(self, protocol, value)


def test_protocols():
    source = np.zeros((8, 64), np.float16)[:, :48]
    want = of(source)
    assert want.strides == (128,)
    assert of(Only("__array_interface__", source.__array_interface__), shape=source.shape) == want
    assert of(Only("__dlpack__", source.__dlpack__), shape=source.shape) == want
    on_device = dict(source.__array_interface__, data=(0x7F0000000010, False))
    assert of(Only("__cuda_array_interface__", on_device), shape=source.shape) == want.replace(address=0x7F0000000010)


def test_buffers():
    assert TensorMap.of(array.array("f", range(64)), (16,)).type == "f32"
    assert TensorMap.of((ctypes.c_uint16 * 64 * 4)(), (2, 16)).dims == (4, 64)
    assert TensorMap.of(bytes(64), (16,)).type == "u8"


def test_another_type_of_the_same_memory():
    assert of(np.zeros((4, 64), np.float32), type="tf32").type == "tf32"
    packed = TensorMap.of(np.zeros((4, 64), np.uint8), (1, 128), type="b4x16", arch="sm_100a")
    assert (packed.dims, packed.strides) == ((4, 128), (64,))
    with pytest.raises(ValueError, match="not a whole number"):
        TensorMap.of(np.zeros((4, 62), np.uint8), (1, 8), type="u32")


def test_a_view_that_no_gpu_accepts():
    with pytest.raises(tmap.MapError, match="address-align"):
        of(np.zeros((8, 64), np.float16)[:, 1:49])


@pytest.mark.parametrize("source, error, words", [
    (np.zeros((4, 64), ">f4"), ValueError, "big-endian"),
    (np.zeros((4, 64), np.complex64), ValueError, "dlpack-dtype"),
    (np.zeros((4, 64), object), ValueError, "not an element type|does not contain elements"),
    (np.zeros((4, 64), [("a", "f4"), ("b", "f4")]), ValueError, "not an element type|does not contain elements"),
    (np.zeros((4, 64), "U4"), ValueError, "not an element type|does not contain elements"),
    (np.zeros((4, 64), "datetime64[s]"), ValueError, "not an element type|does not contain elements"),
    (np.zeros((4, 64), np.float16)[::-1], ValueError, "negative strides"),
    (np.zeros((64, 4), np.float16).T, ValueError, "inner-contiguous"),
    (np.zeros((0, 64), np.float16), ValueError, "dim-extent"),
    (np.float16(1), ValueError, "rank-range"),
    (np.zeros((1,) * 6, np.float16), ValueError, "rank-range"),
    (None, TypeError, "not an array"), (5, TypeError, "not an array"), ("text", TypeError, "not an array"),
    (np.ndarray, TypeError, "not an array"), ([1, 2], TypeError, "not an array"),
    (Only("__array_interface__", {"shape": (4,), "typestr": "<f4"}), TypeError, "no address"),
    (Only("__array_interface__", 3), TypeError, "not a dict"),
    (Only("__array_interface__", {"shape": 3, "typestr": "<f4", "data": (16, False)}), TypeError, "shape"),
    (Only("__cuda_array_interface__", {"shape": (4, 4), "typestr": "<f4", "data": (16, False), "strides": (4,)}),
     ValueError, "strides has 1"),
    (Only("__dlpack__", lambda **_: 7), TypeError, "no capsule"),
    (Only("__dlpack__", lambda **_: 1 / 0), ValueError, "division"),
])
def test_bad_arrays(source, error, words):
    with pytest.raises(error, match=words):
        TensorMap.of(source, (1, 16))


def test_arrays_are_not_kept():
    source = np.zeros((8, 64), np.float16)
    import sys
    before = sys.getrefcount(source)
    made = of(source)
    assert sys.getrefcount(source) == before and made.rank == 2
    capsule = Only("__dlpack__", source.__dlpack__)
    of(capsule, shape=source.shape)
    del capsule
    assert sys.getrefcount(source) == before


@given(st.dictionaries(st.sampled_from(["shape", "typestr", "data", "strides", "version", "mask"]),
                       st.none() | st.integers(-2**70, 2**70) | st.text(max_size=4) | st.binary(max_size=3)
                       | st.sampled_from(["<f2", "|u1", "=i4", ">f8", "<V2", (16, False), (0, True)])
                       | st.tuples(st.integers(-2**66, 2**66), st.integers(-5, 5))))
def test_any_interface(interface):
    """These calls do not read the memory, so an address can be any number."""
    for protocol in ("__array_interface__", "__cuda_array_interface__"):
        try:
            TensorMap.of(Only(protocol, interface), (1, 16))
        except (TypeError, ValueError):
            pass


class Meta:
    """The members of a PyTorch tensor without data. data_ptr of a FakeTensor raises RuntimeError."""
    shape, dtype = (8, 64), "torch.bfloat16"

    def __init__(self, device, strides=(128, 1)):
        self.device, self.strides = type("device", (), {"type": device})(), strides

    def stride(self):
        return self.strides

    def data_ptr(self):
        raise RuntimeError("Cannot access data pointer of Tensor")

    def __dlpack__(self, **_):
        raise BufferError("meta")


def test_shapes_without_data():
    class ShapeDtypeStruct:
        shape, dtype = (8, 64), np.dtype(np.float16)
    plain = TensorMap.of(ShapeDtypeStruct(), (8, 64))
    assert plain == TensorMap.tiled("f16", (8, 64), (8, 64)) and plain.address is None
    for device in ("meta", "cuda", "cpu"):
        assert TensorMap.of(Meta(device), (8, 64)) == TensorMap.tiled("bf16", (8, 64), (8, 64), (256,))
    for bad in (Meta("meta", (1, 8)), Meta("meta", (128,)), type("T", (), {"shape": (8, "n"), "dtype": "f2"})(),
                type("T", (), {"shape": (8, 64), "dtype": object()})()):
        with pytest.raises((TypeError, ValueError)):
            TensorMap.of(bad, (8, 64))
    for source in (ShapeDtypeStruct(), Only("__array_interface__", {**np.zeros((8, 64), "f2").__array_interface__, "data": (0, False)})):
        with pytest.raises(ValueError, match="no data"):
            plain.load(source, (0, 0))


# ---- One bad member of an object that is right otherwise --------------------------------------------------------------

SOURCE = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype, capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Rude:
    """An object whose members raise an exception."""

    def __init__(self, error):
        object.__setattr__(self, "error", error)

    def __index__(self):
        raise object.__getattribute__(self, "error")("rude")
    __bool__ = __iter__ = __len__ = __str__ = __repr__ = __int__ = __index__

    def __getattr__(self, _):
        raise object.__getattribute__(self, "error")("rude")


ERRORS = (KeyError, RuntimeError, OverflowError, AttributeError, ZeroDivisionError, StopIteration, AssertionError, OSError)
NUMBERS = [0, 1, -1, True, 64, 1 << 31, 1 << 62, 1 << 63, 1 << 64, 1 << 200, -1 << 63, np.int64(64), np.uint64(2**64 - 1), np.float32(3),
           float("nan"), 1.5, None, "64", b"64", object(), 1j, *map(Rude, ERRORS)]
SMALL = [0, 1, -1, 64, 1 << 31, 1 << 62, 2**63 - 1, -2**63]


class Endless(Rude):
    """A sequence whose end nobody reaches, and whose members raise an exception."""

    def __len__(self):
        raise RuntimeError("rude")

    def __getitem__(self, i):
        return "a"

    def __eq__(self, other):
        raise RuntimeError("rude")

    __index__ = __bool__ = __len__


def test_objects_in_place_of_words():
    made, endless = TensorMap.tiled("f16", (64, 64), (8, 64)), Endless(KeyError)
    for call in (lambda: TensorMap.tiled("f16", (64, 64), (8, 64), order=endless), lambda: TensorMap.tiled("f16", (64, 64), (8, 64), axes=endless),
                 lambda: TensorMap.tiled("f16", (64, 64), (8, 64), arch=endless), lambda: TensorMap.from_spec(made.to_spec(), endless),
                 lambda: TensorMap.from_spec(made.to_spec(), order=endless), lambda: made.sweep(endless), lambda: TensorMap.of_tvm(endless),
                 lambda: Layout("S[8:1]").tile_to(endless, endless), lambda: Layout("S[8:1]").places(copy=endless)):
        with pytest.raises((TypeError, ValueError, IndexError)):
            call()


def bad_sizes(rng):
    return rng.choice([tuple(rng.choice(NUMBERS) for _ in range(rng.choice((0, 1, 2, 2, 2, 6, 40)))), rng.choice(NUMBERS)])


def bad_interface(rng):
    name = rng.choice(("shape", "typestr", "data", "strides", "version", "mask"))
    address = rng.choice(NUMBERS)
    bad = {"data": rng.choice([(address, False), (address, Rude(KeyError)), address, (1,), None]),
           "typestr": rng.choice(["<f16", "<f999", "|V4", "|O", "", "<f0", "<f" + "9" * 20, "\ud800\0", rng.choice(NUMBERS)])}
    value = {**SOURCE.__array_interface__, name: bad.get(name, bad_sizes(rng))}
    if rng.random() < 0.1:
        name = rng.choice(list(value))
        if name != "shape" or np.lib.NumpyVersion(np.__version__) >= "2.3.0":  # np.asarray of NumPy 2.2 crashes without it
            del value[name]
    return Only(rng.choice(("__array_interface__", "__cuda_array_interface__")), rng.choice([value] * 9 + [rng.choice(NUMBERS)]))


def bad_capsule(rng, kept):
    """A capsule of a DLManagedTensor or DLManagedTensorVersioned with one bad member. `kept` keeps its memory."""
    versioned, sizes = rng.random() < 0.5, ffi.new("int64_t[64]", [64] * 64)
    strides = ffi.new("int64_t[64]", [rng.choice(SMALL)] * 64)
    room = ffi.new("uint8_t[256]")
    header, tensor = ffi.cast("uint64_t *", room), ffi.cast("tmap_dl_tensor *", room + 32 * versioned)
    tensor.data, tensor.ndim, tensor.shape = ffi.cast("void *", SOURCE.ctypes.data), 2, sizes
    tensor.device.device_type, tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = 1, 2, 16, 1
    name = b"dltensor_versioned" if versioned else b"dltensor"
    header[0] = versioned or header[0]  # major 1
    bad = {"data": lambda n: setattr(tensor, "data", ffi.cast("void *", n % 2**64)), "shape": lambda n: setattr(tensor, "shape", ffi.NULL),
           "ndim": lambda n: setattr(tensor, "ndim", rng.choice((0, 1, -1, 6, 64, 65, 2**31 - 1, -2**31))),
           "size": lambda n: sizes.__setitem__(rng.randrange(2), n), "offset": lambda n: setattr(tensor, "byte_offset", n % 2**64),
           "strides": lambda n: setattr(tensor, "strides", strides),
           "device": lambda n: setattr(tensor.device, "device_type", rng.choice((0, 2, 4, -1, 2**31 - 1))),
           "dtype": lambda n: setattr(tensor.dtype, rng.choice(("code", "bits")), n % 256),
           "lanes": lambda n: setattr(tensor.dtype, "lanes", n % 2**16),
           "version": lambda n: header.__setitem__(0, n % 2**32) if versioned else None}
    rng.choice(list(bad.values()))(rng.choice(SMALL))
    kept += [room, sizes, strides, name]
    return Only("__dlpack__", lambda **_: capsule_new(int(ffi.cast("uintptr_t", room)), name, None))


def bad_members(rng):
    """An object of PyTorch's kind, or of no kind, of whose members one or several are bad."""
    error = rng.choice(ERRORS)

    def rude(_):
        raise error("rude")
    names = rng.sample(["__array_interface__", "__dlpack__", "shape", "dtype", "stride", "data_ptr", "device", "block_shape", "opaque",
                        "base", "value", "name", "tensordesc_meta"], rng.randrange(1, 4))
    base = rng.choice((Meta, object))
    made = type("Bad", (base,), {name: property(rude) if rng.random() < 0.6 else rng.choice(NUMBERS) for name in names})
    return made.__new__(made)


def calls_of(rng, thing):
    four = TensorMap.four_rows("f16", (64, 64), 64)
    return [lambda: TensorMap.of(thing, (8, 64)), lambda: TensorMap.of(SOURCE, thing), lambda: TensorMap.of(SOURCE, (8, 64), type=thing),
            lambda: TensorMap.of_triton(thing, (64, 64), (64, 1), (8, 64)), lambda: TensorMap.of_triton("f16", thing, (64, 1), (8, 64)),
            lambda: TensorMap.of_triton({"swizzle": 3, "elem_size": 2, "elem_type": 6, "block_size": (8, 64),
                                         rng.choice(("swizzle", "elem_size", "elem_type", "block_size", "is_im2col")): thing}, (64, 64)),
            lambda: TensorMap.of_tvm(thing), lambda: TensorMap.of_cuda_core(thing, (8, 64)), lambda: TensorMap.from_descriptor(thing),
            lambda: TensorMap.from_descriptor([thing] * 16), lambda: four.gather4(SOURCE, thing, (1, 2, 3, 4)),
            lambda: TensorMap.tiled("f16", (64, 64), (8, 64), **{rng.choice(("address", "ops", "swizzle", "axes", "arch", "order")): thing}),
            lambda: tmap.explain_encode((6, 2, thing, (64, 64), (128,), (8, 64), thing, 0, 3, 0, 0), thing), lambda: tmap.explain(thing),
            lambda: tmap.check(thing, mode=rng.choice(("of", "of_triton", "of_tvm", "tiled"))), lambda: tmap.Layout(thing),
            lambda: four.copy("load", (0, 0), shared=thing), lambda: four.owner(thing), lambda: four.descriptor(thing)]


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
def test_one_bad_member():
    """A wrong argument raises TypeError, ValueError or IndexError. The calls do not read the memory of the objects."""
    rng, kept = random.Random(37), []
    for _ in range(50 * int(os.environ.get("TMAP_EXAMPLES", "60"))):
        thing = rng.choice((bad_interface, bad_members, lambda rng: bad_capsule(rng, kept), lambda rng: rng.choice(NUMBERS), bad_sizes))(rng)
        try:
            rng.choice(calls_of(rng, thing))()
        except (TypeError, ValueError, IndexError):
            pass


def test_a_dlpack_tensor_without_a_shape():
    room = ffi.new("uint8_t[256]")
    tensor = ffi.cast("tmap_dl_tensor *", room)
    tensor.ndim, tensor.device.device_type, tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = 2, 1, 2, 16, 1
    capsule = capsule_new(int(ffi.cast("uintptr_t", room)), b"dltensor", None)
    with pytest.raises(ValueError, match="no shape"):
        TensorMap.of(Only("__dlpack__", lambda **_: capsule), (8, 64))


def test_numbers_that_no_memory_has():
    for name, value, words in (("shape", (1 << 200, 64), "shape .* 2.63"), ("data", (1 << 64, True), "address .* 2.64"),
                               ("strides", (1 << 80, 2), "strides")):
        with pytest.raises(ValueError, match=words):
            TensorMap.of(Only("__array_interface__", {**SOURCE.__array_interface__, name: value}), (8, 64))


def test_a_capsule_without_data():
    """As __dlpack__ of a FakeTensor."""
    room, numbers = ffi.new("uint8_t[256]"), ffi.new("int64_t[4]", [8, 64, 64, 1])
    tensor = ffi.cast("tmap_dl_tensor *", room)
    tensor.ndim, tensor.device.device_type, tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes = 2, 1, 2, 16, 1
    tensor.shape, tensor.strides = numbers, numbers + 2
    capsule = capsule_new(int(ffi.cast("uintptr_t", room)), b"dltensor", None)
    assert TensorMap.of(Only("__dlpack__", lambda **_: capsule), (8, 64)) == TensorMap.tiled("f16", (8, 64), (8, 64))


def test_a_traced_array():
    """As in a function of jax.jit: __dlpack__ raises an exception. JAX's arrays of 4-bit types have no number in DLPack."""
    def without(self, **_):
        raise TypeError("abstract")
    for dtype, kind in (("bfloat16", "bf16"), ("int4", "b4x16"), ("float4_e2m1fn", "b4x16"), ("float8_e4m3fn", "u8")):
        traced = type("Tracer", (), {"shape": (8, 64), "dtype": type("dtype", (), {"name": dtype})(), "__dlpack__": without})()
        assert TensorMap.of(traced, (8, 64)) == TensorMap.tiled(kind, (8, 64), (8, 64)), dtype
        with pytest.raises(ValueError):
            TensorMap.of(traced, (8, 64)).load(traced, (0, 0))


def test_the_fix_of_a_transposed_operand():
    square = np.zeros((128, 64), np.float16)
    for array, words in ((square.T, "array.T, with box in this order"), (np.zeros((4, 8, 64), "f2").transpose(0, 2, 1), r"array.transpose\(0, 2, 1\)"),
                         (np.zeros((4, 8, 64), "f2").transpose(2, 0, 1), r"array.transpose\(1, 2, 0\)"),
                         (square[:, ::2], r"np.ascontiguousarray\(array\): no dimension has stride 1")):
        with pytest.raises(tmap.MapError, match=words):
            of(array)
    assert of(square.T.T) == of(square) and of(np.zeros((4, 8, 64), "f2").transpose(0, 2, 1).transpose(0, 2, 1)).rank == 3


class Tiling:
    def __init__(self, *tiling):
        self.tiling = tiling


def test_transforms_of_mosaic():
    """Tile (i, j) of 8 x 64 begins at element (8 i, 64 j): the strides of tiles are 8 rows, and 64 elements."""
    array, swizzle = np.arange(512 * 256, dtype=np.float16).reshape(512, 256), type("Swizzle", (), {"swizzle": 128})()
    made = TensorMap.of(array, (64, 128), transforms=(Tiling(8, 64), swizzle))
    assert made == TensorMap.tiled("f16", (64, 4, 8, 64), (8, 2, 8, 64), (8 * 512, 128, 512), swizzle="128B")
    tiles = made.load(array.reshape(64, 8, 4, 64).transpose(0, 2, 1, 3), (8, 2, 0, 0)).tile()
    assert (tiles.transpose(0, 2, 1, 3).reshape(64, 128) == array[64:128, 128:256]).all()
    spec = type("BlockSpec", (), {"block_shape": (None, 64, 64), "transforms": (Tiling(8, 64), swizzle)})()
    assert TensorMap.of(np.zeros((2, 64, 64), "f2"), spec).box == (1, 8, 1, 8, 64)
    for transforms, words in ((Tiling(7, 64), "does not divide"), (Tiling(1, 1, 1), "does not divide"), (object(), "not a transform")):
        with pytest.raises((TypeError, ValueError), match=words):
            TensorMap.of(array, (64, 128), transforms=(transforms,))


# ---- Frameworks, where they are installed ----------------------------------------------------------------------------

def test_ml_dtypes():
    dtypes = pytest.importorskip("ml_dtypes")
    for name, kind in (("bfloat16", "bf16"), ("float8_e4m3fn", "u8"), ("float8_e5m2", "u8")):
        made = of(np.zeros((8, 64), getattr(dtypes, name)))
        assert (made.type, made.dims) == (kind, (8, 64))
        assert TensorMap.tiled(getattr(dtypes, name), (8, 64), (8, 16)).type == kind
    with pytest.raises(ValueError, match="one value in a byte"):
        of(np.zeros((8, 64), dtypes.float4_e2m1fn))


def test_torch():
    torch = pytest.importorskip("torch")
    for name, kind in (("bfloat16", "bf16"), ("float16", "f16"), ("float8_e4m3fn", "u8"), ("int32", "s32"),
                       ("float32", "f32"), ("uint8", "u8")):
        dtype = getattr(torch, name)
        view = torch.empty((8, 64), dtype=dtype)[::2, :32]
        made = of(view)
        assert (made.type, made.dims, made.strides) == (kind, (4, 32), (128 * view.element_size(),))
        assert TensorMap.tiled(dtype, (8, 64), (8, 16)).type == kind
    assert of(torch.zeros(8, 64, requires_grad=True)).type == "f32"


def test_jax():
    numpy = pytest.importorskip("jax.numpy")
    for name, kind in (("bfloat16", "bf16"), ("float16", "f16"), ("int32", "s32")):
        assert of(numpy.zeros((8, 64), getattr(numpy, name))).type == kind
        assert TensorMap.tiled(getattr(numpy, name), (8, 64), (8, 16)).type == kind


def test_objects_of_jax():
    jax = pytest.importorskip("jax")
    numpy, mosaic = jax.numpy, pytest.importorskip("jax.experimental.pallas.mosaic_gpu")
    plain = TensorMap.tiled("bf16", (128, 64), (64, 64))
    assert TensorMap.of(jax.ShapeDtypeStruct((128, 64), numpy.bfloat16), (64, 64)) == plain
    seen = []
    jax.jit(lambda x: seen.append(TensorMap.of(x, (64, 64))) or x)(numpy.zeros((128, 64), numpy.bfloat16))
    assert seen == [plain] and TensorMap.of(jax.ShapeDtypeStruct((128, 64), numpy.int4), (64, 64)).type == "b4x16"
    transforms = (mosaic.TilingTransform((8, 64)), mosaic.SwizzleTransform(128))
    spec = mosaic.BlockSpec((64, 64), lambda i, j: (i, j), transforms=transforms)
    want = TensorMap.tiled("bf16", (64, 4, 8, 64), (8, 1, 8, 64), (4096, 128, 512), swizzle="128B")
    for array in (jax.ShapeDtypeStruct((512, 256), numpy.bfloat16), numpy.zeros((512, 256), numpy.bfloat16)):
        assert TensorMap.of(array, spec) == TensorMap.of(array, (64, 64), transforms=transforms) == want


def test_tensors_of_torch_without_data():
    torch = pytest.importorskip("torch")
    from torch._subclasses.fake_tensor import FakeTensorMode
    with FakeTensorMode():
        fakes = [torch.empty(128, 64, dtype=torch.float16, device=device) for device in ("cpu", "cuda")]
    for fake in (*fakes, torch.empty(128, 64, dtype=torch.float16, device="meta")):
        assert TensorMap.of(fake, (64, 64)) == TensorMap.tiled("f16", (128, 64), (64, 64))
        with pytest.raises(tmap.MapError, match="array.T, with box"):
            TensorMap.of(fake.t(), (64, 64))
    packed = torch.empty(128, 64, dtype=torch.float4_e2m1fn_x2, device="meta")
    assert TensorMap.of(packed, (64, 128)).dims == (128, 128)
    assert TensorMap.tiled(torch.float4_e2m1fn_x2, (128, 128), (64, 128)).type == "b4x16"


def test_arrays_of_jax_are_read_only():
    """JAX's arrays are immutable, and their capsules do not state this."""
    class Immutable:
        __module__ = "jaxlib._jax"

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **_):
            return self.array.__dlpack__()
    content = np.ones((64, 64), np.float16)
    source, made = Immutable(content), TensorMap.of(content, (8, 64))
    image = made.load(source, at=(8, 0))
    assert image.bytes.any()
    with pytest.raises(ValueError, match="target is read-only"):
        made.store(source, image, at=(0, 0))


def test_arrays_of_jax():
    jax = pytest.importorskip("jax.numpy")
    source = jax.arange(64 * 64, dtype=jax.bfloat16).reshape(64, 64)
    made = TensorMap.of(source, (8, 64), swizzle="128B")
    image = made.load(source, at=(8, 0))
    assert made.type == "bf16" and (image.tile() == np.asarray(source)[8:16].view(np.uint16)).all()
    with pytest.raises(ValueError, match="read-only"):
        made.store(source, image, at=(0, 0))
    source.delete()
    with pytest.raises(ValueError, match="deleted"):
        made.load(source, at=(0, 0))
