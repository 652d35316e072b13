"""How well taught boxes are read: ``python -m models.lab.evaluate.teaching PART…``.

Parts: ``qwirkle``, ``kingdomino``, ``catan`` (photographs, in the folder that ``SNAKE_EYE_SHARED``
names; left out where it is not set), ``game`` (a whole game with a taught box), ``wooden`` (a whole
game of Snekagon with blocks of wood on a wooden board, and other tables of it), ``invented`` (drawn
boxes that no training saw; 200 tables, with ``--workers`` on several cores, and a run that was
broken off goes on where it stopped) and ``missing`` (such boxes of which a third of the kinds was
never taught).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2

from engine.placement import Layout
from models.lab.evaluate.harness import (
    RESULTS,
    ROOT,
    known_parts,
    parser_of,
    say,
    shared_photos,
    told,
)
from models.lab.evaluate.taught import ropes, wood
from models.lab.evaluate.taught.invented import evaluate_invented, evaluate_missing
from models.lab.evaluate.taught.photos import evaluate_catan, evaluate_kingdomino, evaluate_qwirkle
from models.lab.scenes.games.positions import Played, played
from models.lab.scenes.world.faces import Box
from vision.hexes.cells import turned_cell

PHOTOGRAPHED: dict[str, Callable[[Path, Path], Iterable[str]]] = {
    "qwirkle": evaluate_qwirkle,
    "kingdomino": evaluate_kingdomino,
    "catan": evaluate_catan,
}
PARTS = (*PHOTOGRAPHED, "game", "wooden", "invented", "missing")
SIZE_PX = (1600, 1200)
Verdict = tuple[int, str, str, bool]
"""Number, player and tile of a move, and whether it was legal."""


# --- Games with a taught copy of a box and with the built-in one ---


@dataclass(frozen=True)
class Trial:
    """A box that is taught, and the game that is played with it."""

    name: str
    about: str
    shape: str
    art: ModuleType
    """The module that draws it: ``ropes`` or ``wood``."""
    box: Callable[[], Box]


ROPES = Trial("ropes", "in other art", "square", ropes, ropes.rope_box)
WOODEN = Trial("wood", "of wood, on a wooden board", "hex", wood, wood.wooden_box)


def evaluate_game(home: Path, trial: Trial = ROPES) -> Iterator[str]:
    """Teach the copy from two photographs, referee the game with both boxes, compare."""
    game: str = trial.art.GAME
    lessons = home / f"{trial.name}-lessons"
    trial.art.write_lessons(lessons)
    _run(
        home,
        "teach",
        trial.name,
        "--shape",
        trial.shape,
        "--photos",
        str(lessons),
        "--labels",
        str(lessons / "labels.json"),
        "--game",
        game,
        "--map",
        str(lessons / "map.json"),
    )
    events: dict[str, list[dict[str, Any]]] = {}
    for name, box in ((trial.name, trial.box()), (game, None)):
        made: Played = trial.art.write_game(home / name, box, None, SIZE_PX)
        lines = _run(
            home,
            "watch",
            f"folder:{home / name}",
            "--game",
            game,
            "--set",
            name,
            "--players",
            ",".join(made.players),
            "--new",
        )
        events[name] = [json.loads(line) for line in lines.splitlines()]
    verdicts = {name: _verdicts(said) for name, said in events.items()}
    own, built_in = verdicts[trial.name], verdicts[game]
    asked = sum(event["event"] == "question" for event in events[trial.name])
    equal = sum(a == b for a, b in zip(own, built_in, strict=False))
    one = played(game, "held-out", "greedy", trial.art.GAME_SEED)
    true = [(n + 1, m.player, str(m.tile or ""), True) for n, m in enumerate(one.moves)]
    yield f"a taught copy of {game} {trial.about}: a game of {len(true)} moves"
    yield f"  verdicts equal to those with the built-in box: {equal} of {len(built_in)}"
    yield f"  verdicts as the game was played: {sum(v in true for v in own)}"
    yield f"  questions asked: {asked}"


def evaluate_wooden(home: Path, tables: int) -> Iterator[str]:
    """Referee a game with the wooden Snekagon, then read other tables of it with all tiles on."""
    yield from evaluate_game(home, WOODEN)
    yield "  other tables of it"
    seeds = range(wood.TABLE_SEEDS, wood.TABLE_SEEDS + tables)
    yield from _read_tables(home, seeds)


Seen = set[tuple[str, frozenset[Any]]]
"""Tiles by name and cells."""


def _read_tables(home: Path, seeds: range) -> Iterator[str]:
    """Read tables of the wooden box and yield how many tiles and whole tables are right."""
    sums = Counter[str]()
    for seed in seeds:
        photo = home / f"wood-{seed}.jpg"
        ways = _in_turns(wood.write_table(photo, seed))
        said = _said(
            json.loads(_run(home, "read", str(photo), "--set", "wood", "--json", may_fail=True))
        )
        tiles = max(ways, key=lambda way: len(way & said))
        sums.update({"tiles": len(tiles), "tiles right": len(tiles & said), "right": tiles == said})
    yield f"  tiles right: {told(sums['tiles right'], sums['tiles'], 100)}"
    yield f"  tables exactly right: {told(sums['right'], len(seeds), 100)}"


def _in_turns(layout: Layout) -> list[Seen]:
    """Return a layout on one board in all its turns."""
    return [
        {(p.tile, frozenset(turned_cell(c, turn) for c in p.cells)) for p in layout.pieces}
        for turn in range(6)
    ]


def _said(state: Mapping[str, Any]) -> Seen:
    return {
        (str(entry["tile"]), frozenset((q, r) for q, r in entry["cells"]))
        for entry in (*state["tiles"], *state["unsure"])
    }


def _verdicts(events: list[dict[str, Any]]) -> list[Verdict]:
    return [
        (e["n"], e["move"]["player"], e["move"].get("tile", ""), e["legal"])
        for e in events
        if e["event"] == "verdict"
    ]


def _run(home: Path, *arguments: str, may_fail: bool = False) -> str:
    """Run a command as a program of its own, since the referee lies above this package."""
    made = subprocess.run(
        [sys.executable, "-m", "companion_app.cli", *arguments],
        cwd=ROOT,
        check=not may_fail,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "SNAKE_EYE_HOME": str(home / "home")},
    )
    return made.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = parser_of("teaching", __doc__, out=RESULTS / "teaching")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--boxes", type=int, default=50, help="invented boxes of each shape")
    parser.add_argument("--tables", type=int, default=2, help="tables read of each")
    parser.set_defaults(workers=1)
    asked = parser.parse_args(arguments)
    known_parts(parser, asked.parts, PARTS)
    drawn: dict[str, Callable[[Path], Iterable[str]]] = {
        "game": evaluate_game,
        "wooden": lambda home: evaluate_wooden(home, asked.boxes // 2),
        "invented": lambda home: evaluate_invented(asked),
        "missing": lambda home: evaluate_missing(asked),
    }
    with tempfile.TemporaryDirectory() as name:
        for part in asked.parts or PARTS:
            if part in drawn:
                lines = drawn[part](Path(name))
            else:
                photos = shared_photos()
                lines = () if photos is None else PHOTOGRAPHED[part](photos / part, Path(name))
            for line in lines:
                say(line)
    return 0


if __name__ == "__main__":
    cv2.setNumThreads(2)
    sys.exit(main())
