"""The referee's bench: match, open questions and announced foul, and how each change is told.

Nothing is announced before it is on the disk.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from companion_app.live.again import LookAgain
from companion_app.live.errors import ToldError
from companion_app.live.explain import Row
from companion_app.live.match import Accepted, Match
from companion_app.live.places import Content, Spot, contents
from companion_app.live.questions import Question, is_about_the_table, question_to_json
from engine.game import EMPTY, Json, Move, Violation
from engine.placement import Layout
from engine.record import move_to_json
from engine.referee import violation_to_json

Event = dict[str, Json]
Picture = Callable[[], bytes | None]
Standing = Literal["settled", "settling", "unsure"]


@dataclass(frozen=True, slots=True)
class RefereeSettings:
    """When the referee speaks, and when it asks."""

    foul_at: float = 0.97
    """Confidence that every changed tile needs before a move is called illegal."""
    looks_for_foul: int = 4
    """So many looks must show a foul: one more than a legal move needs."""
    ask_after_s: float = 1.5
    """A tile that is still doubtful after so long is asked about."""
    clay_s: float = 0.15
    """So long the referee waits for clay that would tell two moves apart; clay that comes later
    corrects the move."""
    puzzled_after_s: float = 4.0
    """A table that no moves explain is asked about after so long."""
    stale_after_s: float = 1.0
    """A question that looks at the table have not asked again for so long is withdrawn."""
    most_read_again: int = 6
    """So many kept pictures are read again after a correction at most: a second or two."""
    most_taken_back: int = 12
    """More tiles than that gone at once are a table being cleared, not moves taken back."""


@dataclass(frozen=True)
class Pending:
    """An announced foul that still lies on the table."""

    n: int
    move: Move
    violations: tuple[Violation, ...]
    layout: Layout
    seq: int


class Bench:
    """What the referee has before it; every change of the match goes through here."""

    def __init__(
        self, match: Match, emit: Callable[[Event], None], settings: RefereeSettings | None = None,
        look_again: LookAgain = lambda jpeg: None,
    ) -> None:  # fmt: skip
        self.match = match
        self._look_again = look_again
        self.settings = settings or RefereeSettings()
        self.pending: Pending | None = None
        self.questions: dict[int, Question] = {}
        self.answers: dict[Spot, Content | None] = {}
        """What people have said lies in a place; ``None`` for nothing."""
        self.there: frozenset[Spot] = frozenset()
        """Places of known tiles that are not seen, but still lie there, as was told."""
        self.strays: frozenset[Spot] = frozenset()
        """Hex cells that look like a part of a tile, but somebody has said that none is there."""
        self.whole: frozenset[Spot] = frozenset()
        """Hex cells of tiles that seem to go on under something, but are whole, as was told."""
        self.waived: Layout | None = None
        """The table with a foul on it that somebody has said will be lifted."""
        self._emit = emit
        self._asked = 0
        self._renewed: dict[int, float] = {}
        """When each open question was asked last."""
        self._chosen: dict[object, Row] = {}
        self._rolls: deque[tuple[float, Move]] = deque()
        self._since: dict[object, float] = {}
        self._scores: Mapping[str, int | None] | None = None
        self._turn: str | None = None
        self._picture: bytes | None = None
        self._over = False
        self._going_on = False
        """Whether turn, pass or end could not be kept yet, and so not be said."""
        self._touched = True
        self._die: int | None = None
        self._seen_roll: int | None = None
        """The number of the last move, where that is a roll that the camera saw."""
        self._begun = bool(match.accepted)
        """Whether a table was seen that is where the game began, or went on from."""
        self._rolled_s = float("-inf")
        """When the roll was told that counts now."""

    def start(self, t: float) -> None:
        """Say whose turn it is and how it stands."""
        self._go_on(t)

    def needs_roll(self) -> bool:
        """Say whether nobody can lay anything before a roll is told."""
        game, position = self.match.game, self.match.position
        if "roll" not in game.facts.actions or self._over:
            return False
        return game.judge(position, Move(position.to_move, "roll", value=1)).legal

    def _next_roll(self, t: float) -> bool:
        if not self._rolls or not self.needs_roll():
            return False
        move = replace(self._rolls.popleft()[1], player=self.match.position.to_move)
        verdict = self.match.game.judge(self.match.position, move)
        if not verdict.legal:
            raise ToldError(" ".join(broken.text for broken in verdict.violations))
        self._rolled_s = t
        self._accept((move,), t, lambda: None)
        return True

    def _accept(self, moves: Iterable[Move], t: float, picture: Picture) -> None:
        shot = picture()
        added = self.match.accept(tuple(moves), shot, t)
        self._picture = shot or self._picture
        self._begun = True
        self._since.clear()
        self._chosen.clear()
        self._forget_answers()
        self._withdraw_all(t)
        first = len(self.match.accepted) - len(added) + 1
        for n, one in enumerate(added, start=first):
            self._verdict(n, one, t)
        self._go_on(t)

    def _verdict(self, n: int, one: Accepted, t: float) -> None:
        said: Event = {"n": n, "move": move_to_json(one.move)}
        said |= {"legal": not one.violations or one.overruled}
        said |= {"violations": [violation_to_json(v) for v in one.violations], "seq": one.seq}
        if one.overruled:
            said["overruled"] = True
        self._say("verdict", t, **said)

    def _take_foul_back(self, t: float) -> None:
        assert self.pending is not None
        self.match.note("foul-taken-back", {"n": self.pending.n, "t": t})
        self._say("taken-back", t, n=self.pending.n, legal=False)
        self.pending = None

    def _undo(self, count: int, t: float, picture: Picture) -> Standing:
        if self.pending:
            self._take_foul_back(t)
        last = len(self.match.accepted)
        for number, undone in enumerate(self.match.take_back(count, picture(), t)):
            if number < count - 1 and undone.move.do == "roll":
                # The die was rolled all the same: it counts when the turn comes again.
                self._rolls.appendleft((float("-inf"), undone.move))
            self._say("taken-back", t, n=last - number)
        self._since.clear()
        self._withdraw_all(t)
        self._go_on(t)
        return "settled"

    def _go_on(self, t: float) -> None:
        """Say turn and score, let stuck players pass, ask for the roll, say when it is over.

        Raises:
            StoreError: a pass or the end could not be kept; ``_going_on`` says that it is due.
        """
        self._going_on = True
        self._say_how_it_stands(t)
        self._going_on = False

    def _say_how_it_stands(self, t: float) -> None:
        game, match = self.match.game, self.match
        outcome = game.outcome(match.position)
        if outcome.scores != self._scores:
            self._scores = dict(outcome.scores)
            self._say("score", t, scores=self._scores)
        if outcome.over:
            if not self._over:
                match.end()
                self._over = True
                self._say("over", t, scores=self._scores, winners=list(outcome.winners))
            return
        if self._over:
            self._over = False
            match.reopen()
        if self._pass_when_stuck(t):
            return
        if match.position.to_move != self._turn:
            self._turn = match.position.to_move
            self._say("turn", t, player=self._turn)
        if self.needs_roll():
            if not self._next_roll(t):
                self._ask("roll", ("roll", len(match.accepted)), [1, 2, 3], t)
        else:
            self._withdraw([q for q in self.questions.values() if q.about == "roll"], t)

    def _pass_when_stuck(self, t: float) -> bool:
        if "roll" in self.match.game.facts.actions:
            return False
        moves = self.match.game.legal_moves(self.match.position)
        if len(moves) == 1 and moves[0].do in ("pass", "finale"):
            self._accept(moves, t, lambda: None)
            return True
        return False

    def _ask(
        self, about: str, key: object, guesses: Iterable[Json], t: float,
        spot: Spot | None = None, cells: tuple[tuple[int, ...], ...] = (),
        choices: Mapping[str, Any] = EMPTY,
    ) -> None:  # fmt: skip
        for question in self.questions.values():
            if question.key == key:
                self._renewed[question.id] = t
                return
        self._asked += 1
        self._put(Question(self._asked, about, key, tuple(guesses), spot, cells, choices), t)

    def _put(self, question: Question, t: float) -> None:
        self.questions[question.id] = question
        self._renewed[question.id] = t
        self._say("question", t, **question_to_json(question, self.match))

    def _withdraw(self, questions: Iterable[Question], t: float) -> None:
        """Let questions go that need no answer any more."""
        for question in list(questions):
            del self.questions[question.id]
            self._say("withdrawn", t, id=question.id)

    def _withdraw_all(self, t: float) -> None:
        """Let every question go: the game has moved past it."""
        self._withdraw(self.questions.values(), t)

    def _withdraw_about_the_table(self, t: float) -> None:
        """Let go what was asked about the table: it lies as it is known."""
        self._withdraw(filter(is_about_the_table, self.questions.values()), t)

    def _withdraw_stale(self, t: float) -> None:
        """Let go what looks at the table have not asked again: what it was about is gone."""
        old = t - self.settings.stale_after_s
        about_the_table = filter(is_about_the_table, self.questions.values())
        self._withdraw((q for q in about_the_table if self._renewed[q.id] <= old), t)

    def _forget_answers(self) -> None:
        """Forget what was told of places where nothing lies now."""
        lying = contents(self.match.layout)
        self.answers = {s: c for s, c in self.answers.items() if s in lying}
        self.there &= lying.keys()

    def _waited(self, key: object, t: float, seconds: float) -> bool:
        return t - self._since.setdefault(key, t) >= seconds

    def _say(self, event: str, t: float, **what: Json) -> None:
        self._emit({"t": round(t, 3), "event": event, **what})
