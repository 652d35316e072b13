"""Random games to test with: every game and option, from seeds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.game import AnyGame, Json, Move, Option, Start
from engine.games import GAMES
from engine.record import find_set, parse_options
from engine.tiles import TileSet

MOST_MOVES = 400
"""No game of ours is longer; a longer one does not end."""
MOST_PLAYERS = 4
"""More of them make a random game of Snekagon 5G slow, and nothing else of it."""
MORE: dict[str, Json] = {"size": [3, 4], "cells": [[0, 0], [2, 1]], "colours": "shared out"}
"""A value of each kind that an option does not list itself."""


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
    """Return every game plain and with every value of every option, for each number of players."""
    return [variant for game in GAMES.values() for variant in variants_of(game)]


def variants_of(game: AnyGame) -> list[Variant]:
    """Return a game's variants as its facts declare them; no two in a row seat as many people.

    Values that need cards laid before the game have tests of their own.
    """
    agreed: list[tuple[Option | None, dict[str, Json]]] = [(None, {})]
    for option in game.facts.options:
        needed = {name: values[0] for name, values in option.only_with.items()}
        needed = {n: v for n, v in needed.items() if v != default_of(game, n)}
        values = [v for v in option.values[1:] if v not in option.laid_before]
        values += [MORE[option.more]] if option.more else []
        agreed += [(option, {**needed, option.name: value}) for value in values]
    seats = [seated(game, option, place) for place, (option, _) in enumerate(agreed)]
    return [
        Variant(game, players, {n: _for_players(v, game, players) for n, v in options.items()})
        for players, (_, options) in zip(seats, agreed, strict=True)
    ]


def _for_players(value: Json, game: AnyGame, players: tuple[str, ...]) -> Json:
    """Return a value; in place of the word for it, the colours that two players share out."""
    if value != MORE["colours"]:
        return value
    rest = [name for name in game.facts.player_names or () if name not in players]
    return {player: [player, other] for player, other in zip(players, rest[::-1], strict=True)}


def default_of(game: AnyGame, name: str) -> Json:
    """Return what holds of an option where nobody chooses."""
    return next(option.default for option in game.facts.options if option.name == name)


def seated(game: AnyGame, option: Option | None, place: int) -> tuple[str, ...]:
    """Return players of the variant at a place: in turn two, three and four, and others first."""
    facts = game.facts
    numbers = (option.players if option else ()) or range(
        facts.fewest_players, min(facts.most_players, MOST_PLAYERS) + 1
    )
    count = list(numbers)[place % len(numbers)]
    names = facts.player_names or ("a", "b", "c", "d")
    first = place % len(names) if facts.player_names else 0
    step = 2 if facts.two_sit_opposite and count == 2 else 1
    return tuple(names[(first + step * seat) % len(names)] for seat in range(count))


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
