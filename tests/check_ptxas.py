#!/usr/bin/env python3
"""Holds the table of instruction forms to ptxas: each form must assemble for exactly the targets that the table says.

usage: check_ptxas.py TMAP_COMMAND PTXAS
The table was recorded with ptxas 13.0.88; another version that knows other targets is said and skipped (exit 77).
"""
import json
import re
import subprocess
import sys
import tempfile

tmap, ptxas = sys.argv[1:3]
version = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
if "V13.0" not in version:
    print("skipped: the table is for ptxas 13.0, this is", version.strip().splitlines()[-1])
    sys.exit(77)

OPERANDS = {
    "tm": "%rd1", "address": "%rd1", "s": "%r1", "mb": "%r2", "mask": "%h1",
    **{name: "%r3" for name in ("c0", "c1", "col", "r0", "r1", "r2", "r3", "c", "w", "h", "n")},
    **{name: "%h2" for name in ("ow", "oh", "wHalo", "wOffset")},
}


def instruction(form):
    """The form's template with registers for its operands, which stand in brackets, braces or at the end."""
    head, tail = form.split(" ", 1)
    return head + " " + re.sub(r"[A-Za-z]\w*", lambda m: OPERANDS[m.group()], tail)


def assembles(ptx, arch):
    source = f""".version 9.0
.target {arch}
.address_size 64
.visible .entry k() {{
.reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .b16 %h<4>;
{instruction(ptx)}
ret; }}
"""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(source)
        file.flush()
        run = subprocess.run([ptxas, f"-arch={arch}", file.name, "-o", "/dev/null"], capture_output=True, text=True)
    return run.returncode == 0


def table(name):
    run = subprocess.run([tmap, "list", name, "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)[name]


archs = [row["name"] for row in table("archs")]
wrong, checked = [], 0
for form in table("forms"):
    for arch in archs:
        checked += 1
        if assembles(form["ptx"], arch) != (arch in form["archs"]):
            wrong.append(f"{form['name']} on {arch}: the table says {arch in form['archs']}, ptxas the opposite")
print("\n".join(wrong) or f"{checked} pairs of form and target agree with ptxas")
sys.exit(1 if wrong or not checked else 0)
