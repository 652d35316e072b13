"""The machine's mind: one question at a time, the most urgent first, and idle thoughts between.

Long work lets what is more urgent go before it at every step. What nobody waits for any more (its
line was hung up) is not thought about.
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
"""A seat at the table goes before everything, a phone alone comes last."""
MOST_WAITING = 24
REMEMBERED = 48
"""Answers that are kept: of positions thought about ahead, and those asked for again."""
LIKELY = 3
"""So many moves of the others are thought further."""


class GivenUp(Exception):  # noqa: N818 - what happened, in its own words
    """Nobody waits for the answer any more."""


class Question:
    """One question, and how it is answered."""

    def __init__(self, said: Doc, done: Done, is_wanted: Callable[[], bool]) -> None:
        self.what, self.body = str(said.get("what")), said.get("body")
        self.done, self.is_wanted = done, is_wanted
        self.rank = RANKS.get(self.what, 0)


class Mind:
    """Answers questions in its own thread; anybody may put them."""

    def __init__(self, folders: Callable[[], tuple[Path, ...]]) -> None:
        self._folders = folders
        self._news = threading.Condition()
        self._waiting: list[tuple[int, int, Question]] = []
        self._numbers = itertools.count()
        self._idle: Doc | None = None
        """A position to think about while people do."""
        self._known: OrderedDict[str, Doc] = OrderedDict()
        self.busy_since_s: float | None = None
        """Since when it has been at one step; ``None`` where it waits."""
        self.asked_s = time.monotonic()
        """When it was asked last."""

    def put(self, question: Question) -> None:
        """Let a question wait for its turn."""
        with self._news:
            self.asked_s = time.monotonic()
            if len(self._waiting) < MOST_WAITING:
                heapq.heappush(self._waiting, (question.rank, next(self._numbers), question))
                self._news.notify()
                return
        question.done({"refusal": Refusal(code="player-away", status=503,
                                          retry_after_s=5).to_json()})  # fmt: skip

    def live(self, within_s: float) -> None:
        """Answer what waits, or think ahead; return after a while without anything to do."""
        with self._news:
            if not self._waiting and self._idle is None:
                self._news.wait(within_s)
        if not self._one_before(len(RANKS)):
            self._think_ahead()

    def _one_before(self, rank: int) -> bool:
        """Answer one question that is more urgent than a rank; say whether there was one."""
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
        except Exception as error:  # the top of a question: answered, and logged where it is ours
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
        """Return what says between looks that nobody waits for the answer any more."""

        def stop() -> bool:
            if not question.is_wanted():
                raise GivenUp
            return False

        return stop

    def _step_of(self, question: Question) -> Callable[[], None]:
        """Return what long work calls at every step: urgent questions go before it."""

        def step() -> None:
            while self._one_before(question.rank):
                pass
            self.busy_since_s = time.monotonic()
            if not question.is_wanted():
                raise GivenUp

        return step

    # --- while people think ----------------------------------------------------------------

    def _think_ahead(self) -> None:
        """Think about the machine's answers to the likeliest moves of who is at it now."""
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
                told = {"record": written, "hands": body.get("hands"),
                        "level": players[after.to_move]}  # fmt: skip
                self._move(told, self._something_waits)
        except GivenUp:
            return
        except Exception:  # nobody asked for it: written down, and nothing else
            log.exception("thinking ahead failed")
        finally:
            self.busy_since_s = None

    def _something_waits(self) -> bool:
        if self._waiting:
            # Half a thought is not remembered as a whole one.
            raise GivenUp
        return False
