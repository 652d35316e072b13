"""Some simulated tables in one process: real stores and senders, moves of games that were played.

    python -m tests.faults.hall_tables FOLDER FIRST COUNT SECONDS_A_MOVE

Each table appends the lines of whole games, one after the other, until the process is ended. What
was appended is found in the stores, whatever happens to the process.
"""

from __future__ import annotations

import heapq
import json
import random
import secrets
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from companion_app.games.kept import KeptGames
from companion_app.hall.demo import Player
from companion_app.hall.table.membership import MembershipFiles
from companion_app.hall.table.sender import Sender
from companion_app.live.store import Store
from engine.games import GAMES

STEP_S = 0.05
BUSY_S, QUIET_STEPS = 1.0, 8
"""So long after a line a table looks at its log in every step, later in every eighth: hundreds
of tables share the processor that each would have for itself."""
AT_ONCE = 24
"""Tables of one process that wait for the hall's answer at the same time."""
LINES = "lines.json"
Lines = list[tuple[str, dict[str, Any]]]


def played_games(games: int = 2) -> list[Lines]:
    """Return the lines of whole games of every kind, each with its kind."""
    made: list[Lines] = []
    for game in GAMES:
        for seed in range(games):
            with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
                player = Player(store, seed + 1, game)
                match = player.step()
                while not match.ended:
                    match = player.step()
                made.append([(line.kind, dict(line.body)) for line in store.lines(match.key)])
    return made


class SimulatedTable:
    """A table that repeats what was played."""

    def __init__(self, home: Path, games: list[Lines], seed: int) -> None:
        self.store = Store(home)
        files = MembershipFiles(home)
        membership = files.membership()
        assert membership is not None
        self.sender = Sender(
            membership,
            files,
            KeptGames(self.store.path),
            lambda: {"camera": "settled", "question_s": 0},
        )
        self._random = random.Random(seed + time.time_ns())
        self._games = games
        self._lines = self._endless()
        self._appended_s = 0.0

    @property
    def is_busy(self) -> bool:
        """Whether a line was appended of late."""
        return time.monotonic() - self._appended_s < BUSY_S

    def append(self) -> None:
        """Append the next line, with everything that belongs to the same move."""
        key, kind, body = next(self._lines)
        self.store.append(key, kind, body)
        self._appended_s = time.monotonic()

    def _endless(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        while True:
            key = secrets.token_hex(6)
            for kind, body in self._random.choice(self._games):
                yield key, kind, body

    def close(self) -> None:
        self.sender.close()
        self.store.close()


def main(arguments: list[str]) -> int:
    """Play until ended."""
    folder, first, count = Path(arguments[0]), int(arguments[1]), int(arguments[2])
    pace_s = float(arguments[3])
    games = json.loads((folder / LINES).read_text(encoding="utf-8"))
    tables = [SimulatedTable(folder / f"table{n}", games, n) for n in range(first, first + count)]
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    for table in tables:
        table.sender.start()
    stepping = threading.Thread(target=_step, args=(tables, stop), daemon=True)
    stepping.start()
    chance = random.Random(first)
    due = [(time.monotonic() + chance.uniform(0, pace_s), n) for n in range(count)]
    heapq.heapify(due)
    while not stop.is_set():
        at_s, number = due[0]
        if (wait_s := at_s - time.monotonic()) > 0:
            stop.wait(min(wait_s, 0.2))
            continue
        tables[number].append()
        # A process that could not keep up goes on from now, not from then.
        later_s = max(at_s, time.monotonic() - pace_s) + pace_s * chance.uniform(0.5, 1.5)
        heapq.heapreplace(due, (later_s, number))
    stepping.join(10)
    for table in tables:
        table.close()
    return 0


def _step(tables: list[SimulatedTable], stop: threading.Event) -> None:
    steps, busy = 0, set[SimulatedTable]()

    def step(table: SimulatedTable) -> None:
        try:
            table.sender.step()
        finally:
            busy.discard(table)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        while not stop.wait(STEP_S):
            steps += 1
            for table in tables:
                if table not in busy and (table.is_busy or steps % QUIET_STEPS == 0):
                    busy.add(table)
                    threads.submit(step, table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
