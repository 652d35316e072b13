"""Messages between eye and page: a JSON object and, where one is asked for, bytes of a picture.

They go over a Unix socket in a folder that only its owner may enter, by the standard library's
``multiprocessing.connection``, which frames messages and limits their size. Only its ``send_bytes``
and ``recv_bytes`` are used, so that nothing is ever unpickled. ``pyzmq`` was considered and
rejected: its queues are bounded, but drop messages silently, and drops must be announced
(``missed``); each of its sockets belongs to one thread, so that the page's many threads would need
a queue of our own in front; and it would add a C++ library for only two processes. Events that a
slow page does not take are dropped by the hub that queues them, which announces the gap.
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
"""Largest message in bytes; a frame of 12 megapixels has 36 MB."""
LENGTH_BYTES = 4
FAMILY = "AF_UNIX"


class WireCut(Exception):  # noqa: N818 - what happened to it, in its own words
    """The connection is lost or blocked, or has delivered something that is no message."""


class Wire:
    """One end of a connection; many threads may send, one receives."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending = threading.Lock()

    def send(self, said: Mapping[str, Any], data: bytes = b"", within_s: float = -1.0) -> None:
        """Send a message; block while the other end does not read.

        Args:
            said: a JSON object.
            data: bytes of a picture.
            within_s: seconds to wait while other threads send; for ever where it is negative.

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
        """Say whether a message, or the end of the connection, comes within a time."""
        try:
            return self._connection.poll(within_s)
        except OSError:
            return True

    def hang_up(self) -> None:
        """Shut the connection down; threads that wait on it are woken."""
        with suppress(OSError), socket.socket(fileno=self._connection.fileno()) as end:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            # The descriptor belongs to the connection, which closes it.
            end.detach()

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self._connection.close()


def call(path: str) -> Wire:
    """Connect to the process that listens at an address.

    Raises:
        OSError: nothing listens there.
    """
    return Wire(Client(path, FAMILY))


def listen(path: str) -> Listener:
    """Return a listener at an address, which accepts connections."""
    return Listener(path, FAMILY)
