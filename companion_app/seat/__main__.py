"""The machine's process: ``python -m companion_app.seat``, started by the supervisor when wanted.

It runs at low priority and within a memory limit, and exits when nobody has asked it anything for
``IDLE_S`` seconds.
"""

from __future__ import annotations

import logging
import os
import resource
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any

from companion_app.answers import ANSWERED
from companion_app.child import Child
from companion_app.home import set_folders
from companion_app.line.wire import listen, packed, receive
from companion_app.seat.mind import Mind, Question

log = logging.getLogger(__name__)
NICE = 15
MOST_BYTES = 180 << 20
"""Limit of writable memory; with code shared with other processes it stays below 200 MB."""
STACK_BYTES = 1 << 20
IDLE_S = 300.0
"""Seconds without a question after which the process exits; the next question restarts it."""
WAIT_S = 1.0
LONGEST_STEP_S = 180.0
"""Seconds after which a step counts as hanging."""


def main() -> int:
    """Answer questions until told to stop or idle for too long; return the exit status."""
    child = Child()
    _step_back()
    mind = Mind(lambda: tuple(set_folders()))
    path = child.told["player"]
    Path(path).unlink(missing_ok=True)
    listener = listen(path)
    threading.Thread(target=_hear, args=(listener, mind), name="line", daemon=True).start()
    child.beat(lambda: _lives(mind))
    child.report(ready=True)
    while not child.stopping.is_set() and time.monotonic() - mind.asked_s < IDLE_S:
        mind.live(WAIT_S)
    Path(path).unlink(missing_ok=True)
    return ANSWERED


def _step_back() -> None:
    with suppress(OSError):
        os.nice(NICE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    threading.stack_size(STACK_BYTES)


def _lives(mind: Mind) -> bool:
    since_s = mind.busy_since_s
    return since_s is None or time.monotonic() - since_s < LONGEST_STEP_S


def _hear(listener: Listener, mind: Mind) -> None:
    while True:
        try:
            wire = listener.accept()
            threading.Thread(target=_take, args=(wire, mind), daemon=True).start()
        except (OSError, EOFError, RuntimeError) as error:
            log.warning("a question was not heard: %s", error)
            time.sleep(WAIT_S)


def _take(wire: Connection, mind: Mind) -> None:
    """Queue one question; its connection stays open until it is answered or closed."""
    answered = threading.Event()

    def done(said: object) -> None:
        with suppress(OSError):
            wire.send_bytes(packed(said))
        answered.set()

    def is_wanted() -> bool:
        # The client sends nothing more, so any news means that it closed the connection.
        try:
            return not wire.poll()
        except OSError:
            return False

    with wire, suppress(OSError):
        question = receive(wire, dict[str, Any])
        mind.put(Question(question, done, is_wanted))
        while not answered.wait(WAIT_S) and is_wanted():
            pass


if __name__ == "__main__":
    sys.exit(main())
