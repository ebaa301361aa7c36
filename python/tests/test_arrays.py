"""Maps of arrays. Expected dims, strides and types follow from the array's own shape, strides and dtype."""
import array
import ctypes

import numpy as np
import pytest
from hypothesis import given, strategies as st

import libtmap as tmap
from libtmap import TensorMap


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
