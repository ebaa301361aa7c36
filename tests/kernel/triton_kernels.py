"""Kernels of Triton that check_kernels.py compiles: KERNELS has for each name the function, the types of its arguments,
its constants, the architectures and the options."""
import triton
import triton.language as tl


@triton.jit
def matmul(a_desc, b_desc, c_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    n = tl.cdiv(N, BN)
    pm = pid // n
    pn = pid % n
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = a_desc.load([pm * BM, k * BK])
        b = b_desc.load([k * BK, pn * BN])
        acc = tl.dot(a, b, acc)
    c_desc.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def matmul_persistent(a_desc, b_desc, c_desc, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, NSM: tl.constexpr, WS: tl.constexpr):
    start = tl.program_id(0)
    nm = tl.cdiv(M, BM)
    nn = tl.cdiv(N, BN)
    for tile in tl.range(start, nm * nn, NSM, flatten=not WS, warp_specialize=WS):
        pm = tile // nn
        pn = tile % nn
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            a = a_desc.load([pm * BM, k * BK])
            b = b_desc.load([pn * BN, k * BK])
            acc = tl.dot(a, b.T, acc)
        c_desc.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def attention(q_desc, k_desc, v_desc, o_desc, N, sm_scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, WS: tl.constexpr):
    pm = tl.program_id(0)
    hz = tl.program_id(1)
    off = hz * N
    q = q_desc.load([off + pm * BM, 0])
    m_i = tl.zeros([BM], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BM], dtype=tl.float32) + 1.0
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for s in tl.range(0, N, BN, warp_specialize=WS):
        k = k_desc.load([off + s, 0])
        qk = tl.dot(q, k.T) * sm_scale
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_ij[:, None])
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = v_desc.load([off + s, 0])
        acc = tl.dot(p.to(tl.float16), v, acc)
        m_i = m_ij
    acc = acc / l_i[:, None]
    o_desc.store([off + pm * BM, 0], acc.to(tl.float16))


@triton.jit
def copy2d(x_desc, y_desc, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    y_desc.store([i, j], x_desc.load([i, j]))


@triton.jit
def copy3d(x_desc, y_desc, B: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    y_desc.store([0, i, j], x_desc.load([0, i, j]))


@triton.jit
def reduce_add(x_ptr, y_desc, BM: tl.constexpr, BN: tl.constexpr, N):
    i = tl.program_id(0) * BM
    x = tl.load(x_ptr + (i + tl.arange(0, BM))[:, None] * N + tl.arange(0, BN)[None, :])
    y_desc.atomic_add([i, 0], x)


@triton.jit
def gather(x_desc, idx, out, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.load(idx + tl.program_id(0) * BM + tl.arange(0, BM))
    x = x_desc.gather(rows, 0)
    tl.store(out + (tl.program_id(0) * BM + tl.arange(0, BM))[:, None] * BN + tl.arange(0, BN)[None, :], x)


@triton.jit
def scatter(x, idx, y_desc, BM: tl.constexpr, BN: tl.constexpr):
    rows = tl.load(idx + tl.program_id(0) * BM + tl.arange(0, BM))
    v = tl.load(x + (tl.program_id(0) * BM + tl.arange(0, BM))[:, None] * BN + tl.arange(0, BN)[None, :])
    y_desc.scatter(v, rows, 0)


@triton.jit
def device_map(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    xd = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    yd = tl.make_tensor_descriptor(y, [M, N], [N, 1], [BM, BN])
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    yd.store([i, j], xd.load([i, j]) * 2)


@triton.jit
def device_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    ad = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    bd = tl.make_tensor_descriptor(b, [N, K], [K, 1], [BN, BK])
    cd = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    pid = tl.program_id(0)
    nn = tl.cdiv(N, BN)
    pm = pid // nn
    pn = pid % nn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(ad.load([pm * BM, k * BK]), bd.load([pn * BN, k * BK]).T, acc)
    cd.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def fused_mlp(x_desc, w_desc, bias, o_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(x_desc.load([pm * BM, k]), w_desc.load([pn * BN, k]).T, acc)
    acc += tl.load(bias + pn * BN + tl.arange(0, BN))[None, :]
    acc = tl.maximum(acc, 0)
    o_desc.store([pm * BM, pn * BN], acc.to(tl.bfloat16))


@triton.jit
def layernorm(x_desc, y_desc, N, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM
    s = tl.zeros([BM], dtype=tl.float32)
    for j in range(0, N, BN):
        s += tl.sum(x_desc.load([i, j]).to(tl.float32), 1)
    mean = s / N
    for j in range(0, N, BN):
        y_desc.store([i, j], (x_desc.load([i, j]).to(tl.float32) - mean[:, None]).to(tl.float16))

def desc(type, *block):
    return f"tensordesc<{type}[{', '.join(map(str, block))}]>"


KERNELS = {}


def kernel(name, function, types, constants, archs=(90, 100, 120), **options):
    KERNELS[name] = (function, types, constants, archs, options)


SIZES = {"M": "i32", "N": "i32", "K": "i32"}
for m, n, k, stages, warps in ((128, 128, 64, 3, 4), (128, 256, 64, 4, 8), (64, 64, 32, 2, 4), (128, 64, 128, 3, 4)):
    kernel(f"matmul {m}x{n}x{k}, {stages} stages", matmul,
           {"a_desc": desc("fp16", m, k), "b_desc": desc("fp16", k, n), "c_desc": desc("fp16", m, n), **SIZES},
           {"BM": m, "BN": n, "BK": k}, num_stages=stages, num_warps=warps)
kernel("matmul fp8", matmul, {"a_desc": desc("fp8e4nv", 128, 128), "b_desc": desc("fp8e4nv", 128, 128),
                              "c_desc": desc("fp16", 128, 128), **SIZES}, {"BM": 128, "BN": 128, "BK": 128})
kernel("matmul f32", matmul, {"a_desc": desc("fp32", 64, 32), "b_desc": desc("fp32", 32, 64), "c_desc": desc("fp16", 64, 64), **SIZES},
       {"BM": 64, "BN": 64, "BK": 32})
for ws in (False, True):
    archs = (100, 120) if ws else (90, 100, 120)
    kernel("persistent" + ws * ", warp-specialized", matmul_persistent,
           {"a_desc": desc("fp16", 128, 64), "b_desc": desc("fp16", 128, 64), "c_desc": desc("fp16", 128, 128), **SIZES},
           {"BM": 128, "BN": 128, "BK": 64, "NSM": 132, "WS": ws}, archs)
    kernel("attention" + ws * ", warp-specialized", attention,
           {"q_desc": desc("fp16", 128, 64), "k_desc": desc("fp16", 64, 64), "v_desc": desc("fp16", 64, 64),
            "o_desc": desc("fp16", 128, 64), "N": "i32", "sm_scale": "fp32"}, {"BM": 128, "BN": 64, "D": 64, "WS": ws}, archs)
kernel("attention, heads of 128", attention,
       {"q_desc": desc("fp16", 128, 128), "k_desc": desc("fp16", 64, 128), "v_desc": desc("fp16", 64, 128),
        "o_desc": desc("fp16", 128, 128), "N": "i32", "sm_scale": "fp32"}, {"BM": 128, "BN": 64, "D": 128, "WS": False},
       num_stages=2, num_warps=8)
kernel("copy f32", copy2d, {"x_desc": desc("fp32", 64, 32), "y_desc": desc("fp32", 64, 32)}, {"BM": 64, "BN": 32})
kernel("copy u8", copy2d, {"x_desc": desc("u8", 64, 256), "y_desc": desc("u8", 64, 256)}, {"BM": 64, "BN": 256})
kernel("copy, rank 3", copy3d, {"x_desc": desc("bf16", 2, 32, 64), "y_desc": desc("bf16", 2, 32, 64)}, {"B": 2, "BM": 32, "BN": 64})
kernel("reduction", reduce_add, {"x_ptr": "*fp32", "y_desc": desc("fp32", 32, 32), "N": "i32"}, {"BM": 32, "BN": 32})
kernel("gather f16", gather, {"x_desc": desc("fp16", 1, 64), "idx": "*i32", "out": "*fp16"}, {"BM": 32, "BN": 64}, (100,))
kernel("gather f32", gather, {"x_desc": desc("fp32", 1, 128), "idx": "*i32", "out": "*fp32"}, {"BM": 32, "BN": 128}, (100,))
kernel("scatter", scatter, {"x": "*fp16", "idx": "*i32", "y_desc": desc("fp16", 1, 64)}, {"BM": 32, "BN": 64}, (100,))
kernel("maps made in the kernel", device_map, {"x": "*fp32", "y": "*fp32", "M": "i32", "N": "i32"}, {"BM": 64, "BN": 32})
kernel("matmul, maps made in the kernel", device_matmul, {"a": "*fp16", "b": "*fp16", "c": "*fp16", **SIZES},
       {"BM": 128, "BN": 128, "BK": 64})
kernel("fused MLP", fused_mlp, {"x_desc": desc("bf16", 128, 64), "w_desc": desc("bf16", 128, 64), "bias": "*bf16",
                                "o_desc": desc("bf16", 128, 128), "K": "i32"}, {"BM": 128, "BN": 128, "BK": 64}, num_stages=4)
kernel("subtract the mean of rows", layernorm, {"x_desc": desc("fp16", 32, 128), "y_desc": desc("fp16", 32, 128), "N": "i32"},
       {"BM": 32, "BN": 128})
