"""Delivers only the newest frame of a camera: there is never a backlog."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Protocol

from vision.core.types import Frame
from vision.sources import FrameSource

SILENCE_S = 0.5


class Frames(FrameSource, Protocol):
    """Frames of a source, with the error that ended it."""

    @property
    def failure(self) -> Exception | None:
        """The exception that ended the source; ``None`` if there was none."""
        ...


def newest_of(source: FrameSource) -> Frames:
    """Return the frames of a source: the newest of a live one, all of a stored one."""
    return NewestFrames(source) if source.live else StoredFrames(source)


class StoredFrames:
    """All frames of a stored source; errors are raised in the thread that iterates."""

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
    """Hands one frame from thread to thread; a newer frame replaces one that was not taken."""

    def __init__(self) -> None:
        self._arrived = threading.Condition()
        self._frame: Frame | None = None
        self.ended = False
        self.dropped = 0
        """Number of frames that were replaced before they were taken."""

    def put(self, frame: Frame) -> None:
        """Store a frame and wake the waiting thread."""
        with self._arrived:
            self.dropped += self._frame is not None
            self._frame = frame
            self._arrived.notify_all()

    def end(self) -> None:
        """Mark the end and wake the waiting thread."""
        with self._arrived:
            self.ended = True
            self._arrived.notify_all()

    def taken(self) -> Frame | None:
        """Return the stored frame or wait for one; ``None`` after ``SILENCE_S`` without."""
        with self._arrived:
            if self._frame is None and not self.ended:
                self._arrived.wait(SILENCE_S)
            frame, self._frame = self._frame, None
            return frame


class NewestFrames:
    """Frames of a live source, read by a thread; each is the newest at the time it is requested.

    A slow consumer misses frames, but never gets a stale one.
    """

    live = True

    def __init__(self, source: FrameSource) -> None:
        self._source = source
        self._slot = _Slot()
        self.failure: Exception | None = None
        """The exception that ended the source; ``None`` if there was none."""
        self._thread = threading.Thread(target=self._empty, name="frames", daemon=True)

    @property
    def dropped(self) -> int:
        """Number of frames that were dropped because the consumer was slower."""
        return self._slot.dropped

    def frames(self) -> Iterator[Frame | None]:
        """Yield the newest frame each time; ``None`` after half a second without one."""
        self._thread.start()
        while (frame := self._slot.taken()) is not None or not self._slot.ended:
            yield frame

    def close(self) -> None:
        """Close the source and wait up to 5 s for its thread."""
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
