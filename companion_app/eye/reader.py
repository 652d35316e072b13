"""The eye's end of the line: reads the page's commands, and sends it news of the table.

The game never waits for the page: each connection has a thread of its own, of which the page opens
no more than it has. Events are queued in the hub and sent with the standing that they led to; a
page that reads too slowly loses events and is told so.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from companion_app.eye.commands import Commands
from companion_app.line.commands import CHANGES, Answer, Call, EyeAway, carry_out
from companion_app.line.hub import MISSED, Hub
from companion_app.line.standing import News, Standing
from companion_app.line.wire import listen, packed, receive
from companion_app.refusal import refusal_of

log = logging.getLogger(__name__)
MOST_WAITING = 1024
"""Most events queued for a slow page; beyond them it is told that it has missed some."""
LOOK_S = 0.25
"""Seconds between checks of the standing when no event arrives."""
GLANCE_S = 0.01


class CommandReader:
    """Accepts connections of pages at an address."""

    def __init__(self, path: str, commands: Commands, hub: Hub) -> None:
        Path(path).unlink(missing_ok=True)
        self._listener = listen(path)
        self._commands, self._hub = commands, hub
        self._closed = threading.Event()
        self._sent_at = 0
        """Until when a page knows everything, as its standing says."""
        self.followed = threading.Event()
        """Set once a page follows."""

    def start(self) -> None:
        """Start to accept connections."""
        threading.Thread(target=self._accept, name="line", daemon=True).start()

    def tell_now(self, within_s: float) -> None:
        """Wait until a page that follows has been sent the current standing."""
        now, until_s = time.monotonic_ns(), time.monotonic() + within_s
        while self.followed.is_set() and self._sent_at < now and time.monotonic() < until_s:
            time.sleep(GLANCE_S)

    def close(self) -> None:
        """Stop accepting connections, and disconnect the pages."""
        self._closed.set()
        with suppress(OSError):
            self._listener.close()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                wire = self._listener.accept()
                threading.Thread(target=self._serve, args=(wire,), daemon=True).start()
            except (OSError, EOFError, RuntimeError):
                self._closed.wait(LOOK_S)

    def _serve(self, wire: Connection) -> None:
        # The page may not wait any more, and the desk may have ended.
        with wire, suppress(OSError, EyeAway):
            name, given, follows = receive(wire, Call)
            answer = self._answer(name, given)
            if follows:
                self._tell(wire)
            else:
                wire.send_bytes(packed(answer))

    def _answer(self, name: str, given: list[Any]) -> Answer:
        try:
            body = carry_out(self._commands, name, given)
            return Answer(body, self._commands.standing() if name in CHANGES else None)
        except Exception as error:  # the top of a command: answered, and logged if it is our fault
            refusal = refusal_of(error)
            if refusal is not None:
                return Answer(refusal=refusal.to_json())
            log.exception("the page's command failed: %s", name)
            return Answer(broken=type(error).__name__)

    def _tell(self, wire: Connection) -> None:
        listener = self._hub.listen(None, MOST_WAITING)
        # A page that comes, or comes again, knows nothing of what happened before.
        events, told = [MISSED], Standing()
        self.followed.set()
        try:
            # The page sends nothing more, so any news means that it has gone.
            while not (self._closed.is_set() or listener.closed or wire.poll()):
                now = self._commands.standing()
                if events or (now.mark, now.looks) != (told.mark, told.looks):
                    wire.send_bytes(packed(News(now, [event.body for event in events])))
                    told = now
                self._sent_at = now.at
                events = listener.take(LOOK_S)
        finally:
            self._hub.leave(listener)
