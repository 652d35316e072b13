"""The eye's end of the line: answers the page, and tells it what happens.

The game never waits for the page. Questions are answered by threads of their own; events wait in
the hub, where a page that does not read loses them and is told so, and go out with the standing
that they led to. A page that comes anew takes the place of the one before.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

from companion_app.eye.commands import Commands
from companion_app.line.hub import MISSED, Event, FullHouse, Hub, Listener
from companion_app.line.standing import Standing
from companion_app.line.wire import Wire, WireCut, listen
from companion_app.refusal import Refusal, refusal_of

log = logging.getLogger(__name__)
ANSWERERS = 8
"""Some questions wait for a camera; the others are answered meanwhile."""
MOST_ASKED = 64
"""More questions than that at once are refused."""
MOST_WAITING = 1024
"""Events that wait for a page that is slow; beyond them it is told that it has missed some."""
LOOK_S = 0.25
"""How often the standing is looked at where no event says that it has changed."""


class Answering:
    """Waits for pages at an address."""

    def __init__(self, path: str, commands: Commands, hub: Hub) -> None:
        Path(path).unlink(missing_ok=True)
        self._listener = listen(path)
        self._commands, self._hub = commands, hub
        self._life = token_hex(8)
        self.called = threading.Event()
        """Set once a page has called."""
        self._line: _Line | None = None
        self._thread = threading.Thread(target=self._wait, name="line", daemon=True)

    def start(self) -> None:
        """Begin to wait."""
        self._thread.start()

    def tell_now(self, within_s: float) -> None:
        """Wait until the page, if there is one, has been told how the table stands now."""
        if self._line is not None:
            self._line.tell_now(within_s)

    def close(self) -> None:
        """Wait no more, and send the page away."""
        with suppress(OSError):
            self._listener.close()
        if self._line is not None:
            self._line.end()

    def _wait(self) -> None:
        while True:
            try:
                wire = Wire(self._listener.accept())
            except (OSError, EOFError):
                return
            if self._line is not None:
                self._line.end()
            self._line = _Line(wire, self._commands, self._hub, self._life)
            self.called.set()


class _Line:
    """One page, as long as it is there."""

    def __init__(self, wire: Wire, commands: Commands, hub: Hub, life: str) -> None:
        self._wire, self._commands, self._hub, self._life = wire, commands, hub, life
        self._answerers = ThreadPoolExecutor(ANSWERERS, "answer")
        self._asked = threading.BoundedSemaphore(MOST_ASKED)
        self._ended = threading.Event()
        self._told = threading.Condition()
        self._number = 0
        """Of the standing that was told last."""
        threading.Thread(target=self._hear, name="line in", daemon=True).start()

    def end(self) -> None:
        """Cut the line."""
        self._ended.set()
        self._wire.hang_up()
        self._answerers.shutdown(wait=False, cancel_futures=True)

    def tell_now(self, within_s: float) -> None:
        """Wait until a standing was told that is newer than this moment."""
        now = self._commands.standing().number
        with self._told:
            self._told.wait_for(lambda: self._number > now or self._ended.is_set(), within_s)

    # --- answering -------------------------------------------------------------------------

    def _hear(self) -> None:
        try:
            hello, _ = self._wire.receive()
            threading.Thread(target=self._tell, args=(hello,), name="line out", daemon=True).start()
            while True:
                said, data = self._wire.receive()
                if self._asked.acquire(blocking=False):
                    self._answerers.submit(self._answer, said, data)
                else:
                    self._send(said, {"refusal": Refusal(code="eye-away", status=503,
                                                         retry_after_s=2).to_json()})  # fmt: skip
        except (WireCut, RuntimeError):
            # The page is gone, or another has taken its place.
            self.end()
            self._wire.close()

    def _answer(self, said: Mapping[str, Any], data: bytes) -> None:
        try:
            what, body = str(said["what"]), said["body"]
            answer = self._commands.answer(what, body, data)
            told: dict[str, Any] = {"body": answer.body}
            if what in Commands.CHANGES:
                told["standing"] = self._commands.standing().to_json()
            self._send(said, told, answer.data)
        except Exception as error:  # the top of a question: answered, and logged where it is ours
            refusal = refusal_of(error)
            if refusal is None:
                log.exception("the page's question failed: %s", said.get("what"))
                self._send(said, {"broken": type(error).__name__})
            else:
                self._send(said, {"refusal": refusal.to_json()})
        finally:
            self._asked.release()

    def _send(self, asked: Mapping[str, Any], said: Mapping[str, Any], data: bytes = b"") -> None:
        with suppress(WireCut):
            self._wire.send({"answer": asked.get("ask"), **said}, data)

    # --- telling ---------------------------------------------------------------------------

    def _tell(self, hello: Mapping[str, Any]) -> None:
        try:
            listener, events = self._listener(hello.get("life"), hello.get("after"))
        except FullHouse:
            log.error("nothing is told to the page: too many listen already")
            return
        told: Standing | None = None
        try:
            while not self._ended.is_set() and not listener.closed:
                events += listener.take(0.0 if told is None else LOOK_S)
                now = self._commands.standing()
                if events or told is None or (now.mark, now.looks) != (told.mark, told.looks):
                    said = [[event.id, dict(event.body)] for event in events]
                    self._wire.send({"life": self._life, "standing": now.to_json(), "events": said})
                    told, events = now, []
                with self._told:
                    self._number = now.number
                    self._told.notify_all()
        except WireCut:
            self.end()
        finally:
            self._hub.leave(listener)

    def _listener(self, life: Any, after: Any) -> tuple[Listener, list[Event]]:
        """Return where events wait, from where the page left off; or that it has missed some."""
        if isinstance(after, int) and life in (None, self._life):
            return self._hub.listen(after, MOST_WAITING), []
        return self._hub.listen(None, MOST_WAITING), [MISSED]
