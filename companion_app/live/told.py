"""What players tell the referee: answers, rolls, overrulings, corrections, silent moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion_app.live.again import moves_shown
from companion_app.live.bench import Pending, Picture
from companion_app.live.errors import QuestionGone, ToldError, WouldDrop
from companion_app.live.explain import Row, explain
from companion_app.live.places import Content, Spot, contents
from companion_app.live.questions import Question, is_half_hidden
from companion_app.live.settle import Settled
from companion_app.live.undoing import Undoing
from engine.errors import RecordError
from engine.game import Json, Move, Start
from engine.given import shown
from engine.placement import Layout
from engine.record import move_to_json, parse_move
from engine.referee import violation_to_json


class Listener(Undoing):
    """The referee's ears."""

    def tell(self, message: Mapping[str, Any], t: float) -> None:
        """Take in what a player told: an answer, a roll, an overruling, a silent move.

        Raises:
            ToldError: it cannot be used; the message says why.
        """
        if "answer" in message:
            self._answered(message["answer"], message, t)
        elif "roll" in message:
            self._rolled({"do": "roll", "value": message["roll"], "tiles": message.get("tiles")}, t)
        elif "overrule" in message:
            self._overruled(message["overrule"], t)
        elif "correct" in message:
            self._corrected(message["correct"], message.get("move"), t)
        elif message.get("pass"):
            self._silent({"do": "pass"}, t)
        elif message.get("finale"):
            self._silent({"do": "finale"}, t)
        elif "discard" in message:
            self._silent({"do": "discard", "tile": message["discard"]}, t)
        elif isinstance(message.get("move"), dict):
            self._silent(message["move"], t)
        else:
            raise ToldError("say answer with value, roll, overrule, pass, finale or discard")

    def _answered(self, number: Any, message: Mapping[str, Any], t: float) -> None:
        question = self.questions.get(number) if isinstance(number, int) else None
        if question is None:
            raise QuestionGone(f"there is no question {number} that waits for an answer")
        if question.about == "next" and self.match.accepted and message.get("confirm") is not True:
            raise WouldDrop(
                f"this begins the game anew with the table as it lies and drops its "
                f'{len(self.match.accepted)} moves; add "confirm": true to do so'
            )
        before = self._before(question)
        value = message.get("value")
        del self.questions[question.id]
        try:
            self._take_answer(question, value, t)
        except ToldError:
            self.questions[question.id] = question
            raise
        self.match.note("answered", {"about": question.about, "value": value, "t": t})
        self._remember(before)

    def _take_answer(self, question: Question, value: Any, t: float) -> None:
        if question.about == "roll":
            told = value if isinstance(value, dict) else {"roll": value}
            self._rolled({"do": "roll", "value": told.get("roll", told.get("value")),
                          "tiles": told.get("tiles")}, t)  # fmt: skip
        elif question.about == "next":
            self._join(question, value, t)
            self._go_on(t)
        elif question.about == "hand":
            self._hand_told(question, value, t)
        elif isinstance(question.key, tuple) and question.key[0] == "order":
            self._order_told(question, value, t)
        else:
            self._tile_told(question, value, t)

    def _tile_told(self, question: Question, value: Any, t: float) -> None:
        if is_half_hidden(question):
            self._whole_told(question, value)
            return
        content = self._content(question, value)
        assert question.spot is not None
        about = question.key[0] if isinstance(question.key, tuple) else None
        if content is None and about == "loose":
            assert isinstance(question.key, tuple)
            self.strays |= question.key[1]
            return
        if content is not None and about == "gone":
            self.there |= {question.spot}
        for spot in question.cells or (question.spot,):
            self.answers[spot[0], spot[1], spot[2]] = content
        if content is None:
            return
        laid = self._move_at(question.spot)
        lying = contents(self.match.layout).get(question.spot)
        if laid is not None and lying is not None and lying != content:
            self.correct(laid, {"tile": content[0], "turns": content[1]}, t)

    def _whole_told(self, question: Question, value: Any) -> None:
        """Take in that all of a tile is in view, though something seems to lie over it."""
        named = value.get("tile") if isinstance(value, dict) else value
        named = named[0] if isinstance(named, list) and named else named
        if named not in (question.guesses[0][0], str(question.guesses[0][0]).partition("/")[0]):
            raise ToldError("take away what lies over the tile: the camera must see all of it")
        self.whole |= {(spot[0], spot[1], spot[2]) for spot in question.cells}

    def _content(self, question: Question, value: Any) -> Content | None:
        """Return what an answer says lies in a spot; ``None`` for nothing."""
        turns = None
        if isinstance(value, dict):
            value, turns = value.get("tile"), value.get("turns")
        elif isinstance(value, list) and value:
            value, turns = value[0], (value[2] if len(value) > 2 else None)
        if value in (None, "none"):
            return None
        box = self.match.box
        if not isinstance(value, str) or (value not in box and value not in box.colours):
            raise ToldError(f"there is no tile {shown(value)} in the box")
        if turns is not None and not _is_quarter_turns(turns):
            raise ToldError("turns is 0, 1, 2 or 3")
        if self.match.box.lattice == "hex":
            return (str(value).partition("/")[0], 0)
        known: Content = question.choices.get(value, (value, 0))
        return known if turns is None else (value, turns)

    def _order_told(self, question: Question, value: Any, t: float) -> None:
        index = value if isinstance(value, int) else _index_of(value, question.guesses)
        chosen = question.choices.get(str(index))
        if chosen is None:
            raise ToldError("answer with the number of a guess, from 0, or with the guess itself")
        assert isinstance(question.key, tuple)
        if isinstance(chosen, Row):
            self._chosen[question.key[1]] = chosen
        else:
            self._undo(chosen, t, lambda: None)

    def _hand_told(self, question: Question, value: Any, t: float) -> None:
        if "discard" in question.choices:
            self._silent({"do": "discard", "tile": value}, t)
            return
        row: Row = next(choice for choice in question.choices.values() if choice is not None)
        if value in (True, "no-own-tile", "pass"):
            self._accept(row.moves, t, lambda: None)
            return
        before = row.moves[:-1] if row.moves[-1].declares else ()
        reached = self.match.position
        for move in before:
            reached = self.match.game.apply(reached, move)
        plain = replace(row.moves[-1], declares=None)
        if not before:
            plain = replace(plain, player=reached.to_move)
        broken = self.match.game.judge(reached, plain).violations
        if before:
            self._accept(before, t, lambda: None)
        table = self.match.game.layout(row.position)
        seq = self.match.foul(plain, broken, t, self._picture, None)
        self.pending = Pending(self.match.next_n, plain, broken, table, seq)
        self._say("verdict", t, n=self.pending.n, move=move_to_json(plain), legal=False,
                  violations=[violation_to_json(v) for v in broken], seq=seq)  # fmt: skip

    def _join(self, question: Question, value: Any, t: float) -> None:
        if value not in self.match.start.players:
            raise ToldError(f"{value!r} is none of {', '.join(self.match.start.players)}")
        start = self.match.start
        try:
            self.match.restart(
                Start(start.players, start.options, question.choices["table"], value, midgame=True)
            )
        except RecordError as error:
            raise ToldError(f"the game cannot go on from this table: {error}") from error
        self.pending = None
        self._since.clear()
        self._withdraw_all(t)

    def _overruled(self, n: Any, t: float) -> None:
        if self.pending is None or self.pending.n != n:
            raise ToldError(f"there is no foul with the number {n} to overrule")
        pending, self.pending = self.pending, None
        added = self.match.accept((pending.move,), self._picture, t, overruled=True)
        self._verdict(n, added[0], t)
        self._go_on(t)

    def _corrected(self, n: Any, value: Any, t: float) -> None:
        if not isinstance(n, int) or not 1 <= n <= len(self.match.accepted):
            raise ToldError(f"there is no move {n} to correct")
        if not isinstance(value, dict):
            raise ToldError("say what the move was")
        before = self._before()
        lay = contents(self.match.layout)
        self.correct(n, value, t)
        # What somebody has named, the camera does not question again.
        lying = contents(self.match.layout)
        self.answers |= {s: now for s, now in lying.items() if lay.get(s) != now}
        self._remember(before)

    def correct(self, n: int, changes: Mapping[str, Json], t: float) -> None:
        """Change what the nth move was, and judge it and everything after it again.

        Raises:
            ToldError: such a move cannot be.
        """
        match = self.match
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
            self._verdict(number, one, t)
        self._scores = None
        self._go_on(t)

    def _read_again(self, n: int, legal: list[bool], t: float) -> None:
        """Look at the pictures of moves after the nth that only its correction made illegal."""
        left = self.settings.most_read_again
        for number in range(n + 1, len(self.match.accepted) + 1):
            one = self.match.accepted[number - 1]
            if not left or not one.violations or one.overruled or not legal[number - 1]:
                continue
            left -= 1
            shown = moves_shown(self.match, number, self._look_again)
            for later, move in enumerate(shown[1] if shown else (), start=shown[0] if shown else 0):
                self.match.correct(later, move, t)

    def _move_at(self, spot: Spot) -> int | None:
        """Return the number of the last move that laid something in a spot."""
        for number in range(len(self.match.accepted), 0, -1):
            before = contents(self.match.layouts[number - 1])
            after = contents(self.match.layouts[number])
            if before.get(spot) != after.get(spot):
                return number
        return None

    def _rolled(self, written: dict[str, Json], t: float) -> None:
        if "roll" not in self.match.game.facts.actions:
            raise ToldError(f"nobody rolls a die in {self.match.game.facts.title}")
        written = {k: v for k, v in written.items() if v is not None}
        if self._seen_roll == len(self.match.accepted):
            # The die was seen already: what is told says which cards, or that it was misread.
            changes = {k: v for k, v in written.items() if k in ("value", "tiles")}
            self._seen_roll = None
            self.correct(len(self.match.accepted), changes, t)
            return
        move = self._parsed(written)
        self._rolls.append((t, move))
        if self.needs_roll():
            self._next_roll(t)

    def _try_rolls(self, t: float) -> None:
        """Let a told roll count once the table shows no card any more that comes before it.

        Cards of the last roll that do not lie there then went out of the game.
        """
        if self._over or self.pending or not self._rolls or self._rolls[0][0] >= t:
            return
        if self._rolls[0][0] <= self._rolled_s:
            # Told ahead of its time: the cards of the roll before may still be laid.
            return
        game, position = self.match.game, self.match.position
        out: list[Move] = []
        roll = Move(position.to_move, "roll", value=1)
        while not game.judge(position, roll).legal:
            moves = [move for move in game.legal_moves(position) if move.do == "discard"]
            if not moves:
                return
            if len(moves) > 1 and position.turn.is_untold:
                self._ask("hand", ("discard", len(self.match.accepted)),
                          [[move.tile, round(1 / len(moves), 3)] for move in moves], t,
                          choices={"discard": True})  # fmt: skip
                return
            out.append(moves[0])
            position = game.apply(position, moves[0])
            roll = Move(position.to_move, "roll", value=1)
        if out:
            self._accept(out, t, lambda: None)
        self._next_roll(t)

    def _after_told_roll(self, table: Layout, t: float, picture: Picture) -> bool:
        """Find a card that belongs to a roll told already; what was left before it went out."""
        game, position = self.match.game, self.match.position
        if not self._rolls or position.turn.is_untold:
            return False
        moves: list[Move] = []
        while not game.judge(position, Move(position.to_move, "roll", value=1)).legal:
            out = [move for move in game.legal_moves(position) if move.do == "discard"]
            if not out:
                return False
            moves.append(out[0])
            position = game.apply(position, out[0])
        roll = replace(self._rolls[0][1], player=position.to_move)
        if not game.judge(position, roll).legal:
            return False
        found = explain(game, game.apply(position, roll), table)
        if len(found.rows) != 1:
            return False
        self._rolls.popleft()
        self._accept((*moves, roll, *found.rows[0].moves), t, picture)
        return True

    def _see_die(self, settled: Settled, t: float) -> None:
        """Take the roll from a die in view when it shows another number than before."""
        shown = settled.die
        if shown is None or shown == self._die:
            return
        first, self._die = self._die is None, shown
        if not first and self.needs_roll() and not self._rolls:
            self._rolled({"do": "roll", "value": shown}, t)
            self._seen_roll = len(self.match.accepted)

    def _silent(self, written: Mapping[str, Json], t: float) -> None:
        """Accept a move that leaves no trace on the table."""
        move = self._parsed(dict(written))
        verdict = self.match.game.judge(self.match.position, move)
        if not verdict.legal:
            raise ToldError(" ".join(broken.text for broken in verdict.violations))
        self._accept((move,), t, lambda: None)

    def _parsed(self, written: dict[str, Json]) -> Move:
        match = self.match
        written.setdefault("player", match.position.to_move)
        try:
            return parse_move(match.game, match.box, match.start.players, written, "told")
        except RecordError as error:
            raise ToldError(str(error)) from error


def _is_quarter_turns(turns: Any) -> bool:
    return isinstance(turns, int) and not isinstance(turns, bool) and 0 <= turns < 4


def _index_of(value: Any, guesses: tuple[Json, ...]) -> int:
    return guesses.index(value) if value in guesses else -1
