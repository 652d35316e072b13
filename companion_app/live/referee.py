"""The referee: turns settled tables and what players tell into verdicts and questions.

One state, and parts that share it: a voice, open questions, a keeper of the match, what is asked,
what is told, corrections, rolls, undoing, and the judge of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from companion_app.live.again import LookAgain
from companion_app.live.announcing import Voice
from companion_app.live.asker import Asker
from companion_app.live.correcting import Corrector
from companion_app.live.judging import Judge
from companion_app.live.keeping import Keeper
from companion_app.live.machine import LaidOtherwise, MachineTurn
from companion_app.live.match import Match
from companion_app.live.open_questions import OpenQuestions
from companion_app.live.places import Content, Sighting, Spot
from companion_app.live.player_messages import PlayerMessages
from companion_app.live.questions import Question
from companion_app.live.referee_state import (
    Event,
    Pending,
    Picture,
    RefereeSettings,
    RefereeState,
    Standing,
)
from companion_app.live.rolling import Rolls
from companion_app.live.settle import Settled
from companion_app.live.table import Reading
from companion_app.live.undoing import Undoing
from engine.placement import Layout


class Referee:
    """Holds the last accepted position; every change of a game goes through it."""

    def __init__(
        self, match: Match, emit: Callable[[Event], None], settings: RefereeSettings | None = None,
        look_again: LookAgain = lambda jpeg: None,
    ) -> None:  # fmt: skip
        state = self._state = RefereeState(
            match, settings or RefereeSettings(), begun=bool(match.accepted)
        )
        voice = Voice(emit)
        self._open = OpenQuestions(state, voice)
        self._keeper = Keeper(state, voice, self._open)
        self._asker = Asker(state, self._open)
        corrector = Corrector(state, voice, self._keeper, look_again)
        rolls = Rolls(state, self._open, self._keeper, corrector)
        self._undoing = Undoing(state, voice, self._open, self._keeper)
        self._messages = PlayerMessages(
            state, voice, self._open, self._keeper, corrector, rolls, self._undoing
        )
        self._judge = Judge(state, voice, self._open, self._keeper, self._asker, rolls)

    # --- what happens ------------------------------------------------------------------------

    def start(self, t: float) -> None:
        """Say whose turn it is and how it stands."""
        self._keeper.go_on(t)

    def touched(self) -> None:
        """Take note that something moved at the table: tiles may lie differently now."""
        self._state.touch()

    def look(self, settled: Settled, t: float, picture: Picture = lambda: None) -> Standing:
        """Take in a settled table; return how sure the referee is of it.

        Raises:
            StoreError: what happened could not be kept, so it was not announced; the next look
                tries again.
        """
        standing = self._judge.look(settled, t, picture)
        if standing != "settling":
            self._open.withdraw_stale(t)
        if standing == "settled" and self.pending is None:
            self.forget_lifted()
        return standing

    def strange_table(self, look: Sighting, t: float) -> None:
        """Ask who is next on a table on which nothing lies as it is known."""
        self._asker.strange_table(look, t)

    def tell(self, message: Mapping[str, Any], t: float) -> None:
        """Take in what a player told: an answer, a roll, an overruling, a silent move.

        Raises:
            ToldError: it cannot be used; the message says why.
        """
        self._messages.tell(message, t)

    def forget_lifted(self) -> None:
        """Forget the names of tiles that have left: another may be laid in their place."""
        self._state.forget_lifted()

    @property
    def can_undo_told(self) -> bool:
        """Whether nothing but what was told last, and what it led to, stands at the end."""
        return self._undoing.can_undo_told

    def undo_told(self, t: float) -> bool:
        """Take back what was told last, with all that it led to; say whether there was anything."""
        return self._undoing.undo_told(t)

    # --- how it stands -----------------------------------------------------------------------

    @property
    def match(self) -> Match:
        """The game that is refereed."""
        return self._state.match

    @property
    def questions(self) -> Mapping[int, Question]:
        """The questions that wait for an answer, by number."""
        return self._state.questions

    @property
    def answers(self) -> Mapping[Spot, Content | None]:
        """What people have said lies in a place; ``None`` for nothing."""
        return self._state.answers

    @property
    def strays(self) -> frozenset[Spot]:
        """Hex cells that look like a part of a tile, but somebody has said that none is there."""
        return self._state.strays

    @property
    def reading(self) -> Reading | None:
        """What the last look has read, as far as it came to that."""
        return self._state.reading

    @property
    def pending(self) -> Pending | None:
        """The announced foul that still lies on the table."""
        return self._state.pending

    @pending.setter
    def pending(self, pending: Pending | None) -> None:
        self._state.pending = pending

    @property
    def waived(self) -> Layout | None:
        """The table with a foul on it that somebody has said will be lifted."""
        return self._state.waived

    @waived.setter
    def waived(self, layout: Layout | None) -> None:
        self._state.waived = layout

    @property
    def machine(self) -> MachineTurn | None:
        """What the machine wants laid, where it is its turn."""
        return self._state.machine

    @machine.setter
    def machine(self, turn: MachineTurn | None) -> None:
        self._state.machine, self._state.otherwise = turn, None

    @property
    def otherwise(self) -> LaidOtherwise | None:
        """What lies there in place of what the machine wants."""
        return self._state.otherwise

    def needs_roll(self) -> bool:
        """Say whether nobody can lay anything before a roll is told."""
        return self._state.needs_roll()
