"""A crowd of every kind at a running game: what it costs the looks, the verdicts and the memory.

The product is held on one core and the crowd on another, and both times, idle and loaded, are
taken in turn in one run: only their ratio means something. ``python -m tests.faults.crowd`` is the
small form; ``--verdicts 1000`` the full one, for a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import http.client
import io
import itertools
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from PIL import Image

from companion_app.live.log_line import written
from companion_app.live.store import Store
from tests.faults.companion import PATIENCE_S, Companion, as_the_service
from tests.faults.load import House
from tests.faults.scripted import Player, written_game

GUESTS, LISTENERS, KEPT_GAMES, UPLOADS = 20, 230, 1000, 30
FEWEST_VERDICTS, WINDOW_S = 3, 8.0
LOOKS_WANTED, DELAY_WANTED_MS, MOST_MB, MOST_PLAIN_MB = 0.9, 50.0, 700.0, 500.0
FORM = "multipart/form-data; boundary=x"


# --- the crowd ---


class Guest:
    """A phone with an address of its own, as far as loopback has addresses."""

    def __init__(self, url: str, number: int) -> None:
        parts = urlsplit(url)
        self._where = (str(parts.hostname), int(parts.port or 80))
        self._address = f"127.0.1.{1 + number}"
        self._headers: dict[str, str] = {}
        _, said, headers = self.ask("GET", "/api/me")
        self._headers = {
            "Cookie": headers["Set-Cookie"].split(";")[0],
            "X-Snake-Eye": json.loads(said)["token"],
        }

    def ask(
        self, method: str, path: str, body: bytes | None = None, kind: str = "application/json"
    ) -> tuple[int, bytes, Mapping[str, str]]:  # fmt: skip
        """Ask for something; return its status, its bytes and its headers."""
        line = http.client.HTTPConnection(
            *self._where, timeout=PATIENCE_S, source_address=(self._address, 0)
        )
        try:
            line.request(method, path, body, {**self._headers, "Content-Type": kind})
            answer = line.getresponse()
            return answer.status, answer.read(), dict(answer.headers)
        finally:
            line.close()

    def be_host(self, pin: str) -> None:
        """Show the PIN."""
        status, _, headers = self.ask("POST", "/api/login", json.dumps({"pin": pin}).encode())
        assert status == 200, status
        self._headers["Cookie"] = headers["Set-Cookie"].split(";")[0]


@dataclass
class Crowd:
    """Guests that do one thing over and over, each in a thread, until told to stop."""

    url: str
    pin: str
    answers: dict[int, int] = field(default_factory=dict)
    """How often each status was answered."""
    _stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def at(self, name: str) -> Iterator[None]:
        """Let the crowd do something while the block runs."""
        self._stop.clear()
        work = list(DOES[name](self))
        threads = [threading.Thread(target=self._again, args=(one,), daemon=True) for one in work]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stop.set()
            for thread in threads:
                thread.join(PATIENCE_S)

    def _again(self, one: Callable[[], int]) -> None:
        while not self._stop.is_set():
            status = 0
            with suppress(OSError, http.client.HTTPException):
                status = one()
            self.answers[status] = self.answers.get(status, 0) + 1
            self._stop.wait(0.05)

    def listen(self) -> Iterator[Callable[[], int]]:
        """Let phones listen, and read all that they hear."""
        house = House(self.url)
        house.listen(LISTENERS)

        def hear() -> int:
            house.hear(0.5)
            if self._stop.is_set():
                house.__exit__()
            return 200

        yield hear

    def browse(self) -> Iterator[Callable[[], int]]:
        """Let guests look through the kept games."""
        for guest in self._guests():
            paths = itertools.cycle(
                ["/api/history", "/api/games/kept-7", "/api/games/kept-9/record.json",
                 "/api/games/kept-11/table.svg", "/api/statistics"]
            )  # fmt: skip
            yield lambda g=guest, p=paths: g.ask("GET", next(p))[0]  # type: ignore[misc]

    def send_photos(self) -> Iterator[Callable[[], int]]:
        """Let guests send photos to be scored."""
        body = form({"game": b"sssnake"}, photo(3000, 2000))
        for guest in self._guests():
            yield lambda g=guest: g.ask("POST", "/api/photo-score", body, FORM)[0]  # type: ignore[misc]

    def print_boxes(self) -> Iterator[Callable[[], int]]:
        """Let guests print boxes."""
        for guest in self._guests():
            yield lambda g=guest: g.ask("GET", "/api/print/sssnake.zip")[0]  # type: ignore[misc]

    def never_read(self) -> Iterator[Callable[[], int]]:
        """Let phones listen that take nothing."""
        yield from self._lines(lambda house: house.never_read(LISTENERS // 4))

    def stay_silent(self) -> Iterator[Callable[[], int]]:
        """Let lines be open on which nothing is said."""
        yield from self._lines(lambda house: house.half_open(LISTENERS))

    def teach(self) -> Iterator[Callable[[], int]]:
        """Let the host send photos of a box."""
        host = Guest(self.url, GUESTS + 1)
        host.be_host(self.pin)
        body = form({"shape": b"square"}, photo(2000, 1500))
        for _ in range(UPLOADS):
            yield lambda: host.ask("POST", "/api/teaching/photo", body, FORM)[0]

    def _guests(self) -> list[Guest]:
        return [Guest(self.url, number) for number in range(GUESTS)]

    def _lines(self, open_lines: Callable[[House], None]) -> Iterator[Callable[[], int]]:
        house = House(self.url)
        open_lines(house)

        def hold() -> int:
            self._stop.wait(PATIENCE_S)
            house.__exit__()
            return 200

        yield hold


DOES: dict[str, Callable[[Crowd], Iterator[Callable[[], int]]]] = {
    "listeners": Crowd.listen, "browsing": Crowd.browse, "photos": Crowd.send_photos,
    "printing": Crowd.print_boxes, "slow readers": Crowd.never_read,
    "silent lines": Crowd.stay_silent, "teaching": Crowd.teach,
}  # fmt: skip


def photo(width: int, height: int) -> bytes:
    """Return a photograph as heavy as a phone's."""
    rough = np.random.default_rng(1).integers(0, 256, (height // 8, width // 8, 3), np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(rough).resize((width, height)).save(buffer, "JPEG", quality=88)
    return buffer.getvalue()


def form(fields: Mapping[str, bytes], jpeg: bytes) -> bytes:
    """Return a form with a photo."""
    parts = [f'Content-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + value
             for name, value in fields.items()]  # fmt: skip
    head = b'Content-Disposition: form-data; name="photo"; filename="a.jpg"\r\n'
    parts.append(head + b"Content-Type: image/jpeg\r\n\r\n" + jpeg)
    return b"".join(b"--x\r\n" + part + b"\r\n" for part in parts) + b"--x--\r\n"


def keep_games(home: Path, count: int) -> None:
    """Fill a home with so many kept games, each a copy of one that was played."""
    with Store(home) as store:
        Player(store, written_game("recorded"), lambda _: None, key="first").play(12)
        store.append("first", "ended", {"why": "told"})
        lines = store.lines("first")
        seq = lines[-1].seq
        with store._transaction() as db:
            for number in range(count):
                for line in lines:
                    seq += 1
                    key = f"kept-{number}"
                    copy = replace(line, seq=seq, game=key)
                    db.execute("INSERT INTO log VALUES (?, ?, ?, ?)",
                               (seq, key, line.kind, written(copy)))  # fmt: skip


# --- what is measured ---


@dataclass
class Window:
    """What was seen in the times of one kind."""

    looks: int = 0
    seconds: float = 0.0
    delays_ms: list[float] = field(default_factory=list)
    most_mb: float = 0.0

    @property
    def looks_a_second(self) -> float:
        """How often the table was looked at."""
        return self.looks / self.seconds if self.seconds else 0.0

    def p99_ms(self) -> float:
        """Return the delay that one verdict of a hundred is above."""
        ordered = sorted(self.delays_ms) or [0.0]
        return ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]


class Ear:
    """Listens to the verdicts, and notes how long each was on its way."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.window = Window()
        self._line = http.client.HTTPConnection(str(parts.hostname), parts.port)
        self._line.request("GET", "/api/events")
        self._answer = self._line.getresponse()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError, ValueError, http.client.HTTPException, AttributeError):
            for line in self._answer:
                if line.startswith(b"data: ") and b'"verdict"' in line:
                    delay_s = time.time() - json.loads(line[6:])["sent_s"]
                    self.window.delays_ms.append(1000 * delay_s)


def pss_mb(pids: list[int]) -> float:
    """Return the memory of processes together, what they share counted once."""
    total = 0
    for pid in pids:
        with suppress(OSError, StopIteration):
            rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
            total += int(next(row for row in rows if row.startswith("Pss:")).split()[1])
    return total / 1024


def watch(life: Companion, ear: Ear, window: Window, fewest: int, seconds: float) -> None:
    """Fill a window for so long at least, and until it has so many verdicts."""
    ear.window, heard = window, len(window.delays_ms)
    looks, began_s = life.get("health")["looks"], time.monotonic()
    longest_s = seconds + 20.0 * fewest
    while (took_s := time.monotonic() - began_s) < longest_s:
        if took_s >= seconds and len(window.delays_ms) - heard >= fewest:
            break
        window.most_mb = max(window.most_mb, pss_mb(life.family()))
        time.sleep(0.5)
    window.looks += life.get("health")["looks"] - looks
    window.seconds += time.monotonic() - began_s
    ear.window = Window()


@dataclass(frozen=True, slots=True)
class Measured:
    """One crowd: idle and loaded times, and how its guests were answered."""

    name: str
    idle: Window
    loaded: Window
    answers: dict[int, int]

    @property
    def ratio(self) -> float:
        """Looks a second under load, in those of an idle page."""
        return self.loaded.looks_a_second / (self.idle.looks_a_second or 1.0)

    @property
    def later_ms(self) -> float:
        """How much later the latest verdicts come under load."""
        return self.loaded.p99_ms() - self.idle.p99_ms()

    @property
    def holds(self) -> bool:
        """Whether it is within what is wanted."""
        return (self.ratio >= LOOKS_WANTED and self.later_ms <= DELAY_WANTED_MS
                and self.loaded.most_mb <= MOST_MB and self.idle.most_mb <= MOST_MB
                and 500 not in self.answers)  # fmt: skip

    def row(self) -> str:
        """Return it as a row of a table."""
        said = ", ".join(f"{status}: {many}" for status, many in sorted(self.answers.items()))
        return (f"| {self.name} | {self.ratio:.2f} | {self.idle.p99_ms():.0f} | "
                f"{self.loaded.p99_ms():.0f} | {len(self.loaded.delays_ms)} | "
                f"{self.idle.most_mb:.0f} | {self.loaded.most_mb:.0f} | {said} |")  # fmt: skip


HEAD = ("| crowd | looks a second, in idle ones | p99 idle, ms | p99 loaded, ms | verdicts | "
        "PSS idle, MB | PSS loaded, MB | answers |\n|---|---|---|---|---|---|---|---|")  # fmt: skip


@contextmanager
def table(home: Path, core: int | None) -> Iterator[Companion]:
    """Run the demo table, on one core where there is one to spare."""
    life = Companion(home, "--game", "schlangennest", "--players", "blue,red", source="demo",
                     environment=as_the_service())  # fmt: skip
    if core is not None:
        os.sched_setaffinity(life.process.pid, {core})
    try:
        assert life.ready()
        yield life
    finally:
        life.kill()


def measure(names: list[str], verdicts: int, window_s: float, games: int) -> Iterator[Measured]:
    """Yield what each crowd costs; idle and loaded in turn, twice each way."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, {cores[1]})
    each = max(1, -(-verdicts // 2))
    with tempfile.TemporaryDirectory() as folder:
        keep_games(Path(folder) / "home", games)
        with table(Path(folder) / "home", cores[0] if len(cores) > 1 else None) as life:
            ear = Ear(life.url)
            watch(life, ear, Window(), 1, window_s)  # models are loaded, drawings made
            for name in names:
                idle, loaded, crowd = Window(), Window(), Crowd(life.url, life.pin)
                for _ in range(2):
                    watch(life, ear, idle, each, window_s)
                    with crowd.at(name):
                        watch(life, ear, loaded, each, window_s)
                yield Measured(name, idle, loaded, crowd.answers)


def main(arguments: list[str]) -> int:
    """Measure some crowds, or all; return 1 where one costs more than is wanted."""
    parser = argparse.ArgumentParser(prog="tests.faults.crowd", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *DOES])
    parser.add_argument("--verdicts", type=int, default=FEWEST_VERDICTS, help="of each window")
    parser.add_argument("--window", type=float, default=WINDOW_S, help="seconds at least")
    parser.add_argument("--games", type=int, default=KEPT_GAMES, help="kept games to browse")
    told = parser.parse_args(arguments)
    sys.stdout.write(HEAD + "\n")
    holds = True
    for one in measure(told.names or list(DOES), told.verdicts, told.window, told.games):
        holds = holds and one.holds
        sys.stdout.write(one.row() + "\n")
        sys.stdout.flush()
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
