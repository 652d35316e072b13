"""The eye as the page knows it: its newest standing, its events, and commands that it answers.

The eye is another process, which may end and be started again at any time.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Concatenate

from companion_app.aside import stand_aside
from companion_app.line.commands import (
    ANSWER_S,
    WITHIN_S,
    Answer,
    EyeAway,
    EyeCommands,
    Gained,
    Given,
    brought,
    call_of,
)
from companion_app.line.hub import MISSED, Hub
from companion_app.line.standing import News, Standing
from companion_app.line.wire import call, packed, receive
from companion_app.refusal import Refusal, read_refusal

log = logging.getLogger(__name__)
GLANCE_S = 0.2
"""Seconds between two attempts to connect, and until a closed end is noticed."""
FIRST_STANDING_S = 10.0
"""Seconds to wait for the first standing while the eye starts."""


class EyeBrokenError(Exception):
    """Something went wrong in the eye itself; its log says what."""


class Eye:
    """Follows the eye at an address, and hands its events to the page's hub."""

    def __init__(self, path: str, hub: Hub, most_mb: Callable[[], int | None]) -> None:
        """Follow it once started; ``most_mb`` returns the limit of pictures, told to each eye."""
        self._path, self._hub, self._most_mb = path, hub, most_mb
        self.is_there = False
        """Whether the eye can be asked right now."""
        self._newest = Standing()
        self._taking = threading.Lock()
        self._met, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._follow, name="eye", daemon=True)

    def start(self) -> None:
        """Start to connect in the background."""
        self._thread.start()

    def close(self) -> None:
        """Disconnect and stop."""
        self._closed.set()
        self._thread.join(5)

    def standing(self) -> Standing:
        """Return the newest standing; wait up to ``FIRST_STANDING_S`` for the first.

        Raises:
            EyeAway: none has arrived yet.
        """
        if not self._met.is_set():
            stand_aside()
            if not self._met.wait(FIRST_STANDING_S):
                raise EyeAway
        return self._newest

    def ask(
        self,
        deed: Callable[Concatenate[EyeCommands, Given], Gained],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Gained:
        """Send a command and return what it brought; ``standing`` is at least as new as a change.

        Raises:
            EyeAway: no answer came in time.
            Refusal: the eye refused the command, with the reason.
        """
        if not self.is_there:
            raise EyeAway
        stand_aside()
        name, arguments = call_of(deed, *given, **named)
        try:
            with call(self._path) as wire:
                wire.send_bytes(packed((name, arguments, False)))
                answer = receive(wire, Answer, WITHIN_S.get(name, ANSWER_S))
        except (OSError, EOFError) as error:
            raise EyeAway from error
        except (OverflowError, RecursionError) as error:
            raise Refusal("no number is that large") from error
        if answer.refusal is not None:
            raise read_refusal(answer.refusal)
        if answer.broken is not None:
            raise EyeBrokenError(f"{name}: {answer.broken}")
        if answer.standing is not None:
            self._take(answer.standing)
        gained: Gained = brought(name, answer.body)
        return gained

    def _follow(self) -> None:
        while not self._closed.is_set():
            try:
                with call(self._path) as wire:
                    self._listen(wire)
            except (OSError, EOFError):
                if self.is_there:
                    log.info("the line to the eye is cut")
                    # Makes phones fetch the state, which says that the eye is away.
                    self.is_there = False
                    self._hub.publish(MISSED.body)
            self._closed.wait(GLANCE_S)
        self.is_there = False

    def _listen(self, wire: Connection) -> None:
        wire.send_bytes(packed((*call_of(EyeCommands.limit_pictures, self._most_mb()), True)))
        while not self._closed.is_set():
            if wire.poll(GLANCE_S):
                news = receive(wire, News)
                self._take(news.standing)
                self.is_there = True
                self._met.set()
                for event in news.events:
                    self._hub.publish(event)

    def _take(self, standing: Standing) -> None:
        with self._taking:
            # An answer and news may come in either order.
            if standing.at > self._newest.at:
                self._newest = standing
