"""NVIDIA's packages for the tests: which versions the package index has, and environments to run them in.

All files are under build/wheels of this tree (tests/fixtures/wheels.py). The tests run the packages and compare their results;
they copy no code and no text.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import wheels  # noqa: E402

INDEX_SECONDS, INSTALL_SECONDS = 60, 600


def ordered(version):
    return tuple(int(part) for part in version.split("."))


def versions(name):
    """The released versions of a package, oldest first. Raises wheels.Unavailable."""
    command = [sys.executable, "-m", "pip", "index", "versions", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INDEX_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise wheels.Unavailable(f"no package index: {name}: {error}") from error
    found = re.search(r"^Available versions: (.*)$", done.stdout, re.M)
    if done.returncode != 0 or not found:
        raise wheels.Unavailable(f"no package index, or no such package: {name}")
    return sorted((v for v in found.group(1).split(", ") if re.fullmatch(r"[\d.]+", v)), key=ordered)


def release(version):
    return ordered(version)[:2]


def since(name, first):
    """The versions of the CUDA release `first` and later ones, oldest first."""
    return [version for version in versions(name) if release(version) >= first]


def environment(name, version):
    """Returns the Python of a separate environment with the package and its dependencies. Raises wheels.Unavailable."""
    place = wheels.FOLDER / f"env-{name}-{version}"
    python = place / "bin/python"
    if (place / "complete").exists():
        return python
    wheels.FOLDER.mkdir(parents=True, exist_ok=True, mode=0o700)
    shutil.rmtree(place, ignore_errors=True)
    for command in ([sys.executable, "-m", "venv", str(place)],
                    [str(python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", f"{name}=={version}"]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise wheels.Unavailable(f"{name} {version}: {error}") from error
        if done.returncode != 0:
            raise wheels.Unavailable(f"{name} {version}: {(done.stderr.strip().splitlines() or ['pip is silent'])[-1]}")
    (place / "complete").touch()
    return python


def program(package, version, name):
    """Returns the path of a program of a toolkit package, such as ptxas. Raises wheels.Unavailable."""
    path = wheels.fetch(package, version) / "nvidia/cu13/bin" / name
    if not os.access(path, os.X_OK):
        raise wheels.Unavailable(f"{package} {version} has no {name}")
    return path
