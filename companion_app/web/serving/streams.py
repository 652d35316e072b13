"""Event streams: a view says what to stream, and the server's loop writes it, without a thread.

The view checks the phone's rights and answers with status and headers, by ``stream``; what begins
the stream goes with the request to the shell, which sends it for as long as the phone listens.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager, suppress

from flask import Response, request

from companion_app.web.serving.errors import FullHouse
from companion_app.web.serving.gate import SHARE
from companion_app.web.serving.limits import network_of

RETRY_AFTER_S = 15
MOST_LISTENERS = 240
"""Phones that may listen to a table; further ones are told to try again."""
FOR_HOSTS = 8
"""Places beyond those, so that a host's phone is always let in."""
LISTENERS, STREAM = "snake-eye.listeners", "snake-eye.stream"
"""Keys of a request: the ``Listeners`` of the server, and what begins the stream of the answer."""


class Bell:
    """Wakes one stream; it may be rung from any thread."""

    def __init__(self, bells: Bells) -> None:
        self._bells, self._rung = bells, asyncio.Event()

    def ring(self) -> None:
        """Wake the stream."""
        self._bells.ring(self._rung)

    async def wait(self, seconds: float) -> bool:
        """Wait until the bell is rung; say whether it was, in that time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._rung.wait()
        is_rung = self._rung.is_set()
        self._rung.clear()
        return is_rung


Begin = Callable[[Bell], AsyncGenerator[bytes, None]]
"""Begins a stream that waits for its bell: yields its text, piece by piece."""


class Bells:
    """The bells of all streams: many that are rung together cost one call into the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._rung: deque[asyncio.Event] = deque()
        self._is_called = False

    def ring(self, rung: asyncio.Event) -> None:
        """Have an event set in the loop."""
        self._rung.append(rung)
        if not self._is_called:
            self._is_called = True
            with suppress(RuntimeError):  # the loop has ended, and its streams with it
                self._loop.call_soon_threadsafe(self._set)

    def _set(self) -> None:
        # First: what is rung from now on calls again, or is set below.
        self._is_called = False
        while self._rung:
            self._rung.popleft().set()


class Listeners:
    """How many phones listen, by address."""

    def __init__(self, most: int = MOST_LISTENERS) -> None:
        self._most, self._share = most, max(1, int(SHARE * most))
        self._counted: Counter[str] = Counter()

    def has_room(self, address: str, is_host: bool = False) -> bool:
        """Say whether one more phone of an address may listen; of a host it nearly always may."""
        total = self._counted.total()
        if is_host:
            return total < self._most + FOR_HOSTS
        return total < self._most and self._counted[address] < self._share

    @contextmanager
    def counted(self, address: str) -> Iterator[None]:
        """Count a phone while it listens."""
        self._counted[address] += 1
        try:
            yield
        finally:
            self._counted[address] -= 1
            if not self._counted[address]:
                del self._counted[address]


def stream(begin: Begin, is_host: bool = False) -> Response:
    """Return the answer to a phone that is to listen.

    Raises:
        FullHouse: there is no room for one more.
    """
    listeners: Listeners | None = request.environ.get(LISTENERS)
    address = network_of(request.remote_addr or "")
    if listeners is not None and not listeners.has_room(address, is_host):
        raise FullHouse(retry_after_s=RETRY_AFTER_S)
    request.environ[STREAM] = begin
    return Response(mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"})
