"""A process of the supervisor: how it reports, is told to stop, and never outlives it.

Its standard output goes to the supervisor, one JSON object per line. Its standard input is a pipe
from the supervisor: when that closes, the supervisor has ended.
"""

from __future__ import annotations

import ctypes
import gc
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
"""Linux' prctl option: sets the signal that a process gets when its parent ends."""
BEAT_S = 2.0


class Child:
    """This process, as its supervisor knows it."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = json.loads(sys.argv[1])
        """Start data from the supervisor."""
        self.stopping = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: self.stopping.set())
        # Ctrl-C reaches every process of a terminal, but only the supervisor reacts to it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        threading.Thread(target=_end_with_supervisor, daemon=True).start()
        if self.told.get("log"):
            form = "%(levelname)s %(name)s: %(message)s"
            logging.basicConfig(level=self.told["log"], format=form)

    def report(self, **said: Any) -> None:
        """Send a report to the supervisor."""
        with suppress(OSError):
            os.write(1, json.dumps(said).encode() + b"\n")

    def beat(self, lives: Callable[[], bool]) -> None:
        """Send heartbeats to the supervisor in a thread, as long as ``lives`` returns true."""
        threading.Thread(target=self._beat, args=(lives,), name="beat", daemon=True).start()

    def _beat(self, lives: Callable[[], bool]) -> None:
        while not self.stopping.wait(BEAT_S):
            if lives():
                self.report(alive=True)


def settle() -> None:
    """Exempt what this process has loaded by now from garbage collection.

    It stays until the end, and looking through it would stop every thread now and then, a verdict
    on its way among them.
    """
    gc.collect()
    gc.freeze()


def _end_with_supervisor() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)
