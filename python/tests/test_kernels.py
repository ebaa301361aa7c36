"""Compiled kernels: PTX as a path, as text, as bytes, and as Triton's CompiledKernel; maps in every form."""
import json
import pathlib
import types

import pytest

import libtmap as tmap
from libtmap.testing import KernelError, assert_kernel

PTX = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry load(
  .param .align 64 .b8 map[128]
)
{
  .reg .b32 %r<4>;
  .reg .pred done;
  .shared .align 1024 .b8 box[8192];
  .shared .align 8 .b64 full;
  mov.u32 %r1, %ctaid.x;
  shl.b32 %r2, %r1, 6;
  mbarrier.init.shared::cta.b64 [full], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 8192;
  .loc 1 7 0
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box], [map, {%r2, 0}], [full];
again:
  mbarrier.try_wait.parity.shared::cta.b64 done, [full], 0;
  @!done bra again;
  ret;
}
.file 1 "load.cu"
"""
META = [{"swizzle": 3, "elem_size": 2, "elem_type": 6, "block_size": [64, 64], "fp4_padded": False, "is_im2col": False}]
MAP = tmap.TensorMap.tiled("f16", (4096, 4096), box=(64, 64), swizzle="128B")


def triton_kernel(ptx=PTX, meta=META):
    return types.SimpleNamespace(asm={"ptx": ptx, "cubin": b""},
                                 metadata=types.SimpleNamespace(name="load", tensordesc_meta=meta))


def test_forms_of_kernels(tmp_path):
    path = tmp_path / "load.ptx"
    path.write_text(PTX)
    for kernel in (PTX, PTX.encode(), path, str(path), triton_kernel()):
        report = tmap.check_kernel(kernel)
        assert report and len(report) == 0 and len(report.copies) == 1
        copy, = report.copies
        assert (copy.kernel, copy.source, copy.map, copy.shared) == ("load", "load.cu:7", "map", "box+0")
        assert copy.form == "tile load, .shared::cluster" and copy.coordinates == "64*k, 0"
    assert copy.bytes == 8192  # by the metadata of Triton
    assert report.maps[0].box == (64, 64) and report.maps[0].swizzle == "128B" and report.maps[0].type == "f16"


def test_maps(tmp_path):
    path = tmp_path / "kernel.json"
    path.write_text(json.dumps({"name": "load", "tensordesc_meta": META}))
    for maps in ([MAP], {"map": MAP}, {"map": MAP, "other": MAP}, path, str(path), json.dumps({"tensordesc_meta": META}) + "\n"):
        assert tmap.check_kernel(PTX, maps).copies[0].bytes == 8192
    assert tmap.check_kernel(PTX).copies[0].bytes is None
    assert tmap.check_kernel(triton_kernel(meta=None)).copies[0].bytes is None
    with pytest.raises(tmap.MapError, match="uses 1 map of the host, and 2 are given"):
        tmap.check_kernel(PTX, [MAP, MAP])
    with pytest.raises(TypeError, match="must hold TensorMaps"):
        tmap.check_kernel(PTX, [3])
    with pytest.raises(ValueError, match="no tensor maps in a form"):
        tmap.check_kernel(PTX, "nothing\n")


def test_findings(tmap_assert_kernel):
    wrong = triton_kernel(PTX.replace("[full], 8192", "[full], 4096"))
    report = tmap.check_kernel(wrong)
    assert not report and [finding.rule for finding in report] == ["sequence-tx"]
    with pytest.raises(KernelError, match="expects 4096 bytes") as caught:
        tmap_assert_kernel(wrong)
    assert caught.value.report.copies == report.copies
    assert assert_kernel(triton_kernel()).maps[0].given_by == "metadata of Triton"
    assert "copy-dim" in [f.rule for f in tmap.check_kernel(PTX, [tmap.TensorMap.tiled("f16", (64, 64, 64), box=(2, 32, 64))])]


def test_parameters_without_a_value():
    branches = PTX.replace("map[128]", "map[192]").replace(
        "  shl.b32", "  ld.param.b32 %r3, [map+132];\n  setp.eq.s32 done, %r3, 0;\n  @done ret;\n  shl.b32")
    assert tmap.check_kernel(branches).findings[0].fix == "launch={'map+132': VALUE}"
    assert not tmap.check_kernel(branches, launch={"map+132": 8}).findings + assert_kernel(branches, launch={"map+132": 8}).findings
    with pytest.raises(tmap.MapError, match="no kernel has a parameter 'nosuch'"):
        tmap.check_kernel(branches, launch={"nosuch": 8})
    counts = "  ld.param.b32 %r3, [map+132];\nless:\n  sub.s32 %r3, %r3, 1;\n  setp.ne.s32 done, %r3, 0;\n  @done bra less;\n"
    long = PTX.replace("map[128]", "map[192]").replace("  mov.u32 %r1", counts + "  mov.u32 %r1")
    long += long[long.index(".visible"):long.index(".file")].replace("load(", "second(")
    report = tmap.check_kernel(long, launch={"map+132": 10**9})  # options of the command are not named
    assert [f.fix for f in report] == ["give smaller sizes by launch={'PARAMETER': VALUE}", "give a text with this kernel alone"]
    assert all(f"fix: {f.fix}" in str(f) for f in report)


def test_other_arguments():
    for wrong in (3, None, object()):
        with pytest.raises(TypeError, match="CompiledKernel of Triton, a path or PTX"):
            tmap.check_kernel(wrong)
    for name, wrong in (("maps", 3), ("launch", 3), ("launch", ["map"]), ("launch", {3: 1})):
        with pytest.raises(TypeError, match=f"^{name} is .*; it must be a dict "):
            tmap.check_kernel(PTX, **{name: wrong})
    with pytest.raises(tmap.MapError, match="not PTX"):
        tmap.check_kernel("hello\n")
    with pytest.raises(FileNotFoundError):
        tmap.check_kernel(pathlib.Path("/nowhere/kernel.ptx"))
