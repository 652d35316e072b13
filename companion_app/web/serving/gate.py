"""Who comes in: connections are accepted, counted by address, encrypted, and bounded in time.

An HTTP server by itself waits for ever for the first request of a connection, and takes as many as
come. Here each address has a share, a connection that is silent makes room for the next phone, and
a phone for which there is no room is told so. Everything runs in the loop of the server.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle
from uvicorn.server import ServerState

from companion_app.web.serving.limits import network_of

log = logging.getLogger(__name__)
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

MOST_CONNECTIONS = 350
"""Connection limit: event streams hold up to 248; the rest is for all other requests."""
SHARE = 0.75
"""The part of all connections, and of all places to listen, that one address may take."""
MOST_SILENT = 32
"""Connections of one address that have not made a request yet; the next one closes the oldest."""
MOST_TURNED_AWAY = 32
"""Connections beyond the limit that are told so; further ones are closed."""
HANDSHAKE_S, FIRST_REQUEST_S, IDLE_S, UNREAD_S = 10.0, 18.0, 60.0, 20.0
"""Seconds for a TLS handshake, for the first request after it, for the next one, and for the rest
of a request that was refused before it was read."""
ACCEPTED_AT_ONCE = 8
"""Connections accepted before those that are there are read: what was sent is no longer silent."""
PAUSE_S = 1.0
"""Seconds for which nobody is accepted after an error, as where no more files may be opened."""


class Gate:
    """Accepts connections on listening sockets, and hands them to the HTTP protocol."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        config: Config,
        most: int,
        most_silent: int = MOST_SILENT,
    ) -> None:
        self.loop, self.config, self.state = loop, config, ServerState()
        self._most_silent = most_silent
        self._most, self._share = most, int(SHARE * most)
        self._open: dict[socket.socket, ssl.SSLContext | None] = {}
        self._lines: dict[str, dict[Line, None]] = {}
        """The connections of each address, the oldest first."""
        self._is_told = False
        """Whether the log says already that there is no room, or that accepting fails."""

    def open(self, sock: socket.socket, context: ssl.SSLContext | None = None) -> None:
        """Accept connections on a socket, encrypted where a context is given."""
        sock.setblocking(False)
        self._open[sock] = context
        self.loop.add_reader(sock, self._accept, sock)

    def close(self) -> None:
        """Accept nobody any more, and let everybody go who waits for no answer."""
        for sock in self._open:
            self.loop.remove_reader(sock)
            sock.close()
        self._open.clear()
        for line in self.lines():
            line.end()

    def lines(self) -> list[Line]:
        """Return all connections."""
        return [line for lines in self._lines.values() for line in lines]

    def forget(self, line: Line) -> None:
        """Stop counting a connection that is closed."""
        lines = self._lines.get(line.address, {})
        lines.pop(line, None)
        if not lines:
            self._lines.pop(line.address, None)

    def _accept(self, sock: socket.socket) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                caller, peer = sock.accept()
            except (BlockingIOError, ConnectionAbortedError, InterruptedError):
                return
            except OSError as error:
                self._tell_once("no connection can be accepted: %s", error)
                self.loop.remove_reader(sock)
                self.loop.call_later(PAUSE_S, self._accept_again, sock)
                return
            self._let_in(caller, network_of(str(peer[0])), self._open[sock])

    def _accept_again(self, sock: socket.socket) -> None:
        if sock in self._open:
            self.loop.add_reader(sock, self._accept, sock)

    def _let_in(self, caller: socket.socket, address: str, context: ssl.SSLContext | None) -> None:
        caller.setblocking(False)
        silent = [line for line in self._lines.get(address, ()) if not line.has_asked]
        if len(silent) >= self._most_silent:
            silent[0].drop()
        is_full = not self._has_room(address)
        if is_full:
            self._tell_once("no room for %s", address)
            if sum(line.is_turned_away for line in self.lines()) >= MOST_TURNED_AWAY:
                caller.close()
                return
        self._is_told = is_full
        line = Line(self, address, is_full)
        self._lines.setdefault(address, {})[line] = None
        line.coming = self.loop.create_task(self._connect(line, caller, context))
        line.coming.add_done_callback(
            # One that is cancelled before its first step has nothing that could close the socket.
            lambda coming: self._give_up(line, caller) if coming.cancelled() else None
        )

    async def _connect(
        self, line: Line, caller: socket.socket, context: ssl.SSLContext | None
    ) -> None:
        within_s = None if context is None else HANDSHAKE_S
        try:
            await self.loop.connect_accepted_socket(
                lambda: line,
                caller,
                ssl=context,
                ssl_handshake_timeout=within_s,
                ssl_shutdown_timeout=within_s,
            )
        except OSError:
            self._give_up(line, caller)

    def _give_up(self, line: Line, caller: socket.socket) -> None:
        caller.close()
        self.forget(line)

    def _has_room(self, address: str) -> bool:
        """Say whether a connection of an address may come in, after closing one if necessary.

        It is the longest idle one of the address that has most, or of this one if its share is
        taken.
        """
        if len(self._lines.get(address, ())) >= self._share:
            return _make_room([self._lines[address]])
        if sum(map(len, self._lines.values())) < self._most:
            return True
        counted = {name: len(lines) for name, lines in self._lines.items()}
        return _make_room(
            self._lines[name] for name in sorted(counted, key=counted.__getitem__)[::-1]
        )

    def _tell_once(self, text: str, about: object) -> None:
        if not self._is_told:
            self._is_told = True
            log.warning(text, about)


def _make_room(addresses: Iterable[Iterable[Line]]) -> bool:
    """Close the longest idle connection of the first address that has one; say whether one has."""
    for lines in addresses:
        idle = [line for line in lines if not line.is_busy]
        if idle:
            min(idle, key=lambda line: line.since_s).drop()
            return True
    return False


class Line(H11Protocol):
    """One connection: uvicorn's protocol, with a time limit wherever it waits for a request."""

    def __init__(self, gate: Gate, address: str, is_turned_away: bool) -> None:
        super().__init__(gate.config, gate.state, {"line": self}, gate.loop)
        self._gate, self.address = gate, address
        self.is_turned_away = is_turned_away
        """Whether there is no room: the first request is answered by that, and then it is closed.
        Closed at once it would be reset, and the phone would lose the answer."""
        self.coming: asyncio.Task[None] | None = None
        """Brings the connection about; a TLS handshake takes its time."""
        self.streaming: asyncio.Task[Any] | None = None
        """Writes an event stream to the phone."""
        self.has_asked, self._is_open = False, False
        self.since_s = gate.loop.time()
        """When the last request was answered, or the connection was accepted."""
        self._limit: asyncio.TimerHandle | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._is_open = True
        self._wait(UNREAD_S if self.is_turned_away else FIRST_REQUEST_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """End what was written to the phone."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        self._wait(None)
        self._gate.forget(self)
        if self.streaming is not None:
            self.streaming.cancel()

    def handle_events(self) -> None:
        """Stop the clock once the head of a request has come whole."""
        super().handle_events()
        if self.is_busy:
            self.has_asked = True
            self._wait(None)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self.since_s = self._gate.loop.time()
        if not self.is_busy:
            self._wait(IDLE_S if self.conn.their_state is self.conn.our_state else UNREAD_S)

    def end(self) -> None:
        """Close the connection as soon as its answer is sent; a stream ends now."""
        if self.streaming is not None:
            self.streaming.cancel()
        if self._is_open:
            self.shutdown()
        else:
            self.drop()

    def drop(self) -> None:
        """Cut the connection."""
        self._gate.forget(self)
        if self.is_busy:
            self.cycle.disconnected = True
        if self._is_open:
            self.transport.abort()
        elif self.coming is not None:
            self.coming.cancel()

    def _wait(self, seconds: float | None) -> None:
        if self._limit is not None:
            self._limit.cancel()
        self._limit = None if seconds is None else self._gate.loop.call_later(seconds, self.drop)


async def chunks(receive: Receive, within_s: float) -> AsyncIterator[bytes]:
    """Yield a body as it comes.

    Raises:
        TimeoutError: nothing more has come within so many seconds.
        ConnectionError: whoever sent it has hung up.
    """
    has_more = True
    while has_more:
        async with asyncio.timeout(within_s):
            message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError
        yield message["body"]
        has_more = message["more_body"]
