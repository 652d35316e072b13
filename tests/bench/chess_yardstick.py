"""python-chess in its own middle games, measured in the same run: the yardstick of the engine."""

from __future__ import annotations

import random
from functools import cache
from time import perf_counter
from typing import NamedTuple

import chess

POSITIONS = 300
FIRST_PLY, LAST_PLY = 20, 80
"""A middle game, in half moves of random play."""
REPEATS = 5


class Yardstick(NamedTuple):
    """What python-chess does in a second on this machine, now."""

    lists_per_s: float
    moves_listed_per_s: float
    is_legal_per_s: float
    counted: str


@cache
def python_chess() -> Yardstick:
    """Measure python-chess once a run; the best of some repeats."""
    boards = [_middle_game(seed) for seed in range(POSITIONS)]
    list_s, legal_s, moves, calls = [], [], 0, 0
    for _ in range(REPEATS):
        fresh = [board.copy(stack=False) for board in boards]
        start = perf_counter()
        listed = [list(board.legal_moves) for board in fresh]
        list_s.append(perf_counter() - start)
        moves = sum(map(len, listed))
        tried = [
            (board, move) for board, moves in zip(fresh, listed, strict=True) for move in moves
        ]
        start = perf_counter()
        for board, move in tried:
            board.is_legal(move)
        legal_s.append(perf_counter() - start)
        calls = len(tried)
    return Yardstick(
        POSITIONS / min(list_s),
        moves / min(list_s),
        calls / min(legal_s),
        f"{POSITIONS} middle games, {calls} is_legal calls, best of {REPEATS}",
    )


def _middle_game(seed: int) -> chess.Board:
    rng = random.Random(seed)
    while True:
        board = chess.Board()
        for _ in range(rng.randint(FIRST_PLY, LAST_PLY)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        else:
            return board
