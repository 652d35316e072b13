"""The door of the page: who is let in, who makes room, who is told to come back later.

The server under the page stops taking calls when its house is full, and leaves the callers to
wait without a word; a phone that listens and never reads holds its place for ever. Here a silent
connection makes room for the next phone, one that does not read is dropped, and whoever cannot be
served is told so.
"""

from __future__ import annotations

import contextlib
import logging
import socket
from collections import deque
from typing import Any

log = logging.getLogger(__name__)

MOST_CONNECTIONS = 350
"""Listening phones park one each, 240 at most; the rest is for pictures, taps and newcomers."""
STUCK_S = 30.0
"""A phone that has taken nothing of what waits for it for so long is gone or up to no good."""
LINGER = 32
"""So many of those sent away are kept until they have read why; closing at once would wipe it."""
RETRY_AFTER_S = 15
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: application/json\r\n"
    b"Retry-After: %d\r\nContent-Length: %d\r\n\r\n%s"
)
REASON = b'{"error": {"code": "full-house", "text": "Too many phones. Try again in a moment."}}'


def turned_away() -> bytes:
    """Return what is said to whoever cannot be served."""
    return FULL % (RETRY_AFTER_S, len(REASON), REASON)


class Door:
    """Stands before a server of waitress, in the thread of its own loop."""

    def __init__(self, server: Any, most: int = MOST_CONNECTIONS) -> None:
        self._server = server
        self._most = most
        self._let_in, self._clean = server.handle_accept, server.maintenance
        self._sent_away: deque[socket.socket] = deque()
        server.handle_accept, server.maintenance = self.call, self.clean

    def call(self) -> None:
        """Answer one caller: let in, in the place of a silent one if need be, or told why not."""
        if len(self._server.active_channels) < self._most or self._made_room():
            self._let_in()
        else:
            self._send_away()

    def clean(self, now_s: float) -> None:
        """Drop the idle, as the server does, and those that do not read."""
        self._clean(now_s)
        for channel in list(self._server.active_channels.values()):
            if channel.total_outbufs_len and channel.last_activity < now_s - STUCK_S:
                log.warning("%s does not read; dropped", channel.addr[0])
                channel.handle_close()

    def close(self) -> None:
        """Let go of those that were sent away."""
        while self._sent_away:
            self._sent_away.popleft().close()

    def _made_room(self) -> bool:
        """Close the connection that has been silent longest; say whether there was one."""
        silent = [
            channel for channel in self._server.active_channels.values()
            if not channel.requests and not channel.total_outbufs_len
        ]  # fmt: skip
        if not silent:
            return False
        min(silent, key=lambda channel: channel.last_activity).handle_close()
        return True

    def _send_away(self) -> None:
        with contextlib.suppress(OSError):
            caller, address = self._server.socket.accept()
            log.warning("no room for %s", address[0])
            caller.setblocking(False)
            caller.send(turned_away())
            caller.shutdown(socket.SHUT_WR)
            self._sent_away.append(caller)
        while len(self._sent_away) > LINGER:
            self._sent_away.popleft().close()


__all__ = ["MOST_CONNECTIONS", "Door", "turned_away"]
