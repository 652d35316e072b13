"""A hall with many tables: what a line costs, how long it takes, what phones add. No asserts.

Needs PostgreSQL and the extra ``hall``; says so where they are missing.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tests.bench.first_draw import drawn_ms
from tests.browser.chromium import Browser, program, wait_until
from tests.faults.hall import (
    LONGEST_START_S,
    SECONDS_A_MOVE,
    Evening,
    Probe,
    Tally,
    at,
    running,
    why_not,
)

Row = tuple[str, float, str, str]
HALLS = 3
FEW, MANY = 10, int(os.environ.get("HALL_TABLES", "500"))
PHONES, OF_ALL = int(os.environ.get("HALL_PHONES", "2000")), 100
"""Listening phones; so many of them follow the overview, the others one table."""
SECONDS = float(os.environ.get("HALL_SECONDS", "30"))
WARM_S = 10.0
VISITS = 9
RESTED_S = 4.0
ON_A_SCREEN = 8
"""Drawings that a phone shows at most before anybody scrolls."""
ALL_DRAWN = (
    f"document.querySelectorAll('.hall-table').length >= {MANY} && "
    "[...document.querySelectorAll('.hall-table img')]"
    f".slice(0, {ON_A_SCREEN}).every((one) => one.naturalWidth)"
)
"""Every table is on the page, and those on a phone's screen with their drawings."""


@dataclass
class Measured:
    """One run."""

    cpu_ms: float
    """Of the hall processes, for each line that was stored."""
    lines: int
    memory_mb: float
    tally: Tally
    opened_ms: list[float] = field(default_factory=list)
    """How long the hall page takes on a phone that was never there."""


class Phones:
    """Many phones in one thread: they read what comes and count it."""

    def __init__(self, evening: Evening, count: int, of_all: int) -> None:
        self._select = selectors.DefaultSelector()
        self._stop = threading.Event()
        self.overview_updates: Counter[int] = Counter()
        """By phone."""
        self.followed_updates = 0
        self.begun_s = time.monotonic()
        self.most_a_second = 0.0
        """Updates of the overview, of the phone that got most."""
        for number in range(count):
            port = evening._ports[number % len(evening.halls)]
            line = socket.create_connection(("127.0.0.1", port), 20)
            path = (
                "/api/hall/events"
                if number < of_all
                else (f"/api/hall/tables/{evening.ids[0]}/events")
            )
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            line.setblocking(False)
            self._select.register(line, selectors.EVENT_READ, number if number < of_all else -1)
        self.count = count
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def count_anew(self) -> None:
        """Begin to count."""
        self.overview_updates.clear()
        self.begun_s = time.monotonic()

    def close(self) -> None:
        """Hang up."""
        # n updates have n - 1 pauses between them.
        most = max(self.overview_updates.values(), default=1) - 1
        self.most_a_second = most / (time.monotonic() - self.begun_s)
        self._stop.set()
        self._thread.join(5)
        for key in list(self._select.get_map().values()):
            sock = key.fileobj
            assert isinstance(sock, socket.socket)
            sock.close()
        self._select.close()

    def _read(self) -> None:
        while not self._stop.is_set():
            for key, _ in self._select.select(0.2):
                sock = key.fileobj
                assert isinstance(sock, socket.socket)
                data = sock.recv(1 << 16)
                if not data:
                    self._select.unregister(sock)
                    self.count -= 1
                elif key.data >= 0:
                    self.overview_updates[key.data] += data.count(b"event: tables")
                else:
                    self.followed_updates += data.count(b"event: table\n")


def measured(tables: int, halls: int, phones: int = 0) -> tuple[Measured, Phones | None]:
    """Return what a hall with so many tables costs while nothing is broken."""
    with running(tables, halls, SECONDS_A_MOVE) as evening:
        evening.play()
        probe = Probe(evening)
        probe.start()
        heard = Phones(evening, phones, OF_ALL) if phones else None
        # On a busy machine tables take minutes to start; until then nothing says how a hall is.
        wait_until(evening.all_play, LONGEST_START_S, "all tables to play")
        time.sleep(WARM_S)
        before_s, before = evening.processor_s(), evening.lines()
        probe.seen.clear()
        if heard is not None:
            heard.count_anew()
        time.sleep(SECONDS)
        after_s, after = evening.processor_s(), evening.lines()
        memory = evening.memory_mb()
        if heard is not None:
            heard.close()
        probe.close()
        opened_ms = _opened_ms(evening) if tables >= MANY and heard is None else []
        tally = Tally()
        probe.broken.clear()
        probe.sort(tally)
    lines = after - before
    cpu_ms = (after_s - before_s) * 1000 / max(1, lines)
    return Measured(cpu_ms, lines, memory, tally, opened_ms), heard


def _opened_ms(evening: Evening) -> list[float]:
    """Return how long the hall page takes to open on new phones.

    The tables rest meanwhile: in a hall neither they nor the phone use the hall's processors.
    """
    if program() is None:
        return []
    for process in evening.playing:
        process.send_signal(signal.SIGSTOP)
    time.sleep(RESTED_S)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(Path(folder))
        try:
            url = f"http://127.0.0.1:{evening._ports[0]}/"
            took = [drawn_ms(browser, url, ALL_DRAWN) for _ in range(VISITS + 1)]
        finally:
            browser.close()
            for process in evening.playing:
                process.send_signal(signal.SIGCONT)
    return took[1:]  # the first visit wakes the browser


def rows() -> Iterator[Row]:
    """Yield the figures."""
    if why := why_not():
        yield ("the hall", float("nan"), "", f"not measured: {why}")
        return
    few, _ = measured(FEW, HALLS)
    many, _ = measured(MANY, HALLS)
    yield (
        f"processor time for a line of {MANY} tables, over that of {FEW}",
        many.cpu_ms / few.cpu_ms,
        "times",
        f"{many.cpu_ms:.2f} ms over {few.cpu_ms:.2f} ms; {many.lines:,} and {few.lines:,} lines",
    )
    yield ("memory of a hall process", many.memory_mb, "MB", f"{MANY} tables")
    yield (
        "from the table's disk to the hall page, p99",
        at(many.tally.calm_s, 0.99),
        "s",
        f"{len(many.tally.calm_s)} lines seen at {HALLS} processes, "
        f"p50 {at(many.tally.calm_s, 0.5):.2f} s; machine's load {os.getloadavg()[0]:.0f} on "
        f"{os.cpu_count()} processors",
    )
    if many.opened_ms:
        yield (
            f"the hall page with {MANY} tables on a phone, all drawn, median",
            median(many.opened_ms) / 1000,
            "s",
            f"{VISITS} visits, longest {max(many.opened_ms) / 1000:.2f} s, tables at rest",
        )
    full, phones = measured(MANY, HALLS, PHONES)
    assert phones is not None
    yield (
        f"the same with {PHONES:,} phones over the processes, p99",
        at(full.tally.calm_s, 0.99),
        "s",
        f"{phones.count:,} phones still listened; updates of one table heard: "
        f"{phones.followed_updates:,}; memory {full.memory_mb:.0f} MB",
    )
    yield (
        "updates a second of the overview, at most",
        phones.most_a_second,
        "a second",
        f"{len(phones.overview_updates)} phones",
    )
