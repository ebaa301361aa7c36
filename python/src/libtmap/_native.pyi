"""The extension: tmap's public headers as cffi has them."""
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
def params(array: Any) -> bytes | None: ...
def describe(array: Any) -> tuple[int, tuple[int, ...], tuple[int, ...] | None, tuple[int, int, int], int, bool] | None: ...
def prepared_at(prepared: bytes, address: Any) -> bytes | None: ...
def use(name: str, used: Any) -> None: ...
def method(function: _F) -> _F: ...
