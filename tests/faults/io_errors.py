"""I/O errors at every call that the store makes to its disk, once and for good.

The disk is the real one; a library that is loaded before all others (``failing_calls.c``) answers
the calls that are to fail. A game is played through the referee into the store, the call fails,
whatever is refused is tried again as people would, and at the end every move that was announced
must be there. ``python -m tests.faults.io_errors GAME MOVES FIRST STEP`` is the process in which
that happens.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from companion_app.live.errors import StoreError
from companion_app.live.store import Store
from tests.faults.scripted import Announced, Player, lost_moves, written_game

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("failing_calls.c")
FOR_GOOD = 1 << 40
TRIES = 3


@dataclass
class Failing:
    """What came of a disk that fails on command."""

    calls: int = 0
    """How many calls a whole game makes."""
    tried: int = 0
    accepted: int = 0
    lost: int = 0
    refused: int = 0
    """How often the store said that it could not keep a move."""
    wrong: list[str] = field(default_factory=list)
    """What went wrong in another way than that."""


def why_not() -> str:
    """Say why no disk can be made to fail here; empty where one can."""
    return "" if shutil.which("cc") else "wants a C compiler"


def fail_at_calls(game: str, moves: int, first: int = 1, step: int = 1) -> Failing:
    """Play a game again and again, each time with another call that fails."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "failing_calls.so"
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl", "-lpthread"],
            check=True,
            capture_output=True,
        )
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.faults.io_errors",
                game,
                str(moves),
                str(first),
                str(step),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            env={**os.environ, "LD_PRELOAD": str(library)},
        )
    return Failing(**json.loads(done.stdout))


def main(game: str, moves: int, first: int, step: int) -> Failing:
    """Let every ``step``-th call fail, from the ``first`` on: once, and all after it as well."""
    told = Failing()
    chance = random.Random(first)
    told.calls = _play(game, moves, told, 0, 0)
    told.tried = told.accepted = 0
    for number in range(first, told.calls + 1, step):
        _play(game, moves, told, number, number)
        _play(game, moves, told, number, FOR_GOOD)
        _play(game, moves, told, number, number + chance.randrange(1, 30))
    return told


def _play(game: str, moves: int, told: Failing, start: int, end: int) -> int:
    """Play a game with calls that fail; return how many calls were made."""
    disk, announced = ctypes.CDLL(None), Announced()
    disk.fail_calls.argtypes = (ctypes.c_char_p, ctypes.c_long, ctypes.c_long)
    disk.calls_counted.restype = ctypes.c_long
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        disk.fail_calls(str(home).encode(), start, end)
        for _ in range(TRIES):
            if _lived(home, game, moves, announced, told):
                break
        calls = int(disk.calls_counted())
        disk.fail_calls(b"", 0, 0)
        told.tried += 1
        told.accepted += len(announced.moves)
        lost = lost_moves(home, announced) if announced.moves else 0
        told.lost += lost
        if lost:
            told.wrong.append(f"{lost} moves lost, calls {start} to {end}")
    return calls


def _lived(home: Path, game: str, moves: int, announced: Announced, told: Failing) -> bool:
    """Open the store and play as far as it goes; say whether the game was played to its end."""
    try:
        with Store(home) as store:
            player = Player(store, written_game(game), announced.hear)
            for _ in range(TRIES):
                with suppress(StoreError):
                    player.play(moves)
                    return len(player.match.accepted) >= moves
                told.refused += 1
                if len(announced.moves) > len(player.match.accepted):
                    told.wrong.append("a move was announced that the match does not have")
    except StoreError:
        told.refused += 1
    except Exception as error:  # noqa: BLE001 - whatever else comes out is what is looked for
        told.wrong.append(f"{type(error).__name__}: {error}")
    return False


def untold(said: Callable[[], Failing]) -> str:
    """Return a result as one line of JSON."""
    return json.dumps(asdict(said()))


if __name__ == "__main__":
    name, many, begin, by = sys.argv[1], *map(int, sys.argv[2:5])
    sys.stdout.write(untold(lambda: main(name, many, begin, by)))
