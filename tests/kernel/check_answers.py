#!/usr/bin/env python3
"""Small kernels, and all that tmap says of them: tests/data/compiled/kernels.txt.

usage: check_answers.py TMAP SOURCE_DIR [--update]
The file has snippets (`snippet NAME`, lines, `end`), and kernels: `== what it shows | options`, the text, and what tmap
says, in lines that begin with --. The options are those of `tmap check`; `maps {...}` gives a spec's tensors, and `show`
prints the maps and copies, too, `copies` the executed ones; lines with `# ` are comments. A text that does not begin with .version is the target, the parameters and directives of a kernel,
and lines of its body; lines with & follow its end. `$NAME(A; B)` is a snippet, with A and B in place of \\1 and \\2. The
numbers of lines are those of the text. With --update the answers are written again: read them before you commit them.
"""
import collections
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

HEAD = (".version 9.0 .target {} .entry k{} {{ .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .f32 %f<9>; .reg .b64 %rd<9>; "
        ".shared .align 8 .b64 bar[4]; .shared .align 4 .b32 base; .shared .align 1024 .b8 box[4096]; "
        "mov.u32 %r8, %tid.x; setp.eq.u32 %p1, %r8, 0;")
Case = collections.namedtuple("Case", "title lines expected")


def parse(text):
    """The snippets, and the kernels."""
    snippets = dict(re.findall(r"^snippet (\w+)\n(.*?)^end$", text, flags=re.M | re.S))
    for part in re.split(r"^== ", text, flags=re.M)[1:]:
        title, *lines = (line for line in part.rstrip("\n").split("\n") if not line.startswith("# "))
        said = [line for line in lines if line.startswith("-- ")]
        yield Case(title, [expanded(snippets, line) for line in lines[:len(lines) - len(said)]], said)


def expanded(snippets, line):
    def one(match):
        if match[1] not in snippets:
            return match[0]
        words = (match[2] or "").split("; ")
        return re.sub(r"\\(\d)", lambda m: words[int(m[1]) - 1], " ".join(snippets[match[1]].split("\n")))
    while "$" in line and (new := re.sub(r"\$([a-z]\w*)(?:\(([^)]*)\))?", one, line)) != line:
        line = new
    return line


def ptx_of(case):
    if case.lines[0].startswith((".version", "//", "/*")):
        return "\n".join(case.lines) + "\n"
    target, head = case.lines[0].split(" ", 1)
    body = [line for line in case.lines[1:] if line[0] != "&"]
    return "\n".join([HEAD.format(target, head), *body, "ret; }", *(line[1:] for line in case.lines if line[0] == "&")]) + "\n"


def answers(tmap, cases, folder):
    """What tmap says of each kernel; those with the same options are checked at once."""
    groups = collections.defaultdict(list)
    for i, case in enumerate(cases):
        (folder / f"{i}.ptx").write_text(ptx_of(case))
        options = case.title.partition(" | ")[2]
        maps = re.search(r"maps \{.*\}", options)
        if maps:
            (folder / f"{i}.yaml").write_text(f"tmap: 1\ntensors: {maps[0][5:]}\n")
            options = options.replace(maps[0], f"--maps {folder}/{i}.yaml")
        groups[options].append(i)
    said = {}
    for options, numbers in groups.items():
        words = [word for word in options.split() if word not in ("show", "copies")]
        paths = {str(folder / f"{i}.ptx"): i for i in numbers}
        run = harness.run(tmap, "check", "--json", *words, *paths)
        for file in json.loads(run.stdout)["files"]:
            said[paths[file["path"]]] = [*map(finding, file["diagnostics"]), *map(execution, file.get("executions", []))]
        for path, i in paths.items():
            if "copies" in options:
                names = re.findall(r"line_\w+", harness.run(tmap, "copy", "--all", *words, path).stdout)
                said[i] += ["-- " + harness.run(tmap, "copy", *words, path, name).stdout.split("\n")[0] for name in names]
            if "show" in options:
                shown = harness.run(tmap, "show", "--json", *[w for w in words if w.startswith("--maps") or "/" in w], path)
                said[i] += shown_lines(json.loads(shown.stdout))
    return [said[i] for i in range(len(cases))]


def finding(d):
    parts = [f"{key}: {d[key]}" for key in ("given", "allowed", "fix") if d[key]] + [f"note: {n['message']}" for n in d["notes"]]
    return " | ".join([f"-- {d['severity']} {d['line']}:{d['column']}: {d['message']} [{d['rule']}]", *parts])


def execution(run):
    words = ("limited", "sizes_assumed", "ended")
    said = [word.replace("_", " ") for word in words if run[word]] + [f"{key.replace('_', ' ')} {run[key]}" for key in run
                                                                       if key not in (*words, "kernel", "instructions")]
    return f"-- {run['kernel']}: " + ", ".join(said)


def shown_lines(shown):
    for kernel in shown["kernels"]:
        yield f"-- {kernel['kernel']}: line {kernel['line']}, {kernel['target']}, PTX {kernel['ptx_version']}, threads {kernel['threads']}, cluster {kernel['cluster']}, {kernel['instructions']} instructions"
        for row in kernel["maps"] + kernel["copies"]:
            yield "-- " + ", ".join(f"{key} {value}" for key, value in row.items() if value is not None)


tmap, root, update = sys.argv[1], pathlib.Path(sys.argv[2]), "--update" in sys.argv[3:]
path = root / "tests/data/compiled/kernels.txt"
text = path.read_text()
cases, problems = list(parse(text)), []
with harness.scratch() as folder:
    said = answers(tmap, cases, folder)
for case, lines in zip(cases, said):
    if lines != case.expected:
        problems += [f"== {case.title}", *(f"  not said: {line}" for line in case.expected if line not in lines),
                     *(f"  said: {line}" for line in lines if line not in case.expected)]
        if lines == sorted(case.expected):
            problems.append("  another order")
if update:
    head, *parts = re.split(r"^(?=== )", re.sub(r"^-- .*\n", "", text, flags=re.M), flags=re.M)
    path.write_text(head + "".join(part.rstrip("\n") + "\n" + "".join(line + "\n" for line in lines) + "\n" for part, lines in zip(parts, said)))
    problems = []
harness.end(problems, f"{len(cases)} kernels", len(cases) >= 50)
