"""Runs `tmap generate` for the tests of the generated code, which record problems here."""
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FORMS = ROOT / "tests/generate/forms.yaml"
SPECS = [spec for spec in sorted((ROOT / "specs").glob("*.yaml"))
         if re.search("^tensors:", spec.read_text(encoding="utf-8"), re.M)]
problems = []


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, **more)


def report_of(check, *arguments):
    """Runs the check in an empty folder, prints the problems, and returns the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        check(*arguments, pathlib.Path(folder))
    print("\n".join(problems) or "agrees with the specs")
    return 1 if problems else 0


def generate(tmap, spec, *arguments):
    """Returns the source code, or None after recording a problem."""
    done = run(tmap, "generate", spec, *arguments)
    if done.returncode != 0:
        problems.append(f"{spec} {' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr}")
        return None
    foreign = set(re.findall(r"#\s*include\s*(\S+)", done.stdout)) - {"<cuda.h>", "<stdint.h>"}
    if foreign:
        problems.append(f"{spec}: includes {foreign}")
    return done.stdout


# Texts that would end a comment, a line or an identifier; texts that give the same identifier; keywords; no letter.
NAMES = ["a-b", "a.b", "a_b", "a_b_2", "int", "class", "1st", "*/ int broken; /*", "//", "??/", "back\\\\slash\\\\",
         "gr\u00f6\u00dfe", "*", "/"]


def write_hostile_spec(folder):
    """Writes a spec with such names to a folder whose path ends a comment."""
    place = folder / "x*"
    place.mkdir()
    spec = place / "odd.yaml"
    lines = ["tmap: 1", "tensors:"]
    lines += [f'  "{name}": {{type: u8, dims: [{16 * (i + 1)}], box: [16]}}' for i, name in enumerate(NAMES)]
    lines += ["copies:"]
    lines += [f'  "copy {name}": {{tensor: "{name}", op: load, at: [0], shared: 0}}' for name in NAMES]
    spec.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return spec
