"""The client of the machine's process: one question per connection, cancelled by closing it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any, Protocol

from companion_app.aside import stand_aside
from companion_app.line.wire import call, packed, receive
from companion_app.refusal import Refusal, read_refusal

Doc = Mapping[str, Any]
ANSWER_S = 15.0
"""Seconds to wait for an answer: the process may have to be started first."""
GLANCE_S = 0.2
"""Seconds between two checks whether the answer is still wanted, and between two attempts."""


class PlayerAway(Refusal):
    """The machine does not answer: its process is being started again, or is at its limit."""

    status = 503
    code = "player-away"

    def __init__(self) -> None:
        super().__init__(retry_after_s=5)


class Player(Protocol):
    """Computes answers for the machine's seat."""

    def ask(
        self,
        what: str,
        body: Doc,
        within_s: float = ANSWER_S,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:
        """Return the answer to a question.

        Raises:
            PlayerAway: no answer came in time, or it was no longer wanted.
            Refusal: the question cannot be answered, with the reason.
        """
        ...


class NoPlayer:
    """Stands in where the machine has no seat."""

    def ask(
        self,
        what: str,
        body: Doc,
        within_s: float = ANSWER_S,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:
        """Refuse every question."""
        del what, body, within_s, wanted
        raise PlayerAway


class FarPlayer:
    """The machine in a process of its own, which is started by the first question."""

    def __init__(self, path: str, want: Callable[[], None]) -> None:
        """Reach the process at an address; ``want`` has it started where it does not run."""
        self._path, self._want = path, want

    def ask(
        self,
        what: str,
        body: Doc,
        within_s: float = ANSWER_S,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:
        """Return the answer to a question; ask again where the process ends without one."""
        stand_aside()
        return self._asked({"what": what, "body": body}, time.monotonic() + within_s, wanted)

    def _asked(self, question: Doc, until_s: float, wanted: Callable[[], bool]) -> Any:
        while wanted() and time.monotonic() < until_s:
            # Wanted at every attempt: the process may be exiting after an idle time.
            self._want()
            try:
                with call(self._path) as wire:
                    return self._answered(wire, question, until_s, wanted)
            except (OSError, EOFError):
                time.sleep(GLANCE_S)
        raise PlayerAway

    def _answered(
        self, wire: Connection, question: Doc, until_s: float, wanted: Callable[[], bool]
    ) -> Any:
        wire.send_bytes(packed(question))
        while not wire.poll(GLANCE_S):
            if not wanted() or time.monotonic() > until_s:
                raise PlayerAway
        said = receive(wire, dict[str, Any])
        if "refusal" in said:
            raise read_refusal(said["refusal"])
        return said["answer"]
