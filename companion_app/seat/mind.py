"""The machine's mind: a priority queue of questions, and thinking ahead while it is empty.

Long work yields to more urgent questions at every step. A question whose client has closed its
connection is dropped.
"""

from __future__ import annotations

import heapq
import itertools
import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion_app.refusal import Refusal, refusal_of
from companion_app.seat import alone, thinking
from engine.record import move_to_json

log = logging.getLogger(__name__)
Doc = Mapping[str, Any]
Done = Callable[[Doc], None]
RANKS = {"move": 0, "hints": 1, "ponder": 1, "look-over": 2, "alone": 3}
"""Priorities, the lowest number first: a seat at the table first, a phone alone last."""
MOST_WAITING = 24
REMEMBERED = 48
"""Cached answers: for positions thought about ahead, and for repeated questions."""
LIKELY = 3
"""Number of the others' likeliest moves to which the machine's answers are computed ahead."""


class GivenUp(Exception):  # noqa: N818 - what happened, in its own words
    """Nobody waits for the answer any more."""


class Question:
    """One question, with the callbacks that answer it and tell whether it is still wanted."""

    def __init__(self, said: Doc, done: Done, is_wanted: Callable[[], bool]) -> None:
        self.what, self.body = str(said.get("what")), said.get("body")
        self.done, self.is_wanted = done, is_wanted
        self.rank = RANKS.get(self.what, 0)


class Mind:
    """Answers questions in the thread that calls ``live``; any thread may put them."""

    def __init__(self, folders: Callable[[], tuple[Path, ...]]) -> None:
        self._folders = folders
        self._news = threading.Condition()
        self._waiting: list[tuple[int, int, Question]] = []
        self._numbers = itertools.count()
        self._idle: Doc | None = None
        """The position from which to think ahead while people think."""
        self._known: OrderedDict[str, Doc] = OrderedDict()
        self.busy_since_s: float | None = None
        """Start of the current step (monotonic time); ``None`` while there is nothing to do."""
        self.asked_s = time.monotonic()
        """When the last question came (monotonic time)."""

    def put(self, question: Question) -> None:
        """Queue a question; refuse it where the queue is full."""
        with self._news:
            self.asked_s = time.monotonic()
            if len(self._waiting) < MOST_WAITING:
                heapq.heappush(self._waiting, (question.rank, next(self._numbers), question))
                self._news.notify()
                return
        question.done(
            {"refusal": Refusal(code="player-away", status=503, retry_after_s=5).to_json()}
        )

    def live(self, within_s: float) -> None:
        """Answer one question, or think ahead; return after ``within_s`` with nothing to do."""
        with self._news:
            if not self._waiting and self._idle is None:
                self._news.wait(within_s)
        if not self._one_before(len(RANKS)):
            self._think_ahead()

    def _one_before(self, rank: int) -> bool:
        """Answer one question whose rank is below ``rank``; say whether there was one."""
        with self._news:
            if not self._waiting or self._waiting[0][0] >= rank:
                return False
            _, _, question = heapq.heappop(self._waiting)
        before_s, self.busy_since_s = self.busy_since_s, time.monotonic()
        try:
            if question.is_wanted():
                self._answer(question)
        finally:
            self.busy_since_s = None if before_s is None else time.monotonic()
        return True

    def _answer(self, question: Question) -> None:
        try:
            question.done({"answer": self._answer_to(question)})
        except GivenUp:
            return
        except Exception as error:  # last resort: the client gets an answer, bugs are logged
            refusal = refusal_of(error)
            if refusal is None:
                log.exception("a question to the machine failed: %s", question.what)
                refusal = Refusal(type(error).__name__, code="player-away", status=503)
            question.done({"refusal": refusal.to_json()})

    def _answer_to(self, question: Question) -> Any:
        body, folders = question.body, self._folders()
        if not isinstance(body, dict):
            raise Refusal("a question has a body")
        stop = self._stop_for(question)
        match question.what:
            case "move":
                return self._move(body, stop)
            case "hints":
                return self._remembered("hints", body, lambda: thinking.hints(body, folders, stop))
            case "ponder":
                self._idle = body
                return None
            case "look-over":
                return thinking.looked_over(body, folders, self._step_of(question))
            case "alone":
                return alone.played_on(body, folders, self._step_of(question))
            case _:
                raise Refusal(f"nothing is called {question.what}")

    def _move(self, body: Doc, stop: Callable[[], bool]) -> Doc:
        return self._remembered(
            "move", body, lambda: thinking.move_wanted(body, self._folders(), stop)
        )

    def _remembered(self, what: str, body: Doc, think: Callable[[], Doc]) -> Doc:
        told = {name: body.get(name) for name in ("record", "hands", "level")}
        key = what + json.dumps(told, sort_keys=True)
        if key not in self._known:
            self._known[key] = think()
        self._known.move_to_end(key)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return self._known[key]

    def _stop_for(self, question: Question) -> Callable[[], bool]:
        """Return a check for searches, which raises ``GivenUp`` once nobody wants the answer."""

        def stop() -> bool:
            if not question.is_wanted():
                raise GivenUp
            return False

        return stop

    def _step_of(self, question: Question) -> Callable[[], None]:
        """Return what long work calls at every step: it answers more urgent questions first."""

        def step() -> None:
            while self._one_before(question.rank):
                pass
            self.busy_since_s = time.monotonic()
            if not question.is_wanted():
                raise GivenUp

        return step

    # --- while people think ----------------------------------------------------------------

    def _think_ahead(self) -> None:
        """Cache the machine's answers to the likeliest moves of the player whose turn it is."""
        body, self._idle = self._idle, None
        if body is None:
            return
        self.busy_since_s = time.monotonic()
        try:
            table = thinking.table_of(body, self._folders())
            game, players = table.record.game, body["machine"]
            for move in thinking.replies(table, LIKELY):
                after = game.apply(table.position, move)
                if self._waiting or after.to_move not in players:
                    continue
                written = dict(body["record"])
                written["moves"] = [*written.get("moves", ()), move_to_json(move)]
                told = {
                    "record": written,
                    "hands": body.get("hands"),
                    "level": players[after.to_move],
                }
                self._move(told, self._something_waits)
        except GivenUp:
            return
        except Exception:  # nobody waits for the result: logging is enough
            log.exception("thinking ahead failed")
        finally:
            self.busy_since_s = None

    def _something_waits(self) -> bool:
        if self._waiting:
            # Raised, so that an unfinished thought is not cached.
            raise GivenUp
        return False
