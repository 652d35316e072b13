"""The referee: turns settled tables and players' messages into verdicts and questions.

Its parts share one state: the keeper of the match, questions, players' messages, rolls, and the
judge of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion_app.games.play import Accepted
from companion_app.live.asker import Asker
from companion_app.live.judging import Judge
from companion_app.live.keeping import Keeper, LookAgain, is_made_alone
from companion_app.live.match import Match
from companion_app.live.places import Sighting
from companion_app.live.player_messages import PlayerMessages
from companion_app.live.referee_state import (
    Event,
    Picture,
    RefereeSettings,
    RefereeState,
    Standing,
)
from companion_app.live.rolling import Rolls
from companion_app.live.settle import Settled


class Referee:
    """Builds the parts of the referee for one match; every change of the match goes through it."""

    def __init__(
        self,
        match: Match,
        emit: Callable[[Event], None],
        settings: RefereeSettings | None = None,
        look_again: LookAgain = lambda jpeg: None,
    ) -> None:
        self.match = match
        self.state = state = RefereeState(
            match,
            emit,
            settings or RefereeSettings(),
            match.now.pending,
            begun=bool(match.accepted),
        )
        state.recall_corrections()
        self.keeper = Keeper(state, look_again)
        self._asker = Asker(state)
        rolls = Rolls(state, self.keeper)
        self._messages = PlayerMessages(state, self.keeper, rolls)
        self._judge = Judge(state, self.keeper, self._asker, rolls)

    def start(self, t: float) -> None:
        """Announce turn and score."""
        self.keeper.go_on(t)

    def look(self, settled: Settled, t: float, picture: Picture = lambda: None) -> Standing:
        """Judge a settled table; return how sure the referee is of it.

        Raises:
            StoreError: the change could not be saved, so it was not announced; the next look
                tries again.
        """
        standing = self._judge.look(settled, t, picture)
        if standing != "settling":
            self.state.withdraw_stale(t)
        if standing == "settled" and self.state.pending is None:
            self.state.forget_lifted()
        return standing

    def strange_table(self, look: Sighting, t: float) -> None:
        """Ask who is next on a table that does not match the known layout."""
        self._asker.strange_table(look, t)

    def tell(self, message: Mapping[str, Any], t: float) -> None:
        """Process a player's message: an answer, a roll, an overruling, a silent move.

        Raises:
            ToldError: the message cannot be used; the error says why.
        """
        self._messages.tell(message, t)

    def made_alone(self, n: int) -> bool:
        """Say whether the referee made the nth move for a player without a choice."""
        return is_made_alone(self.match, n)

    def take_back(self, count: int, t: float) -> Sequence[Accepted]:
        """Take back the last moves as the host says, also a foul; return them, newest first."""
        gone = self.keeper.take_back(count, t)
        self.state.chosen.clear()
        self.match.reopen()
        self.state.forget_lifted()
        self.keeper.go_on(t)
        return gone

    @property
    def can_undo_told(self) -> bool:
        """Whether the last player's message can be undone: nothing but its effects came after."""
        return self._messages.can_undo_told

    def undo_told(self, t: float) -> bool:
        """Undo the last player's message and its effects; return whether there was one."""
        return self._messages.undo_told(t)
