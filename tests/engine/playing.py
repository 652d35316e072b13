"""Random games to test with: every game and option, from seeds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.game import AnyGame, Json, Move, Start
from engine.games import GAMES
from engine.record import find_set, parse_options
from engine.tiles import TileSet

MOST_MOVES = 400
"""No game of ours is longer; a longer one does not end."""


@dataclass(frozen=True)
class Variant:
    """A game as it may be agreed on: players and options."""

    game: AnyGame
    players: tuple[str, ...]
    options: dict[str, Json]

    def __str__(self) -> str:
        options = ",".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.game.facts.name}-{len(self.players)}-{options or 'plain'}"

    @property
    def tile_set(self) -> TileSet:
        """Return the game's own box."""
        return find_set(self.game, None)

    def opening(self) -> Any:
        """Return the first position."""
        return self.game.opening(
            Start(self.players, parse_options(self.game, self.options)), self.tile_set
        )


def variants() -> list[Variant]:
    """Return every game with every option, and with each number of players."""
    return [
        Variant(GAMES[name], players, options)
        for name, listed in _VARIANTS.items()
        if name in GAMES
        for players, options in listed
    ]


def random_game(variant: Variant, seed: int) -> Iterator[tuple[Any, list[Move], Move]]:
    """Yield each position of a random game with its moves and the one that was chosen."""
    rng = random.Random(seed)
    position = variant.opening()
    for _ in range(MOST_MOVES):
        moves = variant.game.legal_moves(position)
        if not moves:
            return
        move = rng.choice(moves)
        yield position, moves, move
        position = variant.game.apply(position, move)
    raise AssertionError(f"{variant} did not end within {MOST_MOVES} moves")


_NEST = ("blue", "red", "yellow", "green")
_FIVE = ("blue", "red", "yellow", "green", "violet")
_CARNIVAL = ("yellow", "violet", "black", "red")
_VARIANTS: dict[str, list[tuple[tuple[str, ...], dict[str, Json]]]] = {
    "schlangennest": [
        (_NEST[:2], {}),
        (_NEST[:3], {"size": "easy"}),
        (_NEST, {"size": "hard"}),
        (_NEST[:2], {"size": [3, 4]}),
        (_NEST[1:3], {"size": None}),
        (_NEST[:3], {"tail_first": True}),
        (_NEST[:2], {"two_snakes": "both"}),
        (_NEST[:2], {"two_snakes": "one"}),
    ],
    "snekagon": [
        (("red", "green"), {}),
        (("green", "red"), {"second_without_1": True}),
    ],
    "snekagon5g": [
        (_FIVE[:2], {}),
        (_FIVE[:3], {"advanced": True}),
        (_FIVE[:2], {"far_drill": True}),
        (_FIVE[2:4], {"single_opening": True, "eyes": [[0, 0], [2, 1]]}),
    ],
    "sssnake": [
        (("a", "b"), {}),
        (("a", "b", "c"), {"rolls": "trust"}),
    ],
    "carnival": [
        (("yellow", "black"), {}),
        (("violet", "red"), {"snakes": 1, "gift_beside_log": "gift"}),
        (_CARNIVAL[:3], {"hands": "ask"}),
        (_CARNIVAL, {}),
    ],
}
