"""Fits what stated results are worth: games of the machine against itself, then a curve a game.

Every game is kept as soon as it is over, so that a run can be broken off and taken up. With
``--to`` the curves are written where the player finds them, with a manifest of what they were
fitted to.

    python -m models.lab.evaluate.play_curve --to engine/play/curves.json
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from engine.game import Move
from engine.games import GAMES
from engine.play import HIGHEST, Budget
from engine.play.curve import Curve, log_odds
from engine.play.dealing import Dealer
from engine.play.levels import SKILLS
from engine.play.player import searched, tiles_laid
from models.lab.evaluate.harness import every_row, mark_of, parser_of
from models.lab.evaluate.play import Row, dealer_of, play_out, players_of
from models.lab.evaluate.play_rivals import by_chance
from models.lab.scenes.world.arrays import Json

GAMES_EACH = 60
PRIOR = 2.0
"""Strength of the prior that holds a curve to the plain one where there are few games."""
STEPS = 20
PLAIN = np.array([0.0, 1.0, 1.0])
BINS = 10
LONGEST_OPENING = 3
"""Most random opening moves per seat: where nothing is drawn, the machine would play the same game
every time."""


class Stated(NamedTuple):
    """A value that the search gave the player to move, and the game's result for that seat."""

    game: int
    value: float
    laid: int
    result: float


def play_one(task: str) -> Json:
    """Play one game of two against itself; return all values that the search gave."""
    name, number = task.split()
    rng = random.Random(f"curve {task}")
    dealer = dealer_of(name, players_of(Row(name, "", 0.5)), rng)
    budget = Budget(looks=SKILLS[name].looks)
    stated: list[tuple[str, float, int]] = []
    open_by_chance(dealer, rng)

    def chosen() -> Move:
        position, who = dealer.position, dealer.position.to_move
        seed = rng.getrandbits(30)
        thought = searched(dealer.game, position, dealer.seat(), budget, HIGHEST, seed)
        assert thought.best is not None
        if len(thought.ideas) > 1:
            laid = tiles_laid(dealer.game, position)
            stated.append((who, round(thought.expected[who], 4), laid))
        return thought.best

    ends = play_out(dealer, chosen)
    return {
        "game": name,
        "number": int(number),
        "tiles": tiles_laid(dealer.game, dealer.position),
        "stated": [[value, laid, ends[who]] for who, value, laid in stated],
    }


def open_by_chance(dealer: Dealer, rng: random.Random) -> None:
    """Make some random first moves, so that games against itself differ."""
    for _ in range(rng.randrange(LONGEST_OPENING * len(dealer.position.players) + 1)):
        while dealer.turn_up() is not None:
            pass
        if not dealer.is_over:
            dealer.make(by_chance(dealer, rng))


# --- Fitting ---


def error(pairs: Iterable[tuple[float, float]]) -> float:
    """Return the expected calibration error of stated shares, each with its result, in ten bins."""
    bins: dict[int, list[float]] = {}
    for stated, result in pairs:
        bins.setdefault(min(BINS - 1, int(stated * BINS)), []).append(stated - result)
    return sum(abs(sum(off)) for off in bins.values()) / max(sum(map(len, bins.values())), 1)


def fit(pairs: Sequence[Stated], tiles: float) -> Curve:
    """Return the likeliest curve for the ends of games, with a prior around the plain one."""
    if not pairs:
        return Curve(tiles=tiles)
    odds = np.array([log_odds(one.value) for one in pairs])
    part = np.array([min(1.0, one.laid / (2 * tiles)) for one in pairs])
    ends, weights = np.array([one.result for one in pairs]), np.array(_weights(pairs))
    given = np.stack([np.ones_like(odds), (1 - part) * odds, part * odds], axis=1)
    numbers = PLAIN.copy()
    for _ in range(STEPS):
        share = 1 / (1 + np.exp(-np.clip(given @ numbers, -30, 30)))
        down = given.T @ (weights * (share - ends)) + PRIOR * (numbers - PLAIN)
        bend = (given.T * (weights * share * (1 - share))) @ given + PRIOR * np.eye(len(PLAIN))
        numbers = numbers - np.linalg.solve(bend, down)
    shift, early, late = (round(float(number), 3) for number in numbers)
    return Curve(shift, early, late, round(tiles, 1))


def _weights(pairs: Sequence[Stated]) -> list[float]:
    """Return the weight of each stated result: those of one seat of one game weigh 3 at most."""
    many = Counter((one.game, one.result) for one in pairs)
    return [min(1.0, 3 / many[one.game, one.result]) for one in pairs]


def checked(pairs: Sequence[Stated], tiles: float, folds: int = 5) -> list[tuple[float, float]]:
    """Return shares by curves fitted to other games (cross-validation), each with its result."""
    told = []
    for fold in range(folds):
        curve = fit([one for one in pairs if one.game % folds != fold], tiles)
        told += [
            (curve.share(one.value, 2, one.laid), one.result)
            for one in pairs
            if one.game % folds == fold
        ]
    return told


def fitted(lines: Sequence[Json]) -> Json:
    """Return the curves of all games that were played, and their manifest."""
    curves, manifest = {}, {}
    plain_all: list[tuple[float, float]] = []
    told_all: list[tuple[float, float]] = []
    for name in [name for name in GAMES if any(one["game"] == name for one in lines)]:
        played = [one for one in lines if one["game"] == name]
        tiles = sum(one["tiles"] for one in played) / len(played) / 2
        pairs = [Stated(one["number"], *said) for one in played for said in one["stated"]]
        plain = [(one.value, one.result) for one in pairs]
        told = checked(pairs, tiles)
        curves[name] = asdict(fit(pairs, tiles))
        manifest[name] = {
            "games": len(played),
            "stated": len(pairs),
            "looks": SKILLS[name].looks,
            "error_plain": round(error(plain), 4),
            "error_on_other_games": round(error(told), 4),
        }
        plain_all += plain
        told_all += told
    manifest["all"] = {
        "stated": len(plain_all),
        "error_plain": round(error(plain_all), 4),
        "error_on_other_games": round(error(told_all), 4),
    }
    made_by = "python -m models.lab.evaluate.play_curve --to engine/play/curves.json"
    return {"made_by": made_by, "manifest": manifest, "curves": curves}


def main(arguments: list[str] | None = None) -> int:
    """Play what is missing, fit, and print the curves."""
    parser = parser_of("play_curve", __doc__, tuple(GAMES))
    parser.add_argument("--each", type=int, default=GAMES_EACH, help="games of each rule book")
    parser.add_argument("--to", type=Path, metavar="FILE", help="write the curves there")
    asked = parser.parse_args(arguments)
    tasks = [f"{name} {n}" for n in range(asked.each) for name in asked.games or GAMES]
    mark = mark_of("engine", without=("curves.json",))
    kept = every_row(asked.out / "play_curve.jsonl", tasks, play_one, asked.workers, mark)
    told = fitted(kept)
    if asked.games and asked.to and asked.to.exists():
        # Games that were not asked for keep their curve.
        before = json.loads(asked.to.read_text(encoding="utf-8"))
        for part in ("manifest", "curves"):
            told[part] = {**before[part], **told[part]}
        told["manifest"].pop("all")
    page = json.dumps(told, indent=1) + "\n"
    sys.stdout.write(page)
    if asked.to:
        asked.to.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
