"""Reads the part of YAML that the shipped specs use, and a tensor's parameters in the driver's form.

It shares no code with tmap, so that tests can compare the output of tmap with it. It reads only the forms that specs
use: block mappings, flow mappings and lists (also over several lines), comments, plain and quoted scalars.
"""
import re

TOKEN = re.compile(r"""\s*(?:\#[^\n]*)?\s*([{}\[\],]|"[^"]*"|[^\s{}\[\],:]+:(?=\s)|[^\s{}\[\],]+)""")


def scalar(text):
    if text.startswith('"'):
        return text[1:-1]
    match = re.fullmatch(r"(\d+)(Ki|Mi|Gi)", text)
    if match:
        return int(match.group(1)) << {"Ki": 10, "Mi": 20, "Gi": 30}[match.group(2)]
    match = re.fullmatch(r"2\^(\d+)", text)
    if match:
        return 1 << int(match.group(1))
    return int(text, 0) if re.fullmatch(r"-?(0x[0-9a-fA-F]+|0|[1-9][\d_]*)", text) else text


class Flow:
    """Reads a value in flow style that starts at `at` of `text`."""

    def __init__(self, text, at):
        self.text, self.at = text, at

    def token(self):
        match = TOKEN.match(self.text, self.at)
        self.at = match.end()
        return match.group(1)

    def value(self, token=None):
        token = token or self.token()
        if token == "[":
            return list(self.items("]", lambda first: self.value(first)))
        if token == "{":
            return dict(self.items("}", lambda first: (scalar(first.rstrip(":")), self.value())))
        return scalar(token)

    def items(self, end, item):
        while (token := self.token()) != end:
            if token != ",":
                yield item(token)


def block(text, at, indent):
    """Reads the block mapping with keys in column `indent`; returns it and its end."""
    found = {}
    line = re.compile(r"( *)(?:#[^\n]*|(\"[^\"]*\"|[^\s:#]+):(?= |\n)[ ]*(#[^\n]*|[^\n]*))?\n")
    while at < len(text):
        match = line.match(text, at)
        if match is None:
            raise ValueError(f"not read: {text[at:at + 60]!r}")
        spaces, key, rest = match.groups()
        if key is None:
            at = match.end()
        elif len(spaces) < indent:
            break
        elif rest and not rest.startswith("#"):
            flow = Flow(text, match.start(3))
            found[key.strip('"')] = flow.value()
            at = text.index("\n", flow.at) + 1
        else:
            inner = re.compile(r"(?:\s*#[^\n]*\n|\s*\n)*( *)\S").match(text, match.end())
            found[key.strip('"')], at = block(text, match.end(), len(inner.group(1)))
    return found, at


def read(text):
    return block(text + "\n", 0, 0)[0]


def mapped(spec):
    """Returns the tensors of a file that have a tensor map."""
    tensors = read(spec.read_text(encoding="utf-8"))["tensors"]
    return {name: keys for name, keys in tensors.items() if keys.get("mode") != "linear"}


# ---- Parameters as in cuda.h ----------------------------------------------------------------------------------------

def numbered(*names):
    return {name: number for number, group in enumerate(names) for name in group.split()}


TYPES = numbered("u8 s8 e4m3 e5m2 e8m0 UINT8", "u16 s16 UINT16", "u32 UINT32", "s32 INT32", "u64 UINT64", "s64 INT64",
                 "f16 FLOAT16", "f32 FLOAT32", "f64 FLOAT64", "bf16 BFLOAT16", "f32_ftz FLOAT32_FTZ", "tf32 TFLOAT32",
                 "tf32_ftz TFLOAT32_FTZ", "b4x16 16U4_ALIGN8B", "b4x16_p64 16U4_ALIGN16B", "b6x16_p32 16U6_ALIGN16B")
BITS = [8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6]
INTERLEAVES = numbered("none NONE", "16B", "32B")
SWIZZLES = numbered("none NONE", "32B", "64B", "128B", "128B_atom32B", "128B_atom32B_flip8B", "128B_atom64B")
PROMOTIONS = numbered("none NONE", "64B L2_64B", "128B L2_128B", "256B L2_256B")
FILLS = numbered("zero NONE", "nan NAN_REQUEST_ZERO_FMA")
DRIVER_NAMES = {"tensorDataType": "type", "globalDim": "dims", "globalStrides": "strides", "boxDim": "box",
                "elementStrides": "element_strides", "l2Promotion": "l2_promotion", "oobFill": "oob_fill"}


def inner_first(tensor, key, default=None):
    numbers = tensor.get(key, default)
    if isinstance(numbers, dict):
        numbers = list(numbers.values())
    return numbers[::-1] if tensor.get("order") == "outer_first" and key in tensor else numbers


def dense_strides(tensor, dims):
    strides = []
    step = {"none": dims[0] * BITS[TYPES[tensor["type"]]] // 8, "16B": dims[0] * 16, "32B": dims[0] * 32}
    stride = step[tensor.get("interleave", "none")]
    for size in dims[1:]:
        strides.append(stride)
        stride *= size
    return strides


def driver_arguments(tensor):
    """Returns the arguments of the driver's call, except map and address, by name."""
    tensor = {DRIVER_NAMES.get(key, key): value for key, value in tensor.items()}
    dims = inner_first(tensor, "dims")
    arguments = {
        "type": TYPES[tensor["type"]],
        "rank": len(dims),
        "dims": dims,
        "strides": inner_first(tensor, "strides") or dense_strides(tensor, dims),
        "element_strides": inner_first(tensor, "element_strides", [1] * len(dims)),
        "interleave": INTERLEAVES[tensor.get("interleave", "none")],
        "swizzle": SWIZZLES[tensor.get("swizzle", "none")],
        "l2_promotion": PROMOTIONS[tensor.get("l2_promotion", "none")],
        "oob_fill": FILLS[tensor.get("oob_fill", "zero")],
    }
    mode = tensor.get("mode", "tiled")
    if mode == "tiled":
        arguments["box"] = inner_first(tensor, "box")
        return arguments
    if mode != "im2col":
        arguments["mode"] = {"im2col_w": 0, "im2col_w128": 1}[mode]
    arguments["lower"] = inner_first(tensor, "lower_corner")
    arguments["upper"] = inner_first(tensor, "upper_corner")
    arguments["channels"] = tensor["channels_per_pixel"]
    arguments["pixels"] = tensor["pixels_per_column"]
    return arguments
