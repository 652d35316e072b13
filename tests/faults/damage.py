"""A damaged database: bytes overwritten, cut off, swapped, in the store or its write-ahead file."""

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
WAL = FILE + "-wal"


@dataclass
class Damage(Tally):
    """What came of it."""

    noticed: int = 0
    """Damages that were noticed; the others hit bytes that hold nothing."""
    not_kept: int = 0
    """Damaged files that were not put aside as they were."""
    by_kind: dict[str, int] = field(default_factory=dict)


@contextmanager
def played_home(game: str, moves: int | None = None) -> Iterator[tuple[Path, Announced]]:
    """Give a folder with a game in it, part in the store and part in its write-ahead file."""
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
    """Damage a copy of the store in one way after the other; count what is lost."""
    told = Damage()
    for number in numbers:
        chance = random.Random(number)
        kind, name = KINDS[number % len(KINDS)], (FILE, WAL)[chance.random() < 0.4]
        with tempfile.TemporaryDirectory(dir=QUICK) as folder:
            copy = shutil.copytree(home, Path(folder) / "home")
            harmed = damage((copy / name).read_bytes(), kind, chance)
            (copy / name).unlink()
            if harmed is not None:
                (copy / name).write_bytes(harmed)
            told.add(len(announced.moves), lost_moves(copy, announced))
            aside = copy / "games.damaged-1.sqlite3"
            told.noticed += aside.exists()
            if aside.exists() and name == FILE and harmed:
                told.not_kept += aside.read_bytes() != harmed
            told.by_kind[kind] = told.by_kind.get(kind, 0) + 1
    return told
