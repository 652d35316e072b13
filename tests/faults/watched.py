"""Kill -9 while the camera's loop reads real pictures: ``snake-eye watch`` over a filmed game.

The film goes on while nobody watches, as a table does: the next life sees it from where it is.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

import cv2

from tests.faults.power_cut import Tally
from tests.faults.scripted import Announced, lost_moves
from tests.live_games.filmed import film

ROOT = Path(__file__).parents[2]
SIZE_PX = (960, 540)
FRAMES_A_SECOND = 10


def filmed(game: str, seed: int, folder: Path, moves: int) -> tuple[list[Path], tuple[str, ...]]:
    """Film a game into a folder; return its pictures and who plays."""
    made = film(seed, "held-out", game, FRAMES_A_SECOND, SIZE_PX, most_moves=moves)
    files = []
    for number, shot in enumerate(made.frames()):
        files.append(folder / f"{number:05}.jpg")
        cv2.imwrite(str(files[-1]), shot.bgr)
    return files, tuple(made.script.players)


def kill_while_watching(game: str, seed: int, lives: int, moves: int = 10) -> Tally:
    """Watch a film in so many lives, each killed at a random moment."""
    chance, tally, announced = random.Random(seed), Tally(), Announced()
    with tempfile.TemporaryDirectory() as place:
        pictures, home = Path(place) / "film", Path(place) / "home"
        pictures.mkdir()
        files, players = filmed(game, seed, pictures, moves)
        at = 0
        for life in range(lives):
            rest = Path(place) / f"rest-{life}"
            rest.mkdir()
            for file in files[at:] or files[-5:]:
                (rest / file.name).symlink_to(file)
            seen_s = _life(rest, home, game, players, announced, chance)
            at = min(at + int(seen_s * FRAMES_A_SECOND), len(files) - 5)
            lost = lost_moves(home, announced) if announced.moves else 0
            tally.add(len(announced.moves), lost)
    return tally


def _life(
    pictures: Path,
    home: Path,
    game: str,
    players: tuple[str, ...],
    announced: Announced,
    chance: random.Random,
) -> float:
    """Watch until killed; return how far the film had got by the last thing said."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "companion_app.cli",
            "watch",
            f"folder:{pictures}",
            "--game",
            game,
            "--players",
            ",".join(players),
            "--resume",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env={**os.environ, "SNAKE_EYE_HOME": str(home), "PYTHONPATH": str(ROOT)},
    )
    out = cast(IO[str], process.stdout)
    said, seen_s = chance.randrange(8, 40), 0.0
    for line in islice(out, said):
        seen_s = max(seen_s, _heard(line, announced).get("t", 0.0))
    time.sleep(chance.random() * 0.4)
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    for line in out:
        if line.endswith("\n"):
            seen_s = max(seen_s, _heard(line, announced).get("t", 0.0))
    process.wait()
    cast(IO[str], process.stdin).close()
    out.close()
    return seen_s


def _heard(line: str, announced: Announced) -> Mapping[str, Any]:
    event: dict[str, Any] = json.loads(line)
    announced.hear(event)
    return event
