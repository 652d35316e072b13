"""Runs the live loop on a source for the desk, in a thread of its own.

The loop and the page's commands share the desk's lock. It is free while a frame is captured,
compared or read, so that neither a phone nor the loop waits long for the other.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import cv2

from companion_app.eye.feeder import Feeder, Table
from companion_app.live.demo import DemoSource
from companion_app.live.errors import LiveError, StoreError, ToldError
from companion_app.live.loop import LiveLoop, Reader
from companion_app.live.referee import Referee
from engine.errors import EngineError
from vision import Frame, VisionError
from vision.sources import FrameSource
from vision.sources.newest import NewestFrames

log = logging.getLogger(__name__)
SHOWN_PX = 1280
SHOWN_QUALITY = 75
FULL_S = 1.0
"""Seconds until the players of the demo try again what a full disk could not keep."""


class Watched(Feeder):
    """A feeder that runs the live loop on the frames of a source."""

    def __init__(self, kind: str, source: FrameSource, reader: Reader, name: str = "") -> None:
        self.kind, self.name, self.source = kind, name, source
        self._reader = reader
        self._packed = Packed()
        self._frames = NewestFrames(source)
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, table: Table) -> None:
        """Start to watch the current game."""
        with table.lock:
            assert table.referee is not None
            before = table.referee
            self.loop = LiveLoop(before.match, self._reader, table.emit, meanwhile=table.lock)
            self.loop.referee.state.take_over(before.state)
            table.referee = self.loop.referee
            if isinstance(self.source, DemoSource):
                self.source.tell = lambda message: self._said_aloud(table, message)
                lift = partial(self._until_kept, table.take_foul_back)
                self.source.heed(lambda: table.referee, table.lock, lift)
            self.loop.start()
        self._thread = threading.Thread(target=self._watch, args=(table,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread, and wait for it."""
        self._stopped.set()
        self._frames.close()
        if self._thread and self._thread is not threading.current_thread():
            self._thread.join(5)

    def tell(self, message: Mapping[str, Any], referee: Referee, t: float) -> None:
        """Pass a player's message to the loop, timed by the source's clock."""
        del referee, t
        assert self.loop is not None
        self.loop.tell(message)

    def picture(self) -> bytes | None:
        """Return the newest frame as JPEG."""
        return self._packed.jpeg_of(self.newest)

    def _watch(self, table: Table) -> None:
        assert self.loop is not None
        now_s = 0.0
        try:
            for frame in self._frames.frames():
                if self._stopped.is_set():
                    return
                with table.lock:
                    if frame is None:
                        self.loop.silence()
                    else:
                        now_s = frame.taken_at_s
                        self.newest = frame
                        self._see(frame)
                    if self.loop.trouble != table.trouble:
                        table.emit({"event": "trouble", "text": self.loop.trouble, "t": now_s})
            if self._frames.failure is not None:
                with table.lock:
                    self.loop.silence()
                raise self._frames.failure
        except (LiveError, VisionError, EngineError) as error:
            table.emit({"event": "trouble", "text": str(error), "t": now_s})
        except Exception as error:  # the top of the camera loop: shown on the page, not swallowed
            log.exception("the camera loop failed")
            table.emit({"event": "trouble", "text": f"{type(error).__name__}: {error}", "t": now_s})

    def _see(self, frame: Frame) -> None:
        """Pass a frame to the loop; a fault that nobody foresaw costs this frame only."""
        assert self.loop is not None
        try:
            self.loop.see(frame)
        except Exception:  # noqa: BLE001 - logged in stumble
            self.loop.stumble()

    def _said_aloud(self, table: Table, message: Mapping[str, Any]) -> None:
        loop = self.loop
        assert loop is not None

        def tell() -> None:
            with table.lock:
                loop.tell(message)

        # The referee may have accepted this pass by itself already.
        with suppress(ToldError):
            self._until_kept(tell)

    def _until_kept(self, told: Callable[[], None]) -> None:
        """Let the demo's players say it again while the disk is full; else their film would end."""
        while True:
            try:
                told()
            except StoreError:
                if self._stopped.wait(FULL_S):
                    raise
            else:
                return


class Packed:
    """The newest frame as JPEG, cached so that it is encoded once for all phones."""

    def __init__(self) -> None:
        self._last: tuple[Frame, bytes | None] | None = None

    def jpeg_of(self, frame: Frame | None) -> bytes | None:
        """Return a frame as JPEG, small enough for a phone."""
        if frame is None:
            return None
        last = self._last
        if last is None or last[0] is not frame:
            last = self._last = frame, _packed(frame)
        return last[1]


def _packed(frame: Frame) -> bytes | None:
    height, width = frame.bgr.shape[:2]
    scale = min(1.0, SHOWN_PX / width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(frame.bgr, size, interpolation=cv2.INTER_AREA)
    done, packed = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, SHOWN_QUALITY])
    return packed.tobytes() if done else None
