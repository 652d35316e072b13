"""Distributes events to all listening phones; keeps the last ones for phones that reconnect."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

REMEMBERED = 256
"""Events kept for phones that reconnect; one that missed more fetches the whole state."""
MOST_WAITING = 64
"""Events queued for one phone; where more are due, it is told to fetch the whole state."""


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One thing that happened, with its place in the order; equal to itself only."""

    id: int
    body: Mapping[str, Any]


MISSED = Event(0, {"event": "missed"})
"""Stands for events that are no longer remembered: fetch the state."""


class Listener:
    """The queue of events of one who listens: of a phone, or of a thread that waits for them."""

    def __init__(
        self, most_waiting: int = MOST_WAITING, bell: Callable[[], None] | None = None
    ) -> None:
        """Ring a bell at every event; without one, a thread can wait for events by ``take``."""
        self._most_waiting = most_waiting
        self._waiting: deque[Event] = deque()
        self._news = threading.Event()
        self.wake = bell or self._news.set
        """Tells of what was added."""
        self.closed = False
        """Whether the listener was closed because the server is going down."""

    def put(self, event: Event) -> None:
        """Add an event without blocking, however slow the phone is; ``wake`` tells of it."""
        if len(self._waiting) >= self._most_waiting:
            self._waiting.clear()
            self._waiting.append(MISSED)
        self._waiting.append(event)

    def take(self, wait_s: float) -> list[Event]:
        """Return the queued events; wait up to ``wait_s`` for one, and return none after that."""
        if not self._waiting and not self.closed:
            self._news.wait(wait_s)
        # Cleared first: what is added from now on is taken below, or tells of itself again.
        self._news.clear()
        taken: list[Event] = []
        with suppress(IndexError):
            while True:
                taken.append(self._waiting.popleft())
        return taken

    def close(self) -> None:
        """Tell that nothing will be added any more."""
        self.closed = True
        self.wake()


class Hub:
    """All listening phones."""

    def __init__(self, first: int = 0) -> None:
        """Number events from ``first`` + 1, so that numbers of an earlier run are not reused."""
        self._lock = threading.Lock()
        self._last: deque[Event] = deque(maxlen=REMEMBERED)
        self._listeners: set[Listener] = set()
        self.version = first
        """The number of the newest event."""

    @property
    def listening(self) -> int:
        """How many phones listen."""
        return len(self._listeners)

    def publish(self, body: Mapping[str, Any]) -> Event:
        """Queue an event for all listeners, with the time at which it was sent."""
        with self._lock:
            self.version += 1
            event = Event(self.version, {"sent_s": round(time.time(), 4), **body})
            self._last.append(event)
            listeners = list(self._listeners)
            for listener in listeners:
                listener.put(event)
        for listener in listeners:
            listener.wake()
        return event

    def listen(
        self,
        after: int | None,
        most_waiting: int = MOST_WAITING,
        bell: Callable[[], None] | None = None,
    ) -> Listener:
        """Return a new listener whose queue holds the events after number ``after``."""
        with self._lock:
            listener = Listener(most_waiting, bell)
            for event in self._since(after, most_waiting):
                listener.put(event)
            self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """Forget a listener."""
        with self._lock:
            self._listeners.discard(listener)

    def close(self) -> None:
        """Close all listeners, because the server is going down."""
        with self._lock:
            for listener in self._listeners:
                listener.close()

    def _since(self, after: int | None, most_waiting: int) -> list[Event]:
        if after is None or after == self.version:
            return []
        known = self._last[0].id if self._last else self.version + 1
        # A number from the future is one of an earlier run of the server.
        if after > self.version or after + 1 < known:
            return [MISSED]
        late = [event for event in self._last if event.id > after]
        return late if len(late) < most_waiting else [MISSED]
