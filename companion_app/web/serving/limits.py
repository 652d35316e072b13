"""Rate limits in bounded memory: requests and wrong guesses, counted by client address."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TypeVar

from companion_app.aside import Turn
from companion_app.web.serving.errors import TooOften

T = TypeVar("T")
MOST_KEPT = 4096
FREE_GUESSES, FIRST_WAIT_S, LONGEST_WAIT_S = 5, 60.0, 3600.0
"""Exponential backoff: wrong guesses until the first wait, that wait, and the longest one; each
further wrong guess doubles the wait. One address can try about 35 a day, so that even all
addresses of a home network together need months to find a PIN."""
FORGOTTEN_AFTER_S = 86_400.0
"""The count of wrong guesses restarts after this time without another one."""


def network_of(address: str) -> str:
    """Return the key that an address counts under: itself, or the /64 network of an IPv6 phone."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    mapped = known.ipv4_mapped
    return str(mapped) if mapped else str(ip_network((known, 64), strict=False))


class Limiter:
    """A sliding-window counter by action and address; the least recently used are evicted."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = MOST_KEPT) -> None:
        self._clock, self._most = clock, most
        self._done: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._lock = threading.Lock()
        self.guesses = Guesses(clock, most)

    def wait_s(self, what: str, who: str, most: int, window_s: float) -> int:
        """Return the seconds until an address may do something again; 0 when it may now."""
        with self._lock:
            times = self._done.get((what, who), deque[float]())
            while times and times[0] <= self._clock() - window_s:
                times.popleft()
            return 0 if len(times) < most else max(1, round(times[0] + window_s - self._clock()))

    def count(self, what: str, who: str) -> None:
        """Count one action of an address."""
        with self._lock:
            self._done.setdefault((what, who), deque(maxlen=256)).append(self._clock())
            self._done.move_to_end((what, who))
            while len(self._done) > self._most:
                self._done.popitem(last=False)

    def __len__(self) -> int:
        """Return how many pairs of action and address are counted."""
        return len(self._done)


@dataclass(frozen=True)
class _Guesser:
    wrong: int
    last_s: float
    until_s: float


class Guesses:
    """Wrong guesses by subject and address, with an exponential backoff for each address."""

    def __init__(self, clock: Callable[[], float], most: int = MOST_KEPT) -> None:
        self._clock, self._most = clock, most
        self._known: OrderedDict[tuple[str, str], _Guesser] = OrderedDict()
        self._lock = threading.Lock()
        self._trying = Turn()
        """Held from the check of the wait to the count, so that guesses sent at once are counted
        one by one."""

    def tried(self, what: str, who: str, check: Callable[[], T]) -> T:
        """Return what a check of a guess gives; nothing, or false, counts as wrong.

        Raises:
            TooOften: the address has to wait after wrong guesses.
        """
        with self._trying.within():
            if wait := self.wait_s(what, who):
                raise TooOften(retry_after_s=wait)
            found = check()
            if not found:
                self.wrong(what, who)
            return found

    def wait_s(self, what: str, who: str) -> int:
        """Return the seconds until an address may guess again; 0 when it may now."""
        with self._lock:
            known = self._known.get((what, who))
            left_s = known.until_s - self._clock() if known is not None else 0.0
            return max(1, round(left_s)) if left_s > 0 else 0

    def wrong(self, what: str, who: str) -> None:
        """Count a wrong guess."""
        with self._lock:
            now_s, known = self._clock(), self._known.pop((what, who), None)
            if known is not None and known.last_s < now_s - FORGOTTEN_AFTER_S:
                known = None
            count = known.wrong + 1 if known is not None else 1
            doubled = min(max(0, count - FREE_GUESSES), 10)
            wait_s = min(FIRST_WAIT_S * 2**doubled, LONGEST_WAIT_S)
            until_s = now_s + wait_s if count >= FREE_GUESSES else now_s
            self._make_room(now_s)
            self._known[what, who] = _Guesser(count, now_s, until_s)

    def forget(self, what: str, who: str) -> None:
        """Reset the count of wrong guesses of an address."""
        with self._lock:
            self._known.pop((what, who), None)

    def _make_room(self, now_s: float) -> None:
        """Evict the oldest entry that does not wait; where all wait, the oldest of all."""
        while len(self._known) >= self._most:
            quiet = (key for key, one in self._known.items() if one.until_s <= now_s)
            del self._known[next(quiet, next(iter(self._known)))]

    def __len__(self) -> int:
        """Return how many pairs of subject and address are counted."""
        return len(self._known)
