#!/usr/bin/env python3
"""Compiles the CUDA code of `tmap generate`, and compares its PTX with the copies of the spec generate/forms.yaml.

usage: check_generate_cuda.py TMAP_COMMAND NVCC

The test compiles the kernels for architectures that have their instructions, and compares the instructions in the PTX,
their operands, expected bytes and fences with a table. Architectures that lack the instructions must be refused. With
TMAP_LONG set, the test compiles every kernel for every architecture.
"""
import pathlib
import re
import shutil
import sys


sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / folder) for folder in ("fixtures", "generate")]
import harness  # noqa: E402
import reader  # noqa: E402
import toolkits  # noqa: E402
import wheels  # noqa: E402
from code_of import FORMS, SPECS, generate, problems, report_of, run, write_hostile_spec  # noqa: E402

EVERYWHERE = ["sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_107", "sm_107a",
              "sm_107f", "sm_110", "sm_110a", "sm_110f", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"]
SINCE_100 = EVERYWHERE[2:]
DATA_CENTRE = ["sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a", "sm_110f"]
LOAD = ".mbarrier::complete_tx::bytes"
TENSOR, REDUCE = "cp.async.bulk.tensor.", "cp.reduce.async.bulk.tensor."
CTA, CLUSTER, STORE = ".shared::cta.global.", ".shared::cluster.global.", ".global.shared::cta."
MULTICAST = LOAD + ".multicast::cluster"

# For each copy of forms.yaml: the instruction of the PTX ISA, the targets for which it assembles, the transaction bytes
# of a load, and the bytes and alignment of the box in shared memory.
KERNELS = {
    "load_1d": (TENSOR + "1d" + CTA + "tile" + LOAD, EVERYWHERE, 256, 256, 128),
    "load_2d": (TENSOR + "2d" + CLUSTER + "tile" + LOAD, EVERYWHERE, 8192, 8192, 1024),
    # rows of 32 B on a pitch of 64 B, 4 x 2 of them
    "load_3d": (TENSOR + "3d" + CTA + "tile" + LOAD, EVERYWHERE, 256, 512, 512),
    # every second of 4: 2; 8 x 2 x 2 x 2 x 8 B
    "load_4d": (TENSOR + "4d" + CTA + "tile" + LOAD + ".cta_group::1", DATA_CENTRE, 512, 512, 128),
    "load_5d": (TENSOR + "5d" + CLUSTER + "tile" + LOAD + ".cta_group::2", DATA_CENTRE, 512, 512, 128),
    "multicast_3d": (TENSOR + "3d" + CLUSTER + "tile" + MULTICAST, EVERYWHERE, 256, 512, 512),
    "multicast_16": (TENSOR + "1d" + CLUSTER + "tile" + MULTICAST, EVERYWHERE, 256, 256, 128),
    "multicast_pairs": (TENSOR + "5d" + CLUSTER + "tile" + MULTICAST + ".cta_group::2", DATA_CENTRE, 512, 512, 128),
    "gather": (TENSOR + "2d" + CTA + "tile::gather4" + LOAD, SINCE_100, 512, 512, 1024),
    "gather_cluster": (TENSOR + "2d" + CLUSTER + "tile::gather4" + LOAD, DATA_CENTRE, 512, 512, 1024),
    "gather_multicast": (TENSOR + "2d" + CLUSTER + "tile::gather4" + MULTICAST, DATA_CENTRE, 512, 512, 1024),
    "gather_group": (TENSOR + "2d" + CTA + "tile::gather4" + LOAD + ".cta_group::2", DATA_CENTRE, 512, 512, 1024),
    "gather_cluster_group": (TENSOR + "2d" + CLUSTER + "tile::gather4" + LOAD + ".cta_group::1", DATA_CENTRE, 512, 512,
                             1024),
    "gather_pairs": (TENSOR + "2d" + CLUSTER + "tile::gather4" + MULTICAST + ".cta_group::2", DATA_CENTRE, 512, 512,
                     1024),
    "scatter": (TENSOR + "2d" + STORE + "tile::scatter4.bulk_group", DATA_CENTRE, None, 512, 1024),
    "store_1d": (TENSOR + "1d" + STORE + "tile.bulk_group", EVERYWHERE, None, 256, 128),
    "store_5d": (TENSOR + "5d" + STORE + "tile.bulk_group", EVERYWHERE, None, 512, 128),
    **{op: (REDUCE + "2d" + STORE + op + ".tile.bulk_group", EVERYWHERE, None, 1024, 128)
       for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor")},
    "prefetch": ("cp.async.bulk.prefetch.tensor.4d.L2.global.tile", EVERYWHERE, None, None, None),
    "gather_prefetch": ("cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4", DATA_CENTRE, None, None, None),
    "column_3d": (TENSOR + "3d" + CTA + "im2col" + LOAD, EVERYWHERE, 16 * 64, 16 * 128, 1024),
    "column_4d": (TENSOR + "4d" + CLUSTER + "im2col" + LOAD, EVERYWHERE, 16384, 16384, 1024),
    "column_5d": (TENSOR + "5d" + CTA + "im2col" + LOAD, EVERYWHERE, 4 * 32, 4 * 32, 128),
    "column_store": (TENSOR + "4d" + STORE + "im2col_no_offs.bulk_group", EVERYWHERE, None, 16384, 1024),
    "column_max": (REDUCE + "4d" + STORE + "max.im2col_no_offs.bulk_group", EVERYWHERE, None, 16384, 1024),
    "column_prefetch": ("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col", EVERYWHERE, None, None, None),
    "halo": (TENSOR + "4d" + CTA + "im2col::w" + LOAD, SINCE_100, 131 * 128, 131 * 128, 1024),
    "halo_cluster": (TENSOR + "4d" + CLUSTER + "im2col::w" + LOAD, DATA_CENTRE, 16384, 16384, 1024),
    # 128 pixels, and 2 after each 32
    "halo_128": (TENSOR + "4d" + CTA + "im2col::w::128" + LOAD, DATA_CENTRE, 136 * 64, 136 * 64, 512),
    "halo_128_cluster": (TENSOR + "4d" + CLUSTER + "im2col::w::128" + LOAD, DATA_CENTRE, 136 * 64, 136 * 64, 512),
    **{f"{name}{what}": (TENSOR + "4d" + dst + mode + kind, where if what == "_multicast" else DATA_CENTRE, *sizes)
       for name, mode, where, sizes in (("column", "im2col", EVERYWHERE, (16384, 16384, 1024)),
                                        ("halo", "im2col::w", DATA_CENTRE, (16384, 16384, 1024)),
                                        ("halo_128", "im2col::w::128", DATA_CENTRE, (136 * 64, 136 * 64, 512)))
       for what, dst, kind in (("_multicast", CLUSTER, MULTICAST), ("_group", CTA, LOAD + ".cta_group::2"),
                               ("_cluster_group", CLUSTER, LOAD + ".cta_group::1"),
                               ("_pairs", CLUSTER, MULTICAST + ".cta_group::2"))},
    "halo_prefetch": ("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w", DATA_CENTRE, None, None, None),
    "halo_128_prefetch": ("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col::w::128", DATA_CENTRE, None, None, None),
    "load_sixes": (TENSOR + "2d" + CTA + "tile" + LOAD, SINCE_100, 64 * 96, 64 * 128, 1024),
    "load_flipped": (TENSOR + "2d" + CTA + "tile" + LOAD, SINCE_100, 8192, 8192, 512),
    "load_slices": (TENSOR + "3d" + CTA + "tile" + LOAD, EVERYWHERE, 512, 512, 256),
}
# Copies with cache hints: the instruction without the hint, and the words of createpolicy or the number of the policy.
HINT = ".L2::cache_hint"
HINTS = {
    "hint": (TENSOR + "2d" + CTA + "tile" + LOAD, EVERYWHERE, 8192, 8192, 1024, "evict_last"),
    "hint_multicast": (*KERNELS["multicast_3d"], "evict_first 0.5"),
    "hint_pairs": (*KERNELS["gather_pairs"], "evict_normal"),
    "hint_group": (TENSOR + "2d" + CTA + "tile" + LOAD + ".cta_group::1", DATA_CENTRE, 8192, 8192, 1024, "evict_unchanged"),
    "hint_gather": (*KERNELS["gather"], 0x0123456789abcdef),
    "hint_scatter": (*KERNELS["scatter"], "evict_first"),
    "hint_store": (*KERNELS["store_5d"], "evict_last.L2::evict_first 0.0625"),
    "hint_add": (*KERNELS["add"], "evict_last"),
    "hint_prefetch": (*KERNELS["prefetch"], "evict_last"),
    "hint_gather_prefetch": (*KERNELS["gather_prefetch"], "evict_last"),
    "hint_column": (*KERNELS["column_multicast"], "evict_last"),
    "hint_column_max": (*KERNELS["column_max"], "evict_last"),
    "hint_column_prefetch": (*KERNELS["column_prefetch"], "evict_last"),
    "hint_halo": (*KERNELS["halo_128"], "evict_last"),
    "new_store_in_global": (*KERNELS["store_1d"], "evict_first"),
}
KERNELS.update({name: (row[0] + HINT, *row[1:5]) for name, row in HINTS.items()})
# The places of a kernel's map, and the operations on maps.
KERNELS.update({
    "in_param": KERNELS["load_1d"],
    "in_const": (TENSOR + "2d" + CTA + "tile" + LOAD, EVERYWHERE, 8192, 8192, 1024),
    "store_in_const": (TENSOR + "2d" + STORE + "tile.bulk_group", EVERYWHERE, None, 8192, 1024),
    "new_in_global": (TENSOR + "2d" + CTA + "tile" + LOAD, EVERYWHERE, 8192, 8192, 1024),
    "new_prefetch_in_global": ("cp.async.bulk.prefetch.tensor.2d.L2.global.tile", EVERYWHERE, None, None, None),
    "map_prefetch": ("prefetch.tensormap", EVERYWHERE, None, None, None),
    "map_prefetch_param": ("prefetch.param.tensormap", EVERYWHERE, None, None, None),
    "map_prefetch_const": ("prefetch.const.tensormap", EVERYWHERE, None, None, None),
    "map_prefetch_global": ("prefetch.tensormap", EVERYWHERE, None, None, None),
    "new_published": ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned", EVERYWHERE,
                      None, None, None),
})
# The parameter of a kernel, by the space of its map; a map in .const has no parameter.
PARAMETERS = {"param": "const __grid_constant__ CUtensorMap map", "const": "", "global": "const CUtensorMap *map"}
# The instruction of each replacement, and its targets (ptxas 13.0.88, for sm_107 13.5.37). bf16 is 10 and b4x16 is 13,
# the instruction stores rank - 1, and only the low 32 bits of 2^32.
REPLACES = ["sm_90a", "sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a", "sm_110f", "sm_120a",
            "sm_120f", "sm_121a", "sm_121f"]
REPLACEMENTS = {
    "new_address": ("global_address.global.b1024.b64", "", 0x7f0000001000, REPLACES),
    "new_rank": ("rank.global.b1024.b32", "", 2, REPLACES),
    "new_dim": ("global_dim.global.b1024.b32", "1, ", 0, REPLACES),
    "new_stride": ("global_stride.global.b1024.b64", "0, ", 4096, REPLACES),
    "new_box": ("box_dim.global.b1024.b32", "1, ", 32, REPLACES),
    "new_step": ("element_stride.global.b1024.b32", "1, ", 2, REPLACES),
    "new_type": ("elemtype.global.b1024.b32", None, 10, REPLACES),
    "new_packed_type": ("elemtype.global.b1024.b32", None, 13, REPLACES[1:]),
    "new_layout": ("interleave_layout.global.b1024.b32", None, 0, REPLACES),
    "new_swizzle": ("swizzle_mode.global.b1024.b32", None, 2, REPLACES),
    "new_96": ("swizzle_mode.global.b1024.b32", None, 4, ["sm_103a", "sm_107a"]),
    "new_atoms": ("swizzle_atomicity.global.b1024.b32", None, 0, REPLACES[1:]),
    "new_fill": ("fill_mode.global.b1024.b32", None, 0, REPLACES),
    "new_in_shared": ("global_dim.shared::cta.b1024.b32", "1, ", 4096, REPLACES),
    "new_immediate_in_shared": ("swizzle_mode.shared::cta.b1024.b32", None, 2, REPLACES),
    "new_generic": ("global_stride.b1024.b64", "0, ", 4096, REPLACES),
}
KERNELS.update({name: ("tensormap.replace.tile." + form, archs, None, None, None)
                for name, (form, _, _, archs) in REPLACEMENTS.items()})
# Without a tensor map.
BULK, BULK_REDUCE = "cp.async.bulk", "cp.reduce.async.bulk"
SEND = ".shared::cluster.shared::cta" + LOAD
KERNELS.update({
    "flat_load": (BULK + CTA.rstrip(".") + LOAD, EVERYWHERE, 1040, 1040, 16),
    "flat_load_cluster": (BULK + CLUSTER.rstrip(".") + LOAD + HINT, EVERYWHERE, 1040, 1040, 16),
    "flat_multicast": (BULK + CLUSTER.rstrip(".") + MULTICAST, EVERYWHERE, 1040, 1040, 16),
    "flat_store": (BULK + STORE + "bulk_group", EVERYWHERE, None, 1040, 16),
    "flat_masked": (BULK + STORE + "bulk_group" + HINT + ".cp_mask", SINCE_100, None, 1040, 16),
    "flat_add": (BULK_REDUCE + STORE + "bulk_group.add.f32", EVERYWHERE, None, 1040, 16),
    "flat_add_half": (BULK_REDUCE + STORE + "bulk_group" + HINT + ".add.noftz.bf16", EVERYWHERE, None, 1040, 16),
    "flat_max_half": (BULK_REDUCE + STORE + "bulk_group.max.bf16", EVERYWHERE, None, 1040, 16),
    "flat_add_double": (BULK_REDUCE + STORE + "bulk_group.add.f64", EVERYWHERE, None, 1040, 16),
    "flat_xor": (BULK_REDUCE + STORE + "bulk_group.xor.b32", EVERYWHERE, None, 64, 16),
    # CTA 1 receives the bytes at 0x1000 + 4 x 4; they end 4176 B after the box of CTA 0.
    "flat_send": (BULK + SEND, EVERYWHERE, None, 4176, 16),
    "flat_send_add": (BULK_REDUCE + SEND + ".add.u32", EVERYWHERE, None, 4176, 16),
    "flat_prefetch": (BULK + ".prefetch.L2.global", EVERYWHERE, None, None, None),
})
FENCE, INIT = "fence.proxy.async.shared::cta", "mbarrier.init.shared::cta.b64"
ARRIVE, WAIT = "mbarrier.arrive.expect_tx.shared::cta.b64", "mbarrier.try_wait.parity.shared::cta.b64"
ACQUIRE = "fence.proxy.tensormap::generic.acquire.gpu"
CLUSTER_ARRIVE, CLUSTER_WAIT = "barrier.cluster.arrive.release", "barrier.cluster.wait.acquire"


def protocol(name, copy):
    """Returns the instructions of a kernel that order its memory, including the copy."""
    opcode = KERNELS[name][0]
    cluster = [CLUSTER_ARRIVE, CLUSTER_WAIT]
    acquire = [ACQUIRE] if copy.get("map_space") == "global" and not copy["op"].endswith("_map") else []
    if copy["op"].startswith("prefetch") or copy["op"] in ("publish_map", "query_map"):
        return [*acquire, opcode]
    if SEND in opcode:
        return [INIT, "fence.mbarrier_init.release.cluster", ARRIVE, *cluster, FENCE, "bar.sync", opcode, WAIT, *cluster]
    if KERNELS[name][2] is None:
        return [FENCE, "bar.sync", *acquire, opcode, "cp.async.bulk.commit_group", "cp.async.bulk.wait_group.read"]
    if "cta_mask" not in copy:
        return [INIT, FENCE, "bar.sync", ARRIVE, *acquire, opcode, WAIT]
    paired = cluster if copy.get("cta_group") == 2 else []
    return [INIT, "fence.mbarrier_init.release.cluster", FENCE, *cluster, ARRIVE, opcode, WAIT, *paired, *cluster]


def entries(ptx):
    """Returns the body of each kernel, by the name of its copy."""
    for part in ptx.split(".visible .entry ")[1:]:
        size = re.match(r"_Z(\d+)copy_", part)
        yield part[size.end(1):size.end(1) + int(size.group(1))].removeprefix("copy_"), part


def constants(body):
    """Returns the registers that a kernel sets to a number exactly once."""
    found = {}
    for register, number in re.findall(r"mov\.[bu](?:16|32|64)\s+(%\w+), (-?\d+);", body):
        found.setdefault(register, set()).add(int(number))
    return {register: numbers.pop() for register, numbers in found.items() if len(numbers) == 1}


def vectors(body, opcode):
    """Returns the operands of the copy in braces, and its mask, as numbers."""
    operands = re.search(rf"{re.escape(opcode)} (.*);", body).group(1)
    values = constants(body)
    mask = re.search(r"[\]}], (%rs\d+)(?:, %rd\d+)?$", operands)
    found = [[values.get(register, register) for register in group.split(", ")]
             for group in re.findall(r"\{(.*?)\}", operands)]
    return found + ([[values.get(mask.group(1))]] if mask else [])


def wanted_vectors(copy):
    found = [[copy["column"], *copy["rows"]] if "rows" in copy else copy["at"]]
    if "offsets" in copy:
        found.append(copy["offsets"])
    if "w_offset" in copy:
        found.append([copy["w_halo"], copy["w_offset"]])
    if "cta_mask" in copy:
        found.append([copy["cta_mask"] - (copy["cta_mask"] >> 15 << 16)])
    return found


def check_replacement(name, body):
    """Checks for one instruction with its ordinal and value, an immediate where required, and the fence after it."""
    form, ordinal, value, _ = REPLACEMENTS[name]
    found = re.findall(r"(tensormap\.replace\.tile\.\S+) \[%\w+\], (.*?)(%?\w+);", body)
    if len(found) != 1 or found[0][0] != "tensormap.replace.tile." + form or found[0][1] != (ordinal or ""):
        problems.append(f"{name}: its PTX has {found}")
        return
    operand = found[0][2]
    if (int(operand) if ordinal is None else constants(body).get(operand)) != value:
        problems.append(f"{name}: the operand {operand} is not {value}")
    fence = "tensormap.cp_fenceproxy." if "shared::cta" in form else "fence.proxy.tensormap::generic.release.gpu;"
    if body.find(fence) < body.find("tensormap.replace"):
        problems.append(f"{name}: no fence after the replacement")


def check_hint(name, body, opcode):
    """Checks that the last operand is the policy of the spec."""
    wanted = HINTS[name][5]
    policy = re.search(rf"{re.escape(opcode)} .*, (%rd\d+);", body).group(1)
    if isinstance(wanted, int):
        if constants(body).get(policy) != wanted:
            problems.append(f"{name}: its policy is {constants(body).get(policy)}")
        return
    priorities, fraction = (wanted.split() + ["1.0"])[:2]
    made = re.search(rf"createpolicy\.fractional\.L2::(\S+)\.b64 {policy}, (\S+);", body)
    second = "" if ".L2::" in priorities else ".L2::evict_unchanged"
    if made is None or made.group(1) != priorities + second or float(made.group(2)) != float(fraction):
        problems.append(f"{name}: its policy is {made and made.groups()}, not {wanted}")


def check_kernel(name, copy, body):
    if name in REPLACEMENTS:
        check_replacement(name, body)
        return
    opcode, _, tx_B, _, _ = KERNELS[name]
    heads = [*{word for word in protocol(name, copy)}]
    alternatives = "|".join(re.escape(head) for head in sorted(heads, key=len, reverse=True))
    found = re.findall(rf"({alternatives})(?=[\s;])", body)
    if found != protocol(name, copy):
        problems.append(f"{name}: its PTX has {found}, not {protocol(name, copy)}")
        return
    if name in HINTS:
        check_hint(name, body, opcode)
    if copy["op"].endswith("_map"):
        return
    if "size" in copy:
        operands = re.search(rf"{re.escape(opcode)} (.*);", body).group(1)
        numbers = {constants(body).get(register) for register in re.findall(r"%r\w*\d+", operands)}
        if copy["size"] not in numbers or copy.get("byte_mask", copy["size"]) not in {n & 0xffff for n in numbers if n}:
            problems.append(f"{name}: operands {operands} have no size of {copy['size']}")
    elif vectors(body, opcode) != wanted_vectors(copy):
        problems.append(f"{name}: operands {vectors(body, opcode)}, the spec has {wanted_vectors(copy)}")
    if tx_B is None or "cta_mask" in copy:
        return
    register = re.search(rf"{re.escape(ARRIVE)} _, \[%\w+\], (%\w+);", body).group(1)
    if constants(body).get(register) != tx_B:
        problems.append(f"{name}: expects {constants(body).get(register)} B, not {tx_B}")


# The number of boxes that the barrier of a CTA counts: with cta_group::2 the barrier of the even CTA counts the boxes
# of both.
BOXES = {True: "rank % 2 == 0 ? __popc(cta_mask >> rank & 3) : 0", False: "cta_mask >> rank & 1"}


def check_text(name, copy, code):
    """Checks the shared memory and the bytes that the source states for a kernel."""
    _, _, tx_B, box_B, align = KERNELS[name]
    text = re.search(rf"void [^\n]*copy_{name}\(.*?\n}}\n", code, re.S).group(0)
    if "map_space" in copy and copy["op"] != "replace" and f"copy_{name}({PARAMETERS[copy['map_space']]})" not in text:
        problems.append(f"{name}: its map is not in .{copy['map_space']}")
    if tx_B is not None and f"constexpr uint32_t tx_bytes = {tx_B};" not in text:
        problems.append(f"{name}: no tx_bytes of {tx_B}")
    if "cta_mask" in copy and f"boxes = {BOXES[copy.get('cta_group') == 2]};" not in text:
        problems.append(f"{name}: expects another number of boxes")
    if box_B is None:
        return
    offset, size = f"shared_offset_{name} = {copy['shared']:#x},", f"shared_bytes_{name} = shared_offset_{name} + {box_B},"
    if offset not in code or size not in code:
        problems.append(f"{name}: no box of {box_B} B at {copy['shared']:#x}")
    if f"__align__({align}) unsigned char shared_memory_{name}[]" not in text:
        problems.append(f"{name}: its shared memory is not aligned to {align}")
    pixels = {"hint_multicast": 3, "hint_pairs": 2, "hint_column": 2}
    pixels |= {form + what: 2 for form in ("column", "halo", "halo_128") for what in ("_multicast", "_group", "_pairs")}
    cluster = {"multicast_3d": 3, "multicast_16": 16, "multicast_pairs": 4, "gather_multicast": 2, "gather_pairs": 2,
               "load_5d": 2, "gather_group": 2, "flat_multicast": 3, "flat_send": 2, "flat_send_add": 2, **pixels}.get(name)
    dims = re.findall(r"__cluster_dims__\((\d+), 1, 1\)", text)
    if dims != ([str(cluster)] if cluster else []):
        problems.append(f"{name}: its cluster is not {cluster}")


def compiled(nvcc, source, arch, output):
    """Returns None, or nvcc's messages including warnings, without the advice on the speed of multicasts."""
    kind = "-ptx" if output.suffix == ".ptx" else "-cubin"
    done = run(nvcc, "-std=c++14", f"-arch={arch}", kind, "-o", output, source)
    said = [line for line in (done.stdout + done.stderr).splitlines() if "Advisory: '.multicast::cluster'" not in line]
    return None if done.returncode == 0 and not "".join(said).strip() else "\n".join(said)


def compile_all(tmap, nvcc, work, arch, copies):
    """Compiles all forms of an architecture in one file, with the functions of their tensors."""
    names = [name for name in copies if arch in KERNELS[name][1]]
    code = generate(tmap, FORMS, *names, "--c", "--cuda", "--arch", arch)
    if code is None:
        return
    source = work / "forms.cu"
    source.write_text(code)
    for name in names:
        check_text(name, copies[name], code)
    for given, output in ((source, work / "forms.ptx"), (work / "forms.ptx", work / "forms.cubin")):
        complaint = compiled(nvcc, given, arch, output)
        if complaint:
            problems.append(f"forms.yaml for {arch}: {complaint}")
            return
    bodies = dict(entries((work / "forms.ptx").read_text()))
    if set(bodies) != set(names):
        problems.append(f"forms.yaml for {arch}: kernels {sorted(set(bodies) ^ set(names))} too many or too few")
    for name in set(bodies) & set(names):
        check_kernel(name, copies[name], bodies[name])


def refuse_others(tmap, nvcc, work, arch, copies):
    """tmap refuses kernels whose instructions an architecture lacks, and names the architectures that have them. All
    kernels are in one file, because a compiler continues after the #error of a guard."""
    names = [name for name in copies if arch not in KERNELS[name][1]]
    source = work / "refused.cu"
    source.write_text(generate(tmap, FORMS, *names, "--cuda") or "")
    said = compiled(nvcc, source, arch, work / "refused.cubin") or ""
    for name in names:
        if not re.search(rf"copy_{name} needs one of {re.escape(', '.join(KERNELS[name][1]))}(?![^\"\n])", said):
            problems.append(f"{name} for {arch}: not refused by its guard: {said}")


NEWER = {"spelled": TENSOR + "3d" + CLUSTER + "tile" + MULTICAST + "::16b",
         "spelled_hint": TENSOR + "3d" + CLUSTER + "tile" + MULTICAST + "::16b" + HINT,
         "spelled_pairs": TENSOR + "2d" + CLUSTER + "tile::gather4" + MULTICAST + "::16b.cta_group::2",
         **{"query" + name: f"tensormap.query.alloc_class_large{space}.b1024"
            for name, space in (("", ".global"), ("_param", ".param"), ("_const", ".const"))}}
NEWER_GUARD = re.compile(r"#if CUDA_VERSION < 130[45]0\n#error \"[^\n]*(qualifier multicast_16b \(PTX ISA 9.4|tensormap.query \(PTX ISA 9.5)\)\"\n#endif\n")


def assemble_newest(name, ptx):
    try:
        newest = toolkits.ptxas((13, 5))
    except wheels.Unavailable as why:
        print(f"{name} skipped: {why}")
        return
    done = run(newest, "-arch=sm_100a", ptx, "-o", ptx.with_suffix(".cubin"))
    if done.returncode != 0:
        problems.append(f"{name}: {done.stderr}")


def check_newer(tmap, nvcc, work):
    """The guard refuses code that requires a newer ptxas than nvcc's. Without the guards, and without the suffix or the
    query that this nvcc lacks, nvcc compiles the code to PTX. With them restored, the ptxas of CUDA 13.5 assembles the
    PTX (only in the long run, which fetches it)."""
    spec, named = FORMS.with_name("newer.yaml"), {}
    for name, opcode in NEWER.items():
        code = generate(tmap, spec, name, "--cuda", "--arch", "sm_100a") or ""
        if NEWER_GUARD.sub("", code) == code:
            problems.append(f"{name}: no guard against an older CUDA")
        if opcode + " " not in code:
            problems.append(f"{name}: no {opcode}")
        named[opcode] = f"setp.ne.u64 p, %1, {85 + len(named)};"
    code = NEWER_GUARD.sub("", generate(tmap, spec, *NEWER, "--cuda", "--arch", "sm_100a") or "")
    for opcode, instead in named.items():
        code = code.replace(opcode + " p, [%1];", instead)
    source, output = work / "newer.cu", work / "newer.ptx"
    source.write_text(code.replace("::16b", ""))
    complaint = compiled(nvcc, source, "sm_100a", output)
    if complaint:
        problems.append(f"newer.yaml: {complaint}")
    elif harness.LONG:
        newest = re.sub(r"^\.version .*$", ".version 9.5", output.read_text(), flags=re.M)
        for opcode, instead in named.items():
            newest = newest.replace(opcode.replace("::16b", "") + " ", opcode + " ")
            newest = re.sub(re.escape(instead).replace("%1", r"(%rd\d+)"), opcode + r" p, [\1];", newest)
            if opcode + " " not in newest:
                problems.append(f"newer.yaml: its PTX lacks {opcode}")
        output.write_text(newest)
        assemble_newest("newer.yaml", output)


def check_specs_cuda(tmap, nvcc, work):
    """Checks the transaction bytes of the shipped specs. Compiles both sides of a spec in one file for the spec's
    architecture: of every ninth spec, or with TMAP_LONG of every spec."""
    hostile = write_hostile_spec(work)
    for number, spec in enumerate([hostile, *SPECS]):
        contents = reader.read(spec.read_text(encoding="utf-8"))
        code = generate(tmap, spec, "--c", "--cuda")
        if code is None:
            continue
        source = work / "spec.cu"
        source.write_text(code)
        archs = contents.get("arch", "sm_100a")
        archs = archs if isinstance(archs, list) else [archs]
        for arch in archs if number % 9 == 0 or harness.LONG else []:
            complaint = compiled(nvcc, source, arch, work / "spec.cubin")
            if complaint and re.search(r"needs CUDA 13\.[2-9] or later: qualifier ignore_oob", complaint):
                print(f"{spec.name}: not compiled: its .ignore_oob needs a newer nvcc")
            elif complaint:
                problems.append(f"{spec.name}: {complaint}")
        expected = [copy["expect"]["tx_bytes"] for copy in contents["copies"].values()
                    if copy["op"] in ("load", "gather4") and "tx_bytes" in copy.get("expect", {})]
        written = {int(number) for number in re.findall(r"tx_bytes = (\d+);", code)}
        if not set(expected) <= written:
            problems.append(f"{spec.name}: transaction bytes {sorted(set(expected) - written)} are missing")


def nvcc_of(nvcc, arch):
    """Returns this machine's nvcc if it has the architecture, otherwise the newest of the package index, otherwise
    None."""
    virtual = "compute_" + re.search(r"\d+", arch).group()
    if virtual in run(nvcc, "--list-gpu-arch").stdout.split():
        return nvcc
    try:
        return toolkits.nvcc()
    except wheels.Unavailable as why:
        print(f"{arch} skipped: {nvcc} does not support it, and {why}")
        return None


def check_cuda(tmap, nvcc, work):
    copies = reader.read(FORMS.read_text())["copies"]
    if set(copies) != set(KERNELS):
        problems.append(f"forms.yaml and the table differ: {sorted(set(copies) ^ set(KERNELS))}")
        return
    long = harness.LONG
    for arch in EVERYWHERE if long else ["sm_90a", "sm_100a"]:
        knows_it = nvcc_of(nvcc, arch)
        if knows_it:
            compile_all(tmap, knows_it, work, arch, copies)
    for arch in EVERYWHERE if long else ["sm_90a", "sm_100"]:
        knows_it = nvcc_of(nvcc, arch)
        if knows_it:
            refuse_others(tmap, knows_it, work, arch, copies)
    check_newer(tmap, nvcc, work)
    check_specs_cuda(tmap, nvcc, work)
    print(f"{len(copies)} kernels and {len(SPECS) + 1} specs as CUDA")


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if not shutil.which(arguments[1]):
        harness.skip("no nvcc on this machine")
    return report_of(check_cuda, *arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
