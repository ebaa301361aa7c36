"""Linear layouts: XORs of bases, from the bits of a place to the bits of an index, as S/R/O has them where it can.

A linear layout maps places (a number for each axis, their bits side by side) to elements. S/R/O maps elements to places
and adds where a linear layout XORs. Both are one function where no two digits have a bit in common: then a bit of the
place that moves no element is a replica, and the other bits have an inverse. In memory a swizzle may come after.
"""
from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple, Sequence

import numpy as np

Vector = Sequence[int]


class Linear(NamedTuple):
    """The bases of each axis, from its lowest bit up: how far that bit moves the coordinates of a tensor of `shape`."""

    bases: dict[str, list[tuple[int, ...]]]
    shape: tuple[int, ...]


# ---- Numbers whose bits are a vector over GF(2) -----------------------------------------------------------------------

def _bits_of(shape: Sequence[int]) -> list[int]:
    """The bits of each coordinate. Raises ValueError for sizes that are not powers of two."""
    if any(n < 1 or n & (n - 1) for n in shape):
        raise ValueError(f"the shape {tuple(shape)} has sizes that are not powers of two; a linear layout has only these")
    return [n.bit_length() - 1 for n in shape]


def _flat(vector: Vector, bits: list[int]) -> int:
    number = 0
    for value, n in zip(vector, bits):
        number = number << n | value
    return number


def _unflat(number: int, bits: list[int]) -> tuple[int, ...]:
    vector = []
    for n in reversed(bits):
        vector.append(number & (1 << n) - 1)
        number >>= n
    return tuple(vector[::-1])


def _inverse(columns: list[int], n: int) -> list[int] | None:
    """The columns of the inverse of a matrix of n rows, None where it has none."""
    if len(columns) != n:
        return None
    rows: list[list[int]] = [[column, 1 << i] for i, column in enumerate(columns)]
    for bit in range(n):
        pivot = next((i for i in range(bit, n) if rows[i][0] >> bit & 1), None)
        if pivot is None:
            return None
        rows[bit], rows[pivot] = rows[pivot], rows[bit]
        for i in range(n):
            if i != bit and rows[i][0] >> bit & 1:
                rows[i] = [rows[i][0] ^ rows[bit][0], rows[i][1] ^ rows[bit][1]]
    return [row[1] for row in rows]


def _apart(masks: Iterable[int]) -> bool:
    """Whether no two numbers have a bit in common."""
    seen = 0
    for mask in masks:
        if seen & mask:
            return False
        seen |= mask
    return True


# ---- From bases to an expression ---------------------------------------------------------------------------------------

def text_of(linear: Linear) -> str:
    """The S/R/O layout over the tensor's elements. Raises ValueError where no S/R/O layout is this function."""
    bits = _bits_of(linear.shape)
    places = [(axis, 1 << i) for axis, bases in linear.bases.items() for i in range(len(bases))]
    moves = [_flat(basis, bits) for bases in linear.bases.values() for basis in bases]
    moving = [i for i, move in enumerate(moves) if move]
    inverse = _inverse([moves[i] for i in moving], sum(bits))
    if inverse is None:
        raise ValueError("two places of this linear layout are one element by XOR, or an element has no place: no S/R/O "
                         "layout is this function")
    masks = [sum(1 << moving[i] for i in range(len(moving)) if mask >> i & 1) for mask in reversed(inverse)]
    swizzle = ""
    if not _apart(masks):
        swizzle, masks = _swizzled(linear, masks)
    iters = [_iter(mask, places) for mask in masks]
    replicas = [f"2:{step}@{axis}" for (axis, step), move in zip(places, moves) if not move]
    return swizzle + _notation(iters) + "".join(f" + R[{replica}]" for replica in replicas)


def _swizzled(linear: Linear, masks: list[int]) -> tuple[str, list[int]]:
    """The swizzle without which no two digits have a bit in common, and the digits without it."""
    n = sum(map(len, linear.bases.values()))
    if list(linear.bases) == ["m"]:
        for s in range(1, n):
            for b in range(1, min(s, n - s) + 1):
                for m in range(n - s - b + 1):
                    plain = [mask ^ (mask >> m + s & (1 << b) - 1) << m for mask in masks]
                    if _apart(plain):
                        return f"swizzle({m}, {b}, {s}) o ", plain
    raise ValueError("this linear layout XORs bits of places in a way that is not one swizzle: no S/R/O layout is this "
                     "function")


def _iter(mask: int, places: list[tuple[str, int]]) -> tuple[int, str]:
    chosen = [place for i, place in enumerate(places) if mask >> i & 1]
    if len({axis for axis, _ in chosen}) > 1:
        raise ValueError(f"a digit of the index moves along {' and '.join(sorted({axis for axis, _ in chosen}))} at once: "
                         "no S/R/O layout is this function")
    return sum(step for _, step in chosen), chosen[0][0]


def _notation(iters: list[tuple[int, str]]) -> str:
    if not iters:
        return "S[1]"
    return f"S[({'2,' * len(iters)}):({''.join(f'{stride}@{axis},' for stride, axis in iters)})]"


# ---- From places to bases ------------------------------------------------------------------------------------------------

def of_places(places: Mapping[str, np.ndarray], replicas: Sequence[tuple[str, int, int]], shape: Sequence[int]) -> Linear:
    """The bases of a layout, from the places of its elements (copy 0) and its replicas (axis, extent, stride). Raises
    ValueError for a layout that is not linear, and for one with places of no element."""
    bits = _bits_of(shape)
    copies = [(axis, stride << i) for axis, extent, stride in replicas for i in range(_bits_of([extent])[0])]
    axes = {axis: int(numbers.max()) for axis, numbers in places.items()}
    for axis, step in copies:
        axes[axis] = axes.get(axis, 0) | step
    widths = {axis: most.bit_length() for axis, most in axes.items()}
    base = dict(zip(widths, np.cumsum([0, *widths.values()]).tolist()))
    if any((numbers < 0).any() for numbers in places.values()) or sum(widths.values()) > 62:
        raise ValueError("a linear layout has no negative places, and at most 62 bits of them")
    zero = np.zeros(1 << sum(bits), np.int64)
    found = sum((numbers.reshape(-1) << base[axis] for axis, numbers in places.items()), zero)
    digits = [int(found[1 << i]) for i in range(sum(bits))]
    if not (_xors(digits) == found).all():
        raise ValueError("the layout is not linear: its places are not the XOR of the places of the index's digits")
    inverse = _inverse(digits + [step << base[axis] for axis, step in copies], sum(widths.values()))
    if inverse is None:
        raise ValueError("two elements have one place, or a place has no element: a linear layout covers all places once")
    moves = [_unflat(mask & (1 << sum(bits)) - 1, bits) for mask in inverse]
    return Linear({axis: moves[base[axis]:base[axis] + n] for axis, n in widths.items() if n}, tuple(shape))


def _xors(digits: list[int]) -> Any:
    """The XOR of the digits of every index."""
    found = np.zeros(1, np.int64)
    for digit in digits:
        found = np.concatenate([found, found ^ digit])
    return found
