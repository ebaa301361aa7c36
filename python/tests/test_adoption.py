"""The code of docs/adoption.md, with the packages that it is about, where they are installed."""
import ctypes
import importlib
import os
import pathlib
import re
import shutil
import types

import pytest

import libtmap

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs/adoption.md").read_text()
REFUSED = "Triton Error [CUDA]: invalid argument"


def code(section, n=0):
    """The names that a block of Python in a section of the page defines."""
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S)[1]
    names = {}
    exec(re.findall(r"```python\n(.*?)```", text, flags=re.S)[n], names)
    return types.SimpleNamespace(**names)


@pytest.fixture
def triton_driver(monkeypatch):
    """Triton's module of the driver, with a driver that refuses maps."""
    triton = pytest.importorskip("triton")
    module = importlib.import_module("triton.backends.nvidia.driver")

    def refuse(*arguments):
        raise RuntimeError(REFUSED)
    fill = code("Triton").fill_tma_descriptor_tiled
    utils = types.SimpleNamespace(fill_tma_descriptor_tiled=lambda *arguments: fill(refuse, *arguments))
    monkeypatch.setattr(triton.runtime, "driver", types.SimpleNamespace(active=types.SimpleNamespace(utils=utils)))
    return module


def test_triton_encode(triton_driver):
    base = types.SimpleNamespace(data_ptr=lambda: 0x7f0000001000)
    tensor = types.SimpleNamespace(base=base, shape=[64, 100], strides=[100, 1], padding="zero", round_f32_to_tf32=False)
    meta = {"swizzle": 3, "elem_size": 2, "elem_type": 6, "block_size": [64, 64], "fp4_padded": False, "is_im2col": False}
    with pytest.raises(RuntimeError, match=r"(?s)invalid argument.*globalStrides\[0\] is 200 B, not a multiple of 16 B"):
        triton_driver.make_tensordesc_arg(tensor, meta, None)


def compiled_by_triton(listener, tmp_path, monkeypatch):
    triton = importlib.import_module("triton")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    monkeypatch.setattr(triton.knobs.compilation, "listener", listener)
    monkeypatch.setattr(triton.knobs.cache, "dir", str(tmp_path))
    kernels = importlib.import_module("kernels")
    source = ASTSource(fn=triton.jit(kernels.copy_block), constexprs={},
                       signature={"source": "tensordesc<fp16[64, 64]>", "target": "tensordesc<fp16[64, 64]>"})
    return triton.compile(source, target=GPUTarget("cuda", 90, 32))


def test_triton_compile(tmp_path, monkeypatch, capsys):
    pytest.importorskip("triton")
    seen = []
    check = code("Triton", 1).check_compiled
    monkeypatch.setattr(libtmap, "check_kernel", lambda path, maps, check=libtmap.check_kernel: seen.append(check(path, maps)) or seen[-1])
    compiled_by_triton(check, tmp_path, monkeypatch)
    report, = seen
    assert report and len(report.copies) == 2 and report.maps[0].box == (64, 64)
    assert capsys.readouterr().out == ""


def test_inductor(tmp_path, monkeypatch, capsys):
    """Inductor calls the hook with the compiled kernel; without a GPU only its source shows the call."""
    pytest.importorskip("triton")
    heuristics = pytest.importorskip("torch._inductor.runtime.triton_heuristics")
    source = pathlib.Path(heuristics.__file__).read_text()
    assert "compile=binary" in source and hasattr(importlib.import_module("torch._inductor.config"), "run_jit_post_compile_hook")
    kernel = compiled_by_triton(None, tmp_path, monkeypatch)
    kernel.asm["ptx"] = re.sub(r"(expect_tx[^,]*,[^,]*), 8192", r"\1, 4096", kernel.asm["ptx"])
    code("Inductor").check_compiled(key="", repr="", fn=None, compile=kernel, is_manual_warmup=False, already_compiled=True)
    assert "sequence-tx" in capsys.readouterr().out


def test_tilelang_encode():
    wrapper = pytest.importorskip("tilelang.jit.adapter.nvrtc.wrapper")
    page = code("tilelang")
    assert page.RAISES in wrapper.TMA_DESC_INIT_FUNC_PY
    template = page.explaining(wrapper.TMA_DESC_INIT_FUNC_PY)
    call = template.format("A_desc", 6, 2, "A", "100, 64", "2, 200", "64, 64", "1, 1", 0, 3, 2, 0)
    drv = pytest.importorskip("cuda.bindings.driver")
    names = {**vars(drv), "cuTensorMapEncodeTiled": lambda *a: (drv.CUresult.CUDA_ERROR_INVALID_VALUE, None)}
    exec(f"def encode(A):\n{call}", names)
    with pytest.raises(RuntimeError, match=r"(?s)TMA descriptor A_desc.*globalStrides\[0\] is 200 B, not a multiple of 16 B"):
        names["encode"](types.SimpleNamespace(data_ptr=lambda: 0x7f0000001000))


def test_tilelang_compile(tmp_path):
    tilelang = pytest.importorskip("tilelang")
    if not shutil.which("nvcc"):
        pytest.skip("no nvcc: tilelang compiles by nvcc")
    tilelang.disable_cache()
    kernels = importlib.import_module("tilelang_kernels")
    made = tilelang.compile(kernels.copy_tile(), target={"kind": "cuda", "arch": "sm_90a"}, execution_backend="tvm_ffi")
    report = code("tilelang", 1).check_compiled(made, str(tmp_path / "kernel.ptx"))
    assert report and report.copies and all(copy.bytes for copy in report.copies)


def test_cute(capsys):
    ptx = (pathlib.Path(__file__).resolve().parents[2] / "tests/data/compiled/tile.ptx").read_text()
    made = code("CuTe DSL").checked(lambda: types.SimpleNamespace(__ptx__=ptx.replace("fence.proxy.async", "// fence")))()
    assert made.__ptx__ and "store-proxy-fence" in capsys.readouterr().out
    executor = pytest.importorskip("cutlass.base_dsl.jit_executor")
    assert isinstance(executor.JitCompiledFunction.__ptx__, property)


def test_cuda_core():
    numpy = pytest.importorskip("numpy")
    utils = pytest.importorskip("cuda.core.utils")
    if "TMAP_DRIVER" not in os.environ:
        pytest.skip("no driver of the tests")
    ctypes.CDLL(os.environ["TMAP_DRIVER"], ctypes.RTLD_GLOBAL)
    array = numpy.zeros((64, 128), numpy.float16)
    holder = types.SimpleNamespace(__cuda_array_interface__=dict(array.__array_interface__, stream=None, version=3))
    view = utils.StridedMemoryView.from_any_interface(holder, stream_ptr=-1)
    with pytest.raises(libtmap.MapError, match=r"box\[1\].*spans 256 B"):
        code("cuda.core").as_tensor_map(view, (64, 128), swizzle=3)
