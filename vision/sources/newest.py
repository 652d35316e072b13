"""The newest frame only, of a camera or of what somebody hands in: nothing ever queues up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from vision.core.types import Frame
from vision.sources import FrameSource
from vision.sources.files import decoded

SILENCE_S = 0.5


class Frames(FrameSource, Protocol):
    """Frames of a source as they are watched, and what ended them."""

    @property
    def failure(self) -> Exception | None:
        """What ended the source, when it was not closed."""
        ...


def newest_of(source: FrameSource) -> Frames:
    """Return the frames of a source to watch: the newest of a live one, all of a stored one."""
    return NewestFrames(source) if source.live else StoredFrames(source)


class StoredFrames:
    """All frames of a stored source; what goes wrong is raised where they are asked for."""

    live = False
    failure: Exception | None = None

    def __init__(self, source: FrameSource) -> None:
        self._source = source

    def frames(self) -> Iterator[Frame | None]:
        """Yield every frame."""
        yield from self._source.frames()

    def close(self) -> None:
        """Close the source."""
        self._source.close()


class _Slot:
    """Room for one frame, from one thread to another: a newer one takes the place of an older."""

    def __init__(self) -> None:
        self._arrived = threading.Condition()
        self._frame: Frame | None = None
        self.ended = False
        self.dropped = 0
        """How many frames nobody took."""

    def put(self, frame: Frame) -> None:
        """Leave a frame for whoever waits."""
        with self._arrived:
            self.dropped += self._frame is not None
            self._frame = frame
            self._arrived.notify_all()

    def end(self) -> None:
        """Let nobody wait any more."""
        with self._arrived:
            self.ended = True
            self._arrived.notify_all()

    def taken(self) -> Frame | None:
        """Return the frame that lies there or soon comes; ``None`` after a while without."""
        with self._arrived:
            if self._frame is None and not self.ended:
                self._arrived.wait(SILENCE_S)
            frame, self._frame = self._frame, None
            return frame


class NewestFrames:
    """Frames of a live source, each the newest there is when it is asked for.

    Whoever reads slowly misses frames, but never sees an old one.
    """

    live = True

    def __init__(self, source: FrameSource) -> None:
        self._source = source
        self._slot = _Slot()
        self.failure: Exception | None = None
        """What ended the source, when it was not closed."""
        self._thread = threading.Thread(target=self._empty, name="frames", daemon=True)

    @property
    def dropped(self) -> int:
        """How many frames nobody looked at."""
        return self._slot.dropped

    def frames(self) -> Iterator[Frame | None]:
        """Yield the newest frame each time; ``None`` after half a second without."""
        self._thread.start()
        while (frame := self._slot.taken()) is not None or not self._slot.ended:
            yield frame

    def close(self) -> None:
        """Close the source and let its thread end."""
        self._source.close()
        self._slot.end()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)

    def _empty(self) -> None:
        try:
            for frame in self._source.frames():
                if self._slot.ended:
                    break
                if frame is not None:
                    self._slot.put(frame)
        except Exception as error:  # noqa: BLE001 - told to whoever reads the frames
            self.failure = error
        finally:
            self._slot.end()


class PushedSource:
    """Pictures handed in from outside, such as those that a phone sends to the page."""

    live = True

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start_s = clock()
        self._slot = _Slot()

    def push(self, picture: bytes) -> bool:
        """Hand in a picture as a file's bytes; say whether it is one."""
        bgr = decoded(np.frombuffer(picture, np.uint8))
        if bgr is not None:
            self._slot.put(Frame(bgr, self._clock() - self._start_s))
        return bgr is not None

    def frames(self) -> Iterator[Frame | None]:
        """Yield the newest picture each time there is one; ``None`` after a while without."""
        while not self._slot.ended:
            frame = self._slot.taken()
            if not self._slot.ended:
                yield frame

    def close(self) -> None:
        """Stop waiting for pictures."""
        self._slot.end()
