"""Who the machine is measured against: chance, greed, greed with foresight."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from math import log2
from typing import Any

from engine.game import Move
from engine.play import Budget, think
from engine.play.dealing import Dealer
from engine.play.hex_world import HexWorld
from engine.play.nest_world import NestWorld
from engine.play.world import Token, World, lead
from engine.play.worlds import world_of

Rival = Callable[[Dealer, random.Random], Move]
"""Chooses a move in a game, from what the player to move knows."""

ENDS_WEIGHT, MOVES_WEIGHT = 2.0, 0.7
"""Weights from a first experiment: strands per open end, and hexes per doubling of own moves."""


def machine(budget: Budget, level: int = 5) -> Rival:
    """Return the machine itself, called through its public interface."""

    def chosen(dealer: Dealer, rng: random.Random) -> Move:
        thought = think(
            dealer.game, dealer.position, dealer.seat(), budget, level, rng.getrandbits(30)
        )
        assert thought.best is not None
        return thought.best

    return chosen


def by_chance(dealer: Dealer, rng: random.Random) -> Move:
    """Choose any legal move."""
    return rng.choice(dealer.legal_moves())


def greedy(dealer: Dealer, rng: random.Random) -> Move:
    """Choose the move with the largest lead in score; ties are broken at random."""
    return _best(dealer, rng, lambda after, seat: lead(after.points(), seat))


def with_open_ends(dealer: Dealer, rng: random.Random) -> Move:
    """Choose by the score and two strands for each open end (Schlangennest)."""

    def value(after: NestWorld, seat: int) -> float:
        colours, web = after.position.agreed.colours.values(), after.position.web
        snakes = [[s for colour in own for s in web.of_colour(colour)] for own in colours]
        worth = [sum(s.length + ENDS_WEIGHT * len(s.ends) for s in own) for own in snakes]
        return lead(worth, seat)

    return _best(dealer, rng, value)


def with_moves(dealer: Dealer, rng: random.Random) -> Move:
    """Choose by the score and the own moves to come (Snekagon)."""

    def value(after: HexWorld, seat: int) -> float:
        ahead = lead([float(n) for n in after.points()], seat)
        return ahead + MOVES_WEIGHT * log2(1 + after.moves_left(seat))

    return _best(dealer, rng, value)


def _best(dealer: Dealer, rng: random.Random, value: Callable[[Any, int], float]) -> Move:
    world: Any = world_of(dealer.game, dealer.position, dealer.seat())
    seat = world.turn
    found: list[tuple[float, Move]] = []
    for token in _tokens(world, rng):
        after = world.copy()
        after.play(token, rng)
        found.append((value(after, seat), world.move(token)))
    best = max(worth for worth, _ in found)
    return rng.choice([move for worth, move in found if worth == best])


def _tokens(world: World, rng: random.Random) -> list[Token]:
    if isinstance(world, NestWorld | HexWorld):
        return world.moves()
    return [token for _, token in world.prospects(rng)]


RIVALS: Mapping[str, Rival] = {
    "random": by_chance,
    "greedy": greedy,
    "greedy with open ends": with_open_ends,
    "greedy with mobility": with_moves,
}
