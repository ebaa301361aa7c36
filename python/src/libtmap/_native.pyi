"""The extension: tmap's public headers as cffi has them, and the calls of each copy and each launch."""
from typing import Any

def __getattr__(name: str) -> Any: ...
