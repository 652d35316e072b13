"""Frame sources: the protocol that all of them follow, and one file per kind of camera.

A source is either *live* (a camera: only the newest frame matters) or *stored* (files: every frame
counts, at any pace). A live source never ends on its own. While its camera is gone it periodically
yields ``None``, so that the consumer can report it, and it resumes when the camera is back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from vision.core.errors import VisionError
from vision.core.types import Frame


class SourceError(VisionError):
    """A source cannot be opened at all; the message says what to do."""


class FrameSource(Protocol):
    """Anything that yields frames: a camera, a folder of photographs, a drawing."""

    @property
    def live(self) -> bool:
        """Say whether only the newest frame matters."""
        ...

    def frames(self) -> Iterator[Frame | None]:
        """Yield frames as they arrive; ``None`` after a while without any."""
        ...

    def close(self) -> None:
        """Release the camera and end ``frames``."""
        ...
