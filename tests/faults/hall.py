"""A hall with many tables while everything around it is killed: what is lost, how long it takes.

Real PostgreSQL, https, hall processes as people start them. A few processes play all tables, with
the real journal and sender.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import ceil
from pathlib import Path
from typing import Any

from tests.browser.chromium import wait_until
from tests.companion_app.hall import cluster as clusters

ROOT = Path(__file__).parents[2]
TABLES, HALLS = 500, 3
A_PROCESS = 125
"""Tables that one process plays at most."""
SECONDS_A_MOVE = 2.5
"""People take some 25 s a move; here it goes ten times as fast."""
SECONDS = float(os.environ.get("HALL_SECONDS", "1800"))
"""Of one part."""
LONGEST_START_S = 900.0
CALM_S = 12.0
"""So long after the last thing came back all counts as whole again."""
BROKEN_S = (1.0, 4.0)
EVERY_S = (15.0, 30.0)
PROBE_S = 0.5


def why_not() -> str:
    """Say why there can be no hall here; empty where there can."""
    for library in ("sqlalchemy", "alembic", "psycopg", "cryptography"):
        if find_spec(library) is None:
            return "the extra `hall` is not installed"
    return clusters.why_not()


@dataclass
class Tally:
    """What came of it."""

    lines: int = 0
    """That tables had in their logs, each of which must be in the hall."""
    lost: int = 0
    twice: int = 0
    disordered: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    calm_s: list[float] = field(default_factory=list)
    """From a line on the table's disk to the hall page, while nothing is broken."""
    back_s: list[float] = field(default_factory=list)
    """The same for lines that met something broken, from when that was back."""
    memory_mb: float = 0.0

    def notes(self) -> list[str]:
        """Return the tally in words."""
        return [
            f"faults: {self.faults}",
            f"seconds to the hall page, nothing broken: p50 {at(self.calm_s, 0.5):.2f}, "
            f"p99 {at(self.calm_s, 0.99):.2f} of {len(self.calm_s)}",
            f"seconds to the hall page after something came back: p99 {at(self.back_s, 0.99):.2f}, "
            f"longest {max(self.back_s, default=0.0):.2f} of {len(self.back_s)}",
            f"most memory of a hall process: {self.memory_mb:.0f} MB",
        ]


def at(values: list[float], share: float) -> float:
    """Return the value below which a share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Evening:
    """A hall with its tables, all in processes of their own."""

    def __init__(self, tables: int, halls: int, pace_s: float) -> None:
        from companion_app.hall.line.keys import hall_keys
        from companion_app.hall.store.database import address_of, open_engine
        from companion_app.hall.store.hall_store import HallStore

        shm = Path("/dev/shm")
        self.folder = Path(tempfile.mkdtemp(dir=shm if shm.is_dir() else None))
        self.tables, self._pace_s = tables, pace_s
        self._players = max(2, ceil(tables / A_PROCESS))
        self.cluster = clusters.Cluster(("max_connections=200", "shared_buffers=128MB"))
        self.database = self.cluster.new_database("hall")
        self.store = HallStore(open_engine(address_of(self.database, self.folder)))
        self.keys = hall_keys(self.store)
        self._ports = [clusters.free_port() for _ in range(halls)]
        self._doors = [clusters.free_port() for _ in range(halls)]
        self.ids = [self._join(number) for number in range(tables)]
        self.halls = [self._hall(number) for number in range(halls)]
        self.playing: list[subprocess.Popen[bytes]] = []

    def door(self, number: int) -> int:
        """Return where a table sends at first; later it hears of all processes."""
        return self._doors[number % len(self._doors)]

    def _join(self, number: int) -> str:
        from companion_app.hall.table.membership import MembershipFiles
        from tests.companion_app.hall.world import joined

        member = joined(self.store, self.keys, f"Table {number + 1}", self.door(number))
        MembershipFiles(self.folder / f"table{number}").join(member)
        return member.table

    def play(self) -> None:
        """Let all tables play."""
        from tests.faults.hall_tables import LINES, played_games

        (self.folder / LINES).write_text(json.dumps(played_games(1)), encoding="utf-8")
        self.playing = [self._player(number) for number in range(self._players)]

    def all_play(self) -> bool:
        """Say whether the hall has a line of every table."""
        acked = {one.id: one.acked for one in self.store.members()}
        return all(acked[id_] for id_ in self.ids)

    # --- processes -------------------------------------------------------------------------

    def _hall(self, number: int) -> subprocess.Popen[bytes]:
        home = self.folder / f"hall{number}"
        home.mkdir(exist_ok=True)
        with (home / "said").open("ab") as said:
            return subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "companion_app.cli",
                    "hall",
                    "--json",
                    "--host",
                    "127.0.0.1",
                    "--port",
                    str(self._ports[number]),
                    "--database",
                    self.database,
                    "--tables-port",
                    str(self._doors[number]),
                ],
                cwd=ROOT,
                env={**os.environ, "SNAKE_EYE_HOME": str(home)},
                stdout=said,
                stderr=said,
            )

    def _player(self, number: int) -> subprocess.Popen[bytes]:
        share = self.tables // self._players
        with (self.folder / f"player{number}.said").open("ab") as said:
            return subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.faults.hall_tables",
                    str(self.folder),
                    str(number * share),
                    str(share),
                    str(self._pace_s),
                ],
                cwd=ROOT,
                stdout=said,
                stderr=said,
            )

    def page(self, number: int, path: str, timeout_s: float = 10.0) -> bytes:
        """Ask a hall process for something."""
        line = http.client.HTTPConnection("127.0.0.1", self._ports[number], timeout=timeout_s)
        try:
            line.request("GET", path)
            return line.getresponse().read()
        finally:
            line.close()

    def is_whole(self) -> bool:
        """Say whether all hall processes answer, with the database."""
        try:
            return all(json.loads(self.page(n, "/health"))["ok"] for n in range(len(self.halls)))
        except (OSError, ValueError, KeyError, http.client.HTTPException):
            return False

    def memory_mb(self) -> float:
        """Return the most memory that a hall process had."""
        told = [Path(f"/proc/{one.pid}/status").read_text(encoding="ascii") for one in self.halls]
        return max(int(text.split("VmHWM:")[1].split()[0]) for text in told) / 1024

    def processor_s(self) -> float:
        """Return the processor time of all hall processes."""
        told = [Path(f"/proc/{one.pid}/stat").read_text(encoding="utf-8") for one in self.halls]
        times = [text.rpartition(")")[2].split()[11:13] for text in told]
        return sum(int(part) for both in times for part in both) / os.sysconf("SC_CLK_TCK")

    def lines(self) -> int:
        """Return how many lines the hall has."""
        with self.store.reading() as line:
            return int(line.exec_driver_sql("SELECT count(*) FROM events").scalar_one())

    # --- faults ----------------------------------------------------------------------------

    def break_something(self, chance: random.Random) -> str:
        """Break one thing, wait a moment, bring it back; return what it was."""
        faults: dict[str, Callable[[random.Random], None]] = {
            "database killed": self._kill_database,
            "hall process killed": self._kill_hall,
            "hall process cut off": self._freeze_hall,
            "tables killed": self._kill_players,
        }
        name = chance.choice(list(faults))
        faults[name](chance)
        wait_until(self.is_whole, 90, f"all to be whole after: {name}")
        return name

    def _kill_database(self, chance: random.Random) -> None:
        self.cluster.stop()
        time.sleep(chance.uniform(*BROKEN_S))
        self.cluster.start()

    def _kill_hall(self, chance: random.Random) -> None:
        number = chance.randrange(len(self.halls))
        self.halls[number].kill()
        self.halls[number].wait(10)
        time.sleep(chance.uniform(*BROKEN_S))
        self.halls[number] = self._hall(number)

    def _freeze_hall(self, chance: random.Random) -> None:
        hall = chance.choice(self.halls)
        hall.send_signal(signal.SIGSTOP)
        time.sleep(chance.uniform(*BROKEN_S))
        hall.send_signal(signal.SIGCONT)

    def _kill_players(self, chance: random.Random) -> None:
        number = chance.randrange(len(self.playing))
        self.playing[number].kill()
        self.playing[number].wait(10)
        time.sleep(chance.uniform(*BROKEN_S))
        self.playing[number] = self._player(number)

    # --- the end ---------------------------------------------------------------------------

    def stop_playing(self) -> None:
        """Let the tables end what they do; what they have not sent is sent afterwards."""
        for process in self.playing:
            process.terminate()
        for process in self.playing:
            process.wait(60)

    def send_the_rest(self) -> None:
        """Let every table send what is left, in a life of its own."""
        self._pace_s = 1e9
        self.playing = [self._player(number) for number in range(self._players)]
        wait_until(self._all_there, 180, "the hall to have every line")
        self.stop_playing()

    def _all_there(self) -> bool:
        time.sleep(1)
        from companion_app.games.kept import KeptGames

        acked = {one.id: one.acked for one in self.store.members()}
        journals = [
            KeptGames(self.folder / f"table{n}" / "games.index") for n in range(self.tables)
        ]
        lasts = [journal.last() for journal in journals]
        for journal in journals:
            journal.close()
        return all(acked[id_] == last for id_, last in zip(self.ids, lasts, strict=True))

    def compare(self, tally: Tally) -> None:
        """Compare every table's log with the hall's, line by line."""
        from companion_app.games.kept import KeptGames

        for number, id_ in enumerate(self.ids):
            journal = KeptGames(self.folder / f"table{number}" / "games.index")
            ours = journal.after(0, sys.maxsize, sys.maxsize)
            journal.close()
            theirs = self.store.texts_after(id_, 0, 1 << 40)
            tally.lines += len(ours)
            tally.lost += len(set(ours) - set(theirs))
            tally.twice += len(theirs) - len({number for number, _ in theirs})
            tally.disordered += ours != theirs

    def close(self) -> None:
        """End everything that was started here."""
        for process in (*self.playing, *self.halls):
            with suppress(OSError):
                process.kill()
        for process in (*self.playing, *self.halls):
            process.wait(20)
        self.store.close()
        self.cluster.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Probe:
    """A table of the harness itself, and phones that follow it at every hall process."""

    def __init__(self, evening: Evening) -> None:
        from tests.companion_app.hall.world import TableOfHall, joined

        member = joined(evening.store, evening.keys, "Probe", evening.door(0))
        self.table = TableOfHall(evening.folder / "probe", member)
        self._evening = evening
        self._appended: dict[int, float] = {}
        self.broken = [(0.0, 0.0)]
        """From when to when something was broken."""
        self._stop = threading.Event()
        self.seen: list[tuple[float, float]] = []
        """When a line was appended, and when a phone saw it."""
        self._phones = [
            threading.Thread(target=self._follow, args=(n,), daemon=True)
            for n in range(len(evening.halls))
        ]
        self._thread = threading.Thread(target=self._append, daemon=True)

    def start(self) -> None:
        """Begin to append and to look."""
        self.table.send()
        for thread in (*self._phones, self._thread):
            thread.start()

    def close(self) -> None:
        """Stop."""
        self._stop.set()
        self._thread.join(5)
        for phone in self._phones:
            phone.join(15)
        self.table.close()

    def _append(self) -> None:
        from tests.faults.hall_tables import LINES

        games = json.loads((self._evening.folder / LINES).read_text(encoding="utf-8"))
        while not self._stop.is_set():
            key = f"probe{time.time_ns()}"
            for kind, body in max(games, key=len):
                line = self.table.store.append(key, kind, body)
                self._appended[line.seq] = time.monotonic()
                if self._stop.wait(PROBE_S):
                    return

    def _follow(self, hall: int) -> None:
        known = 0
        while not self._stop.is_set():
            with suppress(OSError, http.client.HTTPException, ValueError, AttributeError):
                for document in self._documents(hall):
                    now_s = time.monotonic()
                    last = int(document.get("number", 0))
                    self.seen += [
                        (self._appended[n], now_s)
                        for n in range(known + 1, last + 1)
                        if known and n in self._appended
                    ]
                    known = max(known, last)
                    if self._stop.is_set():
                        return
            self._stop.wait(0.2)

    def _documents(self, hall: int) -> Iterator[dict[str, Any]]:
        line = http.client.HTTPConnection("127.0.0.1", self._evening._ports[hall], timeout=12)
        try:
            line.request("GET", f"/api/hall/tables/{self.table.id}/events")
            stream = line.getresponse()
            while text := stream.readline():
                if text.startswith(b"data: "):
                    yield json.loads(text[6:])
        finally:
            line.close()

    def sort(self, tally: Tally) -> None:
        """Put what was seen where it belongs: calm, or after something came back."""
        for appended_s, seen_s in self.seen:
            met = [b for b in self.broken if appended_s < b[1] + CALM_S and seen_s > b[0]]
            if not met:
                tally.calm_s.append(seen_s - appended_s)
            else:
                back_s = max(end_s for _, end_s in met)
                tally.back_s.append(max(0.0, seen_s - max(back_s, appended_s)))


@contextmanager
def running(tables: int, halls: int, pace_s: float) -> Iterator[Evening]:
    """Return a hall that runs, with its tables not yet playing."""
    evening = Evening(tables, halls, pace_s)
    try:
        wait_until(evening.is_whole, 60, "the hall to open")
        yield evening
    finally:
        evening.close()


def live_through(seed: int, seconds: float = SECONDS, tables: int = TABLES) -> Tally:
    """Break one thing after the other while all tables play; return what came of it."""
    chance, tally = random.Random(seed), Tally()
    with running(tables, HALLS, SECONDS_A_MOVE) as evening:
        began_s = time.monotonic()
        evening.play()
        probe = Probe(evening)
        probe.start()
        # Hundreds of tables that come at once are like tables that come back.
        wait_until(evening.all_play, LONGEST_START_S, "all tables to play")
        probe.broken.append((began_s, time.monotonic()))
        until_s = time.monotonic() + seconds
        time.sleep(min(CALM_S, seconds / 4))
        while time.monotonic() < until_s:
            began_s = time.monotonic()
            name = evening.break_something(chance)
            probe.broken.append((began_s, time.monotonic()))
            tally.faults[name] = tally.faults.get(name, 0) + 1
            time.sleep(chance.uniform(*EVERY_S))
        tally.memory_mb = evening.memory_mb()
        evening.stop_playing()
        probe.close()
        evening.send_the_rest()
        evening.compare(tally)
        probe.sort(tally)
    return tally


def soak(unit: int) -> dict[str, Any]:
    """Return what one part of the two hours came to, as the report keeps it."""
    tally = live_through(unit)
    return {
        "tried": sum(tally.faults.values()),
        "accepted": tally.lines,
        "lost": tally.lost,
        "twice": tally.twice,
        "tables out of order": tally.disordered,
        "notes": tally.notes(),
    }
