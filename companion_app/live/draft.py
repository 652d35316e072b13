"""A decision of the referee in the making, and what its parts have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import inf
from typing import Any

from companion_app.games.play import Accepted
from companion_app.live.doubts import Doubts, Event, RefereeSettings, needs_roll
from companion_app.live.machine import MachineTurn
from companion_app.live.match import Match
from companion_app.live.places import Spot
from companion_app.live.questions import Question, is_about_the_table, question_to_json
from engine.game import EMPTY, Json
from engine.record import move_to_json
from engine.referee import violation_to_json
from vision import TableState

ASKED_AGAIN_AFTER_S = 10.0
"""Seconds within which the same question never comes twice, unless the game moves on between."""

LookAgain = Callable[[bytes], TableState | None]
"""Function that reads a kept picture; returns ``None`` if it cannot be read."""


class Draft:
    """What a decision leads to so far; nothing of it counts before all of it is on the disk."""

    def __init__(
        self,
        match: Match,
        doubts: Doubts,
        settings: RefereeSettings,
        look_again: LookAgain,
        t: float,
    ) -> None:
        """Begin with nothing changed.

        Args:
            match: the game, whose lines are not written yet.
            doubts: what is known beside it.
            settings: when the referee speaks.
            look_again: reads a kept picture.
            t: seconds of the game at which it is made.
        """
        self.match, self.doubts, self.t = match, doubts, t
        self.settings, self.look_again = settings, look_again
        self.events: list[Event] = []

    def change(self, **fields: Any) -> None:
        """Go on with other doubts."""
        self.doubts = replace(self.doubts, **fields)

    def waited(self, key: object, seconds: float) -> bool:
        """Say whether a condition has held for some seconds since the first call with its key."""
        since = self.doubts.since
        if key not in since:
            self.change(since={**since, key: self.t})
        return self.t - since.get(key, self.t) >= seconds

    def needs_roll(self) -> bool:
        """Say whether the game waits for a roll before anything can be laid."""
        return needs_roll(self.match.now, self.doubts)

    def wants(self, turn: MachineTurn | None) -> None:
        """Set the machine's turn and move; ``None`` when it is not its turn."""
        self.change(machine=turn, otherwise=None)

    # --- what is said ----------------------------------------------------------------------

    def say(self, event: str, **what: Json) -> None:
        """Say one event once the decision counts."""
        self.events.append({"t": round(self.t, 3), "event": event, **what})

    def say_verdict(self, n: int, one: Accepted) -> None:
        """Announce how the nth move was judged."""
        said: Event = {"n": n, "move": move_to_json(one.move)}
        said |= {"legal": not one.violations or one.overruled}
        said |= {"violations": [violation_to_json(v) for v in one.violations], "seq": one.seq}
        if one.overruled:
            said["overruled"] = True
        self.say("verdict", **said)

    # --- what is asked ---------------------------------------------------------------------

    def ask(
        self,
        about: str,
        key: object,
        guesses: Iterable[Json],
        spot: Spot | None = None,
        cells: tuple[tuple[int, ...], ...] = (),
        choices: Mapping[str, Any] = EMPTY,
    ) -> None:
        """Ask a question, or renew the open one that has the same ``key``."""
        doubts = self.doubts
        for question in doubts.questions.values():
            if question.key == key:
                self.change(renewed={**doubts.renewed, question.id: self.t})
                return
        question = Question(doubts.asked + 1, about, key, tuple(guesses), spot, cells, choices)
        is_late = self.t - doubts.put_s.get(key, -inf) >= ASKED_AGAIN_AFTER_S
        if is_about_the_table(question) and not is_late:
            return
        self.change(asked=question.id, put_s={**doubts.put_s, key: self.t})
        self.put(question)

    def put(self, question: Question) -> None:
        """Add an open question and announce it."""
        self.change(
            questions={**self.doubts.questions, question.id: question},
            renewed={**self.doubts.renewed, question.id: self.t},
        )
        self.say("question", **question_to_json(question, self.match))

    def withdraw(self, questions: Iterable[Question]) -> None:
        """Withdraw questions that need no answer any more."""
        gone = [question.id for question in questions]
        left = {n: open_ for n, open_ in self.doubts.questions.items() if n not in gone}
        self.change(questions=left)
        for number in gone:
            self.say("withdrawn", id=number)

    def withdraw_all(self) -> None:
        """Withdraw every question: the game has moved on."""
        self.change(put_s={})
        self.withdraw(self.doubts.questions.values())

    def withdraw_about_the_table(self, asked_before_s: float = inf) -> None:
        """Withdraw questions about the table that were not renewed after a time."""
        about = filter(is_about_the_table, self.doubts.questions.values())
        renewed = self.doubts.renewed
        self.withdraw([q for q in about if renewed[q.id] <= asked_before_s])

    def withdraw_stale(self) -> None:
        """Withdraw questions about the table that recent looks have not renewed."""
        self.withdraw_about_the_table(self.t - self.settings.stale_after_s)


class Part:
    """A part of the referee: it makes a decision together with the others."""

    def __init__(self, draft: Draft) -> None:
        self._draft, self._match, self._t = draft, draft.match, draft.t

    @property
    def _doubts(self) -> Doubts:
        """The doubts that the decision has led to so far."""
        return self._draft.doubts
