"""Games that are steered to where chance never gets: two snakes whose four ends meet."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.game import Move, Start
from engine.games import game_named
from engine.lattice import square_neighbour
from engine.nest.position import COLOURS
from engine.setfile import built_in_set
from models.scenes.positions import Played, Random
from models.scenes.splits import rng_of

STEERED_TO = "must-close"
"""The rule of Schlangennest that can be broken there."""
FREE_MOVES, LONGEST_GAME = 2, 60
WHIM = 1.5
"""How much worse a move may be, in cells, that is made all the same."""


@lru_cache(maxsize=32)
def meeting(number: int) -> Played:
    """Return a game of two in which the ends of both snakes are brought to one place."""
    game, box = game_named("schlangennest"), built_in_set("schlangennest")
    rng = rng_of("meeting", number)
    players = COLOURS[:2]
    positions = [game.opening(Start(players), box)]
    moves: list[Move] = []
    while len(moves) < LONGEST_GAME and (choice := game.legal_moves(positions[-1])):
        move = _chosen(game, positions[-1], choice, len(moves), rng)
        moves.append(move)
        positions.append(game.apply(positions[-1], move))
    layouts = tuple(game.layout(position) for position in positions)
    return Played(players, tuple(moves), layouts, tuple(positions))


def _chosen(game: Any, position: Any, choice: list[Move], made: int, rng: Random) -> Move:
    laying = [move for move in choice if move.do == "place"] or choice
    if made < FREE_MOVES:
        return laying[int(rng.integers(len(laying)))]
    whims = rng.random(len(laying)) * WHIM
    return min(
        zip(laying, whims, strict=True),
        key=lambda one: _apart(game.apply(position, one[0])) + float(one[1]),
    )[0]


def _apart(position: Any) -> float:
    """Return how far the places that ends reach lie from their middle; far where some are gone."""
    colours = [colour for own in position.agreed.colours.values() for colour in own]
    reached = sorted(square_neighbour(*end) for colour in colours for end in position.ends(colour))
    if len(reached) < 2 * len(colours):
        return float(len(position.cards)) if len(position.cards) <= FREE_MOVES else 99.0
    middle = sorted(x for x, _ in reached)[2], sorted(y for _, y in reached)[2]
    return float(sum(abs(x - middle[0]) + abs(y - middle[1]) for x, y in reached))
