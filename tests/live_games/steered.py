"""Games that are steered to where chance never gets: two snakes whose four ends meet.

Where the next of the two must close his snake there, and where nobody may bring the ends together
since he has no curve left to close it with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from engine.game import Move, Start
from engine.games import game_named
from engine.nest.position import COLOURS
from engine.notation import read_layout
from engine.setfile import built_in_set
from models.lab.scenes.games.positions import Played
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Random

FREE_MOVES, LONGEST_GAME = 2, 60
WHIM = 1.5
"""How much worse a move may be, in cells, that is made all the same."""
NO_CURVE_LEFT = """
    blue/curve@0,0^1 red/straight@-1,-1 blue/curve@0,-1^2 red/curve@-2,-1^1 blue/curve@1,0
    red/curve@-2,-2^2 blue/curve@1,-1 red/straight@-1,-2 blue/curve@2,-1 red/curve@0,-2
    blue/curve@2,-2^2 red/curve@0,-3^2 blue/curve@1,-2^2 red/straight@1,-3^1 blue/curve@3,-2
    red/curve@1,-4^2 blue/curve@3,-3^3
"""
"""Blue has laid all its nine curves, and both its ends reach one place, where red has one too."""


@lru_cache(maxsize=32)
def meeting(number: int) -> Played:
    """Return a game of two in which the ends of both snakes are brought to one place."""
    game = game_named("schlangennest")
    rng = rng_of("meeting", number)
    return _steered(lambda position, choice, made: _chosen(game, position, choice, made, rng))


@lru_cache(maxsize=32)
def without_curves(number: int) -> Played:
    """Return a game of two in which blue has no curve left when red could bring the ends together.

    From there on it is played by chance.
    """
    rng = rng_of("without curves", number)
    written = [next(iter(read_layout(word).cards)) for word in NO_CURVE_LEFT.split()]

    def choose(position: Any, choice: list[Move], made: int) -> Move:
        if made < len(written):
            card = written[made]
            return Move(position.to_move, "place", card.tile, card.at, card.turns)
        laying = [move for move in choice if move.do == "place"] or choice
        return laying[int(rng.integers(len(laying)))]

    return _steered(choose)


STEERED: Mapping[str, Callable[[int], Played]] = {
    "must-close": meeting,
    "cannot-be-closed": without_curves,
}
"""By rule of Schlangennest: the games in which it can be broken."""


def _steered(choose: Callable[[Any, list[Move], int], Move]) -> Played:
    """Return a game of two whose moves are chosen by position, legal moves and number made."""
    game, box = game_named("schlangennest"), built_in_set("schlangennest")
    players = COLOURS[:2]
    positions = [game.opening(Start(players), box)]
    moves: list[Move] = []
    while len(moves) < LONGEST_GAME and (choice := game.legal_moves(positions[-1])):
        move = choose(positions[-1], choice, len(moves))
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
    reached = sorted(cell for colour in colours for cell, _ in position.ends(colour))
    if len(reached) < 2 * len(colours):
        return float(len(position.cards)) if len(position.cards) <= FREE_MOVES else 99.0
    middle = sorted(x for x, _ in reached)[2], sorted(y for _, y in reached)[2]
    return float(sum(abs(x - middle[0]) + abs(y - middle[1]) for x, y in reached))
