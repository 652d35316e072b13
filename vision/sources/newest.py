"""Delivers only the newest frame of a camera: there is never a backlog."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from vision.core.types import Frame
from vision.sources import FrameSource

SILENCE_S = 0.5


class NewestFrames:
    """Frames of a source: all of a stored one, of a live one the newest at each request.

    A live source is read by a thread: a slow consumer misses frames, but never gets a stale one.
    Errors of a stored source are raised in the thread that iterates.
    """

    def __init__(self, source: FrameSource) -> None:
        self.live = source.live
        self.failure: Exception | None = None
        """The exception that ended a live source; ``None`` if there was none."""
        self.dropped = 0
        """Number of frames that were dropped because the consumer was slower."""
        self._source = source
        self._arrived = threading.Condition()
        self._frame: Frame | None = None
        self._ended = False
        self._thread = threading.Thread(target=self._empty, name="frames", daemon=True)

    def frames(self) -> Iterator[Frame | None]:
        """Yield the newest frame each time; ``None`` after half a second without one."""
        if not self.live:
            yield from self._source.frames()
            return
        self._thread.start()
        while (frame := self._taken()) is not None or not self._ended:
            yield frame

    def close(self) -> None:
        """Close the source and wait up to 5 s for its thread."""
        self._source.close()
        self._end()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)

    def _taken(self) -> Frame | None:
        with self._arrived:
            if self._frame is None and not self._ended:
                self._arrived.wait(SILENCE_S)
            frame, self._frame = self._frame, None
            return frame

    def _end(self) -> None:
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()

    def _empty(self) -> None:
        try:
            for frame in self._source.frames():
                if self._ended:
                    break
                if frame is not None:
                    with self._arrived:
                        self.dropped += self._frame is not None
                        self._frame = frame
                        self._arrived.notify_all()
        except Exception as error:  # noqa: BLE001 - told to whoever reads the frames
            self.failure = error
        finally:
            self._end()
