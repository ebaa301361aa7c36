"""Compares how two builds compile the library: compiled.py BUILD OTHER_BUILD [--reuse]

Fails if BUILD compiles a file of src/ that OTHER_BUILD does not compile with the same words of the command line;
-Werror and the order of the words do not count. With --reuse it does not fail, and BUILD/reuse gets the objects of
OTHER_BUILD whose words are the same, for variants.sh.
"""
import json
import pathlib
import sys


def commands(build):
    """Returns the object and the words of each file of src/."""
    found = {}
    for row in json.loads((build / "compile_commands.json").read_text()):
        words = row["command"].split()
        output = words[words.index("-o") + 1]
        if "src/CMakeFiles/" in output:
            found[row["file"]] = output, sorted(set(words) - {output, "-Werror"})
    return found


build, other = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
theirs = commands(other)
ours = commands(build)
same = [file for file, (_, words) in ours.items() if file in theirs and theirs[file][1] == words]
for file in same if "--reuse" in sys.argv else ():
    link = build / "reuse" / ours[file][0]
    link.parent.mkdir(parents=True, exist_ok=True)
    if (other / theirs[file][0]).exists():
        link.symlink_to(other / theirs[file][0])
print(f"{len(same)} of {len(ours)} files are compiled alike")
sys.exit(not ours or len(same) < len(ours) and "--reuse" not in sys.argv)
