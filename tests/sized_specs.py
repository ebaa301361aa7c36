"""Random specs whose numbers depend on sizes with few values, for the tests of sizes."""
import itertools
import random

NAMES = ["N", "M", "K"]
STARTS = [0, 1, 1, 1, 1, 8, 12, 60, 120, 250, 4000, 65530, 2 ** 31 - 8, 2 ** 32 - 6]


class Spec:
    """`text`, and `sizes`: name to (min, max, multiple). Tensors are aNUMBER and bNUMBER, copies cNUMBER and dNUMBER."""

    def __init__(self, number, seed, room=100):
        self.draw = random.Random(f"{seed} {number}")
        self.number = number
        self.sizes = {}
        for name in NAMES[:self.draw.choice([1, 1, 2, 2, 3])]:
            n = self.draw.randint(2, max(2, room))
            room //= n
            multiple = self.draw.choice([1, 1, 1, 2, 8, 16])
            least = -(-self.draw.choice(STARTS) // multiple) * multiple
            self.sizes[name] = (least, least + (n - 1) * multiple, multiple)
        tensors, copies = [], []
        for letter, copy in ("ac", "bd")[:self.draw.choice([1, 1, 1, 2])]:
            tensor, copy_of = self.draw.choice([self.tiled] * 6 + [self.rows] * 2 + [self.im2col, self.linear])()
            tensors.append(f"  {letter}{number}: {{{tensor}}}")
            if self.draw.random() < 0.7:
                copies.append(f"  {copy}{number}: {{tensor: {letter}{number}, {copy_of}}}")
        sizes = ", ".join(f"{name}: {{min: {low}, max: {high}, multiple_of: {multiple}}}"
                          for name, (low, high, multiple) in self.sizes.items())
        arch = self.draw.choice(["", "arch: sm_90a\n", "arch: sm_100a\n"])
        self.text = "\n".join([f"tmap: 1\n{arch}sizes: {{{sizes}}}\ntensors:", *tensors, *(["copies:"] if copies else []),
                               *copies, ""])

    def values(self):
        return list(itertools.product(*(range(low, high + 1, multiple) for low, high, multiple in self.sizes.values())))

    def expression(self):
        size, draw = self.draw.choice(list(self.sizes)), self.draw
        factor = draw.choice([2, 3, 4, 8, 8, 16, 16, 64])
        return draw.choice([
            size, size, f"{factor}*{size}", f"{factor}*{size}", f"{size} + {draw.randint(0, 300)}",
            f"{size} - {draw.randint(0, 40)}", f"{draw.choice([64, 256, 4096])} - {size}", f"ceil({size}/{factor})",
            f"floor(({size} + {draw.randint(0, 9)})/{factor})", f"{factor}*ceil({size}/{factor})",
            f"{size}*{draw.choice(list(self.sizes))}"])

    def maybe(self, share, *others):
        return self.expression() if self.draw.random() < share else str(self.draw.choice(others))

    def list(self, n, share, *others):
        return "[" + ", ".join(self.maybe(share, *others) for _ in range(n)) + "]"

    def at(self, n):
        """Now and then a coordinate does not fit the instruction's 32 bits, for all values or for some."""
        wide = f"{2 ** 29}*{self.draw.choice(list(self.sizes))}"
        items = [self.maybe(0.5, 0, 0, 8, 64, -16, 3, 200) for _ in range(n)]
        if self.draw.random() < 0.15:
            items[self.draw.randrange(n)] = self.draw.choice([2 ** 31, 2 ** 33, -2 ** 31 - 1, 2 ** 31 - 1, wide])
        return "[" + ", ".join(map(str, items)) + "]"

    def type(self):
        return self.draw.choice(["u8", "f16", "f16", "bf16", "f32", "f64"])

    def common(self, rank):
        draw = self.draw
        parts = [f"type: {self.type()}", f"dims: {self.list(rank, 0.4, 64, 64, 128, 256, 1000)}"]
        if rank > 1 and draw.random() < 0.4:
            strides = [f"{draw.choice([1, 16, 16, 32])}*({self.expression()})" if draw.random() < 0.5 else
                       str(draw.choice([1024, 4096, 8192, 1000])) for _ in range(rank - 1)]
            parts.append(f"strides: [{', '.join(strides)}]")
        if draw.random() < 0.2:
            parts.append(f"address: {self.maybe(0.6, 4096, 1000)}")
        return parts

    def tiled(self):
        draw, rank = self.draw, self.draw.choice([1, 2, 2, 3, 3, 4])
        parts = self.common(rank) + [f"box: {self.list(rank, 0.15, 1, 8, 16, 16, 32, 64)}"]
        parts.append(f"swizzle: {draw.choice(['none', 'none', '32B', '64B', '128B'])}")
        if rank == 3 and draw.random() < 0.15:
            parts.append("interleave: 16B")
        if draw.random() < 0.15:
            parts.append("element_strides: [1" + ", 2" * (rank - 1) + "]")
        op = draw.choice(["load", "load", "store", "prefetch", "reduce_add"])
        return ", ".join(parts), f"op: {op}, shared: 0x400, at: {self.at(rank)}"

    def rows(self):
        parts = self.common(2) + [f"box: [{self.maybe(0.4, 16, 64)}, {self.maybe(0.2, 1, 1, 4)}]"]
        op = self.draw.choice(["gather4", "scatter4"])
        return ", ".join(parts), f"op: {op}, shared: 0x400, column: {self.maybe(0.6, 0, 8)}, rows: {self.at(4)}"

    def im2col(self):
        parts = ["mode: im2col", *self.common(4), "lower_corner: [-1, -1]", "upper_corner: [-1, -1]",
                 f"channels_per_pixel: {self.draw.choice([16, 64])}", "pixels_per_column: 64"]
        return ", ".join(parts), f"op: load, shared: 0x400, at: {self.at(4)}, offsets: [0, 1]"

    def linear(self):
        parts = ["mode: linear", *self.common(1)]
        op = self.draw.choice(["load", "store"])
        return ", ".join(parts), f"op: {op}, shared: 0x400, size: {self.draw.choice([16, 256])}, at: {self.at(1)}"
