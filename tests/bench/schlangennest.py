"""How fast Schlangennest lists and judges; each position is new to the engine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter

from engine.game import Move
from engine.nest.position import NestPosition
from tests.bench.chess_yardstick import REPEATS, python_chess
from tests.engine.games.nest_tables import GAME, likely_move, near_legal_move, opening

POSITIONS = 200
FIRST_CARD, LAST_CARD = 16, 45
"""A middle game of four players, in cards laid."""
TRIED_EACH = 5
LIST_RATIO_WANTED = 0.1
JUDGE_RATIO_WANTED = 300.0

Row = tuple[str, float, str, str]
"""What was measured, the figure, its unit, and how it was counted."""


def rows() -> list[Row]:
    """Return what the benchmark's table shows of Schlangennest."""
    chess = python_chess()
    positions = list(_middle_games())
    tried = _tried(positions)
    lists_per_s = max(_lists_per_s(positions) for _ in range(REPEATS))
    judged_per_s = max(_judged_per_s(tried) for _ in range(REPEATS))
    counted = f"{len(positions)} middle games of four players"
    return [
        (
            "schlangennest: move lists a second, of python-chess's",
            lists_per_s / chess.lists_per_s,
            f"x (at least {LIST_RATIO_WANTED})",
            f"{lists_per_s:.0f}/s against {chess.lists_per_s:.0f}/s; {counted}; {chess.counted}",
        ),
        (
            "schlangennest: one full judgement, in python-chess is_legal calls",
            chess.is_legal_per_s / judged_per_s,
            f"calls (at most {JUDGE_RATIO_WANTED:.0f})",
            f"{judged_per_s:.0f}/s against {chess.is_legal_per_s:.0f}/s; {len(tried)} moves",
        ),
    ]


def _middle_games() -> Iterator[NestPosition]:
    seed = 0
    found = 0
    while found < POSITIONS:
        rng = random.Random(seed)
        seed += 1
        position = opening(["blue", "red", "yellow", "green"], {})
        for _ in range(rng.randint(FIRST_CARD, LAST_CARD)):
            moves = GAME.legal_moves(position)
            if not moves:
                break
            position = GAME.apply(position, likely_move(rng, position, moves))
        else:
            found += 1
            yield position


def _tried(positions: list[NestPosition]) -> list[tuple[NestPosition, Move]]:
    rng = random.Random(1)
    return [(p, near_legal_move(rng, p)) for p in positions for _ in range(TRIED_EACH)]


def _lists_per_s(positions: list[NestPosition]) -> float:
    start = perf_counter()
    for position in positions:
        GAME.legal_moves(replace(position))
    return len(positions) / (perf_counter() - start)


def _judged_per_s(tried: list[tuple[NestPosition, Move]]) -> float:
    start = perf_counter()
    for position, move in tried:
        GAME.judge(replace(position), move)
    return len(tried) / (perf_counter() - start)
