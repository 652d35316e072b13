"""Heavy work for the tests: each overruns a limit in its own way."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from pathlib import Path


def add(a: int, b: int) -> int:
    return a + b


def priority() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0)


def pid() -> int:
    return os.getpid()


def never_ends() -> None:
    threading.Event().wait()


def never_listens() -> None:
    """Work on for ever and let nothing end it that can be refused."""
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(one, signal.SIG_IGN)
    while True:
        sum(range(10_000))


def asks_for(megabytes: int) -> int:
    return len(bytearray(megabytes << 20))


def data_limit_mb() -> int:
    """Return how much more memory this call may ask for, in MB; -1 where nothing is bounded."""
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    used = int(status.partition("VmData:")[2].split()[0]) << 10
    return -1 if soft in (hard, resource.RLIM_INFINITY) else (soft - used) >> 20


def uses(megabytes: int) -> None:
    """Fill memory, and never give it back."""
    kept = b"x" * (megabytes << 20)
    threading.Event().wait()
    del kept


def dies() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuses() -> None:
    raise ValueError("not like this")


class Unsendable(Exception):  # noqa: N818
    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def refuses_oddly() -> None:
    raise Unsendable("this", "that")


def waits_for(gate: str) -> None:
    """Say that it has begun, and wait until it may end."""
    Path(f"{gate}.begun").touch()
    while not Path(gate).exists():
        time.sleep(0.01)
