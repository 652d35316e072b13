"""How well taught boxes are read: ``python -m models.lab.evaluate.teaching PART…``.

Parts: ``qwirkle``, ``kingdomino``, ``catan`` (photographs, in the folder that ``SNAKE_EYE_SHARED``
names; left out where it is not set), ``game`` (a whole game with a taught box), ``wooden`` (a whole
game of Snekagon with blocks of wood on a wooden board, and other tables of it), ``stained``
(Snekagon 5G in other art, with clay and holes: the last tables of games), ``invented`` (drawn
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
from typing import Any, TypeVar

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
from models.lab.evaluate.taught import ropes, stained, wood
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
PARTS = (*PHOTOGRAPHED, "game", "wooden", "stained", "invented", "missing")
SIZE_PX = (1600, 1200)
Verdict = tuple[int, str, str, bool]
"""Number, player and tile of a move, and whether it was legal."""
T = TypeVar("T")


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
    yield from _read_tables(home, "wood", seeds, wood.write_table, _in_turns)


def evaluate_stained(home: Path, tables: int) -> Iterator[str]:
    """Teach Snekagon 5G in other art from three photographs, then read the last tables of games."""
    lessons = home / "stained-lessons"
    stained.write_lessons(lessons)
    _run(
        home,
        "teach",
        "stained",
        "--shape",
        "hex",
        "--photos",
        str(lessons),
        "--labels",
        str(lessons / "labels.json"),
        "--game",
        stained.GAME,
    )
    yield "a taught copy of snekagon5g of stained wood, rings of tin for clay: last tables of games"
    seeds = range(stained.TABLE_SEEDS, stained.TABLE_SEEDS + tables)
    yield from _read_tables(home, "stained", seeds, stained.write_table, _in_rings)


Seen = tuple[set[Any], set[Any]]
"""Tiles by name, board and cells, and clay by board, cell, kind and the side it opens to."""


def _read_tables(
    home: Path,
    box: str,
    seeds: range,
    write: Callable[[Path, int], T],
    ways: Callable[[T], list[Seen]],
) -> Iterator[str]:
    """Read tables of a taught box and yield how many tiles, clay and whole tables are right.

    Args:
        home: folder for all files.
        box: name of the box.
        seeds: seeds of the tables.
        write: photographs the table of a seed, and returns what lies there.
        ways: returns the ways to count that, of which the best match is taken.
    """
    sums = Counter[str]()
    for seed in seeds:
        photo = home / f"{box}-{seed}.jpg"
        counted = ways(write(photo, seed))
        said = _said(
            json.loads(_run(home, "read", str(photo), "--set", box, "--json", may_fail=True))
        )
        tiles, clay = max(counted, key=lambda way: len(way[0] & said[0]))
        sums.update(
            {
                "tiles": len(tiles),
                "tiles right": len(tiles & said[0]),
                "clay": len(clay),
                "clay right": len(clay & said[1]),
                "right": (tiles, clay) == said,
            }
        )
    yield f"  tiles right, on the right board: {told(sums['tiles right'], sums['tiles'], 100)}"
    if sums["clay"]:
        yield f"  clay right, and where it opens to: {told(sums['clay right'], sums['clay'], 100)}"
    yield f"  tables exactly right: {told(sums['right'], len(seeds), 100)}"


def _in_turns(layout: Layout) -> list[Seen]:
    """Return a layout on one board in all its turns."""
    return [
        (
            {(p.tile, 0, frozenset(turned_cell(c, turn) for c in p.cells)) for p in layout.pieces},
            set(),
        )
        for turn in range(6)
    ]


def _in_rings(game: Played) -> list[Seen]:
    """Return the last layout of a game, with boards counted from each of them in turn."""
    layout, boards = game.layouts[-1], len(game.players)
    return [
        (
            {
                (p.tile, ((p.board or 0) + first) % boards, frozenset(p.cells))
                for p in layout.pieces
            },
            {((c.board + first) % boards, c.cell, c.kind, c.opens) for c in layout.clay},
        )
        for first in range(boards)
    ]


def _said(state: Mapping[str, Any]) -> Seen:
    tiles = {
        (str(entry["tile"]), entry.get("board", 0), frozenset((q, r) for q, r in entry["cells"]))
        for entry in (*state["tiles"], *state["unsure"])
    }
    return tiles, {
        (c["board"], (c["cell"][0], c["cell"][1]), c["kind"], c.get("opens")) for c in state["clay"]
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
        "stained": lambda home: evaluate_stained(home, asked.boxes // 2),
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
