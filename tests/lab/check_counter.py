#!/usr/bin/env python3
"""Runs the kernels of loads and stores, as printed by the command, on a model of an mbarrier.

usage: check_counter.py TMAP_COMMAND
The model is written from PTX ISA, "mbarrier": counts and their ranges, when a phase completes, which operations are
undefined. Undefined operations are errors of the model: access to the object itself, init of a valid object, an arrival
before the completion of the previous phase was observed. The model counts time; TMA is a list of byte counts, each with
the time at which the bytes reach a barrier. The status and the count that a kernel writes for each thread block must be
those of the simulated copies.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

tmap = sys.argv[1]
DONE, TIMEOUT, UNKNOWN = 1, 2, 0xFFFFFFFF
JOB, OUTCOMES, IMAGES, WINDOW, IMAGE_B, BOX_B, LIMIT_NS = 0x1000, 0x2000, 0x4000, 0x410, 1024, 128, 20000
BITS = {"b16": 16, "b32": 32, "b64": 64, "u32": 32, "u64": 64, "pred": 1}
COUNT_MAX = (1 << 20) - 1


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Barrier:
    """quirk: how a machine may differ from the document: "negative" also completes a phase below zero, "deaf" ignores
    bytes from software, "eager" also tests for completion after expect_tx."""
    def __init__(self, count, quirk):
        self.expected = self.pending = count
        self.phase, self.tx, self.seen, self.quirk = 0, 0, -1, quirk

    def look(self):
        check(abs(self.tx) <= COUNT_MAX, "tx-count out of range")
        if self.pending == 0 and (self.tx == 0 or (self.quirk == "negative" and self.tx < 0)):
            self.phase, self.pending, self.tx = self.phase + 1, self.expected, 0

    def arrive(self):
        check(self.pending > 0, "more arrivals than are expected")
        check(self.seen == self.phase - 1, "an arrival before the completion of the previous phase was observed")
        self.pending -= 1
        self.look()

    def expect(self, n):
        self.tx += n
        if self.quirk == "eager":
            self.look()

    def complete(self, n, software=True):
        self.tx -= 0 if software and self.quirk == "deaf" else n
        self.look()

    def test(self, parity):
        done = self.phase % 2 != parity
        if done:
            self.seen = self.phase - 1
        return done


class Function:
    def __init__(self, parameters, result, body):
        self.parameters, self.result, self.code, self.labels, self.width = parameters, result, [], {}, {}
        for statement in body.split(";"):
            while match := re.match(r"\s*(\w+):", statement):
                self.labels[match[1]] = len(self.code)
                statement = statement[match.end():]
            statement = " ".join(statement.split())
            if match := re.match(r"\.reg \.(\w+) (.*)", statement):
                self.width.update({name: BITS[match[1]] for name in match[2].split(", ")})
            elif match := re.match(r"(?:@(!?)(\w+) )?([\w.:]+) ?(.*)", statement):
                operands = re.findall(r"\{[^}]*\}|\[[^]]*\]|\([^)]*\)|[^,\s][^,]*", match[4])
                self.code.append((match[2], match[1] == "", match[3], operands))


def parse(text):
    text, functions = re.sub(r"//[^\n]*", "", text), {}
    for head, name, parameters, body in re.findall(r"\.(func \([^)]*\)|visible \.entry) (\w+)\(([^)]*)\)\s*\{(.*?)\n\}", text, re.S):
        declared = re.findall(r"\.(?:reg|param) \.(\w+) (\w+)", parameters)
        result = re.findall(r"\.reg \.(\w+) (\w+)", head)
        functions["entry" if "entry" in head else name] = f = Function([n for _, n in declared], result[0][1] if result else None, body)
        f.width.update({n: BITS[kind] for kind, n in declared + result})
    return functions


class Machine:
    def __init__(self, functions, ctas, mask=0, pairs=0, bytes_at=(), quirk="", timer=1, sleeps=True, store_ns=None):
        self.functions, self.ctas, self.quirk, self.timer, self.sleeps = functions, ctas, quirk, timer, sleeps
        self.bytes_at, self.store_ns, self.pending, self.time, self.trapped = bytes_at, store_ns, [], 0, False
        self.memory, self.barriers, self.shared = bytearray(IMAGES + 4 * IMAGE_B), {}, {}
        self.fenced = {}
        self.arrived = {}
        self.poke(JOB + OFFSET["image"], 8, IMAGES)
        self.poke(JOB + OFFSET["timeout"], 8, LIMIT_NS)
        for key, value in {"image_B": IMAGE_B, "expect": BOX_B, "mask": mask, "pairs": pairs}.items():
            self.poke(JOB + OFFSET[key], 4, value)
        self.memory[IMAGES:] = bytes(i * 7 % 251 for i in range(4 * IMAGE_B))
        self.before = bytes(self.memory[IMAGES:])

    def poke(self, at, size, value):
        self.memory[at:at + size] = value.to_bytes(size, "little")

    def run(self):
        threads = [self.thread(cta, tid) for cta in range(self.ctas) for tid in (0, 32)]
        while threads and not self.trapped:
            check(self.time < 100_000_000, "the run does not end")
            threads = [t for t in threads if next(t, "over") != "over"]
        for cta in range(self.ctas):
            for at in range(0, IMAGE_B, 16):
                check(self.trapped or self.shared.get((cta, WINDOW_AT + at)) is not None, "an image is incomplete")
        check(bytes(self.memory[IMAGES:]) == self.before, "an image has changed")
        at = [OUTCOMES + 8 * cta for cta in range(self.ctas)]
        return [tuple(int.from_bytes(self.memory[a + i:a + i + 4], "little") for i in (0, 4)) for a in at]

    def pass_time(self, ns):
        self.time += ns
        for event in [e for e in self.pending if e[0] <= self.time]:
            self.pending.remove(event)
            self.barriers[event[1], WINDOW_AT + IMAGE_B].complete(event[2], software=False)

    def thread(self, cta, tid):
        yield from self.call("entry", [JOB, OUTCOMES], cta, tid)

    def barrier(self, key):
        check(key in self.barriers, "an mbarrier that is not initialised")
        return self.barriers[key]

    def copy(self, opcode, cta):
        for (at_cta, tid), state in self.fenced.items():
            check(state == "met", f"thread {tid} of {at_cta} did not fence its writes for the async proxy")
        check(len(self.fenced) == 2 * self.ctas, "a copy before all threads synchronised")
        check("tensormap" in self.arrived, "the descriptor is not acquired")
        self.pending += [(self.time + after, to, n) for after, to, n in self.bytes_at]
        if self.store_ns is not None:
            self.store_end = self.time + self.store_ns

    def meet(self, name, who, members):
        """Returns when all members have arrived as often as this one."""
        turn = self.arrived[name, who] = self.arrived.get((name, who), 0) + 1
        if self.fenced.get(who) == "fenced":
            self.fenced[who] = "met"
        return lambda: all(self.arrived.get((name, m), 0) >= turn for m in members)

    def call(self, name, arguments, cta, tid):
        f, at = self.functions[name], 0
        r = dict(zip(f.parameters, arguments))
        special = {"%tid.x": tid, "%ntid.x": 1, "%ctaid.x": cta, "%cluster_nctaid.x": self.ctas, "%cluster_ctarank": cta,
                   "window": WINDOW}

        def value(text):
            if text in ("%globaltimer", "%clock64"):
                return self.time // self.timer * self.timer * (self.timer < 1 << 30) if text == "%globaltimer" else self.time * 2
            if text in special:
                return special[text]
            terms = [r[t] if t in r else int(t, 0) for t in re.split(r" [*+] ", text.strip("[]"))]
            return terms[0] * terms[1] if " * " in text else sum(terms)

        while at < len(f.code):
            guard, wanted, opcode, o = f.code[at]
            at += 1
            self.pass_time(5)
            if guard and bool(r[guard]) != wanted:
                continue
            base, kind = opcode.split(".")[0], opcode.split(".")[-1]
            if base in ("bra", "ret"):
                if base == "ret":
                    return r.get(f.result)
                at = f.labels[o[0]]
                if at < len(f.code):
                    yield
            elif base == "call":
                names = [n.strip() for n in o[2].strip("()").split(",")]
                r[o[0].strip("()")] = yield from self.call(o[1], [value(n) for n in names], cta, tid)
            elif base == "mbarrier":
                self.mbarrier(opcode, o, r, value, cta)
                yield
            elif base == "barrier":
                scope = [(c, t) for c in range(self.ctas) for t in (0, 32) if "cluster" in opcode or c == cta]
                if "wait" not in opcode:
                    met = r["met"] = self.meet("cluster" if "cluster" in opcode else "cta", (cta, tid), scope)
                if "arrive" not in opcode:
                    while not r["met"]():
                        yield
            elif base == "cp":
                if "wait_group" in opcode:
                    while self.time < self.store_end:
                        yield
                elif "commit_group" not in opcode:
                    self.copy(opcode, cta)
            elif base == "fence":
                if "tensormap" in opcode:
                    self.arrived["tensormap"] = True
                elif "proxy.async" in opcode:
                    self.fenced[cta, tid] = "fenced"
            elif base == "nanosleep":
                self.pass_time(1000 if self.sleeps else 0)
                yield
            elif base == "trap":
                self.trapped = True
                yield
            elif base in ("ld", "st"):
                self.access(opcode, o, r, value, cta, tid)
                yield
            else:
                compute(base, opcode, o, r, value, f.width)

    def mbarrier(self, opcode, o, r, value, cta):
        operands = [x for x in o if x != "_"]
        place = next(x for x in operands if x[0] == "[")
        key, n = (cta, value(place)), operands[-1]
        if ".init" in opcode:
            check(key not in self.barriers, "init of a valid mbarrier")
            self.barriers[key] = Barrier(value(n), self.quirk)
        elif ".inval" in opcode:
            self.barrier(key)
            del self.barriers[key]
        elif "_wait" in opcode:
            r[o[0]] = self.barrier(key).test(value(n))
        else:
            if "expect_tx" in opcode:
                self.barrier(key).expect(value(n))
            if "complete_tx" in opcode:
                self.barrier(key).complete(value(n))
            if "arrive" in opcode:
                self.barrier(key).arrive()

    def access(self, opcode, o, r, value, cta, tid):
        load, names = opcode.startswith("ld"), o[0 if opcode.startswith("ld") else 1].strip("{}").split(", ")
        at, size = value(o[1 if load else 0]) if "param" not in opcode else 0, int(opcode[-2:]) // 8
        if "param" in opcode:
            r[names[0]] = r[o[1].strip("[]")]
        elif "shared" in opcode:
            check((cta, at) not in self.barriers, "access to an mbarrier object")
            if not load:
                self.fenced.pop((cta, tid), None)
                self.shared[cta, at] = [value(n) for n in names]
            for name, word in zip(names, self.shared[cta, at]) if load else ():
                r[name] = word
        else:
            for i, name in enumerate(names):
                if load:
                    r[name] = int.from_bytes(self.memory[at + i * size:at + (i + 1) * size], "little")
                else:
                    self.poke(at + i * size, size, value(name))


def compute(base, opcode, o, r, value, width):
    a = [value(x) for x in o[1:] if x not in r or not isinstance(r[x], bool)]
    if base == "setp":
        r[o[0]] = {"eq": a[0] == a[1], "ne": a[0] != a[1], "lt": a[0] < a[1], "ge": a[0] >= a[1], "gt": a[0] > a[1]}[opcode.split(".")[1]]
    elif base == "selp":
        r[o[0]] = a[0] if r[o[3]] else a[1]
    else:
        result = {"mov": lambda: a[0], "cvt": lambda: a[0], "add": lambda: a[0] + a[1], "sub": lambda: a[0] - a[1],
                  "mul": lambda: a[0] * a[1], "mad": lambda: a[0] * a[1] + a[2], "div": lambda: a[0] // a[1],
                  "and": lambda: a[0] & a[1], "shl": lambda: a[0] << a[1], "shr": lambda: a[0] >> a[1],
                  "popc": lambda: bin(a[0]).count("1")}[base]()
        r[o[0]] = result & ((1 << width[o[0]]) - 1)


def kernel(form, target="sm_90a"):
    command = [tmap, "device", "--kernel", form, "--target", target, "--rank", "2"]
    return harness.output(*command)


WINDOW_AT = (WINDOW + 1023) // 1024 * 1024
one, several, paired, store = (kernel("tile load, .shared::cta"), kernel("tile load, multicast"),
                               kernel("tile load, multicast, .cta_group", "sm_100a"), kernel("tile store"))
# The offsets at which a kernel reads its table, from the kernel's text: the registers have the names of the fields.
OFFSET = {name: int(at) for name, at in
          re.findall(r"ld\.u\d\d (image_B|image|timeout|expect|wide_mask|pairs), \[tm \+ (\d+)\]", paired)}
OFFSET["mask"] = OFFSET.pop("wide_mask")
BEYOND = int(re.search(r"count_arrived, \(mb, expect, (\d+)\)", one)[1])

exact, none = [(1000, 0, BOX_B)], []
rows = [  # kernel, CTAs, settings, expected results
    ("all bytes", one, 1, dict(bytes_at=exact), [(DONE, 128)]),
    ("at once", one, 1, dict(bytes_at=[(0, 0, 128)]), [(DONE, 128)]),
    ("in two parts", one, 1, dict(bytes_at=[(1000, 0, 64), (3000, 0, 64)]), [(DONE, 128)]),
    ("no bytes", one, 1, dict(bytes_at=none), [(TIMEOUT, 0)]),
    ("16 bytes too few", one, 1, dict(bytes_at=[(1000, 0, 112)]), [(TIMEOUT, 112)]),
    ("1 byte too few", one, 1, dict(bytes_at=[(1000, 0, 127)]), [(TIMEOUT, 127)]),
    ("1 byte too many, in one phase", one, 1, dict(bytes_at=[(1000, 0, 129)]), [(TIMEOUT, 129)]),
    ("16 bytes too many, after the phase", one, 1, dict(bytes_at=[(1000, 0, 128), (3000, 0, 16)]), [(DONE, 144)]),
    ("all bytes after the time limit", one, 1, dict(bytes_at=[(LIMIT_NS + 5000, 0, 128)]), [(TIMEOUT, 128)]),
    ("too many bytes to count", one, 1, dict(bytes_at=[(1000, 0, 128), (3000, 0, 513)]), [(DONE, UNKNOWN)]),
    ("a phase that completes below zero", one, 1, dict(bytes_at=exact, quirk="negative"), [(DONE, UNKNOWN)]),
    ("no bytes from software", one, 1, dict(bytes_at=exact, quirk="deaf"), [(DONE, UNKNOWN)]),
    ("expect_tx completes", one, 1, dict(bytes_at=[(1000, 0, 112)], quirk="eager"), [(TIMEOUT, 112)]),
    ("a coarse timer", one, 1, dict(bytes_at=[(1000, 0, 128), (9000, 0, 16)], timer=32000), [(DONE, 144)]),
    ("a timer that does not advance", one, 1, dict(bytes_at=none, timer=1 << 40), [(TIMEOUT, 0)]),
    ("no sleep", one, 1, dict(bytes_at=exact, sleeps=False), [(DONE, 128)]),
    ("multicast", several, 3, dict(mask=5, bytes_at=[(1000, 0, 128), (1500, 2, 128)]), [(DONE, 128), (DONE, 0), (DONE, 128)]),
    ("multicast to a CTA outside the mask", several, 3, dict(mask=5, bytes_at=[(1000, c, 128) for c in range(3)]),
     [(DONE, 128), (DONE, 128), (DONE, 128)]),
    ("multicast that misses a CTA", several, 2, dict(mask=3, bytes_at=exact), [(DONE, 128), (TIMEOUT, 0)]),
    ("pairs", paired, 4, dict(mask=13, pairs=1, bytes_at=[(1000, 0, 128), (1500, 2, 128), (1600, 2, 128)]),
     [(DONE, 128), (DONE, 0), (DONE, 256), (DONE, 0)]),
    ("pairs with only the odd CTA in the mask", paired, 2, dict(mask=2, pairs=1, bytes_at=exact), [(DONE, 128), (DONE, 0)]),
    ("pairs that count separately", paired, 2, dict(mask=3, pairs=1, bytes_at=[(1000, 0, 128), (1000, 1, 128)]),
     [(TIMEOUT, 128), (DONE, 128)]),
    ("a store", store, 1, dict(store_ns=2000), [(DONE, 0)]),
    ("a store that does not end", store, 1, dict(store_ns=1 << 40), [(TIMEOUT, 0)]),
    ("a store that does not end, and a timer that does not advance", store, 1, dict(store_ns=1 << 40, timer=1 << 40), [(TIMEOUT, 0)]),
]
wrong = []
for name, text, ctas, settings, predicted in rows:
    try:  # 512 instead of the kernel's number, so that the kernel counts for a short time
        seen = Machine(parse(text.replace(f"expect, {BEYOND})", "expect, 512)")), ctas, **settings).run()
    except (AssertionError, KeyError) as error:
        seen = error
    if seen != predicted:
        wrong.append(f"{name}: {seen}, not {predicted}")
harness.end(wrong, f"{len(rows)} runs of kernels on a model of an mbarrier count the bytes that arrived")
