#!/usr/bin/env python3
"""Measures the tables of docs/speed.md that the parts below name, and writes the new figures into them.

usage: figures.py BUILD_DIR [PART...]    (in the root of the sources; the build has TMAP_BUILD_BENCH=ON)
Parts: commands, calls, specs, sweeps, aarch64, field; all of them without PART. A part measures rows; the text that is
between backticks in a row of docs/speed.md names the row, and the cells after this text are the figures. Instructions
are counted by valgrind. The time of a command includes the start of the process and is the least of 60 runs; the time of
a sweep is the least of 5.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

DOCUMENT = pathlib.Path("docs/speed.md")
COMMANDS = ["stats specs/cutlass_f16_gemm.yaml",
            "plan --type bf16 --shape 8192,4096 --tile 128,128 --at 256,128 --for wgmma",
            "show specs/quickstart.yaml", "version"]
# A row of tmap_bench, its function, and the function of the library that this function calls. Instructions of copies
# are not counted: valgrind has no AVX-512, so other kernels run there.
CALLS = [("tmap_build, 2-D", "build_run", "tmap_build"), ("tmap_prepared_at, 2-D", "prepared_run", "tmap_prepared_at"),
         ("tmap_replace_address, 2-D", "replace_address_run", "tmap_replace_address"),
         ("tmap_copy_init, store 64x64 f16", "freeze_run", "tmap_copy_init"),
         ("64 such stores by tmap_copies_run", None, None)]
TENSOR = """  tensor_{0}:
    type: f16
    axes: [k, m]
    dims: [4096, {1}]
    strides: [8192]
    box: [64, 128]
    swizzle: 128B
    l2_promotion: 128B
"""
SWEPT = "tmap: 1\ntensors:\n  a: {type: f16, axes: [k, m], dims: [4096, 262144], box: [64, 64], swizzle: 128B}\n"
SWEPT_B = 2 << 30


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True)


def instructions(*command):
    """Returns the number of instructions, and the output of callgrind."""
    with tempfile.NamedTemporaryFile() as out:
        done = output("valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", *command)
        return int(re.search(r"Collected : (\d+)", done.stderr)[1]), pathlib.Path(out.name).read_text()


def run(command):
    """Returns the seconds and the CPU seconds of one run."""
    null = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    begin = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=null)
    _, status, usage = os.wait4(process, 0)
    assert status == 0, command
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime


def peak_KiB(command):
    """Returns the memory of a run. GNU time starts it, because a child of Python would count the memory of Python."""
    return int(output("/usr/bin/time", "-f", "%M", *command).stderr.split()[-1])


def commands(tmap, *_):
    for words in COMMANDS:
        command = [tmap, *words.split()]
        least = min(run(command)[0] for _ in range(60))
        yield f"tmap {words}", f"{least * 1e3:.1f}", f"{instructions(*command)[0] / 1e6:.1f} M"


def calls(_tmap, bench, _folder):
    for row, caller, called in CALLS:
        ns = re.search(rf"^{row} +([\d.]+)", output(bench, "--rows", row).stdout, re.M)[1]
        if not caller:
            yield row, f"{float(ns):,.0f}", ""
            continue
        n, out = instructions(f"--toggle-collect={caller}", bench, "--seconds", "0", "--rows", row)
        number = re.search(rf"fn=\((\d+)\) {called}$", out, re.M)[1]
        times = sum(map(int, re.findall(rf"^cfn=\({number}\).*\ncalls=(\d+)", out, re.M)))
        yield row, f"{float(ns):,.0f}", f"{n / times:,.0f}"


def specs(tmap, bench, folder):
    def file(n):
        path = folder / f"{n}.yaml"
        path.write_text("tmap: 1\ntensors:\n" + "".join(TENSOR.format(i, 128 + i) for i in range(n)))
        return [tmap, "check", str(path)]
    libyaml = instructions("--toggle-collect=spec_libyaml", bench, "--seconds", "0", "--rows", "10,000 tensors")[0]
    yield "tmap check", f"{instructions(*file(10000))[0] / 1e9:.2f} G"
    yield "yaml_parser_parse", f"{libyaml / 1e9:.2f} G"
    yield "%M", f"{(peak_KiB(file(80000)) - peak_KiB(file(1000))) * 1.024 / 79000:.2f} KB"


def sweeps(tmap, _bench, folder):
    spec, data = folder / "swept.yaml", folder / "swept.bin"
    spec.write_text(SWEPT)
    with data.open("wb") as file:
        file.truncate(SWEPT_B)
    for name, value in (("--global FILE", str(data)), ("--fill index", "index"), ("--fill random:1", "random:1")):
        command = [tmap, "copy", str(spec), "--sweep", "a", name.split()[0], value]
        yield name, f"{min(run(command)[1] for _ in range(5)):.2f}"


def aarch64(*_):
    for row in re.findall(r"^(r\S+ .*\S) +(\d+) +(\d+)$", output("sh", "tests/bench/instructions.sh").stdout, re.M):
        yield row[0], *(f"{int(n):,}" for n in row[1:])


def field(_tmap, bench, _folder):
    out = output(bench, "--field").stdout
    for name, ns, ratio in re.findall(r"^(\S.*\S) +\d+ +([\d.]+) +([\d.]+)$", out, re.M):
        yield name, f"{float(ns):,.0f}", f"{float(ratio):.2f}"
    ratios = re.search(r"median ([\d.]+); (\d+) \D+[\d.]+, (\d+) \D+[\d.]+, (\d+) ", out).groups()
    yield from zip(("median", *(f"number below {limit}" for limit in ("0.02", "0.1", "0.5"))), ratios)


def write(rows):
    """Writes the cells of the rows into the document."""
    def row(match):
        cells = rows.get(match[2])
        return match[0] if cells is None else match[1] + "".join(f" {cell} |" if cell else " |" for cell in cells)
    DOCUMENT.write_text(re.sub(r"^(\|.*`(.+)`[^`|]*\|)(?:[^`|]*\|)+$", row, DOCUMENT.read_text(), flags=re.M))


def main(build, *names):
    for part in (commands, calls, specs, sweeps, aarch64, field):
        if names and part.__name__ not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows = {name: cells for name, *cells in
                    part(f"{build}/tools/tmap/tmap", f"{build}/tests/bench/tmap_bench", pathlib.Path(folder))}
        write(rows)
        print(*(f"{name}: {', '.join(cells)}" for name, cells in rows.items()), sep="\n", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
