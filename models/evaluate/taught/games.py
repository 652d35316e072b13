"""A whole game with a taught copy of the box, and the same with the built-in one: equal verdicts?

The referee lies above this package, so it is run as a program of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.game import Move
from engine.placement import Layout
from models.evaluate.harness import ROOT, told
from models.evaluate.taught import ropes, stained, wood
from models.scenes.games.positions import Played, played
from models.scenes.world.faces import Box
from vision.hexes.cells import turned_cell

SIZE_PX = (1600, 1200)
Verdict = tuple[int, str, str, bool]
"""Number, player, tile and whether it was legal."""
Tile = tuple[str, frozenset[tuple[int, int]]]
"""Name and cells."""


@dataclass(frozen=True)
class Trial:
    """A box that is taught, and the game that is played with it."""

    name: str
    about: str
    shape: str
    game: str
    seed: int
    box: Callable[[], Box]
    write_lessons: Callable[[Path], Any]
    write_game: Callable[[Path, Box | None, int | None, tuple[int, int]], Played]


ROPES = Trial("ropes", "in other art", "square", ropes.GAME, ropes.GAME_SEED,
              ropes.rope_box, ropes.write_lessons, ropes.write_game)  # fmt: skip
WOODEN = Trial("wood", "of wood, on a wooden board", "hex", wood.GAME, wood.GAME_SEED,
               wood.wooden_box, wood.write_lessons, wood.write_game)  # fmt: skip


def evaluate_game(home: Path, trial: Trial = ROPES) -> Iterator[str]:
    """Teach the copy from two photographs, referee the game with both boxes, compare."""
    lessons = home / f"{trial.name}-lessons"
    trial.write_lessons(lessons)
    _run(
        home, "teach", trial.name, "--shape", trial.shape, "--photos", str(lessons),
        "--labels", str(lessons / "labels.json"), "--game", trial.game,
        "--map", str(lessons / "map.json"),
    )  # fmt: skip
    events: dict[str, list[dict[str, Any]]] = {}
    for name, box in ((trial.name, trial.box()), (trial.game, None)):
        game = trial.write_game(home / name, box, None, SIZE_PX)
        lines = _run(home, "watch", f"folder:{home / name}", "--game", trial.game, "--set", name,
                     "--players", ",".join(game.players), "--new")  # fmt: skip
        events[name] = [json.loads(line) for line in lines.splitlines()]
    verdicts = {name: _verdicts(said) for name, said in events.items()}
    own, built_in = verdicts[trial.name], verdicts[trial.game]
    asked = sum(event["event"] == "question" for event in events[trial.name])
    equal = sum(a == b for a, b in zip(own, built_in, strict=False))
    one = played(trial.game, "held-out", "greedy", trial.seed)
    true = [(n + 1, m.player, _tile_of(m), True) for n, m in enumerate(one.moves)]
    yield f"a taught copy of {trial.game} {trial.about}: a game of {len(true)} moves"
    yield f"  verdicts equal to those with the built-in box: {equal} of {len(built_in)}"
    yield f"  verdicts as the game was played: {sum(v in true for v in own)}"
    yield f"  questions asked: {asked}"


def evaluate_wooden(home: Path, tables: int) -> Iterator[str]:
    """Referee a game with the wooden Snekagon, then read other tables of it with all tiles on."""
    yield from evaluate_game(home, WOODEN)
    exact = right = count = 0
    for seed in range(wood.TABLE_SEEDS, wood.TABLE_SEEDS + tables):
        photo = home / f"wood-{seed}.jpg"
        layout = wood.write_table(photo, seed)
        said = json.loads(_run(home, "read", str(photo), "--set", "wood", "--json", may_fail=True))
        truth = {(piece.tile, frozenset(piece.cells)) for piece in layout.pieces}
        same = max(len(truth & _tiles(said, turn)) for turn in range(6))
        extra = len(said["tiles"]) + len(said["unsure"]) - same
        right, count = right + same, count + len(truth)
        exact += same == len(truth) and not extra
    yield f"  tiles right on other tables: {told(right, count, 100)}"
    yield f"  tables exactly right: {told(exact, tables, 100)}"


def evaluate_stained(home: Path, tables: int) -> Iterator[str]:
    """Teach Snekagon 5G in other art from three photographs, then read the last tables of games."""
    lessons = home / "stained-lessons"
    stained.write_lessons(lessons)
    _run(home, "teach", "stained", "--shape", "hex", "--photos", str(lessons), "--labels",
         str(lessons / "labels.json"), "--game", stained.GAME)  # fmt: skip
    sums = {"tiles": [0, 0], "clay": [0, 0], "tables": [0, 0]}
    for seed in range(stained.TABLE_SEEDS, stained.TABLE_SEEDS + tables):
        photo = home / f"stained-{seed}.jpg"
        one = stained.write_table(photo, seed)
        said = json.loads(_run(home, "read", str(photo), "--set", "stained", "--json",
                               may_fail=True))  # fmt: skip
        layout, boards = one.layouts[-1], len(one.players)
        ways = [_on_boards(layout, boards, first) for first in range(boards)]
        tiles, clay = max(ways, key=lambda way: len(way[0] & _read_tiles(said)))
        sums["tiles"][0] += len(tiles & _read_tiles(said))
        sums["clay"][0] += len(clay & _read_clay(said))
        sums["tables"][0] += tiles == _read_tiles(said) and clay == _read_clay(said)
        for key, count in (("tiles", len(tiles)), ("clay", len(clay)), ("tables", 1)):
            sums[key][1] += count
    yield "a taught copy of snekagon5g of stained wood, rings of tin for clay: last tables of games"
    yield f"  tiles right, on the right board: {told(sums['tiles'][0], sums['tiles'][1], 100)}"
    yield f"  clay right, and where it opens to: {told(sums['clay'][0], sums['clay'][1], 100)}"
    yield f"  tables exactly right: {told(sums['tables'][0], sums['tables'][1], 100)}"


def _on_boards(layout: Layout, boards: int, first: int) -> tuple[set[Any], set[Any]]:
    """Return tiles and clay with the boards counted on from one of them."""
    tiles = {(p.tile, ((p.board or 0) + first) % boards, frozenset(p.cells)) for p in layout.pieces}
    clay = {((c.board + first) % boards, c.cell, c.kind, c.opens) for c in layout.clay}
    return tiles, clay


def _read_tiles(state: Mapping[str, Any]) -> set[Any]:
    return {
        (str(entry["tile"]), entry.get("board", 0), frozenset((q, r) for q, r in entry["cells"]))
        for entry in (*state["tiles"], *state["unsure"])
    }


def _read_clay(state: Mapping[str, Any]) -> set[Any]:
    return {(c["board"], (c["cell"][0], c["cell"][1]), c["kind"], c.get("opens"))
            for c in state["clay"]}  # fmt: skip


def _tiles(state: Mapping[str, Any], turn: int) -> set[Tile]:
    return {
        (str(entry["tile"]), frozenset(turned_cell((q, r), turn) for q, r in entry["cells"]))
        for entry in (*state["tiles"], *state["unsure"])
    }


def _tile_of(move: Move) -> str:
    return str(move.tile or "")


def _verdicts(events: list[dict[str, Any]]) -> list[Verdict]:
    return [
        (e["n"], e["move"]["player"], e["move"].get("tile", ""), e["legal"])
        for e in events if e["event"] == "verdict"
    ]  # fmt: skip


def _run(home: Path, *arguments: str, may_fail: bool = False) -> str:
    made = subprocess.run(
        [sys.executable, "-m", "companion_app.cli", *arguments], cwd=ROOT, check=not may_fail,
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "SNAKE_EYE_HOME": str(home / "home")},
    )  # fmt: skip
    return made.stdout
