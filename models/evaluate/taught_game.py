"""A whole game with a taught copy of the box, and the same with the built-in one: equal verdicts?

The referee lies above this package, so it is run as a program of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from models.evaluate.other_box import GAME, GAME_SEED, other_box, write_game, write_lessons
from models.scenes.positions import played

ROOT = Path(__file__).parents[2]
SIZE_PX = (1600, 1200)
Verdict = tuple[int, str, str, bool]
"""Number, player, tile and whether it was legal."""


def evaluate_game(home: Path) -> Iterator[str]:
    """Teach the copy from two photographs, referee the game with both boxes, compare."""
    lessons = home / "lessons"
    write_lessons(lessons)
    _run(
        home, "teach", "ropes", "--shape", "square", "--photos", str(lessons),
        "--labels", str(lessons / "labels.json"), "--game", GAME,
        "--map", str(lessons / "map.json"),
    )  # fmt: skip
    told: dict[str, list[dict[str, Any]]] = {}
    for name, box in (("ropes", other_box()), (GAME, None)):
        game = write_game(home / name, box, size_px=SIZE_PX)
        lines = _run(home, "watch", f"folder:{home / name}", "--game", GAME, "--set", name,
                     "--players", ",".join(game.players), "--new")  # fmt: skip
        told[name] = [json.loads(line) for line in lines.splitlines()]
    verdicts = {name: _verdicts(events) for name, events in told.items()}
    asked = sum(event["event"] == "question" for event in told["ropes"])
    equal = sum(a == b for a, b in zip(verdicts["ropes"], verdicts[GAME], strict=False))
    one = played(GAME, "held-out", "greedy", GAME_SEED)
    true = [(n + 1, m.player, str(m.tile), True) for n, m in enumerate(one.moves)]
    yield f"a taught copy of {GAME} in other art: a game of {len(true)} moves"
    yield f"  verdicts equal to those with the built-in box: {equal} of {len(verdicts[GAME])}"
    yield f"  verdicts as the game was played: {sum(v in true for v in verdicts['ropes'])}"
    yield f"  questions asked: {asked}"


def _verdicts(events: list[dict[str, Any]]) -> list[Verdict]:
    return [
        (e["n"], e["move"]["player"], e["move"].get("tile", ""), e["legal"])
        for e in events if e["event"] == "verdict"
    ]  # fmt: skip


def _run(home: Path, *arguments: str) -> str:
    made = subprocess.run(
        [sys.executable, "-m", "companion_app.cli", *arguments], cwd=ROOT, check=True,
        capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "SNAKE_EYE_HOME": str(home / "home")},
    )  # fmt: skip
    return made.stdout
