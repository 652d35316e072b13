"""Runs the live loop on a source for the desk, in a thread of its own.

Frames are captured, compared and read here; what they mean for the game is judged by the desk's
thread, so that neither a phone nor the loop waits long for the other.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import cv2

from companion_app.eye.desk import Desk, Feeder, GameLeftError
from companion_app.live.demo import DemoSource, standing_of
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

    def start(self, desk: Desk) -> None:
        """Start to watch the current game."""
        loop = self.loop = desk.do(partial(self._begun, desk))
        if isinstance(self.source, DemoSource):
            self.source.tell = lambda message: self._aloud(desk, partial(loop.tell, message))
            standing = partial(desk.do_as, self, partial(standing_of, loop.referee))
            self.source.heed(standing, partial(self._aloud, desk, desk.take_foul_back))
        self._thread = threading.Thread(target=self._watch, args=(desk, loop), daemon=True)
        self._thread.start()

    def _begun(self, desk: Desk) -> LiveLoop:
        before = desk.referee
        assert before is not None
        loop = LiveLoop(before.match, self._reader, desk.emit, partial(desk.do_as, self))
        loop.referee.state.take_over(before.state)
        desk.referee = loop.referee
        loop.start()
        return loop

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

    def _watch(self, desk: Desk, loop: LiveLoop) -> None:
        try:
            for frame in self._frames.frames():
                if self._stopped.is_set():
                    return
                if frame is not None:
                    self.newest = frame
                self._show(desk, loop, frame)
            if self._frames.failure is not None:
                desk.do_as(self, loop.silence)
                raise self._frames.failure
        except GameLeftError:
            return
        except (LiveError, VisionError, EngineError) as error:
            self._tell_trouble(desk, str(error))
        except Exception as error:  # the top of the camera loop: shown on the page, not swallowed
            log.exception("the camera loop failed")
            self._tell_trouble(desk, f"{type(error).__name__}: {error}")

    def _show(self, desk: Desk, loop: LiveLoop, frame: Frame | None) -> None:
        """Pass a frame to the loop; a fault that nobody foresaw costs this frame only."""
        try:
            if frame is None:
                desk.do_as(self, loop.silence)
            else:
                loop.see(frame)
        except GameLeftError:
            raise
        except Exception as error:  # noqa: BLE001 - logged in stumble
            desk.do_as(self, partial(loop.stumble, error))
        if loop.trouble != desk.trouble:
            self._tell_trouble(desk, loop.trouble)

    def _tell_trouble(self, desk: Desk, text: str | None) -> None:
        t = self.newest.taken_at_s if self.newest is not None else 0.0
        with suppress(GameLeftError):
            desk.do_as(self, partial(desk.emit, {"event": "trouble", "text": text, "t": t}))

    def _aloud(self, desk: Desk, deed: Callable[[], None]) -> None:
        """Do what the demo's players say, again while the disk is full: else their film ends."""
        # The referee may have accepted a pass by itself already.
        with suppress(ToldError):
            while True:
                try:
                    desk.do_as(self, deed)
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
