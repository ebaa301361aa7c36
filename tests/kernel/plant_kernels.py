"""Faults in the PTX of a kernel: each is one edit of a text that is right, with the rules that may name it. A dropped
tcgen05.wait::ld is not planted: compilers read the registers of the load before it, so tmap does not judge it."""
import re

ORDER = {"sequence-hang", "sequence-order", "sequence-arrivals"}
RULES = {
    "bytes": {"sequence-tx"},
    "dim": {"copy-dim", "copy-coordinate-count", "op-form"},
    "operands": {"copy-coordinate-count", "ptx-text"},
    "barrier": {"mbarrier-align", "sequence-barrier-init", "sequence-tx", "shared-overlap"} | ORDER,
    "shared": {"copy-shared-align", "linear-shared-align", "sequence-order", "sequence-unwritten", "buffer-size", "shared-overlap", "shared-window"},
    "fence": {"store-proxy-fence", "sequence-async-fence", "sequence-async-reuse"},
    "commit": {"sequence-exit", "sequence-order"},
    "wait": {"sequence-exit", "sequence-order"},
    "count": set(ORDER),
    "second init": {"sequence-barrier-init"},
    "parity": set(ORDER) | {"sequence-tx", "sequence-unwritten"},
    "stages": {"sequence-barrier-init", "sequence-tx", "sequence-unwritten", "shared-window"} | ORDER,
    "mask": {"cluster-rank", "sequence-tx", "sequence-unwritten"} | ORDER,
    "columns": {"sequence-allocation", "sequence-order"},
    "map": {"four-rows-box", "sequence-tx", "copy-dim", "copy-coordinate-count", "shared-overlap", "sequence-order", "buffer-swizzle"},
    "box": {"sequence-tx", "buffer-size", "box-inner-bytes", "swizzle-span", "sequence-order", "sequence-unwritten"},
}
GUARD = r"(?:@!?%\w+\s+)?"


def replaced(lines, i, line):
    return "\n".join(lines[:i] + [line] + lines[i + 1:])


def later(line, pattern, offset):
    """The line with an offset in the brackets that the pattern's group finds."""
    found = re.search(pattern, line)
    return line[:found.end(1)] + f"+{offset}" + line[found.end(1):] if found else None


def with_other_map(line, lines):
    """The line with the first other map that a copy of the text names; None if there is no other."""
    own = re.search(r"\[(%rd\d+), \{", line)
    for other in lines:
        found = re.search(r"bulk\.tensor.*\[(%rd\d+), \{", other)
        if own and found and found.group(1) != own.group(1):
            return line.replace(own.group(1) + ", {", found.group(1) + ", {")
    return None


def load_faults(lines, i, line):
    is_load = "complete_tx" in line and "cp.async.bulk.tensor" in line
    yield "dim", re.sub(r"tensor\.(\d)d", lambda m: f"tensor.{int(m.group(1)) % 5 + 1}d", line)
    yield "operands", re.sub(r", %\w+\}", "}", line, count=1)
    if is_load:
        yield "barrier", later(line, r"\}\], (?:\{[^}]*\}, )?\[([^\]]+)\]", 8)
        yield "barrier", later(line, r"\}\], (?:\{[^}]*\}, )?\[([^\]]+)\]", 4)
        yield "shared", later(line, r"\s\[([^\]]+)\], \[", 64)
        yield "shared", later(line, r"\s\[([^\]]+)\], \[", 1024)
        yield "map", with_other_map(line, lines)
        if "multicast" in line:
            yield "mask", re.sub(r"\], (%rs\d+|\d+)(, |;)", r"], 1\2", line)
    elif "prefetch" not in line:
        yield "shared", later(line, r"\], \[([^\]]+)\]", 64)


def line_faults(lines, i, line):
    found = re.search(r"expect_tx\S*\s+(?:_, )?\[[^\]]+\], (\d+);", line)
    if found and int(found.group(1)) > 0:
        n = int(found.group(1))
        for value in (n // 2, n + 16, 2 * n):
            yield "bytes", line[:found.start(1)] + str(value) + line[found.end(1):]
    if re.search(r"bulk\.tensor\.\dd", line):
        yield from load_faults(lines, i, line)
    found = re.search(r"mbarrier\.init\S*\s+\[[^\]]+\], (\d+);", line)
    if found:
        yield "count", line[:found.start(1)] + str(int(found.group(1)) + 1) + line[found.end(1):]
        yield "barrier", later(line, r"\[([^\]]+)\]", 4)
        yield "second init", line + line
    found = re.search(r"^(.*mbarrier\.try_wait\.parity\S*\s+\S+, \[[^\]]+\], )(%\w+|\d+)(.*)$", line)
    if found:
        head, parity, rest = found.groups()
        yield "parity", f".reg .b32 %flipped; xor.b32 %flipped, {parity}, 1;{head}%flipped{rest}"
    found = re.search(r"setp\.(?:gt|eq|ne)\.[su]32\s+(%p\d+), %r\d+, ([2-7]);", line) or re.search(
        r"setp\.(?:eq)\.b32\s+(%p\d+), %r\d+, ([2-7]);", line)
    if found and any(re.search(r"selp\.b32\s+%r\d+, 0, %r\d+, " + found.group(1) + ";", x) for x in lines[i:i + 12]):
        yield "stages", line[:found.start(2)] + str(int(found.group(2)) + 1) + line[found.end(2):]
    yield from dropped(lines, i, line)


STORE, WRITE = r"bulk_group", r"^\s*" + GUARD + r"(st\.shared|stmatrix)"
CHANGES = WRITE + r"|complete_tx|\bbra\b|\bret;|^\$"  # then it counts whether the stores before have read their bytes


def nearest(lines, i, step, pattern, until):
    """Whether a line with the pattern comes before one with the other pattern."""
    while 0 <= (i := i + step) < len(lines):
        if re.search(pattern, lines[i]):
            return True
        if re.search(until, lines[i]):
            return False
    return False


def dropped(lines, i, line):
    """Removes the line if a copy or an allocation of the text needs its instruction."""
    if re.search(r"^\s*" + GUARD + r"fence\.proxy\.async", line):
        if nearest(lines, i, -1, WRITE, r"fence\.proxy\.async") and nearest(lines, i, 1, STORE, r"fence\.proxy\.async"):
            yield "fence", ""
    if "tcgen05.dealloc" in line or "tcgen05.wait::st" in line and sum("tcgen05.wait::st" in x for x in lines) == 1:
        yield "columns", ""
    if "cp.async.bulk.commit_group" in line and nearest(lines, i, -1, STORE, "tensormap|commit_group"):
        if not nearest(lines, i, 1, "bulk.commit_group", CHANGES):
            yield "commit", ""
    if "cp.async.bulk.wait_group" in line and not nearest(lines, i, -1, "cp_fenceproxy", STORE):
        if not nearest(lines, i, 1, "bulk.wait_group", CHANGES):
            yield "wait", ""


def faults(text):
    """Yields for each fault its kind, the number and the text of its line, and the whole text with the fault."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        for kind, changed in line_faults(lines, i, line):
            if changed is not None and changed != line:
                yield kind, i + 1, changed, replaced(lines, i, changed)
