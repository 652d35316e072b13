"""A full house: listening phones, phones that do not read, half-open lines, garbage, all at once.

One thread looks after every client, so that the clients cost little and the page's share shows.
"""

from __future__ import annotations

import json
import random
import selectors
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tests.faults.companion import Companion, Phone
from tests.faults.scripted import Announced

GARBAGE = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET\r\n\r\n",
    b"\0" * 4000,
    b"POST /api/tell HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 70_000 + b"\r\n\r\n",
    b"POST /api/tell HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /%00%ff/..;/ HTTP/1.1\r\nHost: \r\nCookie: snake_eye=\xff\xfe\r\n\r\n",
    b"OPTIONS * HTTP/9.9\r\n\r\n",
    b"GET http://[::1 HTTP/1.1\r\nHost: a\r\n\r\n",
)

PHONES_APART = 200
"""Addresses of the phones that listen."""


@dataclass
class Line:
    """One listening phone."""

    sock: socket.socket
    buffer: bytes = b""
    verdicts: set[int] = field(default_factory=set)
    status: int = 0

    def take(self) -> bool:
        """Read what has come; say whether the line is still open."""
        try:
            data = self.sock.recv(65536)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False
        self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            if line.startswith(b"HTTP/1.1 "):
                self.status = int(line.split()[1])
            elif line.startswith(b"data: ") and b'"verdict"' in line:
                self.verdicts.add(json.loads(line[6:])["n"])
        return bool(data)


class House:
    """All clients of a page."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._where = (str(parts.hostname), int(parts.port or 80))
        self._ready = selectors.DefaultSelector()
        self.lines: list[Line] = []
        self._others: list[socket.socket] = []

    def __enter__(self) -> House:
        return self

    def __exit__(self, *_: object) -> None:
        for sock in [*(line.sock for line in self.lines), *self._others]:
            sock.close()
        self._ready.close()

    def listen(self, count: int) -> list[Line]:
        """Let so many phones listen; return their lines."""
        added: list[Line] = []
        for _ in range(count):
            address = f"127.0.2.{1 + len(self.lines + added) % PHONES_APART}"
            sock = socket.create_connection(self._where, timeout=30, source_address=(address, 0))
            sock.sendall(b"GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n")
            sock.setblocking(False)
            line = Line(sock)
            self._ready.register(sock, selectors.EVENT_READ, line)
            added.append(line)
            self.hear(0.0)
        self.lines += added
        return added

    def hear(self, seconds: float) -> None:
        """Read for so long what comes to anybody."""
        end = time.monotonic() + seconds
        while True:
            for key, _ in self._ready.select(max(0.0, end - time.monotonic())):
                if not key.data.take():
                    self._ready.unregister(key.fileobj)
            if time.monotonic() >= end:
                return

    def never_read(self, count: int) -> None:
        """Let so many phones listen that take nothing."""
        for _ in range(count):
            sock = socket.socket()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            sock.connect(self._where)
            sock.sendall(b"GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n")
            self._others.append(sock)

    def half_open(self, count: int) -> None:
        """Open so many lines that never finish their sentence."""
        for _ in range(count):
            sock = socket.create_connection(self._where, timeout=30)
            sock.sendall(b"GET /api/sta")
            self._others.append(sock)

    def send_garbage(self, count: int, seed: int = 1) -> list[bytes]:
        """Send what is no request; return how each was answered, nothing where it was cut off."""
        chance, answers = random.Random(seed), []
        for number in range(count):
            data = GARBAGE[number] if number < len(GARBAGE) else chance.randbytes(3000)
            with socket.create_connection(self._where, timeout=30) as sock, suppress(OSError):
                sock.sendall(data + b"\r\n\r\n")
                sock.shutdown(socket.SHUT_WR)
                answers.append(sock.recv(200).split(b"\r\n")[0])
        return answers

    def ask(self, path: str = "/health") -> tuple[int, float]:
        """Ask as a usual phone does; return the status and how long it took."""
        began = time.monotonic()
        with socket.create_connection(self._where, timeout=30) as sock:
            sock.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            data = b""
            while chunk := sock.recv(65536):
                data += chunk
        return int(data.split()[1]), time.monotonic() - began


@dataclass
class FullHouse:
    """What a full house came to."""

    phones: int
    verdicts: int = 0
    due: int = 0
    """Verdicts times phones: what had to be heard."""
    unheard: int = 0
    turned_away: int = 0
    unanswered: int = 0
    slowest_ms: int = 0


def full_house(home: Path, seconds: float, phones: int = 200) -> FullHouse:
    """Fill the house of a running game for so long; count what everybody heard."""
    told = FullHouse(phones)
    life = Companion(home, "--speed", "4")
    assert life.ready()
    own = Phone(life.url, Announced())
    with House(life.url) as house:
        house.never_read(6)
        house.half_open(60)
        lines = house.listen(phones)
        first = max(own.announced.moves, default=0) + 1
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            house.send_garbage(3)
            house.hear(0.2)
            status, took_s = house.ask()
            told.unanswered += status != 200
            told.slowest_ms = max(told.slowest_ms, round(1000 * took_s))
        last = max(own.announced.moves, default=0)
        late = house.listen(20)
        house.hear(2.0)
        told.turned_away = sum(line.status == 503 for line in late)
        # The newest verdict may be on its way to the last phones when the time is over.
        due = set(range(first + 1, last))
        told.verdicts, told.due = len(due), len(due) * len(lines)
        told.unheard = sum(len(due - line.verdicts) for line in lines)
    life.kill()
    own.end()
    return told
