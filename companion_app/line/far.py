"""The page's client for the eye in another process, which may end and restart at any time."""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from companion_app.aside import stand_aside
from companion_app.line.ends import ANSWER_S, Answer, Doc, EyeAway
from companion_app.line.hub import MISSED, Hub
from companion_app.line.standing import Standing, read_standing
from companion_app.line.wire import Wire, WireCut, call
from companion_app.refusal import read_refusal

log = logging.getLogger(__name__)
CALL_AGAIN_S = 0.2
FIRST_STANDING_S = 10.0
"""Seconds to wait for the first standing while the eye starts."""
Heard = tuple[Doc, bytes] | None
"""An answer; ``None`` where the connection was lost before it came."""


class EyeBrokenError(Exception):
    """Something went wrong in the eye itself; its log says what."""


class FarEye:
    """Keeps a connection to the eye, and hands its events to the page's hub."""

    def __init__(
        self,
        path: str,
        hub: Hub,
        greeting: Callable[[], Mapping[str, Doc]] = dict,
        after: int | None = 0,
    ) -> None:
        """Follow the eye at an address.

        Args:
            path: the address.
            hub: gets the events of the eye.
            greeting: commands with their bodies, sent after every connect.
            after: number of the last known event; ``None`` for a restarted page, which knows none.
        """
        self._path, self._hub, self._greeting = path, hub, greeting
        self._life: str | None = None
        self._after = after
        self._news = threading.Condition()
        self._wire: Wire | None = None
        self._standing: Standing | None = None
        self._numbers = itertools.count(1)
        self._waiting: dict[int, queue.SimpleQueue[Heard]] = {}
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="eye", daemon=True)

    def start(self) -> None:
        """Start to connect in the background."""
        self._thread.start()

    def close(self) -> None:
        """Disconnect and stop."""
        self._closed.set()
        wire = self._wire
        if wire is not None:
            wire.hang_up()
        self._thread.join(5)

    @property
    def is_there(self) -> bool:
        """Whether the connection is open."""
        return self._wire is not None

    def standing(self) -> Standing:
        """Return the newest standing; wait up to ``FIRST_STANDING_S`` for the first."""
        known = self._standing
        if known is None:
            stand_aside()
            with self._news:
                self._news.wait_for(lambda: self._standing is not None, FIRST_STANDING_S)
                known = self._standing
        if known is None:
            raise EyeAway
        return known

    def ask(
        self, what: str, body: Doc | None = None, data: bytes = b"", within_s: float = ANSWER_S
    ) -> Answer:
        """Send a command and return its answer."""
        wire = self._wire
        if wire is None:
            raise EyeAway
        number = next(self._numbers)
        coming: queue.SimpleQueue[Heard] = queue.SimpleQueue()
        self._waiting[number] = coming
        until_s = time.monotonic() + within_s
        try:
            stand_aside()
            wire.send({"ask": number, "what": what, "body": body or {}}, data, within_s)
            # Where the connection was lost before the question was listed, nobody answers.
            if wire is not self._wire:
                raise EyeAway
            heard = coming.get(timeout=max(0.0, until_s - time.monotonic()))
        except (WireCut, queue.Empty) as error:
            raise EyeAway from error
        finally:
            self._waiting.pop(number, None)
        if heard is None:
            raise EyeAway
        return _answer(what, *heard)

    # --- listening -------------------------------------------------------------------------

    def _follow(self) -> None:
        while not self._closed.is_set():
            try:
                wire = call(self._path)
            except OSError:
                self._closed.wait(CALL_AGAIN_S)
                continue
            try:
                self._greet(wire)
                self._listen(wire)
            except WireCut:
                log.info("the line to the eye is cut")
            finally:
                self._lose()
                wire.close()
                self._closed.wait(CALL_AGAIN_S)

    def _greet(self, wire: Wire) -> None:
        wire.send({"life": self._life, "after": self._after})
        for what, body in self._greeting().items():
            # Number 0: nobody waits for the answer.
            wire.send({"ask": 0, "what": what, "body": body})

    def _listen(self, wire: Wire) -> None:
        is_first = True
        while True:
            said, data = wire.receive()
            standing = said.get("standing")
            if standing is not None:
                self._take(wire, read_standing(standing), is_first)
            if "answer" in said:
                coming = self._waiting.get(said["answer"])
                if coming is not None:
                    coming.put((said, data))
            if "life" in said:
                is_first = False
                if said["life"] != self._life:
                    self._life, self._after = said["life"], 0
            for number, event in said.get("events", ()):
                self._after = max(self._after or 0, number)
                self._hub.publish(event)

    def _take(self, wire: Wire, standing: Standing, is_first: bool) -> None:
        with self._news:
            known = self._standing
            # Standings in answers and in news may arrive out of order.
            if is_first or known is None or standing.number > known.number:
                self._standing = standing
            self._wire = wire
            self._news.notify_all()

    def _lose(self) -> None:
        with self._news:
            was_there, self._wire = self._wire is not None, None
        for coming in list(self._waiting.values()):
            coming.put(None)
        if was_there and not self._closed.is_set():
            # Makes phones fetch the state, which says that the eye is away.
            self._hub.publish(MISSED.body)


def _answer(what: str, said: Mapping[str, Any], data: bytes) -> Answer:
    if "refusal" in said:
        raise read_refusal(said["refusal"])
    if "broken" in said:
        raise EyeBrokenError(f"{what}: {said['broken']}")
    return Answer(said["body"], data)
