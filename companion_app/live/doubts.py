"""What the referee knows beside the game: people's answers, open questions, what was said last.

``Doubts`` never change: a decision of the referee leads to the next ones, and an undone message to
earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Literal

from companion_app.games.play import Accepted, Game, Pending
from companion_app.live.explain import Row
from companion_app.live.likeness import Replacement
from companion_app.live.machine import LaidOtherwise, MachineTurn
from companion_app.live.places import Content, Spot, contents
from companion_app.live.questions import Question
from companion_app.live.settle import Settled
from companion_app.live.table import COULD_STILL_BE, LIKELY, Reading
from engine.game import Json, Move, Start
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


@dataclass(frozen=True, slots=True)
class Doubts:
    """What the referee knows beside the game."""

    pending: Pending | None = None
    questions: Mapping[int, Question] = field(default_factory=dict)
    """Questions that wait for an answer, by number."""
    answers: Mapping[Spot, Content | None] = field(default_factory=dict)
    """By spot: what people have said lies there; ``None`` for nothing."""
    overruled: Mapping[Spot, frozenset[Content]] = field(default_factory=dict)
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
    renewed: Mapping[int, float] = field(default_factory=dict)
    """By question number: the time at which it was last asked or renewed."""
    put_s: Mapping[object, float] = field(default_factory=dict)
    """By a question's key: when it was put last since the game has moved on."""
    chosen: Mapping[object, Row] = field(default_factory=dict)
    """By number of accepted moves and table: the moves that somebody has chosen to explain it. A
    hand that takes them back and makes them again is not asked again."""
    laid_back: frozenset[Replacement] = frozenset()
    """Tiles from before that, as somebody has said, were laid again as a move. The same tile laid
    over the same is one from then on, until a move is taken back in that spot."""
    rolls: tuple[tuple[float, Move], ...] = ()
    """Rolls that were told but do not count yet, with their times, the first one first."""
    rolled_s: float = -inf
    """Time at which the current roll began to count."""
    die: int | None = None
    """Value of the die in view."""
    seen_roll: int | None = None
    """Number of the move that is the last roll seen by the camera; ``None`` once told too."""
    since: Mapping[object, float] = field(default_factory=dict)
    """By condition: the time since which it holds."""
    scores: Mapping[str, int | None] | None = None
    """The scores that were announced last."""
    turn: str | None = None
    """The player whose turn was announced last."""
    picture: bytes | None = None
    """JPEG of the table after the last move."""
    over: bool = False
    touched: bool = True
    """Whether something has moved at the table since it last matched the known layout."""
    matched_s: float = -inf
    """Time at which the table matched the known layout again after something had moved."""
    clear: frozenset[Spot] = frozenset()
    """Spots whose tile was surely read as the known one when the table was settled last."""
    begun: bool = False
    """Whether the known layout has been seen, or a move accepted, since the start."""
    deeds: tuple[Deed, ...] = ()
    """Players' messages that can be undone, oldest first."""
    machine: MachineTurn | None = None
    """The machine's turn and move; ``None`` when it is not its turn."""
    otherwise: LaidOtherwise | None = None
    """A legal move on the table that is not the machine's move."""

    # --- what people have said -------------------------------------------------------------

    def told(
        self, spot: Spot, content: Content | None, instead_of: Iterable[Content], in_doubt: bool
    ) -> Doubts:
        """Return the doubts after people have said what lies in a spot.

        Args:
            spot: the spot.
            content: what lies there; ``None`` for nothing.
            instead_of: the readings of the spot that this overrules.
            in_doubt: whether the camera was not sure of any of them.
        """
        before = self.overruled.get(spot, frozenset()) if spot in self.answers else frozenset()
        return replace(
            self,
            answers={**self.answers, spot: content},
            overruled={**self.overruled, spot: before.union(instead_of)},
            in_doubt=self.in_doubt | {spot} if in_doubt else self.in_doubt - {spot},
        )

    def without_replaced(self, settled: Settled, lying: Collection[Spot]) -> Doubts:
        """Return the doubts without answers about spots in which something else is seen now.

        After a hand, a foul's tile may also have been replaced by one that it was mistaken for,
        and a tile may lie in a spot that was empty.
        """
        is_put_right = self.pending is not None and self.touched
        put_right = self.in_doubt.difference(lying) if is_put_right else frozenset()
        answers: dict[Spot, Content | None] = {}
        for spot, content in self.answers.items():
            told = {content, *self.overruled[spot]}
            if content is None:
                stands = not (self.touched and _is_changed(settled, spot, told))
            elif spot in put_right and spot in settled.sure:
                stands = settled.sure[spot][0] == content
            else:
                # What nobody has touched must show something else surely.
                is_open = self.touched or spot in settled.sure
                stands = not is_open or _may_show(settled, spot, told)
            if stands:
                answers[spot] = content
        return replace(self, answers=answers)

    def about(self, lying: Collection[Spot]) -> Doubts:
        """Return the doubts without answers about spots that are empty now."""
        answers = {spot: content for spot, content in self.answers.items() if spot in lying}
        return replace(self, answers=answers, there=self.there.intersection(lying))

    def without_lifted(self, lying: Collection[Spot]) -> Doubts:
        """Return the doubts without answers that name tiles in spots that are empty now.

        Another tile may be laid there.
        """
        answers = {s: c for s, c in self.answers.items() if c is None or s in lying}
        return replace(self, answers=answers)

    # --- earlier ones ----------------------------------------------------------------------

    def undone(self, to: Doubts) -> Doubts:
        """Return the doubts after a message was undone before which they were others."""
        return replace(
            self,
            pending=to.pending,
            waived=to.waived,
            answers=to.answers,
            overruled=to.overruled,
            in_doubt=to.in_doubt,
            there=to.there,
            strays=to.strays,
            whole=to.whole,
            chosen=to.chosen,
            laid_back=to.laid_back,
            rolls=to.rolls,
            rolled_s=to.rolled_s,
            seen_roll=to.seen_roll,
            begun=to.begun,
            since={},
            put_s={},
        )

    def to_undo(self) -> Doubts:
        """Return what must be remembered of these doubts in order to undo a message."""
        return Doubts().undone(self)

    def by_another_clock(self) -> Doubts:
        """Return the doubts for another source of looks, whose clock is another one."""
        deeds = tuple(replace(deed, doubts=_long_ago(deed.doubts)) for deed in self.deeds)
        return replace(
            _long_ago(self.to_undo()),
            asked=self.asked,
            deeds=deeds,
            machine=self.machine,
            otherwise=self.otherwise,
        )


@dataclass(frozen=True, slots=True)
class Deed:
    """A player's message that can be undone, and the moves that it has led to."""

    match: Game
    """The game before it."""
    doubts: Doubts
    """What must be remembered of the doubts before it."""
    question: Question | None
    """The question that was answered."""
    start: Start
    accepted: tuple[Accepted, ...]
    due: bool
    """Whether the message had no effect yet, so that the next accepted moves belong to it."""


def doubts_of(game: Game) -> Doubts:
    """Return the doubts about a game that is begun or taken up.

    Tiles that people have put right in earlier moves stay so.
    """
    doubts = Doubts(pending=game.pending, begun=bool(game.accepted))
    if game.box.lattice == "hex":
        return doubts
    for n, one in enumerate(game.accepted, start=1):
        if one.read is None or not (cells := game.cells_of(one.move)):
            continue
        spot: Spot = (cells[0][0], cells[0][1], cells[0][2])
        now = contents(game.layout).get(spot)
        if now is None or move_at(game, spot) != n or one.read.at != one.move.at:
            continue
        read = (one.read.tile or now[0], one.read.turns or 0)
        doubts = doubts.told(spot, now, [read], in_doubt=False)
    return doubts


def needs_roll(game: Game, doubts: Doubts) -> bool:
    """Say whether a game waits for a roll before anything can be laid."""
    if "roll" not in game.game.facts.actions or doubts.over or game.ended:
        return False
    position = game.position
    return game.game.judge(position, Move(position.to_move, "roll", value=1)).legal


def move_at(game: Game, spot: Spot) -> int | None:
    """Return the number of the last move that changed a spot; ``None`` if none did."""
    for number in range(len(game.accepted), 0, -1):
        before = contents(game.layouts[number - 1])
        after = contents(game.layouts[number])
        if before.get(spot) != after.get(spot):
            return number
    return None


def _long_ago(doubts: Doubts) -> Doubts:
    """Return doubts for another clock.

    Their rolls get a time long past: they count when the cards of the current one are laid.
    """
    rolls = tuple((-inf, move) for _, move in doubts.rolls)
    return replace(doubts, rolls=rolls, rolled_s=-inf)


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
