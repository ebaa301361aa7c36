"""Tensor maps in gdb and cuda-gdb: prints every CUtensorMap decoded, and adds the command tmap (docs/debuggers.md).

The command `tmap` of the shell decodes the 128 bytes. `set tmap-command PATH` names a command that is not in PATH.
"""
import functools
import re
import subprocess

import gdb
import gdb.printing

MAP_B = 128
NAMES = "^(CUtensorMap|CUtensorMap_st|TmaDescriptor)$"  # TmaDescriptor: the type of CUTLASS without the driver's header


class CommandPath(gdb.Parameter):
    """Returns the command that decodes tensor maps."""

    set_doc = "Set the command that decodes tensor maps."
    show_doc = "Show the command that decodes tensor maps."

    def __init__(self):
        super().__init__("tmap-command", gdb.COMMAND_DATA, gdb.PARAM_FILENAME)
        self.value = "tmap"

    def get_set_string(self):
        return ""

    def get_show_string(self, value):
        return f"The command that decodes tensor maps is {value}."


def command_path():
    return gdb.parameter("tmap-command")


def run_tmap(path, *arguments):
    return subprocess.run([path, *arguments], capture_output=True, text=True, timeout=60, check=False)


# ---- Bytes ----


def flatten(value):
    """Returns the bytes of a value, from its integers: a map in a register or a kernel parameter has no address."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        return b"".join(flatten(value[i]) for i in range(low, high + 1))
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        fields = [field for field in kind.fields() if hasattr(field, "bitpos")]
        return b"".join(flatten(value[field]) for field in (fields if kind.code == gdb.TYPE_CODE_STRUCT else fields[:1]))
    return (int(value) % (1 << 8 * kind.sizeof)).to_bytes(kind.sizeof, "little")


def follow(value):
    """Returns the map at a pointer, a reference or an address; for any other value, `value` itself."""
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return follow(value.referenced_value())
    if kind.code == gdb.TYPE_CODE_PTR and kind.target().strip_typedefs().sizeof == MAP_B:
        return value.dereference()
    if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_INT):
        return value.cast(gdb.lookup_type("unsigned char").array(MAP_B - 1).pointer()).dereference()
    return value


def bytes_of(expression):
    value = follow(gdb.parse_and_eval(expression))
    data = flatten(value) if value.type.strip_typedefs().sizeof == MAP_B else b""
    if len(data) != MAP_B:
        raise gdb.GdbError(f"'{expression}' has type {value.type} of {value.type.sizeof} bytes, and a tensor map has "
                           f"{MAP_B}: name one map, a pointer to it or its address")
    return data


# ---- Printer ----


class MapPrinter:
    def __init__(self, text):
        self.text = text

    def to_string(self):
        return self.text


@functools.lru_cache(maxsize=256)
def summary(data, path):
    """Returns the keys of the decoded spec on one line; None if the command fails."""
    if not any(data):
        return "{128 zero bytes: not encoded}"
    done = run_tmap(path, "decode", data.hex())
    keys = re.findall(r"^ {4}(\w.*)$", done.stdout, re.MULTILINE)
    errors = len(re.findall(r"^descriptor: error:", done.stderr, re.MULTILINE))
    if errors:
        keys.append(f"{errors} error{'s' if errors > 1 else ''}: see the command tmap")
    return "{" + ", ".join(keys) + "}" if keys else None


def printer_of(value):
    """Returns None if the value cannot be read or no command decodes it; gdb then prints the value itself."""
    try:
        text = summary(flatten(value), command_path())
    except (gdb.error, OSError, subprocess.SubprocessError):
        return None
    return MapPrinter(text) if text else None


# ---- Command ----


class MapCommand(gdb.Command):
    """Decode and check a tensor map: tmap MAP [--diff OTHER]

MAP is an expression: a CUtensorMap, a pointer to one, or the address of one.
Prints the spec that encodes to the map, and the findings of the rules.
With --diff, prints the fields in which OTHER differs. OTHER is an expression,
or FILE:TENSOR of a spec, or a file with a descriptor."""

    def __init__(self):
        super().__init__("tmap", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        expression, has_other, other = (part.strip() for part in argument.partition("--diff"))
        if not expression or (has_other and not other):
            raise gdb.GdbError("usage: tmap MAP [--diff OTHER]")
        digits = bytes_of(expression).hex()
        arguments = ("diff", digits, operand_of(other)) if has_other else ("decode", digits)
        try:
            done = run_tmap(command_path(), *arguments)
        except OSError as error:
            raise gdb.GdbError(f"{command_path()}: {error.strerror}; 'set tmap-command PATH' names the command")
        gdb.write(done.stdout)
        gdb.write(done.stderr, gdb.STDERR)


def operand_of(other):
    """Returns the digits of an expression, or the operand itself if it is not an expression of the program."""
    try:
        return bytes_of(other).hex()
    except gdb.error:
        return other


try:
    command_path()  # the script was loaded before, and some versions of gdb refuse a second parameter of the same name
except RuntimeError:
    CommandPath()
maps = gdb.printing.RegexpCollectionPrettyPrinter("tmap")
maps.add_printer("CUtensorMap", NAMES, printer_of)
gdb.printing.register_pretty_printer(None, maps, replace=True)
MapCommand()
