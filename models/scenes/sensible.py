"""A player who looks one move ahead: sensible enough to watch, quick enough for a demo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.game import AnyGame, Move
from engine.lattice import Cell

Random = np.random.Generator
Allowed = Callable[[Move], bool]

TRIED_MOVES = 24
"""So many moves are looked at: enough not to miss what lies at hand."""
FINALE_AFTER_TILES = 7
"""Carnival: so many tiles a player, and the last round is announced, as with small hands."""
LAST_PARTS = ("/head", "/tail")
"""Whoever lays them early has a short snake: they come when nothing else goes."""
LONGEST_GAME = 400


def sensible_move(
    game: AnyGame, position: Any, rng: Random, allowed: Allowed = lambda move: True
) -> Move | None:
    """Return the move that leads furthest ahead of the others; ``None`` when it is over.

    Args:
        game: the rule book.
        position: where it stands.
        rng: breaks ties, rolls and draws.
        allowed: moves to prefer where there are any, such as those within a picture.
    """  # fmt: skip
    listed = game.legal_moves(position)
    if not listed:
        return None
    if _is_time_for_the_finale(game, position):
        return Move(position.to_move, "finale")
    laying = [move for move in listed if move.do == "place"] or listed
    growing = [move for move in laying if not (move.tile or "").endswith(LAST_PARTS)] or laying
    choice = [move for move in growing if allowed(move)] or growing
    if len(choice) == 1 or choice[0].do == "roll":
        return choice[int(rng.integers(len(choice)))]
    tried = rng.choice(len(choice), min(TRIED_MOVES, len(choice)), replace=False)
    return max((choice[int(i)] for i in tried), key=lambda move: _worth(game, position, move))


def plan(game: AnyGame, position: Any, rng: Random, most: int = LONGEST_GAME) -> list[Move]:
    """Return the moves of a game from a position to its end."""
    moves: list[Move] = []
    while len(moves) < most:
        move = sensible_move(game, position, rng)
        if move is None:
            break
        moves.append(move)
        position = game.apply(position, move)
    return moves


def cells_of(move: Move) -> tuple[Cell, ...]:
    """Return the cells that a move names."""
    if move.cells is not None:
        return move.cells
    return () if move.at is None else (move.at,)


def _worth(game: AnyGame, position: Any, move: Move) -> float:
    scores = game.outcome(game.apply(position, move)).scores
    own = scores.get(move.player)
    others = [s for name, s in scores.items() if name != move.player and s is not None]
    return (-99.0 if own is None else own) - 0.5 * max(others, default=0)


def _is_time_for_the_finale(game: AnyGame, position: Any) -> bool:
    if "finale" not in game.facts.actions:
        return False
    tiles = len(game.layout(position).cards)
    enough = tiles >= FINALE_AFTER_TILES * len(position.players)
    return enough and game.judge(position, Move(position.to_move, "finale")).legal
