#!/usr/bin/env python3
"""Writes the source of the HTML pages: the documents, the trees of pages beside the text, and a page for each public
header, of its comments and declarations.

usage: pages.py SOURCE_DIR OUTPUT_DIR
"""
import pathlib
import re
import shutil
import sys

root, output = map(pathlib.Path, sys.argv[1:3])
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"]
TREES = {"Start here": ["docs/symptoms", "docs/swizzling", "docs/spec"],
         "How to": ["docs/kernel", "docs/python", "docs/ci", "docs/trace", "docs/debuggers", "docs/runtime", "docs/device", "docs/capture", "docs/page", "docs/adoption"],
         "Reference": ["docs/tour", "docs/layouts", "docs/tilus_cute", "docs/python_reference", "specs/README", "docs/evidence", "docs/versions", "docs/words"],
         "Why": ["docs/proofs", "docs/testing", "docs/speed"],
         "The project": ["docs/README", "CONTRIBUTING", "CHANGELOG"]}


def tree(caption, pages):
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""])


def comment_text(comment):
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in re.sub(r"^/\*+|\*/$", "", comment.strip()).split("\n")]
    return "\n".join(lines).strip()


def header_page(path):
    """The comments of a header that stand alone as text, each followed by its declarations as code."""
    text = re.sub(r"^#(ifn?def|define \w+_H|endif|ifdef __cplusplus).*\n|^extern \"C\" \{\n|^\}\n", "", path.read_text(), flags=re.M)
    page = [f"# {path.relative_to(root / 'include')}", ""]
    for comment, code in re.findall(r"^(/\*.*?\*/)?\n?(.*?)(?=^/\*|\Z)", text, flags=re.M | re.S):
        page += [comment_text(comment), ""] if comment else []
        page += ["```c", code.strip(), "```", ""] if code.strip() else []
    return "\n".join(page)


shutil.rmtree(output, ignore_errors=True)
for folder in ("docs", "specs"):
    shutil.copytree(root / folder, output / folder)
for page in PAGES:
    shutil.copy(root / page, output)
headers = [*sorted((root / "include/tmap").glob("*.h")), *sorted((root / "include/tmap/unstable").glob("*.h"))]
for header in headers:
    page = output / "api" / f"{header.relative_to(root / 'include/tmap').with_suffix('')}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(header_page(header))
TREES["C API"] = [f"api/{header.relative_to(root / 'include/tmap').with_suffix('')}" for header in headers]
with (output / "README.md").open("a") as first:
    first.writelines(tree(caption, pages) for caption, pages in TREES.items())
