#!/usr/bin/env python3
"""Compares the toolkits that code of `tmap generate` names with NVIDIA's toolkits. Fetching them takes minutes.

usage: check_toolkits.py TMAP_COMMAND CC NVCC

Maps: the C function of each tensor compiles against cuda.h of the release that its guard names and later ones; against
older ones the guard refuses it, and without the guard the compiler does. Copies: each kernel, compiled to PTX by NVCC,
whose `.version` is lowered to that of a release, assembles with the ptxas of the release that its guard names and later
ones, and with no older one. The code of --toolkit RELEASE assembles with the ptxas of that release; a refused copy does
not. Only with TMAP_LONG set, as it needs the package index.
"""
import pathlib
import re
import sys
import tempfile

import check_generate_cuda
import toolkits
import wheels
from check_generate_cuda import FORMS, KERNELS, SPECS, generate, problems, reader, run

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

ARCHS = ["sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a"]
GUARD = re.compile(r"#if CUDA_VERSION < (\d+)\n#error \"([^\n]*)\"\n#endif\n")
# Assembles with older releases, too, but with another effect (code of ptxas 12.4.131 and 12.5.82: 12.5 added the shift
# by 4).
OTHERWISE = {"new_stride": (12, 3), "new_generic": (12, 3)}


def guard_of(code):
    """Returns the release that a file requires, the reason, and the file without its guard."""
    match = GUARD.search(code)
    number = int(match.group(1))
    return (number // 1000, number % 1000 // 10), match.group(2), code.replace(match.group(0), "")


# ---- Maps -----------------------------------------------------------------------------------------------------------

def compiles(cc, header, code):
    done = run(cc, "-std=c11", "-fsyntax-only", "-isystem", header, "-x", "c", "-", input=code)
    return done.returncode == 0, done.stderr


def check_map(cc, headers, what, code):
    needed, reason, bare = guard_of(code)
    for release, header in headers.items():
        works, said = compiles(cc, header, code)
        if works != (release >= needed):
            problems.append(f"{what} with cuda.h {toolkits.text(release)}: {said or 'compiles, though: ' + reason}")
        if release < needed and (reason not in said or compiles(cc, header, bare)[0]):
            problems.append(f"{what} with cuda.h {toolkits.text(release)}: its guard is unnecessary, or another error refuses it")


def write_choices(work):
    """Writes a spec with every type and every swizzle of the driver."""
    lines = ["tmap: 1", "tensors:"]
    lines += [f"  type_{name}: {{type: {name}, dims: [256, 64], box: [128, 8]}}" for name in reader.TYPES if name.islower()]
    lines += [f"  swizzle_{name}: {{type: u8, dims: [256, 64], box: [32, 8], swizzle: {name}}}"
              for name in reader.SWIZZLES if name != "NONE"]
    spec = work / "choices.yaml"
    spec.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return spec


def check_maps(tmap, cc, work):
    headers, checked = toolkits.headers(), 0
    for spec in [*SPECS, FORMS, write_choices(work)]:
        for tensor in reader.mapped(spec):
            code = generate(tmap, spec, "--c", tensor)
            if code is not None:
                checked += 1
                check_map(cc, headers, f"{spec.name}: {tensor}", code)
    print(f"{checked} maps with cuda.h of {', '.join(map(toolkits.text, headers))}")


# ---- Copies ---------------------------------------------------------------------------------------------------------

def assembles(ptxas, ptx, arch, version):
    ptx = re.sub(r"^\.version .*$", f".version {toolkits.text(version)}", ptx, flags=re.M)
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        done = harness.run(ptxas, f"-arch={arch}", file.name, "-o", "/dev/null")
    return done.returncode == 0, (done.stderr + done.stdout).strip().splitlines()[:2]


def kernels_of(nvcc, work, arch, code, cache={}):
    """Returns the PTX of each kernel of a file as a separate module: the text before the first entry belongs to all."""
    if (arch, code) not in cache:
        source, output = work / "kernels.cu", work / "kernels.ptx"
        source.write_text(code)
        complaint = check_generate_cuda.compiled(nvcc, source, arch, output)
        if complaint:
            problems.append(f"forms.yaml for {arch}: {complaint}")
            return {}
        ptx = output.read_text()
        begin = ptx.split(".visible .entry ")[0]
        cache[arch, code] = {name: begin + ".visible .entry " + part for name, part in check_generate_cuda.entries(ptx)}
    return cache[arch, code]


def check_stated(tmap, nvcc, work, arch, names):
    """Assembles each kernel with every release: it is accepted from the release of its guard on, and not before."""
    ptx = kernels_of(nvcc, work, arch, generate(tmap, FORMS, *names, "--cuda", "--arch", arch) or "")
    for name in names:
        needed, reason, _ = guard_of(generate(tmap, FORMS, name, "--cuda", "--arch", arch))
        since = OTHERWISE.get(name, needed) if arch == "sm_90a" else needed
        for release in toolkits.RELEASES:
            works, said = assembles(toolkits.ptxas(release), ptx[name], arch, toolkits.PTX[release])
            if works != (release >= since):
                problems.append(f"{name} for {arch} with ptxas {toolkits.text(release)}: "
                                f"{said or 'assembles, though: ' + reason}")


def check_release(tmap, nvcc, work, arch, names, release):
    """Checks the code of --toolkit for a release; returns the number of kernels. A refusal gives the reason."""
    version = toolkits.text(release)
    options = ("--cuda", "--arch", arch, "--toolkit", version)
    written = []
    for name in names:
        done = run(tmap, "generate", FORMS, name, *options)
        if done.returncode == 0:
            written.append(name)
        elif done.returncode != 1 or "requires CUDA " not in done.stderr:
            problems.append(f"{name} for {arch}, {version}: {done.stderr}")
    if not written:
        return 0
    code = generate(tmap, FORMS, *written, *options)
    if guard_of(code)[0] > release:
        problems.append(f"--toolkit {version} for {arch}: {guard_of(code)[1]}")
    for name, ptx in kernels_of(nvcc, work, arch, guard_of(code)[2]).items():
        works, said = assembles(toolkits.ptxas(release), ptx, arch, toolkits.PTX[release])
        if not works:
            problems.append(f"{name} for {arch}, --toolkit {version}: {said}")
    return len(written)


# The number of copies of forms.yaml that a release supports for sm_90a and sm_100a, worked out from the PTX ISA's
# notes. For sm_90a all except replacements (8.3) and, before 12.5, the replacement of strides; for sm_100a none before
# 12.8.
def expected(arch, release, names):
    if arch != "sm_90a":
        return len(names) if release >= {(8, 6): (12, 8), (8, 8): (12, 9), (9, 0): (13, 0), (8, 7): (12, 8)}[
            toolkits.TARGETS[arch]] else 0
    old = [name for name in names if not name.startswith("new_")]
    return len(names) if release >= (12, 5) else len(names) - len(OTHERWISE) if release >= (12, 3) else len(old)


def check_copies(tmap, nvcc, work):
    for arch in ARCHS:
        names = [name for name in KERNELS if arch in KERNELS[name][1]]
        check_stated(tmap, nvcc, work, arch, names)
        counts = {}
        for release in toolkits.RELEASES:
            counts[release] = check_release(tmap, nvcc, work, arch, names, release)
            if counts[release] != expected(arch, release, names):
                problems.append(f"{arch}, --toolkit {toolkits.text(release)}: writes {counts[release]} of "
                                f"{len(names)} kernels, not {expected(arch, release, names)}")
        print(f"{arch}: kernels by --toolkit:",
              ", ".join(f"{toolkits.text(release)}: {n}" for release, n in counts.items()), flush=True)


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    tmap, cc, nvcc = arguments
    if not harness.LONG:
        harness.skip("only the long run fetches toolkits")
    try:
        with tempfile.TemporaryDirectory() as folder:
            check_maps(tmap, cc, pathlib.Path(folder))
            if pathlib.Path(nvcc).exists():
                check_copies(tmap, nvcc, pathlib.Path(folder))
            else:
                print("kernels are not checked: no nvcc on this machine")
    except wheels.Unavailable as why:
        harness.skip(why)
    harness.end(problems, "agrees with the toolkits")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
