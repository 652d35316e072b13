"""The page under load: 50 phones that listen while the demo table plays, and what it weighs."""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from statistics import median
from typing import Any

from tests.faults.companion import family

PHONES = 50
CORES = 2
ROUNDS = 2
STRETCH = (2, 9)
"""From which verdict to which a game is timed: before it, models are loaded and drawings made."""
PATIENCE_S = 120
QUIET = ("score", "turn", "beat")
"""Events after which the page fetches nothing."""
GAME = "schlangennest"
LIVELY, BREATHLESS = "1", "1000"
"""Speeds of the demo table: like people, or the next frame as soon as the last one is read."""
DELAY_WANTED_MS, RATIO_WANTED, WEIGHT_WANTED_KB = 300.0, 0.9, 300.0
STATIC = Path(__file__).parents[2] / "companion_app" / "static"

Row = tuple[str, float, str, str]
"""What was measured, the figure, its unit, and how it was counted."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The same part of the same game, once with phones and once without."""

    looks: int
    wall_s: float
    processor_s: float
    """What the companion itself used, of all cores together."""
    delays_ms: tuple[float, ...]


def rows() -> list[Row]:
    """Return what the benchmark's table shows of the page."""
    lively = _alternately(LIVELY)
    delays = sorted(delay for one in lively[1] for delay in one.delays_ms)
    counted = f"{len(delays)} deliveries to {PHONES} phones, {CORES} cores, {ROUNDS} demo games"
    weight, files = page_weight()
    return [
        (
            "page: from a verdict to a phone, median",
            median(delays),
            f"ms (below {DELAY_WANTED_MS:.0f})",
            counted,
        ),
        (
            "page: from a verdict to a phone, worst",
            delays[-1],
            f"ms (below {DELAY_WANTED_MS:.0f})",
            counted,
        ),
        _looks_row("at the pace of people", lively, wanted=True),
        _looks_row("frame upon frame", _alternately(BREATHLESS), wanted=False),
        (
            "page: weight without pictures",
            weight / 1000,
            f"KB (below {WEIGHT_WANTED_KB:.0f})",
            f"{files} files as they are sent, packed",
        ),
    ]


def _looks_row(pace: str, games: tuple[list[Stretch], list[Stretch]], wanted: bool) -> Row:
    alone, crowded = (sum(g.looks for g in of) / sum(g.wall_s for g in of) for of in games)
    used = [100 * sum(g.processor_s for g in of) / sum(g.wall_s for g in of) for of in games]
    return (
        f"page: looks a second with {PHONES} phones, in those without, {pace}",
        crowded / alone,
        f"x (at least {RATIO_WANTED:g})" if wanted else "x",
        f"{crowded:.2f} against {alone:.2f} a second, processor {used[1]:.0f} % against "
        f"{used[0]:.0f} % of a core; the same moves of one game, {len(games[0])} times in turn",
    )


def _alternately(speed: str) -> tuple[list[Stretch], list[Stretch]]:
    """Return games without and with phones; what the machine does besides meets both alike."""
    played: dict[int, list[Stretch]] = {0: [], PHONES: []}
    for number in range(ROUNDS):
        for phones in (0, PHONES) if number % 2 == 0 else (PHONES, 0):
            played[phones].append(_played(speed, phones))
    return played[0], played[PHONES]


def _played(speed: str, phones: int) -> Stretch:
    """Play the demo game anew, and measure the same stretch of it."""
    with _companion(speed) as (url, pid):
        ear = Phone(url, fetches=False)
        crowd = [Phone(url) for _ in range(phones)]
        began_s, looks, used_s = (ear.verdict(STRETCH[0]), _looks(url), _processor_s(pid))
        ended_s = ear.verdict(STRETCH[1])
        stretch = Stretch(
            _looks(url) - looks,
            ended_s - began_s,
            _processor_s(pid) - used_s,
            tuple(delay for phone in crowd for delay in phone.delays_ms),
        )
        for phone in (ear, *crowd):
            phone.close()
    return stretch


def page_weight() -> tuple[int, int]:
    """Return the bytes that a phone loads at its first visit, and of how many files."""
    with _companion() as (url, _):
        paths = ["", "api/me", "api/strings/en.json", "api/state", "api/table.svg"]
        paths += [f"static/{file.name}" for file in sorted(STATIC.iterdir()) if file.is_file()]
        total = 0
        for path in paths:
            asked = urllib.request.Request(url + path, headers={"Accept-Encoding": "gzip"})
            with urllib.request.urlopen(asked, timeout=30) as answer:
                body = answer.read()
                total += len(body)
                if answer.headers.get("Content-Encoding") == "gzip":
                    gzip.decompress(body)
    return total, len(paths)


def _looks(url: str) -> int:
    with urllib.request.urlopen(url + "health", timeout=60) as answer:
        return int(json.loads(answer.read())["looks"])


def _processor_s(pid: int) -> float:
    """Return the processor time that a process and all that come of it have used."""
    used = 0
    for one in family(pid):
        fields = Path(f"/proc/{one}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


@contextmanager
def _companion(speed: str = LIVELY) -> Iterator[tuple[str, int]]:
    """Run the companion over the demo table, on so many cores; yield its address and number."""
    command = [
        sys.executable,
        "-m",
        "companion_app.cli",
        "run",
        "--json",
        "--source",
        "demo",
        "--game",
        GAME,
        "--players",
        "blue,red",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--speed",
        speed,
    ]
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "SNAKE_EYE_HOME": home},
        )
        os.sched_setaffinity(process.pid, cores)  # before it has any other thread
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"]), process.pid
        finally:
            process.terminate()
            process.wait(20)
            process.stdout.close()


class Phone:
    """A phone as the page makes it: it listens, and fetches what has changed."""

    def __init__(self, url: str, fetches: bool = True) -> None:
        host, _, port = url.removeprefix("http://").rstrip("/").partition(":")
        self.delays_ms: list[float] = []
        self._verdicts_s: list[float] = []
        self._url = url
        self._news = threading.Event()
        self._closed = False
        self._drawing = True
        self._socket = socket.create_connection((host, int(port)), timeout=60)
        self._socket.sendall(f"GET /api/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        for work in (self._listen, self._fetch) if fetches else (self._listen,):
            threading.Thread(target=work, daemon=True).start()

    def close(self) -> None:
        """Hang up."""
        self._closed = True
        self._news.set()
        self._socket.close()

    def verdict(self, number: int) -> float:
        """Wait for so many verdicts; return when the last of them was given.

        Raises:
            TimeoutError: it did not come.
        """
        for _ in range(PATIENCE_S * 50):
            if len(self._verdicts_s) >= number:
                return self._verdicts_s[number - 1]
            time.sleep(0.02)
        raise TimeoutError(f"no {number} verdicts were given within {PATIENCE_S} s")

    def _listen(self) -> None:
        waiting = b""
        try:
            while data := self._socket.recv(65536):
                came = time.time()
                waiting += data
                *lines, waiting = waiting.split(b"\n")
                for line in lines:
                    if line.startswith(b"data: "):
                        self._note(json.loads(line[6:]), came)
        except OSError:
            return

    def _note(self, event: Any, came: float) -> None:
        if event.get("event") == "verdict":
            self.delays_ms.append((came - event["sent_s"]) * 1000)
            self._verdicts_s.append(event["sent_s"])
            self._drawing = True
        if event.get("state") in (None, "settled", "unsure") and event.get("event") not in QUIET:
            self._news.set()

    def _fetch(self) -> None:
        while not self._closed:
            self._news.wait()
            self._news.clear()
            self._load("api/state")
            if self._drawing:
                self._drawing = False
                self._load("api/table.svg")

    def _load(self, path: str) -> None:
        # When the companion is stopped, answers break off.
        asked = urllib.request.Request(self._url + path, headers={"Accept-Encoding": "gzip"})
        with suppress(OSError, HTTPException), urllib.request.urlopen(asked, timeout=60) as got:
            got.read()


if __name__ == "__main__":
    for what, figure, unit, counted in rows():
        print(f"{what}: {figure:.3g} {unit}\n    {counted}", flush=True)
