"""Converts arguments of Python to numbers of C. A value that does not fit raises an exception that names the argument.
"""
from __future__ import annotations

import ctypes
import functools
import operator
from itertools import islice
from typing import Any, Callable, Iterable, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

SHARED = "a multiple of 128 from 0 to 0x38f80 on sm_90 and sm_100"  # the window ends at 0x39000
NUMBERS_MAX = 4096  # more numbers than any argument has: an iterator without end is refused after these
_TEXT_MAX = 200
UINT64_MAX, INT64_MAX, INT64_MIN = 2**64 - 1, 2**63 - 1, -(2**63)


def shown(value: Any) -> str:
    """The repr of an argument, shortened, also of an object whose repr raises an exception."""
    try:
        text = repr(value)
    except Exception:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= _TEXT_MAX else text[:_TEXT_MAX] + "…"


def reads_objects(function: _F) -> _F:
    """Makes ValueError of an exception that a member of a given object raises, so that a wrong argument raises only
    TypeError, ValueError or IndexError."""
    @functools.wraps(function)
    def reading(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except (TypeError, ValueError, IndexError, ImportError, Warning):
            raise
        except Exception as error:
            what = f"an object of type {type(args[0]).__name__}" if args else "an argument"
            raise ValueError(f"{what} cannot be read: {shown(error)}") from error
    return reading  # type: ignore[return-value]


def counted(n: int, noun: str) -> str:
    """The number with its noun: "1 copy", "2 copies"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun[:-1]}ies" if noun[-1] == "y" else f"{n} {noun}s"


@reads_objects
def integer_of(value: Any, what: str) -> int:
    """Any integer, also of a class that has only __int__, as the integer classes of cuda.bindings, and of ctypes; not a
    fraction."""
    try:
        return operator.index(value)
    except TypeError:
        if isinstance(value, ctypes._SimpleCData):
            return integer_of(value.value, what)
        if hasattr(value, "__int__") and not hasattr(value, "__float__"):
            return int(value)
        raise TypeError(f"{what} is {shown(value)}; it must be an integer") from None


def unsigned(value: Any, what: str, allowed: str = "0 to 2^64 - 1", least: int = 0, most: int = UINT64_MAX) -> int:
    """An unsigned number of 64 bits, or a number from `least` to `most`. allowed: the values that the rules accept."""
    try:
        number = operator.index(value)
    except Exception:
        raise TypeError(f"{what} is {shown(value)}; it must be an integer") from None
    if not least <= number <= most:
        raise ValueError(f"{what} is {number}; it must be {allowed}")
    return number


def signed(value: Any, what: str) -> int:
    """A signed number of 64 bits."""
    return unsigned(value, what, "-2^63 to 2^63 - 1", INT64_MIN, INT64_MAX)


@reads_objects
def number_of(value: Any, what: str) -> int:
    """An int, an enum, or a constant in the tree of a compiler."""
    value = getattr(value, "value", value)
    if not hasattr(value, "__index__"):
        raise ValueError(f"{what} is {shown(value)}, a name without a value; tmap requires a number")
    return signed(value, what)


def integers(values: Any, what: str, n: int | None = None, least: int = 0, most: int = UINT64_MAX,
             allowed: str = "") -> list[int]:
    """A list of `n` unsigned numbers; n None: a list of any length. allowed: the values that the rules accept, if they
    accept fewer than `least` to `most`."""
    try:
        numbers = list(map(operator.index, values if type(values) is tuple else items(values, what, NUMBERS_MAX + 1)))
    except Exception:
        raise TypeError(f"{what} is {shown(values)}; it must be a sequence of integers") from None
    if len(numbers) > NUMBERS_MAX:
        raise ValueError(f"{what} has more than {NUMBERS_MAX} numbers")
    if n is not None and len(numbers) != n:
        raise ValueError(f"{what} has {counted(len(numbers), 'number')}; it must have {n}")
    if numbers and not (least <= min(numbers) and max(numbers) <= most):
        raise ValueError(f"{what} is {numbers}; each number must be {allowed or f'{least} to {most}'}")
    return numbers


def items(values: Any, what: str, n: int) -> Iterable[Any]:
    """The first `n` items of a sequence of integers."""
    try:
        if not isinstance(values, (str, bytes)):
            return islice(values, n)
    except TypeError:
        pass
    raise TypeError(f"{what} is missing" if values is None else
                    f"{what} is {shown(values)}; it must be a sequence of integers")


def signed_integers(values: Any, what: str, n: int | None = None, allowed: str = "") -> list[int]:
    """A list of `n` signed numbers; n None: a list of any length."""
    return integers(values, what, n, INT64_MIN, INT64_MAX, allowed)
