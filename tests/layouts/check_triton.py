#!/usr/bin/env python3
"""Compares tmap's layouts of Triton with Triton: check_triton.py TMAP_COMMAND

Part of the long run (TMAP_LONG): installs the package triton into an environment of build/wheels and runs there. No GPU
is needed. Random encodings, converted by Triton and by tmap: every basis is the same, the S/R/O layout has the same
places, the text of the encoding is read by Triton's parser, and the bank conflicts of random pairs of a register and a
shared layout are the same.
"""
import itertools
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/fixtures"), str(ROOT / "python/tests")]
import harness  # noqa: E402
ROUNDS = 120
PLACES_MAX = 1 << 13  # for larger tensors only the bases are compared
MEMBERS = {"register": "reg_bases", "lane": "lane_bases", "warp": "warp_bases", "block": "block_bases", "offset": "offset_bases"}


class Tmap:
    def __init__(self, command):
        self.command = command

    def value(self, text):
        done = harness.run(self.command, "layout", "--json", text)
        if done.returncode != 0:
            return None, done.stdout + done.stderr
        return json.loads(done.stdout)["value"], ""


# ---- Random encodings, for Triton's constructors and as its IR prints them ----------------------------------------------

def split(rng, total, rank):
    """Returns random powers of two with a product of 2^total."""
    sizes = [1] * rank
    for _ in range(total):
        sizes[rng.randrange(rank)] *= 2
    return sizes


def order_of(rng, rank):
    order = list(range(rank))
    rng.shuffle(order)
    return order


def blocks(rng, rank):
    """Returns bases of thread blocks; a dimension's bases are neighbours, or 0."""
    found, at = [], [1] * rank
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        basis = [0] * rank
        dim = rng.randrange(rank + 1)
        if dim < rank:
            basis[dim], at[dim] = at[dim], at[dim] * 2
        found.append(basis)
    return found


def with_blocks(text, bases):
    return f"{text}, CGALayout = {bases}" if bases else text


def blocked(gl, rng, rank):
    sizes, lanes, warps = split(rng, rng.randrange(5), rank), split(rng, 5, rank), split(rng, rng.randrange(4), rank)
    order, cga = order_of(rng, rank), blocks(rng, rank)
    text = f"sizePerThread = {sizes}, threadsPerWarp = {lanes}, warpsPerCTA = {warps}, order = {order}"
    return gl.BlockedLayout(sizes, lanes, warps, order, cga), f"#ttg.blocked<{{{with_blocks(text, cga)}}}>"


def mma(gl, rng, rank, version):
    warps, cga = split(rng, rng.randrange(4), rank), blocks(rng, rank)
    if version == 3:
        warps = [4 * rng.choice((1, 2)), rng.choice((1, 2))]
    shape = [16, rng.choice((8, 16, 64, 256)), 16] if version == 3 else [1] * (rank - 2) + [16, 8]
    text = f"versionMajor = {version}, versionMinor = 0, warpsPerCTA = {warps}"
    return (gl.NVMMADistributedLayout([version, 0], warps, shape, cga),
            f"#ttg.nvidia_mma<{{{with_blocks(text, cga)}, instrShape = {shape}}}>")


def distributed(gl, rng):
    """Returns an encoding of registers, its text, and its rank."""
    kind = rng.choice(("blocked", "blocked", "mma2", "mma3", "dot2", "dot3", "dotb", "slice", "slice"))
    rank = rng.choice((1, 2, 2, 2, 3, 4)) if kind == "blocked" else rng.choice((2, 2, 3)) if kind in ("mma2", "dot2") else 2
    if kind == "blocked":
        return *blocked(gl, rng, rank), rank
    if kind.startswith("mma"):
        return *mma(gl, rng, rank, int(kind[3])), rank
    if kind == "slice":
        rank = rng.choice((2, 3))
        parent, text = blocked(gl, rng, rank) if rng.random() < 0.5 else mma(gl, rng, 2, rng.choice((2, 3)))
        dim = rng.randrange(parent.rank)
        return gl.SliceLayout(dim, parent), f"#ttg.slice<{{dim = {dim}, parent = {text}}}>", parent.rank - 1
    parent, text = blocked(gl, rng, rank) if kind == "dotb" else mma(gl, rng, rank, int(kind[3]))
    operand, width = 0 if kind == "dot3" else rng.randrange(2), 0 if kind == "dotb" else rng.choice((1, 2, 4, 8))
    return (gl.DotOperandLayout(operand, parent, width),
            f"#ttg.dot_op<{{opIdx = {operand}, parent = {text}" + (f", kWidth = {width}}}>" if width else "}>"), rank)


def nvmma(gl, width, bits, transposed, packed, rank, cga=()):
    text = f"swizzlingByteWidth = {width}, transposed = {str(transposed).lower()}, elementBitWidth = {bits}"
    text += ", fp4Padded = true" if packed else ""
    text += f", rank = {rank}" if rank != 2 else ""
    made = gl.NVMMASharedLayout(width, bits, rank, transposed, packed, list(cga))
    return made, f"#ttg.nvmma_shared<{{{with_blocks(text, list(cga))}}}>"


def every_nvmma(gl, rng):
    """Each form of nvmma_shared with three shapes that it accepts: at least 8 rows of the swizzle's width."""
    for width, bits, transposed, packed, rank in itertools.product((0, 32, 64, 128), (8, 16, 32), (False, True), (False, True),
                                                                   (1, 2, 3, 4)):
        if packed and (width != 128 or bits != 8 or transposed) or rank == 1 and (width or transposed):
            continue
        for _ in range(3):
            cga = blocks(rng, rank)
            shape = [2 ** rng.randrange(1, (0, 11, 11, 8, 6)[rank]) for _ in range(rank)]
            fast, split = 0 if transposed else rank - 1, [1] * rank
            for basis in cga:
                split = [n * (2 if part else 1) for n, part in zip(split, basis)]
            if width:  # Triton ends the process if the box has fewer than 8 rows
                shape[fast] = max(shape[fast], width * 8 // bits)
                shape[rank - 1 - fast] = max(shape[rank - 1 - fast], 8)
            yield *nvmma(gl, width, bits, transposed, packed, rank, cga), [n * part for n, part in zip(shape, split)]


def shared(gl, rng, shape, kinds=("swizzled", "nvmma", "padded", "linear")):
    """Returns an encoding of shared memory for a shape, and its text."""
    kind, rank = rng.choice(kinds), len(shape)
    order = order_of(rng, rank)
    if kind == "swizzled":
        cga = blocks(rng, rank)
        vec, per, most = (2 ** rng.randrange(4) for _ in range(3))
        text = f"vec = {vec}, perPhase = {per}, maxPhase = {most}, order = {order}"
        return gl.SwizzledSharedLayout(vec, per, most, order, cga), f"#ttg.swizzled_shared<{{{with_blocks(text, cga)}}}>"
    if kind == "nvmma":
        width, bits, transposed = rng.choice((0, 32, 64, 128)), rng.choice((8, 16, 32)), rank == 2 and rng.random() < 0.4
        return nvmma(gl, width, bits, transposed, width == 128 and bits == 8 and not transposed and rng.random() < 0.5, rank)
    if kind == "padded":
        pairs = [[2 ** n, 2 ** rng.randrange(5)] for n in sorted(rng.sample(range(2, 9), rng.randrange(1, 3)))]
        named = ", ".join(f"{interval}:+{padding}" for interval, padding in pairs)
        return (gl.PaddedSharedLayout.with_identity_for(pairs, list(shape), order),
                f"#ttg.padded_shared<[{named}] {{order = {order}, shape = {list(shape)}}}>")
    bases = [[(1 << bit) * (d == dim) for d in range(rank)] for dim in range(rank) for bit in range(shape[dim].bit_length() - 1)]
    rng.shuffle(bases)
    for _ in range(rng.randrange(3) if len(bases) > 1 else 0):
        a, b = rng.sample(range(len(bases)), 2)
        bases[a] = [x ^ y for x, y in zip(bases[a], bases[b])]
    return gl.SharedLinearLayout(bases), f"#ttg.shared_linear<{{offset = {bases}}}, alignment = 16>"


def random_shape(rng, rank, most=4096):
    shape = [2 ** rng.randrange(8) for _ in range(rank)]
    while math.prod(shape) > most:
        dim = rng.randrange(rank)
        shape[dim] = max(1, shape[dim] // 2)
    return shape


# ---- Comparing -----------------------------------------------------------------------------------------------------------

class Triton:
    def __init__(self):
        from triton._C.libtriton import gluon_ir, ir
        import triton.experimental.gluon.language as gl
        self.ir, self.gl = ir, gl
        self.context = ir.context()
        ir.load_dialects(self.context)
        self.builder = gluon_ir.GluonOpBuilder(self.context)
        # Bank conflicts depend on the GPU, which Triton reads from the module that contains the builder's insertion
        # point.
        self.module = self.parsed(4, "")
        function = self.builder.get_or_insert_function(self.module, "g", self.builder.get_function_ty([], []), "public", False)
        self.module.push_back(function)
        self.builder.set_insertion_point_to_start(function.add_entry_block())

    def parsed(self, warps, body):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write('#smem = #ttg.shared_memory\nmodule attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = %d : i32, '
                       '"ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {\n%s}\n' % (warps, body))
            file.flush()
            return self.ir.parse_mlir_module(file.name, self.context)

    def bases(self, layout, shape):
        if hasattr(layout, "interval_padding_pairs"):  # Triton has only the linear component
            return {"offset": [list(basis) for basis in layout.offset_bases], "block": []}
        found = self.builder.to_linear_layout(layout._to_ir(self.builder), list(shape))
        return {name: [list(basis) for basis in getattr(found, member)] for name, member in MEMBERS.items() if hasattr(found, member)}

    def reads(self, text, shape):
        """Returns whether Triton's parser reads an encoding as the same layout."""
        memory = "shared" in text.split("<")[0]
        kind, rest = ("!ttg.memdesc", ", #smem, mutable") if memory else ("tensor", "")
        warps = 1 << text.split("warp = ")[1].split("], block")[0].count("], [") + ("warp = []" not in text) if not memory else 4
        body = f"  tt.func @f(%a: {kind}<{'x'.join(map(str, shape))}xf16, {text}{rest}>) {{ tt.return }}\n"
        argument = self.parsed(warps, body).get_function("f").args(0)
        take = self.builder.get_gluon_layout_from_memdesc if memory else self.builder.get_gluon_layout_from_tensor
        return self.bases(take(argument), shape)

    def conflicts(self, registers, memory, shape, bits):
        return self.builder.get_shared_bank_conflicts(registers._to_ir(self.builder), memory._to_ir(self.builder), list(shape), bits)


def type_text(text, shape, kind="xf16"):
    word = "!ttg.memdesc" if "shared" in text.split("<")[0] else "tensor"
    return f"{word}<{'x'.join(map(str, shape))}{kind}, {text}>"


def check_places(tmap, text, shape, bases):
    """Compares the places of every element in the S/R/O layout with the bases. Returns None if S/R/O cannot express the
    function."""
    found, why = tmap.value(f"places({type_text(text, shape)})")
    if found is None:
        return None if "no S/R/O layout" in why or "are too many" in why else False
    axes = {"register": "m", "offset": "m", "lane": "laneid", "warp": "warpid", "block": "cbx"}
    names = [name for name in bases if bases[name]]
    want = {}
    numbers = [0] * len(names)
    while True:
        at = [0] * len(shape)
        for name, number in zip(names, numbers):
            for bit, basis in enumerate(bases[name]):
                if number >> bit & 1:
                    at = [a ^ b for a, b in zip(at, basis)]
        want.setdefault(tuple(at), set()).add(tuple(sorted((axes[name], n) for name, n in zip(names, numbers) if n)))
        k = 0
        while k < len(names) and numbers[k] + 1 == 1 << len(bases[names[k]]):
            numbers[k] = 0
            k += 1
        if k == len(names):
            break
        numbers[k] += 1
    for row in found:
        columns = {axis: n if isinstance(n, list) else [n] for axis, n in row.items() if axis not in ("element", "at")}
        copies = max([len(n) for n in columns.values()], default=1)
        have = {tuple(sorted((axis, n[i % len(n)]) for axis, n in columns.items() if n[i % len(n)])) for i in range(copies)}
        if have != want[tuple(row["at"])]:
            return False
    return True


def compare(tmap, triton, rng, problems):
    counts = {"encodings": 0, "as S/R/O": 0, "read back": 0, "pairs": 0}
    for round in range(ROUNDS):
        if round % 3:
            theirs, text, rank = distributed(triton.gl, rng)
            shape = random_shape(rng, rank)
        else:
            shape = [max(16, n) for n in random_shape(rng, rng.choice((2, 2, 3)), 16384)]
            theirs, text = shared(triton.gl, rng, shape, ("swizzled", "padded", "linear"))
        compare_encoding(tmap, triton, theirs, text, shape, counts, problems)
    for theirs, text, shape in every_nvmma(triton.gl, rng):
        compare_encoding(tmap, triton, theirs, text, shape, counts, problems)
    for round in range(ROUNDS):
        compare_pair(tmap, triton, rng, counts, problems)
    return counts


def compare_encoding(tmap, triton, theirs, text, shape, counts, problems):
    want = triton.bases(theirs, shape)
    have, why = tmap.value(type_text(text, shape))
    if have is None or {name: have.get(name, []) for name in want} != want:
        problems.append(f"{text} of {shape}: {have or why}, Triton has {want}")
        return
    counts["encodings"] += 1
    if "padded" not in text:
        if math.prod(shape) <= PLACES_MAX:
            places = check_places(tmap, text, shape, want)
            counts["as S/R/O"] += places is True
            if places is False:
                problems.append(f"{text} of {shape}: other places as S/R/O")
        linear, why = tmap.value(f"triton({type_text(text, shape)})")
        if not any(want.get("block", [])) and triton.reads(linear, shape) != want:
            problems.append(f"{text} of {shape}: Triton reads {linear} as another layout")
        counts["read back"] += 1


def compare_pair(tmap, triton, rng, counts, problems):
    shape = [rng.choice((32, 64, 128)), rng.choice((32, 64, 128))]
    kind, bits = rng.choice((("xi8", 8), ("xf16", 16), ("xf32", 32)))
    while True:
        registers, text, rank = distributed(triton.gl, rng)
        if rank == 2 and "CGALayout" not in text:
            break
    while True:
        memory, where = shared(triton.gl, rng, shape, ("swizzled", "nvmma", "linear"))
        if "CGALayout" not in where and "fp4" not in where and ("nvmma" not in where or f"elementBitWidth = {bits}" in where):
            break
    if "nvmma" in where:
        shape = [128, 128]
    want = triton.conflicts(registers, memory, shape, bits)
    have, why = tmap.value(f"conflicts({type_text(where, shape, kind)}, {type_text(text, shape, kind)})")
    counts["pairs"] += 1
    # For accesses narrower than a bank Triton's number is a lower bound: Triton counts neighbours in a bank as one
    # word.
    right = have and (have["worst"] - 1 == want or (have["worst"] - 1 > want and have["width"] * bits < 32))
    if not right:
        problems.append(f"{text} and {where} of {shape}{kind}: {have or why}; Triton has {want} conflicts a wavefront")


def inside(command, seed):
    problems = []
    counts = compare(Tmap(command), Triton(), random.Random(seed), problems)
    for problem in problems[:20]:
        print(problem)
    print(f"{', '.join(f'{n} {what}' for what, n in counts.items())}: {len(problems)} differences (seed {seed})")
    sys.stdout.flush()
    os._exit(bool(problems) or not all(counts.values()))  # the package reports leaks of its own at exit


def main(arguments):
    if len(arguments) > 1:
        inside(arguments[0], int(arguments[1]))
    if not harness.LONG:
        harness.skip("part of the long run (TMAP_LONG)")
    import packages
    import wheels
    try:
        python = packages.environment("triton", sys.executable, ["triton"])
    except wheels.Unavailable as why:
        harness.skip(why)
    seed = os.environ.get("TMAP_SEED", str(random.randrange(1 << 32)))
    return subprocess.run([python, __file__, arguments[0], seed]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
