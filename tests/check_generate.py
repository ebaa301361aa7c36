#!/usr/bin/env python3
"""Compiles and runs what tmap generate writes.

usage: check_generate.py TMAP_COMMAND SOURCE_DIR [STANDIN_LIBCUDA]

--c of every spec is compiled as C11 and as C++11 against the CUDA toolkit's cuda.h, and run against the stand-in driver,
whose descriptors must be those of tmap encode. --cuda is compiled by nvcc for an architecture that has the copies' forms,
and must be refused for one that has not. What is not installed is said; exit 77 when nothing could be compiled.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

tmap, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
standin = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
include = next((p for p in ("/usr/local/cuda/include", "/opt/cuda/include", "/usr/include") if os.path.exists(p + "/cuda.h")), None)
nvcc = shutil.which("nvcc") or (os.path.exists("/usr/local/cuda/bin/nvcc") and "/usr/local/cuda/bin/nvcc") or None
specs = sorted(root.glob("specs/*.yaml")) + sorted(root.glob("tests/data/forms*.yaml"))
problems, done = [], []


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)


def generated(spec, *options):
    result = run(tmap, "generate", spec, *options)
    if result.returncode != 0:
        problems.append(f"tmap generate {' '.join(options)} {spec.name}: exit {result.returncode}\n{result.stderr}")
    return result.stdout


def compiles(compiler, source, *flags):
    result = run(compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-isystem", include, *flags, source)
    if result.returncode != 0:
        problems.append(f"{compiler} {source.name}:\n{result.stderr[:2000]}")


CALLER = """
#include <stdio.h>
int main(void)
{
    CUdevice device; CUcontext context;
    if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context)) return 2;
    %s
    return 0;
}
"""
CALL = """{ CUtensorMap map; CUresult result = encode_%s(&map, (void *)0x7f0000000000);
    if (result) return 1;
    for (int i = 0; i < 128; i++) printf("%%02x", ((unsigned char *)&map)[i]);
    printf("\\n"); }"""


def check_descriptors(folder, spec, text):
    """The descriptors that the generated calls get from the stand-in are those of tmap encode."""
    names = re.findall(r"^CUresult encode_(\w+)\(", text, re.M)
    source, program = folder / "call.c", folder / "call"
    source.write_text(text + CALLER % "\n".join(CALL % name for name in names))
    result = run("gcc", "-isystem", include, source, standin, f"-Wl,-rpath,{standin.parent}", "-o", program)
    if result.returncode != 0:
        problems.append(f"linking the calls of {spec.name}: {result.stderr[:500]}")
        return 0
    called = run(program, env={**os.environ, "STANDIN_CC": "100"})
    wanted = run(tmap, "encode", spec, "--all", "--arch", "sm_100a")
    digits = [line.split()[-1] for line in wanted.stdout.splitlines() if re.search(r"[0-9a-f]{256}$", line)]
    found = called.stdout.split()
    if called.returncode != 0 or len(found) != len(digits):
        problems.append(f"calls of {spec.name}: exit {called.returncode}, {len(found)} of {len(digits)} maps {wanted.stderr[:300]}")
    # The first 16 digits are the address, which the spec may not have.
    problems.extend(f"{spec.name}: encode_{name} makes another map" for name, a, b in zip(names, found, digits) if a[16:] != b[16:])
    return len(found)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    if include:
        maps = 0
        for spec in specs:
            text = generated(spec, "--c")
            for suffix, compiler, standard in (("c", "gcc", "-std=c11"), ("cpp", "g++", "-std=c++11")):
                source = folder / f"{spec.stem}.{suffix}"
                source.write_text(text)
                compiles(compiler, source, standard)
            if standin:
                maps += check_descriptors(folder, spec, text)
        done.append(f"the driver calls of {len(specs)} specs compile, and make {maps} maps as tmap encode does")
    else:
        print("skipped: --c is not compiled, there is no cuda.h here")
    if nvcc:
        by_arch = {}
        for number, spec in enumerate(specs):
            text = generated(spec, "--cuda").replace(" copy_", f" spec{number}_copy_")
            arch = "sm_100a" if re.search(r"gather4|scatter4|cta_group", text) else "sm_90a"
            by_arch.setdefault(arch, []).append(text)
        kernels = 0
        for arch, texts in by_arch.items():
            source = folder / f"{arch}.cu"
            source.write_text("\n".join(texts))
            kernels += source.read_text().count("__global__")
            result = run(nvcc, "-std=c++17", f"-arch={arch}", "-Werror", "all-warnings", "-cubin", source, "-o", folder / "out")
            if result.returncode != 0:
                problems.append(f"nvcc {arch}:\n{result.stderr[:3000]}")
        refused = folder / "refused.cu"
        refused.write_text(generated(root / "tests/data/forms_sm_100a.yaml", "--cuda"))
        if run(nvcc, "-arch=sm_90a", "-cubin", refused, "-o", folder / "out").returncode == 0:
            problems.append("nvcc compiles gather4 for sm_90a")
        done.append(f"{kernels} kernels compile for {', '.join(by_arch)}")
    else:
        print("skipped: --cuda is not compiled, there is no nvcc here")
print("\n".join(problems or done))
sys.exit(1 if problems else 0 if done else 77)
