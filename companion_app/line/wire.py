"""Typed messages over a Unix socket, in a folder that only its owner may enter.

The standard library's ``multiprocessing.connection`` frames them and limits their size. Only its
``send_bytes`` and ``recv_bytes`` are used, so that nothing is ever unpickled; ``msgspec`` writes
and checks them. A question has a connection of its own, and whoever asked closes it: so no answer
is taken for another one, and a question for which nobody waits any more can be given up.
"""

from __future__ import annotations

import json
from functools import cache
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

import msgspec

MOST_BYTES = 96 << 20
"""Largest message in bytes; a frame of 12 megapixels has 36 MB."""
FAMILY = "AF_UNIX"
MOST_CALLING = 128
"""Most connections that wait to be accepted."""


def call(path: str) -> Connection:
    """Connect to the process that listens at an address.

    Raises:
        OSError: nothing listens there.
    """
    return Client(path, FAMILY)


def listen(path: str) -> Listener:
    """Return a listener at an address, which accepts connections."""
    return Listener(path, FAMILY, MOST_CALLING)


def receive(wire: Connection, kind: Any, within_s: float | None = None) -> Any:
    """Wait for a message of a kind; without ``within_s`` for ever.

    Raises:
        OSError: the other end is gone, has sent something else, or nothing in time.
    """
    if not wire.poll(within_s):
        raise TimeoutError
    try:
        return unpacked(wire.recv_bytes(MOST_BYTES), kind)
    except (EOFError, ValueError, RecursionError) as error:
        raise ConnectionError from error


def packed(message: Any) -> bytes:
    """Return the bytes of a message.

    Raises:
        OverflowError: there is a number in it that no message holds.
    """
    try:
        return msgspec.msgpack.encode(message)
    except UnicodeEncodeError:
        # Half a character, as names of files may have that are no UTF-8.
        text = json.dumps(msgspec.to_builtins(message), ensure_ascii=False)
        return msgspec.msgpack.encode(json.loads(text.encode(errors="replace")))


def unpacked(data: bytes, kind: Any) -> Any:
    """Return the message of a kind that the bytes are.

    Raises:
        ValueError: they are none.
    """
    return _decoder(kind).decode(data)


@cache
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(kind)
