"""Who the machine is measured against: chance, greed, greed with foresight, OpenSpiel's MCTS."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from math import log2
from types import SimpleNamespace
from typing import Any

from engine.game import Move
from engine.play import Budget, think
from engine.play.carnival_world import CarnivalWorld
from engine.play.dealing import Dealer
from engine.play.hex_world import HexWorld
from engine.play.nest_world import NestWorld
from engine.play.world import Token, World, lead, shares
from engine.play.worlds import world_of

Rival = Callable[[Dealer, random.Random], Move]
"""Chooses a move in a game, from what the player to move knows."""

ENDS_WEIGHT, MOVES_WEIGHT = 2.0, 0.7
"""Weights from a first experiment: strands per open end, and hexes per doubling of own moves."""
TRIAL = 20
"""Simulations that measure the speed of OpenSpiel's bot, so that it gets the same seconds."""


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
        after = world.copy() if isinstance(world, CarnivalWorld) else world.deal(rng)
        after.play(token, rng)
        found.append((value(after, seat), world.move(token)))
    best = max(worth for worth, _ in found)
    return rng.choice([move for worth, move in found if worth == best])


def _tokens(world: World, rng: random.Random) -> list[Token]:
    if isinstance(world, NestWorld | HexWorld):
        return world.moves()
    return [token for _, token in world.prospects(rng)]


# --- OpenSpiel -----------------------------------------------------------------------------------


class SpielState:
    """A world with the interface of an OpenSpiel state; moves are numbered."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rng = random.Random(0)
        self._tokens: list[Token] | None = None

    def _listed(self) -> list[Token]:
        if self._tokens is None:
            self._tokens = _tokens(self._world, self._rng)
        return self._tokens

    def clone(self) -> SpielState:
        """Return a copy to play on."""
        other = SpielState(self._world.deal(self._rng))
        other._tokens = self._tokens
        return other

    def legal_actions(self, _player: int | None = None) -> list[int]:
        """Return the numbers of the legal moves."""
        return list(range(len(self._listed())))

    def apply_action(self, action: int) -> None:
        """Make a move."""
        self._world.play(self._listed()[action], self._rng)
        self._tokens = None

    def is_terminal(self) -> bool:
        """Say whether the game is over."""
        return not self._listed()

    def is_chance_node(self) -> bool:
        """Say whether chance moves: never in the games that this rival plays."""
        return False

    def current_player(self) -> int:
        """Return whose turn it is."""
        return self._world.turn

    def returns(self) -> list[float]:
        """Return 1 for a win, -1 for a loss, 0 for a tie of two."""
        return [2 * share - 1 for share in shares(self._world.points())]

    def token(self, action: int) -> Token:
        """Return the move of a number."""
        return self._listed()[action]


def openspiel(seconds: float) -> Rival:
    """Return OpenSpiel's Python MCTS bot with random rollouts and ``seconds`` per move."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts

    kind = SimpleNamespace(
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    )
    game = SimpleNamespace(get_type=lambda: kind, max_utility=lambda: 1.0, num_players=lambda: 2)

    def chosen(dealer: Dealer, rng: random.Random) -> Move:
        world = world_of(dealer.game, dealer.position, dealer.seat())
        state = SpielState(world)
        if len(state.legal_actions()) == 1:
            return world.move(state.token(0))
        chance = np.random.RandomState(rng.getrandbits(30))
        evaluator = mcts.RandomRolloutEvaluator(1, chance)

        def searched(simulations: int) -> int:
            bot = mcts.MCTSBot(game, 2.0, simulations, evaluator, random_state=chance)
            return int(bot.step(state))

        begun = time.process_time()
        searched(TRIAL)
        each = (time.process_time() - begun) / TRIAL
        return world.move(state.token(searched(max(TRIAL, int(seconds / each)))))

    return chosen


RIVALS: Mapping[str, Rival] = {
    "random": by_chance,
    "greedy": greedy,
    "greedy with open ends": with_open_ends,
    "greedy with mobility": with_moves,
}
