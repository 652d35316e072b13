"""What happens at the table in one evaluated game: moves, fouls, and a disturbance beside many.

Everything is decided before the first frame, so that the camera can have all of it in view.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from companion_app.live.explain import explain
from companion_app.live.likeness import last_laid
from companion_app.live.places import Spot, contents
from engine.game import AnyGame, Move
from engine.placement import Clay, Layout
from engine.tiles import TileSet
from models.lab.scenes.games.positions import Played
from models.lab.scenes.world.arrays import Random
from tests.live_games.fouls import Rules, find_foul
from tests.live_games.seldom import find_seldom

DISTURBANCES = (
    "nudge",
    "bump",
    "light",
    "dark",
    "sun",
    "cup",
    "hunting",
    "lean",
    "no-frames",
    "two-at-once",
    "take-back-one",
    "take-back-several",
    "turned",
    "replaced",
    "out-of-turn",
    "black-frames",
    "torn-frame",
    "other-size",
    "duplicates",
    "out-of-order",
    "killed",
    "late-clay",
)
ONCE = ("two-at-once",)
"""Happens once in a game: people wait for each other, and where both orders are legal the referee
has to ask."""
NONE = "none"
NO_FOULS: Mapping[int, str] = MappingProxyType({})
FOUL_SHARE = 0.1
DISTURBED_SHARE = 0.6
FEW_TILES = 3
"""Cups and sleeves find no tile on an emptier table."""
JOINED_FROM = 4
"""A game taken up in its middle has at least so many tiles."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that happens: a word, a foul and its taking back, or a move or two."""

    what: str
    """``told``, ``foul`` or ``move``."""
    number: int
    """The move of the game that it is about, from 0."""
    disturbance: str = NONE
    moves: int = 1
    """How many moves of the game are made in one go."""
    other: Layout | None = None
    """What is laid before the right thing: a foul, or another legal move."""
    rules: tuple[str, ...] = ()
    """What a foul breaks."""


def acts_of(
    game: AnyGame,
    box: TileSet,
    one: Played,
    rng: Random,
    first: int = 0,
    kinds: tuple[str, ...] = DISTURBANCES,
    hunted: frozenset[str] = frozenset(),
    seldom: Mapping[int, str] = NO_FOULS,
) -> Iterator[Act]:
    """Yield all that happens, each act planned when it is asked for.

    Args:
        game: the rule book.
        box: the set.
        one: the game.
        rng: decides what happens beside its moves.
        first: the move from which on it is played.
        kinds: disturbances.
        hunted: rules to be broken rather than others.
        seldom: rules that are broken before certain moves, or after the last one, in place of the
            first fouls that chance would make.
    """
    planner = _Planner(game, box, one, rng, list(kinds), hunted, seldom)
    rng.shuffle(planner.queue)
    number = first
    while number < len(one.moves):
        more = list(planner.acts(number, first))
        yield from more
        number = more[-1].number + more[-1].moves
    if number in seldom:
        yield from planner.seldom_foul(number)


def layouts_of(acts: list[Act]) -> Iterator[Layout]:
    """Yield the layouts beside the game's own."""
    return (act.other for act in acts if act.other is not None)


def middle_of(game: AnyGame, one: Played) -> int | None:
    """Return a move in the middle before which a game can be taken up; ``None`` without any."""
    rolls = "roll" in game.facts.actions
    for number in range(len(one.moves) // 2, len(one.moves)):
        laid = [p for p in one.layouts[number].placements() if not isinstance(p, Clay)]
        new_turn = one.moves[number].do == "roll" if rolls else one.moves[number].do == "place"
        whose = one.moves[number].player == one.positions[number].to_move
        if len(laid) >= JOINED_FROM and new_turn and whose:
            return number
    return None


@dataclass
class _Planner:
    game: AnyGame
    box: TileSet
    one: Played
    rng: Random
    queue: list[str]
    hunted: frozenset[str]
    seldom: Mapping[int, str]

    def __post_init__(self) -> None:
        self.fouls: Counter[Rules] = Counter()
        self._stand_for = len(self.seldom)

    def acts(self, number: int, first: int) -> Iterator[Act]:
        """Yield what happens up to one more move of the game; the move comes last."""
        if self._unseen(number):
            yield Act("told", number)
            return
        foul = self.rng.random() < FOUL_SHARE
        if number in self.seldom:
            yield from self.seldom_foul(number)
        elif foul and self._stand_for:
            self._stand_for -= 1
        elif foul:
            yield from self._foul(number)
        if self.rng.random() >= DISTURBED_SHARE:
            yield Act("move", number)
            return
        for kind in self.queue:
            act = self._disturbed(kind, number, first)
            if act is not None:
                self.queue.remove(kind)
                if kind not in ONCE:
                    self.queue.append(kind)
                if act.what == "foul":
                    yield act
                    break
                yield act
                return
        yield Act("move", number)

    def _unseen(self, number: int) -> bool:
        return bool(self.one.layouts[number] == self.one.layouts[number + 1])

    def _foul(self, number: int) -> Iterator[Act]:
        position, before = self.one.positions[number], self.one.layouts[number]
        found = find_foul(self.game, self.box, position, before, self.rng, self.fouls, self.hunted)
        if found is not None and not self._is_made_anew(number, found[0]):
            self.fouls[found[1]] += 1
            yield Act("foul", number, other=found[0], rules=found[1])

    def seldom_foul(self, number: int) -> Iterator[Act]:
        """Yield the foul that a certain rule asks for here."""
        found = find_seldom(
            self.game,
            self.box,
            self.one.positions[number],
            self.one.layouts[number],
            self.seldom[number],
            self.rng,
            lambda table: self._is_made_anew(number, table),
        )
        if found is not None:
            self.fouls[found[1]] += 1
            yield Act("foul", number, other=found[0], rules=found[1])

    def _is_made_anew(self, number: int, table: Layout) -> bool:
        """Say whether a table looks as if the last move had been taken back and made otherwise.

        Nobody can see whose hand turned the tile that was laid last.
        """
        layouts = self.one.layouts[: number + 1]
        if last_laid(layouts) & set(table.placements()):
            return False
        other = [n for n, layout in enumerate(layouts) if layout != layouts[-1]]
        return bool(other) and bool(explain(self.game, self.one.positions[other[-1]], table).rows)

    def _disturbed(self, kind: str, number: int, first: int) -> Act | None:
        """Return a move with something beside it; ``None`` where that cannot be here."""
        act = Act("move", number, kind)
        if kind in ("turned", "replaced"):
            other = self._other(number, kind == "turned")
            return None if other is None else replace(act, other=other)
        if kind == "out-of-turn":
            return self._out_of_turn(number)
        if not self._may_be(kind, number, first):
            return None
        return replace(act, moves=2) if kind == "two-at-once" else act

    def _may_be(self, kind: str, number: int, first: int) -> bool:
        before, after = self.one.layouts[number : number + 2]
        if kind == "two-at-once":
            return (
                number + 2 < len(self.one.layouts)
                and number + 1 not in self.seldom
                and self._is_plain(number, number + 2)
                and self._places(number).isdisjoint(self._places(number + 1))
            )
        if kind == "take-back-several":
            return number - 1 >= first and self._is_plain(number - 1, number + 1)
        if kind == "late-clay":
            return bool(after.clay != before.clay)
        return kind not in ("cup", "nudge") or len(before.placements()) >= FEW_TILES

    def _places(self, number: int) -> set[Spot]:
        """Return the places that a move changes; of two moves in one place only one is seen."""
        before, after = map(contents, self.one.layouts[number : number + 2])
        return {s for s in before.keys() | after.keys() if before.get(s) != after.get(s)}

    def _is_plain(self, first: int, last: int) -> bool:
        """Say whether moves all lay, turn or replace a tile, and nothing is told between."""
        return all(
            self.one.moves[n].do in ("place", "turn", "replace") and not self._unseen(n)
            for n in range(first, last)
        )

    def _other(self, number: int, turned: bool) -> Layout | None:
        """Return the table after another legal move: the same tile turned, or any other."""
        position, true = self.one.positions[number], self.one.moves[number]
        choice = [
            move
            for move in self.game.legal_moves(position)
            if move.do == true.do == "place"
            and move.player == true.player
            and (
                self._is_turned(move, true)
                if turned
                else move.at != true.at or move.cells != true.cells
            )
        ]
        if not choice:
            return None
        move = choice[int(self.rng.integers(len(choice)))]
        after = self.game.layout(self.game.apply(position, move))
        return None if after in (self.one.layouts[number], self.one.layouts[number + 1]) else after

    def _is_turned(self, move: Move, true: Move) -> bool:
        if true.cells is not None:
            return move.tile == true.tile and set(move.cells or ()) != set(true.cells)
        return (move.tile, move.at) == (true.tile, true.at) and move.turns != true.turns

    def _out_of_turn(self, number: int) -> Act | None:
        """Return the next player's move laid before this one, where the table shows that."""
        if number + 1 >= len(self.one.moves) or self._unseen(number + 1):
            return None
        now, then = self.one.moves[number], self.one.moves[number + 1]
        if now.player == then.player:
            return None
        before = self.one.layouts[number]
        laid = set(self.one.layouts[number + 2].placements()) - set(
            self.one.layouts[number + 1].placements()
        )
        if len(laid) != 1 or then.do != "place":
            return None
        layout = Layout.of(*before.placements(), *laid)
        position: Any = self.one.positions[number]
        told = explain(self.game, position, layout)
        if told.rows or told.asks_hand or not told.fouls:
            return None
        rules = tuple(v.rule.id for v in told.fouls[0].verdict.violations)
        return Act("foul", number, "out-of-turn", other=layout, rules=rules)
