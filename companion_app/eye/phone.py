"""A phone as the camera: pictures uploaded to the page become frames.

Live pictures are frames like any camera's. A single photo stands for the table until the next one:
it is repeated as often as a settled table must be looked at, and the silence afterwards does not
count as a lost camera.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

from vision import Bgr, Frame, picture_file

WORKING_PIXELS = 2_200_000
"""Most pixels of a frame: 1920 x 1080 is decoded in full, larger photos at 1/2, 1/4 or 1/8."""
SHOWN_TIMES, SHOWN_EVERY_S = 24, 0.2
"""How often a single photo is repeated, and after how many seconds: a table settles after a few
looks, and a camera that has moved, as a hand-held one always has, takes some more."""
SILENCE_S = 1.0
"""Seconds without a new picture that are reported as one silence."""
GONE_S = 6.0
"""Seconds of silence after which a live phone's last picture is no longer shown, and after which
no picture is shown to a game that begins, or goes on, only then."""


class PhoneInbox:
    """The newest picture that a phone sent; older ones are dropped."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start_s = clock()
        self._arrived = threading.Condition()
        self._number = 0
        self._newest: Bgr | None = None
        self._still = False
        self._since_s = 0.0

    def push(self, data: bytes, still: bool = False) -> tuple[int, int]:
        """Decode an uploaded picture file; return the frame's width and height.

        Raises:
            PictureError: the file is not a picture, damaged, or too large.
        """
        bgr = picture_file(data, "picture").decode(WORKING_PIXELS).bgr
        with self._arrived:
            self._newest, self._still = bgr, still
            self._since_s = self._clock()
            self._number += 1
            self._arrived.notify_all()
        return bgr.shape[1], bgr.shape[0]

    def source(self) -> PhoneSource:
        """Return the pictures as a source of frames, from the newest one on if it is fresh.

        An older one may show another table, such as that of the game before.
        """
        with self._arrived:
            is_old = self._clock() - self._since_s > GONE_S
            return PhoneSource(self, self._number if is_old else 0)

    @property
    def newest(self) -> Frame | None:
        """The newest picture; ``None`` if none came or a live phone has fallen silent."""
        with self._arrived:
            gone = not self._still and self._clock() - self._since_s > GONE_S
            if self._newest is None or gone:
                return None
            return Frame(self._newest, self._since_s - self._start_s)

    def take(self, after: int, times: int, closed: threading.Event) -> tuple[int, Frame | None]:
        """Return the next frame: a newer picture, the same photo again, or ``None`` for a silence.

        Args:
            after: the number of the picture that was shown last.
            times: how often that picture was shown.
            closed: set when the source is closed.
        """
        with self._arrived:
            again = self._still and times < SHOWN_TIMES
            if self._number == after and not closed.is_set():
                self._arrived.wait(SHOWN_EVERY_S if again else SILENCE_S)
            fresh = self._number != after
            if self._newest is None or not (fresh or again):
                return after, None
            return self._number, Frame(self._newest, self._clock() - self._start_s)

    def is_quiet(self) -> bool:
        """Say whether silence is normal: before the first picture, and after a single photo."""
        return self._still or self._newest is None

    def wake(self) -> None:
        """Wake all waiting threads."""
        with self._arrived:
            self._arrived.notify_all()


class PhoneSource:
    """A frame source on a phone's inbox; several sources may share one inbox."""

    live = False  # the inbox keeps the newest picture only, as a live source would

    def __init__(self, inbox: PhoneInbox, after: int = 0) -> None:
        self._inbox = inbox
        self._after = after
        """Number of the last picture that is not shown; 0 to show every one."""
        self._closed = threading.Event()

    def frames(self) -> Iterator[Frame | None]:
        """Yield pictures as they come; ``None`` for every second that a live phone is silent."""
        shown, times = self._after, SHOWN_TIMES
        while not self._closed.is_set():
            number, frame = self._inbox.take(shown, times, self._closed)
            times = times + 1 if number == shown else 1
            shown = number
            if self._closed.is_set():
                return
            if frame is not None or not self._inbox.is_quiet():
                yield frame

    def close(self) -> None:
        """Stop yielding frames."""
        self._closed.set()
        self._inbox.wake()
