"""The extension: tmap's public headers as cffi has them."""
from typing import Any

ffi: Any
lib: Any
