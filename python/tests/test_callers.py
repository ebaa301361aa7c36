"""Arguments of cuTensorMapEncodeTiled that the driver refuses, with the reasons that its documentation gives."""
import types

import pytest
from hypothesis import given, strategies as st

import libtmap as tmap
from libtmap import explain_encode, watch

# data type f16, rank 2, address, dims, strides, box, element strides, interleave, swizzle 128B, promotion, fill
GOOD = (6, 2, 0x7F0000000000, (4096, 4096), (8192,), (64, 64), (1, 1), 0, 3, 0, 0)


def changed(**changes):
    names = ("type", "rank", "address", "dims", "strides", "box", "steps", "interleave", "swizzle", "promotion", "fill")
    return tuple(changes.get(name, value) for name, value in zip(names, GOOD))


@pytest.mark.parametrize("arguments, rule", [
    (changed(box=(128, 64)), "box-inner-span"), (changed(strides=(8200,)), "stride-align"),
    (changed(address=0x7F0000000008), "address-align"), (changed(rank=6), "rank-range"),
    (changed(box=(64, 257)), "box-extent"), (changed(swizzle=9), "swizzle-code"), (changed(type=99), "type-code"),
])
def test_reasons(arguments, rule):
    report = explain_encode(*arguments)
    assert not report and rule in [finding.rule for finding in report], [finding.rule for finding in report]


def test_a_map_that_the_rules_allow():
    assert explain_encode(*GOOD) and not explain_encode(*GOOD, tensor_map=8)
    for bad in (changed(dims=(4096,)), changed(type="f16"), changed(dims=(-1, 2)), changed(box=(0.5, 1)), changed(rank=-1)):
        with pytest.raises((TypeError, ValueError)):
            explain_encode(*bad)
    assert not explain_encode(*changed(dims=None))


def driver_of(result):
    return types.SimpleNamespace(cuTensorMapEncodeTiled=lambda *args: (result, None))


def test_watch():
    failing, working = driver_of(1), driver_of(0)
    with pytest.warns(tmap.MapWarning, match="box-inner-span"), watch(failing) as reports:
        assert failing.cuTensorMapEncodeTiled(*changed(box=(128, 64))) == (1, None)
    assert len(reports) == 1 and not reports[0]
    original = working.cuTensorMapEncodeTiled
    with watch(working) as reports:
        working.cuTensorMapEncodeTiled(*GOOD)
    assert reports == [] and working.cuTensorMapEncodeTiled is original
    with pytest.warns(tmap.MapWarning, match="must be an integer"), watch(failing):
        failing.cuTensorMapEncodeTiled(*changed(type="f16"))


def test_watch_of_cuda_bindings(monkeypatch):
    """The classes are those of cuda.bindings; a stand-in replaces the driver and its answer."""
    driver = pytest.importorskip("cuda.bindings.driver")
    arguments = changed(box=(128, 64), type=driver.CUtensorMapDataType(6), interleave=driver.CUtensorMapInterleave(0),
                        swizzle=driver.CUtensorMapSwizzle(3), promotion=driver.CUtensorMapL2promotion(0),
                        fill=driver.CUtensorMapFloatOOBfill(0))
    words = [[kind(n) for n in arguments[i]] for i, kind in ((3, driver.cuuint64_t), (4, driver.cuuint64_t),
                                                             (5, driver.cuuint32_t), (6, driver.cuuint32_t))]
    arguments = (*arguments[:3], *words, *arguments[7:])
    assert [finding.rule for finding in explain_encode(*arguments)] == ["box-inner-span"]
    answer = driver.CUresult.CUDA_ERROR_INVALID_VALUE, None
    monkeypatch.setattr(driver, "cuTensorMapEncodeTiled", lambda *args: answer)
    with pytest.warns(tmap.MapWarning, match="box-inner-span"), watch() as reports:
        result, _ = driver.cuTensorMapEncodeTiled(*arguments)
    assert int(result) == 1 and len(reports) == 1


@given(st.lists(st.none() | st.integers(-2**70, 2**70) | st.floats() | st.lists(st.integers(-9, 2**65), max_size=6),
                min_size=9, max_size=12))
def test_any_arguments(arguments):
    try:
        explain_encode(*arguments)
    except (TypeError, ValueError):
        pass
