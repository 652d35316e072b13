"""Handles players' messages (answers, rolls, corrections, silent moves), and undoes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any

from companion_app.games.entries import Answered, LetStand
from companion_app.games.play import Game
from companion_app.live.doubts import Deed, Doubts, move_at
from companion_app.live.draft import Draft, Part
from companion_app.live.errors import QuestionGone, ToldError, WouldDrop
from companion_app.live.explain import Row, explain
from companion_app.live.keeping import Keeper
from companion_app.live.likeness import changes
from companion_app.live.places import Content, Spot, contents, spots_of
from companion_app.live.questions import Question, is_half_hidden
from companion_app.live.rolling import Rolls, move_told
from engine.errors import RecordError
from engine.game import Json, Start
from engine.given import is_whole, shown
from engine.placement import Layout


class PlayerMessages(Part):
    """Applies players' messages to the referee's state and the match."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        self._keeper, self._rolls = Keeper(draft), Rolls(draft)

    def tell(self, message: Mapping[str, Any]) -> None:
        """Process a player's message: an answer, a roll, an overruling, a silent move.

        Raises:
            ToldError: the message cannot be used; the error says why.
        """
        self._settle()
        if "answer" in message:
            self._answered(message["answer"], message)
        elif "roll" in message:
            self._rolls.rolled(
                {"do": "roll", "value": message["roll"], "tiles": message.get("tiles")}
            )
        elif "overrule" in message:
            self._overruled(message["overrule"])
        elif "correct" in message:
            self._corrected(message["correct"], message.get("move"))
        elif message.get("stand"):
            self._let_stand()
        elif message.get("pass"):
            self._silent({"do": "pass"})
        elif message.get("finale"):
            self._silent({"do": "finale"})
        elif "discard" in message:
            self._silent({"do": "discard", "tile": message["discard"]})
        elif isinstance(message.get("move"), dict):
            self._silent(message["move"])
        else:
            raise ToldError("say answer with value, roll, overrule, pass, finale or discard")

    def _answered(self, number: Any, message: Mapping[str, Any]) -> None:
        question = self._doubts.questions.get(number) if isinstance(number, int) else None
        if question is None:
            raise QuestionGone(f"there is no question {number} that waits for an answer")
        if question.about == "next" and self._match.accepted and message.get("confirm") is not True:
            raise WouldDrop(
                f"this begins the game anew with the table as it lies and drops the moves so far: "
                f'{len(self._match.accepted)}; add "confirm": true to do so'
            )
        match, doubts = self._match.now, self._doubts
        value = message.get("value")
        left = {n: one for n, one in doubts.questions.items() if n != question.id}
        self._draft.change(questions=left)
        self._take_answer(question, value)
        self._match.note(Answered(question.about, value, self._t))
        self._remember(match, doubts, question)

    def _take_answer(self, question: Question, value: Any) -> None:
        if question.about == "roll":
            told = value if isinstance(value, dict) else {"roll": value}
            self._rolls.rolled(
                {
                    "do": "roll",
                    "value": told.get("roll", told.get("value")),
                    "tiles": told.get("tiles"),
                },
            )
        elif question.about == "next":
            self._join(question, value)
            self._keeper.go_on()
        elif question.about == "hand":
            self._hand_told(question, value)
        elif isinstance(question.key, tuple) and question.key[0] == "order":
            self._order_told(question, value)
        else:
            self._tile_told(question, value)

    def _tile_told(self, question: Question, value: Any) -> None:
        if is_half_hidden(question):
            self._whole_told(question, value)
            return
        content = self._content(question, value)
        assert question.spot is not None
        about = question.key[0] if isinstance(question.key, tuple) else None
        if content is None and about == "loose":
            assert isinstance(question.key, tuple)
            self._draft.change(strays=self._doubts.strays | question.key[1])
            return
        if content is not None and about == "gone":
            self._draft.change(there=self._doubts.there | {question.spot})
        guesses = {(guess[0], guess[2] if len(guess) > 2 else 0) for guess in question.guesses}
        reading = self._doubts.reading
        for spot in ((s[0], s[1], s[2]) for s in question.cells or (question.spot,)):
            in_doubt = reading is not None and spot in reading.doubts
            self._draft.doubts = self._doubts.told(spot, content, guesses, in_doubt)
        if content is None:
            return
        if self._doubts.touched and question.spot in self._doubts.clear:
            return  # It was read surely before the hand came: what lies there now is new.
        laid = move_at(self._match.now, question.spot)
        lying = contents(self._match.layout).get(question.spot)
        if laid is not None and lying is not None and lying != content:
            if self._match.box.lattice == "square" and self._is_new(question.spot, content, laid):
                self._draft.change(touched=True)
            else:
                self._keeper.correct(laid, {"tile": content[0], "turns": content[1]})

    def _is_new(self, spot: Spot, content: Content, laid: int) -> bool:
        """Say whether a tile is legal as a move of now, but not in place of the nth move's tile."""
        match, (tile, turns) = self._match, content
        right = replace(match.accepted[laid - 1].move, tile=tile, turns=turns)
        both = zip(match.accepted, match.now.corrected(laid, right).accepted, strict=True)
        breaks = any(one.violations and not before.violations for before, one in both)
        old = {card for card in match.layout.cards if spot in spots_of(card)}
        new = {replace(card, tile=tile, turns=turns) for card in old}
        table = replace(match.layout, cards=match.layout.cards - old | new)
        return breaks and bool(explain(match.game, match.position, table).rows)

    def _whole_told(self, question: Question, value: Any) -> None:
        """Note that all of a tile is in view although it looks half covered."""
        named = value.get("tile") if isinstance(value, dict) else value
        named = named[0] if isinstance(named, list) and named else named
        if named not in (question.guesses[0][0], str(question.guesses[0][0]).partition("/")[0]):
            raise ToldError("take away what lies over the tile: the camera must see all of it")
        whole = {(spot[0], spot[1], spot[2]) for spot in question.cells}
        self._draft.change(whole=self._doubts.whole | whole)

    def _content(self, question: Question, value: Any) -> Content | None:
        """Return the content of a spot that an answer names; ``None`` for nothing."""
        turns = None
        if isinstance(value, dict):
            value, turns = value.get("tile"), value.get("turns")
        elif isinstance(value, list) and value:
            value, turns = value[0], (value[2] if len(value) > 2 else 0)
        if value in (None, "none"):
            return None
        box = self._match.box
        if not isinstance(value, str) or (value not in box and value not in box.colours):
            raise ToldError(f"there is no tile {shown(value)} in the box")
        if turns is not None and not (is_whole(turns) and 0 <= turns < 4):
            raise ToldError("turns is 0, 1, 2 or 3")
        if self._match.box.lattice == "hex":
            return (str(value).partition("/")[0], 0)
        known: Content = question.choices.get(value, (value, 0))
        return known if turns is None else (value, turns)

    def _order_told(self, question: Question, value: Any) -> None:
        index = value
        if not isinstance(value, int):
            index = question.guesses.index(value) if value in question.guesses else -1
        chosen = question.choices.get(str(index))
        if chosen is None:
            raise ToldError("answer with the number of a guess, from 0, or with the guess itself")
        assert isinstance(question.key, tuple)
        if isinstance(chosen, Row):
            at = len(self._match.accepted), question.key[1]
            self._draft.change(chosen={**self._doubts.chosen, at: chosen})
            if "taken-back" in question.guesses:
                back = changes(self._match.layout, Layout(*question.key[1]))
                self._draft.change(laid_back=self._doubts.laid_back | back)
        else:
            self._keeper.undo(chosen, lambda: None)

    def _hand_told(self, question: Question, value: Any) -> None:
        if "discard" in question.choices:
            self._silent({"do": "discard", "tile": value})
            return
        (yes, row), (no, table) = question.choices.items()
        if value in (True, yes):
            self._keeper.accept(row.moves, lambda: None)
            return
        if value not in (False, no):
            raise ToldError(f"answer with {yes} or {no}")
        *before, laid = row.moves
        while before and not laid.declares and before[-1].do in ("pass", "finale"):
            before.pop()
        reached = self._match.position
        for move in before:
            reached = self._match.game.apply(reached, move)
        plain = replace(laid, declares=None)
        broken = self._match.game.judge(reached, plain).violations
        if before:
            self._keeper.accept(before, lambda: None)
        self._keeper.call_foul(plain, broken, table, None)

    def _join(self, question: Question, value: Any) -> None:
        if value not in self._match.start.players:
            raise ToldError(f"{value!r} is not one of {', '.join(self._match.start.players)}")
        start = self._match.start
        try:
            self._match.restart(
                Start(start.players, start.options, question.choices["table"], value, midgame=True)
            )
        except RecordError as error:
            problem = f"the game cannot go on from this table: {error}"
            raise ToldError(problem, error.code) from error
        self._draft.change(pending=None, since={})
        self._draft.withdraw_all()

    def _overruled(self, n: Any) -> None:
        if self._doubts.pending is None or self._doubts.pending.n != n:
            raise ToldError(f"there is no foul with the number {n} to overrule")
        self._keeper.overrule()

    def _let_stand(self) -> None:
        """Accept the move on the table as the machine's, although it chose another one."""
        otherwise = self._doubts.otherwise
        if otherwise is None:
            raise ToldError("nothing lies otherwise than the machine wants it")
        self._match.note(LetStand(self._match.next_n, self._t))
        self._keeper.accept(otherwise.row.moves, lambda: otherwise.picture)

    def _corrected(self, n: Any, value: Any) -> None:
        if not is_whole(n) or not 1 <= n <= len(self._match.accepted):
            raise ToldError(f"there is no move {n} to correct")
        if not isinstance(value, dict):
            raise ToldError("say what the move was")
        match, doubts = self._match.now, self._doubts
        lay = contents(self._match.layout)
        self._keeper.correct(n, value)
        # A corrected tile is kept as an answer, so that the camera does not question it again.
        lying = contents(self._match.layout)
        for spot, now in lying.items():
            if lay.get(spot) != now:
                read = [lay[spot]] if spot in lay else []
                self._draft.doubts = self._doubts.told(spot, now, read, in_doubt=False)
        self._remember(match, doubts)

    def _silent(self, written: Mapping[str, Json]) -> None:
        """Accept a move that leaves no trace on the table."""
        move = move_told(self._match, dict(written))
        verdict = self._match.game.judge(self._match.position, move)
        if not verdict.legal:
            problem = " ".join(broken.text for broken in verdict.violations)
            raise ToldError(problem, "against-rules")
        self._keeper.accept((move,), lambda: None)

    # --- undoing ---------------------------------------------------------------------------

    def undo_told(self) -> bool:
        """Undo the last player's message and its effects; return whether there was one."""
        if not can_undo_told(self._match.now, self._doubts):
            return False
        *earlier, deed = standing_deeds(self._match.now, self._doubts)
        draft, match = self._draft, self._match
        if draft.doubts.pending is not None and draft.doubts.pending != deed.doubts.pending:
            self._keeper.take_foul_back()
        both = zip(deed.match.accepted, match.accepted, strict=False)
        count = len(list(takewhile(lambda pair: pair[0] == pair[1], both)))
        last = len(match.accepted)
        match.go_back(deed.match, self._t)
        for n in range(last, count, -1):
            draft.say("taken-back", n=n)
        for n, one in enumerate(match.accepted[count:], start=count + 1):
            draft.say_verdict(n, one)
        draft.doubts = replace(draft.doubts.undone(deed.doubts), deeds=tuple(earlier))
        turn = draft.doubts.machine
        if turn is not None and turn.position is not match.position:
            draft.wants(None)
        draft.withdraw_all()
        if deed.question is not None:
            draft.put(deed.question)
        draft.change(turn=None, scores=None)
        self._keeper.go_on()
        return True

    def _remember(self, match: Game, doubts: Doubts, question: Question | None = None) -> None:
        """Add the message that was just handled, with game and doubts from before it."""
        accepted, start = self._match.accepted, self._match.start
        unchanged = accepted == match.accepted and start == match.start
        due = unchanged and self._doubts.pending == doubts.pending
        deed = Deed(match, doubts.to_undo(), question, start, accepted, due)
        self._draft.change(deeds=(*standing_deeds(match, self._doubts), deed))

    def _settle(self) -> None:
        """Note that moves from now on are no effect of the last message: another one came."""
        deeds = self._doubts.deeds
        if deeds:
            self._draft.change(deeds=(*deeds[:-1], replace(deeds[-1], due=False)))


def can_undo_told(match: Game, doubts: Doubts) -> bool:
    """Say whether the last player's message can be undone: nothing but its effects came after."""
    deeds = standing_deeds(match, doubts)
    return bool(deeds) and (deeds[-1].start, deeds[-1].accepted) == (match.start, match.accepted)


def standing_deeds(match: Game, doubts: Doubts) -> tuple[Deed, ...]:
    """Return the messages up to the last one whose moves are still part of the game."""
    deeds = doubts.deeds
    while deeds and not _stands(deeds[-1], match):
        deeds = deeds[:-1]
    return deeds


def _stands(deed: Deed, match: Game) -> bool:
    """Say whether the moves that a message led to are still part of the game."""
    return deed.start == match.start and deed.accepted == match.accepted[: len(deed.accepted)]
