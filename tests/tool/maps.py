"""Random maps that both tmap and NVIDIA's encoder must encode, within the rules of the documents.

A map is a dict in the words of tmap's specs, with `element_bits`; `for_encoder` returns the map in the words of the
encoder.

The encoder reads layouts, which are functions of coordinates. A layout does not contain the order of the dimensions or
dimensions of size 1. The encoder drops dimensions of size 1, moves dimensions with a box size of 1 after the others,
and merges two dimensions if the box covers both and they are adjacent in memory. The maps generated here have the form that
the encoder does not change.
"""
import math

ENCODERS_L2 = "128B"  # the only L2 promotion that the encoder writes
SHARED_B = 64 * 1024

# name: (element type of the encoder, its format, bits of a value)
PLAIN = {
    "u8": ("Uint8", "U8", 8), "u16": ("Uint16", "U16", 16), "u32": ("Uint32", "U32", 32), "s32": ("Int32", "S32", 32),
    "u64": ("Uint64", "U64", 64), "s64": ("Int64", "S64", 64), "f16": ("Float16", "F16_RN", 16),
    "f32": ("Float32", "F32_RN", 32), "f64": ("Float64", "F64_RN", 64), "bf16": ("BFloat16", "BF16_RN", 16),
    "f32_ftz": ("Float32", "F32_FTZ_RN", 32), "tf32": ("Float32", "TF32_RN", 32),
    "tf32_ftz": ("Float32", "TF32_FTZ_RN", 32),
}
PACKED = {
    "b4x16": ("Float4E2M1FN", "U4", 4), "b4x16_p64": ("Float4E2M1FN", "U4_UNPACK_U8", 4),
    "b6x16_p32": ("Float6E3M2FN", "U6_UNPACK_U8", 6),
}
TYPES = {**PLAIN, **PACKED}
PADDED = ("b4x16_p64", "b6x16_p32")
# name: (the functor of the encoder, bytes of a row)
SWIZZLES = {"none": ((0, 4, 3), math.inf), "32B": ((1, 4, 3), 32), "64B": ((2, 4, 3), 64), "128B": ((3, 4, 3), 128)}
ATOMS = {"128B_atom32B": ((2, 5, 2), 128), "128B_atom64B": ((1, 6, 1), 128)}
CORNER_BITS = {3: 16, 4: 8, 5: 5}


def up_to(random, limit):
    """Returns 1 to limit, with equal probability for each magnitude."""
    return min(limit, int(2 ** random.uniform(0, math.log2(limit))) + random.randrange(2))


def pick_type(random, arch):
    return random.choice(list(PLAIN if arch == "sm_90a" else TYPES))


def pick_swizzle(random, arch, kind):
    choice = {**SWIZZLES, **({} if arch == "sm_90a" else ATOMS)}
    if kind in PADDED:
        choice = {name: choice[name] for name in ("none", "128B", "128B_atom32B")}
    return random.choice(list(choice))


def stride_unit_B(kind, bits):
    """Strides are multiples of 16 bytes, of 32 for padded types, and whole values."""
    return math.lcm(32 if kind in PADDED else 16, bits) if bits == 6 else 32 if kind in PADDED else 16


def add_tensor(random, one, first_multiple, limits):
    """Draws dims, strides and address; `limits` are those of the dimensions after the first."""
    kind, bits = one["type"], one["element_bits"]
    dims = [first_multiple * up_to(random, max(1, 2**16 // first_multiple))]
    dims += [up_to(random, limit) for limit in limits]
    unit, strides, row_B = stride_unit_B(kind, bits), [], -(-dims[0] * bits // 8)
    for size in dims[1:]:
        stride = -(-row_B // unit) * unit + (unit * up_to(random, 64) if random.random() < 0.4 else 0)
        strides.append(stride)
        row_B = stride * size
    one.update(dims=dims, strides=strides, address=random.randrange(1, 2**42) * (32 if kind in PADDED else 16))
    return extent_B(one) < 2**60 and max(strides, default=0) < 2**40


def row_limit(one, span_B):
    """Returns the largest number of values of dimension 0 in a box."""
    if one["type"] in PADDED:
        return 128
    return min(256, int(min(span_B, 4096) * 8 // one["element_bits"]))


def row_of_box(random, one, span_B):
    """Draws the box in dimension 0: whole units of 16 bytes; padded types have 128 values."""
    if one["type"] in PADDED:
        return 128
    unit = 128 // one["element_bits"]
    return unit * random.randint(1, max(1, row_limit(one, span_B) // unit))


def is_canonical(one):
    """Returns whether the encoder keeps the dimensions of the map."""
    counts, dims = one["counts"], one["dims"]
    pitches = [one["element_bits"] / 8, *one["strides"]]
    merges = any(counts[i] == dims[i] and pitches[i + 1] == dims[i] * pitches[i] for i in range(len(dims) - 1))
    moves = any(a == 1 < b for a, b in zip(counts[1:], counts[2:]))
    return counts[0] <= dims[0] and 1 not in dims[1:] and not merges and not moves


def tiled(random, arch):
    kind = pick_type(random, arch)
    bits, swizzle = TYPES[kind][2], pick_swizzle(random, arch, kind)
    one = {"mode": "tiled", "type": kind, "element_bits": bits, "swizzle": swizzle}
    rank = random.randint(1, 5)
    huge = [2**31 + 64 if random.random() < 0.02 else 2**random.choice((8, 12, 20)) for _ in range(rank - 1)]
    if not add_tensor(random, one, 128 if kind in PADDED else 2 if bits == 4 else 1, huge):
        return None
    box, steps, size_B = [row_of_box(random, one, ({**SWIZZLES, **ATOMS})[swizzle][1])], [1], 16
    size_B = box[0] * (8 if kind in PADDED else bits) // 8
    for size in one["dims"][1:]:
        step = random.randint(2, 8) if random.random() < 0.15 else 1
        count = up_to(random, max(1, min(256 // step, SHARED_B // size_B, size)))
        size_B *= count
        box.append(count)
        steps.append(step)
    one.update(box=[count * step for count, step in zip(box, steps)], element_strides=steps, counts=box)
    return one if is_canonical(one) else None


def gather4(random, arch):
    kind = pick_type(random, arch)
    one = {"mode": "gather4", "type": kind, "element_bits": TYPES[kind][2], "swizzle": pick_swizzle(random, arch, kind)}
    if not add_tensor(random, one, 128 if kind in PADDED else 2 if kind == "b4x16" else 1, [2**20]):
        return None
    row = row_of_box(random, one, ({**SWIZZLES, **ATOMS})[one["swizzle"]][1])
    one.update(box=[row, 1], element_strides=[1, 1], counts=[row, 4])
    return one if is_canonical(one) else None


def im2col(random, arch):
    kind = pick_type(random, arch)
    one = {"mode": "im2col", "type": kind, "element_bits": TYPES[kind][2],
           "swizzle": pick_swizzle(random, arch, kind)}
    rank = random.randint(3, 5)
    if not add_tensor(random, one, 128 if kind in PADDED else 2 if kind == "b4x16" else 1,
                      [2**10] * (rank - 2) + [2**8]):
        return None
    low, high = -(1 << CORNER_BITS[rank] - 1), (1 << CORNER_BITS[rank] - 1) - 1
    lower, upper = [], []
    for size in one["dims"][1:-1]:
        a, b = random.randint(low, high), random.randint(low, high)
        if random.random() < 0.5:
            a, b = random.randint(-3, 3), random.randint(-3, 3)
        if size + b - a <= 0:
            return None
        lower.append(a)
        upper.append(b)
    channels = row_of_box(random, one, ({**SWIZZLES, **ATOMS})[one["swizzle"]][1])
    if channels > one["dims"][0]:
        return None
    pixels = 1 + up_to(random, min(1023, SHARED_B * 8 // (channels * max(8, one["element_bits"]))))
    one.update(lower_corner=lower, upper_corner=upper, channels_per_pixel=channels, pixels_per_column=pixels,
               element_strides=[1] + [random.randint(1, 8) if random.random() < 0.5 else 1 for _ in lower] + [1])
    return one


def random_maps(random, arch, n):
    makers = [tiled] * 5 + [im2col] * 4 + ([] if arch == "sm_90a" else [gather4])
    made = []
    while len(made) < n:
        one = random.choice(makers)(random, arch)
        if one:
            made.append(one)
    return made


def for_spec(one):
    """Returns the tensor of a spec as a dict."""
    keys = ["type", "dims", "strides", "address", "element_strides", "swizzle"]
    keys += ["mode", "lower_corner", "upper_corner", "channels_per_pixel", "pixels_per_column"] if one["mode"] == "im2col" else ["box"]
    spec = {key: one[key] for key in keys}
    if not spec["strides"]:
        del spec["strides"]
    return {**spec, "l2_promotion": ENCODERS_L2}


def for_encoder(one):
    element, form, bits = TYPES[one["type"]]
    made = {"mode": one["mode"], "element": element, "format": form, "dims": one["dims"], "address": one["address"],
            "strides": [1] + [stride * 8 // bits for stride in one["strides"]],
            "swizzle": ({**SWIZZLES, **ATOMS})[one["swizzle"]][0]}
    if one["mode"] == "im2col":
        return {**made, "lower": one["lower_corner"], "upper": one["upper_corner"], "steps": one["element_strides"][1:-1],
                "pixels": one["pixels_per_column"], "channels": one["channels_per_pixel"]}
    steps = {"element_strides": one["element_strides"]} if max(one["element_strides"]) > 1 else {}
    return {**made, "box": one["counts"], **steps}


def extent_B(one):
    """Returns the bytes from the start of the first value to the end of the last."""
    bits = one["element_bits"] * one["dims"][0]
    bits += sum((size - 1) * stride * 8 for size, stride in zip(one["dims"][1:], one["strides"]))
    return -(-bits // 8)


def is_large(one):
    """The encoder's rule for the allocation class, as measured, not as documented."""
    return extent_B(one) >= 128 * 1024
