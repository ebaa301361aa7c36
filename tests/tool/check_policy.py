#!/usr/bin/env python3
"""Compares the policies that tmap computes from a spec's cache_hint with the numbers that ptxas computes for
createpolicy.fractional, for every ptxas from 13.0 on.

usage: check_policy.py TMAP_COMMAND [--version VERSION] [--record]
The machine has no instruction for createpolicy: ptxas emits shifts and inserts of constants. The test disassembles and
runs this code (sass.py).
"""
import argparse
import collections
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fixtures")]
import harness  # noqa: E402
import check_replace  # noqa: E402
import packages  # noqa: E402
import record  # noqa: E402
import sass  # noqa: E402
import toolkits  # noqa: E402

TARGETS = ("sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103a", "sm_107a", "sm_110a", "sm_120a", "sm_121")
PRIMARIES = ("evict_unchanged", "evict_first", "evict_last", "evict_normal")
SECONDARIES = (None, "evict_unchanged", "evict_first")
# Sixteenths, and fractions near them.
FRACTIONS = [None, *(f"{sixteenth * 0.0625:.4f}" for sixteenth in range(1, 17)), "0.000000001", "0.01", "0.0624", "0.0626",
             "0.3", "0.5001", "0.9", "0.9374", "0.9376", "0.999999"]


def cases():
    yield from ((primary, secondary, fraction) for primary in PRIMARIES for secondary in SECONDARIES for fraction in FRACTIONS)


def predicted(tmap):
    """Returns the policy that tmap computes for each case."""
    lines = ["tmap: 1", "tensors: {a: {type: f16, dims: [4096, 64], box: [64, 64]}}", "copies:"]
    for i, (primary, secondary, fraction) in enumerate(cases()):
        keys = [f"primary: {primary}", *([f"secondary: {secondary}"] if secondary else []),
                *([f"fraction: {fraction}"] if fraction else [])]
        lines.append(f"  c{i}: {{tensor: a, op: prefetch, at: [0, 0], cache_hint: {{{', '.join(keys)}}}}}")
    shown = harness.run(tmap, "show", "--json", "-", input="\n".join(lines) + "\n", check=True)
    found = {copy["name"]: int(copy["cache_hint"], 16) for copy in json.loads(shown.stdout)["copies"]}
    return [found[f"c{i}"] for i, _ in enumerate(cases())]


def statement(case):
    primary, secondary, fraction = case
    mnemonic = f"createpolicy.fractional.L2::{primary}{f'.L2::{secondary}' if secondary else ''}.b64"
    return f".reg .b64 %policy; {mnemonic} %policy{f', {fraction}' if fraction else ''}; st.global.u64 [%rd1], %policy;"


def constants(target):
    parameters, stack, memory, _ = check_replace.CONSTANTS.get(
        target + ("a" if target == "sm_90" else ""), check_replace.LATER_CONSTANTS)
    words = {stack: 0, memory: 0, memory + 4: 0}
    base = sass.BASE["global"]
    words.update({parameters: base & 0xFFFFFFFF, parameters + 4: base >> 32})
    return words


def policy_of(target, code):
    machine = sass.Machine(constants(target), bytes(sass.DESCRIPTOR_B), "global")
    machine.run(code)
    return int.from_bytes(machine.memory[:8], "little")


def check_target(toolkit, target, wanted, differences):
    """Returns the number of policies compared."""
    bodies = {f"k{i}": statement(case) for i, case in enumerate(cases())}
    codes, said = toolkit.assemble(target, check_replace.newest_ptx(toolkit.release), bodies)
    if codes is None:
        differences[f"{toolkit.version} {target}: refused: {said[:200]}"] += 1
        return 0
    for i, case in enumerate(cases()):
        try:
            found = policy_of(target, codes[f"k{i}"])
            if found != wanted[i]:
                differences[f"{toolkit.version} {target} {case}: {found:#x}, not {wanted[i]:#x}"] += 1
        except sass.Unknown as why:
            differences[f"{toolkit.version} {target} {case}: not understood: {why}"] += 1
    return len(wanted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--version", action="append", help="version of ptxas (default: all from 13.0 on)")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    try:
        versions = options.version or packages.since(check_replace.PTXAS, check_replace.FIRST)
        programs = {version: packages.program(check_replace.PTXAS, version, "ptxas") for version in versions}
        nvdisasm = packages.program(check_replace.NVDISASM, packages.versions(check_replace.NVDISASM)[-1], "nvdisasm")
    except packages.wheels.Unavailable as why:
        harness.skip(why)
    wanted, found = predicted(options.command), 0
    for version, ptxas in programs.items():
        record.announce(check_replace.PTXAS, version)
        differences, n = collections.Counter(), 0
        with tempfile.TemporaryDirectory() as work:
            toolkit = check_replace.Toolkit(version, ptxas, nvdisasm, work)
            for target in TARGETS:
                if toolkits.TARGETS[target] <= toolkits.PTX.get(toolkit.release, (9, toolkit.release[1])):
                    n += check_target(toolkit, target, wanted, differences)
        print(f"ptxas {version}: {n} policies, {sum(differences.values())} differences", flush=True)
        for what, count in differences.most_common(check_replace.SHOWN):
            print(f"  DIFFERENT: {what}: {count}")
        found += len(differences)
        if options.record:
            record.put(check_replace.PTXAS, version, policy={"cases": n, "differences": dict(differences)})
    return 1 if found or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
