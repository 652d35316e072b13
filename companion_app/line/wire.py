"""Messages between eye and page: a JSON object and, where one is asked for, bytes of a picture.

They go over a socket of this machine in a folder that only its owner may enter, by
``multiprocessing.connection`` of the standard library: it keeps messages apart and bounds them,
and of it only ``send_bytes`` and ``recv_bytes`` are used, so that nothing is ever unpickled.
``pyzmq`` was looked at and left: its queues would be bounded and drop by themselves, but its
sockets may be used by one thread each, so that every question of the page's many threads would
need a queue of our own in front; it would be a library of C++ to keep for two processes; and what
is dropped must be said (``missed``), which its queues do not. Here each end has a thread that
sends; what a slow page does not take is dropped by the hub that events wait in, with its mark.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

MOST_BYTES = 96 << 20
"""A frame of 12 megapixels has 36 MB; more than this is no message of ours."""
LENGTH_BYTES = 4
FAMILY = "AF_UNIX"


class WireCut(Exception):  # noqa: N818 - what happened to it, in its own words
    """The other end is gone, or does not take anything."""


class Wire:
    """One end of a line; many threads may send, one receives."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending = threading.Lock()

    def send(self, said: Mapping[str, Any], data: bytes = b"", within_s: float = -1.0) -> None:
        """Send a message; waits while the other end does not read.

        Args:
            said: a JSON object.
            data: bytes of a picture.
            within_s: how long to wait for one's turn; for ever where it is negative.

        Raises:
            WireCut: it cannot be sent.
        """
        text = json.dumps(said).encode()
        if not self._sending.acquire(timeout=within_s):
            raise WireCut
        try:
            self._connection.send_bytes(len(text).to_bytes(LENGTH_BYTES) + text + data)
        except (OSError, ValueError) as error:
            raise WireCut from error
        finally:
            self._sending.release()

    def receive(self) -> tuple[dict[str, Any], bytes]:
        """Wait for a message.

        Raises:
            WireCut: the other end is gone, or has sent something that is no message.
        """
        try:
            message = self._connection.recv_bytes(MOST_BYTES)
            end = LENGTH_BYTES + int.from_bytes(message[:LENGTH_BYTES])
            said = json.loads(message[LENGTH_BYTES:end])
        except (EOFError, OSError, ValueError) as error:
            raise WireCut from error
        if not isinstance(said, dict) or end > len(message):
            raise WireCut
        return said, message[end:]

    def has_news(self, within_s: float = 0.0) -> bool:
        """Say whether a message, or the end of the line, comes within a time."""
        try:
            return self._connection.poll(within_s)
        except OSError:
            return True

    def hang_up(self) -> None:
        """Cut the line; whoever waits at it is woken."""
        with suppress(OSError), socket.socket(fileno=self._connection.fileno()) as end:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            # The connection closes it itself.
            end.detach()

    def close(self) -> None:
        """Give the line back."""
        with suppress(OSError):
            self._connection.close()


def call(path: str) -> Wire:
    """Return the page's end of a line to the eye.

    Raises:
        OSError: the eye is not there.
    """
    return Wire(Client(path, FAMILY))


def listen(path: str) -> Listener:
    """Return where the eye waits for its page."""
    return Listener(path, FAMILY)
