#!/usr/bin/env python3
"""The wheels in fresh environments: wheel_runs.py SOURCE_DIR, after tools/wheel.sh x86_64 aarch64.

For each CPython from 3.10 to 3.13 at hand: pip installs the wheel alone, and the command, the package, the specs and the
schema work. The wheel of aarch64 runs with Debian's Python 3.11 under QEMU. An interpreter that is missing is skipped.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(ROOT / "python/tests"))
from packages import pythons  # noqa: E402

QEMU = "qemu-aarch64-static"
DEBIAN = [f"{name}:arm64" for name in ("python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libc6", "libgcc-s1",
                                       "libstdc++6", "zlib1g", "libexpat1", "libffi8", "libbz2-1.0", "liblzma5", "libssl3", "libuuid1")]
# Run by each Python: prints the path of the command of `python -m libtmap`.
USES = """
import importlib.metadata, json, sys
import numpy as np
import libtmap as tmap
from libtmap import __main__ as command
from libtmap.testing import assert_tile
source = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
made = tmap.TensorMap.of(source, box=(8, 64), swizzle="128B")
image = made.load(source, at=(8, 0))
assert (image.tile() == source[8:16]).all() and image.tx_bytes == 1024
assert_tile(image, made, source, at=(8, 0))
assert tmap.explain(tmap.check("f16", (64, 65), (8, 64))).name == "stride-align"
wanted = [requirement for requirement in importlib.metadata.requires("libtmap") if "extra" not in requirement]
assert sorted(requirement.split(">")[0] for requirement in wanted) == ["cffi", "numpy"], wanted
assert json.load(open(sys.argv[1] + "/share/tmap/specs/tmap.schema.json"))["$schema"]
print(command.command())
"""
problems = []


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        problems.append(f"{' '.join(map(str, words))[:200]}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout.strip()


def wheel(arch):
    return next((ROOT / "build/dist").glob(f"*_{arch}.whl"))


def check_command(place, *before):
    """The command of an installation: it has the version of the wheel, judges the specs, and has a manual page."""
    version = wheel("x86_64").name.split("-")[1]
    said = run(*before, place / "bin/tmap", "version")
    if not said.startswith(f"tmap {version},"):
        problems.append(f"{place}: the wheel has version {version}, the command says: {said}")
    run(*before, place / "bin/tmap", "check", *sorted((place / "share/tmap/specs").glob("*.yaml")))
    if not (place / "share/man/man1/tmap.1").exists():
        problems.append(f"{place}: no manual page")
    return said


def check_here(python, work):
    """A fresh environment with the wheel alone."""
    run(python, "-m", "venv", work)
    run(work / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel("x86_64"))
    run(work / "bin/python", "-m", "pip", "check")
    said = check_command(work)
    if run(work / "bin/python", "-m", "libtmap", "version", cwd=work) != said:
        problems.append(f"{python}: python -m libtmap is not the command")
    if run(work / "bin/python", "-c", USES, work, cwd=work) != str((work / "bin/tmap").resolve()):
        problems.append(f"{python}: python -m libtmap would run another command")
    run(work / "bin/tmap", "trace", "-o", os.devnull, work / "bin/python", "-c", "pass")


def debian(root):
    """Unpacks Debian's Python of arm64, with separate package lists, so that the machine does not change."""
    apt = root.parent / "apt"
    for folder in ("lists/partial", "archives/partial"):
        (apt / folder).mkdir(parents=True, exist_ok=True)
    options = ["-qq", "-o", "APT::Architecture=arm64", "-o", "APT::Architectures::=arm64", "-o", f"Dir::State::lists={apt}/lists",
               "-o", f"Dir::Cache={apt}", "-o", "APT::Sandbox::User=root"]
    subprocess.run(["apt-get", *options, "update"], cwd=apt, capture_output=True)
    done = subprocess.run(["apt-get", *options, "download", *DEBIAN], cwd=apt, capture_output=True, text=True)
    for package in apt.glob("*.deb") if done.returncode == 0 else ():
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
    return done.stderr


def check_aarch64(work):
    """The wheel of the other processor, installed beside its dependencies by the pip of this one."""
    if missing := [tool for tool in (QEMU, "apt-get", "dpkg-deb") if not shutil.which(tool)]:
        return print(f"skipped: the wheel for aarch64: no {missing[0]}")
    why, python = debian(work / "root"), work / "root/usr/bin/python3.11"
    if not python.exists():
        return print(f"skipped: the wheel for aarch64: Debian's Python cannot be fetched: {why}")
    platforms = [word for tag in ("manylinux_2_28", "manylinux_2_17", "manylinux2014") for word in ("--platform", f"{tag}_aarch64")]
    run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "--python-version", "3.11",
        *platforms, "--target", work / "site", wheel("aarch64"))
    before = (QEMU, "-L", work / "root")
    check_command(work / "site", *before)
    said = run(*before, python, "-c", USES, work / "site", env={**os.environ, "PYTHONPATH": str(work / "site")}, cwd=work)
    if said != str((work / "site/bin/tmap").resolve()):
        problems.append(f"aarch64: python -m libtmap would run {said}")
    print("the wheel for aarch64 runs with Debian's Python 3.11")


with tempfile.TemporaryDirectory() as folder:
    found = {int(re.search(r"python3\.(\d+)$", str(path))[1]): path for path in pythons()}
    for minor in range(10, 14):
        if minor in found and os.uname().machine == "x86_64":
            check_here(found[minor], pathlib.Path(folder, f"3.{minor}"))
            print(f"the wheel works with {found[minor]}")
        else:
            print(f"skipped: no Python 3.{minor}")
    check_aarch64(pathlib.Path(folder))
print("\n".join(problems))
sys.exit(bool(problems))
