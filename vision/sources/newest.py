"""The newest frame only: a live source is emptied by a thread, so that nothing ever queues up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from vision.core.types import Frame
from vision.sources.source import FrameSource

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


class NewestFrames:
    """Frames of a live source, each the newest there is when it is asked for.

    Whoever reads slowly misses frames, but never sees an old one.
    """

    live = True

    def __init__(self, source: FrameSource, clock: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._clock = clock
        self._arrived = threading.Condition()
        self._newest: Frame | None = None
        self._ended = False
        self.failure: Exception | None = None
        """What ended the source, when it was not closed."""
        self.dropped = 0
        """How many frames nobody looked at."""
        self._thread = threading.Thread(target=self._empty, name="frames", daemon=True)

    def frames(self) -> Iterator[Frame | None]:
        """Yield the newest frame each time; ``None`` after half a second without."""
        self._thread.start()
        while True:
            with self._arrived:
                if self._newest is None and not self._ended:
                    self._arrived.wait(SILENCE_S)
                frame, self._newest = self._newest, None
                ended = self._ended
            if frame is None and ended:
                return
            yield frame

    def close(self) -> None:
        """Close the source and let its thread end."""
        self._source.close()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)

    def _empty(self) -> None:
        try:
            for frame in self._source.frames():
                with self._arrived:
                    if self._ended:
                        break
                    if frame is not None:
                        self.dropped += self._newest is not None
                        self._newest = frame
                        self._arrived.notify_all()
        except Exception as error:  # noqa: BLE001 - told to whoever reads the frames
            self.failure = error
        finally:
            with self._arrived:
                self._ended = True
                self._arrived.notify_all()
