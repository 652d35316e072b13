"""Damaged games: bytes overwritten, cut off or swapped, in a log, or the files of the index."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from companion_app.live.store import FILE, Store
from tests.faults.power_cut import QUICK, Tally
from tests.faults.scripted import Announced, Player, lost_moves, written_game

PAGE = 4096
KINDS = ("bytes", "page", "zeros", "cut-off", "swapped", "header", "all", "empty", "gone")
LOG = "games/game/log"
FILES = (LOG, LOG, FILE, FILE + "-wal")


@dataclass
class Damage(Tally):
    """What came of it."""

    changed: int = 0
    """How often the log was not as before afterwards."""
    not_kept: int = 0
    """Damaged logs that were not put aside as they were."""
    by_kind: dict[str, int] = field(default_factory=dict)


@contextmanager
def played_home(game: str, moves: int | None = None) -> Iterator[tuple[Path, Announced]]:
    """Give a home with a game in it, its index in part in the write-ahead file."""
    announced = Announced()
    record = written_game(game)
    upto = moves or len(record.moves)
    with tempfile.TemporaryDirectory(dir=QUICK) as folder:
        home, still = Path(folder) / "home", Path(folder) / "still"
        with Store(home) as store:
            Player(store, record, announced.hear, b"x" * 3000).play(upto // 2)
        with Store(home) as store:
            Player(store, record, announced.hear, b"x" * 3000).play(upto)
            shutil.copytree(home, still)
        yield still, announced


def damage(data: bytes, kind: str, chance: random.Random) -> bytes | None:
    """Return a file after some harm; ``None`` for no file at all."""
    at = chance.randrange(len(data))
    page = at // PAGE * PAGE
    other = chance.randrange(len(data)) // PAGE * PAGE
    few = chance.choice((1, 16, 300, 3000))
    return {
        "bytes": data[:at] + chance.randbytes(min(few, len(data) - at)) + data[at + few :],
        "page": data[:page] + chance.randbytes(PAGE) + data[page + PAGE :],
        "zeros": data[:page] + bytes(PAGE) + data[page + PAGE :],
        "cut-off": data[:at],
        "swapped": _swapped(data, page, other),
        "header": bytes(100) + data[100:],
        "all": chance.randbytes(len(data)),
        "empty": b"",
        "gone": None,
    }[kind]


def _swapped(data: bytes, one: int, other: int) -> bytes:
    changed = bytearray(data)
    changed[one : one + PAGE] = data[other : other + PAGE]
    changed[other : other + PAGE] = data[one : one + PAGE]
    return bytes(changed)


def damage_again_and_again(home: Path, announced: Announced, numbers: range) -> Damage:
    """Damage one file of a copy in one way after the other; count what is lost."""
    told = Damage()
    for number in numbers:
        chance = random.Random(number)
        kind, name = KINDS[number % len(KINDS)], chance.choice(FILES)
        with tempfile.TemporaryDirectory(dir=QUICK) as folder:
            copy = shutil.copytree(home, Path(folder) / "home")
            harmed = damage((copy / name).read_bytes(), kind, chance)
            (copy / name).unlink()
            if harmed is not None:
                (copy / name).write_bytes(harmed)
            told.add(len(announced.moves), lost_moves(copy, announced))
            told.changed += (copy / LOG).read_bytes() != (home / LOG).read_bytes()
            if name == LOG and kind in ("bytes", "all") and harmed != (home / LOG).read_bytes():
                aside = copy / "games/game/damaged-1"
                told.not_kept += not aside.exists() or aside.read_bytes() != harmed
            told.by_kind[kind] = told.by_kind.get(kind, 0) + 1
    return told
