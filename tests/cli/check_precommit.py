#!/usr/bin/env python3
"""Compares .pre-commit-hooks.yaml with the command: check_precommit.py TMAP_COMMAND SOURCE_DIR

Each hook has the fields that pre-commit requires, is a command that tmap has, accepts the specs that its pattern names
and no other YAML, and works: a bad spec fails, a good one passes. With TMAP_LONG, pre-commit itself, from PATH or from the
package index, installs the hooks from these sources, and runs them in a repository.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

tmap, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
problems = []
GOOD = "tmap: 1\ntensors:\n  t:\n    type: f16\n    dims: [64, 64]\n    box: [64, 8]\n"
BAD = GOOD.replace("[64, 8]", "[60, 8]")  # a row of 120 B is not a multiple of 16
COPY = GOOD + "copies:\n  c: {tensor: t, op: load, at: [0, 0], shared: 0, expect: {bytes: {0: %s}}}\n"  # element 0 is 0
FILES = {"specs/a.yaml": True, "deep/specs/b.yml": True, "k.tmap.yaml": True, "specs/c.json": False, ".github/workflows/ci.yaml": False,
         "myspecs/d.yaml": False}


def environment():
    path = f"{work}/bin:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "GIT_CONFIG_GLOBAL": "/dev/null", "PRE_COMMIT_HOME": f"{work}/cache", "GIT_AUTHOR_NAME": "t",
            "GIT_AUTHOR_EMAIL": "t@example.org", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org"}


def run(*words, cwd=None):
    return subprocess.run([str(word) for word in words], cwd=cwd, env=environment(), capture_output=True, text=True, check=False)


def check_hook(hook):
    missing = {"id", "name", "entry", "language", "files", "types", "description"} ^ set(hook)
    if missing or hook["language"] != "python" or hook["types"] != ["yaml"]:
        problems.append(f"{hook}: fields {missing}, or not a command of the Python package for YAML")
    for path, wanted in FILES.items():
        if bool(re.search(hook["files"], path)) != wanted:
            problems.append(f"{hook['id']}: {path} is{' not' if wanted else ''} matched")
    for text, status in ((GOOD, 0), (BAD, int(hook["id"] == "tmap-check")), (COPY % "00", 0),
                         (COPY % "01", int(hook["id"] == "tmap-copy"))):
        (work / "one.yaml").write_text(text)
        done = run(*shlex.split(hook["entry"]), work / "one.yaml")
        if done.returncode != status:
            problems.append(f"{hook['entry']}: exit status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")


def pre_commit():
    """Returns the command, or None after printing the reason."""
    if not harness.LONG:
        return print("not checked: the hooks in pre-commit, which builds the package (TMAP_LONG)")
    if shutil.which("pre-commit"):
        return shutil.which("pre-commit")
    run(sys.executable, "-m", "venv", work / "venv")
    done = run(work / "venv/bin/pip", "install", "-q", "pre-commit")
    return work / "venv/bin/pre-commit" if done.returncode == 0 else print(f"not checked: pre-commit cannot be fetched: {done.stderr}")


def check_in_repository(command):
    hooks, repository = work / "hooks", work / "repository"
    kept = ("CMakeLists.txt", "LICENSE", "cmake", "docs", "include", "pyproject.toml", "python", "specs", "src", "tools")
    hooks.mkdir()
    for path in (root / name for name in (".pre-commit-hooks.yaml", *kept)):
        (shutil.copytree if path.is_dir() else shutil.copy)(path, hooks / path.name)
    (repository / "specs").mkdir(parents=True)
    (repository / "specs/a.yaml").write_text(GOOD)
    (repository / "other.yaml").write_text("no: spec\n")
    for folder in (hooks, repository):
        for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
            run("git", *words, cwd=folder)
    revision = run("git", "rev-parse", "HEAD", cwd=hooks).stdout.strip()
    ids = "".join(f"      - id: {hook}\n" for hook in ("tmap-check", "tmap-fmt"))
    (repository / ".pre-commit-config.yaml").write_text(f"repos:\n  - repo: {hooks}\n    rev: {revision}\n    hooks:\n{ids}")
    for text, status in ((GOOD, 0), (BAD, 1)):
        (repository / "specs/a.yaml").write_text(text)
        run("git", "add", ".", cwd=repository)
        done = run(command, "run", "--all-files", cwd=repository)
        if done.returncode != status or (status and "box-inner-align" not in done.stdout):
            problems.append(f"pre-commit: exit status {done.returncode}, not {status}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


try:
    import yaml
except ImportError:
    harness.skip("no Python module yaml")
with harness.scratch() as work:
    (work / "bin").mkdir()
    (work / "bin/tmap").symlink_to(tmap)
    hooks = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text())
    for hook in hooks:
        check_hook(hook)
    if sorted(hook["id"] for hook in hooks) != ["tmap-check", "tmap-copy", "tmap-fmt"]:
        problems.append("the hooks are not tmap-check, tmap-copy and tmap-fmt")
    command = pre_commit()
    if command:
        check_in_repository(command)
harness.end(problems, "the hooks of pre-commit work")
