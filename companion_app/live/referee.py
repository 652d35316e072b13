"""The referee: what it is shown and told makes decisions, each of which counts whole or not at all.

A decision is made of the game as its log has it and of the doubts beside it, both of which never
change: it leads to the next ones. Its lines are written in one transaction, and only then do its
doubts count and its events go out; where they cannot be written, nothing has happened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from companion_app.games.play import Accepted, Game
from companion_app.live.asker import Asker
from companion_app.live.doubts import (
    Doubts,
    Event,
    Picture,
    RefereeSettings,
    Standing,
    doubts_of,
)
from companion_app.live.draft import Draft, LookAgain
from companion_app.live.errors import ToldError
from companion_app.live.judging import Judge
from companion_app.live.keeping import Keeper, is_made_alone
from companion_app.live.machine import MachineTurn
from companion_app.live.match import Match, Unwritten
from companion_app.live.places import Sighting, contents
from companion_app.live.player_messages import PlayerMessages, can_undo_told
from companion_app.live.settle import Settled

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Decision(Generic[Answer]):
    """What something that the referee was shown or told leads to."""

    game: Game
    doubts: Doubts
    lines: tuple[Unwritten, ...]
    """Lines of the log, with their pictures."""
    events: tuple[Event, ...]
    answer: Answer


def decide(
    match: Match,
    doubts: Doubts,
    deed: Callable[[Draft], Answer],
    settings: RefereeSettings,
    look_again: LookAgain,
    t: float,
) -> Decision[Answer]:
    """Return what a deed leads to in a match; nothing is written or said yet.

    Raises:
        ToldError: a message cannot be used.
        StoreError: what it leads to does not fit the game.
    """
    lines: list[Unwritten] = []
    draft = Draft(Match(match.store, match.now, lines), doubts, settings, look_again, t)
    answer = deed(draft)
    return Decision(draft.match.now, draft.doubts, tuple(lines), tuple(draft.events), answer)


class Referee:
    """Decides on a match, and remembers the doubts beside it."""

    def __init__(
        self,
        match: Match,
        emit: Callable[[Event], None],
        settings: RefereeSettings | None = None,
        look_again: LookAgain = lambda jpeg: None,
    ) -> None:
        self.match = match
        self.doubts = doubts_of(match.now)
        self._emit, self._look_again = emit, look_again
        self._settings = settings or RefereeSettings()

    def _decide(self, deed: Callable[[Draft], Answer], t: float) -> Answer:
        """Make a decision, and let it count.

        Raises:
            ToldError: a message cannot be used.
            StoreError: it could not be saved; nothing has changed.
        """
        done = decide(self.match, self.doubts, deed, self._settings, self._look_again, t)
        self.match.store.write(done.lines)
        self.match.now, self.doubts = done.game, done.doubts
        for event in done.events:
            self._emit(event)
        return done.answer

    # --- what it is shown ------------------------------------------------------------------

    def start(self, t: float) -> None:
        """Announce turn and score."""
        self._decide(lambda draft: Keeper(draft).go_on(), t)

    def look(self, settled: Settled, t: float, picture: Picture = lambda: None) -> Standing:
        """Judge a settled table; return how sure the referee is of it."""

        def looked(draft: Draft) -> Standing:
            standing = Judge(draft).look(settled, picture)
            if standing != "settling":
                draft.withdraw_stale()
            if standing == "settled" and draft.doubts.pending is None:
                _forget_lifted(draft)
            return standing

        return self._decide(looked, t)

    def strange_table(self, look: Sighting, t: float) -> None:
        """Ask who is next on a table that does not match the known layout."""
        self._decide(lambda draft: Asker(draft).strange_table(look), t)

    def touch(self) -> None:
        """Note that something moved at the table, so that tiles may lie differently now."""
        self.doubts = replace(self.doubts, touched=True)

    # --- what it is told -------------------------------------------------------------------

    def tell(self, message: Mapping[str, Any], t: float) -> None:
        """Process a player's message: an answer, a roll, an overruling, a silent move."""
        self._decide(lambda draft: PlayerMessages(draft).tell(message), t)

    def wants(self, turn: MachineTurn | None) -> None:
        """Set the machine's turn and move; ``None`` when it is not its turn."""
        self.doubts = replace(self.doubts, machine=turn, otherwise=None)

    def take_back(self, count: int, t: float) -> None:
        """Take back the last moves as the host says, also a foul."""

        def taken_back(draft: Draft) -> None:
            Keeper(draft).take_back(count)
            draft.change(chosen={})
            draft.match.reopen()
            _forget_lifted(draft)
            Keeper(draft).go_on()

        self._decide(taken_back, t)

    def accept_again(self, one: Accepted, t: float) -> None:
        """Accept a move that was taken back once more."""
        self._decide(lambda draft: Keeper(draft).accept_again(one), t)

    @property
    def can_undo_told(self) -> bool:
        """Whether the last player's message can be undone: nothing but its effects came after."""
        return can_undo_told(self.match.now, self.doubts)

    def undo_told(self, t: float) -> bool:
        """Undo the last player's message and its effects; return whether there was one."""
        return self._decide(lambda draft: PlayerMessages(draft).undo_told(), t)

    def waive_foul(self, t: float) -> None:
        """Take back the announced foul: its tile was lifted, or will be."""

        def waived(draft: Draft) -> None:
            pending = draft.doubts.pending
            if pending is None:
                raise ToldError("there is no foul on the table")
            Keeper(draft).take_foul_back()
            draft.change(waived=pending.layout)

        self._decide(waived, t)

    def end(self, t: float) -> None:
        """End the game at its current position."""

        def ended(draft: Draft) -> None:
            match = draft.match
            match.end()
            draft.change(pending=None)
            draft.withdraw_all()
            outcome = match.game.outcome(match.position)
            draft.say("over", scores=dict(outcome.scores), winners=list(outcome.winners))

        self._decide(ended, t)

    def take_over(self, other: Referee) -> None:
        """Go on from another referee of the same match, whose looks had another clock."""
        self.doubts = other.doubts.by_another_clock()

    def made_alone(self, n: int) -> bool:
        """Say whether the referee made the nth move for a player without a choice."""
        return is_made_alone(self.match.now, n)


def _forget_lifted(draft: Draft) -> None:
    draft.doubts = draft.doubts.without_lifted(contents(draft.match.layout).keys())
