#!/usr/bin/env python3
"""Compiled kernels that work have no error, and mistakes that are planted in them are found.

usage: check_kernels.py TMAP_COMMAND SOURCE_DIR [--update]
Part of the long run (TMAP_LONG). Compiles triton_kernels.py and tilelang_kernels.py with Triton and tilelang, and with nvcc
the kernels that `tmap generate --cuda` writes for tests/generate/forms.yaml; no GPU is needed. The compilers are installed into
environments of build/wheels; TMAP_KERNEL_PYTHON names a Python that has them (python3 -m venv DIR; DIR/bin/pip install triton
tilelang numpy; TMAP_KERNEL_PYTHON=DIR/bin/python). TMAP_KERNELS names a folder that keeps the kernels for later runs. Each
kernel is checked with the maps of its compiler, and executed. Then each of FAULTS is planted in each kernel: without an
execution one of its rules must be reported that the kernel itself does not break. Last, check_executed.py plants its faults
and executes the kernels. --update writes the tables of docs/kernel.md.
"""
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests/fixtures"), str(ROOT / "python/tests")]
import harness  # noqa: E402
MARK = "<!-- table of tests/kernel/check_kernels.py -->\n"
LOAD = r"(bulk\.tensor[^\n]*shared::c\w+\.global[^\n]*bytes[^\[\n]*\[)([^\]\n+]+)\]"
BARRIER = r"(bulk\.tensor[^\n]*\}\], \[)([^\]\n+]+)\]"

# Each mistake: its name, the text that one place of it replaces (None: all lines with it are dropped), and its rules.
FAULTS = [
    ("expected bytes + 16", r"(expect_tx[^;\n]*\], )(\d+);", lambda m: f"{m[1]}{int(m[2]) + 16};", {"sequence-tx"}),
    (".dim", r"(bulk\.tensor\.)(\d)d", lambda m: f"{m[1]}{int(m[2]) % 5 + 1}d", {"copy-dim", "copy-coordinate-count", "four-rows-rank"}),
    ("a coordinate less", r"(cp\.[^\n]*bulk\.tensor[^\n]*\{[^}\n]*), [^,}\n]+\}", r"\1}", {"copy-coordinate-count", "copy-offsets"}),
    ("mbarrier + 4", BARRIER, r"\1\2+4]", {"mbarrier-align", "copy-shared-align"}),
    ("shared address + 16", LOAD, r"\1\2+16]", {"copy-shared-align"}),
    ("mbarrier.init elsewhere", r"(mbarrier\.init[^\n]*\[)([^\]\n+]+)(?:\+0)?\]", r"\1\2+4096]", {"sequence-barrier-init"}),
    ("no proxy fence", r"fence\.proxy\.async", None, {"store-proxy-fence"}),
    ("no commit", r"cp\.async\.bulk\.commit_group", None, {"sequence-exit"}),
    ("no wait_group", r"cp\.async\.bulk\.wait_group", None, {"sequence-exit"}),
    ("no acquire of a map", r"fence\.proxy\.tensormap", None, {"sequence-map-acquire"}),
    ("a coordinate of 3", r"(bulk\.tensor[^\n]*\{)[^,}\n]+", r"\g<1>3", {"copy-inner-align"}),
    ("target sm_80", r"^\.target sm_\w+", ".target sm_80", {"op-arch"}),
    (".version 7.8", r"^\.version .*", ".version 7.8", {"ptx-version"}),
]

# ---- The compilers, each in its environment -----------------------------------------------------------------------------


def compile_triton(folder):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    sys.path.insert(0, str(HERE))
    from triton_kernels import KERNELS
    for name, (function, types, constants, archs, options) in KERNELS.items():
        signature = {**types, **dict.fromkeys(constants, "constexpr")}
        source = ASTSource(fn=function, signature={a: signature[a] for a in function.arg_names}, constexprs=constants)
        for arch in archs:
            made = triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)
            base = folder / f"Triton@{name}@sm_{arch}"
            base.with_name(base.name + ".ptx").write_text(made.asm["ptx"])
            base.with_name(base.name + ".maps").write_text(json.dumps(made.metadata._asdict(), default=str))


def compile_tilelang(folder):
    import tilelang
    sys.path.insert(0, str(HERE))
    from tilelang_kernels import KERNELS
    home = pathlib.Path(tilelang.__file__).parent
    for name, function in KERNELS.items():
        for arch in ("sm_90a", "sm_100a"):
            made = tilelang.compile(function, target={"kind": "cuda", "arch": arch}, execution_backend="tvm_ffi")
            base = folder / f"tilelang@{name}@{arch}"
            base.with_name(base.name + ".maps").write_text(made.get_host_source())
            base.with_name(base.name + ".cu").write_text(made.get_kernel_source())
            subprocess.run(["nvcc", "-ptx", "-std=c++17", f"-arch={arch}", f"-I{home / 'src'}", f"-I{home / '3rdparty/cutlass/include'}",
                            f"{base}.cu", "-o", f"{base}.ptx"], check=True)


def compile_generated(tmap, root, folder):
    """Compiles the kernel of each copy for the first architecture whose compiler accepts it. Maps: those of the spec."""
    spec = root / "tests/generate/forms.yaml"
    shown = json.loads(harness.run(tmap, "show", "--json", spec).stdout)
    for copy in shown["copies"]:
        name = copy.get("name") or copy.get("copy")
        source = folder / f"{name}.cu"
        made = harness.run(tmap, "generate", spec, name, "--cuda")
        source.write_text(made.stdout)
        for arch in ("sm_90a", "sm_100a", "sm_120a"):
            ptx = folder / f"tmap generate@{name}@{arch}.ptx"
            if subprocess.run(["nvcc", "-ptx", "-std=c++17", f"-arch={arch}", source, "-o", ptx], capture_output=True).returncode == 0:
                break


def compile_all(tmap, root, folder):
    """Returns the compilers that were not available."""
    import packages
    import wheels
    missing = []
    for name in ("triton", "tilelang"):
        try:
            if name == "tilelang" and not shutil.which("nvcc"):
                raise wheels.Unavailable("tilelang: nvcc is not installed")
            given = os.environ.get("TMAP_KERNEL_PYTHON")
            python = given or packages.environment(name if name == "triton" else "kernels-tilelang", sys.executable, [name, "numpy"])
            subprocess.run([python, __file__, "--compile", name, folder], check=True)
        except (wheels.Unavailable, subprocess.CalledProcessError, OSError) as why:
            missing.append(str(why))
    if shutil.which("nvcc"):
        compile_generated(tmap, root, folder)
    return missing


# ---- Checks -------------------------------------------------------------------------------------------------------------

class Kernels:
    def __init__(self, tmap, folder):
        self.tmap, self.folder, self.problems = tmap, folder, []
        self.rows = collections.defaultdict(collections.Counter)
        self.faults = collections.defaultdict(collections.Counter)
        self.random = random.Random(1)

    def json_of(self, command, ptx, *more):
        maps = ptx.with_suffix(".maps")
        options = ["--maps", maps] if maps.exists() else []
        done = harness.run(self.tmap, command, "--json", self.shown, *options, *more)
        return json.loads(done.stdout)

    def rules_of(self, text, ptx):
        """The rules of the errors and warnings, each as often as it is reported."""
        self.shown = self.folder / "shown.txt"
        self.shown.write_text(text)
        found = self.json_of("check", ptx, "--instructions=0")["files"][0]["diagnostics"]
        return collections.Counter(d["rule"] for d in found if d["severity"] != "advice")

    def plant(self, text, maps, fault):
        name, pattern, replacement, _ = fault
        places = list(re.finditer(pattern, text, re.M))
        if not places:
            return None
        if name == "a coordinate of 3" and not maps or name == "no acquire of a map" and "bulk.tensor" not in text:
            return None  # the type is not known; no copy uses the map
        if replacement is None:
            if name == "no proxy fence" and not re.search(r"st\.shared|stmatrix", text):
                return None  # nothing is written that a fence would show
            return re.sub(rf"^[^\n]*{pattern}[^\n]*\n", "", text, flags=re.M)
        place = self.random.choice(places)
        new = replacement(place) if callable(replacement) else place.expand(replacement)
        return text[:place.start()] + new + text[place.end():]

    def check(self, ptx):
        compiler, name, _ = ptx.stem.split("@")
        text, row = ptx.read_text(), self.rows[compiler, name if compiler != "tmap generate" else "every form"]
        right = self.rules_of(text, ptx)
        if right:
            self.problems.append(f"{ptx.name}: {dict(right)}")
        for kernel in self.json_of("show", ptx)["kernels"]:
            row["maps"] += len(kernel["maps"])
            row["known"] += sum(each["type"] is not None and each["box"] is not None for each in kernel["maps"])
            row["copies"] += len(kernel["copies"])
        checked = self.json_of("check", ptx)["files"][0]
        for each in checked["executions"]:
            row["executed"] += each["copies"] - each["copies_at_unknown_places"]
            row["barriers"] += each["barriers"]
            row["phases"] += each["phases"]
        for each in checked["diagnostics"]:
            row[each["severity"]] += 1
        row["kernels"] += 1
        for fault in FAULTS:
            planted = self.plant(text, ptx.with_suffix(".maps").exists(), fault)
            if planted is None or planted == text:
                continue
            found = bool(set(self.rules_of(planted, ptx) - right) & fault[3])
            for counter in (row, self.faults[fault[0]]):
                counter["planted"] += 1
                counter["found"] += found

    def table(self, executed):
        names = "compiler", "kernels", "compiled", "maps known", "copies", "executed", "mbarriers", "phases", "errors", "warnings", "planted", "found"
        head = f"| {' | '.join(names)} |\n{'|---' * len(names)}|\n"
        sums = collections.defaultdict(collections.Counter)
        for (compiler, _), row in self.rows.items():
            sums[compiler] += row + collections.Counter(names=1)
        lines = [f"| {compiler} | {c['names']} | {c['kernels']} | {c['known']} of {c['maps']} | {c['copies']} | {c['executed']} | {c['barriers']} | {c['phases']} | "
                 f"{c['error']} | {c['warning']} | {c['planted']} | {c['found']} |\n" for compiler, c in sums.items()]
        kinds = [("", name, c["planted"], c["found"]) for name, c in self.faults.items()]
        kinds += [(", executed", name, int(planted), int(found)) for name, found, planted in executed]
        missed = [f"| {name}{how} | {planted} | {found} |\n" for how, name, planted, found in kinds if found < planted]
        others = len(kinds) - len(missed), *(sum(kind[n] for kind in kinds if kind[2] == kind[3]) for n in (2, 3))
        second = "\n| mistake | planted | found |\n|---|---|---|\n" + "".join(missed) + "| {} other kinds | {} | {} |\n".format(*others)
        return head + "".join(lines) + second


def main(arguments):
    if arguments[0] == "--compile":
        return {"triton": compile_triton, "tilelang": compile_tilelang}[arguments[1]](pathlib.Path(arguments[2]))
    if not harness.LONG:
        harness.skip("part of the long run (TMAP_LONG)")
    tmap, root = arguments[0], pathlib.Path(arguments[1])
    given = os.environ.get("TMAP_KERNELS")  # a folder of an earlier run
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(given or work)
        missing = [] if any(folder.glob("*.ptx")) else compile_all(tmap, root, folder)
        kernels = Kernels(tmap, pathlib.Path(work))
        for ptx in sorted(folder.glob("*@*@*.ptx")):
            kernels.check(ptx)
        executed = harness.run(sys.executable, HERE / "check_executed.py", tmap, folder, "--each=1")
        print(executed.stdout, executed.stderr)
        if kernels.rows and executed.returncode:
            kernels.problems.append("executions: see above")
    planted, found = (sum(c[key] for c in kernels.faults.values()) for key in ("planted", "found"))
    count = sum(c["kernels"] for c in kernels.rows.values())
    page = root / "docs/kernel.md"
    if "--update" in arguments:
        rows = re.findall(r"^(\w[\w ]*?) +(\d+) of +(\d+)$", executed.stdout, re.M)
        page.write_text(page.read_text().split(MARK)[0] + MARK + "\n" + kernels.table(rows))
    if planted and found < 0.95 * planted:
        kernels.problems.append(f"{found} of {planted} planted mistakes are found: less than 95 %")
    print("\n".join([*kernels.problems, *(f"not compiled: {why}" for why in missing)]))
    print(f"{count} kernels, {planted} planted mistakes, {found} found")
    return 77 if count == 0 else int(bool(kernels.problems))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
