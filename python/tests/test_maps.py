"""Maps: from arguments to a value or the findings of a refusal. Descriptors are compared with the second encoder."""
import array
import copy
import ctypes
import decimal
import fractions
import pathlib
import pickle
import re
import subprocess
import sys
import types
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import libtmap as tmap
from libtmap import TensorMap
from libtmap.testing import assert_tile

GOOD = dict(type="bf16", dims=(4096, 8192), box=(8, 64), swizzle="128B")


def test_outer_order_is_the_default():
    outer = TensorMap.tiled("bf16", (100, 64), (8, 32), (256, 2))
    inner = TensorMap.tiled("bf16", (64, 100), (32, 8), (256,), order="inner")
    assert outer.dims == (100, 64) and inner.dims == (64, 100)
    assert outer.descriptor() == inner.descriptor()
    assert outer != inner  # the coordinates of the two have different orders


def test_numbers_of_a_map():
    made = TensorMap.tiled(**GOOD)
    assert (made.rank, made.type, made.mode, made.strides) == (2, "bf16", "tiled", (16384,))
    assert made.shared_bytes == made.tx_bytes == 8 * 64 * 2
    assert made.grid == (512, 128) and made.shared_alignment == 1024 and made.span_bytes == 4096 * 8192 * 2
    assert TensorMap.four_rows("f16", (64, 256), 64, arch="sm_100a").tx_bytes == 4 * 64 * 2


@pytest.mark.parametrize("kind", ["f16", "float16", "FLOAT16", "CU_TENSOR_MAP_DATA_TYPE_FLOAT16"])
def test_names_of_types(kind):
    assert TensorMap.tiled(kind, (64, 64), (8, 64)).type == "f16"


def test_dtypes_are_types():
    np = pytest.importorskip("numpy")
    for dtype, name in ((np.float16, "f16"), (np.dtype("int8"), "u8"), (np.int32, "s32"), (np.uint64, "u64")):
        assert TensorMap.tiled(dtype, (64, 64), (8, 16)).type == name


def test_swizzle_in_bytes():
    assert TensorMap.tiled(**{**GOOD, "swizzle": 128}) == TensorMap.tiled(**GOOD)
    with pytest.raises(TypeError, match="driver's numbers"):
        TensorMap.tiled(**{**GOOD, "swizzle": 3})


def test_a_refused_map_has_every_finding():
    """Two rules of cuTensorMapEncodeTiled: strides are multiples of 16 B; the inner box fits the swizzle's span."""
    with pytest.raises(tmap.MapError) as caught:
        TensorMap.tiled("bf16", (100, 4097), (8, 128), swizzle="128B")
    findings = caught.value.findings
    assert {finding.rule for finding in findings} == {"stride-align", "box-inner-span"}
    span = next(finding for finding in findings if finding.rule == "box-inner-span")
    assert (span.given, span.allowed) == ("128 x bf16 = 256 B", "at most 128 B")
    assert (span.severity, span.field, span.dim, span.axis, span.enforced_by) == ("error", "box", 0, 1, "driver")
    text = str(caught.value)
    assert "error: box[1] spans 256 B; swizzle 128B accepts at most 128 B [box-inner-span]" in text
    assert "   fix: box=(8, 64)" in text
    assert isinstance(caught.value, ValueError)


def test_axes_name_dimensions_in_messages():
    with pytest.raises(tmap.MapError, match=r"box\[1\] \(k\) spans"):
        TensorMap.tiled("bf16", (4096, 4096), (64, 128), swizzle="128B", axes=("m", "k"))


def test_check_never_raises():
    assert tmap.check("bf16", (64, 64), (8, 64)) and not tmap.check("bf16", (64, 64), (8, 65))
    for arguments in ((), ("f16",), (None, None, None), ("f16", 5, 5), ("f16", (2**70,), (1,)), ("no", (1,), (1,))):
        report = tmap.check(*arguments)
        assert not report and len(report) == 1 and report.findings[0].rule is None
    for text in ("tmap: 1\ntensors: {}\n", "gemm.yaml"):
        assert "TensorMap.from_spec(text) reads" in tmap.check(text).findings[0].message
    assert not tmap.check(object(), mode="of") and not tmap.check(mode="sideways")


def test_warnings_have_a_category():
    with pytest.warns(tmap.MapWarning, match=r"gather4 .*\[op-arch\]") as caught:
        TensorMap.four_rows("f16", (4096, 64), 64)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TensorMap.four_rows("f16", (4096, 64), 64, arch="sm_100a")


def test_explain():
    rule = tmap.explain("box-inner-span")
    assert rule.enforced_by == "driver" and rule.severity == "error" and "swizzle" in str(rule)
    assert all(str(tmap.explain(name)) for name in tmap.rules())
    assert tmap.explain("loads-copy-bits").text.startswith("a load copies bits unchanged")
    with pytest.raises(ValueError):
        tmap.explain("no-such-rule")


def _maps():
    """Maps of every mode, with every argument."""
    yield TensorMap.tiled(**GOOD)
    yield TensorMap.tiled("f32", (3, 5, 64), (1, 2, 8), (4096, 512), address=1 << 20, allocation=1 << 20,
                          oob_fill="nan", l2_promotion="128B", element_strides=(1, 2, 1), order="outer",
                          axes=("a", "b", "c"), arch="sm_90a", ops=("load", "store"), allocation_class="small")
    yield TensorMap.tiled("u8", (256,), (64,), order="inner")
    yield TensorMap.tiled("f16", (2, 4, 8, 8, 8), (1, 1, 2, 2, 8), interleave="16B")
    yield TensorMap.im2col("f16", (4, 32, 30, 64), (-1, -2), (-1, 0), 64, 128, swizzle="128B")
    yield TensorMap.im2col("f16", (64, 30, 32, 4), (-2, -1), (0, -1), 64, 128, order="inner")
    yield TensorMap.im2col_wide("f16", (4, 32, 30, 64), -1, -1, 64, 128, swizzle="128B", arch="sm_100a")
    yield TensorMap.im2col_wide("f16", (4, 32, 30, 64), -1, -1, 64, 128, mode="im2col_w128", swizzle="128B",
                                arch="sm_100a")
    yield TensorMap.four_rows("u8", (64, 256), 128, arch="sm_100a")


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
def test_maps_are_values():
    made = list(_maps())
    assert len(set(made)) == len(made)
    for one in made:
        for other in (eval(repr(one)), pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            assert other == one and hash(other) == hash(one) and other.order == one.order
        with pytest.raises(AttributeError):
            one.dims = (1,)
    assert made[0] != made[0].replace(swizzle="none") and made[0].replace() == made[0]


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
def test_explain_what_went_wrong():
    """Numbers and names are those of CUresult in cuda.h; the texts of errors are those of PyTorch, Triton and CuPy."""
    refused = tmap.check("f16", (64, 65), (8, 64))
    for given in (refused, refused.findings[0], tmap.MapError(*refused.findings), tmap.MapWarning(str(refused))):
        found = tmap.explain(given)
        assert found._replace(found="") == tmap.explain("stride-align") and str(found).startswith("error: strides[0] is 130 B")
    for given in (716, "716", "CUDA_ERROR_MISALIGNED_ADDRESS", "cudaErrorMisalignedAddress", "misaligned address", np.int32(716),
                  (ctypes.c_int(716), None), RuntimeError("CUDA error: misaligned address\nCUDA kernel errors might be reported later"),
                  RuntimeError("Triton Error [CUDA]: misaligned address"),
                  RuntimeError("CUDA_ERROR_MISALIGNED_ADDRESS: misaligned address")):
        found = tmap.explain(given)
        assert found.name == "CUDA_ERROR_MISALIGNED_ADDRESS" and "address-align" in found.related and found.commands, given
    assert tmap.explain(1).name == "CUDA_ERROR_INVALID_VALUE" and "explain_encode" in str(tmap.explain(1))
    assert tmap.explain(tmap.explain_encode(GOOD_CALL, 3)).name == "CUDA_ERROR_NOT_INITIALIZED"
    symptoms = pathlib.Path(__file__).resolve().parents[2].joinpath("docs", "symptoms.md").read_text()
    words = set(re.findall(r"tmap explain ([a-z_-]+)", symptoms)) | {"hang", "zeros", "slow", "expect_tx", "swizzle"}
    assert all(str(tmap.explain(word)) for word in words) and tmap.explain("deadlock") == tmap.explain("hang")
    with pytest.raises(ValueError, match="12345 is not a CUresult"):
        tmap.explain(12345)
    with pytest.raises(ValueError, match="symptoms are invalid-value, misaligned-address"):
        tmap.explain("no-such-thing")


GOOD_CALL = (6, 2, 0x7F0000000000, (4096, 4096), (8192,), (64, 64), (1, 1), 0, 3, 0, 0)


def test_architectures_that_lack_a_map():
    """Without arch, such a finding is a warning, and one way to answer it is to name the architecture of the kernel."""
    padded = ("b4x16_p64", (64, 128), (1, 128))
    for call, options in ((("f16", (64, 64), 64), {"mode": "four_rows"}), (padded, {}), (("f16", (64, 64), (1, 64)), {"swizzle": "128B_atom32B"}),
                          (("f16", (4096, 256), (256, 1), (1, 64)), {"mode": "of_triton", "ops": ("gather4",)}),
                          (("f16", (2, 16, 16, 64), -1, -1, 64, 64), {"mode": "im2col_wide", "swizzle": "128B"})):
        finding, = tmap.check(*call, **options)
        assert finding.severity == "warning" and finding.rule.endswith("-arch") and "arch='sm_100a'" in finding.fix
        assert finding.changes == () and not tmap.check(*call, **options, arch="sm_100a").findings  # the condition: the kernel's


def test_descriptors(oracle):
    for one in _maps():
        if one.mode in ("im2col_w", "im2col_w128"):
            with pytest.raises(RuntimeError, match="cannot be encoded"):
                one.descriptor()
            continue
        assert one.descriptor() == oracle.encode(one)
        content = one.descriptor()
        for form in (content, bytearray(content), memoryview(content), one.to_ctypes(),
                     (ctypes.c_uint64 * 16).from_buffer_copy(content), _CuTensorMap(content)):
            again = TensorMap.from_descriptor(form, order=one.order)
            assert (again.type, again.dims, again.strides, again.box) == (one.type, one.dims, one.strides, one.box)
            assert again.descriptor() == content
        assert ctypes.addressof(one.to_ctypes()) % 64 == 0


class _CuTensorMap:
    """As cuda.bindings.driver.CUtensorMap: 16 words."""

    def __init__(self, content):
        self.opaque = [int.from_bytes(content[i:i + 8], "little") for i in range(0, 128, 8)]


def test_cuda_bindings():
    driver = pytest.importorskip("cuda.bindings.driver")
    made = TensorMap.tiled(**GOOD)
    assert isinstance(made.to_cuda(), driver.CUtensorMap) and TensorMap.from_descriptor(made.to_cuda()) == made


def test_bad_descriptors():
    with pytest.raises(ValueError, match="127"):
        TensorMap.from_descriptor(bytes(127))
    with pytest.raises(ValueError, match="the descriptor has 1 byte; it must have 128"):
        TensorMap.from_descriptor(b"a")
    with pytest.raises(TypeError):
        TensorMap.from_descriptor(object())
    with pytest.raises(tmap.MapError):
        TensorMap.from_descriptor(b"\xff" * 128)


# f16, dims 16 x 16, box 16 x 8 at 0x0be00000, in words of 32 bits as driver 580.65 writes them on an RTX 5090
# (cicuvc/nvidia-sass-document at 1de8d4ef, cutensormap.md).
DRIVER_WORDS = {0: 0x0BE00000, 2: 0x310, 3: 2, 8: 15, 9: 15, 13: 0x0F000000, 14: 7, 16: 0x100, 18: 0x10}


def test_descriptors_of_a_driver():
    theirs = b"".join(DRIVER_WORDS.get(i, 0).to_bytes(4, "little") for i in range(32))
    made = TensorMap.tiled("f16", (16, 16), box=(8, 16), address=0x0BE00000)
    assert made.descriptor(encoder="driver") == theirs != made.descriptor()
    assert tmap.descriptor_equal(theirs, made.descriptor()) and TensorMap.from_descriptor(theirs) == made
    cache = {tmap.descriptor_key(theirs): "theirs"}
    assert cache[tmap.descriptor_key(made.to_ctypes())] == "theirs"
    assert not tmap.descriptor_equal(theirs, made.replace(box=(4, 16)).descriptor())
    with pytest.raises(ValueError, match="'cutlass'; allowed: 'dsl'"):
        made.descriptor(encoder="cutlass")


def test_descriptor_at_an_address():
    content = TensorMap.tiled(**GOOD).descriptor(address=0x7F00_0000_0400)
    assert int.from_bytes(content[:8], "little") == 0x7F00_0000_0400  # bits 0..63
    assert TensorMap.from_descriptor(content).address == 0x7F00_0000_0400


@pytest.mark.filterwarnings("ignore::libtmap.MapWarning")
def test_specs():
    for one in _maps():
        again = TensorMap.from_spec(one.to_spec("x"), "x", order=one.order)
        wanted = {name: value for name, value in one.arguments().items() if name not in ("axes", "arch")}
        assert again.arguments() == wanted and again.tx_bytes == one.tx_bytes
    text = "tmap: 1\ntensors:\n  a: {type: f16, axes: [k, m], dims: [64, 128], box: [64, 8]}\n" \
           "  b: {type: f16, dims: [64, 128], box: [65, 8]}\n"
    assert TensorMap.from_spec(text, "a").axes == ("k", "m")
    assert TensorMap.from_spec(text, "a", order="outer").axes == ("m", "k")
    with pytest.raises(ValueError, match="order is 'C'"):
        TensorMap.from_spec(text, "a", order="C")
    with pytest.raises(tmap.MapError, match="the text of this file in place of its name"):
        TensorMap.from_spec("gemm.yaml", "a")
    with pytest.raises(ValueError, match="a, b"):
        TensorMap.from_spec(text)
    with pytest.raises(tmap.MapError, match="here.yaml:4:.*box"):
        TensorMap.from_spec(text, "b", path="here.yaml")
    with pytest.raises(tmap.MapError):
        TensorMap.from_spec("tmap: 1\ntensors: [")


SIZES = st.integers(-(2**70), 2**70) | st.integers(0, 300) | st.sampled_from([2**32, 2**32 - 1, 2**40, 2**63, 2**64])
VALUES = SIZES | st.none() | st.text(max_size=5) | st.floats() | st.binary(max_size=3) | st.lists(SIZES, max_size=6)


@pytest.mark.parametrize("number", [64.0, decimal.Decimal("64.5"), fractions.Fraction(129, 2), "64", b"64", None, 64j])
def test_numbers_are_integers(number):
    """An object with a conversion to int is not an integer: tmap rounds nothing."""
    for arguments in (((number, 64), (8, 64)), ((64, 64), (number, 8)), ((64, 64), [8, number])):
        with pytest.raises(TypeError, match="sequence of integers"):
            TensorMap.tiled("f16", *arguments)


@pytest.mark.parametrize("call, words", [
    (lambda: TensorMap.four_rows("f16", (8, 8, 8), 8), "^dims has 3 numbers; it must have 2$"),
    (lambda: TensorMap.im2col_wide("f16", (2, 16, 16, 64), -1, -1, 64, 64, mode="foo"), "^mode is 'foo'; allowed: 'im2col_w', 'im2col_w128'$"),
    (lambda: TensorMap.tiled("f16", (64, 64), (-8, 64)), "box is .*1 to 256"),
    (lambda: TensorMap.tiled("f16", (64, -64), (8, 64)), "dims is .*1 to 2.32"),
    (lambda: TensorMap.tiled("f16", (64, 64), (8, 64), (-128,)), "strides is .*multiple of 16 below 2.40"),
    (lambda: TensorMap.tiled("f16", (64, 64), (8, 64), element_strides=(-1, 1)), "element_strides is .*1 to 8"),
    (lambda: TensorMap.im2col("f16", (2, 16, 16, 64), (2**70, 0), (0, 0), 64, 64), "lower_corner is .*-128 to 127"),
    (lambda: TensorMap.im2col("f16", (2, 16, 16, 64), (0, 0), (0, 0), -1, 64), "channels_per_pixel is -1; it must be 1 to 256"),
    (lambda: TensorMap.tiled("f16", (64, 64), (8, 64)).load(bytes(8192), (0, 0), shared=-1), "shared is -1; it must be a multiple of 128"),
    (lambda: TensorMap.tiled("f16", (64, 64), (8, 64)).sweep().load(bytes(8192), -1), "first is -1; it must be 0 to 8"),
])
def test_ranges_in_messages(call, words):
    """The ranges of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, and of shared memory."""
    with pytest.raises(ValueError, match=words):
        call()


def test_words_of_a_descriptor():
    """CUtensorMap.opaque has 16 words of 64 bits; NumPy and PyTorch print them also as signed numbers."""
    class Word:
        def __init__(self, number):
            self.number = number

        def __int__(self):
            return self.number
    made = TensorMap.tiled("u8", (8192, 128), box=(64, 128), swizzle="128B", address=0x7F0000000000)
    words = np.frombuffer(made.descriptor(), np.uint64)
    for form in ([*map(int, words)], tuple(words), words, words.view(np.int64).tolist(), words.view(np.uint32).tolist(),
                 list(made.descriptor()), [*map(Word, map(int, words))], words.reshape(4, 4), ctypes_words(words)):
        assert TensorMap.from_descriptor(form) == made, form
    for bad, words in (([0] * 15, "15 words"), ([0] * 17, "17 words"), ([], "0 words"), ([1 << 64] * 16, "word 0"),
                       ([256] * 128, "word 0"), ([-2**63 - 1] * 16, "word 0")):
        with pytest.raises(ValueError, match=words):
            TensorMap.from_descriptor(bad)
    for bad in (["x"] * 16, [1.0] * 16, [decimal.Decimal(1)] * 16, [None] * 16):
        with pytest.raises(TypeError, match="word 0 of the descriptor"):
            TensorMap.from_descriptor(bad)


def test_arrays_of_a_descriptor():
    """The numbers of an array are the words, whatever their byte order, strides and shape."""
    made = TensorMap.tiled("u8", (8192, 128), box=(64, 128), swizzle="128B", address=0x7F0000000000)
    content = made.descriptor()
    words = np.frombuffer(content, np.uint64)  # read-only
    half, record, big = words.view("<u4"), np.dtype([("opaque", ">u8", 16)]), ctypes.c_uint64.__ctype_be__ * 16
    forms = [words, words.astype(">u8"), half.astype(">u4"), np.repeat(words, 2)[::2], words[::-1].copy()[::-1], words.astype(object),
             words.reshape(2, 8).copy(order="F"), half.astype(np.int64), np.array(np.void(content)), np.array((words,), record),
             half.view(np.float32).astype(">f4"), memoryview(np.repeat(words, 2))[::2], big(*map(int, words)), array.array("Q", words)]
    for form in forms:
        assert TensorMap.from_descriptor(form) == TensorMap.from_descriptor(types.SimpleNamespace(opaque=form)) == made, repr(form)
    for bad in (np.zeros(15, np.uint64), np.array(3), np.array([1.5] * 16, object), np.zeros(17, "f8"), np.zeros((16, 0), np.uint64)):
        with pytest.raises((TypeError, ValueError), match="descriptor|word|dtype object"):
            TensorMap.from_descriptor(bad)


def ctypes_words(words):
    return (ctypes.c_uint64 * 16)(*map(int, words))


def test_dir():
    """A fresh interpreter: no other test has imported the modules."""
    code = "import libtmap; print(*sorted({*libtmap.__all__, 'layouts', 'testing'} - set(dir(libtmap))))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


def test_six_dimensions():
    finding, = tmap.check("f16", (1,) * 6, (1,) * 6)
    assert finding.rule == "rank-range" and "fold" in finding.fix


# The same argument in PyTorch, CuTe, Triton, DeepGEMM, TVM and CUDA's driver, with or without the arguments that it replaces.
NAMES_OF_OTHERS = [(TensorMap.tiled, dict(zip(("type", "dims", "box"), ("f16", (64, 64), (8, 64))[:n])), wrong, meant)
                   for n in range(4) for wrong, meant in (
                       ("dtype", "type"), ("shape", "dims"), ("box_shape", "box"), ("tile", "box"), ("globalDim", "dims"), ("stride", "strides"),
                       ("swizzle_mode", "swizzle"), ("swizle", "swizzle"), ("data_ptr", "address"), ("axis", "axes"))] + [
    (TensorMap.of, {}, "tile_shape", "box"), (TensorMap.of, {}, "dtype", "type"), (TensorMap.of_triton, {}, "dims", "shape"),
    (TensorMap.of_triton, {}, "box", "block_shape"), (TensorMap.of_triton, {}, "fill_mode", "padding"),
    (TensorMap.four_rows, {}, "box", "columns"), (TensorMap.of_cuda_core, {}, "box", "box_dim"), (TensorMap.im2col, {}, "lower", "lower_corner"),
    (TensorMap.from_descriptor, {}, "archs", "arch"), (TensorMap.load, {}, "coords", "at"), (TensorMap.gather4, {}, "col", "column"),
    (TensorMap.store, {}, "smem_address", "shared"), (TensorMap.locate, {}, "coordinates", "at"), (assert_tile, {}, "coord", "at"),
    (tmap.plan, {}, "dtype", "type"), (tmap.plan, {}, "dims", "shape"), (tmap.Layout.of, {}, "dims", "shape"),
    (tmap.Copy.draw, {}, "colour", "color")]


def test_names_that_are_not_there():
    with pytest.raises(TypeError, match="TensorMap.tiled has no argument 'swizle'; did you mean 'swizzle'. allowed: type, dims, box"):
        TensorMap.tiled("f16", (64, 64), (8, 64), swizle="128B")
    with pytest.raises(TypeError, match="of_triton has no argument 'wizard'; allowed: base, shape"):
        TensorMap.of_triton("f16", (64, 64), (64, 1), (8, 64), wizard=1)
    for function, arguments, wrong, meant in NAMES_OF_OTHERS:
        with pytest.raises(TypeError, match=f"has no argument '{wrong}'; did you mean '{meant}'"):
            function(**arguments, **{wrong: 1})
        if function in (TensorMap.tiled, TensorMap.of, TensorMap.of_triton, TensorMap.four_rows):
            assert f"did you mean '{meant}'" in str(tmap.check(mode=function.__name__, **arguments, **{wrong: 1}))
    with pytest.raises(ValueError, match="op is 'mul'; allowed: 'add'"):
        TensorMap.tiled("f16", (64, 64), (8, 64)).reduce(np.zeros((64, 64), "f2"), np.zeros(1024, "u1"), "mul", (0, 0))
    view = memoryview(bytearray(64))
    view.release()
    for call, words in ((lambda: TensorMap.four_rows("f16", (8, 8), (8, 8)), "columns is .*; it must be an integer"),
                        (lambda: TensorMap.of_triton("f16", (64, 64)), "block_shape is missing"),
                        (lambda: TensorMap.of_triton("f16", block_shape=(8, 64)), "shape is missing")):
        with pytest.raises(TypeError, match=f"^{words}$"):
            call()
    with pytest.raises(TypeError, match="released"):
        TensorMap.of(view, (16,))


def test_numbers_of_numpy():
    want = TensorMap.tiled("f16", (64, 128), (8, 64))
    assert TensorMap.tiled("f16", np.array((64, 128)), [np.int32(8), np.uint8(64)]) == want
    assert TensorMap.tiled("f16", [True * 64, 128], range(8, 65, 56)) == want
    for most in (2**64, -1, 2**70):
        with pytest.raises(ValueError, match=str(most)):
            TensorMap.tiled("f16", (64, most), (8, 64))


def test_advice_is_a_category_of_its_own():
    """A box 128 B after the start of a period of 1024 B gives a warning; gather4 before sm_100 is an error."""
    made = TensorMap.tiled("f16", (64, 64), (8, 64), swizzle="128B")
    with pytest.warns(tmap.MapWarning) as caught:
        made.copy("load", (0, 0), shared=128)
    assert {warning.category for warning in caught} == {tmap.MapAdvice}
    with pytest.warns(tmap.MapWarning) as caught:
        TensorMap.four_rows("f16", (4096, 64), 64)
    assert {warning.category for warning in caught} == {tmap.MapWarning}


@given(st.sampled_from(["tiled", "im2col", "im2col_wide", "four_rows", "of"]), st.lists(VALUES, max_size=8),
       st.dictionaries(st.sampled_from(["type", "dims", "box", "strides", "swizzle", "order", "axes", "arch", "ops",
                                        "address", "allocation", "element_strides", "interleave", "oob_fill",
                                        "columns", "lower_corner", "no_such_thing"]), VALUES, max_size=6))
def test_any_arguments(mode, arguments, options):
    """Any arguments give a map or an exception of these kinds; check raises nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            repr(getattr(TensorMap, mode)(*arguments, **options))
        except (TypeError, ValueError):
            pass
    tmap.check(*arguments, mode=mode, **{k: v for k, v in options.items() if k != "mode"})


@given(st.sampled_from(["f16", "u8", "tf32", "b4x16", "b6x16_p32", "f64"]), st.lists(SIZES, max_size=6),
       st.lists(SIZES, max_size=6), st.none() | st.lists(SIZES, max_size=6),
       st.sampled_from(["none", "32B", "128B", "96B"]), st.sampled_from(["outer", "inner"]))
def test_any_numbers(kind, dims, box, strides, swizzle, order):
    report = tmap.check(kind, dims, box, strides, swizzle=swizzle, order=order)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = TensorMap.tiled(kind, dims, box, strides, swizzle=swizzle, order=order)
    except (ValueError, TypeError):
        assert not report
    else:
        assert report and list(made.dims) == dims and list(made.box) == box


@given(st.binary(max_size=300) | st.text(max_size=40))
def test_any_descriptor_or_spec(content):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for read in (TensorMap.from_descriptor, lambda text: TensorMap.from_spec(text)):
            try:
                read(content)
            except (TypeError, ValueError):
                pass


def test_a_warning_names_the_line_of_the_caller():
    made = TensorMap.tiled(**GOOD)
    for call in (lambda: made.replace(address=0), lambda: TensorMap.tiled(**{**GOOD, "address": 0}),
                 lambda: made.descriptor(address=0), lambda: made.load(bytes(made.span_bytes), at=(10**6,) * made.rank)):
        with pytest.warns(tmap.MapWarning) as warned:
            call()
        assert warned[0].filename == __file__


@pytest.mark.parametrize("typed, hint", [
    (dict(type="bfloat"), "bf16"), (dict(type="BF16"), "bf16"), (dict(type="__nv_bfloat16"), "bf16"), (dict(type="uint8_t"), "u8"),
    (dict(swizle="128B"), "swizzle"), (dict(swizzel="128B"), "swizzle"), (dict(l2promotion="256B"), "l2_promotion"),
    (dict(swizzle="Swizzle<3,4,3>"), "128B"), (dict(swizzle="SW128"), "128B"), (dict(swizzle="None"), "none"),
    (dict(arch="hopper"), "sm_90a"), (dict(arch="B200"), "sm_100a"), (dict(oob_fill="NaN"), "nan"), (dict(l2_promotion="256"), "256B"),
    (dict(interleave="NONE "), "none"), (dict(arch=90), "sm_90"), (dict(arch=9.0), "sm_90"), (dict(swizzle=(3, 4, 3)), "128B"),
    (dict(oob_fill=float("nan")), "nan"),
])
def test_words_that_people_type(typed, hint):
    options = {"type": "bf16", "dims": (4096, 4096), "box": (64, 64)}
    with pytest.raises((TypeError, ValueError), match=f"did you mean '{hint}'\\?"):
        TensorMap.tiled(**{**options, **typed})
    (key, value), = typed.items()
    right = {key: hint} if key in ("type", "arch", "swizzle", "oob_fill", "l2_promotion", "interleave") else {hint: value}
    assert TensorMap.tiled(**{**options, **right})


def test_dimension_of_a_stride():
    """A finding about strides[0], the stride of dimension 1, names dimension 1."""
    report = tmap.check("f16", (64, 64, 64), box=(8, 8, 64), strides=(128000, 1000))
    finding, = [f for f in report.findings if f.rule == "stride-align"]
    assert (finding.dim, finding.axis) == (1, 1)


def test_descriptors_at_addresses():
    """A map at another address is a new map: the same bytes, warnings and errors."""
    made = TensorMap.tiled("f16", (4096, 4096), (64, 64), swizzle="128B", arch="sm_90a")
    prepared = made.prepared()
    for address in (16, 1 << 20, 0x7F00_1234_5670, 2**46):
        want = made.replace(address=address).descriptor()
        assert made.descriptor(address) == prepared(address) == want
        assert made.descriptor(address, encoder="driver") == made.replace(address=address).descriptor(encoder="driver")
    for call in (lambda: made.descriptor(0), lambda: prepared(0)):
        with pytest.warns(tmap.MapWarning, match="address"):
            assert call() == made.descriptor()
    for address in (8, -16, 2**64, 1.5, "16"):
        errors = []
        for call in (lambda: made.replace(address=address), lambda: made.descriptor(address), lambda: prepared(address)):
            with pytest.raises((TypeError, ValueError)) as caught:
                call()
            errors.append((type(caught.value), str(caught.value)))
        assert len(set(errors)) == 1, errors
    with pytest.raises(ValueError, match="encoder is 'c'"):
        made.descriptor(16, encoder="c")
    rows = TensorMap.from_descriptor(made.descriptor(16))
    assert rows.prepared()(32) == made.descriptor(32)
