"""The names of types, swizzles, modes and other choices in tmap's tables, and their numbers."""
from __future__ import annotations

import functools
from itertools import islice
from typing import Any, Callable, Iterable, Mapping, TypeVar

from ._checked import reads_objects, shown
from ._native import ffi, lib

_F = TypeVar("_F", bound=Callable[..., Any])

_DTYPES = {
    "bool": "u8", "int8": "u8", "uint8": "u8", "int16": "u16", "uint16": "u16", "int32": "s32", "uint32": "u32",
    "int64": "s64", "uint64": "u64", "float16": "f16", "half": "f16", "bfloat16": "bf16", "float32": "f32",
    "float": "f32", "float64": "f64", "double": "f64", "fp16": "f16", "fp32": "f32", "fp64": "f64", "int1": "u8",
}
_PREFIXES = {"float8_": "u8", "fp8": "u8", "float4_": "b4x16", "int4": "b4x16", "uint4": "b4x16", "float6_": "b6x16_p32"}


def text_of(pointer: Any) -> str:
    """The text of a C string; empty for NULL."""
    return ffi.string(pointer).decode() if pointer else ""


def suggestion(key: str, word: str, names: Iterable[str]) -> str:
    """The name that a word means, as a value of a spec key, as the middle of a message; "" for none."""
    table = [ffi.new("char[]", name.encode()) for name in names]
    near = lib.tmap_name_suggest(key.encode(), word.encode(errors="replace").replace(b"\0", b"?"), table, len(table))
    return f"; did you mean {text_of(near)!r}?" if near else ""


def meant(word: str, names: Iterable[str], called: Mapping[str, str] = {}) -> str:
    """The argument that a wrong keyword means, as the middle of a message; "" for none."""
    same = _same_key(word, names, called)
    return f"; did you mean {same!r}?" if same else suggestion("", word, names)


def _same_key(word: str, names: Iterable[str], called: Mapping[str, str]) -> str | None:
    """The name that is the same key of a spec as the word: dims for shape. called: keys by the names that differ."""
    for section in (b"tensor", b"copy", b"file"):
        key = text_of(lib.tmap_key_suggest(section, word.encode(errors="replace")))
        for name in names if key else ():
            if key == called.get(name, text_of(lib.tmap_key_suggest(section, name.encode()))):
                return name
    return None


def names_arguments(*more: str, **called: str) -> Callable[[_F], _F]:
    """Makes the TypeError for an unknown keyword name the argument that the caller means. more: the keywords that the
    function passes on as **options. called: keys of specs by the names of the arguments that differ from the key."""
    def decorated(function: _F) -> _F:
        @functools.wraps(function)
        def calling(*args: Any, **options: Any) -> Any:
            try:
                return function(*args, **options)
            except TypeError:
                import inspect  # takes long to import
                parameters = inspect.signature(function).parameters.values()
                names = [p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.POSITIONAL_ONLY)]
                names = [name for name in dict.fromkeys([*names, *more]) if name not in ("cls", "self")]
                wrong = next((name for name in options if name not in names), None)
                if wrong is None or not more and any(p.kind == p.VAR_KEYWORD for p in parameters):
                    raise
            hint = meant(wrong, names, called) or ";"
            raise TypeError(f"{function.__qualname__} has no argument {wrong!r}{hint} allowed: {', '.join(names)}")
        return calling  # type: ignore[return-value]
    return decorated


class Choice:
    """A table of the library: the number of each name, of each alias, and of each name of the driver."""

    def __init__(self, what: str, get: Callable[[int], Any], find: Callable[[bytes], int]):
        self.what, self.get, self._find = what, get, find
        self.names: list[str] = []
        while row := get(len(self.names)):
            self.names.append(text_of(row.name))
        self.numbers: dict[Any, int] = {name: number for number, name in enumerate(self.names)}

    def number(self, value: Any) -> int:
        """The number of a name. Raises ValueError for another name and TypeError for a value that is not a name."""
        try:
            return self.numbers[value]
        except Exception:  # not a key, or not hashable
            return self._remember(value, reads_objects(self._other)(value))

    def of_driver(self, number: int) -> str:
        """The name of a number in the driver's enum."""
        for i, name in enumerate(self.names):
            if self.get(i).cu == number:
                return name
        raise ValueError(f"{self.what} is {number}, which is not a number of the driver's enum")

    def _remember(self, value: Any, number: int) -> int:
        if isinstance(value, str):
            self.numbers[value] = number
        return number

    def _other(self, value: Any) -> int:
        word = value if isinstance(value, str) else getattr(value, "name", None)
        if not isinstance(word, str):
            raise TypeError(f"{self.what} is {shown(value)}{suggestion(self.what, shown(value), self.names) or ';'} allowed: {self._allowed()}")
        number = self._find(word.encode(errors="replace")) if "\0" not in word else -1
        if number < 0:
            raise ValueError(f"{self.what} is {word!r}{suggestion(self.what, word, self.names) or ';'} allowed: {self._allowed()}")
        return number

    def _allowed(self) -> str:
        return ", ".join(repr(name) for name in self.names)


class TypeChoice(Choice):
    """Element types. The dtypes of NumPy, PyTorch, JAX, ml_dtypes and Triton are also names of types."""

    def _other(self, value: Any) -> int:
        name = dtype_name(value)
        kind = _DTYPES.get(name) or next((_PREFIXES[prefix] for prefix in _PREFIXES if name.startswith(prefix)), None)
        if kind is not None:
            return self.numbers[kind]
        return super()._other(value if isinstance(value, str) else name)


def dtype_name(value: Any) -> str:
    """The name of a dtype, without the framework: "float16" for torch.float16, numpy.float16 and jax.numpy.float16."""
    name = value if isinstance(value, str) else getattr(value, "name", None) or getattr(value, "__name__", None)
    if not isinstance(name, str):
        name = getattr(getattr(value, "dtype", None), "name", None) or str(value)
    return name.removeprefix("torch.").removeprefix("numpy.")


TYPES = TypeChoice("type", lib.tmap_type_get, lib.tmap_type_find)
MODES = Choice("mode", lib.tmap_mode_get, lib.tmap_mode_find)
WIDE_MODES = Choice("mode", lib.tmap_mode_get, lib.tmap_mode_find)
WIDE_MODES.names = MODES.names[lib.TMAP_MODE_IM2COL_W:lib.TMAP_MODE_IM2COL_W128 + 1]  # those that messages allow
SWIZZLES = Choice("swizzle", lib.tmap_swizzle_get, lib.tmap_swizzle_find)
INTERLEAVES = Choice("interleave", lib.tmap_interleave_get, lib.tmap_interleave_find)
PROMOTIONS = Choice("l2_promotion", lib.tmap_l2_promotion_get, lib.tmap_l2_promotion_find)
FILLS = Choice("oob_fill", lib.tmap_oob_fill_get, lib.tmap_oob_fill_find)
CLASSES = Choice("allocation_class", lib.tmap_allocation_class_get, lib.tmap_allocation_class_find)
OPS = Choice("op", lib.tmap_op_get, lib.tmap_op_find)
ARCHS = Choice("arch", lib.tmap_arch_get, lib.tmap_arch_find)


@reads_objects
def bits_of(names: Any, choice: Choice) -> int:
    """The bit set of one name or of several names: one bit for each name; None: 0."""
    if names is None:
        return 0
    bits = 0
    several = isinstance(names, Iterable) and not isinstance(names, str)
    for name in islice(names, len(choice.names)) if several else [names]:
        bits |= 1 << choice.number(name)
    return bits


def names_of(bits: int, choice: Choice) -> tuple[str, ...]:
    """The names of the bits in a set."""
    return tuple(name for number, name in enumerate(choice.names) if bits >> number & 1)
