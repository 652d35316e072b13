"""What the referee has before it: all that changes while a game is refereed, in one place."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

from companion_app.live.explain import Row
from companion_app.live.machine import LaidOtherwise, MachineTurn
from companion_app.live.match import Accepted, Match
from companion_app.live.places import Content, Spot, contents
from companion_app.live.questions import Question, is_about_the_table, question_to_json
from companion_app.live.table import Reading
from engine.game import EMPTY, Json, Move, Start, Violation
from engine.placement import Layout
from engine.record import move_to_json
from engine.referee import violation_to_json

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


REMEMBERED = ("pending", "waived", "answers", "there", "strays", "whole", "chosen", "rolls",
              "rolled_s", "seen_roll", "begun")  # fmt: skip
"""What of the state goes back with what was told."""


@dataclass(frozen=True)
class Before:
    """How everything stood before something was told."""

    match: Match
    question: Question | None
    """The question that was answered."""
    state: Mapping[str, Any]
    """What is remembered of the state, by name."""


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
    emit: Callable[[Event], None]
    """Sends out an event; nothing is announced before it is on the disk."""
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
        kept = {name: copy(getattr(self, name)) for name in REMEMBERED}
        return Before(self.match.copied(), question, kept)

    def put_back(self, before: Before) -> None:
        """Let everything stand as it did."""
        for name, value in before.state.items():
            setattr(self, name, copy(value))
        self.since.clear()

    def wants(self, turn: MachineTurn | None) -> None:
        """Take note of what the machine wants laid, where it is its turn."""
        self.machine, self.otherwise = turn, None

    # --- what is said ----------------------------------------------------------------------

    def say(self, event: str, t: float, **what: Json) -> None:
        """Send out one event."""
        self.emit({"t": round(t, 3), "event": event, **what})

    def say_verdict(self, n: int, one: Accepted, t: float) -> None:
        """Say how the nth move was judged."""
        said: Event = {"n": n, "move": move_to_json(one.move)}
        said |= {"legal": not one.violations or one.overruled}
        said |= {"violations": [violation_to_json(v) for v in one.violations], "seq": one.seq}
        if one.overruled:
            said["overruled"] = True
        self.say("verdict", t, **said)

    # --- what is asked ---------------------------------------------------------------------

    def ask(
        self, about: str, key: object, guesses: Iterable[Json], t: float,
        spot: Spot | None = None, cells: tuple[tuple[int, ...], ...] = (),
        choices: Mapping[str, Any] = EMPTY,
    ) -> None:  # fmt: skip
        """Ask, or take note that a question is still asked: ``key`` says which one it is."""
        for question in self.questions.values():
            if question.key == key:
                self.renewed[question.id] = t
                return
        self.asked += 1
        self.put(Question(self.asked, about, key, tuple(guesses), spot, cells, choices), t)

    def put(self, question: Question, t: float) -> None:
        """Let a question wait for its answer."""
        self.questions[question.id] = question
        self.renewed[question.id] = t
        self.say("question", t, **question_to_json(question, self.match))

    def withdraw(self, questions: Iterable[Question], t: float) -> None:
        """Let questions go that need no answer any more."""
        for question in list(questions):
            del self.questions[question.id]
            self.say("withdrawn", t, id=question.id)

    def withdraw_all(self, t: float) -> None:
        """Let every question go: the game has moved past it."""
        self.withdraw(self.questions.values(), t)

    def withdraw_about_the_table(self, t: float, asked_before_s: float = inf) -> None:
        """Let go what was asked about the table, and not again since then: that is gone."""
        about = filter(is_about_the_table, self.questions.values())
        self.withdraw((q for q in about if self.renewed[q.id] <= asked_before_s), t)

    def withdraw_stale(self, t: float) -> None:
        """Let go what looks at the table have not asked again: what it was about is gone."""
        self.withdraw_about_the_table(t, t - self.settings.stale_after_s)
