"""A process of the supervisor: how it reports, is told to stop, and never outlives it.

Its standard output goes to the supervisor, a JSON object a line; its standard input is the
supervisor's other end: when that is gone, so is the supervisor.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

PR_SET_PDEATHSIG = 1
"""Linux' prctl: the signal that a process gets when its parent ends."""
BEAT_S = 2.0


class Child:
    """This process, as its supervisor knows it."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = json.loads(sys.argv[1])
        """What the supervisor said at the start."""
        self.stopping = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: self.stopping.set())
        # Ctrl-C reaches every process of a terminal; the supervisor then says when to stop.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        threading.Thread(target=_end_with_supervisor, daemon=True).start()
        if self.told.get("log"):
            form = "%(levelname)s %(name)s: %(message)s"
            logging.basicConfig(level=self.told["log"], format=form)

    def report(self, **said: Any) -> None:
        """Tell the supervisor something."""
        with suppress(OSError):
            os.write(1, json.dumps(said).encode() + b"\n")

    def beat(self, lives: Callable[[], bool]) -> None:
        """Tell the supervisor again and again that this process lives, as long as it does."""
        threading.Thread(target=self._beat, args=(lives,), name="beat", daemon=True).start()

    def _beat(self, lives: Callable[[], bool]) -> None:
        while not self.stopping.wait(BEAT_S):
            if lives():
                self.report(alive=True)


def _end_with_supervisor() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)
