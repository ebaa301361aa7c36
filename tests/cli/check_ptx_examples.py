#!/usr/bin/env python3
"""Loads the copies of specs/ptx_im2col_w.yaml and compares every pixel with the examples of the PTX ISA: parameters
from its lists, pixels by the rules of its text.

usage: check_ptx_examples.py SOURCE TMAP_COMMAND
"""
import array
import collections
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

# PTX ISA 9.0, 5.5.5.3 (figures 18, 19) and 5.5.5.4 (20 to 24). Sizes are Tensor Size [0] to [3]; the coordinates of the
# instruction begin with the outermost; corners and stride are of W.
Example = collections.namedtuple("Example", "figure sizes pixels channels lower upper stride at halo offset")
EXAMPLES = {
    "halo": Example(18, (128, 9, 7, 64), 128, 64, 0, 0, 1, (7, 2, 3, 0), 2, 0),
    "four_halos": Example(19, (128, 9, 7, 64), 128, 64, 0, 0, 1, (7, 2, 3, 0), 2, 0),
    "buffer_1": Example(20, (128, 9, 67, 64), 128, 64, -1, 0, 2, (7, 2, -1, 0), 1, 0),
    "buffer_2": Example(21, (128, 9, 67, 64), 128, 64, -1, 0, 2, (7, 2, -1, 0), 0, 1),
    "third_1": Example(22, (128, 7, 7, 64), 128, 64, -1, -1, 3, (7, 2, -1, 0), 0, 0),
    "third_2": Example(23, (128, 7, 7, 64), 128, 64, -1, -1, 3, (7, 2, -1, 0), 0, 1),
    "third_3": Example(24, (128, 7, 7, 64), 128, 64, -1, -1, 3, (7, 2, -1, 0), 0, 2),
}
HALOS_OF_128 = 4  # im2col::w::128 loads a halo after every 32 pixels; the text does not state their places
LINE_B, UNIT_B = 128, 16


def walked(example):
    """Yields (n, h, w) of each pixel: W steps to the end of the bounding box, then continues at its lower corner in the
    next N."""
    n, h, w, _ = example.at
    first, end = example.lower + example.offset, example.sizes[1] + example.upper + example.offset
    w += example.offset
    while True:
        yield n, h, w
        w += example.stride
        if w >= end:
            n, w = n + 1, first


def channel_0(example, place):
    """Returns the value of memory_of at these coordinates; outside the tensor 0."""
    _, width, height, _ = example.sizes
    n, h, w = place
    return ((n * height + h) * width + w + 1) & 0xFFFF if 0 <= w < width else 0


def memory_of(example):
    """Channel 0 of each pixel is its number plus 1, the others are 0."""
    channels, *outer = example.sizes
    values = array.array("H", bytes(2 * channels * outer[0] * outer[1] * outer[2]))
    for pixel in range(outer[0] * outer[1] * outer[2]):
        values[pixel * channels] = (pixel + 1) & 0xFFFF
    return values.tobytes()


def loaded(command, spec, name, folder, example):
    (folder / "global").write_bytes(memory_of(example))
    done = harness.run(command, "copy", spec, name, "--global", folder / "global", "-o", folder / "shared")
    if done.returncode != 0:
        return None, done.stderr
    return (folder / "shared").read_bytes(), ""


def differences(command, spec, name, folder):
    example = EXAMPLES[name]
    shared, said = loaded(command, spec, name, folder, example)
    if shared is None:
        yield said
        return
    halos = HALOS_OF_128 if example.figure == 19 else 1
    pixels_n = example.pixels + halos * example.halo
    if len(shared) != pixels_n * 2 * example.channels:
        yield f"{len(shared)} B, not {pixels_n} pixels of {example.channels} channels"
    compared_n = example.pixels if halos > 1 else pixels_n
    for pixel, place in zip(range(compared_n), walked(example)):
        at = pixel * LINE_B + pixel % 8 * UNIT_B  # swizzle 128B
        found = int.from_bytes(shared[at:at + 2], "little")
        if found != channel_0(example, place):
            yield f"pixel {pixel}: {found}, not that of n, h, w = {place}, which is {channel_0(example, place)}"
            return


def main():
    source, command = pathlib.Path(sys.argv[1]), sys.argv[2]
    spec, complaints = source / "specs/ptx_im2col_w.yaml", 0
    with tempfile.TemporaryDirectory() as folder:
        for name, example in EXAMPLES.items():
            for what in differences(command, spec, name, pathlib.Path(folder)):
                complaints += 1
                print(f"{name} (figure {example.figure}): {what}")
    print(f"{len(EXAMPLES)} examples, {complaints} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
