"""Analysis of a recorded game: the value of every move, turning points, luck and skill."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.carnival.position import CarnivalPosition
from engine.draws import SssnakePosition
from engine.game import AnyGame, Move
from engine.play.carnival_world import carnival_world
from engine.play.levels import SKILLS
from engine.play.player import think
from engine.play.search import outlook
from engine.play.sssnake_world import sssnake_world
from engine.play.thought import Budget, expected_for
from engine.play.world import World, lead, shares
from engine.record import Record

TURNING = 0.1
"""The change of the expected result, in wins, from which on a move is a turning point."""
MOST_TURNING = 5

Expected = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Step:
    """The analysis of one move."""

    move: Move
    before: Expected
    """Each player's expected result before the move, if the best move is made."""
    after: Expected
    luck: float
    """What a roll or a draw gained the mover, in wins."""
    skill: float
    """What the choice cost the mover against the best move, in wins; never above 0."""
    best: tuple[Move, ...]
    """A better move and its likely continuation; empty if no move was better."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analysis of a whole game."""

    steps: tuple[Step, ...]
    turning: tuple[int, ...]
    """Indices of the moves with the largest effect, from 0, in the order of play."""

    def luck(self, player: str) -> float:
        """Return what rolls and draws gained a player, in wins."""
        return sum(step.luck for step in self.steps if step.move.player == player)

    def skill(self, player: str) -> float:
        """Return what a player's choices cost against the best ones, in wins."""
        return sum(step.skill for step in self.steps if step.move.player == player)


def analyse(
    record: Record, looks: int, seed: int = 0, told: Callable[[int], None] = lambda _: None
) -> Analysis:
    """Analyse a legal record.

    Args:
        record: the game.
        looks: the number of looks of the search for each position.
        seed: the same seed gives the same answer.
        told: progress callback, called with the number of moves analysed.
    """
    eye = _Eye(record.game, looks, seed)
    position = record.game.opening(record.start, record.tile_set)
    steps = []
    for number, move in enumerate(record.moves):
        after = record.game.apply(position, move)
        steps.append(eye.step(position, move, after))
        position = after
        told(number + 1)
    weights = [(abs(step.luck + step.skill), n) for n, step in enumerate(steps)]
    heavy = sorted((one for one in weights if one[0] >= TURNING), reverse=True)[:MOST_TURNING]
    return Analysis(tuple(steps), tuple(sorted(n for _, n in heavy)))


class _Eye:
    """Evaluates positions, each with the same number of looks."""

    def __init__(self, game: AnyGame, looks: int, seed: int) -> None:
        self.game = game
        self.budget = Budget(looks=looks)
        self.seed = seed

    def step(self, position: Any, move: Move, after: Any) -> Step:
        if isinstance(position, CarnivalPosition):
            return self._with_a_drawn_tile(position, move, after)
        if move.do == "roll":
            before, then = self.expected(position), self.expected(after)
            luck = then[move.player] - before[move.player]
            return Step(move, before, then, luck, 0.0, ())
        return self._chosen(position, move, after)

    def _chosen(self, position: Any, move: Move, after: Any) -> Step:
        """Return the step of a free choice, compared with the best move of the search."""
        legal = self.game.legal_moves(position)
        then = self.expected(after)
        if len(legal) < 2 or move.do == "pass":
            return Step(move, then, then, 0.0, 0.0, ())
        thought = think(self.game, position, budget=self.budget, seed=self.seed)
        best = thought.best
        if best is None or best == move or best.player != move.player:
            return Step(move, then, then, 0.0, 0.0, ())
        instead = self.expected(self.game.apply(position, best))
        if instead[move.player] <= then[move.player]:
            return Step(move, then, then, 0.0, 0.0, ())
        skill = then[move.player] - instead[move.player]
        return Step(move, instead, then, 0.0, skill, thought.line)

    def _with_a_drawn_tile(self, position: CarnivalPosition, move: Move, after: Any) -> Step:
        """Return the step of a move from a hidden hand: the tile is luck, its place is skill."""
        before, then = self.expected(position), self.expected(after)
        best = self._best_way(position, move)
        ideal = then if best == move else self.expected(self.game.apply(position, best))
        if ideal[move.player] <= then[move.player]:
            best, ideal = move, then
        luck = ideal[move.player] - before[move.player]
        skill = then[move.player] - ideal[move.player]
        return Step(move, before, then, luck, skill, () if best == move else (best,))

    def _best_way(self, position: CarnivalPosition, move: Move) -> Move:
        """Return the best placement of the tile that was laid."""
        if move.tile is None:
            return move
        ways = [m for m in self.game.legal_moves(position) if m.tile == move.tile]
        rng = random.Random(self.seed)
        world = carnival_world(position, {})
        seat = world.turn
        return max([move, *ways], key=lambda way: lead(_standing(world, way, rng), seat))

    def expected(self, position: Any) -> Expected:
        """Return every player's expected result."""
        players: tuple[str, ...] = position.players
        outcome = self.game.outcome(position)
        if outcome.over:
            won = shares([1.0 if player in outcome.winners else 0.0 for player in players])
            return expected_for(players, won)
        world = self._hidden_world(position)
        if world is None:
            return think(self.game, position, budget=self.budget, seed=self.seed).expected
        rng = random.Random(self.seed)
        depth = SKILLS[self.game.facts.name].depth
        looks = self.budget.looks or 1
        return expected_for(players, outlook(world, depth, looks, rng))

    def _hidden_world(self, position: Any) -> World | None:
        """Return a world that deals everything hidden at random; ``None`` if nothing is hidden."""
        if isinstance(position, CarnivalPosition):
            return carnival_world(position, {})
        if isinstance(position, SssnakePosition):
            # Cards drawn but not told count as not drawn: the world deals them again.
            if None in position.turn.hand:
                turn = replace(position.turn, value=None, hand=(), own=0)
                position = replace(position, turn=turn)
            return sssnake_world(position)
        return None


def _standing(world: Any, way: Move, rng: random.Random) -> list[float]:
    after = world.copy()
    after.hands[after.turn].append(way.tile)
    after.play(way, rng)
    standing: list[float] = after.standing()
    return standing
