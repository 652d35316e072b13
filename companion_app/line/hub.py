"""Distributes events to all listening phones; keeps the last ones for phones that reconnect."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

REMEMBERED = 256
"""Events kept for phones that reconnect; one that missed more fetches the whole state."""
MOST_WAITING = 64
"""Events queued for one phone; where more are due, it is told to fetch the whole state."""
MOST_LISTENERS = 240
"""Phones that may listen; each blocks a thread, about 0.03 MB. Further ones are told to retry."""

WOKEN_AT_ONCE, PAUSE_S = 32, 0.001
"""Threads of phones woken at once, and the pause after them. Hundreds that are woken together
compete with each other and with the one that wakes them, so that the last phone waits longest."""


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One thing that happened, with its place in the order; equal to itself only."""

    id: int
    body: Mapping[str, Any]


MISSED = Event(0, {"event": "missed"})
"""Stands for events that are no longer remembered: fetch the state."""


class FullHouse(Exception):  # noqa: N818 - said to the phone as it is
    """More phones listen than can be served."""


class Listener:
    """One phone's queue of events, from which its thread takes them."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self.most_waiting = most_waiting
        self._waiting: deque[Event] = deque()
        self._news = threading.Condition()
        self.closed = False
        """Whether the listener was closed because the server is going down."""

    def put(self, event: Event) -> None:
        """Add an event without blocking, however slow the phone is; ``wake`` tells its thread."""
        with self._news:
            if len(self._waiting) >= self.most_waiting:
                self._waiting.clear()
                self._waiting.append(MISSED)
            self._waiting.append(event)

    def wake(self) -> None:
        """Tell the phone's thread of what was added."""
        with self._news:
            self._news.notify()

    def take(self, wait_s: float) -> list[Event]:
        """Return the queued events; wait up to ``wait_s`` for one, and return none after that."""
        with self._news:
            if not self._waiting and not self.closed:
                self._news.wait(wait_s)
            taken = list(self._waiting)
            self._waiting.clear()
            return taken

    def close(self) -> None:
        """Wake the phone's thread so that it ends."""
        with self._news:
            self.closed = True
            self._news.notify()


class Hub:
    """All listening phones."""

    def __init__(self, most_listeners: int = MOST_LISTENERS, first: int = 0) -> None:
        """Number events from ``first`` + 1, so that numbers of an earlier run are not reused."""
        self.most_listeners = most_listeners
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
        for number, listener in enumerate(listeners):
            if number and number % WOKEN_AT_ONCE == 0:
                time.sleep(PAUSE_S)
            listener.wake()
        return event

    def listen(self, after: int | None, most_waiting: int = MOST_WAITING) -> Listener:
        """Return a new listener whose queue holds the events after number ``after``.

        Raises:
            FullHouse: there is no room for one more.
        """
        with self._lock:
            if len(self._listeners) >= self.most_listeners:
                raise FullHouse
            listener = Listener(most_waiting)
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
