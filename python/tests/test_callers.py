"""Arguments of cuTensorMapEncodeTiled that the driver refuses, with the reasons that its documentation gives."""
import ctypes
import types

import numpy as np
import pytest
from hypothesis import given, strategies as st

import libtmap as tmap
from libtmap import explain_encode, watch

# data type f16, rank 2, address, dims, strides, box, element strides, interleave, swizzle 128B, promotion, fill
GOOD = (6, 2, 0x7F0000000000, (4096, 4096), (8192,), (64, 64), (1, 1), 0, 3, 0, 0)

NAMES = ("tensorDataType", "tensorRank", "globalAddress", "globalDim", "globalStrides", "boxDim", "elementStrides",
         "interleave", "swizzle", "l2Promotion", "oobFill")
# f16, images of 8 x 56 x 56 x 64, corners -1, channels, pixels, element strides and the four numbers of GOOD
IM2COL = (6, 4, 0x7F0000000000, (64, 56, 56, 8), (128, 7168, 401408), (-1, -1), (-1, -1), 64, 64, (1,) * 4, 0, 3, 0, 0)
WIDE = (*IM2COL[:5], -1, -1, *IM2COL[7:11], 0, *IM2COL[11:])


def rules_of(report):
    return [finding.rule for finding in report]


def changed(**changes):
    names = ("type", "rank", "address", "dims", "strides", "box", "steps", "interleave", "swizzle", "promotion", "fill")
    return tuple(changes.get(name, value) for name, value in zip(names, GOOD))


def test_null_strides():
    """CCCL, pull requests 1567 and 1568: drivers since March 2024 reject a null pointer also for rank 1."""
    for strides in (None, (), []):
        call = changed(rank=1, dims=(4096,), strides=strides, box=(64,), steps=(1,))
        assert rules_of(explain_encode(*call)) == ["strides-null"]
        assert "not null" in next(iter(explain_encode(*call))).allowed
        assert not rules_of(explain_encode(call, 0))
        for release, rules in ((12030, [None]), (12040, ["strides-null"]), (13000, ["strides-null"])):
            assert rules_of(explain_encode(call, driver_version=release)) == rules
    assert "strides-null" not in rules_of(explain_encode(*changed(rank=1, dims=(4096,), strides=(0,), box=(64,), steps=(1,))))


@pytest.mark.parametrize("arguments, rule", [
    (changed(box=(128, 64)), "box-inner-span"), (changed(strides=(8200,)), "stride-align"),
    (changed(address=0x7F0000000008), "address-align"), (changed(rank=6), "rank-range"),
    (changed(box=(64, 257)), "box-extent"), (changed(swizzle=9), "swizzle-code"), (changed(type=99), "type-code"),
])
def test_reasons(arguments, rule):
    report = explain_encode(*arguments)
    assert not report and rule in [finding.rule for finding in report], [finding.rule for finding in report]


def test_a_map_that_the_rules_allow():
    report = explain_encode(GOOD, 1)
    assert report and "no rule of tmap explains" in str(report) and "give tensor_map" in report.findings[0].fix
    assert "tensor_map" not in explain_encode(GOOD, 1, tensor_map=128).findings[0].fix
    assert explain_encode(*GOOD) and "no rule of tmap" not in str(explain_encode(*GOOD, tensor_map=8))
    for bad in (changed(dims=(4096,)), changed(type="f16"), changed(dims=(-1, 2)), changed(box=(0.5, 1)), changed(rank=-1)):
        with pytest.raises((TypeError, ValueError)):
            explain_encode(*bad)
    assert not explain_encode(*changed(dims=None))


def test_arguments_in_one():
    bad = changed(box=(128, 64))
    named = dict(zip(NAMES, bad))
    ours = {"box_dim" if name == "boxDim" else name: value for name, value in named.items()}
    for report in (explain_encode(bad, 1), explain_encode(list(bad)), explain_encode(args=bad, result=1), explain_encode(named, 1),
                   explain_encode(ours)):
        assert str(report) == str(explain_encode(*bad)) and rules_of(report) == ["box-inner-span"]
    assert explain_encode(GOOD, 1) and rules_of(explain_encode({**named, "boxDim": (64, 64), "tensorMap": 8})) == ["tensor-map-align"]
    assert rules_of(explain_encode({**named, "tensorMap": 16})) == ["box-inner-span", "tensor-map-align"]
    assert rules_of(explain_encode(GOOD, 1, tensor_map=0)) == ["array-null"] and not explain_encode(GOOD, 1, tensor_map=0)
    assert str(explain_encode(**named)) == str(explain_encode(**ours)) == str(explain_encode(*bad))
    for wrong, meant in (("box", "box_dim"), ("dtype", "data_type"), ("shape", "global_dim"), ("swizle", "swizzle")):
        with pytest.raises(TypeError, match=f"with {wrong}; did you mean '{meant}'"):
            explain_encode({name: value for name, value in {**ours, wrong: 1}.items() if name != meant})
    for wrong, said in (((bad[:5],), "without box_dim"), ((bad, 1, 2), "one by one"), (({**named, "box": 1},), "with box"),
                        ((bad * 2,), "22 arguments"), ((bad, "x"), "result is 'x'"), ((bad, 2**40), "32 bits"), (([],), "without")):
        with pytest.raises((TypeError, ValueError), match=said):
            explain_encode(*wrong)


def test_result_that_is_not_about_the_arguments():
    """cuda.h: 3 is CUDA_ERROR_NOT_INITIALIZED, "the CUDA driver has not been initialized with cuInit()"."""
    report = explain_encode(GOOD, 3)
    assert not report and "CUDA_ERROR_NOT_INITIALIZED" in str(report) and "cuInit" in report.findings[0].fix
    assert rules_of(explain_encode(changed(box=(128, 64)), 3)) == [None, "box-inner-span"]
    assert rules_of(explain_encode(changed(dims=(64, 4)), 1))[:1] == ["box-within-tensor"]
    for sticky in (700, 715, 716, 719, 801, 999):
        assert rules_of(explain_encode(changed(dims=(64, 4)), sticky)) == [None]
    assert explain_encode(GOOD, 0).findings == ()


def test_a_call_that_a_device_accepted():
    """The device has what the call names: no finding about an architecture."""
    for call in (WIDE, changed(type=13, strides=(2048,), box=(128, 64))):
        assert [rule for rule in rules_of(explain_encode(call)) if rule] and explain_encode(call, 0).findings == ()


def test_rules_that_a_driver_does_not_enforce():
    """What a device accepted is not an error."""
    for call, rule in ((changed(box=(128, 64)), "box-inner-span"), (changed(address=0x7F0000000008), "address-align"),
                       (changed(strides=(8200,)), "stride-align"), ((*IM2COL[:7], 128, *IM2COL[8:]), "box-inner-span")):
        assert not explain_encode(call) and not explain_encode(call, 1)
        for success in (0, (0, None)):
            report = explain_encode(call, success)
            assert report and rules_of(report) == [rule] and report.findings[0].severity == "warning"
            assert str(report).startswith("warning: ") and "the driver accepted this call" in str(report)


def test_addresses():
    """An address may be an object of ctypes, as a caller of the driver by ctypes has."""
    room = (ctypes.c_uint64 * 40)()
    begin = ctypes.addressof(room)
    at = {offset: (ctypes.c_uint64 * 16).from_buffer(room, -begin % 128 + offset) for offset in (0, 8, 64)}
    structure = type("CUtensorMap", (ctypes.Structure,), {"_fields_": [("opaque", ctypes.c_uint64 * 16)]})
    for offset, rule in ((0, None), (8, "tensor-map-align")):
        number = ctypes.addressof(at[offset])
        for given in (number, at[offset], ctypes.byref(at[offset]), ctypes.pointer(at[offset]), ctypes.c_void_p(number),
                      ctypes.cast(at[offset], ctypes.c_void_p), structure.from_buffer(at[offset]), ctypes.c_uint64(number),
                      np.frombuffer(at[offset], np.uint64), memoryview(at[offset]), types.SimpleNamespace(getPtr=lambda: number)):
            assert rules_of(explain_encode(GOOD, 1, tensor_map=given)) == [rule], given
            found = rules_of(explain_encode(changed(address=given)))
            assert found == ([] if offset == 0 else ["address-align"]) or offset == 0 and found == [None], given
    for null in (0, ctypes.c_void_p(), ctypes.POINTER(structure)()):
        assert rules_of(explain_encode(GOOD, 1, tensor_map=null)) == ["array-null"]
    for wrong in ("x", object(), structure, 1.5):
        with pytest.raises(TypeError, match="tensor_map is"):
            explain_encode(GOOD, 1, tensor_map=wrong)
    for call, at, name in ((GOOD, 3, "global_dim"), (IM2COL, 5, "pixel_box_lower_corner")):
        with pytest.raises(TypeError, match=f"^{name} is 3; it must be a sequence of integers"):
            explain_encode((*call[:at], 3, *call[at + 1:]))
    assert explain_encode(changed(rank=ctypes.c_uint32(2), type=ctypes.c_int(6)), 0).findings == ()


def test_im2col():
    assert explain_encode(IM2COL, 1) and rules_of(explain_encode(IM2COL, 1, tensor_map=8)) == ["tensor-map-align"]
    report = explain_encode((*IM2COL[:7], 128, *IM2COL[8:]), 1)
    assert rules_of(report) == ["box-inner-span"] and report.findings[0].changes[0] == {"channels_per_pixel": 64}
    assert rules_of(explain_encode(WIDE)) == ["mode-arch", None] and explain_encode(WIDE)
    assert "box-inner-span" in rules_of(explain_encode((*WIDE[:7], 128, *WIDE[8:])))
    for at, bad in ((1, 7), (1, 2), (3, (64,)), (5, 3), (8, 2**70), (0, 99), (11, 9), (7, "x")):
        with pytest.raises((TypeError, ValueError)):
            explain_encode((*IM2COL[:at], bad, *IM2COL[at + 1:]))


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
    with pytest.warns(tmap.MapWarning, match="no rule of tmap explains"), watch(failing):
        failing.cuTensorMapEncodeTiled(*GOOD)
    unready = driver_of(3)
    unready.cuTensorMapEncodeIm2col = unready.cuTensorMapEncodeTiled
    with pytest.warns(tmap.MapWarning, match="EncodeIm2col failed with CUDA_ERROR_NOT_INITIALIZED"), watch(unready) as reports:
        unready.cuTensorMapEncodeIm2col(*IM2COL)
    assert len(reports) == 1
    with pytest.warns(tmap.MapWarning) as warned, watch(failing):
        failing.cuTensorMapEncodeTiled(*changed(box=(128, 64)))
    assert warned[0].filename == __file__


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


NUMBERS = st.none() | st.integers(-2**70, 2**70) | st.floats() | st.lists(st.integers(-9, 2**65), max_size=6)


@given(st.lists(NUMBERS, min_size=9, max_size=16) | st.integers(0, 13).flatmap(
    lambda at: NUMBERS.map(lambda bad: [*IM2COL[:at], bad, *IM2COL[at + 1:]])), NUMBERS)
def test_any_arguments(arguments, result):
    for call in (lambda: explain_encode(*arguments), lambda: explain_encode(arguments, result)):
        try:
            call()
        except (TypeError, ValueError):
            pass
