"""Rolls of the die: told ahead or in time, or seen by the camera."""

from __future__ import annotations

from dataclasses import replace

from companion_app.live.errors import ToldError
from companion_app.live.explain import explain
from companion_app.live.keeping import Keeper
from companion_app.live.match import Match
from companion_app.live.referee_state import Picture, RefereeState
from companion_app.live.settle import Settled
from engine.errors import RecordError
from engine.game import Json, Move
from engine.placement import Layout


class Rolls:
    """Lets rolls count when their turn has come."""

    def __init__(self, state: RefereeState, keeper: Keeper) -> None:
        self._state, self._match, self._keeper = state, state.match, keeper

    def rolled(self, written: dict[str, Json], t: float) -> None:
        """Take in a roll: it counts now, or when its turn comes."""
        if "roll" not in self._match.game.facts.actions:
            raise ToldError(f"nobody rolls a die in {self._match.game.facts.title}")
        written = {k: v for k, v in written.items() if v is not None}
        if self._state.seen_roll == len(self._match.accepted):
            # The die was seen already: what is told says which cards, or that it was misread.
            changes = {k: v for k, v in written.items() if k in ("value", "tiles")}
            self._state.seen_roll = None
            self._keeper.correct(len(self._match.accepted), changes, t)
            return
        move = move_told(self._match, written)
        self._state.rolls.append((t, move))
        if self._state.needs_roll():
            self._keeper.next_roll(t)

    def try_rolls(self, t: float) -> None:
        """Let a told roll count once the table shows no card any more that comes before it.

        Cards of the last roll that do not lie there then went out of the game.
        """
        if (
            self._state.over
            or self._state.pending
            or not self._state.rolls
            or self._state.rolls[0][0] >= t
        ):
            return
        if self._state.rolls[0][0] <= self._state.rolled_s:
            # Told ahead of its time: the cards of the roll before may still be laid.
            return
        game, position = self._match.game, self._match.position
        out: list[Move] = []
        roll = Move(position.to_move, "roll", value=1)
        while not game.judge(position, roll).legal:
            moves = [move for move in game.legal_moves(position) if move.do == "discard"]
            if not moves:
                return
            if len(moves) > 1 and position.turn.is_untold:
                self._state.ask("hand", ("discard", len(self._match.accepted)),
                          [[move.tile, round(1 / len(moves), 3)] for move in moves], t,
                          choices={"discard": True})  # fmt: skip
                return
            out.append(moves[0])
            position = game.apply(position, moves[0])
            roll = Move(position.to_move, "roll", value=1)
        if out:
            self._keeper.accept(out, t, lambda: None)
        self._keeper.next_roll(t)

    def after_told_roll(self, table: Layout, t: float, picture: Picture) -> bool:
        """Find a card that belongs to a roll told already; what was left before it went out."""
        game, position = self._match.game, self._match.position
        if not self._state.rolls or position.turn.is_untold:
            return False
        moves: list[Move] = []
        while not game.judge(position, Move(position.to_move, "roll", value=1)).legal:
            out = [move for move in game.legal_moves(position) if move.do == "discard"]
            if not out:
                return False
            moves.append(out[0])
            position = game.apply(position, out[0])
        roll = replace(self._state.rolls[0][1], player=position.to_move)
        if not game.judge(position, roll).legal:
            return False
        found = explain(game, game.apply(position, roll), table)
        if len(found.rows) != 1:
            return False
        self._state.rolls.popleft()
        self._keeper.accept((*moves, roll, *found.rows[0].moves), t, picture)
        return True

    def see_die(self, settled: Settled, t: float) -> None:
        """Take the roll from a die in view when it shows another number than before."""
        shown = settled.die
        if shown is None or shown == self._state.die:
            return
        first, self._state.die = self._state.die is None, shown
        if not first and self._state.needs_roll() and not self._state.rolls:
            self.rolled({"do": "roll", "value": shown}, t)
            self._state.seen_roll = len(self._match.accepted)


def move_told(match: Match, written: dict[str, Json]) -> Move:
    """Return a move that was told; whoever is to move makes it unless it says otherwise.

    Raises:
        ToldError: such a move cannot be.
    """
    written.setdefault("player", match.position.to_move)
    try:
        return match.parsed(written, "told")
    except RecordError as error:
        raise ToldError(str(error)) from error
