"""What the referee has before it: all that changes while a game is refereed, in one place."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from companion_app.live.explain import Row
from companion_app.live.machine import LaidOtherwise, MachineTurn
from companion_app.live.match import Accepted, Mark, Match
from companion_app.live.places import Content, Spot, contents
from companion_app.live.questions import Question
from companion_app.live.table import Reading
from engine.game import Json, Move, Start, Violation
from engine.placement import Layout

Event = dict[str, Json]
Picture = Callable[[], bytes | None]
Standing = Literal["settled", "settling", "unsure"]


@dataclass(frozen=True, slots=True)
class RefereeSettings:
    """When the referee speaks, and when it asks."""

    foul_at: float = 0.97
    """Confidence that every changed tile needs before a move is called illegal."""
    looks_for_foul: int = 4
    """So many looks must show a foul: one more than a legal move needs."""
    ask_after_s: float = 1.5
    """A tile that is still doubtful after so long is asked about."""
    clay_s: float = 0.15
    """So long the referee waits for clay that would tell two moves apart; clay that comes later
    corrects the move."""
    puzzled_after_s: float = 4.0
    """A table that no moves explain is asked about after so long."""
    stale_after_s: float = 1.0
    """A question that looks at the table have not asked again for so long is withdrawn."""
    most_read_again: int = 6
    """So many kept pictures are read again after a correction at most: a second or two."""
    most_taken_back: int = 12
    """More tiles than that gone at once are a table being cleared, not moves taken back."""


@dataclass(frozen=True)
class Pending:
    """An announced foul that still lies on the table."""

    n: int
    move: Move
    violations: tuple[Violation, ...]
    layout: Layout
    seq: int


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


@dataclass
class RefereeState:
    """What the parts of the referee share; each changes what it is there for."""

    match: Match
    settings: RefereeSettings = field(default_factory=RefereeSettings)
    pending: Pending | None = None
    questions: dict[int, Question] = field(default_factory=dict)
    """Those that wait for an answer, by number."""
    answers: dict[Spot, Content | None] = field(default_factory=dict)
    """What people have said lies in a place; ``None`` for nothing."""
    there: frozenset[Spot] = frozenset()
    """Places of known tiles that are not seen, but still lie there, as was told."""
    strays: frozenset[Spot] = frozenset()
    """Hex cells that look like a part of a tile, but somebody has said that none is there."""
    whole: frozenset[Spot] = frozenset()
    """Hex cells of tiles that seem to go on under something, but are whole, as was told."""
    waived: Layout | None = None
    """The table with a foul on it that somebody has said will be lifted."""
    reading: Reading | None = None
    """What the last look has read, as far as it came to that."""
    asked: int = 0
    """How many questions there have been."""
    renewed: dict[int, float] = field(default_factory=dict)
    """When each open question was asked last."""
    chosen: dict[object, Row] = field(default_factory=dict)
    """The moves that somebody has chosen for a table."""
    rolls: deque[tuple[float, Move]] = field(default_factory=deque)
    """Rolls told that do not count yet, with their times."""
    rolled_s: float = float("-inf")
    """When the roll was told that counts now."""
    die: int | None = None
    """What the die in view shows."""
    seen_roll: int | None = None
    """The number of the last move, where that is a roll that the camera saw."""
    since: dict[object, float] = field(default_factory=dict)
    """Since when something has been as it is."""
    scores: Mapping[str, int | None] | None = None
    """Those that were said last."""
    turn: str | None = None
    """Whose turn was said last."""
    picture: bytes | None = None
    """The table after the last move."""
    over: bool = False
    going_on: bool = False
    """Whether turn, pass or end could not be kept yet, and so not be said."""
    touched: bool = True
    """Whether something has moved at the table since it was last as it is known."""
    begun: bool = False
    """Whether a table was seen that is where the game began, or went on from."""
    deeds: list[Deed] = field(default_factory=list)
    """What was told, and can be undone."""
    machine: MachineTurn | None = None
    """What the machine wants laid, where it is its turn."""
    otherwise: LaidOtherwise | None = None
    """What lies there in place of what the machine wants."""

    def needs_roll(self) -> bool:
        """Say whether nobody can lay anything before a roll is told."""
        game, position = self.match.game, self.match.position
        if "roll" not in game.facts.actions or self.over:
            return False
        return game.judge(position, Move(position.to_move, "roll", value=1)).legal

    def waited(self, key: object, t: float, seconds: float) -> bool:
        """Say whether something has been as it is for so long, counted from the first asking."""
        return t - self.since.setdefault(key, t) >= seconds

    def move_at(self, spot: Spot) -> int | None:
        """Return the number of the last move that laid something in a spot."""
        for number in range(len(self.match.accepted), 0, -1):
            before = contents(self.match.layouts[number - 1])
            after = contents(self.match.layouts[number])
            if before.get(spot) != after.get(spot):
                return number
        return None

    def touch(self) -> None:
        """Take note that something moved at the table: tiles may lie differently now."""
        self.touched = True
        # Where nothing lay, something may lie now.
        self.answers = {spot: told for spot, told in self.answers.items() if told is not None}

    def forget_answers(self) -> None:
        """Forget what was told of places where nothing lies now."""
        lying = contents(self.match.layout)
        self.answers = {s: c for s, c in self.answers.items() if s in lying}
        self.there &= lying.keys()

    def forget_lifted(self) -> None:
        """Forget the names of tiles that have left: another may be laid in their place."""
        lying = contents(self.match.layout)
        self.answers = {s: c for s, c in self.answers.items() if c is None or s in lying}

    def before(self, question: Question | None = None) -> Before:
        """Return how everything stands, to come back to."""
        return Before(
            self.match.mark(), question, self.pending, self.waived, dict(self.answers),
            self.there, self.strays, self.whole, dict(self.chosen), tuple(self.rolls),
            self.rolled_s, self.seen_roll, self.begun,
        )  # fmt: skip

    def put_back(self, before: Before) -> None:
        """Let everything stand as it did."""
        self.pending = before.pending
        self.waived = before.waived
        self.answers = dict(before.answers)
        self.there = before.there
        self.strays = before.strays
        self.whole = before.whole
        self.chosen = dict(before.chosen)
        self.rolls = deque(before.rolls)
        self.rolled_s = before.rolled_s
        self.seen_roll = before.seen_roll
        self.begun = before.begun
        self.since.clear()
