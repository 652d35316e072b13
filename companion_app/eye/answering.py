"""The eye's end of the line: answers the page's requests and sends it events.

The game never waits for the page. Requests are answered by a thread pool. Events are queued in the
hub and sent with the standing that they led to; a page that reads too slowly loses events and is
told so. A new connection replaces the previous one.
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
from companion_app.eye.desk import GameLeftError
from companion_app.line.hub import MISSED, Event, Hub, Listener
from companion_app.line.standing import Standing
from companion_app.line.wire import Wire, WireCut, listen
from companion_app.refusal import Refusal, refusal_of

log = logging.getLogger(__name__)
ANSWERERS = 8
"""Threads that answer requests: some wait for a camera while others are answered."""
MOST_ASKED = 64
"""Most requests at once; more are refused."""
MOST_WAITING = 1024
"""Most events queued for a slow page; beyond them it is told that it has missed some."""
LOOK_S = 0.25
"""Seconds between checks of the standing when no event arrives."""


class Answering:
    """Accepts connections of pages at an address."""

    def __init__(self, path: str, commands: Commands, hub: Hub) -> None:
        Path(path).unlink(missing_ok=True)
        self._listener = listen(path)
        self._commands, self._hub = commands, hub
        self._life = token_hex(8)
        self.called = threading.Event()
        """Set once a page has connected."""
        self._line: _Line | None = None
        self._thread = threading.Thread(target=self._wait, name="line", daemon=True)

    def start(self) -> None:
        """Start to accept connections."""
        self._thread.start()

    def tell_now(self, within_s: float) -> None:
        """Wait until the page, if one is connected, has been sent the current standing."""
        if self._line is not None:
            self._line.tell_now(within_s)

    def close(self) -> None:
        """Stop accepting connections, and disconnect the page."""
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
    """The connection to one page."""

    def __init__(self, wire: Wire, commands: Commands, hub: Hub, life: str) -> None:
        self._wire, self._commands, self._hub, self._life = wire, commands, hub, life
        self._answerers = ThreadPoolExecutor(ANSWERERS, "answer")
        self._asked = threading.BoundedSemaphore(MOST_ASKED)
        self._ended = threading.Event()
        self._told = threading.Condition()
        self._number = 0
        """Number of the standing that was compared or sent last."""
        threading.Thread(target=self._hear, name="line in", daemon=True).start()

    def end(self) -> None:
        """Close the connection."""
        self._ended.set()
        self._wire.hang_up()
        self._answerers.shutdown(wait=False, cancel_futures=True)

    def tell_now(self, within_s: float) -> None:
        """Wait until a standing was sent that is newer than this call."""
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
                    self._send(
                        said,
                        {
                            "refusal": Refusal(
                                code="eye-away", status=503, retry_after_s=2
                            ).to_json()
                        },
                    )
        except (WireCut, RuntimeError):
            # The page has disconnected, or another one has replaced it.
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
        except Exception as error:  # the top of a request: answered, and logged if it is our fault
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
        listener, events = self._listener(hello.get("life"), hello.get("after"))
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
        except (WireCut, GameLeftError):
            self.end()
        finally:
            self._hub.leave(listener)

    def _listener(self, life: Any, after: Any) -> tuple[Listener, list[Event]]:
        """Return the event queue from where the page left off, or with a "missed" event first."""
        if isinstance(after, int) and life in (None, self._life):
            return self._hub.listen(after, MOST_WAITING), []
        return self._hub.listen(None, MOST_WAITING), [MISSED]
