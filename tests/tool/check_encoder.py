#!/usr/bin/env python3
"""Compares tmap's native descriptors with those of NVIDIA's encoder in the CuTe DSL, which runs on a CPU.

usage: check_encoder.py TMAP_COMMAND [--maps N] [--seed N] [--version VERSION] [--record]
       check_encoder.py TMAP_COMMAND --replay
The test runs the encoder as a tool and compares bits 0 to 511, all that the encoder writes. Bit 85 is the allocation
class. The encoder must follow its own rule (LARGE if the tensor spans 128 KiB). tmap requires more for LARGE: tmap may
choose LARGE only where the encoder does, and must do so if no stride leaves a gap above 4 KiB. The test prints each
difference, and lists the fields that the encoder never varies as not shown.
--record also writes the first descriptors of each target to encoded.json. --replay compares tmap with these descriptors
and requires neither the package nor the package index.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import maps  # noqa: E402
import packages  # noqa: E402
import record  # noqa: E402

PACKAGE = "nvidia-cutlass-dsl"
ARCHS = ("sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a")  # targets of the encoder and of tmap
CLASS_BIT = 85
WRITTEN_B = 64
GAP_B = 4096  # largest gap that tmap's choice of LARGE tolerates
TOGETHER = 25  # maps compiled at once
KEPT = 24  # descriptors of each target that are recorded
ENCODED = pathlib.Path(__file__).resolve().parent / "encoded.json"


def native(command, arch, drawn):
    """Returns tmap's bytes of all maps, from one call."""
    with tempfile.TemporaryDirectory() as work:
        spec, out = pathlib.Path(work) / "maps.yaml", pathlib.Path(work) / "maps.bin"
        lines = [f"  m{i}: {json.dumps(maps.for_spec(one))}" for i, one in enumerate(drawn)]
        spec.write_text("\n".join(["tmap: 1", "tensors:", *lines]) + "\n")
        done = subprocess.run([command, "encode", "--all", "--format=bin", "--arch", arch, "-o", out, spec],
                              capture_output=True, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error" in line]
            sys.exit(f"tmap refuses maps drawn by the documents' rules: {errors[:5]}")
        data = out.read_bytes()
    return [data[128 * i:128 * (i + 1)] for i in range(len(drawn))]


class Encoder:
    """A process that encodes lists of maps. If the process dies, it is started again."""

    def __init__(self, python, arch):
        self.command = [str(python), str(pathlib.Path(__file__).resolve().parent / "dsl_encoder.py")]
        self.environment = {**os.environ, "CUTE_DSL_ARCH": arch}
        self.process = None

    def ask(self, drawn):
        if not self.process:
            self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.PIPE, text=True,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            self.process.stdin.write(json.dumps([maps.for_encoder(one) for one in drawn]) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.close()
            return "the encoder's process ends"
        return json.loads(line)

    def encode(self, drawn):
        """Returns, for each map, its bytes or a text with the reason for a failure."""
        answer = self.ask(drawn)
        if isinstance(answer, list):
            return [bytes.fromhex(one) for one in answer]
        if len(drawn) == 1:
            return [answer]
        half = len(drawn) // 2
        return self.encode(drawn[:half]) + self.encode(drawn[half:])

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
        self.process = None


def fields_of(command):
    """Returns the field name of each bit of tiled and of im2col descriptors."""
    done = subprocess.run([command, "list", "descriptor", "--json"], capture_output=True, text=True, check=True)
    names = {"tiled": {}, "im2col": {}}
    for row in json.loads(done.stdout)["descriptor"]:
        for part in row["bits"].split(", "):
            low, _, high = part.partition("..")
            for kind in names:
                if row["kind"] in ("both", kind):
                    names[kind].update({bit: row["name"] for bit in range(int(low), int(high or low) + 1)})
    return names


class Comparison:
    def __init__(self, fields):
        self.fields = fields
        self.cases = collections.Counter()
        self.differences = collections.Counter()
        self.examples = {}
        self.values = collections.defaultdict(set)  # (kind, field): the values that the encoder wrote
        self.large = self.smaller = 0
        self.made = collections.defaultdict(list)  # per target: maps with the encoder's bytes

    def name(self, one, bit):
        kind = "im2col" if one["mode"] == "im2col" else "tiled"
        return self.fields[kind].get(bit, f"bit {bit}")

    def differ(self, what, one, arch):
        self.differences[what] += 1
        self.examples.setdefault(what, f"{arch}: {json.dumps(maps.for_spec(one))}")

    def note_values(self, one, theirs):
        kind = "im2col" if one["mode"] == "im2col" else "tiled"
        number = int.from_bytes(theirs[:WRITTEN_B], "little")
        seen = collections.defaultdict(list)
        for bit in range(8 * WRITTEN_B):
            seen[self.fields[kind].get(bit, "no field")].append(number >> bit & 1)
        for field, bits in seen.items():
            if len(self.values[kind, field]) < 64:
                self.values[kind, field].add(tuple(bits))

    def compare(self, one, ours, theirs, arch):
        if isinstance(theirs, str):
            self.differ(f"the encoder makes no descriptor: {theirs[-120:]}", one, arch)
            return
        self.cases[arch, one["mode"]] += 1
        self.made[arch].append({"map": one, "descriptor": theirs[:WRITTEN_B].hex()})
        self.note_values(one, theirs)
        expected = int.from_bytes(ours[:WRITTEN_B], "little")
        ours_large, theirs_large = bool(expected >> CLASS_BIT & 1), maps.is_large(one)
        expected = expected & ~(1 << CLASS_BIT) | theirs_large << CLASS_BIT
        self.large += theirs_large
        self.smaller += theirs_large and not ours_large
        if ours_large and not theirs_large:
            self.differ("tmap is LARGE where the encoder is SMALL", one, arch)
        if theirs_large and not ours_large and max(one["strides"], default=0) <= GAP_B:
            self.differ("tmap is SMALL though there is no gap above 4 KiB", one, arch)
        changed = expected ^ int.from_bytes(theirs[:WRITTEN_B], "little")
        for what in sorted({self.name(one, bit) for bit in range(8 * WRITTEN_B) if changed >> bit & 1}):
            self.differ(what, one, arch)
        if any(byte != 0xEE for byte in theirs[WRITTEN_B:]):
            self.differ("bits 512 to 1023 are written", one, arch)
        if any(ours[WRITTEN_B:]):
            self.differ("tmap sets bits from 512 on", one, arch)

    def not_shown(self):
        constant = {}
        for (kind, field), values in self.values.items():
            if len(values) == 1:
                value = sum(bit << i for i, bit in enumerate(next(iter(values))))
                constant.setdefault((field, value), []).append(kind)
        lines = [f"{field} is always {value} ({', '.join(sorted(kinds))})" for (field, value), kinds in sorted(constant.items())]
        return lines + ["modes im2col_w and im2col_w128: the encoder has none",
                        "interleave, fill and the swizzles 96B and 128B_atom32B_flip8B: the encoder has none"]


def run(command, python, seed, n):
    comparison = Comparison(fields_of(command))
    for arch in ARCHS:
        drawn = maps.draw(random.Random(f"{seed} {arch}"), arch, n)
        ours, encoder = native(command, arch, drawn), Encoder(python, arch)
        for at in range(0, n, TOGETHER):
            for one, bytes_, theirs in zip(drawn[at:at + TOGETHER], ours[at:at + TOGETHER],
                                           encoder.encode(drawn[at:at + TOGETHER])):
                comparison.compare(one, bytes_, theirs, arch)
        encoder.close()
    return comparison


def keep(comparison, version):
    """Writes the first descriptors of each target, one per line."""
    lines = [json.dumps({"arch": arch, **row}) for arch, rows in sorted(comparison.made.items()) for row in rows[:KEPT]]
    ENCODED.write_text(f'{{"encoder": "{PACKAGE} {version}", "descriptors": [\n' + ",\n".join(lines) + "\n]}\n")


def replay(command):
    recorded = json.loads(ENCODED.read_text())
    comparison, of_arch = Comparison(fields_of(command)), collections.defaultdict(list)
    for row in recorded["descriptors"]:
        of_arch[row["arch"]].append(row)
    for arch, rows in of_arch.items():
        for row, ours in zip(rows, native(command, arch, [row["map"] for row in rows])):
            comparison.compare(row["map"], ours, bytes.fromhex(row["descriptor"]), arch)
    total = sum(comparison.cases.values())
    for what, count in comparison.differences.most_common():
        print(f"DIFFERENT: {what}: {count}, such as {comparison.examples[what]}")
    print(f"{total} descriptors of {recorded['encoder']}, {comparison.large} of class LARGE: "
          f"{sum(comparison.differences.values())} differences")
    return 1 if comparison.differences or {row["arch"] for row in recorded["descriptors"]} != set(ARCHS) else 0


def report(comparison, version):
    total = sum(comparison.cases.values())
    print(f"{PACKAGE} {version}: {total} descriptors, {comparison.large} of them of class LARGE, "
          f"{comparison.smaller} of these SMALL by tmap for their gaps")
    for (arch, mode), count in sorted(comparison.cases.items()):
        print(f"  {arch} {mode}: {count}")
    for what, count in comparison.differences.most_common():
        print(f"  DIFFERENT: {what}: {count}, such as {comparison.examples[what]}")
    if not comparison.differences:
        print("  bits 0 to 511 are equal in all, bit 85 by the encoder's rule; it writes no others")
    print("  not shown:")
    for line in comparison.not_shown():
        print(f"    {line}")
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--maps", type=int, default=2000, help="for each of " + ", ".join(ARCHS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--version", help="version of the package (default: the newest)")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--replay", action="store_true", help="compare only with the recorded descriptors, without the package")
    options = parser.parse_args()
    if options.replay:
        return replay(options.command)
    try:
        version = options.version or packages.versions(PACKAGE)[-1]
        python = packages.environment(PACKAGE, version)
    except packages.wheels.Unavailable as why:
        print(f"skipped: {why}")
        return 77
    record.announce(PACKAGE, version)
    comparison = run(options.command, python, options.seed, options.maps)
    total = report(comparison, version)
    if options.record:
        keep(comparison, version)
        record.put(PACKAGE, version, cases=total, differences=dict(comparison.differences), not_shown=comparison.not_shown())
    return 1 if comparison.differences or not total else 0


if __name__ == "__main__":
    sys.exit(main())
