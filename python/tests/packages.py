"""The long run of these tests: with the packages that the library supports, and on every installed Python.

usage: packages.py EXTENSION ORACLE DRIVER CC
Only with TMAP_LONG set, as it needs the package index. The environments are in build/wheels. The first has TVM, Tilus,
Triton, the CuTe DSL, pycute, cuda.core, PyTorch, mypy, pyright and sphinx. The second has tilelang, which includes
another TVM. Each other Python from 3.10 on has only NumPy.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/fixtures"))
import wheels  # noqa: E402

BASE = ["numpy", "cffi", "pytest", "hypothesis"]
FRAMEWORKS = ["apache-tvm", "tilus", "triton", "nvidia-cutlass-dsl", "cuda-core", "cuda-bindings", "torch", "jax", "ml-dtypes", "mypy",
              "pyright[nodejs]", "sphinx", "myst-parser", "nbclient", "nbformat", "ipykernel"]
WITHOUT_DEPENDENCIES = ["nvidia-cutlass"]  # contains pycute
INSTALL_S = 1800


def environment(name, python, packages, alone=()):
    """Returns the Python of an environment with the packages. Raises wheels.Unavailable."""
    place = wheels.FOLDER / f"env-python-{name}"
    made = place / "bin/python"
    if (place / "complete").exists():
        return made
    wheels.FOLDER.mkdir(parents=True, exist_ok=True, mode=0o700)
    shutil.rmtree(place, ignore_errors=True)
    pip = [str(made), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    commands = [[str(python), "-m", "venv", str(place)], pip + [*packages]]
    for command in commands + ([pip + ["--no-deps", *alone]] if alone else []):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise wheels.Unavailable(f"{name}: {error}") from error
        if done.returncode != 0:
            raise wheels.Unavailable(f"{name}: {(done.stderr.strip().splitlines() or ['pip is silent'])[-1]}")
    (place / "complete").touch()
    return made


def pythons():
    """Returns every CPython from 3.10 on, in PATH or installed by pyenv: the path for each version."""
    root = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    folders = [*os.environ["PATH"].split(os.pathsep), *map(str, root.glob("versions/*/bin"))]
    found = {}
    for path in (path for folder in folders for path in pathlib.Path(folder).glob("python3.*")):
        match = re.fullmatch(r"python3\.(\d+)", path.name)
        if match and int(match[1]) >= 10 and subprocess.run([path, "-c", "import ensurepip"], capture_output=True).returncode == 0:
            found.setdefault(int(match[1]), path)
    return [path for _, path in sorted(found.items())]


def run(python, arguments, *options):
    print(f"{python}:", flush=True)
    return subprocess.run([python, HERE / "run.py", *arguments, *options]).returncode


def main(arguments):
    if not os.environ.get("TMAP_LONG"):
        print("skipped: part of the long run (TMAP_LONG)")
        return 77
    os.environ["TMAP_EXAMPLES"] = "60"
    failed = []
    runs = [("frameworks", sys.executable, [*BASE, *FRAMEWORKS], WITHOUT_DEPENDENCIES, []),
            ("tilelang", sys.executable, [*BASE, "tilelang"], [], ["-k", "tilelang"]),
            *((path.name, path, BASE, [], []) for path in pythons())]
    for name, python, packages, alone, options in runs:
        try:
            made = environment(name, python, packages, alone)
        except wheels.Unavailable as why:
            print(f"not run: {why}")
            failed.append(name)
            continue
        if run(made, arguments, *options) != 0:
            failed.append(name)
    print(f"FAILED: {', '.join(failed)}" if failed else f"{len(runs)} environments passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
