"""Converts arguments of Python to numbers of C. A value that does not fit raises an exception that names the argument.
"""
from __future__ import annotations

import operator
from typing import Any, Iterable

UINT64_MAX, INT64_MAX, INT64_MIN = 2**64 - 1, 2**63 - 1, -(2**63)


def unsigned(value: Any, what: str) -> int:
    """An unsigned number of 64 bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}; it must be an integer") from None
    if not 0 <= number <= UINT64_MAX:
        raise ValueError(f"{what} is {number}; it must be 0 to 2^64 - 1")
    return number


def signed(value: Any, what: str) -> int:
    """A signed number of 64 bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}; it must be an integer") from None
    if not INT64_MIN <= number <= INT64_MAX:
        raise ValueError(f"{what} is {number}; it must be -2^63 to 2^63 - 1")
    return number


def integers(values: Any, what: str, n: int | None = None, least: int = 0, most: int = UINT64_MAX) -> list[int]:
    """A list of `n` unsigned numbers; n None: a list of any length."""
    try:
        numbers = list(map(operator.index, values if type(values) is tuple else _iterable(values)))
    except TypeError:
        raise TypeError(f"{what} is {values!r}; it must be a sequence of integers") from None
    if n is not None and len(numbers) != n:
        raise ValueError(f"{what} has {len(numbers)} numbers; it must have {n}")
    if numbers and not (least <= min(numbers) and max(numbers) <= most):
        raise ValueError(f"{what} is {numbers}; each number must be {least} to {most}")
    return numbers


def _iterable(values: Any) -> Iterable[Any]:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError
    found: Iterable[Any] = values
    return found


def signed_integers(values: Any, what: str, n: int | None = None) -> list[int]:
    """A list of `n` signed numbers; n None: a list of any length."""
    return integers(values, what, n, INT64_MIN, INT64_MAX)
