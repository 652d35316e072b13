"""Analysis of a recorded game: the value of every position, turning points, luck and skill.

A position's value is the mean result of playing it out many times. A move is compared with others
draw by draw: the same rolls, deals and samples meet both (common random numbers). Every figure has
an interval, and what that leaves open is not told: no turning point, no better move, no luck.
"""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any
from zlib import crc32

from engine.carnival.position import CarnivalPosition
from engine.draws import SssnakePosition
from engine.game import AnyGame, Move
from engine.play.book_world import BookWorld
from engine.play.carnival_world import carnival_world
from engine.play.levels import BY_THE_BOOK, SKILLS
from engine.play.search import Depth, outlook
from engine.play.sssnake_world import sssnake_world
from engine.play.thought import Seat, expected_for
from engine.play.world import World, lead, shares
from engine.play.worlds import world_of
from engine.record import Record

CERTAIN = 3.3
"""Half an interval, in standard errors: so wide that in 19 of 20 games every figure holds."""
TURNING = 0.2
"""The least change of the expected result from which on a move is a turning point."""
DOUBTFUL = 1.0
"""Standard errors up to which a difference is not looked at any closer: it will hardly be sure."""
MOST_TURNING = 5
TRIED = 5
"""How many other moves are compared with the one that was made."""
SCREENED = 4
"""The part of the usual draws that chooses the best of the other moves; fresh ones confirm it."""
MORE, MOST = 4, 24
"""Up to so many times the usual draws are made where a difference may be sure, and where it may
be a turning point."""
TO_THE_END = Depth(sampled=4)
FOR_A_WHILE = Depth(sampled=4, horizon=8)
"""Five players on five boards would take seconds to play out; the position then is weighed."""
GLANCES: Mapping[str, tuple[Depth, int, int]] = {
    "schlangennest": (TO_THE_END, 64, 40),
    "snekagon": (TO_THE_END, 64, 20),
    "snekagon5g": (FOR_A_WHILE, 32, 20),
    "sssnake": (SKILLS["sssnake"].depth, 96, 150),
    "carnival": (SKILLS["carnival"].depth, 24, 140),
}
"""By game: how a position is played out, how often, and up to how many moves of a game; in longer
games less often, so that each is looked over within a minute."""
FEWEST_DRAWS = 12
AT_ONCE = 4
"""Moves in a row that one of several processes looks over: neighbours share positions."""

Expected = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that was estimated, with its interval."""

    value: float = 0.0
    margin: float = 0.0
    """Half the width of the interval."""

    @property
    def is_sure(self) -> bool:
        """Whether the interval leaves no doubt that there is anything."""
        return abs(self.value) > self.margin

    @property
    def told(self) -> float:
        """The value if it is sure, else 0."""
        return self.value if self.is_sure else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The lowest and the highest value that the draws allow."""
        return self.value - self.margin, self.value + self.margin

    def is_surely_beyond(self, limit: float) -> bool:
        """Say whether the whole interval lies beyond a limit, on either side of 0."""
        return abs(self.value) - self.margin >= limit

    def leaves_open(self, limit: float) -> bool:
        """Say whether the value may lie on either side of a limit."""
        return abs(abs(self.value) - limit) < self.margin


@dataclass(frozen=True, slots=True)
class Step:
    """The analysis of one move."""

    move: Move
    before: Expected
    """Each player's expected result before the move."""
    after: Expected
    margins: tuple[float, float]
    """Half the interval of the mover's result, before and after."""
    luck: Figure
    """What a roll gained the mover, in wins; a draw counts as half a win."""
    skill: Figure
    """What the choice cost the mover against a better move, in wins; never above 0 if sure."""
    best: Move | None
    """A move that was surely better."""

    @property
    def is_turning(self) -> bool:
        """Whether a roll or a choice has surely changed the game."""
        return self.luck.is_surely_beyond(TURNING) or self.skill.is_surely_beyond(TURNING)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The analysis of a whole game."""

    steps: tuple[Step, ...]
    turning: tuple[int, ...]
    """Indices of the moves with the largest effect, from 0, in the order of play."""
    lucks: Mapping[str, Figure]

    def luck(self, player: str) -> Figure:
        """Return what rolls gained a player, in wins."""
        return self.lucks.get(player, Figure())

    def skill(self, player: str) -> Figure:
        """Return what a player's choices surely cost against better ones, in wins."""
        sure = [s.skill for s in self.steps if s.move.player == player and s.skill.is_sure]
        margin = sqrt(sum(one.margin**2 for one in sure))
        return Figure(sum(one.value for one in sure), margin)


def analyse(
    record: Record,
    looks: int | None = None,
    seed: int = 0,
    told: Callable[[int], None] = lambda _: None,
    processes: int = 1,
) -> Analysis:
    """Analyse a legal record.

    Args:
        record: the game.
        looks: how often a position is played out; where moves are close, more often. ``None``:
            the game's usual number.
        seed: the same seed gives the same answer.
        told: progress callback, called with the number of moves analysed.
        processes: how many share the work, forked from a process without threads; the answer is
            the same.
    """
    eye, count = _Eye(record, looks, seed), len(record.moves)
    several = processes > 1 and "fork" in multiprocessing.get_all_start_methods()
    steps: list[Step] = []
    lucks: dict[str, list[float]] = {}
    for step, gained in _by_several(eye, count, processes) if several else eye.steps(0, count):
        steps.append(step)
        if gained:
            kept = lucks.get(step.move.player, [0.0] * len(gained))
            lucks[step.move.player] = [a + b for a, b in zip(kept, gained, strict=True)]
        told(len(steps))
    weights = [(abs(s.luck.told + s.skill.told), n) for n, s in enumerate(steps) if s.is_turning]
    heavy = sorted(weights, reverse=True)[:MOST_TURNING]
    figures = {player: figure_of(gained) for player, gained in lucks.items()}
    return Analysis(tuple(steps), tuple(sorted(n for _, n in heavy)), figures)


def _by_several(eye: _Eye, count: int, processes: int) -> Iterator[tuple[Step, list[float]]]:
    """Yield every step, looked over by several processes."""
    firsts = range(0, count, AT_ONCE)
    with multiprocessing.get_context("fork").Pool(processes, _share, (eye,)) as pool:
        for part in pool.imap(_part, firsts):
            yield from part


def _share(eye: _Eye) -> None:
    """Keep, in a process of its own, what it looks over; a fork need not pickle it."""
    globals()["_shared"] = eye


def _part(first: int) -> list[tuple[Step, list[float]]]:
    eye: _Eye = globals()["_shared"]
    return list(eye.steps(first, first + AT_ONCE))


def figure_of(differences: Sequence[float]) -> Figure:
    """Return the mean of paired differences.

    Two more differences as large as the largest, one of each sign, keep the interval from
    vanishing where few draws all say the same.
    """
    count = len(differences) + 2
    largest = max((abs(one) for one in differences), default=0.0)
    mean = sum(differences) / count
    spread = (sum(one * one for one in differences) + 2 * largest**2) / count - mean**2
    return Figure(mean, CERTAIN * sqrt(max(0.0, spread) / count))


class _Place:
    """A position that is played out again and again; its draws are kept."""

    def __init__(self, game: AnyGame, position: Any, depth: Depth, seed: int, stream: int) -> None:
        self.position, self.stream = position, stream
        self._game, self._depth, self._seed = game, depth, seed
        self._drawn: list[list[float]] = []

    @cached_property
    def end(self) -> list[float] | None:
        """The result of a game that is over; ``None`` while it goes on."""
        outcome = self._game.outcome(self.position)
        won = [1.0 if who in outcome.winners else 0.0 for who in self.position.players]
        return shares(won) if outcome.over else None

    @cached_property
    def world(self) -> World:
        """A world that deals everything hidden at random."""
        position = self.position
        if isinstance(position, CarnivalPosition):
            return carnival_world(position, {})
        if isinstance(position, SssnakePosition) and None in position.turn.hand:
            # Cards drawn but not told count as not drawn: the world deals them again.
            turn = replace(position.turn, value=None, hand=(), own=0)
            position = replace(position, turn=turn)
        if isinstance(position, SssnakePosition):
            # The world sorts what it draws: equal moves must be tried in the same order here.
            hand = tuple(sorted(filter(None, position.turn.hand)))
            position = replace(position, turn=replace(position.turn, hand=hand))
            return sssnake_world(position) or BookWorld(self._game, position)
        return world_of(self._game, position, Seat())

    def drawn(self, count: int) -> Sequence[Sequence[float]]:
        """Return the results by seat of the first so many draws; each draw has its own seed."""
        if self.end is not None:
            return [self.end] * count
        depth = BY_THE_BOOK.depth if isinstance(self.world, BookWorld) else self._depth
        while len(self._drawn) < count:
            rng = random.Random(f"{self._seed} {self.stream} {len(self._drawn)}")
            self._drawn.append(outlook(self.world, depth, 1, rng))
        return self._drawn[:count]

    def expected(self, count: int) -> list[float]:
        """Return the mean result of every seat."""
        drawn = self.drawn(count)
        return [sum(column) / count for column in zip(*drawn, strict=True)]

    def of(self, seat: int, count: int) -> list[float]:
        """Return one seat's results."""
        return [one[seat] for one in self.drawn(count)]


class _Eye:
    """Compares positions of a game."""

    def __init__(self, record: Record, looks: int | None, seed: int) -> None:
        self._game, self._players = record.game, record.start.players
        self._depth, usual, length = GLANCES[record.game.facts.name]
        fewer = max(min(usual, FEWEST_DRAWS), usual * length // max(length, len(record.moves)))
        self._usual, self._seed, self._record = looks or fewer, seed, record

    def place(self, position: Any, stream: int) -> _Place:
        return _Place(self._game, position, self._depth, self._seed, stream)

    def steps(self, first: int, end: int) -> Iterator[tuple[Step, list[float]]]:
        """Yield some moves looked over, each with what a roll gained, draw by draw."""
        place = self.place(self._game.opening(self._record.start, self._record.tile_set), 0)
        for number, move in enumerate(self._record.moves[:end]):
            # Each move has draws of its own, or the same few rolls would be everywhere.
            stream = crc32(repr(move).encode(), place.stream)
            after = self.place(self._game.apply(place.position, move), stream)
            if number >= first:
                yield self._step(place, move, after)
            place = after

    def _step(self, place: _Place, move: Move, after: _Place) -> tuple[Step, list[float]]:
        seat = self._players.index(move.player)
        luck, skill, best, gained = Figure(), Figure(), None, list[float]()
        if move.do == "roll":
            # The hands of Carnival are hidden, so no luck is told there.
            gained = _difference(after, place, seat, 0, self._usual)
            luck = self._looked_closer(after, place, seat, 0)
        elif move.do != "pass":
            skill, best = self._chosen(place, move, after, seat)
        before, then = place.expected(self._usual), after.expected(self._usual)
        margins = [self._margin(one, seat) for one in (place, after)]
        step = Step(
            move,
            dict(expected_for(self._players, before)),
            dict(expected_for(self._players, then)),
            (margins[0], margins[1]),
            luck,
            skill,
            best,
        )
        return step, gained

    def _margin(self, place: _Place, seat: int) -> float:
        values = place.of(seat, self._usual)
        mean = sum(values) / len(values)
        return figure_of([one - mean for one in values]).margin

    def _chosen(
        self, place: _Place, move: Move, after: _Place, seat: int
    ) -> tuple[Figure, Move | None]:
        """Return what a choice cost, and the better move, if there surely was one."""
        others = {
            one: self.place(self._game.apply(place.position, one), after.stream)
            for one in self._others(place, move)
        }
        some = max(2, self._usual // SCREENED)
        for share in (1, 2):
            ranked = sorted(
                others, key=lambda one: -sum(_difference(others[one], after, seat, 0, share * some))
            )
            others = {one: others[one] for one in ranked[: 3 - share]}
        for best, instead in others.items():
            gain = self._looked_closer(instead, after, seat, 2 * some)
            if gain.is_sure and gain.value > 0:
                return Figure(-gain.value, gain.margin), best
        return Figure(), None

    def _looked_closer(self, one: _Place, other: _Place, seat: int, first: int) -> Figure:
        """Return how much better one position is, by more draws as long as they may decide it.

        Args:
            one: a position.
            other: the position that it is compared with.
            seat: whose result counts.
            first: the first draw that counts.
        """
        times = 0
        while True:
            times += 1
            last = first + times * self._usual
            found = figure_of(_difference(one, other, seat, first, last))
            is_likely = abs(found.value) > DOUBTFUL * found.margin / CERTAIN
            may_be_sure = is_likely and not found.is_sure and times < MORE
            may_turn = is_likely and found.leaves_open(TURNING) and abs(found.value) > TURNING
            if not (may_be_sure or (may_turn and times < MOST)):
                return found

    def _others(self, place: _Place, move: Move) -> list[Move]:
        """Return the best other moves of the mover by static evaluation."""
        position = place.position
        if isinstance(position, CarnivalPosition):
            return self._other_places(position, move)
        if isinstance(position, SssnakePosition) and None in position.turn.hand:
            return []
        world, rng = place.world, random.Random(self._seed)
        found = sorted(world.prospects(rng), key=lambda one: -one[0])
        legal = (world.move(token) for _, token in found[: TRIED + 1])
        return [one for one in legal if one != move and one.player == move.player][:TRIED]

    def _other_places(self, position: CarnivalPosition, move: Move) -> list[Move]:
        """Return other places for the tile that was laid: which tiles were in hand is unknown."""
        legal = self._game.legal_moves(position)
        ways = [one for one in legal if one.tile == move.tile and one != move and one.tile]
        seat = self._players.index(move.player)
        worlds = {one: carnival_world(self._game.apply(position, one), {}) for one in ways}
        return sorted(ways, key=lambda one: -lead(worlds[one].standing(), seat))[:TRIED]


def _difference(one: _Place, other: _Place, seat: int, first: int, last: int) -> list[float]:
    pairs: Iterable[tuple[float, float]] = zip(
        one.of(seat, last)[first:], other.of(seat, last)[first:], strict=True
    )
    return [a - b for a, b in pairs]
