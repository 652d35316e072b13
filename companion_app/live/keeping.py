"""Saves and announces every change of the match, in this order: first the disk, then the event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion_app.games.entries import FoulTakenBack
from companion_app.games.play import Accepted, Game, Pending
from companion_app.live.align import aligner_for
from companion_app.live.doubts import Picture, Standing
from companion_app.live.draft import LookAgain, Part
from companion_app.live.errors import ToldError
from companion_app.live.explain import explain
from companion_app.live.likeness import changed_spots
from companion_app.live.match import Match
from companion_app.live.places import Content, Spot, contents
from companion_app.live.settle import Settled
from companion_app.live.table import read_settled
from engine.errors import RecordError
from engine.game import AnyGame, Json, Move, Violation
from engine.placement import Layout
from engine.record import move_to_json
from engine.referee import violation_to_json
from vision import TableState

FORCED = ("pass", "finale", "discard")
"""Moves that the referee makes for a player who has no other."""


class Keeper(Part):
    """Saves moves, fouls and undos, and announces turn, score and end."""

    def accept(self, moves: Iterable[Move], picture: Picture) -> None:
        """Save moves and announce them; link them to the last player's message if it is due."""
        deeds = self._doubts.deeds
        self._accept(moves, picture)
        if deeds and deeds[-1].due:
            deed = replace(deeds[-1], accepted=self._match.accepted, due=False)
            self._draft.change(deeds=(*deeds[:-1], deed))

    def call_foul(
        self, move: Move, broken: tuple[Violation, ...], table: Layout, shot: bytes | None
    ) -> None:
        """Save a foul and announce it; it is pending until it is lifted or overruled."""
        seq = self._match.foul(move, broken, self._t, self._doubts.picture, shot)
        pending = Pending(self._match.next_n, move, broken, table, seq)
        self._draft.change(pending=pending, otherwise=None)
        self._draft.say(
            "verdict",
            n=pending.n,
            move=move_to_json(move),
            legal=False,
            violations=[violation_to_json(one) for one in broken],
            seq=seq,
        )

    def _accept(self, moves: Iterable[Move], picture: Picture, overruled: bool = False) -> None:
        shot = picture()
        added = self._match.accept(tuple(moves), shot, self._t, overruled)
        draft = self._draft
        draft.doubts = draft.doubts.about(contents(self._match.layout).keys())
        draft.change(picture=shot or draft.doubts.picture, begun=True, since={})
        draft.wants(None)
        draft.withdraw_all()
        first = len(self._match.accepted) - len(added) + 1
        for n, one in enumerate(added, start=first):
            draft.say_verdict(n, one)
        self.go_on()

    def take_foul_back(self) -> None:
        """Save and announce that the tile of the pending foul was lifted."""
        assert self._doubts.pending is not None
        self._match.note(FoulTakenBack(self._doubts.pending.n, self._t))
        self._draft.say("taken-back", n=self._doubts.pending.n, legal=False)
        self._draft.change(pending=None)

    def undo(self, count: int, picture: Picture) -> Standing:
        """Take back the last ``count`` moves, which are gone from the table."""
        for number, undone in enumerate(self.take_back(count, picture)):
            if number < count - 1 and undone.move.do == "roll":
                # A roll taken back was still rolled: it counts again when its turn comes.
                rolls = ((float("-inf"), undone.move), *self._doubts.rolls)
                self._draft.change(rolls=rolls)
        self.go_on()
        return "settled"

    def take_back(self, count: int, picture: Picture = lambda: None) -> Sequence[Accepted]:
        """Take back moves and whatever depends on their position; return them, newest first."""
        if self._doubts.pending:
            self.take_foul_back()
        last = len(self._match.accepted)
        layout = self._match.layout
        gone = self._match.take_back(count, picture(), self._t)
        spots = changed_spots(layout, self._match.layout)
        laid_back = frozenset(c for c in self._doubts.laid_back if c[0] not in spots)
        for number in range(count):
            self._draft.say("taken-back", n=last - number)
        self._draft.wants(None)
        self._draft.change(since={}, laid_back=laid_back)
        self._draft.withdraw_all()
        return gone

    def accept_again(self, one: Accepted) -> None:
        """Save a move that was taken back once more, and announce it."""
        if self._doubts.pending:
            self.take_foul_back()
        self._accept((one.move,), lambda: None, one.overruled)

    def overrule(self) -> None:
        """Accept the move of the pending foul, with the foul's picture."""
        pending = self._doubts.pending
        assert pending is not None
        self._draft.change(pending=None)
        shot = self._match.store.picture(pending.seq, "after")
        self._accept((pending.move,), lambda: shot, overruled=True)

    def roll(self, move: Move) -> None:
        """Accept a roll as the roll that the game waits for.

        Raises:
            ToldError: it cannot have been rolled or drawn.
        """
        move = replace(move, player=self._match.position.to_move)
        verdict = self._match.game.judge(self._match.position, move)
        if not verdict.legal:
            problem = " ".join(broken.text for broken in verdict.violations)
            raise ToldError(problem, "against-rules")
        self._draft.change(rolled_s=self._t)
        self.accept((move,), lambda: None)

    def next_roll(self) -> bool:
        """Accept the first queued roll if the game waits for one; return whether it did."""
        if not self._doubts.rolls or not self._draft.needs_roll():
            return False
        (_, move), *later = self._doubts.rolls
        self._draft.change(rolls=tuple(later))
        try:
            self.roll(move)
        except ToldError:
            # It was told ahead and cannot be. Those after it may be wrong, too: all are asked for.
            self._draft.change(rolls=())
            return False
        return True

    def go_on(self) -> None:
        """Announce score, turn and end, move for players without a choice, ask for a roll."""
        game, match, draft = self._match.game, self._match, self._draft
        outcome = game.outcome(match.position)
        scores = dict(outcome.scores)
        if scores != draft.doubts.scores:
            draft.change(scores=scores)
            draft.say("score", scores=scores)
        if outcome.over:
            if not draft.doubts.over:
                match.end()
                draft.change(over=True)
                draft.say("over", scores=scores, winners=list(outcome.winners))
            return
        if draft.doubts.over:
            draft.change(over=False)
            match.reopen()
        if match.ended:  # by hand
            return
        moves = _choice(game, match.position)
        if _is_forced(moves):
            self.accept(moves, lambda: None)
            return
        if match.position.to_move != draft.doubts.turn:
            draft.change(turn=match.position.to_move)
            draft.say("turn", player=match.position.to_move)
        self._ask_for_the_roll([move for move in moves if move.do == "discard"])

    def _ask_for_the_roll(self, discards: list[Move]) -> None:
        """Ask what was rolled, or which card fits nowhere; withdraw what is not asked any more."""
        due = self._draft.needs_roll()
        if due and self.next_roll():
            return
        out = [[move.tile, round(1 / len(discards), 3)] for move in discards]
        asked = self._doubts.questions.values()
        moot = [q for q in asked if q.about == "roll" and not due]
        moot += [q for q in asked if "discard" in q.choices and list(q.guesses) != out]
        self._draft.withdraw(moot)
        count = len(self._match.accepted)
        if due:
            self._draft.ask("roll", ("roll", count), [1, 2, 3])
        if out:
            self._draft.ask("hand", ("discard", count), out, choices={"discard": True})

    # --- corrections -----------------------------------------------------------------------

    def correct(self, n: int, changes: Mapping[str, Json]) -> None:
        """Change the nth move, and judge it and all later moves again.

        Raises:
            ToldError: the changes do not make a move.
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
        match.correct(n, move, self._t)
        self._read_again(n, legal)
        for number, one in enumerate(match.accepted[n - 1 :], start=n):
            self._draft.say_verdict(number, one)
        self._draft.change(scores=None)
        self.go_on()

    def _read_again(self, n: int, legal: list[bool]) -> None:
        """Read the pictures of later moves again that became illegal by correcting the nth."""
        left = self._draft.settings.most_read_again
        for number in range(n + 1, len(self._match.accepted) + 1):
            one = self._match.accepted[number - 1]
            if not left or not one.violations or one.overruled or not legal[number - 1]:
                continue
            left -= 1
            for later, move in moves_shown(self._match, number, self._draft.look_again).items():
                self._match.correct(later, move, self._t)


# --- moves without a choice ----------------------------------------------------------------------


def is_made_alone(match: Game, n: int) -> bool:
    """Say whether the nth move is one that the referee makes for a player without a choice."""
    one = match.accepted[n - 1].move
    if one.do not in FORCED:
        return False
    moves = _choice(match.game, match.positions[n - 1])
    return _is_forced(moves) and moves[0] == one


def _choice(game: AnyGame, position: Any) -> list[Move]:
    """Return the legal moves; none before a roll, and none where rolls are on trust."""
    if "roll" in game.facts.actions and position.turn.value is None:
        return []
    return game.legal_moves(position)


def _is_forced(moves: list[Move]) -> bool:
    return len(moves) == 1 and moves[0].do in FORCED


# --- kept pictures, read again -------------------------------------------------------------------


def moves_shown(match: Match, n: int, look_again: LookAgain) -> dict[int, Move]:
    """Return the moves that the kept picture of the nth move shows, if they differ from it.

    Once an earlier move has been corrected, the same picture may show another tile, or another way
    to cut the same hex cells.
    Moves that were accepted together share one picture; the result has each by its number. It is
    empty if there is no picture, it is ambiguous, or it shows the accepted moves.
    """
    seq = match.accepted[n - 1].seq
    numbers = [i for i, one in enumerate(match.accepted, start=1) if one.seq == seq]
    first, last = numbers[0], numbers[-1]
    jpeg = match.store.picture(seq, "after")
    table = None if jpeg is None else look_again(jpeg)
    settled = None if table is None else _settled(match, table, last)
    if settled is None:
        return {}
    before, after = contents(match.layouts[first - 1]), contents(match.layouts[last])
    # Tiles that lay there before are known better than one small picture can show.
    told: dict[Spot, Content | None] = {
        spot: content for spot, content in before.items() if after.get(spot) == content
    }
    several = match.game.facts.several_boards
    reading = read_settled(settled, match.layouts[first - 1], match.box, told, several)
    if reading.doubts or reading.loose:
        return {}
    tables = [explain(match.game, match.positions[first - 1], one) for one in reading.layouts]
    rows = [
        row.moves for told_by in tables for row in told_by.rows if len(row.moves) == len(numbers)
    ]
    accepted = tuple(match.accepted[i - 1].move for i in numbers)
    is_other = len(rows) == 1 and rows[0] != accepted
    return dict(enumerate(rows[0], start=first)) if is_other else {}


def _settled(match: Match, table: TableState, n: int) -> Settled | None:
    """Return one look at the table after the nth move; tiles that it misses count as present."""
    look = aligner_for(match).sighting(table, match.layouts[n])
    if look is None:
        return None
    sure = {s: (b.best, b.guesses[0][1]) for s, b in look.beliefs.items() if b.sure and b.guesses}
    doubts = {spot: belief for spot, belief in look.beliefs.items() if spot not in sure}
    return Settled(1, sure, doubts, last=look, enough_for_gone=False)
