"""Taking back what was told: an answer or a correction goes with everything that it led to."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from companion_app.live.again import LookAgain
from companion_app.live.bench import Bench, Event, Pending, Picture, RefereeSettings
from companion_app.live.explain import Row
from companion_app.live.match import Accepted, Mark, Match
from companion_app.live.places import Content, Spot
from companion_app.live.questions import Question
from engine.game import Move, Start
from engine.placement import Layout


@dataclass(frozen=True)
class Before:
    """How everything stood before something was told."""

    mark: Mark
    question: Question | None
    """The question that was answered."""
    pending: Pending | None
    waived: Layout | None
    answers: Mapping[Spot, Content | None]
    there: frozenset[Spot]
    strays: frozenset[Spot]
    whole: frozenset[Spot]
    chosen: Mapping[object, Row]
    rolls: tuple[tuple[float, Move], ...]
    rolled_s: float
    seen_roll: int | None
    begun: bool


@dataclass(frozen=True)
class Deed:
    """Something that was told, and what it has led to."""

    before: Before
    start: Start
    accepted: tuple[Accepted, ...]
    due: bool
    """Whether the table has yet to show what it leads to: the next moves belong to it."""


class Undoing(Bench):
    """The referee's memory of what was told."""

    def __init__(
        self, match: Match, emit: Callable[[Event], None], settings: RefereeSettings | None = None,
        look_again: LookAgain = lambda jpeg: None,
    ) -> None:  # fmt: skip
        super().__init__(match, emit, settings, look_again)
        self.deeds: list[Deed] = []

    @property
    def can_undo_told(self) -> bool:
        """Whether nothing but what was told last, and what it led to, stands at the end."""
        now = self.match.start, tuple(self.match.accepted)
        while self.deeds and not self._stands(self.deeds[-1]):
            self.deeds.pop()
        return bool(self.deeds) and (self.deeds[-1].start, self.deeds[-1].accepted) == now

    def undo_told(self, t: float) -> bool:
        """Take back what was told last, with all that it led to; say whether there was anything."""
        if not self.can_undo_told:
            return False
        before = self.deeds.pop().before
        if self.pending is not None and self.pending != before.pending:
            self._take_foul_back(t)
        count = _common(before.mark.accepted, self.match.accepted)
        last = len(self.match.accepted)
        self.match.go_back(before.mark, t)
        for n in range(last, count, -1):
            self._say("taken-back", t, n=n)
        for n, one in enumerate(self.match.accepted[count:], start=count + 1):
            self._verdict(n, one, t)
        self._put_back(before)
        self._withdraw_all(t)
        if before.question is not None:
            self._put(before.question, t)
        self._turn = self._scores = None
        self._go_on(t)
        return True

    def _before(self, question: Question | None = None) -> Before:
        """Return how everything stands, to come back to."""
        return Before(
            self.match.mark(), question, self.pending, self.waived, dict(self.answers),
            self.there, self.strays, self.whole, dict(self._chosen), tuple(self._rolls),
            self._rolled_s, self._seen_roll, self._begun,
        )  # fmt: skip

    def _put_back(self, before: Before) -> None:
        self.pending = before.pending
        self.waived = before.waived
        self.answers = dict(before.answers)
        self.there = before.there
        self.strays = before.strays
        self.whole = before.whole
        self._chosen = dict(before.chosen)
        self._rolls = deque(before.rolls)
        self._rolled_s = before.rolled_s
        self._seen_roll = before.seen_roll
        self._begun = before.begun
        self._since.clear()

    def _remember(self, before: Before) -> None:
        """Keep what was just told, so that it can be undone."""
        now = tuple(self.match.accepted)
        unchanged = now == before.mark.accepted and self.match.start == before.mark.start
        due = unchanged and self.pending == before.pending
        self.deeds.append(Deed(before, self.match.start, now, due))

    def _accept(self, moves: Iterable[Move], t: float, picture: Picture) -> None:
        deed = self.deeds[-1] if self.deeds and self.deeds[-1].due else None
        super()._accept(moves, t, picture)
        if deed is not None:
            self.deeds[-1] = replace(deed, accepted=tuple(self.match.accepted), due=False)

    def _stands(self, deed: Deed) -> bool:
        """Say whether what a deed led to is still a part of the game."""
        first = tuple(self.match.accepted[: len(deed.accepted)])
        return deed.start == self.match.start and deed.accepted == first


def _common(one: Iterable[Accepted], other: Iterable[Accepted]) -> int:
    """Return how many moves at the beginning are the same."""
    count = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        count += 1
    return count
