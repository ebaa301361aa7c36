"""Writes the C source of the extension module from tmap's public headers.

usage: declarations.py CC INCLUDE_DIR NATIVE_DIR OUTPUT.c

The C preprocessor flattens the headers of tmap and native.h; what remains are the declarations that cffi reads. No
declaration is written twice, and the compiler of the extension compares each declaration with the header.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

HEADERS = ["tmap/unstable/tmap.h", "tmap/unstable/probe.h", "native.h"]
INCLUDES = "".join(f'#include "{header}"\n' for header in HEADERS)
STANDARD = ["stdbool.h", "stddef.h", "stdint.h", "string.h"]  # cffi defines these types
NUMBER = re.compile(r"^#define (TMAP_[A-Z0-9_]+) (?:-?\d+|\(\(uint64_t\)1 << \d+\))$", re.M)


def preprocessed(compiler, folders, *options):
    with tempfile.TemporaryDirectory() as work:
        for name in STANDARD:
            pathlib.Path(work, name).touch()
        search = [f"-I{folder}" for folder in [work, *folders]]
        command = [compiler, "-E", "-P", *options, "-nostdinc", "-U__GNUC__", "-DTMAP_STATIC", *search, "-x", "c", "-"]
        return subprocess.run(command, input=INCLUDES, capture_output=True, text=True, check=True).stdout


def without_bodies(text):
    """Removes the bodies of inline functions, which cffi does not read. cffi wraps these functions as all others."""
    return re.sub(r"static inline ([^{;]*?)\s*\{[^{}]*\}", r"\1;", text)


def with_open_alignment(text):
    """Replaces _Alignas, which cffi does not read, by `...`: the compiler then supplies the size and the alignment."""
    return re.sub(r"_Alignas\(\d+\)([^;]*;)", r"\1 ...;", text)


def main(compiler, include, native, output):
    folders = [include, native]
    numbers = set(NUMBER.findall(preprocessed(compiler, folders, "-dM"))) - {"TMAP_STATIC"}
    builder = cffi.FFI()
    builder.cdef(with_open_alignment(without_bodies(preprocessed(compiler, folders))))
    builder.cdef("".join(f"#define {name} ...\n" for name in sorted(numbers)))
    builder.set_source("libtmap._native", INCLUDES)
    builder.emit_c_code(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
