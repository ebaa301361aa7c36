"""Calls of frameworks that make descriptors, compared with the frameworks if these are installed; no test requires a
GPU."""
import ctypes
import importlib.util
import os
import random
import types
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import libtmap as tmap
from libtmap import TensorMap
from libtmap.layouts import Plan

if importlib.util.find_spec("tilelang"):  # tilelang binds the driver's functions when it is loaded
    ctypes.CDLL(os.environ["TMAP_DRIVER"], ctypes.RTLD_GLOBAL)


# ---- Triton --------------------------------------------------------------------------------------------------------------

def test_triton():
    """The default layout of a block in shared memory: the widest swizzle that its rows fill, to which the box is cut."""
    made = TensorMap.of_triton("f16", (4096, 8192), (8192, 1), (64, 128))
    assert (made.dims, made.strides, made.box, made.swizzle) == ((4096, 8192), (16384,), (64, 64), "128B")
    assert TensorMap.of_triton("f16", (64, 64), (64, 1), (4, 64)).swizzle == "none"  # fewer than 8 rows
    assert TensorMap.of_triton("f32", (64, 64), (64, 1), (16, 16), padding="nan").oob_fill == "nan"
    assert TensorMap.of_triton("u8", (4096,), (1,), (512,)).box == (256,)
    assert TensorMap.of_triton("f16", (64, 64), (64, 1), (64, 32), swizzle="none").swizzle == "none"
    assert TensorMap.of_triton("f16", (64, 64), (64, 1), (64, 64), swizzle="32B").box == (64, 16)
    assert made.l2_promotion == "128B"  # fill_tma_descriptor_tiled of Triton's driver.c


def test_triton_fp4():
    """Bytes of two values: Triton doubles the last size and encodes 16U4_ALIGN16B (14); 128 values are a row of 128 B."""
    made = TensorMap.of_triton("u8", (4096, 4096), (4096, 1), (128, 64), fp4_padded=True, arch="sm_100a")
    assert (made.type, made.dims, made.strides, made.box, made.swizzle) == ("b4x16_p64", (4096, 8192), (4096,), (128, 128), "128B")
    with pytest.raises(ValueError, match="two values each"):
        TensorMap.of_triton("f16", (64, 64), (64, 1), (64, 64), fp4_padded=True)
    finding, = tmap.check("u8", (64, 4160), (4168, 1), (64, 64), mode="of_triton", fp4_padded=True, arch="sm_100a")
    assert finding.rule == "stride-align" and "strides=(4192, 1)" in finding.fix  # multiples of 32 B


def triton_call(rng):
    """A call of Triton, often one that a rule rejects, and its keywords. An array has the sizes of the call, or others."""
    base, rank = rng.choice(("f16", "f32", "u8", "f64", "u16", "b4x16")), rng.choice((1, 2, 2, 2, 3, 5, 6))
    shape = [rng.choice((1, 33, 64, 256, 256, 256)) for _ in range(rank)]
    strides = [int(np.prod(shape[i + 1:])) * rng.choice((1, 1, 1, 2)) for i in range(rank - 1)] + [rng.choice((1, 1, 1, 1, 2))]
    block = [rng.choice((1, 2, 8, 16, 64, 512)) for _ in range(rank)]
    if base != "b4x16" and rng.random() < 0.5 and rank < 5:
        base = np.empty(shape if rng.random() < 0.8 else shape[::-1], f"{base[0]}{int(base[1:]) // 8}")[..., ::rng.choice((1, 1, 1, 2))]
    options = {"padding": ("zero", "nan", "one"), "swizzle": (None, 0, 32, 128, "64B", "128B", "none", "no"), "arch": ("sm_90a", None),
               "oob_fill": ("nan", None), "l2_promotion": ("64B", None), "address": (0, 1 << 20, 8, None), "fp4_padded": (False, True)}
    chosen = [name for name in options if rng.random() < 0.08]
    return base, shape, rng.choice((strides, strides, None)), block, {name: rng.choice(options[name]) for name in chosen}


def test_triton_calls_that_are_read_natively():
    """Numbers of NumPy are not plain: the function in Python converts them, and makes the same map. check calls this function."""
    rng, made = random.Random(11), 0
    for _ in range(20000 if os.environ.get("TMAP_LONG") else 600):
        base, shape, strides, block, options = triton_call(rng)
        if not (report := tmap.check(base, shape, strides, block, mode="of_triton", **options)):
            continue
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            native = TensorMap.of_triton(base, shape, strides, tuple(block), **options)
            assert len(seen) == len(report) and native == TensorMap.of_triton(base, list(map(np.int64, shape)), strides, block, **options)
            held = types.SimpleNamespace(base=base, shape=shape, strides=strides, block_shape=block, padding="zero", round_f32_to_tf32=False)
            if not {"swizzle", "fp4_padded", "padding"} & set(options):
                made += 1
                assert TensorMap.of_triton(held, **options) == native
                row_B = block[-1] * native._map.type.bits / 8 if len(block) > 1 and np.prod(block[:-1]) >= 8 else 1
                assert native.swizzle == next((f"{span}B" for span in (128, 64, 32) if row_B % span == 0), "none")
    assert made > 80


def test_triton_refusals():
    with pytest.raises(tmap.MapError, match="stride-align"):
        TensorMap.of_triton("f16", (64, 65), (65, 1), (64, 64))
    report = tmap.check("f16", (64, 65), (65, 1), (64, 64), mode="of_triton")
    assert not report and [finding.rule for finding in report] == ["stride-align"]
    for bad, words in ((("f16", (64, 64), (1, 64), (64, 64)), "inner-contiguous"), (("f16", (64,), (1,), ()), "equally many"),
                       (("f16", (64, 64), (64, 1), (64, 64), "one"), "padding")):
        with pytest.raises(ValueError, match=words):
            TensorMap.of_triton(*bad[:4], **({"padding": bad[4]} if len(bad) > 4 else {}))


def test_triton_gathers():
    """The compiler's swizzles of gathered descriptors: block (1, 64) of f16 has 128B, (1, 128) of f32 128B and box (1, 32).
    A gather has at least 8 rows, so the width of the rows determines the swizzle."""
    for kind, columns, box, swizzle in (("f16", 64, 64, "128B"), ("f32", 128, 32, "128B"), ("f16", 32, 32, "64B"),
                                        ("f16", 16, 16, "32B"), ("u8", 256, 128, "128B")):
        for op in ("gather4", "scatter4"):
            made = TensorMap.of_triton(kind, (4096, 256), (256, 1), (1, columns), ops=(op,), arch="sm_100a")
            assert (made.box, made.swizzle, made.ops) == ((1, box), swizzle, (op,))
    for block, ops, warned in (((1, 64), None, True), ((1, 64), ("load",), False), ((8, 64), None, False), ((1, 8), None, False)):
        report = tmap.check("f16", (4096, 256), (256, 1), block, mode="of_triton", **({"ops": ops} if ops else {}))
        assert report and any("may be gathered" in finding.message for finding in report) == warned, block
    finding, = tmap.check("f16", (4096, 256), (256, 1), (1, 64), mode="of_triton")
    assert finding.severity == "warning" and "ops=('gather4',)" in finding.fix and finding.changes == ()
    assert TensorMap.of_triton("f16", (4096, 256), (256, 1), (1, 64), swizzle=128).swizzle == "128B"


def test_triton_strides_of_the_array():
    """The array's own strides are 512 and 2 elements; the call has 256 and 1."""
    report = tmap.check(np.zeros((512, 256), np.float16)[:, ::2], (512, 128), (256, 1), (64, 64), mode="of_triton")
    assert [finding.rule for finding in report] == ["inner-contiguous"] and report.findings[0].fix
    finding, = tmap.check(np.zeros((512, 256), np.float16), (512, 256), (128, 1), (64, 64), mode="of_triton")
    assert finding.severity == "warning" and finding.fix == "strides=(256, 1), unless the overlap is intended" and finding.changes == ()
    for array, strides in ((np.zeros((512, 256), np.float16), (512, 1)), (np.zeros((512, 512), np.float16)[:, :256], (256, 1))):
        finding, = tmap.check(array, (512, 256), strides, (64, 64), mode="of_triton")
        assert "does not describe" in finding.message and finding.fix == f"strides={tuple(n // 2 for n in array.strides)}"
    finding, = tmap.check("f16", (512, 128), (256, 2), (64, 64), mode="of_triton")
    assert finding.rule == "inner-contiguous" and "contiguous copy" in finding.fix
    finding, = tmap.check("f16", (64, 128), (1, 64), (64, 64), mode="of_triton")
    assert "transposed to the order of dimensions (1, 0)" in finding.fix
    for array, shape, strides in ((np.zeros((512, 256), "f2"), (512, 256), (256, 1)), (np.zeros((1, 256), "f2"), (1, 256), (512, 1)),
                                  (np.zeros((512, 256), "f2"), (256, 512), (512, 1)), (np.zeros((512, 256), "f2"), (512, 256), None)):
        assert "strides" not in str(tmap.check(array, shape, strides, (64, 64), mode="of_triton"))


def described(kind, box, swizzle, **others):
    """An entry of kernel.metadata.tensordesc_meta. elem_type has the numbers of tensormap.replace: 8 is f32_ftz, 9 f64,
    10 bf16 (TMA_DTYPE_DEVICE_TO_HOST of Triton's driver.py)."""
    return {"swizzle": swizzle, "elem_size": kind[1], "elem_type": kind[0], "block_size": list(box), "fp4_padded": False,
            "is_im2col": False, **others}


def test_triton_metadata():
    for number, size, name in ((6, 2, "f16"), (10, 2, "bf16"), (9, 2, "bf16"), (7, 4, "f32"), (0, 1, "u8"), (9, 8, "f64"), (8, 8, "f64")):
        made = TensorMap.of_triton(described((number, size), (128, 16), 3), (4096, 4096), strides=(4096, 1))
        assert made == TensorMap.tiled(name, (4096, 4096), (128, 16), swizzle="128B", l2_promotion="128B")
    padded = TensorMap.of_triton([described((14, 1), (128, 128), 3, fp4_padded=True)], (4096, 4096), padding="zero", arch="sm_100a")
    assert padded == TensorMap.of_triton("u8", (4096, 4096), (4096, 1), (128, 64), fp4_padded=True, arch="sm_100a")
    kernel = types.SimpleNamespace(tensordesc_meta=[described((6, 2), (64, 64), 3)])
    assert TensorMap.of_triton(kernel, (128, 64), padding="nan").oob_fill == "nan"
    for bad, words in (([{}], "no swizzle"), ([kernel.tensordesc_meta[0]] * 2, "2 descriptors"), ([None], "no swizzle"),
                       (described((6, 2), (64, 64), 3, is_im2col=True), "TensorDescriptorIm2Col"),
                       (described((6, 4), (64, 64), 3), "elem_type is 6")):
        with pytest.raises(ValueError, match=words):
            TensorMap.of_triton(bad, (128, 64), (64, 1))
    with pytest.raises(TypeError, match="block_shape, swizzle"):
        TensorMap.of_triton(kernel, (128, 64), (64, 1), (64, 64))


class Tensor:
    """The members of a tensor that TensorDescriptor requires."""

    class Dtype:
        def __init__(self, name, size):
            self.name, self.itemsize, self.is_floating_point = name, size, name.startswith(("f", "b"))

        def __str__(self):
            return f"torch.{self.name}"

    def __init__(self, name, size, address=0x7F0000000000):
        self.dtype, self._address = self.Dtype(name, size), address

    def data_ptr(self):
        return self._address


def test_triton_descriptors():
    """tmap refuses the arguments that TensorDescriptor refuses by assertions, and gives a reason."""
    tensor_descriptor = pytest.importorskip("triton.tools.tensor_descriptor").TensorDescriptor
    rng, refused = random.Random(6), 0
    for _ in range(300):
        name, size = rng.choice((("float16", 2), ("float32", 4), ("uint8", 1), ("bfloat16", 2)))
        rank = rng.randrange(1, 4)
        shape = [rng.choice((64, 128, 100, 33)) for _ in range(rank)]
        strides = [int(np.prod(shape[i + 1:])) for i in range(rank)]
        block = [rng.choice((16, 32, 64)) for _ in range(rank)]
        base = Tensor(name, size, 0x7F0000000000 + rng.choice((0, 0, 0, 8)))
        try:
            theirs = tensor_descriptor(base, shape, strides, block)
        except AssertionError:
            refused += 1
            assert not tmap.check(base, shape, strides, block, mode="of_triton"), (name, shape, block)
            continue
        made = TensorMap.of_triton(theirs)
        assert made == TensorMap.of_triton(base, shape, strides, block) and made.dims == tuple(shape)
    assert 50 < refused < 250


def test_triton_compiled():
    """Compares with the compiler's numbers for the descriptor of a kernel's argument."""
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    import kernels
    kernel = triton.jit(kernels.copy_block)
    for name, ours, block in (("fp16", "f16", (64, 128)), ("fp16", "f16", (64, 32)), ("fp32", "f32", (16, 16)),
                              ("i8", "u8", (128, 64)), ("bf16", "bf16", (8, 256))):
        signature = {"source": f"tensordesc<{name}{list(block)}>", "target": f"tensordesc<{name}{list(block)}>"}
        compiled = triton.compile(ASTSource(fn=kernel, signature=signature, constexprs={}), target=GPUTarget("cuda", 90, 32))
        made = TensorMap.of_triton(ours, (4096, 4096), (4096, 1), block)
        for meta in compiled.metadata.tensordesc_meta:
            assert TensorMap.of_triton(meta, (4096, 4096), (4096, 1)) == made
            swizzle = {"none": 0, "32B": 1, "64B": 2, "128B": 3}[made.swizzle]  # CUtensorMapSwizzle
            assert (list(made.box), swizzle) == (list(meta["block_size"]), meta["swizzle"]), (name, block)


def test_triton_compiled_gathers():
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    import kernels
    for name, ours, columns in (("fp16", "f16", 64), ("fp32", "f32", 128), ("fp16", "f16", 32), ("i8", "u8", 32)):
        kernel = triton.jit(kernels.gather_rows if ours != "u8" else kernels.scatter_rows)
        signature = {"source": f"tensordesc<{name}[1, {columns}]>", "rows": "*i32", "target": f"*{name}", "columns": "constexpr"}
        compiled = triton.compile(ASTSource(fn=kernel, signature=signature, constexprs={"columns": columns}),
                                  target=GPUTarget("cuda", 100, 32))
        meta, = compiled.metadata.tensordesc_meta
        made = TensorMap.of_triton(meta, (4096, 256), (256, 1), ops=("gather4",), arch="sm_100a")
        assert made == TensorMap.of_triton(ours, (4096, 256), (256, 1), (1, columns), ops=("gather4",), arch="sm_100a")


def gluon_descriptors():
    gluon = pytest.importorskip("triton.experimental.gluon.nvidia.hopper")
    layout = pytest.importorskip("triton.experimental.gluon.language").NVMMASharedLayout
    for name, size in (("uint8", 1), ("float16", 2)):
        for swizzle, padded in ((0, False), (32, False), (64, False), (128, False), (128, True)):
            for block in ([64, 128], [128, 64], [8, 256]):
                if padded <= (size == 1) and block[1] * size >= (64 if padded else swizzle):
                    yield gluon.TensorDescriptor(Tensor(name, size), [4096, 2048], [2048, 1], block,
                                                 layout(swizzle, 8 * size, 2, fp4_padded=padded))


def test_gluon_compiled():
    """Compares with the compiler's numbers for descriptors with a layout: type, box and swizzle in the driver's form.
    """
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget
    from triton.experimental.gluon._runtime import GluonASTSource
    import gluon_kernels
    descriptors = list(gluon_descriptors())
    assert len(descriptors) > 20
    for given in descriptors:
        source = GluonASTSource(gluon_kernels.load_tile, {"source": given.__mangle__()}, {})
        meta, = triton.compile(source, target=GPUTarget("cuda", 100, 32)).metadata.tensordesc_meta
        made = TensorMap.of_triton(given, arch="sm_100a")
        swizzle = {"none": 0, "32B": 1, "64B": 2, "128B": 3}[made.swizzle]  # CUtensorMapSwizzle
        kind = {"u8": 0, "f16": 6, "b4x16_p64": 14}[made.type]  # CUtensorMapDataType
        assert (list(made.box), swizzle, kind) == (meta["block_size"], meta["swizzle"], meta["elem_type"]), given
        assert made.dims == (4096, 4096 if meta["fp4_padded"] else 2048)
        assert TensorMap.of_triton(meta, (4096, 2048), (2048, 1), arch="sm_100a") == made


def test_gluon_im2col():
    """block_shape is (pixels, channels); corners and sizes are outermost first (fill_tma_descriptor_im2col)."""
    gluon = pytest.importorskip("triton.experimental.gluon.nvidia.hopper")
    layout = pytest.importorskip("triton.experimental.gluon.language").NVMMASharedLayout
    given = gluon.TensorDescriptorIm2Col(Tensor("float16", 2), [2, 16, 32, 64], [32768, 2048, 64, 1], [64, 64], layout(64, 16, 2),
                                         element_strides=[1, 2, 1, 1], pixel_box_lower_corner=[-1, -2], pixel_box_upper_corner=[0, 1])
    assert TensorMap.of_triton(given) == TensorMap.im2col("f16", (2, 16, 32, 64), (-1, -2), (0, 1), 32, 64, swizzle="64B",
                                                          element_strides=(1, 2, 1, 1), l2_promotion="128B")


# ---- tilelang and TVM ------------------------------------------------------------------------------------------------------

def listed(*numbers):
    return ["__tvm_tensormap_create_tiled", "desc", *numbers]


def test_tilelang():
    """Innermost first; strides of all dimensions; CUtensorMapDataType 6 is FLOAT16, swizzle 3 is 128B, promotion 2 128B."""
    made = TensorMap.of_tvm(listed(6, 2, "A", 512, 256, 2, 1024, 64, 128, 1, 1, 0, 3, 2, 0))
    assert made == TensorMap.tiled("f16", (512, 256), (64, 128), swizzle="128B", l2_promotion="128B", order="inner")
    assert TensorMap.of_tvm([6, 2, 0x7F0000000000, 512, 256, 2, 1024, 64, 128, 1, 1, 0, 3, 2, 0]).address == 0x7F0000000000
    with pytest.raises(tmap.MapError, match="box-inner-span"):
        TensorMap.of_tvm(listed(6, 2, "A", 512, 256, 2, 1024, 128, 64, 1, 1, 0, 3, 2, 0))
    im2col = ["__tvm_tensormap_create_im2col", "desc", 6, 4, "A", 64, 16, 16, 2, 2, 128, 2048, 32768, 1, 1, 1, 1, -1, -1, -1, -1,
              32, 64, 0, 3, 2, 0]
    made = TensorMap.of_tvm(im2col)
    assert (made.mode, made.box, made.arguments()["lower_corner"]) == ("im2col", (64, 32), (-1, -1))
    for bad, words in ((listed(6, 2, "A"), "a map of rank 2 has 12"), ([], "0 arguments"), (listed("n", 2, "A", 1), "without a value"),
                       (listed(99, 2, "A", 1), "not a number of the driver"), (listed(6, -3, "A"), "rank -3")):
        with pytest.raises(ValueError, match=words):
            TensorMap.of_tvm(bad)


def test_tilelang_reads_the_same():
    """tilelang's reader of the list finds the numbers of the map."""
    utils = pytest.importorskip("tilelang.jit.adapter.utils")
    from tvm import tirx as tir
    args = [tir.StringImm("__tvm_tensormap_create_tiled"), tir.Var("desc", "handle")] + \
        [tir.IntImm("int32", n) for n in (6, 2)] + [tir.Var("A", "handle")] + \
        [tir.IntImm("int64", n) for n in (512, 256, 2, 1024, 64, 128, 1, 1, 0, 3, 2, 0)]
    name, handle = "desc", args[1]
    found, = utils.parse_tma_descriptor_args({handle: args}, {name: name}, {name: handle}, lambda e: str(getattr(e, "value", e)))
    made = TensorMap.of_tvm(args)
    assert [int(n) for n in found.global_dim] == list(made.dims) and [int(n) for n in found.box_dim] == list(made.box)
    assert [int(n) for n in found.global_stride][1:] == list(made.strides) and int(found.swizzle) == 3 and made.swizzle == "128B"


def test_tilelang_validator():
    """tilelang's runtime validates the list, then encodes by the tests' driver, both without a GPU."""
    pytest.importorskip("tilelang")
    create = pytest.importorskip("tvm_ffi").get_global_func("__tvm_tensormap_create_tiled")
    rng, refused, encoded = random.Random(9), 0, 0
    room = aligned((128,), "u1")
    for _ in range(400):
        rank, kind = rng.choice((1, 2, 2, 3)), rng.choice(((0, 1), (6, 2), (7, 4), (9, 2)))  # UINT8, FLOAT16, FLOAT32, BFLOAT16
        dims = [rng.choice((64, 128, 100, 33)) for _ in range(rank)]
        strides = [int(np.prod(dims[:i])) * kind[1] for i in range(rank)]
        box = [rng.choice((16, 32, 64, 257, 5)) for _ in range(rank)]
        enums = [0, rng.choice((0, 1, 2, 3)), rng.choice((0, 1, 2, 3)), rng.choice((0, 1))]
        numbers = [*dims, *strides, *box, *[1] * rank, *enums]
        address = 0x7F0000000000 + rng.choice((0, 0, 0, 8))
        try:
            create(ctypes.c_void_p(room.ctypes.data), kind[0], rank, ctypes.c_void_p(address), *numbers)
        except Exception as error:
            refused += 1
            assert not tmap.check([kind[0], rank, address, *numbers], mode="of_tvm"), str(error)
            continue
        encoded += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tmap.MapWarning)
            assert TensorMap.of_tvm([kind[0], rank, address, *numbers]).descriptor() == room.tobytes(), (kind, numbers)
    assert refused > 100 and encoded > 50


def test_tvm():
    tirx = pytest.importorskip("tvm.tirx")
    desc, data = tirx.Var("desc", "handle"), tirx.Var("data", "handle")
    call = tirx.tensormap_encode_tiled(desc, data, 512, 256, 1024, 64, 128, 1, 1, descriptor_dtype="float16", rank=2, swizzle=3)
    assert TensorMap.of_tvm(call) == TensorMap.tiled("f16", (512, 256), (64, 128), swizzle="128B", order="inner")
    n = tirx.Var("n", "int64")
    call = tirx.tensormap_encode_tiled(desc, data, n, 256, 1024, 64, 128, 1, 1, descriptor_dtype="float16", rank=2, swizzle=3)
    with pytest.raises(ValueError, match="a name without a value"):
        TensorMap.of_tvm(call)


# ---- cuda.core -------------------------------------------------------------------------------------------------------------

def test_views():
    view = types.SimpleNamespace(ptr=0x7F0000000000, shape=(64, 128), strides=(256, 1), dtype=np.dtype("f2"))
    made = TensorMap.of_cuda_core(view, (64, 64), swizzle=3, oob_fill=None)
    assert (made.dims, made.strides, made.box, made.swizzle, made.address) == ((64, 128), (512,), (64, 64), "128B", view.ptr)
    assert TensorMap.of_cuda_core(view, options={"box_dim": (64, 64), "swizzle": 3}) == made
    assert TensorMap.of_cuda_core(view, (64, 64), data_type=9).type == "bf16"
    for bad in ({}, {"box_dim": (1, 64), "options": {"box_dim": (1, 64)}}, {"box_dim": (1, 64), "no_such": 1}):
        with pytest.raises(TypeError):
            TensorMap.of_cuda_core(view, **bad)
    with pytest.raises(tmap.MapError, match="box-extent"):
        TensorMap.of_cuda_core(view, (64, 257))


class OnDevice:
    """Host memory that claims to be device memory; the tests' driver accepts this claim."""

    def __init__(self, array):
        self._interface = dict(array.__array_interface__, stream=None, version=3)
        self._array = array

    @property
    def __cuda_array_interface__(self):
        return self._interface


@pytest.fixture(scope="module")
def cuda_core():
    pytest.importorskip("cuda.core")
    ctypes.CDLL(os.environ["TMAP_DRIVER"], ctypes.RTLD_GLOBAL)  # the name by which cuda.bindings finds the library
    return pytest.importorskip("cuda.core.utils").StridedMemoryView


def aligned(shape, dtype):
    room = np.zeros(int(np.prod(shape)) * np.dtype(dtype).itemsize + 128, np.uint8)
    begin = -room.ctypes.data % 128
    return room[begin:begin + int(np.prod(shape)) * np.dtype(dtype).itemsize].view(dtype).reshape(shape)


@pytest.mark.filterwarnings("ignore::libtmap.MapAdvice")
def test_cuda_core(cuda_core):
    """Compares cuda.core's validators and encode call, on the stand-in's encoder, with tmap's rules and encoder."""
    enums = pytest.importorskip("cuda.core._tensor_map")
    rng, refused, encoded = random.Random(8), 0, 0
    for _ in range(300):
        dtype = rng.choice(("f2", "f4", "u1", "i4"))
        whole = aligned((rng.choice((32, 64)), rng.choice((64, 96, 128))), dtype)
        array = whole[:, :rng.choice((whole.shape[1], 48, 33))]
        view = cuda_core.from_any_interface(OnDevice(array), stream_ptr=-1)
        box = (rng.choice((8, 32, 257)), rng.choice((16, 32, 64, 5)))
        options = {"swizzle": rng.choice(list(enums.TensorMapSwizzle)), "l2_promotion": rng.choice(list(enums.TensorMapL2Promotion)),
                   "oob_fill": enums.TensorMapOOBFill.NONE}
        try:
            theirs = view.as_tensor_map(box, **options)
        except Exception:
            refused += 1
            assert not tmap.check(view, box, mode="of_cuda_core", **options), (dtype, array.strides, box, options)
            continue
        made = TensorMap.of_cuda_core(view, box, **options)
        assert TensorMap.from_descriptor(theirs).descriptor() == made.descriptor(), made
        assert TensorMap.from_descriptor(made.to_cuda_core(OnDevice(array))).descriptor() == made.descriptor()
        encoded += 1
    assert refused > 60 and encoded > 60
    with pytest.raises(ValueError, match="not those of the map"):
        made.to_cuda_core(OnDevice(aligned((8, 8), "f2")))


def test_watch_of_the_driver(cuda_core):
    """The functions of cuda.bindings, which call the tests' driver."""
    driver = pytest.importorskip("cuda.bindings.driver")
    array = aligned((64, 64), "f2")
    arguments = (driver.CUtensorMapDataType(6), 2, array.ctypes.data, [driver.cuuint64_t(64)] * 2, [driver.cuuint64_t(128)],
                 [driver.cuuint32_t(64), driver.cuuint32_t(64)], [driver.cuuint32_t(1)] * 2, driver.CUtensorMapInterleave(0),
                 driver.CUtensorMapSwizzle(3), driver.CUtensorMapL2promotion(0), driver.CUtensorMapFloatOOBfill(0))
    with tmap.watch() as reports:
        result, descriptor = driver.cuTensorMapEncodeTiled(*arguments)
    assert int(result) == 0 and reports == []
    assert TensorMap.from_descriptor(descriptor).box == (64, 64)
    wide = (*arguments[:5], [driver.cuuint32_t(128), driver.cuuint32_t(64)], *arguments[6:])
    with pytest.warns(tmap.MapWarning, match="box-inner-span"), tmap.watch() as reports:
        result, _ = driver.cuTensorMapEncodeTiled(*wide)
    assert int(result) == 1 and [finding.rule for finding in reports[0]] == ["box-inner-span"]


# ---- CuTe DSL --------------------------------------------------------------------------------------------------------------

def test_cute_dsl():
    """The map has the box of the copy atom that CuTe makes. CuTe does not refuse boxes that no map can have."""
    cutlass, cute = pytest.importorskip("cutlass"), pytest.importorskip("cutlass.cute")
    from cutlass.cute.nvgpu import cpasync
    from cutlass.cute.runtime import make_ptr
    seen = []

    def compare(pointer):
        for stride in (512, 520, 513):
            tensor = cute.make_tensor(pointer, cute.make_layout((256, 512), stride=(stride, 1)))
            for bits, layout in ((3, cute.make_layout((8, 64), stride=(64, 1))), (2, cute.make_layout((8, 32), stride=(32, 1))),
                                 (0, cute.make_layout((8, 32), stride=(32, 1))),
                                 (3, cute.make_layout(((8, 8), (64, 2)), stride=((64, 512), (1, 4096))))):
                shared = cute.make_composed_layout(cute.make_swizzle(bits, 4, 3), 0, layout) if bits else layout
                tile = tuple(cute.size(layout, mode=[i]) for i in range(2))
                atom = cpasync.make_tiled_tma_atom(cpasync.CopyBulkTensorTileG2SOp(), tensor, shared, tile)[0]
                try:
                    plan = Plan.of_cute(tensor, shared, tile)
                except tmap.MapError as error:
                    plan = [finding.rule for finding in error.findings]
                seen.append((stride, bits, tile, str(atom._trait.value.type), plan))

    @cute.jit
    def inside(pointer: cute.Pointer):
        compare(pointer)

    os.environ.setdefault("CUTE_DSL_ARCH", "sm_90a")
    cute.compile(inside, make_ptr(cutlass.Float16, 16, cute.AddressSpace.gmem, assumed_align=16))
    assert len(seen) == 12
    for stride, bits, tile, atom, plan in seen:
        if stride == 513:
            assert plan == ["stride-align"]
            continue
        inner = min(tile[1], 64)
        assert f'"({inner},{tile[0]}):' in atom  # CuTe's box, innermost first
        assert plan.map.box[-1] == inner and plan.map.box[-2] == tile[0]
        assert plan.map.swizzle == {3: "128B", 2: "64B", 0: "none"}[bits] and plan.tx_bytes == tile[0] * tile[1] * 2


# ---- Any arguments ---------------------------------------------------------------------------------------------------------

ANY = st.none() | st.integers(-2**70, 2**70) | st.text(max_size=4) | st.lists(st.integers(-9, 2**65), max_size=6)


@given(st.sampled_from(["of_triton", "of_tvm", "of_cuda_core"]), st.lists(ANY, max_size=5),
       st.lists(st.integers(-2, 600) | st.text(max_size=2), max_size=18))
def test_any_arguments(mode, arguments, numbers):
    for given in (arguments, [numbers], [[6, 2, "A", *numbers]], ["f16", *arguments]):
        assert isinstance(tmap.check(*given, mode=mode), tmap.Report)
        try:
            getattr(TensorMap, mode)(*given)
        except (TypeError, ValueError, AttributeError):
            pass


# ---- Texts and objects that have one map ---------------------------------------------------------------------------------

SIZE = "torch.Size([512, 256])"
REPR = f"TensorDescriptor(base=tensor([[0., 0.]], dtype=torch.float16), shape={SIZE}, strides=(256, 1), block_shape=[64, 64], padding='nan')"


def test_texts_with_one_map():
    want = TensorMap.of_triton("f16", (512, 256), (256, 1), (64, 64), padding="nan")
    assert TensorMap.of_triton(REPR) == TensorMap.of_triton(REPR.replace(SIZE, "[512, 256]")) == want
    slots = "".join(f"(((TVMFFIAny*)stack_ffi_any)[{i}].v_int64) = ((int64_t){n});\n"
                    for i, n in enumerate((0, 6, 2, 0, 1024, 512, 2, 2048, 64, 128, 1, 1, 0, 3, 2, 0)))
    host = f"{slots}if (TVMFFIFunctionCall(__tvm_tensormap_create_tiled_packed, (TVMFFIAny*) stack_ffi_any, 16, &r) != 0) {{"
    assert TensorMap.of_tvm(host) == TensorMap.tiled("f16", (512, 1024), (128, 64), swizzle="128B", l2_promotion="128B")
    for text, words in ((host.replace("1024", "m"), "does not have the numbers of the map: dims"), (REPR * 2, "2 tensor maps"),
                        (REPR.replace("256, 1)", "n, 1)"), "strides"), ("a text that has no map, but that is long enough", "no tensor map")):
        with pytest.raises(ValueError, match=words):
            TensorMap.of_triton(text)


def test_objects_of_triton():
    meta = [described((6, 2), (128, 64), 3)]
    kernel = types.SimpleNamespace(metadata=types.SimpleNamespace(tensordesc_meta=meta), asm={})
    assert TensorMap.of_triton(kernel, (4096, 4096), (4096, 1)) == TensorMap.of_triton(meta, (4096, 4096), (4096, 1))
    for name, kind in (("fp16", "f16"), ("fp32", "f32"), ("fp8e4nv", "u8"), ("fp8e5", "u8"), ("bf16", "bf16"), ("int8", "u8")):
        dtype = type("dtype", (), {"name": name})()
        assert TensorMap.of_triton(dtype, (64, 64), (64, 1), (64, 64)).type == kind


def test_triton_objects_of_the_package():
    triton, torch = pytest.importorskip("triton"), pytest.importorskip("torch")
    tool = pytest.importorskip("triton.tools.tensor_descriptor")
    given = tool.TensorDescriptor.from_tensor(torch.zeros(512, 256, dtype=torch.float16), [64, 64])
    assert TensorMap.of_triton(given) == TensorMap.of_triton(repr(given)) == TensorMap.of_triton("f16", (512, 256), (256, 1), (64, 64))
    meta = torch.empty(512, 256, dtype=torch.float16, device="meta")
    assert TensorMap.of_triton(meta, (512, 256), (256, 1), (64, 64)) == TensorMap.of_triton(given)
    for dtype, kind in ((triton.language.float16, "f16"), (triton.language.float8e4nv, "u8"), (triton.language.bfloat16, "bf16")):
        assert TensorMap.tiled(dtype, (64, 64), (64, 64)).type == kind
