"""What explain makes of everything that a person may hold after a failure: errors and results of tmap, of CUDA, of tools."""
import enum
import subprocess
import sys
import warnings

import numpy as np
import pytest

import libtmap as tmap
from libtmap import Explanation, Rule, TensorMap, testing

SOURCE = np.zeros((64, 64), np.float16)
MAP = TensorMap.tiled("f16", (64, 64), (8, 64), swizzle="128B")
CALL = (6, 2, 0x7F0000000000, (4096, 4096), (8192,), (128, 64), (1, 1), 0, 3, 0, 0)


class CUresult(enum.IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_ILLEGAL_ADDRESS = 700


def error_of(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(BaseException) as caught:
            call()
    return caught


def chained():
    try:
        raise RuntimeError("CUDA error: misaligned address")
    except RuntimeError as error:
        raise KeyError("kernel 3") from error


def recorded():
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        TensorMap.tiled("f16", (64, 64), (8, 64), strides=(16,))
    return records


def failing(text, code=1):
    subprocess.run([sys.executable, "-c", f"import sys; sys.exit({text!r})"], capture_output=True, text=True, check=True)


# Errors of calls of tmap: with a rule, and about an argument, whose text is the explanation.
RULES = {"box-inner-span": lambda: TensorMap.tiled("bf16", (4096, 4096), (64, 128), swizzle="128B"),
         "rank-range": lambda: TensorMap.tiled("bf16", (1,) * 6, (1,) * 6),
         "copy-shared-align": lambda: MAP.load(SOURCE, (0, 0), shared=8), "four-rows-box": lambda: MAP.gather4(SOURCE, 0, (1, 2, 3, 4)),
         "desc-type-code": lambda: TensorMap.from_descriptor(b"\xff" * 128), "key-unknown": lambda: TensorMap.from_spec("tmap: 1\nnothing: 1"),
         "inner-contiguous": lambda: tmap.plan("S[(8,64):(1,8)]", "f16", (8, 64)),
         "ptx-text": lambda: testing.assert_kernel("no PTX\n")}
ARGUMENTS = [lambda: TensorMap.tiled("bf17", (64, 64), (8, 64)), lambda: TensorMap.tiled("f16", (64, 64), (8, 64), swizzle="256B"),
             lambda: TensorMap.tiled("f16", (64, 64), (8, 64), swizzle=3), lambda: TensorMap.tiled("f16", (64, 64), (8, 64), swizle="128B"),
             lambda: TensorMap.tiled("f16", (64, 64)), lambda: TensorMap.tiled("f16", (64.5, 64), (8, 64)),
             lambda: TensorMap.tiled("f16", (-1, 64), (8, 64)), lambda: TensorMap.tiled("f16", (64, 64), (8, 64), strides=(1, 2, 3)),
             lambda: TensorMap.tiled("f16", (64, 64), (8, 64), strides=(64, 1)), lambda: MAP.load(SOURCE, (0, 0, 0)),
             lambda: MAP.load(SOURCE, (0.5, 0)), lambda: MAP.load(SOURCE.astype("f4"), (0, 0)), lambda: MAP.load(SOURCE[:32], (0, 0)),
             lambda: MAP.load(SOURCE, (0, 0), shared=-8), lambda: MAP.store(np.broadcast_to(SOURCE, (64, 64)), bytes(1024), (0, 0)),
             lambda: MAP.store(SOURCE.copy(), b"123", (0, 0)), lambda: MAP.reduce(SOURCE.copy(), bytes(1024), "mul", (0, 0)),
             lambda: MAP.locate((8, 0)), lambda: TensorMap.from_descriptor(b"12"), lambda: tmap.check_kernel("no-such-file")]
# Errors of others, with the texts of PyTorch, Triton, cuda.core, ptxas, NumPy, pytest.
OTHERS = {
    "CUDA_ERROR_ILLEGAL_ADDRESS": lambda: exec('raise RuntimeError("CUDA error: an illegal memory access was encountered\\nCUDA kernel errors")'),
    "CUDA_ERROR_INVALID_VALUE": lambda: exec('raise RuntimeError("Triton Error [CUDA]: invalid argument")'),
    "CUDA_ERROR_MISALIGNED_ADDRESS": chained,
    "address-align": lambda: exec('raise ValueError("Global memory address must be 16-byte aligned, got 0x8")'),
    "op-arch": lambda: failing("ptxas x.ptx, line 3; error   : Feature '.tile::gather4' requires .target sm_100a or higher"),
    "stride-align": lambda: exec('raise AssertionError("strides must be 16-byte aligned")'),
    "wrong-tile": lambda: np.testing.assert_allclose(np.zeros(4), np.ones(4)),
    "hang": lambda: subprocess.run([sys.executable, "-c", "import time; time.sleep(9)"], timeout=0.1),
    "KeyError": lambda: {}["x"]}

# What Triton prints of a map that the driver refuses (third_party/nvidia/backend/driver.c).
TRITON = """Triton Error [CUDA]: Failed to create tensor map descriptor: invalid argument
elemType=6 rank=2 global_address=0x7f4a20000000 elemSize=2 swizzle=3 padding=0
shape=[4096, 512]
strides=[8192]
blockSize=[{}, 64] elementStrides=[1, 1] fill=0
"""


def name_of(what):
    found = tmap.explain(what)
    assert isinstance(found, (Rule, Explanation)) and str(found) and tmap.explain(found) is found
    return found.name


@pytest.mark.parametrize("name", RULES)
def test_rules(name):
    caught = error_of(RULES[name])
    assert name_of(caught.value) == name_of(caught) == name_of(list(caught.value.findings)) == name_of(name) == name
    if sys.version_info >= (3, 11):
        assert name_of(ExceptionGroup("two", [caught.value, KeyError()])) == name  # noqa: F821


@pytest.mark.parametrize("call", ARGUMENTS)
def test_arguments(call):
    """No word of the message is taken for a symptom: "missing" is not "zeros", and "type" not the table of types."""
    error = error_of(call).value
    found = tmap.explain(error)
    assert found.name == type(error).__name__ and found.text.startswith(str(error)) and not found.related


@pytest.mark.parametrize("name", OTHERS)
def test_errors_of_others(name):
    assert name_of(error_of(OTHERS[name]).value) == name
    with pytest.raises(Exception) as caught, tmap.watch(tmap):  # a frame of the package does not make the error its own
        OTHERS[name]()
    assert name_of(caught) == name


@pytest.mark.parametrize("name, result", [
    ("stride-align", tmap.check("f16", (64, 65), (8, 64))), ("box-inner-span", tmap.explain_encode(CALL, 1)),
    ("stride-below-row", recorded()), ("stride-below-row", recorded()[0]), ("stride-below-row", recorded()[0].message),
    ("no finding", tmap.check("f16", (64, 64), (8, 64))), ("no finding", tmap.explain_encode((*CALL[:5], (64, 64), *CALL[6:]), 0)),
    ("no finding", tmap.check_kernel(".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\nret;\n}\n")), ("wrong input", tmap.check("f16", (0.5, 1), (1, 1))),
    ("CUDA_SUCCESS", 0), ("CUDA_SUCCESS", (CUresult.CUDA_SUCCESS, object())), ("CUDA_ERROR_INVALID_VALUE", (CUresult.CUDA_ERROR_INVALID_VALUE, None)),
    ("CUDA_ERROR_ILLEGAL_ADDRESS", CUresult.CUDA_ERROR_ILLEGAL_ADDRESS), ("CUDA_ERROR_ILLEGAL_ADDRESS", np.int32(700)), ("hang", TimeoutError()),
    ("CUDA_ERROR_NOT_INITIALIZED", tmap.explain_encode(CALL, 3).findings[0]), ("wrong-tile", AssertionError()),
    ("box-inner-span", RuntimeError(TRITON.format(128))), ("CUDA_ERROR_INVALID_VALUE", TRITON.format(64))])
def test_results(name, result):
    assert name_of(result) == name


def test_a_dump():
    """The explanation of a log begins with the value in its parameters that breaks the rule: 128 elements of 2 bytes."""
    assert "256 B" in tmap.explain("line 1\n" + TRITON.format(128)).found


def test_a_tile():
    """The explanation of a wrong tile begins with its cause."""
    error = error_of(lambda: testing.assert_tile(np.ones(1024, np.uint8), MAP, SOURCE, at=(0, 0))).value
    assert error.cause in str(error) and tmap.explain(error).text.startswith(error.cause) and name_of(error) == "wrong-tile"


def test_what_reports_nothing():
    for wrong in (None, MAP, MAP.load(SOURCE, (0, 0)), {}, 0.5):
        with pytest.raises(TypeError, match="pass the name of a rule"):
            tmap.explain(wrong)
    for wrong in ("", "no-such-name", -1, 12345):
        with pytest.raises(ValueError, match="is not a"):
            tmap.explain(wrong)


def test_one_warning_for_one_finding():
    """No call emits a finding twice, and with warnings as errors each call raises the first."""
    image = np.zeros(1024, np.uint8)
    calls = [lambda: TensorMap.tiled("f16", (64, 64), (8, 64), strides=(16,)), lambda: MAP.load(SOURCE, (128, 0)),
             lambda: MAP.load(SOURCE, [(128, 0), (256, 0)]), lambda: MAP.copy("load", (128, 0)), lambda: MAP.store(SOURCE.copy(), image, (128, 0)),
             lambda: testing.assert_tile(image, MAP, SOURCE, at=(128, 0)), lambda: MAP.descriptor(0), lambda: MAP.prepared()(0),
             lambda: TensorMap.four_rows("f16", (64, 64), 64), lambda: TensorMap.of_triton("f16", (64, 64), None, (1, 64))]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert len(caught) == 1 and caught[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(tmap.MapWarning):
                call()
    with pytest.warns(tmap.MapWarning, match="sm_90"):
        gathered = TensorMap.four_rows("f16", (64, 64), 64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a notebook calls two functions for one picture
        assert gathered._repr_html_() and gathered._repr_svg_() and MAP.draw()
