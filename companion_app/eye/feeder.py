"""Feeders, which show tables to the referee, and what they need of the desk: its fair lock."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Protocol

from companion_app.live.loop import LiveLoop
from companion_app.live.match import Match
from companion_app.live.referee import Referee
from vision import Frame


class Turns:
    """A reentrant lock; a thread that releases it queues behind the waiting ones.

    A plain lock may be re-acquired by the thread that has just released it before a waiting thread
    wakes up: on a shared core, a verdict would then wait for some frames.
    """

    def __init__(self) -> None:
        self._first = threading.Lock()
        """Held by the thread that gets the lock next."""
        self._taken = threading.Lock()
        self._holder = 0
        self._depth = 0

    def acquire(self, timeout: float = -1) -> bool:
        """Acquire the lock; return whether it worked within the timeout (for each of two waits)."""
        me = threading.get_ident()
        if self._holder != me:
            if not self._first.acquire(timeout=timeout):
                return False
            try:
                if not self._taken.acquire(timeout=timeout):
                    return False
            finally:
                self._first.release()
            self._holder = me
        self._depth += 1
        return True

    def release(self) -> None:
        """Release the lock."""
        if self._holder != threading.get_ident():
            raise RuntimeError("given back by somebody who does not hold it")
        self._depth -= 1
        if not self._depth:
            self._holder = 0
            self._taken.release()

    def __enter__(self) -> None:
        """Acquire the lock."""
        self.acquire()

    def __exit__(self, *_: object) -> None:
        """Release the lock."""
        self.release()


class Table(Protocol):
    """What a feeder needs of the desk."""

    lock: Turns
    """Held while the referee works."""
    referee: Referee | None
    """The referee of the current game."""
    trouble: str | None
    """What is wrong right now, as a sentence; ``None`` when all is well."""

    @property
    def match(self) -> Match | None:
        """The current game."""
        ...

    def emit(self, event: Mapping[str, Any]) -> None:
        """Send an event to every listener."""
        ...

    def take_foul_back(self) -> None:
        """Take back the announced foul: its tile has been lifted."""
        ...


class Feeder:
    """Shows tables to the referee. The base class shows none: only people's messages count."""

    kind: str = "none"
    """``camera``, ``demo``, ``phone``, ``recorded`` or ``none``; shown on the page."""
    name: str = ""
    """Name of the source, such as ``webcam:0``; empty if it has none."""
    loop: LiveLoop | None = None
    """The live loop that watches the frames; ``None`` without frames."""
    newest: Frame | None = None
    """The newest frame; ``None`` without frames."""

    def start(self, table: Table) -> None:
        """Start to show tables to the desk's referee."""

    def stop(self) -> None:
        """Stop, and wait until it has stopped."""

    def tell(self, message: Mapping[str, Any], referee: Referee, t: float) -> None:
        """Pass on a player's message, timed by ``t`` or by the source's own clock."""
        referee.tell(message, t)

    def picture(self) -> bytes | None:
        """Return the newest frame as JPEG; ``None`` without frames."""
        return None
