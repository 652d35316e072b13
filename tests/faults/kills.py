"""Kill -9 at random moments of a game, by the real command and what a phone heard of it.

The accepted moves are counted by the phone, outside the process that is killed. After each kill
the store is opened in a copy and asked for them; then the game is taken up by the next life.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.browser.chromium import wait_until
from tests.faults.companion import Companion, Phone
from tests.faults.power_cut import Tally
from tests.faults.scripted import Announced, lost_moves

LONGEST_LIFE_S = 1.2
SPEEDS = (8, 40, 150)
"""Moves every 300, 60 and 16 ms: the faster, the more often a write is cut in two."""


@dataclass
class Table:
    """A game that goes on through many lives."""

    home: Path
    seed: int
    announced: Announced = field(default_factory=Announced)
    key: str | None = None
    tally: Tally = field(default_factory=Tally)
    notes: list[str] = field(default_factory=list)

    def live_and_be_killed(self, number: int) -> None:
        """Start the companion, kill it at a random moment, and see what is left."""
        chance = random.Random(f"{self.seed} {number}")
        speed = chance.choice(SPEEDS)
        life = Companion(self.home, "--speed", str(speed))
        phone = None
        if chance.random() < 0.15:
            # Killed while it starts: it may be in the middle of taking up the game.
            time.sleep(chance.random() * 1.5)
        elif life.ready():
            phone = self._listen(life)
            self._wait(chance, life)
            self._kill_a_part(chance, life)
        else:
            self.notes.append(f"kill {number}: the companion did not start")
        life.kill()
        if phone is not None:
            phone.end()
        self._look(number)

    def _listen(self, life: Companion) -> Phone:
        key = wait_until(lambda: life.get("api/state").get("key"), what="a game on the page")
        if key != self.key:
            # The game before was over, and another was begun.
            self.key, self.announced = key, Announced()
        return Phone(life.url, self.announced)

    def _wait(self, chance: random.Random, life: Companion) -> None:
        until = time.monotonic() + chance.random() * LONGEST_LIFE_S
        if chance.random() < 0.5:
            time.sleep(max(0.0, until - time.monotonic()))
            return
        # The other half dies at a write: as soon as the file has changed, nobody knows how far.
        for size in _sizes(life.home / "games" / str(self.key) / "log", until):
            if size:
                return

    def _kill_a_part(self, chance: random.Random, life: Companion) -> None:
        """Kill the eye or the page alone now and then; what comes of it, the next look sees."""
        part = chance.choice(("", "companion_app.eye", "companion_app.web"))
        if part:
            life.kill_one(part)
            self._wait(chance, life)

    def _look(self, number: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "home"
            with suppress(FileNotFoundError):
                shutil.copytree(self.home, copy)
            copy.mkdir(exist_ok=True)
            lost = lost_moves(copy, self.announced, self.key) if self.announced.moves else 0
        if lost:
            self.notes.append(f"kill {number}: {lost} of {len(self.announced.moves)} moves lost")
        self.tally.add(len(self.announced.moves), lost)


def _sizes(path: Path, until_s: float) -> Iterator[bool]:
    """Yield whether a file has changed, again and again, until then."""
    before = None
    while time.monotonic() < until_s + LONGEST_LIFE_S:
        with suppress(OSError):
            now = (path.stat().st_size, path.stat().st_mtime_ns)
            changed = before is not None and now != before
            before = now
            yield changed and time.monotonic() > until_s
