"""Every public function with any arguments: a Python exception is allowed, a crash is not (under ASan in the asan
preset)."""
import array
import ctypes
import inspect
import itertools
import os
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import libtmap as tmap
from libtmap import TensorMap, testing

SOURCE = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    MAPS = [TensorMap.of(SOURCE, (8, 64), swizzle="128B"), TensorMap.four_rows("f16", (64, 64), 64),
            TensorMap.im2col("f16", (2, 16, 16, 64), (-1, -1), (-1, -1), 64, 64), TensorMap.tiled("b4x16", (64, 128), (8, 128))]
    THINGS = [*MAPS, MAPS[0].copy(), MAPS[0].load(SOURCE, (0, 0)), MAPS[0].sweep(), tmap.Layout("S[(8,8):(8,1)]"),
              tmap.Layout("atom(f16, 128B)"), tmap.check("f16", (64, 65), (8, 64)), tmap.check("f16", (64, 65), (8, 64)).findings[0],
              tmap.explain("stride-align"), tmap.plan("S[(8,64):(64,1)]", "f16", (8, 64))]


class Endless:
    """A sequence that claims 2^62 items and gives items without end."""

    def __len__(self):
        return 2**62

    def __iter__(self):
        return itertools.repeat(1)

    def __getitem__(self, index):
        return 1


class Raises:
    """An object whose members raise an exception that a wrong argument never raises."""

    def __getattr__(self, name):
        raise KeyError(name)


MODULE = [getattr(tmap, name) for name in tmap.__all__ if name != "watch"] + [testing.assert_tile]


def gone():
    view = memoryview(bytearray(64))
    view.release()
    return view


ODD = [SOURCE, SOURCE[::-1], SOURCE[:, ::2], SOURCE.T, SOURCE.astype(">f2"), SOURCE.astype(complex), np.broadcast_to(SOURCE, (2, 64, 64)),
       np.zeros((0, 64), np.float16), np.float32(3), np.array([None]), np.zeros(4, "M8[s]"), np.zeros(3, [("a", "i4")]),
       np.zeros((3, 2), int), np.full((4, 2), 2**62), bytes(8192), bytearray(1024), memoryview(bytes(8192)), gone(),
       array.array("d", range(64)), (ctypes.c_uint16 * 64)(), object(), type, len, range(4), {"a": 1}, {1, 2}, float("nan"),
       "f16", "128B", "load", "S[4]", "m", "\ud800\0", b"", range(2**62), Endless(), itertools.count(), [[1, 2], [3]], [object()], Raises(), *THINGS]
ANY = st.sampled_from(range(len(ODD))).map(ODD.__getitem__) | st.none() | st.booleans() | st.integers(-3, 70) | st.sampled_from([2**31, 2**32, 2**63, 2**64, -2**63, 2**70]) | \
    st.lists(st.integers(-2, 70), max_size=6).map(tuple)
KINDS = sorted({type(thing) for thing in THINGS}, key=str)
NAMES = {kind: [name for name in dir(kind) if not name.startswith("_") or name in ("__eq__", "__hash__", "__repr__", "__reduce__",
                "__add__", "__matmul__", "__truediv__", "__len__", "__iter__", "__array__", "_repr_svg_", "_repr_html_")]
         for kind in KINDS}
KEYWORDS = ["at", "shared", "rows", "column", "offsets", "w_halo", "order", "axes", "arch", "swizzle", "strides", "address", "ops", "out",
            "shape", "copy", "element", "color", "columns", "memory", "bits", "type", "mode", "begin", "tile", "first", "end", "dtype"]
ALLOWED = (TypeError, ValueError, IndexError)
# The other exceptions that the documentation of a member names: a package, a file, an encoding that no source shows.
MORE = {"to_cuda": ImportError, "to_cuda_core": ImportError, "to_tirx": ImportError, "to_tilus": ImportError, "to_cute": ImportError,
        "to_triton": ImportError, "to_linear_layout": ImportError, "page": OSError, "descriptor": RuntimeError, "to_ctypes": RuntimeError}


@given(st.data(), st.lists(ANY, max_size=4), st.dictionaries(st.sampled_from(KEYWORDS), ANY, max_size=3))
def test_any_call(tmp_path_factory, data, arguments, options):
    """Calls a function of the module, or a member of an object that the library made."""
    place, name = os.getcwd(), None
    os.chdir(tmp_path_factory.getbasetemp())  # page() writes a file
    try:
        if data.draw(st.booleans()):
            function = data.draw(st.sampled_from(MODULE))
        else:
            thing = data.draw(st.sampled_from(THINGS))
            name = data.draw(st.sampled_from(NAMES[type(thing)]))
            function = getattr(thing, name)
        if callable(function) and (function is tmap.Layout or not inspect.isclass(function)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                repr(function(*arguments, **options))
    except ALLOWED as error:
        str(error)
    except tuple({MORE[name]} if name in MORE else ()) as error:
        str(error)
    finally:
        os.chdir(place)


IMAGE, CALL = MAPS[0].load(SOURCE, (0, 0)), (6, 2, 1 << 40, (4096, 4096), (8192,), (64, 64), (1, 1), 0, 3, 0, 0)
CALLS = [
    (TensorMap.tiled, dict(type="f16", dims=(64, 64), box=(8, 64), strides=(128,), element_strides=(1, 1), order="outer",
                           axes=("m", "k"), arch="sm_90", swizzle="128B", interleave="none", l2_promotion="none", oob_fill="zero",
                           allocation_class="auto", address=1 << 20, allocation=1 << 20, ops=("load",))),
    (TensorMap.im2col, dict(type="f16", dims=(2, 16, 16, 64), lower_corner=(-1, -1), upper_corner=(-1, -1),
                            channels_per_pixel=64, pixels_per_column=64)),
    (TensorMap.im2col_wide, dict(type="f16", dims=(2, 16, 16, 64), lower_corner=-1, upper_corner=-1, channels_per_pixel=64,
                                 pixels_per_column=64, mode="im2col_w", swizzle="128B")),
    (TensorMap.four_rows, dict(type="f16", dims=(64, 64), columns=64, ops=("gather4",))),
    (TensorMap.of, dict(array=SOURCE, box=(8, 64), type="f16")),
    (TensorMap.of_triton, dict(base="f16", shape=(64, 64), strides=(64, 1), block_shape=(8, 64), padding="zero", swizzle=128,
                               fp4_padded=False)),
    (TensorMap.of_tvm, dict(call=[6, 2, 0, 64, 64, 2, 128, 64, 8, 1, 1, 0, 3, 0, 0])),
    (TensorMap.of_cuda_core, dict(view=SOURCE, box_dim=(8, 64), options={})),
    (TensorMap.from_descriptor, dict(descriptor=MAPS[0].descriptor(), order="outer", axes=None, arch=None)),
    (TensorMap.from_spec, dict(text=MAPS[0].to_spec(), name="tensor", path="spec", order=None)),
    (MAPS[0].load, dict(source=SOURCE, at=(0, 0), shared=0, offsets=None, w_halo=None, w_offset=None, out=None)),
    (MAPS[2].load, dict(source=np.zeros((2, 16, 16, 64), np.float16), at=(0, 0, 0, 0), offsets=(1, 1))),
    (MAPS[0].store, dict(target=SOURCE.copy(), image=IMAGE, at=(0, 0), shared=0)),
    (MAPS[0].reduce, dict(target=SOURCE.copy(), image=IMAGE, op="add", at=(0, 0))),
    (MAPS[1].gather4, dict(source=SOURCE, column=0, rows=(1, 2, 3, 4), shared=0)),
    (MAPS[1].scatter4, dict(target=SOURCE.copy(), image=bytes(512), column=0, rows=(1, 2, 3, 4))),
    (MAPS[0].copy, dict(op="load", at=(0, 0), column=0, rows=None, shared=0, offsets=None)),
    (MAPS[0].locate, dict(element=(0, 0), at=(0, 0), shared=0)), (MAPS[0].owner, dict(address=0, at=(0, 0))),
    (MAPS[0].sweep, dict(op="load", shared=0)), (MAPS[0].sweep().load, dict(source=SOURCE, first=0, end=1)),
    (MAPS[0].sweep().store, dict(target=SOURCE.copy(), tiles=MAPS[0].sweep().load(SOURCE), first=0)),
    (MAPS[0].draw, dict(element=(0, 0), color=False, columns=80)), (MAPS[0].descriptor, dict(address=1 << 20, encoder="dsl")),
    (MAPS[0].replace, dict(box=(8, 64))), (MAPS[0].to_spec, dict(name="tensor")), (IMAGE.tile, dict(dtype="f2")),
    (tmap.check, dict(type="f16", dims=(64, 64), box=(8, 64), mode="tiled")), (tmap.explain, dict(what="hang")),
    (tmap.explain_encode, dict(args=CALL, result=1, tensor_map=64)), (tmap.descriptor_key, dict(descriptor=bytes(128))),
    (tmap.explain_encode, dict(zip(inspect.getfullargspec(tmap.callers._explain_tiled.__wrapped__).args, CALL))),
    (tmap.Layout, dict(text="S[4]")), (tmap.Layout.of, dict(source=MAPS[0], at=(0, 0), shared=0, shape=None)),
    (tmap.Layout("S[(8,8):(8,1)]").places, dict(shape=(8, 8), copy=0)), (tmap.evaluate, dict(text="a", a=1)),
    (tmap.Layout("S[(8,8):(8,1)]").draw, dict(shape=(8, 8), memory=True, bits=16, color=False)),
    (tmap.Layout("S[(8,8):(8,1)]").tile_to, dict(shape=(16, 16), inner=(8, 8))),
    (tmap.plan, dict(layout="S[(8,64):(64,1)]", type="f16", shape=(8, 64), strides=(64, 1), begin=(0, 0), tile=(8, 64), shared=0,
                     arch="sm_90")),
    (testing.assert_tile, dict(image=IMAGE, map=MAPS[0], source=SOURCE, at=(0, 0), shared=0)),
]


@pytest.mark.parametrize("function, arguments", CALLS, ids=[",".join(call[1]) for call in CALLS])
def test_one_wrong_argument(function, arguments):
    """Each argument of a right call in turn is replaced by each of the objects above."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in arguments:
            for odd in [*ODD, None, True, -1, 2**31, 2**63, 2**64, 2**70, -2**63, (), (1, 2, 3), ("",), (-1,)]:
                try:
                    repr(function(**{**arguments, name: odd}))
                except (*ALLOWED, AssertionError) as error:
                    assert not isinstance(error, AssertionError) or isinstance(error, testing.TileError)
