#!/usr/bin/env python3
"""Compares the command with the findings of people in public threads: check_threads.py TMAP_COMMAND

Each row is a tensor (and a copy) of the thread, the rule that states the cause, and the thread's own fix: an edit that
the finding must offer, or words of its fix. The expectations were written from the threads before tmap ran on them. A
log must be read, and its CUresult explained if it is that of an earlier kernel. A row without a rule is a legal map.
The spec of a row of FILES with the fix applied has no finding of the rule, and no error.
"""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

# The sequence of a kernel that updates its map, without the first lines.
GROUPED_GEMM = "toolkit: 13.5\n" + (pathlib.Path(__file__).resolve().parents[2] / "specs/sequences/grouped_gemm_map.yaml").read_text().replace("tmap: 1\n", "")

# thread, tensor, copy or None, rule or None, the fix: (key, dim, value) or words
SPECS = [
    # A dimension of one entry: its stride is never used.
    ("flashinfer-ai/flashinfer#2150", "type: bf16, dims: [64, 9, 1], strides: [128, 1000], box: [64, 9, 1]", None, "stride-align", "has no effect"),
    ("vllm-project/vllm#40737", "type: f16, dims: [128, 1], strides: [258], box: [64, 1]", None, "stride-align", "has no effect"),
    ("flagos-ai/FlagGems#4471", "type: f16, dims: [64, 1], strides: [130], box: [64, 1]", None, "stride-align", ("strides", 0, 144)),
    # Empty tensors.
    ("vllm-project/vllm#49922", "type: bf16, dims: [4096, 0], box: [64, 64]", None, "dim-extent", "skip the launch"),
    ("vllm-project/vllm#51486", "type: bf16, dims: [0, 0], box: [64, 64]", None, "dim-extent", "skip the launch"),
    ("vllm-project/vllm#56563", "type: bf16, dims: [576, 0, 16], strides: [1152, 1152], box: [64, 64, 1], address: 0", None, "dim-extent", "skip the launch"),
    ("triton-lang/triton#7785", "type: f16, dims: [64, 0, 1], strides: [128, 0], box: [64, 8, 1]", None, "dim-extent", "skip the launch"),
    ("NVIDIA/TransformerEngine#2848", "type: bf16, dims: [2048, 0], box: [64, 64]", None, "dim-extent", "skip the launch"),
    # Rows that are not a multiple of 16 bytes.
    ("tile-ai/tilelang#460", "type: f16, order: outer_first, dims: [1024, 1025], box: [64, 64]", None, "stride-align", ("strides", 0, 2064)),
    ("flagos-ai/FlagGems#2489", "type: f16, dims: [64, 64], strides: [130], box: [64, 64]", None, "stride-align", ("strides", 0, 144)),
    ("triton-lang/triton#10927", "type: bf16, dims: [511, 1024], strides: [1022], box: [64, 64]", None, "stride-align", ("strides", 0, 1024)),
    ("pytorch/ao#3636", "type: u8, dims: [44, 8192], box: [16, 128]", None, "stride-align", ("strides", 0, 48)),
    ("tile-ai/tilelang#1931", "type: f32, dims: [1733, 128], box: [32, 32]", None, "stride-align", ("strides", 0, 6944)),
    ("NVIDIA/Fuser#3320", "type: f16, dims: [60, 128], box: [64, 128]", None, "stride-align", ("strides", 0, 128)),
    # Broadcasts.
    ("flagos-ai/FlagGems#2616", "type: f16, dims: [64, 64], strides: [0], box: [64, 64]", None, "stride-zero", ("strides", 0, 128)),
    # A stride that was negative, of a dimension of one entry: the thread makes the stride 0, as no data depend on it.
    ("sgl-project/sglang#13775", "type: bf16, dims: [192, 131072, 128, 1], strides: [49152, 384, 2305843007066210304], box: [64, 128, 1, 1], swizzle: 128B", None, "stride-limit", "has no effect"),
    # Boxes.
    ("Ratbuyer/h100-features#1", "type: s32, dims: [16384], box: [512]", None, "box-extent", ("box", 0, 256)),
    ("NVIDIA/Fuser#5444", "type: f32, dims: [4096], box: [512]", None, "box-extent", ("box", 0, 256)),
    ("NVIDIA/Fuser#3472", "type: f16, dims: [131072], box: [512]", None, "box-extent", ("box", 0, 256)),
    ("facebookexperimental/triton#2033", "type: f16, dims: [4096, 4096], box: [64, 512], swizzle: 128B", None, "box-extent", ("box", 1, 256)),
    ("pranjalssh/fast.cu#6", "type: bf16, dims: [8192, 8192], box: [256, 128], swizzle: 128B", None, "box-inner-span", ("box", 0, 64)),
    # Addresses and coordinates.
    ("pytorch/pytorch#184564", "type: f32, dims: [1024], box: [128], address: 0x7f0000000004", None, "address-align", ("address", None, 0x7f0000000010)),
    ("tile-ai/tilelang#2833", "type: f16, dims: [1024], box: [128], address: 0x7f0000000002", None, "address-align", "moved or copied"),
    ("tile-ai/tilelang#2681", "type: s32, dims: [64, 64], box: [32, 32]", "op: store, at: [1, 0], shared: 0x400", "copy-inner-align", ("at", 0, 0)),
    ("tile-ai/tilelang#2527", "type: f16, dims: [128, 128], box: [64, 64]", "op: store, at: [4, 0], shared: 0x400", "copy-inner-align", ("at", 0, 8)),
    # Shared memory.
    ("inclusionAI/humming#21", "type: u8, dims: [4096], box: [128]", "op: load, at: [0], shared: 0x1040", "copy-shared-align", ("shared", None, 0x1080)),
    ("tile-ai/tilelang#2528", "type: f16, dims: [4096], box: [32]", "op: load, at: [32], shared: 0x40", "copy-shared-align", ("shared", None, 0x80)),
    ("NVIDIA/Fuser#3023", "type: f32, dims: [4096], box: [256]", "op: load, at: [0], shared: 0x10", "copy-shared-align", ("shared", None, 0x80)),
    ("NVIDIA/Fuser#4096", "type: f16, dims: [4096, 4096], box: [64, 64], swizzle: 128B", "op: load, at: [0, 0], shared: 0x480", "copy-shared-pattern", ("shared", None, 0x800)),
    ("triton-lang/triton#8657", "type: f32, dims: [4096], box: [128]", "op: store, at: [130], shared: 0x400", "copy-inner-align", ("at", 0, 132)),
    # A stride that overflowed 32 bits, of a dimension of one entry.
    ("NVIDIA/cudnn-frontend#853", "type: f16, dims: [256, 8, 1, 1], strides: [512, 16384, 0xffffffff00000000], box: [64, 2, 1, 1], swizzle: 128B", None, "stride-limit", "has no effect"),
    ("tile-ai/tilelang#1697", "type: f16, order: outer_first, dims: [128, 0], strides: [2], box: [64, 64]", None, "dim-extent", "skip the launch"),
    ("tile-ai/tilelang#2630", "type: f16, dims: [4096, 4096], box: [48, 64], swizzle: 32B", None, "box-inner-span", ("box", 0, 16)),
    ("pytorch/pytorch#184717", "type: bf16, dims: [1024, 64], box: [64, 64], address: 0x7f0000000008", None, "address-align", "moved or copied"),
    # The inner extent is not a multiple of 16 bytes, so stores write bytes after the row; the thread's patch documents this.
    ("triton-lang/triton#11583", "type: u8, dims: [466, 32], strides: [512], box: [128, 32]", "op: store, at: [384, 0], shared: 0x400", "copy-store-whole-units", "the 14 B"),
    ("triton-lang/triton#11583", "type: s32, dims: [466, 32], strides: [2048], box: [128, 32]", "op: store, at: [384, 0], shared: 0x400", "copy-store-whole-units", "the 8 B"),
    ("triton-lang/triton#7385", "type: f16, dims: [1300], box: [128]", "op: load, at: [130], shared: 0x400", "copy-inner-align", ("at", 0, 136)),
    ("pytorch/pytorch#186922", "type: f32, dims: [4096, 1024], box: [1, 64]", None, "box-inner-align", ("box", 0, 4)),
    ("pytorch/helion#2555", "type: f32, dims: [64, 16], box: [32, 64]", None, "box-within-tensor", ("box", 1, 16)),
    # One float for each of 78 multiprocessors; the buffer has room for the next multiple of 16.
    ("HazyResearch/Megakernels#3", "type: f32, dims: [78, 32], box: [16, 1]", None, "stride-align", ("strides", 0, 320)),
    # Replacements.
    ("NVIDIA/cutlass#2283", "type: f16, dims: [4100, 64], strides: [8208], box: [64, 64]", "op: replace, field: strides, ordinal: 0, value: 8200", "replace-value", ("value", None, 8208)),
    ("NVIDIA/cutlass#2283", "type: f16, dims: [4096, 64], box: [64, 64]", "op: replace, field: strides, ordinal: 0, value: 1000", "replace-value", ("value", None, 8192)),
]

# thread, a whole spec without its first lines, rule or None, words of the fix
FILES = [
    # Stages without padding between them: one stage works, two or three fault.
    ("tile-ai/tilelang#2528", "tensors: {t: {type: f16, dims: [4096], box: [32]}}\nshared: {s: {size: 64, stages: 2, pitch: 64}}\n"
     "copies: {c: {tensor: t, op: load, at: [0], buffer: s}}", "buffer-align", "pitch: 128"),
    ("tile-ai/tilelang#2528", "tensors: {t: {type: f16, dims: [4096], box: [64]}}\nshared: {s: {size: 128, stages: 2, pitch: 128}}\n"
     "copies: {c: {tensor: t, op: load, at: [0], buffer: s}}", None, ""),
    ("triton-lang/triton#7386", "tensors: {b: {type: f16, dims: [256], box: [16]}}\nshared: {s: {size: 32, stages: 3, pitch: 32}}\n"
     "copies: {c: {tensor: b, op: load, at: [0], buffer: s}}", "buffer-align", "pitch: 128"),
    ("triton-lang/triton#11736", "tensors: {t: {type: f32, dims: [4, 300], box: [4, 3]}}\nshared: {s: {size: 48, stages: 3, pitch: 48}}\n"
     "copies: {c: {tensor: t, op: load, at: [0, 0], buffer: s}}", "buffer-align", "pitch: 128"),
    ("pytorch/helion#792", "tensors: {t: {type: f32, dims: [64], box: [4]}}\nshared: {s: {size: 16, stages: 4, pitch: 16}}\n"
     "copies: {c: {tensor: t, op: load, at: [0], buffer: s}}", "buffer-align", "pitch: 128"),
    # 128 bytes past a multiple of 1024: the copy is legal, its reader expects the pattern from its start.
    ("tile-ai/tilelang#2379", "tensors: {t: {type: bf16, dims: [64, 64], box: [64, 64], swizzle: 128B}}\n"
     "shared: {pad: {size: 64}, s: {size: 8Ki, align: 128, swizzle: 128B}}\ncopies: {c: {tensor: t, op: load, at: [0, 0], buffer: s}}",
     "buffer-align", "align: 1024"),
    ("tile-ai/tilelang#2379", "tensors: {t: {type: bf16, dims: [64, 64], box: [64, 64], swizzle: 128B}}\n"
     "shared: {pad: {size: 512}, s: {size: 8Ki, align: 1024, swizzle: 128B}}\ncopies: {c: {tensor: t, op: load, at: [0, 0], buffer: s}}",
     None, ""),
    # Twice the rows in a slot of the previous size.
    ("flashinfer-ai/flashinfer#3424", "tensors: {t: {type: u8, dims: [4096, 4096], box: [128, 256], swizzle: 128B}}\n"
     "shared: {s: {size: 16Ki, align: 1024}}\ncopies: {c: {tensor: t, op: load, at: [0, 0], buffer: s}}", "buffer-size", "size: 32768"),
    # Legal maps that were reported as wrong: strides of 16 bytes, a box of the swizzle's span, an address at 16 bytes.
    ("triton-lang/triton#8670", "tensors: {t: {type: f32, dims: [4, 64], strides: [16], box: [4, 8]}}", None, ""),
    ("llvm/llvm-project#152160", "tensors: {t: {type: f16, dims: [4096, 4096], box: [32, 64], swizzle: 64B}}", None, ""),
    ("flashinfer-ai/flashinfer#4543", "tensors: {t: {type: bf16, dims: [128, 24, 1024], box: [64, 1, 64], swizzle: 128B, address: 0x7f0000000010}}",
     None, ""),
    # The driver's own choice of allocation class was wrong for small allocations.
    ("triton-lang/triton#10442", "tensors: {t: {type: f16, dims: [64, 64], strides: [512], box: [64, 64], allocation: 32Ki, allocation_class: large}}",
     "allocation-class-large", "allocation_class: small"),
    # The address and space of the map.
    ("NVIDIA/cutlass#2905", "tensors: {t: {type: u8, dims: [4096, 4096], box: [128, 64], swizzle: 128B, map: {space: param, align: 16}}}",
     "map-align", "alignas"),
    ("triton-lang/triton#9439", "tensors: {t: {type: f16, dims: [4096, 4096], box: [64, 64], map: {space: param, align: 64, offset: 64}}}",
     "map-align-128", "alignas(128)"),
    ("triton-lang/triton#9499", "toolkit: 12.9\ntensors: {t: {type: f16, dims: [4096, 4096], box: [64, 64], map: {space: param, align: 64, offset: 64}}}",
     None, ""),
    ("flashinfer-ai/flashinfer#4101", "toolkit: 12.9\ntensors: {t: {type: u8, dims: [4096, 4096], box: [64, 64], map: {space: global, count: 3, pitch: 64}}}",
     "map-pitch", "pitch: 128"),
    # A mask of the ranks 0 to 2 in a cluster of two.
    ("NVIDIA/cutlass#3658", "cluster: 2\ntensors: {t: {type: f16, dims: [4096, 4096], box: [64, 64]}}\n"
     "copies: {c: {tensor: t, op: load, at: [0, 0], shared: 0x400, dst: cluster, cta_mask: 0x7}}", "cluster-rank", "cta_mask: 0x3"),
    # A barrier that expects the bytes of four thread blocks, but only a pair arrives; and one that expects one tile,
    # but two arrive.
    ("tile-ai/tilelang#2644", "cluster: 4\ntensors: {t: {type: bf16, dims: [4096, 4096], box: [64, 128], swizzle: 128B}}\n"
     "shared: {s: {size: 16Ki, align: 1024}, full: {arrivals: 1, expect_tx: 65536}}\n"
     "copies: {c: {tensor: t, op: load, at: [0, 0], buffer: s, barrier: full, dst: cluster, cta_group: 2, issuers: 2}}",
     "barrier-tx", "expect_tx: 32768"),
    ("flashinfer-ai/flashinfer-bench#183", "cluster: 2\ntensors: {a: {type: bf16, dims: [4096, 4096], box: [64, 128], swizzle: 128B}}\n"
     "shared: {sa: {size: 16Ki, align: 1024}, sb: {size: 16Ki, align: 1024}, full: {arrivals: 1, expect_tx: 16384}}\n"
     "copies: {own: {tensor: a, op: load, at: [0, 0], buffer: sa, barrier: full}, both: {tensor: a, op: load, at: [0, 0], "
     "buffer: sb, barrier: full, dst: cluster, cta_mask: 0x3}}", "barrier-tx", "expect_tx: 32768"),
    # No fence between the update of a map on the device and its use.
    ("triton-lang/triton#7293", GROUPED_GEMM.replace("        - {fence: tensormap_acquire, map: group_a, scope: gpu}\n", ""),
     "sequence-map-acquire", "tensormap_acquire"),
    # Sizes known only at run time: the legal values.
    ("pytorch/ao#3656", "sizes: {COLS: {max: 65536}}\ntensors: {scales: {type: u8, dims: [COLS, 8192], box: [16, 128]}}",
     "stride-align", "multiple_of: 16"),
    ("tile-ai/tilelang#1931", "sizes: {K: {max: 65536}}\ntensors: {a: {type: f32, dims: [K, 128], box: [32, 32]}}", "stride-align", "multiple_of: 4"),
    ("tile-ai/tilelang#460", "sizes: {N: {max: 65536}}\ntensors: {a: {type: f16, dims: [N, 1024], box: [64, 64]}}", "stride-align", "multiple_of: 8"),
    ("deepseek-ai/DeepGEMM#96", "sizes: {S: {max: 65536}}\ntensors: {lhs: {type: e4m3, dims: [1024, 512], strides: [S + 1024], box: [128, 64]}}",
     "stride-align", "multiple_of: 16"),
    ("triton-lang/triton#10927", "sizes: {N: {max: 4096}}\ntensors: {a: {type: bf16, dims: [N, 1024], strides: [2*N], box: [64, 64]}}",
     "stride-align", "multiple_of: 8"),
]

CUTLASS = """Error: Failed to initialize the TMA descriptor {code}
TMA Desc Addr:   0x7ffc89018940
format         {format}
dim            {dim}
gmem_address   {address}
globalDim      {dims}
globalStrides  {strides}
boxDim         {box}
elementStrides (1,1,1,1,1)
interleave     0
swizzle        3
l2Promotion    2
oobFill        0
"""


def cutlass(code, kind, dim, address, dims, strides, box):
    return CUTLASS.format(code=code, format=kind, dim=dim, address=address, dims=dims, strides=strides, box=box)


# The fifth number of a line, and the last stride, are uninitialized memory: the map has rank 4.
TRTLLM = """Error: Failed to initialize the TMA descriptor due to {reason}
tmaFormat: 9 dim: 4 gmem: {address}
Shape: {shape}
Stride: {stride}
tileShapes: {tile}
tileStrides: 1 1 1 1 {rest}
swizzleType: 3
"""
# One head of keys and values: the head dimension has size 1 and the stride of one element.
ONE_HEAD = TRTLLM.format(reason="invalid argument", address="0xf64d740000", shape="64 16 1 7721128 7149852580857340533",
                         stride="128 2 4096 337", tile="64 16 1 1 1024", rest="1969767282")
# The numbers are those of a legal map: the error is from an earlier kernel.
ILLEGAL_ACCESS = TRTLLM.format(reason="an illegal memory access was encountered", address="0xc903c15000",
                               shape="128 7 2 24 1", stride="256 1792 3584 1041", tile="64 8 1 1 3584", rest="3584")

# The form that the change introduces, with the shape of triton-lang/triton#7786 and rows of 2047 floats.
TRITON = """RuntimeError: Triton Error [CUDA]: Failed to create tensor map descriptor: invalid argument
elemType=7 rank=2 global_address=0x7f3a20000000 elemSize=4 swizzle=3 padding=0
shape=[2047, 32]
strides=[8188]
blockSize=[32, 32] elementStrides=[1, 1] fill=0
"""
# The reporter omitted lines; the remaining lines show the cause.
IM2COL = """InternalError: Failed to initialize the TMA descriptor 1 (CUDA_ERROR_INVALID_VALUE: invalid argument)
format         6 (CU_TENSOR_MAP_DATA_TYPE_FLOAT16)
dim            4
globalDim      [128, 8, 8, 1]
smem_box_pixel 16
smem_box_channel 128
elementStrides [1, 1, 1, 1]
interleave     0 (CU_TENSOR_MAP_INTERLEAVE_NONE)
swizzle        3 (CU_TENSOR_MAP_SWIZZLE_128B)
l2Promotion    2 (CU_TENSOR_MAP_L2_PROMOTION_L2_128B)
oobFill        0 (CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
"""
SERVICE = "".join("svc1  | " + line + "\n" for line in cutlass(700, 0, 3, "0x3786d36200", "(4096,1216,1,1,1)", "(1,4096,0,0,0)", "(128,128,1,1,1)").splitlines())

# thread, log, rule or None, words of the findings
LOGS = [
    ("triton-lang/triton#8462", TRITON, "stride-align", "strides[0]: 8192"),
    ("tile-ai/tilelang#2578", IM2COL, "box-inner-span", "channels_per_pixel: 64"),
    ("tile-ai/tilelang#2630", "Invalid TMA descriptor arguments for __tvm_tensormap_create_tiled:\n  [1] boxDim[0] * elementSize must be <= swizzle span "
     "(32 bytes) when swizzle is enabled, but got 48 * 16 bits\n", "box-inner-span", "span of the swizzle"),
    ("tile-ai/tilelang#628", "RuntimeError: Kernel call failed: Error: Failed to initialize the TMA descriptor data_desc\n", None, "stdout and stderr"),
    ("meta-pytorch/applied-ai#38", "python: cute/atom/copy_traits_sm90_tma.hpp:945: Assertion `(gmem_prob_stride[1] & 0b1111) == 0' failed.\n",
     "stride-align", "multiples of 16"),
    ("sgl-project/sglang#6590", "Exception: Failed to encode tensor map: 700\n", None, "earlier kernel"),
    ("guoqingbao/xinfer#302", SERVICE, None, "earlier kernel"),
    ("flashinfer-ai/flashinfer#2232", ONE_HEAD, "stride-align", "has no effect"),
    ("flashinfer-ai/flashinfer#2274", ILLEGAL_ACCESS, None, "earlier"),
    ("NVIDIA/recsys-examples#86", cutlass(1, 9, 3, "0", "(128,0,4,1,1)", "(2,1024,256,0,0)", "(64,128,1,1,1)"), "dim-extent", "skip the launch"),
    ("flashinfer-ai/flashinfer#1150", cutlass(700, 6, 3, "0x2b0022c00000", "(192,2048,32,1,1)", "(2,8192,256,0,0)", "(64,128,1,1,1)"), None, "earlier"),
    ("Soul-AILab/SoulX-FlashTalk#9", cutlass(999, 9, 4, "0x77f154000000", "(128,1512,40,1,1)", "(2,10240,256,0,0)", "(64,128,1,1,1)"), None, "earlier"),
    # The thread contains only the end of a dump, and a message with the driver's numbers.
    ("Dao-AILab/flash-attention#1296", cutlass(1, 7, 4, "0", "(32,49152,16,1,1)", "(4,128,6291456,100663296,0)", "(32,384,1,1,1)").split("gmem_address   0\n")[1],
     "box-extent", "box[1]: 256"),
    ("deepseek-ai/DeepGEMM#237", "RuntimeError: CUDA driver error (csrc/apis/../jit_kernels/impls/sm90_fp8_gemm_1d1d.hpp:65): 715 \n"
     "(CUDA_ERROR_ILLEGAL_INSTRUCTION, an illegal instruction was encountered)\n", None, "earlier kernel"),
    ("deepseek-ai/DeepGEMM#405", "torch.AcceleratorError: CUDA error: an illegal instruction was encountered\n", None, "earlier kernel"),
    ("fauxpilot/fauxpilot#20", "svc  |   what():  [FT][ERROR] CUDA runtime error: operation not supported allocator.h:181\n", None, "801"),
    ("vllm-project/vllm#13961", cutlass(715, 6, 4, "0x40167e202000", "(64,1,32,1,1)", "(2,12288,128,0,0)", "(64,192,1,1,1)"), None, "earlier"),
]

# A quoted log; a log that eight processes wrote to one file at the same time; the record of an autotuner; DeepGEMM's
# fp4 map, with two elements per byte.
QUOTED = "".join(f"> {line}\n" for line in (
    "INFO 04-29 21:05:13 [async_llm.py:252] Added request chatcmpl-29c8.\n"
    + cutlass(715, 0, 4, "0x7f7f5b5cc200", "(128,12,16,1,1)", "(1,2048,128,0,0)", "(128,128,1,1,1)")
    + cutlass(715, 0, 4, "0x7f740e000000", "(128,16,2,155017,1)", "(1,256,128,4096,0)", "(128,160,1,1,1)")).splitlines())
TORN = """globalStrides  Error: Failed to initialize the TMA descriptor 1(700)2

elementStrides ,(2561TMA Desc Addr:   ,,0x7ffc69b82d402561
format         ,,409691,
dim            ,041)
gmem_address   ,
boxDim         0x79c062c000001(
globalDim      )64(
interleave     128,0,128
swizzle        16,3,1
l2Promotion    ,121,
oobFill        17123,0,1
1)Error: Failed to initialize the TMA descriptor )
(Worker_TP3 pid=811) torch.AcceleratorError: CUDA error: an illegal memory access was encountered
"""
AUTOTUNED = ('{"outcome":{"Err":{"Unknown":{"name":"simple_tma_mma","err":"Launch error An unknown error happened during '
             'launch\\nCaused by:\\n  DriverError(CUDA_ERROR_NOT_SUPPORTED, \\"operation not supported\\")\\nBacktrace"}}}}\n')
MOE = ("Making TMA desc: global memory: 1024 4, shared memory: 128 1, outer stride: 1024, swizzle: 0 (base: 0), elem size: 4, "
       "pointer: 134754319020544\nLaunch kernel with {148, 1} x 512, shared memory: 204068 bytes, cluster: 2, pdl: 0, stream: 0\n"
       "#include <deep_gemm/impls/sm100_fp8_fp4_mega_moe.cuh>\nMaking TMA desc: global memory: 1024 67968, shared memory: 128 96, outer stride: 512, swizzle: 128 (base: 0), elem size: 1, "
       "pointer: 134754319024640\n")
LOGS += [
    ("sgl-project/sglang#16327", cutlass(1, 9, 3, "0xfffd770e9c0c", "(7168,119384,1,1,1)", "(2,14336,0,0,0)", "(32,128,1,1,1)"), "address-align", "0xfffd770e9c10"),
    ("vllm-project/vllm#17442", QUOTED, None, "CUresult 715 is CUDA_ERROR_ILLEGAL_INSTRUCTION: an earlier kernel failed"),
    ("vllm-project/vllm#28125", TORN, "import-format", "CUresult 700 is CUDA_ERROR_ILLEGAL_ADDRESS: an earlier kernel failed"),
    ("ogx-ai/llama-stack-apps#30", "Error: Failed to initialize the TMA descriptor 801\n", None, "compute capability 9.0"),
    ("tracel-ai/burn#4445", AUTOTUNED, None, "compute capability 9.0"),
    ("tracel-ai/burn#4445", "Upper corner must be in range [-128, 127] for 4D im2col\n", "corner-range", "rejected a map"),
    ("deepseek-ai/DeepGEMM#300", "torch.AcceleratorError: CUDA error: an illegal instruction was encountered\nSearch for "
     "`cudaErrorIllegalInstruction' in https://docs.nvidia.com/ for more information.\n", None, "earlier kernel"),
    ("sgl-project/DeepGEMM#39", MOE, None, "thread.log:4: ok (dump_2 of DeepGEMM)"),
    ("triton-lang/triton#7967", "RuntimeError: CUDA driver error: invalid argument\n", None, "CUresult 1 (CUDA_ERROR_INVALID_VALUE)"),
    ("NVlabs/NVBit#94", "Cuda error in function 'cudaDeviceSynchronize()' file 'instr_count.cu' in line 226 : an illegal memory "
     "access was encountered.\n", None, "earlier kernel"),
    ("Genesis-Embodied-AI/quadrants#589", "[E cuda_driver.h:operator()@93] CUDA Error CUDA_ERROR_ILLEGAL_ADDRESS while calling cuStreamSynchronize\n",
     None, "earlier kernel"),
]


def run(command, folder, *arguments):
    done = harness.run(command, *arguments, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def offers(finding, wanted):
    if isinstance(wanted, str):
        return wanted in finding["fix"]
    return any(wanted == (edit["key"], edit["index"], edit["value"]) for fix in finding["fixes"] for edit in fix)


def spec_complaint(command, folder, tensor, copy, rule, wanted):
    text = f"tmap: 1\narch: sm_90a\ntensors:\n  a: {{{tensor}}}\n"
    if copy:
        text += f"copies:\n  c: {{tensor: a, {copy}}}\n"
    (folder / "thread.yaml").write_text(text, encoding="utf-8")
    _, stdout, stderr = run(command, folder, "check", "--json", "thread.yaml")
    if not stdout:
        return f"no JSON: {stderr}"
    found = json.loads(stdout)["files"][0]["diagnostics"]
    judged = [d for d in found if d["rule"] == rule]
    if not judged or found[0]["severity"] != judged[0]["severity"]:
        return f"found {[d['rule'] for d in found]}, not {rule}"
    if not any(offers(d, wanted) for d in judged):
        return f"its fix is '{judged[0]['fix']}', not {wanted}"
    if any("in reverse order" in note["message"] for d in judged for note in d["notes"]) and "outer_first" in tensor:
        return "proposes to reverse sizes that are already outermost first"
    return None


def file_findings(command, folder, text):
    head = "" if "toolkit:" in text else "arch: sm_100a\n"
    (folder / "thread.yaml").write_text(f"tmap: 1\n{head}{text}\n", encoding="utf-8")
    _, stdout, stderr = run(command, folder, "check", "--json", "thread.yaml")
    return json.loads(stdout)["files"][0]["diagnostics"] if stdout else [{"rule": stderr, "severity": "error", "fix": ""}]


def with_fix(text, fix):
    """Returns the text with the keys of a fix applied, or None for a fix in words only."""
    size = re.fullmatch(r"sizes: \{(\w+): (\{.*\})\}", fix)
    if size:
        return re.sub(rf"\b{size[1]}: \{{[^}}]*\}}", f"{size[1]}: {size[2]}", text, count=1)
    keys = re.findall(r"\b(pitch|align|size|expect_tx|cta_mask|allocation_class|offset): (\w+)", fix)
    for key, value in keys:
        if not re.search(rf"\b{key}: \w+", text):
            return None
        text = re.sub(rf"\b{key}: \w+", f"{key}: {value}", text, count=1)
    return text if keys else None


def fix_complaint(command, folder, text, rule, fix):
    fixed = with_fix(text, fix)
    if fixed is None:
        return None if rule.startswith("sequence-") else f"nothing to apply in the fix '{fix}'"
    left = [d["rule"] for d in file_findings(command, folder, fixed) if d["severity"] == "error" or d["rule"] == rule]
    return f"with the fix '{fix}' applied: {left}" if left else None


def file_complaint(command, folder, text, rule, words):
    found = file_findings(command, folder, text)
    if [d["rule"] for d in found if d["severity"] != "advice"] != ([rule] if rule else []):
        return f"found {[d['rule'] for d in found]}, not {rule}"
    if rule and not any(d["rule"] == rule and words in d["fix"] for d in found):
        return f"its fix is '{found[0]['fix']}', not {words}"
    return fix_complaint(command, folder, text, rule, next(d["fix"] for d in found if d["rule"] == rule)) if rule else None


def log_complaint(command, folder, log, rule, words):
    (folder / "thread.log").write_text(log, encoding="utf-8")
    arch = ["--arch", "sm_100a"] if "sm100" in log else []
    code, stdout, stderr = run(command, folder, "import", "thread.log", "--check", *arch)
    said = stdout + stderr
    if words not in said:
        return f"does not contain '{words}': {said}"
    if rule and f"[{rule}]" not in said and f"(tmap explain {rule})" not in said:
        return f"does not name {rule}: {said}"
    if not rule and " error:" in said:
        return f"a legal map has an error: {said}"
    return None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    complaints = []
    with harness.scratch() as folder:
        for thread, *row in SPECS:
            complaints += [f"{thread}: {text}" for text in [spec_complaint(sys.argv[1], folder, *row)] if text]
        for thread, *row in FILES:
            complaints += [f"{thread}: {text}" for text in [file_complaint(sys.argv[1], folder, *row)] if text]
        for thread, *row in LOGS:
            complaints += [f"{thread}: {text}" for text in [log_complaint(sys.argv[1], folder, *row)] if text]
    print("\n".join(complaints + [f"{len(SPECS) + len(FILES)} specs and {len(LOGS)} logs of threads, {len(complaints)} complaints"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
