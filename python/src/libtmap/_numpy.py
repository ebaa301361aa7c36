"""NumPy, imported when it is first used, so that `import libtmap` takes little time."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:
    class _NumPy:
        def __getattr__(self, name: str) -> Any:
            import numpy
            setattr(self, name, getattr(numpy, name))
            return getattr(numpy, name)

    np = _NumPy()

__all__ = ["np"]
