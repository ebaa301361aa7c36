"""The extension: tmap's public headers as cffi has them, and the calls of each copy and each launch."""
from typing import Any, Callable, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

ffi: Any
lib: Any


class Image:
    bytes: Any
    _map: Any
    _counts: tuple[int, int, int]
    _params: bytes


def run(map: Any, params: bytes, memory: tuple[int, int], starts: Any, image: Any) -> Any: ...
def describe(array: Any) -> tuple[int, tuple[int, ...], tuple[int, ...] | None, tuple[int, int, int], int, bool] | None: ...
def span(block: list[int], bits: int, gathers: bool) -> int: ...
def prepared_at(prepared: bytes, address: Any) -> bytes | None: ...
def use(name: str, used: Any) -> None: ...
def method(function: _F) -> _F: ...
