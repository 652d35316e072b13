"""Where frames come from: the protocol of everything that gives them, one file a kind of camera.

A source is either *live* (a camera: the newest frame is the only one that matters) or *stored*
(files: every frame counts and there is no hurry). Live sources never end by themselves: when the
camera is gone they yield ``None`` now and then, so that whoever waits can say so, and go on by
themselves when it is back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from vision.core.errors import VisionError
from vision.core.types import Frame


class SourceError(VisionError):
    """A source cannot be opened at all; the message says what to do."""


class FrameSource(Protocol):
    """Anything that gives frames: a camera, a folder of photographs, a drawing."""

    @property
    def live(self) -> bool:
        """Say whether only the newest frame matters."""
        ...

    def frames(self) -> Iterator[Frame | None]:
        """Yield frames as they come; ``None`` for a while without any."""
        ...

    def close(self) -> None:
        """Give the camera back; ``frames`` ends."""
        ...
