"""Every change of the match goes through here; nothing is announced before it is on the disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from companion_app.live.again import LookAgain, moves_shown
from companion_app.live.errors import ToldError
from companion_app.live.referee_state import Pending, Picture, RefereeState, Standing
from engine.errors import RecordError
from engine.game import Json, Move, Violation
from engine.placement import Layout
from engine.record import move_to_json
from engine.referee import violation_to_json


class Keeper:
    """Keeps moves, fouls and what is taken back, and says how the game goes on."""

    def __init__(self, state: RefereeState, look_again: LookAgain) -> None:
        self._state, self._match, self._look_again = state, state.match, look_again

    def accept(self, moves: Iterable[Move], t: float, picture: Picture) -> None:
        """Keep moves and announce them; they belong to what was told last, where that is due."""
        deeds = self._state.deeds
        deed = deeds[-1] if deeds and deeds[-1].due else None
        self._accept(moves, t, picture)
        if deed is not None:
            deeds[-1] = replace(deed, accepted=tuple(self._match.accepted), due=False)

    def call_foul(
        self, move: Move, broken: tuple[Violation, ...], table: Layout, t: float, shot: bytes | None
    ) -> None:
        """Keep a foul and announce it; it lies on the table until it is lifted or overruled."""
        state = self._state
        seq = self._match.foul(move, broken, t, state.picture, shot)
        state.pending = Pending(self._match.next_n, move, broken, table, seq)
        self._state.say(
            "verdict", t, n=state.pending.n, move=move_to_json(move), legal=False,
            violations=[violation_to_json(one) for one in broken], seq=seq,
        )  # fmt: skip

    def _accept(self, moves: Iterable[Move], t: float, picture: Picture) -> None:
        shot = picture()
        added = self._match.accept(tuple(moves), shot, t)
        self._state.picture = shot or self._state.picture
        self._state.begun = True
        self._state.machine = self._state.otherwise = None
        self._state.since.clear()
        self._state.chosen.clear()
        self._state.forget_answers()
        self._state.withdraw_all(t)
        first = len(self._match.accepted) - len(added) + 1
        for n, one in enumerate(added, start=first):
            self._state.say_verdict(n, one, t)
        self.go_on(t)

    def take_foul_back(self, t: float) -> None:
        """Keep and say that the tile of the announced foul was lifted."""
        assert self._state.pending is not None
        self._match.note("foul-taken-back", {"n": self._state.pending.n, "t": t})
        self._state.say("taken-back", t, n=self._state.pending.n, legal=False)
        self._state.pending = None

    def undo(self, count: int, t: float, picture: Picture) -> Standing:
        """Take back the last moves."""
        if self._state.pending:
            self.take_foul_back(t)
        last = len(self._match.accepted)
        for number, undone in enumerate(self._match.take_back(count, picture(), t)):
            if number < count - 1 and undone.move.do == "roll":
                # The die was rolled all the same: it counts when the turn comes again.
                self._state.rolls.appendleft((float("-inf"), undone.move))
            self._state.say("taken-back", t, n=last - number)
        self._state.since.clear()
        self._state.withdraw_all(t)
        self.go_on(t)
        return "settled"

    def next_roll(self, t: float) -> bool:
        """Let the next roll that was told count; say whether there was one that could."""
        if not self._state.rolls or not self._state.needs_roll():
            return False
        move = replace(self._state.rolls.popleft()[1], player=self._match.position.to_move)
        verdict = self._match.game.judge(self._match.position, move)
        if not verdict.legal:
            raise ToldError(" ".join(broken.text for broken in verdict.violations))
        self._state.rolled_s = t
        self.accept((move,), t, lambda: None)
        return True

    def go_on(self, t: float) -> None:
        """Say turn and score, let stuck players pass, ask for the roll, say when it is over.

        Raises:
            StoreError: a pass or the end could not be kept; ``going_on`` says that it is due.
        """
        self._state.going_on = True
        self._say_how_it_stands(t)
        self._state.going_on = False

    def _say_how_it_stands(self, t: float) -> None:
        game, match = self._match.game, self._match
        outcome = game.outcome(match.position)
        if outcome.scores != self._state.scores:
            self._state.scores = dict(outcome.scores)
            self._state.say("score", t, scores=self._state.scores)
        if outcome.over:
            if not self._state.over:
                match.end()
                self._state.over = True
                self._state.say("over", t, scores=self._state.scores, winners=list(outcome.winners))
            return
        if self._state.over:
            self._state.over = False
            match.reopen()
        if self._pass_when_stuck(t):
            return
        if match.position.to_move != self._state.turn:
            self._state.turn = match.position.to_move
            self._state.say("turn", t, player=self._state.turn)
        if self._state.needs_roll():
            if not self.next_roll(t):
                self._state.ask("roll", ("roll", len(match.accepted)), [1, 2, 3], t)
        else:
            asked = self._state.questions.values()
            self._state.withdraw((q for q in asked if q.about == "roll"), t)

    def _pass_when_stuck(self, t: float) -> bool:
        if "roll" in self._match.game.facts.actions:
            return False
        moves = self._match.game.legal_moves(self._match.position)
        if len(moves) == 1 and moves[0].do in ("pass", "finale"):
            self.accept(moves, t, lambda: None)
            return True
        return False

    # --- corrections -----------------------------------------------------------------------

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
            move = match.parsed(written, "correct")
        except RecordError as error:
            raise ToldError(str(error)) from error
        legal = [not one.violations for one in match.accepted]
        match.correct(n, move, t)
        self._read_again(n, legal, t)
        for number, one in enumerate(match.accepted[n - 1 :], start=n):
            self._state.say_verdict(number, one, t)
        self._state.scores = None
        self.go_on(t)

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
