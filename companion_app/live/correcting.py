"""Correcting a move that was accepted: it and everything after it are judged again."""

from __future__ import annotations

from collections.abc import Mapping

from companion_app.live.again import LookAgain, moves_shown
from companion_app.live.announcing import Voice
from companion_app.live.errors import ToldError
from companion_app.live.keeping import Keeper
from companion_app.live.referee_state import RefereeState
from engine.errors import RecordError
from engine.game import Json
from engine.record import move_to_json, parse_move


class Corrector:
    """Changes what a move was."""

    def __init__(
        self, state: RefereeState, voice: Voice, keeper: Keeper, look_again: LookAgain
    ) -> None:
        self._state = state
        self._match = state.match
        self._voice = voice
        self._keeper = keeper
        self._look_again = look_again

    def correct(self, n: int, changes: Mapping[str, Json], t: float) -> None:
        """Change what the nth move was, and judge it and everything after it again.

        Raises:
            ToldError: such a move cannot be.
        """
        match = self._match
        written = {**move_to_json(match.accepted[n - 1].move), **changes}
        if written["do"] == "turn":
            written.pop("tile", None)
        try:
            move = parse_move(match.game, match.box, match.start.players, written, "correct")
        except RecordError as error:
            raise ToldError(str(error)) from error
        legal = [not one.violations for one in match.accepted]
        match.correct(n, move, t)
        self._read_again(n, legal, t)
        for number, one in enumerate(match.accepted[n - 1 :], start=n):
            self._voice.verdict(number, one, t)
        self._state.scores = None
        self._keeper.go_on(t)

    def _read_again(self, n: int, legal: list[bool], t: float) -> None:
        """Look at the pictures of moves after the nth that only its correction made illegal."""
        left = self._state.settings.most_read_again
        for number in range(n + 1, len(self._match.accepted) + 1):
            one = self._match.accepted[number - 1]
            if not left or not one.violations or one.overruled or not legal[number - 1]:
                continue
            left -= 1
            shown = moves_shown(self._match, number, self._look_again)
            for later, move in enumerate(shown[1] if shown else (), start=shown[0] if shown else 0):
                self._match.correct(later, move, t)
