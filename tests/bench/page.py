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
from http.client import HTTPException
from pathlib import Path
from statistics import median
from typing import Any

PHONES = 50
CORES = 2
WINDOW_S, ROUNDS = 20.0, 3
PATIENCE_S = 120
QUIET = ("score", "turn")
"""Events after which the page fetches nothing."""
GAME = "schlangennest"
SPEED = "1"
DELAY_WANTED_MS, RATIO_WANTED, WEIGHT_WANTED_KB = 300.0, 0.9, 300.0
STATIC = Path(__file__).parents[2] / "companion_app" / "static"

Row = tuple[str, float, str, str]
"""What was measured, the figure, its unit, and how it was counted."""


def rows() -> list[Row]:
    """Return what the benchmark's table shows of the page."""
    with _companion() as url:
        _wait_for_a_move(url)
        windows = [_measured(url, phones) for _ in range(ROUNDS) for phones in (0, PHONES)]
    alone = sum(window["looks"] for window in windows[0::2]) / (ROUNDS * WINDOW_S)
    crowded = sum(window["looks"] for window in windows[1::2]) / (ROUNDS * WINDOW_S)
    delays = sorted(delay for window in windows for delay in window["delays_ms"])
    counted = f"{len(delays)} deliveries to {PHONES} phones, {CORES} cores, a demo game"
    weight, files = page_weight()
    return [
        ("page: from a verdict to a phone, median", median(delays),
         f"ms (below {DELAY_WANTED_MS:.0f})", counted),
        ("page: from a verdict to a phone, worst", delays[-1],
         f"ms (below {DELAY_WANTED_MS:.0f})", counted),
        (f"page: looks a second with {PHONES} phones, in those without", crowded / alone,
         f"x (at least {RATIO_WANTED:g})",
         f"{crowded:.2f} against {alone:.2f} a second, {ROUNDS} times {WINDOW_S:g} s in turn"),
        ("page: weight without pictures", weight / 1000, f"KB (below {WEIGHT_WANTED_KB:.0f})",
         f"{files} files as they are sent, packed"),
    ]  # fmt: skip


def page_weight() -> tuple[int, int]:
    """Return the bytes that a phone loads at its first visit, and of how many files."""
    with _companion() as url:
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


def _measured(url: str, phones: int) -> dict[str, Any]:
    """Return the looks of the live loop in one window, and how late verdicts came to the phones."""
    crowd = [Phone(url) for _ in range(phones)]
    time.sleep(1.0)
    before = _looks(url)
    time.sleep(WINDOW_S)
    looks = _looks(url) - before
    for phone in crowd:
        phone.close()
    return {"looks": looks, "delays_ms": [d for phone in crowd for d in phone.delays_ms]}


def _wait_for_a_move(url: str) -> None:
    for _ in range(PATIENCE_S):
        with urllib.request.urlopen(url + "api/state", timeout=60) as answer:
            if json.loads(answer.read()).get("moves"):
                return
        time.sleep(1.0)
    raise TimeoutError(f"no move was seen within {PATIENCE_S} s")


def _looks(url: str) -> int:
    with urllib.request.urlopen(url + "health", timeout=30) as answer:
        return int(json.loads(answer.read())["looks"])


@contextmanager
def _companion() -> Iterator[str]:
    """Run the companion over the demo table, on so many cores, and yield its address."""
    command = [sys.executable, "-m", "companion_app.cli", "run", "--json", "--source", "demo",
               "--game", GAME, "--players", "blue,red", "--host", "127.0.0.1", "--port", "0",
               "--speed", SPEED]  # fmt: skip
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "SNAKE_EYE_HOME": home},
        )  # fmt: skip
        os.sched_setaffinity(process.pid, cores)  # before it has any other thread
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.terminate()
            process.wait(20)
            process.stdout.close()


class Phone:
    """A phone as the page makes it: it listens, and fetches what has changed."""

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("http://").rstrip("/").partition(":")
        self.delays_ms: list[float] = []
        self._url = url
        self._news = threading.Event()
        self._closed = False
        self._drawing = True
        self._socket = socket.create_connection((host, int(port)), timeout=60)
        self._socket.sendall(f"GET /api/events HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        for work in (self._listen, self._fetch):
            threading.Thread(target=work, daemon=True).start()

    def close(self) -> None:
        """Hang up."""
        self._closed = True
        self._news.set()
        self._socket.close()

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
        address = self._url + path
        with suppress(OSError, HTTPException), urllib.request.urlopen(address, timeout=60) as got:
            got.read()


if __name__ == "__main__":
    for what, figure, unit, counted in rows():
        print(f"{what}: {figure:.3g} {unit}\n    {counted}", flush=True)
