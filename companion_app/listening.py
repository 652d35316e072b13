"""The page's address: its listening socket, how phones reach it, and whether it answers."""

from __future__ import annotations

import contextlib
import socket
import time
from http.client import HTTPConnection, HTTPException

PORT = 8080
NEXT_PORTS = 20
BACKLOG = 256
"""Most connections that can wait while the page is being restarted."""
ANSWER_WITHIN_S = 10.0
GOING_S = 1.5
"""Seconds for which a page that was just killed may still hold its port."""


def listening(host: str, port: int | None, first: int = PORT) -> socket.socket:
    """Return a socket that listens on a port; without one, on ``first`` or one of the next.

    Raises:
        OSError: the port is in use.
    """
    wanted = [port] if port is not None else [first + n for n in range(NEXT_PORTS)]
    for number in wanted[:-1]:
        with contextlib.suppress(OSError):
            return _bound(host, number)
    until_s = time.monotonic() + GOING_S
    while True:
        try:
            return _bound(host, wanted[-1])
        except OSError:
            if time.monotonic() > until_s:
                raise
            time.sleep(0.1)


def _bound(host: str, port: int) -> socket.socket:
    family, kind, proto, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    sock = socket.socket(family, kind, proto)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    return sock


def written(host: str, port: int) -> str:
    """Return an address as it is written: ``HOST:PORT``, with brackets around an IPv6 address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def status_of(host: str, port: int, path: str) -> int:
    """Return the HTTP status of the page on this machine; 0 if it does not answer."""
    here = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
    connection = HTTPConnection(here.get(host, host), port, timeout=ANSWER_WITHIN_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()


def reachable_host(host: str) -> str:
    """Return the address by which phones in the same network reach this machine."""
    everywhere = host in ("", "0.0.0.0", "::")
    return (own_address() or "127.0.0.1") if everywhere else host


def own_address() -> str | None:
    """Return this machine's address in its network; ``None`` if it is in none."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Connecting a UDP socket sends no packet, but selects the address that would be used.
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return None
