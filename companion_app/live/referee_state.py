"""The referee's state: everything that changes while a game is refereed, in one place."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Literal

from companion_app.games.play import Accepted, Game, Pending
from companion_app.live.explain import Row
from companion_app.live.likeness import Replacement
from companion_app.live.machine import LaidOtherwise, MachineTurn
from companion_app.live.match import Match
from companion_app.live.places import Content, Spot, contents
from companion_app.live.questions import Question, is_about_the_table, question_to_json
from companion_app.live.settle import Settled
from companion_app.live.table import COULD_STILL_BE, LIKELY, Reading
from engine.game import EMPTY, Json, Move, Start
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
    """Looks that must show a foul before it is called: one more than a legal move needs."""
    ask_after_s: float = 1.5
    """Seconds after which a tile that is still unsure is asked about."""
    clay_s: float = 0.15
    """Seconds to wait for clay that would tell two moves apart; clay that comes later corrects
    the move."""
    puzzled_after_s: float = 4.0
    """Seconds after which a table that no moves explain is asked about."""
    stale_after_s: float = 1.0
    """Seconds after which a question is withdrawn that no look has renewed."""
    most_read_again: int = 6
    """Most kept pictures that are read again after a correction: that takes a second or two."""
    most_taken_back: int = 12
    """Most tiles that can vanish as moves taken back; more mean that the table is cleared."""


ASKED_AGAIN_AFTER_S = 10.0
"""Seconds within which the same question never comes twice, unless the game moves on between."""

REMEMBERED = (
    "pending",
    "waived",
    "answers",
    "overruled",
    "in_doubt",
    "there",
    "strays",
    "whole",
    "chosen",
    "laid_back",
    "rolls",
    "rolled_s",
    "seen_roll",
    "begun",
)
"""Fields of ``RefereeState`` that are restored when a player's message is undone."""


@dataclass(frozen=True)
class Before:
    """A snapshot of game and state before a player's message."""

    match: Game
    question: Question | None
    """The question that was answered."""
    state: Mapping[str, Any]
    """Values of the fields in ``REMEMBERED``, by name."""


@dataclass(frozen=True)
class Deed:
    """A player's message that can be undone, and the moves that it has led to."""

    before: Before
    start: Start
    accepted: tuple[Accepted, ...]
    due: bool
    """Whether the message had no effect yet, so that the next accepted moves belong to it."""


@dataclass
class RefereeState:
    """The state that the parts of the referee share; each part changes its own fields."""

    match: Match
    emit: Callable[[Event], None]
    """Sends out an event; changes of the match are on the disk before they are sent."""
    settings: RefereeSettings = field(default_factory=RefereeSettings)
    pending: Pending | None = None
    questions: dict[int, Question] = field(default_factory=dict)
    """Questions that wait for an answer, by number."""
    answers: dict[Spot, Content | None] = field(default_factory=dict)
    """By spot: what people have said lies there; ``None`` for nothing."""
    overruled: dict[Spot, frozenset[Content]] = field(default_factory=dict)
    """By spot: the readings that the answer about it overrules."""
    in_doubt: frozenset[Spot] = frozenset()
    """Spots that the camera was not sure of when people said what lies there."""
    there: frozenset[Spot] = frozenset()
    """Spots of unseen known tiles that people have confirmed to lie there."""
    strays: frozenset[Spot] = frozenset()
    """Hex cells that look like part of a tile although people have said that none is there."""
    whole: frozenset[Spot] = frozenset()
    """Hex cells of tiles that people have confirmed to be whole although they look half covered."""
    waived: Layout | None = None
    """The table with a foul on it that somebody has said will be lifted."""
    reading: Reading | None = None
    """The last look's reading; ``None`` if it was not read that far."""
    asked: int = 0
    """Number of questions asked so far."""
    renewed: dict[int, float] = field(default_factory=dict)
    """By question number: the time at which it was last asked or renewed."""
    put_s: dict[object, float] = field(default_factory=dict)
    """By a question's key: when it was put last since the game has moved on."""
    chosen: dict[object, Row] = field(default_factory=dict)
    """By number of accepted moves and table: the moves that somebody has chosen to explain it. A
    hand that takes them back and makes them again is not asked again."""
    laid_back: frozenset[Replacement] = frozenset()
    """Tiles from before that, as somebody has said, were laid again as a move. The same tile laid
    over the same is one from then on, until a move is taken back in that spot."""
    rolls: deque[tuple[float, Move]] = field(default_factory=deque)
    """Queue of rolls that were told but do not count yet, with their times."""
    rolled_s: float = float("-inf")
    """Time at which the current roll began to count."""
    die: int | None = None
    """Value of the die in view."""
    seen_roll: int | None = None
    """Number of the move that is the last roll seen by the camera; ``None`` once told too."""
    since: dict[object, float] = field(default_factory=dict)
    """By condition: the time since which it holds."""
    scores: Mapping[str, int | None] | None = None
    """The scores that were announced last."""
    turn: str | None = None
    """The player whose turn was announced last."""
    picture: bytes | None = None
    """JPEG of the table after the last move."""
    over: bool = False
    going_on: bool = False
    """Whether turn, pass or end still have to be saved and announced."""
    touched: bool = True
    """Whether something has moved at the table since it last matched the known layout."""
    matched_s: float = float("-inf")
    """Time at which the table matched the known layout again after something had moved."""
    clear: frozenset[Spot] = frozenset()
    """Spots whose tile was surely read as the known one when the table was settled last."""
    begun: bool = False
    """Whether the known layout has been seen, or a move accepted, since the start."""
    deeds: list[Deed] = field(default_factory=list)
    """Players' messages that can be undone, oldest first."""
    machine: MachineTurn | None = None
    """The machine's turn and move; ``None`` when it is not its turn."""
    otherwise: LaidOtherwise | None = None
    """A legal move on the table that is not the machine's move."""

    def needs_roll(self) -> bool:
        """Say whether the game waits for a roll before anything can be laid."""
        game, position = self.match.game, self.match.position
        if "roll" not in game.facts.actions or self.over or self.match.ended:
            return False
        return game.judge(position, Move(position.to_move, "roll", value=1)).legal

    def waited(self, key: object, t: float, seconds: float) -> bool:
        """Say whether a condition has held for some seconds since the first call with its key."""
        return t - self.since.setdefault(key, t) >= seconds

    def move_at(self, spot: Spot) -> int | None:
        """Return the number of the last move that changed a spot; ``None`` if none did."""
        for number in range(len(self.match.accepted), 0, -1):
            before = contents(self.match.layouts[number - 1])
            after = contents(self.match.layouts[number])
            if before.get(spot) != after.get(spot):
                return number
        return None

    def touch(self) -> None:
        """Note that something moved at the table, so that tiles may lie differently now."""
        self.touched = True

    def match_again(self, t: float) -> None:
        """Note that the table matches the known layout."""
        if self.touched:
            self.touched, self.matched_s = False, t

    def told(
        self, spot: Spot, content: Content | None, instead_of: Iterable[Content], in_doubt: bool
    ) -> None:
        """Note what people have said lies in a spot.

        Args:
            spot: the spot.
            content: what lies there; ``None`` for nothing.
            instead_of: the readings of the spot that this overrules.
            in_doubt: whether the camera was not sure of any of them.
        """
        before = self.overruled.get(spot, frozenset()) if spot in self.answers else frozenset()
        self.answers[spot] = content
        self.overruled[spot] = before.union(instead_of)
        self.in_doubt = self.in_doubt | {spot} if in_doubt else self.in_doubt - {spot}

    def forget_replaced(self, settled: Settled) -> None:
        """Drop answers about spots in which something else is seen now than was asked about.

        After a hand, a foul's tile may also have been replaced by one that it was mistaken for,
        and a tile may lie in a spot that was empty.
        """
        lifted = self.in_doubt - contents(self.match.layout).keys()
        put_right = lifted if self.pending is not None and self.touched else frozenset()
        for spot, content in list(self.answers.items()):
            told = {content, *self.overruled[spot]}
            if content is None:
                if self.touched and _is_changed(settled, spot, told):
                    del self.answers[spot]
                continue
            if spot in put_right and spot in settled.sure:
                told = {content}
            # What nobody has touched must show something else surely.
            if (self.touched or spot in settled.sure) and not _may_show(settled, spot, told):
                del self.answers[spot]

    def forget_answers(self) -> None:
        """Drop answers about spots that are empty now."""
        lying = contents(self.match.layout)
        self.answers = {s: c for s, c in self.answers.items() if s in lying}
        self.there &= lying.keys()

    def forget_lifted(self) -> None:
        """Drop answers that name tiles in spots that are empty now: another may be laid there."""
        lying = contents(self.match.layout)
        self.answers = {s: c for s, c in self.answers.items() if c is None or s in lying}

    def recall_corrections(self) -> None:
        """Note the tiles that people have put right in earlier moves, so that they stay so."""
        if self.match.box.lattice == "hex":
            return
        for n, one in enumerate(self.match.accepted, start=1):
            if one.read is None or not (cells := self.match.cells_of(one.move)):
                continue
            spot: Spot = (cells[0][0], cells[0][1], cells[0][2])
            now = contents(self.match.layout).get(spot)
            if now is None or self.move_at(spot) != n or one.read.at != one.move.at:
                continue
            self.told(spot, now, [(one.read.tile or now[0], one.read.turns or 0)], in_doubt=False)

    def take_over(self, other: RefereeState) -> None:
        """Go on from another state of the same match, which was timed by another clock."""
        self.put_back(_timed_anew(other.before()))
        self.asked = other.asked
        self.deeds = [replace(deed, before=_timed_anew(deed.before)) for deed in other.deeds]
        self.machine, self.otherwise = other.machine, other.otherwise

    def before(self, question: Question | None = None) -> Before:
        """Return a snapshot of match and state, to undo to."""
        kept = {name: copy(getattr(self, name)) for name in REMEMBERED}
        return Before(self.match.now, question, kept)

    def put_back(self, before: Before) -> None:
        """Restore the state's fields from a snapshot."""
        for name, value in before.state.items():
            setattr(self, name, copy(value))
        self.since.clear()
        self.put_s.clear()

    def wants(self, turn: MachineTurn | None) -> None:
        """Set the machine's turn and move; ``None`` when it is not its turn."""
        self.machine, self.otherwise = turn, None

    # --- what is said ----------------------------------------------------------------------

    def say(self, event: str, t: float, **what: Json) -> None:
        """Send out one event."""
        self.emit({"t": round(t, 3), "event": event, **what})

    def say_verdict(self, n: int, one: Accepted, t: float) -> None:
        """Announce how the nth move was judged."""
        said: Event = {"n": n, "move": move_to_json(one.move)}
        said |= {"legal": not one.violations or one.overruled}
        said |= {"violations": [violation_to_json(v) for v in one.violations], "seq": one.seq}
        if one.overruled:
            said["overruled"] = True
        self.say("verdict", t, **said)

    # --- what is asked ---------------------------------------------------------------------

    def ask(
        self,
        about: str,
        key: object,
        guesses: Iterable[Json],
        t: float,
        spot: Spot | None = None,
        cells: tuple[tuple[int, ...], ...] = (),
        choices: Mapping[str, Any] = EMPTY,
    ) -> None:
        """Ask a question, or renew the open one that has the same ``key``."""
        for question in self.questions.values():
            if question.key == key:
                self.renewed[question.id] = t
                return
        question = Question(self.asked + 1, about, key, tuple(guesses), spot, cells, choices)
        is_late = t - self.put_s.get(key, -inf) >= ASKED_AGAIN_AFTER_S
        if is_about_the_table(question) and not is_late:
            return
        self.asked += 1
        self.put_s[key] = t
        self.put(question, t)

    def put(self, question: Question, t: float) -> None:
        """Add an open question and announce it."""
        self.questions[question.id] = question
        self.renewed[question.id] = t
        self.say("question", t, **question_to_json(question, self.match))

    def withdraw(self, questions: Iterable[Question], t: float) -> None:
        """Withdraw questions that need no answer any more."""
        for question in list(questions):
            del self.questions[question.id]
            self.say("withdrawn", t, id=question.id)

    def withdraw_all(self, t: float) -> None:
        """Withdraw every question: the game has moved on."""
        self.put_s.clear()
        self.withdraw(self.questions.values(), t)

    def withdraw_about_the_table(self, t: float, asked_before_s: float = inf) -> None:
        """Withdraw questions about the table that were not renewed after a time."""
        about = filter(is_about_the_table, self.questions.values())
        self.withdraw((q for q in about if self.renewed[q.id] <= asked_before_s), t)

    def withdraw_stale(self, t: float) -> None:
        """Withdraw questions about the table that recent looks have not renewed."""
        self.withdraw_about_the_table(t, t - self.settings.stale_after_s)


def _timed_anew(before: Before) -> Before:
    """Return a snapshot for another clock.

    Its rolls get a time long past: they count when the cards of the current one are laid.
    """
    rolls = deque((-inf, move) for _, move in before.state["rolls"])
    return replace(before, state={**before.state, "rolls": rolls, "rolled_s": -inf})


def _may_show(settled: Settled, spot: Spot, told: Collection[Content | None]) -> bool:
    """Say whether what was told of a spot may lie there, by what the looks agree on.

    A look that knows nothing, because it gives hardly anything to all guesses, denies nothing.
    """
    if spot in settled.sure:
        return settled.sure[spot][0] in told
    belief = settled.doubts.get(spot)
    if belief is None or belief.why == "covered" or not belief.guesses:
        return True
    if belief.best in told or belief.guesses[0][1] < LIKELY:
        return True
    return any(guess in told for guess, share in belief.guesses if share >= COULD_STILL_BE)


def _is_changed(settled: Settled, spot: Spot, told: Collection[Content | None]) -> bool:
    """Say whether a spot that people have called empty looks otherwise than when they did."""
    if spot in settled.sure:
        return True
    if spot in settled.doubts:
        return not _may_show(settled, spot, told)
    return spot not in settled.covered and spot not in settled.flickering
