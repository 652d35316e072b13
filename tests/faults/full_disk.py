"""A full disk at every write: a game on a small file system of its own, freed page by page.

``python -m tests.faults.full_disk FOLDER GAME`` runs in a name space of its own, where it may lay
a file system over a folder without anybody else seeing it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from companion_app.live.errors import StoreError, StoreFull
from companion_app.live.store import Store
from tests.faults.scripted import Announced, Player, lost_moves, written_game

PAGE = 4096
SIZE_MB = 6
JPEG = bytes(range(256)) * 40
LOOK_EVERY = 7
"""After so many refusals the store is opened in a copy."""
OWN_SPACE = (["unshare", "--mount"], ["unshare", "--user", "--map-root-user", "--mount"])


@dataclass
class Full:
    """What came of it."""

    refused: int = 0
    """Writes for which there was no room."""
    accepted: int = 0
    lost: int = 0
    said_wrongly: str = ""
    """A refusal that did not say that the disk is full."""


def own_space() -> list[str] | None:
    """Return the command that makes a name space with file systems of its own, if one may."""
    for command in OWN_SPACE:
        with suppress(OSError):
            tried = subprocess.run(
                [*command, "mount", "-t", "tmpfs", "none", tempfile.gettempdir()],
                capture_output=True,
                check=False,
            )
            if tried.returncode == 0:
                return command
    return None


def play_on_a_full_disk(space: list[str], game: str, moves: int | None = None) -> Full:
    """Play a game on a full disk, in a process and a name space of its own."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                *space,
                sys.executable,
                "-m",
                "tests.faults.full_disk",
                folder,
                game,
                str(moves or 10_000),
            ],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[2],
        )
    return Full(**json.loads(done.stdout))


class Table:
    """A game on a file system without room."""

    def __init__(self, folder: Path) -> None:
        self.home, self._filler = folder / "home", folder / "filler"
        self.full, self.announced = Full(), Announced()
        self._filler.touch()
        self.take_all()

    def take_all(self) -> None:
        """Fill what is free."""
        with self._filler.open("ab", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * PAGE):
                pass

    def make_room(self) -> None:
        """Give back one page."""
        os.truncate(self._filler, max(0, self._filler.stat().st_size - PAGE))

    def refuse(self, error: StoreError) -> None:
        """Take note of a refusal, and that nothing is lost by it."""
        self.full.refused += 1
        if not isinstance(error, StoreFull):
            self.full.said_wrongly = str(error)
        if self.full.refused % LOOK_EVERY == 0:
            with tempfile.TemporaryDirectory(dir=self.home.parent.parent) as folder:
                copy = shutil.copytree(self.home, Path(folder) / "home")
                self.full.lost += lost_moves(copy, self.announced) if self.announced.moves else 0
        self.make_room()

    def opened(self) -> Store:
        """Open the store, making room until it can be."""
        while True:
            try:
                return Store(self.home)
            except StoreError as error:
                self.refuse(error)

    def play(self, game: str, upto: int) -> None:
        """Play, making room for a page whenever there is none."""
        store = self.opened()
        player = None
        while player is None:
            try:
                player = Player(store, written_game(game), self.announced.hear, JPEG)
            except StoreError as error:
                self.refuse(error)
        while move := next(player.due(upto), None):
            try:
                player.lay(move)
            except StoreError as error:
                self.refuse(error)
        self._say_the_rest(player)
        store.close()

    def _say_the_rest(self, player: Player) -> None:
        """Look at the table as it lies until passes and the end could be kept as well."""
        while True:
            try:
                player.look_again()
                return
            except StoreError as error:
                self.refuse(error)


def main(folder: Path, game: str, moves: int) -> Full:
    """Play a game in two halves, each on a full disk, and count."""
    on_top = folder / "disk"
    on_top.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "none", on_top], check=True)
    table = Table(on_top)
    upto = min(moves, len(written_game(game).moves))
    table.play(game, upto // 2)
    table.take_all()
    table.play(game, upto)
    table.full.accepted = len(table.announced.moves)
    table.full.lost += lost_moves(table.home, table.announced)
    return table.full


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))))
