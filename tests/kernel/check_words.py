#!/usr/bin/env python3
"""The words of mnemonics: `tmap check` refuses no mnemonic that ptxas accepts, and those that it refuses.

usage: check_words.py TMAP_COMMAND SOURCE_DIR
Part of the long run (TMAP_LONG): runs ptxas of the newest toolkit of tests/fixtures/toolkits.py. From each row of
src/kernel/compiled/syntax.def come mnemonics: its first words, each other word in its place, and these with one word
replaced, added, left out, twice or misspelt. ptxas judges them for three targets. A mnemonic about whose operands ptxas
complains may have the right words, so it is no example of a refusal.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "fixtures")]
import harness  # noqa: E402
import toolkits  # noqa: E402
import wheels  # noqa: E402

TARGETS = "sm_107a", "sm_100a", "sm_90a"
OTHERS = {"sync", "tiel", "b65", "shared::ctaa", "3d", "u8", "L2", "relaxed", "multicast::cluster::all", "cta_group::3"}
HEAD = (".address_size 64\n.entry k(.param .align 64 .b8 m[128])\n{\n.reg .pred p;\n.reg .b16 h0;\n.reg .b32 r0, r1;\n.reg .b64 d0, d1;\n"
        ".reg .b128 q;\n.reg .f32 f0;\n.shared .align 128 .b8 s[1024];\n.shared .align 8 .b64 b;\n")
# Operands with which ptxas accepts the first mnemonic of most rows; others have those of a neighbour, or none.
OPERANDS = {
    r"cp\.async\.(bulk\.)?wait_group": "0", r"cp\.async\.(ca|cg)": "[s], [d0], 16", r"cp\.async\.mbarrier": "[b]", r".*bulk\.prefetch\.tensor": "[m, {r0}]",
    r".*bulk\.prefetch": "[d0], r0", r".*tensor.*shared::c\w+\.global": "[s], [m, {r0}], [b]", r".*tensor.*global\.shared": "[m, {r0}], [s]",
    r"cp.*bulk\.shared::cluster\.shared": "[s], [s], r0, [b]", r"cp.*bulk\.shared": "[s], [d0], r0, [b]", r".*bulk\.global": "[d0], [s], r0",
    r"mbarrier\.(init|expect|complete)": "[b], 1", r"mbarrier\.inval": "[b]", r"mbarrier.*expect_tx": "d0, [b], 1", r"mbarrier\.arrive": "d0, [b]",
    r"mbarrier.*parity": "p, [b], 0", r"mbarrier.*wait": "p, [b], d0", r"mbarrier\.pending": "r0, d0", r"bar(rier)?\.(cta\.)?sync": "0",
    r"tensormap\.replace": "[d0], d1", r"tensormap\.cp": "[d0], [s], 128", r"prefetch": "[d0]", r"setmaxnreg": "24", r"elect": "r0|p, -1",
    r"tcgen05\.alloc": "[s], 32", r"tcgen05\.dealloc": "r0, 32", r"tcgen05\.ld\.red": "{r0, r0}, r1, [r1]", r"tcgen05\.ld": "{r0}, [r1]",
    r"tcgen05\.st": "[r1], {r0}", r"tcgen05\.cp": "[r0], d0", r"tcgen05\.shift": "[r0]", r"tcgen05\.mma": "[r0], d0, d1, r1, p",
    r"tcgen05\.commit": "[d0]", r"clusterlaunch.*try": "[s], [b]", r"clusterlaunch.*is_canceled": "p, q", r"wgmma\.wait_group": "0"}
OF_TARGET = re.compile(r"not supported on .target|cannot be compiled for|requires .target")
OF_OPERANDS = re.compile(r"[Aa]rgument|State space mismatch|Vector expected|Sink|Immediate|ordinal")


def rows(root):
    """The rows: the names, and a list of the words of each place, with None first if it may be empty."""
    text = subprocess.run(["cc", "-E", "-P", "-x", "c", root / "src/kernel/compiled/syntax.def"], capture_output=True, text=True, check=True).stdout
    for names, places in re.findall(r'SYNTAX\(((?:\s*"[^"]*")+)\s*,((?:\s*"[^"]*")+)\s*\)', text):
        names, places = ("".join(re.findall(r'"([^"]*)"', part)) for part in (names, places))
        groups = [([None] if place[0] == "[" else []) + place.strip("[]").replace("m64n*", "m64n8k16").split("|") for place in places.split()]
        if "*" not in places.replace("m64n*", ""):
            yield names.split(), groups


def mnemonics(root):
    table = list(rows(root))
    known = OTHERS | {word for _, groups in table for group in groups for word in group if word}
    for names, groups in table:
        first = [group[0] for group in groups]
        forms = [first[:i] + [word] + first[i + 1:] for i, group in enumerate(groups) for word in group] or [first]
        for name in names:
            for form in forms:
                yield ".".join([name, *filter(None, form)])
            words = [word for word in first if word]
            for i in range(len(words) + 1):
                for other in sorted(known) if i in (0, len(words) // 2, len(words)) else sorted(OTHERS):
                    yield ".".join([name, *words[:i], other, *words[i + 1:]])
                    yield ".".join([name, *words[:i], other, *words[i:]])
                yield ".".join([name, *words[:i], *words[i + 1:]])


def instruction(mnemonic):
    operands = next((text for pattern, text in OPERANDS.items() if re.match(pattern, mnemonic)), "")
    return f"{mnemonic} {operands};\n"


def errors_of(ptxas, folder, target, version, lines):
    """The errors of ptxas for each line. ptxas reads nothing after a syntax error: the last line shows whether it read all."""
    path = folder / "words.ptx"
    head = f".version {version}\n.target {target}\n{HEAD}"
    path.write_text(head + "".join(lines) + "fence.sentinel;\nret;\n}\n")
    done = subprocess.run([ptxas, f"-arch={target}", path, "-o", "/dev/null"], capture_output=True, text=True)
    found = [[] for _ in range(len(lines) + 1)]
    for line, message in re.findall(r"line (\d+); error\s*: (.*)", done.stderr + done.stdout):
        if (i := int(line) - head.count("\n") - 1) <= len(lines):
            found[i].append(message)
    if found.pop():
        return found
    if len(lines) == 1:  # ptxas 13.5 crashes on some words: no verdict
        return [["Argument: a crash" if done.returncode < 0 else "a syntax error"]]
    half = len(lines) // 2
    return errors_of(ptxas, folder, target, version, lines[:half]) + errors_of(ptxas, folder, target, version, lines[half:])


def refused_by_tmap(tmap, folder, version, lines):
    path = folder / "words.ptx"
    head = f".version {version}\n.target sm_107a\n{HEAD}"
    path.write_text(head + "".join(lines) + "ret;\n}\n")
    done = harness.run(tmap, "check", "--json", "--instructions=0", path)
    found = json.loads(done.stdout)["files"][0]["diagnostics"]
    return {each["line"] - head.count("\n") - 1 for each in found if each["rule"] in ("ptx-text", "op-form") and each["severity"] == "error"}


def main(tmap, root):
    if not harness.LONG:
        harness.skip("part of the long run (TMAP_LONG)")
    try:
        ptxas = toolkits.ptxas(max(toolkits.RELEASES))
    except wheels.Unavailable as why:
        harness.skip(str(why))
    version = "{}.{}".format(*toolkits.PTX[max(toolkits.RELEASES)])
    cases = list(dict.fromkeys(mnemonics(pathlib.Path(root))))
    counts, problems = {"accepted": 0, "refused": 0, "found": 0}, []
    with tempfile.TemporaryDirectory() as work:
        for at in range(0, len(cases), 2000):
            part = cases[at:at + 2000]
            lines = [instruction(each) for each in part]
            verdicts = [errors_of(ptxas, pathlib.Path(work), target, version, lines) for target in TARGETS]
            refused = refused_by_tmap(tmap, pathlib.Path(work), version, lines)
            for i, mnemonic in enumerate(part):
                messages = [[m for m in of[i] if not OF_TARGET.search(m)] for of in verdicts]
                if any(not each for each in messages):
                    counts["accepted"] += 1
                    if i in refused:
                        problems.append(f"{mnemonic}: ptxas accepts what tmap refuses")
                elif all(any(not OF_OPERANDS.search(m) for m in each) for each in messages):
                    counts["refused"] += 1
                    counts["found"] += i in refused
    print("\n".join(problems))
    print("{} mnemonics: ptxas accepts {accepted} and refuses {refused}, of which tmap refuses {found}".format(len(cases), **counts))
    return int(bool(problems) or counts["accepted"] < 500 or counts["found"] < 0.9 * counts["refused"])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
