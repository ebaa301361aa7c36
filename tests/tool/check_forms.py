#!/usr/bin/env python3
"""Assembles every instruction form on every target with every ptxas from 13.0 to the newest of the package index.

usage: check_forms.py TMAP_COMMAND [--version VERSION] [--qualifiers] [--missing] [--record]
Which forms must assemble where is in tests/core/check_ptxas.py.
"""
import argparse
import hashlib
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fixtures"), str(HERE.parent / "core")]
import harness  # noqa: E402
import check_ptxas  # noqa: E402
import packages  # noqa: E402
import record  # noqa: E402

# For each rule: an instruction that no ptxas may accept, and the nearest instruction that every ptxas must accept.
LOAD = "cp.async.bulk.tensor.{}.shared::cluster.global.{}.mbarrier::complete_tx::bytes{} [%r1], [%rd1, {{{}}}], [%r2]{};"
REFUSED = {
    "copy-coordinate-count": [LOAD.format("2d", "tile", "", "%r3, %r3, %r3", ""), LOAD.format("2d", "tile", "", "%r3", ""),
                              LOAD.format("5d", "tile", "", "%r3, %r3, %r3, %r3", "")],
    "im2col-rank": [LOAD.format("2d", "im2col", "", "%r3, %r3", ", {}"), LOAD.format("2d", "im2col", "", "%r3, %r3", ", {%h2}")],
    "four-rows-rank": [LOAD.format("3d", "tile::gather4", "", "%r3, %r3, %r3, %r3, %r3", ""),
                       LOAD.format("2d", "tile::gather4", "", "%r3, %r3", "")],
    "copy-offsets": [LOAD.format("4d", "im2col", "", "%r3, %r3, %r3, %r3", ", {%h2}"),
                     LOAD.format("4d", "im2col", "", "%r3, %r3, %r3, %r3", ", {%h2, %h2, %h2}"),
                     LOAD.format("4d", "im2col", "", "%r3, %r3, %r3, %r3", ", {%r3, %r3}")],
    "copy-multicast-dst": [LOAD.format("2d", "tile", ".multicast::cluster", "%r3, %r3", ", %h1").replace(
        "shared::cluster.global", "shared::cta.global")],
    "replace-operand-type": ["tensormap.replace.tile.global_address.global.b1024.b32 [%rd1], %r1;",
                             "tensormap.replace.tile.global_stride.global.b1024.b32 [%rd1], 0, %r1;",
                             "tensormap.replace.tile.global_dim.global.b1024.b64 [%rd1], 0, %rd2;",
                             "tensormap.replace.tile.rank.global.b1024.b64 [%rd1], %rd2;"],
}
ACCEPTED = [LOAD.format("2d", "tile", "", "%r3, %r3", ""), LOAD.format("5d", "tile", "", "%r3, %r3, %r3, %r3, %r3", ""),
            LOAD.format("4d", "im2col", "", "%r3, %r3, %r3, %r3", ", {%h2, %h2}"),
            LOAD.format("2d", "tile::gather4", "", "%r3, %r3, %r3, %r3, %r3", ""),
            LOAD.format("2d", "tile", ".multicast::cluster", "%r3, %r3", ", %h1"),
            "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;",
            "tensormap.replace.tile.global_dim.global.b1024.b32 [%rd1], 0, %r1;"]
REFUSING_ARCH = "sm_100a"  # a target with all of these instructions
PTXAS = "nvidia-cuda-nvcc"
FIRST = (13, 0)


def assembles(ptxas, text):
    source = (f".version 9.0\n.target {REFUSING_ARCH}\n.address_size 64\n.visible .entry k() {{\n"
              f".reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .b16 %h<4>;\n{text}\nret; }}\n")
    return check_ptxas.accepted(ptxas, source, REFUSING_ARCH)


def check_refusals(ptxas, version):
    for rule, texts in REFUSED.items():
        for text in texts:
            check_ptxas.hold(f"{version}: {rule}: {text}", assembles(ptxas, text), False)
    for text in ACCEPTED:
        check_ptxas.hold(f"{version}: {text}", assembles(ptxas, text), True)
    return sum(map(len, REFUSED.values())) + len(ACCEPTED)


def check_forms(tmap, ptxas, version):
    return check_ptxas.check_plain(tmap, ptxas, packages.release(version), False) + check_refusals(ptxas, version)


def check_qualifiers(tmap, ptxas, version):
    return check_ptxas.check_qualified(tmap, ptxas, packages.release(version))


def check_calls(tmap, ptxas, version):
    return check_ptxas.check_calls(tmap, ptxas, packages.release(version), True)


TABLES = {"forms": ("archs", "forms", "replaceables"), "qualifiers": ("archs", "variants"),
          "calls": ("archs", "forms")}


def digest(tmap, part):
    """Digest of the rows that a part assembles; a record with another digest is of older tables."""
    keys = ("name", "field", "form", "qualifier", "ptx", "archs", "ptx_isa")
    rows = {name: [[row.get(key) for key in keys] for row in tmap.table(name)] for name in TABLES[part]}
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--version", action="append", help="version of ptxas (default: all from 13.0 on)")
    parser.add_argument("--qualifiers", action="store_true", help="only forms with qualifiers, and the other instructions on maps")
    parser.add_argument("--missing", action="store_true", help="only runs that the record lacks, or has from older tables")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    try:
        versions = options.version or packages.since(PTXAS, FIRST)
        programs = {version: packages.program(PTXAS, version, "ptxas") for version in versions}
    except packages.wheels.Unavailable as why:
        harness.skip(why)
    tmap, found = check_ptxas.Commands(options.command), 0
    parts = {"forms": check_forms, "qualifiers": check_qualifiers, "calls": check_calls}
    tables = {name: digest(tmap, name) for name in parts if name == "qualifiers" or not options.qualifiers}
    for version, ptxas in programs.items():
        record.announce(PTXAS, version)
        for name in tables:
            has = record.read().get(PTXAS, {}).get(version, {}).get(name, {})
            if options.missing and has.get("tables") == tables[name]:
                continue
            check = parts[name]
            before = len(check_ptxas.problems)
            cases = check(tmap, ptxas, version)
            differences = check_ptxas.problems[before:]
            print(f"ptxas {version}: {name}: {cases} cases, {len(differences)} differences", flush=True)
            for problem in differences:
                print(f"  DIFFERENT: {version}: {problem}")
            found += len(differences)
            if options.record:
                record.put(PTXAS, version, **{name: {"cases": cases, "differences": differences, "tables": tables[name]}})
    return 1 if found or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
