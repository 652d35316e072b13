"""Kill -9 of one process at a time: eye, page, a worker of the hands, or the supervisor.

The game is played by the real command; phones write down what they hear, outside all of them. The
others must go on: the eye with the game whatever becomes of page and hands, the page with its
answers, and what was killed must be there again.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

from companion_app.games.kept import KeptGames
from companion_app.live.store import FILE
from tests.faults.companion import PATIENCE_S, Companion, Phone
from tests.faults.power_cut import Tally
from tests.faults.scripted import Announced, lost_moves

SPEED = 3
KILLS = 5
"""Of one life; the supervisor has only one to lose."""
LONGEST_WAIT_S = 1.5
MODULES = {"eye": b"companion_app.eye", "page": b"companion_app.web"}
WHO = ("eye", "page", "hands", "supervisor")
WORK = "api/sheet.pdf"
"""What the hands draw for anybody."""
SAID = (200, 409, 429, 503, 507)
"""Done, or refused in words."""


@dataclass
class Killing:
    """Lives of one home, in each of which one kind of process is killed some times."""

    home: Path
    who: str
    seed: int
    tally: Tally = field(default_factory=Tally)
    notes: list[str] = field(default_factory=list)

    def live(self, number: int, kills: int = KILLS) -> None:
        """Start the companion, kill one kind of process at random moments, see what is left."""
        chance = random.Random(f"{self.seed} {self.who} {number}")
        life = Companion(self.home, "--speed", str(SPEED))
        if not life.ready():
            self.notes.append(f"life {number} did not begin")
            return
        announced = Announced()
        phones = [Phone(life.url, announced)]
        kills = 1 if self.who == "supervisor" else kills
        for _ in range(kills):
            time.sleep(chance.random() * LONGEST_WAIT_S)
            self._kill(life)
            if self.who == "page":
                phones.append(_called_again(life, announced))
        life.kill()
        for phone in phones:
            phone.end()
        lost = lost_moves(self.home, announced) if announced.moves else 0
        if lost:
            self.notes.append(f"life {number}: {lost} of {len(announced.moves)} moves lost")
        for _ in range(kills):
            self.tally.add(len(announced.moves), lost)
            lost = 0

    def _kill(self, life: Companion) -> None:
        others = [who for who in ("eye", "page") if who != self.who]
        before = {who: pid_of(life, who) for who in others}
        moves = moves_kept(self.home)
        if self.who == "supervisor":
            family = life.family()
            os.kill(life.process.pid, signal.SIGKILL)
            life.process.wait(PATIENCE_S)
            self._wait("something outlived it", lambda: not any(map(runs, family)))
            return
        if self.who == "hands":
            self._kill_a_hand(life)
        else:
            pid = pid_of(life, self.who)
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            self._wait(f"no {self.who} again", lambda: pid_of(life, self.who) not in (0, pid))
        self._wait("the game stood still", lambda: moves_kept(self.home) > moves or over(self.home))
        self._wait("the page did not answer", lambda: asked(life.url + "health") == 200)
        for who, pid in before.items():
            if pid_of(life, who) != pid:
                self.notes.append(f"{who} did not live on when {self.who} was killed")

    def _kill_a_hand(self, life: Companion) -> None:
        """Kill the workers while one of them draws; the next drawing must come out."""
        answers: list[int] = []
        work = threading.Thread(target=lambda: answers.append(asked(life.url + WORK)))
        work.start()
        self._wait("no worker began", lambda: bool(hands_of(life)) or bool(answers))
        for pid in hands_of(life):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        work.join(PATIENCE_S)
        if not answers or answers[0] not in SAID:
            self.notes.append(f"work of a killed worker was answered {answers}")
        self._wait("no drawing came any more", lambda: asked(life.url + WORK) == 200)

    def _wait(self, vain: str, true: Callable[[], bool]) -> None:
        if not waited(true):
            self.notes.append(f"{self.who} killed: {vain}")


def waited(true: Callable[[], bool]) -> bool:
    """Wait until something holds; say whether it came to that."""
    until_s = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > until_s:
            return False
        time.sleep(0.05)
    return True


def runs(pid: int) -> bool:
    """Say whether a process is there and no zombie."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def asked(url: str) -> int:
    """Return the status of an answer; 0 where none came."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
            answer.read()
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except (OSError, HTTPException):
        return 0


def pid_of(life: Companion, who: str) -> int:
    """Return the number of the eye or the page; 0 where there is none just now."""
    for pid in life.family():
        with suppress(OSError):
            if MODULES[who] in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                return pid
    return 0


def hands_of(life: Companion) -> list[int]:
    """Return the numbers of the workers."""
    found = []
    for pid in life.family():
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def moves_kept(home: Path) -> int:
    """Return how many lines of moves the log has, whatever the page says."""
    kept = KeptGames(home / FILE)
    return sum(line.kind == "moves" for key in kept.last_lines(1) for line in kept.lines(key))


def over(home: Path) -> bool:
    """Say whether the game has ended."""
    kept = KeptGames(home / FILE)
    return any(line.kind == "ended" for key in kept.last_lines(1) for line in kept.lines(key))


def _called_again(life: Companion, announced: Announced) -> Phone:
    """Return a phone that listens to the new page, as a browser does by itself."""
    while True:
        with suppress(OSError, HTTPException):
            return Phone(life.url, announced)
        time.sleep(0.1)
