"""Compares how two builds compile the library: compiled.py BUILD OTHER_BUILD

Fails if BUILD compiles a file of src/ that OTHER_BUILD does not compile with the same words of the command line;
-Werror, the folders of generated headers and the order of the words do not count.
"""
import json
import pathlib
import sys


def commands(build):
    """Returns the words of the command for each file of src/."""
    found = {}
    for row in json.loads((build / "compile_commands.json").read_text()):
        words = row["command"].split()
        output = words[words.index("-o") + 1]
        if "/src/" in f"/{output}":
            generated = {word for word in words if word.startswith(f"-I{build}")}
            found[row["file"]] = set(words) - generated - {output, "-Werror"}
    return found


ours, theirs = (commands(pathlib.Path(word)) for word in sys.argv[1:3])
same = [file for file, words in ours.items() if theirs.get(file) == words]
print(f"{len(same)} of {len(ours)} files are compiled alike")
sys.exit(not ours or len(same) < len(ours))
