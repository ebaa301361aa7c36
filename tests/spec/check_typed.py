#!/usr/bin/env python3
"""Inputs that people type in place of names, numbers, keys and YAML: each must get a fix that works.

    check_typed.py TMAP_COMMAND SOURCE_DIR

Each row is one change to the spec below: what is typed, the place and the fix of the first error, and what a reader who
follows the fix writes. The typed spec must have this error, with the typed words at this place, and the corrected spec
must have no error. The words of other programs are from their documents: CUDA's cuda.h, PyTorch, JAX, CUTLASS, PTX.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

command, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
SPEC = """tmap: 1
arch: sm_90a
toolkit: 13.0
tensors:
  a:
    mode: tiled
    type: bf16
    order: inner_first
    dims: [4096, 8192]
    strides: [8192]
    box: [64, 64]
    interleave: none
    swizzle: 128B
    l2_promotion: 256B
    oob_fill: zero
copies:
  c:
    tensor: a
    op: load
    at: [0, 0]
    shared: 0
    dst: cta
"""
# key: the name that the hint has, and the words for which it has this name. Types without dims 4096 x 8192 of 2 bytes
# get strides and a box that fit.
WORDS = {
    "type": {
        "bf16": "BF16 Bf16 bfloat bfloat16 Bfloat16 torch.bfloat16 jnp.bfloat16 tl.bfloat16 __nv_bfloat16 nv_bfloat16 "
                "c10::BFloat16 cutlass::bfloat16_t bf-16 “bf16” ‘bf16’ ｂｆ１６ bf16, bf16; <bf16>",
        "f16": "F16 fp16 FP16 half __half half_t float16 np.float16 torch.half c10::Half kHalf kHALF HalfTensor \"<f2\" <f2 '>f2' =f2",
        "f32": "F32 fp32 float float32 torch.float32 tl.float32 '<f4'",
        "f64": "double fp64 float64 torch.double <f8", "tf32": "TF32 tfloat32 cutlass::tfloat32_t",
        "u8": "U8 uint8 uint8_t torch.uint8 bool byte char uchar '|u1' '|b1'", "s8": "int8 int8_t '|i1'",
        "u16": "uint16 uint16_t ushort <u2", "s16": "short int16_t <i2",
        "s32": "int32 int32_t int <i4", "s64": "int64 int64_t long <i8",
        "u32": "uint32 uint32_t uint unsigned unsigned~int <u4", "u64": "uint64 uint64_t ulong unsigned~long <u8",
        "e4m3": "float8_e4m3fn torch.float8_e4m3fn __nv_fp8_e4m3 f8e4m3 E4M3", "e5m2": "float8_e5m2 __nv_fp8_e5m2 E5M2",
        "e8m0": "ue8m0 float8_e8m0fnu",
    },
    "oob_fill": {"zero": "ZERO Zero zeros none None FLOAT_OOB_FILL_NONE",
                 "nan": "NaN NAN Nan nans FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA"},
    "op": {"load": "lode LOAD Load laod loads tma_load TMA_LOAD ld read READ g2s G2S multicast load_multicast",
           "store": "Store STORE stor tma_store st stores write s2g", "reduce_add": "add", "reduce_max": "max", "reduce_min": "MIN"},
    "arch": {"sm_90a": "hopper Hopper HOPPER H100 h200 GH200 SM_90A sm_90A sm90a SM90a 90a compute_90a sm-90a",
             "sm_90": "sm90 SM90 90 9.0 compute_90 cc90 SM_90", "sm_100a": "blackwell B200 GB200 sm100a 100a SM_100A",
             "sm_100": "10.0 SM100", "sm_103a": "B300 GB300 blackwell~ultra Blackwell-Ultra", "sm_120a": "RTX5090 RTX-5090 5090", "sm_120": "12.0 sm120",
             "sm_121a": "GB10", "sm_110a": "Thor"},
    "toolkit": {"13.0": "13 '13' cu130 13.0.1 CUDA13.0", "12.8": "12.8.1 v12.8 cuda12.8 CUDA-12.8 cu128 12080", "12.0": "12 12000", "13.1": "13010"},
    "swizzle": {
        "128B": "Swizzle<3,4,3> Sw<3,4,3> swizzle(3,4,3) Swizzle<3,3,3> SW128 sw128 Sw128B B128 128 128bytes SWIZZLE_128B "
                "swizzle_128B K_SW128 Layout_K_SW128_Atom Swizzle128B 3,4,3 128B, @128B",
        "64B": "Swizzle<2,4,3> Sw<2,4,3> SW64 64 64bytes", "32B": "Swizzle<1,4,3> swizzle(1,4,3) SW32 32",
        "none": "Swizzle<0,4,3> None off no INTER SWIZZLE_NONE",
        "128B_atom32B": "SWIZZLE_128B_ATOM_32B Swizzle<2,5,2>",
    },
    "l2_promotion": {"256B": "256 L2_PROMOTION_L2_256B B256 L2::256B", "128B": "128 L2::128B", "none": "None"},
    "interleave": {"none": "None INTERLEAVE_NONE"},
    "mode": {"tiled": "TILED Tiled tiles tiled::gather4 gather4"},
    "order": {"inner_first": "INNER_FIRST inner-first innerfirst inner"},
    "dst": {"cta": "CTA shared::cta smem", "cluster": "CLUSTER shared::cluster"},
}
TYPED_NUMBERS = ["4e3", "4*1024", "4096.0", "4.096e3", "2**12", "1<<12", "1 << 12", "4 * 1024", "64 * 64", "4k", "4K", "4KB", "4KiB",
                 "4096L", "4096u", "4096ULL", "'4096'", "４０９６", "0b1000000000000", "0o10000", "4'096", "04096", "+4096", "8192/2",
                 "4096\u00a0"]
LISTS = ["(4096, 8192)", "4096, 8192", "4096x8192", "4096 8192", "{4096, 8192}", "torch.Size([4096, 8192])", "［4096, 8192］",
         "4096, 8192]", '"[4096, 8192]"', "[4096 8192]", "[4096; 8192]", "[4096， 8192]"]
C_COMMENT = "leave the comment out, or '#' and a line for each comment"
# the typed lines in place of a line of the spec; place; fix; the corrected lines
LINES = [
    ("    type: bf16", "    type:bf16", "7:5", "type: bf16", None),
    ("    type: bf16", "    type:\u00a0bf16", "7:5", "type: bf16", None),
    ("    type: bf16", "    type: \u00a0bf16", "7:11", "type: bf16", None),
    ("    type: bf16", "    type:\u3000bf16", "7:5", "type: bf16", None),
    ("    type: bf16", "    type：bf16", "7:5", "type: bf16", None),
    ("    type: bf16", "    type： bf16", "7:5", "type: bf16", None),
    ("    type: bf16", "    type bf16", "7:5", "type: bf16", None),
    ("    type: bf16", "    type = bf16", "7:5", "type: bf16", None),
    ("    type: bf16", "    type=bf16", "7:5", "type: bf16", None),
    ("    type: bf16", "    Type: bf16", "7:5", "type", None),
    ("    type: bf16", "    \u200btype: bf16", "7:5", "type", None),
    ("    type: bf16", "    type: \"bf16", "7:11", '" at the end of the text', '    type: "bf16"'),
    ("    type: bf16", "    type: 'bf16", "7:11", "' at the end of the text", "    type: 'bf16'"),
    ("    type: bf16", "    type: |bf16", "7:12", "quotes around the value", None),
    ("    type: bf16\n    order: inner_first", "    type: bf16 order: inner_first", "7:21",
     "a new line before this key, or quotes around the value", None),
    ("tmap: 1", "tmap:1", "1:1", "tmap: 1", None),
    ("  a:", "  a", "5:3", "a:", None),
    ("    dims: [4096, 8192]", "    dims:[4096, 8192]", "9:5", "dims: [4096, 8192]", None),
    ("    dims: [4096, 8192]", "    dims: [4096, 8192", "9:11", "']' after the last value", None),
    ("    dims: [4096, 8192]", "    dims: [4096, 8192]]", "9:23", "leave ']' out", None),
    ("    dims: [4096, 8192]", "    dims: [4096, 8192}", "9:22", "']'", None),
    ("    dims: [4096, 8192]", "    dims: [4096, 8192],", "9:23", "leave ',' out", None),
    ("    dims: [4096, 8192]", "    dims: [4096,, 8192]", "9:17",
     "a value before this character, or leave the character out", None),
    ("    dims: [4096, 8192]", "    dims: - 4096\n      - 8192", "9:11", "the list in brackets, or a new line before '-'", None),
    ("    dims: [4096, 8192]", "    dim: [4096, 8192]", "9:5", "dims", None),
    ("    box: [64, 64]", "    boxes: [64, 64]", "11:5", "box", None),
    ("    box: [64, 64]", "\tbox: [64, 64]", "11:1", "indent with spaces: YAML does not allow tabs here", None),
    ("    box: [64, 64]", "     box: [64, 64]", "11:6", "indent it by 4 columns", None),
    ("    swizzle: 128B", "    swizle: 128B", "13:5", "swizzle", None),
    ("    swizzle: 128B", "    swizzles: 128B", "13:5", "swizzle", None),
    ("    swizzle: 128B", "    swizzle:128B", "13:5", "swizzle: 128B", None),
    ("    swizzle: 128B", "    swizzle: `128B`", "13:14", "leave '`' out, or quotes around the value", None),
    ("tensors:", "tensor:", "4:1", "tensors", None),
    ("copies:", "copy:", "16:1", "copies", None),
    ("    strides: [8192]", "    stride: [4096, 1]", "10:5",
     "strides: [8192], in bytes and without the innermost dimension", None),
    ("    strides: [8192]", "    strides: [4096, 1]", "10:14",
     "strides: [8192], in bytes and without the innermost dimension", None),
    ("    strides: [8192]", "    strides: [1, 4096]", "10:14",
     "strides: [8192], in bytes and without the innermost dimension", None),
    ("    strides: [8192]", "    strides: [8192, 2]", "10:14",
     "strides: [8192], in bytes and without the innermost dimension", None),
    ("    strides: [8192]", "    stride: (4096, 1)", "10:5",
     "strides: [8192], in bytes and without the innermost dimension", None),
    ("    strides: [8192]", "    strides: (4096, 1)", "10:14",
     "strides: [8192], in bytes and without the innermost dimension", None),
    ("    at: [0, 0]", "    at:[0, 0]", "20:5", "at: [0, 0]", None),
    ("    at: [0, 0]", "    at: {x:0, y: 0}", "20:10", "x: 0", None),
    ("    at: [0, 0]", "    at: {x: 0, y=0}", "20:16", "y: 0", None),
    ("    at: [0, 0]", "    at:\n      x: 0\n      y:0", "22:7", "y: 0", None),
    ("    at: [0, 0]", "    at:\n      x:0\n      y: 0", "21:7", "x: 0", None),
    ("    box: [64, 64]", "    box: {x:64, y:64}", "11:11", "x: 64", None),
    ("    type: bf16", "    type :bf16", "7:5", "type: bf16", None),
    ("arch: sm_90a", "arch :sm_90a", "2:1", "arch: sm_90a", None),
    ("    type: bf16", "   type: bf16", "7:4", "indent it by 4 columns", None),
    ("    type: bf16", "    type: bf16 // half", "7:11", "type: bf16", None),
    ("arch: sm_90a", "arch: sm_90a, sm_100a", "2:7", "arch: [sm_90a, sm_100a]", "arch: [sm_90a, sm_100a]"),
    ("    dims: [4096, 8192]", "    dims: [[4096, 8192]]", "9:12", "a number, without brackets", None),
    ("arch: sm_90a", "arch: sm_90a sm_100a", "2:7", "arch: [sm_90a, sm_100a]", "arch: [sm_90a, sm_100a]"),
    ("arch: sm_90a", "arch: hopper, blackwell # both", "2:7", "arch: [sm_90a, sm_100a]", "arch: [sm_90a, sm_100a]"),
    ("    oob_fill: zero", "    oob_fill: zero\n    ops: load store", "16:10", "ops: [load, store]",
     "    oob_fill: zero\n    ops: [load, store]"),
    ("    dims: [4096, 8192]", "    dims: [4,096, 8192]", "9:14", "4096, without a comma between thousands", None),
    ("    dims: [4096, 8192]", "    dims: [4,608, 8192]", "10:14", "give 1 more; or, if '4,608' in dims is one number, 4608", None),
    ("    dims: [4096, 8192]", "    dims: [64*K, 8192]", "9:12", "a number, or a section sizes: {K: 64} with the value of K", None),
    ("    strides: [8192]", "    strides: [8192B]", "10:15", "8192", None),
    ("    strides: [8192]", "    strides: [8192 bytes]", "10:15", "8192", None),
    ("    strides: [8192]", "    strides: [8 KiB]", "10:15", "8Ki", None),
    ("    box: [64, 64]", "    box: [64 elements, 64]", "11:11", "64", None),
    ("    box: [64, 64]", "    box:\n      x:64\n      y:32", "12:7", "box: {x: 64, y: 32}", "    box: {x: 64, y: 32}"),
    ("    at: [0, 0]", "    at:\n      x:0\n      y:64", "21:7", "at: {x: 0, y: 64}", "    at: {x: 0, y: 64}"),
    ("    shared: 0", "    shared: 0 // the tile", "21:13", "0", None),
    ("    box: [64, 64]", "    box: [64, 64] // the tile", "11:19", C_COMMENT, None),
    ("copies:", "// copies\ncopies:", "16:1", C_COMMENT, None),
    ("copies:", "copies: /* all */", "16:9", C_COMMENT, None),
    ("tmap: 1", "// a spec\ntmap: 1", "1:1", C_COMMENT, None),
]
FLOW = "tmap: 1\ntensors:\n  a: {type: bf16, dims: [64], box: [64]}\n"
FLOWS = [
    ("type: bf16", "type:bf16", "3:7", "type: bf16"), ("dims: [64]", "dims:[64]", "3:19", "dims: [64]"),
    ("a: {", "a:{", "3:3", "a: {type: bf16, dims: [64], box: [64]}"), ("[64]}", "[64}", "3:39", "']'"),
    ("[64]}", "[64]", "3:6", "'}' after the last value"),
    ("dims: [64]", "dims: (64, 8)", "3:25", "dims: [...], with brackets in place of parentheses"),
    ("dims: [64]", "stride: [1], dims: [64]", "3:19", "leave this key out: the innermost dimension has no stride"),
    ("dims: [64]", "strides: [2], dims: [64]", "3:28", "leave this key out: the innermost dimension has no stride"),
]


JSON = '{\n  "tmap": 1,\n  "tensors": {"a": {"type": "bf16", "dims": [64], "box": [64]}}\n}\n'
JSONS = [
    ('1,\n', '1, // version\n', "2:14"), ('1,\n', '1, /* version */\n', "2:14"), ('{\n', '// a spec\n{\n', "1:1"),
    ('1,\n', '1,\n  // "arch": "sm_90a",\n', "3:3"), ('"dims"', '// half\n "dims"', "3:37"), ('[64]}', '[64]} // one', "3:64"),
]
# CuTe's swizzles of elements: the type, the numbers, the name (cute/swizzle.hpp; recast of Swizzle<3,4,3> of bytes)
CUTE = [("u8", "3,4,3", "128B"), ("bf16", "3,3,3", "128B"), ("f32", "3,2,3", "128B"), ("f64", "3,1,3", "128B"),
        ("bf16", "2,3,3", "64B"), ("f32", "1,2,3", "32B"), ("b4x16", "3,5,3", "128B"), ("f32", "2,3,2", "128B_atom32B"),
        ("u8", "3,3,3", None), ("f32", "3,3,3", None), ("bf16", "3,2,3", None), ("bf16", "3,4,4", None)]


def rows():
    for key, names in WORDS.items():
        line = re.search(rf"^ *{key}: .*$", SPEC, re.M)[0]
        indent = line[:len(line) - len(line.lstrip())]
        for name, words in names.items():
            for word in words.split():
                made = re.search(r"^[^@]*$", word)
                word = word.replace("~", " ")
                fix = f"{key}: {name}" if made else "leave '@' out, or quotes around the value"
                spec = SPEC.replace("toolkit: 13.0", "toolkit: 13.3") if key == "arch" else SPEC
                typed = spec.replace(line if key != "toolkit" else "toolkit: 13.0", f"{indent}{key}: {word}")
                yield typed, word, None, fix, spec.replace(line, f"{indent}{key}: {name}")
    for number in TYPED_NUMBERS:
        typed = SPEC.replace("[4096,", f"[{number},")
        value = "4000" if number == "4e3" else "4Ki" if number[0] == "4" and number[1] in "kK" else "4096"
        fix = value + (", without the quotes" if number[0] == "'" else "")
        right = SPEC.replace("[4096,", f"[{value},")
        yield typed, number, "9:12", fix, right
    for wrong in LISTS:
        inside = re.match(r"\[4096[ ;，]", wrong)
        fix = "4096, 8192" if inside else "dims: [4096, 8192]"
        yield SPEC.replace("[4096, 8192]", wrong), wrong, "9:12" if inside else "9:11", fix, SPEC
    for line, typed, place, fix, right in LINES:
        yield SPEC.replace(line, typed), typed, place, fix, SPEC.replace(line, right) if right else SPEC
    for line, typed, place, fix in FLOWS:
        yield FLOW.replace(line, typed), typed, place, fix, FLOW
    for text, typed, place in JSONS:
        yield JSON.replace(text, typed, 1), typed, place, C_COMMENT, JSON
    for of_type, numbers, name in CUTE:
        flow = FLOW.replace("bf16", of_type).replace("box", f"swizzle: 'Swizzle<{numbers}>', box").replace("[64]", "[128]")
        yield flow, f"{numbers} of {of_type}", None, f"swizzle: {name}" if name else "one of these names", \
            flow.replace(f"'Swizzle<{numbers}>'", name or "128B")
    batch = "tmap: 1\ntensors:\n  a: {type: bf16, order: outer_first, dims: [2, 8, 4096], STRIDES, box: [1, 8, 64]}\n"
    yield (batch.replace("STRIDES", "stride: [32768, 4096, 1]"), "stride of rank 3", "3:59",
           "strides: [65536, 8192], in bytes and without the innermost dimension",
           batch.replace("STRIDES", "strides: [65536, 8192]"))
    last = SPEC + "    cta_group:1\n"
    yield last, "cta_group:1 at the end", f"{last.count(chr(10))}:5", "cta_group: 1", None
    yield SPEC.replace("    type: bf16", "    type:bf16").replace("\n", "\r\n"), "CRLF", "7:5", "type: bf16", SPEC
    field = (source / "tests/data/field/space-after-colon.yaml").read_text()
    yield field, "space-after-colon.yaml", "4:5", "type: bf16", field.replace("type:bf16", "type: bf16")


def checked(folder, texts):
    paths = [folder / f"{number}.yaml" for number in range(len(texts))]
    for path, text in zip(paths, texts):
        path.write_text(text, newline="")
    run = subprocess.run([command, "check", "--json", *paths], capture_output=True, text=True)
    return [file["diagnostics"] for file in json.loads(run.stdout)["files"]]


with tempfile.TemporaryDirectory() as work:
    everything = list(rows())
    folders = [pathlib.Path(work) / name for name in ("typed", "right")]
    for folder in folders:
        folder.mkdir()
    typed = checked(folders[0], [row[0] for row in everything])
    right = checked(folders[1], [row[4] or SPEC for row in everything])
failures = 0
WIDER = {"op-toolkit", "box-inner-span", "stride-below-row", "stride-align", "box-inner-align", "swizzle-arch", "strides-overlap"}
for (text, word, place, fix, _), found, after in zip(everything, typed, right):
    errors = [finding for finding in found if finding["severity"] == "error"]
    said = errors[0] if errors else {"fix": None, "line": 0, "column": 0}
    where = f"{said['line']}:{said['column']}"
    if said["fix"] != fix or (place and where != place):
        print(f"FAIL {word!r}: {where}: fix {said['fix']!r}, not {place or ''} {fix!r}: {said.get('message')}")
        failures += 1
    # A word for another type or swizzle may need another box; the rules report this.
    left = [finding for finding in after if finding["severity"] == "error" and finding["rule"] not in WIDER]
    if left:
        print(f"FAIL {word!r} corrected: {left[0]['message']}")
        failures += 1
print(f"{len(everything)} typed inputs, {failures} failures")
sys.exit(failures != 0)
