"""The questions that wait for an answer: each asked once, and let go when it needs none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from companion_app.live.announcing import Voice
from companion_app.live.places import Spot
from companion_app.live.questions import Question, is_about_the_table, question_to_json
from companion_app.live.referee_state import RefereeState
from engine.game import EMPTY, Json


class OpenQuestions:
    """Asks, and lets questions go."""

    def __init__(self, state: RefereeState, voice: Voice) -> None:
        self._state = state
        self._match = state.match
        self._voice = voice

    def ask(
        self, about: str, key: object, guesses: Iterable[Json], t: float,
        spot: Spot | None = None, cells: tuple[tuple[int, ...], ...] = (),
        choices: Mapping[str, Any] = EMPTY,
    ) -> None:  # fmt: skip
        """Ask, or take note that a question is still asked: ``key`` says which one it is."""
        for question in self._state.questions.values():
            if question.key == key:
                self._state.renewed[question.id] = t
                return
        self._state.asked += 1
        self.put(Question(self._state.asked, about, key, tuple(guesses), spot, cells, choices), t)

    def put(self, question: Question, t: float) -> None:
        """Let a question wait for its answer."""
        self._state.questions[question.id] = question
        self._state.renewed[question.id] = t
        self._voice.say("question", t, **question_to_json(question, self._match))

    def withdraw(self, questions: Iterable[Question], t: float) -> None:
        """Let questions go that need no answer any more."""
        for question in list(questions):
            del self._state.questions[question.id]
            self._voice.say("withdrawn", t, id=question.id)

    def withdraw_all(self, t: float) -> None:
        """Let every question go: the game has moved past it."""
        self.withdraw(self._state.questions.values(), t)

    def withdraw_about_the_table(self, t: float) -> None:
        """Let go what was asked about the table: it lies as it is known."""
        self.withdraw(filter(is_about_the_table, self._state.questions.values()), t)

    def withdraw_stale(self, t: float) -> None:
        """Let go what looks at the table have not asked again: what it was about is gone."""
        old = t - self._state.settings.stale_after_s
        about_the_table = filter(is_about_the_table, self._state.questions.values())
        self.withdraw((q for q in about_the_table if self._state.renewed[q.id] <= old), t)
