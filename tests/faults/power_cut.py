"""Power cuts: a game is played, and its files are made as a cut at every moment leaves them."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from companion_app.live.store import Store
from engine.record import Record
from tests.faults.forgetful import WAYS, Cut, ForgetfulDisk, Op
from tests.faults.scripted import Announced, Player, lost_moves

QUICK = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""Where the files of a cut are looked at: in memory, where there is one, since they are many."""


@dataclass
class Tally:
    """What a series of faults came to."""

    tried: int = 0
    accepted: int = 0
    """Announced moves that the store had to give back, summed over all moments."""
    lost: int = 0

    def add(self, accepted: int, lost: int) -> None:
        """Count one moment."""
        self.tried += 1
        self.accepted += accepted
        self.lost += lost


def played_on_a_forgetful_disk(record: Record, jpeg_bytes: int, upto: int | None) -> list[Op]:
    """Play a game, closed and taken up again in its middle; return all that the disk was asked."""
    chance = random.Random(jpeg_bytes)
    jpeg = chance.randbytes(jpeg_bytes)
    middle = (len(record.moves) if upto is None else upto) // 2
    with tempfile.TemporaryDirectory() as folder, ForgetfulDisk(Path(folder)) as disk:
        for end in (middle, upto):
            with Store(Path(folder)) as store:
                Player(store, record, disk.say, jpeg).play(end)
    return disk.ops


def cut_everywhere(
    ops: list[Op], moments: Iterable[int] | None = None, ways: Iterable[str] = WAYS
) -> Tally:
    """Cut the power after each of some operations, or all, in every way; count what is lost."""
    wanted = set(range(1, len(ops) + 1) if moments is None else moments)
    tally, cut, announced = Tally(), Cut(), Announced()
    for number, op in enumerate(ops, start=1):
        cut.take(op)
        if op.what == "said":
            announced.hear(op.said)
        if number in wanted:
            for way in ways:
                files = cut.files(way, random.Random(f"{number} {way}"))
                tally.add(len(announced.moves), _lost(files, announced))
    return tally


def _lost(files: dict[Path, bytes], announced: Announced) -> int:
    folder = Path(tempfile.mkdtemp(prefix="snake-eye-cut-", dir=QUICK))
    try:
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return lost_moves(folder, announced)
    finally:
        shutil.rmtree(folder)
