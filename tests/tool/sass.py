"""Runs the machine code that ptxas emits for tensormap.replace and tensormap.query on a descriptor's bytes.

A small interpreter of exactly the instructions that appear in such code, as nvdisasm prints them; any other instruction,
operand or address is an error. Registers have 32 bits; a name with .64 is two of them.
"""
import re

DESCRIPTOR_B = 128
# The address of the descriptor in the space of the instruction; a parameter is read at its generic address.
BASE = {"global": 0x7F0012340080, "shared": 0x4080, "const": 0x480, "param": 0x7F0012340080}


class Unknown(Exception):
    """An instruction, operand or address that this interpreter does not have."""


def functions(listing):
    """Returns the instructions of each function, in order, from a listing of nvdisasm -c."""
    found, name = {}, None
    for line in listing.splitlines():
        begin = re.match(r"\.text\.(\w+):$", line)
        if begin:
            name = begin.group(1)
            found[name] = []
        code = re.match(r"\s+/\*[0-9a-f]+\*/\s+(.*?)\s*;", line)
        if code and name:
            found[name].append(code.group(1))
    return found


def split_operands(text):
    return [part.strip() for part in re.split(r",(?![^\[]*\])", text)] if text else []


class Machine:
    """One thread. `constants` maps offsets of bank 0 to 32-bit words; `memory` is the descriptor."""

    def __init__(self, constants, memory, space):
        self.constants, self.memory, self.space = constants, bytearray(memory), space
        self.registers, self.predicates, self.stored = {}, {"PT": True, "UPT": True}, None

    # ---- operands ------------------------------------------------------------------------------------------------

    def register(self, name):
        if name in ("RZ", "URZ"):
            return 0
        if name not in self.registers:
            raise Unknown(f"{name} is read before it is written")
        return self.registers[name]

    def value(self, text):
        text = text.removesuffix(".reuse")
        if re.fullmatch(r"U?R(Z|\d+)", text):
            return self.register(text)
        if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text):
            return int(text, 0) & 0xFFFFFFFF
        constant = re.fullmatch(r"c\[0x0\]\[(0x[0-9a-f]+)\]", text)
        if constant:
            return self.constant(int(constant.group(1), 16))
        raise Unknown(f"operand {text}")

    def constant(self, offset):
        if offset not in self.constants:
            raise Unknown(f"constant at {offset:#x}")
        return self.constants[offset]

    def predicate(self, text):
        name = text.lstrip("!")
        if name not in self.predicates:
            raise Unknown(f"predicate {text}")
        return self.predicates[name] != text.startswith("!")

    def next_register(self, name, i):
        if name in ("RZ", "URZ"):
            return name
        kind, number = re.fullmatch(r"(U?R)(\d+)", name).groups()
        return f"{kind}{int(number) + i}"

    def set(self, name, value):
        name = name.removesuffix(".reuse")
        if name not in ("RZ", "URZ"):
            self.registers[name] = value & 0xFFFFFFFF

    def words(self, name, n):
        return [self.register(self.next_register(name, i)) for i in range(n)]

    # ---- memory --------------------------------------------------------------------------------------------------

    def offset(self, text):
        """Returns the offset in the descriptor of an address operand."""
        inner = re.fullmatch(r"(?:desc\[UR\d+\])?\[([^\]]*)\]", text)
        if not inner:
            raise Unknown(f"address {text}")
        at = 0
        for term in inner.group(1).split("+"):
            wide = re.fullmatch(r"(U?R\d+)\.64", term)
            if wide:
                low, high = self.words(wide.group(1), 2)
                at += low | high << 32
            else:
                at += self.value(term.removesuffix(".U32"))
        offset = at - BASE[self.space]
        if not 0 <= offset < DESCRIPTOR_B:
            raise Unknown(f"{text} is {offset:+} bytes from the descriptor")
        return offset

    def load(self, d, address, size):
        at = self.offset(address)
        for i in range(max(1, size // 4)):
            part = self.memory[at + 4 * i:at + min(size, 4 * i + 4)]
            self.set(self.next_register(d, i), int.from_bytes(part, "little"))

    def store(self, address, d, size):
        at = self.offset(address)
        value = sum(word << 32 * i for i, word in enumerate(self.words(d, max(1, size // 4))))
        self.memory[at:at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")

    # ---- instructions --------------------------------------------------------------------------------------------

    def step(self, name, modifiers, operands):
        handler = getattr(self, "do_" + name, None)
        if not handler:
            raise Unknown("instruction")
        handler(modifiers, operands)

    def do_LDC(self, modifiers, operands):
        """Bank 0 has the parameters, bank 3 is the space of constants."""
        constants = re.fullmatch(r"c\[0x3\](\[.*\])", operands[1])
        if constants:
            self.load(operands[0], constants.group(1), 8 if self.only(modifiers, "64") else 4)
            return
        offset = int(re.fullmatch(r"c\[0x0\]\[(0x[0-9a-f]+)\]", operands[1]).group(1), 16)
        for i in range(2 if self.only(modifiers, "64") else 1):
            self.set(self.next_register(operands[0], i), self.constant(offset + 4 * i))

    do_ULDC = do_LDCU = do_LDC

    def only(self, modifiers, *known):
        """The modifiers, which must be among those named."""
        if set(modifiers) - set(known):
            raise Unknown(f"modifiers {modifiers}")
        return modifiers

    def size(self, modifiers):
        sizes = {"U8": 1, "U16": 2, "64": 8}
        return next((sizes[m] for m in self.only(modifiers, "E", *sizes) if m in sizes), 4)

    def do_LD(self, modifiers, operands):
        self.load(operands[0], operands[1], self.size(modifiers))

    def do_ST(self, modifiers, operands):
        self.store(operands[0], operands[1], self.size(modifiers))

    do_LDG = do_LDS = do_LD
    do_STG = do_STS = do_ST

    def do_LOP3(self, modifiers, operands):
        """A bit of the result is bit 4a + 2b + c of the table. A predicate in front of the result is true if any bit is
        set."""
        self.only(modifiers, "LUT")
        any_set = operands.pop(0) if re.fullmatch(r"U?P(T|\d)", operands[0]) else None
        d, a, b, c, table = operands[0], *map(self.value, operands[1:5])
        if operands[5:] not in ([], ["!PT"], ["!UPT"]):
            raise Unknown(f"operands {operands}")
        result = sum((table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i for i in range(32))
        self.set(d, result)
        if any_set:
            self.predicates[any_set] = result != 0

    do_ULOP3 = do_LOP3

    def do_SHF(self, modifiers, operands):
        d, low, n, high = operands[0], *map(self.value, operands[1:4])
        pair = high << 32 | low
        if modifiers == ["L", "U32"]:
            if n > 31:
                raise Unknown("a shift by more than 31")
            self.set(d, low << n)
        elif modifiers == ["R", "U32", "HI"]:
            self.set(d, high >> n if n < 32 else 0)
        elif modifiers == ["R", "U32"] and high == 0:
            self.set(d, low >> n)
        elif modifiers in (["R", "U64"], ["R", "W", "U64"]):
            self.set(d, pair >> n)
        else:
            raise Unknown(f"modifiers {modifiers}")

    do_USHF = do_SHF

    def do_IMAD(self, modifiers, operands):
        self.only(modifiers, "MOV", "SHL", "U32", "IADD")
        a, b, c = map(self.value, operands[1:4])
        self.set(operands[0], a * b + c)

    def do_MOV(self, modifiers, operands):
        if self.only(modifiers, "64"):
            low, high = self.words(operands[1].removesuffix(".reuse"), 2)
            self.set(self.next_register(operands[0], 1), high)
            self.set(operands[0], low)
        else:
            self.set(operands[0], self.value(operands[1]))

    do_UMOV = do_MOV

    def wide(self, text):
        """A pair of registers, or a number."""
        if not re.fullmatch(r"U?R\d+", text):
            return self.value(text)
        low, high = self.words(text, 2)
        return low | high << 32

    def do_IADD3(self, modifiers, operands):
        """The predicates after the result are carries out; with .X the predicates at the end are carries in."""
        if self.only(modifiers, "X", "64") == ["64"]:
            total = sum(self.wide(o) for o in operands[1:] if "PT" not in o)
            self.set(operands[0], total)
            self.set(self.next_register(operands[0], 1), total >> 32)
            return
        with_carries, rest = "X" in modifiers, operands[1:]
        is_predicate = [bool(re.fullmatch(r"!?U?P(T|\d)", o)) for o in rest]
        begin = is_predicate.index(False)
        numbers = [o for o, predicate in zip(rest, is_predicate) if not predicate]
        outs, ins = [o for o in rest[:begin] if "PT" not in o], rest[begin + len(numbers):]
        if [o for o in ins if "PT" not in o] and not with_carries:
            raise Unknown(f"operands {operands}")
        values = [-self.value(o[1:]) if o.startswith("-") and "R" in o else self.value(o) for o in numbers]
        if outs and min(values) < 0:
            raise Unknown(f"carry of {operands}")
        total = sum(values) + (sum(self.predicate(o) for o in ins) if with_carries else 0)
        for i, name in enumerate(outs):
            self.predicates[name] = total >> 32 > i
        self.set(operands[0], total)

    do_IADD = do_UIADD3 = do_VIADD = do_IADD3

    def do_HFMA2(self, modifiers, operands):
        """Accepts only constants: -0 * 0 + two half floats; the first is in bits 16 to 31."""
        self.only(modifiers, "MMA")
        if operands[1:3] != ["-RZ", "RZ"]:
            raise Unknown(f"operands {operands}")
        self.set(operands[0], half(operands[4]) | half(operands[3]) << 16)

    def do_SEL(self, modifiers, operands):
        self.only(modifiers)
        self.set(operands[0], self.value(operands[1] if self.predicate(operands[3]) else operands[2]))

    do_USEL = do_SEL

    def do_R2UR(self, modifiers, operands):
        self.only(modifiers)
        self.set(operands[0], self.value(operands[1]))

    def run(self, code):
        for line in code:
            guard = re.match(r"@(!?U?P(?:T|\d))\s+", line)
            text = line[guard.end():] if guard else line
            name, _, rest = text.partition(" ")
            name, *modifiers = name.split(".")
            if guard and not self.predicate(guard.group(1)):
                continue
            if name == "EXIT":
                return
            if name == "NOP":
                continue
            try:
                self.step(name, modifiers, split_operands(rest.strip()))
            except Unknown as why:
                raise Unknown(f"{line}: {why}") from None
            except (ValueError, AttributeError, IndexError) as why:
                raise Unknown(f"{line}: {why}") from None
        raise Unknown("no EXIT")


def half(text):
    """The bits of a constant that nvdisasm prints as a half float."""
    import struct

    special = {"+QNAN": 0x7FFF, "-QNAN": 0xFFFF, "+SNAN": 0x7DFF, "-SNAN": 0xFDFF, "+INF": 0x7C00, "-INF": 0xFC00}
    if text in special and "NAN" not in text:
        return special[text]
    if text in special:
        raise Unknown(f"{text} does not show its bits")
    return struct.unpack("<H", struct.pack("<e", float(text)))[0]
