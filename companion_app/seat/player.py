"""The machine's process as eye and page reach it: one question a call, given up by hanging up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from companion_app.line.wire import Wire, WireCut, call
from companion_app.refusal import Refusal, read_refusal

Doc = Mapping[str, Any]
ANSWER_S = 15.0
"""So long an answer is waited for: the process may have to be started first."""
GLANCE_S = 0.2
"""How often whoever waits looks whether the answer is still wanted."""


class PlayerAway(Refusal):
    """The machine does not answer: its process is being started again, or is at its limit."""

    status = 503
    code = "player-away"

    def __init__(self) -> None:
        super().__init__(retry_after_s=5)


class Player(Protocol):
    """Whoever thinks for the machine's seat."""

    def ask(
        self, what: str, body: Doc, within_s: float = ANSWER_S,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:  # fmt: skip
        """Return the answer to a question.

        Raises:
            PlayerAway: none came in time, or it was not wanted any more.
            Refusal: it cannot be answered, and why.
        """
        ...


class NoPlayer:
    """Nobody who thinks: the machine has no seat here."""

    def ask(
        self, what: str, body: Doc, within_s: float = ANSWER_S,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:  # fmt: skip
        """Refuse every question."""
        del what, body, within_s, wanted
        raise PlayerAway


class FarPlayer:
    """The process of its own; it is started when it is asked for the first time."""

    def __init__(self, path: str, want: Callable[[], None]) -> None:
        """Reach the process at an address; ``want`` has it started where it does not run."""
        self._path, self._want = path, want

    def ask(
        self, what: str, body: Doc, within_s: float = ANSWER_S,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:  # fmt: skip
        """Return the answer to a question; a process that dies over it is asked again."""
        until_s = time.monotonic() + within_s
        while wanted() and time.monotonic() < until_s:
            # It may just be ending since nobody asked it for a while.
            self._want()
            try:
                wire = call(self._path)
            except (OSError, EOFError):
                time.sleep(GLANCE_S)
                continue
            try:
                return self._answered(wire, {"what": what, "body": body}, until_s, wanted)
            except WireCut:
                time.sleep(GLANCE_S)
            finally:
                wire.close()
        raise PlayerAway

    def _answered(
        self, wire: Wire, question: Doc, until_s: float, wanted: Callable[[], bool]
    ) -> Any:
        wire.send(question, within_s=max(0.0, until_s - time.monotonic()))
        while not wire.has_news(GLANCE_S):
            if not wanted() or time.monotonic() > until_s:
                raise PlayerAway
        said, _ = wire.receive()
        if "refusal" in said:
            raise read_refusal(said["refusal"])
        return said["answer"]
