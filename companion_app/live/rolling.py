"""Rolls of the die: told by players in time or ahead of it, or seen by the camera."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion_app.live.doubts import Picture
from companion_app.live.draft import Draft, Part
from companion_app.live.errors import ToldError
from companion_app.live.explain import explain
from companion_app.live.keeping import Keeper
from companion_app.live.match import Match
from companion_app.live.questions import who_discards
from companion_app.live.settle import Settled
from engine.errors import RecordError
from engine.game import Json, Move
from engine.placement import Layout


class Rolls(Part):
    """Queues rolls and accepts each one when the game waits for it."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._keeper = Keeper(draft)

    def rolled(self, written: dict[str, Json]) -> None:
        """Accept a roll if the game waits for one, else queue it."""
        if "roll" not in self._match.game.facts.actions:
            raise ToldError(f"nobody rolls a die in {self._match.game.facts.title}")
        written = {k: v for k, v in written.items() if v is not None}
        if self._doubts.seen_roll == len(self._match.accepted):
            # The camera saw this roll already: the message adds the cards, or corrects the value.
            changes = {k: v for k, v in written.items() if k in ("value", "tiles")}
            self._draft.change(seen_roll=None)
            self._keeper.correct(len(self._match.accepted), changes)
            return
        move = move_told(self._match, written)
        if self._draft.needs_roll():
            self._keeper.roll(move)
        else:
            self._draft.change(rolls=(*self._doubts.rolls, (self._t, move)))

    def try_rolls(self) -> None:
        """Accept the first queued roll once no card of the roll before it is still to come.

        Cards of the earlier roll that were not laid count as discarded.
        """
        if (
            self._doubts.over
            or self._doubts.pending
            or not self._doubts.rolls
            or self._doubts.rolls[0][0] >= self._t
        ):
            return
        if self._doubts.rolls[0][0] <= self._doubts.rolled_s:
            # This roll was told early: cards of the roll before it may still be laid.
            return
        out, position = self._discards()
        if position is None:
            return
        if out:
            self._keeper.accept(out, lambda: None)
        self._keeper.next_roll()

    def after_told_roll(self, table: Layout, picture: Picture) -> bool:
        """Accept a card that belongs to the first queued roll; return whether there is one.

        Cards of the earlier roll that were not laid count as discarded.
        """
        game, position = self._match.game, self._match.position
        if not self._doubts.rolls or position.turn.is_untold:
            return False
        out, position = self._discards()
        if position is None:
            return False
        roll = replace(self._doubts.rolls[0][1], player=position.to_move)
        if not game.judge(position, roll).legal:
            return False
        found = explain(game, game.apply(position, roll), table)
        if len(found.rows) != 1:
            return False
        self._draft.change(rolls=self._doubts.rolls[1:])
        self._keeper.accept((*out, roll, *found.rows[0].moves), picture)
        return True

    def _discards(self) -> tuple[list[Move], Any]:
        """Return the discards after which a roll is due, and the position that they lead to.

        The position is ``None`` if a card is still to come, or was asked about.
        """
        game, position = self._match.game, self._match.position
        out: list[Move] = []
        while not game.judge(position, Move(position.to_move, "roll", value=1)).legal:
            moves = [move for move in game.legal_moves(position) if move.do == "discard"]
            if not moves or (len(moves) > 1 and position.turn.is_untold):
                return out, None
            out.append(moves[0])
            position = game.apply(position, moves[0])
        return out, position

    def see_die(self, settled: Settled) -> None:
        """Accept a roll from the die in view when its value has changed."""
        shown = settled.die
        if shown is None or shown == self._doubts.die:
            return
        if self._doubts.die is not None and self._draft.needs_roll() and not self._doubts.rolls:
            n = self._match.next_n
            self.rolled({"do": "roll", "value": shown})
            self._draft.change(seen_roll=n)
        self._draft.change(die=shown)


def move_told(match: Match, written: dict[str, Json]) -> Move:
    """Return a move from a player's message; by default it is the move of whose turn it is.

    Raises:
        ToldError: the message is not a move.
    """
    discards = written.get("do") == "discard"
    written.setdefault("player", who_discards(match) if discards else match.position.to_move)
    try:
        return match.parsed(written, "told")
    except RecordError as error:
        raise ToldError(str(error)) from error
