"""One frame of the camera on its way to whoever reads it: plain bytes, and what they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Still:
    """A picture of height x width pixels of blue, green and red, a byte each."""

    height: int
    width: int
    taken_at_s: float
    data: bytes

    def bgr(self) -> Any:
        """Return it as an array."""
        import numpy as np

        return np.frombuffer(self.data, np.uint8).reshape(self.height, self.width, 3)
