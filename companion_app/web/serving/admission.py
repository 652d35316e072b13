"""Admission control for the page's connections: accept, evict an idle one, or answer 503.

On its own, waitress stops accepting at its connection limit and leaves further clients waiting
without an answer, and a client that never reads its stream holds a connection for ever. Here an
idle connection is evicted for the next phone, one that does not read is dropped, and a client that
cannot be served gets 503 with ``Retry-After``.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import socket
from collections import deque
from typing import Any

log = logging.getLogger(__name__)

MOST_CONNECTIONS = 350
"""Connection limit: event streams hold up to 240; the rest is for all other requests."""
STUCK_S = 30.0
"""A connection with unsent data and no activity for this long is dropped."""
LINGER = 32
"""Rejected sockets kept open so that clients can read the 503; an immediate close may reset the
connection and discard the answer."""
SELECTABLE = 1024
"""File descriptors below this number work with ``select()``."""
RESERVED = 400
"""Of those, how many are left to the rest of the process."""
RETRY_AFTER_S = 15
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: application/json\r\n"
    b"Retry-After: %d\r\nContent-Length: %d\r\n\r\n%s"
)
REASON = b'{"error": {"code": "full-house", "text": "Too many phones. Try again in a moment."}}'
TURNED_AWAY = FULL % (RETRY_AFTER_S, len(REASON), REASON)
"""The HTTP response for a client that cannot be served."""


class Door:
    """Wraps the accept and maintenance handlers of a waitress server, in its own loop thread."""

    def __init__(self, server: Any, most: int = MOST_CONNECTIONS) -> None:
        self._server = server
        self._most = most
        self._let_in, self._clean = server.handle_accept, server.maintenance
        self._sent_away: deque[socket.socket] = deque()
        server.handle_accept, server.maintenance = self.call, self.clean
        if most > SELECTABLE - RESERVED:
            self._accept, server.accept = server.accept, self._accept_high

    def call(self) -> None:
        """Accept one connection, after evicting an idle one if necessary, or reject it."""
        if len(self._server.active_channels) < self._most or self._made_room():
            self._let_in()
        else:
            self._send_away()

    def _accept_high(self) -> tuple[socket.socket, Any] | None:
        """Accept a connection under a descriptor that ``select()`` would refuse.

        The MQTT library waits by ``select()``: while a thousand phones had the low numbers, a
        hall that had lost its broker could never connect to it again.
        """
        pair: tuple[socket.socket, Any] | None = self._accept()
        if pair is None:
            return None
        caller, address = pair
        try:
            high = fcntl.fcntl(caller.fileno(), fcntl.F_DUPFD_CLOEXEC, SELECTABLE)
        except OSError:
            # The process may not open so many files, so none has a higher number either.
            return pair
        caller.close()
        return socket.socket(fileno=high), address

    def clean(self, now_s: float) -> None:
        """Drop idle connections, as waitress does, and those that do not read."""
        self._clean(now_s)
        for channel in list(self._server.active_channels.values()):
            if channel.total_outbufs_len and channel.last_activity < now_s - STUCK_S:
                log.warning("%s does not read; dropped", channel.addr[0])
                channel.handle_close()

    def close(self) -> None:
        """Close the rejected sockets that are still open."""
        while self._sent_away:
            self._sent_away.popleft().close()

    def _made_room(self) -> bool:
        """Close the connection that has been idle longest; say whether there was one."""
        silent = [
            channel
            for channel in self._server.active_channels.values()
            if not channel.requests and not channel.total_outbufs_len
        ]
        if not silent:
            return False
        min(silent, key=lambda channel: channel.last_activity).handle_close()
        return True

    def _send_away(self) -> None:
        with contextlib.suppress(OSError):
            caller, address = self._server.socket.accept()
            log.warning("no room for %s", address[0])
            caller.setblocking(False)
            caller.send(TURNED_AWAY)
            caller.shutdown(socket.SHUT_WR)
            self._sent_away.append(caller)
        while len(self._sent_away) > LINGER:
            self._sent_away.popleft().close()
