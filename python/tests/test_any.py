"""Every public function with any arguments: a Python exception is allowed, a crash is not (under ASan in the asan
preset)."""
import array
import ctypes
import inspect
import os
import warnings

import numpy as np
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
MODULE = [getattr(tmap, name) for name in tmap.__all__ if name != "watch"] + [testing.assert_tile]


def gone():
    view = memoryview(bytearray(64))
    view.release()
    return view


ODD = [SOURCE, SOURCE[::-1], SOURCE[:, ::2], SOURCE.T, SOURCE.astype(">f2"), SOURCE.astype(complex), np.broadcast_to(SOURCE, (2, 64, 64)),
       np.zeros((0, 64), np.float16), np.float32(3), np.array([None]), np.zeros(4, "M8[s]"), np.zeros(3, [("a", "i4")]),
       np.zeros((3, 2), int), np.full((4, 2), 2**62), bytes(8192), bytearray(1024), memoryview(bytes(8192)), gone(),
       array.array("d", range(64)), (ctypes.c_uint16 * 64)(), object(), type, len, range(4), {"a": 1}, {1, 2}, float("nan"),
       "f16", "128B", "load", "S[4]", "m", "\ud800\0", b"", *THINGS]
ANY = st.sampled_from(range(len(ODD))).map(ODD.__getitem__) | st.none() | st.booleans() | st.integers(-3, 70) | st.sampled_from([2**31, 2**32, 2**63, 2**64, -2**63, 2**70]) | \
    st.lists(st.integers(-2, 70), max_size=6).map(tuple)
KINDS = sorted({type(thing) for thing in THINGS}, key=str)
NAMES = {kind: [name for name in dir(kind) if not name.startswith("_") or name in ("__eq__", "__hash__", "__repr__", "__reduce__",
                "__add__", "__matmul__", "__truediv__", "__len__", "__iter__", "__array__", "_repr_svg_", "_repr_html_")]
         for kind in KINDS}
KEYWORDS = ["at", "shared", "rows", "column", "offsets", "w_halo", "order", "axes", "arch", "swizzle", "strides", "address", "ops", "out",
            "shape", "copy", "element", "color", "columns", "memory", "bits", "type", "mode", "begin", "tile", "first", "end", "dtype"]
ALLOWED = (TypeError, ValueError, IndexError, KeyError, AttributeError, MemoryError, ImportError, RuntimeError, OSError)


@given(st.data(), st.lists(ANY, max_size=4), st.dictionaries(st.sampled_from(KEYWORDS), ANY, max_size=3))
def test_any_call(tmp_path_factory, data, arguments, options):
    """Calls a function of the module, or a member of an object that the library made."""
    place = os.getcwd()
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
    finally:
        os.chdir(place)
