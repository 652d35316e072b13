"""Hands events to every listening phone; remembers the last ones for those that slept."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

REMEMBERED = 256
"""Events kept for phones that come back; older phones fetch the whole state."""
MOST_WAITING = 64
"""A phone that is further behind than that is told to fetch the whole state."""
MOST_LISTENERS = 240
"""Each costs a parked thread, about 0.03 MB; the next phone is told to try again."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, with its place in the order."""

    id: int
    body: Mapping[str, Any]


MISSED = Event(0, {"event": "missed"})
"""Stands for events that are no longer remembered: fetch the state."""


class FullHouse(Exception):  # noqa: N818 - said to the phone as it is
    """More phones listen than can be served."""


class Listener:
    """One phone: its events wait here until its thread takes them."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self.most_waiting = most_waiting
        self._waiting: deque[Event] = deque()
        self._news = threading.Condition()
        self._closed = False

    def put(self, event: Event) -> None:
        """Add an event; never waits, whatever the phone does."""
        with self._news:
            if len(self._waiting) >= self.most_waiting:
                self._waiting.clear()
                self._waiting.append(MISSED)
            self._waiting.append(event)
            self._news.notify()

    def take(self, wait_s: float) -> list[Event]:
        """Return what is there, after waiting for something; empty when nothing came."""
        with self._news:
            if not self._waiting and not self._closed:
                self._news.wait(wait_s)
            taken = list(self._waiting)
            self._waiting.clear()
            return taken

    def close(self) -> None:
        """Wake the phone's thread so that it ends."""
        with self._news:
            self._closed = True
            self._news.notify()

    @property
    def closed(self) -> bool:
        """Whether the server is going down."""
        return self._closed


class Hub:
    """All listening phones."""

    def __init__(self, most_listeners: int = MOST_LISTENERS, first: int = 0) -> None:
        """Number events after ``first``: those of an earlier life have other numbers."""
        self.most_listeners = most_listeners
        self._lock = threading.Lock()
        self._last: deque[Event] = deque(maxlen=REMEMBERED)
        self._listeners: set[Listener] = set()
        self._id = first

    @property
    def version(self) -> int:
        """The number of the newest event."""
        return self._id

    @property
    def listening(self) -> int:
        """How many phones listen."""
        return len(self._listeners)

    def publish(self, body: Mapping[str, Any]) -> Event:
        """Hand an event to everybody, with the clock time at which it happened."""
        with self._lock:
            self._id += 1
            event = Event(self._id, {"sent_s": round(time.time(), 4), **body})
            self._last.append(event)
            for listener in self._listeners:
                listener.put(event)
        return event

    def listen(self, after: int | None, most_waiting: int = MOST_WAITING) -> Listener:
        """Return a new listener, with what happened after an event already waiting.

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
        """Send every phone away; the server is going down."""
        with self._lock:
            for listener in self._listeners:
                listener.close()

    def _since(self, after: int | None, most_waiting: int) -> list[Event]:
        if after is None or after == self._id:
            return []
        known = self._last[0].id if self._last else self._id + 1
        # A number from the future is one of an earlier run of the server.
        if after > self._id or after + 1 < known:
            return [MISSED]
        late = [event for event in self._last if event.id > after]
        return late if len(late) < most_waiting else [MISSED]
