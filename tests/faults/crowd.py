"""A crowd of every kind at a running game: what it costs the looks, the verdicts and the memory.

The product is held on one core and the crowd on another, and both times, idle and loaded, are
taken in turn in one run, of the same game: only their ratio means something. ``make soak
PARTS=crowd`` plays all rounds; ``python -m tests.faults.crowd [NAMES]`` one, or a part of one, and
a crowd that is named several times as often.
"""

from __future__ import annotations

import http.client
import io
import itertools
import json
import multiprocessing
import os
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event, Lock
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from PIL import Image

from companion_app.live.store import Store
from tests.faults.companion import PATIENCE_S, Companion, as_the_service
from tests.faults.load import House
from tests.faults.scripted import Player, written_game
from tests.kit.phones import Guest

GUESTS, LISTENERS, KEPT_GAMES, UPLOADS, ALONE = 20, 230, 1000, 30, 4
HOST, TEACHER = GUESTS + 1, GUESTS + 2
"""The numbers of the host's two phones: what one sends may be too much, and then it has to wait."""
IDLE = "idle"
GAME: dict[str, Any] = {
    "game": "schlangennest",
    "players": ["blue", "red"],
    "options": {"size": [4, 4]},
}
LONGEST_S = 400.0
LOOKS_WANTED, DELAY_WANTED_MS, MOST_MB, MOST_PLAIN_MB = 0.9, 50.0, 700.0, 500.0
WAKE_S, STALL_S, AROUND_S = 0.005, 0.01, 0.1
"""Seconds between two moments at which each processor is watched, how late that may be, and how
long from a verdict on none may stand still for the verdict to count."""
MOST_DISTURBED, MOST_AGAIN = 1 / 3, 4
"""A game of which the host disturbed a larger share of the verdicts does not count. It is played
again at the end of the round, each kind of game so often at most."""
FORM = "multipart/form-data; boundary=x"


# --- the crowd ---


def guest_of(url: str, number: int) -> Guest:
    """Return a phone with an address of its own, as far as loopback has addresses."""
    return Guest(url, f"127.0.1.{1 + number}")


class AloneGame:
    """A phone's games against the machine, one after the other."""

    def __init__(self, guest: Guest) -> None:
        self._guest = guest
        self._name = ""
        self._legal: list[Any] = []

    def play(self) -> int:
        """Make a move, or begin anew where there is none to make."""
        path, body = f"/api/alone/{self._name}", {"move": self._legal[0]} if self._legal else {}
        if not self._legal:
            if self._name:
                self._guest.ask("POST", path, b'{"leave": true}')
            path, body = "/api/alone", {**GAME, "level": 5}
        status, said, _ = self._guest.ask("POST", path, json.dumps(body).encode())
        if status == 200:
            game = json.loads(said)
            self._name = game["alone"]["id"]
            self._legal = [one["move"] for one in game["legal"]]
        return status


@dataclass
class Crowd:
    """Guests that do one thing over and over, each in a thread, until told to stop."""

    url: str
    pin: str
    _stop: Event
    answers: dict[str, int] = field(default_factory=dict)
    """How often each status was answered."""

    def do(self, name: str, there: Callable[[], None]) -> None:
        """Do something until told to stop; say when all have begun."""
        work = list(DOES[name](self))
        threads = [threading.Thread(target=self._again, args=(one,), daemon=True) for one in work]
        for thread in threads:
            thread.start()
        there()
        for thread in threads:
            thread.join()

    def _again(self, one: Callable[[], int]) -> None:
        while not self._stop.is_set():
            status = 0
            with suppress(OSError, http.client.HTTPException):
                status = one()
            self.answers[str(status)] = self.answers.get(str(status), 0) + 1
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
                [
                    "/api/history",
                    "/api/games/kept-7",
                    "/api/games/kept-9/record.json",
                    "/api/games/kept-11/table.svg",
                    "/api/statistics",
                ]
            )
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
        host = guest_of(self.url, TEACHER)
        host.be_host(self.pin)
        body = form({"shape": b"square"}, photo(2000, 1500))
        for _ in range(UPLOADS):
            yield lambda: host.ask("POST", "/api/teaching/photo", body, FORM)[0]

    def play_alone(self) -> Iterator[Callable[[], int]]:
        """Let phones play against the machine, so that it never stops thinking."""
        for guest in self._guests()[:ALONE]:
            yield AloneGame(guest).play

    def _guests(self) -> list[Guest]:
        return [guest_of(self.url, number) for number in range(GUESTS)]

    def _lines(self, open_lines: Callable[[House], None]) -> Iterator[Callable[[], int]]:
        house = House(self.url)
        open_lines(house)

        def hold() -> int:
            self._stop.wait(PATIENCE_S)
            house.__exit__()
            return 200

        yield hold


DOES: dict[str, Callable[[Crowd], Iterator[Callable[[], int]]]] = {
    "listeners": Crowd.listen,
    "browsing": Crowd.browse,
    "photos": Crowd.send_photos,
    "printing": Crowd.print_boxes,
    "slow readers": Crowd.never_read,
    "silent lines": Crowd.stay_silent,
    "teaching": Crowd.teach,
    "machine thinking": Crowd.play_alone,
}


@contextmanager
def guests(name: str, url: str, pin: str) -> Iterator[dict[str, int]]:
    """Let a crowd do something while the block runs; yield how it was answered, filled at the end.

    It is a process of its own: what its guests do must not delay the ear that times the verdicts.
    """
    answers: dict[str, int] = {}
    if name == IDLE:
        yield answers
        return
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    stop = spawn.Event()
    crowd = spawn.Process(target=_be_guests, args=(name, url, pin, stop, theirs), daemon=True)
    crowd.start()
    assert ours.poll(PATIENCE_S) and ours.recv() is None
    try:
        yield answers
    finally:
        stop.set()
        if ours.poll(PATIENCE_S):
            answers.update(ours.recv())
        crowd.join(PATIENCE_S)
        crowd.kill()


def _be_guests(name: str, url: str, pin: str, stop: Event, line: Connection) -> None:
    crowd = Crowd(url, pin, stop)
    crowd.do(name, lambda: line.send(None))
    line.send(crowd.answers)


def photo(width: int, height: int) -> bytes:
    """Return a photograph as heavy as a phone's."""
    rough = np.random.default_rng(1).integers(0, 256, (height // 8, width // 8, 3), np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(rough).resize((width, height)).save(buffer, "JPEG", quality=88)
    return buffer.getvalue()


def form(fields: Mapping[str, bytes], jpeg: bytes) -> bytes:
    """Return a form with a photo."""
    parts = [
        f'Content-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + value
        for name, value in fields.items()
    ]
    head = b'Content-Disposition: form-data; name="photo"; filename="a.jpg"\r\n'
    parts.append(head + b"Content-Type: image/jpeg\r\n\r\n" + jpeg)
    return b"".join(b"--x\r\n" + part + b"\r\n" for part in parts) + b"--x--\r\n"


def keep_games(home: Path, count: int) -> None:
    """Fill a home with so many kept games, each a copy of one that was played."""
    with Store(home) as store:
        Player(store, written_game("recorded"), lambda _: None, key="first").play(12)
        store.append("first", "ended", {"why": "told"})
        lines = store.lines("first")
        for number in range(count):
            key = f"kept-{number}"
            store.write(
                (store.coming(key, line.kind, line.body, ahead), {})
                for ahead, line in enumerate(lines)
            )


# --- what is measured ---


@dataclass
class Window:
    """What was seen in the games of one kind, of which all are the same game."""

    looks: int = 0
    seconds: float = 0.0
    delays_ms: list[float] = field(default_factory=list)
    most_mb: float = 0.0
    unfinished: int = 0
    answers: dict[str, int] = field(default_factory=dict)
    """How often each status was answered to the crowd."""
    disturbed: int = 0
    """Verdicts that do not count, since a processor stood still while they were on their way."""
    again: int = 0
    """Games that do not count, since the host disturbed them too much."""

    def __add__(self, other: Window) -> Window:
        """Return both as one."""
        return Window(
            self.looks + other.looks,
            self.seconds + other.seconds,
            self.delays_ms + other.delays_ms,
            max(self.most_mb, other.most_mb),
            self.unfinished + other.unfinished,
            dict(Counter(self.answers) + Counter(other.answers)),
            self.disturbed + other.disturbed,
            self.again + other.again,
        )

    @property
    def is_disturbed(self) -> bool:
        """Whether the host disturbed so many verdicts that the others are in doubt too."""
        return self.disturbed > MOST_DISTURBED * (self.disturbed + len(self.delays_ms))

    def set_aside(self) -> Window:
        """Return what counts of a game whatever the host did: its memory, answers and end."""
        return Window(
            most_mb=self.most_mb,
            unfinished=self.unfinished,
            answers=self.answers,
            again=self.again + 1,
        )

    @property
    def looks_a_second(self) -> float:
        """How often the table was looked at."""
        return self.looks / self.seconds if self.seconds else 0.0

    def p99_ms(self) -> float:
        """Return the delay that one verdict of a hundred is above."""
        ordered = sorted(self.delays_ms) or [0.0]
        return ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]


class Stalls:
    """Notes when the host of a virtual machine let a processor stand still.

    A process on each core wakes up all the time, before everything else there; where it wakes up
    late, nothing ran. Who may not come before everything else notes nothing: the product's own
    work would pass for the host's.
    """

    def __init__(self, cores: Iterable[int]) -> None:
        spawn = multiprocessing.get_context("spawn")
        # Both ends are kept: one that nobody writes to any more is empty, not broken.
        self._line, self._theirs = spawn.Pipe(duplex=False)
        self._lock = spawn.Lock()
        self._noted: list[tuple[float, float]] = []
        self._watches = [
            spawn.Process(target=_watch, args=(core, self._theirs, self._lock), daemon=True)
            for core in cores
        ]
        for watch in self._watches:
            watch.start()

    def close(self) -> None:
        """Note no more."""
        for watch in self._watches:
            watch.kill()

    def none(self, from_s: float, to_s: float) -> bool:
        """Say whether all ran between two moments, by the clock of ``time.time``."""
        while self._line.poll():
            self._noted.append(self._line.recv())
        return not any(began_s < to_s and ended_s > from_s for began_s, ended_s in self._noted)


def _watch(core: int, line: Connection, lock: Lock) -> None:
    """Send when this core stood still, for as long as anybody listens."""
    os.sched_setaffinity(0, {core})
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        return
    parent = os.getppid()
    while os.getppid() == parent:
        began_s = time.time()
        time.sleep(WAKE_S)
        ended_s = time.time()
        if ended_s - began_s - WAKE_S > STALL_S:
            with lock:
                line.send((began_s, ended_s))


class Ear:
    """Listens to the verdicts, and notes how long each was on its way."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.heard: list[tuple[float, float]] = []
        """When each verdict was sent, and when it came."""
        self.over = threading.Event()
        self._line = http.client.HTTPConnection(str(parts.hostname), parts.port)
        self._line.request("GET", "/api/events")
        self._answer = self._line.getresponse()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError, ValueError, http.client.HTTPException, AttributeError):
            for line in self._answer:
                if not line.startswith(b"data: "):
                    continue
                event = json.loads(line[6:])
                if event["event"] == "verdict":
                    self.heard.append((event["sent_s"], time.time()))
                elif event["event"] == "over":
                    self.over.set()


def play(life: Companion, host: Guest, ear: Ear, stalls: Stalls) -> Window:
    """Let the game be played from its first move to its end; return what was seen."""
    window, ear.heard = Window(), []
    ear.over.clear()
    status, said, _ = host.ask("POST", "/api/new", json.dumps(GAME).encode())
    assert status == 200, said
    # The demo plays a game that somebody has begun only when it is asked to.
    status, said, _ = host.ask("POST", "/api/camera", b'{"source": "demo"}')
    assert status == 200, said
    began_s = time.monotonic()
    while not ear.over.wait(0.5) and time.monotonic() - began_s < LONGEST_S:
        window.most_mb = max(window.most_mb, life.memory_mb())
    window.unfinished = 0 if ear.over.is_set() else 1
    window.looks = life.get("health")["looks"]  # counted anew in every game
    window.seconds = time.monotonic() - began_s
    for sent_s, came_s in ear.heard:
        if stalls.none(sent_s, max(came_s, sent_s + AROUND_S)):
            window.delays_ms.append(1000 * (came_s - sent_s))
        else:
            window.disturbed += 1
    return window


@contextmanager
def table(home: Path, core: int | None) -> Iterator[Companion]:
    """Run the demo table, on one core where there is one to spare."""
    life = Companion(
        home,
        "--game",
        GAME["game"],
        "--players",
        ",".join(GAME["players"]),
        source="demo",
        environment=as_the_service(),
    )
    if core is not None:
        os.sched_setaffinity(life.process.pid, {core})
    try:
        assert life.ready()
        yield life
    finally:
        life.kill()


def a_round(names: Sequence[str] = (), games: int = KEPT_GAMES) -> dict[str, Window]:
    """Play the game once with each crowd that is named, and idle before every second one."""
    cores = sorted(os.sched_getaffinity(0))
    apart = len(cores) > 1
    seen = {IDLE: Window()}
    with tempfile.TemporaryDirectory() as folder:
        keep_games(Path(folder) / "home", games)
        try:
            if apart:
                os.sched_setaffinity(0, {cores[1]})
            core = cores[0] if apart else None
            with table(Path(folder) / "home", core) as life, closing(Stalls(cores)) as stalls:
                host, ear = guest_of(life.url, HOST), Ear(life.url)
                host.be_host(life.pin)
                play(life, host, ear, stalls)  # models are loaded, drawings made
                due = deque(_with_idle(names or list(DOES)))
                while due:
                    name = due.popleft()
                    with guests(name, life.url, life.pin) as answers:
                        window = play(life, host, ear, stalls)
                    window.answers = answers
                    before = seen.get(name, Window())
                    if window.is_disturbed:
                        window = window.set_aside()
                        if before.again < MOST_AGAIN:
                            due.append(name)
                    seen[name] = before + window
        finally:
            os.sched_setaffinity(0, cores)
    return seen


def _with_idle(names: Sequence[str]) -> Iterator[str]:
    for number, name in enumerate(names):
        if number % 2 == 0:
            yield IDLE
        yield name


# --- what is said of it ---


def counted(seen: dict[str, Window]) -> dict[str, Any]:
    """Return a round as ``make soak`` keeps it: a verdict lost is a game without its end."""
    loaded = [window for name, window in seen.items() if name != IDLE]
    heard = sum(len(window.delays_ms) + window.disturbed for window in loaded)
    return {
        "tried": len(loaded),
        "accepted": heard,
        "lost": sum(w.unfinished for w in loaded),
        "windows": {name: asdict(window) for name, window in seen.items()},
    }


def holds(idle: Window, loaded: Window) -> bool:
    """Say whether a crowd costs no more than is wanted."""
    return (
        loaded.looks_a_second >= LOOKS_WANTED * idle.looks_a_second
        and loaded.p99_ms() - idle.p99_ms() <= DELAY_WANTED_MS
        and loaded.most_mb <= MOST_MB
        and idle.most_mb <= MOST_PLAIN_MB
        and not loaded.unfinished
        and not any(status.startswith("50") and status != "503" for status in loaded.answers)
    )


def told(rounds: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the table of what all rounds came to."""
    seen: dict[str, Window] = {}
    for each in rounds:
        for name, window in each["windows"].items():
            seen[name] = seen.get(name, Window()) + Window(**window)
    if IDLE not in seen:
        return []
    idle = seen[IDLE]
    lines = [
        f"Wanted under every crowd: at least {LOOKS_WANTED:g} of the idle looks a second, verdicts "
        f"(p99) at most {DELAY_WANTED_MS:.0f} ms later, memory (PSS) at most {MOST_MB:.0f} MB, "
        f"{MOST_PLAIN_MB:.0f} MB idle. Disturbed: not counted, since the host of this virtual "
        "machine let a processor stand still while the verdict was on its way. Again: games that "
        f"do not count, since more than {MOST_DISTURBED:.0%} of their verdicts were disturbed, and "
        "that were played again later.",
        "",
        "| crowd | verdicts | disturbed | again | looks a second | in idle ones | p99, ms | "
        "most memory, MB | answers | holds |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|---|",
    ]
    for name, one in seen.items():
        said = ", ".join(f"{status}: {many:,}" for status, many in sorted(one.answers.items()))
        lines.append(
            f"| {name} | {len(one.delays_ms)} | {one.disturbed} | {one.again} | "
            f"{one.looks_a_second:.2f} | "
            f"{one.looks_a_second / (idle.looks_a_second or 1.0):.2f} | {one.p99_ms():.0f} | "
            f"{one.most_mb:.0f} | {said} | {'yes' if holds(idle, one) else 'no'} |"
        )
    return lines


if __name__ == "__main__":
    sys.stdout.write("\n".join(told([counted(a_round(sys.argv[1:]))])) + "\n")
