"""How fast Snekagon and Snekagon 5G list, judge and cut; each position has just come about."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter

from engine.decompose import decompose
from engine.game import Json, Move, Start
from engine.games.snekagon import Snekagon
from engine.games.snekagon5g import Snekagon5G
from engine.hexposition import HexPosition
from engine.lattice import HEX_STEPS
from engine.setfile import built_in_set
from tests.bench.chess_yardstick import REPEATS, python_chess

HexGame = Snekagon | Snekagon5G
Step = tuple[HexPosition, Move]
"""A position and the move that leads to the one that is measured."""
SNEKAGON, FIVE_G = Snekagon(), Snekagon5G()
TWO = ("red", "green")
FIVE = ("blue", "red", "yellow", "green", "violet")
POSITIONS = 60
EARLY, MIDDLE, MIDDLE_5G = (1, 4), (6, 10), (10, 30)
"""In tiles laid; a full game of two has 16, of five 50."""
TRIED_EACH = 3
LIST_RATIO_WANTED, LIST_RATIO_WANTED_5G = 1.0, 0.25
JUDGE_CALLS_WANTED = 150
CUT_MS_WANTED = 50

Row = tuple[str, float, str, str]
"""What was measured, the figure, its unit, and how it was counted."""


def rows() -> list[Row]:
    """Return what the benchmark's table shows of the hex games."""
    early = list(_steps(SNEKAGON, TWO, EARLY, {}))
    middle = list(_steps(SNEKAGON, TWO, MIDDLE, {}))
    five = list(_steps(FIVE_G, FIVE, MIDDLE_5G, {}))
    advanced = list(_steps(FIVE_G, FIVE, MIDDLE_5G, {"advanced": True}))
    return [
        _listing("snekagon, early", SNEKAGON, early, LIST_RATIO_WANTED),
        _listing("snekagon, middle game", SNEKAGON, middle, LIST_RATIO_WANTED),
        _listing("snekagon5g, five players", FIVE_G, five, LIST_RATIO_WANTED_5G),
        _listing("snekagon5g, five players, advanced", FIVE_G, advanced, LIST_RATIO_WANTED_5G),
        _judging("snekagon", SNEKAGON, early + middle),
        _judging("snekagon5g", FIVE_G, five),
        _judging("snekagon5g, advanced", FIVE_G, advanced),
        _cutting(middle),
    ]


def _steps(
    game: HexGame, players: tuple[str, ...], tiles: tuple[int, int], options: dict[str, Json]
) -> Iterator[Step]:
    """Yield steps of random play that escapes and grows a little more than chance would."""
    box = built_in_set(game.facts.name)
    for seed in range(POSITIONS):
        rng = random.Random(seed)
        position = game.opening(Start(players, options), box)
        step = (position, Move(players[0], "pass"))
        for _ in range(rng.randint(*tiles)):
            moves = game.legal_moves(position)
            drilled = [move for move in moves if move.origin]
            chosen = drilled if drilled and rng.random() < 1 / 3 else moves
            step = (position, rng.choice(chosen))
            position = game.apply(*step)
        yield step


def _listing(name: str, game: HexGame, steps: list[Step], wanted: float) -> Row:
    chess = python_chess()
    moves_per_s, moves = 0.0, 0
    for _ in range(REPEATS):
        fresh = [game.apply(*step) for step in steps]
        start = perf_counter()
        moves = sum(len(game.legal_moves(position)) for position in fresh)
        moves_per_s = max(moves_per_s, moves / (perf_counter() - start))
    return (
        f"{name}: moves listed a second, of python-chess's",
        moves_per_s / chess.moves_listed_per_s,
        f"x (at least {wanted})",
        f"{moves_per_s:.0f}/s against {chess.moves_listed_per_s:.0f}/s; "
        f"{len(steps)} positions, {moves / len(steps):.0f} moves each; {chess.counted}",
    )


def _judging(name: str, game: HexGame, steps: list[Step]) -> Row:
    chess = python_chess()
    tried = list(_tried(game, steps))
    judged_per_s, illegal = 0.0, 0
    for _ in range(REPEATS):
        fresh = [(game.apply(*step), move) for step, move in tried]
        start = perf_counter()
        illegal = sum(not game.judge(position, move).legal for position, move in fresh)
        judged_per_s = max(judged_per_s, len(fresh) / (perf_counter() - start))
    return (
        f"{name}: one full judgement, in python-chess is_legal calls",
        chess.is_legal_per_s / judged_per_s,
        f"calls (at most {JUDGE_CALLS_WANTED})",
        f"{judged_per_s:.0f}/s against {chess.is_legal_per_s:.0f}/s; "
        f"{len(tried)} moves, {illegal} of them illegal",
    )


def _tried(game: HexGame, steps: list[Step]) -> Iterator[tuple[Step, Move]]:
    """Yield legal moves, and the same one step aside, which mostly breaks something."""
    rng = random.Random(1)
    for step in steps:
        moves = [move for move in game.legal_moves(game.apply(*step)) if move.cells]
        for move in rng.sample(moves, min(TRIED_EACH, len(moves))):
            dq, dr = rng.choice(HEX_STEPS)
            yield step, move
            yield (
                step,
                replace(move, cells=tuple((q + dq, r + dr) for q, r in move.cells or ())),
            )


def _cutting(steps: list[Step]) -> Row:
    box = built_in_set("snekagon")
    slowest_ms = 0.0
    for position in [SNEKAGON.apply(*step) for step in steps]:
        cells = {colour: [spot[1:] for spot in own] for colour, own in position.own.items()}
        times_s = []
        for _ in range(REPEATS):
            start = perf_counter()
            decompose(cells, box)
            times_s.append(perf_counter() - start)
        slowest_ms = max(slowest_ms, min(times_s) * 1000)
    return (
        "snekagon: a board cut into tiles without a notch, slowest",
        slowest_ms,
        f"ms (at most {CUT_MS_WANTED})",
        f"{len(steps)} boards, best of {REPEATS}",
    )
